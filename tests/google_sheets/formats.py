"""Number formats: from a cell's value and its format to the text a person sees."""

from __future__ import annotations

import datetime as dt
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import Obj
    from .locales import Locale

EPOCH = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - a cell knows no zone
DATE_TYPES = {"DATE", "TIME", "DATE_TIME"}
_DATE_TOKEN = re.compile(
    r"""\[h+\]|\[m+\]|\[s+\]|y+|m+|d+|h+|s+|\.0+|am/pm|a/p|"[^"]*"|\\.|.""", re.IGNORECASE
)
_NUMBER_TOKEN = re.compile(
    r'"[^"]*"|\\.|\[[^\]]*\]|[_*].|E[+-]0+|[#0?][#0?,]*(?:\.[#0?]*)?|\.[#0?]+|.'
)
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def default_pattern(kind: str, locale: Locale) -> str:
    patterns = {
        "NUMBER": "#,##0.00",
        "PERCENT": "0.00%",
        "CURRENCY": locale.currency,
        "DATE": locale.date,
        "TIME": locale.time,
        "DATE_TIME": locale.date_time,
        "SCIENTIFIC": "0.00E+00",
        "TEXT": "@",
    }
    return patterns.get(kind, "")


def shown(value: bool | float | str, number_format: Obj, locale: Locale) -> str:
    """The formattedValue of a cell."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    kind = number_format.get("type", "")
    pattern = number_format.get("pattern") or number_format.get("inferred")
    pattern = pattern or default_pattern(kind, locale)
    if isinstance(value, str):
        return value
    if kind in DATE_TYPES:
        return _date(value, pattern, locale)
    if not pattern or pattern == "@" or pattern.casefold() == "general":
        return general(value).replace(".", locale.decimal)
    return _number(value, pattern, locale)


def general(value: float) -> str:
    """A number without a format: up to ten figures, as a sheet shows it."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.10g}"
    number = Decimal(short)
    if number == 0 or -5 <= number.adjusted() < 15:
        plain = format(number, "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa, _, power = f"{number:E}".partition("E")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}E{power[0] if power[0] == '-' else '+'}{power.lstrip('+-').zfill(2)}"


def moment(serial: float) -> dt.datetime:
    """The moment of a serial number, to the nearest microsecond."""
    return EPOCH + dt.timedelta(microseconds=round(serial * 86_400_000_000))


def _date(serial: float, pattern: str, locale: Locale) -> str:
    tokens = _DATE_TOKEN.findall(pattern)
    fraction = next((len(token) - 1 for token in tokens if re.fullmatch(r"\.0+", token)), 0)
    unit = 10 ** (6 - min(fraction, 6))
    micros = round(serial * 86_400_000_000)
    rounded = (micros + unit // 2) // unit * unit
    when = EPOCH + dt.timedelta(microseconds=rounded)
    half_day = any(token.lower() in ("am/pm", "a/p") for token in tokens)
    out = []
    for at, token in enumerate(tokens):
        if token.lower().startswith("m") and _is_minute(tokens, at):
            out.append(str(when.minute).zfill(min(len(token), 2)))
        elif token.startswith("["):
            out.append(_elapsed(token, rounded / 1_000_000))
        else:
            out.append(_date_part(token, when, half_day, locale))
    return "".join(out)


def _is_minute(tokens: list[str], at: int) -> bool:
    """An m stands for minutes next to hours or seconds, else for the month."""
    before = [t.lower()[:2].strip("[") for t in tokens[:at] if t[0].isalpha() or t[0] == "["]
    after = [t.lower()[:1] for t in tokens[at + 1 :] if t[0].isalpha()]
    return bool((before and before[-1].startswith("h")) or (after and after[0] == "s"))


def _elapsed(token: str, seconds: float) -> str:
    unit = {"h": 3600, "m": 60, "s": 1}[token[1].lower()]
    return str(int(seconds // unit)).zfill(len(token) - 2)


def _date_part(token: str, when: dt.datetime, half_day: bool, locale: Locale) -> str:
    sign, size = token[0].lower(), len(token)
    if token.lower() == "am/pm":
        return "AM" if when.hour < 12 else "PM"
    if token.lower() == "a/p":
        return "A" if when.hour < 12 else "P"
    if re.fullmatch(r"\.0+", token):
        return locale.decimal + f"{when.microsecond:06}"[: size - 1]
    if sign == "y":
        return f"{when.year % 100:02}" if size <= 2 else str(when.year)
    if sign == "m":
        name = _MONTHS[when.month - 1]
        return (
            str(when.month).zfill(size) if size < 3 else name if size == 4 else name[: min(size, 3)]
        )
    if sign == "d":
        day = _DAYS[when.weekday()]
        return str(when.day).zfill(size) if size < 3 else day[:3] if size == 3 else day
    if sign == "h":
        hour = (when.hour % 12 or 12) if half_day else when.hour
        return str(hour).zfill(min(size, 2))
    if sign == "s":
        return str(when.second).zfill(min(size, 2))
    return token.strip('"') if sign == '"' else token[1:] if sign == "\\" else token


def _number(value: float, pattern: str, locale: Locale) -> str:
    sections = re.findall(r'(?:"[^"]*"|\\.|[^;"\\])+', pattern) or [pattern]
    if value < 0 and len(sections) > 1:
        section, sign, value = sections[1], "", -value
    elif value == 0 and len(sections) > 2:
        section, sign = sections[2], ""
    else:
        section, sign = sections[0], "-" if value < 0 else ""
        value = abs(value)
    tokens = _NUMBER_TOKEN.findall(section)
    if "%" in tokens:
        value *= 100
    power = next((token for token in tokens if re.fullmatch(r"E[+-]0+", token)), "")
    digits = Decimal(repr(float(value)))
    exponent = digits.adjusted() if power and digits else 0
    digits = digits.scaleb(-exponent)
    out = []
    for token in tokens:
        if token[0] in "#0?.":
            out.append(_digits(digits, token, locale))
        elif token == power:
            mark = "-" if exponent < 0 else "+" if power[1] == "+" else ""
            out.append(f"E{mark}{str(abs(exponent)).zfill(len(power) - 2)}")
        elif token[0] in "[_*":
            continue
        else:
            out.append(token.strip('"') if token[0] == '"' else token[-1])
    return sign + "".join(out)


def _digits(number: Decimal, token: str, locale: Locale) -> str:
    whole, _, decimals = token.partition(".")
    places = len(decimals)
    text = format(number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP), "f")
    left, _, right = text.partition(".")
    left = left.lstrip("0").zfill(whole.count("0")) if left.strip("0") or whole.count("0") else ""
    if "," in whole:
        left = re.sub(r"(?<=\d)(?=(\d{3})+$)", locale.group, left)
    fixed = decimals.count("0")
    right = right[:fixed] + right[fixed:].rstrip("0")
    return left + (locale.decimal + right if right else "")
