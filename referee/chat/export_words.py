"""What exports of every kind have in common: how their times read and how a file is refused."""

import re
from functools import cache
from typing import Final

from referee.match.faults import Fault, Stopped, quoted
from referee.match.instants import Instant
from referee.workbook.times import Times
from referee.workbook.values import CellError
from referee.workbook.wall_clock import Clock

EXPORT_AGAIN: Final = "export the channel again, as JSON"

_FULL_STAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_SECONDS: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}")
_OFFSET: Final = re.compile(r"(?:Z|[+-][0-9]{2}:?[0-9]{2})$")


def refused(file: str, problem: str, code: str = "unreadable-export") -> Stopped:
    """Return the stop for a file that cannot be read at all."""
    return Stopped([Fault(code, f"{file} {problem}")])


def read_stamp(text: str) -> Instant:
    """Return the instant of an exporter's stamp, to the nearest millisecond.

    Raises ValueError, worded for a host, for a stamp without seconds or offset.
    """
    if _FULL_STAMP.fullmatch(text) is None:
        lacks = [
            word
            for word, pattern in (("seconds", _SECONDS), ("offset", _OFFSET))
            if not pattern.search(text)
        ]
        if lacks:
            raise ValueError(f"has no {' or '.join(lacks)}: {quoted(text)}")
        raise ValueError(f"is not a time: {quoted(text)}")
    try:
        return _utc().read(text)
    except CellError as error:
        raise ValueError(f"is not a time: {error}") from None


@cache
def _utc() -> Times:
    return Times(Clock.utc())
