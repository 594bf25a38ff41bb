"""The referee's own tabs as sheet parts: their cells anew, their look as it was.

Every cell is an inline text, a number or a truth value, so nothing that a player typed can become
a formula, and no table of the host's workbook has to grow.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from referee.match.faults import Fault, Stopped, quoted
from referee.stores.xlsx.cells import escaped
from referee.stores.xlsx.markup import (
    Element,
    Splice,
    checked,
    children,
    named,
    root,
    spliced,
    with_attribute,
)
from referee.stores.xlsx.parsing import whole
from referee.stores.xlsx.reading import StoredRow, walk_rows
from referee.stores.xlsx.workbook import Sheet, Workbook, too_large
from referee.workbook.cells import Written, column_letters
from referee.workbook.oddities import shows_else

REFEREE_COLOUR: Final = "FF7A5BA6"
"""The colour of a tab the referee adds to a workbook that was not made from its template."""

_NARROWEST: Final = 9
_WIDEST: Final = 60
_MOST_LOOKS: Final = 250_000
_KEPT_OF_ROWS: Final = ("s", "customFormat", "ht", "customHeight")


class Looks(msgspec.Struct, frozen=True):
    """How a sheet's cells and rows look, by place; ``columns`` are (first, last, style)."""

    cells: dict[tuple[int, int], int]
    rows: dict[int, dict[str, str]]
    columns: tuple[tuple[int, int, int], ...]

    def style(self, row: int, column: int) -> int:
        """Return the style of a cell: its own, else its row's, else its column's."""
        own = self.cells.get((row, column))
        if own is not None:
            return own
        line = self.rows.get(row, {})
        if line.get("customFormat") in ("1", "true"):
            return whole(line.get("s", "0"))
        for first, last, style in self.columns:
            if first <= column <= last:
                return style
        return 0


def cell_xml(prefix: str, reference: str, style: int, value: Written) -> str:
    """Return one cell's element; nothing where it has neither value nor style."""
    look = f' s="{style}"' if style else ""
    start = f'<{prefix}c r="{reference}"{look}'
    if isinstance(value, str) and value:
        text = escaped(value)
        space = ' xml:space="preserve"' if text != text.strip() or "\n" in text else ""
        return (
            f'{start} t="inlineStr"><{prefix}is><{prefix}t{space}>{text}</{prefix}t></{prefix}is>'
            f"</{prefix}c>"
        )
    if isinstance(value, bool):
        return f'{start} t="b"><{prefix}v>{value:d}</{prefix}v></{prefix}c>'
    if isinstance(value, int | float):
        # The plain type's own spelling: a subclass, numpy's for one, may have another.
        digits = int.__repr__(value) if isinstance(value, int) else float.__repr__(value)
        return f"{start}><{prefix}v>{digits}</{prefix}v></{prefix}c>"
    return f"{start}/>" if style else ""


def rows_xml(
    prefix: str,
    rows: Sequence[Sequence[Written]],
    looks: Looks,
    shows_other: Callable[[int, Written], bool],
) -> str:
    """Return the row elements for these values, in the look the sheet has."""
    letters = [column_letters(column + 1) for column in range(max(map(len, rows), default=0))]
    styled: dict[int, list[int]] = {}
    for row, column in looks.cells:
        styled.setdefault(row, []).append(column)
    numbers = range(1, len(rows) + 1)
    beyond = sorted((set(styled) | set(looks.rows)).difference(numbers))
    above: dict[int, int] = {}
    pieces = []
    for number in (*numbers, *beyond):
        values = rows[number - 1] if number <= len(rows) else ()
        cells = []
        for column, value in enumerate(values, 1):
            style = looks.style(number, column)
            if number > 2 and (number, column) not in looks.cells:
                style = above.get(column, style)
            above[column] = style
            if shows_other(style, value):
                style = 0  # it would read as a date, or as whatever the format says
            cells.append(cell_xml(prefix, f"{letters[column - 1]}{number}", style, value))
        for column in sorted(column for column in styled.get(number, ()) if column > len(values)):
            reference = f"{column_letters(column)}{number}"
            cells.append(cell_xml(prefix, reference, looks.cells[number, column], None))
        kept = "".join(f' {k}="{v}"' for k, v in looks.rows.get(number, {}).items())
        contents = "".join(cells)
        if contents:
            pieces.append(f'<{prefix}row r="{number}"{kept}>{contents}</{prefix}row>')
        elif kept:
            pieces.append(f'<{prefix}row r="{number}"{kept}/>')
    return "".join(pieces)


def rewritten(workbook: Workbook, sheet: Sheet, rows: Sequence[Sequence[Written]]) -> bytes:
    """Return an owned tab's part with these rows; everything but its cells stays.

    Merged cells would hide values and are undone. Raises `Stopped` where a table that a host laid
    over the tab would no longer fit its headers.
    """
    text = checked(workbook.contents(sheet), sheet.part)
    top = root(text)
    parts = named(text, top, "sheetData")
    looks = _looks(text, sheet, parts.get("cols"))
    codes = workbook.odd_formats

    def shows_other(style: int, value: Written) -> bool:
        return style in codes and shows_else(codes[style], value)

    cells = rows_xml(top.prefix, rows, looks, shows_other)
    old = parts["sheetData"]
    splices = [Splice(old.start, old.end, f"<{old.qualified}>{cells}</{old.qualified}>")]
    if (dimension := parts.get("dimension")) is not None:
        splices.append(with_attribute(text, dimension, "ref", _extent(rows)))
    if (merges := parts.get("mergeCells")) is not None:
        splices.append(Splice(merges.start, merges.end, ""))
    _check_tables(workbook, sheet, rows)
    return spliced(text, splices)


def new_sheet(namespace: str, rows: Sequence[Sequence[Written]]) -> bytes:
    """Return the part of a tab that did not exist: coloured, its header in view, columns wide."""
    widths = [_NARROWEST] * max(map(len, rows), default=0)
    for row in rows:
        for column, value in enumerate(row):
            widths[column] = min(max(widths[column], len(str(value or "")) + 2), _WIDEST)
    columns = "".join(
        f'<col min="{column}" max="{column}" width="{width}" customWidth="1"/>'
        for column, width in enumerate(widths, 1)
    )
    cells = rows_xml("", rows, Looks({}, {}, ()), lambda *_: False)
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        f'<worksheet xmlns="{namespace}"><sheetPr><tabColor rgb="{REFEREE_COLOUR}"/></sheetPr>'
        f'<dimension ref="{_extent(rows)}"/><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
        '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>'
        f'<sheetFormatPr defaultRowHeight="15"/>{f"<cols>{columns}</cols>" if columns else ""}'
        f"<sheetData>{cells}</sheetData></worksheet>"
    ).encode()


def _extent(rows: Sequence[Sequence[Written]]) -> str:
    columns = max(map(len, rows), default=0)
    return f"A1:{column_letters(columns)}{len(rows)}" if columns else "A1"


def _looks(data: bytes, sheet: Sheet, columns: Element | None) -> Looks:
    cells: dict[tuple[int, int], int] = {}
    rows: dict[int, dict[str, str]] = {}

    def take(row: StoredRow) -> None:
        cells.update({(row.number, cell[0]): cell[1] for cell in row.cells if cell[1]})
        found = {k: v for k, v in row.attributes.items() if k in _KEPT_OF_ROWS}
        if "customHeight" not in found:
            found.pop("ht", None)
        if found:
            rows[row.number] = found
        if len(cells) + len(rows) > _MOST_LOOKS:
            raise too_large(sheet.title, f"more than {_MOST_LOOKS:,} cells with a style")

    walk_rows(data, sheet, take, keep_empty=True)
    return Looks(cells, rows, () if columns is None else column_styles(data, columns))


def column_styles(text: bytes, columns: Element) -> tuple[tuple[int, int, int], ...]:
    """Return the styles of whole columns: first column, last column, style."""
    spans = [element.attributes for element in children(text, columns)]
    return tuple(
        (whole(span["min"]), whole(span["max"]), whole(span["style"]))
        for span in spans
        if {"min", "max", "style"} <= span.keys()
    )


def _check_tables(workbook: Workbook, sheet: Sheet, rows: Sequence[Sequence[Written]]) -> None:
    """Excel repairs, that is damages, a file whose table and cells name a column differently."""
    for table in workbook.tables(sheet):
        if not table.has_header:
            continue
        line = list(rows[table.top - 1]) if table.top <= len(rows) else []
        line += [None] * (table.left + len(table.headers))
        there = line[table.left - 1 :][: len(table.headers)]
        if [str(value) for value in there] != list(table.headers):
            text = (
                f"{sheet.title}: the table {quoted(table.name)} on this tab would no longer fit "
                "its headers; turn it into a plain range (Table Design > Convert to Range)"
            )
            raise Stopped([Fault("tab-in-table", text, tab=sheet.title)])
