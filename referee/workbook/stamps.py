"""Dates and times as texts, in the habits of a spreadsheet's locale.

Which of day and month comes first, what stands for AM and PM, the words around a time: Babel keeps
it for every locale there is. A text is read where it can mean one thing only; here it is taken
apart, `times` makes an instant of the parts.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, Literal

import msgspec

DayOrder = Literal["day first", "month first"]

_MARKS: Final = {
    **dict.fromkeys(("am", "오전", "上午", "午前"), False),
    **dict.fromkeys(("pm", "오후", "下午", "午後"), True),
}
"""What stands for the half of the day where no locale is known: words of one meaning anywhere."""


_EARLY: Final = ("am", "morning1", "morning2")
_LATE: Final = ("pm", "afternoon1", "afternoon2", "evening1", "evening2")
"""The halves of the day, and the parts of either by which some locales call the hours."""


class Habits(msgspec.Struct, frozen=True):
    """How dates and times are written somewhere.

    ``marks`` are the words for before and after noon (True), ``words`` those that stand beside a
    date or a time and say nothing, ``dotted`` tells of times like 19.01.20.
    """

    order: DayOrder | None = None
    marks: Mapping[str, bool] = msgspec.field(default_factory=_MARKS.copy)
    words: frozenset[str] = frozenset()
    dotted: bool = False


class Stamp(msgspec.Struct, frozen=True):
    """A text taken apart. ``date`` are its three numbers as they stand, empty where it has none.

    ``late`` tells AM (False) and PM (True); ``minutes`` and what follows are None where they are
    not written.
    """

    date: tuple[str, ...]
    hours: str | None
    minutes: str | None
    seconds: str | None
    fraction: str | None
    late: bool | None
    offset: str | None


class TwoMarksError(ValueError):
    """A text that says twice which half of the day it is."""


@cache
def habits_of(locale: str | None) -> Habits:
    """Return the habits of a locale (``en_GB``); of an unknown one those that mean one anywhere."""
    from babel import Locale, UnknownLocaleError

    if not locale:
        return Habits()
    try:
        known = Locale.parse(re.sub("^no_", "nb_", locale.replace("-", "_")))
    except (UnknownLocaleError, ValueError):
        return Habits()
    order = _order(known.date_formats["short"].pattern)
    marks = _MARKS | dict(_half_days(known.day_periods))
    patterns = [
        *(form.pattern for form in known.time_formats.values()),
        *(form.pattern for form in known.date_formats.values()),
        *map(str, known.datetime_formats.values()),
    ]
    quoted = [words for pattern in patterns for words in re.findall(r"'([^']+)'", pattern)]
    words = frozenset(letters for text in quoted for letters in map(_letters, text.split()))
    dotted = "." in re.sub(r"'[^']*'", "", known.time_formats["medium"].pattern)
    return Habits(order, marks, words, dotted)


def _order(pattern: str) -> DayOrder | None:
    day, month, year = (pattern.find(field) for field in "dMy")
    if year < min(day, month):
        return None
    return "day first" if day < month else "month first"


def _half_days(
    periods: Mapping[str, Mapping[str, Mapping[str, str]]],
) -> Iterator[tuple[str, bool]]:
    for widths in periods.values():
        for names in widths.values():
            early = {_letters(name) for period, name in names.items() if period in _EARLY}
            late = {_letters(name) for period, name in names.items() if period in _LATE}
            for word in early ^ late:
                if word:
                    yield word, word in late


def _letters(text: str) -> str:
    """Return a word as it is compared: its letters alone, in one case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if unicodedata.category(letter)[0] in "LM")


# --- taking a text apart ---------------------------------------------------------------------


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    # Compiled when first needed: most workbooks hold date cells or the ISO form only.
    date = (
        r"(?P<first>[0-9]{1,4})\s?(?P<between>[-/.])\s?(?P<second>[0-9]{1,2})\s?(?P=between)\s?"
        r"(?P<third>[0-9]{1,4})"
    )
    time = (
        r"(?P<hours>[0-9]{1,2})(?P<mark>[:.])(?P<minutes>[0-9]{2})"
        r"(?:(?P=mark)(?P<seconds>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
        r"(?:\s*(?P<offset>Z|UTC|GMT|[-+\u2212][0-9]{2}(?::?[0-9]{2})?))?"
    )
    before, gap, after = (rf"(?P<{name}>[^0-9:/+]*)" for name in ("before", "gap", "after"))
    gap = rf"(?=[^0-9]){gap}"
    return tuple(
        re.compile(f"{before}{shape}{after}", re.IGNORECASE)
        for shape in (f"{date}{gap}{time}", f"{time}{gap}{date}", time, date)
    )


def take_apart(text: str, habits: Habits) -> Stamp | None:
    """Return the parts of a date and time, None where it is none or may be two.

    Raises TwoMarksError where it says twice which half of the day it is.
    """
    if not text.isascii():
        text = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)
    found = [stamp for shape in _shapes() if (stamp := _fitted(shape, text, habits)) is not None]
    if len(found) == 2:
        # A date alone is no time; whoever writes times with dots means one.
        found = [stamp for stamp in found if stamp.hours is not None]
    return found[0] if len(found) == 1 else None


def _fitted(shape: re.Pattern[str], text: str, habits: Habits) -> Stamp | None:
    match = shape.fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    date = tuple(parts[name] for name in ("first", "second", "third")) if "first" in parts else ()
    if date and not _is_date(date, habits):
        return None
    if not date and parts["mark"] == "." and not habits.dotted:
        return None  # it may be a date just as well
    gaps = [parts.get(name) or "" for name in ("before", "gap", "after")]
    if gaps[1].casefold() == "t":
        gaps[1] = ""
    marks: list[bool] = []
    for gap in gaps:
        if not _is_understood(gap, habits, marks):
            return None
    if len(marks) > 1:
        raise TwoMarksError
    return Stamp(
        date=date,
        hours=parts.get("hours"),
        minutes=parts.get("minutes"),
        seconds=parts.get("seconds"),
        fraction=parts.get("fraction"),
        late=marks[0] if marks else None,
        offset=parts.get("offset"),
    )


def _is_date(date: tuple[str, ...], habits: Habits) -> bool:
    """Whether three numbers are a date: one of them, at an end, is a year.

    Two digits are one where the locale settles which number that is.
    """
    lengths = (len(date[0]), len(date[2]))
    if lengths[0] == 4:
        return lengths[1] <= 2
    return lengths[0] <= 2 and (lengths[1] == 4 or (lengths[1] == 2 and habits.order is not None))


def _is_understood(gap: str, habits: Habits, marks: list[bool]) -> bool:
    """Whether what stands between the numbers is known; a half of the day goes into ``marks``."""
    if any(unicodedata.category(sign)[0] not in "LMZP" for sign in gap):
        return False
    whole = _letters(gap)
    if not whole or whole in habits.words:
        return True
    for word in [whole] if whole in habits.marks else map(_letters, gap.split()):
        if word in habits.marks:
            marks.append(habits.marks[word])
        elif word and word not in habits.words:
            return False
    return True
