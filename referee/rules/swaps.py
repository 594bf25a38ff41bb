"""Which submission counts for which visit (R5, R9).

Each player's messages are kept in order of the time they were sent and handed, once, to the visits
of that player in order. What no visit takes is outside; an outside message that was edited later
may still belong to a later visit, and one that the host allowed goes back to an earlier one.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

import msgspec
from msgspec import UNSET

from referee.faults import Fault
from referee.instants import format_instant
from referee.notices import Notice
from referee.record import Submission
from referee.rules.checks import Ledger, label, place
from referee.rules.messages import Reading, read_message
from referee.rules.rulings import Ruling

NEVER: Final = float("inf")

Read = Callable[[str], Reading]


class Message:
    """A submission on its way: what it says, when it was sent and edited, how the host ruled.

    ``edited`` is None where there is no edit or a ruling forgets it; ``allowed`` tells the ruling
    `allow`; ``visit`` is the visit that took it and ``counts`` the instant at which it counts
    there (R5.4).
    """

    __slots__ = ("allowed", "counts", "edited", "index", "reading", "sent", "submission", "visit")

    def __init__(self, submission: Submission, index: int, ruling: Ruling | None) -> None:
        self.submission = submission
        self.index = index
        self.sent: int = submission.time
        self.edited: int | None = None if submission.edited is UNSET else submission.edited
        self.allowed = False
        self.reading: Reading | None = None
        self.visit: VisitDraft | None = None
        self.counts: int = submission.time
        if ruling is not None:
            self.allowed = ruling.kind == "allow"
            if ruling.reading is not None:
                self.reading = ruling.reading
                self.edited = None


class VisitDraft:
    """A visit while the match is replayed; `referee.result.Visit` is its finished form."""

    __slots__ = (
        "because",
        "entered",
        "left",
        "messages",
        "paid",
        "player",
        "swap",
        "swap_time",
        "told",
    )

    def __init__(self, player: str, entered: int, told: str | None, paid: int) -> None:
        self.player = player
        self.entered = entered
        self.told = told
        self.paid = paid
        self.left = entered
        self.because = "limit"
        self.messages: list[Message] = []
        self.swap: str | None = None
        self.swap_time: int | None = None


class Sitting(msgspec.Struct):
    """One player's part of a round: their visits, and what they sent outside every visit.

    From the instant ``until`` on, a later round was running by its recorded start, so that this
    one no longer judges what was sent (R5.1); that happens only to rounds after the match's end.
    """

    number: int
    visits: list[VisitDraft]
    outside: list[Message]
    until: float


class Inbox:
    """One player's messages through the match, and their visits of the round being played."""

    def __init__(self, player: str, read: Read) -> None:
        self.player = player
        self.read = read
        self.messages: list[Message] = []
        self.next = 0
        self.edits: list[Message] = []
        self.next_edit = 0
        self.visits: list[VisitDraft] = []
        self.outside: list[Message] = []
        self.sittings: list[Sitting] = []
        self.faults: list[Fault] = []
        self._plain_swaps = 0
        self._ruled_visits: list[VisitDraft] = []

    def sort(self) -> None:
        """Bring the messages into the order of time, then of the sheet (R0.3)."""
        self.messages.sort(key=lambda message: message.sent)
        # `allow` forgets the edit of a message sent outside every visit (R9.1), and only such a
        # message is ever looked up by its edit.
        self.edits = [m for m in self.messages if m.edited is not None and not m.allowed]
        self.edits.sort(key=lambda message: message.edited or 0)

    def reading(self, message: Message) -> Reading:
        """Return how a message reads: as ruled, else as it stands."""
        return message.reading or self.read(message.submission.message)

    def set_aside(self, until: float) -> None:
        """Pass over the messages sent before ``until`` that no visit took.

        An allowed one goes to the latest visit of this round, as if sent at its exit (R9.1).
        """
        messages, end = self.messages, len(self.messages)
        index = self.next
        while index < end and messages[index].sent < until:
            message = messages[index]
            index += 1
            if message.allowed and self.visits:
                self._allow(message, self.visits[-1])
            else:
                self.outside.append(message)
        self.next = index

    def _allow(self, message: Message, visit: VisitDraft) -> None:
        if visit not in self._ruled_visits:
            self._plain_swaps -= visit.swap is not None
            self._ruled_visits.append(visit)
        self._give(message, visit, visit.left)
        self.settle(visit)

    def first_swap(self, entered: int, limit: int) -> int | None:
        """Return when a visit ends by its first valid swap, if it does by ``limit`` (R4.3).

        Messages sent before ``entered`` have to be set aside already.
        """
        first: int | None = None
        for message in islice(self.messages, self.next, None):
            if message.sent > limit:
                break
            counts = message.sent if message.edited is None else message.edited
            if counts <= limit and (first is None or counts < first) and self._is_swap(message):
                first = counts
        for message in islice(self.edits, self.next_edit, None):
            counts = message.edited or 0
            if counts > limit or (first is not None and counts >= first):
                break
            waits = message.visit is None and message.sent < entered
            if waits and counts >= entered and self._is_swap(message):
                first = counts
        return first

    def _is_swap(self, message: Message) -> bool:
        return self.reading(message).kind == "swap"

    def end_visit(self, visit: VisitDraft) -> None:
        """Hand a visit that has ended its messages and settle its swap (R5.1, R5.2, R5.4)."""
        left = visit.left
        ruled = False
        messages, end = self.messages, len(self.messages)
        index = self.next
        while index < end:
            message = messages[index]
            if message.sent > left:
                break
            index += 1
            edited = message.edited
            if edited is None:
                message.visit = visit
                visit.messages.append(message)
            elif edited <= left:
                self._give(message, visit, edited)
            elif message.allowed:
                ruled = True
                self._give(message, visit, left)
            else:
                message.visit = visit
                self.faults.append(_hidden(message, visit))
        self.next = index
        if self.edits:
            self._take_edits(visit)
        self.visits.append(visit)
        self.settle(visit)
        if ruled:
            self._ruled_visits.append(visit)
        elif visit.swap is not None:
            self._plain_swaps += 1

    def _take_edits(self, visit: VisitDraft) -> None:
        edits, end = self.edits, len(self.edits)
        while self.next_edit < end:
            message = edits[self.next_edit]
            edited = message.edited or 0
            if edited > visit.left:
                break
            self.next_edit += 1
            if edited >= visit.entered and message.visit is None:
                self._give(message, visit, edited)

    def _give(self, message: Message, visit: VisitDraft, counts: int) -> None:
        message.visit = visit
        message.counts = counts
        visit.messages.append(message)

    def settle(self, visit: VisitDraft) -> None:
        """Let the last readable, valid swap of the visit count, unless taken back (R5.2)."""
        messages = visit.messages
        if len(messages) > 1:
            messages.sort(key=_taking_order)
        visit.swap, visit.swap_time = self._last_swap(messages)

    def _last_swap(self, messages: Sequence[Message]) -> tuple[str | None, int | None]:
        for message in reversed(messages):
            reading = self.reading(message)
            if reading.kind == "swap":
                return reading.swap, message.counts
            if reading.kind == "pass":
                break
        return None, None

    def has_swapped(self, before: int) -> bool:
        """Return whether an earlier visit of this round holds a swap (R4.5).

        An allowed message sent at or after ``before`` has no say in it (R9.1).
        """
        if self._plain_swaps:
            return True
        for visit in self._ruled_visits:
            heard = [m for m in visit.messages if m.sent < before or not was_allowed(m)]
            if self._last_swap(heard)[0] is not None:
                return True
        return False

    def end_round(self, number: int, next_start: float, until: float) -> None:
        """Close the round's books at the next round's start; ``until`` as in `Sitting`."""
        self.set_aside(next_start)
        self.sittings.append(Sitting(number, self.visits, self.outside, until))
        self.visits, self.outside = [], []
        self._plain_swaps = 0
        self._ruled_visits = []


def was_allowed(message: Message) -> bool:
    """Return whether `allow` mattered: sent outside the visit, or hidden by an edit (R9.1)."""
    visit = message.visit
    if visit is None or not message.allowed:
        return False
    if not visit.entered <= message.sent <= visit.left:
        return True
    return message.edited is not None and message.edited > visit.left


def _taking_order(message: Message) -> tuple[int, int, int]:
    """R5.2: by the instant at which it counts, then as really sent, then in sheet order."""
    return (message.counts, message.sent, message.index)


def _hidden(message: Message, visit: VisitDraft) -> Fault:
    row = label(message.submission, message.index)
    text = (
        f"{place('Submissions', row)}: sent at {format_instant(message.sent)} during a visit and "
        f"edited at {format_instant(message.edited or 0)}, after that visit's end at "
        f"{format_instant(visit.left)}: what it said in time is hidden; rule on it in the column "
        "Ruling: void, read as A D, allow, or allow A D"
    )
    return Fault("hidden-edit", text, "Submissions", row, message.submission.player)


def take_up(
    submissions: Sequence[Submission], ledger: Ledger
) -> tuple[dict[str, Inbox], list[Notice]]:
    """Sort a record's submissions into the players' inboxes; rulings become notices (R9.2)."""
    readings: dict[str, Reading] = {}

    def read(text: str) -> Reading:
        found = readings.get(text)
        if found is None:
            found = readings[text] = read_message(text)
        return found

    inboxes = {name: Inbox(name, read) for name in ledger.names}
    notices: list[Notice] = []
    for index, row in enumerate(submissions):
        ruling = None
        if row.ruling:
            number = label(row, index)
            ruling = ledger.ruling(row, "Submissions", number)
            if ruling is not None:
                facts = (row.ruling,)
                notices.append(
                    Notice("host-ruling", row.time, "Submissions", number, row.player, facts)
                )
        if row.edited is not UNSET and not ledger.edit(row, label(row, index)):
            continue
        if ruling is not None and ruling.kind == "void":
            continue
        inbox = inboxes.get(row.player)
        if inbox is None:
            ledger.player(row.player, "Submissions", label(row, index))
            continue
        inbox.messages.append(Message(row, index, ruling))
    for inbox in inboxes.values():
        inbox.sort()
    return inboxes, notices
