"""What submissions without effect are told: notices of R5.1, R5.2, R5.3, R7.1 and R9.1."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from referee.notices import Notice
from referee.rules.checks import label
from referee.rules.swaps import NEVER, Inbox, Message, Sitting, VisitDraft


def submission_notices(inbox: Inbox, last_end: int | None, match_over: bool) -> Iterator[Notice]:
    """Tell what happened to every message of a player that did not count as sent.

    ``last_end`` is the official end of the last round played (None where none was); after it a
    message of a running match waits for its round to be listed, and one of an ended match comes
    too late for everything.
    """
    sittings = inbox.sittings
    for place, sitting in enumerate(sittings):
        for visit in sitting.visits:
            yield from _visit_notices(inbox, visit)
        # What was sent before round 1 is judged by round 1 (R5.1).
        early = place == 0 and len(sittings) > 1
        judged, until = (sittings[1], NEVER) if early else (sitting, sitting.until)
        for message in sitting.outside:
            if message.visit is not None:
                continue
            if message.allowed:
                yield _notice("no-visit-to-allow", message)
            elif last_end is not None and message.sent > last_end:
                if match_over:
                    yield _notice("after-match", message, last_end)
            elif last_end is not None:
                yield from _no_effect(inbox, message, judged, until)


def _visit_notices(inbox: Inbox, visit: VisitDraft) -> Iterator[Notice]:
    for message in visit.messages:
        reading = inbox.reading(message)
        if reading.kind in ("invalid", "unreadable"):
            code = f"{reading.kind}-swap"
            yield _notice(code, message, message.submission.message, reading.why)


def _no_effect(
    inbox: Inbox, message: Message, sitting: Sitting, until: float
) -> Iterable[Notice]:
    """Explain a swap sent outside every visit (R5.1); anything else outside is just talk."""
    reading = inbox.reading(message)
    if reading.kind != "swap":
        return ()
    sent, swap, number, visits = message.sent, reading.swap, sitting.number, sitting.visits
    if sent >= until:
        return (_notice("not-visiting", message, swap, number),)
    ended = bisect_left(visits, sent, key=lambda visit: visit.left)
    if ended:
        left = visits[ended - 1].left
        return (_notice("late-submission", message, swap, number, left),)
    begins = bisect_right(visits, sent, key=lambda visit: visit.entered)
    if begins < len(visits):
        entered = visits[begins].entered
        return (_notice("early-submission", message, swap, number, entered),)
    return (_notice("not-visiting", message, swap, number),)


def _notice(code: str, message: Message, *facts: object) -> Notice:
    row = message.submission
    number = label(row, message.index)
    return Notice(code, message.sent, "Submissions", number, row.player, facts)
