"""Sheets of an .xlsx package as cells, letter for letter and number for number.

Every sheet is read from its own XML rather than through a library: a library hands over rounded
dates, drops the difference between an empty formula and an empty cell, trusts the sheet's own
word on its size, and cannot tell a hidden row.
"""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from referee.match.faults import quoted
from referee.stores.writable import MOST_COLUMNS, MOST_ROWS
from referee.stores.xlsx.cells import COLUMNS, decoded, iso_moment
from referee.stores.xlsx.cells import number as number_of
from referee.stores.xlsx.parsing import Walk, is_true, whole
from referee.stores.xlsx.workbook import REFERENCE, Sheet, Workbook, too_large
from referee.stores.xlsx.zip_package import Damaged
from referee.workbook.cells import Broken, Contents, Value, address
from referee.workbook.oddities import formula, number_format, shows_else

NO_STORED_VALUE: Final = "the formula has no stored value; open the file in Excel and save it"
MOST_MERGES: Final = 10_000
"""Merged areas of one tab of the match."""
_MOST_MERGED_ROWS: Final = 1_000_000
_AREA: Final = re.compile(
    r"\$?([A-Z]{1,3})?\$?([1-9][0-9]{0,6})?(?::\$?([A-Z]{1,3})?\$?([1-9][0-9]{0,6})?)?"
)
"""What a merge may cover: ``A1:C7``, whole columns ``D:E``, whole rows ``3:5``."""

Merge = tuple[int, int, int, int]

StoredCell = tuple[int, int, str, str | None, str | None, str | None]
"""A cell as it stands in the file: column, number of its style, type, formula, stored value and
inline text."""


class StoredRow(msgspec.Struct, frozen=True, gc=False):
    """A row as it stands in the file; ``place`` is where it begins, in bytes."""

    number: int
    attributes: dict[str, str]
    cells: list[StoredCell]
    place: int


def read_tab(workbook: Workbook, sheet: Sheet) -> Contents:
    """Read one sheet. Raises `Stopped` where it is too large, `Damaged` where it is broken."""
    value_of = _values(workbook, sheet)
    rows: list[list[Value]] = []
    hidden: list[int] = []
    odd: dict[tuple[int, int], str] = {}
    odd_formats = workbook.odd_formats

    def take(stored: StoredRow) -> None:
        number, attributes, cells = stored.number, stored.attributes, stored.cells
        workbook.count_row(sheet.title)
        row: list[Value] = []
        for cell in cells:
            # Most cells hold a text of their own; asking no more about them saves a call each.
            value = cell[5] if cell[2] == "inlineStr" and cell[5] else value_of(cell, number)
            if value is None:
                continue
            if cell[3] is not None:
                odd[number, cell[0]] = formula(f"={cell[3] or '…'}")
            elif cell[1] in odd_formats and shows_else(odd_formats[cell[1]], value):
                odd[number, cell[0]] = number_format(odd_formats[cell[1]])
            gap = cell[0] - 1 - len(row)
            if gap:
                row.extend([None] * gap)
            row.append(value)
        if len(attributes) > 1 and (is_true(attributes.get("hidden")) or _is_flat(attributes)):
            hidden.append(number)
        if row:
            gap = number - len(rows)
            workbook.spend(sheet.title, len(row) + max(gap, 0), row)
            if gap > 0:
                rows.extend([[]] * gap)  # one list for all: a million of them cost a second
            rows[number - 1] = row

    merges = walk_rows(workbook.contents(sheet), sheet, take)
    covered = (min(bottom, len(rows)) - top + 1 for top, _, bottom, _ in merges)
    if sum(max(0, count) for count in covered) > _MOST_MERGED_ROWS:
        raise too_large(sheet.title, f"{len(merges):,} merged areas over one another")
    seen = frozenset(number for number in hidden if number <= len(rows))
    return Contents(rows, seen, merges, odd)


def _is_flat(attributes: dict[str, str]) -> bool:
    return attributes.get("ht") in ("0", "0.0") and is_true(attributes.get("customHeight"))


def _values(workbook: Workbook, sheet: Sheet) -> Callable[[StoredCell, int], Value]:
    """Return what turns a stored cell of this workbook, in a given row, into a value."""
    kinds, mac_calendar, texts = workbook.kinds, workbook.mac_calendar, workbook.texts

    def value_of(cell: StoredCell, row: int) -> Value:
        column, style, type_, formula, text, inline = cell
        if type_ == "inlineStr":
            return inline if inline is not None else _without_value(formula)
        if text is None or (not text and type_ != "str"):
            return _without_value(formula)
        if type_ == "n":
            return number_of(text, kinds[style] if style < len(kinds) else None, mac_calendar)
        if type_ == "s":
            index = _number(text, sheet.title, row, column)
            if index < len(texts):
                return texts[index]
            raise Damaged(f"{address(sheet.title, row, column)} names a text that is not there")
        if type_ == "str":
            return decoded(text)
        if type_ == "b":
            return is_true(text)
        if type_ == "e":
            cause = "the cell holds" if formula is None else "the formula gives"
            return Broken(f"{cause} an error", text)
        if type_ == "d":
            return iso_moment(text)
        raise Damaged(f"{address(sheet.title, row, column)} has an unknown type {quoted(type_)}")

    return value_of


def _without_value(formula: str | None) -> Value:
    return None if formula is None else Broken(NO_STORED_VALUE, f"={formula or '…'}")


def _number(text: str, title: str, row: int, column: int) -> int:
    try:
        return whole(text)
    except Damaged as damage:
        raise Damaged(f"{address(title, row, column)}: {damage}") from None


# --- the sheet's XML -------------------------------------------------------------------------


def walk_rows(
    data: bytes, sheet: Sheet, take: Callable[[StoredRow], None], *, keep_empty: bool = False
) -> tuple[Merge, ...]:
    """Go through a sheet's rows in the order of the file and return its merged areas.

    Cells without any contents are told only where asked to ``keep_empty`` ones. Raises `Damaged`
    where the sheet is broken, `Stopped` where it has too many merged areas.
    """
    rows = _Rows(sheet, take, keep_empty)
    rows.through(data)
    return tuple(rows.merges)


class _Rows(Walk):
    """Puts rows and cells together from the tags of a sheet: what stands at which depth."""

    def __init__(self, sheet: Sheet, take: Callable[[StoredRow], None], keep_empty: bool) -> None:
        super().__init__(sheet.part)
        self.merges: list[Merge] = []
        self._sheet, self._take, self._keep_empty = sheet, take, keep_empty
        self._section = self._parent = ""
        self._cell = self._string = self._stored = self._formed = ""
        self._columns: dict[str, int] = {}
        self._taken = bytearray(MOST_ROWS + 1)
        self._number = self._column = self._style = 0
        self._row: StoredRow | None = None
        self._digits = self._type = ""
        self._in_cell = self._is_text = False
        self._formula: str | None = None
        self._value: str | None = None
        self._inline: list[str] | None = None

    def where(self) -> str:
        return address(self._sheet.title, self._number, self._column)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth = depth = self._depth + 1
        if depth == 4:
            if name == self._cell and self._row is not None:
                self._open_cell(attributes)
        elif depth == 5:
            self.pieces.clear()
            if name == self._string and self._in_cell:
                self._inline = []
        elif depth == 3:
            self._open_line(name[name.rfind("}") + 1 :], attributes)
        elif depth > 5:
            self._open_run(depth, name[name.rfind("}") + 1 :])
        elif depth == 2:
            self._section = name[name.rfind("}") + 1 :]
        else:
            space = name[: name.rfind("}") + 1]
            self._cell, self._string, self._stored = f"{space}c", f"{space}is", f"{space}v"
            self._formed = f"{space}f"

    def end(self, name: str) -> None:
        depth = self._depth
        self._depth = depth - 1
        if depth == 5:
            if self._in_cell:
                if name == self._stored:
                    self._value = self.text()
                elif name == self._formed:
                    self._formula = self.text()
        elif depth == 4:
            if self._in_cell:
                self._close_cell()
        elif depth == 3:
            if self._row is not None:
                self._take(self._row)
                self._row = None
        elif self._is_text and self._inline is not None:
            self._inline.append(decoded(self.text()))
            self._is_text = False

    def _open_run(self, depth: int, kind: str) -> None:
        """Take a text of the cell, or of one of its runs; phonetic hints are none."""
        self._depth -= 1
        self.deeper()
        if depth == 6:
            self._parent = kind
        self._is_text = kind == "t" and (depth == 6 or (depth == 7 and self._parent == "r"))

    def _open_line(self, kind: str, attributes: dict[str, str]) -> None:
        if self._section == "sheetData" and kind == "row":
            self._open_row(attributes)
        elif self._section == "mergeCells" and kind == "mergeCell":
            self._merge(attributes.get("ref", ""))

    def _open_row(self, attributes: dict[str, str]) -> None:
        title, given = self._sheet.title, attributes.get("r")
        try:
            number = self._number + 1 if given is None else whole(given)
        except Damaged as damage:
            raise Damaged(f"{title}: {damage}, for a row") from None
        if not 1 <= number <= MOST_ROWS:
            raise Damaged(f"{title}: it has a row {number}, which is out of bounds")
        if self._taken[number]:
            raise Damaged(f"{title}: row {number} stands there twice")
        self._taken[number] = 1
        self._number, self._digits, self._column = number, str(number), 0
        self._row = StoredRow(number, attributes, [], self.parser.CurrentByteIndex)

    def _open_cell(self, attributes: dict[str, str]) -> None:
        reference, last = attributes.get("r"), self._column
        if reference is None:
            self._column = last + 1
        elif reference.endswith(self._digits) and (
            column := self._columns.get(reference[: -len(self._digits)])
        ):
            self._column = column
        else:
            self._column = self._new_column(reference)
        title, number = self._sheet.title, self._number
        if self._column <= last:
            place = address(title, number, self._column)
            raise Damaged(f"{place} stands there twice, or its row is out of order")
        if self._column > MOST_COLUMNS:
            raise Damaged(f"{title}: a cell of row {number} is out of bounds")
        style = attributes.get("s")
        self._style = 0 if style is None else _number(style, title, number, self._column)
        self._type = attributes.get("t", "n")
        self._formula = self._value = self._inline = None
        self._in_cell = True

    def _new_column(self, reference: str) -> int:
        found = REFERENCE.fullmatch(reference)
        if found is None or int(found[2]) != self._number:
            where = f"{self._sheet.title}: a cell of row {self._number}"
            raise Damaged(f"{where} says it is {quoted(reference)}")
        column = self._columns[found[1]] = COLUMNS[found[1]]
        return column

    def _close_cell(self) -> None:
        formula, value, inline = self._formula, self._value, self._inline
        self._in_cell = False
        self._inline = None
        if not self._keep_empty and value is None and formula is None and inline is None:
            return
        text = None if inline is None else "".join(inline)
        cell = (self._column, self._style, self._type, formula, value, text)
        if self._row is not None:
            self._row.cells.append(cell)

    def _merge(self, area: str) -> None:
        if len(self.merges) >= MOST_MERGES:
            raise too_large(self._sheet.title, f"more than {MOST_MERGES:,} merged areas")
        found = _AREA.fullmatch(area)
        if found is None or not (found[1] or found[2]):
            raise Damaged(f"{self._sheet.title}: it merges cells at {quoted(area)}")
        first, top, last, bottom = found.groups()
        last, bottom = last or first, bottom or top
        self.merges.append(
            (
                int(top) if top else 1,
                COLUMNS[first] if first else 1,
                int(bottom) if bottom else MOST_ROWS,
                COLUMNS[last] if last else MOST_COLUMNS,
            )
        )
