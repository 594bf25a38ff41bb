"""Time zones: the one place where a name becomes a zone, or words on what to write instead.

A name that is no zone is never answered by the one closest in spelling: `GMT-5` looks most like
`Etc/GMT-5`, which lies ten hours away. What stands here is a table of abbreviations with the cities
whose people use them; offsets are looked up in the zones of those cities themselves.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from referee.match.faults import Fault, Stopped, quoted
from referee.match.instants import MINUTE
from referee.match.record import Record
from referee.workbook.names import fold
from referee.workbook.wall_clock import Clock, spelled_offset

_NO_PLACES: Final = ("localtime", "posixrules", "factory", "posix/", "right/")
"""What stands among the zones of some machines without being one: the zone of that machine, and
copies of all others, some of which count leap seconds."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST: Final = 3
"""Cities named for one offset."""

# fmt: off
_MEANT: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("ET", "EST", "EDT", "EASTERN"), ("America/New_York",)),
    **dict.fromkeys(("CT", "CST", "CDT", "CENTRAL"), ("America/Chicago", "Asia/Shanghai")),
    **dict.fromkeys(("MT", "MST", "MDT", "MOUNTAIN"), ("America/Denver", "America/Phoenix")),
    **dict.fromkeys(("PT", "PST", "PDT", "PACIFIC"), ("America/Los_Angeles",)),
    **dict.fromkeys(("AKT", "AKST", "AKDT"), ("America/Anchorage",)),
    **dict.fromkeys(("HT", "HST"), ("Pacific/Honolulu",)),
    **dict.fromkeys(("AT", "AST", "ADT"), ("America/Halifax", "America/Puerto_Rico")),
    **dict.fromkeys(("NT", "NST", "NDT"), ("America/St_Johns",)),
    "BRT": ("America/Sao_Paulo",), "ART": ("America/Argentina/Buenos_Aires",),
    "CLT": ("America/Santiago",), "COT": ("America/Bogota",), "PET": ("America/Lima",),
    "GMT": ("Europe/London",), "BST": ("Europe/London", "Asia/Dhaka"),
    "IST": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    **dict.fromkeys(("WET", "WEST"), ("Europe/Lisbon",)),
    **dict.fromkeys(("CET", "CEST", "MET", "MEZ", "MESZ"), ("Europe/Berlin", "Europe/Paris")),
    **dict.fromkeys(("EET", "EEST"), ("Europe/Athens", "Europe/Helsinki")),
    "MSK": ("Europe/Moscow",), "TRT": ("Europe/Istanbul",), "SAST": ("Africa/Johannesburg",),
    "WAT": ("Africa/Lagos",), "CAT": ("Africa/Maputo",), "EAT": ("Africa/Nairobi",),
    "GST": ("Asia/Dubai",), "PKT": ("Asia/Karachi",), "NPT": ("Asia/Kathmandu",),
    "ICT": ("Asia/Bangkok",), "WIB": ("Asia/Jakarta",), "SGT": ("Asia/Singapore",),
    "HKT": ("Asia/Hong_Kong",), "PHT": ("Asia/Manila",), "KST": ("Asia/Seoul",),
    "JST": ("Asia/Tokyo",), "AWST": ("Australia/Perth",),
    **dict.fromkeys(("ACST", "ACDT"), ("Australia/Adelaide", "Australia/Darwin")),
    **dict.fromkeys(("AET", "AEST", "AEDT"), ("Australia/Sydney", "Australia/Brisbane")),
    **dict.fromkeys(("NZT", "NZST", "NZDT"), ("Pacific/Auckland",)),
}
_MORE_CITIES: Final = (
    "Africa/Cairo", "Asia/Tehran", "Asia/Kabul", "Asia/Tashkent", "Asia/Yangon",
    "Atlantic/Azores", "Atlantic/Cape_Verde", "Atlantic/South_Georgia", "Atlantic/Reykjavik",
    "Pacific/Guam", "Pacific/Noumea", "Pacific/Apia", "Pacific/Chatham", "Pacific/Kiritimati",
    "Pacific/Marquesas", "Pacific/Pago_Pago", "Australia/Lord_Howe", "Australia/Eucla",
)
# fmt: on

_OFFSET: Final = re.compile(r"(?:utc|gmt|z)? ?([+\u2212-]) ?([0-9]{1,2})(?::?([0-9]{2}))?(?: ?h)?")
_TURNED: Final = re.compile(r"etc/gmt[+-][1-9][0-9]?")


def find_zone(name: str) -> ZoneInfo | None:
    """Return the time zone of that name (``Europe/London``), None where there is none.

    It is the same zone on every machine: the machine's own has no name here.
    """
    if name.casefold().startswith(_NO_PLACES):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def clock_of(record: Record) -> Clock:
    """Return the wall clock of a match record.

    Raises `Stopped` where its zone does not exist: times on another clock would mislead.
    """
    zone = find_zone(record.time_zone)
    if zone is not None:
        return Clock(zone, record.time_zone)
    text = f"time_zone: {no_zone(record.time_zone, record.start)}"
    raise Stopped([Fault("bad-time-zone", text, "Settings")], record.name)


def in_force(clock: Clock, at: int) -> str:
    """Return the zone that times are shown and read in, with its offset at an instant."""
    return f"{clock.name} ({_utc(clock.wall(at) - at)} at the match's start)"


def no_zone(name: str, at: int | None = None) -> str:
    """Say that a name is no time zone, and what to write; ``at`` is the match's day if known."""
    return f"{quoted(name)} is no time zone; {_instead(name, at)}"


def doubtful(name: str, at: int) -> str | None:
    """Say what a zone that exists may not mean to its host, None where it is a city's.

    `EST` has no summer time though New York has; the signs of `Etc/GMT+5` are turned round. ``at``
    is the match's start.
    """
    zone = find_zone(name)
    if zone is None:
        return None
    offset, day = _offset(zone, at), (_EPOCH + timedelta(milliseconds=at)).date()
    if _TURNED.fullmatch(fold(name)):
        others = _listed(_cities_now(offset, at)) or "no city we know"
        return (
            f"{name} is {_utc(offset)}, its sign is turned round: the time of {others} on {day}; "
            f"{_winter_city(offset, at)}write a city's zone to be sure"
        )
    word = fold(name).upper().removeprefix("ETC/").partition("+")[0].partition("-")[0].rstrip("0")
    meant = _MEANT.get(word, ())[:1]
    for city in meant:
        there = _offset(ZoneInfo(city), at)
        if there != offset and _is_fixed(zone, at):
            return (
                f"{name} has no summer time: it is {_utc(offset)} all year, and {_town(city)} is "
                f"at {_utc(there)} on {day}; if {_town(city)} is meant, write {city}"
            )
    return None


def _winter_city(offset: int, at: int) -> str:
    """Name the city that is at an offset in winter alone, where it is summer."""
    for city in _cities():
        winter, summer = sorted(_year(ZoneInfo(city), at))
        there = _offset(ZoneInfo(city), at)
        if winter == offset and there == summer != winter:
            return f"{_town(city)} is at {_utc(there)} that day; "
    return ""


def _instead(name: str, at: int | None) -> str:
    text = fold(name)
    if not text:
        return "write a city's zone, like Europe/London or America/New_York"
    if found := _OFFSET.fullmatch(text):
        sign = 1 if found[1] == "+" else -1
        offset = sign * (int(found[2]) * 60 + int(found[3] or 0)) * MINUTE
        if near := _cities_at(offset, at):
            return f"write the zone of a city at {_utc(offset)}: {_described(near, at)}"
    elif cities := _MEANT.get(text.upper(), ()):
        return f"write the zone of the city meant: {_described(cities, at)}"
    elif zones := _known().get(text.replace("_", " ")):
        return f"write {' or '.join(zones)}"
    region = [city for city in _cities() if fold(city).startswith(text.partition("/")[0] + "/")]
    if "/" in text and region:
        return f"write one like {', '.join(region[:_MOST])}"
    return "write a city's zone, like Europe/London or America/New_York"


def _cities() -> list[str]:
    """List every city of the table, those people name most often first."""
    return list(dict.fromkeys([city for meant in _MEANT.values() for city in meant])) + list(
        _MORE_CITIES
    )


def _cities_at(offset: int, at: int | None) -> list[str]:
    """List cities at an offset at some time of the year, those of the match's day first.

    Cities of one clock, like Berlin and Paris, count once.
    """
    found: dict[tuple[int, int], str] = {}
    for city in _cities():
        year = _year(ZoneInfo(city), at)
        if offset in year:
            found.setdefault(year, city)
    cities = list(found.values())
    if at is not None:
        cities.sort(key=lambda city: _offset(ZoneInfo(city), at) != offset)
    return cities[:_MOST]


def _cities_now(offset: int, at: int) -> list[str]:
    return [city for city in _cities_at(offset, at) if _offset(ZoneInfo(city), at) == offset]


def _described(cities: Iterable[str], at: int | None) -> str:
    return " or ".join(f"{city} ({_over_the_year(ZoneInfo(city), at)})" for city in cities)


def _over_the_year(zone: ZoneInfo, at: int | None) -> str:
    january, july = _year(zone, at)
    if january == july:
        return f"{_utc(january)} all year"
    return f"{_utc(january)} in January, {_utc(july)} in July"


def _year(zone: ZoneInfo, at: int | None) -> tuple[int, int]:
    year = 2026 if at is None else (_EPOCH + timedelta(milliseconds=at)).year
    january, july = (datetime(year, month, 15, tzinfo=UTC) for month in (1, 7))
    return _at(zone, january), _at(zone, july)


def _is_fixed(zone: ZoneInfo, at: int) -> bool:
    january, july = _year(zone, at)
    return january == july


def _offset(zone: ZoneInfo, at: int) -> int:
    return _at(zone, _EPOCH + timedelta(milliseconds=at))


def _at(zone: ZoneInfo, moment: datetime) -> int:
    offset = moment.astimezone(zone).utcoffset()
    return 0 if offset is None else offset // timedelta(milliseconds=1)


def _utc(offset: int) -> str:
    return f"UTC{spelled_offset(offset)}" if offset else "UTC"


def _town(city: str) -> str:
    return city.rpartition("/")[2].replace("_", " ")


def _listed(cities: Sequence[str]) -> str:
    return ", ".join(_town(city) for city in cities)


@cache
def _known() -> dict[str, list[str]]:
    """Every zone by its name and by its city, as they are compared; copies left out."""
    from zoneinfo import available_timezones

    found: dict[str, list[str]] = {}
    for zone in sorted(available_timezones()):
        if "/" in zone and not zone.casefold().startswith((*_NO_PLACES, "etc/", "us/", "systemv/")):
            for spelling in {zone, _town(zone)}:
                found.setdefault(fold(spelling.replace("_", " ")), []).append(zone)
    return found
