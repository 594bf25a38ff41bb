"""Sheets of an .xlsx package as cells, letter for letter and number for number.

Every sheet is read from its own XML rather than through a library: a library hands over rounded
dates, drops the difference between an empty formula and an empty cell, trusts the sheet's own
word on its size, and cannot tell a hidden row.

Nearly every program writes cells in one plain shape, which one regular expression reads some four
times faster than a tree. It must account for every character between ``<sheetData>`` and its end;
where it does not, the whole sheet is read as a tree instead. Both give the same cells.
"""

import pyexpat
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

import msgspec

from referee.match.faults import quoted
from referee.stores.writable import MOST_COLUMNS, MOST_ROWS
from referee.stores.xlsx.cells import COLUMNS, decoded, iso_moment
from referee.stores.xlsx.cells import number as number_of
from referee.stores.xlsx.workbook import (
    REFERENCE,
    Sheet,
    Workbook,
    is_true,
    namespace,
    parsed,
    text_of,
    too_large,
    whole,
)
from referee.stores.xlsx.zip_package import Damaged
from referee.workbook.cells import Broken, Tab, Value, address

MOST_CELLS: Final = 2_000_000
"""Cells, empty ones to the left of a full one included, that one sheet may spread over."""

NO_STORED_VALUE: Final = "the formula has no stored value; open the file in Excel and save it"

Merge = tuple[int, int, int, int]


StoredCell = tuple[int, int, str, str | None, str | None, str | None]
"""A cell as it stands in the file: column, number of its style, type, formula, stored value and
inline text."""


class StoredRow(NamedTuple):
    """A row as it stands in the file."""

    number: int
    attributes: dict[str, str]
    cells: list[StoredCell]


class Stored(msgspec.Struct, frozen=True):
    """A whole sheet as it stands in the file; ``plain`` where it has the one usual shape."""

    rows: list[StoredRow]
    merges: tuple[Merge, ...]
    plain: bool


def read_tab(workbook: Workbook, sheet: Sheet) -> Tab:
    """Read one sheet. Raises `Stopped` where it is too large, `Damaged` where it is broken."""
    stored = read_sheet(workbook.raw(sheet.part, sheet.title), sheet.part)
    value_of = _values(workbook, sheet)
    rows: list[list[Value]] = []
    hidden: list[int] = []
    spread = 0
    for number, attributes, cells in stored.rows:
        row: list[Value] = []
        for cell in cells:
            # Most cells hold a text of their own; asking no more about them saves a call each.
            value = cell[5] if cell[2] == "inlineStr" and cell[5] else value_of(cell, number)
            if value is None:
                continue
            gap = cell[0] - 1 - len(row)
            if gap:
                row.extend([None] * gap)
            row.append(value)
        if is_true(attributes.get("hidden")) or _is_flat(attributes):
            hidden.append(number)
        if row:
            spread += len(row) + number - len(rows)
            if spread > MOST_CELLS:
                raise too_large(sheet.title, f"more than {MOST_CELLS:,} cells")
            rows.extend([] for _ in range(number - 1 - len(rows)))
            rows.append(row)
    seen = frozenset(number for number in hidden if number <= len(rows))
    owned_as = sheet.owned_as
    return Tab(sheet.title, rows, seen, stored.merges, owned_as is not None, owned_as)


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
            if text.isascii() and text.isdecimal() and int(text) < len(texts):
                return texts[int(text)]
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


# --- the sheet's XML -------------------------------------------------------------------------

_TOKEN: Final = re.compile(
    r'\s*(?:<c(?: r="([A-Z]{1,3})([0-9]{1,7})")?(?: s="([0-9]+)")?(?: t="([A-Za-z]+)")?'
    r'(?: cm="[0-9]+")?'
    r"(?: ?/>|>(<f(?: [^<>]*)?(?:/>|>[^<]*</f>))?(?:<v>([^<]*)</v>|<v ?/>)?"
    r'(?:<is><t(?: xml:space="preserve")?>([^<]*)</t></is>)?</c>)'
    r'|<row((?: [A-Za-z0-9:]+="[^"<>&]*")*) ?(/?)>|(</row>))'
)
_ATTRIBUTE: Final = re.compile(r' ([A-Za-z0-9:]+)="([^"]*)"')
_ENTITY: Final = re.compile(r"&(#[0-9]+|#x[0-9A-Fa-f]+|[a-z]+);")
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class _Unusual(Exception):
    """The sheet does not have the plain shape."""


def read_sheet(data: bytes, part: str, *, keep_empty: bool = False) -> Stored:
    """Read a sheet's XML; cells without any contents only where asked to ``keep_empty`` ones.

    Raises `Damaged` where it is broken.
    """
    check_well_formed(data, part)
    try:
        before, body, after = _plain_split(data)
        rows = list(_plain_rows(body, keep_empty))
        root = parsed(before + after, part)
        plain = True
    except _Unusual:
        rows, root = _tree(data, part)
        plain = False
    return Stored(_in_order(rows, part), tuple(_merges(root)), plain)


def check_well_formed(data: bytes, part: str) -> None:
    """Raise `Damaged` where a part is not well-formed or declares a document type."""

    def refuse(*_: object) -> None:
        raise Damaged(f"its part {part} declares a document type")

    parser = pyexpat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - the only way to say that this is all
    except pyexpat.ExpatError as error:
        raise Damaged(f"its part {part} is not well-formed ({error})") from error


def _plain_split(data: bytes) -> tuple[bytes, str, bytes]:
    """Part a sheet into what stands before, inside and after its cells."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"<!--" in data or b"<![CDATA[" in data:
        raise _Unusual
    start, end = data.find(b"<sheetData>"), data.rfind(b"</sheetData>")
    if start < 0 or end < start or b"\r" in data[start:end]:
        raise _Unusual
    start += len(b"<sheetData>")
    try:
        return data[:start], data[start:end].decode("utf-8"), data[end:]
    except UnicodeDecodeError:
        raise _Unusual from None


def _plain_rows(body: str, keep_empty: bool) -> Iterator[StoredRow]:
    position = number = column = last = 0
    row_text: str | None = None
    columns = COLUMNS
    cells: list[StoredCell] = []
    attributes: dict[str, str] = {}
    for token in _TOKEN.finditer(body):
        start, end = token.span()
        if start != position:
            raise _Unusual
        position = end
        letters, row, style, type_, formula, value, inline, found, closed, row_end = token.groups()
        if row_end is not None:
            yield StoredRow(number, attributes, cells)
            row_text = None
        elif found is not None:
            if row_text is not None:
                raise _Unusual
            attributes = dict(_ATTRIBUTE.findall(found))
            number = _row_number(attributes, number)
            column, cells = 0, []
            if closed:
                yield StoredRow(number, attributes, cells)
            else:
                row_text = str(number)
        else:
            last, column = column, columns[letters] if letters else column + 1
            if row_text is None or (row is not None and row != row_text) or column <= last:
                raise _Unusual
            if inline is not None and ("&" in inline or "_x" in inline):
                inline = decoded(_unescaped(inline))
            elif value is not None and "&" in value:
                value = _unescaped(value)
            elif value is inline is formula is None and not keep_empty:
                continue
            cells.append(
                (
                    column,
                    int(style or 0),
                    type_ or "n",
                    formula and _formula(formula),
                    value,
                    inline,
                )
            )
    if row_text is not None or body[position:].strip():
        raise _Unusual


def _row_number(attributes: dict[str, str], before: int) -> int:
    number = attributes.get("r")
    return before + 1 if number is None else whole(number)


def _formula(element: str) -> str:
    """Return a formula's text; a cell that shares another's formula has an empty one."""
    return _unescaped(element.partition(">")[2].removesuffix("</f>"))


def _unescaped(text: str) -> str:
    return _ENTITY.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name.startswith("#"):
        return chr(int("0" + name[1:], 0) if name[1] == "x" else int(name[1:]))
    if name not in _ENTITIES:
        raise _Unusual
    return _ENTITIES[name]


def _tree(data: bytes, part: str) -> tuple[list[StoredRow], ET.Element]:
    """Read the rows, one element in memory at a time, and return what else the sheet has."""
    rows: list[StoredRow] = []
    root, ns, number = ET.Element(""), "", 0
    try:
        # The document type that could do harm was refused before.
        # The text is our own or was checked for declarations before.
        for event, element in ET.iterparse(BytesIO(data), events=("start", "end")):  # noqa: S314
            if event == "start":
                if not ns:
                    root, ns = element, namespace(element)
            elif element.tag == f"{ns}row":
                number = _row_number(element.attrib, number)
                cells = list(_tree_cells(element, ns, number))
                rows.append(StoredRow(number, dict(element.attrib), cells))
                element.clear()
    except (ET.ParseError, ValueError, LookupError) as error:
        raise Damaged(f"its part {part} is not well-formed ({error})") from error
    return rows, root


def _tree_cells(row: ET.Element, ns: str, number: int) -> Iterator[StoredCell]:
    column = 0
    for element in row.iterfind(f"{ns}c"):
        reference, last = element.get("r"), column
        if reference is None:
            column += 1
        else:
            found = REFERENCE.fullmatch(reference)
            if found is None or int(found[2]) != number:
                raise Damaged(f"a cell of row {number} says it is {reference}")
            column = COLUMNS[found[1]]
        if column <= last:
            raise Damaged(f"cells of row {number} are out of order")
        value, inline = element.find(f"{ns}v"), element.find(f"{ns}is")
        formula = element.find(f"{ns}f")
        yield (
            column,
            whole(element.get("s", "0")),
            element.get("t", "n"),
            None if formula is None else "".join(formula.itertext()),
            None if value is None else "".join(value.itertext()),
            None if inline is None else text_of(inline, ns),
        )


def _in_order(rows: list[StoredRow], part: str) -> list[StoredRow]:
    """Return rows and their cells in order. Raises `Damaged` where one place is taken twice."""
    last = 0
    for row in rows:
        if row.number <= last:
            rows = sorted(rows, key=lambda row: row.number)
            break
        last = row.number
    last = 0
    for row in rows:
        if not last < row.number <= MOST_ROWS:
            raise Damaged(f"its part {part} has row {row.number} twice or out of bounds")
        last = row.number
        if row.cells and row.cells[-1][0] > MOST_COLUMNS:
            raise Damaged(f"its part {part} has a cell of row {row.number} out of bounds")
    return rows


def _merges(root: ET.Element) -> Iterator[Merge]:
    ns = namespace(root)
    for element in root.iterfind(f"{ns}mergeCells/{ns}mergeCell"):
        found = REFERENCE.fullmatch(element.get("ref", ""))
        if found is None:
            raise Damaged(f"it merges cells at {quoted(element.get('ref', ''))}")
        first, top, last, bottom = (
            found[1],
            int(found[2]),
            found[3] or found[1],
            found[4] or found[2],
        )
        yield top, COLUMNS[first], int(bottom), COLUMNS[last]
