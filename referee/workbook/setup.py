"""Settings and Players together: how the match is played, and by whom.

This is the half of a workbook that `deal` and `import` need before a match can be replayed, so a
blank start, cell or rival is no fault here; `reading` asks for them.
"""

import msgspec

from referee.workbook.cells import Book
from referee.workbook.findings import Findings
from referee.workbook.headers import Table, find_table
from referee.workbook.layout import Layout
from referee.workbook.names import Roster
from referee.workbook.players_tab import Entrant, read_players
from referee.workbook.settings_tab import SettingsTab, read_settings
from referee.workbook.times import Times


class SetUp(msgspec.Struct, frozen=True):
    """What Settings and Players say; ``tables`` are the host's tabs found, by template title."""

    settings: SettingsTab
    players: tuple[Entrant, ...]
    roster: Roster
    times: Times
    tables: dict[str, Table]


def gather_set_up(book: Book, layout: Layout, findings: Findings) -> SetUp:
    """Read Settings and Players and find the host's other tabs.

    What is wrong with them goes into ``findings``.
    """
    tables: dict[str, Table] = {}
    first = find_table(book, layout, layout.tab("Settings"), {}, findings)
    settings = read_settings(book, layout, first, findings)
    if first is not None:
        tables[first.title] = first
    for tab in layout.host_tabs:
        if tab.title != "Settings":
            table = find_table(book, layout, tab, settings.namings, findings)
            if table is not None:
                tables[tab.title] = table
    players, roster = read_players(tables.get("Players"), findings)
    return SetUp(
        settings=settings,
        players=players,
        roster=roster,
        times=Times(settings.clock, settings.start),
        tables=tables,
    )
