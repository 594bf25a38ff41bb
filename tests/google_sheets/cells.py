"""Cells: what is computed from the stored part, and how a new value goes in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .colours import normal, unpaired
from .errors import Obj, RequestError
from .formats import general, shown
from .formulas import Calculator, CellError, Result
from .locales import Locale, locale
from .masks import Tree, assign
from .model import MAX_TEXT, Sheet, Spreadsheet, default_format

if TYPE_CHECKING:
    import datetime as dt

READ_ONLY = ("effectiveValue", "formattedValue", "effectiveFormat", "hyperlink")


class Eyes:
    """One spreadsheet as it looks at one moment: values computed, numbers formatted."""

    def __init__(self, spreadsheet: Spreadsheet, now: dt.datetime) -> None:
        self.spreadsheet = spreadsheet
        self.calculator = Calculator(spreadsheet, now)
        self.locale: Locale = locale(spreadsheet.properties["locale"])

    def value(self, sheet: Sheet, row: int, column: int) -> Result | CellError:
        return self.calculator.cell(sheet, row, column)

    def number_format(self, cell: Obj, result: Result | CellError) -> Obj:
        own: Obj = cell.get("userEnteredFormat", {}).get("numberFormat", {})
        return own or (dict(result.number_format) if isinstance(result, Result) else {})

    def text(self, sheet: Sheet, row: int, column: int) -> str:
        """The formattedValue, '' where there is none."""
        result = self.value(sheet, row, column)
        if isinstance(result, CellError):
            return result.code
        if result.value is None:
            return ""
        number_format = self.number_format(sheet.cell(row, column), result)
        return shown(result.value, number_format, self.locale)

    def data(self, sheet: Sheet, row: int, column: int) -> Obj:
        """The whole CellData of a cell, ``{}`` for one that holds nothing."""
        stored = sheet.cell(row, column)
        if not stored:
            return {}
        result = self.value(sheet, row, column)
        out = dict(stored)
        effective = extended(result)
        if effective:
            out["effectiveValue"] = effective
            out["formattedValue"] = self.text(sheet, row, column)
        out["effectiveFormat"] = self._effective_format(stored, result)
        link = _hyperlink(stored)
        if link:
            out["hyperlink"] = link
        return _told(out)

    def _effective_format(self, stored: Obj, result: Result | CellError) -> Obj:
        own = stored.get("userEnteredFormat", {})
        out: Obj = _over(default_format(), own)
        number_format = self.number_format(stored, result)
        if number_format:
            out["numberFormat"] = number_format
        out.setdefault("hyperlinkDisplayType", "LINKED" if _hyperlink(stored) else "PLAIN_TEXT")
        return out


def extended(result: Result | CellError) -> Obj:
    """A computed value as an ExtendedValue; nothing for empty cells and for the empty text."""
    if isinstance(result, CellError):
        error = {"type": result.kind}
        return {"errorValue": error | ({"message": result.message} if result.message else {})}
    value = result.value
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int | float):
        return {"numberValue": whole(value)}
    return {"stringValue": value} if value else {}


def whole(number: float) -> float:
    """A number as JSON shows it: without ``.0``."""
    return int(number) if number == int(number) and abs(number) < 1e15 else number


def _over(base: Obj, top: Obj) -> Obj:
    out = dict(base)
    for key, value in top.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict) and "olor" not in key
        out[key] = _over(out[key], value) if both else value
    return out


def _hyperlink(stored: Obj) -> str:
    formula = stored.get("userEnteredValue", {}).get("formulaValue", "")
    found = re.match(r'=\s*HYPERLINK\(\s*"([^"]*)"', formula, re.IGNORECASE)
    link = stored.get("userEnteredFormat", {}).get("textFormat", {}).get("link", {})
    return found[1] if found else str(link.get("uri", ""))


def _told(cell: Obj) -> Obj:
    """A cell as it leaves the server: numbers plain, inferred date patterns kept back."""
    out = dict(cell)
    given = out.get("userEnteredValue", {})
    if "numberValue" in given:
        out["userEnteredValue"] = {"numberValue": whole(given["numberValue"])}
    for name in ("userEnteredFormat", "effectiveFormat"):
        if "inferred" in out.get(name, {}).get("numberFormat", {}):
            known = {k: v for k, v in out[name]["numberFormat"].items() if k != "inferred"}
            out[name] = out[name] | {"numberFormat": known}
    return out


def changed(old: Obj, new: Obj, tree: Tree) -> Obj:
    """A cell after an update through a field mask. A new value takes away old runs and chips."""
    tree = {name: below for name, below in tree.items() if name not in READ_ONLY}
    out = assign(unpaired(old, tree), new, tree)
    if "userEnteredValue" in tree:
        for runs in ("textFormatRuns", "chipRuns"):
            if runs not in tree:
                out.pop(runs, None)
        if out.get("userEnteredValue") == {"stringValue": ""}:
            del out["userEnteredValue"]
    if "userEnteredFormat" in out:
        out["userEnteredFormat"] = normal(out["userEnteredFormat"])
    check(out)
    return out


def check(cell: Obj) -> None:
    value = cell.get("userEnteredValue", {})
    if "errorValue" in value:
        raise RequestError("An error value cannot be entered by a user.")
    for text in (value.get("stringValue", ""), value.get("formulaValue", "")):
        check_length(text)
    if "formulaValue" in value and not value["formulaValue"].startswith("="):
        raise RequestError("Invalid formula: it must start with '='.")
    number_format = cell.get("userEnteredFormat", {}).get("numberFormat")
    if number_format is not None and "type" not in number_format:
        raise RequestError("numberFormat.type must be set.")


def check_length(text: str) -> None:
    if len(text.encode("utf-16-le")) // 2 > MAX_TEXT:
        raise RequestError(
            f"Your input contains more than the maximum of {MAX_TEXT} characters in a single cell."
        )


def with_value(old: Obj, value: Obj, number_format: Obj | None) -> Obj:
    """A cell after typing: a new value, and a number format where the cell had none."""
    out = {
        k: v for k, v in old.items() if k not in ("userEnteredValue", "textFormatRuns", "chipRuns")
    }
    if value:
        out["userEnteredValue"] = value
    own = old.get("userEnteredFormat", {})
    if number_format and "numberFormat" not in own:
        out["userEnteredFormat"] = own | {"numberFormat": number_format}
    check(out)
    return out


def is_text(cell: Obj) -> bool:
    kind: Any = cell.get("userEnteredFormat", {}).get("numberFormat", {}).get("type")
    return bool(kind == "TEXT")


def plain(result: Result | CellError) -> Any:
    """A value as values.get gives it unformatted."""
    if isinstance(result, CellError):
        return result.code
    if isinstance(result.value, float | int) and not isinstance(result.value, bool):
        return whole(result.value)
    return "" if result.value is None else result.value


def label(value: Any) -> str:
    """A value as one word, for sorting and search."""
    return (
        general(value)
        if isinstance(value, float | int) and not isinstance(value, bool)
        else str(value)
    )
