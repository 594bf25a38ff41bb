"""What a single cell says: texts, whole numbers, words of a list, and how a cell is quoted.

Functions that read raise `CellError`, in words for a host; the caller adds the cell's address.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from referee.match.faults import quoted
from referee.match.instants import DAY, MINUTE, format_time_of_day
from referee.match.record import LARGEST
from referee.workbook.cells import Broken, Moment, Value
from referee.workbook.names import fold, nearby

FIRST_DAY: Final = 36526
"""The serial of 2000-01-01: a number that shows as no date is not taken for an earlier one."""
_SERIAL_ZERO: Final = date(1899, 12, 30).toordinal()
_LAST_DAY: Final = date.max.toordinal() - _SERIAL_ZERO
_LONGEST: Final = 1e21
"""From here on a message writes a number as a power of ten, as spreadsheets do."""
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,16}")
_CLOCK: Final = re.compile(r"[0-9]+:[0-9:.]+")
_UNITS: Final = {
    "minutes": re.compile(r"([0-9]{1,16}) ?(?:m|min|mins|minute|minutes)\.?"),
    "seconds": re.compile(r"([0-9]{1,16}) ?(?:s|sec|secs|second|seconds)\.?"),
}


class CellError(ValueError):
    """A cell that does not say what it should: what stands there, and what is wrong with it."""

    def __init__(self, value: Value, problem: str) -> None:
        super().__init__(f"{shown(value)}{problem}")


def shown(value: Value) -> str:
    """Return a cell's content as a message quotes it."""
    if value is None:
        return "an empty cell"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Moment):
        return _moment(value)
    if isinstance(value, Broken):
        return quoted(value.shown)
    if isinstance(value, float) and abs(value) >= _LONGEST:
        return f"{value:g}"
    return plain(value)


def plain(value: float | bool) -> str:
    """Return a number or truth value as text; a whole number has no decimals: 7, never 7.0."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(int(value)) if value == value // 1 else str(value)


def _moment(moment: Moment) -> str:
    if not -DAY < moment.days <= _LAST_DAY:
        return plain(moment.days)
    days, rest = divmod(round(moment.days * DAY), DAY)
    clock = format_time_of_day(rest)
    if moment.kind == "duration" or (moment.kind == "time" and 1 <= moment.days < FIRST_DAY):
        hours, clock_rest = days * 24 + rest // (60 * MINUTE), clock.partition(":")[2]
        return f"{hours}:{clock_rest}"
    if days < 1:
        return clock
    day = date.fromordinal(_SERIAL_ZERO + days).isoformat()
    return day if moment.kind == "date" and not rest else f"{day} {clock}"


def is_blank(value: Value) -> bool:
    """Whether a cell shows nothing: empty, blanks, or only invisible characters."""
    return value is None or (isinstance(value, str) and not fold(value))


def read_text(value: Value) -> str:
    """Return a cell's text, letter for letter; a number as its digits, empty where it is blank.

    Raises CellError where the text cannot be known for certain.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, Broken):
        raise broken(value)
    mend = "format the cell as plain text and type it anew"
    if isinstance(value, Moment):
        raise CellError(value, f" is a date or time here, not text; {mend}")
    if abs(value) > LARGEST:
        raise CellError(value, f" is a number too long for a cell to keep its digits; {mend}")
    return plain(value)


def read_words(value: Value) -> str:
    """Return what a free text says. Dates and numbers become some text: no swap looks like one.

    Raises CellError for a cell whose value cannot be known.
    """
    if isinstance(value, Moment):
        return shown(value)
    if isinstance(value, int | float):
        return plain(value)
    return read_text(value)


def broken(value: Broken) -> CellError:
    """Say why a cell's value cannot be known."""
    return CellError(value, f" cannot be read: {value.why}")


def read_whole(value: Value, least: int | None = None, unit: str | None = None) -> int:
    """Return a whole number of at least ``least``, from a number cell or from digits as text.

    Raises CellError: a decimal mark is never guessed to be a thousands mark, nor a clock time to
    be minutes (``unit``: what is counted, ``minutes`` or ``seconds``, may follow a number).
    """
    if isinstance(value, Broken):
        raise broken(value)
    wanted = f"a whole number of {unit}" if unit else "a whole number"
    number = _whole(value, unit)
    if number is None:
        example = "60" if unit == "seconds" else "10"
        clock = isinstance(value, Moment) or (isinstance(value, str) and _CLOCK.fullmatch(value))
        if unit and clock:
            raise CellError(value, f": hours or minutes? write {wanted}, like {example}")
        raise CellError(value, f" is not {wanted}; write digits only, like {example}")
    if abs(number) > LARGEST:
        raise CellError(value, f" is too large; write {wanted} up to {LARGEST}")
    if least is not None and number < least:
        raise CellError(value, f" is too small; write {wanted}, {least} or more")
    return number


def _whole(value: Value, unit: str | None) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, str):
        return None
    text = fold(value).replace("\u2212", "-")
    if unit and (found := _UNITS[unit].fullmatch(text)):
        return int(found[1])
    return int(text) if _WHOLE.fullmatch(text) else None


def read_choice(value: Value, words: Iterable[str]) -> str:
    """Return the word of a list that a cell names, in any case and spacing; raises CellError."""
    text = read_text(value)
    folded = fold(text)
    listed = tuple(words)
    for word in listed:
        if fold(word) == folded:
            return word
    near = nearby(text, listed)
    hint = f" (nearest: {near})" if near else ""
    raise CellError(value, f" is none of {', '.join(listed)}{hint}; write one of them")
