"""What the players may see after a round, and nothing else (R6.5).

Announcements and pictures are made from this alone. Who swapped, who visited, rivals, garnets and
what decided between starved pigs (it counts swaps) are not in it, so they cannot get out.
"""

from collections.abc import Mapping

import msgspec

from referee.judging.anchors import Told, told
from referee.match.faults import WrongUsage
from referee.match.result import Result
from referee.rules.pen import starting_pen
from referee.rules.verdict import Draw, commitment_to, tie_breaks


class Ending(msgspec.Struct, frozen=True):
    """The match's public end; without a candidate the draw is still pending (R7).

    ``lot`` is the draw where one settled it, for the players to verify (R7.3).
    """

    starved: tuple[str, ...]
    elimination_candidate: str | None
    tokens_of_life: Mapping[str, int]
    """By winner."""
    lot: Draw | None = None


class Revealed(msgspec.Struct, frozen=True):
    """A round as the players see it; ``number`` 0 is the start of the match.

    ``before`` is the pen of the round before (None at the start), ``tokens`` each player's token
    where they have one, ``hunger`` None where the host does not tell it, ``ending`` None unless the
    match ended with this round. ``commitment`` is the SHA-256 of the tie-break seed, told at the
    start alone and empty where there is no seed; ``words`` are the players' (R7.3).
    ``told`` is what its receipt says, None where it has none.
    """

    number: int
    before: Mapping[str, str | None] | None
    pen: Mapping[str, str | None]
    tokens: Mapping[str, str]
    hunger: Mapping[str, int] | None
    ending: Ending | None
    commitment: str = ""
    words: str = ""
    told: Told | None = None


def revealed(result: Result, number: int, *, hunger: bool = False) -> Revealed:
    """Return what the players may see after a round, their hunger only if asked for.

    Raises `WrongUsage` where the round has not been played.
    """
    check_played(result, number, first=0)
    record, seed = result.record, result.record.settings.tie_break_seed
    start = starting_pen(record.players)
    pens = [start, *(round_.pen for round_ in result.rounds)]
    points = (
        result.rounds[number - 1].hunger
        if number
        else {player.name: record.settings.starting_hunger for player in record.players}
    )
    return Revealed(
        number=number,
        before=pens[number - 1] if number else None,
        pen=pens[number],
        tokens={player.name: player.token for player in record.players if player.token},
        hunger=points if hunger else None,
        ending=_ending(result) if number == len(result.rounds) else None,
        commitment=commitment_to(seed) if seed and number == 0 else "",
        words=record.settings.players_words,
        told=told(record.settings.tie_break_seed, record.published or {}).get(number),
    )


def check_played(result: Result, number: int, *, first: int) -> None:
    """Raise `WrongUsage` unless the round was played; with ``first`` 0 the start counts too."""
    last = len(result.rounds)
    if not first <= number <= last:
        played = f"1 to {last}" if last else "none so far"
        start = ", or 0 for the start" if first == 0 else ""
        raise WrongUsage(f"round must be one that was played ({played}){start}; not {number}")


def _ending(result: Result) -> Ending | None:
    outcome = result.outcome
    if outcome is None:
        return None
    lot = _lot(result) if outcome.decided_by == "draw" else None
    return Ending(outcome.starved, outcome.elimination_candidate, outcome.tokens_of_life, lot)


def _lot(result: Result) -> Draw | None:
    """Return the draw behind a result, as the tie-breaks come to it once more."""
    starved = () if result.outcome is None else result.outcome.starved
    *_, last = tie_breaks(starved, result.swaps, {}, result.record.settings)
    return last.lot
