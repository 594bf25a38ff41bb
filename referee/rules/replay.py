"""One pass through the rounds: the record in, the result out.

The problem is that nothing in a round is final by itself: a recorded start of the next round cuts a
visit, an edit moves a message, an allowed message reaches back, and only the end of a round tells
whether there is another. The observation is that all of it reaches back at most to the round whose
start lies behind it, so that a round can be finished as soon as the next start is known. The choice
is one forward pass: play the room to the official end, close the inboxes at the next start, apply
the swaps, feed, and judge.
"""

from collections.abc import Sequence

from referee.match.faults import Fault, Stopped
from referee.match.notices import Notice, in_listing_order
from referee.match.record import Record
from referee.match.result import (
    Outcome,
    Result,
    RoundResult,
    TurnedAway,
    Visit,
)
from referee.rules.checks import Ledger, clock_fault, label, players_faults, rounds_faults
from referee.rules.clocks import Clocks
from referee.rules.feeding import hunger_after, losses
from referee.rules.outside import submission_notices
from referee.rules.pen import starting_pen, swap_tokens
from referee.rules.room import Purse, Room, RoundDraft
from referee.rules.swaps import NEVER, VisitDraft, take_up
from referee.rules.verdict import outcome


def replay(record: Record, through: int | None = None) -> Result:
    """Replay a match: a pure function of the record (R0.1).

    With ``through`` only the first so many listed rounds are played; the start of the next is
    known all the same, and rows behind them wait. Raises `Stopped` with every fault found where
    the record cannot be replayed.
    """
    return Replay(record, through).result()


class Replay:
    """A match on its way through its rounds; what it holds afterwards also explains the result."""

    def __init__(self, record: Record, through: int | None = None) -> None:
        self.record = record
        self.through = len(record.rounds) if through is None else through
        self.faults: list[Fault] = [
            *players_faults(record.players),
            *rounds_faults(record.rounds),
        ]
        if self.faults:
            # Without sure players and rounds nothing can be played, but rows can be checked.
            self._check_rows()
            raise Stopped(self.faults, record.name)
        self.ledger = Ledger(record)
        self.clocks = Clocks(record)
        self.purse = Purse(record, self.ledger)
        self.rounds_notices: list[Notice] = []
        self.inboxes, self.submission_notices = take_up(record.submissions, self.ledger)
        self.room = Room(record, self.ledger, self.inboxes, self.purse)
        self.pen = starting_pen(record.players)
        names = [player.name for player in record.players]
        self.hunger = dict.fromkeys(names, record.settings.starting_hunger)
        self.swaps = dict.fromkeys(names, 0)
        self.swap_count = 0
        self.first_swaps: dict[str, int] = {}
        self.rounds: list[RoundResult] = []
        self.drafts: list[RoundDraft] = []
        self.outcome: Outcome | None = None
        self.last_end: int | None = None
        self.later_start: int = NEVER
        self._play()
        self._close()

    def _check_rows(self) -> None:
        ledger = Ledger(self.record)
        inboxes, _ = take_up(self.record.submissions, ledger)
        Room(self.record, ledger, inboxes, Purse(self.record, ledger))
        self.faults += ledger.faults

    def _play(self) -> None:
        clocks = self.clocks
        start = clocks.start(0, None)
        self._end_inboxes(0, start)
        place = 0
        while start is not None and self.outcome is None and place < self.through:
            timer_end = clocks.timer_end(place, start)
            fault = clocks.fault(place, start, timer_end)
            if fault is not None:
                self.faults.append(fault)
                return
            number = clocks.rounds[place][1].number
            self._tell_later_start(clocks.later_start(place))
            draft = RoundDraft(number, start, timer_end, clocks.recorded_start(place + 1))
            self.room.play(draft)
            fault = clock_fault("Rounds", clocks.row(place)[1], draft.end)
            if fault is not None:
                self.faults.append(fault)
                return
            self.purse.adjust(draft.end)
            start = clocks.start(place + 1, draft.end)
            self._end_inboxes(number, start)
            place += 1
            goes_on = self._finish(draft, place)
            self.drafts.append(draft)
            self.room.keep_entries(start if goes_on else None)

    def _tell_later_start(self, later: int | None) -> None:
        start = NEVER if later is None else later
        if start != self.later_start:
            self.later_start = start
            for inbox in self.inboxes.values():
                inbox.later_start = start

    def _end_inboxes(self, number: int, next_start: int | None) -> None:
        start = NEVER if next_start is None else next_start
        for inbox in self.inboxes.values():
            inbox.end_round(number, start)

    def _finish(self, draft: RoundDraft, next_place: int) -> bool:
        """Apply the swaps, feed, judge, write the round down; tell if the match goes on (R6-R7)."""
        settings = self.record.settings
        last_swap: tuple[str, str] | None = None
        for visit in draft.visits:
            swap = visit.swap
            if swap is not None:
                player = visit.player
                last_swap = (player, swap)
                swap_tokens(self.pen, swap)
                self.swaps[player] += 1
                self.swap_count += 1
                self.first_swaps.setdefault(player, self.swap_count)
        lost = losses(self.pen, last_swap, settings, tuple(self.hunger))
        self.hunger = hunger_after(self.hunger, lost)
        self.last_end = draft.end
        if draft.visits and draft.visits[-1].because == "next round":
            self._tell_cut(draft.visits[-1], next_place)
        self.rounds.append(
            RoundResult(
                number=draft.number,
                start=draft.start,
                timer_end=draft.timer_end,
                official_end=draft.end,
                visits=_visits(draft.visits),
                turned_away=tuple([TurnedAway(name, time) for name, time in draft.turned_away]),
                pen=dict(self.pen),
                hunger=self.hunger,
                hunger_lost=lost,
                garnets=dict(self.purse.balance),
                queue=draft.waiting,
            )
        )
        self.outcome = outcome(
            self.record.players, settings, self.hunger, self.swaps, self.first_swaps
        )
        return self.outcome is None

    def _tell_cut(self, visit: VisitDraft, next_place: int) -> None:
        due = visit.entered + self.room.limit
        if due > visit.left:
            row = self.clocks.row(next_place)[1]
            facts = (visit.entered, due, None)
            self.rounds_notices.append(
                Notice("visit-cut", visit.left, "Rounds", row, visit.player, facts)
            )

    def _close(self) -> None:
        """Deal with what no round took: rows after the match, rows that wait (R7.1, R3.2)."""
        end, over = self.last_end, self.outcome is not None
        if end is not None and over:
            self._end_inboxes(len(self.rounds) + 1, None)
            for time, _action, player, row in self.room.rest():
                self.room.notices.append(Notice("after-match", time, "Queue", row, player, (end,)))
            for time, index, late in self.purse.rest():
                row = label(late, index)
                self.purse.notices.append(
                    Notice("after-match", time, "Adjustments", row, late.player, (end,))
                )
        else:
            self.purse.adjust(NEVER)
        self.room.tell_same_instants(-NEVER if end is None else end)
        opening = self.clocks.opening_notice()
        if opening is not None:
            self.rounds_notices.append(opening)
        for inbox in self.inboxes.values():
            self.faults += inbox.faults
            self.submission_notices += submission_notices(inbox, end, over)
        self.faults += self.ledger.faults

    def result(self) -> Result:
        """Return the result; raises `Stopped` where faults were found on the way."""
        if self.faults:
            raise Stopped(self.faults, self.record.name)
        garnets = dict(self.purse.balance)
        if self.outcome is not None:
            for name, won in self.outcome.garnets_won.items():
                garnets[name] += won
        return Result(
            record=self.record,
            rounds=tuple(self.rounds),
            outcome=self.outcome,
            garnets=garnets,
            swaps=self.swaps,
            notices=in_listing_order(
                self.rounds_notices,
                self.purse.notices,
                self.room.notices,
                self.submission_notices,
            ),
        )


def _visits(drafts: Sequence[VisitDraft]) -> tuple[Visit, ...]:
    return tuple(
        [
            Visit(
                number,
                draft.player,
                draft.entered,
                draft.left,
                draft.because,
                draft.told,
                draft.paid,
                draft.swap,
                draft.swap_time,
            )
            for number, draft in enumerate(drafts, 1)
        ]
    )
