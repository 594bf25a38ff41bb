"""Setting single cells of a host's tabs: the cell, its style and its place, and nothing else."""

import datetime as dt
import re
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from referee.match.faults import Stopped
from referee.stores.contract import CellEdit, WallClock
from referee.stores.writable import clock_text
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import Moment, Tab, Value
from tests.support import xlsx_samples as x

NOON = 46355.5
HEADER = x.row(1, x.text_cell("A1", "Timestamp", 6), x.text_cell("B1", "Player", 6))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.xlsx"


def edit(path: Path, *edits: tuple[int, int, object], tab: str = "Queue") -> None:
    # A sample or double is looser than the type, on purpose.
    XlsxStore(path).edit([CellEdit(tab, row, column, value) for row, column, value in edits])  # type: ignore[arg-type]


def queue(path: Path) -> Tab:
    return next(tab for tab in XlsxStore(path).read().tabs if tab.title == "Queue")


def sheet_xml(path: Path) -> str:
    return x.unzipped(path)["xl/worksheets/sheet1.xml"].decode()


def write(path: Path, rows: str, **options: str) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(rows, **options)})))


def stops(path: Path, words: str, edits: Sequence[tuple[int, int, object]]) -> None:
    before = path.read_bytes()
    with pytest.raises(Stopped, match=re.escape(words)):
        edit(path, *edits)
    assert path.read_bytes() == before


def test_cells_are_set_where_they_stand_and_the_rest_is_kept_to_the_letter(path: Path) -> None:
    rows = (
        HEADER
        + '<row r="2" spans="1:2" ht="20" customHeight="1" x14ac:dyDescent="0.25" '
        + 'xmlns:x14ac="urn:x"><c r="A2" s="1"><v>46355.25</v></c><c r="C2" s="7"/></row>'
        + x.row(4, x.text_cell("B4", "Cy"))
    )
    after = '<dataValidations count="1"><dataValidation sqref="B2:B9"/></dataValidations>'
    write(path, rows, before='<dimension ref="A1:C4"/>', after=after)
    before = sheet_xml(path)
    edit(path, (2, 2, "Ann"), (2, 3, "void"), (3, 1, 7), (5, 4, True), (4, 2, None))
    expected = (
        before.replace('<c r="C2" s="7"/>', "{B2}{C2}")
        .replace('<row r="4">', '<row r="3"><c r="A3" s="1"><v>7</v></c></row><row r="4">')
        .replace(x.text_cell("B4", "Cy"), "")
        .replace("</sheetData>", '<row r="5"><c r="D5" t="b"><v>1</v></c></row></sheetData>')
        .replace('spans="1:2"', 'spans="1:3"')
        .replace("A1:C4", "A1:D5")
        .replace("{B2}", '<c r="B2" t="inlineStr"><is><t>Ann</t></is></c>')
        .replace("{C2}", '<c r="C2" s="7" t="inlineStr"><is><t>void</t></is></c>')
    )
    assert sheet_xml(path) == expected


def test_every_other_part_stays_as_it_is_stored(path: Path) -> None:
    write(path, HEADER)
    parts = x.unzipped(path)
    edit(path, (2, 1, "x"))
    for name, content in x.unzipped(path).items():
        assert (content == parts[name]) == (name != "xl/worksheets/sheet1.xml")


def test_new_cells_look_like_the_one_above_or_their_column_but_never_like_the_header(
    path: Path,
) -> None:
    rows = HEADER + x.row(2, x.number_cell("A2", "46355", x.STAMP))
    write(path, rows, before='<cols><col min="2" max="3" style="7"/></cols>')
    edit(path, (3, 1, WallClock(NOON)), (3, 2, "Ann"), (4, 1, WallClock(NOON)), (4, 4, "x"))
    text = sheet_xml(path)
    assert '<c r="A3" s="1"><v>46355.5</v></c><c r="B3" s="7" t="inlineStr">' in text
    assert '<c r="A4" s="1"><v>46355.5</v></c><c r="D4" t="inlineStr">' in text
    rows += x.row(3, x.text_cell("B3", "Ann")) + x.row(4, x.text_cell("B4", "Bob"))
    write(path, rows)
    edit(path, (5, 1, WallClock(NOON)))
    assert '<c r="A5" s="1"><v>46355.5</v></c>' in sheet_xml(path)
    write(path, HEADER)
    edit(path, (2, 1, "first"))
    assert '<c r="A2" t="inlineStr">' in sheet_xml(path)


# --- times -----------------------------------------------------------------------------------


def test_a_time_is_a_number_where_its_style_shows_dates_with_times(path: Path) -> None:
    write(path, HEADER + x.row(2, x.number_cell("A2", "46355", x.STAMP)))
    quarter = NOON + 0.25 / 86400
    edit(path, (3, 1, WallClock(quarter)))
    assert queue(path).rows[2] == [Moment(quarter, "date-time")]


@pytest.mark.parametrize("style", [0, x.CLOCK, x.DAY, x.ELAPSED, x.TEXT])
def test_a_time_is_a_text_to_the_millisecond_anywhere_else(path: Path, style: int) -> None:
    write(path, HEADER + x.row(2, f'<c r="A2" s="{style}"/>'))
    edit(path, (2, 1, WallClock(NOON + 0.25 / 86400)))
    assert queue(path).rows[1] == ["2026-11-29 12:00:00.250"]


def test_a_time_in_a_workbook_of_the_macintosh_calendar_is_the_same_time(path: Path) -> None:
    sheet = x.sheet(x.row(1, x.number_cell("A1", "44893", x.STAMP)) + x.row(2, '<c r="A2" s="1"/>'))
    parts = x.book({"Queue": sheet}, properties='<workbookPr date1904="1"/>')
    path.write_bytes(x.zipped(parts))
    edit(path, (2, 1, WallClock(NOON)))
    assert queue(path).rows[1] == [Moment(NOON, "date-time")]
    assert "<v>44893.5</v>" in sheet_xml(path)


@pytest.mark.parametrize("millis", [0, 1, 250, 999, 43_200_000, 86_399_999])
def test_a_times_text_never_loses_a_millisecond(millis: int) -> None:
    day = dt.datetime(2026, 11, 29)  # noqa: DTZ001 - a wall clock
    meant = day + dt.timedelta(milliseconds=millis)
    text = clock_text(WallClock(46355 + millis / 86_400_000))
    assert dt.datetime.fromisoformat(text) == meant
    assert ("." in text) == bool(millis % 1000)


# --- refused ---------------------------------------------------------------------------------


def test_a_formula_is_never_written_over(path: Path) -> None:
    write(path, HEADER + x.row(2, '<c r="B2" t="str"><f>Players!A2</f><v>Ann</v></c>'))
    stops(path, "Queue!B2 holds a formula; clear the cell", [(2, 2, "Bob")])


def test_a_cell_hidden_inside_merged_ones_is_not_written(path: Path) -> None:
    write(path, HEADER, after='<mergeCells><mergeCell ref="A3:B4"/></mergeCells>')
    stops(
        path, "Queue!B4 cannot be written: it is hidden inside the merged cells A3:B4", [(4, 2, 1)]
    )
    edit(path, (3, 1, "top left"))
    assert queue(path).rows[2] == ["top left"]


def test_nothing_is_written_below_the_last_row_or_beside_the_last_column(path: Path) -> None:
    write(path, HEADER)
    stops(path, "a sheet ends at row 1,048,576", [(1_048_577, 1, "x")])
    stops(path, "a sheet has no such column", [(1, 16_385, "x")])
    edit(path, (1_048_576, 1, "x"))
    assert len(queue(path).rows) == 1_048_576


def test_all_that_cannot_be_set_is_said_at_once(path: Path) -> None:
    write(path, HEADER)
    with pytest.raises(Stopped) as caught:
        XlsxStore(path).edit(
            [
                CellEdit("Nowhere", 1, 1, "x"),
                CellEdit("Queue", 2, 1, "x" * 40_000),
                CellEdit("Queue", 2, 2, float("nan")),
            ]
        )
    assert [fault.text for fault in caught.value.faults] == [
        'Nowhere!A1 cannot be written: there is no tab "Nowhere"',
        "Queue!A2 cannot be written: a text of 40,000 characters; a cell holds 32,767",
        "Queue!B2 cannot be written: nan is not a number a cell can hold",
    ]


def test_the_referees_own_tabs_are_not_edited(path: Path) -> None:
    names = '<definedNames><definedName name="_referee_Pen">Queue!$A$1</definedName></definedNames>'
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(HEADER)}, names=names)))
    stops(path, "the tab is the referee's own", [(2, 1, "x")])


# --- other shapes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "<x:sheetData/>",
        "<x:sheetData></x:sheetData>",
        '<x:sheetData><x:row r="2"/></x:sheetData>',
        '<x:sheetData><x:row r="2"><x:c r="C2"><x:v>1</x:v></x:c></x:row></x:sheetData>',
        "<x:sheetData><!-- <row r='2'/> --><x:row r='9' hidden='1'/></x:sheetData>",
    ],
)
def test_empty_closed_and_prefixed_rows_take_cells(path: Path, body: str) -> None:
    sheet = f'<x:worksheet xmlns:x="{x.MAIN}">{body}</x:worksheet>'
    path.write_bytes(x.zipped(x.book({"Queue": sheet})))
    edit(path, (2, 1, "Ann"), (2, 2, 5), (3, 1, "Bob"))
    rows: list[list[Value]] = queue(path).rows
    assert rows[1][:2] == ["Ann", 5]
    assert rows[2] == ["Bob"]


def test_c044_a_row_lands_where_it_is_told_beside_a_table_of_the_hosts(path: Path) -> None:
    rows = HEADER + x.row(5, x.text_cell("A5", "t"), x.text_cell("F5", "side"))
    write(path, rows)
    edit(path, (6, 1, "t2"), (6, 2, "Ann"), (5, 2, "Bob"))
    assert queue(path).rows[4] == ["t", "Bob", None, None, None, "side"]
    assert queue(path).rows[5] == ["t2", "Ann"]


def test_c052_a_format_in_the_last_row_does_not_push_rows_down(path: Path) -> None:
    write(
        path, HEADER + x.row(2, x.text_cell("A2", "t")) + x.row(1048576, '<c r="A1048576" s="6"/>')
    )
    edit(path, (3, 1, "u"))
    assert [row[0] for row in queue(path).rows] == ["Timestamp", "t", "u"]


def test_c065_control_characters_are_kept_and_half_emojis_replaced(path: Path) -> None:
    write(path, HEADER)
    edit(path, (2, 1, "A D\x0b"), (2, 2, "A D \ud83d"), (2, 3, "A D\ufffe"), (2, 4, "a\x00b"))
    assert queue(path).rows[1] == ["A D\x0b", "A D \ufffd", "A D\ufffe", "a\x00b"]
    assert openpyxl.load_workbook(path)["Queue"]["B2"].value == "A D \ufffd"


def test_tables_and_filters_grow_over_rows_added_below_them(path: Path) -> None:
    workbook = openpyxl.Workbook()
    tab = workbook.active
    assert isinstance(tab, Worksheet)
    tab.title = "Queue"
    for row in (["Timestamp", "Player"], ["t", "Ann"]):
        tab.append(row)
    tab["B2"].font = Font(bold=True)
    tab.add_table(Table(displayName="Pings", ref="A1:B2"))
    workbook.save(path)
    edit(path, (3, 1, "u"), (3, 2, "Bob"), (4, 2, "Cy"), (9, 1, "far"))
    table = openpyxl.load_workbook(path)["Queue"].tables["Pings"]
    assert table.ref == "A1:B4"
    assert table.autoFilter is None or table.autoFilter.ref == "A1:B4"
    stops(path, 'Queue!B1 is a header of the table "Pings"', [(1, 2, "Who")])


def test_no_edits_write_nothing(path: Path) -> None:
    write(path, HEADER)
    before = path.stat()
    XlsxStore(path).edit([])
    assert path.stat().st_mtime_ns == before.st_mtime_ns
