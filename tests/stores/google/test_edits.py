"""Whatever a host types, inserts or deletes while the referee edits, nothing of it is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from referee.match.faults import Overtaken, Stopped, Unavailable
from referee.stores.contract import CellEdit, NewRow, WallClock
from referee.stores.google import rows as new_rows
from referee.workbook.cells import OwnedTab
from tests.google_sheets import errors, faults
from tests.support.google_stores import Time, cleared, google, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from referee.stores.google.store import GoogleStore
    from tests.google_sheets import SheetsServer

PLAYERS: list[list[Any]] = [
    ["Player", "Cell", "Rival", "Garnets"],
    ["Ann", None, None, 3],
    ["Ben", None, None, 4],
    ["Cy", None, None, 5],
]
TIME = {"userEnteredFormat": {"numberFormat": {"type": "DATE_TIME"}}}
QUEUE: list[list[Any]] = [
    ["Timestamp", "Player", "Action"],
    [{**TIME, "userEnteredValue": {"numberValue": 46082.5}}, "Ann"],
]
DEAL = [
    CellEdit("Players", row, column, value)
    for row, cells in enumerate(("AB", "BC", "CA"), 2)
    for column, value in enumerate(cells, 2)
]
DEALT = [PLAYERS[0], ["Ann", "A", "B", 3], ["Ben", "B", "C", 4], ["Cy", "C", "A", 5]]
OWNED = [OwnedTab("Pen", [["Round", "A"], [0, "Ann"]])]


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with google() as running:
        yield running


class Sheet:
    """A match's sheet, a store that has read it, and what a host does meanwhile."""

    def __init__(self, server: SheetsServer, folder: Path, *, sealed: bool) -> None:
        cleared(server)
        self.server, self.folder, self.time = server, folder, Time()
        self.key = server.new_spreadsheet("Match", {"Queue": QUEUE, "Players": PLAYERS})
        if sealed:
            self.open().publish(OWNED)
        server.requests.clear()

    def open(self) -> GoogleStore:
        opened = store(self.server, self.key, self.folder, self.time)
        opened.read()
        return opened

    def cells(self, tab: str) -> list[list[Any]]:
        return [[cell or None for cell in row] for row in self.server.cells(self.key, tab)]

    def types(self, tab: str, place: str, value: object) -> Callable[[], None]:
        return lambda: self.server.set_cell(self.key, tab, place, value)

    def moves(self, tab: str, at: int, what: str = "insertDimension", by: str = "ROWS") -> Any:
        number = next(s.id for s in self.server.book(self.key).sheets if s.title == tab)
        place = {"sheetId": number, "dimension": by, "startIndex": at - 1, "endIndex": at}
        return lambda: self.server.change(self.key, {what: {"range": place}})

    def meanwhile(self, *changes: Callable[[], None], nth: int = 1) -> None:
        for change in changes:
            self.server.faults.plan("write", faults.edit(change), nth=nth)

    @property
    def titles(self) -> list[str]:
        return self.server.titles(self.key)

    def parts(self) -> list[Any]:
        bodies = [entry.body for entry in self.server.requests if entry.kind == "write"]
        return [[next(iter(part)) for part in body["requests"]] for body in bodies]


@pytest.fixture(params=["sealed", "unsealed"])
def sheet(request: pytest.FixtureRequest, server: SheetsServer, tmp_path: Path) -> Sheet:
    return Sheet(server, tmp_path, sealed=request.param == "sealed")


def row(*cells: Any, after: int = 2, tab: str = "Queue") -> NewRow:
    return NewRow(tab, after, dict(enumerate(cells, 1)))


ROWS = [row(WallClock(46082.75), "Ben", "join"), row(WallClock(46082.8), "Cy")]


# --- single cells ----------------------------------------------------------------------------


def test_cells_are_set_in_one_batch_and_nothing_is_left_over(sheet: Sheet) -> None:
    """What stood in the cells is kept in a hidden tab until the answer was looked at."""
    opened = sheet.open()
    titles = sheet.titles
    opened.edit(DEAL)
    assert sheet.cells("Players") == DEALT
    assert (sheet.titles, opened.notes) == (titles, [])
    first, last = sheet.parts()
    assert first[-4:] == ["addSheet", "createDeveloperMetadata", "copyPaste", "updateCells"]
    assert last == ["deleteSheet"]


@pytest.mark.parametrize("place", ["B2", "C4", "D3", "A2", "B1"])
def test_what_a_host_types_beside_or_into_the_cells_refuses_the_edit(
    sheet: Sheet, place: str
) -> None:
    """The cells are as the host has them, and the message says so."""
    opened, titles = sheet.open(), sheet.titles
    sheet.meanwhile(sheet.types("Players", place, "host"))
    with pytest.raises(Overtaken, match=rf"Players!{place} was changed by .*nothing was written"):
        opened.edit(DEAL)
    expected = [[*row] for row in PLAYERS]
    expected[int(place[1]) - 1]["ABCD".index(place[0])] = "host"
    assert sheet.cells("Players") == expected
    assert sheet.titles == titles


@pytest.mark.parametrize(
    ("at", "what", "by"),
    [
        (2, "insertDimension", "ROWS"),
        (3, "insertDimension", "ROWS"),
        (1, "insertDimension", "ROWS"),
        (2, "deleteDimension", "ROWS"),
        (3, "deleteDimension", "ROWS"),
        (1, "insertDimension", "COLUMNS"),
        (2, "insertDimension", "COLUMNS"),
        (4, "deleteDimension", "COLUMNS"),
    ],
)
def test_rows_or_columns_that_move_meanwhile_get_no_foreign_values(
    sheet: Sheet, at: int, what: str, by: str
) -> None:
    """Nobody gets somebody else's cell, and what the host did stands."""
    opened, titles = sheet.open(), sheet.titles
    sheet.meanwhile(sheet.moves("Players", at, what, by))
    with pytest.raises(Overtaken, match="nothing was written"):
        opened.edit(DEAL)
    left = sheet.cells("Players")
    assert sheet.titles == titles
    assert {cell for row in left for cell in row} <= {cell for row in PLAYERS for cell in row}
    names = [cell for row in left for cell in row if cell in ("Ann", "Ben", "Cy")]
    assert len(names) == (2 if what == "deleteDimension" and by == "ROWS" else 3)


def test_a_formula_typed_meanwhile_comes_back_as_it_was(sheet: Sheet) -> None:
    opened = sheet.open()
    formula = {"userEnteredValue": {"formulaValue": "=A3"}}
    sheet.meanwhile(sheet.types("Players", "B3", formula))
    with pytest.raises(Overtaken, match="Players!B3"):
        opened.edit(DEAL)
    entered = sheet.server.cell(sheet.key, "Players", "B3")["userEnteredValue"]
    assert entered == {"formulaValue": "=A3"}


def test_a_change_below_the_rows_is_no_trouble(sheet: Sheet) -> None:
    opened = sheet.open()
    sheet.meanwhile(sheet.types("Players", "A9", "Eve"), sheet.moves("Players", 6))
    opened.edit(DEAL)
    assert sheet.cells("Players")[:4] == DEALT
    assert "both stand there" in opened.notes[0]


def test_what_meets_the_way_back_is_kept_and_named(sheet: Sheet) -> None:
    """The host types a second time, into the cells that are being put back: nothing is lost."""
    opened = sheet.open()
    sheet.meanwhile(sheet.types("Players", "B2", "first"))
    sheet.meanwhile(sheet.types("Players", "B3", "second"), nth=2)
    with pytest.raises(Unavailable, match=r"Players!B2.*Players!B3.*hidden tab") as told:
        opened.edit(DEAL)
    kept = [title for title in sheet.titles if title.startswith("Referee undo")]
    assert all(title in str(told.value) for title in kept)
    everything = [cell for title in kept for row in sheet.cells(title) for cell in row]
    assert {"first", "second"} <= set(everything)
    assert sheet.open().read().tabs[-1].title in ("Players", "Pen")


@pytest.mark.parametrize("both", [False, True])
def test_the_second_of_two_edits_of_one_cell_is_refused(sheet: Sheet, both: bool) -> None:
    """c046: whether it comes before or in the middle, the first one's values stay."""
    opened, other = sheet.open(), sheet.open()
    theirs = [CellEdit("Players", 2, 2, "G"), *([CellEdit("Players", 3, 2, "F")] if both else [])]
    sheet.meanwhile(lambda: (other.edit(theirs), None)[1])
    with pytest.raises(Overtaken, match="at the same time"):
        opened.edit(DEAL)
    assert sheet.cells("Players")[1][:2] == ["Ann", "G"]
    assert sheet.cells("Players")[3] == PLAYERS[3]


def test_an_edit_after_a_publication_it_did_not_see_is_refused(sheet: Sheet) -> None:
    """A deal never replaces what a round published meanwhile goes by."""
    opened = sheet.open()
    sheet.meanwhile(lambda: sheet.open().publish([OwnedTab("Pen", [["Round"], [1]])]))
    with pytest.raises(Overtaken, match="at the same time"):
        opened.edit(DEAL)
    assert sheet.cells("Players") == PLAYERS


def test_a_hidden_tab_left_by_a_run_that_broke_off_is_not_read_and_goes(sheet: Sheet) -> None:
    opened = sheet.open()
    sheet.server.faults.plan("write", faults.status(503), nth=2, times=None)
    opened.edit(DEAL)
    assert "hidden tab" in opened.notes[0]
    cleared(sheet.server)
    assert any(title.startswith("Referee undo") for title in sheet.titles)
    later = sheet.open()
    assert not any(t.title.startswith("Referee undo") for t in later.read().tabs)
    with pytest.MonkeyPatch.context() as patch:
        import time

        now = time.time() + 3600
        patch.setattr(time, "time", lambda: now)
        later.edit([], ROWS)
    assert not any(title.startswith("Referee undo") for title in sheet.titles)


# --- new rows --------------------------------------------------------------------------------


def test_new_rows_are_one_request_a_tab(sheet: Sheet) -> None:
    opened = sheet.open()
    more = [row("Eve", after=4, tab="Players")]
    assert opened.edit([], [*ROWS, *more]) == [3, 4, 5]
    assert sheet.parts()[0][-2:] == ["appendCells", "appendCells"]
    assert sheet.cells("Players")[4] == ["Eve"]
    assert sheet.cells("Queue")[2:] == [[46082.75, "Ben", "join"], [46082.8, "Cy"]]
    kind = sheet.server.cell(sheet.key, "Queue", "A4")["effectiveFormat"]["numberFormat"]["type"]
    assert kind == "DATE_TIME"


def test_rows_that_a_host_types_meanwhile_move_new_ones_down(sheet: Sheet) -> None:
    opened = sheet.open()
    sheet.meanwhile(sheet.types("Queue", "B3", "host"), sheet.moves("Queue", 2))
    assert opened.edit([], ROWS) == [5, 6]
    queue = sheet.cells("Queue")
    assert [row[1] for row in queue[2:]] == ["Ann", "host", "Ben", "Cy"]


@pytest.mark.parametrize("name", ["A column", "Player"])
def test_new_rows_never_stand_under_another_header(sheet: Sheet, name: str) -> None:
    """A host puts in a column, or renames one, while rows are added: they are taken back."""
    opened = sheet.open()
    change = sheet.moves("Queue", 1, by="COLUMNS")
    sheet.meanwhile(change if name == "A column" else sheet.types("Queue", "B1", "Who"))
    with pytest.raises(Overtaken, match=r"Queue!.1 was changed"):
        opened.edit([], ROWS)
    assert len(sheet.cells("Queue")) == 2


def beside(sheet: Sheet) -> None:
    """A host's table at the right that goes lower than the queue."""
    for n in range(1, 10):
        for column in "FGH":
            sheet.server.set_cell(sheet.key, "Queue", f"{column}{n}", f"{column}{n}")


def side(sheet: Sheet) -> list[list[Any]]:
    return [row[5:8] for row in sheet.cells("Queue")[:9]]


def test_c044_rows_go_under_the_table_beside_one_of_the_hosts(sheet: Sheet) -> None:
    """The last row is the table's own, and the table beside it stays where it is."""
    beside(sheet)
    before = side(sheet)
    opened = sheet.open()
    assert opened.edit([], ROWS) == [3, 4]
    assert [row[:3] for row in sheet.cells("Queue")[2:5]] == [
        [46082.75, "Ben", "join"],
        [46082.8, "Cy", None],
        [None, None, None],
    ]
    assert side(sheet) == before


def test_c044_what_a_host_types_there_meanwhile_moves_down(sheet: Sheet) -> None:
    beside(sheet)
    before = side(sheet)
    opened = sheet.open()
    sheet.meanwhile(sheet.types("Queue", "B3", "host"), sheet.types("Queue", "A3", 46082.9))
    assert opened.edit([], ROWS) == [3, 4]
    assert [row[1] for row in sheet.cells("Queue")[1:5]] == ["Ann", "Ben", "Cy", "host"]
    assert side(sheet) == before


def test_c044_rows_moved_while_others_are_shifted_are_told(sheet: Sheet) -> None:
    beside(sheet)
    opened = sheet.open()
    sheet.meanwhile(sheet.moves("Queue", 2))
    with pytest.raises(Unavailable, match=r"rows of Queue were moved.*now rows 3 to 4"):
        opened.edit([], ROWS)
    names = {row[1] for row in sheet.cells("Queue") if len(row) > 1}
    assert {"Ann", "Ben", "Cy"} <= names


def test_a_full_grid_grows_for_shifted_rows(sheet: Sheet) -> None:
    """What stands in the last row of the grid is not pushed off."""
    beside(sheet)
    sheet.server.set_cell(sheet.key, "Queue", "C9", "far below")
    sheet.server.book(sheet.key).sheets[0].resize(9, 8)
    assert sheet.open().edit([], ROWS) == [3, 4]
    assert sheet.cells("Queue")[10][2] == "far below"


def test_rows_below_cells_that_only_have_formats_are_found_too(sheet: Sheet) -> None:
    """Whether Google counts a format as data is not known: the numbers are true either way."""
    form = {"userEnteredFormat": {"numberFormat": {"type": "TEXT"}}}
    sheet.server.set_cell(sheet.key, "Queue", "B40", form)
    assert sheet.open().edit([], ROWS[:1]) == [3]
    sheet.server.unclear.formats_are_data = True
    try:
        assert sheet.open().edit([], [row("x", "Dee", after=3)]) == [41]
    finally:
        sheet.server.unclear.formats_are_data = False
    assert sheet.cells("Queue")[40][:2] == ["x", "Dee"]


def test_formats_of_the_rows_stay(sheet: Sheet) -> None:
    """A message id goes into a column of texts, and the column stays one."""
    form = {"userEnteredFormat": {"numberFormat": {"type": "TEXT"}}}
    for n in range(3, 9):
        sheet.server.set_cell(sheet.key, "Queue", f"D{n}", form)
    sheet.open().edit([], [row(WallClock(46082.75), "Ben", "join", "143395")])
    cell = sheet.server.cell(sheet.key, "Queue", "D3")
    assert cell["userEnteredFormat"] == form["userEnteredFormat"]
    assert cell["userEnteredValue"] == {"stringValue": "143395"}


@pytest.mark.parametrize("lost", ["503", "cut", "401", "conflict"])
def test_rows_are_added_just_once_whatever_the_answer(sheet: Sheet, lost: str) -> None:
    answers = {
        "503": faults.status(503).after_applying(),
        "cut": faults.cut(),
        "401": faults.answer(errors.unauthenticated()),
        "conflict": faults.answer(
            errors.bad_request("Invalid requests[0].deleteProtectedRange: No protected range with")
        ),
    }
    sheet.server.faults.plan("write", answers[lost])
    assert sheet.open().edit([], ROWS) == [3, 4]
    assert len(sheet.cells("Queue")) == 4


def test_two_that_add_rows_at_once_hear_of_each_other(sheet: Sheet) -> None:
    """The second is refused as a whole, so that it may look whether they are the same."""
    opened, other = sheet.open(), sheet.open()
    sheet.meanwhile(lambda: (other.edit([], ROWS[:1]), None)[1])
    with pytest.raises(Overtaken, match="tab Queue was changed"):
        opened.edit([], ROWS[1:])
    assert [row[1] for row in sheet.cells("Queue")] == ["Player", "Ann", "Ben"]
    assert sheet.open().edit([], [row(46082.8, "Cy", after=3)]) == [4]


def test_rows_and_cells_go_together_or_not_at_all(sheet: Sheet) -> None:
    """Cells that were set are put back where the rows cannot be added."""
    opened, titles = sheet.open(), sheet.titles
    refusal = faults.answer(errors.bad_request("Invalid requests[1].appendCells: no"))
    sheet.server.faults.plan("write", refusal, nth=2)
    with pytest.raises(Unavailable, match="nothing was written"):
        opened.edit(DEAL, ROWS)
    assert (sheet.cells("Players"), len(sheet.cells("Queue"))) == (PLAYERS, 2)
    assert sheet.titles == titles
    assert sheet.open().edit(DEAL, ROWS) == [3, 4]
    assert (sheet.cells("Players"), sheet.titles) == (DEALT, titles)


def test_many_rows_go_in_several_requests(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Google advises 2 MB: what is more is cut, and what was written before a stop is told."""
    monkeypatch.setattr(new_rows, "MOST_BYTES", 3000)
    many = [row(46083 + n / 1000, "Ann", "join") for n in range(60)]
    assert sheet.open().edit([], many) == [*range(3, 63)]
    sizes = [len(json.dumps(entry.body)) for entry in sheet.server.requests if entry.body]
    assert len(sizes) > 3
    assert all(size < 6000 for size in sizes)
    sheet.server.faults.plan("write", faults.answer(errors.permission_denied()), nth=2)
    again = [row(46084 + n / 1000, "Ann", "join", after=62) for n in range(60)]
    with pytest.raises(Unavailable, match=r"of 60 rows were added, then: .*run again"):
        sheet.open().edit([], again)


def test_rows_where_a_formula_stands_are_refused(sheet: Sheet) -> None:
    formula = {"userEnteredValue": {"formulaValue": '=""'}}
    sheet.server.set_cell(sheet.key, "Queue", "B3", formula)
    with pytest.raises(Stopped, match="Queue!B3 holds a formula"):
        sheet.open().edit([], ROWS)
