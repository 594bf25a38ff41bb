"""A spreadsheet's JSON becomes cells: exact values, kinds by number format, nothing guessed."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from referee.match.faults import Stopped, Unavailable, WrongUsage
from referee.stores.contract import CellEdit, WallClock
from referee.stores.google.address import sheet_key
from referee.stores.google.reading import MARK, read_spreadsheet
from referee.stores.google.store import GoogleStore
from referee.workbook.cells import Book, Broken, Moment, OwnedTab, Tab, Value
from referee.workbook.reading import read_book
from tests.support.google_stores import cleared, google, store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.google_sheets import SheetsServer

Obj = dict[str, Any]


def answer(*sheets: Obj, **properties: str) -> Obj:
    return {
        "spreadsheetId": "x",
        "properties": {"title": "Match", **properties},
        "sheets": [*sheets],
    }


def grid(*rows: Obj, title: str = "Queue", **rest: Any) -> Obj:
    data: Obj = {"rowData": [*rows]} if rows else {}
    size = {"rowCount": 1000, "columnCount": 26}
    properties = {"sheetId": 7, "title": title, "sheetType": "GRID", "gridProperties": size}
    return {"properties": properties, "data": [data], **rest}


def tab(sheet: Obj) -> Tab:
    return read_spreadsheet(answer(sheet)).book.tabs[0]


def only(cell: Obj) -> Value:
    return tab(grid({"values": [cell]})).rows[0][0]


def number(value: float, kind: str = "", pattern: str = "") -> Obj:
    form = {"type": kind, **({"pattern": pattern} if pattern else {})} if kind else {}
    shown = {"effectiveFormat": {"numberFormat": form}} if form else {}
    entered = {"numberValue": value}
    return {"userEnteredValue": entered, "effectiveValue": entered, "formattedValue": "~", **shown}


def formula(text: str, **effective: Any) -> Obj:
    cell: Obj = {"userEnteredValue": {"formulaValue": text}}
    return cell | ({"effectiveValue": effective} if effective else {})


def test_a_spreadsheet_says_its_locale_and_zone() -> None:
    book = read_spreadsheet(answer(grid(), locale="de_DE", timeZone="Asia/Kolkata")).book
    assert (book.name, book.locale, book.time_zone) == ("Match", "de_DE", "Asia/Kolkata")


def test_an_empty_tab_has_no_rows() -> None:
    """c004: Google leaves out what is empty, down to an empty object."""
    assert tab(grid()).rows == []
    bare = {"properties": {"title": "Queue"}}
    assert read_spreadsheet(answer(bare)).book.tabs[0] == Tab("Queue", [])


def test_gaps_and_blank_rows_keep_their_places() -> None:
    text = {"userEnteredValue": {"stringValue": "x"}, "effectiveValue": {"stringValue": "x"}}
    rows: list[Obj] = [{"values": [{}, text]}, {}, {"values": [text, {}]}, {"values": [{}]}]
    assert tab(grid(*rows)).rows == [[None, "x"], [], ["x"]]


def test_a_block_that_does_not_begin_at_a1_is_put_in_its_place() -> None:
    text = {"effectiveValue": {"stringValue": "x"}}
    sheet = grid()
    sheet["data"] = [{"startRow": 2, "startColumn": 1, "rowData": [{"values": [text]}]}]
    assert tab(sheet).rows == [[], [], [None, "x"]]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ({"effectiveValue": {"stringValue": "007"}}, "007"),
        ({"effectiveValue": {"stringValue": " a "}}, " a "),
        ({"effectiveValue": {"boolValue": False}}, False),
        (number(7), 7),
        (number(7.0), 7),
        (number(1.5), 1.5),
        (number(0.542, "PERCENT"), 0.542),
        (number(46082.7923611111, "DATE_TIME"), Moment(46082.7923611111, "date-time")),
        (number(46082, "DATE"), Moment(46082.0, "date")),
        (number(46082.79, "TIME", "h:mm"), Moment(46082.79, "time")),
        (number(0.5, "TIME"), Moment(0.5, "time")),
        (number(1.25, "TIME", "[h]:mm:ss"), Moment(1.25, "duration")),
        (number(0.5, "TIME", "[mm]:ss"), Moment(0.5, "duration")),
        (formula("=A1", stringValue="Ann"), "Ann"),
        (formula("=DATE(2026,9,27)", numberValue=46292), 46292),
        (formula('=""'), ""),
        ({"effectiveValue": {"stringValue": "spilt"}}, "spilt"),
    ],
)
def test_values_are_read_as_they_are(cell: Obj, value: Value) -> None:
    """c008, c013, c016: unformatted values; a number's format alone makes it a time."""
    found = only(cell)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (
            {**formula("=1/0", errorValue={"type": "DIVIDE_BY_ZERO"}), "formattedValue": "#DIV/0!"},
            Broken("the formula gives an error", "#DIV/0!"),
        ),
        (
            {**formula("=NA()", errorValue={"type": "N_A"}), "formattedValue": "#N/A"},
            Broken("the formula gives an error", "#N/A"),
        ),
        (
            {**formula("=X", errorValue={"type": "LOADING"}), "formattedValue": "Loading..."},
            Broken("the formula is still being worked out; wait and run again", "Loading..."),
        ),
        (
            {"effectiveValue": {"errorValue": {"type": "REF"}}, "formattedValue": "#REF!"},
            Broken("the cell holds an error", "#REF!"),
        ),
    ],
)
def test_errors_are_no_text(cell: Obj, value: Broken) -> None:
    assert only(cell) == value


def test_merges_and_hidden_rows_are_told() -> None:
    """c007: rows hidden by hand or by a filter are read, and known as hidden."""
    text = {"effectiveValue": {"stringValue": "x"}}
    sheet = grid(*[{"values": [text]}] * 4, merges=[{"endRowIndex": 2, "endColumnIndex": 1}])
    sheet["data"][0]["rowMetadata"] = [{}, {"hiddenByUser": True}, {"hiddenByFilter": True}]
    read = tab(sheet)
    assert read.merges == ((1, 1, 2, 1),)
    assert read.hidden_rows == {2, 3}
    assert len(read.rows) == 4


def marked(value: str, key: str = MARK) -> Obj:
    return grid(developerMetadata=[{"metadataKey": key, "metadataValue": value}], title="My pen")


def test_a_tab_is_owned_by_its_mark_whatever_its_title() -> None:
    read = tab(marked("7 Pen"))
    assert (read.owned, read.owned_as) == (True, "Pen")


@pytest.mark.parametrize("other", [marked("8 Pen"), marked("7 Pen", key="other"), marked("")])
def test_a_copy_of_an_owned_tab_is_not_owned(other: Obj) -> None:
    """The mark names the tab it was made for; a copy that inherited it has another id."""
    assert not tab(other).owned


def test_a_tab_of_an_uploaded_file_is_owned_by_the_files_mark() -> None:
    """The .xlsx template, uploaded by hand, brings its marks as named ranges."""
    book = answer(grid(title="Pen")) | {
        "namedRanges": [
            {"name": "_referee_Pen", "range": {"sheetId": 7}},
            {"name": "mine", "range": {"sheetId": 8}},
        ]
    }
    (sheet,) = read_spreadsheet(book).sheets
    assert (sheet.tab.owned_as, sheet.is_marked) == ("Pen", False)


def test_tabs_that_hold_no_cells_are_left_out() -> None:
    chart = {"properties": {"sheetId": 3, "title": "Chart", "sheetType": "OBJECT"}}
    assert [t.title for t in read_spreadsheet(answer(chart, grid())).book.tabs] == ["Queue"]


def test_a_tab_too_large_is_refused() -> None:
    sheet = grid()
    far = {"effectiveValue": {"stringValue": "x"}}
    sheet["data"] = [{"startRow": 9_000_000, "rowData": [{"values": [far]}]}]
    with pytest.raises(Stopped, match="sheet Queue is too large"):
        tab(sheet)


@pytest.mark.parametrize("body", [{}, {"sheets": []}, {"properties": {}}])
def test_what_is_no_spreadsheet_is_said_so(body: Obj) -> None:
    with pytest.raises(Unavailable, match="unexpected answer from Google"):
        read_spreadsheet(body)


KEY = "1AbCdEfGhIjKlMnOpQrStUvWxYz_0-9"


@pytest.mark.parametrize(
    "sheet",
    [
        KEY,
        f" {KEY} ",
        f"https://docs.google.com/spreadsheets/d/{KEY}/edit#gid=0",
        f"https://docs.google.com/spreadsheets/d/{KEY}",
        f"docs.google.com/spreadsheets/d/{KEY}/edit?usp=sharing",
        f"https://docs.google.com/spreadsheets/u/1/d/{KEY}/edit",
        f"https://docs.google.com/a/example.org/spreadsheets/d/{KEY}/edit",
        f"https://docs.google.com/spreadsheet/ccc?key={KEY}#gid=1",
        f"https://drive.google.com/open?id={KEY}",
        f"https://drive.google.com/file/d/{KEY}/view",
    ],
)
def test_a_sheet_is_named_by_address_or_key(sheet: str) -> None:
    assert sheet_key(sheet) == KEY


@pytest.mark.parametrize(
    "sheet",
    [
        "",
        "match",
        "https://docs.google.com/document/d/abc/edit",
        f"https://docs.google.com/spreadsheets/d/e/2PACX-{KEY}/pubhtml",
    ],
)
def test_what_names_no_sheet_is_refused(sheet: str) -> None:
    with pytest.raises(WrongUsage):
        GoogleStore(sheet)


# --- through the server ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def running() -> Iterator[SheetsServer]:
    with google() as served:
        yield served


@pytest.fixture
def server(running: SheetsServer) -> SheetsServer:
    cleared(running)
    return running


FORM: dict[str, list[list[Any]]] = {
    "Settings": [
        ["Setting", "Value"],
        ["Match start", dt.datetime(2026, 3, 1, 18, 50)],  # noqa: DTZ001  a wall clock
        ["Submissions tab", "Form Responses 1"],
        ["Submissions message column", "Your swap"],
        ["Submissions player column", "Your name"],
    ],
    "Players": [["Player", "Cell", "Rival"], ["Ann", "A", "Bob"], ["Bob", "B", "Ann"]],
    # A wall clock's time, as cells hold it.
    "Rounds": [["Round", "Start"], [1, dt.datetime(2026, 3, 1, 19, 0)]],  # noqa: DTZ001
    "Queue": [["Timestamp", "Player", "Action"], ["19:01:00", "Ann", "join"]],
    "Form Responses 1": [
        ["Timestamp", "Your name", "Your swap", "Anything else?"],
        # A wall clock's time, as cells hold it.
        [dt.datetime(2026, 3, 1, 19, 1, 20), "ann", "A D", "hi"],  # noqa: DTZ001
        ["02/03/2026 19:01:21", "Bob", "pass", None],
    ],
}


def read(
    server: SheetsServer, folder: Path, locale: str = "en_US", time_zone: str = "Etc/GMT"
) -> Book:
    key = server.new_spreadsheet("Match", FORM, locale=locale, time_zone=time_zone)
    return store(server, key, folder, read_only=True).read()


def test_a_forms_tab_is_read_by_the_spreadsheets_own_zone_and_locale(
    server: SheetsServer, tmp_path: Path
) -> None:
    """c014, c020: real date cells and a stamp of the form's locale, in the spreadsheet's zone."""
    book = read(server, tmp_path, locale="en_GB", time_zone="Asia/Kolkata")
    record = read_book(book).record
    assert record.time_zone == "Asia/Kolkata"
    hour = 3_600_000
    first, second = record.submissions
    assert second.time - first.time == 24 * hour + 1000
    assert first.message == "A D"
    assert record.queue[0].time == first.time - 20_000


def test_the_readonly_scope_is_enough_to_read(server: SheetsServer, tmp_path: Path) -> None:
    read(server, tmp_path)
    (request,) = [entry for entry in server.requests if entry.kind == "read"]
    assert request.scopes == ("https://www.googleapis.com/auth/spreadsheets.readonly",)


@pytest.mark.parametrize("name", ["cut_plain_metadata", "empty_formats"])
def test_what_google_leaves_unclear_makes_no_difference(
    server: SheetsServer, tmp_path: Path, name: str
) -> None:
    key = server.new_spreadsheet("Match", FORM)
    server.hide_row(key, "Queue", 2)
    opened = store(server, key, tmp_path)
    before = opened.read()
    setattr(server.unclear, name, True)
    try:
        assert opened.read() == before
        opened.publish([OwnedTab("Pen", [["Round"], [0]])])
        assert opened.notes == []
    finally:
        setattr(server.unclear, name, False)
    assert before.tabs[3].hidden_rows == {2}


def test_a_dates_serial_is_read_and_written_to_the_millisecond(
    server: SheetsServer, tmp_path: Path
) -> None:
    """c016: a number under a date column becomes a date of that format, exactly."""
    key = server.new_spreadsheet("Match", FORM)
    opened = store(server, key, tmp_path)
    days = 46082.792_372_685_185
    opened.edit([CellEdit("Form Responses 1", 9, 1, WallClock(days))])
    cell = server.cell(key, "Form Responses 1", "A9")
    assert abs(cell["userEnteredValue"]["numberValue"] - days) * 86_400_000 < 0.01
    assert cell["effectiveFormat"]["numberFormat"]["type"] == "DATE_TIME"


def test_a_formula_is_not_written_over(server: SheetsServer, tmp_path: Path) -> None:
    own = {"userEnteredValue": {"formulaValue": "=Players!A2"}}
    key = server.new_spreadsheet("Match", {**FORM, "Queue": [["Player"], [own]]})
    with pytest.raises(Stopped, match="Queue!A2 holds a formula"):
        store(server, key, tmp_path).edit([CellEdit("Queue", 2, 1, "Ann")])
    assert server.cells(key, "Queue")[1] == ["Ann"]


def test_an_owned_tab_is_found_by_its_mark_after_a_host_renamed_it(
    server: SheetsServer, tmp_path: Path
) -> None:
    key = server.new_spreadsheet("Match", FORM)
    opened = store(server, key, tmp_path)
    opened.publish([OwnedTab("Pen", [["Round"], [0]])])
    sheet = server.book(key).sheets[-1]
    sheet.properties["title"] = "The pigs' pen"
    opened.read()
    opened.publish([OwnedTab("Pen", [["Round"], [0], [1]])])
    assert server.titles(key)[-1] == "The pigs' pen"
    assert server.cells(key, "The pigs' pen") == [["Round"], [0], [1]]


def test_what_a_host_typed_or_merged_in_an_owned_tab_goes(
    server: SheetsServer, tmp_path: Path
) -> None:
    """Number formats, merges and cells of the host's are gone after the next publication."""
    key = server.new_spreadsheet("Match", FORM)
    opened = store(server, key, tmp_path)
    opened.publish([OwnedTab("Pen", [["Round", "A"], [1, "Ann"], [2, "Ben"]])])
    server.set_cell(key, "Pen", "A2", dt.date(2026, 3, 1))
    pen = server.book(key).sheets[-1].id
    for dimension in ("ROWS", "COLUMNS"):
        more = {"sheetId": pen, "dimension": dimension, "length": 10}
        server.change(key, {"appendDimension": more})
    server.set_cell(key, "Pen", "D9", "mine")
    area = {"sheetId": pen, "startRowIndex": 1, "endRowIndex": 3}
    area |= {"startColumnIndex": 1, "endColumnIndex": 2}
    server.change(key, {"mergeCells": {"range": area, "mergeType": "MERGE_ALL"}})
    opened.read()
    opened.publish([OwnedTab("Pen", [["Round", "A"], [1, "Ann"], [2, "Ben"]])])
    assert server.cells(key, "Pen") == [["Round", "A"], [1, "Ann"], [2, "Ben"]]
    again = store(server, key, tmp_path)
    assert again.read().tabs[-1].rows == [["Round", "A"], [1, "Ann"], [2, "Ben"]]
    server.requests.clear()
    again.publish([OwnedTab("Pen", [["Round", "A"], [1, "Ann"], [2, "Ben"]])])
    assert "write" not in server.requests.counts()


@pytest.mark.parametrize("named", [True, False])
def test_an_uploaded_template_is_published_into(
    server: SheetsServer, tmp_path: Path, named: bool
) -> None:
    """Its tabs hold headers without players; they get the marks and warnings of a Google Sheet."""
    key = server.new_spreadsheet("Match", {"Hunger": [["Round"]], "Pen": [], "Queue": [["x"]]})
    if named:
        for index, title in enumerate(("Hunger", "Pen")):
            area = {"sheetId": server.book(key).sheets[index].id, "endRowIndex": 1}
            area |= {"startRowIndex": 0, "startColumnIndex": 0, "endColumnIndex": 1}
            name = {"name": f"_referee_{title}", "range": area}
            server.change(key, {"addNamedRange": {"namedRange": name}})
    opened = store(server, key, tmp_path)
    wanted = [OwnedTab("Hunger", [["Round", "Ann"], [0, 10]]), OwnedTab("Pen", [["Round"], [0]])]
    opened.publish(wanted)
    assert [bool(s.metadata and s.protections) for s in server.book(key).sheets] == [
        True,
        True,
        False,
    ]
    server.requests.clear()
    opened.publish(wanted)
    assert "write" not in server.requests.counts()


def test_a_chart_under_an_owned_title_is_the_hosts(server: SheetsServer, tmp_path: Path) -> None:
    key = server.new_spreadsheet("Match", FORM)
    server.add_object_tab(key, "Pen")
    with pytest.raises(Stopped, match="is not the referee's Pen"):
        store(server, key, tmp_path).publish([OwnedTab("Pen", [["Round"]])])


def test_c040_a_text_google_cannot_hold_is_refused_before_anything(
    server: SheetsServer, tmp_path: Path
) -> None:
    key = server.new_spreadsheet("Match", FORM)
    with pytest.raises(Stopped, match="a cell holds 50,000"):
        store(server, key, tmp_path).publish([OwnedTab("Pen", [["x" * 50_001]])])
    assert server.requests.counts() == {}


def test_owned_tabs_look_like_the_referees(server: SheetsServer, tmp_path: Path) -> None:
    """A coloured tab, a frozen bold header, a warning for whoever types there."""
    key = server.new_spreadsheet("Match", FORM)
    store(server, key, tmp_path).publish([OwnedTab("Pen", [["Round"], [0]])])
    sheet = server.book(key).sheets[-1]
    assert sheet.properties["tabColorStyle"]
    assert sheet.grid["frozenRowCount"] == 1
    assert sheet.protections[0]["warningOnly"]
    assert server.cell(key, "Pen", "A1")["effectiveFormat"]["textFormat"]["bold"]
    (entry,) = sheet.metadata
    assert (entry["metadataKey"], entry["visibility"]) == (MARK, "DOCUMENT")


def test_a_new_sheet_offers_what_may_be_typed(server: SheetsServer, tmp_path: Path) -> None:
    """Drop-downs, date formats and help are laid out in one write."""
    key = server.new_spreadsheet("Match")
    store(server, key, tmp_path).create()
    assert server.requests.counts() == {"token": 1, "read": 1, "write": 1}
    action = server.cell(key, "Queue", "C2")
    listed = [v["userEnteredValue"] for v in action["dataValidation"]["condition"]["values"]]
    assert listed == ["join", "withdraw", "exit", "leave", "enter"]
    player = server.cell(key, "Queue", "B2")
    assert player["dataValidation"]["condition"]["type"] == "ONE_OF_RANGE"
    stamp = server.cell(key, "Queue", "A2")["effectiveFormat"]["numberFormat"]
    assert stamp == {"type": "DATE_TIME", "pattern": "yyyy-mm-dd hh:mm:ss"}
    assert server.cell(key, "Queue", "A1")["note"]
    assert server.book(key).sheets[7].conditional_formats
