"""A sheet kept in view: read again and again in the background, while somebody shows it.

Reading a Google Sheet may take a minute of waiting and trying again; a console's clocks have to go
on meanwhile, so that it is done in a thread of its own.
"""

import threading
import time
from collections.abc import Callable
from typing import Self

import msgspec

from referee.match.faults import Fault, Stopped, Unavailable
from referee.sheets import MatchSheet, Read


class Seen(msgspec.Struct, frozen=True):
    """The sheet as far as it could be read.

    ``read`` is the last reading that succeeded, ``at`` (seconds of the clock) when the sheet was
    last had at all; ``faults`` stopped the latest reading, ``trouble`` is why there was none.
    """

    read: Read | None
    at: float
    faults: tuple[Fault, ...] = ()
    trouble: str = ""


class Waits:
    """What a store waits for: passed on, or kept for a screen on which nothing else may write."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.is_kept = False
        self.latest = ""

    def __call__(self, text: str) -> None:
        """Take what is waited for, in a line."""
        if self.is_kept:
            self.latest = text
        else:
            self._tell(text)


def look(match: MatchSheet, before: Seen | None, clock: Callable[[], float]) -> Seen:
    """Read a sheet once; what cannot be read or understood leaves what was seen before."""
    kept = None if before is None else before.read
    try:
        return Seen(match.read(), clock())
    except Stopped as stopped:
        return Seen(kept, clock(), stopped.faults)
    except Unavailable as trouble:
        at = clock() if before is None else before.at
        faults = () if before is None else before.faults
        return Seen(kept, at, faults, " ".join(str(trouble).split()))


class Follower:
    """Reads a sheet at most every ``every`` seconds, from when it is started until it is stopped.

    ``seen`` is what was read before.
    """

    def __init__(
        self,
        match: MatchSheet,
        seen: Seen,
        every: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._match = match
        self._seen = seen
        self._every = every
        self._clock = clock
        self._stop = threading.Event()
        self._broken: BaseException | None = None
        # A daemon: whoever leaves the console does not wait for Google.
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    @property
    def seen(self) -> Seen:
        """The sheet as it was read last; raises what broke the reading, if anything did."""
        if self._broken is not None:
            raise self._broken
        return self._seen

    def _run(self) -> None:
        pause = self._every
        try:
            while not self._stop.wait(pause):
                begun = self._clock()
                self._seen = look(self._match, self._seen, self._clock)
                pause = max(self._every - (self._clock() - begun), 0)
        except BaseException as broken:  # noqa: BLE001  raised again where it can be told
            self._broken = broken
