"""Rows and columns: inserted, deleted, hidden, grouped; everything tied to cells moves along."""

from __future__ import annotations

from collections.abc import Callable

from .a1 import Area
from .errors import Obj, RequestError
from .masks import assign, update_mask
from .model import MAX_COLUMNS, Sheet, Spreadsheet, area_of, grid_range

Shift = Callable[[int], int]


def span(sheet: Sheet, given: Obj) -> tuple[str, int, int]:
    """The dimension and both ends of a DimensionRange, an open end put at the edge of the grid."""
    dimension = given.get("dimension", "")
    if dimension not in ("ROWS", "COLUMNS"):
        raise RequestError("No dimension specified.")
    count = sheet.row_count if dimension == "ROWS" else sheet.column_count
    start, end = given.get("startIndex", 0), given.get("endIndex", count)
    if start < 0 or end <= start:
        raise RequestError(f"endIndex[{end}] must be after startIndex[{start}]")
    return dimension, start, end


def insert(book: Spreadsheet, sheet: Sheet, dimension: str, at: int, count: int) -> None:
    rows, columns = sheet.row_count, sheet.column_count
    if at > (rows if dimension == "ROWS" else columns):
        raise RequestError(f"range.startIndex[{at}] is too large")
    if dimension == "ROWS":
        sheet.resize(rows + count, columns)
    else:
        if columns + count > MAX_COLUMNS:
            raise RequestError(f"This action would increase the columns above {MAX_COLUMNS}.")
        sheet.resize(rows, columns + count)
    book.check_size()
    _move(book, sheet, dimension, lambda n: n + count if n >= at else n, None)


def delete(book: Spreadsheet, sheet: Sheet, dimension: str, start: int, end: int) -> None:
    rows, columns = sheet.row_count, sheet.column_count
    edge = rows if dimension == "ROWS" else columns
    if start >= edge:
        noun = "rows" if dimension == "ROWS" else "columns"
        one = noun[:-1]
        text = f"Cannot delete a {one} that doesn't exist. Tried to delete {one} index {start}"
        raise RequestError(f"{text} but there are only {edge} {noun}.")
    end = min(end, edge)
    left = edge - (end - start)
    frozen = sheet.grid.get("frozenRowCount" if dimension == "ROWS" else "frozenColumnCount", 0)
    if left <= 0:
        raise RequestError(f"You can't delete all the {dimension.lower()} on the sheet.")
    if frozen and left <= frozen:
        raise RequestError(
            f"Sorry, it is not possible to delete all non-frozen {dimension.lower()}."
        )

    def moved(n: int) -> int:
        return n if n < start else max(n - (end - start), start)

    _move(book, sheet, dimension, moved, range(start, end))
    sheet.resize(left if dimension == "ROWS" else rows, columns if dimension == "ROWS" else left)


def _move(book: Spreadsheet, sheet: Sheet, dimension: str, to: Shift, gone: range | None) -> None:
    """Renumber everything that stands at a row or column; ``gone`` ones fall away."""
    axis = 0 if dimension == "ROWS" else 1
    kept = {at: cell for at, cell in sheet.cells.items() if gone is None or at[axis] not in gone}
    if axis == 0:
        sheet.cells = {(to(row), column): cell for (row, column), cell in kept.items()}
        sheet.rows = {
            to(n): props for n, props in sheet.rows.items() if gone is None or n not in gone
        }
    else:
        sheet.cells = {(row, to(column)): cell for (row, column), cell in kept.items()}
        sheet.columns = {
            to(n): props for n, props in sheet.columns.items() if gone is None or n not in gone
        }
    areas = [_moved(merge, axis, to) for merge in sheet.merges]
    sheet.merges = [area for area in areas if area is not None]
    sheet.protections = _ranges(sheet.protections, axis, to)
    others = [n for n in book.named_ranges if n["range"].get("sheetId", 0) != sheet.id]
    own = [n for n in book.named_ranges if n["range"].get("sheetId", 0) == sheet.id]
    book.named_ranges = others + _ranges(own, axis, to)


def _ranges(entries: list[Obj], axis: int, to: Shift) -> list[Obj]:
    found = []
    for entry in entries:
        area = _moved(area_of(entry["range"]), axis, to)
        if area is not None:
            found.append(entry | {"range": grid_range(entry["range"].get("sheetId", 0), area)})
    return found


def _moved(area: Area, axis: int, to: Shift) -> Area | None:
    """An area after the move; an insertion at its very end does not widen it."""
    start, end = (area.top, area.bottom) if axis == 0 else (area.left, area.right)
    start_now = to(start) if start or end is not None else 0
    end_now = None if end is None else to(end - 1) + 1 if to(end - 1) < to(end) else to(end)
    if end_now is not None and end_now <= start_now:
        return None
    if axis == 0:
        return Area(start_now, end_now, area.left, area.right)
    return Area(area.top, area.bottom, start_now, end_now)


def update_properties(sheet: Sheet, request: Obj) -> None:
    dimension, start, end = span(sheet, request.get("range", {}))
    tree = update_mask(request.get("fields", ""), "DimensionProperties")
    known = sheet.rows if dimension == "ROWS" else sheet.columns
    for n in range(start, end):
        props = assign(known.get(n, {}), request.get("properties", {}), tree)
        known[n] = {key: value for key, value in props.items() if value is not False}
        if not known[n]:
            del known[n]


def add_group(sheet: Sheet, request: Obj) -> list[Obj]:
    dimension, start, end = span(sheet, request.get("range", {}))
    groups = _groups(sheet, dimension)
    depth = 1 + sum(
        group["range"].get("startIndex", 0) <= start and end <= group["range"]["endIndex"]
        for group in groups
    )
    place: Obj = {"sheetId": sheet.id} if sheet.id else {}
    place |= {"dimension": dimension, "startIndex": start, "endIndex": end}
    groups.append({"range": place, "depth": depth})
    flag = "rowGroupControlAfter" if dimension == "ROWS" else "columnGroupControlAfter"
    sheet.properties["gridProperties"] = sheet.grid | {flag: True}
    return groups


def delete_group(sheet: Sheet, request: Obj) -> list[Obj]:
    dimension, start, end = span(sheet, request.get("range", {}))
    groups = _groups(sheet, dimension)
    for group in reversed(groups):
        place = group["range"]
        if (place.get("startIndex", 0), place["endIndex"]) == (start, end):
            groups.remove(group)
            return groups
    raise RequestError("There is no group to delete in that range.")


def _groups(sheet: Sheet, dimension: str) -> list[Obj]:
    return sheet.row_groups if dimension == "ROWS" else sheet.column_groups
