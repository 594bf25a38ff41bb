"""Why: the cause behind every row of the host's tabs and behind every visit (R2-R5, R8, R9).

A finished `Replay` knows everything: its notices, its visits with their messages, its rounds.
Here that is told row by row, so that an explanation, an audit and a page print one cause.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from referee.match.causes import Cause, Effect, Why, effect
from referee.match.notices import TABS, Notice
from referee.match.record import Record
from referee.match.result import Result, RoundResult, Visit
from referee.rules.checks import label
from referee.rules.pings import QueueStory, waits
from referee.rules.replay import Replay
from referee.rules.rulings import VOID, parse_ruling
from referee.rules.swaps import Message, VisitDraft, heard, last_swap

_BESIDES: Final = ("host-ruling", "negative-balance", "visit-cut", "short-pre-game")
"""Notices that no row's fate hangs on."""

_OF_A_VISIT: Final = ("entered", "let-in", "left-room", "left-anyway")
"""Causes of queue rows that name a visit."""

LISTS: Final = {
    "Rounds": "rounds",
    "Adjustments": "adjustments",
    "Queue": "queue",
    "Submissions": "submissions",
}
"""The record's list behind each of the host's tabs, in the order of `TABS`."""


class Verdict(msgspec.Struct, frozen=True):
    """What became of one row: the cause that settled it first, then what followed from it.

    ``row`` is the host's, ``place`` where the row stands in the record's list, ``round`` the round
    that took or judged it, ``visit`` the round and number of the visit it led to, ended or belongs
    to, ``notices`` what else is to be said about the row. Whether it counts follows from its
    causes.
    """

    tab: str
    row: int
    place: int
    instant: int
    player: str | None
    causes: tuple[Why, ...]
    round: int | None = None
    visit: tuple[int, int] | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def effect(self) -> Effect:
        """Whether the row counts, changes nothing, or waits."""
        return effect(self.causes[0])


class VisitReasons(msgspec.Struct, frozen=True):
    """One visit with its causes: why it began and ended, what was told, paid and swapped."""

    round: int
    visit: Visit
    began: Why
    ended: Why
    told: Why
    paid: Why
    swap: Why


class Reasons(msgspec.Struct, frozen=True):
    """Every cause of a match, beside its result and the replay that found it.

    Verdicts are listed by instant, then tab, then row.
    """

    result: Result
    replay: Replay
    verdicts: tuple[Verdict, ...]
    visits: tuple[VisitReasons, ...]


def reasons(record: Record, through: int | None = None) -> Reasons:
    """Replay a record and tell the cause of everything in it.

    ``through`` plays only the first so many rounds. Raises `Stopped` with every fault found where
    the record cannot be replayed.
    """
    replay = Replay(record, through)
    result = replay.result()
    if not _unmistakable(record):
        replay = Replay(_numbered(record), through)
    return _Reasoner(record, replay).reasons(result)


def rows_of(record: Record, tab: str) -> dict[int, list[int]]:
    """Return the places in the record's list of each sheet row of a tab."""
    found: dict[int, list[int]] = {}
    for place, row in enumerate(getattr(record, LISTS[tab])):
        found.setdefault(label(row, place), []).append(place)
    return found


def _unmistakable(record: Record) -> bool:
    return all(len(rows_of(record, tab)) == len(getattr(record, LISTS[tab])) for tab in TABS)


def _numbered(record: Record) -> Record:
    """Return the record with its rows numbered anew, as two rows may share a label in it."""
    lists = {
        key: tuple(
            msgspec.structs.replace(row, row=number)
            for number, row in enumerate(getattr(record, key), 1)
        )
        for key in LISTS.values()
    }
    return msgspec.structs.replace(record, **lists)


class _Reasoner:
    def __init__(self, record: Record, replay: Replay) -> None:
        self.record = record
        self.replay = replay
        self.shown = {
            tab: {
                label(replayed, place): label(row, place)
                for place, (replayed, row) in enumerate(
                    zip(getattr(replay.record, key), getattr(record, key), strict=True)
                )
            }
            for tab, key in LISTS.items()
        }
        self.notices: dict[tuple[str, int], list[Notice]] = {}
        for notice in replay.result().notices:
            self.notices.setdefault((notice.tab, notice.row), []).append(notice)
        self.cuts = {
            (notice.player, notice.facts[0], notice.instant): self._as_shown(notice)
            for notices in self.notices.values()
            for notice in notices
            if notice.code == "visit-cut"
        }
        self.story = QueueStory(replay, self.shown["Queue"])
        self.messages: dict[int, Message] = {
            message.place: message
            for inbox in replay.inboxes.values()
            for message in inbox.messages
        }
        self.places: dict[int, tuple[int, int, VisitDraft]] = {}
        for draft in replay.drafts:
            for number, visit in enumerate(draft.visits, 1):
                for message in visit.messages:
                    self.places[message.place] = (draft.number, number, visit)

    def reasons(self, result: Result) -> Reasons:
        verdicts = [
            *self._rounds(),
            *self._adjustments(),
            *self._queue(),
            *self._submissions(),
        ]
        verdicts.sort(key=lambda verdict: verdict.instant)
        return Reasons(result, self.replay, tuple(verdicts), tuple(self._visits()))

    # --- rows ------------------------------------------------------------------------------------

    def _verdict(
        self,
        tab: str,
        place: int,
        instant: int,
        player: str | None,
        causes: Sequence[Why],
        round_: int | None,
        visit: tuple[int, int] | None = None,
    ) -> Verdict:
        key = label(getattr(self.replay.record, LISTS[tab])[place], place)
        row = self.shown[tab][key]
        named = tuple(self._as_shown(why) for why in causes)
        notices = tuple(
            msgspec.structs.replace(notice, row=row)
            for notice in self.notices.get((tab, key), ())
            if notice not in causes
        )
        return Verdict(tab, row, place, instant, player, named, round_, visit, notices)

    def _as_shown(self, why: Why) -> Why:
        if isinstance(why, Notice):
            return msgspec.structs.replace(why, row=self.shown[why.tab][why.row])
        return why

    def _told(self, tab: str, place: int) -> Notice | None:
        """Return the notice that settles a row, None where there is none."""
        key = label(getattr(self.replay.record, LISTS[tab])[place], place)
        found = self.notices.get((tab, key), ())
        return next((notice for notice in found if notice.code not in _BESIDES), None)

    def _rounds(self) -> Iterator[Verdict]:
        played = {round_.number: round_ for round_ in self.replay.rounds}
        last = self.replay.rounds[-1] if played else None
        for place, row in enumerate(self.record.rounds):
            round_ = played.get(row.number)
            if round_ is not None:
                facts = (row.number, row.start is not UNSET, round_.timer_end, round_.official_end)
                cause = Cause("played", round_.start, None, facts)
            elif last is not None and self.replay.outcome is not None:
                cause = Cause("not-played", last.official_end, None, (row.number, last.number))
            else:
                end = self.record.start if last is None else last.official_end
                cause = Cause("not-yet", end, None, (row.number,))
            yield self._verdict("Rounds", place, cause.instant, None, [cause], row.number)

    def _adjustments(self) -> Iterator[Verdict]:
        balance = {player.name: player.garnets for player in self.record.players}
        order = sorted(enumerate(self.record.adjustments), key=lambda numbered: numbered[1].time)
        paid = sorted(
            (visit.entered, visit.player, visit.paid)
            for draft in self.replay.drafts
            for visit in draft.visits
        )
        for place, row in order:
            # Adjustments come before the entries of their instant (R4.2).
            while paid and paid[0][0] < row.time:
                _, name, price = paid.pop(0)
                balance[name] -= price
            why: Why | None = self._told("Adjustments", place)
            if why is None:
                balance[row.player] += row.garnets
                facts = (row.garnets, balance[row.player], row.reason)
                why = Cause("adjusted", row.time, row.player, facts)
            round_ = self._ending(row.time)
            yield self._verdict("Adjustments", place, row.time, row.player, [why], round_)

    def _queue(self) -> Iterator[Verdict]:
        for place, row in enumerate(self.replay.record.queue):
            key = label(row, place)
            causes = self.story.causes.get(key)
            if causes is None:
                causes = [Cause("void", row.time, row.player)]
            elif row.edited is not UNSET:
                causes = [*causes, Cause("ping-allowed", row.edited, row.player)]
            visit = next(((c.facts[1], c.facts[0]) for c in causes if c.code in _OF_A_VISIT), None)
            round_ = self._ending(row.time)
            yield self._verdict("Queue", place, row.time, row.player, causes, round_, visit)

    def _submissions(self) -> Iterator[Verdict]:
        for place, row in enumerate(self.record.submissions):
            ruling = parse_ruling(row.ruling, "Submissions")
            visit = self.places[place][:2] if place in self.places else None
            round_ = self._running(row.time) if visit is None else visit[0]
            if ruling is VOID:
                causes: list[Why] = [Cause("void", row.time, row.player)]
            else:
                causes = self._message(self.messages[place])
                if ruling is not None and ruling.reading is not None:
                    read = ruling.reading.swap or "pass"
                    causes.append(Cause("as-read", row.time, row.player, (read,)))
            yield self._verdict("Submissions", place, row.time, row.player, causes, round_, visit)

    def _message(self, message: Message) -> list[Why]:
        told = self._told("Submissions", message.place)
        player = message.submission.player
        if message.place in self.places:
            causes = [told or self._within(message)]
            if message.by_grace:
                edited = message.submission.edited
                facts = (message.sent, None if edited is UNSET else edited)
                causes.append(Cause("as-allowed", message.counts, player, facts))
            elif message.counts != message.sent:
                causes.append(Cause("as-edited", message.counts, player, (message.sent,)))
            return causes
        if told is not None:
            return [told]
        end = self.replay.last_end
        if self.replay.outcome is None and (end is None or message.sent > end):
            return [waits(self.replay, message.sent, player)]
        return [Cause("talk", message.sent, player)]

    def _within(self, message: Message) -> Why:
        """Tell what a swap or a pass did in its visit (R5.2)."""
        round_, number, visit = self.places[message.place]
        player, counts, swap = message.submission.player, message.counts, message.reading.swap
        said = [m for m in visit.messages if m.reading.kind in ("swap", "pass")]
        index = next(i for i, other in enumerate(said) if other is message)
        if not swap:
            before = said[index - 1] if index else None
            if before is None or not before.reading.swap:
                return Cause("idle-pass", counts, player, (number, round_))
            facts = (self._row(before), number, round_)
            return Cause("takes-back", counts, player, facts)
        if message is said[-1]:
            return Cause("counted", counts, player, (swap, number, round_))
        after = said[index + 1]
        code = "replaced" if after.reading.swap else "taken-back"
        facts_ = (swap, number, round_, self._row(after), after.counts)
        return Cause(code, counts, player, facts_)

    def _row(self, message: Message) -> int:
        """Return the host's row of a submission."""
        return label(self.record.submissions[message.place], message.place)

    def _ending(self, time: int) -> int | None:
        """Return the round that takes a row of the queue or an adjustment: the first not over."""
        return next((r.number for r in self.replay.rounds if time <= r.official_end), None)

    def _running(self, time: int) -> int | None:
        """Return the round that judges a submission (R5.1), None where it waits or is too late."""
        end = self.replay.last_end
        if end is None or time > end:
            return None
        begun = [r.number for r in self.replay.rounds if r.start <= time]
        return begun[-1] if begun else 1

    # --- visits ----------------------------------------------------------------------------------

    def _visits(self) -> Iterator[VisitReasons]:
        for round_, draft in zip(self.replay.rounds, self.replay.drafts, strict=True):
            free = round_.start
            for visit, drafted in zip(round_.visits, draft.visits, strict=True):
                yield VisitReasons(
                    round=round_.number,
                    visit=visit,
                    began=self._began(round_, visit, free),
                    ended=self._ended(round_, visit, drafted),
                    told=Cause("told", visit.entered, visit.player, (visit.told,)),
                    paid=self._paid(draft.visits, visit),
                    swap=self._swap(drafted),
                )
                free = visit.left

    def _began(self, round_: RoundResult, visit: Visit, free: int) -> Cause:
        key = (round_.number, visit.number)
        wait = self.story.waits[key]
        queue = self.shown["Queue"]
        facts: tuple[object, ...] = (queue[wait.row], wait.pinged, wait.place)
        logged = self.story.entries.get(key)
        if logged is not None:
            return Cause("let-in-visit", visit.entered, visit.player, (*facts, queue[logged]))
        first = wait.pinged if wait.first is None else wait.first
        return Cause("first-in-queue", visit.entered, visit.player, (*facts, first, free))

    def _ended(self, round_: RoundResult, visit: Visit, drafted: VisitDraft) -> Why:
        cut = self.cuts.get((visit.player, visit.entered, visit.left))
        if cut is not None:
            return cut
        player, left, entered = visit.player, visit.left, visit.entered
        if visit.left_because == "exit":
            row = self.shown["Queue"][self.story.exits[round_.number, visit.number]]
            return Cause("ended-exit", left, player, (entered, row))
        if visit.left_because == "swap":
            first = next(
                m
                for m in drafted.messages
                if m.reading.swap and m.counts == left and not m.by_grace
            )
            return Cause("ended-swap", left, player, (entered, self._row(first)))
        if visit.left_because == "next round":
            return Cause("ended-next-round", left, player)
        return Cause("ended-limit", left, player, (entered,))

    def _paid(self, visits: Sequence[VisitDraft], visit: Visit) -> Cause:
        price = self.record.settings.extra_visit_garnets
        if not visit.garnets_paid:
            return Cause("paid-nothing", visit.entered, visit.player, (price,))
        number, last = next(
            (number, last)
            for number, earlier in enumerate(visits[: visit.number - 1], 1)
            if earlier.player == visit.player
            and (last := last_swap(heard(earlier, visit.entered))) is not None
        )
        facts = (visit.garnets_paid, last.reading.swap, number, last.counts)
        return Cause("paid", visit.entered, visit.player, facts)

    def _swap(self, drafted: VisitDraft) -> Why:
        last = last_swap(drafted.messages)
        if last is None:
            sent = bool(drafted.messages)
            return Cause("no-swap", drafted.left, drafted.player, (sent,))
        return self._within(last)
