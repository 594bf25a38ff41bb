"""Single cells of a host's sheet set in place, everything around them as it was.

Only the elements of the cells that change are written anew, and of a row that did not exist. A
cell keeps its style; a new one takes that of the cell above or of its column.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
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
    as_text,
    children,
    named,
    root,
    spliced,
    with_attribute,
)
from referee.stores.xlsx.workbook import REFERENCE, Sheet, Table, Workbook, whole
from referee.stores.xlsx.writing import cell_xml, column_styles
from referee.stores.xlsx.zip_package import Damaged
from referee.workbook.cells import Moment, Tab, Value, Written, address, column_letters

_LARGEST_STYLE: Final = 2**31


class Contents(msgspec.Struct, frozen=True):
    """The rows and cells of one sheet's text, by number."""

    text: str
    prefix: str
    data: Element
    rows: dict[int, Element]
    cells: dict[int, dict[int, Element]]
    columns: tuple[tuple[int, int, int], ...]


def edited(workbook: Workbook, sheet: Sheet, edits: Sequence[CellEdit]) -> dict[str, bytes]:
    """Return the parts that change: the sheet, and a table that grows over rows added below it.

    Raises `Stopped` where a cell to be set holds a formula, or a table's header would change.
    """
    contents = _contents(workbook, sheet)
    wanted: dict[int, dict[int, Written | WallClock]] = {}
    for edit in edits:
        wanted.setdefault(edit.row, {})[edit.column] = edit.value
    tables = workbook.tables(sheet)
    if faults := [*_formulas(contents, sheet, wanted), *_headers(tables, sheet, wanted)]:
        raise Stopped(faults)
    splices = _rows(workbook, contents, wanted)
    splices += _dimension(contents, wanted)
    parts = {sheet.part: spliced(contents.text, splices).encode("utf-8")}
    for table in tables:
        parts.update(_grown(workbook, table, wanted))
    return parts


def _contents(workbook: Workbook, sheet: Sheet) -> Contents:
    text = as_text(workbook.raw(sheet.part, sheet.title), sheet.part)
    top = root(text)
    parts = named(text, top, "sheetData")
    rows: dict[int, Element] = {}
    cells: dict[int, dict[int, Element]] = {}
    number = 0
    for row in children(text, parts["sheetData"]):
        number = whole(row.attributes.get("r", str(number + 1)))
        rows[number], cells[number], column = row, {}, 0
        for cell in children(text, row):
            place = REFERENCE.fullmatch(cell.attributes.get("r", ""))
            column = COLUMNS[place[1]] if place is not None else column + 1
            cells[number][column] = cell
    columns = column_styles(text, parts["cols"]) if "cols" in parts else ()
    return Contents(text, top.prefix, parts["sheetData"], rows, cells, columns)


Wanted = Mapping[int, Mapping[int, Written | WallClock]]


def _formulas(contents: Contents, sheet: Sheet, wanted: Wanted) -> list[Fault]:
    faults = []
    for row, values in sorted(wanted.items()):
        for column in sorted(values):
            cell = contents.cells.get(row, {}).get(column)
            if cell is not None and any(e.name == "f" for e in children(contents.text, cell)):
                place = address(sheet.title, row, column)
                text = f"{place} holds a formula; clear the cell if the referee may write there"
                faults.append(Fault("formula-in-the-way", text, tab=sheet.title, row=row))
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


def _rows(workbook: Workbook, contents: Contents, wanted: Wanted) -> list[Splice]:
    """Return the splices of all cells; from the top down, so that new rows build on each other."""
    styles = _Styles(contents)
    splices = []
    new_rows: dict[int, str] = {}
    for row, values in sorted(wanted.items()):
        there = contents.rows.get(row)
        cells: dict[int, str] = {}
        for column, value in sorted(values.items()):
            if value is None and column not in contents.cells.get(row, {}):
                continue
            style = styles.style(row, column)
            plain = _stored_value(workbook, value, style)
            reference = f"{column_letters(column)}{row}"
            cells[column] = cell_xml(contents.prefix, reference, style, plain)
        if there is not None:
            splices += _in_row(contents, row, cells)
        elif "".join(cells.values()):
            name = f"{contents.prefix}row"
            following = min((number for number in contents.rows if number > row), default=0)
            text = f'<{name} r="{row}">{"".join(cells.values())}</{name}>'
            new_rows[following] = new_rows.get(following, "") + text
    for following, text in new_rows.items():
        if following:
            start = contents.rows[following].start
            splices.append(Splice(start, start, text))
        else:
            splices.append(appended(contents.text, contents.data, text))
    return splices


class _Styles:
    """The styles of a sheet's cells, and of those that are set one after the other."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._columns: dict[int, list[tuple[int, int]]] = {}
        self._header = next((row for row in sorted(contents.cells) if contents.cells[row]), 0)
        for row in sorted(contents.cells):
            for column, cell in contents.cells[row].items():
                style = whole(cell.attributes.get("s", "0"))
                self._columns.setdefault(column, []).append((row, style))

    def style(self, row: int, column: int) -> int:
        """Return a cell's own style, else that of the next cell above, else of its row or column.

        The first row that has cells is the header: none below takes its look.
        """
        known = self._columns.setdefault(column, [])
        place = bisect_right(known, (row, _LARGEST_STYLE))
        above, style = known[place - 1] if place else (0, 0)
        if above != row:
            if above <= self._header:
                style = self._style_of_place(row, column)
            known.insert(place, (row, style))
        return style

    def _style_of_place(self, row: int, column: int) -> int:
        there = self._contents.rows.get(row)
        if there is not None and there.attributes.get("customFormat") in ("1", "true"):
            return whole(there.attributes.get("s", "0"))
        spans = self._contents.columns
        return next((style for first, last, style in spans if first <= column <= last), 0)


def _in_row(contents: Contents, number: int, cells: Mapping[int, str]) -> list[Splice]:
    """Return the splices that put cells into a row that exists."""
    text, row, there = contents.text, contents.rows[number], contents.cells[number]
    if row.is_closed:
        return [appended(text, row, "".join(cells.values()))]
    splices = []
    added: dict[int, str] = {}
    for column, cell in cells.items():
        if (old := there.get(column)) is not None:
            splices.append(Splice(old.start, old.end, cell))
        else:
            following = min((other for other in there if other > column), default=0)
            added[following] = added.get(following, "") + cell
    for following, addition in added.items():
        place = there[following].start if following else row.inner_end
        splices.append(Splice(place, place, addition))
    spans = row.attributes.get("spans", "")
    if spans.count(":") == 1 and cells:
        low, high = map(int, spans.split(":"))
        wide = f"{min(low, *cells)}:{max(high, *cells)}"
        if wide != spans:
            splices.append(with_attribute(text, row, "spans", wide))
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
    text = as_text(workbook.raw(table.part), table.part)
    top = root(text)
    ref = f"{column_letters(table.left)}{table.top}:{column_letters(table.right)}{bottom}"
    holders = [top, *(e for e in children(text, top) if e.name == "autoFilter")]
    splices = [with_attribute(text, element, "ref", ref) for element in holders]
    return {table.part: spliced(text, splices).encode("utf-8")}


def check_edited(before: Tab, after: Tab, edits: Sequence[CellEdit]) -> None:
    """Raise `Damaged` where cells other than those set changed, or one set reads differently."""
    wanted = {(e.row, e.column): e.value for e in edits if e.tab == before.title}
    places = {*_filled(before), *_filled(after), *wanted}
    for row, column in places:
        found = _at(after, row, column)
        value = wanted.get((row, column))
        if isinstance(value, WallClock):
            as_number = isinstance(found, Moment) and abs(found.days - value.days) * DAY < 0.5
            is_right = as_number or found == clock_text(value)
        elif isinstance(value, str):
            is_right = found == (storable(value) or None)
        elif (row, column) in wanted:
            shown = found.days if isinstance(found, Moment) else found
            is_right = shown == value and isinstance(shown, bool) == isinstance(value, bool)
        else:
            is_right = found == _at(before, row, column)
        if not is_right:
            raise Damaged(f"{address(before.title, row, column)} does not read back as written")


def _filled(tab: Tab) -> set[tuple[int, int]]:
    return {
        (row, column)
        for row, cells in enumerate(tab.rows, 1)
        for column, value in enumerate(cells, 1)
        if value is not None
    }


def _at(tab: Tab, row: int, column: int) -> Value:
    cells = tab.rows[row - 1] if row <= len(tab.rows) else []
    return cells[column - 1] if column <= len(cells) else None
