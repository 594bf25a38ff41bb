"""Waiting: how long the referee keeps trying, and how it says so.

A step (reading the sheet, or writing it) may take `Patience.limit` seconds, sign-in, waiting and
repeating included; no attempt begins that could not end by then. After a write that got no answer
one last look takes at most `Patience.last_look` seconds more.
"""

import math
import random
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from referee.stores.google.faults import Passing

Tell = Callable[[str], None]
T = TypeVar("T")

_LEAST: Final = 2.0
"""Seconds that must be left for an attempt to be worth while."""
_LONGEST_PAUSE: Final = 16.0
_GRACE: Final = 0.5
"""Seconds by which a whole request may outlast the time limit of its single steps."""


class Patience(msgspec.Struct, frozen=True):
    """The limits, in seconds, with the clock they go by; ``jitter`` gives numbers from 0 to 1.

    Google counts requests by the minute, so that a used-up quota is waited out within ``limit``.
    """

    limit: float = 65.0
    one_request: float = 30.0
    last_look: float = 15.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random


class Deadline:
    """The time one step may take, running from when it is made."""

    def __init__(self, patience: Patience, tell: Tell, seconds: float | None = None) -> None:
        self._patience = patience
        self._tell = tell
        self._limit = patience.limit if seconds is None else seconds
        self._end = patience.clock() + self._limit
        self._pauses = 0

    @property
    def request_limit(self) -> float:
        """Seconds that the next request may take."""
        return max(min(self._patience.one_request, self._left), 0.1)

    @property
    def _left(self) -> float:
        return self._end - self._patience.clock()

    def pause(self, trouble: Passing) -> bool:
        """Wait before the next attempt; false where there is no time for one."""
        asked = trouble.retry_after or 0.0
        room = self._left - _LEAST
        if asked > room and asked > self._limit:
            trouble.why += f"; Google asks to wait {_long(asked)} before the next try"
            trouble.retry_after = None
            return False
        if room <= 0 or asked > room:
            return False
        step = min(2.0**self._pauses, _LONGEST_PAUSE)
        pause = min(max(step / 2 + step / 2 * self._patience.jitter(), asked), room)
        self._pauses += 1
        soon = f"{math.ceil(pause)} s (for {self._limit:.0f} s at most)"
        self._tell(f"{trouble.why}; trying again in {soon}")
        self._patience.sleep(pause)
        return True

    def repeat(self, attempt: Callable[[], T]) -> T:
        """Return what an attempt gives, made until it succeeds; raises the last `Passing`."""
        while True:
            try:
                return attempt()
            except Passing as trouble:
                if not self.pause(trouble):
                    raise


def _long(seconds: float) -> str:
    """Return a wait in words: minutes, or hours where there are many."""
    minutes = math.ceil(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{math.ceil(minutes / 60):,} hours"


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what a call gives; raises `Passing` where it takes longer altogether.

    A socket's own time limit begins anew with each byte, so that a trickle would never end. The
    call that is given up runs on in a thread that does not keep the process alive.
    """
    done = threading.Event()
    ended: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            ended.append((call(), None))
        except BaseException as error:  # noqa: BLE001  raised again by the one who waits
            ended.append((None, error))
        done.set()

    threading.Thread(target=run, daemon=True).start()
    if not done.wait(seconds + _GRACE):
        raise Passing(f"Google gave no whole answer within {seconds:.0f} s")
    result, error = ended[0]
    if error is not None:
        raise error
    # The call is typed loosely; what it returns is known here.
    return result  # type: ignore[no-any-return]
