"""Resolving each round as soon as it is over, through trouble of every passing kind."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, Protocol

import msgspec

from referee.judging.doubts import doubts
from referee.judging.resolving import Plan, ended, plan
from referee.match.faults import Fault, Stopped, Unavailable
from referee.match.instants import SECOND
from referee.rules.replay import Replay
from referee.sheets import MatchSheet, Read, located, new_salt
from referee.workbook.findings import Remark
from referee.workbook.places import Places

Kind = Literal[
    "published",
    "updated",
    "posted",
    "unposted",
    "warned",
    "stopped",
    "waiting",
    "differs",
    "unavailable",
    "again",
    "over",
]

_LONGEST_PAUSE: Final = 60.0
"""Seconds between two looks while nothing but trouble is seen; a round is not to wait longer."""
_AFTER_THE_END: Final = 1.0
"""Seconds after a round's end: a last row may reach the sheet a moment after it."""


class Event(msgspec.Struct, frozen=True):
    """Something a watch tells.

    ``published`` are new rounds and ``updated`` notices written anew, both with the ``plan``
    carried out; ``warned`` is what will stop the round that still runs, ``stopped``, ``differs``
    and ``unavailable`` are why nothing could be published, ``faults`` what the host has to mend;
    ``again`` is the end of such trouble, ``over`` the match's; ``posted`` and ``unposted`` tell
    what came of posting a round; ``waiting`` are warnings, as of rows that wait for a round to be
    listed (R3.2), told anew as they change. ``notes`` are what the host should know of what was
    written, such as an edit made meanwhile, ``doubts`` what the sheet leaves doubtful, ``places``
    where a plan's rows stand.
    """

    kind: Kind
    text: str
    plan: Plan | None = None
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    places: Places | None = None
    doubts: tuple[Remark, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the event as ``--json`` shows it."""
        told: dict[str, Any] = {"event": self.kind, "text": self.text}
        if self.plan is not None:
            told |= {"plan": self.plan.as_json()}
        if self.doubts:
            told |= {"doubts": [remark.text for remark in self.doubts]}
        if self.notes:
            told |= {"notes": list(self.notes)}
        if self.faults:
            told |= {"faults": [fault.as_json() for fault in self.faults]}
        return told


class _Look(msgspec.Struct, frozen=True):
    """What a look came to: what to tell, when the round that runs ends, whether all is over."""

    event: Event | None
    due: int | None
    is_over: bool = False
    waiting: Event | None = None
    seen: tuple[Read, Plan] | None = None


class Follower(Protocol):
    """What is done after each look that found the sheet in order, such as posting a round."""

    @property
    def is_waiting(self) -> bool:
        """Whether something could not be done yet and is tried again at the next look."""
        ...

    def follow(self, read: Read, plan: Plan) -> Iterator[Event]:
        """Do what the look calls for; ``plan`` is carried out. Yields what to tell."""
        ...


class Watch:
    """Looks at a match again and again, at most every ``every`` seconds and as a round ends.

    ``now`` tells the time (milliseconds), ``sleep`` waits for so many seconds. The lock is held
    only while a round is published.
    """

    def __init__(
        self,
        match: MatchSheet,
        every: float,
        now: Callable[[], int],
        sleep: Callable[[float], None],
        follower: Follower | None = None,
    ) -> None:
        self._match = match
        self._every = every
        self._now = now
        self._sleep = sleep
        self._follower = follower
        self._was_read = False
        self._failures = 0
        self._lasting = 0
        self._trouble: Event | None = None
        self._waiting: Event | None = None

    @property
    def in_trouble(self) -> bool:
        """Whether the last look told trouble that is not over."""
        return self._trouble is not None

    def events(self) -> Iterator[Event]:
        """Yield what happens until the match is over; the same trouble is told once.

        A match that was published to its end and differs from it ends with that.
        Raises `Unavailable` where waiting cannot help: before the sheet was read at all, unless the
        trouble passes by itself, and where it is refused for good at two looks in a row.
        """
        while True:
            look = self._look()
            yield from self._news(look.event)
            if look.waiting is not None and look.waiting != self._waiting:
                yield look.waiting
            self._waiting = look.waiting
            waits = False
            if self._follower is not None and look.seen is not None:
                yield from self._follower.follow(*look.seen)
                waits = self._follower.is_waiting
            if look.is_over and not waits:
                if look.event is None or look.event.kind != "differs":
                    yield Event("over", "the match is over")
                return
            self._sleep(self._pause(look.due))

    def _look(self) -> _Look:
        """Look once and publish what is over; trouble is something to tell."""
        try:
            look = self._resolve()
        except Stopped as stopped:
            self._was_read = True
            look = _Look(Event("stopped", str(stopped), faults=stopped.faults), None)
        except Unavailable as trouble:
            self._failures += 1
            self._lasting = self._lasting + 1 if trouble.passes is False else 0
            if self._lasting > 1 or not (self._was_read or trouble.passes):
                raise
            return _Look(Event("unavailable", str(trouble)), None)
        self._failures = self._lasting = 0
        return look

    def _resolve(self) -> _Look:
        read, planned = self._plan()
        notes: tuple[str, ...] = ()
        if planned.tabs and not planned.differences:
            with self._match.lock():
                # Another run may have published since; what is written follows from this reading.
                read, planned = self._plan()
                if planned.tabs and not planned.differences:
                    self._match.write(planned.tabs)
                    notes = self._match.notes
        outcome = planned.result.outcome
        is_over = outcome is not None and not outcome.tied
        if planned.differences:
            is_over = ended(read.record.published or {})
        event = _told(read, planned)
        if event is not None:
            event = msgspec.structs.replace(event, notes=(*planned.notes, *notes))
        # Where the sheet changed under the run, the next look finds what that comes to.
        is_over = is_over and not notes
        seen = None if planned.differences else (read, planned)
        return _Look(event, _next_end(read, planned), is_over, _waiting(read, planned), seen)

    def _plan(self) -> tuple[Read, Plan]:
        read = self._match.read()
        self._was_read = True
        try:
            return read, plan(read.record, read.places.titles, self._now(), salt=new_salt())
        except Stopped as stopped:
            raise located(stopped, read.places) from None

    def _news(self, event: Event | None) -> Iterator[Event]:
        """Yield what is new, and that trouble is over where it is."""
        trouble = event if event is not None and event.plan is None else None
        if self._trouble is not None and trouble is None:
            yield Event("again", "all is well again")
        if event is not None and (trouble is None or trouble != self._trouble):
            yield event
        self._trouble = trouble

    def _pause(self, due: int | None) -> float:
        """Return how many seconds to wait: until the round ends, and longer after each failure."""
        if self._failures:
            longest = max(_LONGEST_PAUSE, self._every)
            return min(self._every * 2.0 ** min(self._failures, 10), longest)
        left = self._every if due is None else max((due - self._now()) / SECOND, 0)
        # Not a look in the moment of the end itself: the one after it publishes.
        return self._every if due is None or left > self._every else left + _AFTER_THE_END


def _told(read: Read, planned: Plan) -> Event | None:
    if planned.differences:
        text = "\n".join(difference.text for difference in planned.differences)
        return Event("differs", text, doubts=doubts(planned, read.places, read.undated))
    if not planned.tabs:
        faults = tuple(read.places.describe(fault) for fault in planned.ahead)
        text = "\n".join(fault.text for fault in faults)
        return Event("warned", text, faults=faults) if faults else None
    numbers = ", ".join(map(str, planned.new_rounds))
    if not numbers:
        return Event(
            "updated", "wrote notices; no published round changed", planned, places=read.places
        )
    rounds = "round" if len(planned.new_rounds) == 1 else "rounds"
    return Event("published", f"published {rounds} {numbers}", planned, places=read.places)


def _waiting(read: Read, planned: Plan) -> Event | None:
    """Return what is to be told of rows that wait, and of what else the sheet leaves in doubt."""
    found = tuple(r for r in read.remarks if r.severity == "warning")
    if not planned.differences:
        found += doubts(planned, read.places, read.undated)
    if not found:
        return None
    return Event("waiting", "\n".join(remark.text for remark in found), doubts=found)


def _next_end(read: Read, planned: Plan) -> int | None:
    """Return when the round that runs will be over, None where none is listed."""
    rounds = Replay(read.record).rounds
    played = len(planned.result.rounds)
    return rounds[played].official_end if played < len(rounds) else None
