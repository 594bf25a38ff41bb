"""The digests of the first receipts, as referee 0.1 made them: one of inputs, one of the result.

Sheets and archives of that time are still audited by them. They tell no tab from another, know
nothing of the time zone, and of the seed only where it settled a draw.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from referee.match.instants import format_instant
from referee.match.record import Record
from referee.match.result import Result, RoundResult, outcome_json, round_json
from referee.workbook.digests import (
    Log,
    allowed_later,
    digest,
    line,
    placed_outcome,
    placed_round,
)


def first_digests(result: Result, called: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the digests of inputs and result of every round, in order.

    ``called`` are what the players were called then, by their names now.
    """
    record = result.record
    queue = Log((row.time, line(_row(called, row, row.action, row.ruling))) for row in record.queue)
    submissions = Log((row.time, line(_submission(called, row))) for row in record.submissions)
    adjustments = Log(
        (row.time, line(_row(called, row, row.garnets, row.reason))) for row in record.adjustments
    )
    found = []
    for place, round_ in enumerate(result.rounds):
        ends_match = result.outcome is not None and place == len(result.rounds) - 1
        drawn = result.outcome is not None and result.outcome.decided_by == "draw"
        end = round_.official_end
        inputs = {
            **_set_up(record, round_, called, uses_seed=ends_match and drawn),
            "queue": queue.until(end),
            "submissions": submissions.until(end),
            "adjustments": adjustments.until(end),
            "allowed_later": [_submission(called, row) for row in allowed_later(result, place)],
        }
        output: dict[str, Any] = {"round": placed_round(round_json(round_), called)}
        if ends_match and result.outcome is not None:
            output["outcome"] = placed_outcome(outcome_json(result.outcome), called)
        found.append((digest(inputs), digest(output)))
    return tuple(found)


def _row(called: Mapping[str, str], row: Any, *cells: Any) -> list[Any]:
    edited = getattr(row, "edited", UNSET)
    more = [] if edited is UNSET else [format_instant(edited)]
    return [format_instant(row.time), called.get(row.player, row.player), *cells, *more]


def _submission(called: Mapping[str, str], row: Any) -> list[Any]:
    edited = None if row.edited is UNSET else format_instant(row.edited)
    player = called.get(row.player, row.player)
    return [format_instant(row.time), player, row.message, edited, row.ruling]


def _set_up(
    record: Record, round_: RoundResult, called: Mapping[str, str], *, uses_seed: bool
) -> dict[str, Any]:
    settings = msgspec.to_builtins(record.settings)
    seed = settings.pop("tie_break_seed", None)
    settings.pop("players_words", None)
    if uses_seed:
        settings["tie_break_seed"] = seed
    cut = bool(round_.visits) and round_.visits[-1].left_because == "next round"
    return {
        "format": record.format,
        "game": record.game,
        "start": format_instant(record.start),
        "settings": settings,
        "players": [[called[p.name], p.cell, called[p.rival], p.garnets] for p in record.players],
        "rounds": [
            [
                row.number,
                None if row.start is UNSET else format_instant(row.start),
                None if row.minutes is UNSET else row.minutes,
            ]
            for row in sorted(record.rounds, key=lambda row: row.number)
            if row.number <= round_.number
        ],
        "cut_by_next_round": format_instant(round_.official_end) if cut else None,
    }
