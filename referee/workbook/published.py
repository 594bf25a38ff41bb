"""The referee's own tabs as they stand: what was published before."""

from collections.abc import Mapping, Sequence

from referee.match.faults import Fault, quoted
from referee.match.record import CellValue
from referee.workbook import layout as template
from referee.workbook.cells import Book, Broken, Moment, Tab, Value
from referee.workbook.findings import Findings, Remark
from referee.workbook.headers import Naming
from referee.workbook.layout import Layout, TabLayout
from referee.workbook.names import fold, mended
from referee.workbook.oddities import with_value
from referee.workbook.receipts import FIRST_COLUMNS


def owned_titles(
    layout: Layout, book: Book, namings: Mapping[tuple[str, str], Naming]
) -> dict[str, str]:
    """Return the real title of each of the referee's tabs: as it stands, or as it is to be."""
    titles = {}
    for tab in layout.owned_tabs:
        naming = namings.get((tab.title, ""))
        wanted = tab.title if naming is None else naming.text
        own = [
            other.title
            for other in book.tabs
            if other.owned and (fold(other.title) == fold(wanted) or other.owned_as == wanted)
        ]
        # A host may have renamed a tab of the referee's; its mark still says which it is.
        own.sort(key=lambda title: (title != wanted, fold(title) != fold(wanted)))
        titles[tab.title] = own[0] if own else wanted
    return titles


def owned_rows(
    book: Book, titles: Mapping[str, str], names: Sequence[str]
) -> dict[str, list[list[CellValue]]] | None:
    """Return the rows of every tab that is the referee's own, for those who read no more."""
    return published_tabs(template.load(), book, titles, names, Findings())


def published_tabs(
    layout: Layout,
    book: Book,
    titles: Mapping[str, str],
    names: Sequence[str],
    findings: Findings,
) -> dict[str, list[list[CellValue]]] | None:
    """Return the rows of every tab that is the referee's own, by the template's title.

    A tab is its own by the referee's mark or, where a store keeps no marks, by its exact title
    and header. None where there is none.
    """
    found: dict[str, list[list[CellValue]]] = {}
    for layout_tab in layout.owned_tabs:
        title = titles[layout_tab.title]
        for position, tab in enumerate(book.tabs):
            if fold(tab.title) != fold(title):
                continue
            if (tab.owned and tab.title == title) or _has_header(tab, title, layout_tab, names):
                found[layout_tab.title] = _rows(tab)
            elif not tab.owned:
                text = (
                    f"the tab {quoted(tab.title)} is not the referee's own, though it has the "
                    "name of one; rename it before publishing"
                )
                findings.remark((position, 0, 0), Remark("foreign-tab", text, layout_tab.title))
    return found or None


def another_match(
    published: Mapping[str, Sequence[Sequence[CellValue]]] | None,
    titles: Mapping[str, str],
    names: Sequence[str],
) -> Fault | None:
    """Return what is wrong where the owned tabs are another match's, as in a copied workbook.

    They are where they name players, none of whom is in Players, whose names are ``names``.
    """
    there = [
        str(name)
        for tab in template.load().owned_tabs
        if tab.per_player
        for name in next(iter((published or {}).get(tab.title, ())), ())[len(tab.columns) :]
        if name is not None
    ]
    played = list(dict.fromkeys(there))
    if not played or not names or {fold(name) for name in played} & {fold(name) for name in names}:
        return None
    tabs = ", ".join(titles.get(tab, tab) for tab in published or {})
    text = (
        f"the referee's own tabs are those of another match: none of its players "
        f"({', '.join(map(quoted, played[:6]))}) is in {titles.get('Players', 'Players')}; if this "
        f"is a copy of an old workbook, delete these tabs ({tabs}), and the match begins anew"
    )
    return Fault("another-match", text, "Players")


def _has_header(tab: Tab, title: str, wanted: TabLayout, names: Sequence[str]) -> bool:
    header = [*wanted.header, *(names if wanted.per_player else ())]
    known = [header, header[:FIRST_COLUMNS]] if wanted.title == "Receipts" else [header]
    return tab.title == title and bool(tab.rows) and tab.rows[0] in known


def _rows(tab: Tab) -> list[list[CellValue]]:
    """Return a tab's cells as an archive holds them, without empty rows and cells at the ends."""
    rows = [[_cell(value) for value in row] for row in tab.rows]
    for (at, column), text in tab.odd.items():
        if at <= len(rows) and column <= len(rows[at - 1]):
            rows[at - 1][column - 1] = with_value(text, rows[at - 1][column - 1])
    for row in rows:
        while row and row[-1] is None:
            row.pop()
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _cell(value: Value) -> CellValue:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, Broken):
        return mended(value.shown)
    number = value.days if isinstance(value, Moment) else value
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number
