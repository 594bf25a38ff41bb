"""Single cells of a host's tabs set in place, their formats kept."""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.match.faults import Fault
from referee.stores.contract import CellEdit, WallClock
from referee.stores.google.reading import Obj, Seen, Sheet, number_kind
from referee.stores.google.requests import LONGEST_TEXT, typed
from referee.stores.writable import check_edits, clock_text, storable
from referee.workbook.cells import Value, address

_FORMATTED: Final = "userEnteredValue,userEnteredFormat.numberFormat"
_HALF_A_MILLISECOND: Final = 0.5 / 86_400_000


class Edits:
    """Cells to set, as a step of writing."""

    def __init__(self, edits: Sequence[CellEdit]) -> None:
        self._edits = edits

    def faults(self, seen: Seen) -> list[Fault]:
        """Return a fault for each cell that cannot be set as asked."""
        faults = check_edits(seen.book.tabs, self._edits, LONGEST_TEXT)
        for edit in self._edits:
            sheet = _sheet(seen, edit.tab)
            if sheet is not None and "formulaValue" in _entered(sheet, edit):
                place = address(edit.tab, edit.row, edit.column)
                text = f"{place} holds a formula; clear the cell if the referee may write there"
                faults.append(Fault("formula-in-the-way", text, tab=edit.tab, row=edit.row))
        return faults

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:  # noqa: ARG002  as the step says
        """Return the parts of the batch: grids that must grow, then the cells."""
        tabs: dict[str, list[CellEdit]] = {}
        for edit in self._edits:
            tabs.setdefault(edit.tab, []).append(edit)
        requests: list[Obj] = []
        for title, edits in tabs.items():
            if (sheet := _sheet(seen, title)) is not None:
                requests += _grown(sheet, edits)
                requests += [_cell(sheet, edit) for edit in edits]
        return requests

    def is_done(self, seen: Seen) -> bool:
        """Whether every cell holds what it was set to."""
        return all(
            (sheet := _sheet(seen, edit.tab)) is not None and _holds(sheet, edit)
            for edit in self._edits
        )

    def overtaken(self, before: Seen, after: Seen) -> str | None:
        """Return which of the cells somebody else changed between two looks."""
        for edit in self._edits:
            old, new = _sheet(before, edit.tab), _sheet(after, edit.tab)
            if old is None or new is None or _entered(old, edit) != _entered(new, edit):
                place = address(edit.tab, edit.row, edit.column)
                return f"{place} was changed by somebody else at the same time"
        return None

    def cells(self, seen: Seen) -> set[tuple[int, int, int]]:
        """Return the cells that are set: a tab's id, row and column."""
        found = ((edit, _sheet(seen, edit.tab)) for edit in self._edits)
        return {(sheet.sheet_id, e.row, e.column) for e, sheet in found if sheet is not None}


def _sheet(seen: Seen, title: str) -> Sheet | None:
    return next((sheet for sheet in seen.sheets if sheet.title == title), None)


def _entered(sheet: Sheet, edit: CellEdit) -> Obj:
    value: Obj = sheet.cell(edit.row, edit.column).get("userEnteredValue", {})
    return value


def _grown(sheet: Sheet, edits: Sequence[CellEdit]) -> Iterator[Obj]:
    needed = {
        "rowCount": max(sheet.rows, *(edit.row for edit in edits)),
        "columnCount": max(sheet.columns, *(edit.column for edit in edits)),
    }
    if (needed["rowCount"], needed["columnCount"]) != (sheet.rows, sheet.columns):
        fields = "gridProperties.rowCount,gridProperties.columnCount"
        properties = {"sheetId": sheet.sheet_id, "gridProperties": needed}
        yield {"updateSheetProperties": {"properties": properties, "fields": fields}}


def _cell(sheet: Sheet, edit: CellEdit) -> Obj:
    cell, fields = typed(_stored(sheet, edit)), "userEnteredValue"
    above = _format_above(sheet, edit)
    if isinstance(edit.value, WallClock) and above is not None:
        cell["userEnteredFormat"] = {"numberFormat": above}
        fields = _FORMATTED
    start = {
        "sheetId": sheet.sheet_id,
        "rowIndex": edit.row - 1,
        "columnIndex": edit.column - 1,
    }
    return {"updateCells": {"start": start, "rows": [{"values": [cell]}], "fields": fields}}


def _stored(sheet: Sheet, edit: CellEdit) -> Value:
    """Return what a cell stores: a time is a number only where it shows as date and time."""
    if isinstance(edit.value, str):
        return storable(edit.value) or None
    if not isinstance(edit.value, WallClock):
        return edit.value
    here = sheet.cell(edit.row, edit.column)
    if number_kind(here) == "date-time" or _format_above(sheet, edit) is not None:
        return edit.value.days
    return clock_text(edit.value)


def _format_above(sheet: Sheet, edit: CellEdit) -> Obj | None:
    """Return the format that a cell without one takes over, where it shows date and time.

    It is that of the next cell above that has one; the first row that has cells is the header.
    """
    if _format(sheet, edit.row, edit.column):
        return None
    header = next((row for row, cells in enumerate(sheet.cells, 1) if any(cells)), 0)
    for row in range(min(edit.row - 1, len(sheet.cells)), header, -1):
        if found := _format(sheet, row, edit.column):
            return found if number_kind(sheet.cell(row, edit.column)) == "date-time" else None
    return None


def _format(sheet: Sheet, row: int, column: int) -> Obj:
    found: Obj = sheet.cell(row, column).get("effectiveFormat", {}).get("numberFormat", {})
    return found


def _holds(sheet: Sheet, edit: CellEdit) -> bool:
    wanted = typed(_stored(sheet, edit)).get("userEnteredValue", {})
    found = _entered(sheet, edit)
    if isinstance(edit.value, WallClock) and "numberValue" in wanted and "numberValue" in found:
        off = abs(float(wanted["numberValue"]) - float(found["numberValue"]))
        return off < _HALF_A_MILLISECOND
    return bool(found == wanted)
