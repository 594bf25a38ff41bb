"""Requests about tabs and the spreadsheet itself, and about whole rows and columns."""

from __future__ import annotations

import re
import zoneinfo
from typing import TYPE_CHECKING

from . import dimensions, locales
from .a1 import Area
from .cells import plain
from .colours import normal, unpaired
from .errors import Obj, RequestError
from .formulas import Calculator
from .masks import assign, update_mask
from .model import MAX_COLUMNS, Sheet, new_sheet
from .protection import guard
from .views import properties_view

if TYPE_CHECKING:
    from .work import Work

_READ_ONLY = ("sheetType", "dataSourceSheetProperties")


def add_sheet(work: Work, request: Obj) -> Obj:
    given = request.get("properties", {})
    sheet_id = _new_id(work, given.get("sheetId"))
    title = given.get("title")
    sheet = new_sheet(_next_title(work) if title is None else title, sheet_id)
    _check_title(work, sheet, sheet.title)
    grid = {"rowCount": 1000, "columnCount": 26} | given.get("gridProperties", {})
    rest = {
        k: v for k, v in given.items() if k not in ("sheetId", "title", "index", "gridProperties")
    }
    sheet.properties |= normal(rest) | {"gridProperties": grid}
    _check_grid(sheet)
    if sheet.properties["sheetType"] != "GRID":
        del sheet.properties["gridProperties"]
    index = _index(work, given.get("index"), len(work.book.sheets))
    work.book.sheets.insert(index, sheet)
    work.book.check_size()
    return {"properties": properties_view(sheet, index)}


def duplicate_sheet(work: Work, request: Obj) -> Obj:
    source = work.book.sheet(request.get("sourceSheetId", 0))
    twin = source.copy()
    twin.protections, twin.metadata = [], []
    title = request.get("newSheetName")
    if title is None:
        title, n = f"Copy of {source.title}", 2
        while work.book.titled(title):
            title, n = f"Copy of {source.title} {n}", n + 1
    twin.properties |= {"sheetId": _new_id(work, request.get("newSheetId")), "title": title}
    _check_title(work, twin, title)
    index = _index(work, request.get("insertSheetIndex"), 0)
    work.book.sheets.insert(index, twin)
    work.book.check_size()
    return {"properties": properties_view(twin, index)}


def delete_sheet(work: Work, request: Obj) -> None:
    sheet = work.book.sheet(request.get("sheetId", 0))
    guard(work.book, sheet, Area(), work.caller)
    visible = [s for s in work.book.sheets if not s.properties.get("hidden") and s is not sheet]
    if not visible:
        if len(work.book.sheets) == 1:
            raise RequestError("You can't remove all the sheets in a document.")
        raise RequestError("You can't remove all the visible sheets in a document.")
    work.book.sheets.remove(sheet)
    named = work.book.named_ranges
    work.book.named_ranges = [n for n in named if n["range"].get("sheetId", 0) != sheet.id]


def update_sheet_properties(work: Work, request: Obj) -> None:
    given = request.get("properties", {})
    sheet = work.book.sheet(given.get("sheetId", 0))
    tree = update_mask(request.get("fields", ""), "SheetProperties", ("sheetId", *_READ_ONLY))
    if "index" in tree:
        _reorder(work, sheet, given.get("index", 0))
    if "sheetId" in tree and given.get("sheetId", 0) != sheet.id:
        raise RequestError("The sheet ID cannot be changed.")
    tree = {key: below for key, below in tree.items() if key not in ("index", "sheetId")}
    size = sheet.row_count, sheet.column_count
    new = normal(assign(unpaired(sheet.properties, tree), given, tree))
    _check_title(work, sheet, new.get("title", ""))
    sheet.properties = new
    if sheet.is_grid:
        _check_grid(sheet)
        if (sheet.row_count, sheet.column_count) != size:
            guard(work.book, sheet, Area(), work.caller)
            sheet.resize(sheet.row_count, sheet.column_count)
            work.book.check_size()
    if all(s.properties.get("hidden") for s in work.book.sheets):
        raise RequestError("You can't hide all the sheets in a document.")


def _reorder(work: Work, sheet: Sheet, index: int) -> None:
    """Move a tab before the one that stands at the index now."""
    sheets = work.book.sheets
    if not 0 <= index <= len(sheets):
        raise RequestError(f"Sheet index {index} is out of range.")
    now = sheets.index(sheet)
    sheets.remove(sheet)
    sheets.insert(index - 1 if index > now else index, sheet)


def _index(work: Work, given: int | None, default: int) -> int:
    if given is None:
        return default
    if not 0 <= given <= len(work.book.sheets):
        raise RequestError(f"Sheet index {given} is out of range.")
    return given


def _new_id(work: Work, given: int | None) -> int:
    if given is None:
        return work.book.unused_sheet_id()
    if given < 0:
        raise RequestError(f"Invalid sheet id: {given}")
    if any(sheet.id == given for sheet in work.book.sheets):
        raise RequestError(f"A sheet with the id {given} already exists.")
    return given


def _next_title(work: Work) -> str:
    n = len(work.book.sheets) + 1
    while work.book.titled(f"Sheet{n}"):
        n += 1
    return f"Sheet{n}"


def _check_title(work: Work, sheet: Sheet, title: str) -> None:
    if not title:
        raise RequestError("The sheet name cannot be empty.")
    if len(title) > 100:
        raise RequestError("The sheet name cannot be greater than 100 characters.")
    other = work.book.titled(title)
    if other is not None and other.id != sheet.id:
        text = f'A sheet with the name "{title}" already exists. Please enter another name.'
        raise RequestError(text)


def _check_grid(sheet: Sheet) -> None:
    if sheet.row_count < 1 or sheet.column_count < 1:
        raise RequestError("A grid must have at least one row and one column.")
    if sheet.column_count > MAX_COLUMNS:
        raise RequestError(f"A grid cannot have more than {MAX_COLUMNS} columns.")
    for frozen, count, name in (
        ("frozenRowCount", sheet.row_count, "rows"),
        ("frozenColumnCount", sheet.column_count, "columns"),
    ):
        if 0 < count <= sheet.grid.get(frozen, 0):
            raise RequestError(f"You can't freeze all visible {name} on the sheet.")


def update_spreadsheet_properties(work: Work, request: Obj) -> None:
    tree = update_mask(request.get("fields", ""), "SpreadsheetProperties")
    new = assign(work.book.properties, request.get("properties", {}), tree)
    if not new.get("title"):
        raise RequestError("The spreadsheet title cannot be empty.")
    if not re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?", new.get("locale", "")) or not locales.known(
        new["locale"]
    ):
        raise RequestError(f"Unsupported locale: {new.get('locale', '')}")
    try:
        zoneinfo.ZoneInfo(new.get("timeZone", ""))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise RequestError(f"Invalid time zone: {new.get('timeZone', '')}") from None
    work.book.properties = new


def insert_dimension(work: Work, request: Obj) -> None:
    sheet = _sheet(work, request.get("range", {}))
    dimension, start, end = dimensions.span(sheet, request.get("range", {}))
    if request.get("inheritFromBefore") and start == 0:
        raise RequestError(
            "inheritFromBefore cannot be true if inserting at the first row or column."
        )
    dimensions.insert(work.book, sheet, dimension, start, end - start)


def append_dimension(work: Work, request: Obj) -> None:
    sheet = _sheet(work, request)
    edge = sheet.row_count if request.get("dimension") == "ROWS" else sheet.column_count
    dimensions.insert(
        work.book, sheet, request.get("dimension", ""), edge, request.get("length", 0)
    )


def delete_dimension(work: Work, request: Obj) -> None:
    sheet = _sheet(work, request.get("range", {}))
    dimension, start, end = dimensions.span(sheet, request.get("range", {}))
    gone = Area(start, end) if dimension == "ROWS" else Area(left=start, right=end)
    guard(work.book, sheet, gone, work.caller)
    dimensions.delete(work.book, sheet, dimension, start, end)


def update_dimension_properties(work: Work, request: Obj) -> None:
    dimensions.update_properties(_sheet(work, request.get("range", {})), request)


def auto_resize(work: Work, request: Obj) -> None:
    """Fit columns to their longest text; the width is a guess, as only Google has its fonts."""
    place = request.get("dimensions", {})
    sheet = _sheet(work, place)
    dimension, start, end = dimensions.span(sheet, place)
    calculator = Calculator(work.book, work.now)
    for column in range(start, end) if dimension == "COLUMNS" else ():
        texts = [str(plain(calculator.cell(sheet, *at))) for at in sheet.cells if at[1] == column]
        longest = max((len(line) for text in texts for line in text.split("\n")), default=0)
        sheet.columns[column] = sheet.columns.get(column, {}) | {
            "pixelSize": max(21, 7 * longest + 6)
        }


def add_group(work: Work, request: Obj) -> Obj:
    return {
        "dimensionGroups": dimensions.add_group(_sheet(work, request.get("range", {})), request)
    }


def delete_group(work: Work, request: Obj) -> Obj:
    groups = dimensions.delete_group(_sheet(work, request.get("range", {})), request)
    return {"dimensionGroups": groups} if groups else {}


def _sheet(work: Work, place: Obj) -> Sheet:
    return work.book.grid_sheet(place.get("sheetId", 0))


HANDLERS = {
    "addSheet": add_sheet,
    "duplicateSheet": duplicate_sheet,
    "deleteSheet": delete_sheet,
    "updateSheetProperties": update_sheet_properties,
    "updateSpreadsheetProperties": update_spreadsheet_properties,
    "insertDimension": insert_dimension,
    "appendDimension": append_dimension,
    "deleteDimension": delete_dimension,
    "updateDimensionProperties": update_dimension_properties,
    "autoResizeDimensions": auto_resize,
    "addDimensionGroup": add_group,
    "deleteDimensionGroup": delete_group,
}
