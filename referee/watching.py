"""Resolving each round as soon as it is over, through trouble of every passing kind."""

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from referee.faults import RefereeError, Stopped, Unavailable
from referee.resolving import Plan, plan
from referee.rules.replay import Replay
from referee.sheets import MatchSheet, Read, located

Kind = Literal["published", "stopped", "differs", "unavailable", "over"]


class Event(msgspec.Struct, frozen=True):
    """Something a watch tells: rounds published, or why nothing could be."""

    kind: Kind
    text: str
    plan: Plan | None = None


class Watch:
    """Looks at a match again and again; ``now`` tells the time (milliseconds), ``sleep`` waits."""

    def __init__(
        self,
        match: MatchSheet,
        every: float,
        now: Callable[[], int],
        sleep: Callable[[float], None],
    ) -> None:
        self._match = match
        self._every = every
        self._now = now
        self._sleep = sleep

    def events(self) -> Iterator[Event]:
        """Yield what happens until the match is over; the same trouble is told once."""
        last_trouble = ""
        failures = 0
        while True:
            due: int | None = None
            try:
                event, due, is_over = self._look()
            except RefereeError as error:
                is_over = False
                event = _trouble(error)
                failures = failures + 1 if isinstance(error, Unavailable) else 0
            else:
                failures = 0
            if event is None or event.kind == "published":
                last_trouble = ""
            if event is not None and event.text != last_trouble:
                yield event
                last_trouble = "" if event.kind == "published" else event.text
            if is_over:
                yield Event("over", "the match is over")
                return
            self._sleep(self._pause(due, failures))

    def _look(self) -> tuple[Event | None, int | None, bool]:
        """Resolve what is over; return what to tell, when the next round ends, and if all is."""
        with self._match.lock():
            read = self._match.read()
            planned = _plan(read, self._now())
            if planned.differences:
                text = "\n".join(difference.text for difference in planned.differences)
                return Event("differs", text, planned), None, False
            if planned.tabs:
                self._match.write(planned.tabs)
        is_over = planned.result.outcome is not None and not planned.result.outcome.tied
        if not planned.new_rounds:
            return None, _next_end(read, planned), is_over
        numbers = ", ".join(map(str, planned.new_rounds))
        return Event("published", f"published round {numbers}", planned), None, is_over

    def _pause(self, due: int | None, failures: int) -> float:
        """Return how many seconds to wait: until the round ends, and longer after each failure."""
        longest = min(self._every * 2**failures, 120.0) if failures else self._every
        if due is None or failures:
            return longest
        # A last ping or message may reach the sheet a moment after the bell.
        return min(longest, max((due - self._now()) / 1000, 0) + 1)


def _plan(read: Read, now: int) -> Plan:
    try:
        return plan(read.record, read.places.titles, now)
    except Stopped as stopped:
        raise located(stopped, read.places) from None


def _next_end(read: Read, planned: Plan) -> int | None:
    rounds = Replay(read.record).rounds
    played = len(planned.result.rounds)
    return rounds[played].official_end if played < len(rounds) else None


def _trouble(error: RefereeError) -> Event:
    kind: Kind = "stopped" if isinstance(error, Stopped) else "unavailable"
    return Event(kind, str(error))
