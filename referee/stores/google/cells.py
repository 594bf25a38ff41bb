"""What a cell of a host's tab is set to at Google, and how to tell that it holds that.

A time is a number only where it shows as date and time: by the cell's own format, or by the one of
the cell above it that it takes over; else it is a text that says it to the millisecond.
"""

from collections.abc import Iterator
from typing import Final

from referee.stores.contract import WallClock
from referee.stores.google.reading import Obj, Seen, Sheet, number_kind
from referee.stores.google.requests import typed
from referee.stores.writable import clock_text, storable
from referee.workbook.cells import Value, Written

PLAIN: Final = "userEnteredValue"
FORMATTED: Final = "userEnteredValue,userEnteredFormat.numberFormat"
_HALF_A_MILLISECOND: Final = 0.5 / 86_400_000


def sheet_of(seen: Seen, title: str) -> Sheet | None:
    """Return the tab of that title."""
    return next((sheet for sheet in seen.sheets if sheet.title == title), None)


def header_of(sheet: Sheet) -> int:
    """Return the first row in which anything stands, 0 where nothing does."""
    return next((row for row, cells in enumerate(sheet.cells, 1) if any(cells)), 0)


def set_to(sheet: Sheet, row: int, column: int, value: Written | WallClock) -> Obj:
    """Return a cell's data; it has a number format only where the cell has to take one over."""
    if not isinstance(value, WallClock):
        return typed(storable(value) or None) if isinstance(value, str) else typed(value)
    above = _format_above(sheet, row, column)
    if above is None and number_kind(sheet.cell(row, column)) != "date-time":
        return typed(clock_text(value))
    cell = typed(value.days)
    return cell if above is None else cell | formatted(above)


def formatted(form: Obj) -> Obj:
    """Return the part of a cell's data that gives it a number format, nothing for none."""
    return {"userEnteredFormat": {"numberFormat": form}} if form else {}


def holds(cell: Obj, value: Written | WallClock) -> bool:
    """Whether a cell holds a value, a time in either of its forms."""
    found: Obj = cell.get("userEnteredValue", {})
    if not isinstance(value, WallClock):
        plain: Value = (storable(value) or None) if isinstance(value, str) else value
        return bool(found == typed(plain).get("userEnteredValue", {}))
    if "numberValue" in found:
        return abs(float(found["numberValue"]) - value.days) < _HALF_A_MILLISECOND
    return bool(found.get("stringValue") == clock_text(value))


def format_of(sheet: Sheet, row: int, column: int) -> Obj:
    """Return a cell's number format, empty where it has none."""
    found: Obj = sheet.cell(row, column).get("effectiveFormat", {}).get("numberFormat", {})
    return found


def _format_above(sheet: Sheet, row: int, column: int) -> Obj | None:
    """Return the format that a cell without one takes over, where it shows date and time.

    It is that of the next cell above that has one; the first row that has cells is the header.
    """
    if format_of(sheet, row, column):
        return None
    for above in range(min(row - 1, len(sheet.cells)), header_of(sheet), -1):
        if found := format_of(sheet, above, column):
            return found if number_kind(sheet.cell(above, column)) == "date-time" else None
    return None


def grown(sheet: Sheet, rows: int, columns: int) -> Iterator[Obj]:
    """Yield what makes a grid reach so far; it only ever grows, whatever somebody else did."""
    for dimension, needed, there in (
        ("ROWS", rows, sheet.rows),
        ("COLUMNS", columns, sheet.columns),
    ):
        if needed > there:
            more = {"sheetId": sheet.sheet_id, "dimension": dimension, "length": needed - there}
            yield {"appendDimension": more}


def area(sheet_id: int, top: int, left: int, bottom: int, right: int) -> Obj:
    """Return a range of cells, rows and columns from 1, both ends included."""
    return {
        "sheetId": sheet_id,
        "startRowIndex": top - 1,
        "endRowIndex": bottom,
        "startColumnIndex": left - 1,
        "endColumnIndex": right,
    }


def from_cell(sheet_id: int, row: int, column: int, rows: list[Obj], fields: str) -> Obj:
    """Return the request that sets rows of cells from one cell on, counted from 1."""
    start = {"sheetId": sheet_id, "rowIndex": row - 1, "columnIndex": column - 1}
    return {"updateCells": {"start": start, "rows": rows, "fields": fields}}
