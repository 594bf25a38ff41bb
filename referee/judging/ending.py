"""How a match ended, step by step, with every figure behind it (R7)."""

from collections.abc import Iterator
from typing import Any

import msgspec

from referee.match.faults import quoted
from referee.match.result import Outcome
from referee.rules.replay import Replay
from referee.rules.verdict import Draw, TieBreak, commitment_to, tie_breaks


class Fate(msgspec.Struct, frozen=True):
    """What the end brought one player: their own hunger, their rival's, and the prizes (R7.2-R7.5).

    ``hunger_per_garnet`` is the setting behind ``garnets``.
    """

    player: str
    hunger: int
    rival: str
    rival_hunger: int
    eliminated: bool
    pending: bool
    tokens: int
    garnets: int
    hunger_per_garnet: int

    @property
    def words(self) -> str:
        """Why this player is the Elimination Candidate, a winner, or neither."""
        starved = self.rival_hunger == 0
        state = "starved" if starved else f"has {self.rival_hunger} left"
        rival = f"the rival {self.rival} {state}"
        if self.eliminated:
            return f"{self.player} is the Elimination Candidate (R7.2)"
        if self.pending:
            return f"{self.player}: {rival}; winners are known once the draw is settled (R7.3)"
        if not starved:
            return f"{self.player} does not win: {rival} (R7.4)"
        return (
            f"{self.player} wins: {rival} and {self.player} is not the Elimination Candidate "
            f"(R7.4); Tokens of Life: {self.tokens}, garnets: {self.garnets}, 1 for every "
            f"{self.hunger_per_garnet} of {self.hunger} hunger points left (R7.5)"
        )


class Ending(msgspec.Struct, frozen=True):
    """The end of a match: the last round, each tie-break with its figures, each player's fate.

    ``commitment`` is what players were told of the seed before the match (R7.3).
    """

    round: int
    outcome: Outcome
    steps: tuple[TieBreak, ...]
    fates: tuple[Fate, ...]
    commitment: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the ending as ``--json`` shows it."""
        return {
            "round": self.round,
            "starved": list(self.outcome.starved),
            "elimination_candidate": self.outcome.elimination_candidate,
            "decided_by": self.outcome.decided_by,
            "steps": [_step_json(step, self.commitment) for step in self.steps],
            "players": [
                {**msgspec.structs.asdict(fate), "text": fate.words} for fate in self.fates
            ],
        }

    def lines(self) -> Iterator[str]:
        """Tell the ending, one sentence a line."""
        starved = ", ".join(self.outcome.starved)
        yield f"the match ended with round {self.round}: no hunger left to {starved} (R7.1)"
        for step in self.steps:
            yield from _step_lines(step, self.commitment)
        for fate in self.fates:
            yield fate.words


def ending(replay: Replay) -> Ending | None:
    """Return how a replayed match ended, None while it runs."""
    outcome = replay.outcome
    if outcome is None:
        return None
    settings, hunger = replay.record.settings, replay.hunger
    steps = tie_breaks(outcome.starved, replay.swaps, replay.first_swaps, settings)
    fates = tuple(
        Fate(
            player=player.name,
            hunger=hunger[player.name],
            rival=player.rival,
            rival_hunger=hunger[player.rival],
            eliminated=player.name == outcome.elimination_candidate,
            pending=outcome.elimination_candidate is None,
            tokens=outcome.tokens_of_life.get(player.name, 0),
            garnets=outcome.garnets_won.get(player.name, 0),
            hunger_per_garnet=settings.hunger_per_garnet,
        )
        for player in replay.record.players
    )
    return Ending(replay.rounds[-1].number, outcome, tuple(steps), fates)


def _step_json(step: TieBreak, commitment: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "decided_by": step.decided_by,
        "figures": dict(step.figures),
        "left": list(step.left),
    }
    if step.lot is not None:
        found["draw"] = _draw_json(step.lot, commitment)
    return found


def _draw_json(lot: Draw, commitment: str) -> dict[str, Any]:
    return {
        "names": list(lot.names),
        "seed": lot.seed,
        "seed_hex": _seed_bytes(lot).hex(),
        "seed_sha256": commitment_to(lot.seed),
        "commitment": commitment or None,
        "players_words": lot.words,
        "message": lot.message.decode("utf-8", "surrogatepass"),
        "message_hex": lot.message.hex(),
        "hmac_sha256": lot.digest.hex(),
        "modulo": len(lot.names),
        "index": lot.index,
        "drawn": lot.drawn,
    }


def _step_lines(step: TieBreak, commitment: str) -> Iterator[str]:
    left = ", ".join(step.left)
    figures = ", ".join(f"{name} {figure}" for name, figure in step.figures.items())
    match step.decided_by:
        case "only starved pig":
            if len(step.left) == 1:
                yield f"the only starved pig is {left}'s (R7.2)"
        case "fewest swaps":
            yield f"fewest swaps in the match (R7.2): {figures}: {left}"
        case "latest first swap":
            yield f"latest first swap, by its number in the match (R7.2): {figures}: {left}"
        case "draw pending":
            yield f"tied without any swap: {left} (R7.2)"
            yield "the draw is pending: fill in the setting Tie-break seed (R7.3)"
        case "draw":
            if step.lot is not None:
                yield f"tied without any swap: {', '.join(step.lot.names)} (R7.2)"
                yield from _draw_lines(step.lot, commitment)


def _draw_lines(lot: Draw, commitment: str) -> Iterator[str]:
    """Tell a draw so that anyone can verify it (R7.3)."""
    yield "the draw, for anyone to verify (R7.3):"
    yield f"  SHA-256 of the seed: {commitment_to(lot.seed)}"
    yield f"  Commitment, as the players were told: {commitment or 'none is kept'}"
    yield f"  the players' words: {quoted(lot.words) if lot.words else 'none'}"
    yield f"  names by code point: {', '.join(lot.names)}"
    yield f"  message (UTF-8, in hexadecimal): {lot.message.hex()}"
    yield f"  key, the tie-break seed (UTF-8, in hexadecimal): {_seed_bytes(lot).hex()}"
    yield f"  HMAC-SHA256: {lot.digest.hex()}"
    count = len(lot.names)
    yield f"  as a big-endian number modulo {count}: {lot.index}, counted from 0: {lot.drawn}"


def _seed_bytes(lot: Draw) -> bytes:
    return lot.seed.encode("utf-8", "surrogatepass")
