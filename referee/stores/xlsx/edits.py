"""Single cells of a host's sheet set in place, everything around them as it was.

Only the elements of the cells that change are written anew, and of a row that did not exist. A
cell keeps its style; a new one takes that of the cell above or of its column.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final

import msgspec

from referee.match.faults import Fault, Stopped, quoted
from referee.match.instants import DAY
from referee.stores.contract import CellEdit, WallClock
from referee.stores.writable import clock_text, storable
from referee.stores.xlsx.cells import COLUMNS, SHIFT_1904
from referee.stores.xlsx.markup import (
    Element,
    Splice,
    appended,
    checked,
    children,
    element_at,
    in_utf_8,
    named,
    root,
    spliced,
    with_attribute,
)
from referee.stores.xlsx.parsing import is_true, whole
from referee.stores.xlsx.reading import StoredRow, walk_rows
from referee.stores.xlsx.workbook import REFERENCE, Sheet, Table, Workbook
from referee.stores.xlsx.writing import cell_xml, column_styles
from referee.stores.xlsx.zip_package import Damaged
from referee.workbook.cells import Moment, Tab, Value, Written, address, column_letters

_NO_CELLS: Final[list[Value]] = []
_SPAN: Final = re.compile("([0-9]{1,5}):([0-9]{1,5})")

Wanted = Mapping[int, Mapping[int, Written | WallClock]]


class Contents(msgspec.Struct, frozen=True):
    """One sheet's bytes: where its rows begin, by number, and how the cells of a column look.

    ``styles`` holds, for each column, from which row under the header on a style holds: pairs of
    row and style, rising.
    """

    text: bytes
    prefix: str
    data: Element
    places: dict[int, int]
    numbers: list[int]
    header: int
    styles: dict[int, list[tuple[int, int]]]
    columns: tuple[tuple[int, int, int], ...]


def edited(workbook: Workbook, sheet: Sheet, edits: Sequence[CellEdit]) -> dict[str, bytes]:
    """Return the parts that change: the sheet, and a table that grows over rows added below it.

    The work is that of one way through the sheet and of the rows that change. Raises `Stopped`
    where a cell to be set holds a formula, or a table's header would change.
    """
    contents = _contents(workbook, sheet)
    wanted: dict[int, dict[int, Written | WallClock]] = {}
    for edit in edits:
        wanted.setdefault(edit.row, {})[edit.column] = edit.value
    rows = {number: _row(contents, number) for number in wanted if number in contents.places}
    tables = workbook.tables(sheet)
    if faults := [*_formulas(contents, rows, sheet, wanted), *_headers(tables, sheet, wanted)]:
        raise Stopped(faults)
    splices = _rows(workbook, contents, rows, wanted)
    splices += _dimension(contents, wanted)
    parts = {sheet.part: spliced(contents.text, splices)}
    for table in tables:
        parts.update(_grown(workbook, table, wanted))
    return parts


def _contents(workbook: Workbook, sheet: Sheet) -> Contents:
    text = in_utf_8(workbook.contents(sheet), sheet.part)
    places: dict[int, int] = {}
    styles: dict[int, list[tuple[int, int]]] = {}
    header = 0

    def take(row: StoredRow) -> None:
        nonlocal header
        places[row.number] = row.place
        if not header and row.cells:
            header = row.number
        elif row.number > header:
            for cell in row.cells:
                known = styles.get(cell[0])
                if known is None:
                    styles[cell[0]] = [(row.number, cell[1])]
                elif known[-1][1] != cell[1]:
                    known.append((row.number, cell[1]))

    walk_rows(text, sheet, take, keep_empty=True)
    top = root(text)
    parts = named(text, top, "sheetData")
    columns = column_styles(text, parts["cols"]) if "cols" in parts else ()
    data = parts["sheetData"]
    return Contents(text, top.prefix, data, places, sorted(places), header, styles, columns)


class Row(msgspec.Struct, frozen=True):
    """A row that stands there and is to be changed, with its cells by column."""

    element: Element
    cells: dict[int, Element]


def _row(contents: Contents, number: int) -> Row:
    element = element_at(contents.text, contents.places[number])
    cells: dict[int, Element] = {}
    column = 0
    for cell in children(contents.text, element):
        place = REFERENCE.fullmatch(cell.attributes.get("r", ""))
        column = COLUMNS[place[1]] if place is not None else column + 1
        cells[column] = cell
    return Row(element, cells)


def _formulas(
    contents: Contents, rows: Mapping[int, Row], sheet: Sheet, wanted: Wanted
) -> list[Fault]:
    faults = []
    for number in sorted(rows):
        for column in sorted(wanted[number]):
            cell = rows[number].cells.get(column)
            if cell is not None and any(e.name == "f" for e in children(contents.text, cell)):
                place = address(sheet.title, number, column)
                text = f"{place} holds a formula; clear the cell if the referee may write there"
                faults.append(Fault("formula-in-the-way", text, tab=sheet.title, row=number))
    return faults


def _headers(tables: Sequence[Table], sheet: Sheet, wanted: Wanted) -> list[Fault]:
    faults = []
    for table in tables:
        for column in wanted.get(table.top, {}):
            if table.has_header and table.left <= column <= table.right:
                place = address(sheet.title, table.top, column)
                text = f"{place} is a header of the table {quoted(table.name)}; rename it by hand"
                faults.append(Fault("table-header", text, tab=sheet.title, row=table.top))
    return faults


def _rows(
    workbook: Workbook, contents: Contents, rows: Mapping[int, Row], wanted: Wanted
) -> list[Splice]:
    """Return the splices of all cells; from the top down, so that new rows build on each other."""
    splices = []
    new_rows: dict[int, list[str]] = {}
    for number, values in sorted(wanted.items()):
        there = rows.get(number)
        cells: dict[int, str] = {}
        for column, value in sorted(values.items()):
            if value is None and (there is None or column not in there.cells):
                continue
            style = _style(contents, there, number, column)
            plain = _stored_value(workbook, value, style)
            reference = f"{column_letters(column)}{number}"
            cells[column] = cell_xml(contents.prefix, reference, style, plain)
        if there is not None:
            splices += _in_row(contents, there, cells)
        elif inside := "".join(cells.values()):
            name = f"{contents.prefix}row"
            next_ = bisect_right(contents.numbers, number)
            following = contents.numbers[next_] if next_ < len(contents.numbers) else 0
            new_rows.setdefault(following, []).append(f'<{name} r="{number}">{inside}</{name}>')
    for following, texts in new_rows.items():
        if following:
            start = contents.places[following]
            splices.append(Splice(start, start, "".join(texts)))
        else:
            splices.append(appended(contents.text, contents.data, "".join(texts)))
    return splices


def _style(contents: Contents, there: Row | None, number: int, column: int) -> int:
    """Return a cell's own style, else that of the next cell above, else of its row or column.

    The first row that has cells is the header: none below takes its look.
    """
    if there is not None and (own := there.cells.get(column)) is not None:
        return whole(own.attributes.get("s", "0"))
    known = contents.styles.get(column, ())
    if above := bisect_right(known, number, key=lambda pair: pair[0]):
        return known[above - 1][1]
    if there is not None and is_true(there.element.attributes.get("customFormat")):
        style = whole(there.element.attributes.get("s", "0"))
    else:
        spans = contents.columns
        style = next((style for first, last, style in spans if first <= column <= last), 0)
    if number > contents.header:
        contents.styles.setdefault(column, []).insert(0, (number, style))
    return style


def _in_row(contents: Contents, row: Row, cells: Mapping[int, str]) -> list[Splice]:
    """Return the splices that put cells into a row that exists."""
    text, element = contents.text, row.element
    if element.is_closed:
        return [appended(text, element, "".join(cells.values()))]
    splices = []
    added: dict[int, str] = {}
    for column, cell in cells.items():
        if (old := row.cells.get(column)) is not None:
            splices.append(Splice(old.start, old.end, cell))
        else:
            following = min((other for other in row.cells if other > column), default=0)
            added[following] = added.get(following, "") + cell
    for following, addition in added.items():
        place = row.cells[following].start if following else element.inner_end
        splices.append(Splice(place, place, addition))
    spans = _SPAN.fullmatch(element.attributes.get("spans", ""))
    if spans is not None and cells:
        wide = f"{min(int(spans[1]), *cells)}:{max(int(spans[2]), *cells)}"
        if wide != spans[0]:
            splices.append(with_attribute(text, element, "spans", wide))
    return splices


def _stored_value(workbook: Workbook, value: Written | WallClock, style: int) -> Written:
    """Return what a cell stores; a time is a number only where its style shows it as a time."""
    if not isinstance(value, WallClock):
        return value
    kinds = workbook.kinds
    if style < len(kinds) and kinds[style] == "date-time":
        return value.days - (SHIFT_1904 if workbook.mac_calendar else 0)
    return clock_text(value)


def _dimension(contents: Contents, wanted: Wanted) -> list[Splice]:
    """Return the splice that lets the sheet's own word on its size include the cells set."""
    text = contents.text
    element = next((e for e in children(text, root(text)) if e.name == "dimension"), None)
    area = None if element is None else REFERENCE.fullmatch(element.attributes.get("ref", ""))
    if element is None or area is None:
        return []
    left, top = COLUMNS[area[1]], int(area[2])
    right = COLUMNS[area[3]] if area[3] else left
    bottom = int(area[4] or top)
    columns = [column for values in wanted.values() for column in values]
    first = f"{column_letters(min(left, *columns))}{min(top, *wanted)}"
    last = f"{column_letters(max(right, *columns))}{max(bottom, *wanted)}"
    wide = first if first == last else f"{first}:{last}"
    return [] if wide == area[0] else [with_attribute(text, element, "ref", wide)]


def _grown(workbook: Workbook, table: Table, wanted: Wanted) -> dict[str, bytes]:
    """Return the table's part, grown over the rows set right below it, or nothing."""
    bottom = table.bottom
    while any(
        table.left <= column <= table.right and value is not None
        for column, value in wanted.get(bottom + 1, {}).items()
    ):
        bottom += 1
    if bottom == table.bottom or table.has_totals:
        return {}
    text = checked(workbook.raw(table.part), table.part)
    top = root(text)
    ref = f"{column_letters(table.left)}{table.top}:{column_letters(table.right)}{bottom}"
    holders = [top, *(e for e in children(text, top) if e.name == "autoFilter")]
    splices = [with_attribute(text, element, "ref", ref) for element in holders]
    return {table.part: spliced(text, splices)}


def check_edited(before: Tab, after: Tab, edits: Sequence[CellEdit]) -> None:
    """Raise `Damaged` where cells other than those set changed, or one set reads differently."""
    wanted: dict[int, dict[int, Written | WallClock]] = {}
    for edit in edits:
        wanted.setdefault(edit.row, {})[edit.column] = edit.value
    last = 0
    for row in (*sorted(wanted), max(len(before.rows), len(after.rows)) + 1):
        # Rows that nobody set are the same text read by the same reader: no kinds to tell apart.
        unset = before.rows[last : row - 1], after.rows[last : row - 1]
        for number, (old, new) in enumerate(zip_longest(*unset, fillvalue=_NO_CELLS), last + 1):
            if old != new:
                raise Damaged(f"{before.title} row {number} does not read back as it was")
        if row in wanted:
            old, new = _row_of(before, row), _row_of(after, row)
            _check_row(before.title, row, old, new, wanted[row])
        last = row


def _check_row(
    title: str,
    row: int,
    old: Sequence[Value],
    new: Sequence[Value],
    values: Mapping[int, Written | WallClock],
) -> None:
    for column in range(1, max(len(old), len(new), *values) + 1):
        found = new[column - 1] if column <= len(new) else None
        if column in values:
            is_right = _is_written(found, values[column])
        else:
            is_right = found == (old[column - 1] if column <= len(old) else None)
        if not is_right:
            raise Damaged(f"{address(title, row, column)} does not read back as written")


def _is_written(found: Value, value: Written | WallClock) -> bool:
    if isinstance(value, WallClock):
        as_number = isinstance(found, Moment) and abs(found.days - value.days) * DAY < 0.5
        return as_number or found == clock_text(value)
    if isinstance(value, str):
        return found == (storable(value) or None)
    shown = found.days if isinstance(found, Moment) else found
    return shown == value and isinstance(shown, bool) == isinstance(value, bool)


def _row_of(tab: Tab, row: int) -> list[Value]:
    return tab.rows[row - 1] if row <= len(tab.rows) else _NO_CELLS
