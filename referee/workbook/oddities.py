"""What an owned tab must not hold: formulas, and number formats that show something else.

Such a cell may show the right value today and another one tomorrow. A published cell that is one
stands in a record as a text that no value of the referee's can be: it begins with a word and a tab
character, which neither a name nor a notice holds.
"""

import re
from typing import Final

import msgspec

from referee.match.record import CellValue

_FORMULA: Final = "formula\t"
_FORMAT: Final = "number format\t"
_PLAIN: Final = re.compile(r"(?:general|@|(?:#,##)?0(?:\.0+)?)?", re.IGNORECASE)

_UNIT: Final = re.compile(r'"[ A-Za-z]*"')
"""A word beside the number, such as ``0" points"``, hides nothing."""


def formula(text: str) -> str:
    """Return what a cell with a formula (``=B3+1``) is published as."""
    return f"{_FORMULA}{text}"


def number_format(code: str) -> str:
    """Return what a cell with a number format that is not plain is published as."""
    return f"{_FORMAT}{code}"


def is_plain(code: str) -> bool:
    """Whether a number format shows a whole number and a text as what they are."""
    return _PLAIN.fullmatch(_UNIT.sub("", code)) is not None


def shows_else(code: str, value: object) -> bool:
    """Whether a number format shows a value as something else.

    Texts are shown as they are unless a format has a part for them (``;;;"Ben"``, ``"no "@``).
    """
    if value is None or is_plain(code):
        return False
    return not isinstance(value, str) or "@" in code or code.count(";") >= 3


def with_value(text: str, value: CellValue) -> str:
    """Return such a cell with the value that it holds or shows now."""
    return f"{text}\t{msgspec.json.encode(value).decode()}"


def is_odd(value: CellValue) -> bool:
    """Whether a published cell is such a one."""
    return isinstance(value, str) and value.startswith((_FORMULA, _FORMAT))


def shown(value: CellValue) -> CellValue:
    """Return the value that such a cell holds or shows; any other cell's own."""
    if not isinstance(value, str) or not is_odd(value):
        return value
    try:
        found: CellValue = msgspec.json.decode(value.rpartition("\t")[2], type=CellValue)
    except msgspec.DecodeError:
        return None
    return found


def said(value: CellValue) -> str | None:
    """Return such a cell in words, None for any other."""
    if not isinstance(value, str) or not is_odd(value):
        return None
    text = value.rpartition("\t")[0]
    if text.startswith(_FORMULA):
        return f"the formula {text.removeprefix(_FORMULA)}"
    return f"a value shown by the number format {text.removeprefix(_FORMAT)}"
