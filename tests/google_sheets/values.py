"""The values.* calls: plain rows of values in and out of ranges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import a1
from .a1 import Area
from .cells import Eyes, check, is_text, plain, with_value
from .dimensions import insert
from .entered import as_given, typed
from .errors import ApiError, Obj, RequestError, bad_request
from .formats import DATE_TYPES
from .formulas import Result
from .model import MAX_COLUMNS, Sheet, Spreadsheet
from .protection import guard

Rows = list[list[Any]]


def find(book: Spreadsheet, text: str, prefix: str = "") -> tuple[Sheet, Area]:
    found = book.resolve(text)
    if found is None:
        raise bad_request(f"{prefix}Unable to parse range: {text}")
    sheet, area = found
    try:
        sheet.check_start(area)
    except RequestError as fault:
        raise bad_request(f"{prefix}{fault}") from None
    return sheet, area


@dataclass
class Reading:
    """How values are to be shown."""

    render: str = "FORMATTED_VALUE"
    dates: str = "SERIAL_NUMBER"
    dimension: str = "ROWS"

    def value_range(self, eyes: Eyes, sheet: Sheet, area: Area) -> Obj:
        area = sheet.clamped(area)
        out: Obj = {"range": a1.written(sheet.title, area), "majorDimension": self.dimension}
        values = self._values(eyes, sheet, area)
        return out | ({"values": values} if values else {})

    def _values(self, eyes: Eyes, sheet: Sheet, area: Area) -> Rows:
        """Rows (or columns) cut behind their last value, and behind the last that has one."""
        by_line: dict[int, dict[int, Any]] = {}
        down = self.dimension == "COLUMNS"
        for row, column in sheet.cells:
            if area.top <= row < area.end_row and area.left <= column < area.end_column:
                value = self.shown(eyes, sheet, row, column)
                if value != "":
                    line, place = row - area.top, column - area.left
                    if down:
                        line, place = place, line
                    by_line.setdefault(line, {})[place] = value
        lines = []
        for line in range(max(by_line, default=-1) + 1):
            known = by_line.get(line, {})
            lines.append([known.get(n, "") for n in range(max(known, default=-1) + 1)])
        return lines

    def shown(self, eyes: Eyes, sheet: Sheet, row: int, column: int) -> Any:
        cell = sheet.cell(row, column)
        if self.render == "FORMATTED_VALUE":
            return eyes.text(sheet, row, column)
        formula = cell.get("userEnteredValue", {}).get("formulaValue")
        if self.render == "FORMULA" and formula:
            return formula
        result = eyes.value(sheet, row, column)
        kind = eyes.number_format(cell, result).get("type")
        number = isinstance(result, Result) and isinstance(result.value, float | int)
        if kind in DATE_TYPES and number and self.dates == "FORMATTED_STRING":
            return eyes.text(sheet, row, column)
        return plain(result)


@dataclass
class Writing:
    """Values to be written, and what the caller wants to hear about it."""

    book: Spreadsheet
    eyes: Eyes
    caller: str
    option: str
    echo: Reading | None = None
    touched: set[tuple[int, int, int]] = field(default_factory=set)  # sheet, row, column

    def update(self, body: Obj, text: str, prefix: str = "") -> Obj:
        sheet, area = find(self.book, text, prefix)
        self._check_named_range(body, text, prefix)
        rows = _rows(body)
        try:
            target = _target(sheet, area, rows)
            updated = self.write(sheet, target, rows)
        except RequestError as fault:
            raise bad_request(f"{prefix}{fault}") from None
        return {"spreadsheetId": self.book.id} | updated

    def _check_named_range(self, body: Obj, text: str, prefix: str) -> None:
        named = body.get("range")
        if named is not None and self.book.resolve(named) != self.book.resolve(text):
            raise bad_request(
                f"{prefix}Requested writing within range [{text}], but the body names [{named}]"
            )

    def write(self, sheet: Sheet, target: Area, rows: Rows) -> Obj:
        """Put values in from the target's corner; null leaves a cell alone and is not counted."""
        guard(self.book, sheet, target, self.caller)
        touched: set[tuple[int, int]] = set()
        for down, row in enumerate(rows):
            for across, value in enumerate(row):
                if value is not None:
                    at = (target.top + down, target.left + across)
                    self._enter(sheet, at, value)
                    touched.add(at)
        self.touched |= {(sheet.id, row, column) for row, column in touched}
        out: Obj = {"updatedRange": a1.written(sheet.title, target)}
        counts = {
            "updatedRows": len({row for row, _ in touched}),
            "updatedColumns": len({column for _, column in touched}),
            "updatedCells": len(touched),
        }
        out |= {name: count for name, count in counts.items() if count}
        if self.echo is not None:
            out["updatedData"] = self.echo.value_range(self.eyes, sheet, target)
        return out

    def _enter(self, sheet: Sheet, at: tuple[int, int], value: Any) -> None:
        old = sheet.cell(*at)
        number_format = None
        if self.option == "USER_ENTERED" and not is_text(old):
            value, number_format = typed(value, self.eyes.locale)
        else:
            value = as_given(value)
        check({"userEnteredValue": value})
        sheet.put(*at, with_value(old, value, number_format))

    def append(self, body: Obj, text: str, *, make_room: bool) -> Obj:
        """Add rows below the last table in the range, growing the grid where need be."""
        sheet, area = find(self.book, text)
        rows = _rows(body)
        table = last_table(sheet, sheet.clamped(area))
        top, left = (table.end_row, table.left) if table else (area.top, area.left)
        width = max((len(row) for row in rows), default=0) or 1
        target = Area(top, top + max(len(rows), 1), left, left + width)
        try:
            if make_room and table:
                insert(self.book, sheet, "ROWS", top, len(rows))
            _grow(self.book, sheet, target)
            updated = self.write(sheet, target, rows)
        except RequestError as fault:
            raise bad_request(str(fault)) from None
        out: Obj = {"spreadsheetId": self.book.id}
        if table:
            out["tableRange"] = a1.written(sheet.title, table)
        return out | {"updates": {"spreadsheetId": self.book.id} | updated}

    def total(self, answers: list[Obj]) -> Obj:
        """The sum over the ranges of a values.batchUpdate, each row and column counted once."""
        counts = {
            "totalUpdatedRows": len({(sheet, row) for sheet, row, _ in self.touched}),
            "totalUpdatedColumns": len({(sheet, column) for sheet, _, column in self.touched}),
            "totalUpdatedCells": sum(answer.get("updatedCells", 0) for answer in answers),
            "totalUpdatedSheets": len({sheet for sheet, _, _ in self.touched}),
        }
        told = {name: count for name, count in counts.items() if count}
        return {"spreadsheetId": self.book.id} | told | {"responses": answers}


def clear(book: Spreadsheet, text: str, caller: str) -> str:
    """Take the values out of a range, leave formats and notes; tells the range as cleared."""
    sheet, area = find(book, text)
    area = sheet.clamped(area)
    try:
        guard(book, sheet, area, caller)
    except RequestError as fault:
        raise bad_request(str(fault)) from None
    for at in [at for at in sheet.cells if area.covers(Area(at[0], at[0] + 1, at[1], at[1] + 1))]:
        sheet.put(*at, with_value(sheet.cell(*at), {}, None))
    return a1.written(sheet.title, area)


def last_table(sheet: Sheet, area: Area) -> Area | None:
    """The lowest block of touching filled cells that the area meets."""
    met = [table for table in _tables(sheet) if table.meets(area)]
    return max(met, key=lambda table: (table.end_row, table.end_column), default=None)


def _tables(sheet: Sheet) -> list[Area]:
    """Filled cells gathered to rectangles, until no two touch even at a corner."""
    blocks: list[Area] = []
    for row, column in sorted(at for at, cell in sheet.cells.items() if "userEnteredValue" in cell):
        block = Area(row, row + 1, column, column + 1)
        while touching := [other for other in blocks if _wider(block).meets(other)]:
            blocks = [other for other in blocks if other not in touching]
            for other in touching:
                block = Area(
                    min(block.top, other.top),
                    max(block.end_row, other.end_row),
                    min(block.left, other.left),
                    max(block.end_column, other.end_column),
                )
        blocks.append(block)
    return blocks


def _wider(block: Area) -> Area:
    return Area(block.top - 1, block.end_row + 1, block.left - 1, block.end_column + 1)


def _rows(body: Obj) -> Rows:
    rows: Rows = body.get("values", [])
    for row_number, row in enumerate(rows):
        for column, value in enumerate(row):
            if isinstance(value, list | dict):
                kind = "list_value" if isinstance(value, list) else "struct_value"
                raise bad_request(f"Invalid values[{row_number}][{column}]: {kind} {{}}")
    if body.get("majorDimension") == "COLUMNS":
        height = max((len(column) for column in rows), default=0)
        return [[c[n] if n < len(c) else None for c in rows] for n in range(height)]
    return rows


def _target(sheet: Sheet, area: Area, rows: Rows) -> Area:
    """The cells that a write reaches: inside the range's corners, and inside the grid."""
    width = max((len(row) for row in rows), default=0) or 1
    target = Area(area.top, area.top + max(len(rows), 1), area.left, area.left + width)
    if not area.single:
        named = sheet.clamped(area)
        where = (
            f"Requested writing within range [{_full(sheet.title, named)}], but tried writing to "
        )
        if area.bottom is not None and target.end_row > named.end_row:
            raise RequestError(f"{where}row [{named.end_row + 1}]")
        if area.right is not None and target.end_column > named.end_column:
            raise RequestError(f"{where}column [{a1.column_letters(named.end_column)}]")
    if target.end_row > sheet.row_count or target.end_column > sheet.column_count:
        raise RequestError(sheet.outside(target))
    return target


def _full(title: str, area: Area) -> str:
    return "'" + title.replace("'", "''") + "'!" + a1.corners(area)


def _grow(book: Spreadsheet, sheet: Sheet, target: Area) -> None:
    rows = max(sheet.row_count, target.end_row)
    columns = max(sheet.column_count, target.end_column)
    if columns > MAX_COLUMNS:
        raise RequestError(sheet.outside(target))
    if (rows, columns) != (sheet.row_count, sheet.column_count):
        sheet.resize(rows, columns)
        book.check_size()


def option_of(value: str | None) -> str:
    """The valueInputOption, which a write must name."""
    if value in ("RAW", "USER_ENTERED"):
        return value
    raise _missing_option(value)


def _missing_option(value: str | None) -> ApiError:
    if value is None or value == "INPUT_VALUE_OPTION_UNSPECIFIED":
        return bad_request("'valueInputOption' is required but not specified")
    kind = "type.googleapis.com/google.apps.sheets.v4.ValueInputOption"
    return bad_request(
        f"Invalid value at 'value_input_option' ({kind}), \"{value}\"", "value_input_option"
    )
