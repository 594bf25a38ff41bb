"""The queue and the Dealer Room: who was inside when, and what it cost (R3, R4, R8).

One `Room` lives through the whole match. Its rows are taken once, in order of instant and then of
the sheet; within one instant the steps are R4.2's:

1. garnet adjustments - they only matter where a price is asked or a balance shown, so they are
   caught up with just before;
2. the visit that ends now ends;
3. queue rows, in sheet order (an ``exit`` ends a visit here, which comes to the same, because
   no other row of the instant asks who is inside before step 4);
4. entries - taken when the clock is about to leave the instant.
"""

from collections.abc import Sequence
from itertools import compress, count, islice
from operator import eq, itemgetter
from typing import Final

from msgspec import UNSET

from referee.match.notices import Notice
from referee.match.record import ACTIONS, Adjustment, QueueRow, Record
from referee.rules.checks import Ledger, label
from referee.rules.rulings import VOID
from referee.rules.swaps import NEVER, Inbox, VisitDraft

_PLAIN_ACTIONS: Final = frozenset(ACTIONS) - {"enter"}
"""Actions that need no look at the settings (R4.7)."""

Row = tuple[int, str, str, int]
"""A queue row on its way: instant, what was done, by whom, sheet row."""


class RoundDraft:
    """A round while it is played: its clocks, and what happened in it."""

    __slots__ = (
        "end",
        "next_start",
        "number",
        "start",
        "timer_end",
        "turned_away",
        "visits",
        "waiting",
    )

    def __init__(self, number: int, start: int, timer_end: int, next_start: int | None) -> None:
        self.number = number
        self.start = start
        self.timer_end = timer_end
        self.next_start = next_start
        self.end = timer_end
        self.visits: list[VisitDraft] = []
        self.turned_away: list[tuple[str, int]] = []
        self.waiting: tuple[str, ...] = ()


class Purse:
    """The players' garnets through the match (R8)."""

    def __init__(self, record: Record, ledger: Ledger) -> None:
        self.balance = {player.name: player.garnets for player in record.players}
        self.notices: list[Notice] = []
        self.next = 0
        self.rows: list[tuple[int, int, Adjustment]] = []
        for index, row in enumerate(record.adjustments):
            if ledger.player(row.player, "Adjustments", label(row, index)):
                self.rows.append((row.time, index, row))
        self.rows.sort(key=lambda row: row[0])

    def adjust(self, until: int) -> None:
        """Apply the adjustments up to and including an instant (R8.1, R8.2)."""
        while self.next < len(self.rows) and self.rows[self.next][0] <= until:
            time, index, row = self.rows[self.next]
            self.next += 1
            self.balance[row.player] += row.garnets
            left = self.balance[row.player]
            if row.garnets < 0 and left < 0:
                facts = (row.garnets, left)
                notice = Notice(
                    "negative-balance", time, "Adjustments", label(row, index), row.player, facts
                )
                self.notices.append(notice)

    def rest(self) -> Sequence[tuple[int, int, Adjustment]]:
        """Return the adjustments not applied, each with its instant and place in the list."""
        return self.rows[self.next :]


class Room:
    """The queue and the room through a match; `play` takes the rounds one after the other."""

    def __init__(
        self, record: Record, ledger: Ledger, inboxes: dict[str, Inbox], purse: Purse
    ) -> None:
        settings = record.settings
        self.limit = settings.room_seconds * 1000
        self.price = settings.extra_visit_garnets
        self.swap_ends = settings.visit_ends == "swap"
        self.refuses = settings.unpaid_visits == "refuse"
        self.queues_outside = settings.pings_outside_rounds == "queue"
        self.simulated = settings.room_clock == "simulated"
        self.inboxes = inboxes
        self.purse = purse
        self.notices: list[Notice] = []
        self.rows = self._take_up(record.queue, ledger)
        self.next = 0
        self.waiting: dict[str, int] = {}
        self.visit: VisitDraft | None = None
        self.end = NEVER
        self.entries: list[Row] = []
        self.now = 0
        self.round = RoundDraft(0, 0, 0, None)

    def _take_up(self, queue: Sequence[QueueRow], ledger: Ledger) -> list[Row]:
        rows: list[Row] = []
        names = ledger.names
        for place, row in enumerate(queue, 1):
            player, action = row.player, row.action
            number = place if row.row is UNSET else row.row
            plain = action in _PLAIN_ACTIONS and row.edited is UNSET
            if plain and player in names and not row.ruling:
                rows.append((row.time, action, player, number))
                continue
            ruling = None
            sound = ledger.edit(row, "Queue", number)
            if row.ruling:
                ruling = ledger.ruling(row, "Queue", number)
                if ruling is not None:
                    self._notice("host-ruling", row.time, number, player, row.ruling)
            if ruling is VOID:
                continue
            sound = ledger.edited_ping(row, number) and sound
            sound = ledger.action(row, number) and sound
            if player not in names:
                ledger.player(player, "Queue", number)
            elif sound:
                rows.append((row.time, action, player, number))
        rows.sort(key=itemgetter(0))
        return rows

    def tell_same_instants(self, until: int) -> None:
        """Tell the rows up to ``until`` that share an instant with another player's above (R0.3).

        Rows behind the last round played decide nothing: they wait (R3.2), or the match is over.
        """
        rows = self.rows
        times = list(map(itemgetter(0), rows))
        instant: int | None = None
        first, mixed = "", False
        # Hardly any row shares its instant with the one above.
        for place in compress(count(1), map(eq, times, islice(times, 1, None))):
            time, _action, player, number = rows[place]
            if time > until:
                break
            if time != instant:
                instant, first, mixed = time, rows[place - 1][2], False
            if player != first or mixed:
                mixed = True
                self._notice("same-instant", time, number, player)

    def _notice(self, code: str, time: int, row: int, player: str, *facts: object) -> None:
        self.notices.append(Notice(code, time, "Queue", row, player, facts))

    def play(self, draft: RoundDraft) -> None:
        """Play one round to its official end (R2.3) and leave the queue for the next (R3.5)."""
        self._between_rounds(draft.start)
        self.round = draft
        self.now = draft.start
        rows, waiting, timer_end = self.rows, self.waiting, draft.timer_end
        tell = self.notices.append
        for index in range(self.next, len(rows)):
            row = rows[index]
            time, action, player, number = row
            if time > self.now:
                if self.end < time or self.entries or (waiting and self.visit is None):
                    self._advance(time)
                if time > timer_end and self.visit is None:
                    self.next = index
                    break
                self.now = time
                if self.end == time:
                    self._leave()
            if action != "join":
                self._take(row)
            elif player not in waiting:
                waiting[player] = number
            else:
                tell(Notice("duplicate-ping", time, "Queue", number, player))
        else:
            self.next = len(rows)
            self._advance(NEVER)
        if draft.visits:
            draft.end = max(timer_end, draft.visits[-1].left)
        draft.waiting = tuple(self.waiting)

    def keep_entries(self, next_start: int | None) -> None:
        """Keep for the next round only the entries logged at its very start (R4.2)."""
        kept = [row for row in self.entries if row[0] == next_start]
        for time, _action, player, number in self.entries:
            if time != next_start:
                self._notice("entry-outside-round", time, number, player)
        self.entries = kept

    def rest(self) -> Sequence[Row]:
        """Return the queue rows that no round took."""
        return self.rows[self.next :]

    def _advance(self, until: int) -> None:
        """Let everything happen that happens before ``until``, from this instant's entries on."""
        if not self.simulated:
            self._advance_by_log(until)
            return
        waiting, timer_end = self.waiting, self.round.timer_end
        while True:
            if self.visit is not None:
                if self.end >= until:
                    return
                self.now = self.end
                self._leave()
            if not waiting or self.now >= timer_end:
                return
            player = next(iter(waiting))
            paid = self._toll(player, self.now)
            if paid is not None:
                self._enter(player, self.now, paid)

    def _advance_by_log(self, until: int) -> None:
        """Do the same where only the host's log lets players in (R4.7)."""
        while True:
            if self.entries:
                self._take_entries()
            if self.visit is None or self.end >= until:
                return
            self.now = self.end
            self._leave()

    def _take(self, row: Row) -> None:
        """Take one queue row within a round (R3.1, R3.3, R3.4, R4.8)."""
        time, action, player, number = row
        if action == "join":
            if player in self.waiting:
                self._notice("duplicate-ping", time, number, player)
            else:
                self.waiting[player] = number
        elif action == "enter":
            self.entries.append(row)
        elif action != "withdraw" and self._exits(player, time):
            pass
        elif action != "exit" and player in self.waiting:
            del self.waiting[player]
        else:
            self._notice(f"unmatched-{action}", time, number, player)

    def _exits(self, player: str, time: int) -> bool:
        """Return whether a logged exit matches a visit, and end that visit by it (R4.3, R4.8)."""
        visit = self.visit
        if visit is not None and visit.player == player and visit.entered < time:
            self.end = time
            visit.because = "exit"
            self._leave()
            return True
        visits = self.inboxes[player].visits
        if not visits:
            return False
        last = visits[-1]
        if last.left != time or last.entered == time:
            return False
        if last.because in ("next round", "limit"):
            last.because = "exit"
        return True

    def _between_rounds(self, start: int) -> None:
        """Take the rows that stand before a round's start and after the last one's end (R3.2)."""
        rows, end = self.rows, len(self.rows)
        while self.next < end and rows[self.next][0] < start:
            row = rows[self.next]
            self.next += 1
            time, action, player, number = row
            if action == "enter":
                self._notice("entry-outside-round", time, number, player)
            elif action == "join" and not self.queues_outside:
                self._notice("ping-outside-round", time, number, player)
            else:
                self._take(row)

    def _toll(self, player: str, time: int) -> int | None:
        """Call a waiting player up; return what they paid, None if turned away (R4.5, R4.6)."""
        ping = self.waiting.pop(player)
        inbox = self.inboxes[player]
        if self.swap_ends or inbox.has_allowed:
            inbox.set_aside(time)
        if not (inbox.may_have_swapped and self.price and inbox.has_swapped(time)):
            return 0
        self.purse.adjust(time)
        balance = self.purse.balance
        if self.refuses and balance[player] < self.price:
            self.round.turned_away.append((player, time))
            self._notice("turned-away", time, ping, player, self.price, balance[player])
            return None
        balance[player] -= self.price
        return self.price

    def _enter(self, player: str, time: int, paid: int) -> None:
        """Let a player in, tell them who entered last this round, set the limit (R4.3, R4.4)."""
        visits = self.round.visits
        visit = VisitDraft(player, time, visits[-1].player if visits else None, paid, [])
        visits.append(visit)
        self.visit = visit
        self.end = end = time + self.limit
        cut = self.round.next_start
        if cut is not None and cut <= end:
            self.end, visit.because = cut, "next round"
        if self.swap_ends:
            swap = self.inboxes[player].first_swap(time, self.end)
            if swap is not None:
                self.end, visit.because = swap, "swap"
                if swap == time:
                    self._leave()

    def _leave(self) -> None:
        """End the visit that is on, at the instant set for it."""
        visit = self.visit
        if visit is None:
            return
        visit.left = self.end
        self.visit = None
        self.end = NEVER
        self.inboxes[visit.player].end_visit(visit)

    def _take_entries(self) -> None:
        """Take the entries the host logged at this instant, in sheet order (R4.7)."""
        entries, self.entries = self.entries, []
        for row in entries:
            time, _action, player, number = row
            if time >= self.round.timer_end:
                self.entries.append(row)
            elif self.visit is not None and self.visit.player == player:
                self._notice("already-inside", time, number, player)
            elif player not in self.waiting:
                self._notice("entry-without-ping", time, number, player)
            else:
                self._log_entry(time, number, player)

    def _log_entry(self, time: int, number: int, player: str) -> None:
        passed: list[str] = []
        for name in self.waiting:
            if name == player:
                break
            passed.append(name)
        paid = self._toll(player, time)
        if paid is None:
            return
        if passed:
            self._notice("out-of-order-entry", time, number, player, *passed)
        if self.visit is not None:
            cut, due = self.visit, self.end
            self._notice("visit-cut", time, number, cut.player, cut.entered, due, player)
            cut.because = "next entry"
            self.end = time
            self._leave()
        self._enter(player, time, paid)
