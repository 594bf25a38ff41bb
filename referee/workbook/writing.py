"""A result into the referee's own tabs, whole.

Every cell is text, a number or empty. Times are texts in the match's time zone, so that a file, a
Google Sheet and an archive hold the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from referee.match.notices import Clock, Notice
from referee.match.record import Record
from referee.match.result import Outcome, Result, RoundResult
from referee.rules.pen import CELLS, starting_pen
from referee.workbook.cells import OwnedTab, Written
from referee.workbook.digests import allows, reach
from referee.workbook.layout import Layout
from referee.workbook.receipts import Receipt, sealed
from referee.workbook.zones import clock_of

LONGEST: Final = 2000
"""A cell's text beyond this many characters is shortened with a visible mark, alike everywhere."""

Rows = list[list[Written]]


def wall_clock(record: Record) -> Clock:
    """Return how a match's instants are shown: on the wall clock of its time zone.

    Raises `Stopped` where that zone does not exist.
    """
    return clock_of(record).text


def owned_tabs(
    result: Result, receipts: Sequence[Receipt], layout: Layout, titles: dict[str, str]
) -> tuple[OwnedTab, ...]:
    """Return every owned tab for a result, header first, in the order of the template.

    ``titles`` are the tabs' titles in this workbook by the template's titles.
    """
    return tuple(
        OwnedTab(titles.get(tab, tab), rows)
        for tab, rows in tab_rows(result, receipts, layout).items()
    )


def tab_rows(result: Result, receipts: Sequence[Receipt], layout: Layout) -> dict[str, Rows]:
    """Return the rows of every owned tab by the template's title, header first."""
    clock = wall_clock(result.record)
    names = [player.name for player in result.record.players]
    bodies: dict[str, Callable[[], Rows]] = {
        "Pen": lambda: _pen(result),
        "Hunger": lambda: _per_player(result.rounds, names, lambda round_: round_.hunger),
        "Garnets": lambda: _garnets(result, names),
        "Visits": lambda: _visits(result.rounds, clock),
        "Result": lambda: _result(result),
        "Notices": lambda: _notices(result, clock),
        "Receipts": list,
    }
    found: dict[str, Rows] = {}
    for tab in layout.result_tabs:
        header = [*tab.header, *(names if tab.per_player else ())]
        found[tab.title] = [list(header), *bodies[tab.title]()]
    last = sealed(receipts, found["Notices"])
    found["Receipts"][1:] = [list(receipt.cells()) for receipt in last]
    return found


def _pen(result: Result) -> Rows:
    pens = [starting_pen(result.record.players), *(round_.pen for round_ in result.rounds)]
    return [[number, *(pen[cell] for cell in CELLS)] for number, pen in enumerate(pens)]


def _per_player(
    rounds: Iterable[RoundResult],
    names: Sequence[str],
    points: Callable[[RoundResult], Mapping[str, int]],
) -> Rows:
    return [[round_.number, *(points(round_)[name] for name in names)] for round_ in rounds]


def _garnets(result: Result, names: Sequence[str]) -> Rows:
    rows = _per_player(result.rounds, names, lambda round_: round_.garnets)
    if result.outcome is not None and not result.outcome.tied:
        won = result.outcome.garnets_won
        rows.append(["Awards", *(won.get(name, 0) for name in names)])
    return rows


def _visits(rounds: Iterable[RoundResult], clock: Clock) -> Rows:
    return [
        [
            round_.number,
            visit.number,
            visit.player,
            clock(visit.entered),
            clock(visit.left),
            visit.left_because,
            visit.told,
            visit.garnets_paid,
            visit.swap,
            None if visit.swap_time is None else clock(visit.swap_time),
        ]
        for round_ in rounds
        for visit in round_.visits
    ]


def _result(result: Result) -> Rows:
    rows: Rows = [["Status", status(result)], ["Rounds played", len(result.rounds)]]
    outcome = result.outcome
    if outcome is None:
        return rows
    rows += [
        ["Starved", ", ".join(outcome.starved)],
        ["Elimination Candidate", outcome.elimination_candidate],
        ["Decided by", outcome.decided_by],
    ]
    return rows + (_pending(outcome) if outcome.tied else _winners(outcome))


def status(result: Result) -> str:
    """Return where the match stands in a word or two."""
    if result.outcome is None:
        return "running" if result.rounds else "not started"
    return "draw pending" if result.outcome.tied else "over"


def _pending(outcome: Outcome) -> Rows:
    return [
        ["Tied", ", ".join(outcome.tied)],
        ["To settle it", "fill in the setting Tie-break seed and resolve again (R7.3)"],
    ]


def _winners(outcome: Outcome) -> Rows:
    rows: Rows = [["Winners", ", ".join(outcome.winners)]]
    for name in outcome.winners:
        rows.append([f"Tokens of Life: {name}", outcome.tokens_of_life[name]])
        rows.append([f"Garnets won: {name}", outcome.garnets_won[name]])
    return rows


def _notices(result: Result, clock: Clock) -> Rows:
    return [
        [
            notice.severity,
            notice.code,
            notice.rule,
            notice.tab,
            notice.row,
            notice.player,
            shortened(notice.words(clock)),
        ]
        for notice in published_notices(result)
    ]


def published_notices(result: Result) -> Iterator[Notice]:
    """Yield the notices on the rounds played.

    While the match runs, what is said of later rows waits for their round, but for a row that was
    allowed to count in the last one.
    """
    if result.outcome is not None:
        yield from result.notices
        return
    if not result.rounds:
        return
    last = len(result.rounds) - 1
    end, until = result.rounds[last].official_end, reach(result, last)
    for notice in result.notices:
        if notice.instant <= end or (_is_allowance(notice) and notice.instant < until):
            yield notice


def _is_allowance(notice: Notice) -> bool:
    if notice.code == "host-ruling" and notice.tab == "Submissions":
        return allows(notice.facts[0])
    return notice.code == "no-visit-to-allow"


def shortened(text: str) -> str:
    """Return a text as a cell holds it, cut with a visible mark where it is very long."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
