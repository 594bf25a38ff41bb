"""Tabs that are none of the match's stop no command; a fault in a match tab names its cell."""

import time
from pathlib import Path

import pytest

from referee.match.faults import Stopped, Unavailable
from referee.stores.contract import CellEdit, NewRow, WallClock
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab
from tests.support import xlsx_samples as x

NINES = "9" * 5000
QUEUE = x.row(1, x.text_cell("A1", "Timestamp"), x.text_cell("B1", "Player"))
PEN = [OwnedTab("Pen", [["Round", "A"], [0, "Ann"]])]

ODD = {
    "whole columns merged": x.sheet("", after='<mergeCells><mergeCell ref="?:E"/></mergeCells>'),
    "style of nothing": x.sheet(x.row(1, '<c r="A1" s=""/>')),
    "row twice": x.sheet(x.row(1) + x.row(1)),
    "not closed": "<worksheet><sheetData>",
    "a number without end": x.sheet(x.row(1, x.number_cell("A1", NINES, 1))),
    "a shared text without end": x.sheet(x.row(1, f'<c r="A1" t="s"><v>{NINES}</v></c>')),
    "document type": '<!DOCTYPE w [<!ENTITY a "b">]><worksheet>&a;</worksheet>',
    "nested without end": x.sheet("<row>" * 2000 + "</row>" * 2000),
    "too many cells": x.sheet(("<row>" + "<c/>" * 9000 + "</row>") * 230),
    "latin letters": '<?xml version="1.0" encoding="ISO-8859-1"?><worksheet/>',
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.xlsx"


def write(path: Path, scratch: str) -> None:
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(QUEUE), "Scratch": scratch})))


def works_beside(path: Path) -> None:
    """Read, publish and edit beside a tab of the host's own, which stays to the byte."""
    before = x.unzipped(path).get("xl/worksheets/sheet2.xml")
    store = XlsxStore(path)
    queue = store.read().tabs[0]
    assert queue.rows == [["Timestamp", "Player"]]
    store.publish(PEN)
    store.edit([CellEdit("Queue", 2, 2, "Ann")])
    assert [tab.title for tab in store.read().tabs] == ["Queue", "Scratch", "Pen"]
    assert x.unzipped(path).get("xl/worksheets/sheet2.xml") == before


@pytest.mark.parametrize("kind", ODD)
def test_c097_a_tab_of_the_hosts_own_is_not_read_but_copied(path: Path, kind: str) -> None:
    write(path, ODD[kind])
    works_beside(path)


def test_c097_a_tab_without_contents_is_passed_over(path: Path) -> None:
    parts = x.book({"Queue": x.sheet(QUEUE), "Scratch": x.sheet("")})
    for name, value in (("", 'r:id=""'), ("sheetId", 'sheetId="soon"')):
        old = 'sheetId="2"' if name else 'r:id="rId2"'
        new = dict(parts) | {"xl/workbook.xml": str(parts["xl/workbook.xml"]).replace(old, value)}
        path.write_bytes(x.zipped(new))
        works_beside(path)


def test_a_log_of_90_000_rows_in_a_tab_of_the_hosts_own_costs_no_time(path: Path) -> None:
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 90_000))
    write(path, x.sheet(rows))
    begun = time.process_time()
    works_beside(path)
    assert time.process_time() - begun < 3


MATCH_TABS = {
    "style": (x.row(2, '<c r="B2" s=""/>'), 'Queue!B2: "" stands where a number should'),
    "digits in a style": (x.row(2, f'<c r="B2" s="{NINES}"/>'), 'Queue!B2: "99999'),
    "digits in an index": (x.row(2, f'<c r="B2" t="s"><v>{NINES}</v></c>'), 'Queue!B2: "99999'),
    "digits in a row": (f'<row r="{NINES}"/>', 'Queue: "99999'),
    "row twice": (x.row(2) + x.row(2), "Queue: row 2 stands there twice"),
    "cell twice": (x.row(2, '<c r="B2"/><c r="B2"/>'), "Queue!B2 stands there twice"),
    "place of another row": (x.row(2, '<c r="B3"/>'), 'a cell of row 2 says it is "B3"'),
    "text without end": (x.row(2, x.text_cell("B2", "x" * 3_000_000)), "Queue!B2 holds a text of"),
    "digits of a letter": (x.row(2, x.text_cell("B2", f"&#{NINES};")), "is not well-formed"),
    "nested": ("<row>" * 2000 + "</row>" * 2000, "nests elements without end"),
    "a tag without end": (f'<row a="{"x" * 400_000}"/>', "has a tag without an end"),
}


@pytest.mark.parametrize("kind", MATCH_TABS)
def test_c097_what_is_wrong_in_a_tab_of_the_match_names_tab_and_cell(path: Path, kind: str) -> None:
    rows, words = MATCH_TABS[kind]
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(QUEUE + rows)}, texts="<si/>")))
    with pytest.raises(Unavailable) as caught:
        assert XlsxStore(path).read().tabs[0].rows
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_c097_whole_columns_and_rows_may_be_merged(path: Path) -> None:
    merges = '<mergeCells><mergeCell ref="D:E"/><mergeCell ref="3:5"/></mergeCells>'
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(QUEUE, after=merges)})))
    tab = XlsxStore(path).read().tabs[0]
    assert tab.merges == ((1, 4, 1_048_576, 5), (3, 1, 5, 16_384))


def test_spans_that_are_none_are_let_be(path: Path) -> None:
    row = f'<row r="2" spans="x:y">{x.text_cell("A2", "t")}</row>'
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(QUEUE + row)})))
    XlsxStore(path).edit([CellEdit("Queue", 2, 3, "Ann")])
    assert XlsxStore(path).read().tabs[0].rows[1] == ["t", None, "Ann"]
    assert b'spans="x:y"' in x.unzipped(path)["xl/worksheets/sheet1.xml"]


def test_a_document_type_is_refused_in_utf_16_without_a_mark_too(path: Path) -> None:
    sheet = '<!DOCTYPE w [<!ENTITY a "b">]><worksheet>&a;</worksheet>'.encode("utf-16-le")
    path.write_bytes(x.zipped({**x.book({"Q": ""}), "xl/worksheets/sheet1.xml": sheet}))
    with pytest.raises(Unavailable, match="declares a document type"):
        assert XlsxStore(path).read().tabs[0].rows


@pytest.mark.parametrize("code", ["[" * 40_000, "m" * 40_000, "_" * 40_000, "h " * 20_000])
def test_a_number_format_of_40_kb_is_refused_at_once(path: Path, code: str) -> None:
    styles = x.STYLES.replace("yyyy\\-mm\\-dd\\ hh:mm:ss", code)
    parts = x.book({"Q": x.sheet(x.row(1, x.number_cell("A1", "1", 1)))})
    parts["xl/styles.xml"] = f'<styleSheet xmlns="{x.MAIN}">{styles}</styleSheet>'
    path.write_bytes(x.zipped(parts))
    begun = time.process_time()
    with pytest.raises(Unavailable, match="a number format of 40,000 characters"):
        assert XlsxStore(path).read().tabs[0].rows
    assert time.process_time() - begun < 1


def test_more_merged_areas_than_any_match_has_are_too_many(path: Path) -> None:
    areas = "".join(f'<mergeCell ref="A{n}:B{n}"/>' for n in range(2, 20_002))
    sheet = x.sheet(QUEUE, after=f"<mergeCells>{areas}</mergeCells>")
    path.write_bytes(x.zipped(x.book({"Queue": sheet})))
    with pytest.raises(Stopped, match="sheet Queue is too large"):
        assert XlsxStore(path).read().tabs[0].rows


def test_rows_are_added_in_time_that_grows_with_their_number_alone(path: Path) -> None:
    """Neither old rows nor new ones are gone through for each other (100,000 once by hand)."""
    took = []
    for count in (1_000, 4_000):
        path.write_bytes(x.zipped(x.book({"Queue": x.sheet(QUEUE)})))
        store = XlsxStore(path)
        added = [
            NewRow("Queue", 1, {1: WallClock(46355 + n / 1e6), 2: "Ann"}) for n in range(count)
        ]
        begun = time.process_time()
        assert store.edit([], added) == list(range(2, count + 2))
        assert store.edit([], [NewRow("Queue", count + 1, {2: "Ben"})]) == [count + 2]
        took.append(time.process_time() - begun)
    assert took[1] < 10 * took[0]
