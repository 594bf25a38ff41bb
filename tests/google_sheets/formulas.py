"""A small formula evaluator: arithmetic, text, comparisons, references and a dozen functions.

Enough for what hosts write around a match; anything else is ``#NAME?``, like a misspelt name.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import a1
from .formats import EPOCH, shown
from .locales import Locale

if TYPE_CHECKING:
    from .model import Sheet, Spreadsheet

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)
    | (?P<text>"(?:[^"]|"")*")
    | (?P<ref>(?:(?:'(?:[^']|'')*'|[A-Za-z_]\w*)!)?\$?[A-Za-z]{0,3}\$?\d*:\$?[A-Za-z]{0,3}\$?\d*
        |(?:(?:'(?:[^']|'')*'|[A-Za-z_]\w*)!)?\$?[A-Za-z]{1,3}\$?[1-9]\d*(?![\w(]))
    | (?P<name>[A-Za-z_][\w.]*)
    | (?P<sign><>|<=|>=|[-+*/^&=<>(),;%{}])
    )""",
    re.VERBOSE,
)
_CODES = {
    "NULL_VALUE": "#NULL!",
    "DIVIDE_BY_ZERO": "#DIV/0!",
    "VALUE": "#VALUE!",
    "REF": "#REF!",
    "NAME": "#NAME?",
    "NUM": "#NUM!",
    "N_A": "#N/A",
    "ERROR": "#ERROR!",
}


class CellError(Exception):
    """A formula's failure: shown in the cell, not an error of the request."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message)
        self.kind, self.message = kind, message

    @property
    def code(self) -> str:
        return _CODES[self.kind]


@dataclass(frozen=True)
class Result:
    """A computed value, and the number format it brings when the cell has none of its own."""

    value: bool | float | str | None
    number_format: tuple[tuple[str, str], ...] = ()


Range = list[list[Result]]


class Calculator:
    """The effective values of one spreadsheet, each computed once."""

    def __init__(self, spreadsheet: Spreadsheet, today: dt.datetime) -> None:
        self.spreadsheet, self.now = spreadsheet, today
        self._known: dict[tuple[int, int, int], Result | CellError] = {}
        self._busy: set[tuple[int, int, int]] = set()

    def cell(self, sheet: Sheet, row: int, column: int) -> Result | CellError:
        given = sheet.cell(row, column).get("userEnteredValue", {})
        if "formulaValue" not in given:
            value = next(iter(given.values())) if given else None
            number_format = (
                sheet.cell(row, column).get("userEnteredFormat", {}).get("numberFormat", {})
            )
            return Result(None if value == "" else value, tuple(sorted(number_format.items())))
        key = (sheet.id, row, column)
        if key not in self._known:
            self._known[key] = self._computed(key, sheet, given["formulaValue"])
        return self._known[key]

    def _computed(self, key: tuple[int, int, int], sheet: Sheet, text: str) -> Result | CellError:
        if key in self._busy:
            return CellError("REF", "Circular dependency detected.")
        self._busy.add(key)
        try:
            return _Parser(self, sheet, text[1:]).whole()
        except CellError as error:
            return error
        except (OverflowError, ValueError):
            return CellError("NUM", "")
        finally:
            self._busy.discard(key)


class _Parser:
    def __init__(self, calculator: Calculator, sheet: Sheet, text: str) -> None:
        self.calculator, self.sheet = calculator, sheet
        self.tokens = list(_tokens(text))
        self.at = 0

    def whole(self) -> Result:
        value = self._comparison()
        if self.at < len(self.tokens):
            raise CellError("ERROR", "Formula parse error.")
        return _one(value)

    def _next(self, *signs: str) -> str:
        kind, sign = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind != "sign" or sign not in signs:
            return ""
        self.at += 1
        return sign

    def _comparison(self) -> Result | Range:
        left = self._joined()
        while sign := self._next("=", "<>", "<", ">", "<=", ">="):
            left = Result(_compare(sign, _one(left).value, _one(self._joined()).value))
        return left

    def _joined(self) -> Result | Range:
        left = self._sum()
        while self._next("&"):
            left = Result(as_text(_one(left)) + as_text(_one(self._sum())))
        return left

    def _sum(self) -> Result | Range:
        left = self._product()
        while sign := self._next("+", "-"):
            one, two = _one(left), _one(self._product())
            total = as_number(one) + (as_number(two) if sign == "+" else -as_number(two))
            left = Result(total, one.number_format or two.number_format)
        return left

    def _product(self) -> Result | Range:
        left = self._power()
        while sign := self._next("*", "/"):
            one, two = as_number(_one(left)), as_number(_one(self._power()))
            if sign == "/" and two == 0:
                text = "Function DIVIDE parameter 2 cannot be zero."
                raise CellError("DIVIDE_BY_ZERO", text)
            left = Result(one * two if sign == "*" else one / two)
        return left

    def _power(self) -> Result | Range:
        left = self._unary()
        while self._next("^"):
            left = Result(as_number(_one(left)) ** as_number(_one(self._unary())))
        return left

    def _unary(self) -> Result | Range:
        if sign := self._next("+", "-"):
            value = self._unary()
            return value if sign == "+" else Result(-as_number(_one(value)))
        value = self._atom()
        while self._next("%"):
            value = Result(as_number(_one(value)) / 100, (("type", "PERCENT"),))
        return value

    def _atom(self) -> Result | Range:
        if self._next("("):
            inner = self._comparison()
            if not self._next(")"):
                raise CellError("ERROR", "Formula parse error.")
            return inner
        if self.at >= len(self.tokens):
            raise CellError("ERROR", "Formula parse error.")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return Result(float(text))
        if kind == "text":
            return Result(text[1:-1].replace('""', '"'))
        if kind == "ref":
            return self._reference(text)
        if kind == "name":
            return self._named(text)
        raise CellError("ERROR", "Formula parse error.")

    def _reference(self, text: str) -> Result | Range:
        tab, cells = a1.split(text)
        sheet = self.sheet if tab is None else self.calculator.spreadsheet.titled(tab)
        area = a1.cells(cells or "")
        if sheet is None or area is None:
            raise CellError("REF", "Reference does not exist.")
        if area.single:
            return self._cell(sheet, area.top, area.left)
        area = sheet.clamped(area)
        columns = range(area.left, area.end_column)
        return [
            [self._cell(sheet, row, n) for n in columns] for row in range(area.top, area.end_row)
        ]

    def _cell(self, sheet: Sheet, row: int, column: int) -> Result:
        if row >= sheet.row_count or column >= sheet.column_count:
            raise CellError("REF", "Reference does not exist.")
        found = self.calculator.cell(sheet, row, column)
        if isinstance(found, CellError):
            raise CellError(found.kind, found.message)
        return found

    def _named(self, name: str) -> Result | Range:
        if name.upper() in ("TRUE", "FALSE") and not self._peek("("):
            return Result(name.upper() == "TRUE")
        if not self._next("("):
            raise CellError("NAME", f"Unknown range name: '{name.upper()}'.")
        if name.upper() == "IFERROR":
            return self._iferror()
        arguments = self._arguments()
        function = _FUNCTIONS.get(name.upper())
        if function is None:
            raise CellError("NAME", f"Unknown function: '{name}'.")
        return function(self.calculator.now, arguments)

    def _peek(self, sign: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at] == ("sign", sign)

    def _arguments(self) -> list[Result | Range]:
        found: list[Result | Range] = []
        if self._next(")"):
            return found
        while True:
            found.append(self._comparison())
            if self._next(")"):
                return found
            if not self._next(",", ";"):
                raise CellError("ERROR", "Formula parse error.")

    def _iferror(self) -> Result | Range:
        start = self.at
        try:
            return self._arguments()[0]
        except CellError:
            depth, self.at = 0, start
            while self.at < len(self.tokens) and (depth or not self._peek(",")):
                depth += {"(": 1, ")": -1}.get(self.tokens[self.at][1], 0)
                self.at += 1
            return self._arguments()[0] if self._next(",") else Result(None)


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if not match or not match.lastgroup:
            raise CellError("ERROR", "Formula parse error.")
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


def _one(value: Result | Range) -> Result:
    return (
        value if isinstance(value, Result) else value[0][0] if value and value[0] else Result(None)
    )


def as_number(result: Result) -> float:
    value = result.value
    if value is None:
        return 0.0
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            raise CellError(
                "VALUE", f"'{value}' is a text and cannot be coerced to a number."
            ) from None
    return float(value)


def as_text(result: Result) -> str:
    value = result.value
    return "" if value is None else shown(value, dict(result.number_format), Locale())


def _compare(sign: str, one: Any, two: Any) -> bool:
    one, two = _ranked(one), _ranked(two)
    outcomes = {"=": one == two, "<>": one != two, "<": one < two, ">": one > two}
    return bool(outcomes.get(sign, one <= two if sign == "<=" else one >= two))


def _ranked(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 2, value
    return (1, value.casefold()) if isinstance(value, str) else (0, value or 0)


def _flat(arguments: list[Result | Range]) -> list[Result]:
    cells: list[Result] = []
    for argument in arguments:
        cells += (
            [argument] if isinstance(argument, Result) else [c for row in argument for c in row]
        )
    return cells


def _numbers(arguments: list[Result | Range]) -> list[float]:
    values = [cell.value for cell in _flat(arguments)]
    return [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]


def _na(_now: dt.datetime, _arguments: list[Result | Range]) -> Result:
    raise CellError("N_A")


def _if(_now: dt.datetime, arguments: list[Result | Range]) -> Result | Range:
    chosen = 1 if _one(arguments[0]).value else 2
    return arguments[chosen] if chosen < len(arguments) else Result(value=False)


def _date(_now: dt.datetime, arguments: list[Result | Range]) -> Result:
    year, month, day = (int(as_number(_one(argument))) for argument in arguments)
    first = dt.date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
    return Result((first - EPOCH.date()).days + day - 1, (("type", "DATE"),))


def _time(_now: dt.datetime, arguments: list[Result | Range]) -> Result:
    hour, minute, second = (as_number(_one(argument)) for argument in arguments)
    return Result((hour * 3600 + minute * 60 + second) / 86400 % 1, (("type", "TIME"),))


def _average(_now: dt.datetime, arguments: list[Result | Range]) -> Result:
    numbers = _numbers(arguments)
    if not numbers:
        raise CellError(
            "DIVIDE_BY_ZERO", "Evaluation of function AVERAGE caused a divide by zero error."
        )
    return Result(sum(numbers) / len(numbers))


Function = Callable[[dt.datetime, list[Result | Range]], Result | Range]
_FUNCTIONS: dict[str, Function] = {
    "SUM": lambda _, a: Result(sum(_numbers(a))),
    "MIN": lambda _, a: Result(min(_numbers(a), default=0)),
    "MAX": lambda _, a: Result(max(_numbers(a), default=0)),
    "COUNT": lambda _, a: Result(len(_numbers(a))),
    "COUNTA": lambda _, a: Result(sum(cell.value is not None for cell in _flat(a))),
    "AVERAGE": _average,
    "ABS": lambda _, a: Result(abs(as_number(_one(a[0])))),
    "ROUND": lambda _, a: Result(round(as_number(_one(a[0])), int(sum(_numbers(a[1:]))))),
    "LEN": lambda _, a: Result(len(as_text(_one(a[0])))),
    "UPPER": lambda _, a: Result(as_text(_one(a[0])).upper()),
    "LOWER": lambda _, a: Result(as_text(_one(a[0])).lower()),
    "TRIM": lambda _, a: Result(" ".join(as_text(_one(a[0])).split())),
    "CONCATENATE": lambda _, a: Result("".join(as_text(cell) for cell in _flat(a))),
    "HYPERLINK": lambda _, a: _one(a[-1]),
    "IF": _if,
    "NA": _na,
    "DATE": _date,
    "TIME": _time,
    "TODAY": lambda now, _: Result((now - EPOCH).days, (("type", "DATE"),)),
    "NOW": lambda now, _: Result((now - EPOCH).total_seconds() / 86400, (("type", "DATE_TIME"),)),
    "AND": lambda _, a: Result(all(bool(cell.value) for cell in _flat(a))),
    "OR": lambda _, a: Result(any(bool(cell.value) for cell in _flat(a))),
    "NOT": lambda _, a: Result(not _one(a[0]).value),
}
