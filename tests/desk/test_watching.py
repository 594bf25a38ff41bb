"""``referee watch``: each round as soon as it is over, through whatever passes or is mended."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.desk.watching import Event, Watch
from referee.match.faults import Unavailable, WrongUsage
from referee.sheets import MatchSheet, Read
from referee.sheets import open as open_sheet
from tests.google_sheets import ROBOT, SheetsServer, errors, faults
from tests.support.cli import (
    b0,
    change_cells,
    clock,
    command,
    copied,
    environment,
    referee,
    referee_at,
    table,
    write_book,
)

START = int(datetime(2026, 3, 1, 23, 50, tzinfo=UTC).timestamp()) * 1000
"""When the base game's match starts, 18:50 in New York."""


def at(minute: float) -> int:
    """An instant some minutes after round 1 starts."""
    return START + round((10 + minute) * 60_000)


class Evening(MatchSheet):
    """A sheet watched at a clock that only waiting moves on; things happen to it meanwhile.

    ``reads`` and ``writes`` are when (in minutes of round 1) it was read and written, ``pauses``
    the waits asked for. ``happen`` is called before each reading with the minute.
    """

    def __init__(self, path: Path, minute: float = 0, until: float = 60) -> None:
        super().__init__(open_sheet(path).store)
        self.path = path
        self.time = at(minute)
        self.until = at(until)
        self.reads: list[float] = []
        self.writes: list[float] = []
        self.pauses: list[float] = []
        self.locked = 0
        self.told: list[Event] = []
        self.happen: Callable[[float], None] = lambda minute: None

    @property
    def minute(self) -> float:
        return (self.time - at(0)) / 60_000

    def read(self) -> Read:
        self.reads.append(self.minute)
        self.happen(self.minute)
        return super().read()

    def write(self, tabs: Any) -> None:
        assert self.locked, "published without the lock"
        self.writes.append(self.minute)
        super().write(tabs)

    @contextmanager
    def lock(self) -> Iterator[None]:
        with super().lock():
            self.locked += 1
            try:
                yield
            finally:
                self.locked -= 1

    def sleep(self, seconds: float) -> None:
        assert not self.locked, "asleep with the lock held"
        self.pauses.append(seconds)
        self.time += round(seconds * 1000)
        if self.time >= self.until:
            raise KeyboardInterrupt

    def watch(self, every: float) -> None:
        """Watch until the match is over or the evening is."""
        for event in Watch(self, every, lambda: self.time, self.sleep).events():
            self.told.append(event)

    def events(self, every: float = 15) -> list[tuple[str, str]]:
        """What was told, the evening cut off at its end."""
        self.told = []
        with suppress(KeyboardInterrupt):
            self.watch(every)
        return [(event.kind, event.text) for event in self.told]


def game(folder: Path, *rounds: int, hunger: int = 10, seed: str = "salt", **tabs: Any) -> Path:
    """The base game with these rounds listed, without starts."""
    listed = [[number, None, None] for number in rounds]
    settings = [*b0()["Settings"], ["Starting hunger", hunger], ["Tie-break seed", seed]]
    book = b0(Rounds=[["Round", "Start", "Minutes"], *listed], Settings=settings, **tabs)
    return write_book(folder / "match.xlsx", book)


def list_round(path: Path, number: int, start: str) -> None:
    change_cells(path, {f"Rounds!A{number + 1}": number, f"Rounds!B{number + 1}": clock(start)})


def test_each_round_is_published_a_second_after_its_end_until_the_match_is_over(
    tmp_path: Path,
) -> None:
    """Two looks publish: one to see that there is something to do, one with the lock held."""
    evening = Evening(game(tmp_path, 1, 2, 3, hunger=3), minute=0.5)
    assert evening.events() == [
        ("published", "published round 1"),
        ("published", "published round 2"),
        ("over", "the match is over"),
    ]
    second = 1 / 60
    assert evening.writes == [pytest.approx(10 + second), pytest.approx(20 + second)]
    assert [row["Round"] for row in table(evening.path, "Hunger")] == [1, 2]
    assert max(evening.pauses) <= 15 + 1
    assert len(evening.reads) == len(evening.pauses) + 1 + len(evening.writes)


def test_a_match_that_is_over_ends_the_watch_at_once(tmp_path: Path) -> None:
    evening = Evening(game(tmp_path, 1, hunger=1), minute=30)
    assert [kind for kind, _ in evening.events()] == ["published", "over"]
    again = Evening(evening.path, minute=31)
    assert [kind for kind, _ in again.events()] == ["over"]
    assert (again.writes, again.pauses) == ([], [])


def test_rounds_missed_are_published_together(tmp_path: Path) -> None:
    evening = Evening(game(tmp_path, 1, 2), minute=30, until=31)
    assert evening.events() == [("published", "published rounds 1, 2")]


def test_a_visit_that_is_on_when_the_timer_ends_is_waited_for(tmp_path: Path) -> None:
    """The round officially ends with the visit, 30 seconds after the timer."""
    queue = [["Timestamp", "Player", "Action", "Ruling"], [clock("19:09:30"), "Ann", "join", None]]
    evening = Evening(game(tmp_path, 1, Queue=queue), minute=9, until=12)
    assert evening.events() == [("published", "published round 1")]
    assert evening.writes == [pytest.approx(10.5 + 1 / 60)]


def test_a_round_listed_while_it_is_watched_is_published_in_its_turn(tmp_path: Path) -> None:
    evening = Evening(game(tmp_path, 1), minute=9, until=25)
    pending = [2]

    def happen(minute: float) -> None:
        if minute > 11 and pending:
            list_round(evening.path, pending.pop(), "19:10:30")

    evening.happen = happen
    assert [text for _, text in evening.events()] == ["published round 1", "published round 2"]
    assert evening.writes[1] == pytest.approx(20.5 + 1 / 60)


def test_a_pending_draw_is_waited_for_until_a_seed_is_given(tmp_path: Path) -> None:
    """The match is not over before it is known who is the candidate."""
    evening = Evening(game(tmp_path, 1, hunger=2, seed=""), minute=9, until=15)

    def happen(minute: float) -> None:
        if minute > 12:
            change_cells(evening.path, {"Settings!B6": "salt"})

    evening.happen = happen
    events = evening.events()
    assert events == [
        ("published", "published round 1"),
        ("updated", "wrote notices; no published round changed"),
        ("over", "the match is over"),
    ]
    told = evening.told[0].plan
    assert told is not None
    assert told.result.outcome is not None
    assert told.result.outcome.tied == ("Dee", "Eve", "Flo")


def test_faults_are_told_once_with_their_cells_until_they_are_mended(tmp_path: Path) -> None:
    """Nothing is published meanwhile; mended, the round that waited is."""
    evening = Evening(game(tmp_path, 1), minute=9, until=20)
    good, bad = copied(evening.path, "good.xlsx"), copied(evening.path, "bad.xlsx")
    change_cells(bad, {"Queue!A2": "soon", "Queue!B3": "Zed"})
    evening.path.write_bytes(bad.read_bytes())

    def happen(minute: float) -> None:
        if minute > 12 and not evening.writes:
            evening.path.write_bytes(good.read_bytes())

    evening.happen = happen
    (stopped, words), *rest = evening.events()
    assert stopped == "stopped"
    assert [line.partition(" ")[0] for line in words.split("\n")] == ["Queue!A2:", "Queue!B3:"]
    assert [fault.tab for fault in evening.told[0].faults] == ["Queue", "Queue"]
    assert rest == [("again", "all is well again"), ("published", "published round 1")]
    assert 12 < evening.writes[0] < 12.6


def test_faults_of_the_engine_name_the_hosts_cells(tmp_path: Path) -> None:
    """A message edited after its visit is told while the round runs, and stops it when it ends."""
    said = [
        ["Timestamp", "Player", "Message", "Edited", "Ruling"],
        [clock("19:01:20"), "Ann", "A D", clock("19:05:00"), None],
    ]
    evening = Evening(game(tmp_path, 1, Submissions=said), minute=9, until=13)

    def happen(minute: float) -> None:
        if minute > 11:
            change_cells(evening.path, {"Submissions!E2": "read as A D"})
            evening.happen = lambda minute: None

    evening.happen = happen
    (warned, early), (stopped, words), *rest = evening.events()
    assert (warned, stopped) == ("warned", "stopped")
    assert early.startswith("Submissions!D2: Ann sent this at ")
    assert words == early
    assert rest == [("again", "all is well again"), ("published", "published round 1")]


def test_what_contradicts_a_published_round_is_told_once_and_nothing_written(
    tmp_path: Path,
) -> None:
    """Undone, the watch goes on."""
    evening = Evening(game(tmp_path, 1, 2), minute=9, until=22)

    def happen(minute: float) -> None:
        if 12 < minute < 12.5:
            change_cells(evening.path, {"Submissions!C2": "A B"})
        elif minute > 15:
            change_cells(evening.path, {"Submissions!C2": "A D"})
            evening.happen = lambda minute: None

    evening.happen = happen
    kinds = [kind for kind, _ in evening.events()]
    assert kinds == ["published", "differs", "again", "published"]
    assert "Pen!B3: " in evening.told[1].text
    assert len(evening.writes) == 2


class Failing(Evening):
    """A sheet that cannot be read between two minutes."""

    trouble: Exception = Unavailable("Google's limit of requests a minute is reached (429)")
    fails: tuple[float, float] = (0, 0)

    def read(self) -> Read:
        if self.fails[0] <= self.minute < self.fails[1]:
            self.reads.append(self.minute)
            raise self.trouble
        return super().read()


def test_trouble_is_told_once_and_looked_at_less_and_less(tmp_path: Path) -> None:
    """Waits double up to a minute; the round that ended meanwhile is published as it passes."""
    evening = Failing(game(tmp_path, 1), minute=8, until=16)
    evening.fails = (9, 14)
    assert evening.events() == [
        ("unavailable", "Google's limit of requests a minute is reached (429)"),
        ("again", "all is well again"),
        ("published", "published round 1"),
    ]
    failed = [minute for minute in evening.reads if 9 <= minute < 14]
    assert failed == pytest.approx([9, 9.5, 10.5, 11.5, 12.5, 13.5])
    assert evening.writes == [pytest.approx(14.5)]


def test_days_of_trouble_are_waited_out(tmp_path: Path) -> None:
    evening = Failing(game(tmp_path, 1), minute=8, until=3 * 24 * 60)
    evening.fails = (9, 3 * 24 * 60 - 5)
    assert [kind for kind, _ in evening.events()] == ["unavailable", "again", "published"]


def test_a_sheet_that_is_not_to_be_had_from_the_start_ends_the_watch(tmp_path: Path) -> None:
    """Unless the trouble passes by itself, whoever starts the watch can mend it at once."""
    evening = Evening(tmp_path / "none.xlsx")
    with pytest.raises(Unavailable, match="does not exist"):
        evening.events()
    passing = Failing(game(tmp_path, 1), minute=8, until=12)
    passing.trouble, passing.fails = Unavailable("busy (503)", passes=True), (8, 9)
    assert [kind for kind, _ in passing.events()] == ["unavailable", "again", "published"]


def test_what_is_refused_for_good_twice_in_a_row_ends_the_watch(tmp_path: Path) -> None:
    """C029: no loop around credentials that are no longer valid; once may be a slip."""
    evening = Failing(game(tmp_path, 1), minute=8, until=30)
    evening.trouble = Unavailable("the credentials are no longer valid", passes=False)
    evening.fails = (9, 9.2)
    assert [kind for kind, _ in evening.events()] == ["unavailable", "again", "published"]
    evening = Failing(game(tmp_path, 1), minute=8, until=30)
    evening.trouble = Unavailable("the credentials are no longer valid", passes=False)
    evening.fails = (9, 30)
    with pytest.raises(Unavailable, match="no longer valid"):
        evening.events()
    assert [event.kind for event in evening.told] == ["unavailable"]
    assert len([minute for minute in evening.reads if minute >= 9]) == 2


def test_a_file_that_another_run_holds_is_waited_for(tmp_path: Path) -> None:
    """Reading needs no lock; where publishing finds it taken, the next look tries again."""
    evening = Evening(game(tmp_path, 1), minute=9, until=13)
    other = open_sheet(evening.path).lock()

    def happen(minute: float) -> None:
        if minute < 9.1:
            other.__enter__()
        elif minute > 11:
            other.__exit__(None, None, None)
            evening.happen = lambda minute: None

    evening.happen = happen
    (kind, words), *rest = evening.events()
    assert (kind, words) == (
        "unavailable",
        "another run of the referee is working on match.xlsx; wait until it is done",
    )
    assert rest == [("again", "all is well again"), ("published", "published round 1")]


def test_a_file_that_is_open_in_excel_is_waited_for(tmp_path: Path) -> None:
    evening = Evening(game(tmp_path, 1), minute=9, until=13)
    sign = tmp_path / "~$match.xlsx"
    sign.touch()
    evening.happen = lambda minute: sign.unlink(missing_ok=True) if minute > 11 else None
    (kind, words), *rest = evening.events()
    assert kind == "unavailable"
    assert words.startswith("match.xlsx is open in Excel: save and close it there")
    assert rest == [("again", "all is well again"), ("published", "published round 1")]


def test_what_another_run_published_meanwhile_is_not_published_again(tmp_path: Path) -> None:
    """It looks again with the lock held before it writes."""
    evening = Evening(game(tmp_path, 1), minute=10.5, until=11)

    def happen(minute: float) -> None:
        if len(evening.reads) == 2:
            assert referee_at("2026-03-02 00:11:00", "resolve", evening.path).code == 0

    evening.happen = happen
    # The lock is held by then, so that the other run has to come in between the two.
    evening.lock = _nothing  # type: ignore[method-assign]  # a double stands in for this one call
    assert evening.events() == []
    assert evening.writes == []


def test_a_finished_match_that_differs_ends_the_watch(tmp_path: Path) -> None:
    """Nothing more can happen to it: the difference is told, and the exit code is 1."""
    path = game(tmp_path, 1, hunger=1)
    assert referee_at("2026-12-01T00:00:00Z", "resolve", path).code == 0
    change_cells(path, {"Submissions!C2": "A B"})
    ran = referee_at("2026-12-01T00:00:00Z", "watch", path, "--json")
    told = [json.loads(line)["event"] for line in ran.out.splitlines()]
    assert (ran.code, told) == (1, ["differs"])


@contextmanager
def _nothing() -> Iterator[None]:
    yield


class Disturbed(Evening):
    """A sheet that a host changes just while it is published, as can happen to a Google Sheet."""

    @property
    def notes(self) -> tuple[str, ...]:
        return ("match was changed while the referee was working (Submissions)",)

    def write(self, tabs: Any) -> None:
        super().write(tabs)
        change_cells(self.path, {"Submissions!C2": "A B"})


def test_an_edit_made_while_it_published_is_told_and_looked_at(tmp_path: Path) -> None:
    """Even where the match seemed over: the next look finds what the edit contradicts."""
    evening = Disturbed(game(tmp_path, 1, hunger=1), minute=9, until=12)
    assert [kind for kind, _ in evening.events()] == ["published", "differs"]
    assert evening.told[0].notes == evening.notes
    assert evening.told[0].as_json()["notes"] == list(evening.notes)


def test_wrong_usage_is_not_waited_for(tmp_path: Path) -> None:
    evening = Failing(game(tmp_path, 1))
    evening.trouble, evening.fails = WrongUsage("no such thing"), (0, 9)
    with pytest.raises(WrongUsage):
        evening.events()
    ran = referee("watch", "-")
    assert (ran.code, ran.out) == (2, "")


def test_a_tab_of_the_hosts_in_the_way_is_told_as_a_fault(tmp_path: Path) -> None:
    path = game(tmp_path, 1, pen=[["my notes"]])
    evening = Evening(path, minute=11, until=12)
    ((kind, words),) = evening.events()
    assert kind == "stopped"
    assert "is not the referee's Pen" in words


# --- the command ---------------------------------------------------------------------------------


def soon(folder: Path, *, rounds: int = 1, hunger: int = 10, ago: float = 597.5) -> dict[str, Any]:
    """Tabs of a match whose round 1 began so many seconds ago, so that it ends in a moment."""
    start = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=600 + ago)
    return b0(
        Settings=[
            ["Setting", "Value"],
            ["Match name", "B0"],
            ["Match start", start],
            ["Time zone", "UTC"],
            ["Starting hunger", hunger],
        ],
        Rounds=[["Round", "Start", "Minutes"], *([n, None, None] for n in range(1, rounds + 1))],
        Queue=[["Timestamp", "Player", "Action", "Ruling"]],
        Submissions=[["Timestamp", "Player", "Message", "Edited", "Ruling"]],
    )


class Watching:
    """The program watching a sheet in a process of its own."""

    def __init__(self, *arguments: str | Path, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command("watch", *arguments),
            env={**environment(PYTHONUNBUFFERED="1"), **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def stop(self) -> tuple[int, str, str]:
        """Press Ctrl-C; return the exit code, output and errors."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)


def test_a_file_is_watched_to_the_end_of_the_match(tmp_path: Path) -> None:
    """The round ends while it is watched; what it came to is the result, all else is beside it."""
    sheet = write_book(tmp_path / "match.xlsx", soon(tmp_path, hunger=1))
    change_cells(sheet, {"Settings!A6": "Tie-break seed", "Settings!B6": "salt"})
    code, out, err = Watching(sheet, "--every", "2").end()
    assert code == 0
    lines = out.splitlines()
    assert lines[0].endswith(" match.xlsx: published round 1")
    assert lines[1].startswith("  Round 1: nobody moved; Ann, Bob")
    assert lines[2] == "  pen     A Ann  B Bob  C Cy  D food  E Dee  F Eve  G Flo"
    assert lines[3] == "  hunger  Ann 0  Bob 0  Cy 0  Dee 0  Eve 0  Flo 0"
    assert lines[4].startswith("Starved: Ann, Bob, Cy, Dee, Eve, Flo.")
    assert err.splitlines()[0] == "watching match.xlsx; Ctrl-C ends it"
    assert err.splitlines()[-1].endswith(" match.xlsx: the match is over")
    assert not list(tmp_path.glob("*lock*"))


def test_machines_get_an_object_a_line_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    sheet = write_book(tmp_path / "match.xlsx", soon(tmp_path, ago=700))
    watching = Watching(sheet, "--every", "2", "--json")
    wait_for((tmp_path / "match.xlsx.bak").exists)
    change_cells(sheet, {"Queue!A2": "later", "Queue!B2": "Ann"})
    time.sleep(3)
    code, out, err = watching.stop()
    assert code == 0
    published, stopped = (json.loads(line) for line in out.splitlines())
    assert (published["event"], published["plan"]["new_rounds"]) == ("published", [1])
    assert (stopped["event"], stopped["faults"][0]["tab"]) == ("stopped", "Queue")
    assert "mend this in the sheet:\n  Queue!A2:" in err
    assert err.endswith("stopped watching\n")


@pytest.fixture
def server() -> Iterator[SheetsServer]:
    with SheetsServer(tls=True) as running:
        yield running


def google(
    server: SheetsServer, folder: Path, tabs: dict[str, Any]
) -> tuple[str, list[Any], dict[str, str]]:
    """A sheet's key, the options to sign in, and the environment that leads to the server."""
    key = server.new_spreadsheet("Match", tabs, time_zone="UTC")
    robot = server.service_account_file(folder / "robot.json")
    led = {
        n: server.environment()[n] for n in ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
    }
    return key, ["--credentials", robot, "--every", "2"], led


def test_a_google_sheet_is_watched_through_refusals_and_lost_answers(
    server: SheetsServer, tmp_path: Path
) -> None:
    """Quota, an error page, a broken connection, a write whose answer is lost: one publishing."""
    key, options, led = google(server, tmp_path, soon(tmp_path, ago=602))
    server.faults.plan("read", faults.answer(errors.quota_exceeded("read")))
    server.faults.plan("read", faults.html(502), nth=2)
    server.faults.plan("write", faults.status(503).after_applying())
    server.faults.plan("read", faults.drop(), nth=7)
    watching = Watching(key, *options, env=led)
    wait_for(lambda: server.requests.counts().get("write", 0) > 0)
    reads = server.requests.counts()["read"]
    time.sleep(5)
    counts = server.requests.counts()
    code, out, err = watching.stop()
    assert code == 0, err
    assert out.count("published round 1") == 1
    assert server.cells(key, "Hunger")[1] == [1, 9, 9, 9, 9, 9, 9]
    assert counts["write"] == 1
    assert counts["read"] - reads <= 5
    assert "Traceback" not in err


def test_a_google_sheet_that_is_taken_away_ends_the_watch(
    server: SheetsServer, tmp_path: Path
) -> None:
    """It is told with whom to share it; nothing is asked over and over."""
    key, options, led = google(server, tmp_path, soon(tmp_path, ago=100))
    watching = Watching(key, *options, env=led)
    wait_for(lambda: server.requests.counts().get("read", 0) > 0)
    server.unshare(key)
    code, out, err = watching.end()
    assert (code, out) == (4, "")
    assert err.count(f"share the sheet with {ROBOT}") == 2
    assert server.requests.counts()["read"] <= 4
