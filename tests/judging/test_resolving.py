"""Resolving publishes what is over by the clock, and lets what is published stand.

The program runs on real workbooks here, at a stopped clock. B0's round 1 lasts from 19:00 to 19:10
in New York, which is 00:10 UTC of the next day.
"""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import openpyxl
import pytest
from hypothesis import given
from msgspec import UNSET
from msgspec.structs import replace

from referee.judging.auditing import audit
from referee.judging.resolving import plan
from referee.match.record import Record
from referee.match.record_json import decode_record
from tests.support.cli import (
    B0_HUNGER,
    B0_PEN,
    Tabs,
    b0,
    cells_of,
    change_cells,
    clock,
    copied,
    referee_at,
    table,
    with_rows,
    write_book,
)
from tests.support.strategies import Match, numbered, play, sound_matches

OWNED = ("Pen", "Hunger", "Garnets", "Visits", "Result", "Notices", "Receipts")
MUCH_LATER = "2026-03-09T00:00:00Z"


def at(text: str) -> str:
    """A time of day of the evening in New York, as the clock in UTC."""
    hour, rest = text.split(":", 1)
    return f"2026-03-02T{int(hour) - 19:02}:{rest}Z"


def evening(rounds: int = 3) -> Tabs:
    """B0 with rounds that follow one another, and a swap of Bob's in round 2."""
    tabs = with_rows("Queue", [clock("19:11:00"), "Bob", "join", None])
    tabs["Submissions"].append([clock("19:11:30"), "Bob", "B E", None, None])
    tabs["Rounds"] = [
        ["Round", "Start", "Minutes"],
        *([n, None, None] for n in range(1, rounds + 1)),
    ]
    return tabs


def published_rounds(path: Path) -> list[int]:
    """The rounds that have a receipt."""
    if "Receipts" not in openpyxl.load_workbook(path).sheetnames:
        return []
    return [row["Round"] for row in table(path, "Receipts") if not row["Superseded"]]


def chain_of(path: Path) -> list[list[Any]]:
    """The receipts without the columns that are not in the chain."""
    return [row[:16] for row in cells_of(path, "Receipts")]


def delete_rows(path: Path, tab: str, first: int, count: int = 1) -> None:
    book = openpyxl.load_workbook(path)
    book[tab].delete_rows(first, count)
    book.save(path)


def insert_row(path: Path, tab: str, before: int) -> None:
    book = openpyxl.load_workbook(path)
    book[tab].insert_rows(before)
    book.save(path)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return write_book(tmp_path / "match.xlsx", evening())


def test_a_round_is_published_from_its_official_end_on(tmp_path: Path) -> None:
    """A millisecond before it there is nothing to publish; at it the round stands, and right."""
    path = write_book(tmp_path / "match.xlsx", b0())
    before = path.read_bytes()
    early = referee_at(at("19:09:59.999"), "resolve", path)
    assert (early.code, early.err) == (0, "")
    assert "nothing new to publish" in early.out
    assert "Round 1 runs until 2026-03-01 19:10:00." in early.out
    assert path.read_bytes() == before
    due = referee_at(at("19:10:00"), "resolve", path)
    assert (due.code, due.err) == (0, "")
    assert "match.xlsx: published round 1" in due.out
    assert table(path, "Pen")[-1] == {"Round": 1, **B0_PEN}
    assert table(path, "Hunger") == [{"Round": 1, **B0_HUNGER}]


def test_a_rounds_new_notices_are_told(tmp_path: Path) -> None:
    """With their cells, once; a tab nobody opens tells nobody."""
    rows = [[clock(f"19:02:0{n}"), "Ann", "C D", None, None] for n in range(2)]
    rows.append([clock("19:01:10"), "Ann", None, None, None])
    tabs = with_rows("Submissions", *rows)
    path = write_book(tmp_path / "match.xlsx", tabs)
    out = referee_at(at("19:10:00"), "resolve", path).out
    lines = [line.strip() for line in out.splitlines() if "warning: " in line]
    assert [line.partition(": ")[2].partition(": ")[0] for line in lines] == [
        "Submissions!C5",
        "Submissions!A3",
        "Submissions!A4",
    ]
    again = referee_at(at("19:10:00"), "resolve", path)
    assert "warning" not in again.out
    checked = referee_at(at("19:10:00"), "check", path).out
    assert all(line in checked for line in lines)


def test_a_visit_past_the_timer_is_waited_for(tmp_path: Path) -> None:
    """Whoever is inside as the timer ends finishes; the round is over with that visit."""
    tabs = with_rows("Queue", [clock("19:09:30"), "Bob", "join", None])
    path = write_book(tmp_path / "match.xlsx", tabs)
    assert "nothing new" in referee_at(at("19:10:29.999"), "resolve", path).out
    assert "published round 1" in referee_at(at("19:10:30"), "resolve", path).out
    assert table(path, "Visits")[-1]["Left"] == "2026-03-01 19:10:30"


def test_every_round_that_is_over_is_published_at_once(book: Path) -> None:
    """A host who comes late gets all rounds that are over, and no other."""
    ran = referee_at(at("19:29:59"), "resolve", book)
    assert "published round 1" in ran.out
    assert "published round 2" in ran.out
    assert "published round 3" not in ran.out
    assert published_rounds(book) == [1, 2]
    assert "Round 3 runs until 2026-03-01 19:30:00." in ran.out


def test_nothing_new_writes_nothing(book: Path) -> None:
    """A second run leaves the file as it is, to the byte and the time of its change."""
    referee_at(at("19:21:00"), "resolve", book)
    before, changed = book.read_bytes(), book.stat().st_mtime_ns
    ran = referee_at(at("19:29:00"), "resolve", book)
    assert (ran.code, ran.err) == (0, "")
    assert "nothing new to publish" in ran.out
    assert (book.read_bytes(), book.stat().st_mtime_ns) == (before, changed)


def test_new_rounds_keep_the_receipts_of_the_old(book: Path) -> None:
    """A receipt keeps its time; the next is chained to it."""
    referee_at(at("19:10:05"), "resolve", book)
    first = chain_of(book)
    referee_at(at("19:20:05"), "resolve", book)
    second = chain_of(book)
    assert second[:2] == first
    assert [row[1] for row in second[1:]] == ["2026-03-02T00:10:05Z", "2026-03-02T00:20:05Z"]
    assert referee_at(MUCH_LATER, "audit", book).code == 0


@pytest.mark.parametrize("tab", ["Queue", "Submissions"])
def test_a_row_moved_down_only_refreshes_the_notices(book: Path, tab: str) -> None:
    """Blank rows change no result; what is said of rows by number is brought up to date."""
    change_cells(book, {"Queue!A4": clock("19:01:20"), "Submissions!A3": clock("19:18:00")})
    change_cells(book, {"Queue!A5": clock("19:02:00"), "Queue!B5": "Cy", "Queue!C5": "withdraw"})
    change_cells(book, {"Submissions!C3": "C F"})
    referee_at(at("19:21:00"), "resolve", book)
    rows = [(row["Tab"], row["Row"]) for row in table(book, "Notices")]
    assert {name for name, _ in rows} == {"Queue", "Submissions"}
    receipts = chain_of(book)
    insert_row(book, tab, 2)
    audited = referee_at(MUCH_LATER, "audit", book)
    assert audited.code == 0
    assert "  moved: Notices!" in audited.out
    ran = referee_at(at("19:22:00"), "resolve", book)
    assert ran.code == 0
    assert "wrote notices; no published round changed" in ran.out
    moved = [(name, row + (name == tab)) for name, row in rows]
    assert [(row["Tab"], row["Row"]) for row in table(book, "Notices")] == moved
    assert chain_of(book) == receipts
    assert referee_at(MUCH_LATER, "audit", book).code == 0


def test_a_hidden_edit_in_the_running_round_stops_no_earlier_one(book: Path) -> None:
    """It is told while its round runs; once that is over it stops the run, nothing written."""
    change_cells(book, {"Submissions!D3": clock("19:13:00")})
    ran = referee_at(at("19:19:00"), "resolve", book)
    assert ran.code == 0
    assert "published round 1" in ran.out
    assert "note: this will stop a round that still runs: Submissions!D3: " in ran.err
    before = book.read_bytes()
    over = referee_at(at("19:20:00"), "resolve", book)
    assert (over.code, over.out) == (3, "")
    assert "Submissions!D3: " in over.err
    assert "read as A D" in over.err
    assert book.read_bytes() == before
    change_cells(book, {"Submissions!E3": "read as B E"})
    ruled = referee_at(at("19:20:00"), "resolve", book)
    assert (ruled.code, ruled.err) == (0, "")
    assert published_rounds(book) == [1, 2]


def test_a_start_before_the_timer_stops_once_the_round_is_over(book: Path) -> None:
    """Round 1 stands; round 2's clocks cannot be right, so it is told, then stops the run."""
    change_cells(book, {"Rounds!B4": clock("19:15:00")})
    ran = referee_at(at("19:19:59"), "resolve", book)
    assert ran.code == 0
    assert "published round 1" in ran.out
    assert "Rounds!B4: " in ran.err
    over = referee_at(at("19:20:00"), "resolve", book)
    assert (over.code, over.out) == (3, "")
    assert "Rounds!B4: round 3 starts at " in over.err
    assert published_rounds(book) == [1]
    early = referee_at(at("19:12:00"), "resolve", "--early", book)
    assert early.code == 3


def test_a_stop_lists_the_faults_of_later_rounds_too(book: Path) -> None:
    """All faults of one run are told together, whichever round they belong to."""
    change_cells(
        book,
        {
            "Submissions!D2": clock("19:05:00"),
            "Submissions!D3": clock("19:19:00"),
            "Rounds!A5": "4th",
        },
    )
    assert "Rounds!A5" in referee_at(at("19:11:00"), "resolve", book).err
    change_cells(book, {"Rounds!A5": None})
    ran = referee_at(at("19:11:00"), "resolve", book)
    assert ran.code == 3
    assert "Mend these 2 first" in ran.err
    assert "Submissions!D2: " in ran.err
    assert "Submissions!D3: " in ran.err


def test_a_ruling_in_the_running_round_contradicts_nothing(book: Path) -> None:
    """An allowed row of round 2, whose start follows from round 1's end, is not round 1's."""
    referee_at(at("19:10:05"), "resolve", book)
    change_cells(book, {"Submissions!A3": clock("19:13:00"), "Submissions!E3": "allow"})
    assert referee_at(MUCH_LATER, "audit", book).code == 0
    ran = referee_at(at("19:20:00"), "resolve", book)
    assert (ran.code, ran.err) == (0, "")
    assert table(book, "Visits")[-1]["Swap"] == "BE"
    rulings = [row["Text"] for row in table(book, "Notices") if row["Code"] == "host-ruling"]
    assert rulings == ['the host ruled: "allow"']


def test_an_allowed_row_after_the_last_round_is_told_with_it(tmp_path: Path) -> None:
    """Allowed late for round 1, before round 2 is listed: the decision shows in its notices."""
    tabs = b0()
    tabs["Submissions"][1] = [clock("19:12:00"), "Ann", "A D", None, "allow"]
    path = write_book(tmp_path / "match.xlsx", tabs)
    referee_at(at("19:13:00"), "resolve", path)
    assert table(path, "Hunger")[-1] == {"Round": 1, **B0_HUNGER}
    assert [row["Code"] for row in table(path, "Notices")] == ["host-ruling"]
    assert referee_at(MUCH_LATER, "audit", path).code == 0


def draw_book(path: Path) -> Path:
    """A match that ends in round 1 with two pigs starved and nothing to tell them apart."""
    return write_book(
        path,
        {
            "Settings": [
                ["Setting", "Value"],
                ["Match start", clock("18:50:00")],
                ["Time zone", "America/New_York"],
                ["Starting hunger", 1],
                ["Tie-break seed", None],
            ],
            "Players": [["Player", "Cell", "Rival"], ["Ann", "A", "Ben"], ["Ben", "G", "Ann"]],
            "Rounds": [["Round"], [1]],
            "Queue": [["Timestamp", "Player", "Action"]],
            "Submissions": [["Timestamp", "Player", "Message"]],
        },
    )


def test_a_seed_completes_a_pending_draw(tmp_path: Path) -> None:
    """The draw waits for a seed; once it is there, resolving finishes without reopening."""
    path = draw_book(tmp_path / "draw.xlsx")
    pending = referee_at(MUCH_LATER, "resolve", path)
    assert pending.code == 0
    assert "The draw between Ann, Ben is pending" in pending.out
    assert table(path, "Result")[0] == {"Item": "Status", "Value": "draw pending"}
    assert referee_at(MUCH_LATER, "audit", path).code == 0
    assert "nothing new" in referee_at(MUCH_LATER, "resolve", path).out
    change_cells(path, {"Settings!B5": "beans"})
    done = referee_at(MUCH_LATER, "resolve", path)
    assert (done.code, done.err) == (0, "")
    found = {row["Item"]: row["Value"] for row in table(path, "Result")}
    assert (found["Status"], found["Decided by"]) == ("over", "draw")
    assert {found["Elimination Candidate"], found["Winners"]} == {"Ann", "Ben"}
    assert referee_at(MUCH_LATER, "audit", path).code == 0
    change_cells(path, {"Settings!B5": "other beans"})
    assert referee_at(MUCH_LATER, "resolve", path).code == 1


def test_a_changed_old_row_is_shown_and_not_published(book: Path) -> None:
    """Exit code 1, the difference on standard error, the file untouched; --reopen accepts it."""
    referee_at(at("19:21:00"), "resolve", book)
    change_cells(book, {"Submissions!C2": "A C"})
    before = book.read_bytes()
    refused = referee_at(at("19:31:00"), "resolve", book)
    assert (refused.code, refused.out) == (1, "")
    assert "input: Pen!B3: round 1, Pen, A: food → Cy (R6.1)" in refused.err
    assert "input: Submissions row 2: a row is not as when round 1 was resolved" in refused.err
    assert "referee resolve --reopen 1" in refused.err
    assert book.read_bytes() == before
    later = referee_at(at("19:31:00"), "resolve", "--reopen", "2", book)
    assert later.code == 1
    assert book.read_bytes() == before
    tried = referee_at(at("19:31:00"), "resolve", "--reopen", "1", "--dry-run", book)
    assert tried.code == 0
    assert "reopened: Pen!B3" in tried.out
    assert "would publish round 3" in tried.out
    assert book.read_bytes() == before
    accepted = referee_at(at("19:31:00"), "resolve", "--reopen", "1", book)
    assert accepted.code == 0
    assert "reopened: Pen!B3" in accepted.out
    assert table(book, "Pen")[1]["A"] == "Cy"
    assert published_rounds(book) == [1, 2, 3]
    assert referee_at(MUCH_LATER, "audit", book).code == 0
    assert "nothing new" in referee_at(at("19:32:00"), "resolve", book).out


def test_a_later_round_is_reopened_alone(book: Path) -> None:
    """--reopen 2 accepts a change of round 2 and keeps round 1's receipt."""
    referee_at(at("19:21:00"), "resolve", book)
    first = chain_of(book)[1]
    change_cells(book, {"Submissions!C3": "F G"})
    assert referee_at(at("19:22:00"), "resolve", book).code == 1
    assert referee_at(at("19:22:00"), "resolve", "--reopen", "2", book).code == 0
    assert chain_of(book)[1] == first
    assert referee_at(MUCH_LATER, "audit", book).code == 0


@pytest.mark.parametrize("tab", OWNED)
def test_a_changed_published_cell_is_an_output_and_stops(book: Path, tab: str) -> None:
    """Somebody's change of an owned tab is told as such; reopening puts the tab right.

    Notices alone are not kept: they are brought up to date.
    """
    change_cells(book, {"Submissions!A2": clock("19:05:00")})
    referee_at(at("19:21:00"), "resolve", book)
    right = {title: cells_of(book, title) for title in OWNED}
    change_cells(book, {f"{tab}!B2": "changed"})
    ran = referee_at(at("19:22:00"), "resolve", book)
    if tab == "Notices":
        assert ran.code == 0
    else:
        assert (ran.code, ran.out) == (1, "")
        assert f"  output: {tab}!" in ran.err
        assert referee_at(at("19:22:00"), "resolve", "--reopen", "1", book).code == 0
    found = {title: cells_of(book, title) for title in OWNED}
    if tab == "Receipts":  # nobody can know what stood there
        assert found.pop("Receipts")[1][1] != right.pop("Receipts")[1][1]
    assert found == right


@pytest.mark.parametrize("tab", OWNED)
def test_a_removed_owned_tab_is_added_again_where_the_receipts_hold(book: Path, tab: str) -> None:
    """Without the receipts nobody can know what stood there; a round has to be reopened then."""
    referee_at(at("19:21:00"), "resolve", book)
    right = {title: cells_of(book, title) for title in OWNED}
    opened = openpyxl.load_workbook(book)
    del opened[tab]
    opened.save(book)
    ran = referee_at(at("19:22:00"), "resolve", book)
    if tab == "Receipts":
        assert ran.code == 1
        assert referee_at(at("19:22:00"), "resolve", "--reopen", "1", book).code == 0
    else:
        assert ran.code == 0, ran
        assert f"note: the tab {tab} had been deleted: added again, as the receipts hold" in ran.err
        assert {title: cells_of(book, title) for title in OWNED} == right
    assert referee_at(MUCH_LATER, "audit", book).code == 0


def test_a_removed_tab_beside_a_changed_one_is_not_added_again(book: Path) -> None:
    referee_at(at("19:21:00"), "resolve", book)
    opened = openpyxl.load_workbook(book)
    del opened["Pen"]
    opened["Hunger"]["B3"] = 1
    opened.save(book)
    assert referee_at(at("19:22:00"), "resolve", book).code == 1


def test_all_owned_tabs_removed_are_told(book: Path) -> None:
    """Nothing says then what stood there; the host hears where to look."""
    referee_at(at("19:21:00"), "resolve", book)
    opened = openpyxl.load_workbook(book)
    for tab in OWNED:
        del opened[tab]
    opened.save(book)
    ran = referee_at(at("19:22:00"), "resolve", book)
    assert ran.code == 0
    assert "note: none of the referee's own tabs is there" in ran.err


@pytest.mark.parametrize("command", ["check", "deal", "resolve"])
def test_a_copy_of_last_seasons_workbook_is_told(book: Path, command: str) -> None:
    """Its tabs name players of whom none plays now: every command says the same, and what to do."""
    referee_at(at("19:21:00"), "resolve", book)
    names = dict(zip(("Ann", "Bob", "Cy", "Dee", "Eve", "Flo"), "UVWXYZ", strict=True))
    opened = openpyxl.load_workbook(book)
    for tab in ("Players", "Queue", "Submissions"):
        for row in opened[tab].iter_rows():
            for cell in row:
                if cell.value in names:
                    cell.value = names[str(cell.value)]
    opened.save(book)
    ran = referee_at(at("19:22:00"), command, book)
    told = ran.out + ran.err
    assert ran.code == 3, told
    assert 'of another match: none of its players ("Ann", "Bob", "Cy", "Dee", "Eve", "Flo")' in told
    assert "delete these tabs (Pen, Hunger, Garnets, Visits, Result, Notices, Receipts)" in told
    for tab in OWNED:
        del opened[tab]
    opened.save(book)
    assert referee_at(at("19:22:00"), command, book).code == 0


def test_published_rounds_taken_out_of_rounds_are_missed(book: Path) -> None:
    """A published round stays published though its row is deleted, until it is reopened."""
    referee_at(at("19:31:00"), "resolve", book)
    delete_rows(book, "Rounds", 4)
    ran = referee_at(at("19:32:00"), "resolve", book)
    assert (ran.code, ran.out) == (1, "")
    assert "input: Pen!A5" in ran.err
    assert "--reopen 3" in ran.err
    assert published_rounds(book) == [1, 2, 3]
    assert referee_at(at("19:32:00"), "resolve", "--reopen", "3", book).code == 0
    assert published_rounds(book) == [1, 2]
    delete_rows(book, "Rounds", 2, 2)
    assert referee_at(at("19:32:00"), "resolve", book).code == 1
    assert referee_at(at("19:32:00"), "resolve", "--reopen", "1", book).code == 0
    assert published_rounds(book) == []
    assert [row["Round"] for row in table(book, "Pen")] == [0]
    assert referee_at(MUCH_LATER, "audit", book).code == 0


def test_up_to_a_round(book: Path) -> None:
    """--round N publishes no later round, and says so where N is not over yet."""
    ran = referee_at(at("19:31:00"), "resolve", "--round", "2", book)
    assert ran.code == 0
    assert published_rounds(book) == [1, 2]
    again = referee_at(at("19:31:00"), "resolve", "--round", "1", book)
    assert again.code == 0
    assert published_rounds(book) == [1, 2]
    soon = referee_at(at("19:29:00"), "resolve", "--round", "3", book)
    assert (soon.code, soon.out) == (2, "")
    assert "round 3 is not over yet (it ends at 2026-03-01 19:30:00)" in soon.err
    early = referee_at(at("19:29:00"), "resolve", "--round", "3", "--early", book)
    assert early.code == 0
    assert published_rounds(book) == [1, 2, 3]


def test_a_round_published_early_is_held_to_it(book: Path) -> None:
    """What the players were shown early stands, also against rows that came in time."""
    assert referee_at(at("19:12:00"), "resolve", "--early", "--round", "2", book).code == 0
    assert "nothing new" in referee_at(at("19:12:30"), "resolve", book).out
    change_cells(book, {"Queue!A5": clock("19:14:00"), "Queue!B5": "Cy", "Queue!C5": "join"})
    assert referee_at(at("19:21:00"), "resolve", book).code == 1
    assert referee_at(at("19:21:00"), "resolve", "--reopen", "2", book).code == 0


def test_a_dry_run_writes_nothing(book: Path) -> None:
    """It shows what would be published and leaves the folder as it was."""
    before = book.read_bytes()
    ran = referee_at(at("19:21:00"), "resolve", "--dry-run", book)
    assert (ran.code, ran.err.count("\n")) == (0, 1)  # that no tab is there yet
    assert "would publish round 1" in ran.out
    assert "would publish round 2" in ran.out
    told = referee_at(at("19:21:00"), "resolve", "--dry-run", "--json", book).json
    assert (told["written"], told["changes"], told["new_rounds"]) == (False, True, [1, 2])
    assert book.read_bytes() == before
    assert [place.name for place in book.parent.iterdir()] == [book.name]
    for_real = referee_at(at("19:21:00"), "resolve", "--json", book).json
    assert for_real == {**told, "written": True}


def test_json_tells_what_was_published_and_what_differs(book: Path) -> None:
    """One object: rounds, differences and the whole result; errors beside it."""
    told = referee_at(at("19:11:00"), "resolve", "--json", book)
    assert told.code == 0
    assert (told.json["published"], told.json["differences"]) == (1, [])
    assert told.json["result"]["format"] == "referee-result/1"
    assert told.json["result"]["rounds"][0]["pen"] == B0_PEN
    change_cells(book, {"Queue!D2": "void"})
    differs = referee_at(at("19:11:00"), "resolve", "--json", book)
    assert differs.code == 1
    assert (differs.json["written"], differs.json["published"]) == (False, 1)
    assert {d["kind"] for d in differs.json["differences"]} == {"input"}
    assert "--reopen 1" in differs.err


def test_a_match_that_is_over_takes_no_more_rounds(tmp_path: Path) -> None:
    """Rounds listed after the end are not played, whichever round is asked for."""
    tabs = evening(6)
    tabs["Settings"] += [["Starting hunger", 3], ["Tie-break seed", "beans"]]
    path = write_book(tmp_path / "match.xlsx", tabs)
    ran = referee_at(MUCH_LATER, "resolve", "--round", "6", path)
    assert ran.code == 0
    assert published_rounds(path) == [1, 2]
    assert "Elimination Candidate" in ran.out
    assert "nothing new" in referee_at(MUCH_LATER, "resolve", path).out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--round", "0"], "--round 0: round must be 1..3, one that is listed in Rounds"),
        (["--round", "-1"], "--round -1: round must be 1..3, one that is listed in Rounds"),
        (["--round", "4"], "--round 4: round must be 1..3, one that is listed in Rounds"),
        (["--reopen", "1"], "--reopen 1: no round is published yet"),
        (["--round", "x"], "--round: write a whole number"),
        (["--nonsense"], "there is no option --nonsense"),
    ],
)
def test_wrong_usage_says_what_there_is(book: Path, options: list[str], said: str) -> None:
    """Exit code 2, the reason on standard error, nothing written."""
    before = book.read_bytes()
    ran = referee_at(MUCH_LATER, "resolve", *options, book)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert book.read_bytes() == before


def test_the_clock_is_read_once_and_only_by_resolving(book: Path) -> None:
    """Audit, check and export say the same at any time."""
    referee_at(at("19:21:00"), "resolve", book)
    for arguments in (["audit"], ["check"], ["check", "--round", "1"]):
        said: set[Any] = {
            referee_at(now, *arguments, book) for now in ("2020-01-01T00:00:00Z", MUCH_LATER)
        }
        assert len(said) == 1, arguments


def test_a_match_record_is_resolved_like_a_workbook(book: Path) -> None:
    """What a record carries as published is what the workbook would hold."""
    record = book.with_suffix(".json")
    assert referee_at(MUCH_LATER, "export", book, record).code == 0
    other = copied(book, "other.xlsx")
    assert referee_at(at("19:21:00"), "resolve", record).code == 0
    assert referee_at(at("19:21:00"), "resolve", other).code == 0
    assert referee_at(MUCH_LATER, "audit", record).code == 0
    exported = book.with_name("again.json")
    referee_at(MUCH_LATER, "export", other, exported)
    first, second = (json.loads(path.read_text("utf-8")) for path in (record, exported))
    receipts = [found["published"].pop("Receipts") for found in (first, second)]
    assert first == second
    # Only the salt is another one, and what is chained to it.
    one, two = ([row[:5] + row[6:14] for row in rows] for rows in receipts)
    assert one == two


Published = dict[str, list[list[Any]]]


def resolved(record: Record, published: Published, now: int) -> Published:
    """What stands published after a resolving, which nothing contradicts.

    Matches drawn at random may have all their rows outside of rounds; here that is no mistake.
    """
    with mock.patch("referee.judging.waiting.MISPLACED", 2**53):
        planned = plan(replace(record, published=published or None), {}, now)
    assert planned.differences == ()
    return {tab.title: tab.rows for tab in planned.tabs} or published


def moments(match: Match) -> list[int]:
    """Instants just before, at and after every official end of a match."""
    ends = [round_.official_end for round_ in play(match).rounds]
    return sorted({end + step for end in ends for step in (-1, 0, 1, 5000)})


def without_times(published: Published) -> Published:
    receipts = [[row[0], *row[2:5], *row[6:14]] for row in published.get("Receipts", [])]
    return {**published, "Receipts": receipts}


@given(sound_matches())
def test_resolving_step_by_step_comes_to_the_same_as_once(match: Match) -> None:
    """However often the host resolves, nothing contradicts and every audit is clean."""
    record = decode_record(json.dumps(numbered(match)))
    steps = moments(match)
    published: Published = {}
    for now in steps:
        published = resolved(record, published, now)
        assert audit(record, published).differences == ()
    at_once = resolved(record, {}, steps[-1]) if steps else {}
    assert without_times(published) == without_times(at_once)


@given(sound_matches(edits=False, ruled=False))
def test_an_evening_logged_as_it_happens_contradicts_nothing(match: Match) -> None:
    """Rows and rounds come into the sheet in their time; what was published stays right."""
    whole = decode_record(json.dumps(numbered(match)))
    begins = {round_.number: round_.start for round_ in play(match).rounds}
    published: Published = {}
    for now in moments(match):

        def so_far(rows: Any, now: int = now) -> Any:
            return tuple(row for row in rows if row.time <= now)

        listed = [
            row
            for row in whole.rounds
            if begins.get(row.number, now + 1) <= now
            or (row.start is not UNSET and row.start <= now)
        ]
        record = replace(
            whole,
            rounds=tuple(listed),
            queue=so_far(whole.queue),
            submissions=so_far(whole.submissions),
            adjustments=so_far(whole.adjustments),
        )
        published = resolved(record, published, now)
        assert audit(record, published).differences == ()
