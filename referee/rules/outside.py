"""What submissions without effect are told: notices of R5.1, R5.2, R5.3, R7.1 and R9.1."""

from msgspec import UNSET

from referee.match.notices import Notice
from referee.rules.swaps import NEVER, Inbox, Message, Sitting


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
        if sitting.outside:
            # What was sent before round 1 is judged by round 1 (R5.1).
            early = place == 0 and len(sittings) > 1
            judge, until = (sittings[1], NEVER) if early else (sitting, sitting.until)
            notices += _no_effect(sitting.outside, judge, until, end)
    if match_over:
        for message in reversed(inbox.messages):
            if message.sent <= end:
                break
            if not message.allowed:
                notices.append(_notice("after-match", message, last_end))
    return notices


def _no_effect(outside: list[Message], judge: Sitting, until: int, end: int) -> list[Notice]:
    """Explain what was sent outside every visit, up to ``end`` (R5.1, R9.1).

    From ``until`` on a later round was running, in which nobody visited.
    """
    visits, number = judge.visits, judge.number
    count = len(visits)
    notices = []
    ended = 0
    for message in outside:
        sent = message.sent
        if message.taken:
            continue
        if message.allowed:
            notices.append(_notice("no-visit-to-allow", message))
        elif sent <= end:
            while ended < count and visits[ended].left < sent:
                ended += 1
            swap = message.reading.swap
            facts: tuple[object, ...]
            if not count or sent >= until:
                code, facts = "not-visiting", (swap, number)
            elif ended:
                code, facts = "late-submission", (swap, number, visits[ended - 1].left)
            else:
                code, facts = "early-submission", (swap, number, visits[0].entered)
            row = message.submission
            place = message.place + 1 if row.row is UNSET else row.row
            notices.append(Notice(code, sent, "Submissions", place, row.player, facts))
    return notices


def _notice(code: str, message: Message, *facts: object) -> Notice:
    row = message.submission
    number = message.place + 1 if row.row is UNSET else row.row
    return Notice(code, message.sent, "Submissions", number, row.player, facts)
