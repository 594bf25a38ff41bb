"""Reading .xlsx files: what every program writes comes in letter for letter, exact and located."""

import datetime as dt
import time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font
from python_calamine import CalamineWorkbook

from referee.stores.xlsx.cells import decoded, escaped, format_kind
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import Broken, Moment, Tab, Value
from tests.support import xlsx_samples as x


def read(path: Path, parts: dict[str, str | bytes]) -> dict[str, Tab]:
    path.write_bytes(x.zipped(parts))
    return {tab.title: tab for tab in XlsxStore(path).read().tabs}


def cells(path: Path, rows: str, **options: str) -> list[list[Value]]:
    # A sample or double is looser than the type, on purpose.
    return read(path, x.book({"Queue": x.sheet(rows)}, **options))["Queue"].rows  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.xlsx"


def test_a_store_does_not_touch_its_file_before_it_is_asked_to(path: Path) -> None:
    assert XlsxStore(path).name == "match.xlsx"


# --- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        ("7", 7),
        ("7.0", 7),
        ("-3", -3),
        ("1E3", 1000),
        ("0.1", 0.1),
        ("0.30000000000000004", 0.30000000000000004),
        ("9007199254740993", 9007199254740993),
        ("1e300", 1e300),
    ],
)
def test_a_number_is_what_the_file_says(path: Path, stored: str, value: float) -> None:
    [[read_value]] = cells(path, x.row(1, x.number_cell("A1", stored)))
    assert (read_value, type(read_value)) == (value, type(value))


@pytest.mark.parametrize("stored", ["nan", "inf", "1_000", "soon", "1,5"])
def test_what_no_file_can_mean_as_a_number_is_broken(path: Path, stored: str) -> None:
    [[value]] = cells(path, x.row(1, x.number_cell("A1", stored)))
    assert value == Broken("the file holds no number there, though it says so", stored)


@pytest.mark.parametrize(
    "text", ["007", "None", "NA", "null", "nan", " A D ", "=1+1", "1,5", "2026-03-01", "TRUE", "🐷"]
)
def test_c008_c010_text_stays_text_letter_for_letter(path: Path, text: str) -> None:
    assert cells(path, x.row(1, x.text_cell("A1", text))) == [[text]]


def test_shared_rich_and_phonetic_texts_are_their_runs(path: Path) -> None:
    texts = (
        "<si><t>plain</t></si>"
        '<si><r><rPr><b/></rPr><t xml:space="preserve">A </t></r><r><t>D</t></r></si>'
        "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>"
        "<si/>"
        "<si><t>a_x000B_b _x005F_x000B_ _xD83D_</t></si>"
    )
    row = "".join(f'<c r="{c}1" t="s"><v>{n}</v></c>' for n, c in enumerate("ABCDE"))
    assert cells(path, x.row(1, row), texts=texts) == [
        ["plain", "A D", "東京", "", "a\x0bb _x000B_ \ufffd"]
    ]


@pytest.mark.parametrize(
    "text",
    ["A D\x0b", "\x00", "_x000B_", "_x005F_x0041_x0042_", "_x005f_", "a\r\nb", "\ufffe", "&<>\"'"],
)
def test_c065_what_xml_cannot_hold_is_spelt_and_read_back_alike(text: str) -> None:
    assert "\x0b" not in escaped(text)
    import xml.etree.ElementTree as ET

    assert decoded(ET.XML(f"<t>{escaped(text)}</t>").text or "") == text


def test_half_an_emoji_becomes_a_visible_replacement() -> None:
    assert decoded(escaped("A D \ud83d")) == "A D \ufffd"
    assert decoded("_xD83D__xDC37_") == "🐷"


def test_truth_values_errors_and_empty_cells(path: Path) -> None:
    row = (
        '<c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c><c r="C1" t="e"><v>#REF!</v></c>'
        '<c r="D1"/><c r="E1" s="1"><v></v></c><c r="F1" t="str"><f>""</f><v></v></c>'
    )
    error = Broken("the cell holds an error", "#REF!")
    assert cells(path, x.row(1, row)) == [[True, False, error, None, None, ""]]


def test_c049_a_formula_without_a_stored_value_is_broken(path: Path) -> None:
    workbook = openpyxl.Workbook()
    # The sample is known to hold one here.
    workbook.active.append(["Player", "=Players!B2"])  # type: ignore[union-attr]
    workbook.save(path)
    [[_, value]] = XlsxStore(path).read().tabs[0].rows
    assert value == Broken(
        "the formula has no stored value; open the file in Excel and save it", "=Players!B2"
    )


def test_c049_a_cell_that_shares_a_formula_is_one_too(path: Path) -> None:
    """Only the first of the cells tells the formula; the others have it without a text."""
    shared = (
        '<c r="A1" t="str"><f t="shared" ref="A1:A2" si="0">B1</f><v>Ann</v></c>',
        '<c r="A2"><f t="shared" si="0"/></c>',
    )
    why = "the formula has no stored value; open the file in Excel and save it"
    assert cells(path, x.row(1, shared[0]) + x.row(2, shared[1])) == [["Ann"], [Broken(why, "=…")]]


def test_c049_a_formula_with_a_stored_value_is_its_value(path: Path) -> None:
    row = (
        '<c r="A1" t="str"><f>Players!B2</f><v>Ann</v></c>'
        '<c r="B1"><f t="shared" si="0"/><v>3</v></c>'
        '<c r="C1"><f t="array" ref="C1">A2</f><v>4</v></c><c r="D1" t="inlineStr"><f>A1</f></c>'
    )
    [values] = cells(path, x.row(1, row))
    assert values[:3] == ["Ann", 3, 4]
    assert isinstance(values[3], Broken)


# --- dates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("style", "kind"),
    [
        (x.STAMP, "date-time"),
        (x.ELAPSED, "duration"),
        (x.CLOCK, "time"),
        (x.DAY, "date"),
        (x.BUILT_IN_STAMP, "date-time"),
    ],
)
def test_c013_a_moment_keeps_its_whole_serial_whatever_is_shown(
    path: Path, style: int, kind: str
) -> None:
    [[value]] = cells(path, x.row(1, x.number_cell("A1", "46082.7923611111", style)))
    # A sample or double is looser than the type, on purpose.
    assert value == Moment(46082.7923611111, kind)  # type: ignore[arg-type]


def test_c016_serials_come_as_they_are_stored_neither_cut_nor_rounded(path: Path) -> None:
    serials = ["46082.7923611111", "46082.7930555556", "46082.7986111111"]
    rows = "".join(x.row(n, x.number_cell(f"A{n}", s, x.STAMP)) for n, s in enumerate(serials, 1))
    # The sample is known to hold one here.
    assert [row[0].days for row in cells(path, rows)] == [float(s) for s in serials]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("yyyy-mm-dd hh:mm:ss", "date-time"),
        ("[$-409]m/d/yy h:mm AM/PM;@", "date-time"),
        ("h:mm", "time"),
        ("mm:ss.0", "time"),
        ("h:mm AM/PM", "time"),
        ("[h]:mm:ss", "duration"),
        ("[mm]:ss", "duration"),
        ("[ss].00", "duration"),
        ("d-mmm", "date"),
        ("mmmm", "date"),
        ("dddd", "date"),
        ('[=0]"";yyyy-mm-dd', "date"),
        ("[$-411]ggge\\年m\\月d\\日", "date"),
        ("General", None),
        ("0.00E+00", None),
        ("#,##0;[Red]-#,##0", None),
        ('0" days"', None),
        ("0\\d", None),
        ("_-* #,##0_d", None),
        ("@", None),
        ("[Blue]0", None),
    ],
)
def test_c017_a_format_code_tells_times_durations_and_numbers_apart(
    code: str, kind: str | None
) -> None:
    assert format_kind(code) == kind


def test_a_number_format_that_only_mentions_days_leaves_a_number(path: Path) -> None:
    assert cells(path, x.row(1, x.number_cell("A1", "2.5", x.PLAIN))) == [[2.5]]


def test_days_of_the_macintosh_calendar_are_counted_from_1899(path: Path) -> None:
    row = (
        x.number_cell("A1", "44893.5", x.STAMP)
        + x.number_cell("B1", "0.75", x.CLOCK)
        + x.number_cell("C1", "0.75", x.ELAPSED)
        + x.number_cell("D1", "44893.5", x.CLOCK)
        + x.number_cell("E1", "44893")
    )
    assert cells(path, x.row(1, row), properties='<workbookPr date1904="1"/>') == [
        [
            Moment(46355.5, "date-time"),
            Moment(0.75, "time"),
            Moment(0.75, "duration"),
            Moment(46355.5, "time"),
            44893,
        ]
    ]


def test_iso_dates_of_strict_files_are_moments(path: Path) -> None:
    row = (
        '<c r="A1" t="d"><v>2026-11-29T12:00:00</v></c><c r="B1" t="d"><v>2026-11-29</v></c>'
        '<c r="C1" t="d"><v>18:00:00.000</v></c><c r="D1" t="d"><v>29/11/2026</v></c>'
    )
    assert cells(path, x.row(1, row)) == [
        [
            Moment(46355.5, "date-time"),
            Moment(46355.0, "date"),
            Moment(0.75, "time"),
            Broken("the file holds no date there, though it says so", "29/11/2026"),
        ]
    ]


# --- the shape of a tab ----------------------------------------------------------------------


def test_c007_rows_hidden_by_hand_or_filter_are_read_and_named(path: Path) -> None:
    rows = (
        x.row(1, x.text_cell("A1", "Player"))
        + f'<row r="2" hidden="1">{x.text_cell("A2", "Ann")}</row>'
        + f'<row r="3" ht="0" customHeight="1">{x.text_cell("A3", "Bob")}</row>'
        + x.row(4, x.text_cell("A4", "Cy"))
        + '<row r="900" hidden="1"/>'
    )
    tab = read(path, x.book({"Queue": x.sheet(rows)}))["Queue"]
    assert [row[0] for row in tab.rows] == ["Player", "Ann", "Bob", "Cy"]
    assert tab.hidden_rows == {2, 3}


def test_merges_are_told_by_row_and_column(path: Path) -> None:
    merges = '<mergeCells count="2"><mergeCell ref="A1:C2"/><mergeCell ref="AA5:AB5"/></mergeCells>'
    tab = read(path, x.book({"Q": x.sheet(x.row(1, x.text_cell("A1", "x")), after=merges)}))["Q"]
    assert tab.merges == ((1, 1, 2, 3), (5, 27, 5, 28))


@pytest.mark.parametrize("dimension", ['<dimension ref="A1"/>', '<dimension ref="A1:XFD9"/>', ""])
def test_c050_what_a_sheet_says_of_its_size_is_not_believed(path: Path, dimension: str) -> None:
    rows = x.row(1, x.text_cell("A1", "a")) + x.row(3, x.number_cell("C3", "3"))
    tabs = read(path, x.book({"Q": x.sheet(rows, before=dimension)}))
    assert tabs["Q"].rows == [["a"], [], [None, None, 3]]


def test_rows_and_cells_without_their_places_follow_each_other(path: Path) -> None:
    rows = (
        "<row><c><v>1</v></c><c><v>2</v></c></row>"
        '<row r="4"><c r="B4"><v>3</v></c><c><v>4</v></c></row><row><c><v>5</v></c></row>'
    )
    assert cells(path, rows) == [[1, 2], [], [], [None, 3, 4], [5]]


def test_c052_formats_down_to_the_last_row_cost_nothing(path: Path) -> None:
    workbook = openpyxl.Workbook()
    queue = workbook.active
    assert queue is not None
    queue.append(["Timestamp", "Player"])
    queue.append([dt.datetime(2026, 3, 1, 19, 1), "Ann"])  # noqa: DTZ001 - a cell's own
    queue["A1048576"].font = Font(bold=True)
    queue["A5000"].font = Font(bold=True)
    queue.column_dimensions["B"].font = Font(bold=True)
    workbook.save(path)
    begun = time.perf_counter()
    rows = XlsxStore(path).read().tabs[0].rows
    assert len(rows) == 2
    assert time.perf_counter() - begun < 1


def test_c037_tabs_that_differ_only_by_case_or_blanks_are_all_handed_over(path: Path) -> None:
    empty = x.sheet("")
    tabs = read(path, x.book({"Rounds": empty, "rounds ": empty, "Host's <&> 🐷": empty}))
    assert list(tabs) == ["Rounds", "rounds ", "Host's <&> 🐷"]


def test_hidden_sheets_are_tabs_and_chart_sheets_are_not(path: Path) -> None:
    parts = x.book({"Queue": x.sheet(x.row(1, x.number_cell("A1", "1"))), "Chart": x.sheet("")})
    workbook = str(parts["xl/workbook.xml"]).replace('sheetId="1"', 'sheetId="1" state="hidden"')
    links = str(parts["xl/_rels/workbook.xml.rels"])
    links = links.replace(
        'worksheet" Target="worksheets/sheet2', 'chartsheet" Target="worksheets/sheet2'
    )
    tabs = read(path, parts | {"xl/workbook.xml": workbook, "xl/_rels/workbook.xml.rels": links})
    assert list(tabs) == ["Queue"]


# --- other programs' ways --------------------------------------------------------------------


def test_prefixed_elements_are_read_like_bare_ones(path: Path) -> None:
    rows = (
        '<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c>'
        '<x:c r="B1" s="1"><x:v>46355.5</x:v></x:c>'
        '<x:c r="C1" t="inlineStr"><x:is><x:t>in &amp; out</x:t></x:is></x:c></x:row>'
    )
    prefixed = (
        f'<x:worksheet xmlns:x="{x.MAIN}"><x:sheetData>{rows}</x:sheetData>'
        '<x:mergeCells><x:mergeCell ref="A2:B2"/></x:mergeCells></x:worksheet>'
    )
    parts = x.book({"Queue": prefixed})
    parts["xl/workbook.xml"] = (
        f'<ns0:workbook xmlns:ns0="{x.MAIN}" xmlns:ns1="{x.LINKS}"><ns0:sheets>'
        '<ns0:sheet name="Queue" sheetId="1" ns1:id="rId1"/></ns0:sheets></ns0:workbook>'
    )
    parts["xl/_rels/workbook.xml.rels"] = str(parts["xl/_rels/workbook.xml.rels"]).replace(
        "</Relationships>",
        f'<Relationship Id="t" Type="{x.LINKS}/sharedStrings" Target="texts.xml"/></Relationships>',
    )
    parts["xl/texts.xml"] = f'<y:sst xmlns:y="{x.MAIN}"><y:si><y:t>shared</y:t></y:si></y:sst>'
    tab = read(path, parts)["Queue"]
    assert tab.rows == [["shared", Moment(46355.5, "date-time"), "in & out"]]
    assert tab.merges == ((2, 1, 2, 2),)


def test_absolute_targets_and_odd_part_names_are_followed(path: Path) -> None:
    parts = x.book(
        {"Queue": x.sheet(x.row(1, x.number_cell("A1", "1")))},
        targets=["/xl/worksheets/sheet10.xml"],
    )
    parts["xl/worksheets/sheet10.xml"] = parts.pop("xl/worksheets/sheet1.xml")
    assert read(path, parts)["Queue"].rows == [[1]]


def test_files_of_the_strict_kind_are_read(path: Path) -> None:
    strict = x.sheet(x.row(1, x.number_cell("A1", "46355.5", x.STAMP)), main=x.STRICT_MAIN)
    parts = x.book({"Queue": strict}, main=x.STRICT_MAIN, links=x.STRICT_LINKS)
    assert read(path, parts)["Queue"].rows == [[Moment(46355.5, "date-time")]]


ODD = {
    "comment": x.row(1, x.number_cell("A1", "1"), "<!-- <c r='B1'><v>9</v></c> -->"),
    "cdata": x.row(1, '<c r="A1" t="inlineStr"><is><t><![CDATA[a<b]]></t></is></c>'),
    "line ends": x.row(1, x.text_cell("A1", "a\r\nb")),
    "order of attributes": '<row r="1"><c t="b" s="1" r="A1"><v>1</v></c></row>',
    "single quotes": "<row r='1'><c r='A1'><v>1</v></c></row>",
    "rich inline": x.row(1, '<c r="A1" t="inlineStr"><is><r><t>a </t></r><r><t>b</t></r></is></c>'),
    "white space": '\n <row r="1">\n  <c r="A1">\n <f>1</f>\n<v>1</v>\n</c>\n </row>\n',
    "extension": x.row(1, '<c r="A1"><v>1</v><extLst><ext uri="x"/></extLst></c>'),
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("comment", 1),
        ("cdata", "a<b"),
        ("line ends", "a\nb"),
        ("order of attributes", True),
        ("single quotes", 1),
        ("rich inline", "a b"),
        ("white space", 1),
        ("extension", 1),
    ],
)
def test_an_unusual_spelling_of_cells_means_the_same(path: Path, name: str, value: Value) -> None:
    assert cells(path, ODD[name]) == [[value]]


def test_the_usual_and_the_unusual_way_of_reading_agree(tmp_path: Path) -> None:
    """A comment in the sheet makes the reader take the long way; the cells are the same."""
    rows = (
        x.row(1, x.text_cell("A1", "a &amp; b &#10; &lt;"), x.number_cell("C1", "1.50", x.STAMP))
        + '<row r="3" hidden="1" spans="1:3"><c r="A3" t="str"><f>B1&amp;"x"</f><v>x</v></c>'
        + '<c r="B3" t="b"><v>1</v></c><c r="C3" s="4" /></row><row r="5" />'
    )
    [quick] = read(tmp_path / "a.xlsx", x.book({"Q": x.sheet(rows)})).values()
    [slow] = read(tmp_path / "b.xlsx", x.book({"Q": x.sheet(rows, after="<!-- -->")})).values()
    assert quick == slow
    assert quick.rows[2] == ["x", True]


def test_c038_marks_are_names_of_the_whole_workbook(path: Path) -> None:
    names = (
        '<definedNames><definedName name="_referee_Pen" hidden="1">'
        "'Host''s pen'!$A$1</definedName>"
        '<definedName name="_referee_Visits" localSheetId="1">Copy!$A$1</definedName>'
        '<definedName name="_referee_Notices">#REF!</definedName></definedNames>'
    )
    empty = x.sheet("")
    tabs = read(path, x.book({"Host's pen": empty, "Copy": empty, "Queue": empty}, names=names))
    assert [tab.title for tab in tabs.values() if tab.owned] == ["Host's pen"]
    assert tabs["Host's pen"].owned_as == "Pen"


def test_cells_agree_with_another_reader(path: Path) -> None:
    """calamine reads the same file on its own: texts, numbers, truth values and dates agree."""
    workbook = openpyxl.Workbook()
    tab = workbook.active
    assert tab is not None
    day = dt.datetime(2026, 11, 29, 21, 5, 7)  # noqa: DTZ001 - a cell's own clock
    rows: list[list[Any]] = [
        ["007", 7, 7.25, True, day, "ünï🐷"],
        [None, "=", 0, False, day, "a\nb"],
    ]
    for row in rows:
        tab.append(row)
    workbook.save(path)
    ours = XlsxStore(path).read().tabs[0].rows
    theirs = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
    for our_row, their_row in zip(ours, theirs, strict=True):
        for our, their in zip(our_row, their_row, strict=True):
            if isinstance(their, dt.datetime):
                assert isinstance(our, Moment)
                # A wall clock's time, as cells hold it.
                base = dt.datetime(1899, 12, 30)  # noqa: DTZ001
                exact = base + dt.timedelta(days=our.days)
                assert abs(exact - their) < dt.timedelta(milliseconds=1)
            else:
                assert (our if our is not None else "") == their


def test_a_workbook_of_600_rows_is_read_quickly(path: Path) -> None:
    workbook = openpyxl.Workbook()
    for title in ("Queue", "Submissions"):
        tab = workbook.create_sheet(title)
        for number in range(300):
            tab.append([46355.8 + number / 8640, "Ann", "swap A and D", None, f"m{number}"])
    workbook.save(path)
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        XlsxStore(path).read()
        took.append(time.perf_counter() - begun)
    assert min(took) < 0.06
