"""A new match workbook: what a host finds in it, and that it is the template's and no other's."""

from pathlib import Path

import openpyxl
import pytest

from referee.match.faults import Unavailable
from referee.stores.xlsx.store import XlsxStore
from referee.workbook import layout
from referee.workbook.cells import OwnedTab


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.xlsx"
    XlsxStore(path).create()
    return path


def test_it_has_every_tab_of_the_template_with_its_headers(path: Path) -> None:
    plan = layout.load()
    tabs = XlsxStore(path).read().tabs
    assert [tab.title for tab in tabs] == [tab.title for tab in plan.laid_out]
    for tab, wanted in zip(tabs, plan.laid_out, strict=True):
        assert tab.rows[0] == list(wanted.header)
        assert tab.owned == (wanted.owner == "referee")


def test_settings_lists_every_setting_blank_with_its_help(path: Path) -> None:
    rows = XlsxStore(path).read().tabs[0].rows[1:]
    assert rows == [[row.title, None, row.help] for row in layout.load().settings_rows]


def test_headers_are_bold_and_stay_in_view(path: Path) -> None:
    for sheet in openpyxl.load_workbook(path):
        assert sheet.freeze_panes == "A2"
        assert sheet["A1"].font.b


def test_the_two_kinds_of_tab_have_their_colours_and_the_referees_a_note(path: Path) -> None:
    plan = layout.load()
    book = openpyxl.load_workbook(path)
    for tab in plan.laid_out:
        colour = book[tab.title].sheet_properties.tabColor
        assert colour is not None
        assert colour.rgb.endswith(plan.colour(tab).removeprefix("#"))
        if tab.owner == "referee":
            assert "The referee writes this tab whole" in book[tab.title]["A1"].comment.text


def test_drop_downs_offer_players_cells_actions_and_rulings(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    offered = {
        (sheet.title, str(check.sqref)): (check.formula1, bool(check.showErrorMessage))
        for sheet in book
        for check in sheet.data_validations.dataValidation
        if check.type == "list"
    }
    last = layout.load().blank_rows + 1
    assert offered["Queue", f"B2:B{last}"] == ("Players!$A$2:$A$7", False)
    assert offered["Queue", f"C2:C{last}"] == ('"join,withdraw,exit,leave,enter"', True)
    assert offered["Players", f"B2:B{last}"] == ('"A,B,C,E,F,G"', True)
    assert offered["Queue", f"E2:E{last}"] == ('"void,allow"', False)
    assert offered["Submissions", f"E2:E{last}"][0].startswith('"void,allow')
    assert all(
        check.allowBlank for sheet in book for check in sheet.data_validations.dataValidation
    )
    choices = [place for place in offered if place[0] == "Settings"]
    assert len(choices) == sum(row.kind == "choice" for row in layout.load().settings_rows)


def test_times_are_shown_with_their_seconds(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    assert book["Queue"].column_dimensions["A"].number_format == "yyyy-mm-dd hh:mm:ss"
    assert book["Settings"]["B3"].number_format == "yyyy-mm-dd hh:mm:ss"


def test_the_same_template_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.xlsx"
    XlsxStore(other).create()
    assert other.read_bytes() == path.read_bytes()
    assert {place.name for place in tmp_path.iterdir()} == {"match.xlsx", "other.xlsx"}


def test_the_headers_look_stays_when_tabs_are_published(path: Path) -> None:
    names = ["Ann", "Bob", "Cy"]
    XlsxStore(path).publish([OwnedTab("Hunger", [["Round", *names], [0, 10, 10, 10]])])
    sheet = openpyxl.load_workbook(path)["Hunger"]
    assert [cell.value for cell in sheet[1]] == ["Round", *names]
    assert all(cell.font.b for cell in sheet[1])
    assert sheet.freeze_panes == "A2"


@pytest.mark.parametrize("content", [b"x", b"PK"])
def test_a_file_that_is_there_is_never_written_over(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "match.xlsx"
    path.write_bytes(content)
    with pytest.raises(Unavailable, match=r"match\.xlsx exists already; give another name"):
        XlsxStore(path).create()
    assert path.read_bytes() == content


def test_an_empty_file_may_become_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "match.xlsx"
    path.touch()
    XlsxStore(path).create()
    assert len(XlsxStore(path).read().tabs) == len(layout.load().laid_out)


def test_a_new_workbook_needs_its_ending_and_its_folder(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"a new workbook's name ends in \.xlsx"):
        XlsxStore(tmp_path / "match.xls").create()
    with pytest.raises(Unavailable, match=r"the folder .*nowhere is not there"):
        XlsxStore(tmp_path / "nowhere" / "match.xlsx").create()
