"""The operations of the Sheets API: from a request to the JSON of its answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import batch, metadata, sheet_requests, values
from .cell_requests import update_cells
from .cells import Eyes
from .errors import Obj, RequestError, bad_request, excel_file, not_found, permission_denied
from .masks import Tree, response_mask
from .range_requests import add_named_range, create_metadata
from .schema import checked
from .values import Reading, Writing
from .views import Unclear, View, properties_view
from .work import Work

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from .clock import Clock
    from .files import File, Files
    from .model import Spreadsheet

STANDARD_PARAMETERS = {
    "access_token",
    "alt",
    "callback",
    "fields",
    "key",
    "oauth_token",
    "prettyPrint",
    "quotaUser",
    "uploadType",
    "upload_protocol",
    "$.xgafv",
}


@dataclass
class Call:
    """One request, its caller known."""

    caller: str
    parts: dict[str, str]
    query: list[tuple[str, str]]
    payload: bytes
    fields: str | None = field(init=False)

    def __post_init__(self) -> None:
        self.fields = self.one("fields")

    def one(self, name: str) -> str | None:
        return next((value for key, value in self.query if key == name), None)

    def every(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]

    def flag(self, name: str) -> bool:
        return (self.one(name) or "").lower() == "true"

    def body(self, message: str, path: str = "") -> Obj:
        return checked(message, parsed(self.payload), path)

    def check_parameters(self, known: frozenset[str]) -> None:
        for name, _ in self.query:
            if name not in known and name not in STANDARD_PARAMETERS:
                text = (
                    f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query '
                    f"parameter. Field '{name}' could not be found in request message."
                )
                raise bad_request(text, " ")


def parsed(payload: bytes) -> Any:
    """JSON as the service reads it: no NaN, no Infinity."""
    if not payload.strip():
        return None

    def refuse(name: str) -> Any:
        raise bad_request(f"Invalid JSON payload received. Unexpected token.\n{name}\n^")

    try:
        return json.loads(payload, parse_constant=refuse)
    except ValueError:
        raise bad_request("Invalid JSON payload received. Parsing terminated.") from None


@dataclass
class Sheets:
    files: Files
    clock: Clock
    unclear: Unclear

    def handlers(self) -> dict[str, Callable[[Call], Obj]]:
        return {
            "spreadsheets.create": self.create,
            "spreadsheets.get": self.get,
            "spreadsheets.batchUpdate": self.batch_update,
            "values.get": self.values_get,
            "values.batchGet": self.values_batch_get,
            "values.update": self.values_update,
            "values.batchUpdate": self.values_batch_update,
            "values.append": self.values_append,
            "values.clear": self.values_clear,
            "values.batchClear": self.values_batch_clear,
            "developerMetadata.search": self.metadata_search,
            "developerMetadata.get": self.metadata_get,
            "sheets.copyTo": self.copy_to,
        }

    def file(self, call: Call, *, to_write: bool = False, file_id: str = "") -> File:
        file = self.files.by_id.get(file_id or call.parts["id"])
        if file is None:
            raise not_found()
        if not file.may_read(call.caller) or (to_write and not file.may_write(call.caller)):
            raise permission_denied()
        if file.book is None:
            raise excel_file()
        return file

    def book(self, call: Call) -> Spreadsheet:
        book = self.file(call).book
        assert book is not None
        return book

    def changing(self, call: Call, change: Callable[[Spreadsheet], Obj]) -> Obj:
        """Run a change on a copy of the spreadsheet; only a good end makes it count."""
        file = self.file(call, to_write=True)
        assert file.book is not None
        trial = file.book.copy()
        answer = change(trial)
        file.book.become(trial)
        self.files.touch(file)
        return answer

    def eyes(self, book: Spreadsheet) -> Eyes:
        return Eyes(book, self.now(book))

    def now(self, book: Spreadsheet) -> dt.datetime:
        return self.clock.at(book.properties["timeZone"])

    def view(
        self, call: Call, book: Spreadsheet, mask: Tree | None = None, *, grid: bool = False
    ) -> View:
        return View(call.caller, self.now(book), self.unclear, mask, grid_data=grid)

    def create(self, call: Call) -> Obj:
        body = call.body("Spreadsheet")
        given = body.get("properties", {})
        file = self.files.new_spreadsheet(call.caller, given.get("title", "Untitled spreadsheet"))
        assert file.book is not None
        trial = file.book.copy()
        work = Work(trial, call.caller, self.now(trial), self.unclear)
        try:
            _fill(work, body, given)
        except RequestError as fault:
            del self.files.by_id[file.id]
            raise bad_request(str(fault)) from None
        file.book.become(trial)
        return self.view(call, file.book).spreadsheet(file.book)

    def get(self, call: Call) -> Obj:
        book = self.book(call)
        mask = response_mask(call.fields, "Spreadsheet") if call.fields else None
        view = self.view(call, book, mask, grid=call.flag("includeGridData"))
        view.ranges = call.every("ranges")
        call.fields = None  # the view has cut its answer already
        return view.spreadsheet(book)

    def batch_update(self, call: Call) -> Obj:
        body = call.body("BatchUpdateSpreadsheetRequest")
        mask = response_mask(call.fields, "BatchUpdateSpreadsheetResponse") if call.fields else None

        def change(book: Spreadsheet) -> Obj:
            work = Work(book, call.caller, self.now(book), self.unclear)
            answer: Obj = {"spreadsheetId": book.id}
            answer["replies"] = batch.run(work, body.get("requests", []))
            if body.get("includeSpreadsheetInResponse"):
                below = (mask or {}).get("updatedSpreadsheet") or None
                grid = bool(body.get("responseIncludeGridData"))
                view = self.view(call, book, below, grid=grid)
                view.ranges = body.get("responseRanges")
                answer["updatedSpreadsheet"] = view.spreadsheet(book)
            return answer

        return self.changing(call, change)

    def values_get(self, call: Call) -> Obj:
        book = self.book(call)
        sheet, area = values.find(book, call.parts["range"])
        return _reading(call).value_range(self.eyes(book), sheet, area)

    def values_batch_get(self, call: Call) -> Obj:
        book = self.book(call)
        eyes, reading = self.eyes(book), _reading(call)
        found = [values.find(book, text) for text in call.every("ranges")]
        ranges = [reading.value_range(eyes, sheet, area) for sheet, area in found]
        return {"spreadsheetId": book.id} | ({"valueRanges": ranges} if ranges else {})

    def _writing(self, call: Call, book: Spreadsheet, given: Obj) -> Writing:
        option = values.option_of(given.get("valueInputOption"))
        echo = None
        if str(given.get("includeValuesInResponse", "")).lower() == "true":
            echo = Reading(
                given.get("responseValueRenderOption", "FORMATTED_VALUE"),
                given.get("responseDateTimeRenderOption", "SERIAL_NUMBER"),
            )
        return Writing(book, self.eyes(book), call.caller, option, echo)

    def values_update(self, call: Call) -> Obj:
        body, query = call.body("ValueRange", "data"), dict(call.query)
        return self.changing(
            call, lambda book: self._writing(call, book, query).update(body, call.parts["range"])
        )

    def values_append(self, call: Call) -> Obj:
        body, query = call.body("ValueRange", "data"), dict(call.query)
        insert = query.get("insertDataOption") == "INSERT_ROWS"
        return self.changing(
            call,
            lambda book: self._writing(call, book, query).append(
                body, call.parts["range"], make_room=insert
            ),
        )

    def values_batch_update(self, call: Call) -> Obj:
        body = call.body("BatchUpdateValuesRequest")

        def change(book: Spreadsheet) -> Obj:
            writing = self._writing(call, book, body)
            answers = [
                writing.update(data, data.get("range", ""), f"Invalid data[{number}]: ")
                for number, data in enumerate(body.get("data", []))
            ]
            return writing.total(answers)

        return self.changing(call, change)

    def values_clear(self, call: Call) -> Obj:
        return self.changing(
            call,
            lambda book: {
                "spreadsheetId": book.id,
                "clearedRange": values.clear(book, call.parts["range"], call.caller),
            },
        )

    def values_batch_clear(self, call: Call) -> Obj:
        ranges = call.body("BatchClearValuesRequest").get("ranges", [])
        return self.changing(
            call,
            lambda book: {
                "spreadsheetId": book.id,
                "clearedRanges": [values.clear(book, text, call.caller) for text in ranges],
            },
        )

    def metadata_search(self, call: Call) -> Obj:
        filters = call.body("SearchDeveloperMetadataRequest").get("dataFilters", [])
        try:
            found = metadata.search(self.book(call), filters)
        except RequestError as fault:
            raise bad_request(str(fault)) from None
        matched = [{"developerMetadata": entry, "dataFilters": fits} for entry, fits in found]
        return {"matchedDeveloperMetadata": matched} if matched else {}

    def metadata_get(self, call: Call) -> Obj:
        number = call.parts["metadata"]
        entry = metadata.by_id(self.book(call), int(number)) if number.isdecimal() else None
        if entry is None:
            raise not_found()
        return entry

    def copy_to(self, call: Call) -> Obj:
        source = self.book(call)
        target_id = call.body("CopySheetToAnotherSpreadsheetRequest").get(
            "destinationSpreadsheetId", ""
        )
        target = self.file(call, to_write=True, file_id=target_id)
        assert target.book is not None
        try:
            twin = source.sheet(int(call.parts["sheet"])).copy()
        except RequestError as fault:
            raise bad_request(str(fault)) from None
        title, n = f"Copy of {twin.title}", 2
        while target.book.titled(title):
            title, n = f"Copy of {twin.title} {n}", n + 1
        twin.properties |= {"sheetId": target.book.unused_sheet_id(), "title": title}
        target.book.sheets.append(twin)
        self.files.touch(target)
        return properties_view(twin, len(target.book.sheets) - 1)


def _reading(call: Call) -> Reading:
    return Reading(
        call.one("valueRenderOption") or "FORMATTED_VALUE",
        call.one("dateTimeRenderOption") or "SERIAL_NUMBER",
        call.one("majorDimension") or "ROWS",
    )


def _fill(work: Work, body: Obj, given: Obj) -> None:
    """A new spreadsheet as its creator described it."""
    settable = [name for name in ("title", "locale", "timeZone", "autoRecalc") if name in given]
    if settable:
        request = {"properties": given, "fields": ",".join(settable)}
        sheet_requests.update_spreadsheet_properties(work, request)
    sheets = body.get("sheets", [])
    if sheets:
        work.book.sheets.clear()
    for number, sheet in enumerate(sheets):
        properties = {"sheetId": number} if number == 0 else {}
        properties |= sheet.get("properties", {})
        added = sheet_requests.add_sheet(work, {"properties": properties})["properties"]
        for data in sheet.get("data", []):
            start = {
                "sheetId": added["sheetId"],
                "rowIndex": data.get("startRow", 0),
                "columnIndex": data.get("startColumn", 0),
            }
            update_cells(work, {"start": start, "rows": data.get("rowData", []), "fields": "*"})
        for entry in sheet.get("developerMetadata", []):
            create_metadata(work, {"developerMetadata": entry})
    for named in body.get("namedRanges", []):
        add_named_range(work, {"namedRange": named})
    for entry in body.get("developerMetadata", []):
        create_metadata(work, {"developerMetadata": entry})
