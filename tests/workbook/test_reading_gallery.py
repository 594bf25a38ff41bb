"""A gallery of bad sheets: one small file a mistake, with the words a host will read."""

import tomllib
from pathlib import Path

import pytest

from referee.match.faults import Stopped
from referee.workbook.reading import read_book
from tests.support.sheets import GALLERY, make_book

FILES = sorted(path for path in GALLERY.glob("*.toml") if path.name != "base.toml")


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_bad_sheet_says_what_is_wrong(path: Path) -> None:
    """Each sheet stops with exactly its faults, or is read with exactly its remarks."""
    case = tomllib.loads(path.read_text("utf-8"))
    book = make_book(
        case.get("tabs"),
        without=case.get("without", ()),
        locale=case.get("locale"),
        time_zone=case.get("time_zone"),
        hidden=case.get("hidden"),
        merges=case.get("merges"),
    )
    if "faults" in case:
        with pytest.raises(Stopped) as stopped:
            read_book(book)
        assert [fault.text for fault in stopped.value.faults] == case["faults"]
    else:
        assert [remark.text for remark in read_book(book).remarks] == case["remarks"]


def test_the_base_of_the_gallery_is_sound() -> None:
    """The sheet that every mistake is put into has none of its own."""
    reading = read_book(make_book())
    assert reading.remarks == ()
    assert [row.player for row in reading.record.queue] == ["Ann", "Ann"]


def test_every_sheet_says_what_its_mistake_is() -> None:
    """A reader of the gallery learns from the first line what each sheet is about."""
    for path in FILES:
        assert path.read_text("utf-8").startswith("# "), path.name
