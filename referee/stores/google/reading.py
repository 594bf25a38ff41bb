"""A spreadsheet's JSON as cells, with what writing back has to know of its tabs.

Only unformatted values are read; a number is a date by the type of its number format alone, as the
shown text depends on the locale and is rounded. Whatever stands at its default is absent from
Google's answers: ids of 0, starts of 0, empty rows, flags that are off.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from referee.match.faults import Fault, Stopped
from referee.stores.google.faults import unexpected
from referee.stores.marks import MARK as FILE_MARK
from referee.stores.marks import marked_title
from referee.workbook.cells import Book, Broken, Moment, MomentKind, Tab, Value
from referee.workbook.oddities import formula, number_format, shows_else

Obj = dict[str, Any]

MASK: Final = (
    "spreadsheetId,properties(title,locale,timeZone),namedRanges(name,range(sheetId)),"
    "developerMetadata(metadataId,metadataKey),sheets("
    "properties(sheetId,title,sheetType,gridProperties(rowCount,columnCount)),merges,"
    "protectedRanges(protectedRangeId,range,warningOnly,requestingUserCanEdit),"
    "developerMetadata(metadataKey,metadataValue),"
    "data(startRow,startColumn,rowData(values(userEnteredValue,effectiveValue,formattedValue,"
    "effectiveFormat(numberFormat))),rowMetadata(hiddenByUser,hiddenByFilter)))"
)
"""All there is to know about a spreadsheet, in one answer."""

MARK: Final = "referee.tab"
"""The key of the developer metadata that makes a tab the referee's own.

Its value is the tab's id and the title it was first published under: a copy of the tab that
should have inherited the metadata has another id and is not taken for the original.
"""

SEAL: Final = "referee.seal"
"""The key of the spreadsheet's own metadata that stands in for a seal (`seal`)."""

SAVED: Final = "Referee undo"
"""The title, with a number behind it, of the hidden tab that keeps what an edit wrote over."""

MOST_CELLS: Final = 2_000_000
"""Cells that one tab may spread over, empty ones included."""

_EXACT: Final = 2**53
_PLAIN_TYPES: Final = (None, "TEXT", "NUMBER", "NUMBER_FORMAT_TYPE_UNSPECIFIED")
_KINDS: Final[dict[str, MomentKind]] = {"DATE": "date", "TIME": "time", "DATE_TIME": "date-time"}


class Sheet(msgspec.Struct, frozen=True):
    """One tab as Google has it; ``cells`` are its CellData by row, from A1.

    ``is_marked`` tells a tab with `MARK`. One that came with an uploaded .xlsx file is owned by the
    name that marks it there, until it gets its own mark.
    """

    sheet_id: int
    tab: Tab
    is_grid: bool
    is_marked: bool
    rows: int
    columns: int
    cells: list[list[Obj]]
    protections: tuple[Obj, ...]

    @property
    def title(self) -> str:
        """The tab's title."""
        return self.tab.title

    @property
    def is_owned(self) -> bool:
        """Whether it bears a mark of the referee's, Google's or a file's."""
        return self.tab.owned

    @property
    def owned_as(self) -> str | None:
        """The title its mark was made for."""
        return self.tab.owned_as

    @property
    def is_saved(self) -> bool:
        """Whether it only keeps what an edit wrote over."""
        return (self.owned_as or "").startswith(SAVED)

    @property
    def last_used(self) -> int:
        """The last row in which a cell holds anything, whosever it is; 0 where none does."""
        rows = range(len(self.cells), 0, -1)
        return next((row for row in rows if any(map(is_filled, self.cells[row - 1]))), 0)

    def entered(self, row: int, column: int) -> Obj:
        """Return what was entered in a cell, counted from 1; empty where nothing was."""
        found: Obj = self.cell(row, column).get("userEnteredValue", {})
        return found

    def cell(self, row: int, column: int) -> Obj:
        """Return the CellData of a cell, counted from 1; empty where nothing stands."""
        found = self.cells[row - 1] if row <= len(self.cells) else []
        return found[column - 1] if column <= len(found) else {}


class Seen(msgspec.Struct, frozen=True):
    """A spreadsheet as it was seen once; ``seal`` is the number of its `SEAL`, if it has one."""

    book: Book
    sheets: tuple[Sheet, ...]
    seal: int | None = None

    def sheet(self, sheet_id: int) -> Sheet | None:
        """Return the tab of that id."""
        return next((sheet for sheet in self.sheets if sheet.sheet_id == sheet_id), None)


def mark_value(sheet_id: int, title: str) -> str:
    """Return the value of the mark of a tab."""
    return f"{sheet_id} {title}"


def read_spreadsheet(answer: Obj) -> Seen:
    """Read Google's answer to `MASK`.

    Raises `Stopped` where a tab is too large, `Unexpected` where it is no spreadsheet.
    """
    try:
        return _seen(answer)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise unexpected(200) from None


def _seen(answer: Obj) -> Seen:
    properties, listed = answer.get("properties"), answer.get("sheets")
    if not isinstance(properties, dict) or not isinstance(listed, list):
        raise unexpected(200)
    names = _file_marks(answer)
    sheets = tuple(_sheet(entry, names) for entry in listed)
    book = Book(
        name=str(properties.get("title", "")),
        tabs=tuple(sheet.tab for sheet in sheets if sheet.is_grid and not sheet.is_saved),
        locale=properties.get("locale"),
        time_zone=properties.get("timeZone"),
    )
    seals = (n for n in answer.get("developerMetadata", ()) if n.get("metadataKey") == SEAL)
    return Seen(book, sheets, max((int(n.get("metadataId", 0)) for n in seals), default=None))


def is_filled(cell: Obj) -> bool:
    """Whether a cell holds something: entered, or shown by a formula elsewhere."""
    return bool(cell.get("userEnteredValue") or cell.get("effectiveValue"))


def _file_marks(answer: Obj) -> dict[int, str]:
    """Return the titles that the marks of an .xlsx file stand for, by the tabs they are in now."""
    return {
        found.get("range", {}).get("sheetId", 0): marked_title(found["name"])
        for found in answer.get("namedRanges", ())
        if str(found.get("name", "")).startswith(FILE_MARK)
    }


def _sheet(entry: Obj, names: dict[int, str]) -> Sheet:
    properties = entry.get("properties", {})
    title, sheet_id = str(properties.get("title", "")), int(properties.get("sheetId", 0))
    grid = properties.get("gridProperties", {})
    cells: list[list[Obj]] = []
    hidden: set[int] = set()
    for data in entry.get("data", ()):
        _lay(cells, data, title)
        hidden |= set(_hidden(data))
    rows = [_row(found) for found in cells]
    odd = {
        (row, column): text
        for row, found in enumerate(cells, 1)
        for column, cell in enumerate(found, 1)
        if cell and (text := _odd(cell)) is not None
    }
    while rows and not rows[-1]:
        rows.pop()
    mark = _mark(entry, sheet_id)
    owned_as = mark if mark is not None else names.get(sheet_id)
    tab = Tab(
        title=title,
        rows=rows,
        hidden_rows=frozenset(number for number in hidden if number <= len(rows)),
        merges=tuple(_merge(place, grid) for place in entry.get("merges", ())),
        owned=owned_as is not None,
        owned_as=owned_as,
        odd=odd,
    )
    return Sheet(
        sheet_id=sheet_id,
        tab=tab,
        is_grid=properties.get("sheetType", "GRID") == "GRID",
        is_marked=mark is not None,
        rows=int(grid.get("rowCount", 0)),
        columns=int(grid.get("columnCount", 0)),
        cells=cells,
        protections=tuple(entry.get("protectedRanges", ())),
    )


def _mark(entry: Obj, sheet_id: int) -> str | None:
    for found in entry.get("developerMetadata", ()):
        value = str(found.get("metadataValue", ""))
        if found.get("metadataKey") == MARK and value.startswith(mark_value(sheet_id, "")):
            return value.partition(" ")[2]
    return None


def _lay(cells: list[list[Obj]], data: Obj, title: str) -> None:
    """Put one block of grid data where it belongs."""
    top, left = data.get("startRow", 0), data.get("startColumn", 0)
    spread = sum(len(row) for row in cells)
    for number, row in enumerate(data.get("rowData", ()), top):
        values = row.get("values")
        if not values:
            continue
        spread += left + len(values) + max(number - len(cells), 0)
        if spread > MOST_CELLS:
            text = (
                f"sheet {title} is too large (more than {MOST_CELLS:,} cells); a match needs no "
                "more than a few thousand rows"
            )
            raise Stopped([Fault("sheet-too-large", text, tab=title)])
        while len(cells) <= number:
            cells.append([])
        there = cells[number]
        there.extend({} for _ in range(left + len(values) - len(there)))
        there[left : left + len(values)] = values


def _hidden(data: Obj) -> Iterator[int]:
    first = data.get("startRow", 0) + 1
    for number, row in enumerate(data.get("rowMetadata", ()), first):
        if row and (row.get("hiddenByUser") or row.get("hiddenByFilter")):
            yield number


def _merge(place: dict[str, int], grid: dict[str, int]) -> tuple[int, int, int, int]:
    return (
        place.get("startRowIndex", 0) + 1,
        place.get("startColumnIndex", 0) + 1,
        place.get("endRowIndex", grid.get("rowCount", 0)),
        place.get("endColumnIndex", grid.get("columnCount", 0)),
    )


def _row(cells: list[Obj]) -> list[Value]:
    row = [_value(cell) if cell else None for cell in cells]
    while row and row[-1] is None:
        row.pop()
    return row


def _value(cell: Obj) -> Value:
    value = cell.get("effectiveValue")
    if not value:
        # A formula that gives an empty text shows neither a value nor a text.
        return "" if "formulaValue" in cell.get("userEnteredValue", {}) else None
    if "stringValue" in value:
        return str(value["stringValue"])
    if "numberValue" in value:
        return _number(value["numberValue"], number_kind(cell))
    if "boolValue" in value:
        return bool(value["boolValue"])
    if "errorValue" in value:
        return _broken(cell, value["errorValue"])
    return None


def _odd(cell: Obj) -> str | None:
    """Return what a cell is where it is no plain value."""
    entered = cell.get("userEnteredValue", {})
    if "formulaValue" in entered:
        return formula(str(entered["formulaValue"]))
    form = cell.get("effectiveFormat", {}).get("numberFormat", {})
    code = form.get("pattern") or ("" if form.get("type") in _PLAIN_TYPES else form["type"])
    return number_format(code) if shows_else(code, _value(cell)) else None


def _number(number: float, kind: MomentKind | None) -> Value:
    if kind is not None:
        return Moment(float(number), kind)
    return int(number) if number == number // 1 and abs(number) <= _EXACT else number


def number_kind(cell: Obj) -> MomentKind | None:
    """Return what a cell's number format shows a number as, None for a plain number."""
    form = cell.get("effectiveFormat", {}).get("numberFormat", {})
    kind = _KINDS.get(form.get("type", ""))
    # Google has no type for durations: a time whose hours run on past 24 is one.
    is_elapsed = kind == "time" and any(part in form.get("pattern", "") for part in _ELAPSED)
    return "duration" if is_elapsed else kind


_ELAPSED: Final = ("[h", "[m", "[s")


def _broken(cell: Obj, error: Obj) -> Broken:
    is_formula = "formulaValue" in cell.get("userEnteredValue", {})
    shown = str(cell.get("formattedValue", "#ERROR!"))
    if error.get("type") == "LOADING":
        return Broken("the formula is still being worked out; wait and run again", shown)
    return Broken(f"{'the formula gives' if is_formula else 'the cell holds'} an error", shown)
