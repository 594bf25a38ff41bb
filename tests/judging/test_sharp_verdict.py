"""Every change of a single cell is found at its cell, with the right kind; harmless ones are told.

Whole workbooks go through the real store here: formulas, number formats, blank rows and notes.
"""

import random
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.comments import Comment

from referee.judging.auditing import Audit, audit
from referee.sheets import open as open_sheet
from tests.support.cli import b0, cells_of, change_cells, clock, referee_at, table, write_book

OWNED = ("Pen", "Hunger", "Garnets", "Visits", "Result", "Notices", "Receipts")
OVER = "2026-03-09T00:00:00Z"


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published round with notices of each log, a seed, and an adjustment."""
    tabs = b0()
    tabs["Settings"].append(["Tie-break seed", "beans"])
    tabs["Queue"].append([clock("19:08:20"), "Ann", "withdraw", None])
    tabs["Submissions"].append([clock("19:08:40"), "Ann", "C D", None, None])
    path = write_book(tmp_path_factory.mktemp("sharp") / "match.xlsx", tabs)
    assert referee_at(OVER, "resolve", path).code == 0
    return path


def changed(match: Path, tmp_path: Path, cells: dict[str, Any]) -> Path:
    path = tmp_path / "changed.xlsx"
    path.write_bytes(match.read_bytes())
    change_cells(path, cells)
    return path


def audited(path: Path) -> Audit:
    read = open_sheet(path).read()
    return audit(read.record, titles=read.places.titles)


@pytest.mark.parametrize("tab", OWNED)
def test_a_formula_in_an_owned_tab_is_a_difference_and_written_over(
    match: Path, tmp_path: Path, tab: str
) -> None:
    """Also one that shows the right value; `resolve` puts the value back without reopening."""
    cell = f"{tab}!B2"
    path = changed(match, tmp_path, {cell: "=1+1"})
    # No program has worked the formula out; one that shows something is no better.
    (difference,) = audited(path).differences
    assert (difference.kind, difference.cell) == ("output", cell)
    assert "the formula =1+1" in difference.text
    if tab != "Receipts":
        assert referee_at(OVER, "resolve", path).code == 0
        assert cells_of(path, tab) == cells_of(match, tab)
        assert audited(path).differences == ()


def test_a_number_format_that_shows_something_else_is_a_difference(
    match: Path, tmp_path: Path
) -> None:
    """A date, a constant or nothing instead of the number; plain formats and units do no harm."""
    for form, is_odd in (
        ('"7"', True),
        (";;;", True),
        ("yyyy-mm-dd", True),
        ("0%", True),
        ("0", False),
        ("#,##0", False),
        ('0" points"', False),
        ("@", False),
    ):
        path = changed(match, tmp_path, {})
        book = openpyxl.load_workbook(path)
        book["Hunger"]["B2"].number_format = form
        book.save(path)
        cells = [one.cell for one in audited(path).differences]
        assert cells == (["Hunger!B2"] if is_odd else []), form
        assert referee_at(OVER, "resolve", path).code == 0
        assert audited(path).differences == ()


def test_harmless_changes_never_end_with_a_difference(match: Path, tmp_path: Path) -> None:
    """Blank rows, rows in another order, notes, widths, colours, chat after the match."""
    path = changed(match, tmp_path, {})
    book = openpyxl.load_workbook(path)
    for tab in ("Queue", "Submissions", "Players", "Settings"):
        book[tab].insert_rows(2)
        book[tab]["A1"].comment = Comment("a note", "host")
    for tab in OWNED:
        book[tab].column_dimensions["A"].width = 40
        book[tab]["B2"].font = openpyxl.styles.Font(bold=True)
    rows = [list(row) for row in book["Submissions"].iter_rows(min_row=2, values_only=True)]
    for at, row in enumerate(reversed(rows), 2):
        for column, value in enumerate(row, 1):
            book["Submissions"].cell(at, column).value = value
    book.save(path)
    found = audited(path)
    assert {one.kind for one in found.differences} == {"moved"}
    assert referee_at(OVER, "audit", path).code == 0


def test_a_chat_line_does_not_hide_a_forged_cell(match: Path, tmp_path: Path) -> None:
    """A blank in a chat line changes no result: forged cells are still told as forged."""
    path = changed(match, tmp_path, {"Submissions!C3": "C D ", "Pen!B3": "Ann"})
    kinds = {one.cell: one.kind for one in audited(path).differences}
    assert kinds["Pen!B3"] == "output"
    assert kinds["Submissions!3"] == "input"


@pytest.mark.parametrize("seed", range(3))
def test_single_cells_changed_at_random_are_found_at_their_place(
    match: Path, tmp_path: Path, seed: int
) -> None:
    """Every owned tab cell by its address as an output; host tabs by their tab as an input."""
    chance = random.Random(seed)  # noqa: S311  no secret
    for tab in OWNED:
        rows = cells_of(match, tab)
        row = chance.randrange(1, len(rows))
        column = chance.randrange(len(rows[0]))
        cell = f"{tab}!{'ABCDEFGHIJKLMNOPQR'[column]}{row + 1}"
        value = chance.choice(["changed", 99, "=A1"])
        (difference,) = audited(changed(match, tmp_path, {cell: value})).differences
        assert (difference.kind, difference.cell) == ("output", cell)
    for cell, tab, value in (
        ("Settings!B4", "Settings", "Europe/London"),
        ("Queue!A2", "Queue", clock("19:01:01")),
        ("Queue!D2", "Queue", "void"),
        ("Submissions!C2", "Submissions", "A C"),
    ):
        differences = audited(changed(match, tmp_path, {cell: value})).differences
        (named,) = [one for one in differences if one.tab == tab]
        assert named.kind == "input"
        if tab == "Queue":
            assert named.cell == "Queue!2"


def test_the_receipts_are_salted_and_superseded_ones_stay(match: Path, tmp_path: Path) -> None:
    """A reopening shows the candidate's change, and keeps the receipt that was announced."""
    path = changed(match, tmp_path, {"Submissions!C2": "A C"})
    ran = referee_at("2026-03-10T00:00:00Z", "resolve", "--reopen", "1", path)
    assert ran.code == 0
    old, new = table(path, "Receipts")
    assert (old["Superseded"], new["Superseded"]) == (new["Resolved at"], None)
    assert len({old["Salt"], new["Salt"]}) == 2
    assert min(map(len, (old["Salt"], new["Salt"]))) == 32
    assert referee_at(OVER, "audit", path).code == 0
    said = referee_at(OVER, "announce", path).out
    assert "(corrected)" in said
    assert "Anchor of round 1: `" in said
    kept = tmp_path / "anchors.txt"
    kept.write_text(referee_at(OVER, "announce", match).out, encoding="utf-16")
    against = referee_at(OVER, "audit", path, "--against", kept)
    assert against.code == 1
    assert "changed since: Submissions" in against.out
    assert referee_at(OVER, "audit", match, "--against", kept).code == 0
    assert referee_at(OVER, "audit", path, "--against", match).code == 1
    kept.write_text("nothing", encoding="utf-8")
    assert referee_at(OVER, "audit", path, "--against", kept).code == 2


def test_json_counts_the_rounds_compared(tmp_path: Path) -> None:
    """Nothing published is no difference, and says so in a word of its own."""
    path = write_book(tmp_path / "new.xlsx", b0())
    told = referee_at(OVER, "audit", "--json", path)
    assert told.code == 0
    assert told.json["audits"][0]["compared"] == 0
