"""``referee log``: what just happened, stamped with the time it is, and never lost."""

import json
import os
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from referee.desk.logbook import Logbook
from referee.match.faults import Unavailable
from referee.sheets import journal_of
from referee.sheets import open as open_sheet
from referee.stores.journal import Journal, Kept
from referee.workbook.spoken import Spoken
from tests.support.cli import (
    Ran,
    Tabs,
    b0,
    cells_of,
    change_cells,
    clock,
    command,
    environment,
    referee,
    referee_at,
    table,
    write_book,
)

PINGED = "2026-03-02 00:02:30"  # 19:02:30 in New York, in round 1


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    return write_book(tmp_path / "b0.xlsx", b0())


def log(sheet: Path, *words: str, now: str = PINGED) -> Ran:
    return referee_at(now, "log", sheet, *words)


def values(sheet: Path) -> Tabs:
    titles = ("Settings", "Players", "Rounds", "Queue", "Submissions")
    return {title: cells_of(sheet, title) for title in titles}


# --- what is written -----------------------------------------------------------------------------


def test_a_name_alone_is_a_ping_now(sheet: Path) -> None:
    """To the millisecond on the match's wall clock, below what stands there."""
    ran = log(sheet, "ann")
    assert ran == (0, "19:02:30 Ann pings (Queue row 4)\n", "")
    assert table(sheet, "Queue")[-1] == {
        "Timestamp": clock("19:02:30"),
        "Player": "Ann",
        "Action": "join",
        "Ruling": None,
    }
    (row,) = open_sheet(sheet).record().queue[-1:]
    assert row.time == int(datetime(2026, 3, 2, 0, 2, 30, tzinfo=UTC).timestamp() * 1000)


def test_an_action_and_a_message_go_to_their_tabs(sheet: Path) -> None:
    assert log(sheet, "ann", "exit").out == "19:02:30 Ann leaves the room (Queue row 4)\n"
    assert log(sheet, "ann", "A D").out == '19:02:30 Ann says "A D" (Submissions row 3)\n'
    assert table(sheet, "Submissions")[-1]["Message"] == "A D"


def test_round_starts_the_next_rounds_timer(sheet: Path) -> None:
    """Its row has number and start; while a timer runs there is no next round."""
    early = log(sheet, "round")
    assert early.code == 2
    assert "the timer of round 1 runs until 19:10:00" in early.err
    assert "it was 19:02:30" in early.err
    ran = log(sheet, "round", now="2026-03-02 00:10:05")
    assert ran == (0, "19:10:05 round 2 starts (Rounds row 3)\n", "")
    assert table(sheet, "Rounds")[-1] == {
        "Round": 2,
        "Start": clock("19:10:05"),
        "Minutes": None,
    }


def test_a_pause_lengthens_the_round(sheet: Path) -> None:
    ran = log(sheet, "round", "--minutes", "13")
    assert ran == (0, "19:02:30 round 1 lasts 13 minutes (Rounds row 2)\n", "")
    assert table(sheet, "Rounds") == [{"Round": 1, "Start": clock("19:00:00"), "Minutes": 13}]
    assert log(sheet, "--undo").code == 0
    assert table(sheet, "Rounds") == [{"Round": 1, "Start": clock("19:00:00"), "Minutes": None}]


def test_what_is_said_again_to_machines(sheet: Path) -> None:
    told = log(sheet, "ann", "--json").json
    assert told == {
        "format": "referee-log/1",
        "lines": [
            {
                "at": "2026-03-02T00:02:30Z",
                "typed": "ann",
                "means": "Ann pings",
                "where": "Queue row 4",
                "row": 4,
                "undone": False,
                "problem": None,
            }
        ],
    }


def test_another_time_may_be_given(sheet: Path) -> None:
    """A round starts on the minute; a ping has its second (R0.2)."""
    assert log(sheet, "--at", "19:01:59.5", "Bob").out.startswith("19:01:59.500 Bob pings")
    vague = log(sheet, "--at", "19:01", "Bob")
    assert (vague.code, "has no seconds" in vague.err) == (2, True)
    ran = log(sheet, "--at", "19:10", "round", now="2026-03-02 00:30:00")
    assert ran.out == "19:10:00 round 2 starts (Rounds row 3)\n"


def test_a_hint_runs_as_it_stands_when_pasted(sheet: Path) -> None:
    """The command offered logs the line at the time of the mistyped one."""
    ran = log(sheet, "amn", "exit")
    assert ran.code == 2
    offered = ran.err.splitlines()[-1]
    done = subprocess.run(
        ["sh", "-c", offered.replace("referee", '"$REFEREE" -m referee', 1)],
        env=environment(REFEREE=command()[0]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "19:02:30 Ann leaves the room (Queue row 4)\n"


# --- undoing -------------------------------------------------------------------------------------

LINES = [["ann"], ["bob", "A B"], ["cy", "exit"], ["round"], ["round", "--minutes", "20"]]


def test_undoing_goes_back_line_by_line(sheet: Path) -> None:
    """Each undo gives the sheet from before its line; with none left nothing is undone."""
    before = []
    for number, line in enumerate(LINES):
        before.append(values(sheet))
        assert log(sheet, *line, now=f"2026-03-02 00:12:0{number}").code == 0
    for was in reversed(before):
        assert log(sheet, "--undo", now="2026-03-02 00:13:00").code == 0
        assert values(sheet) == was
    last = log(sheet, "--undo", now="2026-03-02 00:13:00")
    assert (last.code, "nothing was logged" in last.err) == (2, True)


def test_a_row_the_host_has_changed_is_not_undone(sheet: Path) -> None:
    """Sorted to another row it is found; with a ruling or another action it is the host's."""
    assert log(sheet, "bob").code == 0
    change_cells(sheet, {"Queue!D4": "void"})
    refused = log(sheet, "--undo")
    assert (refused.code, "was changed since" in refused.err) == (3, True)
    moved = {"A6": clock("19:02:30"), "B6": "Bob", "C6": "join"}
    change_cells(sheet, {f"Queue!{cell}": None for cell in ("A4", "B4", "C4", "D4")})
    change_cells(sheet, {f"Queue!{cell}": value for cell, value in moved.items()})
    assert log(sheet, "--undo").out.startswith("undone (Queue row 6)")
    assert len(table(sheet, "Queue")) == 2


def test_a_row_the_host_has_taken_out_is_not_undone_twice(sheet: Path) -> None:
    log(sheet, "bob")
    change_cells(sheet, {f"Queue!{cell}": None for cell in ("A4", "B4", "C4")})
    assert "the sheet did not hold it" in log(sheet, "--undo").out
    assert log(sheet, "--undo").code == 2


# --- nothing is lost -----------------------------------------------------------------------------


def test_a_file_open_elsewhere_gets_its_lines_later(sheet: Path) -> None:
    """They keep their instants and their order, and are written once."""
    lock = sheet.with_name("~$b0.xlsx")
    lock.touch()
    first = log(sheet, "ann")
    assert first.code == 4
    assert "is open in Excel: save and close it there" in first.err
    assert "kept with its time in b0.xlsx.log; 1 line to be written by the next" in first.err
    assert log(sheet, "bob", now="2026-03-02 00:02:40").code == 4
    checked = referee_at(PINGED, "check", sheet)
    assert 'warning: "bob", logged at 2026-03-01 19:02:40, is not in the sheet yet' in checked.out
    lock.unlink()
    ran = log(sheet, "cy", now="2026-03-02 00:02:50")
    assert ran.out.splitlines() == [
        "19:02:30 Ann pings (Queue row 4), kept from before",
        "19:02:40 Bob pings (Queue row 5), kept from before",
        "19:02:50 Cy pings (Queue row 6)",
    ]
    assert log(sheet).out == "nothing waits to be written\n"
    assert [row["Player"] for row in table(sheet, "Queue")][2:] == ["Ann", "Bob", "Cy"]


def test_rounds_are_not_resolved_without_the_lines_that_wait(sheet: Path) -> None:
    """A ping kept for later would be missing from a published round for ever."""
    sheet.with_name("~$b0.xlsx").touch()
    assert log(sheet, "bob").code == 4
    sheet.with_name("~$b0.xlsx").unlink()
    late = "2026-03-02 00:30:00"
    refused = referee_at(late, "resolve", sheet)
    assert refused.code == 4
    assert '"bob", logged at 2026-03-01 19:02:30, is not in the sheet yet' in refused.err
    assert log(sheet, now=late).code == 0
    assert referee_at(late, "resolve", sheet).code == 0


def test_lines_that_wait_can_be_let_go(sheet: Path) -> None:
    sheet.with_name("~$b0.xlsx").touch()
    assert log(sheet, "bob").code == 4
    assert log(sheet, "--forget").out == "forgotten: bob\n"
    sheet.with_name("~$b0.xlsx").unlink()
    assert log(sheet).out == "nothing waits to be written\n"
    assert len(table(sheet, "Queue")) == 2


def test_a_sheet_with_faults_takes_lines_all_the_same(sheet: Path) -> None:
    """Only what says who plays has to be right; a line is understood once it is."""
    change_cells(sheet, {"Queue!A2": "soon", "Submissions!B2": "Zed"})
    assert log(sheet, "bob").code == 0
    change_cells(sheet, {"Players!A3": None})
    stopped = log(sheet, "cy", now="2026-03-02 00:02:40")
    assert (stopped.code, "kept with its time" in stopped.err) == (3, True)
    change_cells(sheet, {"Players!A3": "Bob"})
    assert log(sheet).out == "19:02:40 Cy pings (Queue row 5), kept from before\n"


def test_a_line_typed_while_nothing_could_be_read_is_asked_about_later(sheet: Path) -> None:
    """It stays until it is clear or let go, and every check names it."""
    book = sheet.read_bytes()
    sheet.write_bytes(b"")
    assert log(sheet, "rob").code == 4
    sheet.write_bytes(book)
    assert 'still kept: rob: "rob" is not in Players' in log(sheet).err
    assert '"rob", logged at' in referee_at(PINGED, "check", sheet).out
    change_cells(sheet, {"Players!E3": "Rob"})
    assert log(sheet).out == "19:02:30 Bob pings (Queue row 4), kept from before\n"


def test_what_cannot_be_kept_is_told_with_its_time(tmp_path: Path) -> None:
    """A file that is not there, no sheet at all, two that may be meant: the time stands in it."""
    ran = referee_at(PINGED, "log", tmp_path / "none.xlsx", "ann")
    assert ran.code == 4
    assert "does not exist" in ran.err
    assert "--at 2026-03-02T00:02:30Z ann" in ran.err
    assert list(tmp_path.iterdir()) == []
    nowhere = referee("log", "ann", cwd=tmp_path)
    assert (nowhere.code, "add --at 20" in nowhere.err) == (2, True)


@pytest.mark.parametrize("words", [["--undo", "ann"], ["ann", "--minutes", "3"], ["--at", "19:01"]])
def test_options_that_do_not_go_together_are_wrong_usage(sheet: Path, words: list[str]) -> None:
    assert log(sheet, *words).code == 2


class Killed(BaseException):
    """The process is gone."""


class Fragile:
    """A store that is cut off around one write: before it, or after it was carried out."""

    def __init__(self, sheet: Path, *, after: bool) -> None:
        self.store = open_sheet(sheet).workbook_store()
        self.name, self.lock, self.read = self.store.name, self.store.lock, self.store.read
        self.after = after

    def edit(self, *what: object) -> list[int]:
        if self.after:
            self.store.edit(*what)  # type: ignore[arg-type]  # passed on as it came
        raise Killed


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("undone", [False, True])
def test_a_process_killed_around_its_write_loses_and_doubles_nothing(
    sheet: Path, *, after: bool, undone: bool
) -> None:
    """Whether it happened is looked up in the sheet before anything is written again."""
    before = values(sheet)
    journal = journal_of(str(sheet))
    store = Fragile(sheet, after=after)
    book = Logbook(journal, lambda: store)  # type: ignore[arg-type, return-value]  # a double
    at = int(datetime(2026, 3, 2, 0, 2, 30, tzinfo=UTC).timestamp() * 1000)
    for number, typed in enumerate(("bob", "bob A B", "round 1 --minutes 12")):
        book.take(typed, at + number * 1000)
    with pytest.raises(Killed):
        book.write()
    fresh = Logbook(journal, open_sheet(sheet).workbook_store)
    if undone:
        while fresh.take_back() is not None:
            pass
    fresh.write()
    assert journal.waiting() == []
    if undone:
        assert values(sheet) == before
    else:
        assert [len(table(sheet, tab)) for tab in ("Queue", "Submissions")] == [3, 2]
        assert table(sheet, "Rounds")[0]["Minutes"] == 12
        while fresh.take_back() is not None:
            fresh.write()
        assert values(sheet) == before


def test_a_journal_torn_in_writing_loses_only_what_was_not_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "b0.xlsx.log")
    journal.add(Kept("a", 1_800_000_000_000, "ann"))
    whole = journal.path.read_bytes()
    for end in range(len(whole)):
        journal.path.write_bytes(whole[:end])
        journal.add(Kept("b", 1_800_000_000_001, "ben", Spoken("queue", "Ben", "join")))
        kept = [line.key for line in journal.lines()]
        assert kept[-1] == "b"
        assert kept[:-1] in ([], ["a"] if end == len(whole) - 1 else [])
    journal.path.write_text('not json\n[]\n{"line": 3}\n{"line": "x", "written": true}\n')
    assert journal.lines() == []


def test_a_journal_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    journal = Journal(tmp_path / "taken" / "b0.log")
    with pytest.raises(Unavailable, match="cannot be kept"):
        journal.add(Kept("a", 1_800_000_000_000, "ann"))


def test_many_processes_at_once_write_each_line_once(sheet: Path) -> None:
    """Whoever comes second waits or leaves its line to the first."""
    names = ["ann", "bob", "cy", "dee", "eve", "flo"]
    runs = [
        subprocess.Popen(
            command("log", sheet, name), env=environment(), stdout=subprocess.DEVNULL, stderr=-1
        )
        for name in names
    ]
    for run in runs:
        _, said = run.communicate(timeout=60)
        assert run.returncode in (0, 4), said
    assert referee("log", sheet).code == 0
    logged = [row["Player"] for row in table(sheet, "Queue")][2:]
    assert sorted(logged) == ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]


def test_the_stamp_is_when_the_command_was_started(sheet: Path) -> None:
    """Loading and reading take their time; the stamp does not wait for them."""
    change_cells(
        sheet, {"Settings!B3": datetime.now(UTC).replace(tzinfo=None) - timedelta(hours=6)}
    )
    begun = time.time()
    told = referee("log", sheet, "ann", "--json").json
    ended = time.time()
    stamp = datetime.fromisoformat(told["lines"][0]["at"]).timestamp()
    assert begun <= stamp <= begun + (ended - begun) / 2


# --- where the journal is ------------------------------------------------------------------------


def test_a_google_sheets_journal_is_this_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for each key, whatever address it is opened by."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    key = "1AbcDefGhiJklMnoPqrStuVwxYz0123456789_-abcde"
    address = f"https://docs.google.com/spreadsheets/d/{key}/edit#gid=0"
    assert journal_of(key).path == journal_of(address).path
    assert journal_of(key).path.name == f"{key}.log"


def test_a_new_workbook_does_not_get_an_old_ones_lines(tmp_path: Path) -> None:
    """What waits for a file of that name stops a new one; what was settled goes."""
    sheet = write_book(tmp_path / "b0.xlsx", b0())
    sheet.with_name("~$b0.xlsx").touch()
    assert log(sheet, "bob").code == 4
    sheet.unlink()
    sheet.with_name("~$b0.xlsx").unlink()
    refused = referee("init", sheet)
    assert (refused.code, "1 line" in refused.err) == (4, True)
    assert log(write_book(sheet, b0()), "--forget").code == 0
    sheet.unlink()
    assert referee("init", sheet).code == 0
    assert not journal_of(str(sheet)).path.exists()


@pytest.mark.skipif(os.name == "nt", reason="only there a journal is readable by its mode")
def test_the_journal_is_for_its_owner_alone(sheet: Path) -> None:
    log(sheet, "bob")
    path = journal_of(str(sheet)).path
    assert path.stat().st_mode & 0o077 == 0
    assert json.loads(path.read_text().splitlines()[0])["typed"] == "bob"
