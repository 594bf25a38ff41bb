"""What the formulas of a workbook look at, found without reading the sheets they stand in.

A program that writes cells works no formula out: their stored values are the old ones until a
spreadsheet program has calculated anew. Excel does so where the file asks for it; LibreOffice does
not, by its settings, and so the host is told.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from referee.match.faults import quoted
from referee.stores.marks import MARK
from referee.stores.xlsx.parsing import namespace
from referee.stores.xlsx.workbook import Sheet, Workbook
from referee.stores.xlsx.zip_package import Damaged

_FORMULA: Final = re.compile(rb"<(?:[^\s<>/:!?]+:)?f(?:\s[^<>]*)?(?:/>|>([^<]*)<)")
_OVERLAP: Final = 2**15
"""Bytes looked at twice, so that no formula is cut: Excel takes 8,192 characters."""
_MOST_BYTES: Final = 64 * 2**20
_MOST_NAMES: Final = 1000


def any_formula(workbook: Workbook, but: Collection[Sheet] = ()) -> bool:
    """Whether any sheet, but for those that are written anew, holds a formula.

    Sheets that are too large to look through, or broken, count as if they did.
    """
    left = _MOST_BYTES
    for sheet in workbook.sheets:
        if sheet in but or not _is_there(workbook, sheet):
            continue
        try:
            for piece in _stretches(workbook, sheet):
                left -= len(piece)
                if left < 0 or (_may_hold(piece) and _FORMULA.search(piece)):
                    return True
        except Damaged:
            return True
    return False


def who_looks_at(workbook: Workbook, seen: Collection[Sheet], titles: Collection[str]) -> list[str]:
    """Return the titles of the other tabs whose formulas look at tabs of these titles.

    They may do so by the title, by a name of the workbook or by a table on one of the sheets
    ``seen`` that have such a title.
    """
    words = re.compile("|".join(_words(workbook, seen, titles)), re.IGNORECASE)
    left = _MOST_BYTES
    found: list[str] = []
    for sheet in workbook.sheets:
        if sheet in seen or not _is_there(workbook, sheet):
            continue
        try:
            for piece in _stretches(workbook, sheet):
                left -= len(piece)
                if left < 0:
                    return found
                if any(words.search(text) for text in _formulas(piece)):
                    found.append(sheet.title)
                    break
        except Damaged:
            continue
    return found


def recalculate_note(titles: Sequence[str]) -> str:
    """Say to the host of tabs whose formulas look at what was written how to see it there."""
    several = len(titles) > 1
    shown = ", ".join(quoted(title) for title in titles[:5]) + (", …" if titles[5:] else "")
    return (
        f"formulas on the tab{'s' if several else ''} {shown} look at what was written: Excel "
        "works them out when it opens the file; in LibreOffice press Ctrl+Shift+F9 (Data > "
        "Calculate > Recalculate Hard), or they show old values"
    )


def _is_there(workbook: Workbook, sheet: Sheet) -> bool:
    return sheet.is_grid and sheet.part in workbook.package


def _stretches(workbook: Workbook, sheet: Sheet) -> Iterator[bytes]:
    """Unpack a sheet in stretches that overlap, without the zeros of UTF-16."""
    before = b""
    for piece in workbook.package.pieces(sheet.part):
        stretch = before + (piece.replace(b"\0", b"") if b"\0" in piece else piece)
        yield stretch
        before = stretch[-_OVERLAP:]


def _may_hold(stretch: bytes) -> bool:
    """Whether a formula may begin here: asked first, as most sheets hold none."""
    return b"<f" in stretch or b":f" in stretch


def _formulas(stretch: bytes) -> Iterator[str]:
    for found in _FORMULA.finditer(stretch) if _may_hold(stretch) else ():
        text = (found[1] or b"").decode("utf-8", "replace")
        yield text.replace("&apos;", "'").replace("&quot;", '"').replace("&amp;", "&")


def _words(workbook: Workbook, seen: Collection[Sheet], titles: Collection[str]) -> list[str]:
    """Return the patterns of what a formula says that looks at one of these tabs."""
    words = [rf"(?<!\w){re.escape(title)}'?!" for title in (t.replace("'", "''") for t in titles)]
    tables = [table.name for sheet in seen for table in workbook.tables(sheet)]
    words += [rf"(?<![\w.]){re.escape(name)}\[" for name in tables if name]
    tag = f"{namespace(workbook.root)}definedName"
    names = [(e.get("name", ""), e.text or "") for e in workbook.root.iter(tag)][:_MOST_NAMES]
    names = [name for name in names if name[0] and not name[0].startswith(MARK)]
    while True:
        known = re.compile("|".join(words), re.IGNORECASE)
        more = [name for name in names if known.search(name[1])]
        if not more:
            return words
        names = [name for name in names if name not in more]
        words += [rf"(?<![\w.]){re.escape(name)}(?![\w.(!])" for name, _ in more]
