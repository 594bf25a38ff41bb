"""From a record's tab and row back to the host's own cells, for messages and for edits."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from referee.match.faults import Fault
from referee.match.instants import format_instant, parse_instant
from referee.match.notices import Notice
from referee.workbook.cells import Value, address
from referee.workbook.findings import NO_PLACE, Spot
from referee.workbook.headers import Table

COLUMNS: Final = {
    "bad-action": "Action",
    "bad-ruling": "Ruling",
    "blank-name": "Player",
    "cell-taken": "Cell",
    "control-character": "Player",
    "doubled-name": "Player",
    "doubled-rival": "Rival",
    "doubled-round": "Round",
    "edited-before-sent": "Edited",
    "edited-ping": "Edited",
    "enter-simulated": "Action",
    "hidden-edit": "Edited",
    "missing-round": "Round",
    "own-rival": "Rival",
    "reserved-name": "Player",
    "rows-outside-rounds": "Timestamp",
    "start-before-timer": "Start",
    "starts-not-rising": "Start",
    "unknown-player": "Player",
    "unknown-rival": "Rival",
}
"""The column that a fault of the engine, by its code, is about."""

NOTICE_COLUMNS: Final = {
    "host-ruling": "Ruling",
    "invalid-swap": "Message",
    "negative-balance": "Garnets",
    "no-visit-to-allow": "Ruling",
    "unreadable-swap": "Message",
}
"""The column that a notice, by its code, is about; any other is about when the row was."""

MOST_NAMED: Final = 12
"""Cells of one column that a line names."""

_IN_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z")
"""A time as the engine writes it."""


class Places(msgspec.Struct, frozen=True):
    """Where the rows of a record stand in the host's workbook.

    Tabs and columns are called by the template's names. ``tables`` are the host's tabs found;
    ``titles`` the real titles of all tabs, the referee's own too; ``player_rows`` the sheet rows
    of the record's players, in its order; ``setting_rows`` those of the settings, by key.
    ``clock`` shows instants on the match's wall clock.
    """

    tables: Mapping[str, Table]
    titles: Mapping[str, str]
    player_rows: tuple[int, ...]
    setting_rows: Mapping[str, int]
    clock: Callable[[int], str] = format_instant

    def title(self, tab: str) -> str:
        """Return a tab's title as the host sees it."""
        return self.titles.get(tab, tab)

    def column(self, tab: str, column: str) -> int | None:
        """Return a column's number from 1, None where the host has no such column."""
        table = self.tables.get(tab)
        index = None if table is None else table.columns.get(column)
        return None if index is None else index + 1

    def locate(self, tab: str, row: int, column: str | None = None) -> str:
        """Return how a host finds a cell (``Queue!B14``), or a row where no column is known."""
        number = None if column is None else self.column(tab, column)
        if number is None:
            return f"{self.title(tab)} row {row}"
        return address(self.title(tab), row, number)

    def locate_all(self, tab: str, rows: Sequence[int], column: str) -> str:
        """Name cells of one column, as many as a host can look at, and count the rest."""
        named = [self.locate(tab, row, column) for row in rows[:MOST_NAMED]]
        left = len(rows) - len(named)
        return ", ".join(named) + (f" and {left} more" if left else "")

    def locate_notice(self, notice: Notice) -> str:
        """Return the cell that a notice is about."""
        usual = "Start" if notice.tab == "Rounds" else "Timestamp"
        return self.locate(notice.tab, notice.row, NOTICE_COLUMNS.get(notice.code, usual))

    def content(self, tab: str, row: int, column: str) -> Value:
        """Return what stands in a cell of a host's tab; None where nothing does."""
        number, table = self.column(tab, column), self.tables.get(tab)
        if number is None or table is None or row > len(table.tab.rows):
            return None
        cells = table.tab.rows[row - 1]
        return cells[number - 1] if number <= len(cells) else None

    def last_row(self, tab: str) -> int | None:
        """Return the last row of a host's tab that says something, None where the tab is absent."""
        table = self.tables.get(tab)
        return None if table is None else table.last_row

    def describe(self, fault: Fault) -> Fault:
        """Return a fault of the engine with the host's own cell and on the match's own clock.

        The engine knows neither: it names a tab's row, and times in UTC.
        """
        text = _IN_UTC.sub(lambda found: self.clock(parse_instant(found[0])), fault.text)
        fault = fault._replace(text=text)
        if fault.tab is None or fault.row is None:
            return fault
        row = fault.row
        if fault.tab == "Players" and row <= len(self.player_rows):
            row = self.player_rows[row - 1]
        _, _, problem = fault.text.rpartition(f"{fault.tab} row {fault.row}: ")
        where = self.locate(fault.tab, row, COLUMNS.get(fault.code))
        if fault.code == "rows-outside-rounds" and "time_zone" in self.setting_rows:
            zone = self.locate("Settings", self.setting_rows["time_zone"], "Value")
            problem += f"; the zone stands in {zone}"
        return fault._replace(row=row, text=f"{where}: {problem}")

    def spot(self, fault: Fault) -> Spot:
        """Return where a fault comes in the order of the workbook."""
        table = None if fault.tab is None else self.tables.get(fault.tab)
        if table is None:
            return NO_PLACE
        return table.spot(fault.row or 0, COLUMNS.get(fault.code))
