"""What a resolving would publish: decided from a reading and the time, written by nobody here."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from referee.judging.auditing import ROUND_TABS, Comparison
from referee.judging.findings import GRAVE, Difference
from referee.judging.standing import Standing, published_rounds, renewed, told_before
from referee.judging.waiting import RowName, idle_passes, misplaced, waiting_rows
from referee.match.faults import Fault, Stopped, WrongUsage
from referee.match.instants import format_instant
from referee.match.notices import Notice
from referee.match.record import Record
from referee.match.result import Result, RoundResult
from referee.rules.replay import Replay, replay
from referee.workbook import layout as template
from referee.workbook.cells import OwnedTab
from referee.workbook.oddities import is_odd
from referee.workbook.published import another_match
from referee.workbook.writing import Rows, published_notices, tab_rows, wall_clock


class Plan(msgspec.Struct, frozen=True):
    """What a resolving comes to.

    ``result`` is what will stand published, ``before`` how many rounds stand now. ``differences``
    are those between published rounds and their recomputation that forbid to go on; ``tabs`` are
    the owned tabs to write, empty where nothing changes; ``refreshed`` what a reopening changes in
    rounds that were published; ``ahead`` the faults that will stop a round which still runs;
    ``new_notices`` those that do not stand in the tab Notices yet; ``waiting`` the rows that wait
    for a round to be listed (R3.2), ``idle`` those that would take a swap back and are in no
    visit; ``notes`` what else the host should know.
    """

    result: Result
    before: int
    differences: tuple[Difference, ...]
    tabs: tuple[OwnedTab, ...]
    refreshed: tuple[Difference, ...] = ()
    ahead: tuple[Fault, ...] = ()
    new_notices: tuple[Notice, ...] = ()
    waiting: tuple[RowName, ...] = ()
    notes: tuple[str, ...] = ()
    idle: tuple[RowName, ...] = ()

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
            "waiting": [row.as_json() for row in self.waiting],
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
    salt: str = "",
) -> Plan:
    """Decide what to publish at an instant ``now`` (milliseconds).

    Published are the listed rounds whose official end has passed, at most up to ``only_to``;
    ``early`` takes rounds whose timer still runs too. What is published stays: where recomputing
    gives something else, the plan holds the differences and nothing to write, unless ``reopen``
    names the first round that may change. ``salt`` is random text for the new receipts. Raises
    `Stopped` where the record cannot be replayed, `WrongUsage` where a round is asked for that is
    not there.
    """
    published = record.published or {}
    _refuse_another_match(record, titles)
    before = published_rounds(published)
    _check_usage(record, before, only_to, reopen)
    whole = Replay(record)
    over = _rounds_over(whole, now, early=early)
    if only_to is not None and only_to > max(over, before) and _goes_on(whole, over):
        raise WrongUsage(
            f"round {only_to} is not over yet{_ending(whole, only_to)}; wait for it, or publish it "
            "with --early"
        )
    count = max(over if only_to is None else min(over, only_to), before)
    result = _played(whole, count)
    started = [r for r in whole.rounds if r.start <= now or r.number <= count]
    planned = plan_result(result, record, titles, now, reopen=reopen, salt=salt, started=started)
    return msgspec.structs.replace(
        planned,
        ahead=tuple(whole.faults),
        waiting=waiting_rows(whole),
        idle=idle_passes(whole),
    )


def plan_result(
    result: Result,
    record: Record,
    titles: Mapping[str, str],
    now: int,
    *,
    reopen: int | None = None,
    salt: str = "",
    started: Sequence[RoundResult] = (),
) -> Plan:
    """Decide what publishing a result comes to; ``record`` carries what stands published.

    ``started`` are the listed rounds that have begun, where more are known than the result's.
    Raises `Stopped` where no row lies in any of them.
    """
    _refuse_another_match(record, titles)
    fault = misplaced(record, started or result.rounds) if result.rounds else None
    if fault is not None:
        raise Stopped([fault], record.name)
    published = record.published or {}
    before = published_rounds(published)
    found = _contradictions(
        result, published, titles, before, before if reopen is None else reopen - 1
    )
    if found:
        gone = {tab.title for tab in template.load().result_tabs} - {"Receipts", *published}
        missing = [d for d in found if d.tab in gone]
        if len(missing) < len(found):
            return Plan(result, before, found, ())
    receipts = renewed(
        Standing(result, published, before),
        format_instant(now),
        salt,
        lambda number: "" if reopen is None else told_before(published, number, before),
    )
    rows = tab_rows(result, receipts, template.load())
    if not (result.rounds or before) or _stands(published, rows):
        return Plan(result, before, (), ())
    tabs = tuple(OwnedTab(titles.get(tab, tab), tab_) for tab, tab_ in rows.items())
    refreshed: tuple[Difference, ...] = ()
    if reopen is not None:
        comparison = Comparison(result, published, titles)
        refreshed = tuple(
            difference
            for difference in comparison.differences(before)
            if difference.tab in ROUND_TABS
            and (difference.round is None or reopen <= difference.round <= before)
        )
    fresh = _new_notices(result, published.get("Notices", ()), rows["Notices"])
    notes = tuple(_notes(published, titles, rows, len(result.rounds)))
    return Plan(result, before, (), tabs, refreshed, new_notices=fresh, notes=notes)


def _new_notices(result: Result, old: Any, rows: Rows) -> tuple[Notice, ...]:
    """Return the notices whose rows do not stand in the tab Notices yet."""
    stood = Counter(tuple(_trimmed(row)) for row in old)
    fresh = []
    for notice, row in zip(published_notices(result), rows[1:], strict=True):
        told = tuple(_trimmed(row))
        if stood[told]:
            stood[told] -= 1
        else:
            fresh.append(notice)
    return tuple(fresh)


def _refuse_another_match(record: Record, titles: Mapping[str, str]) -> None:
    """Raise `Stopped` where what stands published is not of this match's players."""
    names = [player.name for player in record.players]
    if (fault := another_match(record.published, titles, names)) is not None:
        raise Stopped([fault], record.name)


def _notes(
    published: Mapping[str, Any], titles: Mapping[str, str], rows: Mapping[str, Rows], rounds: int
) -> Iterator[str]:
    """Yield what to say of owned tabs that are not there, where ``rounds`` are published.

    Rounds are published one by one, so that a first one says nothing of tabs that were deleted.
    """
    missing = [titles.get(tab, tab) for tab in rows if tab not in published]
    if not published and titles and rounds > 1:  # a match record has no tabs
        yield (
            f"none of the referee's own tabs is there, so that all {rounds} rounds are published "
            "as for the first time; if they were deleted, an earlier version of the workbook has "
            "them"
        )
    elif missing and published_rounds(published):
        what = "the tab" if len(missing) == 1 else "the tabs"
        yield f"{what} {', '.join(missing)} had been deleted: added again, as the receipts hold"


def _check_usage(record: Record, before: int, only_to: int | None, reopen: int | None) -> None:
    listed = len(record.rounds)
    for option, number, most, what in (
        ("--round", only_to, listed, "listed in Rounds"),
        ("--reopen", reopen, before, "published"),
    ):
        if number is not None and not 1 <= number <= most:
            known = f"round must be 1..{most}, one that is" if most else "no round is"
            raise WrongUsage(f"{option} {number}: {known} {what}{'' if most else ' yet'}")


def _rounds_over(whole: Replay, now: int, *, early: bool) -> int:
    """Return how many listed rounds are over, the first that cannot be played included."""
    rounds = whole.rounds
    over = len(rounds) if early else sum(1 for round_ in rounds if round_.official_end <= now)
    if over < len(rounds) or not _goes_on(whole, over):
        return over
    # The clocks of the next round cannot be right; that stops the run once its time has come.
    start = whole.clocks.start(over, rounds[-1].official_end if rounds else None)
    due = start is not None and (early or whole.clocks.timer_end(over, start) <= now)
    return over + 1 if due else over


def _goes_on(whole: Replay, over: int) -> bool:
    """Whether listed rounds follow the first ``over``: played ones, or one that cannot be."""
    return over < (len(whole.rounds) if whole.outcome is not None else len(whole.record.rounds))


def _played(whole: Replay, count: int) -> Result:
    """Return the result of the first ``count`` rounds; a stop lists every fault there is."""
    record = whole.record
    try:
        return whole.result() if count >= len(record.rounds) else replay(record, count)
    except Stopped:
        raise Stopped(whole.faults, record.name) from None


def _ending(whole: Replay, number: int) -> str:
    if number > len(whole.rounds):
        return ""
    end = whole.rounds[number - 1].official_end
    return f" (it ends at {wall_clock(whole.record)(end)})"


def _contradictions(
    result: Result, published: Mapping[str, Any], titles: Mapping[str, str], before: int, kept: int
) -> tuple[Difference, ...]:
    """Return what the kept rounds contradict; notices are refreshed, not kept."""
    if not kept:
        return ()
    if _draw_was_pending(published):
        # A seed given after a pending draw completes the match; it contradicts nothing.
        settings = msgspec.structs.replace(result.record.settings, tie_break_seed="")
        result = replay(msgspec.structs.replace(result.record, settings=settings), before)
    elif len(result.rounds) > before:
        result = replay(result.record, before)
    comparison = Comparison(result, published, titles)
    return tuple(
        difference
        for difference in comparison.differences(before)
        if difference.tab != "Notices"
        and difference.kind in GRAVE
        and not _is_mended(difference)
        and (kept == before or (difference.round is not None and difference.round <= kept))
    )


def ended(published: Mapping[str, Any]) -> bool:
    """Whether what is published says that the match is over."""
    return _has_status(published, "over")


def _draw_was_pending(published: Mapping[str, Any]) -> bool:
    return _has_status(published, "draw pending")


def _has_status(published: Mapping[str, Any], status: str) -> bool:
    return ["Status", status] in [list(row[:2]) for row in published.get("Result", ())]


def _is_mended(difference: Difference) -> bool:
    """Whether publishing simply writes a cell over: a formula, or a format that shows else."""
    return is_odd(difference.published) and (
        difference.tab != "Receipts" or difference.recomputed is not None
    )


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
