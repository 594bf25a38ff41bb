"""Cells as every store hands them over and takes them back, free of any storage.

A store reads a whole workbook into a `Book`; the reader turns a `Book` into a record; the writer
turns a result into `OwnedTab`s; a store puts those in place of the old ones.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

MomentKind = Literal["date", "time", "date-time", "duration"]


class Moment(msgspec.Struct, frozen=True, gc=False):
    """A number that its sheet shows as a date, a time or a duration.

    ``days`` counts days since 1899-12-30 00:00 in the workbook's own wall clock (a duration or a
    bare time of day is a fraction or a number of days); rounding is the reader's business.
    """

    days: float
    kind: MomentKind


class Broken(msgspec.Struct, frozen=True, gc=False):
    """A cell whose value cannot be known: ``why`` says so for a host, ``shown`` what stands there.

    For instance a formula without a stored value, or an error such as ``#REF!``.
    """

    why: str
    shown: str


Value = str | int | float | bool | Moment | Broken | None
"""What a read cell holds. Only a truly empty cell is None; text is kept letter for letter."""

Written = str | int | float | bool | None
"""What a written cell holds: text stays text whatever it looks like."""


class Contents(NamedTuple):
    """What stands in a tab: see `Tab`."""

    rows: list[list[Value]]
    hidden_rows: frozenset[int] = frozenset()
    merges: tuple[tuple[int, int, int, int], ...] = ()
    odd: Mapping[tuple[int, int], str] = {}


class Tab:
    """One tab as read: ``rows[0][0]`` is A1, rows may be ragged, trailing empty cells cut.

    ``hidden_rows`` are row numbers from 1 (hidden by hand or by a filter). ``merges`` are
    (first row, first column, last row, last column), from 1, both ends included. ``owned`` tells
    a tab that carries the referee's own mark, whatever its title; ``owned_as`` is the title it was
    first published under, which a host may have changed since, where the store knows it. ``odd``
    tells the cells, by row and column from 1, that are no plain values (see `oddities`).

    A store may hand over a tab that is read only when somebody looks into it, so that nothing a
    host keeps in tabs of other kinds can stop a run; looking then raises what the store's `read`
    does.
    """

    def __init__(
        self,
        title: str,
        rows: list[list[Value]] | Callable[[], Contents],
        hidden_rows: frozenset[int] = frozenset(),
        merges: tuple[tuple[int, int, int, int], ...] = (),
        owned: bool = False,
        owned_as: str | None = None,
        odd: Mapping[tuple[int, int], str] | None = None,
    ) -> None:
        self.title, self.owned, self.owned_as = title, owned, owned_as
        self._load = rows if callable(rows) else None
        self._contents = None if callable(rows) else Contents(rows, hidden_rows, merges, odd or {})

    @property
    def contents(self) -> Contents:
        """What stands in the tab, read now if it was not before."""
        if self._contents is None:
            assert self._load is not None  # noqa: S101  one of the two is always given
            self._contents = self._load()
        return self._contents

    @property
    def rows(self) -> list[list[Value]]:
        """The cells."""
        return self.contents.rows

    @property
    def hidden_rows(self) -> frozenset[int]:
        """The numbers of the rows that are hidden."""
        return self.contents.hidden_rows

    @property
    def merges(self) -> tuple[tuple[int, int, int, int], ...]:
        """The merged areas."""
        return self.contents.merges

    @property
    def odd(self) -> Mapping[tuple[int, int], str]:
        """The cells that are no plain values."""
        return self.contents.odd

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tab) and self._key() == other._key()

    def _key(self) -> tuple[object, ...]:
        return (self.title, self.owned, self.owned_as, self.contents)

    __hash__ = None  # type: ignore[assignment]  # its cells are lists

    def __repr__(self) -> str:
        return f"Tab({self.title!r}, owned={self.owned})"


class Book(msgspec.Struct, frozen=True):
    """A whole workbook as read in one go.

    ``locale`` (``en_GB``) and ``time_zone`` (IANA name) are the spreadsheet's own where the store
    knows them. ``name`` is what the host calls it: a file name or a spreadsheet's title.
    """

    name: str
    tabs: tuple[Tab, ...]
    locale: str | None = None
    time_zone: str | None = None


class OwnedTab(msgspec.Struct, frozen=True):
    """One of the referee's own tabs, to be written whole: the first row is its header."""

    title: str
    rows: list[list[Written]]


class WallClock(msgspec.Struct, frozen=True, gc=False):
    """A date and time to be written as a real date cell: days since 1899-12-30, wall clock."""

    days: float


class CellEdit(msgspec.Struct, frozen=True, gc=False):
    """One cell of a host's tab to be set: row and column from 1. None empties it.

    Only `deal`, `import` and `init` send these; resolving never does.
    """

    tab: str
    row: int
    column: int
    value: Written | WallClock


class NewRow(msgspec.Struct, frozen=True, gc=False):
    """A row to be added to a host's tab below ``after``, its last used row as it was read.

    ``cells`` holds the values by column, from 1. Rows of one tab stand in the order given.
    """

    tab: str
    after: int
    cells: Mapping[int, Written | WallClock]


def placed(
    rows: Sequence[NewRow], is_taken: Callable[[NewRow, int], bool] = lambda _, __: False
) -> tuple[list[CellEdit], list[int]]:
    """Return the cells of new rows, and each one's row number.

    ``is_taken`` tells that something stands meanwhile where a new row's cells would go at a row
    number; the row moves down then.
    """
    last: dict[str, int] = {}
    edits: list[CellEdit] = []
    numbers: list[int] = []
    for row in rows:
        number = max(last.get(row.tab, 0), row.after) + 1
        while is_taken(row, number):
            number += 1
        last[row.tab] = number
        numbers.append(number)
        edits += [CellEdit(row.tab, number, column, value) for column, value in row.cells.items()]
    return edits, numbers


def column_letters(column: int) -> str:
    """Return a column's letters, counted from 1: 1 is ``A``, 27 is ``AA``."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def address(tab: str, row: int, column: int) -> str:
    """Return a cell's address as hosts read it, rows and columns from 1: ``Queue!B14``."""
    return f"{tab}!{column_letters(column)}{row}"
