"""What a resolving would publish: decided from a reading and the time, written by nobody here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from referee.auditing import Comparison, Difference, published_rounds, read_receipts
from referee.faults import WrongUsage
from referee.instants import format_instant
from referee.record import Record
from referee.result import Result
from referee.rules.replay import Replay, replay
from referee.workbook import layout as template
from referee.workbook.cells import OwnedTab
from referee.workbook.receipts import chained, digests
from referee.workbook.writing import Rows, tab_rows


class Plan(msgspec.Struct, frozen=True):
    """What a resolving comes to.

    ``result`` is what will stand published, ``before`` how many rounds stand now. ``differences``
    are those between published rounds and their recomputation that forbid to go on; ``tabs`` are
    the owned tabs to write, empty where nothing changes; ``refreshed`` what a reopening changes in
    rounds that were published.
    """

    result: Result
    before: int
    differences: tuple[Difference, ...]
    tabs: tuple[OwnedTab, ...]
    refreshed: tuple[Difference, ...] = ()

    @property
    def new_rounds(self) -> tuple[int, ...]:
        """The numbers of the rounds that are published for the first time."""
        return tuple(range(self.before + 1, len(self.result.rounds) + 1))

    def as_json(self) -> dict[str, Any]:
        """Return the plan as ``--json`` shows it."""
        return {
            "published": self.before if self.differences else len(self.result.rounds),
            "new_rounds": [] if self.differences else list(self.new_rounds),
            "changes": bool(self.tabs),
            "differences": [difference.as_json() for difference in self.differences],
            "result": self.result.as_json(),
        }


def plan(
    record: Record,
    titles: Mapping[str, str],
    now: int,
    *,
    only_to: int | None = None,
    early: bool = False,
    reopen: int | None = None,
) -> Plan:
    """Decide what to publish at an instant ``now`` (milliseconds).

    Published are the listed rounds whose official end has passed, at most up to ``only_to``;
    ``early`` takes rounds whose timer still runs too. What is published stays: where recomputing
    gives something else, the plan holds the differences and nothing to write, unless ``reopen``
    names the first round that may change. Raises `Stopped` where the record cannot be replayed,
    `WrongUsage` where a round is asked for that is not there.
    """
    published = record.published or {}
    before = published_rounds(published)
    _check_usage(record, before, only_to, reopen)
    over = _rounds_over(record, now, early=early)
    if only_to is not None and only_to > max(over, before) and not early:
        ends = _ending(record, only_to)
        raise WrongUsage(
            f"round {only_to} is not over yet{ends}; wait for it, or publish it with --early"
        )
    count = max(over if only_to is None else min(over, only_to), before)
    result = replay(record, count)
    return plan_result(result, record, titles, now, reopen=reopen)


def plan_result(
    result: Result,
    record: Record,
    titles: Mapping[str, str],
    now: int,
    *,
    reopen: int | None = None,
) -> Plan:
    """Decide what publishing a result comes to; ``record`` carries what stands published."""
    published = record.published or {}
    before = published_rounds(published)
    found = _contradictions(
        result.record, published, titles, before, before if reopen is None else reopen - 1
    )
    if found:
        return Plan(result, before, found, ())
    receipts = chained(digests(result), read_receipts(published), format_instant(now))
    rows = tab_rows(result, receipts, template.load())
    if not result.rounds or _stands(published, rows):
        return Plan(result, before, (), ())
    tabs = tuple(OwnedTab(titles.get(tab, tab), tab_) for tab, tab_ in rows.items())
    refreshed: tuple[Difference, ...] = ()
    if reopen is not None:
        comparison = Comparison(result, published, titles)
        refreshed = tuple(
            difference
            for difference in comparison.differences(before)
            if difference.round is not None and reopen <= difference.round <= before
        )
    return Plan(result, before, (), tabs, refreshed)


def _check_usage(record: Record, before: int, only_to: int | None, reopen: int | None) -> None:
    listed = len(record.rounds)
    for option, number, most, what in (
        ("--round", only_to, listed, "listed in Rounds"),
        ("--reopen", reopen, before, "published"),
    ):
        if number is not None and not 1 <= number <= most:
            known = f"1 to {most}" if most else "none yet"
            raise WrongUsage(f"{option} {number}: rounds {what}: {known}")


def _rounds_over(record: Record, now: int, *, early: bool) -> int:
    """Return how many listed rounds are over; faults of rounds still running do not matter here."""
    rounds = Replay(record).rounds
    return len(rounds) if early else sum(1 for round_ in rounds if round_.official_end <= now)


def _ending(record: Record, number: int) -> str:
    rounds = Replay(record).rounds
    if number > len(rounds):
        return ""
    return f" (it ends at {format_instant(rounds[number - 1].official_end)})"


def _contradictions(
    record: Record, published: Mapping[str, Any], titles: Mapping[str, str], before: int, kept: int
) -> tuple[Difference, ...]:
    """Return what the kept rounds contradict; notices are refreshed, not kept."""
    if not kept:
        return ()
    if _draw_was_pending(published):
        # A seed given after a pending draw completes the match; it contradicts nothing.
        settings = msgspec.structs.replace(record.settings, tie_break_seed="")
        record = msgspec.structs.replace(record, settings=settings)
    comparison = Comparison(replay(record, before), published, titles)
    return tuple(
        difference
        for difference in comparison.differences(before)
        if difference.tab != "Notices"
        and (kept == before or (difference.round is not None and difference.round <= kept))
    )


def _draw_was_pending(published: Mapping[str, Any]) -> bool:
    return ["Status", "draw pending"] in [list(row[:2]) for row in published.get("Result", ())]


def _stands(published: Mapping[str, Any], rows: Mapping[str, Rows]) -> bool:
    """Whether the owned tabs say exactly this already."""
    for tab, expected in rows.items():
        trimmed = [_trimmed(row) for row in expected]
        if [_trimmed(row) for row in published.get(tab, ())] != trimmed:
            return False
    return True


def _trimmed(row: Any) -> list[Any]:
    cells = list(row)
    while cells and cells[-1] in (None, ""):
        cells.pop()
    return cells
