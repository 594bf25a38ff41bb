"""Drive v3, as far as a client of spreadsheets meets it."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from .a1 import Area
from .errors import ApiError, Obj, drive_error, file_not_found
from .files import ANYONE, SPREADSHEET, File, Files
from .masks import Tree, parse, project
from .values import Reading, Writing

if TYPE_CHECKING:
    from .cells import Eyes

_STANDARD = ("kind", "id", "name", "mimeType")
Query = dict[str, str]


class Drive:
    def __init__(self, files: Files) -> None:
        self.files = files

    def find(self, email: str, file_id: str) -> File:
        file = self.files.by_id.get(file_id)
        if file is None or not file.may_read(email):
            raise file_not_found(file_id)
        return file

    def _own(self, email: str, file_id: str) -> File:
        """A file the caller may change; who may only read is refused."""
        file = self.find(email, file_id)
        if not file.may_write(email):
            text = "The user does not have sufficient permissions for this file."
            raise drive_error(403, text, "insufficientFilePermissions")
        return file

    def create(self, email: str, body: Obj) -> Obj:
        title, mime = body.get("name", "Untitled"), body.get("mimeType", "application/octet-stream")
        if mime == SPREADSHEET:
            file = self.files.new_spreadsheet(email, title)
        else:
            file = self.files.new(email, mime, title)
        file.parents = list(body.get("parents", ["root"]))
        file.description = body.get("description", "")
        return self.view(file)

    def copy(self, email: str, file_id: str, body: Obj) -> Obj:
        source = self.find(email, file_id)
        title = body.get("name") or f"Copy of {source.name}"
        if source.book is None:
            return self.view(self.files.new(email, source.mime, title))
        twin = self.files.new_spreadsheet(email, title)
        assert twin.book is not None
        twin.book.become(source.book.copy())
        twin.book.properties["title"] = title
        return self.view(twin)

    def get(self, email: str, file_id: str) -> Obj:
        return self.view(self.find(email, file_id))

    def update(self, email: str, file_id: str, body: Obj, query: Query) -> Obj:
        file = self._own(email, file_id)
        if "name" in body:
            if file.book:
                file.book.properties["title"] = body["name"]
            file.title = body["name"]
        file.description = body.get("description", file.description)
        gone = set(query.get("removeParents", "").split(","))
        added = [parent for parent in query.get("addParents", "").split(",") if parent]
        file.parents = [parent for parent in file.parents if parent not in gone] + added
        self.files.touch(file)
        return self.view(file)

    def delete(self, email: str, file_id: str) -> None:
        file = self.find(email, file_id)
        if file.owner != email:
            text = "The user does not have sufficient permissions for this file."
            raise drive_error(403, text, "insufficientFilePermissions")
        del self.files.by_id[file_id]

    def list(self, email: str, query: Query) -> Obj:
        files = [file for file in self.files.visible(email) if _fits(file, query.get("q", ""))]
        files.sort(key=lambda file: file.modified, reverse=True)
        size = int(query.get("pageSize", "100"))
        start = int(query.get("pageToken", "0"))
        out: Obj = {"kind": "drive#fileList", "incompleteSearch": False}
        if start + size < len(files):
            out["nextPageToken"] = str(start + size)
        return out | {"files": [self.view(file) for file in files[start : start + size]]}

    def view(self, file: File) -> Obj:
        """Everything about a file; ``masked`` cuts it to what was asked for."""
        return {
            "kind": "drive#file",
            "id": file.id,
            "name": file.name,
            "mimeType": file.mime,
            "createdTime": file.created,
            "modifiedTime": file.modified,
            "version": str(file.version),
            "description": file.description,
            "parents": file.parents,
            "trashed": False,
            "owners": [{"kind": "drive#user", "emailAddress": file.owner}],
            "webViewLink": f"https://docs.google.com/spreadsheets/d/{file.id}/edit",
            "permissions": list(file.permissions.values()),
        }

    def export(self, email: str, file_id: str, mime: str, eyes: Eyes) -> str:
        """The first tab as comma- or tab-separated text."""
        file = self.find(email, file_id)
        separators = {"text/csv": ",", "text/tab-separated-values": "\t"}
        if file.book is None or mime not in separators:
            raise drive_error(400, "The requested conversion is not supported.", "badRequest")
        sheet = file.book.sheets[0]
        found = Reading().value_range(eyes, sheet, Area())
        rows = found.get("values", [])
        width = max((len(row) for row in rows), default=0)
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separators[mime], lineterminator="\r\n")
        writer.writerows([*row, *[""] * (width - len(row))] for row in rows)
        return out.getvalue().removesuffix("\r\n")

    def import_csv(self, email: str, file_id: str, text: str, eyes: Eyes) -> Obj:
        """An upload of comma-separated text replaces the whole spreadsheet by one tab of it."""
        file = self._own(email, file_id)
        book = eyes.spreadsheet
        rows = list(csv.reader(io.StringIO(text)))
        del book.sheets[1:]
        sheet = book.sheets[0]
        sheet.cells.clear()
        width = max((len(row) for row in rows), default=1)
        sheet.resize(max(len(rows), 1), width)
        Writing(book, eyes, email, "USER_ENTERED").write(sheet, sheet.clamped(Area()), rows)
        self.files.touch(file)
        return {"kind": "drive#file", "id": file.id, "title": file.name, "mimeType": SPREADSHEET}

    def comments(self, email: str, file_id: str) -> Obj:
        """Nobody comments here, but who copies a file asks for what was said about it."""
        self.find(email, file_id)
        return {"kind": "drive#commentList", "comments": []}

    def permissions(self, email: str, file_id: str) -> Obj:
        file = self.find(email, file_id)
        listed = list(file.permissions.values())
        return {"kind": "drive#permissionList", "permissions": listed}

    def add_permission(self, email: str, file_id: str, body: Obj) -> Obj:
        file = self._own(email, file_id)
        who = ANYONE if body.get("type") == "anyone" else body.get("emailAddress", "")
        if not who or body.get("role") not in ("reader", "commenter", "writer", "owner"):
            raise drive_error(400, "The permission is not valid.", "invalidSharingRequest")
        return file.share(who, body["role"])

    def delete_permission(self, email: str, file_id: str, permission_id: str) -> None:
        file = self._own(email, file_id)
        for who, entry in list(file.permissions.items()):
            if entry["id"] == permission_id:
                del file.permissions[who]
                return
        text = f"Permission not found: {permission_id}."
        raise drive_error(404, text, "notFound")


def masked(answer: Obj, fields: str | None, list_of: str = "") -> Obj:
    """An answer cut to its mask; without one Drive tells only the most needed fields."""
    if fields is None:
        if list_of:
            return answer | {list_of: [_standard(entry) for entry in answer[list_of]]}
        return _standard(answer)
    try:
        tree: Tree = parse(fields)
    except ApiError:
        raise drive_error(400, f"Invalid field selection {fields}", "invalidParameter") from None
    # The call is typed loosely; what it returns is known here.
    return project(answer, tree)  # type: ignore[no-any-return]


def _standard(entry: Obj) -> Obj:
    if entry.get("kind") == "drive#file" and "createdTime" in entry:
        return {name: entry[name] for name in _STANDARD}
    if entry.get("kind") == "drive#permission":
        names = ("kind", "id", "type", "role", "allowFileDiscovery")
        return {name: entry[name] for name in names if name in entry}
    return entry


def _fits(file: File, query: str) -> bool:
    """A search of the form ``a = "b" and c contains 'd'``."""
    for term in re.split(r"\s+and\s+(?=(?:[^\"']|\"[^\"]*\"|'[^']*')*$)", query.strip()):
        if term and not _fits_term(file, term):
            return False
    return True


def _fits_term(file: File, term: str) -> bool:
    found = re.fullmatch(
        r"(\w+)\s*(!=|=|contains)\s*(\"(?:.*)\"|'(?:.*)'|true|false)", term.strip()
    )
    inside = re.fullmatch(r"[\"'](.*)[\"']\s+in\s+parents", term.strip())
    if inside:
        return inside[1] in file.parents
    if not found or found[1] not in ("name", "mimeType", "trashed"):
        raise drive_error(400, "Invalid Value", "invalid")
    name, operator, wanted = found[1], found[2], re.sub(r"\\(.)", r"\1", found[3].strip("\"'"))
    own = {"name": file.name, "mimeType": file.mime, "trashed": "false"}[name]
    if operator == "contains":
        return wanted.casefold() in own.casefold()
    return (own == wanted) is (operator == "=")
