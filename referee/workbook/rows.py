"""The rows of one of the host's tabs, cell by cell: each value for certain, or a located fault."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from referee.match.faults import quoted
from referee.match.instants import Instant
from referee.rules.rulings import Ruling, parse_ruling
from referee.workbook.cells import Book, Value
from referee.workbook.findings import NO_PLACE, Findings, Remark, Spot
from referee.workbook.names import mended, tidy
from referee.workbook.places import MOST_NAMED
from referee.workbook.setup import SetUp
from referee.workbook.times import Column, TimeOfDay, UndatedError, settle
from referee.workbook.values import CellError, is_blank, read_text, read_whole

if TYPE_CHECKING:
    from referee.workbook.headers import Row, Table


class TabRows:
    """The rows of one host's tab, read cell by cell; a faulty cell is noted and stood in for."""

    def __init__(self, title: str, book: Book, set_up: SetUp, findings: Findings) -> None:
        self._title, self._findings = title, findings
        self._roster, self._times = set_up.roster, set_up.times
        self._table: Table | None = set_up.tables.get(title)
        self.rows: tuple[Row, ...] = () if self._table is None else self._table.rows
        self._columns = {} if self._table is None else self._table.columns
        self._undated: set[tuple[int, str]] = set()
        self._unread: set[int] = set()
        self._locale = book.locale
        self._orders: dict[str, Column] = {}
        self._has_players = "Players" in set_up.tables
        self._found: dict[str, str | None] = {}

    def value(self, cells: Sequence[Value], column: str) -> Value:
        """Return a cell's content, None where the host has no such column."""
        index = self._columns.get(column)
        return None if index is None else cells[index]

    def fault(
        self, code: str, row: int, column: str, problem: str, player: str | None = None
    ) -> None:
        """Note a fault of one cell."""
        if self._table is not None:
            self._findings.fault(*self._table.fault(code, row, column, problem, player))

    def content(self, row: int, column: str) -> Value:
        """Return what stands in a cell of a sheet row."""
        return next(
            (self.value(cells, column) for number, cells in self.rows if number == row), None
        )

    @property
    def undated(self) -> tuple[int, ...]:
        """The rows whose time of their own names no date."""
        return tuple(sorted(row for row, column in self._undated if column != "Edited"))

    def is_undated(self, row: int, column: str) -> bool:
        """Whether a cell holds a time without a date."""
        return (row, column) in self._undated

    def is_timed(self, row: int) -> bool:
        """Whether a row's Timestamp could be read; an instant stands in for it otherwise."""
        return row not in self._unread

    def address(self, row: int, column: str) -> str:
        """Return how a host finds a cell."""
        return (
            f"{self._title} row {row}" if self._table is None else self._table.address(row, column)
        )

    def addresses(self, rows: Sequence[int], column: str) -> str:
        """Name cells of one column, as many as a host can look at."""
        named = [self.address(row, column) for row in rows[:MOST_NAMED]]
        left = len(rows) - len(named)
        return ", ".join(named) + (f" and {left} more" if left else "")

    def spot(self, row: int) -> Spot:
        """Return where a row comes in the order of the workbook."""
        return NO_PLACE if self._table is None else self._table.spot(row)

    def remark_blank(self, column: str, meaning: str) -> None:
        """Warn once of all cells of a column that are blank and count as something."""
        if column not in self._columns:
            return
        blank = [row for row, cells in self.rows if is_blank(self.value(cells, column))]
        if blank:
            what = "is blank and counts" if len(blank) == 1 else "are blank and count"
            text = f"{self.addresses(blank, column)} {what} as {meaning}"
            code = f"blank-{column.lower()}"
            self._findings.remark(
                self.spot(blank[0]), Remark(code, text, self._title, blank[0], severity="warning")
            )

    def missing(self, row: int, cells: Sequence[Value], column: str, problem: str) -> None:
        """Note a blank cell that may not be blank; a faulty one was noted when it was read."""
        if is_blank(self.value(cells, column)):
            self.fault(f"missing-{column.lower()}", row, column, problem)

    def text(
        self,
        row: int,
        cells: Sequence[Value],
        column: str,
        read: Callable[[Value], str] = read_text,
    ) -> str:
        """Return a cell's text, empty where it is blank."""
        value = self.value(cells, column)
        if value is None:
            return ""
        try:
            return mended(read(value))
        except CellError as error:
            self.fault("bad-text", row, column, str(error))
            return ""

    def whole(
        self,
        row: int,
        cells: Sequence[Value],
        column: str,
        least: int | None = None,
        unit: str | None = None,
    ) -> int | None:
        """Return a whole number, None where the cell is blank or faulty; see `read_whole`."""
        value = self.value(cells, column)
        if is_blank(value):
            return None
        try:
            return read_whole(value, least, unit)
        except CellError as error:
            self.fault("bad-number", row, column, str(error))
            return None

    def time(self, row: int, cells: Sequence[Value], column: str) -> Instant | UnsetType:
        """Return an instant, UNSET where the cell is blank or faulty."""
        value = self.value(cells, column)
        if value is None or is_blank(value):
            return UNSET
        order = self._orders.get(column)
        if order is None:
            order = self._orders[column] = self._settle(column)
        try:
            # Whoever writes when a round starts means the full minute; a ping has its second.
            on_the_minute = column == "Start"
            instant = self._times.read(value, order, on_the_minute=on_the_minute)
        except CellError as error:
            self.fault("bad-time", row, column, str(error))
        except UndatedError:
            # The missing start is a fault of its own and stops the run.
            return UNSET
        else:
            if type(instant) is TimeOfDay:
                self._undated.add((row, column))
                return Instant(instant)
            return instant
        return UNSET

    def _settle(self, column: str) -> Column:
        return settle((self.value(cells, column) for _, cells in self.rows), self._locale)

    def required_time(self, row: int, cells: Sequence[Value]) -> Instant:
        """Return a row's time; a blank cell is a fault."""
        time = self.time(row, cells, "Timestamp")
        if time is not UNSET:
            return time
        self._unread.add(row)
        problem = "the row has no time; write it like 2026-11-29 21:05:07, or clear the row"
        self.missing(row, cells, "Timestamp", problem)
        return Instant(0)

    def player(self, row: int, cells: Sequence[Value], *, void: bool = False) -> str:
        """Return the player meant; an unknown one is a fault, but in a void row (R9.1)."""
        if is_blank(self.value(cells, "Player")):
            problem = "the row has no player; add the name, or clear the row"
            self.fault("missing-player", row, "Player", problem)
            return ""
        text = self.text(row, cells, "Player")
        try:
            player = self._found[text]
        except KeyError:
            player = self._found[text] = self._roster.find(text)
        if player is not None:
            return player
        if text and not void and self._has_players:
            hint = self._roster.hint(text)
            problem = f"{quoted(text)} is not in Players{hint}; correct it or add it as an alias"
            self.fault("unknown-player", row, "Player", problem, tidy(text))
        return tidy(text)

    def ruling(self, row: int, cells: Sequence[Value]) -> tuple[str, Ruling | None]:
        """Return a row's ruling as typed and as the engine reads it (R9.1)."""
        text = self.text(row, cells, "Ruling")
        if not text:
            return "", None
        try:
            return text, parse_ruling(text, self._title)
        except ValueError as error:
            self.fault("bad-ruling", row, "Ruling", str(error))
            return "", None
