"""The end of the match: the Elimination Candidate, the winners, their prizes, the draw (R7)."""

from collections.abc import Mapping, Sequence

from referee.record import Player, Settings
from referee.result import DecidedBy, Outcome

DRAW_PURPOSE = "elimination candidate"


def draw_message(names: Sequence[str]) -> str:
    """Return the text that is signed with the seed: the purpose, then the names by code point."""
    return "\n".join((DRAW_PURPOSE, *sorted(names)))


def draw(names: Sequence[str], seed: str) -> str:
    """Draw one name so that anyone with the seed can verify it (R7.3).

    HMAC-SHA256 with the seed over `draw_message`, as a big-endian number, modulo the number of
    names, indexes the names sorted by code point.
    """
    # Most matches need no draw, and every run pays for an import.
    import hmac

    digest = hmac.digest(
        seed.encode("utf-8", "surrogatepass"),
        draw_message(names).encode("utf-8", "surrogatepass"),
        "sha256",
    )
    return sorted(names)[int.from_bytes(digest) % len(names)]


def candidate(
    starved: Sequence[str], swaps: Mapping[str, int], first_swaps: Mapping[str, int], seed: str
) -> tuple[str | None, DecidedBy, tuple[str, ...]]:
    """Return the Elimination Candidate, what decided it, and between whom a draw is pending.

    ``swaps`` counts each player's swaps in the match, ``first_swaps`` holds the number (R5.5) of
    the first swap of those who made one.
    """
    if len(starved) == 1:
        return starved[0], "only starved pig", ()
    fewest = min(swaps[name] for name in starved)
    tied = [name for name in starved if swaps[name] == fewest]
    if len(tied) == 1:
        return tied[0], "fewest swaps", ()
    if fewest:
        return max(tied, key=first_swaps.__getitem__), "latest first swap", ()
    if seed:
        return draw(tied, seed), "draw", ()
    return None, "draw pending", tuple(sorted(tied))


def outcome(
    players: Sequence[Player],
    settings: Settings,
    hunger: Mapping[str, int],
    swaps: Mapping[str, int],
    first_swaps: Mapping[str, int],
) -> Outcome | None:
    """Return how the match ends after a round, or None while no pig has starved (R7.1-R7.5)."""
    if 0 not in hunger.values():
        return None
    starved = tuple(player.name for player in players if hunger[player.name] == 0)
    out, decided_by, tied = candidate(starved, swaps, first_swaps, settings.tie_break_seed)
    winners = tuple(
        player.name
        for player in players
        if out is not None and player.name != out and player.rival in starved
    )
    tokens = settings.sole_winner_tokens if len(winners) == 1 else settings.joint_winner_tokens
    return Outcome(
        starved=starved,
        elimination_candidate=out,
        decided_by=decided_by,
        winners=winners,
        tokens_of_life=dict.fromkeys(winners, tokens),
        garnets_won={name: hunger[name] // settings.hunger_per_garnet for name in winners},
        tied=tied,
    )
