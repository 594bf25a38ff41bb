"""What the Dealer needs to know at one instant of a match: the state behind ``referee live``.

The past of the sheet up to that instant is replayed, and the clocks run on by themselves: who is
inside, who will be next and what they will pay follow from the rules alone.
"""

from typing import Any

import msgspec

from referee.faults import Fault, Stopped
from referee.instants import format_instant
from referee.notices import Notice
from referee.record import Record
from referee.rules.clocks import Clocks
from referee.rules.messages import Reading, read_message
from referee.rules.replay import Replay
from referee.rules.room import RoundDraft
from referee.rules.swaps import VisitDraft


class Inside(msgspec.Struct, frozen=True):
    """Who is in the Dealer Room: since when and at most until when, whom they are to be told."""

    player: str
    entered: int
    until: int
    told: str | None
    paid: int


class Typed(msgspec.Struct, frozen=True):
    """What the visitor has typed so far, and how it reads."""

    time: int
    message: str
    reading: Reading


class Next(msgspec.Struct, frozen=True):
    """A player who waits; ``enters`` is when the rules let them in if nothing else happens.

    ``pays`` is the price they will pay then, ``turned_away`` that they cannot.
    """

    player: str
    enters: int | None = None
    pays: int = 0
    turned_away: bool = False


class State(msgspec.Struct, frozen=True):
    """A match at an instant.

    ``phase`` is ``pre-game``, ``round``, ``overrun`` (the timer is over, somebody is inside),
    ``break``, ``waiting`` (for the next round to be listed) or ``over``. ``until`` is when the
    phase ends as far as is known.
    """

    name: str
    now: int
    phase: str
    round: int | None
    until: int | None
    inside: Inside | None
    typed: tuple[Typed, ...]
    queue: tuple[Next, ...]
    last_entered: str | None
    notices: tuple[Notice, ...]
    faults: tuple[Fault, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the state as ``--json`` shows it; instants in UTC."""
        inside = self.inside
        return {
            "name": self.name,
            "now": format_instant(self.now),
            "phase": self.phase,
            "round": self.round,
            "until": None if self.until is None else format_instant(self.until),
            "inside": None
            if inside is None
            else {
                "player": inside.player,
                "entered": format_instant(inside.entered),
                "until": format_instant(inside.until),
                "told": inside.told,
                "garnets_paid": inside.paid,
                "typed": [
                    {
                        "time": format_instant(typed.time),
                        "message": typed.message,
                        "reads_as": reads_as(typed.reading),
                    }
                    for typed in self.typed
                ],
            },
            "queue": [msgspec.structs.asdict(waiting) for waiting in self.queue],
            "faults": [fault.as_json() for fault in self.faults],
        }


def reads_as(reading: Reading) -> str:
    """Return how a message reads, in a few words."""
    if reading.kind == "swap":
        return f"swap {reading.swap[0]} and {reading.swap[1]}"
    return "pass" if reading.kind == "pass" else f"{reading.kind}: {reading.why}"


def state_at(record: Record, now: int) -> State:
    """Return the match as it stands at ``now`` (milliseconds); rows after it are not looked at.

    Raises `Stopped` where players or rounds cannot be right.
    """
    past = _until(record, now)
    replay = Replay(past)
    draft = _current(replay, now)
    phase, number, until = _phase(past, replay, draft, now)
    inside = None if draft is None else _inside(draft, now)
    return State(
        name=record.name,
        now=now,
        phase=phase,
        round=number,
        until=until,
        inside=None if inside is None else _seen(inside),
        typed=() if inside is None else _typed(past, inside),
        queue=_queue(replay, draft, now),
        last_entered=None if draft is None else _last_entered(draft, now),
        notices=_notices(replay, now),
        faults=tuple(replay.faults),
    )


def _until(record: Record, now: int) -> Record:
    """Return the record without the rows and recorded starts that lie ahead."""
    ahead = [row.number for row in record.rounds if isinstance(row.start, int) and row.start > now]
    first_ahead = min(ahead, default=len(record.rounds) + 1)
    return msgspec.structs.replace(
        record,
        rounds=tuple(row for row in record.rounds if row.number < first_ahead),
        queue=tuple(row for row in record.queue if row.time <= now),
        submissions=tuple(row for row in record.submissions if row.time <= now),
        adjustments=tuple(row for row in record.adjustments if row.time <= now),
    )


def _current(replay: Replay, now: int) -> RoundDraft | None:
    """Return the round whose timer runs, or that somebody's visit keeps open."""
    for draft in replay.drafts:
        if draft.start <= now < draft.end:
            return draft
    return None


def _phase(
    record: Record, replay: Replay, draft: RoundDraft | None, now: int
) -> tuple[str, int | None, int | None]:
    if draft is not None:
        if now < draft.timer_end:
            return "round", draft.number, draft.timer_end
        return "overrun", draft.number, draft.end
    over = [played for played in replay.drafts if played.end <= now]
    if not over:
        return "pre-game", None, Clocks(record).start(0, None) or Clocks(record).opening
    if replay.outcome is not None and len(over) == len(replay.drafts):
        return "over", over[-1].number, None
    following = Clocks(record).start(len(over), over[-1].end)
    return ("waiting" if following is None else "break"), over[-1].number, following


def _inside(draft: RoundDraft, now: int) -> VisitDraft | None:
    for visit in draft.visits:
        if visit.entered <= now < visit.left:
            return visit
    return None


def _seen(visit: VisitDraft) -> Inside:
    return Inside(visit.player, visit.entered, visit.left, visit.told, visit.paid)


def _typed(record: Record, visit: VisitDraft) -> tuple[Typed, ...]:
    return tuple(
        Typed(row.time, row.message, read_message(row.message))
        for row in sorted(record.submissions, key=lambda row: row.time)
        if row.player == visit.player and row.time >= visit.entered
    )


def _queue(replay: Replay, draft: RoundDraft | None, now: int) -> tuple[Next, ...]:
    """Return who waits: those the clock will let in first, then those it cannot any more."""
    if draft is None:
        over = [played for played in replay.drafts if played.end <= now]
        return tuple(Next(name) for name in over[-1].waiting) if over else ()
    ahead = [
        Next(visit.player, visit.entered, visit.paid)
        for visit in draft.visits
        if visit.entered > now
    ]
    ahead += [
        Next(player, time, turned_away=True) for player, time in draft.turned_away if time > now
    ]
    ahead.sort(key=lambda waiting: waiting.enters or 0)
    return (*ahead, *(Next(name) for name in draft.waiting))


def _last_entered(draft: RoundDraft, now: int) -> str | None:
    entered = [visit.player for visit in draft.visits if visit.entered <= now]
    return entered[-1] if entered else None


def _notices(replay: Replay, now: int) -> tuple[Notice, ...]:
    try:
        notices = replay.result().notices
    except Stopped:
        return ()
    return tuple(notice for notice in notices if notice.instant <= now)
