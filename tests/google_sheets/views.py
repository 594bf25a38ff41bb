"""spreadsheets.get: a spreadsheet, cut to ranges and a mask, with or without its grid data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .a1 import Area
from .cells import Eyes
from .errors import Obj, RequestError, bad_request
from .masks import Tree, project, wants
from .model import Sheet, Spreadsheet, grid_range
from .protection import protection_view

if TYPE_CHECKING:
    import datetime as dt

_DIMENSION_SIZE = {"rowMetadata": 21, "columnMetadata": 100}


@dataclass
class Unclear:
    """Points on which Google's behaviour is not known: tests can try the product both ways."""

    cut_plain_metadata: bool = False  # rowMetadata ends at the last row with something to tell
    empty_formats: bool = False  # a masked effectiveFormat without a match stays as {}
    formats_are_data: bool = False  # appendCells goes below cells that only have a format, too


@dataclass
class View:
    """What to show: the caller's answer depends on who asks, when, and through which mask."""

    caller: str
    now: dt.datetime
    unclear: Unclear
    mask: Tree | None = None
    ranges: list[str] | None = None
    grid_data: bool = False

    def spreadsheet(self, book: Spreadsheet) -> Obj:
        """The answer with the mask applied."""
        chosen = self._chosen(book)
        with_data = wants(self.mask, "sheets", "data") if self.mask else self.grid_data
        eyes = Eyes(book, self.now)
        sheets = []
        for index, sheet in enumerate(book.sheets):
            if self.ranges and sheet.id not in chosen:
                continue
            shown = sheet_view(book, sheet, index, self.caller)
            if with_data and sheet.is_grid:
                areas = chosen.get(sheet.id) or [Area()]
                shown["data"] = [self._grid(eyes, sheet, area) for area in areas]
            sheets.append(shown)
        out: Obj = {
            "spreadsheetId": book.id,
            "properties": book.properties,
            "sheets": sheets,
            "spreadsheetUrl": f"https://docs.google.com/spreadsheets/d/{book.id}/edit",
        }
        out |= {"namedRanges": book.named_ranges} if book.named_ranges else {}
        out |= {"developerMetadata": book.metadata} if book.metadata else {}
        return out if self.mask is None else project(out, self.mask)

    def _chosen(self, book: Spreadsheet) -> dict[int, list[Area]]:
        chosen: dict[int, list[Area]] = {}
        for text in self.ranges or []:
            found = book.resolve(text)
            if found is None:
                raise bad_request(f"Unable to parse range: {text}")
            sheet, area = found
            try:
                sheet.check_start(area)
            except RequestError as fault:
                raise bad_request(str(fault)) from None
            chosen.setdefault(sheet.id, []).append(area)
        return chosen

    def _grid(self, eyes: Eyes, sheet: Sheet, area: Area) -> Obj:
        """One GridData: rows end at their last cell, data at its last row, through the mask."""
        area = sheet.clamped(area)
        below = self._mask_below("sheets", "data")
        out: Obj = {}
        if area.top:
            out["startRow"] = area.top
        if area.left:
            out["startColumn"] = area.left
        if below is None or wants(below, "rowData"):
            rows = self._rows(eyes, sheet, area)
            if rows:
                out["rowData"] = rows
        for name, known, start, end in (
            ("rowMetadata", sheet.rows, area.top, area.end_row),
            ("columnMetadata", sheet.columns, area.left, area.end_column),
        ):
            if below is None or wants(below, name):
                size = {"pixelSize": _DIMENSION_SIZE[name]}
                found = [size | known.get(n, {}) for n in range(start, end)]
                out[name] = self._metadata(found, (below or {}).get(name) or {})
        return out

    def _metadata(self, found: list[Obj], mask: Tree) -> list[Obj]:
        if self.unclear.cut_plain_metadata and mask:
            while found and not project(found[-1], mask):
                found.pop()
        return found

    def _rows(self, eyes: Eyes, sheet: Sheet, area: Area) -> list[Obj]:
        mask = self._mask_below("sheets", "data", "rowData", "values")
        by_row: dict[int, dict[int, Obj]] = {}
        for row, column in sheet.cells:
            if area.top <= row < area.end_row and area.left <= column < area.end_column:
                cell = self._cell(eyes.data(sheet, row, column), mask)
                if cell:
                    by_row.setdefault(row, {})[column] = cell
        rows = []
        for row in range(area.top, max(by_row, default=area.top - 1) + 1):
            known = by_row.get(row, {})
            values = [known.get(n, {}) for n in range(area.left, max(known, default=-1) + 1)]
            rows.append({"values": values} if values else {})
        return rows

    def _cell(self, cell: Obj, mask: Tree | None) -> Obj:
        if not mask:
            return cell
        cut: Obj = project(cell, mask)
        if self.unclear.empty_formats:
            return cut
        return {key: value for key, value in cut.items() if value != {}}

    def _mask_below(self, *path: str) -> Tree | None:
        """The mask under a field, None where everything is asked for."""
        tree = self.mask
        for name in path:
            if not tree or name not in tree:
                return None
            tree = tree[name]
        return tree or None


def sheet_view(book: Spreadsheet, sheet: Sheet, index: int, caller: str) -> Obj:
    """A Sheet without its grid data; what is at its default is left out."""
    out: Obj = {"properties": properties_view(sheet, index)}
    merges = [grid_range(sheet.id, merge) for merge in sheet.merges]
    lists = {
        "merges": merges,
        "protectedRanges": [protection_view(book, p, caller) for p in sheet.protections],
        "developerMetadata": [m for m in sheet.metadata if "dimensionRange" not in m["location"]],
        "rowGroups": sheet.row_groups,
        "columnGroups": sheet.column_groups,
        "conditionalFormats": sheet.conditional_formats,
        "bandedRanges": sheet.bandings,
    }
    out |= {name: found for name, found in lists.items() if found}
    if sheet.filter is not None:
        out["basicFilter"] = sheet.filter
    return out


def properties_view(sheet: Sheet, index: int) -> Obj:
    """SheetProperties: id and index always stand there, flags and frozen counts only when set."""
    out = {k: v for k, v in sheet.properties.items() if v is not False and v != {}}
    out["index"] = index
    if "gridProperties" in out:
        out["gridProperties"] = {key: value for key, value in sheet.grid.items() if value}
    return out
