"""The server as tests use it: start, fill with sheets, look inside, plan faults, count requests."""

from __future__ import annotations

import datetime as dt
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from . import a1, certificates
from .calls import Call
from .cells import Eyes
from .entered import as_given
from .files import ANYONE, EXCEL, File
from .formats import EPOCH
from .model import Sheet, Spreadsheet, new_sheet
from .oauth import GOOGLE_TOKEN_URI, Accounts, User
from .proxy import Proxy
from .service import Log, Service
from .views import Unclear, View
from .wire import Listener, service_gateway

if TYPE_CHECKING:
    from types import TracebackType

    from .clock import Clock, Quota
    from .errors import Obj
    from .faults import Faults

HOST = "host@example.com"
ROBOT = "referee@referee-test.iam.gserviceaccount.com"
SPREADSHEETS = "https://www.googleapis.com/auth/spreadsheets"
DRIVE = "https://www.googleapis.com/auth/drive"
Rows = Sequence[Sequence[object]]  # of values as `cell_data` takes them


class SheetsServer:
    """Google's Sheets, Drive and token endpoints on loopback; plain HTTP, or TLS behind a proxy.

    Sheets made by ``new_spreadsheet`` belong to a host and are shared with the service
    account, as a host would do it.
    """

    def __init__(
        self, *, port: int = 0, tls: bool = False, service_accounts_own_files: bool = False
    ) -> None:
        self.service = Service()
        self.service.service_accounts_own_files = service_accounts_own_files
        self._folder = tempfile.TemporaryDirectory(prefix="google-sheets-")
        self._certificates = certificates.make(Path(self._folder.name)) if tls else None
        self._listener = Listener(None, port, self._certificates)
        self._listener.raw.gateway = service_gateway(self.service, self._listener.closing)
        self._proxy: Proxy | None = None
        self._tls = tls

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        if error is None and self.service.crashes:
            raise ExceptionGroup("the test server itself failed", self.service.crashes)

    def start(self) -> None:
        self._listener.start()
        self.accounts.token_uris.add(self.token_uri)
        if self._tls:
            self._proxy = Proxy(self._listener.port)
            self._proxy.start()

    def stop(self) -> None:
        if self._proxy is not None:
            self._proxy.stop()
        self._listener.stop()
        self._folder.cleanup()

    @property
    def base_url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._listener.port}"

    @property
    def token_uri(self) -> str:
        """Where credentials files point: at Google's own address when the proxy leads here."""
        return GOOGLE_TOKEN_URI if self._tls else f"{self.base_url}/token"

    @property
    def proxy(self) -> Proxy:
        if self._proxy is None:
            raise RuntimeError("Start the server with tls=True to have a proxy.")
        return self._proxy

    def environment(self) -> dict[str, str]:
        """This process's environment, with Google's hosts led here: for a product run untouched."""
        assert self._certificates is not None
        ours = {"NO_PROXY", "HTTP_PROXY", "ALL_PROXY", "HTTPS_PROXY", "REQUESTS_CA_BUNDLE"}
        kept = {name: value for name, value in os.environ.items() if name.upper() not in ours}
        return kept | {
            "HTTPS_PROXY": self.proxy.url,
            "REQUESTS_CA_BUNDLE": str(self._certificates.authority),
            "SSL_CERT_FILE": str(self._certificates.authority),
        }

    @property
    def accounts(self) -> Accounts:
        return self.service.accounts

    @property
    def faults(self) -> Faults:
        return self.service.faults

    @property
    def requests(self) -> Log:
        return self.service.requests

    @property
    def clock(self) -> Clock:
        return self.service.clock

    @property
    def quota(self) -> Quota:
        return self.service.quota

    @property
    def unclear(self) -> Unclear:
        return self.service.unclear

    def service_account_file(self, path: Path, email: str = ROBOT) -> Path:
        """Write a service account's credentials file; its key is made for this run."""
        path.write_text(json.dumps(self.accounts.service(email).file(self.token_uri)), "utf-8")
        return path

    def user_file(
        self, path: Path, email: str = HOST, scopes: Sequence[str] = (SPREADSHEETS,)
    ) -> Path:
        """Write the credentials of a signed-in person: a refresh token and its client."""
        user = self.accounts.user(email, list(scopes))
        path.write_text(json.dumps(user.file() | {"token_uri": self.token_uri}), "utf-8")
        return path

    def desktop_client_file(self, path: Path, email: str = HOST) -> Path:
        """Write the client secrets of a desktop program that a person may sign in with.

        The page at its ``auth_uri`` gives consent at once and leads back with a code.
        """
        user = self.accounts.user(email, [])
        auth = "https://accounts.google.com" if self._tls else self.base_url
        installed = {
            "client_id": user.client_id,
            "client_secret": user.client_secret,
            "auth_uri": f"{auth}/o/oauth2/auth",
            "token_uri": self.token_uri,
            "redirect_uris": ["http://localhost"],
        }
        path.write_text(json.dumps({"installed": installed}), "utf-8")
        return path

    def user(self, email: str = HOST, scopes: Sequence[str] = (SPREADSHEETS,)) -> User:
        return self.accounts.user(email, list(scopes))

    def token(self, email: str = HOST, scopes: Sequence[str] = (SPREADSHEETS, DRIVE)) -> str:
        """An access token without the detour over the token endpoint."""
        return self.accounts.issue(email, list(scopes))

    def new_spreadsheet(
        self,
        title: str,
        tabs: Mapping[str, Rows] | None = None,
        *,
        locale: str = "en_US",
        time_zone: str = "Etc/GMT",
        owner: str = HOST,
        shared_with: Mapping[str, str] | None = None,
    ) -> str:
        """Make a spreadsheet and give its key.

        A cell is text, a number, a truth value, a date or time, None, or a CellData object of the
        API. Text is never parsed; ``{"userEnteredValue": {"formulaValue": "=1+1"}}`` is a formula.
        """
        file = self.service.files.new_spreadsheet(owner, title, locale=locale, time_zone=time_zone)
        book = _book(file)
        for number, (name, rows) in enumerate((tabs or {}).items()):
            if number and book.titled(name):
                raise ValueError(f"no spreadsheet has two tabs named {name!r}, in whatever case")
            sheet = book.sheets[0] if number == 0 else new_sheet(name, book.unused_sheet_id())
            sheet.properties["title"] = name
            if number:
                book.sheets.append(sheet)
            _fill(sheet, rows)
        for who, role in ({ROBOT: "writer"} if shared_with is None else shared_with).items():
            file.share(who, role)
        return file.id

    def new_excel_file(self, title: str, *, shared_with: Mapping[str, str] | None = None) -> str:
        """A workbook that was uploaded and never turned into a Google Sheet."""
        file = self.service.files.new(HOST, EXCEL, title)
        for who, role in ({ROBOT: "writer"} if shared_with is None else shared_with).items():
            file.share(who, role)
        return file.id

    def share(self, key: str, email: str, role: str = "writer") -> None:
        self.service.files.by_id[key].share(email, role)

    def share_by_link(self, key: str, role: str = "writer") -> None:
        self.share(key, ANYONE, role)

    def unshare(self, key: str, email: str = ROBOT) -> None:
        self.service.files.by_id[key].permissions.pop(email, None)

    def book(self, key: str) -> Spreadsheet:
        """The spreadsheet itself, to look at and to change as somebody else would."""
        return _book(self.service.files.by_id[key])

    def titles(self, key: str) -> list[str]:
        return [sheet.title for sheet in self.book(key).sheets]

    def cells(self, key: str, tab: str) -> list[list[Any]]:
        """What a tab holds: unformatted values, rows and tab cut behind the last one."""
        from .values import Reading

        book = self.book(key)
        found = Reading("UNFORMATTED_VALUE").value_range(
            self._eyes(book), _sheet(book, tab), a1.Area()
        )
        rows: list[list[Any]] = found.get("values", [])
        return rows

    def cell(self, key: str, tab: str, place: str) -> Obj:
        """The whole CellData of one cell, such as ``server.cell(key, "Pen", "B2")``."""
        book = self.book(key)
        area = a1.cells(place)
        assert area is not None
        return self._eyes(book).data(_sheet(book, tab), area.top, area.left)

    def set_cell(self, key: str, tab: str, place: str, value: object) -> None:
        """Change a cell as a person at the sheet would, between two requests for instance."""
        area = a1.cells(place)
        assert area is not None
        with self.service.lock:
            sheet = _sheet(self.book(key), tab)
            if area.top >= sheet.row_count or area.left >= sheet.column_count:
                raise IndexError(f"{tab}!{place} is outside the grid: nobody could type there")
            old = {
                k: v for k, v in sheet.cell(area.top, area.left).items() if k != "userEnteredValue"
            }
            sheet.put(area.top, area.left, old | cell_data(value))
            self.service.files.touch(self.service.files.by_id[key])

    def hide_row(self, key: str, tab: str, row: int, *, by_filter: bool = False) -> None:
        """Hide a row, counted from 1, by hand or as a filter does."""
        name = "hiddenByFilter" if by_filter else "hiddenByUser"
        _sheet(self.book(key), tab).rows[row - 1] = {name: True}

    def add_object_tab(self, key: str, title: str) -> None:
        """A tab that holds one chart instead of cells."""
        book = self.book(key)
        sheet = new_sheet(title, book.unused_sheet_id())
        sheet.properties = {"sheetId": sheet.id, "title": title, "sheetType": "OBJECT"}
        book.sheets.append(sheet)

    def change(self, key: str, *requests: Obj, by: str = HOST) -> None:
        """Carry out batchUpdate requests as somebody else, without a word in the log."""
        body = json.dumps({"requests": list(requests)}).encode()
        with self.service.lock:
            self.service.run("spreadsheets.batchUpdate", Call(by, {"id": key}, [], body))

    def snapshot(self, key: str) -> Obj:
        """Everything there is about a spreadsheet, for comparing before and after."""
        book = self.book(key)
        now = self.clock.at(book.properties["timeZone"])
        return View(book.owner, now, Unclear(), grid_data=True).spreadsheet(book)

    def _eyes(self, book: Spreadsheet) -> Eyes:
        return Eyes(book, self.clock.at(book.properties["timeZone"]))


def cell_data(value: object) -> Obj:
    """A Python value as a cell: dates and times as serial numbers with a fitting format."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    if isinstance(value, dt.datetime):
        return _serial((value.replace(tzinfo=None) - EPOCH) / dt.timedelta(days=1), "DATE_TIME")
    if isinstance(value, dt.date):
        return _serial((dt.datetime.combine(value, dt.time()) - EPOCH).days, "DATE")
    if isinstance(value, dt.time):
        since = dt.timedelta(
            hours=value.hour,
            minutes=value.minute,
            seconds=value.second,
            microseconds=value.microsecond,
        )
        return _serial(since / dt.timedelta(days=1), "TIME")
    if isinstance(value, str | int | float):
        return {"userEnteredValue": as_given(value)} if value != "" else {}
    raise TypeError(f"no cell holds a {type(value).__name__}: {value!r}")


def _serial(number: float, kind: str) -> Obj:
    return {
        "userEnteredValue": {"numberValue": number},
        "userEnteredFormat": {"numberFormat": {"type": kind}},
    }


def _fill(sheet: Sheet, rows: Rows) -> None:
    width = max((len(row) for row in rows), default=0)
    sheet.resize(max(sheet.row_count, len(rows)), max(sheet.column_count, width))
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            sheet.put(row, column, cell_data(value))


def _book(file: File) -> Spreadsheet:
    assert file.book is not None, f"{file.name} is no spreadsheet"
    return file.book


def _sheet(book: Spreadsheet, tab: str) -> Sheet:
    for sheet in book.sheets:
        if sheet.title == tab:
            return sheet
    raise KeyError(tab)
