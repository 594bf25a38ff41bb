"""Typed cells, grid data, masks and limits, as the reference and measurements describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.google_sheets import HOST, SheetsServer
from tests.google_sheets.plain import Plain, message

if TYPE_CHECKING:
    from collections.abc import Iterator

Cell = dict[str, Any]
REFEREE_MASK = (
    "spreadsheetId,properties(title,locale,timeZone),sheets(properties,merges,protectedRanges,"
    "developerMetadata,data(startRow,startColumn,rowData(values(userEnteredValue,effectiveValue,"
    "formattedValue,effectiveFormat(numberFormat))),rowMetadata(hiddenByUser,hiddenByFilter)))"
)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[SheetsServer]:
    with SheetsServer() as running:
        yield running


@pytest.fixture
def server(shared_server: SheetsServer) -> Iterator[SheetsServer]:
    yield shared_server
    shared_server.unclear.cut_plain_metadata = False
    shared_server.unclear.empty_formats = False


@pytest.fixture
def key(server: SheetsServer) -> str:
    return server.new_spreadsheet("Match", {"Moves": []})


@pytest.fixture
def api(server: SheetsServer) -> Plain:
    return Plain(server)


def text(value: str) -> Cell:
    return {"userEnteredValue": {"stringValue": value}}


def number(value: float, kind: str = "", pattern: str = "") -> Cell:
    cell: Cell = {"userEnteredValue": {"numberValue": value}}
    if kind:
        number_format = {"type": kind} | ({"pattern": pattern} if pattern else {})
        cell["userEnteredFormat"] = {"numberFormat": number_format}
    return cell


def formula(value: str) -> Cell:
    return {"userEnteredValue": {"formulaValue": value}}


def update(*rows: list[Cell], fields: str = "userEnteredValue", **place: Any) -> Any:
    where = place or {"start": {"sheetId": 0}}
    return {"updateCells": {"rows": [{"values": row} for row in rows], "fields": fields} | where}


def area(top: int, bottom: int, left: int, right: int) -> Cell:
    return {
        "startRowIndex": top,
        "endRowIndex": bottom,
        "startColumnIndex": left,
        "endColumnIndex": right,
    }


def grid(api: Plain, key: str, below: str, *ranges: str) -> Any:
    query: Cell = {"fields": f"sheets.data({below})"}
    if ranges:
        query["ranges"] = list(ranges)
    return api.get(key, **query)["sheets"][0]["data"][0]


def test_text_is_never_parsed(server: SheetsServer, api: Plain, key: str) -> None:
    """What looks like a formula, a number or a truth value comes back as it was sent."""
    words = ["=1+2", "+5", "007", "TRUE", "'quoted", "1/2/2026"]
    api.batch(key, update([text(word) for word in words]))
    row = grid(api, key, "rowData.values(userEnteredValue,effectiveValue,formattedValue)")
    for cell, word in zip(row["rowData"][0]["values"], words, strict=True):
        assert cell["userEnteredValue"] == cell["effectiveValue"] == {"stringValue": word}
        assert cell["formattedValue"] == word


def test_formulas_errors_and_the_empty_text(api: Plain, key: str) -> None:
    """Formulas keep their text beside their result; an empty result leaves no trace of a value."""
    api.batch(
        key,
        update([formula("=1/0"), formula("=NA()"), formula('=""'), formula("=DATE(2026,9,27)")]),
    )
    values = "userEnteredValue,effectiveValue,formattedValue,effectiveFormat(numberFormat)"
    zero, na, empty, day = grid(api, key, f"rowData.values({values})")["rowData"][0]["values"]
    assert zero["effectiveValue"]["errorValue"]["type"] == "DIVIDE_BY_ZERO"
    assert zero["formattedValue"] == "#DIV/0!"
    assert na["effectiveValue"] == {"errorValue": {"type": "N_A"}}
    assert empty == {"userEnteredValue": {"formulaValue": '=""'}}
    assert day["effectiveValue"] == {"numberValue": 46292}
    assert day["formattedValue"] == "9/27/2026"
    assert day["effectiveFormat"] == {"numberFormat": {"type": "DATE"}}


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (number(0.542, "PERCENT"), "54.20%"),
        (number(1234567.891, "NUMBER", "#,##0.0"), "1,234,567.9"),
        (number(-3, "NUMBER", "0;(0)"), "(3)"),
        (number(46292.999999999), "46293"),
        (number(46292.9999999999, "DATE_TIME", "yyyy-mm-dd hh:mm:ss"), "2026-09-28 00:00:00"),
        (number(1.0625, "TIME", "[h]:mm:ss"), "25:30:00"),
        (number(0.5, "TIME", "h:mm am/pm"), "12:00 PM"),
        (number(46292.5, "DATE", "d mmm yyyy"), "27 Sep 2026"),
        (number(7, "TEXT"), "7"),
        (number(1 / 3), "0.3333333333"),
    ],
)
def test_numbers_are_shown_by_their_format(api: Plain, key: str, cell: Cell, shown: str) -> None:
    """formattedValue follows type and pattern, and rounds."""
    api.batch(key, update([cell], fields="userEnteredValue,userEnteredFormat.numberFormat"))
    assert grid(api, key, "rowData.values.formattedValue")["rowData"] == [
        {"values": [{"formattedValue": shown}]}
    ]


@pytest.mark.parametrize(
    ("locale", "day", "share"), [("de_DE", "27.09.2026", "1,5"), ("en_GB", "27/09/2026", "1.5")]
)
def test_the_locale_writes(server: SheetsServer, locale: str, day: str, share: str) -> None:
    """Day order and decimal sign are the spreadsheet's."""
    cells = [number(46292, "DATE"), number(1.5)]
    key = server.new_spreadsheet("Local", {"T": [cells]}, locale=locale)
    shown = grid(Plain(server), key, "rowData.values.formattedValue")["rowData"][0]["values"]
    assert [cell["formattedValue"] for cell in shown] == [day, share]


def test_a_range_clears_what_the_rows_leave_out(server: SheetsServer, api: Plain, key: str) -> None:
    """Only masked fields of the range change: values go, notes and cells outside stay."""
    noted = text("old") | {"note": "keep"}
    api.batch(key, update([noted, noted], [noted, noted], [noted], fields="*"))
    api.batch(key, update([text("new")], range=area(0, 2, 0, 2)))
    assert server.cells(key, "Moves") == [["new"], [], ["old"]]
    assert server.cell(key, "Moves", "B2") == {
        "note": "keep",
        "effectiveFormat": server.cell(key, "Moves", "B2")["effectiveFormat"],
    }
    api.batch(key, update(range={"sheetId": 0}, fields="*"))
    assert server.book(key).sheets[0].cells == {}


def test_a_start_changes_only_given_cells(server: SheetsServer, api: Plain, key: str) -> None:
    """Ragged rows are fine from a start; a cell without the masked field is cleared."""
    api.batch(key, update([text("a"), text("b")], [text("c"), text("d")]))
    api.batch(key, update([{}], [], [text("e"), text("f"), text("g")]))
    assert server.cells(key, "Moves") == [["", "b"], ["c", "d"], ["e", "f", "g"]]


def test_writing_past_the_end(api: Plain, key: str) -> None:
    """Too wide is refused alike for a small range and a small grid."""
    told = api.refused(key, update([text("a")] * 3, range=area(0, 1, 0, 2)))
    assert told == (
        "Invalid requests[0].updateCells: Attempting to write column: 2, "
        "beyond the last requested column of: 1"
    )
    told = api.refused(key, update([text("a")] * 27))
    assert told.endswith("write column: 26, beyond the last requested column of: 25")
    deep = api.refused(key, update([text("a")], start={"rowIndex": 1000}))
    assert "1000" in deep


def test_grid_data_is_trimmed_by_the_mask(api: Plain, key: str) -> None:
    """Rows and data end at the last cell the mask shows; gaps and empty rows are ``{}``."""
    bold = {"userEnteredFormat": {"textFormat": {"bold": True}}}
    rows: list[list[Cell]] = [[text("a"), {}, text("b"), bold], [], [text("c")], [bold]]
    api.batch(key, update(*rows, fields="*"))
    found = grid(api, key, "startRow,startColumn,rowData.values.userEnteredValue")
    assert found == {
        "rowData": [{"values": [text("a"), {}, text("b")]}, {}, {"values": [text("c")]}]
    }
    assert len(grid(api, key, "rowData.values")["rowData"]) == 4
    part = grid(api, key, "startRow,startColumn,rowData.values.userEnteredValue", "Moves!C1:D9")
    assert part == {"startColumn": 2, "rowData": [{"values": [text("b")]}]}
    assert grid(api, key, "startRow,rowData.values.note", "Moves!A5:B6") == {"startRow": 4}


def test_the_referees_mask(server: SheetsServer, api: Plain, key: str) -> None:
    """One get tells values, types, merges, hidden rows, protection, metadata and locale."""
    hide = {"dimension": "ROWS", "startIndex": 1, "endIndex": 2}
    tag = {"metadataKey": "referee.tab", "visibility": "DOCUMENT", "location": {"sheetId": 0}}
    api.batch(
        key,
        update([text("Team")], [], [{}, number(46292.5, "DATE_TIME")], fields="*"),
        {"mergeCells": {"range": area(0, 2, 0, 1), "mergeType": "MERGE_ALL"}},
        {
            "updateDimensionProperties": {
                "range": hide,
                "properties": {"hiddenByUser": True},
                "fields": "hiddenByUser",
            }
        },
        {"addProtectedRange": {"protectedRange": {"range": {"sheetId": 0}, "warningOnly": True}}},
        {"createDeveloperMetadata": {"developerMetadata": tag | {"metadataValue": "1"}}},
    )
    found = api.get(key, fields=REFEREE_MASK)
    assert found["properties"] == {"title": "Match", "locale": "en_US", "timeZone": "Etc/GMT"}
    sheet = found["sheets"][0]
    assert sheet["properties"]["sheetId"] == 0
    assert sheet["merges"] == [area(0, 2, 0, 1)]
    assert sheet["protectedRanges"][0]["range"] == {}
    assert sheet["protectedRanges"][0]["warningOnly"] is True
    entry = sheet["developerMetadata"][0]
    assert (entry["metadataKey"], entry["metadataValue"]) == ("referee.tab", "1")
    assert entry["location"] == {"sheetId": 0, "locationType": "SHEET"}
    data = sheet["data"][0]
    assert data["rowData"][:2] == [
        {
            "values": [
                text("Team") | {"effectiveValue": {"stringValue": "Team"}} | formatted("Team")
            ]
        },
        {},
    ]
    day = data["rowData"][2]["values"][1]
    assert day["effectiveFormat"] == {"numberFormat": {"type": "DATE_TIME"}}
    assert data["rowMetadata"][:3] == [{}, {"hiddenByUser": True}, {}]
    assert len(data["rowMetadata"]) == 1000
    server.unclear.cut_plain_metadata = server.unclear.empty_formats = True
    other = api.get(key, fields=REFEREE_MASK)["sheets"][0]["data"][0]
    assert other["rowMetadata"] == [{}, {"hiddenByUser": True}]
    assert other["rowData"][0]["values"][0]["effectiveFormat"] == {}


def formatted(shown: str) -> Cell:
    return {"formattedValue": shown}


def test_which_masks_bring_cells(api: Plain, key: str) -> None:
    """``sheets`` does, ``*`` and ``sheets.properties`` do not; any mask overrules the flag."""
    assert "data" in api.get(key, fields="sheets")["sheets"][0]
    assert "data" not in api.get(key, fields="*", includeGridData="true")["sheets"][0]
    assert "data" not in api.get(key, fields="sheets.properties")["sheets"][0]
    whole = api.get(key, includeGridData="true")["sheets"][0]["data"][0]
    assert whole["columnMetadata"] == [{"pixelSize": 100}] * 26
    assert "rowData" not in whole


@pytest.mark.parametrize(
    ("mask", "path"),
    [
        ("sheets.cells", "sheets.cells"),
        ("sheets(properties,data(rows))", "sheets.data.rows"),
        ("sheets/data/rowData/values/notes", "sheets.data.rowData.values.notes"),
        ("properties.title.x", "properties.title.x"),
    ],
)
def test_a_mask_with_an_unknown_field(api: Plain, key: str, mask: str, path: str) -> None:
    """A mask is refused with the path that names nothing."""
    answer = api.call("GET", key, fields=mask)
    assert message(answer) == "Request contains an invalid argument."
    violation = answer.json()["error"]["details"][0]["fieldViolations"][0]
    assert violation["field"] == path
    assert f"Cannot find matching fields for path '{path}'" in violation["description"]


def test_ranges_choose_tabs_and_blocks(server: SheetsServer, api: Plain) -> None:
    """Untouched tabs are left out, each range is a block, ends are cut, case does not matter."""
    key = server.new_spreadsheet("M", {"Pen": [["a", "b"], ["c"]], "D3": [["x"]], "Log": []})
    found = api.get(
        key,
        ranges=["pen!B1:ZZ1", "Pen!A2:A9999", "'D3'"],
        fields="sheets(properties.title,data(startRow,startColumn,rowData.values.formattedValue))",
    )
    pen, other = found["sheets"]
    assert [sheet["properties"]["title"] for sheet in (pen, other)] == ["Pen", "D3"]
    assert pen["data"] == [
        {"startColumn": 1, "rowData": [{"values": [formatted("b")]}]},
        {"startRow": 1, "rowData": [{"values": [formatted("c")]}]},
    ]
    assert other["data"] == [{"rowData": [{"values": [formatted("x")]}]}]
    cell = api.call("GET", f"{key}/values/D3").json()
    assert cell["range"] == "Pen!D3"


@pytest.mark.parametrize(
    ("range_", "told"),
    [
        ("Gone", "Unable to parse range: Gone"),
        ("'Gone'!A1", "Unable to parse range: 'Gone'!A1"),
        ("Moves!A1:B2:C3", "Unable to parse range: Moves!A1:B2:C3"),
        (
            "Moves!A1001:B",
            "Range (Moves!A1001:B) exceeds grid limits. Max rows: 1000, max columns: 26",
        ),
        ("ABC1", "Range (Moves!ABC1) exceeds grid limits. Max rows: 1000, max columns: 26"),
    ],
)
def test_ranges_that_cannot_be(api: Plain, key: str, range_: str, told: str) -> None:
    """A range without a tab, or starting past the grid, is refused by both kinds of reading."""
    assert message(api.call("GET", f"{key}/values/{range_}")) == told
    assert message(api.call("GET", key, ranges=range_)) == told


def test_an_unknown_field_in_a_body(server: SheetsServer, api: Plain, key: str) -> None:
    """Names are checked at every depth, all faults are told, and nothing is changed."""
    body = {"requests": [{"updateCells": {"range": {"sheet": 1}, "colour": 1}}, {"fly": {}}]}
    answer = api.call("POST", f"{key}:batchUpdate", body)
    lines = message(answer).split("\n")
    head = "Invalid JSON payload received. Unknown name"
    assert lines == [
        f"{head} \"sheet\" at 'requests[0].update_cells.range': Cannot find field.",
        f"{head} \"colour\" at 'requests[0].update_cells': Cannot find field.",
        f"{head} \"fly\" at 'requests[1]': Cannot find field.",
    ]
    assert len(answer.json()["error"]["details"][0]["fieldViolations"]) == 3
    wrong = {"requests": [{"addSheet": {"properties": {"sheetId": "x", "hidden": 1}}}]}
    told = message(api.call("POST", f"{key}:batchUpdate", wrong))
    assert 'properties.sheet_id\' (TYPE_INT32), "x"' in told
    assert "properties.hidden' (TYPE_BOOL), 1" in told
    unknown = message(api.call("GET", key, includeGridDatum="true"))
    assert 'Unknown name "includeGridDatum": Cannot bind query parameter' in unknown


def test_not_a_number_is_no_json(server: SheetsServer, api: Plain, key: str) -> None:
    """NaN and Infinity, which some writers of JSON produce, are refused."""
    import requests

    url = f"{server.base_url}/v4/spreadsheets/{key}/values/A1?valueInputOption=RAW"
    headers = {"Authorization": f"Bearer {server.token()}"}
    answer = requests.put(url, data='{"values": [[NaN]]}', headers=headers, timeout=9)
    assert message(answer).startswith("Invalid JSON payload received.")


def test_limits(api: Plain, key: str) -> None:
    """50,000 characters in a cell, ten million cells, one name only once."""
    long = "x" * 50_001
    told = "Your input contains more than the maximum of 50000 characters in a single cell."
    assert api.refused(key, update([text(long)])) == f"Invalid requests[0].updateCells: {told}"
    api.batch(key, update([text(long[1:])]))
    put = api.call("PUT", f"{key}/values/A1", {"values": [[long]]}, valueInputOption="RAW")
    assert message(put) == told
    big = {"rowCount": 10_000_000, "columnCount": 1}
    told = api.refused(key, {"addSheet": {"properties": {"title": "Big", "gridProperties": big}}})
    assert told.endswith("above the limit of 10000000 cells.")
    told = api.refused(key, {"addSheet": {"properties": {"title": "MOVES"}}})
    assert told == (
        'Invalid requests[0].addSheet: A sheet with the name "MOVES" already exists. '
        "Please enter another name."
    )
    assert "already" in api.refused(key, {"addSheet": {"properties": {"sheetId": 0}}})


def test_a_batch_is_all_or_nothing(server: SheetsServer, api: Plain, key: str) -> None:
    """The last request's fault undoes the others; the message counts from 0."""
    before = server.snapshot(key)
    told = api.refused(
        key,
        {"addSheet": {"properties": {"title": "Pen", "sheetId": 5}}},
        update([text("x")], start={"sheetId": 5}),
        {"deleteSheet": {"sheetId": 99}},
    )
    assert told == "Invalid requests[2].deleteSheet: No sheet with id: 99"
    assert server.snapshot(key) == before


def test_a_bad_wish_for_the_answer_undoes_the_batch(
    server: SheetsServer, api: Plain, key: str
) -> None:
    """A mask or a range of the answer that cannot be is found before anything takes effect."""
    body: Cell = {"requests": [{"addSheet": {"properties": {"title": "Pen"}}}]}
    assert message(api.call("POST", f"{key}:batchUpdate", body, fields="answers"))
    body |= {"includeSpreadsheetInResponse": True, "responseRanges": ["Gone!A1"]}
    assert message(api.call("POST", f"{key}:batchUpdate", body)).endswith("range: Gone!A1")
    put = api.call(
        "PUT", f"{key}/values/A1", {"values": [["x"]]}, valueInputOption="RAW", fields="no"
    )
    assert message(put)
    assert server.titles(key) == ["Moves"]
    assert server.cells(key, "Moves") == []


def test_a_chart_tab_has_no_cells(server: SheetsServer, api: Plain, key: str) -> None:
    """It is listed without a grid, and no range may name it."""
    server.add_object_tab(key, "Chart")
    server.hide_row(key, "Moves", 2, by_filter=True)
    moves, chart = api.get(key, fields="sheets")["sheets"]
    assert chart == {
        "properties": {
            "sheetId": chart["properties"]["sheetId"],
            "title": "Chart",
            "index": 1,
            "sheetType": "OBJECT",
        }
    }
    assert moves["data"][0]["rowMetadata"][1] == {"pixelSize": 21, "hiddenByFilter": True}
    assert "Unable to parse" in message(api.call("GET", f"{key}/values/Chart"))


def test_an_added_tab_can_be_used_in_the_same_batch(api: Plain, key: str) -> None:
    """The example of a whole publish, answered with the changed spreadsheet through a mask."""
    rows = [number(46292.5, "DATE_TIME", "yyyy-mm-dd hh:mm")]
    tab = {
        "sheetId": 730001,
        "title": "Referee",
        "gridProperties": {"rowCount": 9, "columnCount": 3},
    }
    place = {"sheetId": 730001, "startRowIndex": 0, "endRowIndex": 9} | {"endColumnIndex": 3}
    tag = {"metadataKey": "k", "visibility": "DOCUMENT", "location": {"sheetId": 730001}}
    answer = api.call(
        "POST",
        f"{key}:batchUpdate",
        {
            "requests": [
                {"addSheet": {"properties": tab}},
                update(rows, range=place, fields="userEnteredValue,userEnteredFormat.numberFormat"),
                {"createDeveloperMetadata": {"developerMetadata": tag}},
            ],
            "includeSpreadsheetInResponse": True,
            "responseRanges": ["'Referee'!A1:C9"],
        },
        fields="replies,updatedSpreadsheet(sheets(properties.sheetId,data.rowData.values.formattedValue))",
    ).json()
    added = answer["replies"][0]["addSheet"]["properties"]
    assert (added["sheetId"], added["index"]) == (730001, 1)
    assert answer["replies"][2]["createDeveloperMetadata"]["developerMetadata"]["metadataId"] > 0
    assert answer["updatedSpreadsheet"] == {
        "sheets": [
            {
                "properties": {"sheetId": 730001},
                "data": [{"rowData": [{"values": [formatted("2026-09-27 12:00")]}]}],
            }
        ]
    }


def test_protection_of_whole_tabs(api: Plain, key: str) -> None:
    """A tab is protected once; a warning has no editors; turning it off lets every editor in."""
    whole: Cell = {"range": {"sheetId": 0}, "warningOnly": True}
    made = api.batch(key, {"addProtectedRange": {"protectedRange": whole}})
    number_ = made["replies"][0]["addProtectedRange"]["protectedRange"]["protectedRangeId"]
    told = api.refused(key, {"addProtectedRange": {"protectedRange": whole}})
    assert told.endswith('Sheet "Moves" already has sheet protection.')
    part = {"range": area(0, 1, 0, 1), "warningOnly": True, "editors": {"users": [HOST]}}
    told = api.refused(key, {"addProtectedRange": {"protectedRange": part}})
    assert told.endswith("ProtectedRange is warningOnly. Editors cannot be set on it.")
    off = {"protectedRange": {"protectedRangeId": number_}, "fields": "warningOnly"}
    api.batch(key, {"updateProtectedRange": off})
    gone = {"deleteProtectedRange": {"protectedRangeId": number_}}
    api.batch(key, gone)
    assert api.refused(key, gone).endswith(f"No protected range with id: {number_}")


def test_metadata_is_found_and_goes_with_its_tab(api: Plain, key: str) -> None:
    """Search finds entries by key or place; deleting the tab deletes them."""
    tag = {"metadataKey": "k", "metadataValue": "v", "visibility": "DOCUMENT"}
    api.batch(
        key,
        {"addSheet": {"properties": {"title": "Pen", "sheetId": 5}}},
        {"createDeveloperMetadata": {"developerMetadata": tag | {"location": {"sheetId": 5}}}},
        {
            "createDeveloperMetadata": {
                "developerMetadata": tag | {"location": {"spreadsheet": True}}
            }
        },
    )

    def found(**lookup: Any) -> list[Any]:
        body = {"dataFilters": [{"developerMetadataLookup": lookup}]}
        answer = api.call("POST", f"{key}/developerMetadata:search", body).json()
        matched: list[Any] = answer.get("matchedDeveloperMetadata", [])
        return [entry["developerMetadata"]["location"] for entry in matched]

    assert len(found(metadataKey="k")) == 2
    assert found(metadataLocation={"sheetId": 5}) == [{"sheetId": 5, "locationType": "SHEET"}]
    assert found(metadataKey="other") == []
    api.batch(key, {"deleteSheet": {"sheetId": 5}})
    assert found(metadataKey="k") == [{"spreadsheet": True, "locationType": "SPREADSHEET"}]


def test_a_colour_has_two_fields_that_agree(server: SheetsServer, api: Plain, key: str) -> None:
    """The field that was written last decides, in steps of 1/255; clearing one clears both."""

    def paint(fields: str, **given: Any) -> Any:
        api.batch(
            key, update([{"userEnteredFormat": given}], fields=f"userEnteredFormat({fields})")
        )
        return server.cell(key, "Moves", "A1").get("userEnteredFormat")

    red, half = {"red": 1}, {"red": 0.49803922}
    assert paint("backgroundColorStyle", backgroundColorStyle={"rgbColor": red}) == {
        "backgroundColor": red,
        "backgroundColorStyle": {"rgbColor": red},
    }
    assert paint("backgroundColor", backgroundColor={"red": 0.5}) == {
        "backgroundColor": half,
        "backgroundColorStyle": {"rgbColor": half},
    }
    assert paint("backgroundColor") is None


def test_named_ranges_move_with_rows(api: Plain, key: str) -> None:
    """Rows put in above a range move it; a name stands for its cells in values calls."""
    named = {"name": "teams", "range": area(1, 3, 0, 1)}
    api.batch(
        key, update([text("h")], [text("A")], [text("B")]), {"addNamedRange": {"namedRange": named}}
    )
    row = {"dimension": "ROWS", "startIndex": 0, "endIndex": 1}
    api.batch(key, {"insertDimension": {"range": row}})
    assert api.get(key, fields="namedRanges")["namedRanges"][0]["range"] == area(2, 4, 0, 1)
    found = api.call("GET", f"{key}/values/teams").json()
    assert (found["range"], found["values"]) == ("Moves!A3:A4", [["A"], ["B"]])


def test_an_append_follows_the_last_table(server: SheetsServer, api: Plain) -> None:
    """Rows go below the last table the range meets, from its first column, growing the grid."""
    rows = [["A", "", "B", "", "", "side"], ["C", "D", "", "", "", "side"]]
    key = server.new_spreadsheet("M", {"Q": rows})
    body = {"values": [["x", "y"]]}

    def append(range_: str) -> Any:
        path = f"{key}/values/{range_}:append"
        return api.call("POST", path, body, valueInputOption="RAW").json()

    assert append("Q!A1")["tableRange"] == "Q!A1:C2"
    assert append("Q!A1")["updates"]["updatedRange"] == "Q!A4:B4"
    assert append("Q!F1")["updates"]["updatedRange"] == "Q!F3:G3"
    assert "tableRange" not in append("Q!J9")
    server.book(key).sheets[0].resize(5, 10)
    assert append("Q!A1")["updates"]["updatedRange"] == "Q!A5:B5"
    assert append("Q!A1")["updates"]["updatedRange"] == "Q!A6:B6"
    assert server.book(key).sheets[0].row_count == 6


def test_a_write_outside_its_range(api: Plain, key: str) -> None:
    """Two corners are a bound, one cell is a start; the grid does not grow for an update."""

    def put(range_: str, values: list[list[str]]) -> Any:
        return api.call("PUT", f"{key}/values/{range_}", {"values": values}, valueInputOption="RAW")

    told = "Requested writing within range ['Moves'!A1:B1], but tried writing to "
    assert message(put("Moves!A1:B1", [["a"], ["b"]])) == told + "row [2]"
    assert message(put("Moves!A1:B1", [["a", "b", "c"]])) == told + "column [C]"
    assert put("Moves!A1", [["a"], ["b"]]).json()["updatedRange"] == "Moves!A1:A2"
    assert "exceeds grid limits" in message(put("Moves!A1000", [["a"], ["b"]]))
    missing = api.call("PUT", f"{key}/values/A1", {"values": [["x"]]})
    assert "valueInputOption" in message(missing)
    batch = {"valueInputOption": "RAW", "data": [{"range": "Gone!A1", "values": [["x"]]}]}
    answer = api.call("POST", f"{key}/values:batchUpdate", batch)
    assert message(answer) == "Invalid data[0]: Unable to parse range: Gone!A1"
