"""Times as cells hold them, as instants.

Everything a host's sheet may say for a point in time ends here in whole milliseconds UTC: date
cells, texts, Discord's stamps and message ids. Nothing is guessed: what lacks its seconds, its
date or its order of day and month, and what a clock change makes ambiguous, is refused with words
that say how to write it.

Fractions of a second, in date serials as in texts, are rounded to the nearest millisecond.
"""

import re
from collections.abc import Iterable
from datetime import date
from functools import cache, lru_cache
from typing import Final

import msgspec

from referee.match.instants import DAY, MINUTE, SECOND, Instant, printable
from referee.workbook.cells import Broken, Moment, Value, WallClock
from referee.workbook.message_ids import sent_at
from referee.workbook.names import tidy
from referee.workbook.stamps import (
    DayOrder,
    Habits,
    Stamp,
    TwoMarksError,
    habits_of,
    take_apart,
)
from referee.workbook.values import FIRST_DAY, CellError, broken
from referee.workbook.wall_clock import Clock, WallError

EXAMPLE: Final = "write it like 2026-11-29 21:05:07"

_EPOCH: Final = date(1970, 1, 1).toordinal()
_SERIAL_EPOCH: Final = 25569
"""The date serial of 1970-01-01."""
_SERIALS_END: Final = 2958466

_ISO: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})")
_STAMP: Final = re.compile(r"<t:(-?[0-9]{1,11})(?::[A-Za-z])?>")


class Column(msgspec.Struct, frozen=True):
    """How the dates of one column are written: their order, or why that is not settled."""

    order: DayOrder | None = None
    why: str = ""
    habits: Habits = Habits()


PLAIN: Final = Column()


def serial(wall: int) -> float:
    """Return what a wall clock shows, in milliseconds as if it were UTC, as a date serial."""
    return (wall + _SERIAL_EPOCH * DAY) / DAY


def time_cell(clock: Clock, instant: int) -> WallClock | str:
    """Return an instant as a cell holds it: a date cell, or a text where the clock shows it twice.

    Either is read back as this instant to the millisecond.
    """
    wall = clock.wall(instant)
    try:
        is_plain = clock.instant(wall) == instant
    except ValueError:
        is_plain = False
    return WallClock(serial(wall)) if is_plain else clock.text(instant)


def settle(values: Iterable[Value], locale: str | None) -> Column:
    """Find the one order of day and month of a column, from the locale or else from its rows."""
    texts = [v for v in values if isinstance(v, str) and v and not _ISO.fullmatch(v)]
    if not texts:
        return PLAIN  # so that most workbooks need no library for their locale
    habits = habits_of(locale)
    order = habits.order
    if order is not None:
        return Column(order, f"in locale {locale} ({order})", habits)
    proofs: dict[DayOrder, str] = {}
    for value in texts:
        if found := _numeric_date().match(value.strip()):
            first, second = int(found[1]), int(found[3])
            if first > 12 >= second:
                proofs.setdefault("day first", found[0])
            elif second > 12 >= first:
                proofs.setdefault("month first", found[0])
    if len(proofs) == 1:
        ((settled, proof),) = proofs.items()
        return Column(settled, f"in this column, where {proof} has the {settled}", habits)
    if proofs:
        both = " and ".join(proofs.values())
        return Column(None, f"this column has both {both}", habits)
    return Column(None, "nothing in this column tells which", habits)


@cache
def _numeric_date() -> re.Pattern[str]:
    return re.compile(r"([0-9]{1,2})\s?([-/.])\s?([0-9]{1,2})\s?\2\s?[0-9]{4}\b")


class TimeOfDay(Instant):
    """An instant whose cell names no date: that follows from the match's start."""

    __slots__ = ()


class UndatedError(ValueError):
    """A time of day that has no date because the match has no start yet."""


class Times:
    """Reads the time cells of one workbook.

    ``start`` is the match's start in milliseconds, from which a time of day gets its date,
    forward over midnight; None while it is not known.
    """

    def __init__(self, clock: Clock, start: int | None = None) -> None:
        self.clock = clock
        self._start = None if start is None else clock.wall(start)

    def read(self, value: Value, column: Column = PLAIN, *, on_the_minute: bool = False) -> Instant:
        """Return the instant a cell names; ``on_the_minute`` tells that missing seconds are :00.

        It is a `TimeOfDay` where the cell has no date. Raises CellError, worded for a host, where
        it names none for certain, and UndatedError where only the match's start is missing.
        """
        if isinstance(value, str):
            iso = _ISO.fullmatch(value)
            if iso is None:
                return self._text(value, column, on_the_minute=on_the_minute)
            day, hours, minutes, seconds = iso.groups()
            clock = _time_of_day(int(hours), int(minutes), int(seconds))
            if clock is None:
                raise CellError(value, f" names a time of day that does not exist; {EXAMPLE}")
            return self._at(value, _iso_day(value, day) * DAY + clock)
        if isinstance(value, Broken):
            raise broken(value)
        return self._number(value)

    def _at(self, value: Value, wall: int) -> Instant:
        try:
            return self.clock.instant(wall)
        except WallError as error:
            raise CellError(value, str(error)) from None
        except (ValueError, OverflowError):
            raise CellError(value, f" lies outside the years 1 to 9999; {EXAMPLE}") from None

    def _dated(self, value: Value, time_of_day: int) -> TimeOfDay:
        if self._start is None:
            raise UndatedError
        day, started = divmod(self._start, DAY)
        if time_of_day < started:
            day += 1
        return TimeOfDay(self._at(value, day * DAY + time_of_day))

    def _number(self, value: Moment | float | bool | None) -> Instant:
        number = value.days if isinstance(value, Moment) else value
        if number is None or isinstance(number, bool):
            raise CellError(value, f" is not a time; {EXAMPLE}")
        if abs(number) >= 10**16:
            raise CellError(
                value,
                " looks like a message id, but a number cell does not keep all its digits; "
                "format the cell as plain text and paste the id anew",
            )
        millis = round(number * DAY) if 0 <= number < _SERIALS_END else 0
        if isinstance(value, Moment) and 0 < millis < DAY:
            return self._dated(value, millis)
        if _is_a_long_day(value, millis):
            raise CellError(value, f" holds 24 hours or more, so it is no time of day; {EXAMPLE}")
        if isinstance(value, Moment) and not number:
            raise CellError(value, " may be midnight or a bare 0; write midnight with its date")
        if millis < _first_serial(value) * DAY:
            raise CellError(value, f" is not a time; {EXAMPLE}")
        if not millis % DAY and not (isinstance(value, Moment) and value.kind != "date"):
            raise CellError(value, f" has no time of day; {EXAMPLE}")
        return self._at(value, millis - _SERIAL_EPOCH * DAY)

    def _text(self, value: str, column: Column, *, on_the_minute: bool) -> Instant:
        text = tidy(value)
        if found := _STAMP.fullmatch(text):
            return _reachable(value, int(found[1]) * SECOND)
        if (sent := sent_at(text)) is not None:
            return _reachable(value, sent)
        try:
            parts = take_apart(text, column.habits)
        except TwoMarksError:
            raise CellError(value, f" names a time of day that does not exist; {EXAMPLE}") from None
        if parts is None:
            raise CellError(value, f" is not a time; {EXAMPLE}")
        day = _day(value, parts.date, column)
        clock = _clock_time(value, parts, on_the_minute=on_the_minute)
        offset = parts.offset
        if day is None:
            if offset is not None:
                raise CellError(value, f" has an offset but no date; {EXAMPLE}")
            return self._dated(value, clock)
        if offset is None:
            return self._at(value, day * DAY + clock)
        return _reachable(value, day * DAY + clock - _offset(value, offset))


def _is_a_long_day(value: Value, millis: int) -> bool:
    """Whether a cell that shows a time of day holds 24 hours or more, and no date of our days."""
    shows_time = isinstance(value, Moment) and value.kind in ("time", "duration")
    return shows_time and DAY <= millis < FIRST_DAY * DAY


def _first_serial(value: Value) -> int:
    """Return the first serial taken for a date: a bare or running number must be of our days."""
    return 1 if isinstance(value, Moment) and value.kind != "duration" else FIRST_DAY


def _reachable(value: str, instant: int) -> Instant:
    if not printable(instant):
        raise CellError(value, f" lies outside the years 1 to 9999; {EXAMPLE}")
    return Instant(instant)


@lru_cache(maxsize=64)
def _days(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None


def _iso_day(value: str, text: str) -> int:
    days = _days(int(text[:4]), int(text[5:7]), int(text[8:]))
    if days is None:
        raise CellError(value, f" names a day that does not exist; {EXAMPLE}")
    return days


def _day(value: str, date: tuple[str, ...], column: Column) -> int | None:
    """Return the day a text names, None where it has no date."""
    if not date:
        return None
    if len(date[0]) == 4:
        year, month, day = map(int, date)
    else:
        first, second, year = map(int, date)
        year += 2000 if len(date[2]) == 2 else 0
        if column.order is None and first != second:
            proper = [(d, m) for d, m in ((first, second), (second, first)) if d <= 31 and m <= 12]
            if not proper:
                raise CellError(value, f" names a day that does not exist; {EXAMPLE}")
            both = " or ".join(f"{year:04}-{m:02}-{d:02}" for d, m in proper)
            raise CellError(
                value,
                f" may name its day or its month first ({column.why}); write {both} and the time",
            )
        day, month = (second, first) if column.order == "month first" else (first, second)
        if month > 12 and first <= 31 and second <= 31:
            raise CellError(value, f" is not a date {column.why}; {EXAMPLE}")
    days = _days(year, month, day)
    if days is None:
        raise CellError(value, f" names a day that does not exist; {EXAMPLE}")
    return days


def _clock_time(value: str, parts: Stamp, *, on_the_minute: bool) -> int:
    """Return the time of day a text names, in milliseconds; seconds are never made up."""
    hours, minutes, seconds = parts.hours, parts.minutes, parts.seconds
    if hours is None or minutes is None:
        raise CellError(value, f" has no time of day; {EXAMPLE}")
    if seconds is None and on_the_minute:
        seconds = "0"
    if seconds is None:
        raise CellError(value, f" has no seconds; {EXAMPLE}")
    hour = int(hours)
    if parts.late is not None:
        if not 1 <= hour <= 12:
            raise CellError(value, f" names a time of day that does not exist; {EXAMPLE}")
        hour = hour % 12 + (12 if parts.late else 0)
    clock = _time_of_day(hour, int(minutes), int(seconds))
    if clock is None:
        raise CellError(value, f" names a time of day that does not exist; {EXAMPLE}")
    fraction = int((parts.fraction or "0").ljust(9, "0"))
    return clock + (fraction + 500_000) // 1_000_000


def _time_of_day(hour: int, minute: int, second: int) -> int | None:
    if hour > 23 or minute > 59 or second > 59:
        return None
    return (hour * 60 + minute) * MINUTE + second * SECOND


def _offset(value: str, text: str) -> int:
    digits = "".join(letter for letter in text if letter.isdigit())
    if not digits:
        return 0
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        raise CellError(value, f" names an offset that does not exist; {EXAMPLE}")
    return (hours * 60 + minutes) * MINUTE * (1 if text[0] == "+" else -1)
