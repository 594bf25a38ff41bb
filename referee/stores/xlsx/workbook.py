"""The parts of an .xlsx package and how they hang together (ECMA-376 parts 1 and 2).

`Workbook` knows which part holds which sheet, which sheets carry the referee's mark, and what the
shared tables (texts, number formats) say. It keeps the prefixes and places of the file as they
are: Excel, LibreOffice, Google and the many libraries agree on the meaning and on nothing else.
"""

import posixpath
import re
from collections.abc import Sequence
from functools import cached_property
from sys import getsizeof
from typing import Final
from xml.etree import ElementTree as ET

import msgspec

from referee.match.faults import Fault, Stopped, quoted
from referee.stores.marks import MARK, marked_title
from referee.stores.xlsx.cells import COLUMNS, PLAIN_FORMATS, built_in_kind, decoded, format_kind
from referee.stores.xlsx.parsing import is_true, namespace, parsed, shared_texts, whole
from referee.stores.xlsx.zip_package import Damaged, Package, TooLarge
from referee.workbook.cells import MomentKind
from referee.workbook.oddities import is_plain

LARGEST_PART: Final = 64 * 2**20
"""Bytes a part may unpack to; a sheet of 600 rows takes a fifth of one of these 64 megabytes."""
MOST_TAGS: Final = 4_000_000
"""Tags read from one workbook: a bound on the time that takes."""
MOST_CELLS: Final = 2_000_000
"""Cells, empty ones to the left of and rows above a full one included, that all tabs of the match
may spread over."""
_MOST_ROWS_READ: Final = 1_200_000
_MOST_UNPACKED: Final = 160 * 2**20
_LARGEST_TREE: Final = 16 * 2**20
_HEAVIEST: Final = 140 * 2**20
"""Bytes that all values read may take in memory."""
_ROW_WEIGHT: Final = 160

REFERENCE: Final = re.compile(
    r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})(?::\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6}))?"
)
"""A cell or an area as files write it: ``B2``, ``A1:C7``."""

_LINKS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_LINKS: Final = "http://purl.oclc.org/ooxml/officeDocument/relationships"

_SHEET_ID: Final = re.compile("[0-9]{1,9}")
_TARGET: Final = re.compile(r"\s*(?:'((?:[^']|'')+)'|([^'!\[\]]+))!")


class Sheet(msgspec.Struct, frozen=True):
    """One sheet as the workbook part lists it; ``owned_as`` is the title its mark was made for."""

    title: str
    part: str
    is_grid: bool
    sheet_id: int
    owned_as: str | None = None

    @property
    def is_owned(self) -> bool:
        """Whether a mark in the workbook names it as the referee's own."""
        return self.owned_as is not None


class Table(msgspec.Struct, frozen=True):
    """A table (ListObject) laid over a sheet: where it is and what it calls its columns."""

    part: str
    name: str
    top: int
    left: int
    bottom: int
    right: int
    has_header: bool
    has_totals: bool
    headers: tuple[str, ...]


class Workbook:
    """The structure of one package, read as far as it is asked for.

    Raises `Damaged` where parts are missing or broken, `Stopped` where one is too large to read.
    """

    def __init__(self, package: Package) -> None:
        self.package = package
        self._tags: dict[str, int] = {}
        self._unpacked: dict[str, int] = {}
        self._spread = self._weight = self._rows = 0
        start = relations(self.xml("_rels/.rels"), "")
        self.is_signed = any(relation.kind == "origin" for relation in start)
        """Whether it bears a digital signature, which covers the bytes of its parts."""
        self.part = next((r.target for r in start if r.kind == "officeDocument"), "")
        if not self.part or self.part not in package:
            raise Damaged("it holds no workbook")
        self.relations_part = relations_part(self.part)
        self.relations = relations(self.xml(self.relations_part), self.part)
        self.root = self.xml(self.part)
        self.sheets = self._sheets()

    def contents(self, sheet: Sheet) -> bytes:
        """Return the bytes of a sheet's part."""
        if not sheet.part:
            raise Damaged(f"it has no contents for the tab {quoted(sheet.title)}")
        return self.raw(sheet.part, sheet.title)

    def raw(self, part: str, called: str = "") -> bytes:
        """Return a part's bytes; ``called`` names it for a host where it is too large."""
        return self._bounded(part, called or part, LARGEST_PART)

    def xml(self, part: str) -> ET.Element:
        """Return a part as a tree."""
        return parsed(self._bounded(part, part, _LARGEST_TREE), part)

    def _bounded(self, part: str, called: str, largest: int) -> bytes:
        try:
            data = self.package.read(part, largest)
        except KeyError:
            raise Damaged(f"its part {part} is missing") from None
        except TooLarge as error:
            raise too_large(called, f"{error.size / 2**20:.0f} MB") from None
        self._unpacked[part], self._tags[part] = len(data), data.count(b"<")
        if sum(self._tags.values()) > MOST_TAGS:
            raise too_large(called, f"{self._tags[part]:,} tags")
        if sum(self._unpacked.values()) > _MOST_UNPACKED:
            raise too_large(called, f"with the others {_MOST_UNPACKED / 2**20:.0f} MB")
        return data

    def count_row(self, called: str) -> None:
        """Count a row that is read, empty or not. Raises `Stopped` where they never end."""
        self._rows += 1
        if self._rows > _MOST_ROWS_READ:
            raise too_large(called, f"more than {_MOST_ROWS_READ:,} rows")

    def spend(self, called: str, cells: int, values: Sequence[object]) -> None:
        """Count what is read and kept. Raises `Stopped` where it would take too much memory."""
        self._spread += cells
        self._weight += sum(map(getsizeof, values)) + 8 * cells + _ROW_WEIGHT
        if self._spread > MOST_CELLS or self._weight > _HEAVIEST:
            raise too_large(called, f"more than {min(self._spread, MOST_CELLS):,} cells")

    @property
    def link_namespace(self) -> str:
        """The namespace of links, which differs in files of the strict kind."""
        return _STRICT_LINKS if "purl.oclc.org" in self.root.tag else _LINKS

    @property
    def marks(self) -> dict[str, str]:
        """The referee's marks: the title of the tab each points to, by the title it stands for."""
        found = {}
        for name in self.root.iter(f"{namespace(self.root)}definedName"):
            title = name.get("name", "")
            if title.startswith(MARK) and "localSheetId" not in name.attrib:
                target = _TARGET.match(name.text or "")
                if target is not None:
                    found[marked_title(title)] = (target[1] or target[2]).replace("''", "'")
        return found

    @cached_property
    def mac_calendar(self) -> bool:
        """Whether days count from 1904-01-01."""
        properties = self.root.find(f"{namespace(self.root)}workbookPr")
        return properties is not None and is_true(properties.get("date1904"))

    @cached_property
    def texts(self) -> list[str]:
        """The shared texts, by number."""
        part = self.related("sharedStrings")
        if part is None:
            return []
        called = "the workbook's texts"

        def spend(text: str) -> None:
            self.spend(called, 0, (text,))

        return shared_texts(self.raw(part, called), part, spend)

    @cached_property
    def kinds(self) -> list[MomentKind | None]:
        """What each cell style shows a number as."""
        part = self.related("styles")
        if part is None:
            return []
        root = self.xml(part)
        ns = namespace(root)
        codes = {
            whole(code.get("numFmtId", "0")): format_kind(code.get("formatCode", ""))
            for code in root.iterfind(f"{ns}numFmts/{ns}numFmt")
        }
        numbers = (whole(xf.get("numFmtId", "0")) for xf in root.iterfind(f"{ns}cellXfs/{ns}xf"))
        return [codes[number] if number in codes else built_in_kind(number) for number in numbers]

    @cached_property
    def odd_formats(self) -> dict[int, str]:
        """The number formats that show a number as something else, by the number of a style."""
        part = self.related("styles")
        if part is None:
            return {}
        root = self.xml(part)
        ns = namespace(root)
        codes = dict(PLAIN_FORMATS) | {
            whole(code.get("numFmtId", "0")): code.get("formatCode", "")
            for code in root.iterfind(f"{ns}numFmts/{ns}numFmt")
        }
        numbers = (whole(xf.get("numFmtId", "0")) for xf in root.iterfind(f"{ns}cellXfs/{ns}xf"))
        named = ((style, codes.get(n, f"number {n}")) for style, n in enumerate(numbers))
        return {style: code for style, code in named if not is_plain(code)}

    def tables(self, sheet: Sheet) -> list[Table]:
        """Return the tables of a sheet."""
        links = relations_part(sheet.part)
        if links not in self.package:
            return []
        parts = [r.target for r in relations(self.xml(links), sheet.part) if r.kind == "table"]
        return [_table(self.xml(part), part) for part in parts]

    def related(self, kind: str) -> str | None:
        """Return the part the workbook links to as of a kind (``styles``), None for none."""
        return next((r.target for r in self.relations if r.kind == kind), None)

    def _sheets(self) -> list[Sheet]:
        by_id = {relation.identifier: relation for relation in self.relations}
        owned = {title: name for name, title in self.marks.items()}
        sheets = []
        for element in self.root.iterfind(f"{namespace(self.root)}sheets/*"):
            link = next((v for k, v in element.attrib.items() if k.endswith("}id")), "")
            title, number = element.get("name", ""), element.get("sheetId", "")
            # A tab without contents may be one that nobody asks for; reading it is what fails.
            found = by_id.get(link)
            is_grid = found is None or found.kind == "worksheet"
            sheet_id = int(number) if _SHEET_ID.fullmatch(number) else 0
            part = "" if found is None else found.target
            sheets.append(Sheet(title, part, is_grid, sheet_id, owned.get(title)))
        if not sheets:
            raise Damaged("it has no tabs")
        return sheets


def _table(root: ET.Element, part: str) -> Table:
    ns = namespace(root)
    area = REFERENCE.fullmatch(root.get("ref", ""))
    if area is None:
        raise Damaged(f"its part {part} is a table without a place")
    left, top, right, bottom = area[1], int(area[2]), area[3] or area[1], int(area[4] or area[2])
    headers = tuple(
        decoded(column.get("name", ""))
        for column in root.iterfind(f"{ns}tableColumns/{ns}tableColumn")
    )
    columns = COLUMNS
    has_header = root.get("headerRowCount", "1") != "0"
    has_totals = root.get("totalsRowCount", "0") != "0"
    name = root.get("displayName", "")
    place = (top, columns[left], bottom, columns[right])
    return Table(part, name, *place, has_header, has_totals, headers)


class Relation(msgspec.Struct, frozen=True):
    """A link from one part to another: ``kind`` is the last word of its type."""

    identifier: str
    kind: str
    target: str
    external: bool


def relations(root: ET.Element, base: str) -> list[Relation]:
    """Read the links of the part ``base``, with their targets as names of parts."""
    folder = posixpath.dirname(base)
    found = []
    for element in root:
        target = element.get("Target", "").replace("\\", "/")
        external = element.get("TargetMode") == "External"
        if not external:
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = element.get("Type", "").rsplit("/", 1)[-1]
        found.append(Relation(element.get("Id", ""), kind, target, external))
    return found


def relations_part(part: str) -> str:
    """Return the name of the part that holds another part's links."""
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def too_large(called: str, size: str) -> Stopped:
    """Return the fault for a sheet that would take too much memory."""
    text = f"sheet {called} is too large ({size}); a match needs no more than a few thousand rows"
    return Stopped([Fault("sheet-too-large", text, tab=called)])
