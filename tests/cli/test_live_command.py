"""``referee live``: one instant without a terminal, a console that keeps its screen with one."""

import re
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.cli.commands.live import _Frames
from referee.desk.following import Follower, Seen, Waits, look
from referee.match.faults import Fault, Stopped, Unavailable
from referee.sheets import MatchSheet, Read
from tests.google_sheets import SheetsServer, errors, faults
from tests.support.cli import (
    change_cells,
    clock,
    copied,
    referee,
    referee_at,
    with_rows,
    write_book,
)
from tests.support.terminals import ENTER, LEAVE, terminal

STRANGE = (
    "Ann the Magnificent of the Long-Winded House of Names",
    "日本語の名前はとても長いのです",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 Fam \u2764\ufe0f",
    "\u05e9\u05dc\u05d5\u05dd",
    "Eve",
    "Flo",
)


def running_match() -> dict[str, list[list[Any]]]:
    """A match whose round 1 began five minutes ago: everybody waits, and 20 pings add nothing."""
    start = datetime.now(UTC).replace(tzinfo=None, microsecond=0) - timedelta(minutes=15)

    def at(seconds: int) -> datetime:
        return start + timedelta(minutes=10, seconds=seconds)

    pings = [(250, 0), (291, 1), (292, 2), (293, 3), (294, 4), (295, 5), *[(296, 5)] * 20]
    return {
        "Settings": [
            ["Setting", "Value"],
            ["Match name", f"A match with a long name {STRANGE[1]} {STRANGE[0]}"],
            ["Match start", start],
            ["Time zone", "UTC"],
        ],
        "Players": [
            ["Player", "Cell", "Rival", "Garnets"],
            *(
                [name, cell, STRANGE[place - 1], 2]
                for place, (name, cell) in enumerate(zip(STRANGE, "ABCEFG", strict=True))
            ),
        ],
        "Rounds": [["Round", "Start"], [1, at(0)]],
        "Queue": [
            ["Timestamp", "Player", "Action"],
            *([at(second), STRANGE[who], "join"] for second, who in pings),
        ],
        "Submissions": [
            ["Timestamp", "Player", "Message", "Edited"],
            [at(292), STRANGE[1], "hello there, I would like to swap something with something"],
            [at(299), STRANGE[1], "b d"],
        ],
    }


# --- one instant ---------------------------------------------------------------------------------


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """The base game, with Bob's ping while Ann is inside."""
    rows = with_rows("Queue", [clock("19:01:05"), "Bob", "join", None])
    return write_book(tmp_path / "b0.xlsx", rows)


def test_without_a_terminal_one_instant_is_shown(sheet: Path) -> None:
    """By default now, on the match's wall clock; nothing is written, nothing left beside it."""
    before = sheet.read_bytes()
    ran = referee_at("2026-03-02 00:01:30", "live", sheet)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "B0 · 19:01:30 America/New_York",
        "",
        "Round 1: timer 8:30 (until 19:10:00)",
        "",
        "Dealer Room: Ann for 0:30, out in 0:30",
        "  tell them: nobody, they are the first",
        "  so far: swap A–D",
        "  19:01:20 A D → swap A and D",
        "",
        "Queue: 1 waiting",
        "  1. Bob  in 0:30",
    ]
    assert sheet.read_bytes() == before
    assert [file.name for file in sheet.parent.iterdir()] == ["b0.xlsx"]


@pytest.mark.parametrize(
    "time", ["19:01:30", "2026-03-01 19:01:30", "2026-03-02T00:01:30Z", "<t:1772409690:T>"]
)
def test_a_past_instant_is_read_as_the_workbook_would(sheet: Path, time: str) -> None:
    ran = referee_at("2026-07-01 12:00:00", "live", sheet, "--at", time)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "B0 · 19:01:30 America/New_York")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at", "soon"), '--at "soon" is not a time; write it like 2026-11-29 21:05:07'),
        (("--at", "19"), '--at "19" is not a time'),
        (("--every", "1"), "2"),
        (("--speed", "0"), "0.1"),
    ],
)
def test_options_that_make_no_sense_are_wrong_usage(
    sheet: Path, arguments: tuple[str, ...], words: str
) -> None:
    ran = referee_at("2026-07-01 12:00:00", "live", sheet, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_machines_get_one_object_of_the_same_instant(sheet: Path) -> None:
    told = referee_at("2026-03-02 00:01:30", "live", sheet, "--json").json
    assert told["now"] == "2026-03-02T00:01:30Z"
    assert told["inside"]["player"] == "Ann"
    assert told["queue"][0]["enters"] == "2026-03-02T00:02:00Z"


def test_a_record_from_standard_input_is_shown_too(sheet: Path, tmp_path: Path) -> None:
    record = tmp_path / "b0.json"
    assert referee_at("2026-07-01 12:00:00", "export", sheet, record).code == 0
    ran = referee("live", "-", "--at", "19:01:30", stdin=record.read_bytes())
    assert (ran.code, ran.err) == (0, "")
    assert "Dealer Room: Ann for 0:30, out in 0:30" in ran.out


def test_a_fault_of_the_match_is_shown_with_its_cell(tmp_path: Path) -> None:
    """The rest of the console goes on."""
    edited = [clock("19:01:20"), "Ann", "A D", clock("19:05:00"), None]
    sheet = write_book(tmp_path / "b0.xlsx", with_rows("Submissions", edited))
    early, late = (
        referee_at("2026-07-01 12:00:00", "live", sheet, "--at", at)
        for at in ("19:04:59", "19:05:00")
    )
    assert "fault" not in early.out
    assert late.code == 0
    assert "! 1 fault in the sheet:\n  Submissions!D3: Ann sent this at " in late.out


def test_a_sheet_that_cannot_be_read_is_told_as_everywhere(tmp_path: Path) -> None:
    sheet = write_book(tmp_path / "b0.xlsx", with_rows("Queue", ["soon", "Ann", None, None]))
    ran = referee_at("2026-03-02 00:01:30", "live", sheet)
    assert (ran.code, ran.out) == (3, "")
    assert 'Queue!A4: "soon" is not a time' in ran.err
    missing = referee_at("2026-03-02 00:01:30", "live", tmp_path / "none.xlsx")
    assert (missing.code, missing.out) == (4, "")


def test_players_that_cannot_be_right_stop_it(tmp_path: Path, sheet: Path) -> None:
    change_cells(sheet, {"Players!C2": "Ann"})
    ran = referee_at("2026-03-02 00:01:30", "live", sheet)
    assert ran.code == 3
    assert "Players!C2" in ran.err


# --- on a terminal -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10)])
def test_the_console_keeps_its_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    """No line runs over, nothing scrolls or is cleared, the clock goes on, Ctrl-C ends it."""
    with terminal(*size, write_book(tmp_path / "now.xlsx", running_match())) as opened:
        opened.wait_for("notices, the latest first")
        titles = {opened.lines[0]}
        for _ in range(24):
            opened.read(0.1)
            titles.add(opened.lines[0])
        assert opened.lines[1 if size[1] < 24 else 2].startswith("Round 1: timer 4:")
        assert opened.press_ctrl_c() == 0
        assert opened.is_left_clean()
        assert not opened.screen.history.top
        before_end = opened.text.partition(LEAVE)[0].partition(ENTER)[2]
        assert "\x1b[2J" not in before_end
        assert len(titles) >= 3
        assert all(re.search(r" · \d\d:\d\d:\d\d( \S+)?$", title) for title in titles)


def test_a_past_match_runs_as_fast_as_asked(sheet: Path) -> None:
    """A minute in six seconds; the room fills and empties while it runs."""
    with terminal(80, 24, sheet, "--at", "19:00:57", "--speed", "10") as opened:
        opened.wait_for("Dealer Room: empty")
        opened.wait_for("Dealer Room: Ann for 0:1")
        opened.wait_for("so far: swap A–D")
        opened.wait_for("Dealer Room: Bob for 0:")
        assert opened.press_ctrl_c() == 0
        assert opened.is_left_clean()


def test_ending_the_program_leaves_the_terminal_clean_too(sheet: Path) -> None:
    with terminal(80, 24, sheet, "--speed", "1") as opened:
        opened.wait_for("Pre-game")
        opened.process.send_signal(signal.SIGTERM)
        assert opened.end() == 0
        assert opened.is_left_clean()


def test_what_changes_in_the_sheet_arrives_and_faults_come_and_go(tmp_path: Path) -> None:
    """What makes no sense is told with its cell while the clocks go on; mended, it is gone."""
    good = write_book(tmp_path / "good.xlsx", running_match())
    sheet = copied(good, "now.xlsx")
    bad = copied(good, "bad.xlsx")
    change_cells(bad, {"Queue!A2": "soon", "Rounds!B2": "later"})
    bad.replace(sheet)
    with terminal(80, 24, sheet, "--every", "2") as opened:
        opened.wait_for("2 faults in the sheet:")
        opened.wait_for('Queue!A2: "soon" is not a time')
        assert not any("Dealer Room" in line for line in opened.lines)
        copied(good, "next.xlsx").replace(sheet)
        opened.wait_for("Dealer Room")
        assert not any("fault" in line for line in opened.lines)
        bad = copied(good, "bad.xlsx")
        change_cells(bad, {"Queue!B3": "Evee"})
        bad.replace(sheet)
        opened.wait_for("Queue!B3")
        assert any("Dealer Room" in line for line in opened.lines)
        sheet.unlink()
        opened.wait_for("not read for 0:0")
        opened.wait_for("does not exist")
        assert opened.press_ctrl_c() == 0
        assert opened.is_left_clean()


def test_a_google_sheet_is_read_at_most_so_often_and_never_written(tmp_path: Path) -> None:
    """It asks for reading only, and Google's limit of reads a minute is far away."""
    with SheetsServer(tls=True) as server:
        key = server.new_spreadsheet("Now", running_match(), time_zone="UTC")
        robot = server.service_account_file(tmp_path / "robot.json")
        kept = ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        led = {name: server.environment()[name] for name in kept}
        with terminal(80, 24, key, "--credentials", robot, "--every", "2", **led) as opened:
            opened.wait_for("Dealer Room")
            first = server.requests.counts()["read"]
            opened.read(5)
            counts = server.requests.counts()
            assert opened.press_ctrl_c() == 0
        assert 1 <= counts.pop("read") - first <= 3
        assert counts == {"token": 1}
        assert {r.scopes for r in server.requests if r.kind == "read"} == {
            ("https://www.googleapis.com/auth/spreadsheets.readonly",)
        }


# --- reading beside the console ------------------------------------------------------------------


class Sheet(MatchSheet):
    """A sheet whose readings are given."""

    def __init__(self, *readings: Read | Exception) -> None:
        self.readings = list(readings)
        self.reads = 0

    def read(self) -> Read:
        self.reads += 1
        found = self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]
        if isinstance(found, Exception):
            raise found
        return found


def reading(sheet: Path) -> Read:
    from referee.sheets import open as open_sheet

    return open_sheet(sheet).read()


def test_a_look_that_fails_keeps_what_was_seen(sheet: Path) -> None:
    """Trouble keeps the faults too, as they are still all that is known; a reading ends both."""
    good, fault = reading(sheet), Fault("bad-time", "Queue!A2: no time")
    match = Sheet(good, Stopped([fault]), Unavailable("busy\n(429)"), good)
    seen = [look(match, None, lambda: 1.0)]
    for second in (2.0, 3.0, 4.0):
        # The values are known to fit here.
        seen.append(look(match, seen[-1], lambda second=second: second))  # type: ignore[misc]
    assert seen == [
        Seen(good, 1.0),
        Seen(good, 2.0, (fault,)),
        Seen(good, 2.0, (fault,), "busy (429)"),
        Seen(good, 4.0),
    ]


def test_the_sheet_is_read_beside_the_console_and_not_after_it(sheet: Path) -> None:
    match = Sheet(reading(sheet))
    with Follower(match, Seen(None, 0.0), every=0.05) as follower:
        end = time.monotonic() + 10
        while follower.seen.read is None and time.monotonic() < end:
            time.sleep(0.01)
        assert follower.seen.read is match.readings[0]
    time.sleep(0.1)
    reads = match.reads
    time.sleep(0.2)
    assert match.reads == reads


def test_a_mistake_in_reading_is_not_swallowed() -> None:
    with Follower(Sheet(ZeroDivisionError()), Seen(None, 0.0), every=0.01) as follower:
        time.sleep(0.2)
        with pytest.raises(ZeroDivisionError):
            _ = follower.seen


class Given:
    """A follower that has seen what it is given."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen


def test_the_console_says_when_it_may_be_behind(sheet: Path) -> None:
    """A reading that is overdue is told with what it waits for, one that failed with the reason."""
    good = reading(sheet)
    now = time.monotonic()
    waits = Waits(print)
    waits.is_kept = True
    follower = Given(Seen(good, now - 8))
    # A sample or double is looser than the type, on purpose.
    frames = _Frames("b0.xlsx", follower, 5, waits)  # type: ignore[arg-type]
    assert frames.frame().trouble == "the sheet was last read 0:08 ago; still trying"
    waits("limit reached (429); trying again in 2 s")
    assert frames.frame().trouble == "not read for 0:08: limit reached (429); trying again in 2 s"
    follower.seen = Seen(good, now - 6)
    assert frames.frame().trouble == ""
    follower.seen = Seen(good, now - 75, (), "unavailable (503)")
    assert frames.frame().trouble == "not read for 1:15: unavailable (503)"


def test_what_is_waited_for_goes_to_the_screen_once_there_is_one() -> None:
    """Before, it is told as everywhere; nothing may be written over the console."""
    told: list[str] = []
    waits = Waits(told.append)
    waits("one")
    waits.is_kept = True
    waits("two")
    assert (told, waits.latest) == (["one"], "two")


def test_a_google_sheet_in_trouble_is_told_on_the_screen_and_nowhere_else(tmp_path: Path) -> None:
    with SheetsServer(tls=True) as server:
        key = server.new_spreadsheet("Now", running_match(), time_zone="UTC")
        robot = server.service_account_file(tmp_path / "robot.json")
        kept = ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        led = {name: server.environment()[name] for name in kept}
        with terminal(80, 24, key, "--credentials", robot, "--every", "2", **led) as opened:
            opened.wait_for("Dealer Room")
            server.faults.plan("read", faults.answer(errors.quota_exceeded("read")), times=None)
            opened.wait_for("limit of requests a minute is reached (429)")
            assert any("Dealer Room: " in line for line in opened.lines)
            server.faults.clear()
            end = time.monotonic() + 20
            while any("not read" in line for line in opened.lines) and time.monotonic() < end:
                opened.read(0.2)
            assert not any("429" in line for line in opened.lines)
            assert opened.press_ctrl_c() == 0
            assert opened.is_left_clean()
            assert not opened.screen.history.top


def test_the_last_sheet_that_made_sense_is_shown_with_the_faults_of_the_latest(
    sheet: Path, tmp_path: Path
) -> None:
    good = reading(sheet)
    listed_wrong = with_rows("Rounds", [3, None, None])
    fault = Fault("bad-time", "Queue!A2: no time")
    follower = Given(Seen(None, 0.0, (fault,)))
    # A sample or double is looser than the type, on purpose.
    frames = _Frames("b0.xlsx", follower, every=5, waits=Waits(print))  # type: ignore[arg-type]
    assert (frames.frame().state, frames.frame().faults) == (None, (fault,))
    follower.seen = Seen(good, 0.0)
    first = frames.frame()
    assert first.state is not None
    assert first.faults == ()
    follower.seen = Seen(good, 0.0, (fault,))
    assert frames.frame().faults == (fault,)
    assert frames.frame().state is not None
    with pytest.raises(Stopped):
        reading(write_book(tmp_path / "wrong.xlsx", listed_wrong))
