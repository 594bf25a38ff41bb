"""Which submission counts for which visit (R5, R9).

Each player's messages are kept in order of the time they were sent and handed, once, to the visits
of that player in order. What no visit takes is outside; an outside message that was edited later
may still belong to a later visit, and one that the host allowed goes back to an earlier one.
"""

from collections.abc import Sequence
from itertools import islice
from operator import attrgetter
from typing import Final

import msgspec
from msgspec import UNSET

from referee.match.faults import Fault
from referee.match.instants import format_instant
from referee.match.notices import Notice
from referee.match.record import Submission
from referee.match.result import LeftBecause
from referee.rules.checks import Ledger, label, place
from referee.rules.messages import Reading, read_message
from referee.rules.rulings import Ruling

NEVER: Final = 2**100
"""An instant behind all that clocks can reach; a whole number, as instants are."""


class Message(msgspec.Struct, gc=False):
    """A submission on its way: what it says, when it was sent and edited, how the host ruled.

    ``place`` is where it stands in the record's list, ``edited`` is None where there is no edit or
    a ruling forgets it, ``allowed`` tells the ruling `allow`. A visit that takes it sets
    ``taken``, the instant at which it ``counts`` there (R5.4), and whether it counts only because
    it was allowed, ``by_grace`` (R9.1).
    """

    submission: Submission
    place: int
    reading: Reading
    sent: int
    edited: int | None
    counts: int
    allowed: bool = False
    taken: bool = False
    by_grace: bool = False


class VisitDraft(msgspec.Struct, gc=False):
    """A visit while the match is replayed; `referee.match.result.Visit` is its finished form."""

    player: str
    entered: int
    told: str | None
    paid: int
    messages: list[Message]
    left: int = 0
    because: LeftBecause = "limit"
    swap: str | None = None
    swap_time: int | None = None


_WITHOUT_EFFECT: Final = ("invalid", "unreadable")


class Sitting(msgspec.Struct, gc=False):
    """One player's part of a round: their visits, and what they sent outside every visit.

    From the instant ``until`` on, a later round was running by its recorded start, so that this
    one no longer judges what was sent (R5.1); that happens only to rounds after the match's end.
    """

    number: int
    visits: list[VisitDraft]
    outside: list[Message]
    until: int


class Inbox:
    """One player's messages through the match, and their visits of the round being played.

    ``later_start`` is the first recorded start of the rounds behind this one.
    """

    def __init__(self, player: str) -> None:
        self.player = player
        self.messages: list[Message] = []
        self.next = 0
        self.edits: list[Message] = []
        self.next_edit = 0
        self.visits: list[VisitDraft] = []
        self.outside: list[Message] = []
        self.sittings: list[Sitting] = []
        self.later_start: int = NEVER
        self.unread: list[Message] = []
        self.faults: list[Fault] = []
        self.may_have_swapped = False
        self.has_allowed = False
        self._plain_swaps = 0
        self._ruled_visits: list[VisitDraft] = []

    def sort(self) -> None:
        """Bring the messages into the order of time, then of the sheet (R0.3)."""
        self.messages.sort(key=attrgetter("sent"))
        self.edits.sort(key=attrgetter("sent"))
        self.edits.sort(key=attrgetter("edited"))

    def take_in(self, message: Message) -> None:
        """Add a message that was edited or ruled on."""
        self.messages.append(message)
        if message.allowed:
            self.has_allowed = True
        elif message.edited is not None:
            # `allow` forgets the edit of a message sent outside every visit (R9.1), and only such
            # a message is ever looked up by its edit.
            self.edits.append(message)

    def set_aside(self, until: float) -> None:
        """Pass over the messages sent before ``until`` that no visit took.

        An allowed one goes to the latest visit of this round, as if sent at its exit (R9.1).
        """
        messages, end = self.messages, len(self.messages)
        for index in range(self.next, end):
            message = messages[index]
            if message.sent >= until:
                self.next = index
                return
            if message.allowed and self.visits:
                self._allow(message, self.visits[-1])
            elif message.allowed or message.reading.kind == "swap":
                # Anything else outside a visit is just talk (R5.3).
                self.outside.append(message)
        self.next = end

    def _allow(self, message: Message, visit: VisitDraft) -> None:
        if visit not in self._ruled_visits:
            self._plain_swaps -= visit.swap is not None
            self._ruled_visits.append(visit)
        self.may_have_swapped = message.by_grace = True
        self._give(message, visit, visit.left)
        _settle(visit)

    def first_swap(self, entered: int, limit: int) -> int | None:
        """Return when a visit ends by its first valid swap, if it does by ``limit`` (R4.3).

        Messages sent before ``entered`` have to be set aside already.
        """
        first: int | None = None
        for message in islice(self.messages, self.next, None):
            if message.sent > limit:
                break
            counts = message.sent if message.edited is None else message.edited
            sooner = counts <= limit and (first is None or counts < first)
            if sooner and message.reading.kind == "swap":
                first = counts
        for message in islice(self.edits, self.next_edit, None):
            counts = message.edited or 0
            if counts > limit or (first is not None and counts >= first):
                break
            waits = not message.taken and message.sent < entered
            if waits and counts >= entered and message.reading.kind == "swap":
                first = counts
        return first

    def end_visit(self, visit: VisitDraft) -> None:
        """Hand a visit that has ended its messages and settle its swap (R5.1, R5.2, R5.4).

        What is left from before it is passed over, see `set_aside`.
        """
        entered, left, taken = visit.entered, visit.left, visit.messages
        ruled = False
        messages, end = self.messages, len(self.messages)
        for index in range(self.next, end):
            message = messages[index]
            sent = message.sent
            if sent > left:
                self.next = index
                break
            if sent < entered:
                if message.reading.kind == "swap":
                    self.outside.append(message)
            elif message.edited is not None:
                ruled = self._take_edited(message, visit, message.edited) or ruled
            else:
                message.taken = True
                taken.append(message)
                if message.reading.kind in _WITHOUT_EFFECT:
                    self.unread.append(message)
        else:
            self.next = end
        if self.edits:
            self._take_edits(visit)
        self.visits.append(visit)
        if not taken:
            return
        _settle(visit)
        self.may_have_swapped = True
        if ruled:
            self._ruled_visits.append(visit)
        elif visit.swap is not None:
            self._plain_swaps += 1

    def _take_edited(self, message: Message, visit: VisitDraft, edited: int) -> bool:
        """Take a message sent during a visit and edited; return whether a ruling lets it count."""
        if edited <= visit.left:
            self._give(message, visit, edited)
        elif message.allowed:
            message.by_grace = True
            self._give(message, visit, visit.left)
            return True
        else:
            message.taken = True
            self.faults.append(_hidden(message, visit))
        return False

    def _take_edits(self, visit: VisitDraft) -> None:
        edits, end = self.edits, len(self.edits)
        while self.next_edit < end:
            message = edits[self.next_edit]
            edited = message.edited or 0
            if edited > visit.left:
                break
            self.next_edit += 1
            if edited >= visit.entered and not message.taken:
                self._give(message, visit, edited)

    def _give(self, message: Message, visit: VisitDraft, counts: int) -> None:
        message.taken = True
        message.counts = counts
        visit.messages.append(message)
        if message.reading.kind in _WITHOUT_EFFECT:
            self.unread.append(message)

    def has_swapped(self, before: int) -> bool:
        """Return whether an earlier visit of this round holds a swap (R4.5).

        An allowed message sent at or after ``before`` has no say in it (R9.1).
        """
        if self._plain_swaps:
            return True
        return any(last_swap(heard(visit, before)) is not None for visit in self._ruled_visits)

    def end_round(self, number: int, next_start: int) -> None:
        """Close the round's books at the next round's start."""
        self.set_aside(next_start)
        if self.outside or len(self.sittings) < 2:
            self.sittings.append(Sitting(number, self.visits, self.outside, self.later_start))
            self.outside = []
        # A new list even for an empty one: the sitting keeps it.
        self.visits = []
        if self.may_have_swapped:
            self.may_have_swapped = False
            self._plain_swaps = 0
            self._ruled_visits = []


_TAKING_ORDER = attrgetter("counts", "sent", "place")
"""R5.2: by the instant at which it counts, then as really sent, then in sheet order."""


def _settle(visit: VisitDraft) -> None:
    """Let the last readable, valid swap of the visit count, unless taken back (R5.2)."""
    messages = visit.messages
    if len(messages) > 1:
        messages.sort(key=_TAKING_ORDER)
    last = last_swap(messages)
    visit.swap, visit.swap_time = (None, None) if last is None else (last.reading.swap, last.counts)


def heard(visit: VisitDraft, before: int) -> list[Message]:
    """Return a visit's messages that have a say in the price of an entry at ``before`` (R9.1)."""
    return [m for m in visit.messages if m.sent < before or not m.by_grace]


def last_swap(messages: Sequence[Message]) -> Message | None:
    """Return the message that counts, of a visit's in their order; None where none does (R5.2)."""
    for message in reversed(messages):
        kind = message.reading.kind
        if kind == "swap":
            return message
        if kind == "pass":
            break
    return None


def _hidden(message: Message, visit: VisitDraft) -> Fault:
    row = label(message.submission, message.place)
    text = (
        f"{place('Submissions', row)}: {message.submission.player} sent this at "
        f"{format_instant(message.sent)} during a visit and edited it at "
        f"{format_instant(message.edited or 0)}, after the visit had ended at "
        f"{format_instant(visit.left)}: nobody can see any more what it said in time. Decide, and "
        "write into its Ruling: read as A D (what it said), allow (what it says now), or void"
    )
    return Fault("hidden-edit", text, "Submissions", row, message.submission.player)


def take_up(
    submissions: Sequence[Submission], ledger: Ledger
) -> tuple[dict[str, Inbox], list[Notice]]:
    """Sort a record's submissions into the players' inboxes; rulings become notices (R9.2)."""
    inboxes = {name: Inbox(name) for name in sorted(ledger.names)}
    add_to = {name: inbox.messages.append for name, inbox in inboxes.items()}
    readings: dict[str, Reading] = {}
    notices: list[Notice] = []
    for index, row in enumerate(submissions):
        text, sent = row.message, row.time
        reading = readings.get(text)
        if reading is None:
            reading = readings[text] = read_message(text)
        add = add_to.get(row.player)
        if add is not None and row.edited is UNSET and not row.ruling:
            add(Message(row, index, reading, sent, None, sent))
            continue
        edited = None if row.edited is UNSET else row.edited
        message = Message(row, index, reading, sent, edited, sent)
        number = label(row, index)
        sound = ledger.edit(row, "Submissions", number)
        if row.ruling:
            ruling = ledger.ruling(row, "Submissions", number)
            if ruling is not None:
                facts = (row.ruling,)
                notice = Notice("host-ruling", sent, "Submissions", number, row.player, facts)
                notices.append(notice)
                if ruling.kind == "void":
                    continue
                _rule(message, ruling)
        inbox = inboxes.get(row.player)
        if inbox is None:
            ledger.player(row.player, "Submissions", number)
        elif sound:
            inbox.take_in(message)
    for inbox in inboxes.values():
        inbox.sort()
    return inboxes, notices


def _rule(message: Message, ruling: Ruling) -> None:
    message.allowed = ruling.kind == "allow"
    if ruling.reading is not None:
        message.reading = ruling.reading
        message.edited = None
