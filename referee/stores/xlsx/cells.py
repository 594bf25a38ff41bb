"""What one cell of an .xlsx sheet holds: texts, numbers, number formats, and back (ECMA-376 18.8).

A number format is the only thing that tells a date from a number in a file, so its code decides
what kind of `Moment` a number is; the number itself is never touched.
"""

import math
import re
from typing import Final

from referee.stores.writable import storable, whole_characters
from referee.stores.xlsx.zip_package import Damaged
from referee.workbook.cells import Broken, Moment, MomentKind, Value

SHIFT_1904: Final = 1462
"""Days from 1899-12-30 to 1904-01-01, where a workbook with the Macintosh's calendar begins."""
_FIRST_DATE: Final = 36526 - SHIFT_1904
"""From 2000-01-01 on what a time's format shows is a date with a time of day."""
_EXACT: Final = 2**53
_MOST_DIGITS: Final = 30
LONGEST_FORMAT: Final = 1000
"""Characters of a number format; Excel takes 255."""

_BUILT_IN: Final[dict[int, MomentKind]] = {
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), "date"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 47), "time"),
    22: "date-time",
    46: "duration",
}

PLAIN_FORMATS: Final = {0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 49: "@"}
"""The built-in number formats that show a whole number as what it is."""

_LITERAL: Final = re.compile(r'"[^"]*"|\\.|[_*].|general|e[+-]|\[(?![hms]+\])[^\[\]]*\]', re.DOTALL)
_ELAPSED: Final = re.compile(r"\[(?:h+|m+|s+)\]")
_TOKEN: Final = re.compile(r"am/pm|a/p|y+|m+|d+|h+|s+|g+|e+|bb+|aaa+")


def built_in_kind(number_format: int) -> MomentKind | None:
    """Return what a built-in number format shows a number as, None for a plain number."""
    return _BUILT_IN.get(number_format)


def format_kind(code: str) -> MomentKind | None:
    """Return what a format code (``yyyy-mm-dd hh:mm``) shows a number as, None for a number."""
    if len(code) > LONGEST_FORMAT:
        raise Damaged(f"it has a number format of {len(code):,} characters")
    code = _LITERAL.sub("", code.lower())
    if _ELAPSED.search(code):
        return "duration"
    letters = [found[0] for found in _TOKEN.findall(code) if "/" not in found]
    clock = day = False
    for before, letter, after in zip(["", *letters], letters, [*letters[1:], ""], strict=False):
        # Minutes stand beside hours or seconds; anywhere else an m is a month.
        if letter in "hs" or (letter == "m" and (before == "h" or after == "s")):
            clock = True
        else:
            day = True
    if clock:
        return "date-time" if day else "time"
    return "date" if day else None


_CODED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def decoded(text: str) -> str:
    """Return text as Excel shows it: ``_x000B_`` stands for the character of that number."""
    if "_x" not in text:
        return text
    text = _CODED.sub(lambda found: chr(int(found[1], 16)), text)
    return whole_characters(text)


def escaped(text: str) -> str:
    """Return text as it stands in XML, with ``_xHHHH_`` for what XML cannot hold (ST_Xstring)."""
    text = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", storable(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_NO_NUMBER: Final = "the file holds no number there, though it says so"
_NO_DATE: Final = "the file holds no date there, though it says so"


def number(text: str, kind: MomentKind | None, mac_calendar: bool) -> Value:
    """Read a stored number exactly; ``kind`` is what its number format shows it as.

    ``mac_calendar`` tells a workbook that counts days from 1904-01-01.
    """
    value: int | float
    if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS:
        value = int(text)
    else:
        try:
            value = float(text)
        except ValueError:
            return Broken(_NO_NUMBER, text)
        if not math.isfinite(value) or "_" in text:
            return Broken(_NO_NUMBER, text)
        if value.is_integer() and abs(value) <= _EXACT:
            value = int(value)
    if kind is None:
        return value
    # A duration is no date, less than a day is only a time of day however it is shown, and some
    # hours more than a day are still no date where a time is shown.
    is_date = kind in ("date", "date-time") or value >= _FIRST_DATE
    if mac_calendar and kind != "duration" and value >= 1 and is_date:
        value += SHIFT_1904
    return Moment(float(value), kind)


_ISO: Final = re.compile(
    r"(?:([0-9]{4})-([0-9]{2})-([0-9]{2}))?T?(?:([0-9]{2}):([0-9]{2})(?::([0-9]{2}(?:\.[0-9]+)?))?)?Z?"
)


def iso_moment(text: str) -> Value:
    """Read a cell that stores its date as ISO 8601 text (``t="d"``)."""
    from datetime import date

    found = _ISO.fullmatch(text)
    if found is None or not text:
        return Broken(_NO_DATE, text)
    year, month, day, hour, minute, second = found.groups()
    try:
        days = (date(int(year), int(month), int(day)) - date(1899, 12, 30)).days if year else 0
    except ValueError:
        return Broken(_NO_DATE, text)
    clock = (int(hour) * 3600 + int(minute) * 60 + float(second or 0)) / 86400 if hour else 0.0
    kind: MomentKind = "date-time" if year and hour else "date" if year else "time"
    return Moment(days + clock, kind)


class _Columns(dict[str, int]):
    """Column numbers from 1 by their letters, worked out once each: ``A`` is 1, ``AA`` is 27."""

    def __missing__(self, letters: str) -> int:
        column = 0
        for letter in letters:
            column = column * 26 + ord(letter) - 64
        self[letters] = column
        return column


COLUMNS: Final = _Columns()
