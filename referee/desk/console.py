"""What the Dealer needs to know at one instant of a match: the state behind ``referee live``.

What the sheet could say by that instant is replayed, and from there the clocks run on by
themselves: who is inside, who will be next and what they will pay follow from the rules alone if
nothing else happens. Rulings and the list of rounds count as they stand, whenever they were made.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import UNSET

from referee.desk.dealer_state import Inside, Next, Pending, Phase, State, Typed
from referee.judging.waiting import waiting_rows
from referee.match.instants import Instant
from referee.match.notices import Notice, in_listing_order
from referee.match.record import Adjustment, QueueRow, Record, Submission
from referee.rules.checks import label
from referee.rules.messages import Reading
from referee.rules.replay import Replay
from referee.rules.room import RoundDraft
from referee.rules.rulings import Ruling, parse_ruling
from referee.rules.swaps import Message, VisitDraft, heard, last_swap

_Timed = TypeVar("_Timed", QueueRow, Submission, Adjustment)

_END_OF_TIME: Final = Instant(2**53 - 1)
_EDITED_LATER: Final = Reading(
    "unreadable", why="edited later; what it said by now is not known (R5.4)"
)


def state_at(record: Record, now: int) -> State:
    """Return the match as it stands at ``now`` (milliseconds); rows after it are not looked at.

    Raises `Stopped` where players or rounds cannot be right.
    """
    known = _known_by(record, now)
    replay = _played(known, now)
    return _Look(record, replay, now).state()


def _known_by(record: Record, now: int) -> Record:
    """Return the record without the rows, and what was said in edits, that lie ahead."""
    said = (_said_by(row, now) for row in _past(record.submissions, now))
    return msgspec.structs.replace(
        record,
        queue=tuple(_past(record.queue, now)),
        submissions=tuple(row for row in said if row is not None),
        adjustments=tuple(_past(record.adjustments, now)),
    )


def _past(rows: Sequence[_Timed], now: int) -> Iterator[_Timed]:
    """Yield the rows up to now, each with its number, which would else go by its place."""
    for index, row in enumerate(rows):
        if row.time <= now:
            yield msgspec.structs.replace(row, row=label(row, index)) if row.row is UNSET else row


def _said_by(row: Submission, now: int) -> Submission | None:
    """Return a message as far as it is known by now: not at all where it is edited later."""
    if not _is_hidden(row, now):
        return row
    if _ruling(row) is None:
        return None
    # Whether it is in need of being allowed shows when its visit ends, an edit later than that.
    return msgspec.structs.replace(row, edited=_END_OF_TIME)


def _is_hidden(row: Submission, now: int) -> bool:
    """Whether a later edit hides what a message said by now and no ruling tells it (R5.4)."""
    if row.edited is UNSET or row.edited <= now:
        return False
    ruling = _ruling(row)
    return ruling is None or (ruling.kind == "allow" and ruling.reading is None)


def _ruling(row: Submission) -> Ruling | None:
    try:
        return parse_ruling(row.ruling, "Submissions")
    except ValueError:
        return None


def _played(known: Record, now: int) -> Replay:
    """Replay the rounds that have begun, and the next one, which the queue will meet.

    Faults of rounds ahead are not told: the match may be over before they come.
    """
    begun = _begun(Replay(known), now)
    replay, ahead = Replay(known, begun), Replay(known, begun + 1)
    return ahead if len(ahead.faults) == len(replay.faults) else replay


def _begun(whole: Replay, now: int) -> int:
    """Return how many rounds have begun, one that cannot be played included."""
    drafts = whole.drafts
    begun = sum(1 for draft in drafts if draft.start <= now)
    if begun < len(drafts) or whole.outcome is not None:
        return begun
    start = whole.clocks.start(begun, drafts[-1].end if drafts else None)
    return begun if start is None or start > now else begun + 1


class _Look:
    """One look at a replay of what is known ``now``; ``record`` also holds what is not."""

    def __init__(self, record: Record, replay: Replay, now: int) -> None:
        self.record = record
        self.replay = replay
        self.now = now
        self.over = [draft for draft in replay.drafts if draft.end <= now]
        self.draft = next((d for d in replay.drafts if d.start <= now < d.end), None)
        self.is_over = replay.outcome is not None and len(self.over) == len(replay.drafts)

    def state(self) -> State:
        notices = tuple(self._notices())
        phase, until = self._phase()
        return State(
            name=self.record.name,
            now=self.now,
            phase=phase,
            round=self._round(),
            until=until,
            inside=self._inside(),
            last_entered=self._last_entered(),
            queue=tuple(self._queue()),
            pending=() if self.is_over else tuple(self._pending()),
            notices=notices,
            news=tuple(self._news(notices)),
            faults=tuple(self.replay.faults),
            time_zone=self.record.time_zone,
            waiting=() if self.is_over else waiting_rows(Replay(self.record)),
        )

    def _round(self) -> int | None:
        if self.draft is not None:
            return self.draft.number
        return self.over[-1].number if self.over else None

    def _phase(self) -> tuple[Phase, int | None]:
        draft, now, clocks = self.draft, self.now, self.replay.clocks
        if draft is not None:
            timer_runs = now < draft.timer_end
            return ("round", draft.timer_end) if timer_runs else ("overrun", draft.end)
        if self.is_over:
            return "over", None
        last_end = self.over[-1].end if self.over else None
        following = clocks.start(len(self.over), last_end)
        if following is not None and following <= now:
            return "cannot be played", None
        if last_end is not None:
            return ("waiting", None) if following is None else ("break", following)
        if now < self.record.start and (following is None or self.record.start < following):
            return "before", self.record.start
        if following is None and clocks.opening <= now:
            return "waiting", None
        return "pre-game", clocks.opening if following is None else following

    # --- the room --------------------------------------------------------------------------------

    @property
    def _visits(self) -> list[VisitDraft]:
        """The visits of the round that runs, those ahead included."""
        return [] if self.draft is None else self.draft.visits

    def _inside(self) -> Inside | None:
        for visit in self._visits:
            if visit.entered <= self.now < visit.left:
                # What is only allowed for its later edit counts when the visit has ended (R9.1).
                heard_now = [m for m in visit.messages if not _is_hidden(m.submission, self.now)]
                swap = last_swap(heard_now)
                return Inside(
                    player=visit.player,
                    entered=visit.entered,
                    until=visit.left,
                    told=visit.told,
                    paid=visit.paid,
                    swap=None if swap is None else swap.reading.swap,
                    typed=(*map(_typed, heard_now), *self._edited_later(visit)),
                )
        return None

    def _edited_later(self, visit: VisitDraft) -> Iterator[Typed]:
        """Yield the visitor's messages that were edited later, in order of time (R5.4)."""
        first = visit.entered
        if any(one.player == visit.player and one.left == first for one in self._visits):
            first += 1  # A message of the instant that parts two visits belongs to the earlier.
        for row in sorted(self.record.submissions, key=lambda row: row.time):
            is_theirs = row.player == visit.player and first <= row.time <= self.now
            if is_theirs and _is_hidden(row, self.now):
                yield Typed(row.time, "", _EDITED_LATER, row.ruling.strip())

    def _last_entered(self) -> str | None:
        entered = [visit.player for visit in self._visits if visit.entered <= self.now]
        return entered[-1] if entered else None

    # --- the queue -------------------------------------------------------------------------------

    def _queue(self) -> Iterator[Next]:
        """Yield who waits: first those the clock lets in or turns away, in that order (R4.1)."""
        drafts = self.replay.drafts
        for draft in drafts:
            # Within an instant players are turned away until one can enter (R4.6).
            ahead: list[tuple[int, int, Next]] = [
                (time, 0, self._coming(draft, player, time, turned_away=True))
                for player, time in draft.turned_away
                if time > self.now
            ]
            ahead += [
                (visit.entered, 1, self._coming(draft, visit.player, visit.entered, visit.paid))
                for visit in draft.visits
                if visit.entered > self.now
            ]
            yield from (coming for _, _, coming in sorted(ahead, key=lambda entry: entry[:2]))
        for player in drafts[-1].waiting if drafts else ():
            yield self._left_waiting(player)

    def _coming(
        self,
        draft: RoundDraft,
        player: str,
        time: int,
        paid: int = 0,
        *,
        turned_away: bool = False,
    ) -> Next:
        garnets = self._garnets(player)
        return Next(player, draft.number, garnets, time, paid, turned_away=turned_away)

    def _left_waiting(self, player: str) -> Next:
        """Return a player whom the clock does not let in: the host will, or it is too late now."""
        garnets, draft = self._garnets(player), self.draft
        settings = self.record.settings
        if settings.room_clock == "simulated":
            return Next(player, self.replay.drafts[-1].number + 1, garnets)
        if draft is None or self.now >= draft.timer_end:
            return Next(player, (self._round() or 0) + 1, garnets)
        price = settings.extra_visit_garnets if self._has_swapped(draft, player) else 0
        unpaid = settings.unpaid_visits == "refuse" and garnets < price and price > 0
        pays = 0 if unpaid else price
        return Next(player, draft.number, garnets, None, pays, turned_away=unpaid)

    def _has_swapped(self, draft: RoundDraft, player: str) -> bool:
        """Whether a visit of this round holds a swap of theirs by now (R4.5)."""
        return any(
            visit.player == player and last_swap(heard(visit, self.now + 1)) is not None
            for visit in draft.visits
        )

    def _garnets(self, player: str) -> int:
        """Return a player's balance now: what visits ahead will cost is not paid yet (R8.1)."""
        return self.replay.purse.balance[player] + sum(
            visit.paid
            for draft in self.replay.drafts
            for visit in draft.visits
            if visit.player == player and visit.entered > self.now
        )

    def _pending(self) -> Iterator[Pending]:
        for time, action, player, _row in self.replay.room.rest():
            yield Pending(player, action, time)

    # --- notices ---------------------------------------------------------------------------------

    def _notices(self) -> Iterator[Notice]:
        replay = self.replay
        listed = in_listing_order(
            replay.rounds_notices,
            replay.purse.notices,
            replay.room.notices,
            replay.submission_notices,
        )
        for notice in listed:
            if notice.instant <= self.now:
                yield self._as_of_now(notice)

    def _news(self, notices: Sequence[Notice]) -> Iterator[Notice]:
        """Yield what came up since the round before was over and no ruling has settled yet."""
        over = self.over[:-1] if self.draft is None else self.over
        since = over[-1].end if over else None
        record = self.record
        tabs: tuple[tuple[str, Sequence[QueueRow | Submission]], ...] = (
            ("Queue", record.queue),
            ("Submissions", record.submissions),
        )
        ruled = {
            (tab, label(row, index))
            for tab, rows in tabs
            for index, row in enumerate(rows)
            if row.ruling.strip()
        }
        for notice in notices:
            if (notice.tab, notice.row) not in ruled and (since is None or notice.instant > since):
                yield notice

    def _as_of_now(self, notice: Notice) -> Notice:
        """Return a notice that does not know of a visit which has not begun yet (R5.1)."""
        if notice.code == "early-submission" and notice.facts[2] > self.now:
            return msgspec.structs.replace(notice, code="not-visiting", facts=notice.facts[:2])
        return notice


def _typed(message: Message) -> Typed:
    row = message.submission
    return Typed(message.counts, row.message, message.reading, row.ruling.strip())
