"""Time zones: what a name is, what may be meant by it, and what is never suggested."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from referee.match.faults import Stopped
from referee.match.instants import parse_instant
from referee.workbook.zones import clock_of, doubtful, find_zone, in_force, no_zone
from tests.support.played_matches import match

WINTER = parse_instant("2026-03-01T23:50:00Z")
SUMMER = parse_instant("2026-07-01T23:50:00Z")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("GMT-5", "at UTC-05:00: America/Chicago (UTC-06:00 in January, UTC-05:00 in July)"),
        ("UTC\u22125", "America/New_York (UTC-05:00 in January, UTC-04:00 in July)"),
        ("-05:00", "America/Bogota (UTC-05:00 all year)"),
        ("UTC+2", "Africa/Johannesburg (UTC+02:00 all year)"),
        ("GMT+5:45", "Asia/Kathmandu (UTC+05:45 all year)"),
        ("gmt +0530", "Asia/Kolkata (UTC+05:30 all year)"),
        ("BST", "Europe/London (UTC in January, UTC+01:00 in July) or Asia/Dhaka"),
        ("ET", "the city meant: America/New_York (UTC-05:00 in January"),
        ("et", "the city meant: America/New_York (UTC-05:00 in January"),
        ("PDT", "America/Los_Angeles"),
        ("IST", "Asia/Kolkata (UTC+05:30 all year) or Europe/Dublin"),
        ("London", "write Europe/London"),
        ("new  york", "write America/New_York"),
        ("europe/london", "write Europe/London"),
        ("America/New_Yrok", "write one like America/New_York, America/Chicago"),
        ("Mars/Olympus", "write a city's zone, like Europe/London or America/New_York"),
        ("Londn", "write a city's zone, like Europe/London or America/New_York"),
        ("UTC+25", "write a city's zone, like Europe/London"),
        ("", "write a city's zone, like Europe/London"),
    ],
)
def test_a_name_that_is_no_zone_leads_to_cities(name: str, said: str) -> None:
    """By a table of offsets and abbreviations; every city named is a zone that can be written."""
    assert find_zone(name) is None
    told = no_zone(name, SUMMER)
    assert said in told
    for word in told.replace(",", " ").split():
        if "/" in word and '"' not in word:
            assert find_zone(word) is not None


@pytest.mark.parametrize("at", [WINTER, SUMMER, None])
@pytest.mark.parametrize("hours", range(-11, 15))
def test_cities_of_an_offset_are_at_that_offset_in_winter_or_in_summer(
    hours: int, at: int | None
) -> None:
    """A suggestion is never on the other side of the world: the sign is the one people mean."""
    told = no_zone(f"GMT{hours:+}", at) if hours else ""
    cities = [word for word in told.split() if "/" in word and find_zone(word) is not None]
    assert bool(cities) == bool(hours)
    for city in cities:
        offsets = {
            datetime(2026, month, 15, tzinfo=UTC).astimezone(ZoneInfo(city)).utcoffset()
            for month in (1, 7)
        }
        assert hours * 3600 in {offset.total_seconds() for offset in offsets if offset is not None}


@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        ("EST", SUMMER, "New York is at UTC-04:00 on 2026-07-01; if New York is meant, write Am"),
        ("MST", SUMMER, "Denver is at UTC-06:00 on 2026-07-01"),
        ("GMT", SUMMER, "London is at UTC+01:00 on 2026-07-01"),
        ("Etc/GMT", SUMMER, "London is at UTC+01:00 on 2026-07-01"),
        ("Etc/GMT+5", SUMMER, "Etc/GMT+5 is UTC-05:00, its sign is turned round: the time of"),
        ("Etc/GMT+5", SUMMER, "New York is at UTC-04:00 that day"),
        ("Etc/GMT-5", WINTER, "Etc/GMT-5 is UTC+05:00, its sign is turned round: the time of Kar"),
    ],
)
def test_a_zone_without_summer_time_is_doubted(name: str, at: int, said: str) -> None:
    """What people mean by it is an hour off that day, or ten."""
    told = doubtful(name, at)
    assert told is not None
    assert said in told


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("EST", WINTER),
        ("HST", SUMMER),
        ("UTC", SUMMER),
        ("Etc/UTC", SUMMER),
        ("CET", SUMMER),
        ("EST5EDT", SUMMER),
        ("America/New_York", SUMMER),
        ("Europe/London", SUMMER),
        ("Mars/Olympus", SUMMER),
    ],
)
def test_a_zone_that_means_what_it_says_is_not_doubted(name: str, at: int) -> None:
    assert doubtful(name, at) is None


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "America/New_Yrok", "", " ", "GMT-5", "localtime"]
)
def test_a_record_of_no_zone_has_no_clock(name: str) -> None:
    """Its times are not shown in UTC without a word."""
    record = match(time_zone=name)
    with pytest.raises(Stopped, match="is no time zone; write"):
        clock_of(record)


def test_the_zone_in_force_is_told_with_its_offset() -> None:
    assert in_force(clock_of(match(time_zone="America/New_York")), WINTER) == (
        "America/New_York (UTC-05:00 at the match's start)"
    )
    assert in_force(clock_of(match(time_zone="UTC")), WINTER) == "UTC (UTC at the match's start)"
