"""The server's own time, which a test can move on, and the quotas counted by it."""

from __future__ import annotations

import datetime as dt
import time
import zoneinfo
from collections import deque

from .errors import quota_exceeded


class Clock:
    """Real time plus what a test added; ``speed`` lets a minute pass in a second."""

    def __init__(self) -> None:
        self._start = time.time()
        self._offset = 0.0
        self._speed = 1.0

    def now(self) -> float:
        return self._start + self._offset + (time.time() - self._start) * self._speed

    def advance(self, seconds: float) -> None:
        self._offset += seconds

    def run(self, speed: float) -> None:
        """From now on let this many seconds pass in each real one."""
        now = self.now()
        self._start = time.time()
        self._offset, self._speed = now - self._start, speed

    def moment(self) -> dt.datetime:
        return dt.datetime.fromtimestamp(self.now(), dt.UTC)

    def at(self, time_zone: str) -> dt.datetime:
        """The time on the wall in a zone, as a cell shows it."""
        return self.moment().astimezone(zoneinfo.ZoneInfo(time_zone)).replace(tzinfo=None)

    def stamp(self) -> str:
        """RFC 3339 with milliseconds, as Drive writes it."""
        return self.moment().isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Quota:
    """Requests per minute and user, reads and writes apart. Off until a test turns it on."""

    def __init__(self, clock: Clock) -> None:
        self.on = False
        self.limits = {"read": 60, "write": 60}
        self._clock = clock
        self._seen: dict[tuple[str, str], deque[float]] = {}

    def count(self, kind: str, user: str) -> None:
        """Count one request, or refuse it. A refused one does not count."""
        if not self.on or kind not in self.limits:
            return
        seen = self._seen.setdefault((kind, user), deque())
        now = self._clock.now()
        while seen and seen[0] <= now - 60:
            seen.popleft()
        if len(seen) >= self.limits[kind]:
            raise quota_exceeded(kind)
        seen.append(now)
