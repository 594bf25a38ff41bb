"""Publishing into .xlsx files: the owned tabs become what they should be, nothing else changes."""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.datavalidation import DataValidation

from referee.match.faults import Stopped, Unavailable
from referee.stores.owned_tabs import read_back
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab, Tab, Written
from tests.support import xlsx_samples as x

PEN = OwnedTab("Pen", [["Round", "A", "B"], [0, "Ann", "Bob"], [1, "food", "Ann"]])
HUNGER = OwnedTab("Hunger", [["Round", "Ann", "Bob"], [0, 10, 10], [1, 9, 10]])
OWN = [PEN, HUNGER]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.xlsx"


def tabs(path: Path) -> dict[str, Tab]:
    return {tab.title: tab for tab in XlsxStore(path).read().tabs}


def publish(path: Path, own: Sequence[OwnedTab] = OWN) -> None:
    XlsxStore(path).publish(own)


def make_host_workbook(path: Path) -> None:
    """A workbook with all a host may have put in: looks, checks, a chart, a picture, a pivot."""
    book = openpyxl.Workbook()
    queue = book.active
    assert queue is not None
    queue.title = "Queue"
    queue.append(["Timestamp", "Player", "Hunger"])
    for number in range(2, 12):
        queue.append([f"2026-03-01 19:{number:02}:00", "Ann", "=Hunger!B2"])
    queue["B2"].font = Font(bold=True, color="FF0000")
    queue["B3"].fill = PatternFill("solid", fgColor="00FF00")
    bold = DifferentialStyle(font=Font(bold=True))
    rule = Rule("cellIs", operator="equal", formula=['"Ann"'], dxf=bold)
    queue.conditional_formatting.add("B2:B9", rule)
    check = DataValidation(type="list", formula1='"Ann,Bob"')
    check.add("B2:B99")
    queue.add_data_validation(check)
    queue.auto_filter.ref = "A1:C11"
    chart = BarChart()
    chart.add_data(Reference(queue, min_col=3, min_row=1, max_row=11), titles_from_data=True)
    notes = book.create_sheet("Notes & ideas")
    notes["A1"] = "keep me"
    notes.add_chart(chart, "C3")
    notes.merge_cells("A2:B3")
    book.save(path)
    parts = x.unzipped(path)
    extra: dict[str, bytes] = {
        "xl/media/image1.png": b"\x89PNG\r\n\x1a\n" + os.urandom(4000),
        "xl/pivotCache/pivotCacheDefinition1.xml": b"<pivotCacheDefinition/>",
        "xl/vbaProject.bin": os.urandom(500),
        "customXml/item1.xml": b"<host:notes xmlns:host='urn:x'>  </host:notes>",
    }
    path.write_bytes(x.zipped({**parts, **extra}))


def foreign(path: Path, *own: str) -> dict[str, bytes]:
    """The stored entries, header and all, of every part that is not among the owned ones."""
    from referee.stores.xlsx.zip_package import Package

    package = Package(path.read_bytes())
    return {name: package.stored(name) for name in package.names() if name not in own}


# --- what changes and what does not ----------------------------------------------------------


def test_c047_publishing_adds_the_owned_tabs_and_keeps_all_else(path: Path) -> None:
    make_host_workbook(path)
    before, parts = tabs(path), foreign(path)
    publish(path)
    after = tabs(path)
    assert list(after) == ["Queue", "Notes & ideas", "Pen", "Hunger"]
    assert after["Queue"] == before["Queue"]
    assert after["Pen"].rows == PEN.rows
    assert after["Pen"].owned
    assert not after["Queue"].owned
    touched = {"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"}
    for name, stored in foreign(path).items():
        if name in parts and name not in touched:
            assert stored == parts[name], name
    assert set(foreign(path)) - set(parts) == {
        "xl/worksheets/sheet3.xml",
        "xl/worksheets/sheet4.xml",
    }


def test_what_is_added_to_shared_parts_is_only_added(path: Path) -> None:
    """Without the insertions the workbook's own parts are as they were, character for character."""
    make_host_workbook(path)
    before = x.unzipped(path)
    publish(path)
    after = x.unzipped(path)
    for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"):
        rest = iter(after[name])
        assert all(byte in rest for byte in before[name]), name


def test_publishing_again_changes_only_the_owned_sheets(path: Path) -> None:
    make_host_workbook(path)
    publish(path)
    own = ("xl/worksheets/sheet3.xml", "xl/worksheets/sheet4.xml")
    before, order = foreign(path, *own), list(x.unzipped(path))
    publish(path, [OwnedTab("Pen", [*PEN.rows, [2, "Bob", "food"]]), HUNGER])
    assert foreign(path, *own) == before
    assert list(x.unzipped(path)) == order
    assert tabs(path)["Pen"].rows[-1] == [2, "Bob", "food"]


def test_c041_fewer_rows_leave_nothing_below(path: Path) -> None:
    make_host_workbook(path)
    log: list[list[Written]] = [["Round", "Visit"]]
    for number in range(1, 13):
        log.append([number, number])  # noqa: PERF401 - so that its type stays the wider one
    publish(path, [OwnedTab("Visits", log)])
    publish(path, [OwnedTab("Visits", log[:9])])
    assert len(tabs(path)["Visits"].rows) == 9


def test_c049_a_host_formula_is_still_there(path: Path) -> None:
    make_host_workbook(path)
    publish(path)
    assert openpyxl.load_workbook(path)["Queue"]["C2"].value == "=Hunger!B2"


def test_formulas_on_owned_tabs_are_worked_out_anew_when_the_file_is_opened(path: Path) -> None:
    """Their stored values are the last match's; Excel is asked to renew them, in one attribute."""
    formula = '<c r="A1"><f>Hunger!B2</f><v>99</v></c>'
    parts = x.book({"Board": x.sheet(x.row(1, formula))}, after_names='<calcPr calcId="1"/>')
    path.write_bytes(x.zipped(parts))
    publish(path)
    assert b'<calcPr fullCalcOnLoad="1" calcId="1"/>' in x.unzipped(path)["xl/workbook.xml"]


@pytest.mark.parametrize("closing", ["", "<!-- </workbook> -->\n", "<?host </workbook> ?>"])
def test_a_workbook_that_says_nothing_of_calculation_is_told(path: Path, closing: str) -> None:
    """Its names, and what follows its root element, stay where they are."""
    formula = "<c r=\"A1\"><f>'Hunger'!B2</f><v>99</v></c>"
    names = '<definedNames><definedName name="x">1</definedName></definedNames>'
    parts = x.book({"Board": x.sheet(x.row(1, formula))}, names=names, after_names="<extLst/>")
    parts["xl/workbook.xml"] = str(parts["xl/workbook.xml"]) + closing
    path.write_bytes(x.zipped(parts))
    publish(path)
    workbook = x.unzipped(path)["xl/workbook.xml"].decode()
    assert '</definedNames><calcPr fullCalcOnLoad="1"/><extLst/></workbook>' + closing in workbook


@pytest.mark.parametrize(
    ("part", "own"), [("xl/worksheets/sheet1.xml", PEN), ("xl/workbook.xml", HUNGER)]
)
def test_a_part_that_is_not_in_utf_8_is_read_but_not_rewritten(
    path: Path, part: str, own: OwnedTab
) -> None:
    parts = x.book({"Pen": x.sheet("")}, names=MARK)
    text = str(parts[part]).partition("?>\n")[2] or str(parts[part])
    parts[part] = f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("latin-1")
    path.write_bytes(x.zipped(parts))
    before = path.read_bytes()
    assert list(tabs(path)) == ["Pen"]
    with pytest.raises(Unavailable, match=f"its part {part} is not in UTF-8"):
        publish(path, [own])
    assert path.read_bytes() == before


def test_an_owned_tab_without_rows_of_its_own_is_damaged(path: Path) -> None:
    sheet = f'<worksheet xmlns="{x.MAIN}"/>'
    path.write_bytes(x.zipped(x.book({"Pen": sheet}, names=MARK)))
    with pytest.raises(Unavailable, match=r"match\.xlsx is damaged: .* has no sheetData"):
        publish(path, [PEN])


def test_a_workbook_without_such_formulas_keeps_its_calculation_as_it_is(path: Path) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("")}, after_names='<calcPr calcId="1"/>')))
    publish(path)
    assert b'<calcPr calcId="1"/>' in x.unzipped(path)["xl/workbook.xml"]


def test_publishing_the_same_again_does_not_write_the_file(path: Path) -> None:
    make_host_workbook(path)
    publish(path)
    before = path.stat()
    (path.parent / "match.xlsx.bak").unlink()
    publish(path)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert list(path.parent.iterdir()) == [path]


def test_the_same_publishing_gives_the_same_bytes(tmp_path: Path) -> None:
    make_host_workbook(tmp_path / "a.xlsx")
    shutil.copy(tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    publish(tmp_path / "a.xlsx")
    publish(tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


# --- cells -----------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
    st.sampled_from(["=1+1", "+A1", "007", "_x000B_", "_x005F_", "\x0b", "\ufffe", "\r\n", " "]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(CELLS, max_size=5), max_size=5))
def test_what_is_published_is_read_back_as_it_was(path: Path, rows: list[list[Written]]) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("")})))
    turns: list[list[list[Written]]] = [[["Header"], *rows], [*rows, ["last"]]]
    for turn in turns:
        publish(path, [OwnedTab("Pen", turn)])
        found = tabs(path)["Pen"].rows
        assert found == read_back(turn)
        assert [[type(v) is bool for v in row] for row in found] == [
            [type(v) is bool for v in row] for row in read_back(turn)
        ]


def test_an_empty_text_is_an_empty_cell_and_half_an_emoji_a_replacement() -> None:
    assert read_back([["a", "", None], ["\ud83d"], ["", None], []]) == [["a"], ["\ufffd"]]


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@x", "{=1}", "'x"])
def test_text_never_becomes_a_formula(path: Path, text: str) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("")})))
    publish(path, [OwnedTab("Pen", [["Round"], [text]])])
    cell = openpyxl.load_workbook(path)["Pen"]["A2"]
    assert (cell.value, cell.data_type) == (text, "s")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x" * 32_768, "Pen!B2: a text of 32,768 characters; a cell holds 32,767"),
        ("🐷" * 16_384, "Pen!B2: a text of 32,768 characters"),
        (float("nan"), "Pen!B2: nan is not a number a cell can hold"),
        (float("inf"), "Pen!B2: inf is not a number"),
        (b"x", "Pen!B2: a bytes is neither text, number nor true/false"),
    ],
)
def test_c040_c043_what_no_cell_can_hold_stops_before_anything_is_written(
    path: Path, value: Written, words: str
) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("")})))
    before = path.read_bytes()
    with pytest.raises(Stopped, match=re.escape(words)):
        publish(path, [OwnedTab("Pen", [["Round", "A"], [1, value]])])
    assert path.read_bytes() == before


def test_c040_the_longest_text_is_kept_whole(path: Path) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("")})))
    publish(path, [OwnedTab("Pen", [["A"], ["x" * 32_767]])])
    assert tabs(path)["Pen"].rows[1] == ["x" * 32_767]


def test_c043_numbers_of_other_libraries_are_spelt_as_numbers(path: Path) -> None:
    import numpy as np

    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("")})))
    publish(path, [OwnedTab("Pen", [["A"], [np.float64(8.5)]])])
    assert tabs(path)["Pen"].rows == [["A"], [8.5]]
    with pytest.raises(Stopped, match="a int64 is neither text"):
        # What must be refused is given on purpose.
        publish(path, [OwnedTab("Pen", [["A"], [np.int64(8)]])])  # type: ignore[list-item]


# --- the look of an owned tab ----------------------------------------------------------------

LOOK = x.sheet(
    f'<row r="1" s="7" customFormat="1" ht="30" customHeight="1" spans="1:3">'
    f"{x.text_cell('A1', 'Round', 7)}{x.text_cell('B1', 'A', 6)}</row>"
    f'<row r="2" hidden="1" ht="15">{x.number_cell("A2", "1", 6)}'
    f"{x.number_cell('B2', '2', 1)}</row>"
    f'<row r="9"><c r="C9" s="7"/></row>',
    before=(
        '<dimension ref="A1:B2"/><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" '
        'topLeftCell="A2" state="frozen"/></sheetView></sheetViews>'
        '<cols><col min="3" max="4" width="33" style="7"/></cols>'
    ),
    after=(
        '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>'
        '<conditionalFormatting sqref="A2:B9"><cfRule type="duplicateValues" priority="1"/>'
        '</conditionalFormatting><drawing r:id="rId1" xmlns:r="x"/>'
    ),
)
MARK = (
    '<definedNames><definedName name="_referee_Pen" hidden="1">Pen!$A$1</definedName>'
    "</definedNames>"
)


def test_an_owned_tab_keeps_its_look(path: Path) -> None:
    """Widths, frozen header, conditional formats, styles of cells, rows and columns all stay."""
    path.write_bytes(x.zipped(x.book({"Pen": LOOK}, names=MARK)))
    publish(path, [OwnedTab("Pen", [["Round", "A", "B"], [1, "x", "y"], [2, 3, "z"]])])
    text = x.unzipped(path)["xl/worksheets/sheet1.xml"].decode()
    assert text.partition("<sheetData>")[0] == LOOK.partition("<sheetData>")[0].replace(
        "A1:B2", "A1:C3"
    )
    assert text.partition("</sheetData>")[2] == LOOK.partition("</sheetData>")[2].replace(
        '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>', ""
    )
    assert '<row r="1" s="7" customFormat="1" ht="30" customHeight="1"><c r="A1" s="7"' in text
    assert '<c r="C1" s="7"' in text  # from its row
    assert '<row r="2"><c r="A2" s="6"><v>1</v></c><c r="B2" s="1" t="inlineStr">' in text
    assert '<c r="A3" s="6"><v>2</v></c><c r="B3"><v>3</v></c><c r="C3" s="7"' in text
    assert '<row r="9"><c r="C9" s="7"/></row>' in text


def test_a_number_never_takes_the_look_of_a_date(path: Path) -> None:
    path.write_bytes(x.zipped(x.book({"Pen": LOOK}, names=MARK)))
    publish(path, [OwnedTab("Pen", [["Round", "A"], [1, 8]])])
    assert tabs(path)["Pen"].rows[1] == [1, 8]


def test_links_of_an_owned_tab_to_drawings_and_notes_stay(path: Path) -> None:
    links = f'<Relationships xmlns="{x.PACKAGE_LINKS}"/>'
    extra = {"xl/worksheets/_rels/sheet1.xml.rels": links, "xl/drawings/drawing1.xml": "<d/>"}
    path.write_bytes(x.zipped(x.book({"Pen": LOOK}, names=MARK, extra=extra)))
    before = foreign(path, "xl/worksheets/sheet1.xml")
    publish(path, [PEN])
    assert foreign(path, "xl/worksheets/sheet1.xml") == before


def table_on_pen(header: str) -> dict[str, str | bytes]:
    links = (
        f'<Relationships xmlns="{x.PACKAGE_LINKS}"><Relationship Id="rId1" '
        f'Type="{x.LINKS}/table" Target="../tables/table1.xml"/></Relationships>'
    )
    table = (
        f'<table xmlns="{x.MAIN}" id="1" name="T" displayName="T" ref="A1:B9">'
        f'<tableColumns count="2"><tableColumn id="1" name="Round"/>'
        f'<tableColumn id="2" name="{header}"/></tableColumns></table>'
    )
    extra = {"xl/worksheets/_rels/sheet1.xml.rels": links, "xl/tables/table1.xml": table}
    return x.book({"Pen": LOOK}, names=MARK, extra=extra)


def test_a_table_over_an_owned_tab_stays_while_its_headers_fit(path: Path) -> None:
    path.write_bytes(x.zipped(table_on_pen("A")))
    publish(path, [PEN])
    assert tabs(path)["Pen"].rows == PEN.rows


def test_a_table_whose_headers_would_no_longer_fit_stops_the_run(path: Path) -> None:
    path.write_bytes(x.zipped(table_on_pen("Z")))
    with pytest.raises(Stopped, match='Pen: the table "T" on this tab would no longer fit'):
        publish(path, [PEN])


def test_the_chain_of_calculation_loses_the_cells_of_owned_tabs(path: Path) -> None:
    chain = f'<calcChain xmlns="{x.MAIN}"><c r="A1" i="1"/><c r="B1"/><c r="C1" i="2"/></calcChain>'
    parts = x.book(
        {"Pen": LOOK, "Queue": x.sheet("")}, names=MARK, extra={"xl/calcChain.xml": chain}
    )
    link = f'<Relationship Id="c" Type="{x.LINKS}/calcChain" Target="calcChain.xml"/>'
    parts["xl/_rels/workbook.xml.rels"] = str(parts["xl/_rels/workbook.xml.rels"]).replace(
        "</Relationships>", link + "</Relationships>"
    )
    path.write_bytes(x.zipped(parts))
    publish(path, [PEN])
    assert b'"><c r="C1" i="2"/></calcChain>' in x.unzipped(path)["xl/calcChain.xml"]


def test_a_chain_of_nothing_but_owned_cells_goes_with_its_links(path: Path) -> None:
    chain = f'<calcChain xmlns="{x.MAIN}"><c r="A1" i="1"/></calcChain>'
    parts = x.book({"Pen": LOOK}, names=MARK, extra={"xl/calcChain.xml": chain})
    link = f'<Relationship Id="c" Type="{x.LINKS}/calcChain" Target="calcChain.xml"/>'
    override = '<Override PartName="/xl/calcChain.xml" ContentType="x"/>'
    before = dict(parts)
    parts["xl/_rels/workbook.xml.rels"] = str(parts["xl/_rels/workbook.xml.rels"]).replace(
        "</Relationships>", link + "</Relationships>"
    )
    parts["[Content_Types].xml"] = str(parts["[Content_Types].xml"]).replace(
        "</Types>", override + "</Types>"
    )
    path.write_bytes(x.zipped(parts))
    publish(path, [PEN])
    after = x.unzipped(path)
    assert "xl/calcChain.xml" not in after
    for name in ("xl/_rels/workbook.xml.rels", "[Content_Types].xml"):
        assert after[name].decode() == before[name]


# --- whose tab it is -------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["pen", "PEN", "Pen ", "Pen"])
def test_c038_a_tab_of_the_hosts_under_our_title_stops_the_run(path: Path, title: str) -> None:
    host = x.sheet(x.row(1, x.text_cell("A1", "my notes")))
    path.write_bytes(x.zipped(x.book({title: host})))
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(Stopped) as caught:
            publish(path)
        [fault] = caught.value.faults
        assert fault.text == f'tab "{title}" exists and is not the referee\'s Pen; rename it'
    assert path.read_bytes() == before


def test_every_taken_title_is_named_at_once(path: Path) -> None:
    host = x.sheet(x.row(1, x.text_cell("A1", "my notes")))
    path.write_bytes(x.zipped(x.book({"pen": host, "hunger": host})))
    with pytest.raises(Stopped) as caught:
        publish(path)
    assert [fault.tab for fault in caught.value.faults] == ["pen", "hunger"]


def test_an_unmarked_tab_with_just_our_title_and_header_is_taken_over(path: Path) -> None:
    """So a workbook that lost its marks on the way through another program goes on."""
    header = "".join(
        x.text_cell(f"{c}1", t) for c, t in zip("ABC", ["Round", "A", "B"], strict=True)
    )
    path.write_bytes(x.zipped(x.book({"Pen": x.sheet(x.row(1, header)), "Q": x.sheet("")})))
    publish(path, [PEN])
    after = tabs(path)
    assert list(after) == ["Pen", "Q"]
    assert (after["Pen"].owned, after["Pen"].rows) == (True, PEN.rows)


def test_a_mark_that_points_nowhere_is_pointed_anew_not_doubled(path: Path) -> None:
    names = MARK.replace("Pen!$A$1", "#REF!")
    path.write_bytes(x.zipped(x.book({"Q": x.sheet("")}, names=names)))
    publish(path, [PEN])
    workbook = x.unzipped(path)["xl/workbook.xml"].decode()
    assert workbook.count("definedName ") == 1
    assert tabs(path)["Pen"].owned


def test_a_renamed_owned_tab_stays_owned_and_keeps_the_hosts_title(path: Path) -> None:
    path.write_bytes(x.zipped(x.book({"Q": x.sheet("")})))
    publish(path)
    book = openpyxl.load_workbook(path)
    book["Pen"].title = "The pen's 🐷"
    book.defined_names["_referee_Pen"].attr_text = "'The pen''s 🐷'!$A$1"
    book.save(path)
    publish(path, [OwnedTab("Pen", [["Round"], [5]]), HUNGER])
    after = tabs(path)
    assert list(after) == ["Q", "The pen's 🐷", "Hunger"]
    assert after["The pen's 🐷"].rows == [["Round"], [5]]
    assert after["The pen's 🐷"].owned_as == "Pen"
    publish(path, [OwnedTab("The pen's 🐷", [["Round"], [6]])])
    assert tabs(path)["The pen's 🐷"].rows == [["Round"], [6]]


@pytest.mark.parametrize("title", ["PEN1", "R1", "🐷 Pen", "Host's pen", '<&>"', "Pen-day 1", "ẞ"])
def test_c035_tabs_of_any_title_are_added_marked_and_found_again(path: Path, title: str) -> None:
    path.write_bytes(x.zipped(x.book({"Q": x.sheet("")})))
    for number in (1, 2):
        publish(path, [OwnedTab(title, [["Round"], [number]])])
    after = tabs(path)
    assert list(after) == ["Q", title]
    assert (after[title].owned, after[title].rows) == (True, [["Round"], [2]])
    assert openpyxl.load_workbook(path).sheetnames == ["Q", title]


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("Log: day 1", 'it holds ":"'),
        ("x" * 32, "it is longer than 31 characters"),
        ("🐷" * 16, "it is longer than 31 characters"),
        ("'x", "it begins or ends with an apostrophe"),
        ("History", "Excel keeps the name for itself"),
        (" ", "it is blank"),
    ],
)
def test_c035_a_title_excel_would_refuse_is_refused_first(path: Path, title: str, why: str) -> None:
    path.write_bytes(x.zipped(x.book({"Q": x.sheet("")})))
    with pytest.raises(Stopped, match=re.escape(why)):
        publish(path, [OwnedTab(title, [["Round"]])])


# --- other programs --------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True])
def test_prefixed_and_strict_workbooks_grow_in_their_own_spelling(path: Path, strict: bool) -> None:
    main, links = (x.STRICT_MAIN, x.STRICT_LINKS) if strict else (x.MAIN, x.LINKS)
    parts = x.book({"Q": x.sheet("", main=main)}, main=main, links=links)
    parts["xl/workbook.xml"] = (
        f'<x:workbook xmlns:x="{main}" xmlns:q="{links}"><x:sheets>'
        '<x:sheet name="Q" sheetId="7" q:id="rId1"/></x:sheets></x:workbook>'
    )
    path.write_bytes(x.zipped(parts))
    for number in (1, 2):
        publish(path, [OwnedTab("Pen", [["Round"], [number]])])
    after = tabs(path)
    assert (after["Pen"].owned, after["Pen"].rows) == (True, [["Round"], [2]])
    assert b'<x:sheet name="Pen" sheetId="8"' in x.unzipped(path)["xl/workbook.xml"]


def test_an_owned_tab_with_prefixes_is_rewritten_with_them(path: Path) -> None:
    sheet = f'<x:worksheet xmlns:x="{x.MAIN}"><x:sheetData/></x:worksheet>'
    path.write_bytes(x.zipped(x.book({"Pen": sheet}, names=MARK)))
    publish(path, [PEN])
    assert tabs(path)["Pen"].rows == PEN.rows
    assert b"<x:row" in x.unzipped(path)["xl/worksheets/sheet1.xml"]


def test_a_part_is_the_same_in_any_case_of_its_name(path: Path) -> None:
    parts = x.book({"Pen": x.sheet("")}, names=MARK)
    path.write_bytes(x.zipped({name.replace("sheet1", "Sheet1"): c for name, c in parts.items()}))
    publish(path, [PEN])
    assert tabs(path)["Pen"].rows == PEN.rows
    assert "xl/worksheets/Sheet1.xml" in x.unzipped(path)


def test_openpyxl_keeps_the_marks(path: Path) -> None:
    make_host_workbook(path)
    publish(path)
    openpyxl.load_workbook(path).save(path)
    assert [tab.title for tab in tabs(path).values() if tab.owned] == ["Pen", "Hunger"]
    publish(path, [OwnedTab("Pen", [["Round"], [7]]), HUNGER])
    assert tabs(path)["Pen"].rows == [["Round"], [7]]


def test_pandas_and_openpyxl_read_what_was_published(path: Path) -> None:
    import pandas as pd

    make_host_workbook(path)
    publish(path)
    frame = pd.read_excel(path, sheet_name="Hunger", engine="openpyxl")
    assert frame.to_dict("list") == {"Round": [0, 1], "Ann": [10, 9], "Bob": [10, 10]}


def test_what_libreoffice_saves_is_still_owned_and_goes_on(path: Path) -> None:
    """LibreOffice shows the marks' names, shares the texts and spells every attribute out."""
    names = (
        '<definedNames><definedName function="false" hidden="false" name="_referee_Pen" '
        'vbProcedure="false">Pen!$A$1</definedName></definedNames>'
    )
    cell = '<c r="A{0}" s="0" t="s"><v>{1}</v></c>'
    row = (
        '<row r="{0}" customFormat="false" ht="12.8" hidden="false" customHeight="false" '
        'outlineLevel="0" collapsed="false">{1}</row>'
    )
    rows = row.format(1, cell.format(1, 0)) + row.format(2, '<c r="A2" s="0" t="n"><v>0</v></c>')
    sheet = x.sheet(rows, before='<sheetPr filterMode="false"/><dimension ref="A1:A2"/>')
    texts = '<si><t xml:space="preserve">Round</t></si>'
    path.write_bytes(x.zipped(x.book({"Pen": sheet}, names=names, texts=texts)))
    untouched = path.read_bytes()
    publish(path, [OwnedTab("Pen", [["Round"], [0]])])
    assert path.read_bytes() == untouched
    publish(path, [OwnedTab("Pen", [["Round"], [0], [1]])])
    assert tabs(path)["Pen"].rows == [["Round"], [0], [1]]
    assert not tabs(path)["Pen"].hidden_rows


# --- a file that changes meanwhile -----------------------------------------------------------


def test_c046_a_file_saved_by_somebody_else_since_it_was_read_is_left_alone(path: Path) -> None:
    make_host_workbook(path)
    store = XlsxStore(path)
    store.read()
    book = openpyxl.load_workbook(path)
    book["Queue"]["B2"] = "Bob"
    book.save(path)
    saved = path.read_bytes()
    with pytest.raises(Unavailable, match=r"changed by somebody else .* run again"):
        store.publish(OWN)
    assert path.read_bytes() == saved
    store.read()
    store.publish(OWN)
    assert tabs(path)["Queue"].rows[1][1] == "Bob"
