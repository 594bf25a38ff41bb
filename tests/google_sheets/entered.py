"""What the service makes of a text typed into a cell (USER_ENTERED): numbers, dates, formulas.

A date's format follows the way it was typed, but the service does not tell the pattern: it is
kept as ``inferred``, a field that never leaves the server.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from .errors import Obj
from .formats import EPOCH

if TYPE_CHECKING:
    from .locales import Locale

Entered = tuple[Obj, Obj | None]  # an ExtendedValue, and the number format it brings along
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = re.compile(r"(\d{1,3}):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(am|pm)?$", re.IGNORECASE)


def as_given(value: Any) -> Obj:
    """The ExtendedValue of a value taken as it is (RAW)."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int | float):
        return {"numberValue": value}
    return {"stringValue": value} if value != "" else {}


def typed(value: Any, locale: Locale) -> Entered:
    """The ExtendedValue of a value parsed as if typed by a person, and the format that follows."""
    if not isinstance(value, str):
        return as_given(value), None
    if value.startswith("'"):
        return as_given(value[1:]), None
    text = value.strip()
    if text.startswith("=") and len(text) > 1:
        return {"formulaValue": text}, None
    if text.upper() in ("TRUE", "FALSE"):
        return {"boolValue": text.upper() == "TRUE"}, None
    found = _number(text, locale) or _moment(text, locale)
    return found or (as_given(value), None)


def _number(text: str, locale: Locale) -> Entered | None:
    body, sign = text, 1
    if re.fullmatch(r"\(.+\)", body):
        body, sign = body[1:-1], -1
    currency = re.sub(r"^([-+]?)[$£€]\s*|\s*€$", r"\1", body)
    has_currency = currency != body
    body = currency
    percent = body.endswith("%")
    body = body.removesuffix("%").strip()
    group, decimal = re.escape(locale.group), re.escape(locale.decimal)
    shape = rf"[-+]?(\d{{1,3}}({group}\d{{3}})+|\d+)?({decimal}\d*)?(e[-+]?\d+)?"
    found = re.fullmatch(shape, body, re.IGNORECASE)
    if not found or not re.search(r"\d", body.lower().split("e")[0]):
        return None
    number = sign * float(body.replace(locale.group, "").replace(locale.decimal, "."))
    decimals = len((found[3] or "").lstrip(locale.decimal))
    places = "." + "0" * max(decimals, 2) if decimals else ""
    if percent:
        return {"numberValue": number / 100}, {"type": "PERCENT", "pattern": f"0{places}%"}
    if has_currency:
        pattern = locale.currency if decimals else locale.currency.replace(".00", "")
        return {"numberValue": number}, {"type": "CURRENCY", "pattern": pattern}
    if found[4]:
        return {"numberValue": number}, {"type": "SCIENTIFIC", "pattern": "0.00E+00"}
    if found[2]:
        return {"numberValue": number}, {"type": "NUMBER", "pattern": f"#,##0{places}"}
    return {"numberValue": number}, None


def _moment(text: str, locale: Locale) -> Entered | None:
    day = _date(text, locale)
    if day:
        return {"numberValue": day[0]}, day[1]
    clock = _time(text)
    if clock is not None:
        seconds = ":ss" if text.count(":") == 2 else ""
        half = " am/pm" if text[-1] in "mM" else ""
        pattern = "[h]:mm:ss" if clock >= 1 else f"h:mm{seconds}{half}"
        return {"numberValue": clock}, {"type": "TIME", "inferred": pattern}
    parts = re.fullmatch(r"(\S+)[ T](\d{1,2}:\d\d.*)", text)
    if not parts:
        return None
    day, clock = _date(parts[1], locale), _time(parts[2])
    if day is None or clock is None or clock >= 1:
        return None
    number_format: Obj = {"type": "DATE_TIME"}
    if day[1].get("inferred"):
        seconds = ":ss" if parts[2].count(":") == 2 else ""
        number_format["inferred"] = f"{day[1]['inferred']} h:mm{seconds}"
    return {"numberValue": day[0] + clock}, number_format


def _date(text: str, locale: Locale) -> tuple[int, Obj] | None:
    iso = re.fullmatch(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})", text)
    if iso:
        sign = iso[2]
        pattern = f"yyyy{sign}mm{sign}dd"
        return _day(int(iso[1]), int(iso[3]), int(iso[4]), {"type": "DATE", "inferred": pattern})
    numbers = re.fullmatch(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)", text)
    if numbers and not (numbers[2] == "." and not locale.day_first):
        one, two, year = int(numbers[1]), int(numbers[3]), int(numbers[4])
        month, day = (two, one) if locale.day_first else (one, two)
        return _day(_century(year), month, day, {"type": "DATE"})
    named = re.fullmatch(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})", text)
    other = re.fullmatch(r"(\d{1,2})[ -]([A-Za-z]{3,9})\.?[ -](\d{4})", text)
    if named or other:
        name, day_text, year_text = named.groups() if named else _swapped(other)
        if name[:3].lower() in _MONTHS:
            month = _MONTHS.index(name[:3].lower()) + 1
            pattern = "mmm d, yyyy" if named else "d mmm yyyy"
            return _day(int(year_text), month, int(day_text), {"type": "DATE", "inferred": pattern})
    return None


def _swapped(found: re.Match[str] | None) -> tuple[str, str, str]:
    assert found is not None
    return found[2], found[1], found[3]


def _century(year: int) -> int:
    return year if year > 99 else year + (2000 if year < 50 else 1900)


def _day(year: int, month: int, day: int, number_format: Obj) -> tuple[int, Obj] | None:
    try:
        moment = dt.datetime(year, month, day)  # noqa: DTZ001 - a cell knows no zone
        return (moment - EPOCH).days, number_format
    except ValueError:
        return None


def _time(text: str) -> float | None:
    found = _TIME.match(text)
    if not found or int(found[2]) > 59 or int(found[3] or 0) > 59:
        return None
    hour = int(found[1])
    if found[5]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[5].lower() == "pm" else 0)
    seconds = hour * 3600 + int(found[2]) * 60 + int(found[3] or 0) + float(found[4] or 0)
    return seconds / 86400
