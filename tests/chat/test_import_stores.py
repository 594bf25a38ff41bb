"""An import into a file and into a Google Sheet: the same rows, once, and everything else kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.chat.amending import FIRST_SEEN_EDITED, GONE
from referee.chat.export import read_export
from referee.chat.importing import import_messages
from referee.chat.mentions import Options
from referee.match.instants import parse_instant
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.reading import read_book
from tests.support import chat_exports as c
from tests.support.google_stores import cleared, google, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from referee.stores.contract import Store
    from tests.google_sheets import SheetsServer

PING = f"<@&{c.ROLE}>"
NOW = parse_instant("2026-11-01T08:00:00Z")
ZONE = "America/New_York"
RAW = Options(dealer_roles=frozenset({c.ROLE}))

CELLS: dict[str, list[list[Any]]] = {
    "Settings": [
        ["Setting", "Value"],
        ["Match start", "2026-11-01 00:30:00"],
        ["Time zone", ZONE],
    ],
    "Players": [
        ["Player", "Cell", "Rival", "Aliases"],
        ["Ann", "A", "Bob", "annie"],
        ["Bob", "B", "Ann", None],
    ],
    "Rounds": [["Round", "Start"]],
    "Queue": [
        ["Timestamp", "Player", "Action", "Message id", None, "Side"],
        [46327.03125, "Ann", None, None, None, "table"],
        [None, None, None, None, None, "goes"],
        [None, None, None, None, None, "on"],
    ],
    "Submissions": [
        ["Timestamp", "Player", "Message", "Edited", "Message id", "Channel id", "Note"]
    ],
}


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with google() as running:
        yield running


@pytest.fixture(params=["xlsx", "google"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """A way to open the workbook, each time anew."""
    if request.param == "google":
        served: SheetsServer = request.getfixturevalue("server")
        cleared(served)
        key = served.new_spreadsheet("match", CELLS, time_zone=ZONE)
        return lambda: store(served, key, tmp_path)
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.worksheets[0])
    for title, rows in CELLS.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book["Queue"]["A2"].number_format = "yyyy-mm-dd hh:mm:ss"
    path = tmp_path / "match.xlsx"
    book.save(path)
    return lambda: XlsxStore(path)


SENT = [
    "2026-11-01T05:10:00.125Z",
    "2026-11-01T05:30:00.250Z",
    "2026-11-01T06:30:00.250Z",
    "2026-11-01T07:00:00Z",
]
IDS = [c.snowflake(at, number) for number, at in enumerate(SENT)]


EDITED = {"timestampEdited": "2026-11-01T07:00:01.999Z"}


def chat() -> bytes:
    return c.export(
        [
            c.message(IDS[0], PING, at=SENT[0]),
            c.message(IDS[1], "=1+1", at=SENT[1]),
            c.message(IDS[2], "A D", c.BOB, at=SENT[2]),
            c.message(IDS[3], "007 🐷\nx", c.BOB, at=SENT[3], **EDITED),
        ]
    )


def test_the_same_rows_arrive_to_the_millisecond(opened: Callable[[], Store]) -> None:
    report = import_messages(opened(), [read_export(chat(), "a.json")], RAW, NOW)
    assert report.written
    record = read_book(opened().read()).record
    assert [(row.player, row.row, row.time - record.start) for row in record.queue] == [
        ("Ann", 2, 900_000),
        ("Ann", 3, 2_400_125),
    ]
    edited = record.submissions[2].edited
    assert [(row.player, row.message, row.time - record.start) for row in record.submissions] == [
        ("Ann", "=1+1", 3_600_250),
        ("Bob", "A D", 7_200_250),
        ("Bob", "007 🐷\nx", 9_000_000),
    ]
    assert isinstance(edited, int)
    assert edited - record.start == 9_001_999


def test_everything_else_stays_and_ids_keep_their_digits(opened: Callable[[], Store]) -> None:
    before = {tab.title: tab for tab in opened().read().tabs}
    import_messages(opened(), [read_export(chat(), "a.json")], RAW, NOW)
    after = {tab.title: tab for tab in opened().read().tabs}
    assert after["Queue"].rows[2][3:] == [IDS[0], None, "goes"]
    assert [row[4] for row in after["Submissions"].rows[1:]] == IDS[1:]
    assert [row[3] for row in after["Players"].rows[1:]] == ["annie, 11", "22"]
    for title in ("Settings", "Rounds"):
        assert after[title].rows == before[title].rows
    for place in (0, 1, 3):
        assert after["Queue"].rows[place] == before["Queue"].rows[place]


def test_importing_again_and_a_dry_run_write_nothing(opened: Callable[[], Store]) -> None:
    export = read_export(chat(), "a.json")
    untouched = opened().read()
    assert import_messages(opened(), [export], RAW, NOW, dry_run=True).queue
    assert opened().read() == untouched
    import_messages(opened(), [export], RAW, NOW)
    once = opened().read()
    report = import_messages(opened(), [export], RAW, NOW)
    assert (report.written, report.skipped) == (False, {"already in the sheet": 4})
    assert opened().read() == once


def test_an_edit_a_deletion_and_a_new_message_arrive_together(opened: Callable[[], Store]) -> None:
    """Cells of rows that stand there already and new rows are written at once."""
    import_messages(opened(), [read_export(chat(), "a.json")], RAW, NOW)
    at = "2026-11-01T07:10:00Z"
    later = c.export(
        [
            c.message(IDS[0], f"{PING} B E", at=SENT[0], timestampEdited=at),
            c.message(IDS[2], "D E", c.BOB, at=SENT[2], timestampEdited=at),
            c.message(IDS[3], "007 🐷\nx", c.BOB, at=SENT[3], **EDITED),
            c.message(c.snowflake(at), "pass", at=at),
        ],
        exportedAt="2026-11-01T08:00:00+00:00",
    )
    report = import_messages(opened(), [read_export(later, "b.json")], RAW, NOW)
    assert [row.row for row in report.submissions] == [5, 6]
    tab = next(tab for tab in opened().read().tabs if tab.title == "Submissions")
    cells = [[*row, *[None] * (7 - len(row))] for row in tab.rows[1:]]
    assert [(row[2], row[6]) for row in cells] == [
        ("=1+1", GONE),
        ("D E", 'until the import of 2026-11-01 03:00:00 it said "A D"'),
        ("007 🐷\nx", FIRST_SEEN_EDITED),
        (f"{PING} B E", None),
        ("pass", None),
    ]
    record = read_book(opened().read()).record
    assert [row.edited for row in record.submissions[1:4]] == [
        parse_instant(stamp) for stamp in (at, EDITED["timestampEdited"], at)
    ]
    assert [(row.player, row.row) for row in record.queue] == [("Ann", 2), ("Ann", 3)]


def test_an_import_is_one_reading_and_one_writing(server: SheetsServer, tmp_path: Path) -> None:
    """Where new Discord ids go into Players, one more request tidies up after it."""
    cleared(server)
    sheet = store(server, server.new_spreadsheet("match", CELLS, time_zone=ZONE), tmp_path)
    export = read_export(chat(), "a.json")
    import_messages(sheet, [export], RAW, NOW)
    assert [call.method for call in server.requests] == ["POST", "GET", "POST", "POST"]
    cleared(server)
    import_messages(sheet, [export], RAW, NOW)
    assert [call.method for call in server.requests] == ["GET"]
    cleared(server)
    at = "2026-11-01T07:10:00Z"
    more = c.export([c.message(c.snowflake(at), "B E", at=at)])
    import_messages(sheet, [read_export(more, "a.json")], RAW, NOW)
    assert [call.method for call in server.requests] == ["GET", "POST"]
