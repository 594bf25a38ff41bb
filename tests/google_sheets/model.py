"""What the server remembers: spreadsheets, their tabs and their cells.

Cells and properties are kept as the JSON objects of the API. A cell object is never changed in
place, only replaced, so that a copy of a sheet for an all-or-nothing batch costs one dict copy.
"""

from __future__ import annotations

import copy
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import a1
from .a1 import Area
from .colours import kept
from .errors import Obj, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CELLS = 10_000_000
MAX_TEXT = 50_000
MAX_COLUMNS = 18_278
WHITE: Obj = {"red": 1, "green": 1, "blue": 1}


@dataclass
class Sheet:
    properties: Obj  # SheetProperties without index, which is the place in the list
    cells: dict[tuple[int, int], Obj] = field(default_factory=dict)
    rows: dict[int, Obj] = field(default_factory=dict)  # DimensionProperties that differ
    columns: dict[int, Obj] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    protections: list[Obj] = field(default_factory=list)
    metadata: list[Obj] = field(default_factory=list)
    row_groups: list[Obj] = field(default_factory=list)
    column_groups: list[Obj] = field(default_factory=list)
    conditional_formats: list[Obj] = field(default_factory=list)
    bandings: list[Obj] = field(default_factory=list)
    filter: Obj | None = None

    @property
    def id(self) -> int:
        number: int = self.properties["sheetId"]
        return number

    @property
    def title(self) -> str:
        title: str = self.properties["title"]
        return title

    @property
    def is_grid(self) -> bool:
        return bool(self.properties.get("sheetType", "GRID") == "GRID")

    @property
    def grid(self) -> Obj:
        grid: Obj = self.properties.get("gridProperties", {})
        return grid

    @property
    def row_count(self) -> int:
        return int(self.grid.get("rowCount", 0))

    @property
    def column_count(self) -> int:
        return int(self.grid.get("columnCount", 0))

    def resize(self, rows: int, columns: int) -> None:
        """Set the grid's size; what lies outside is lost."""
        self.properties["gridProperties"] = self.grid | {"rowCount": rows, "columnCount": columns}
        self.cells = {
            at: cell for at, cell in self.cells.items() if at[0] < rows and at[1] < columns
        }
        self.rows = {n: props for n, props in self.rows.items() if n < rows}
        self.columns = {n: props for n, props in self.columns.items() if n < columns}
        cut = [merge.within(rows, columns) for merge in self.merges]
        self.merges = [m for m in cut if m.top < m.end_row and m.left < m.end_column]

    def put(self, row: int, column: int, cell: Obj) -> None:
        """Replace a cell; an empty one is forgotten."""
        kept = {key: value for key, value in cell.items() if value not in (None, "", {}, [])}
        if kept:
            self.cells[row, column] = kept
        else:
            self.cells.pop((row, column), None)

    def cell(self, row: int, column: int) -> Obj:
        return self.cells.get((row, column), {})

    def clamped(self, area: Area) -> Area:
        return area.within(self.row_count, self.column_count)

    def check_start(self, area: Area) -> None:
        """A range may end past the grid, not start there."""
        if area.top >= self.row_count or area.left >= self.column_count:
            raise RequestError(self.outside(area))

    def outside(self, area: Area) -> str:
        limits = f"Max rows: {self.row_count}, max columns: {self.column_count}"
        return f"Range ({a1.written(self.title, area)}) exceeds grid limits. {limits}"

    def copy(self) -> Sheet:
        twin = Sheet(copy.deepcopy(self.properties), dict(self.cells))
        twin.rows, twin.columns = copy.deepcopy(self.rows), copy.deepcopy(self.columns)
        twin.merges = list(self.merges)
        twin.protections = copy.deepcopy(self.protections)
        twin.metadata = copy.deepcopy(self.metadata)
        twin.row_groups = copy.deepcopy(self.row_groups)
        twin.column_groups = copy.deepcopy(self.column_groups)
        twin.conditional_formats = copy.deepcopy(self.conditional_formats)
        twin.bandings = copy.deepcopy(self.bandings)
        twin.filter = copy.deepcopy(self.filter)
        return twin


@dataclass
class Spreadsheet:
    id: str
    properties: Obj
    sheets: list[Sheet]
    owner: str
    named_ranges: list[Obj] = field(default_factory=list)
    metadata: list[Obj] = field(default_factory=list)

    def sheet(self, sheet_id: int) -> Sheet:
        for sheet in self.sheets:
            if sheet.id == sheet_id:
                return sheet
        raise RequestError(f"No sheet with id: {sheet_id}")

    def grid_sheet(self, sheet_id: int) -> Sheet:
        sheet = self.sheet(sheet_id)
        if not sheet.is_grid:
            raise RequestError(f"Sheet {sheet_id} is not a grid sheet.")
        return sheet

    def titled(self, title: str) -> Sheet | None:
        """The tab with this title; as on the real service the case of letters does not matter."""
        return next((s for s in self.sheets if s.title.casefold() == title.casefold()), None)

    def copy(self) -> Spreadsheet:
        sheets = [sheet.copy() for sheet in self.sheets]
        named, metadata = copy.deepcopy(self.named_ranges), copy.deepcopy(self.metadata)
        return Spreadsheet(
            self.id, copy.deepcopy(self.properties), sheets, self.owner, named, metadata
        )

    def become(self, other: Spreadsheet) -> None:
        """Take over the state of a changed copy: the last step of an all-or-nothing change."""
        self.properties, self.sheets = other.properties, other.sheets
        self.named_ranges, self.metadata = other.named_ranges, other.metadata

    def resolve(self, text: str) -> tuple[Sheet, Area] | None:
        """The tab and area that a range text means: cells before named ranges before tabs."""
        tab, cells = a1.split(text)
        if tab is None:
            area = a1.cells(cells) if cells else None
            if area is not None:
                return self._first_grid(), area
            return self._named(text) or self._whole(text)
        sheet = self.titled(tab)
        if cells is None:
            return self._whole(tab)
        area = a1.cells(cells)
        if sheet is None or area is None or not sheet.is_grid:
            return None
        return sheet, area

    def _first_grid(self) -> Sheet:
        return next(sheet for sheet in self.sheets if sheet.is_grid)

    def _whole(self, title: str) -> tuple[Sheet, Area] | None:
        sheet = self.titled(title)
        return (sheet, Area()) if sheet is not None and sheet.is_grid else None

    def _named(self, name: str) -> tuple[Sheet, Area] | None:
        for named in self.named_ranges:
            if named["name"].casefold() == name.casefold():
                return self.sheet(named["range"].get("sheetId", 0)), area_of(named["range"])
        return None

    def unused_sheet_id(self) -> int:
        taken = {sheet.id for sheet in self.sheets}
        while (number := secrets.randbelow(2**31 - 2) + 1) in taken:
            pass
        return number

    def check_size(self) -> None:
        if sum(sheet.row_count * sheet.column_count for sheet in self.sheets) > MAX_CELLS:
            raise RequestError(
                "This action would increase the number of cells in the workbook above the limit of "
                f"{MAX_CELLS} cells."
            )

    def all_metadata(self) -> Iterator[Obj]:
        yield from self.metadata
        for sheet in self.sheets:
            yield from sheet.metadata


def area_of(grid_range: Obj) -> Area:
    """A GridRange as an area; a missing start is 0, a missing end is open."""
    return Area(
        grid_range.get("startRowIndex", 0),
        grid_range.get("endRowIndex"),
        grid_range.get("startColumnIndex", 0),
        grid_range.get("endColumnIndex"),
    )


def grid_range(sheet_id: int, area: Area) -> Obj:
    """An area as a GridRange. Sheet id 0 is left out, and so is start 0 where the end is open."""
    out: Obj = {"sheetId": sheet_id} if sheet_id else {}
    for name, start, end in (("Row", area.top, area.bottom), ("Column", area.left, area.right)):
        if start or end is not None:
            out[f"start{name}Index"] = start
        if end is not None:
            out[f"end{name}Index"] = end
    return out


def new_sheet(title: str, sheet_id: int, rows: int = 1000, columns: int = 26) -> Sheet:
    grid = {"rowCount": rows, "columnCount": columns}
    return Sheet({"sheetId": sheet_id, "title": title, "sheetType": "GRID", "gridProperties": grid})


def new_properties(title: str, locale: str, time_zone: str) -> Obj:
    return {
        "title": title,
        "locale": locale,
        "autoRecalc": "ON_CHANGE",
        "timeZone": time_zone,
        "defaultFormat": default_format(),
        "spreadsheetTheme": _theme(),
    }


def default_format() -> Obj:
    """The format of a cell nobody touched."""
    return {
        "backgroundColor": dict(WHITE),
        "padding": {"top": 2, "right": 3, "bottom": 2, "left": 3},
        "verticalAlignment": "BOTTOM",
        "wrapStrategy": "OVERFLOW_CELL",
        "textFormat": {
            "foregroundColor": {},
            "fontFamily": "arial,sans,sans-serif",
            "fontSize": 10,
            "bold": False,
            "italic": False,
            "strikethrough": False,
            "underline": False,
            "foregroundColorStyle": {"rgbColor": {}},
        },
        "backgroundColorStyle": {"rgbColor": dict(WHITE)},
    }


def _theme() -> Obj:
    """The standard theme: its colours in steps of 1/255."""
    steps: dict[str, tuple[int, int, int]] = {
        "TEXT": (0, 0, 0),
        "BACKGROUND": (255, 255, 255),
        "ACCENT1": (66, 133, 244),
        "ACCENT2": (234, 67, 53),
        "ACCENT3": (251, 188, 4),
        "ACCENT4": (52, 168, 83),
        "ACCENT5": (255, 109, 1),
        "ACCENT6": (70, 189, 198),
        "LINK": (17, 85, 204),
    }
    colours: list[Any] = []
    for name, (red, green, blue) in steps.items():
        parts = {"red": red / 255, "green": green / 255, "blue": blue / 255}
        colours.append({"colorType": name, "color": {"rgbColor": kept(parts)}})
    return {"primaryFontFamily": "Arial", "themeColors": colours}
