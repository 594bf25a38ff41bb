"""Notices: everything a host should know of that did not stop the run.

A notice carries its cause as facts; the clause, the severity and the words are derived from it
here and nowhere else, so that the notice, an explanation and an audit say the same.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec

from referee.match.faults import quoted
from referee.match.instants import format_instant, format_span

Severity = Literal["warning", "info"]

TABS: Final = ("Rounds", "Adjustments", "Queue", "Submissions")
"""The host's tabs in the order in which notices of one instant are listed."""

Clock = Callable[[int], str]
"""How an instant is shown to the reader."""

Words = Callable[["Notice", Clock], str]


class Notice(msgspec.Struct, frozen=True, gc=False):
    """One remark on a row: its code, its place, whom it concerns, and the facts behind it.

    ``instant`` is when it applies, in milliseconds; ``row`` a sheet row from 1. What ``facts``
    hold depends on the code and is read by `words`.
    """

    code: str
    instant: int
    tab: str
    row: int
    player: str | None = None
    facts: tuple[Any, ...] = ()

    @property
    def rule(self) -> str:
        """The clause behind the notice."""
        if self.code == "visit-cut" and self.tab == "Queue":
            return "R4.7"
        return CODES[self.code][0]

    @property
    def severity(self) -> Severity:
        """``warning`` where an act had no effect or an order had to be decided, else ``info``."""
        return CODES[self.code][1]

    @property
    def text(self) -> str:
        """The notice in words, its times in UTC."""
        return self.words(format_instant)

    def words(self, clock: Clock) -> str:
        """Return the notice in words, showing its times by ``clock``."""
        return CODES[self.code][2](self, clock)


def _same_instant(notice: Notice, clock: Clock) -> str:
    return (
        f"{notice.player} and another player in a row above both stand at "
        f"{clock(notice.instant)}: the upper row counts as the earlier one"
    )


def _short_pre_game(notice: Notice, clock: Clock) -> str:
    (due,) = notice.facts
    return (
        f"round 1 starts at {clock(notice.instant)}, {format_span(due - notice.instant)} before "
        "the pre-game phase is over"
    )


def _ping_outside_round(notice: Notice, clock: Clock) -> str:
    at = clock(notice.instant)
    return f"{notice.player} pinged at {at}, outside every round: that gives no place in the queue"


def _duplicate_ping(notice: Notice, clock: Clock) -> str:
    return f"{notice.player} was waiting already at {clock(notice.instant)}: the ping adds nothing"


def _visit_cut(notice: Notice, clock: Clock) -> str:
    entered, due, by = notice.facts
    because = f"{by} entered" if by else "the next round started"
    return (
        f"{notice.player}'s visit from {clock(entered)} was cut at {clock(notice.instant)} because "
        f"{because}; it could have lasted {format_span(due - notice.instant)} longer"
    )


def _turned_away(notice: Notice, clock: Clock) -> str:
    price, balance = notice.facts
    return (
        f"{notice.player} was turned away at {clock(notice.instant)}: another visit costs "
        f"{price} garnets and {notice.player} had {balance}"
    )


def _entry_outside_round(notice: Notice, clock: Clock) -> str:
    return f"{notice.player} cannot enter at {clock(notice.instant)}: no round's timer is running"


def _entry_without_ping(notice: Notice, clock: Clock) -> str:
    return f"{notice.player} cannot enter at {clock(notice.instant)}: not waiting in the queue"


def _already_inside(notice: Notice, clock: Clock) -> str:
    return f"{notice.player} cannot enter at {clock(notice.instant)}: inside already"


def _out_of_order_entry(notice: Notice, clock: Clock) -> str:
    passed = ", ".join(notice.facts)
    return f"{notice.player} entered at {clock(notice.instant)} before {passed}, who waited longer"


def _unmatched(notice: Notice, clock: Clock) -> str:
    act = notice.code.removeprefix("unmatched-")
    place = {"exit": "not inside", "withdraw": "not waiting", "leave": "neither inside nor waiting"}
    return f"{notice.player} was {place[act]} at {clock(notice.instant)}: the {act} changes nothing"


def _early_submission(notice: Notice, clock: Clock) -> str:
    swap, number, entered = notice.facts
    return (
        f"{notice.player} sent the swap {swap} {format_span(entered - notice.instant)} before the "
        f"visit that began at {clock(entered)} in round {number}: it does not count"
    )


def _late_submission(notice: Notice, clock: Clock) -> str:
    swap, number, left = notice.facts
    return (
        f"{notice.player} sent the swap {swap} {format_span(notice.instant - left)} after the "
        f"visit that ended at {clock(left)} in round {number}: it does not count"
    )


def _not_visiting(notice: Notice, clock: Clock) -> str:
    swap, number = notice.facts
    return (
        f"{notice.player} had no visit in round {number}: the swap {swap} at "
        f"{clock(notice.instant)} does not count"
    )


def _unread(notice: Notice, clock: Clock) -> str:
    message, why = notice.facts
    said = "is not a legal swap" if notice.code == "invalid-swap" else "was not read"
    return f"{excerpt(message)} at {clock(notice.instant)} {said}: {why}"


def _after_match(notice: Notice, clock: Clock) -> str:
    (end,) = notice.facts
    return f"the match ended at {clock(end)}: what came at {clock(notice.instant)} does not count"


def _negative_balance(notice: Notice, clock: Clock) -> str:
    garnets, balance = notice.facts
    return (
        f"the adjustment of {garnets} at {clock(notice.instant)} leaves {notice.player} "
        f"with {balance} garnets"
    )


def _no_visit_to_allow(notice: Notice, clock: Clock) -> str:
    return (
        f"{notice.player} had no visit before {clock(notice.instant)} in that round: the ruling "
        "allow changes nothing"
    )


def _host_ruling(notice: Notice, _clock: Clock) -> str:
    (ruling,) = notice.facts
    return f"the host ruled: {excerpt(ruling)}"


CODES: Final[dict[str, tuple[str, Severity, Words]]] = {
    "short-pre-game": ("R2.4", "info", _short_pre_game),
    "visit-cut": ("R2.4", "info", _visit_cut),
    "host-ruling": ("R9.2", "info", _host_ruling),
    "same-instant": ("R0.3", "warning", _same_instant),
    "ping-outside-round": ("R3.2", "warning", _ping_outside_round),
    "duplicate-ping": ("R3.3", "warning", _duplicate_ping),
    "turned-away": ("R4.6", "warning", _turned_away),
    "entry-outside-round": ("R4.7", "warning", _entry_outside_round),
    "entry-without-ping": ("R4.7", "warning", _entry_without_ping),
    "already-inside": ("R4.7", "warning", _already_inside),
    "out-of-order-entry": ("R4.7", "warning", _out_of_order_entry),
    "unmatched-exit": ("R4.8", "warning", _unmatched),
    "unmatched-withdraw": ("R4.8", "warning", _unmatched),
    "unmatched-leave": ("R4.8", "warning", _unmatched),
    "early-submission": ("R5.1", "warning", _early_submission),
    "late-submission": ("R5.1", "warning", _late_submission),
    "not-visiting": ("R5.1", "warning", _not_visiting),
    "invalid-swap": ("R5.2", "warning", _unread),
    "unreadable-swap": ("R5.3", "warning", _unread),
    "after-match": ("R7.1", "warning", _after_match),
    "negative-balance": ("R8.2", "info", _negative_balance),
    "no-visit-to-allow": ("R9.1", "warning", _no_visit_to_allow),
}
"""Every notice: its code, clause, severity and words."""


def in_listing_order(*by_tab: list[Notice]) -> tuple[Notice, ...]:
    """Return notices by instant, then tab, then row; within a row as they were given.

    One list a tab, in the order of `TABS`.
    """
    listed: list[Notice] = []
    for notices in by_tab:
        listed += sorted(notices, key=attrgetter("row"))
    listed.sort(key=attrgetter("instant"))
    return tuple(listed)


def excerpt(text: str, longest: int = 80) -> str:
    """Quote a text for a notice on one line, shortened with a visible mark where it is long."""
    line = " ".join(text.split())
    return quoted(line, longest)
