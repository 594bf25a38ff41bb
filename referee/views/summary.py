"""A match in a few plain lines: what a host reads first after resolving."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from referee.match.notices import Clock, Notice
from referee.match.record import FOOD
from referee.match.result import Outcome, Result
from referee.rules.pen import starting_pen
from referee.views.hexagons import moves
from referee.workbook.places import Places
from referee.workbook.writing import wall_clock

if TYPE_CHECKING:
    from referee.judging.resolving import Plan

MOST_NOTICES: Final = 40
"""Notices that one run prints; all of them stand in the tab Notices."""


def round_lines(result: Result) -> Iterator[str]:
    """Yield what the last round came to: what it changed for the players, the pen, and hunger."""
    if not result.rounds:
        return
    last = result.rounds[-1]
    yield f"  {for_the_players(result)}"
    pen = "  ".join(f"{cell} {token or '-'}" for cell, token in last.pen.items())
    yield f"  pen     {pen}"
    yield "  hunger  " + "  ".join(f"{name} {points}" for name, points in last.hunger.items())


def for_the_players(result: Result) -> str:
    """Say in one sentence what the last round changed: who stands elsewhere, who lost hunger."""
    last = result.rounds[-1]
    earlier = result.rounds[-2] if len(result.rounds) > 1 else None
    before = starting_pen(result.record.players) if earlier is None else earlier.pen
    moved = [
        f"{'the food' if move.token == FOOD else move.token} from {move.old} to {move.new}"
        for move in moves(before, last.pen)
    ]
    start = result.record.settings.starting_hunger
    hunger = {} if earlier is None else earlier.hunger
    lost: dict[int, list[str]] = {}
    for name, points in last.hunger.items():
        if gone := hunger.get(name, start) - points:
            lost.setdefault(gone, []).append(name)
    losses = [
        f"{_listed(names)} lost {counted(gone, 'hunger point')}"
        for gone, names in sorted(lost.items())
    ]
    went = f"{_listed(moved)} moved" if moved else "nobody moved"
    return f"Round {last.number}: {went}; {', '.join(losses) or 'nobody lost hunger'}."


def _listed(things: Sequence[str]) -> str:
    """Return things as people list them: ``Ann, Ben and Cat``."""
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"


def new_notices(plan: "Plan", places: Places) -> Iterator[str]:
    """Yield the notices that publishing brings."""
    clock = wall_clock(plan.result.record)
    for notice in plan.new_notices[:MOST_NOTICES]:
        yield f"  {notice_line(notice, places, clock)}"
    left = len(plan.new_notices) - MOST_NOTICES
    if left > 0:
        yield f"  {counted(left, 'notice')} more in the tab Notices"


def next_step(result: Result) -> str:
    """Return where the match stands and what comes next."""
    if result.outcome is not None:
        return " ".join(outcome_lines(result.outcome))
    listed = len(result.record.rounds)
    played = len(result.rounds)
    if not listed:
        return "No round is listed yet: add its row to Rounds as its timer starts."
    if played == listed:
        return f"Round {played} is the last one listed: add round {played + 1} to Rounds."
    from referee.rules.replay import Replay

    waiting = Replay(result.record).rounds
    if played < len(waiting):
        clock = wall_clock(result.record)
        return f"Round {played + 1} runs until {clock(waiting[played].official_end)}."
    return f"Round {played + 1} cannot be played yet."


def counted(number: int, what: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """Yield how the match ended."""
    yield f"Starved: {', '.join(outcome.starved)}."
    if outcome.tied:
        yield (
            f"The draw between {', '.join(outcome.tied)} is pending: fill in the setting "
            "Tie-break seed and resolve again (R7.3)."
        )
        return
    yield f"Elimination Candidate: {outcome.elimination_candidate} ({outcome.decided_by})."
    prizes = ", ".join(
        f"{name} ({counted(outcome.tokens_of_life[name], 'Token')} of Life, "
        f"{counted(outcome.garnets_won[name], 'garnet')})"
        for name in outcome.winners
    )
    yield f"Winners: {prizes}."


def notice_line(notice: Notice, places: Places, clock: Clock) -> str:
    """Return a notice as hosts read it: severity, cell, words and clause."""
    where = places.locate_notice(notice)
    return f"{notice.severity}: {where}: {notice.words(clock)} ({notice.rule})"
