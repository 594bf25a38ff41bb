"""Causes: why a row of the sheet counted or not, and why a visit went as it went.

What had no effect mostly carries a notice already, and that notice is its cause. Everything else
(what counted, what replaced what, what still waits) has its words here, in the same form: a cause
holds facts, the clause and the words are derived from them, and so is whether the row counted.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec

from referee.match.instants import format_span
from referee.match.notices import Clock, Notice

Effect = Literal["counts", "no effect", "waits"]
"""What a row did: it counts, it changed nothing, or its round is not listed yet (R3.2)."""


class Cause(msgspec.Struct, frozen=True, gc=False):
    """One reason: its code, when it applies, whom it concerns, and the facts behind it.

    What ``facts`` hold depends on the code and is read by `words`; sheet rows among them are rows
    as the host sees them.
    """

    code: str
    instant: int
    player: str | None = None
    facts: tuple[Any, ...] = ()

    @property
    def rule(self) -> str:
        """The clause behind the cause."""
        return CAUSES[self.code][0]

    def words(self, clock: Clock) -> str:
        """Return the cause in words, showing its times by ``clock``."""
        return CAUSES[self.code][2](self, clock)


Why = Cause | Notice
"""A reason, in the form of a notice where one is given for it."""

Words = Callable[[Cause, Clock], str]


def effect(why: Why) -> Effect:
    """Return what follows for a row from its first cause."""
    if isinstance(why, Cause):
        return CAUSES[why.code][1]
    return "no effect"


def _garnets(number: int, sign: str = "") -> str:
    return f"{number:{sign}} garnet" + ("" if abs(number) == 1 else "s")


def _visit(number: int, round_: int) -> str:
    return f"visit {number} of round {round_}"


# --- the queue -----------------------------------------------------------------------------------


def _joined(cause: Cause, clock: Clock) -> str:
    (place,) = cause.facts
    return f"{cause.player} joined the queue at {clock(cause.instant)}, at place {place}"


def _joined_ahead(cause: Cause, clock: Clock) -> str:
    place, number = cause.facts
    return (
        f"{cause.player} pinged at {clock(cause.instant)}, outside every round, and joined the "
        f"queue of round {number} at place {place}"
    )


def _carried_over(cause: Cause, clock: Clock) -> str:
    place, number = cause.facts
    return (
        f"{cause.player} still waited when round {number - 1} ended at {clock(cause.instant)} and "
        f"stood at place {place} of the queue for round {number}"
    )


def _entered(cause: Cause, clock: Clock) -> str:
    return f"{cause.player} entered at {clock(cause.instant)}: {_visit(*cause.facts)}"


def _let_in(cause: Cause, clock: Clock) -> str:
    return f"the host let {cause.player} in at {clock(cause.instant)}: {_visit(*cause.facts)}"


def _withdrew(cause: Cause, clock: Clock) -> str:
    (row,) = cause.facts
    return f"{cause.player} left the queue at {clock(cause.instant)} (Queue row {row})"


def _withdrawal(cause: Cause, clock: Clock) -> str:
    (row,) = cause.facts
    return (
        f"{cause.player} left the queue at {clock(cause.instant)}, having joined with Queue row "
        f"{row}"
    )


def _ping_allowed(cause: Cause, clock: Clock) -> str:
    return (
        f"the host allowed it: it was a ping when it was sent; its edit at {clock(cause.instant)} "
        "is forgotten"
    )


def _still_waiting(cause: Cause, _clock: Clock) -> str:
    place, number = cause.facts
    return f"{cause.player} still waits after round {number}, at place {place}"


def _left_room(cause: Cause, clock: Clock) -> str:
    return (
        f"{cause.player} left the room at {clock(cause.instant)}: the end of {_visit(*cause.facts)}"
    )


def _left_anyway(cause: Cause, clock: Clock) -> str:
    return (
        f"{_visit(*cause.facts)} ended at {clock(cause.instant)} already; the row changes nothing"
    )


# --- submissions ---------------------------------------------------------------------------------


def _counted(cause: Cause, clock: Clock) -> str:
    swap, number, round_ = cause.facts
    return (
        f"{cause.player}'s swap {swap} counts at {clock(cause.instant)}, in "
        f"{_visit(number, round_)}"
    )


def _replaced(cause: Cause, clock: Clock) -> str:
    swap, number, round_, row, time = cause.facts
    return (
        f"{cause.player}'s swap {swap} was replaced by the later one of Submissions row {row} at "
        f"{clock(time)}, in {_visit(number, round_)}"
    )


def _taken_back(cause: Cause, clock: Clock) -> str:
    swap, number, round_, row, time = cause.facts
    return (
        f"{cause.player}'s swap {swap} was taken back by the pass of Submissions row {row} at "
        f"{clock(time)}, in {_visit(number, round_)}"
    )


def _takes_back(cause: Cause, clock: Clock) -> str:
    row, number, round_ = cause.facts
    return (
        f"the pass at {clock(cause.instant)} takes back the swap of Submissions row {row}, in "
        f"{_visit(number, round_)}"
    )


def _idle_pass(cause: Cause, clock: Clock) -> str:
    return f"the pass at {clock(cause.instant)} had no swap to take back, in {_visit(*cause.facts)}"


def _as_edited(cause: Cause, clock: Clock) -> str:
    (sent,) = cause.facts
    return f"it counts as edited at {clock(cause.instant)}; it was sent at {clock(sent)}"


def _as_allowed(cause: Cause, clock: Clock) -> str:
    sent, edited = cause.facts
    if sent > cause.instant:
        late = f"sent {format_span(sent - cause.instant)} after the visit ended at"
    else:
        late = f"edited {format_span(edited - cause.instant)} after the visit ended at"
    return f"the host allowed it, {late} {clock(cause.instant)}: it counts as if sent then"


def _as_read(cause: Cause, _clock: Clock) -> str:
    (read,) = cause.facts
    return f"the host read it as {read}"


def _talk(cause: Cause, clock: Clock) -> str:
    return f"at {clock(cause.instant)}, outside every visit, and no swap: talk"


# --- every tab -----------------------------------------------------------------------------------


def _void(_cause: Cause, _clock: Clock) -> str:
    return "the host ruled the row void: as if it were not there"


def _waits(cause: Cause, clock: Clock) -> str:
    number, end = cause.facts
    if number is None:
        return f"it waits for round 1, from {clock(cause.instant)} on"
    return (
        f"it waits for round {number + 1}: it came at {clock(cause.instant)}, after round {number} "
        f"had ended at {clock(end)}"
    )


def _adjusted(cause: Cause, clock: Clock) -> str:
    garnets, balance, reason = cause.facts
    why = f" ({reason})" if reason else ""
    return (
        f"{_garnets(garnets, '+')} for {cause.player} at {clock(cause.instant)}{why}: "
        f"{cause.player} has {balance}"
    )


def _played(cause: Cause, clock: Clock) -> str:
    number, recorded, timer_end, end = cause.facts
    start = "as recorded" if recorded else "as the clocks give it"
    over = (
        f"and the round at {clock(end)}, {format_span(end - timer_end)} later, with the last visit"
        if end > timer_end
        else "and so did the round"
    )
    return (
        f"round {number} started at {clock(cause.instant)}, {start}; its timer ended at "
        f"{clock(timer_end)} {over}"
    )


def _not_played(cause: Cause, clock: Clock) -> str:
    number, last = cause.facts
    return (
        f"round {number} is not played: the match ended with round {last} at {clock(cause.instant)}"
    )


def _not_yet(cause: Cause, _clock: Clock) -> str:
    (number,) = cause.facts
    return f"round {number} is not played here"


# --- garnets -------------------------------------------------------------------------------------


def _opening(cause: Cause, clock: Clock) -> str:
    (garnets,) = cause.facts
    return f"{cause.player} has {_garnets(garnets)} as the match begins at {clock(cause.instant)}"


def _prize(cause: Cause, _clock: Clock) -> str:
    garnets, hunger, each = cause.facts
    won = _garnets(garnets)
    return f"{cause.player} wins {won}: 1 for every {each} of {hunger} hunger points left"


# --- visits --------------------------------------------------------------------------------------


def _first_in_queue(cause: Cause, clock: Clock) -> str:
    row, pinged, place, first, free = cause.facts
    entered = cause.instant
    began = f"ping at {clock(pinged)} (Queue row {row}, place {place})"
    if first > pinged:
        began += f", first in the queue since {clock(first)}"
    if free > first:
        began += f", the room was free from {clock(free)}"
    return f"{began}: {cause.player} entered at {clock(entered)}"


def _let_in_visit(cause: Cause, clock: Clock) -> str:
    row, pinged, place, logged = cause.facts
    return (
        f"ping at {clock(pinged)} (Queue row {row}, place {place}); the host let {cause.player} in "
        f"at {clock(cause.instant)} (Queue row {logged})"
    )


def _ended_by_limit(cause: Cause, clock: Clock) -> str:
    (entered,) = cause.facts
    return (
        f"the visit reached its limit at {clock(cause.instant)}, "
        f"{format_span(cause.instant - entered)} after the entry"
    )


def _ended_by_exit(cause: Cause, clock: Clock) -> str:
    entered, row = cause.facts
    return (
        f"{cause.player} left at {clock(cause.instant)} (Queue row {row}), "
        f"{format_span(cause.instant - entered)} after the entry"
    )


def _ended_by_swap(cause: Cause, clock: Clock) -> str:
    entered, row = cause.facts
    return (
        f"the visit ended at {clock(cause.instant)} with its first valid swap (Submissions row "
        f"{row}), {format_span(cause.instant - entered)} after the entry"
    )


def _ended_by_round(cause: Cause, clock: Clock) -> str:
    return f"the visit ended at {clock(cause.instant)}, its limit and the next round's start"


def _told(cause: Cause, _clock: Clock) -> str:
    (told,) = cause.facts
    if told is None:
        return f"{cause.player} was told nobody: the first to enter this round"
    return f"{cause.player} was told {told}, who had entered last before"


def _paid(cause: Cause, clock: Clock) -> str:
    price, swap, number, time = cause.facts
    return (
        f"{cause.player} paid {_garnets(price)} on entering: visit {number} of this round holds "
        f"the swap {swap} of {clock(time)}"
    )


def _paid_nothing(cause: Cause, _clock: Clock) -> str:
    (price,) = cause.facts
    if not price:
        return f"{cause.player} paid nothing: visits cost nothing in this match"
    return f"{cause.player} paid nothing: no swap of theirs in this round before"


def _no_swap(cause: Cause, _clock: Clock) -> str:
    (sent,) = cause.facts
    return "no swap: none of what was sent counts" if sent else "no swap: nothing was sent"


CAUSES: Final[dict[str, tuple[str, Effect, Words]]] = {
    "joined": ("R3.1", "counts", _joined),
    "joined-ahead": ("R3.2", "counts", _joined_ahead),
    "carried-over": ("R3.5", "counts", _carried_over),
    "entered": ("R4.1", "counts", _entered),
    "let-in": ("R4.7", "counts", _let_in),
    "withdrew": ("R3.4", "counts", _withdrew),
    "withdrawal": ("R3.4", "counts", _withdrawal),
    "ping-allowed": ("R3.6", "counts", _ping_allowed),
    "still-waiting": ("R3.5", "counts", _still_waiting),
    "left-room": ("R4.3", "counts", _left_room),
    "left-anyway": ("R4.8", "no effect", _left_anyway),
    "counted": ("R5.2", "counts", _counted),
    "replaced": ("R5.2", "no effect", _replaced),
    "taken-back": ("R5.2", "no effect", _taken_back),
    "takes-back": ("R5.2", "counts", _takes_back),
    "idle-pass": ("R5.2", "no effect", _idle_pass),
    "as-edited": ("R5.4", "counts", _as_edited),
    "as-allowed": ("R9.1", "counts", _as_allowed),
    "as-read": ("R9.1", "counts", _as_read),
    "talk": ("R5.3", "no effect", _talk),
    "void": ("R9.1", "no effect", _void),
    "waits": ("R3.2", "waits", _waits),
    "adjusted": ("R8.1", "counts", _adjusted),
    "played": ("R2.2", "counts", _played),
    "not-played": ("R7.1", "no effect", _not_played),
    "not-yet": ("R2.2", "waits", _not_yet),
    "opening": ("R8.1", "counts", _opening),
    "prize": ("R7.5", "counts", _prize),
    "first-in-queue": ("R4.1", "counts", _first_in_queue),
    "let-in-visit": ("R4.7", "counts", _let_in_visit),
    "ended-limit": ("R4.3", "counts", _ended_by_limit),
    "ended-exit": ("R4.3", "counts", _ended_by_exit),
    "ended-swap": ("R4.3", "counts", _ended_by_swap),
    "ended-next-round": ("R2.4", "counts", _ended_by_round),
    "told": ("R4.4", "counts", _told),
    "paid": ("R4.5", "counts", _paid),
    "paid-nothing": ("R4.5", "counts", _paid_nothing),
    "no-swap": ("R5.2", "counts", _no_swap),
}
"""Every cause: its code, clause, what it makes of a row, and its words."""
