"""Which round a notice belongs to: the one place where notices are sorted into rounds."""

from collections.abc import Sequence
from typing import Final

from referee.match.notices import Notice
from referee.match.result import Result, RoundResult

_OF_ENTRIES: Final = (
    "turned-away",
    "entry-outside-round",
    "entry-without-ping",
    "already-inside",
    "out-of-order-entry",
)


def round_notices(result: Result, number: int) -> tuple[Notice, ...]:
    """Return the notices of a round that was played, in their order; each stands in one round.

    A round has those from after the official end of the round before up to its own, so that what
    came between two rounds stands in the later one, with which it is published. Where a round
    starts in the instant in which the one before it ends, that instant is still the earlier
    round's, but for its entries (R4.2). The first round also has all that came before it, the last
    all that came after.
    """
    return tuple(notice for notice in result.notices if _round_of(notice, result.rounds) == number)


def _round_of(notice: Notice, rounds: Sequence[RoundResult]) -> int:
    for round_ in rounds[:-1]:
        if notice.instant < round_.official_end:
            return round_.number
        if notice.instant == round_.official_end:
            following = rounds[round_.number]
            is_next = following.start == notice.instant and _is_of_entry(notice)
            return following.number if is_next else round_.number
    return rounds[-1].number


def _is_of_entry(notice: Notice) -> bool:
    return notice.code in _OF_ENTRIES or (notice.code == "visit-cut" and notice.tab == "Queue")
