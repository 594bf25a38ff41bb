"""What submissions without effect are told: notices of R5.1, R5.2, R5.3, R7.1 and R9.1."""

from collections.abc import Sequence

from msgspec import UNSET

from referee.notices import Notice
from referee.rules.swaps import NEVER, Inbox, Message, VisitDraft


def submission_notices(inbox: Inbox, last_end: int | None, match_over: bool) -> list[Notice]:
    """Tell what happened to every message of a player that did not count as sent.

    ``last_end`` is the official end of the last round played (None where none was); after it a
    message of a running match waits for its round to be listed, and one of an ended match comes
    too late for everything.
    """
    notices: list[Notice] = []
    for message in inbox.unread:
        code, said = f"{message.reading.kind}-swap", message.submission.message
        notices.append(_notice(code, message, said, message.reading.why))
    end = -NEVER if last_end is None else last_end
    sittings = inbox.sittings
    for place, sitting in enumerate(sittings):
        # What was sent before round 1 is judged by round 1 (R5.1).
        early = place == 0 and len(sittings) > 1
        judge, until = (sittings[1], NEVER) if early else (sitting, sitting.until)
        visits, number = judge.visits, judge.number
        ended = 0
        for message in sitting.outside:
            sent = message.sent
            if message.taken:
                continue
            if message.allowed:
                notices.append(_notice("no-visit-to-allow", message))
            elif sent <= end:
                while ended < len(visits) and visits[ended].left < sent:
                    ended += 1
                reach = visits if sent < until else ()
                notices.append(_no_effect(message, number, reach, ended))
    if match_over:
        for message in reversed(inbox.messages):
            if message.sent <= end:
                break
            if not message.allowed:
                notices.append(_notice("after-match", message, last_end))
    return notices


def _no_effect(message: Message, number: int, visits: Sequence[VisitDraft], ended: int) -> Notice:
    """Explain a swap sent outside every visit (R5.1), of which so many had ended by then."""
    swap = message.reading.swap
    if not visits:
        return _notice("not-visiting", message, swap, number)
    if ended:
        return _notice("late-submission", message, swap, number, visits[ended - 1].left)
    return _notice("early-submission", message, swap, number, visits[0].entered)


def _notice(code: str, message: Message, *facts: object) -> Notice:
    row = message.submission
    number = message.place + 1 if row.row is UNSET else row.row
    return Notice(code, message.sent, "Submissions", number, row.player, facts)
