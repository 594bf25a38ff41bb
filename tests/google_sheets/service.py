"""One request from arrival to answer: routing, faults, sign-in, quota, the operation, the log."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from . import routes
from .calls import Call, Sheets, parsed
from .cells import Eyes
from .clock import Clock, Quota
from .drive import Drive, masked
from .errors import (
    ApiError,
    Obj,
    drive_error,
    html_page,
    insufficient_scopes,
    internal,
    permission_denied,
    unauthenticated,
    unregistered,
)
from .faults import Ending, Fault, Faults
from .files import Files
from .masks import project, response_mask
from .oauth import Accounts, Token
from .schema import messages
from .views import Unclear

if TYPE_CHECKING:
    from collections.abc import Callable

JSON_TYPE = "application/json; charset=UTF-8"
STORAGE = "The user's Drive storage quota has been exceeded."


@dataclass(frozen=True)
class Request:
    method: str
    target: str  # path and query as sent
    headers: dict[str, str]  # names in lower case
    body: bytes


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    ending: Ending = "answer"
    after_bytes: int | None = None


@dataclass(frozen=True)
class Logged:
    """One request as the server met it; ``status`` is what was sent, 0 where nothing was."""

    kind: str
    method: str
    path: str
    op: str
    scopes: tuple[str, ...]
    bytes_in: int
    bytes_out: int
    status: int
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None


class Log(list[Logged]):
    def counts(self) -> dict[str, int]:
        """How many of each kind: ``{"token": 1, "read": 1, "write": 1}``."""
        return dict(Counter(entry.kind for entry in self))


class Service:
    def __init__(self) -> None:
        self.clock = Clock()
        self.quota = Quota(self.clock)
        self.accounts = Accounts(self.clock)
        self.files = Files(self.clock)
        self.faults = Faults()
        self.requests = Log()
        self.unclear = Unclear()
        self.crashes: list[Exception] = []  # faults of this server's own
        self.service_accounts_own_files = False
        self.lock = threading.RLock()
        self._sheets = Sheets(self.files, self.clock, self.unclear).handlers()
        self._drive = Drive(self.files)

    def handle(self, request: Request) -> Answer:
        path, _, query_text = request.target.partition("?")
        query = urllib.parse.parse_qsl(query_text, keep_blank_values=True)
        match = routes.find(request.method, path)
        kind = match.operation.kind if match else routes.OTHER
        op = match.operation.name if match else ""
        token = self.accounts.bearer(request.headers.get("authorization", ""))
        try:
            answer = self._with_faults(request, match, query, token)
        except Exception as crash:
            self.crashes.append(crash)
            raise
        self.requests.append(
            Logged(
                kind,
                request.method,
                urllib.parse.unquote(path),
                op,
                tuple(token.scopes) if token else (),
                len(request.body),
                len(answer.body),
                answer.status if answer.ending == "answer" else 0,
                tuple(query),
                None if kind == routes.TOKEN else _readable(request.body),
            )
        )
        return answer

    def _with_faults(
        self,
        request: Request,
        match: routes.Match | None,
        query: list[tuple[str, str]],
        token: Token | None,
    ) -> Answer:
        """Meet the planned faults: edits first, then the one that spoils the answer."""
        if match is None:
            return _refusal(html_page(404, "Error 404 (Not Found)"))
        spoiling: Fault | None = None
        for fault in self.faults.take(match.operation.kind, match.operation.name):
            if fault.edit is not None:
                fault.edit()
            else:
                spoiling = fault
        if spoiling is not None and not spoiling.applied:
            return _spoiled(spoiling, Answer(200))
        answer = self._answer(request, match, query, token)
        return answer if spoiling is None else _spoiled(spoiling, answer)

    def _answer(
        self,
        request: Request,
        match: routes.Match,
        query: list[tuple[str, str]],
        token: Token | None,
    ) -> Answer:
        operation = match.operation
        with self.lock:
            try:
                if operation.kind == routes.TOKEN:
                    client = request.headers.get("authorization", "")
                    return _json(self.accounts.grant(request.body, client))
                if operation.name == "consent":
                    return Answer(302, headers={"Location": self.accounts.consent(dict(query))})
                signed = "authorization" in request.headers
                caller = self._admitted(operation, token, signed=signed)
                call = Call(caller.email, match.parts, query, request.body)
                if operation.kind == routes.DRIVE:
                    return self._drive_answer(operation.name, call, caller)
                return self._sheets_answer(operation, call, caller)
            except ApiError as refused:
                return _refusal(refused)

    def _admitted(self, operation: routes.Operation, token: Token | None, *, signed: bool) -> Token:
        if token is None:
            raise unauthenticated(operation.api) if signed else unregistered()
        if not operation.scopes & set(token.scopes):
            raise insufficient_scopes(operation.api, operation.rpc)
        self.quota.count(operation.kind, token.email)
        return token

    def _check_storage(self, caller: Token, refusal: ApiError) -> None:
        """Service accounts have had no storage of their own since 2025, unless a test says so."""
        if caller.is_service and not self.service_accounts_own_files:
            raise refusal

    def _sheets_answer(self, operation: routes.Operation, call: Call, caller: Token) -> Answer:
        call.check_parameters(operation.parameters)
        if operation.name == "spreadsheets.create":
            self._check_storage(caller, permission_denied())
        mask = response_mask(call.fields, _ANSWERS[operation.name]) if call.fields else {}
        return _json(project(self.run(operation.name, call), mask))

    def run(self, name: str, call: Call) -> Obj:
        """One operation of the Sheets API, its caller already admitted."""
        return self._sheets[name](call)

    def _drive_answer(self, name: str, call: Call, caller: Token) -> Answer:
        drive, who, query = self._drive, call.caller, dict(call.query)
        file_id = call.parts.get("id", "")
        if name in ("drive.files.create", "drive.files.copy"):
            self._check_storage(caller, drive_error(403, STORAGE, "storageQuotaExceeded"))
        if name == "drive.files.export":
            text = drive.export(who, file_id, query.get("mimeType", ""), self._eyes(who, file_id))
            return Answer(200, text.encode(), {"Content-Type": query.get("mimeType", "")})
        if name == "drive.files.upload":
            text = call.payload.decode("utf-8-sig")
            return _json(drive.import_csv(who, file_id, text, self._eyes(who, file_id)))
        if name == "drive.files.delete":
            drive.delete(who, file_id)
            return Answer(204)
        if name == "drive.permissions.delete":
            drive.delete_permission(who, file_id, call.parts["who"])
            return Answer(204)
        body = parsed(call.payload) or {}
        answers: dict[str, Callable[[], Obj]] = {
            "drive.files.create": lambda: drive.create(who, body),
            "drive.files.copy": lambda: drive.copy(who, file_id, body),
            "drive.files.get": lambda: drive.get(who, file_id),
            "drive.files.update": lambda: drive.update(who, file_id, body, query),
            "drive.files.list": lambda: drive.list(who, query),
            "drive.comments.list": lambda: drive.comments(who, file_id),
            "drive.permissions.list": lambda: drive.permissions(who, file_id),
            "drive.permissions.create": lambda: drive.add_permission(who, file_id, body),
        }
        listed = {"drive.files.list": "files", "drive.permissions.list": "permissions"}
        return _json(masked(answers[name](), call.fields, listed.get(name, "")))

    def _eyes(self, who: str, file_id: str) -> Eyes:
        book = self._drive.find(who, file_id).book
        if book is None:
            raise drive_error(403, "Export only supports Docs Editors files.", "fileNotExportable")
        return Eyes(book, self.clock.at(book.properties["timeZone"]))


_ANSWERS = {
    "spreadsheets.create": "Spreadsheet",
    "spreadsheets.get": "Spreadsheet",
    "spreadsheets.batchUpdate": "BatchUpdateSpreadsheetResponse",
    "values.get": "ValueRange",
    "values.batchGet": "BatchGetValuesResponse",
    "values.update": "UpdateValuesResponse",
    "values.batchUpdate": "BatchUpdateValuesResponse",
    "values.append": "AppendValuesResponse",
    "values.clear": "ClearValuesResponse",
    "values.batchClear": "BatchClearValuesResponse",
    "developerMetadata.search": "SearchDeveloperMetadataResponse",
    "developerMetadata.get": "DeveloperMetadata",
    "sheets.copyTo": "SheetProperties",
}
assert set(_ANSWERS.values()) <= set(messages())


def _json(body: Obj, status: int = 200) -> Answer:
    text = json.dumps(body, ensure_ascii=False, indent=2)
    return Answer(status, text.encode(), {"Content-Type": JSON_TYPE})


def _refusal(refused: ApiError) -> Answer:
    if isinstance(refused.body, str):
        headers = {"Content-Type": "text/html; charset=UTF-8"} | refused.headers
        return Answer(refused.status, refused.body.encode(), headers)
    answer = _json(refused.body, refused.status)
    return replace(answer, headers=answer.headers | refused.headers)


def _spoiled(fault: Fault, answer: Answer) -> Answer:
    if fault.answer is not None:
        return _refusal(fault.answer)
    if fault.ending == "answer":
        return _refusal(internal())
    return replace(answer, ending=fault.ending, after_bytes=fault.after_bytes)


def _readable(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None
