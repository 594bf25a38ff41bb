"""init, deal, fill, resolve, audit: the whole way through real files, as a host goes it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.support.cli import (
    B0_HUNGER,
    B0_PEN,
    change_cells,
    clock,
    copied,
    referee,
    referee_at,
    table,
)

NOW = "2026-12-01T00:00:00Z"
OWNED = ("Pen", "Hunger", "Garnets", "Visits", "Result", "Notices", "Receipts")


def at(place: str, time: str) -> dict[str, Any]:
    """A time cell of the evening of 1 March 2024."""
    return {place: clock(time, "2024-03-01")}


def filled(path: Path) -> Path:
    """A workbook from the template with B0 typed into it, in the past by any clock."""
    assert referee_at(NOW, "init", path).code == 0
    players = ("Ann", "Bob", "Cy", "Dee", "Eve", "Flo")
    cells: dict[str, Any] = {
        "Settings!B2": "B0",
        "Settings!B4": "America/New_York",
        "Rounds!A2": 1,
        "Rounds!A3": 2,
        "Queue!B2": "Ann",
        "Queue!C2": "join",
        "Queue!B3": "ann ",
        "Queue!C3": "Exit",
        "Queue!B4": "Bob",
        "Queue!C4": "join",
        "Submissions!B2": "Ann",
        "Submissions!C2": "A D",
        "Submissions!B3": "Dee",
        "Submissions!C3": "E G",
        "Adjustments!B2": "Cy",
        "Adjustments!C2": -1,
        "Adjustments!D2": "trade",
        **at("Settings!B3", "18:50:00"),
        **at("Queue!A2", "19:01:00"),
        **at("Queue!A3", "19:01:40"),
        **at("Queue!A4", "19:19:30"),
        **at("Submissions!A2", "19:01:20"),
        **at("Submissions!A3", "19:05:00"),
        **at("Adjustments!A2", "19:06:00"),
    }
    for row, (name, cell) in enumerate(zip(players, "ABCEFG", strict=True), 2):
        rival = players[(row - 1) % 6]
        cells |= {
            f"Players!{c}{row}": v for c, v in zip("ABCD", (name, cell, rival, 3), strict=True)
        }
    change_cells(path, cells)
    return path


@pytest.fixture(scope="module")
def resolved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The filled workbook with both rounds published."""
    path = filled(tmp_path_factory.mktemp("path") / "match.xlsx")
    assert referee_at(NOW, "resolve", path).code == 0
    return path


def test_from_the_template_to_a_sound_audit(tmp_path: Path) -> None:
    """Every step by the program itself; what it publishes is right and passes the audit."""
    path = tmp_path / "match.xlsx"
    made = referee("init", path)
    assert made.code == 0
    assert made.err.startswith("times are read in ")
    assert "fill in Settings and Players, then run referee deal" in made.out
    path.unlink()
    filled(path)
    dealt = referee("deal", "--only", "seed", path)
    assert dealt.code == 0
    checked = referee("check", path)
    assert (checked.code, checked.err) == (0, "")
    assert "there are no Players' words" in checked.out
    assert "can be resolved; look at the 2 warnings above first" in checked.out
    ran = referee("resolve", path)
    assert (ran.code, ran.err) == (0, "")
    assert table(path, "Pen")[1] == {"Round": 1, **B0_PEN}
    assert table(path, "Hunger")[0] == {"Round": 1, **B0_HUNGER}
    assert table(path, "Garnets")[0] == {
        "Round": 1, "Ann": 3, "Bob": 3, "Cy": 2, "Dee": 3, "Eve": 3, "Flo": 3,
    }  # fmt: skip
    assert table(path, "Visits") == [
        {
            "Round": 1,
            "Visit": 1,
            "Player": "Ann",
            "Entered": "2024-03-01 19:01:00",
            "Left": "2024-03-01 19:01:40",
            "Because": "exit",
            "Told": None,
            "Garnets paid": 0,
            "Swap": "AD",
            "Swap time": "2024-03-01 19:01:20",
        },
        {
            "Round": 2,
            "Visit": 1,
            "Player": "Bob",
            "Entered": "2024-03-01 19:19:30",
            "Left": "2024-03-01 19:20:30",
            "Because": "limit",
            "Told": None,
            "Garnets paid": 0,
            "Swap": None,
            "Swap time": None,
        },
    ]
    assert table(path, "Result") == [
        {"Item": "Status", "Value": "running"},
        {"Item": "Rounds played", "Value": 2},
    ]
    (notice,) = table(path, "Notices")
    assert (notice["Severity"], notice["Code"], notice["Rule"]) == (
        "warning",
        "not-visiting",
        "R5.1",
    )
    assert (notice["Tab"], notice["Row"], notice["Player"]) == ("Submissions", 3, "Dee")
    assert [row["Round"] for row in table(path, "Receipts")] == [1, 2]
    audited = referee("audit", path)
    assert (audited.code, audited.out, audited.err) == (
        0,
        "match.xlsx: all 2 published rounds as recomputed\n",
        "",
    )
    again = path.read_bytes()
    assert referee("resolve", path).code == 0
    assert path.read_bytes() == again


def kinds_after(
    resolved: Path, folder: Path, changes: Mapping[str, Mapping[str, Any]]
) -> dict[str, set[str]]:
    """Make each change in a copy of its own and audit them all in one run."""
    copies = {}
    for number, (label, cells) in enumerate(changes.items()):
        place = folder / f"{number}.xlsx"
        place.write_bytes(resolved.read_bytes())
        change_cells(place, cells)
        copies[str(place)] = label
    ran = referee("audit", "--json", *copies)
    audits = ran.json["audits"]
    assert [audit["name"] for audit in audits] == list(copies)
    return {
        copies[audit["name"]]: {difference["kind"] for difference in audit["differences"]}
        for audit in audits
    }


def test_a_changed_cell_of_an_owned_tab_is_found_in_the_file(
    resolved: Path, tmp_path: Path
) -> None:
    """Text, number, empty cell, header and a cell beyond the table, in every owned tab."""
    changes: dict[str, dict[str, Any]] = {
        f"{tab} {what}": {f"{tab}!{cell}": value}
        for tab in OWNED
        for what, cell, value in (("text", "B2", "x"), ("header", "B1", "x"), ("beyond", "M30", 1))
    }
    changes |= {
        "emptied": {"Hunger!C2": None},
        "number as text": {"Hunger!C2": "10"},
        "off by one": {"Garnets!D3": 1},
        "formula": {"Pen!A3": "=1+0"},
        "a blank": {"Visits!F2": "exit "},
        "digest": {"Receipts!D3": "0" * 64},
    }
    found = kinds_after(resolved, tmp_path, changes)
    assert {label: kinds for label, kinds in found.items() if kinds != {"output"}} == {}


def test_a_changed_input_is_found_in_the_file(resolved: Path, tmp_path: Path) -> None:
    """Each tab of the host's: what a published round followed from is told as an input."""
    changes: dict[str, dict[str, Any]] = {
        "time of a ping": at("Queue!A2", "19:01:01"),
        "player": {"Queue!B4": "Cy"},
        "action": {"Queue!C3": "leave"},
        "ruling": {"Queue!E2": "void"},
        "message": {"Submissions!C2": "A C"},
        "chat": {"Submissions!C3": "E-G"},
        "edit": at("Submissions!D2", "19:01:30"),
        "allowed": {"Submissions!E3": "allow"},
        "time of a message": at("Submissions!A3", "19:05:01"),
        "garnets": {"Adjustments!C2": -2},
        "reason": {"Adjustments!D2": "penalty"},
        "start": at("Rounds!B3", "19:10:01"),
        "minutes": {"Rounds!C2": 9},
        "cell": {"Players!B2": "B", "Players!B3": "A"},
        "rival": {"Players!C2": "Cy", "Players!C3": "Bob", "Players!C4": "Dee"},
        "garnets at the start": {"Players!D7": 4},
        "name": {"Players!A7": "Fla", "Players!C6": "Fla"},
        "setting": {"Settings!B8": 61},
        "match start": at("Settings!B3", "18:50:01"),
        "time zone": {"Settings!B4": "America/Chicago"},
        "row cleared": {"Queue!A2": None, "Queue!B2": None, "Queue!C2": None},
        "round gone": {"Rounds!A3": None},
    }
    changes["rival"] |= {"Players!C3": "Ann", "Players!C2": "Cy", "Players!C7": "Bob"}
    found = kinds_after(resolved, tmp_path, changes)
    assert {label: kinds for label, kinds in found.items() if kinds != {"input"}} == {}


def test_what_is_no_input_is_no_difference(resolved: Path, tmp_path: Path) -> None:
    """Notes, ids, tokens, aliases, colours, hidden rows and other spellings change nothing."""
    found = kinds_after(
        resolved,
        tmp_path,
        {
            "note": {"Queue!F2": "what a swap"},
            "id": {"Submissions!F2": "77"},
            "token": {"Players!E2": "🐷"},
            "alias": {"Players!F2": "Annie"},
            "alias used": {"Players!F2": "Annie", "Queue!B2": "Annie"},
            "spelling": {"Queue!B2": " ANN", "Queue!C2": "JOIN", "Rounds!A2": "1"},
            "same time as text": {"Queue!A2": "2024-03-01 19:01:00"},
            "with an offset": {"Queue!A2": "2024-03-01T19:01:00-05:00"},
            "blank is the default": {"Settings!B8": 60},
            "match name": {"Settings!B2": "Another"},
            "a row of the running round": {"Queue!B5": "Eve", **at("Queue!A5", "19:20:31")},
        },
    )
    assert {label: kinds for label, kinds in found.items() if kinds} == {}


def test_sorted_and_moved_rows_are_no_input(resolved: Path, tmp_path: Path) -> None:
    """Sorting a tab or inserting blank rows moves what notices point at, and nothing else."""
    path = tmp_path / "match.xlsx"
    path.write_bytes(resolved.read_bytes())
    book = openpyxl.load_workbook(path)
    queue = [[cell.value for cell in row] for row in book["Queue"]["A2:D4"]]
    for row, cells in enumerate(reversed(queue), 2):
        for column, value in enumerate(cells, 1):
            book["Queue"].cell(row, column).value = value
    book["Submissions"].insert_rows(2)
    book["Rounds"].insert_rows(2)
    book.save(path)
    ran = referee("audit", "--json", path)
    (audit,) = ran.json["audits"]
    assert [difference["cell"] for difference in audit["differences"]] == ["Notices!E2"]
    assert (audit["differences"][0]["published"], audit["differences"][0]["recomputed"]) == (3, 4)
    assert "rows that the notices name have moved" in referee_at(NOW, "audit", path).out
    assert referee("resolve", path).code == 0
    assert referee("audit", path).code == 0


def test_the_words_say_which_of_the_two_was_changed(resolved: Path, tmp_path: Path) -> None:
    """Without --json the first line says it, and each difference is marked."""
    path = tmp_path / "match.xlsx"
    path.write_bytes(resolved.read_bytes())
    change_cells(path, {"Pen!B2": "Bob"})
    output = referee("audit", path)
    assert (output.code, output.err) == (1, "")
    assert output.out.splitlines() == [
        "match.xlsx: 1 difference, what is published was changed:",
        "  output: Pen!B2: round 0, Pen, A: Bob → Ann (R6.1)",
    ]
    path.write_bytes(resolved.read_bytes())
    change_cells(path, {"Submissions!C2": "A C"})
    changed = referee("audit", path)
    assert changed.code == 1
    first, *rest = changed.out.splitlines()
    assert first.endswith(" differences, the inputs were changed:")
    assert all(line.startswith("  input: ") for line in rest)


def test_one_round_is_audited_on_demand(resolved: Path, tmp_path: Path) -> None:
    """--round looks at that round alone; a round that is not published is wrong usage."""
    path = tmp_path / "match.xlsx"
    path.write_bytes(resolved.read_bytes())
    change_cells(path, {"Pen!B4": "changed"})
    assert referee_at(NOW, "audit", "--round", "1", path).code == 0
    second = referee_at(NOW, "audit", "--round", "2", path)
    assert second.code == 1
    assert "Pen!B4" in second.out
    beyond = referee_at(NOW, "audit", "--round", "3", path)
    assert (beyond.code, beyond.out) == (2, "")
    assert "round must be 1..2" in beyond.err


def test_a_renamed_owned_tab_is_still_the_referees(resolved: Path, tmp_path: Path) -> None:
    """An owned tab that Settings names otherwise is published and audited under that name."""
    path = filled(tmp_path / "match.xlsx")
    change_cells(path, {"Settings!A30": "Pen tab", "Settings!B30": "🐷 Pen"})
    assert referee_at(NOW, "resolve", path).code == 0
    assert "🐷 Pen" in openpyxl.load_workbook(path).sheetnames
    assert referee_at(NOW, "audit", path).code == 0
    change_cells(path, {"🐷 Pen!B3": "x"})
    told = referee_at(NOW, "audit", path)
    assert "output: 🐷 Pen!B3: round 1, Pen, A: x → food (R6.1)" in told.out


def test_only_the_referees_parts_of_the_file_change(tmp_path: Path) -> None:
    """Every part of the package that is not the referee's is the same before and after."""
    import zipfile

    path = filled(tmp_path / "match.xlsx")
    old = copied(path, "old.xlsx")
    assert referee_at(NOW, "resolve", path).code == 0
    with zipfile.ZipFile(old) as before, zipfile.ZipFile(path) as after:
        book = openpyxl.load_workbook(old)
        hosts = [f"xl/worksheets/sheet{n}.xml" for n, s in enumerate(book.sheetnames, 1)
                 if s not in OWNED]  # fmt: skip
        assert len(hosts) == 6
        for name in hosts:
            assert before.read(name) == after.read(name), name
        assert set(before.namelist()) <= set(after.namelist())
    assert (tmp_path / "match.xlsx.bak").read_bytes() == old.read_bytes()


def test_the_same_match_gives_the_same_json_everywhere(resolved: Path, tmp_path: Path) -> None:
    """Workbook, record and standard input tell one result, byte for byte."""
    record = tmp_path / "match.json"
    assert referee_at(NOW, "export", resolved, record).code == 0
    shown = {
        referee("show", "--json", place, stdin=record.read_bytes()).out
        for place in (resolved, record, "-")
    }
    assert len(shown) == 1
    assert json.loads(shown.pop())["format"] == "referee-result/1"
