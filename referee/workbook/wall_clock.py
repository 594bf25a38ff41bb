"""The wall clock of a time zone: what it shows as an instant, and what it cannot show."""

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from referee.match.instants import MINUTE, SECOND, Instant, format_instant

_HOUR: Final = 60 * MINUTE
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class WallError(ValueError):
    """A wall-clock time that a change of the clocks makes happen twice or never."""

    def __init__(self, zone: str, what: str, why: str) -> None:
        super().__init__(f" {what} in {zone}, where the clocks went {why}")


class Clock:
    """The wall clock of a time zone: what it shows as an instant, and back."""

    def __init__(self, zone: ZoneInfo, name: str) -> None:
        self.name = name
        self._zone = zone
        self._offsets: dict[int, int | None] = {}

    @classmethod
    def utc(cls) -> "Clock":
        """Return the clock that shows UTC."""
        return cls(ZoneInfo("UTC"), "UTC")

    def instant(self, wall: int) -> Instant:
        """Return the instant at which the clock shows ``wall`` (milliseconds as if it were UTC).

        Raises ValueError where it shows that time twice or never.
        """
        hour = wall // _HOUR
        try:
            offset = self._offsets[hour]
        except KeyError:
            offset = self._offsets[hour] = self._steady(hour)
        return Instant(wall - (self._single(wall) if offset is None else offset))

    def wall(self, instant: int) -> int:
        """Return what the clock shows at an instant, in milliseconds as if it were UTC."""
        at = (_EPOCH + timedelta(milliseconds=instant)).astimezone(self._zone)
        return _millis(at.replace(tzinfo=UTC) - _EPOCH)

    def text(self, instant: int) -> str:
        """Return an instant as this clock shows it: ``2026-11-29 21:05:07``.

        A fraction stands only where there is one, an offset only where the clock shows the same
        time twice; `Times.read` reads the text back to the same instant.
        """
        try:
            wall = self.wall(instant)
            early, late = self._both(wall)
        except OverflowError:
            # At the very edge of the calendar a wall clock may already show the year 0 or 10000.
            return format_instant(instant)
        shown = format_instant(wall).rstrip("Z").replace("T", " ")
        return shown if early == late else f"{shown}{spelled_offset(wall - instant)}"

    def _steady(self, hour: int) -> int | None:
        """Return the offset of a whole wall-clock hour, None where it changes within or around."""
        offsets = {
            offset for wall in (hour * _HOUR, (hour + 1) * _HOUR) for offset in self._both(wall)
        }
        return offsets.pop() if len(offsets) == 1 else None

    def _both(self, wall: int) -> tuple[int, int]:
        at = datetime(1970, 1, 1) + timedelta(milliseconds=wall)  # noqa: DTZ001  a wall clock
        early, late = (at.replace(tzinfo=self._zone, fold=fold).utcoffset() for fold in (0, 1))
        return _millis(early), _millis(late)

    def _single(self, wall: int) -> int:
        offsets = [o for o in dict.fromkeys(self._both(wall)) if self.wall(wall - o) == wall]
        if len(offsets) == 1:
            return offsets[0]
        if not offsets:
            raise WallError(
                self.name, "does not exist", "forward over it; correct it, or write its offset too"
            )
        spelled = " or ".join(_spelled(wall, offset) for offset in offsets)
        raise WallError(self.name, "happens twice", f"back over it; write {spelled}")


def _millis(offset: timedelta | None) -> int:
    return 0 if offset is None else offset // timedelta(milliseconds=1)


def _spelled(wall: int, offset: int) -> str:
    at = (_EPOCH + timedelta(seconds=wall // SECOND)).replace(tzinfo=None)
    return f"{at.isoformat(' ')}{spelled_offset(offset)}"


def spelled_offset(offset: int) -> str:
    """Return an offset from UTC in milliseconds as a time carries it: ``-05:00``."""
    hours, minutes = divmod(abs(offset) // MINUTE, 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"


def agree(one: ZoneInfo, other: ZoneInfo) -> bool:
    """Whether two zones are one clock under two names, like Asia/Calcutta and Asia/Kolkata."""
    if one.key == other.key:
        return True
    moments = (
        datetime(year, month, 15, tzinfo=UTC)
        for year in range(1970, 2038)
        for month in range(1, 13)
    )
    return all(at.astimezone(one).utcoffset() == at.astimezone(other).utcoffset() for at in moments)
