"""Single cells of a host's tabs set in place, so that nothing a host types meanwhile is lost.

Google takes no precondition: a host may type, insert or delete between the reading and the writing.
So a batch first copies what stands in the cells to a hidden tab of the referee's own, and then sets
them. Its answer shows both. Where something else stood there than was read, or a row is another by
its other cells, what was kept is put back, and nothing was written. The hidden tab then goes.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple, Protocol

from referee.match.faults import Fault
from referee.stores.contract import CellEdit
from referee.stores.google.cells import (
    FORMATTED,
    PLAIN,
    area,
    from_cell,
    grown,
    header_of,
    holds,
    set_to,
    sheet_of,
)
from referee.stores.google.reading import SAVED, Obj, Seen, Sheet
from referee.stores.google.requests import LONGEST_TEXT, mark
from referee.stores.google.seal import renewed
from referee.stores.writable import check_edits
from referee.workbook.cells import address

_FORGOTTEN: Final = 600
"""Seconds after which a hidden tab that keeps something is left over by a run that broke off."""


class Target(NamedTuple):
    """A cell to set: row and column from 1, and its data."""

    row: int
    column: int
    cell: Obj


class Cells(Protocol):
    """Which cells are to be set."""

    def targets(self, seen: Seen) -> list[tuple[Sheet, list[Target]]]:
        """Return the cells of each tab, by row and column."""
        ...


class Wanted:
    """Cells as a command asks for them."""

    def __init__(self, edits: Sequence[CellEdit]) -> None:
        self._edits = sorted(edits, key=lambda edit: (edit.tab, edit.row, edit.column))

    def targets(self, seen: Seen) -> list[tuple[Sheet, list[Target]]]:
        """Return the cells of each tab that is there."""
        found = []
        for title, edits in groupby(self._edits, key=lambda edit: edit.tab):
            if (sheet := sheet_of(seen, title)) is not None:
                cells = {(e.row, e.column): set_to(sheet, e.row, e.column, e.value) for e in edits}
                found.append((sheet, [Target(*place, cell) for place, cell in cells.items()]))
        return found

    def faults(self, seen: Seen) -> list[Fault]:
        """Return a fault for each cell that cannot be set as asked."""
        return edit_faults(seen, self._edits)

    def are_held(self, seen: Seen) -> bool:
        """Whether every cell holds what it is to be set to."""
        return all(
            (sheet := sheet_of(seen, edit.tab)) is not None
            and holds(sheet.cell(edit.row, edit.column), edit.value)
            for edit in self._edits
        )


class Fixed:
    """Cells of certain tabs, whatever these are called meanwhile."""

    def __init__(self, cells: dict[int, list[Target]]) -> None:
        self._cells = cells

    def targets(self, seen: Seen) -> list[tuple[Sheet, list[Target]]]:
        """Return the cells of each tab that is there."""
        found = ((seen.sheet(sheet_id), cells) for sheet_id, cells in self._cells.items())
        return [(sheet, cells) for sheet, cells in found if sheet is not None]


class Edits:
    """Cells to set, as a step of writing; ``number`` is no other run's."""

    def __init__(self, cells: Cells, number: int) -> None:
        self._cells = cells
        self._number = number
        self._made = 0
        """How many hidden tabs the batch makes."""

    @property
    def kept(self) -> range:
        """The ids of the hidden tabs."""
        return range(self._number, self._number + self._made)

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:
        """Return the parts of the batch: what is there is copied, then the cells are set."""
        requests = renewed(seen) if sealed else []
        targets = self._cells.targets(seen)
        self._made = len(targets)
        for number, (sheet, cells) in zip(self.kept, targets, strict=True):
            bottom, right = max(c.row for c in cells), max(c.column for c in cells)
            requests += grown(sheet, bottom, right)
            requests += _copied(sheet, cells, number)
            requests += _set(sheet.sheet_id, cells)
        return requests

    def is_done(self, seen: Seen) -> bool:
        """Whether the batch was carried out: the hidden tabs are there."""
        return bool(self._made) and all(seen.sheet(number) is not None for number in self.kept)

    def overtaken(self, before: Seen, after: Seen) -> str | None:
        """Return what somebody else did to the rows of the cells, or what another run published."""
        return self._changed(before, after) or _published(before, after)

    def misplaced(self, before: Seen, after: Seen) -> str | None:
        """Return what was not as it was ``before`` when the batch came, as its answer shows."""
        for number, (sheet, cells) in zip(self.kept, self._cells.targets(before), strict=False):
            there = after.sheet(number)
            for cell in cells:
                place = (cell.row, cell.column)
                if there is None or there.entered(*place) != sheet.entered(*place):
                    return _was_changed(sheet, *place)
        return self._changed(before, after, but_cells=True)

    def _changed(self, before: Seen, after: Seen, *, but_cells: bool = False) -> str | None:
        for sheet, cells in self._cells.targets(before):
            now = after.sheet(sheet.sheet_id)
            if now is None or now.title != sheet.title:
                gone = "removed" if now is None else "renamed"
                return f"the tab {sheet.title} was {gone} by somebody else at the same time"
            passed = {(cell.row, cell.column) for cell in cells} if but_cells else set()
            for row in sorted({header_of(sheet), *(cell.row for cell in cells)} - {0}):
                for column in range(1, max(_width(sheet, row), _width(now, row)) + 1):
                    place = (row, column)
                    if place not in passed and sheet.entered(*place) != now.entered(*place):
                        return _was_changed(sheet, *place)
        return None

    def putting_back(self, after: Seen, number: int) -> "Edits":
        """Return the step that sets the cells to what was kept of them."""
        back: dict[int, list[Target]] = {}
        for kept, (sheet, cells) in zip(self.kept, self._cells.targets(after), strict=False):
            if (there := after.sheet(kept)) is not None:
                back[sheet.sheet_id] = [
                    cell._replace(cell={"userEnteredValue": there.entered(cell.row, cell.column)})
                    for cell in cells
                ]
        return Edits(Fixed(back), number)

    def places(self, seen: Seen) -> set[tuple[int, int, int]]:
        """Return the cells that are set: a tab's id, row and column."""
        return {
            (sheet.sheet_id, cell.row, cell.column)
            for sheet, cells in self._cells.targets(seen)
            for cell in cells
        }


class Tidying:
    """The hidden tabs taken away, as a step of writing."""

    def __init__(self, ours: Collection[int]) -> None:
        self._ours = ours

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:  # noqa: ARG002  as the step says
        """Return the parts of the batch."""
        return tidied(seen, self._ours)

    def is_done(self, seen: Seen) -> bool:
        """Whether they are gone."""
        return all(seen.sheet(number) is None for number in self._ours)

    def overtaken(self, before: Seen, after: Seen) -> str | None:  # noqa: ARG002  as the step says
        """Return None: nobody else writes there."""
        return None


def tidied(seen: Seen, ours: Collection[int]) -> list[Obj]:
    """Return what takes away hidden tabs: our own, and those that a run long ago left behind."""
    return [
        {"deleteSheet": {"sheetId": sheet.sheet_id}}
        for sheet in seen.sheets
        if sheet.is_saved and (sheet.sheet_id in ours or _age(sheet) > _FORGOTTEN)
    ]


def _age(sheet: Sheet) -> float:
    made = (sheet.owned_as or "").removeprefix(SAVED).strip()
    return abs(time.time() - int(made)) if made.isascii() and made.isdecimal() else 0.0


def edit_faults(seen: Seen, edits: Sequence[CellEdit]) -> list[Fault]:
    """Return a fault for each cell that cannot be set as asked."""
    faults = check_edits(seen.book.tabs, edits, LONGEST_TEXT)
    for edit in edits:
        sheet = sheet_of(seen, edit.tab)
        if sheet is not None and "formulaValue" in sheet.entered(edit.row, edit.column):
            place = address(edit.tab, edit.row, edit.column)
            text = f"{place} holds a formula; clear the cell if the referee may write there"
            faults.append(Fault("formula-in-the-way", text, tab=edit.tab, row=edit.row))
    return faults


def _was_changed(sheet: Sheet, row: int, column: int) -> str:
    place = address(sheet.title, row, column)
    return f"{place} was changed by somebody else at the same time"


def _published(before: Seen, after: Seen) -> str | None:
    """Return which of the referee's own tabs another run changed between two looks."""
    old, new = (
        {s.sheet_id: s for s in seen.sheets if s.is_owned and not s.is_saved}
        for seen in (before, after)
    )
    for number in sorted(old.keys() | new.keys()):
        one, other = old.get(number), new.get(number)
        if one is None or other is None or one.tab.rows != other.tab.rows:
            there = one or other
            return f"the tab {there.title if there else ''} was changed at the same time"
    return None


def _width(sheet: Sheet, row: int) -> int:
    return len(sheet.cells[row - 1]) if row <= len(sheet.cells) else 0


def _copied(sheet: Sheet, cells: Sequence[Target], number: int) -> Iterator[Obj]:
    """Yield what copies the cells, where they stand, to a hidden tab of that id."""
    rows, columns = [c.row for c in cells], [c.column for c in cells]
    box = (min(rows), min(columns), max(rows), max(columns))
    properties = {
        "sheetId": number,
        "title": f"{SAVED} {number}",
        "hidden": True,
        "gridProperties": {"rowCount": box[2], "columnCount": box[3]},
    }
    yield {"addSheet": {"properties": properties}}
    yield mark(number, f"{SAVED} {int(time.time())}")
    ranges = {"source": area(sheet.sheet_id, *box), "destination": area(number, *box)}
    yield {"copyPaste": {**ranges, "pasteType": "PASTE_NORMAL"}}


def _set(sheet_id: int, cells: Sequence[Target]) -> Iterator[Obj]:
    """Yield what sets the cells, those that stand side by side in one request."""
    lines: list[tuple[int, int, str, list[Obj]]] = []
    for row, column, cell in cells:
        fields = FORMATTED if "userEnteredFormat" in cell else PLAIN
        if lines and lines[-1][2] == fields:
            last_row, left, _, values = lines[-1]
            if (last_row, left + len(values)) == (row, column):
                values.append(cell)
                continue
        lines.append((row, column, fields, [cell]))
    for _, block in groupby(
        enumerate(lines), key=lambda n: (n[1][0] - n[0], n[1][1], n[1][2], len(n[1][3]))
    ):
        found = [line for _, line in block]
        row, column, fields, _ = found[0]
        yield from_cell(sheet_id, row, column, [{"values": line[3]} for line in found], fields)
