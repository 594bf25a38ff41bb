"""Books for tests, from plain data: the gallery's sheets and changes to them."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from referee.workbook.cells import Book, Broken, CellEdit, Moment, Tab, Value, WallClock

GALLERY = Path(__file__).parents[1] / "gallery"

Cells = Sequence[Sequence[Any]]


@cache
def base_tabs() -> dict[str, Cells]:
    """The tabs of the gallery's sound match."""
    tabs: dict[str, Cells] = tomllib.loads((GALLERY / "base.toml").read_text("utf-8"))["tabs"]
    return tabs


def value(cell: Any) -> Value:
    """A cell from plain data: an empty text is an empty cell, tables are dates or broken cells."""
    if cell == "":
        return None
    if isinstance(cell, dict):
        return Broken(**cell) if "why" in cell else Moment(**cell)
    # The call is typed loosely; what it returns is known here.
    return cell  # type: ignore[no-any-return]


def make_book(
    changed: Mapping[str, Cells] | None = None,
    *,
    without: Sequence[str] = (),
    locale: str | None = None,
    time_zone: str | None = None,
    hidden: Mapping[str, Sequence[int]] | None = None,
    merges: Mapping[str, Sequence[Sequence[int]]] | None = None,
    owned: Sequence[str] = (),
) -> Book:
    """The sound match with some tabs replaced or added, and some left out."""
    tabs = {**base_tabs(), **(changed or {})}
    return Book(
        name="match.xlsx",
        tabs=tuple(
            Tab(
                title=title,
                rows=[[value(cell) for cell in row] for row in rows],
                hidden_rows=frozenset((hidden or {}).get(title, ())),
                merges=tuple((a, b, c, d) for a, b, c, d in (merges or {}).get(title, ())),
                owned=title in owned,
            )
            for title, rows in tabs.items()
            if title not in without
        ),
        locale=locale,
        time_zone=time_zone,
    )


def with_cells(book: Book, edits: Sequence[CellEdit | tuple[str, int, int, Any]]) -> Book:
    """The book with cells set, as a store sets them."""
    tabs: dict[str, list[list[Value]]] = {t.title: [list(r) for r in t.rows] for t in book.tabs}
    for edit in edits:
        cell = edit if isinstance(edit, CellEdit) else CellEdit(*edit)
        rows = tabs[cell.tab]
        rows += [[] for _ in range(cell.row - len(rows))]
        row = rows[cell.row - 1]
        row += [None] * (cell.column - len(row))
        found = cell.value
        row[cell.column - 1] = (
            Moment(found.days, "date-time") if isinstance(found, WallClock) else found
        )
    return Book(book.name, tuple(Tab(title, rows) for title, rows in tabs.items()))


def with_settings(*rows: Sequence[Any]) -> Cells:
    """The sound match's Settings with more rows."""
    return [*base_tabs()["Settings"], *rows]
