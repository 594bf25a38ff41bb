"""What a cell can hold, in a file as at Google: asked of every value before anything is written."""

import math
import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from referee.match.faults import Fault, quoted
from referee.match.instants import DAY, format_time_of_day
from referee.stores.contract import CellEdit, WallClock
from referee.workbook.cells import OwnedTab, Tab, address, column_letters

MOST_ROWS: Final = 1_048_576
MOST_COLUMNS: Final = 16_384
LONGEST_TEXT: Final = 32_767
"""The most UTF-16 units Excel takes in one cell."""

_HALF: Final = re.compile("[\ud800-\udfff]")
REPLACEMENT: Final = "\ufffd"
"""What half a surrogate pair, which is no character at all, is written and read as."""
_FIRST_DAY: Final = date(1899, 12, 30)


def storable(text: str) -> str:
    """Return the text as a file can hold it: half a surrogate pair becomes U+FFFD."""
    return _HALF.sub(REPLACEMENT, text)


def whole_characters(text: str) -> str:
    """Return text in which both halves of a surrogate pair are the one character they mean."""
    if _HALF.search(text):
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def check_cells(tab: OwnedTab, longest: int = LONGEST_TEXT) -> list[Fault]:
    """Return a fault for each cell that cannot be held; ``longest`` as in `unwritable`."""
    faults = []
    if len(tab.rows) > MOST_ROWS:
        text = f"{tab.title} has {len(tab.rows):,} rows; a sheet holds {MOST_ROWS:,}"
        faults.append(Fault("too-many-rows", text, tab=tab.title))
    for number, row in enumerate(tab.rows, 1):
        for column, value in enumerate(row, 1):
            problem = unwritable(value, longest)
            if problem or column > MOST_COLUMNS:
                place = address(tab.title, number, column)
                text = f"{place}: {problem or 'a sheet has no such column'}"
                faults.append(Fault("unwritable-cell", text, tab=tab.title, row=number))
    return faults


def unwritable(value: object, longest: int = LONGEST_TEXT) -> str | None:
    """Return why a value cannot be written to a cell, None where it can.

    ``longest`` is the most UTF-16 units a cell takes.
    """
    if isinstance(value, str):
        length = len(value) if value.isascii() else len(value.encode("utf-16-le", "replace")) // 2
        if length > longest:
            return f"a text of {length:,} characters; a cell holds {longest:,}"
    elif isinstance(value, float):
        if not math.isfinite(value):
            return f"{value} is not a number a cell can hold"
    elif value is not None and not isinstance(value, int):
        return f"a {type(value).__name__} is neither text, number nor true/false"
    return None


def check_edits(
    tabs: Sequence[Tab], edits: Sequence[CellEdit], longest: int = LONGEST_TEXT
) -> list[Fault]:
    """Return a fault for each edit that cannot be made; ``longest`` as in `unwritable`."""
    by_title = {tab.title: tab for tab in tabs}
    faults = []
    for edit in edits:
        place = address(edit.tab, edit.row, edit.column)
        tab = by_title.get(edit.tab)
        problem = None
        if tab is None:
            problem = f"there is no tab {quoted(edit.tab)}"
        elif tab.owned:
            problem = "the tab is the referee's own"
        elif not 1 <= edit.row <= MOST_ROWS:
            problem = f"a sheet ends at row {MOST_ROWS:,}; make room above"
        elif not 1 <= edit.column <= MOST_COLUMNS:
            problem = "a sheet has no such column"
        elif not isinstance(edit.value, WallClock):
            problem = unwritable(edit.value, longest)
        if tab is not None and problem is None:
            problem = _in_merge(tab, edit)
        if problem is not None:
            text = f"{place} cannot be written: {problem}"
            faults.append(Fault("unwritable-cell", text, tab=edit.tab, row=edit.row))
    return faults


def _in_merge(tab: Tab, edit: CellEdit) -> str | None:
    for top, left, bottom, right in tab.merges:
        inside = top <= edit.row <= bottom and left <= edit.column <= right
        if inside and (edit.row, edit.column) != (top, left):
            area = f"{column_letters(left)}{top}:{column_letters(right)}{bottom}"
            return f"it is hidden inside the merged cells {area}; unmerge them"
    return None


def clock_text(clock: WallClock) -> str:
    """Write a date and time to the millisecond: ``2026-11-29 21:05:07.250``, ``… 21:05:07``."""
    days, millis = divmod(round(clock.days * DAY), DAY)
    day = _FIRST_DAY + timedelta(days=days)
    return f"{day.isoformat()} {format_time_of_day(millis)}"
