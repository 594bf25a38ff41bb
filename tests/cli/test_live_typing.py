"""Typing at ``referee live``: stamped when Enter is pressed, shown at once, written beside it."""

import os
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.match.record_json import decode_record
from referee.sheets import journal_of
from referee.sheets import open as open_sheet
from tests.google_sheets import SheetsServer, faults
from tests.support.cli import Tabs, cells_of, change_cells, referee, table, write_book
from tests.support.terminals import BELL, Terminal, terminal

ESCAPE, TAB, F1, CTRL_Z = "\x1b", "\t", "\x1bOP", "\x1a"


def quiet_match(minutes: int = 15) -> dict[str, list[list[Any]]]:
    """A match of three whose pre-game phase is over, without a round listed."""
    start = datetime.now(UTC).replace(tzinfo=None, microsecond=0) - timedelta(minutes=minutes)
    return {
        "Settings": [
            ["Setting", "Value"],
            ["Match name", "Evening"],
            ["Match start", start],
            ["Time zone", "UTC"],
        ],
        "Players": [
            ["Player", "Cell", "Rival", "Garnets", "Aliases"],
            ["Ann", "A", "Ben", 2, "annie"],
            ["Ben", "B", "Cat", 2, None],
            ["Cat", "C", "Ann", 2, None],
        ],
        "Rounds": [["Round", "Start", "Minutes"]],
        "Queue": [["Timestamp", "Player", "Action", "Ruling"]],
        "Submissions": [["Timestamp", "Player", "Message", "Edited", "Ruling"]],
    }


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    return write_book(tmp_path / "now.xlsx", quiet_match())


def rows(sheet: Path, tab: str) -> list[tuple[Any, ...]]:
    """A log's rows without their times: player and action, or message."""
    said = "Action" if tab == "Queue" else "Message"
    # A row that was written before it was undone is left empty.
    return [(row["Player"], row[said]) for row in table(sheet, tab) if any(row.values())]


def leave(opened: Terminal) -> None:
    assert opened.press_ctrl_c() == 0
    assert opened.is_left_clean()


def test_a_first_round_is_typed_without_a_clock_time(sheet: Path) -> None:
    """The console shows what was typed at once; the sheet holds it, in order, by the end."""
    with terminal(80, 24, sheet) as opened:
        opened.wait_for("add round 1 to Rounds")
        opened.press("round\r")
        opened.wait_for("Round 1: timer 9:5")
        opened.press("annie\r")
        opened.wait_for("Dealer Room: Ann for 0:0")
        opened.press("ann a d\r")
        opened.wait_for("so far: swap A–D")
        opened.press("ann exit\rben\r")
        opened.wait_for("Dealer Room: Ben for 0:0")
        opened.press("round --minutes 13\r")
        opened.wait_for("Round 1: timer 12:")
        leave(opened)
    assert rows(sheet, "Queue") == [("Ann", "join"), ("Ann", "exit"), ("Ben", "join")]
    assert rows(sheet, "Submissions") == [("Ann", "a d")]
    assert [(row["Round"], row["Minutes"]) for row in table(sheet, "Rounds")] == [(1, 13)]
    assert opened.sent.count(BELL) == 2


def test_a_bell_rings_at_an_entry_before_its_end_and_at_the_timers_end(tmp_path: Path) -> None:
    """Each once, with a mark that says why; what the console began with rings no bell."""
    match = quiet_match()
    now = datetime.now(UTC).replace(tzinfo=None)
    match["Settings"] += [["Room seconds", 12], ["Round minutes", 1]]
    match["Rounds"].append([1, now - timedelta(seconds=45), None])
    with terminal(80, 24, write_book(tmp_path / "now.xlsx", match)) as opened:
        opened.wait_for("Round 1: timer")
        assert BELL not in opened.sent
        opened.press("cat\r")
        for words in ("Cat enters", "Cat has ten seconds left", "the timer of round 1 is over"):
            opened.wait_for(f"» {words}")
        opened.read(1)
        assert opened.sent.count(BELL) == 3
        leave(opened)


def test_names_are_completed_and_help_is_a_key_away(sheet: Path) -> None:
    with terminal(80, 24, sheet) as opened:
        opened.wait_for("F1 help")
        opened.press(F1)
        opened.wait_for("each stamped when Enter is pressed")
        opened.press("\r")
        opened.wait_for("add round 1 to Rounds")
        opened.press("help\r")
        opened.wait_for("Any key goes back")
        opened.press(ESCAPE)
        opened.wait_for("add round 1 to Rounds")
        opened.press("ca" + TAB)
        opened.wait_for("> Cat")
        opened.press(" wi" + TAB + "\r")
        opened.wait_for("Cat leaves the queue")
        leave(opened)
    assert rows(sheet, "Queue") == [("Cat", "withdraw")]


def test_a_line_that_is_corrected_keeps_the_instant_of_its_first_key_press(sheet: Path) -> None:
    """The prompt shows that instant; Escape lets the line go, and the next has its own."""
    with terminal(80, 24, sheet) as opened:
        opened.wait_for("F1 help")
        pressed = opened.press("bne\r")
        opened.wait_for('? "bne" is not in Players (nearest: Ben')
        opened.wait_for(datetime.fromtimestamp(pressed, UTC).strftime("%H:%M:%S") + " > bne")
        opened.read(1.5)
        opened.press("\x15ben\r")
        opened.wait_for("Ben pings")
        opened.press("zed\r")
        opened.wait_for('? "zed" is not in Players')
        opened.press(ESCAPE)
        opened.wait_for("not logged: zed")
        leave(opened)
    (row,) = open_sheet(sheet).record().queue
    assert 0 <= row.time / 1000 - pressed < 0.5
    assert journal_of(str(sheet)).waiting() == []


# --- forty mistakes ------------------------------------------------------------------------------

Step = str | Callable[[Terminal, Path], None]


def wait(words: str) -> Step:
    return lambda opened, sheet: opened.wait_for(words)


def open_in_excel(opened: Terminal, sheet: Path) -> None:
    sheet.with_name(f"~${sheet.name}").touch()


def close_in_excel(opened: Terminal, sheet: Path) -> None:
    sheet.with_name(f"~${sheet.name}").unlink()


def settle(opened: Terminal, sheet: Path) -> None:
    """Let the writer come to an end."""
    for _ in range(100):
        if not journal_of(str(sheet)).waiting():
            return
        opened.read(0.1)
    raise AssertionError(journal_of(str(sheet)).waiting())


J, X, W, L = "join", "exit", "withdraw", "leave"
MISTAKES: list[tuple[str, list[Step], list[tuple[str, str]]]] = [
    ("an unknown name, corrected", ["bbn\r", "\x15ben\r"], [("Ben", J)]),
    ("a beginning only, corrected", ["an\r", "n\r"], [("Ann", J)]),
    ("a name with blanks around", ["   ben  \r"], [("Ben", J)]),
    ("capitals", ["BEN EXIT\r"], [("Ben", X)]),
    ("an alias", ["annie exit\r"], [("Ann", X)]),
    ("a mention", ["@ben\r"], [("Ben", J)]),
    ("an unknown name, let go", ["zed\r", ESCAPE], []),
    ("the action misspelt, corrected", ["ann exti\r", "\x15ann exit\r"], [("Ann", X)]),
    ("the action misspelt, let go", ["ann exti\r", wait("? "), ESCAPE], []),
    ("the words in the wrong order", ["exit ann\r", "\x15ann exit\r"], [("Ann", X)]),
    ("an empty line", ["\r", "ben\r"], [("Ben", J)]),
    ("blanks only", ["   \r", "ben\r"], [("Ben", J)]),
    ("enter twice", ["ben\r\r"], [("Ben", J)]),
    ("the same ping twice", ["ben\r", "ben\r"], [("Ben", J), ("Ben", J)]),
    ("the wrong player, undone", ["cat\r", "undo\r", "ben\r"], [("Ben", J)]),
    ("the wrong player, undone by key", ["cat\r", CTRL_Z, "ben\r"], [("Ben", J)]),
    ("undone twice", ["ann\r", "cat\r", "undo\r", "undo\r", "ben\r"], [("Ben", J)]),
    ("undone with nothing there", ["undo\r", "ben\r"], [("Ben", J)]),
    ("undone at once", ["cat\rundo\rben\r"], [("Ben", J)]),
    ("undone when it is written", ["cat\r", settle, "undo\r", settle], []),
    ("undone while a line is corrected", ["ann\r", "zed\r", "\x15undo\r"], [("Ann", J)]),
    ("undone while the file is open", [open_in_excel, "cat\r", "undo\r", close_in_excel], []),
    ("a half-typed line", ["ann\r", "be"], [("Ann", J)]),
    ("a half-typed line cleared", ["an", ESCAPE, "ben\r"], [("Ben", J)]),
    ("an arrow key", ["bn\x1b[De\r"], [("Ben", J)]),
    ("a backspace", ["benn\x7f\r"], [("Ben", J)]),
    ("the help key in a name", ["be" + F1 + "n\r"], [("Ben", J)]),
    ("page up and a function key", ["\x1b[5~\x1b[15~ben\r"], [("Ben", J)]),
    ("control keys", ["\x01\x05\x0bben\r"], [("Ben", J)]),
    ("two lines pasted", ["\x1b[200~ann\nben exit\x1b[201~\r"], [("Ann", J), ("Ben", X)]),
    ("a tab too many", ["ben" + TAB + TAB + "\r"], [("Ben", J)]),
    ("a completion taken", ["be" + TAB + "\r"], [("Ben", J)]),
    ("round a second time", ["round\r", "round\r", ESCAPE, "ben\r"], [("Ben", J)]),
    ("the wrong round", ["round 3\r", ESCAPE, "ben\r"], [("Ben", J)]),
    ("minutes without a round", ["round --minutes 13\r", ESCAPE, "ben\r"], [("Ben", J)]),
    ("an entry by hand", ["ann enter\r", ESCAPE, "ben\r"], [("Ben", J)]),
    ("open elsewhere, then closed", [open_in_excel, "ann\r", "ben\r", close_in_excel],
     [("Ann", J), ("Ben", J)]),
    ("leave for exit", ["ann leave\r"], [("Ann", L)]),
]  # fmt: skip


def played(opened: Terminal, sheet: Path, steps: list[Step]) -> None:
    for step in steps:
        if isinstance(step, str):
            opened.press(step)
            opened.read(0.1)
        else:
            step(opened, sheet)


def values(sheet: Path) -> Tabs:
    return {title: cells_of(sheet, title) for title in ("Rounds", "Queue", "Submissions")}


def test_mistakes_at_the_keyboard_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    """Each in a sheet of its own; undoing every line then gives the sheet from before."""
    wrong: list[tuple[str, Any, Any]] = []
    sheet = write_book(tmp_path / "now.xlsx", quiet_match())
    before = values(sheet)
    with terminal(80, 24, sheet) as opened:
        opened.wait_for("F1 help")
        for name, steps, expected in MISTAKES:
            played(opened, sheet, steps)
            if steps[-1] == "be":
                opened.press(ESCAPE)
            settle(opened, sheet)
            if (found := rows(sheet, "Queue")) != expected:
                wrong.append((name, found, expected))
            opened.press(CTRL_Z * 5)
            opened.read(0.2)
            settle(opened, sheet)
            if values(sheet) != before:
                wrong.append((name, values(sheet), before))
        leave(opened)
    assert wrong == []


@pytest.mark.parametrize("how", ["killed", "hung up", "ended"])
def test_a_closed_window_loses_nothing(sheet: Path, how: str) -> None:
    """What was taken and not written, clear or not, is there for the next log."""
    sheet.with_name(f"~${sheet.name}").touch()
    with terminal(80, 24, sheet) as opened:
        opened.wait_for("F1 help")
        opened.press("ann\r")
        opened.wait_for("Ann pings")
        opened.press("bne exit\r")
        opened.wait_for("is not in Players")
        if how == "killed":
            opened.process.kill()
        else:
            sent = signal.SIGHUP if how == "hung up" else signal.SIGTERM
            os.kill(opened.process.pid, sent)
        opened.process.wait(timeout=20)
    sheet.with_name(f"~${sheet.name}").unlink()
    told = referee("log", sheet)
    assert "Ann pings (Queue row 2), kept from before" in told.out
    assert 'still kept: bne exit: "bne" is not in Players' in told.err
    change_cells(sheet, {"Players!E3": "bne"})
    assert "Ben leaves the room (Queue row 3), kept from before" in referee("log", sheet).out
    assert rows(sheet, "Queue") == [("Ann", "join"), ("Ben", "exit")]


def test_stamps_are_those_of_the_key_press_while_google_takes_its_time(tmp_path: Path) -> None:
    """Stamps are within 50 ms (5 s an answer when tried by hand); each line stands there once."""
    slow = 2.5
    with SheetsServer(tls=True) as server:
        key = server.new_spreadsheet("Now", quiet_match(), time_zone="UTC")
        robot = server.service_account_file(tmp_path / "robot.json")
        kept = ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        led = {name: server.environment()[name] for name in kept}
        led["XDG_STATE_HOME"] = str(tmp_path)
        with terminal(80, 24, key, "--credentials", robot, **led) as opened:
            opened.wait_for("F1 help")
            server.faults.plan("write", faults.edit(lambda: time.sleep(slow)), times=None)
            pressed = []
            for line in ("round", "ann", "ann a d", "ben", "ann exit"):
                opened.press(line)
                opened.read(0.3)
                pressed.append(opened.press("\r"))
                opened.read(0.4)
            opened.wait_for("Dealer Room: Ben for")
            assert opened.process.poll() is None
            server.faults.clear()
            leave(opened)
        exported = referee("export", key, "-", "--credentials", robot, env=led)
    record = decode_record(exported.out)
    stamps = [record.rounds[0].start, record.queue[0].time, record.submissions[0].time]
    stamps += [row.time for row in record.queue[1:]]
    late = [stamp / 1000 - instant for stamp, instant in zip(stamps, pressed, strict=True)]  # type: ignore[operator]  # every start is recorded
    assert all(-0.002 <= lateness <= 0.05 for lateness in late), late
    assert [(row.player, row.action) for row in record.queue] == [
        ("Ann", "join"),
        ("Ben", "join"),
        ("Ann", "exit"),
    ]
