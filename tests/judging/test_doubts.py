"""Doubt stays where it is seen: what a resolving doubts is told, and found by every later check."""

import re
from pathlib import Path

import pytest

from tests.support.cli import (
    Cells,
    Ran,
    Tabs,
    b0,
    cells_of,
    change_cells,
    clock,
    referee_at,
    table,
    with_rows,
    write_book,
)

NOW = "2026-12-01T00:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.xlsx"


def test_c080_rows_that_wait_are_counted_and_named(path: Path) -> None:
    """A day late, mistyped by an hour or too early for its round: each by its cell, every time."""
    tabs = with_rows(
        "Submissions",
        [clock("20:01:20"), "Bob", "B D", None, None],
        [clock("19:01:20", "2026-03-02"), "Bob", "E D", None, None],
        [clock("19:30:20"), "Bob", "hello", None, None],
    )
    tabs["Queue"].append([clock("20:01:00"), "Bob", "join", None])
    write_book(path, tabs)
    said = (
        "warning: 3 rows wait for round 2, which is not listed (R3.2): Queue!A4, Submissions!A3, "
        "Submissions!A4; if that is not meant, correct the time"
    )
    resolved = referee_at(NOW, "resolve", path)
    assert (resolved.code, said in resolved.err) == (0, True), resolved
    for _ in range(2):
        checked = referee_at(NOW, "check", path)
        assert (checked.code, said in checked.out) == (0, True), checked
        assert "can be resolved\n" not in checked.out
    live = referee_at(NOW, "live", path).out
    assert "3 rows in no listed round: Queue!A4, Submissions!A3, Submissions!A4" in live
    waiting = referee_at(NOW, "resolve", path, "--json").json["waiting"]
    assert waiting[0] == {"tab": "Queue", "row": 4}
    assert referee_at(NOW, "live", path, "--json").json["waiting"] == waiting


def test_no_row_waits_once_the_match_is_over(path: Path) -> None:
    tabs = with_rows("Queue", [clock("20:01:00"), "Bob", "join", None])
    tabs["Settings"].append(["Starting hunger", 2])
    tabs["Settings"].append(["Tie-break seed", "salt"])
    write_book(path, tabs)
    assert "wait" not in referee_at(NOW, "check", path).out


def rows_of_another_zone() -> Tabs:
    """The base game's rows, and two more, five hours early: typed in UTC."""
    tabs = b0()
    for tab in ("Queue", "Submissions"):
        tabs[tab].append([*tabs[tab][1][:1], "Bob", *tabs[tab][1][2:]])
        for row in tabs[tab][1:]:
            row[0] = row[0].replace(hour=14)
    return tabs


def test_a_sheet_in_the_wrong_zone_is_not_published(path: Path) -> None:
    """Five rows and none in a round that is over: a zone or a calendar, never chance."""
    write_book(path, rows_of_another_zone())
    for command in ("resolve", "check"):
        ran = referee_at(NOW, command, path)
        assert ran.code == 3, ran
        assert (
            "Queue!A2: none of the 5 rows in Queue and Submissions lies in a round that is over, "
            "this one at 2026-03-01 14:01:00, rounds from 2026-03-01 19:00:00 to 2026-03-01 "
            "19:10:00 in America/New_York; correct the Time zone or the dates"
        ) in ran.err + ran.out
    assert "Pen" not in titles(path)
    change_cells(path, {f"Queue!D{row}": "void" for row in (2, 3, 4)})
    assert referee_at(NOW, "resolve", path).code == 0


def test_four_rows_in_no_round_may_be_chance(path: Path) -> None:
    tabs = rows_of_another_zone()
    tabs["Queue"].pop()
    write_book(path, tabs)
    assert referee_at(NOW, "resolve", path).code == 0


def test_rows_in_the_round_that_runs_are_where_they_should_be(path: Path) -> None:
    """Nobody came in round 1, and round 2 is under way as it is published."""
    tabs = rows_of_another_zone()
    for tab in ("Queue", "Submissions"):
        for row in tabs[tab][1:]:
            row[0] = row[0].replace(hour=19, minute=11)
    tabs["Rounds"].append([2, clock("19:10:30"), None])
    write_book(path, tabs)
    assert "published round 1" in referee_at("2026-03-02T00:12:00Z", "resolve", path).out


def titles(path: Path) -> list[str]:
    import openpyxl

    book = openpyxl.load_workbook(path)
    book.close()
    return list(book.sheetnames)


def test_the_second_days_times_without_a_date(path: Path) -> None:
    """They fall into the first day's rounds; no reopening is offered, their cells are named."""
    tabs = with_rows("Queue", ["19:02:00", "Bob", "join", None])
    late = [clock("19:09:00"), "Cy", "join", None]
    tabs["Queue"].insert(3, late)
    write_book(path, {**tabs, "Queue": tabs["Queue"][:-1]})
    assert referee_at(NOW, "resolve", path).code == 0
    change_cells(path, {"Queue!A5": "19:02:00", "Queue!B5": "Bob", "Queue!C5": "join"})
    said = (
        "warning: Queue!A5: no date stands there, so the match's day is taken (2026-03-01), whose "
        "rounds are published; if this is of another day, write its date too"
    )
    before = cells_of(path, "Visits")
    ran = referee_at(NOW, "resolve", path)
    assert (ran.code, said in ran.err, "--reopen" in ran.err) == (1, True, False), ran
    checked = referee_at(NOW, "check", path)
    assert said in checked.out
    assert "published, and not what the sheet gives now: " in checked.out
    assert cells_of(path, "Visits") == before
    change_cells(path, {"Queue!A5": clock("19:02:00", "2026-03-02"), "Queue!B5": "Bob"})
    ran = referee_at(NOW, "resolve", path)
    assert (ran.code, "Queue!A5" in ran.err) == (0, True), ran


def test_a_second_days_round_without_a_date(path: Path) -> None:
    tabs = b0(Rounds=[["Round", "Start"], [1, "19:00:00"], [2, "18:55:00"]])
    write_book(path, tabs)
    ran = referee_at(NOW, "resolve", path)
    assert ran.code == 3
    assert "Rounds!B3: " in ran.err
    assert "it has no date: if it is of another day, write that too" in ran.err


def test_an_edit_of_a_published_row_is_offered_to_be_reopened(path: Path) -> None:
    """With its date written there is nothing else to say of it."""
    write_book(path, b0())
    assert referee_at(NOW, "resolve", path).code == 0
    change_cells(path, {"Submissions!C2": "A B"})
    ran = referee_at(NOW, "resolve", path)
    assert (ran.code, "--reopen 1" in ran.err) == (1, True)
    assert "published, and not what the sheet gives now" in referee_at(NOW, "check", path).out


def faulty(path: Path) -> Ran:
    tabs = b0()
    tabs["Submissions"][1][3] = clock("19:05:00")
    write_book(path, tabs)
    return referee_at(NOW, "resolve", path)


def test_a_fault_of_the_engine_is_told_on_the_matchs_own_clock(path: Path) -> None:
    """A host who sees 19:01 in the sheet does not look for 00:01Z."""
    ran = faulty(path)
    assert ran.code == 3
    assert "2026-03-01 19:01:20" in ran.err
    assert "2026-03-01 19:05:00" in ran.err
    assert not re.search(r"[0-9]Z", ran.err)
    rounds: Cells = [["Round", "Start"], [1, clock("19:00:00")], [2, clock("19:05:00")]]
    write_book(path, b0(Rounds=rounds))
    ran = referee_at(NOW, "resolve", path)
    assert "2026-03-01 19:05:00" in ran.err
    assert "2026-03-01 19:10:00" in ran.err
    assert not re.search(r"[0-9]Z", ran.err)
    assert table(path, "Rounds")[0]["Round"] == 1


def test_a_pass_in_no_visit_is_told(path: Path) -> None:
    """The rules pass over it; mistyped by an hour it would have taken a swap back."""
    write_book(path, with_rows("Submissions", [clock("19:05:20"), "Ann", "pass", None, None]))
    said = "warning: Submissions!A3: a pass outside every visit takes nothing back (R5.1)"
    assert said in referee_at(NOW, "resolve", path).err
    assert said in referee_at(NOW, "check", path).out


def test_notices_name_the_cell_at_fault(path: Path) -> None:
    """An empty message is the message's fault, an exit that matches nothing its time's."""
    tabs = with_rows("Queue", [clock("19:05:00"), "Bob", "exit", None])
    tabs["Submissions"].append([clock("19:01:22"), "Ann", None, None, None])
    tabs["Submissions"].append([clock("19:01:24"), "Ann", "A G", None, None])
    tabs["Submissions"].append([clock("19:01:26"), "Ann", "A D", None, "void"])
    write_book(path, tabs)
    out = referee_at(NOW, "check", path).out
    for cell in ("Queue!A4", "Submissions!C3", "Submissions!C4", "Submissions!E5"):
        assert f": {cell}: " in out
