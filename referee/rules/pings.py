"""What became of every queue row (R3, R4): the queue walked once more, beside a finished replay.

The engine tells a notice for each row that had no effect, and its rounds hold every entry; what is
left in between is certain: a row without such a notice did what its action says. Within one instant
queue rows come before entries (R4.2), so rows and entries merge into one order.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from referee.match.causes import Cause, Why
from referee.rules.replay import Replay

if TYPE_CHECKING:
    from referee.match.notices import Notice
    from referee.rules.swaps import VisitDraft

_BESIDES: Final = ("same-instant", "host-ruling", "turned-away", "visit-cut", "out-of-order-entry")
"""Notices about a row that still had its effect."""


class Wait(msgspec.Struct):
    """A place in the queue: the ping that took it, and since when it was the first."""

    player: str
    row: int
    pinged: int
    place: int
    causes: list[Why]
    first: int | None = None


class Arrival(msgspec.Struct, frozen=True):
    """An entry, or an attempt that could not be paid; that one has no ``visit`` number."""

    time: int
    player: str
    round: int
    visit: int | None


class QueueStory:
    """Every queue row's causes, and the wait behind every visit.

    ``shown`` gives the host's row for each row of the replay; both `causes` and `entries` are
    keyed by rows of the replay, `waits` and `entries` by (round, visit).
    """

    def __init__(self, replay: Replay, shown: Mapping[int, int]) -> None:
        self.replay = replay
        self.shown = shown
        self.causes: dict[int, list[Why]] = {}
        self.waits: dict[tuple[int, int], Wait] = {}
        self.entries: dict[tuple[int, int], int] = {}
        self.exits: dict[tuple[int, int], int] = {}
        self._waiting: dict[str, Wait] = {}
        self._refused: dict[int, Notice] = {}
        self._turned: dict[tuple[int, str], Notice] = {}
        self._logged: dict[tuple[int, str], int] = {}
        self._visits: dict[str, list[tuple[int, int, VisitDraft]]] = {}
        for notice in replay.room.notices:
            if notice.code == "turned-away":
                self._turned[notice.instant, str(notice.player)] = notice
            elif notice.code not in _BESIDES:
                self._refused.setdefault(notice.row, notice)
        for draft in replay.drafts:
            for number, visit in enumerate(draft.visits, 1):
                self._visits.setdefault(visit.player, []).append((draft.number, number, visit))
        self._walk()

    def _walk(self) -> None:
        room = self.replay.room
        rest = room.rest()
        rows = room.rows[: len(room.rows) - len(rest)]
        arrivals = iter([*_arrivals(self.replay), None])
        coming = next(arrivals)
        rounds = iter(self.replay.drafts)
        draft = next(rounds, None)
        for time, action, player, row in rows:
            while coming is not None and coming.time < time:
                self._arrive(coming)
                coming = next(arrivals)
            while draft is not None and draft.end < time:
                draft = next(rounds, None)
            ahead = draft is not None and time < draft.start
            number = draft.number if draft is not None and ahead else None
            self._take(time, action, player, row, number)
        while coming is not None:
            self._arrive(coming)
            coming = next(arrivals)
        self._end(rest)

    def _take(self, time: int, action: str, player: str, row: int, ahead: int | None) -> None:
        """Take one row; ``ahead`` is the round it came before, None within a round."""
        if row in self._refused:
            self.causes[row] = [self._refused[row]]
        elif action == "join":
            place = len(self._waiting) + 1
            facts = (place,) if ahead is None else (place, ahead)
            causes: list[Why] = [
                Cause("joined" if ahead is None else "joined-ahead", time, player, facts)
            ]
            self.causes[row] = causes
            self._waiting[player] = Wait(player, row, time, place, causes)
            self._see_first(time)
        elif action == "enter":
            self._logged.setdefault((time, player), row)
        elif action == "withdraw" or not self._exits(time, player, row):
            wait = self._waiting.pop(player)
            shown = self.shown
            wait.causes.append(Cause("withdrew", time, player, (shown[row],)))
            self.causes[row] = [Cause("withdrawal", time, player, (shown[wait.row],))]
            self._see_first(time)

    def _exits(self, time: int, player: str, row: int) -> bool:
        """Return whether an ``exit`` or ``leave`` row ended a visit or came with its end (R4.8)."""
        for round_, number, visit in self._visits.get(player, ()):
            if visit.entered < time == visit.left:
                ends = visit.because == "exit" and (round_, number) not in self.exits
                if ends:
                    self.exits[round_, number] = row
                code = "left-room" if ends else "left-anyway"
                self.causes[row] = [Cause(code, time, player, (number, round_))]
                return True
        return False

    def _arrive(self, arrival: Arrival) -> None:
        time, player = arrival.time, arrival.player
        wait = self._waiting.pop(player)
        row = self._logged.get((time, player))
        if arrival.visit is None:
            turned = self._turned[time, player]
            wait.causes.append(turned)
            if row is not None:
                self.causes[row] = [turned]
        else:
            key = (arrival.round, arrival.visit)
            self.waits[key] = wait
            facts = (arrival.visit, arrival.round)
            wait.causes += self._carried(wait, arrival.round)
            wait.causes.append(Cause("entered", time, player, facts))
            if row is not None:
                self.entries[key] = row
                self.causes[row] = [Cause("let-in", time, player, facts)]
        self._see_first(time)

    def _carried(self, wait: Wait, entered: int) -> Iterator[Cause]:
        """Tell where a player stood before the round they entered, if they waited by then."""
        if entered == 1:
            return
        last = self.replay.drafts[entered - 2]
        if wait.pinged <= last.end and wait.player in last.waiting:
            place = last.waiting.index(wait.player) + 1
            yield Cause("carried-over", last.end, wait.player, (place, entered))

    def _see_first(self, time: int) -> None:
        first = next(iter(self._waiting.values()), None)
        if first is not None and first.first is None:
            first.first = time

    def _end(self, rest: Sequence[tuple[int, str, str, int]]) -> None:
        replay = self.replay
        last = replay.drafts[-1] if replay.drafts else None
        if last is not None:
            for place, wait in enumerate(self._waiting.values(), 1):
                facts = (place, last.number)
                wait.causes.append(Cause("still-waiting", last.end, wait.player, facts))
        for time, _action, player, row in rest:
            if row in self._refused:
                self.causes[row] = [self._refused[row]]
            else:
                self.causes[row] = [waits(replay, time, player)]


def waits(replay: Replay, time: int, player: str) -> Cause:
    """Return the cause of a row whose round is not listed yet (R3.2)."""
    last = replay.drafts[-1] if replay.drafts else None
    facts = (None, None) if last is None else (last.number, last.end)
    return Cause("waits", time, player, facts)


def _arrivals(replay: Replay) -> list[Arrival]:
    """Return the entries and refused entries of the match in order of time."""
    found: list[Arrival] = []
    for draft in replay.drafts:
        found += [
            Arrival(visit.entered, visit.player, draft.number, number)
            for number, visit in enumerate(draft.visits, 1)
        ]
        found += [Arrival(time, name, draft.number, None) for name, time in draft.turned_away]
    found.sort(key=lambda arrival: arrival.time)
    return found
