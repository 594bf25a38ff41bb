"""Imports by the command line into real files: what arrives, what stays, and what is said."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table

from referee.chat.amending import GONE
from referee.stores.contract import CellEdit
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import Value, Written
from referee.workbook.reading import read_book
from tests.support import chat_exports as c
from tests.support import xlsx_samples as x

PING = f"<@&{c.ROLE}>"
ROLE = ("--dealer-role", c.ROLE)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """A match of four players, by name and id, in a new workbook of the template's."""
    path = tmp_path / "match.xlsx"
    store = XlsxStore(path)
    store.create()
    lines: list[list[Written]] = [
        ["Ann", "A", "Bob", 3, None, "11"],
        ["Bob", "B", "Cy", 3, None, "22"],
        ["Cy", "C", "Dee", 3],
        ["Dee", "E", "Ann", 3],
    ]
    edits = [
        CellEdit("Players", row, column, value)
        for row, line in enumerate(lines, 2)
        for column, value in enumerate(line, 1)
    ]
    start = [(3, "2026-03-01 18:50:00"), (4, "America/New_York")]
    store.edit([*edits, *(CellEdit("Settings", row, 2, value) for row, value in start)])
    (tmp_path / "match.xlsx.bak").unlink(missing_ok=True)
    return path


def chat(sheet: Path, name: str, *messages: dict[str, Any], **more: Any) -> str:
    (sheet.parent / name).write_bytes(c.export(messages, **more))
    return name


def run(sheet: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", "import", *arguments],
        cwd=sheet.parent,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def done(sheet: Path, *arguments: str) -> str:
    found = run(sheet, sheet.name, *arguments)
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout


def rows(sheet: Path, tab: str) -> list[list[Value]]:
    return next(t for t in XlsxStore(sheet).read().tabs if t.title == tab).rows[1:]


def test_messages_arrive_as_the_engine_needs_them_and_only_their_tabs_change(sheet: Path) -> None:
    before = x.unzipped(sheet)
    name = chat(
        sheet,
        "ann.json",
        c.message(1, PING, at="2026-03-01T19:01:00.250-05:00"),
        c.message(2, "A D", timestampEdited="2026-03-02T00:01:25.0078-00:00"),
        c.message(3, "=cell", c.BOB),
    )
    assert done(sheet, name, *ROLE).splitlines() == [
        "match.xlsx: added 1 ping to the queue and 2 messages to the submissions"
    ]
    after = x.unzipped(sheet)
    assert after.keys() == before.keys()
    changed = {part for part in after if after[part] != before[part]}
    assert changed == {"xl/worksheets/sheet4.xml", "xl/worksheets/sheet5.xml"}
    record = read_book(XlsxStore(sheet).read()).record
    (join,), (first, second) = record.queue, record.submissions
    assert (join.time - record.start, join.player, join.action) == (660_250, "Ann", "join")
    assert (first.message, first.edited, second.message) == ("A D", record.start + 685_008, "=cell")
    book = openpyxl.load_workbook(sheet)
    assert book["Queue"]["A2"].number_format == "yyyy-mm-dd hh:mm:ss"
    assert (book["Queue"]["F2"].value, book["Queue"]["F2"].data_type) == ("1", "s")
    assert book["Submissions"]["C3"].data_type == "s"


def test_importing_again_writes_nothing_at_all(sheet: Path) -> None:
    first = chat(sheet, "a.json", c.message(1, PING), c.message(2, "A D"))
    third = c.message(3, "pass", c.user(33, "cy"))
    second = chat(sheet, "b.json", c.message(2, "A D"), third, channel={"id": "9", "name": "b"})
    assert "added the id 33" in done(sheet, first, second, *ROLE)
    data, written = sheet.read_bytes(), sheet.stat().st_mtime_ns
    for names in ([first], [second, first], [second]):
        assert "nothing new" in done(sheet, *names, *ROLE)
    assert (sheet.read_bytes(), sheet.stat().st_mtime_ns) == (data, written)


def test_a_dry_run_shows_every_row_and_writes_nothing(sheet: Path) -> None:
    name = chat(sheet, "a.json", c.message(1, PING), c.message(2, "A D", c.user(33, "Cy")))
    before = sheet.read_bytes()
    assert done(sheet, name, *ROLE, "--dry-run").splitlines() == [
        "match.xlsx: would add 1 ping to the queue and 1 message to the submissions",
        f'  Queue row 2: 2026-03-01 19:01:20 Ann "{PING}"',
        '  Submissions row 2: 2026-03-01 19:01:20 Cy "A D"',
        '  would add the id 33 of "Cy" to the aliases of Cy',
    ]
    assert sheet.read_bytes() == before
    assert sorted(path.name for path in sheet.parent.iterdir()) == ["a.json", "match.xlsx"]


def test_rows_of_a_tab_with_styles_tables_and_far_formats_go_under_its_last_used_row(
    sheet: Path,
) -> None:
    """C044, C052: a bold cell far below is no row, a side table is no part of the queue."""
    book = openpyxl.load_workbook(sheet)
    queue = book["Queue"]
    for row, values in enumerate(
        [("2026-03-01 19:00:10", "Bob"), ("2026-03-01 19:00:20", "Cy")], 2
    ):
        for column, value in enumerate(values, 1):
            queue.cell(row, column, value)
    queue["A5000"].font = queue["A1048576"].font = Font(bold=True)
    for row in range(1, 9):
        queue.cell(row, 10, f"side {row}")
    queue.add_table(Table(displayName="Side", ref="J1:J8"))
    book.save(sheet)
    name = chat(sheet, "a.json", c.message(1, PING))
    done(sheet, name, *ROLE)
    after = openpyxl.load_workbook(sheet)["Queue"]
    assert [after.cell(4, column).value for column in (2, 3, 6, 10)] == [
        "Ann",
        "join",
        "1",
        "side 4",
    ]
    assert after["A5000"].font.b
    assert after.tables["Side"].ref == "J1:J8"
    assert len(after.data_validations.dataValidation) == len(queue.data_validations.dataValidation)


def test_one_cell_that_cannot_be_set_keeps_everything_out(sheet: Path) -> None:
    book = openpyxl.load_workbook(sheet)
    book["Players"]["F4"] = '="cyril"'
    book.save(sheet)
    parts = x.unzipped(sheet)
    place = "xl/worksheets/sheet2.xml"
    formula = re.compile(rb'<c r="F4"([^>]*)><f>"cyril"</f><v ?/></c>')
    stored = rb'<c r="F4"\1 t="str"><f>"cyril"</f><v>cyril</v></c>'
    parts[place], count = formula.subn(stored, parts[place])
    assert count == 1
    sheet.write_bytes(x.zipped(parts))
    before = sheet.read_bytes()
    name = chat(sheet, "a.json", c.message(1, PING), c.message(2, "A D", c.user(33, "Cyril")))
    found = run(sheet, sheet.name, name, *ROLE)
    assert found.returncode == 3
    assert "Players!F4 holds a formula; clear the cell" in found.stderr
    assert sheet.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("A D\x0b", "A D "),
        ("A D \ud83d", "A D \ufffd"),
        ("A D\ufffe", "A D\ufffd"),
        ("\x00", "\ufffd"),
        ("_x0041_ \r\n <&>", "_x0041_ \n <&>"),
    ],
)
def test_no_message_can_break_the_workbook(sheet: Path, text: str, kept: str) -> None:
    """C065."""
    name = chat(sheet, "a.json", c.message(1, text))
    found = run(sheet, sheet.name, name)
    assert found.returncode == 0
    assert ("message 1 (Ann) holds U+" in found.stderr) == ("\r" not in text)
    assert rows(sheet, "Submissions")[0][2] == kept
    assert openpyxl.load_workbook(sheet)["Submissions"]["B2"].value == "Ann"
    assert "nothing new" in run(sheet, sheet.name, name).stdout


def test_faults_of_exports_are_listed_together_and_nothing_is_written(sheet: Path) -> None:
    before = sheet.read_bytes()
    strange = chat(sheet, "a.json", c.message(1, "A D", c.user(99, "Zed")), c.message(2, "A D"))
    found = run(sheet, sheet.name, strange)
    assert (found.returncode, found.stdout) == (3, "")
    assert "Mend this first; nothing was written" in found.stderr
    assert 'a.json message 1: "Zed" (id 99) is not in Players' in found.stderr
    bad = c.message(5, "x", at="2026-03-01T19:01:20")
    chats = [chat(sheet, name, bad) for name in ("b.json", "c.json")]
    found = run(sheet, sheet.name, *chats, "--json")
    assert found.returncode == 3
    assert [fault["text"][:16] for fault in json.loads(found.stdout)["faults"]] == [
        "b.json message 5",
        "c.json message 5",
    ]
    assert sheet.read_bytes() == before


def test_what_a_host_should_look_at_is_told_beside_the_result(sheet: Path) -> None:
    name = chat(sheet, "a.json", c.message(1, "@Dealer in"), c.message(2, "A D"), c.message(3, "b"))
    found = run(sheet, sheet.name, name)
    assert found.returncode == 0
    assert '  a.json message 1 (Ann), "@Dealer in": plain @Dealer may be typed text' in found.stderr
    now = c.message(2, "B D", timestampEdited="2026-03-01T19:02:20-05:00")
    name = chat(sheet, "a.json", c.message(1, "@Dealer in"), now, c.message(4, "x", type="Call"))
    found = run(sheet, sheet.name, name, "--plain-mentions")
    assert found.stdout.splitlines() == [
        "match.xlsx: added 1 ping to the queue and 0 messages to the submissions",
        "  left out: 1 message already in the sheet",
        "  left out: 1 message by Discord itself (Call)",
    ]
    assert found.stderr.splitlines()[1:] == [
        "Edited since; the row takes the new text, its note keeps the earlier one:",
        '  Submissions row 3 (Ann), message 2 was edited: "A D" there, "B D" now',
        "Not in their channel any more: deleted? They count until a ruling says void:",
        "  Submissions row 4 (Ann), message 3: not in a.json",
    ]
    assert [row[-1] for row in rows(sheet, "Submissions")][2] == GONE
    assert rows(sheet, "Submissions")[1][2] == "B D"
    assert str(rows(sheet, "Submissions")[1][-1]).endswith('it said "A D"')


def test_json_says_the_same_and_nothing_else_on_standard_output(sheet: Path) -> None:
    name = chat(sheet, "a.json", c.message(1, PING), c.message(2, "hi", c.user(9, "b", bot=True)))
    report = json.loads(done(sheet, name, *ROLE, "--json"))
    assert report["written"] is True
    assert [row["player"] for row in report["queue"]] == ["Ann"]
    assert report["skipped"] == {"by bots and webhooks": 1}


def test_the_sheet_may_come_from_the_environment(sheet: Path) -> None:
    name = chat(sheet, "a.json", c.message(1, "A D"))
    found = run(sheet, name, REFEREE_SHEET=sheet.name)
    assert (found.returncode, found.stderr) == (0, "")
    assert len(rows(sheet, "Submissions")) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match.xlsx"], "name SHEET and CHAT"),
        (["match.xlsx", "none.json"], "none.json is not there"),
        (["-", "none.json"], "this needs a workbook"),
        (["match.json", "none.json"], "match.json is not there"),
        (["match.xlsx", "none.json", "--dealer-user", "Dealer"], "--dealer-user Dealer: give"),
        (["match.xlsx", "none.json", "--ignore", "@zed"], "--ignore @zed: give a Discord id"),
    ],
)
def test_a_wrong_call_is_told_with_its_own_code(
    sheet: Path, arguments: list[str], words: str
) -> None:
    found = run(sheet, *arguments)
    assert found.returncode == 2
    assert words in found.stderr


def test_from_two_channels_and_a_later_export_to_a_record(sheet: Path) -> None:
    """Edits, deletions, repeats, bots, replies, new nicknames and mentions, in three imports."""
    annie = c.user(11, "ann", "Annie")
    cy = c.user(33, "cy", "Cyrus")
    bot = c.user(7, "Dealer", bot=True)
    ann = [
        c.message(10, PING, annie, at="2026-03-01T19:01:00-05:00"),
        c.message(11, "Ann is in", bot, at="2026-03-01T19:01:01-05:00"),
        c.message(12, "A D", annie, at="2026-03-01T19:01:20-05:00"),
        c.message(13, "oops", annie, at="2026-03-01T19:01:22-05:00"),
        c.message(14, "thanks", annie, at="2026-03-01T19:02:22-05:00", type="Reply"),
    ]
    cys = [
        c.message(20, f"{PING} swap D and E", cy, at="2026-03-01T19:03:00-05:00"),
        c.message(21, "Cy pinned a message.", cy, type="ChannelPinnedMessage"),
    ]
    cys_channel = {"channel": {"id": "9", "name": "cy"}}
    done(sheet, chat(sheet, "ann.json", *ann), chat(sheet, "cy.json", *cys, **cys_channel), *ROLE)
    lex = c.user(11, "lex", "Bob")
    later = [
        {**m, "author": lex if m["author"] is annie else m["author"]}
        for m in ann
        if m["id"] != "13"
    ]
    later.append(c.message(30, f"{PING}", lex, at="2026-03-01T19:11:00-05:00"))
    at = {"exportedAt": "2026-03-02T13:00:00+00:00"}
    found = run(sheet, sheet.name, chat(sheet, "again.json", *later, **at), "ann.json", *ROLE)
    assert "added 1 ping" in found.stdout
    assert found.stderr.splitlines()[1:] == [
        "  Submissions row 3 (Ann), message 13: not in again.json"
    ]
    record = read_book(XlsxStore(sheet).read()).record
    assert [(row.player, row.time - record.start) for row in record.queue] == [
        ("Ann", 660_000),
        ("Cy", 780_000),
        ("Ann", 1_260_000),
    ]
    assert [(row.player, row.message) for row in record.submissions] == [
        ("Ann", "A D"),
        ("Ann", "oops"),
        ("Ann", "thanks"),
        ("Cy", f"{PING} swap D and E"),
    ]
