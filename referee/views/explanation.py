"""An explanation as lines of text, for a terminal or a chat."""

from collections.abc import Callable, Iterator

from referee.judging.explaining import Explanation, Payment, RoundStory
from referee.match.causes import Why
from referee.match.notices import Clock, excerpt
from referee.match.record import QueueRow, Record, Submission
from referee.rules.reasons import LISTS, Verdict, VisitReasons


def explanation_lines(
    explanation: Explanation, clock: Clock, title: Callable[[str], str] = str
) -> Iterator[str]:
    """Tell an explanation line by line.

    Its times are shown by ``clock``, its tabs by the ``title`` they have for the host.
    """
    record = explanation.result.record
    openings = [p for p in explanation.garnets if p.cause.code == "opening"]
    others = [p for p in explanation.garnets if p.cause.code != "opening"]
    yield from _part("Garnets at the start", (_payment(p, clock) for p in openings), "")
    for story in explanation.rounds:
        yield from _story(story, record, clock, title)
    yield from _part("Rows of no round", _rows(explanation.rows, record, clock, title), "")
    if explanation.ending is not None:
        yield from _part("How it ended", explanation.ending.lines(), "")
    yield from _part("Garnets after the rounds", (_payment(p, clock) for p in others), "")


def within_day(clock: Clock, start: int) -> Clock:
    """Return a clock that leaves out the date on the day of the match's start.

    ``clock`` writes the date first and a blank behind it.
    """
    day = clock(start).partition(" ")[0] + " "
    return lambda instant: clock(instant).removeprefix(day)


def _part(title: str, lines: Iterator[str], indent: str) -> Iterator[str]:
    """Yield a heading and its lines; nothing where there is none."""
    for count, line in enumerate(lines):
        if not count:
            yield f"{indent}{title}"
        yield f"{indent}  {line}"


def _story(
    story: RoundStory, record: Record, clock: Clock, title: Callable[[str], str]
) -> Iterator[str]:
    round_ = story.round
    yield (
        f"Round {round_.number}: {clock(round_.start)} to {clock(round_.official_end)} (timer "
        f"{clock(round_.timer_end)})"
    )
    yield from _part("Visits", _visits(story.visits, clock), "  ")
    yield from _part("Rows", _rows(story.rows, record, clock, title), "  ")
    yield from _part("Hunger", (loss.words for loss in story.hunger), "  ")
    yield from _part("Garnets", (_payment(p, clock) for p in story.garnets), "  ")


def _visits(visits: tuple[VisitReasons, ...], clock: Clock) -> Iterator[str]:
    for seen in visits:
        visit = seen.visit
        yield f"{visit.number}. {visit.player}, {clock(visit.entered)} to {clock(visit.left)}"
        for why in (seen.began, seen.told, seen.paid, seen.ended, seen.swap):
            yield f"   {_why(why, clock)}"


def _rows(
    verdicts: tuple[Verdict, ...], record: Record, clock: Clock, title: Callable[[str], str]
) -> Iterator[str]:
    for verdict in verdicts:
        said = _said(verdict, record)
        mark = {"counts": "+", "no effect": "-", "waits": "…"}[verdict.effect]
        where = f"{title(verdict.tab)} row {verdict.row}{said}"
        yield f"{mark} {where}: {_why(verdict.causes[0], clock)}"
        for why in (*verdict.causes[1:], *verdict.notices):
            yield f"    {_why(why, clock)}"


def _said(verdict: Verdict, record: Record) -> str:
    """Return who said what in a row, as it stands in the sheet."""
    row = getattr(record, LISTS[verdict.tab])[verdict.place]
    if isinstance(row, QueueRow):
        return f" {row.player} {row.action}"
    if isinstance(row, Submission):
        return f" {row.player} {excerpt(row.message)}"
    return ""


def _payment(payment: Payment, clock: Clock) -> str:
    row = "" if payment.row is None else f"Adjustments!{payment.row}: "
    code = payment.cause.code
    balance = "" if code in ("opening", "adjusted") else f": {payment.player} has {payment.balance}"
    return f"{row}{_why(payment.cause, clock)}{balance}"


def _why(why: Why, clock: Clock) -> str:
    return f"{why.words(clock)} ({why.rule})"
