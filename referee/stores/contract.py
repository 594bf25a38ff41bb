"""The one contract of every place a workbook can live in: read it all, replace what is ours.

A store knows cells and tabs and nothing of the match. It never decides what is written.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from referee.workbook.cells import Book, CellEdit, NewRow, OwnedTab, WallClock

__all__ = ["CellEdit", "NewRow", "Store", "WallClock"]


class Store(Protocol):
    """A workbook in its place. Every method raises `Unavailable` where the place refuses.

    ``notes`` are what the host should know of the last write, such as an edit made meanwhile.
    """

    notes: list[str]

    @property
    def overtaken(self) -> bool:
        """Whether somebody changed the workbook during the last write: look at it once more."""
        ...

    @property
    def name(self) -> str:
        """What the host calls this workbook: a file's name, a spreadsheet's title."""
        ...

    def lock(self) -> AbstractContextManager[None]:
        """Keep a second run away for the length of a ``with``; raises `Unavailable` if one runs."""
        ...

    def read(self) -> Book:
        """Read every tab in one go.

        Raises `Stopped` where contents cannot be read with certainty (a sheet too large, two tabs
        with one name), naming tab and cell.
        """
        ...

    def publish(self, tabs: Sequence[OwnedTab]) -> None:
        """Replace the referee's own tabs by these, all or nothing; everything else stays.

        Left-over cells are cleared, missing tabs added and marked as the referee's own. Raises
        `Stopped` where a host's tab stands under one of these titles (in any case).
        """
        ...

    def edit(self, edits: Sequence[CellEdit], rows: Sequence[NewRow] = ()) -> list[int]:
        """Set single cells of the host's tabs and add rows, all or nothing; everything else stays.

        Returns the number of each added row. Nothing that a host typed since the reading is
        written over: such a cell refuses the whole edit, a row that was taken moves a new one down.
        """
        ...

    def create(self, time_zone: str = "") -> None:
        """Lay out an empty match workbook from the template.

        ``time_zone`` is written into its Settings where the workbook has none of its own.
        Raises `Unavailable` where one exists already and is not empty.
        """
        ...
