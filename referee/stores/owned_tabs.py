"""Where the referee's own tabs stand in a workbook, wherever the workbook is kept.

A tab is the referee's by its mark. What the mark is made of, and when a tab without one may be
taken over, each store knows for itself.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from referee.match.faults import Fault, Stopped, quoted
from referee.stores.writable import storable
from referee.workbook.cells import OwnedTab, Value, Written


class AnySheet(Protocol):
    """What a store tells of a sheet; ``owned_as`` is the title its mark was made for."""

    @property
    def title(self) -> str:
        """The tab's title."""
        ...

    @property
    def is_grid(self) -> bool:
        """Whether it has cells, other than a sheet that is one chart."""
        ...

    @property
    def is_owned(self) -> bool:
        """Whether it bears the referee's mark."""
        ...

    @property
    def owned_as(self) -> str | None:
        """The title of the owned tab that the mark was made for, where the store knows it."""
        ...


_Sheet = TypeVar("_Sheet", bound=AnySheet)


def find_owned(
    sheets: Sequence[_Sheet],
    tabs: Sequence[OwnedTab],
    is_ours: Callable[[_Sheet, OwnedTab], bool],
    title_problem: Callable[[str], str | None],
) -> list[_Sheet | None]:
    """Find the sheet of each owned tab, by its mark; None where one has to be added.

    ``is_ours`` tells whether a sheet without a mark is taken over; ``title_problem`` why the store
    takes no new tab of a title, None where it does. Raises `Stopped` with every tab that has no
    place: another sheet stands under its title, in any case, or the title cannot be had.
    """
    faults: list[Fault] = []
    found: list[_Sheet | None] = []
    for tab in tabs:
        sheet = _marked_for(sheets, tab, tabs)
        namesake = next((s for s in sheets if _alike(s.title, tab.title)), None)
        if sheet is None and namesake is not None:
            sheet = namesake if is_ours(namesake, tab) else None
            if sheet is None:
                there = f"tab {quoted(namesake.title)} exists and is not the referee's {tab.title}"
                faults.append(Fault("tab-taken", f"{there}; rename it", tab=namesake.title))
        elif sheet is None and (problem := title_problem(tab.title)) is not None:
            text = f"no tab can be called {quoted(tab.title)}: {problem}; name another in Settings"
            faults.append(Fault("tab-title", text, tab=tab.title))
        found.append(sheet)
    if faults:
        raise Stopped(faults)
    return found


def _marked_for(sheets: Sequence[_Sheet], tab: OwnedTab, tabs: Sequence[OwnedTab]) -> _Sheet | None:
    """Return the marked sheet that has the tab's title, or had it before a host renamed it."""
    marked = [sheet for sheet in sheets if sheet.is_owned and sheet.is_grid]
    titles = {other.title for other in tabs}
    renamed = (s for s in marked if s.owned_as == tab.title and s.title not in titles)
    return next((s for s in marked if s.title == tab.title), next(renamed, None))


def _alike(one: str, other: str) -> bool:
    """Whether a store takes two titles for the same; blanks around them count as little here."""
    return one.strip().casefold() == other.strip().casefold()


def read_back(rows: Sequence[Sequence[Written]]) -> list[list[Value]]:
    """Return rows as they are read once they have been written: what publishing promises.

    An empty text is an empty cell, and half a surrogate pair a U+FFFD.
    """
    tidy: list[list[Value]] = []
    for row in rows:
        cells: list[Value] = [
            (storable(value) or None) if isinstance(value, str) else value for value in row
        ]
        while cells and cells[-1] is None:
            cells.pop()
        tidy.append(cells)
    while tidy and not tidy[-1]:
        tidy.pop()
    return tidy


def same_cells(read: Sequence[Sequence[Value]], written: Sequence[Sequence[Value]]) -> bool:
    """Whether cells hold the same values; true is not the same as 1."""
    return read == written and all(
        isinstance(one, bool) == isinstance(other, bool)
        for row, other_row in zip(read, written, strict=True)
        for one, other in zip(row, other_row, strict=True)
    )
