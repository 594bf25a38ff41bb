"""Formulas of the host's over what the referee writes: calculated anew, or told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.match.faults import Unavailable
from referee.stores.contract import CellEdit
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab
from tests.support import xlsx_samples as x

HUNGER = OwnedTab("Hunger", [["Round", "Ann"], [0, 10], [1, 9]])
MARK = '<definedName name="_referee_Hunger" hidden="1">Hunger!$A$1</definedName>'
QUEUE = x.sheet(x.row(1, x.text_cell("A1", "Player")))
ACTS: dict[str, Callable[[XlsxStore], object]] = {
    "publish": lambda store: store.publish([HUNGER]),
    "edit": lambda store: store.edit([CellEdit("Queue", 2, 1, "Ann")]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.xlsx"


def write(
    path: Path, formula: str, *, names: str = "", extra: dict[str, str | bytes] | None = None
) -> None:
    board = x.sheet(x.row(1, f'<c r="B1"><f>{formula}</f><v>10</v></c>'))
    sheets = {"Queue": QUEUE, "Hunger": x.sheet(""), "Board": board}
    names = f"<definedNames>{MARK}{names}</definedNames>"
    calculation = '<calcPr calcId="191029"/>'
    parts = x.book(sheets, names=names, after_names=calculation, extra=extra)
    path.write_bytes(x.zipped(parts))


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("formula", ["Hunger!B2", "Queue!A1", "1+1", "TODAY()"])
def test_where_any_sheet_holds_a_formula_the_file_asks_for_a_calculation(
    path: Path, act: str, formula: str
) -> None:
    """One rule for publishing and editing; the host's own tabs stay byte for byte."""
    write(path, formula)
    before = x.unzipped(path)
    ACTS[act](XlsxStore(path))
    after = x.unzipped(path)
    assert b'<calcPr fullCalcOnLoad="1" calcId="191029"/>' in after["xl/workbook.xml"]
    changed = {name for name in before if before[name] != after[name]}
    own = "xl/worksheets/sheet2.xml" if act == "publish" else "xl/worksheets/sheet1.xml"
    assert changed == {own, "xl/workbook.xml"}


@pytest.mark.parametrize("act", ACTS)
def test_without_a_formula_nothing_is_asked_for(path: Path, act: str) -> None:
    write(path, "")
    parts = x.unzipped(path)
    parts["xl/worksheets/sheet3.xml"] = x.sheet(x.row(1, x.text_cell("A1", "f"))).encode()
    path.write_bytes(x.zipped(dict(parts)))
    store = XlsxStore(path)
    ACTS[act](store)
    assert b"fullCalcOnLoad" not in x.unzipped(path)["xl/workbook.xml"]
    assert store.notes == []


TABLE: dict[str, str | bytes] = {
    "xl/worksheets/_rels/sheet2.xml.rels": (
        f'<Relationships xmlns="{x.PACKAGE_LINKS}"><Relationship Id="rId1" '
        f'Type="{x.LINKS}/table" Target="../tables/table1.xml"/></Relationships>'
    ),
    "xl/tables/table1.xml": (
        f'<table xmlns="{x.MAIN}" id="1" name="Pigs" displayName="Pigs" ref="A1:B9">'
        '<tableColumns count="2"><tableColumn id="1" name="Round"/>'
        '<tableColumn id="2" name="Ann"/></tableColumns></table>'
    ),
}
NAMES = (
    '<definedName name="standing">Hunger!$B$2</definedName>'
    '<definedName name="twice">standing*2</definedName>'
    '<definedName name="other">Queue!$A$1</definedName>'
)


@pytest.mark.parametrize(
    ("formula", "looks"),
    [
        ("Hunger!C2", True),
        ("SUM('hunger'!C:C)", True),
        ("&apos;Hunger&apos;!C2+1", True),
        ('INDIRECT("Hunger!C"&amp;2)', True),
        ("standing", True),
        ("IF(TWICE&gt;3,1,0)", True),
        ("MAX(Pigs[Ann])", True),
        ("Queue!A1", False),
        ("other", False),
        ("outstanding+standings", False),
        ("MyHunger!C2", False),
        ('"Hunger"', False),
    ],
)
def test_c112_formulas_that_look_at_owned_tabs_are_told_after_publishing(
    path: Path, formula: str, looks: bool
) -> None:
    """LibreOffice ignores the request to calculate: the host learns which keys to press."""
    write(path, formula, names=NAMES, extra=TABLE)
    store = XlsxStore(path)
    store.publish([HUNGER])
    assert bool(store.notes) == looks
    for note in store.notes:
        assert note.startswith('formulas on the tab "Board" look at what was written: Excel works')
        assert "in LibreOffice press Ctrl+Shift+F9" in note
    store.publish([HUNGER])
    assert store.notes == []


def test_a_signed_workbook_is_read_but_not_written(path: Path) -> None:
    """Any change breaks the signature, and its owner would learn that from somebody else."""
    parts = x.book({"Queue": QUEUE})
    origin = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"
    parts["_rels/.rels"] = str(parts["_rels/.rels"]).replace(
        "</Relationships>",
        f'<Relationship Id="s" Type="{origin}" Target="_xmlsignatures/origin.sigs"/>'
        "</Relationships>",
    )
    parts["_xmlsignatures/origin.sigs"] = b""
    path.write_bytes(x.zipped(parts))
    before = path.read_bytes()
    assert XlsxStore(path).read().tabs[0].rows == [["Player"]]
    for act in ACTS.values():
        with pytest.raises(Unavailable, match=r"match\.xlsx is digitally signed, .*: remove the"):
            act(XlsxStore(path))
    assert path.read_bytes() == before
