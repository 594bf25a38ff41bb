"""Instants: whole milliseconds, as text and back (R0.3)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.match.faults import quoted
from referee.match.instants import (
    DAY,
    MINUTE,
    SECOND,
    format_instant,
    format_span,
    parse_instant,
    printable,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC) - EPOCH) // timedelta(milliseconds=1)

instants = st.integers(FIRST, LAST)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-11-29T20:00:00Z", 1_795_982_400_000),
        ("2026-11-29T20:00:00.5Z", 1_795_982_400_500),
        ("2026-11-29T20:00:00.25Z", 1_795_982_400_250),
        ("2026-11-29T20:00:00.007Z", 1_795_982_400_007),
        ("2026-11-29T21:00:00+01:00", 1_795_982_400_000),
        ("2026-11-30T10:05:00+14:05", 1_795_982_400_000),
        ("2026-11-29T15:30:00.000-04:30", 1_795_982_400_000),
        ("2026-11-29t20:00:00z", 1_795_982_400_000),
        ("2026-11-29T20:00:00-00:00", 1_795_982_400_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ],
)
def test_a_time_with_an_offset_is_an_instant(text: str, same: int) -> None:
    """Every spelling that RFC 3339 allows for one instant is that instant."""
    assert parse_instant(text) == same


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "2026-11-29", "20:00:00", "2026-11-29T20:00:00", "2026-11-29 20:00:00Z"),
        *("2026-11-29T20:00Z", "2026-11-29T20:00:00.Z", "2026-11-29T20:00:00.1234Z"),
        *("2026-11-29T20:00:00,5Z", "2026-11-29T20:00:00+0100", "2026-11-29T20:00:00+01"),
        *("26-11-29T20:00:00Z", " 2026-11-29T20:00:00Z", "2026-11-29T20:00:00Z\n"),
        *("2026-11-31T20:00:00Z", "2026-02-29T20:00:00Z", "2026-13-01T20:00:00Z"),
        *("2026-00-01T20:00:00Z", "2026-11-00T20:00:00Z", "0000-01-01T00:00:00Z"),
        *("2026-11-29T24:00:00Z", "2026-11-29T20:60:00Z", "2026-11-29T20:00:60Z"),
        *("2026-11-29T20:00:00+24:00", "2026-11-29T20:00:00+01:60", "٢٠٢٦-11-29T20:00:00Z"),
        *("0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"),
    ],
)
def test_what_is_no_instant(text: str) -> None:
    """Anything else is refused, and what stands there is quoted."""
    with pytest.raises(ValueError, match=r'^"') as raised:
        parse_instant(text)
    assert quoted(text) in str(raised.value)


@given(instants, st.integers(-23 * 60 - 59, 23 * 60 + 59))
@example(FIRST, 0)
@example(LAST, 0)
def test_any_offset_names_the_instant(instant: int, offset: int) -> None:
    """The standard library, writing a time with any offset, means the same instant."""
    try:
        local = (EPOCH + timedelta(milliseconds=instant)).astimezone(
            timezone(timedelta(minutes=offset))
        )
    except OverflowError:
        return
    assert parse_instant(local.isoformat(timespec="milliseconds")) == instant


@given(instants)
@example(FIRST)
@example(LAST)
def test_written_and_read_an_instant_is_the_same(instant: int) -> None:
    """A time is written in UTC, with a fraction only where there is one, and reads back."""
    text = format_instant(instant)
    assert parse_instant(text) == instant
    assert text.endswith("Z")
    assert ("." in text) == bool(instant % SECOND)
    assert printable(instant)


def test_where_the_years_end() -> None:
    """One millisecond beyond the years 1 to 9999 a time cannot be written."""
    assert format_instant(FIRST) == "0001-01-01T00:00:00Z"
    assert format_instant(LAST) == "9999-12-31T23:59:59.999Z"
    assert not printable(FIRST - 1)
    assert not printable(LAST + 1)


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "0 s"),
        (1, "0.001 s"),
        (250, "0.25 s"),
        (12_400, "12.4 s"),
        (59_999, "59.999 s"),
        (MINUTE, "1 min"),
        (2 * MINUTE + 5 * SECOND, "2 min 5 s"),
        (MINUTE + 1, "1 min 0.001 s"),
        (61 * MINUTE + 10, "61 min 0.01 s"),
        (DAY, "1440 min"),
        (-12_400, "12.4 s"),
    ],
)
def test_spans_are_exact(millis: int, text: str) -> None:
    """A length of time is told exactly, whichever way it goes."""
    assert format_span(millis) == text
