"""The lines of an evening, written beside the console: whoever types never waits for a sheet."""

import threading
from collections.abc import Callable
from typing import Final, Self

import msgspec

from referee.desk.logbook import Done, Logbook
from referee.match.faults import Stopped, Unavailable

_AGAIN: Final = 2.0
"""Seconds until lines that could not be written are tried again."""
_MENDED: Final = 20.0
"""Seconds until a sheet is looked at again in which lines have no place."""


class Written(msgspec.Struct, frozen=True):
    """What the writer came to last: how many lines wait, why, and what became of the latest."""

    waiting: int = 0
    trouble: str = ""
    latest: tuple[Done, ...] = ()


class Writer:
    """Writes a logbook's lines in a thread of its own, in order, until it is stopped.

    ``seen`` is told after each attempt. Lines that cannot be written are tried again and again.
    """

    def __init__(
        self, logbook: Logbook, seen: Callable[[], None] = lambda: None, again: float = _AGAIN
    ) -> None:
        self._logbook = logbook
        self._tell = seen
        self._again = again
        self._wake = threading.Event()
        self._idle = threading.Event()
        self._stop = False
        self._broken: BaseException | None = None
        self._written = Written()
        # A daemon: what is kept is written by the next run if this one has to go.
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._wake.set()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        self._wake.set()

    def wake(self) -> None:
        """Have what was kept just now written at once."""
        self._idle.clear()
        self._wake.set()

    @property
    def written(self) -> Written:
        """What the writer came to last; raises what broke it, if anything did."""
        if self._broken is not None:
            raise self._broken
        return self._written

    def finish(self, seconds: float) -> bool:
        """Wait so long until nothing is left to write; whether that came to be."""
        self._wake.set()
        return self._idle.wait(seconds) and not self._written.waiting

    def _run(self) -> None:
        try:
            while not self._stop:
                self._wake.wait(self._pause())
                self._wake.clear()
                self._attempt()
                if not self._wake.is_set():
                    self._idle.set()
                self._tell()
        except BaseException as broken:  # noqa: BLE001  raised again where it can be told
            self._broken = broken
            self._tell()

    def _pause(self) -> float | None:
        """Return how long to wait for the next line, None where nothing else is to be done."""
        if not self._written.waiting:
            return None
        return self._again if self._written.trouble else max(self._again, _MENDED)

    def _attempt(self) -> None:
        try:
            done, trouble = tuple(self._logbook.write()), ""
        except Stopped as stopped:
            done, trouble = (), "; ".join(fault.text for fault in stopped.faults)
        except Unavailable as unavailable:
            done, trouble = (), " ".join(str(unavailable).split())
        waiting = len(self._logbook.waiting())
        latest = done or self._written.latest
        self._written = Written(waiting, trouble, latest)
