"""What is doubtful about a plan to publish: told by `resolve`, and found again by every `check`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from referee.judging.resolving import Plan
from referee.judging.waiting import RowName, cells, of_another_day, waiting_words
from referee.workbook.findings import Remark
from referee.workbook.places import Places

_MOST: Final = 20
"""Differences that a check lists; `resolve` lists them all."""


def doubts(plan: Plan, places: Places, undated: Iterable[tuple[str, int]]) -> tuple[Remark, ...]:
    """Return a remark for everything that publishing makes doubtful.

    These are rows that wait for a round, passes in no visit, what is published and recomputes to
    something else, and where that comes from times without a date, those. ``undated`` are the rows
    without one.
    """
    found = [*_waiting(plan, places), *_idle(plan, places), *_other_day(plan, places, undated)]
    for difference in islice(plan.differences, _MOST):
        text = f"published, and not what the sheet gives now: {difference.text}"
        found.append(Remark("published-differs", text, difference.tab, severity="warning"))
    return tuple(found)


def _waiting(plan: Plan, places: Places) -> Iterator[Remark]:
    if plan.waiting:
        first = plan.waiting[0]
        text = waiting_words(plan.waiting, len(plan.result.record.rounds), places)
        yield Remark("waiting-rows", text, first.tab, first.row, severity="warning")


def _idle(plan: Plan, places: Places) -> Iterator[Remark]:
    if plan.idle:
        text = f"{cells(plan.idle, places)}: a pass outside every visit takes nothing back (R5.1)"
        first = plan.idle[0]
        yield Remark("idle-pass", text, first.tab, first.row, severity="warning")


def _other_day(plan: Plan, places: Places, undated: Iterable[tuple[str, int]]) -> Iterator[Remark]:
    if not plan.differences:
        return
    record = plan.result.record
    names = [RowName(tab, row) for tab, row in undated]
    rows = of_another_day(record, names, plan.result.rounds[: plan.before])
    if rows:
        text = (
            f"{cells(rows, places)}: no date stands there, so the match's day is taken "
            f"({places.clock(record.start)[:10]}), whose rounds are published; if this is of "
            "another day, write its date too"
        )
        yield Remark("undated-rows", text, rows[0].tab, rows[0].row, severity="warning")
