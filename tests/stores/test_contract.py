"""What every store promises, held against all of them by the same tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.match.faults import Stopped, Unavailable
from referee.stores.contract import CellEdit, NewRow, Store, WallClock
from referee.stores.xlsx.store import XlsxStore
from referee.workbook import layout
from referee.workbook.cells import Moment, OwnedTab, Tab
from tests.support.google_stores import cleared, google, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.google_sheets import SheetsServer

Cells = dict[str, list[list[Any]]]

HOST_TABS: Cells = {
    "Queue": [["Timestamp", "Player", "Action"], [46082.5, "Ann", "join"], [None, "007", None]],
    "Notes & ideas": [["keep me", None, 3], [], [True, 2.5]],
}
PEN = OwnedTab("Pen", [["Round", "A"], [0, "Ann"], [1, "=1+1"], [2, None]])
HUNGER = OwnedTab("Hunger", [["Round", "Ann"], [0, 10], [1, 7.5]])


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with google() as running:
        yield running


@pytest.fixture(params=["xlsx", "google"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Cells], Callable[[], Store]]:
    """What makes a workbook of some cells and gives a way to open it, each time anew."""

    def in_a_file(cells: Cells) -> Callable[[], Store]:
        from openpyxl import Workbook

        book = Workbook()
        book.remove(book.worksheets[0])
        for title, rows in cells.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "match.xlsx")
        return lambda: XlsxStore(tmp_path / "match.xlsx")

    def in_a_sheet(cells: Cells) -> Callable[[], Store]:
        served: SheetsServer = request.getfixturevalue("server")
        cleared(served)
        key = served.new_spreadsheet("match", cells)
        return lambda: store(served, key, tmp_path)

    return in_a_file if request.param == "xlsx" else in_a_sheet


@pytest.fixture
def opened(make: Callable[[Cells], Callable[[], Store]]) -> Callable[[], Store]:
    return make(HOST_TABS)


def tabs(workbook: Store) -> dict[str, Tab]:
    return {tab.title: tab for tab in workbook.read().tabs}


def rows(tab: Tab) -> list[list[Any]]:
    return [list(row) for row in tab.rows]


def test_cells_are_read_with_their_types(opened: Callable[[], Store]) -> None:
    """Text stays text, numbers and truth values keep their kind, trailing empty cells are cut."""
    read = tabs(opened())
    assert rows(read["Queue"]) == [
        ["Timestamp", "Player", "Action"],
        [46082.5, "Ann", "join"],
        [None, "007"],
    ]
    notes = rows(read["Notes & ideas"])
    assert notes == [["keep me", None, 3], [], [True, 2.5]]
    assert notes[2][0] is True
    assert isinstance(notes[0][2], int)


def test_publishing_adds_marked_tabs_and_keeps_all_else(opened: Callable[[], Store]) -> None:
    """c047: the host's tabs have equal cells before and after, and the new ones are marked."""
    workbook = opened()
    before = tabs(workbook)
    workbook.publish([PEN, HUNGER])
    after = tabs(opened())
    assert list(after) == ["Queue", "Notes & ideas", "Pen", "Hunger"]
    assert {title: after[title] for title in before} == before
    assert rows(after["Pen"]) == [["Round", "A"], [0, "Ann"], [1, "=1+1"], [2]]
    assert rows(after["Hunger"]) == HUNGER.rows
    assert [(tab.owned, tab.owned_as) for tab in after.values()] == [
        (False, None),
        (False, None),
        (True, "Pen"),
        (True, "Hunger"),
    ]


def test_left_over_cells_are_cleared(opened: Callable[[], Store]) -> None:
    """c041: fewer rows and columns leave nothing of the old ones."""
    workbook = opened()
    workbook.read()
    workbook.publish([OwnedTab("Log", [[str(n), n, n] for n in range(12)])])
    workbook.publish([OwnedTab("Log", [[str(n), n] for n in range(8)])])
    assert rows(tabs(opened())["Log"]) == [[str(n), n] for n in range(8)]


def test_tabs_grow_as_far_as_needed(opened: Callable[[], Store]) -> None:
    """A tab that was small takes many rows and columns."""
    workbook = opened()
    workbook.publish([PEN])
    wide = [["Round", *(f"P{n}" for n in range(40))], *([n, *range(40)] for n in range(1500))]
    workbook.publish([OwnedTab("Pen", list(wide))])
    assert rows(tabs(opened())["Pen"]) == wide


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@x",
        "007",
        "TRUE",
        "1/2",
        "2026-01-01",
        "'quoted",
        "https://example.org",
        '=HYPERLINK("x")',
        "1e5",
    ],
)
def test_text_stays_text(opened: Callable[[], Store], text: str) -> None:
    """Nothing a player typed becomes a formula, a number or a date."""
    opened().publish([OwnedTab("Pen", [["Round"], [text]])])
    assert rows(tabs(opened())["Pen"]) == [["Round"], [text]]


def test_values_come_back_as_they_went(opened: Callable[[], Store]) -> None:
    """Truth is not 1, an empty text is an empty cell, a broken character is replaced."""
    opened().publish([OwnedTab("Pen", [["Round", "A", "B"], [True, "", "x\ud83d"], [1, 0.1, -3]])])
    found = rows(tabs(opened())["Pen"])
    assert found == [["Round", "A", "B"], [True, None, "x\ufffd"], [1, 0.1, -3]]
    assert found[1][0] is True


@pytest.mark.parametrize("title", ["results", "RESULTS", "Results "])
def test_c038_a_hosts_tab_of_that_name_is_not_touched(
    make: Callable[[Cells], Callable[[], Store]], title: str
) -> None:
    opened = make({title: [["my notes"]]})
    with pytest.raises(Stopped, match="is not the referee's Results"):
        opened().publish([OwnedTab("Results", [["Item"], ["x"]])])
    assert {t: rows(tab) for t, tab in tabs(opened()).items()} == {title: [["my notes"]]}


def test_all_titles_in_the_way_are_named_at_once(
    make: Callable[[Cells], Callable[[], Store]],
) -> None:
    opened = make({"pen": [["x"]], "Hunger": [["y"]]})
    with pytest.raises(Stopped) as stopped:
        opened().publish([PEN, HUNGER])
    assert [(fault.code, fault.tab) for fault in stopped.value.faults] == [
        ("tab-taken", "pen"),
        ("tab-taken", "Hunger"),
    ]


def test_a_tab_with_just_title_and_header_is_taken_over(
    make: Callable[[Cells], Callable[[], Store]],
) -> None:
    """After a way through a program that drops the marks the tab is the referee's again."""
    opened = make({"Pen": [["Round", "A"], [0, "Old"]]})
    assert not tabs(opened())["Pen"].owned
    opened().publish([PEN])
    assert tabs(opened())["Pen"].owned
    assert rows(tabs(opened())["Pen"])[1] == [0, "Ann"]


@pytest.mark.parametrize("title", ["Host's Queue", "R1", "PEN1", "🐷 Pen"])
def test_c035_any_title_will_do(opened: Callable[[], Store], title: str) -> None:
    opened().publish([OwnedTab(title, PEN.rows)])
    assert tabs(opened())[title].owned


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1], object()])
def test_c043_what_no_cell_can_hold_is_refused_before_anything(
    opened: Callable[[], Store], value: Any
) -> None:
    with pytest.raises(Stopped, match="Pen!A2"):
        opened().publish([OwnedTab("Pen", [["Round"], [value]])])
    assert "Pen" not in tabs(opened())


def test_rows_are_added_below_the_last_used_one(opened: Callable[[], Store]) -> None:
    """New rows stand in the order given, and the store says where."""
    workbook = opened()
    last = len(rows(tabs(workbook)["Queue"]))
    added = [NewRow("Queue", last, {1: "=now", 2: "Ann"}), NewRow("Queue", last, {2: "Ben"})]
    assert workbook.edit([], added) == [last + 1, last + 2]
    found = rows(tabs(opened())["Queue"])
    assert found[last:] == [["=now", "Ann"], [None, "Ben"]]
    assert workbook.edit([], []) == []


def test_single_cells_are_set_and_the_rest_stays(opened: Callable[[], Store]) -> None:
    workbook = opened()
    before = tabs(workbook)
    workbook.edit(
        [
            CellEdit("Queue", 3, 3, "=exit"),
            CellEdit("Queue", 2, 2, None),
            CellEdit("Queue", 9, 1, 5),
        ]
    )
    after = tabs(opened())
    assert rows(after["Queue"]) == [
        ["Timestamp", "Player", "Action"],
        [46082.5, None, "join"],
        [None, "007", "=exit"],
        *[[]] * 5,
        [5],
    ]
    assert after["Notes & ideas"] == before["Notes & ideas"]


def test_cells_past_the_grid_are_set(opened: Callable[[], Store]) -> None:
    opened().edit([CellEdit("Queue", 1800, 40, "far")])
    assert rows(tabs(opened())["Queue"])[1799][39] == "far"


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (CellEdit("Nowhere", 1, 1, "x"), 'there is no tab "Nowhere"'),
        (CellEdit("Pen", 1, 1, "x"), "the tab is the referee's own"),
        (CellEdit("Queue", 2, 2, float("nan")), "Queue!B2"),
    ],
)
def test_edits_that_cannot_be_are_refused(
    opened: Callable[[], Store], edit: CellEdit, why: str
) -> None:
    opened().publish([PEN])
    with pytest.raises(Stopped, match=why):
        opened().edit([edit, CellEdit("Queue", 2, 2, "never")])
    assert rows(tabs(opened())["Queue"])[1][1] == "Ann"


@pytest.fixture(params=["xlsx", "google"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    if request.param == "xlsx":
        return lambda: XlsxStore(tmp_path / "new.xlsx")
    served: SheetsServer = request.getfixturevalue("server")
    key = served.new_spreadsheet("new")
    return lambda: store(served, key, tmp_path)


def test_a_new_workbook_has_the_templates_tabs(empty: Callable[[], Store]) -> None:
    """Its tabs, headers, settings and marks are those the template declares, in its order."""
    empty().create()
    plan, made = layout.load(), tabs(empty())
    assert list(made) == [tab.title for tab in plan.laid_out]
    for tab in plan.laid_out:
        assert rows(made[tab.title])[0] == list(tab.header)
        assert made[tab.title].owned == (tab.owner == "referee")
    settings = [row[0] for row in rows(made["Settings"])[1:]]
    assert settings == [row.title for row in plan.settings_rows]


def test_what_is_not_empty_is_not_laid_out(empty: Callable[[], Store]) -> None:
    empty().create()
    empty().edit([CellEdit("Players", 2, 1, "Ann")])
    with pytest.raises(Unavailable):
        empty().create()
    assert rows(tabs(empty())["Players"])[1] == ["Ann"]


def test_times_are_date_cells_where_the_template_shows_dates(empty: Callable[[], Store]) -> None:
    """A time in a column of times reads back as that moment, to the millisecond."""
    empty().create()
    days = 46355.878_553_240_74
    clock = WallClock(days)
    empty().edit([CellEdit("Queue", 2, 1, clock), CellEdit("Queue", 2, 2, "Ann")])
    empty().edit([CellEdit("Queue", 2, 5, clock)])
    found = rows(tabs(empty())["Queue"])[1]
    assert isinstance(found[0], Moment)
    assert found[0].kind == "date-time"
    assert abs(found[0].days - days) * 86_400_000 < 0.5
    assert found[4] == "2026-11-29 21:05:07"
