"""From a record's tab and row back to the host's own cells, for messages and for edits."""

from collections.abc import Mapping
from typing import Final

import msgspec

from referee.match.faults import Fault
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
    "start-before-timer": "Start",
    "starts-not-rising": "Start",
    "unknown-player": "Player",
    "unknown-rival": "Rival",
}
"""The column that a fault of the engine, by its code, is about."""


class Places(msgspec.Struct, frozen=True):
    """Where the rows of a record stand in the host's workbook.

    Tabs and columns are called by the template's names. ``tables`` are the host's tabs found;
    ``titles`` the real titles of all tabs, the referee's own too; ``player_rows`` the sheet rows
    of the record's players, in its order; ``setting_rows`` those of the settings, by key.
    """

    tables: Mapping[str, Table]
    titles: Mapping[str, str]
    player_rows: tuple[int, ...]
    setting_rows: Mapping[str, int]

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
        """Return a fault of the engine with the host's own cell for its tab and row."""
        if fault.tab is None or fault.row is None:
            return fault
        row = fault.row
        if fault.tab == "Players" and row <= len(self.player_rows):
            row = self.player_rows[row - 1]
        _, _, problem = fault.text.rpartition(f"{fault.tab} row {fault.row}: ")
        where = self.locate(fault.tab, row, COLUMNS.get(fault.code))
        return fault._replace(row=row, text=f"{where}: {problem}")

    def spot(self, fault: Fault) -> Spot:
        """Return where a fault comes in the order of the workbook."""
        table = None if fault.tab is None else self.tables.get(fault.tab)
        if table is None:
            return NO_PLACE
        return table.spot(fault.row or 0, COLUMNS.get(fault.code))
