"""What a host changed between two looks at a spreadsheet.

Entered values are compared, not what formulas come to: a clock in a cell is no edit.
"""

from collections.abc import Collection, Iterator
from typing import Final

from referee.match.faults import quoted
from referee.stores.google.reading import Obj, Seen, Sheet, number_kind
from referee.workbook.cells import address

_MOST_NAMED: Final = 3

Cell = tuple[int, int, int]
"""A tab's id, a row and a column, both from 1."""


def host_changes(
    before: Seen,
    after: Seen,
    *,
    owned: Collection[int] = (),
    edited: Collection[Cell] = (),
) -> str | None:
    """Return what differs, named for a host, None where nothing does.

    Left out are the tabs whose ids are ``owned`` and the cells that were ``edited``.
    """
    old, new = (
        {s.sheet_id: s for s in seen.sheets if s.sheet_id not in owned and not s.is_saved}
        for seen in (before, after)
    )
    tabs = [f"tab {quoted(old[key].title)} (removed)" for key in old.keys() - new.keys()]
    tabs += [f"tab {quoted(new[key].title)} (added)" for key in new.keys() - old.keys()]
    cells = []
    for key, sheet in old.items():
        if key not in new:
            continue
        if sheet.title != new[key].title:
            tabs.append(f"tab {quoted(sheet.title)} (renamed to {quoted(new[key].title)})")
        cells += [
            address(new[key].title, row, column)
            for row, column in _differing(sheet, new[key])
            if (key, row, column) not in edited
        ]
    more = len(cells) - _MOST_NAMED
    named = sorted(tabs) + cells[:_MOST_NAMED]
    if more > 0:
        named.append(f"{more} more {'cell' if more == 1 else 'cells'}")
    return ", ".join(named) or None


def _differing(one: Sheet, other: Sheet) -> Iterator[tuple[int, int]]:
    for row in range(1, max(len(one.cells), len(other.cells)) + 1):
        if one.cells[row - 1 : row] == other.cells[row - 1 : row]:
            continue
        width = max(_width(one, row), _width(other, row))
        for column in range(1, width + 1):
            if _entered(one.cell(row, column)) != _entered(other.cell(row, column)):
                yield row, column


def _width(sheet: Sheet, row: int) -> int:
    return len(sheet.cells[row - 1]) if row <= len(sheet.cells) else 0


def _entered(cell: Obj) -> object:
    """Return what was entered, and for a number whether it is a date."""
    value = cell.get("userEnteredValue")
    if not value:
        return None
    return value, number_kind(cell) if "numberValue" in value else None
