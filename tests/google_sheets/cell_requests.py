"""Requests about cells: written, repeated, merged, sorted, copied, searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .a1 import Area, column_letters
from .cells import changed, extended, plain
from .colours import normal
from .errors import Obj, RequestError
from .formulas import Calculator, CellError, Result
from .masks import Tree, update_mask
from .protection import guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import Sheet
    from .work import Work

At = tuple[int, int]


def update_cells(work: Work, request: Obj) -> None:
    """Rows of cells from ``start``, or over a whole ``range``: what they leave out is cleared."""
    tree = update_mask(request.get("fields", ""), "CellData")
    rows = [row.get("values", []) for row in request.get("rows", [])]
    if "range" in request:
        sheet, area = work.editable(request["range"])
        given = dict(_placed(rows, area.top, area.left))
        _check_reach(given, area.end_row, area.end_column)
        for at in {*given, *_filled(sheet, area)}:
            _change(sheet, at, given.get(at, {}), tree)
        return
    if "start" not in request:
        raise RequestError("Either start or range must be set.")
    start = request["start"]
    sheet = work.book.grid_sheet(start.get("sheetId", 0))
    given = dict(_placed(rows, start.get("rowIndex", 0), start.get("columnIndex", 0)))
    _check_reach(given, sheet.row_count, sheet.column_count)
    for at, cell in given.items():
        guard(work.book, sheet, Area(at[0], at[0] + 1, at[1], at[1] + 1), work.caller)
        _change(sheet, at, cell, tree)


def _placed(rows: list[list[Obj]], top: int, left: int) -> Iterator[tuple[At, Obj]]:
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            yield (top + down, left + across), cell


def _check_reach(given: dict[At, Obj], rows: int, columns: int) -> None:
    for row, column in given:
        if column >= columns:
            raise RequestError(_beyond("column", column, columns))
        if row >= rows:
            raise RequestError(_beyond("row", row, rows))


def _beyond(noun: str, at: int, end: int) -> str:
    return f"Attempting to write {noun}: {at}, beyond the last requested {noun} of: {end - 1}"


def _change(sheet: Sheet, at: At, given: Obj, tree: Tree) -> None:
    sheet.put(*at, changed(sheet.cell(*at), given, tree))


def _filled(sheet: Sheet, area: Area) -> list[At]:
    return [at for at in sheet.cells if _inside(area, at)]


def _inside(area: Area, at: At) -> bool:
    return area.top <= at[0] < area.end_row and area.left <= at[1] < area.end_column


def append_cells(work: Work, request: Obj) -> None:
    """Rows of cells below the last row with data, the grid growing by rows where need be.

    A format or a drop-down is no data, unless a test says so.
    """
    tree = update_mask(request.get("fields", ""), "CellData")
    sheet = work.book.grid_sheet(request.get("sheetId", 0))
    rows = [row.get("values", []) for row in request.get("rows", [])]
    data = [
        at
        for at, cell in sheet.cells.items()
        if work.unclear.formats_are_data or cell.get("userEnteredValue")
    ]
    top = max((at[0] for at in data), default=-1) + 1
    given = dict(_placed(rows, top, 0))
    sheet.resize(max(sheet.row_count, top + len(rows)), sheet.column_count)
    work.book.check_size()
    _check_reach(given, sheet.row_count, sheet.column_count)
    for at, cell in given.items():
        guard(work.book, sheet, Area(at[0], at[0] + 1, at[1], at[1] + 1), work.caller)
        _change(sheet, at, cell, tree)


def insert_range(work: Work, request: Obj) -> None:
    """Empty cells put in, those of the same columns (or rows) moved down (or to the right).

    What is moved past the edge of the grid is lost: nothing says that the grid grows.
    """
    sheet, area = work.editable(request.get("range"))
    by_rows = request.get("shiftDimension") == "ROWS"
    if not by_rows and request.get("shiftDimension") != "COLUMNS":
        raise RequestError("No dimension specified.")
    across = Area(area.top, None, area.left, area.right)
    if not by_rows:
        across = Area(area.top, area.bottom, area.left, None)
    moving = sheet.clamped(across)
    guard(work.book, sheet, moving, work.caller)
    down = area.end_row - area.top if by_rows else 0
    right = 0 if by_rows else area.end_column - area.left
    if any(merge.meets(moving) and not moving.covers(merge) for merge in sheet.merges):
        raise RequestError("You must select all cells in a merged range to merge or unmerge them.")
    moved = {at: sheet.cell(*at) for at in _filled(sheet, moving)}
    for at in moved:
        sheet.put(*at, {})
    for (row, column), cell in moved.items():
        if row + down < sheet.row_count and column + right < sheet.column_count:
            sheet.put(row + down, column + right, cell)
    sheet.merges = [
        Area(m.top + down, m.end_row + down, m.left + right, m.end_column + right)
        if m.meets(moving)
        else m
        for m in sheet.merges
    ]


def repeat_cell(work: Work, request: Obj) -> None:
    tree = update_mask(request.get("fields", ""), "CellData")
    sheet, area = work.editable(request.get("range"))
    cell = request.get("cell", {})
    formula = cell.get("userEnteredValue", {}).get("formulaValue")
    for at in area.cells():
        given = cell
        if formula:
            moved = shifted(formula, at[0] - area.top, at[1] - area.left)
            given = cell | {"userEnteredValue": {"formulaValue": moved}}
        _change(sheet, at, given, tree)


def shifted(formula: str, down: int, across: int) -> str:
    """A formula with its relative references moved, as when a cell is copied."""

    def moved(found: re.Match[str]) -> str:
        if found[0].startswith(('"', "'")):
            return found[0]
        column, row = found[2], int(found[4])
        if not found[1]:
            number = 0
            for letter in column.upper():
                number = number * 26 + ord(letter) - 64
            column = column_letters(number - 1 + across)
        return f"{found[1]}{column}{found[3]}{row if found[3] else row + down}"

    reference = r"""(?<![\w.])(\$?)([A-Za-z]{1,3})(\$?)([1-9]\d*)(?![\w(!])|"[^"]*"|'[^']*'"""
    return re.sub(reference, moved, formula)


def merge_cells(work: Work, request: Obj) -> None:
    sheet, area = work.editable(request.get("range"))
    for merge in [merge for merge in sheet.merges if merge.meets(area)]:
        if not area.covers(merge):
            raise RequestError(
                "You must select all cells in a merged range to merge or unmerge them."
            )
        sheet.merges.remove(merge)
    for part in _parts(area, request.get("mergeType", "MERGE_ALL")):
        if (part.end_row - part.top) * (part.end_column - part.left) > 1:
            sheet.merges.append(part)
            _keep_first_value(sheet, part)


def _parts(area: Area, kind: str) -> list[Area]:
    if kind == "MERGE_COLUMNS":
        columns = range(area.left, area.end_column)
        return [Area(area.top, area.bottom, n, n + 1) for n in columns]
    if kind == "MERGE_ROWS":
        return [Area(n, n + 1, area.left, area.right) for n in range(area.top, area.end_row)]
    return [area]


def _keep_first_value(sheet: Sheet, merge: Area) -> None:
    """Of the merged cells' values only the first is kept, in the corner."""
    filled = sorted(at for at in _filled(sheet, merge) if "userEnteredValue" in sheet.cell(*at))
    value = sheet.cell(*filled[0])["userEnteredValue"] if filled else {}
    for at in filled:
        sheet.put(*at, sheet.cell(*at) | {"userEnteredValue": {}})
    if value:
        corner = (merge.top, merge.left)
        sheet.put(*corner, sheet.cell(*corner) | {"userEnteredValue": value})


def unmerge_cells(work: Work, request: Obj) -> None:
    sheet, area = work.editable(request.get("range"))
    if any(merge.meets(area) and not area.covers(merge) for merge in sheet.merges):
        raise RequestError("You must select all cells in a merged range to merge or unmerge them.")
    sheet.merges = [merge for merge in sheet.merges if not merge.meets(area)]


def set_data_validation(work: Work, request: Obj) -> None:
    """Put a rule on every cell of the range; without a rule, take it away."""
    sheet, area = work.editable(request.get("range"))
    rule = request.get("rule", {})
    if rule and "type" not in rule.get("condition", {}):
        raise RequestError("rule.condition.type is required.")
    for at in area.cells() if rule else _filled(sheet, area):
        sheet.put(*at, sheet.cell(*at) | {"dataValidation": rule})


def update_borders(work: Work, request: Obj) -> None:
    sheet, area = work.editable(request.get("range"))
    edges = {"top": area.top, "bottom": area.end_row - 1}
    sides = {"left": area.left, "right": area.end_column - 1}
    for at in area.cells():
        given = {
            name: request[name] for name, row in edges.items() if name in request and at[0] == row
        }
        given |= {
            name: request[name] for name, n in sides.items() if name in request and at[1] == n
        }
        inner = {"innerHorizontal": ("bottom", at[0] < edges["bottom"])}
        inner |= {"innerVertical": ("right", at[1] < sides["right"])}
        given |= {
            side: request[key] for key, (side, here) in inner.items() if here and key in request
        }
        if given:
            old = sheet.cell(*at)
            own = old.get("userEnteredFormat", {})
            new = own | {"borders": own.get("borders", {}) | given}
            sheet.put(*at, old | {"userEnteredFormat": normal(new)})


def sort_range(work: Work, request: Obj) -> None:
    sheet, area = work.editable(request.get("range"))
    calculator = Calculator(work.book, work.now)
    rows = list(range(area.top, area.end_row))
    for spec in reversed(request.get("sortSpecs", [])):
        column = spec.get("dimensionIndex", 0)
        down = spec.get("sortOrder") == "DESCENDING"
        ranks = {row: _rank(calculator.cell(sheet, row, column)) for row in rows}
        filled = [row for row in rows if ranks[row] is not None]
        blank = [row for row in rows if ranks[row] is None]
        rows = sorted(filled, key=lambda row: ranks[row] or (0, 0), reverse=down) + blank
    old = {at: sheet.cell(*at) for at in area.cells()}
    for place, row in enumerate(rows):
        for column in range(area.left, area.end_column):
            sheet.put(area.top + place, column, old[row, column])


def _rank(result: Result | CellError) -> tuple[int, Any] | None:
    """Numbers before texts before truth values; None for an empty cell, which stays at the end."""
    value = plain(result)
    if value == "":
        return None
    if isinstance(value, bool):
        return 2, value
    return (1, value.casefold()) if isinstance(value, str) else (0, value)


_PASTED = {
    "PASTE_VALUES": ("userEnteredValue",),
    "PASTE_FORMAT": ("userEnteredFormat",),
    "PASTE_FORMULA": ("userEnteredValue",),
    "PASTE_DATA_VALIDATION": ("dataValidation",),
}


def copy_paste(work: Work, request: Obj) -> None:
    source_sheet, source = work.area(request.get("source"))
    sheet, target = work.editable(request.get("destination"))
    kind = request.get("pasteType", "PASTE_NORMAL")
    copied = {at: source_sheet.cell(*at) for at in source.cells()}
    height, width = source.end_row - source.top, source.end_column - source.left
    turned = request.get("pasteOrientation") == "TRANSPOSE"
    across, down = (height, width) if turned else (width, height)
    calculator = Calculator(work.book, work.now)
    tall = max((target.end_row - target.top) // down, 1) * down
    wide = max((target.end_column - target.left) // across, 1) * across
    for row in range(tall):
        for column in range(wide):
            row_from, column_from = row % down, column % across
            if turned:
                row_from, column_from = column_from, row_from
            at = (source.top + row_from, source.left + column_from)
            to = (target.top + row, target.left + column)
            if to[0] < sheet.row_count and to[1] < sheet.column_count:
                cell = _moved_formula(copied[at], to[0] - at[0], to[1] - at[1])
                if kind == "PASTE_VALUES":
                    cell = _fixed(cell, calculator.cell(source_sheet, *at))
                _paste(sheet, to, cell, kind)


def _moved_formula(cell: Obj, down: int, across: int) -> Obj:
    formula = cell.get("userEnteredValue", {}).get("formulaValue")
    if formula is None:
        return cell
    return cell | {"userEnteredValue": {"formulaValue": shifted(formula, down, across)}}


def _fixed(cell: Obj, result: Result | CellError) -> Obj:
    value = extended(result)
    return cell | {"userEnteredValue": {} if "errorValue" in value else value}


def _paste(sheet: Sheet, to: At, cell: Obj, kind: str) -> None:
    names = _PASTED.get(kind)
    if names is None:
        sheet.put(*to, cell)
    else:
        sheet.put(*to, sheet.cell(*to) | {name: cell.get(name, {}) for name in names})


def cut_paste(work: Work, request: Obj) -> None:
    source_sheet, source = work.editable(request.get("source"))
    place = request.get("destination", {})
    sheet = work.book.grid_sheet(place.get("sheetId", 0))
    top, left = place.get("rowIndex", 0), place.get("columnIndex", 0)
    cut = {at: source_sheet.cell(*at) for at in _filled(source_sheet, source)}
    kind = request.get("pasteType", "PASTE_NORMAL")
    for at in cut:
        source_sheet.put(*at, {})
    for at, cell in cut.items():
        to = (top + at[0] - source.top, left + at[1] - source.left)
        if to[0] < sheet.row_count and to[1] < sheet.column_count:
            _paste(sheet, to, cell, kind)


def find_replace(work: Work, request: Obj) -> Obj:
    find = request.get("find", "")
    pattern = find if request.get("searchByRegex") else re.escape(find)
    if request.get("matchEntireCell"):
        pattern = f"^(?:{pattern})$"
    search = re.compile(pattern, 0 if request.get("matchCase") else re.IGNORECASE)
    counts = {"valuesChanged": 0, "rowsChanged": 0, "sheetsChanged": 0, "occurrencesChanged": 0}
    for sheet, area in _searched(work, request):
        rows = set()
        for at in sorted(_filled(sheet, area)):
            text = sheet.cell(*at).get("userEnteredValue", {}).get("stringValue")
            if text is None:
                continue
            new, hits = search.subn(request.get("replacement", ""), text)
            if hits:
                sheet.put(*at, sheet.cell(*at) | {"userEnteredValue": {"stringValue": new}})
                rows.add(at[0])
                counts["valuesChanged"] += 1
                counts["occurrencesChanged"] += hits
        counts["rowsChanged"] += len(rows)
        counts["sheetsChanged"] += bool(rows)
    return {name: count for name, count in counts.items() if count}


def _searched(work: Work, request: Obj) -> list[tuple[Sheet, Area]]:
    if "range" in request:
        return [work.editable(request["range"])]
    if request.get("allSheets"):
        return [(sheet, sheet.clamped(Area())) for sheet in work.book.sheets if sheet.is_grid]
    sheet = work.book.grid_sheet(request.get("sheetId", 0))
    return [(sheet, sheet.clamped(Area()))]


HANDLERS = {
    "updateCells": update_cells,
    "appendCells": append_cells,
    "insertRange": insert_range,
    "repeatCell": repeat_cell,
    "mergeCells": merge_cells,
    "unmergeCells": unmerge_cells,
    "setDataValidation": set_data_validation,
    "updateBorders": update_borders,
    "sortRange": sort_range,
    "copyPaste": copy_paste,
    "cutPaste": cut_paste,
    "findReplace": find_replace,
}
