"""New rows of a host's tabs: never over what stands there, and they say truly where they stand.

Google puts appended cells below whatever a tab holds at that moment. Where something of the host's
stands lower than the table's last row, such as a table beside it, the table's own columns are
shifted down from there instead and the rows written into the gap. Either way whatever a host types
meanwhile only moves.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from referee.match.faults import Fault
from referee.stores.contract import NewRow, WallClock
from referee.stores.google.cells import (
    FORMATTED,
    PLAIN,
    area,
    format_of,
    formatted,
    from_cell,
    grown,
    header_of,
    holds,
    set_to,
    sheet_of,
)
from referee.stores.google.edits import Edits, Fixed, Target, edit_faults, tidied
from referee.stores.google.reading import Obj, Seen, Sheet, is_filled, number_kind
from referee.stores.google.seal import renewed
from referee.workbook.cells import address, placed

MOST_BYTES: Final = 1_900_000
"""How much of a request's rows go at once; Google advises 2 MB for all of it."""
_SLACK: Final = 20
"""Rows that a host may type meanwhile without moving new ones to where no formats are."""


class Gap(NamedTuple):
    """The columns of a table, from 1 and both included, that make room for new rows."""

    left: int
    right: int


class NewRows:
    """Rows to add, as a step of writing; ``kept`` are hidden tabs that go with it."""

    def __init__(self, rows: Sequence[NewRow], kept: Collection[int] = ()) -> None:
        self._kept = kept
        self._rows = rows
        self._tabs: dict[str, list[NewRow]] = {}
        for row in rows:
            self._tabs.setdefault(row.tab, []).append(row)
        self._there: dict[str, int] = {}
        """How often the rows of a tab stood there, one under another, before they were added."""

    def faults(self, seen: Seen) -> list[Fault]:
        """Return a fault for each row that cannot be added as asked."""
        return edit_faults(seen, placed(self._rows)[0])

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:
        """Return the parts of the batch."""
        requests = renewed(seen) if sealed else []
        requests += tidied(seen, self._kept)
        for title, rows in self._tabs.items():
            if (sheet := sheet_of(seen, title)) is not None:
                self._there[title] = len(_standing(sheet, rows))
                gap = _gap(sheet, rows)
                requests += _appended(sheet, rows) if gap is None else _inserted(sheet, rows, gap)
        return requests

    def is_done(self, seen: Seen) -> bool:
        """Whether the rows stand there once more than before."""
        return all(
            (sheet := sheet_of(seen, title)) is not None
            and len(_standing(sheet, rows)) > self._there.get(title, 0)
            for title, rows in self._tabs.items()
        )

    def overtaken(self, before: Seen, after: Seen) -> str | None:
        """Return which tab somebody else changed between two looks."""
        for title in self._tabs:
            old, new = sheet_of(before, title), sheet_of(after, title)
            if old is None or new is None or old.tab.rows != new.tab.rows:
                return f"the tab {title} was changed by somebody else at the same time"
        return None

    def numbers(self, seen: Seen) -> list[int] | None:
        """Return the sheet row of each added row; None where not all of them stand there."""
        if not self.is_done(seen):
            return None
        at = {
            title: iter(range(_standing(sheet, rows)[-1], len(sheet.cells) + 1))
            for title, rows in self._tabs.items()
            if (sheet := sheet_of(seen, title)) is not None
        }
        return [next(at[row.tab]) for row in self._rows]

    def misplaced(self, before: Seen, after: Seen) -> str | None:
        """Return what was not as it was ``before`` where it tells which column is which."""
        for title, rows in self._tabs.items():
            old, new = sheet_of(before, title), sheet_of(after, title)
            row = 0 if old is None else header_of(old)
            for column in sorted({column for row in rows for column in row.cells} if row else ()):
                if (
                    old is None
                    or new is None
                    or old.entered(row, column) != new.entered(row, column)
                ):
                    place = address(title, row, column)
                    return f"{place} was changed by somebody else at the same time"
        return None

    def torn(self, before: Seen, after: Seen, numbers: Sequence[int]) -> str | None:
        """Return where rows that were shifted may have left cells beside them behind."""
        firsts = dict(
            zip((row.tab for row in reversed(self._rows)), reversed(numbers), strict=True)
        )
        for title, rows in self._tabs.items():
            old, new = sheet_of(before, title), sheet_of(after, title)
            gap = None if old is None else _gap(old, rows)
            if old is None or new is None or gap is None:
                continue
            columns = range(gap.left, gap.right + 1)
            was = [old.entered(rows[0].after, column) for column in columns]
            if was != [new.entered(firsts[title] - 1, column) for column in columns]:
                return f"rows of {title} were moved by somebody else while rows were added there"
        return None

    def taking_back(self, seen: Seen, numbers: Sequence[int], number: int) -> Edits:
        """Return the step that empties the cells of the rows."""
        cells: dict[int, list[Target]] = {}
        for row, at in sorted(zip(self._rows, numbers, strict=True), key=lambda pair: pair[1]):
            if (sheet := sheet_of(seen, row.tab)) is not None:
                found = cells.setdefault(sheet.sheet_id, [])
                found += [Target(at, column, {}) for column in sorted(row.cells)]
        return Edits(Fixed(cells), number)

    def places(self, seen: Seen, numbers: Sequence[int]) -> set[tuple[int, int, int]]:
        """Return the cells that were set: a tab's id, row and column."""
        return {
            (sheet.sheet_id, at, column)
            for row, at in zip(self._rows, numbers, strict=True)
            if (sheet := sheet_of(seen, row.tab)) is not None
            for column in row.cells
        }


def in_parts(rows: Sequence[NewRow]) -> Iterator[list[NewRow]]:
    """Yield the rows in parts that are small enough for one request each."""
    part: list[NewRow] = []
    size = 0
    for row in rows:
        added = len(json.dumps([*row.cells.values()], default=str)) + 60 * (max(row.cells) + 1)
        if part and size + added > MOST_BYTES:
            yield part
            part, size = [], 0
        part.append(row)
        size += added
    if part:
        yield part


def below(rows: Sequence[NewRow], last: dict[str, int]) -> list[NewRow]:
    """Return rows that go below those that were added before them, by the last row of each tab."""
    return [
        msgspec.structs.replace(row, after=last[row.tab]) if row.tab in last else row
        for row in rows
    ]


def _standing(sheet: Sheet, rows: Sequence[NewRow]) -> list[int]:
    """Return the sheet rows from which on the rows stand, one under another."""
    return [
        first
        for first in range(1, len(sheet.cells) - len(rows) + 2)
        if all(_stands(sheet, first + below, row) for below, row in enumerate(rows))
    ]


def _stands(sheet: Sheet, at: int, row: NewRow) -> bool:
    return all(holds(sheet.cell(at, column), value) for column, value in row.cells.items())


def _gap(sheet: Sheet, rows: Sequence[NewRow]) -> Gap | None:
    """Return the columns to shift, None where nothing stands lower than the table."""
    last = rows[0].after
    if sheet.last_used <= last:
        return None
    columns = {column for row in rows for column in row.cells}
    left, right = min(columns), max(columns)
    header = header_of(sheet)
    lower = sheet.cells[last:]

    def is_tables(column: int) -> bool:
        """Whether a column beside the table belongs to it: it has a header and ends with it."""
        headed = column > 0 and is_filled(sheet.cell(header, column))
        return headed and not any(
            len(cells) >= column and is_filled(cells[column - 1]) for cells in lower
        )

    while is_tables(left - 1):
        left -= 1
    while is_tables(right + 1):
        right += 1
    return Gap(left, right)


def _appended(sheet: Sheet, rows: Sequence[NewRow]) -> Iterator[Obj]:
    columns = max(column for row in rows for column in row.cells)
    yield from grown(sheet, 0, columns)
    first = max(sheet.last_used, rows[0].after) + 1
    data, fields = _data(sheet, rows, first, Gap(1, columns))
    yield {"appendCells": {"sheetId": sheet.sheet_id, "rows": data, "fields": fields}}


def _inserted(sheet: Sheet, rows: Sequence[NewRow], gap: Gap) -> Iterator[Obj]:
    first, count = rows[0].after + 1, len(rows)
    # Room at the grid's end, so that nothing which is shifted falls off.
    more = {"sheetId": sheet.sheet_id, "dimension": "ROWS", "length": count}
    yield {"appendDimension": more}
    yield from grown(sheet, 0, gap.right)
    new = area(sheet.sheet_id, first, gap.left, first + count - 1, gap.right)
    yield {"insertRange": {"range": new, "shiftDimension": "ROWS"}}
    # The row that stood there was made ready for new ones: its formats and its drop-downs.
    model = area(sheet.sheet_id, first + count, gap.left, first + count, gap.right)
    for kind in ("PASTE_FORMAT", "PASTE_DATA_VALIDATION"):
        yield {"copyPaste": {"source": model, "destination": new, "pasteType": kind}}
    data, fields = _data(sheet, rows, first, gap)
    yield from_cell(sheet.sheet_id, first, gap.left, data, fields)


def _data(sheet: Sheet, rows: Sequence[NewRow], first: int, gap: Gap) -> tuple[list[Obj], str]:
    """Return the rows' cells, and which of their fields count.

    The formats of the rows they go to stay where all of these show times as times.
    """
    ready = all(
        number_kind(sheet.cell(at, column)) == "date-time"
        for column in sorted(
            {c for row in rows for c, value in row.cells.items() if isinstance(value, WallClock)}
        )
        for at in (first, first + len(rows) - 1 + _SLACK)
    )
    columns = range(gap.left, gap.right + 1)
    return [
        {"values": [_cell(sheet, row, at, column, ready=ready) for column in columns]}
        for at, row in enumerate(rows, first)
    ], PLAIN if ready else FORMATTED


def _cell(sheet: Sheet, row: NewRow, at: int, column: int, *, ready: bool) -> Obj:
    value = row.cells.get(column)
    if ready and isinstance(value, WallClock):
        return {"userEnteredValue": {"numberValue": value.days}}
    own = {} if ready else formatted(format_of(sheet, at, column))
    return own | set_to(sheet, at, column, value)
