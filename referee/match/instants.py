"""Instants: whole milliseconds since 1970-01-01T00:00:00Z, as text and back (R0.3).

Everything below the workbook layer counts in these numbers; a wall clock or a time zone is only
met where cells are read and where people are shown a time.
"""

import re
from datetime import date
from functools import lru_cache
from typing import Final

from referee.match.faults import quoted

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
DAY: Final = 24 * 60 * MINUTE

_EPOCH: Final = date(1970, 1, 1).toordinal()
_FIRST: Final = (1 - _EPOCH) * DAY
_LAST: Final = (date.max.toordinal() - _EPOCH + 1) * DAY - 1

_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,3}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


_SECONDS: Final = {f":{second:02}Z": second * SECOND for second in range(60)}
"""What follows the minute in most times, in milliseconds."""


class Instant(int):
    """A point in time in whole milliseconds since the epoch, UTC."""

    __slots__ = ()


def printable(instant: int) -> bool:
    """Whether the instant (milliseconds) lies in the years 1 to 9999, which RFC 3339 can write."""
    return _FIRST <= instant <= _LAST


def parse_instant(text: str) -> Instant:
    """Read an RFC 3339 time with an offset, to the millisecond.

    Raises ValueError, worded for a host, where the text is anything else.
    """
    # A match's times share their minutes, so most of a time in whole seconds was read before.
    second = _SECONDS.get(text[16:])
    if second is not None:
        try:
            return Instant(_minute_of(text[:16]) + second)
        except ValueError:
            return _parse(text)
    return _parse(text)


@lru_cache(maxsize=4096)
def _minute_of(text: str) -> int:
    return _parse(f"{text}:00Z")


def _parse(text: str) -> Instant:
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise ValueError(
            f"{quoted(text)} is not a time; write it like 2026-11-29T20:00:00Z or "
            "2026-11-29T20:00:00.250+01:00"
        )
    year, month, day, hour, minute, second, fraction, sign, off_hour, off_minute = found.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH
    except ValueError:
        raise ValueError(f"{quoted(text)} names a day that does not exist") from None
    h, m, s = int(hour), int(minute), int(second)
    oh, om = int(off_hour or 0), int(off_minute or 0)
    if h > 23 or m > 59 or s > 59 or oh > 23 or om > 59:
        raise ValueError(f"{quoted(text)} names a time of day or an offset that does not exist")
    offset = (oh * 60 + om) * MINUTE * (-1 if sign == "-" else 1)
    millis = int((fraction or "0").ljust(3, "0"))
    instant = days * DAY + (h * 60 + m) * MINUTE + s * SECOND + millis - offset
    if not printable(instant):
        raise ValueError(f"{quoted(text)} lies outside the years 1 to 9999 in UTC")
    return Instant(instant)


def format_instant(instant: int) -> str:
    """Write an instant in UTC with ``Z``, with a fraction only where there is one."""
    minutes, rest = divmod(instant, MINUTE)
    second, fraction = divmod(rest, SECOND)
    if fraction:
        return f"{_minute(minutes)}:{second:02}.{fraction:03}Z"
    return f"{_minute(minutes)}:{second:02}Z"


@lru_cache(maxsize=4096)
def _minute(minutes: int) -> str:
    days, rest = divmod(minutes * MINUTE, DAY)
    day = date.fromordinal(days + _EPOCH)
    clock = format_time_of_day(rest).removesuffix(":00")
    return f"{day.year:04}-{day.month:02}-{day.day:02}T{clock}"


def format_time_of_day(millis: int) -> str:
    """Write milliseconds since midnight: ``21:05:07``, ``21:05:07.250``."""
    minutes, rest = divmod(millis, MINUTE)
    second, rest = divmod(rest, SECOND)
    fraction = f".{rest:03}" if rest else ""
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}"


def format_span(millis: int) -> str:
    """Write a length of time in seconds or minutes, exact: ``12.4 s``, ``2 min 5 s``."""
    minutes, rest = divmod(abs(millis), MINUTE)
    seconds, fraction = divmod(rest, SECOND)
    text = f"{seconds}.{fraction:03}".rstrip("0").rstrip(".") if fraction else str(seconds)
    if not minutes:
        return f"{text} s"
    return f"{minutes} min {text} s" if rest else f"{minutes} min"
