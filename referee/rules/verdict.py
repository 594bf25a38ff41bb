"""The end of the match: the Elimination Candidate, the winners, their prizes, the draw (R7)."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from referee.match.record import Player, Settings
from referee.match.result import DecidedBy, Outcome

DRAW_PURPOSE = "elimination candidate"


def draw_message(names: Sequence[str], words: str = "") -> str:
    """Return the text that is signed with the seed, a part a line (R7.3).

    The purpose, the names by code point, and the players' words where there are any.
    """
    return "\n".join((DRAW_PURPOSE, *sorted(names), *([words] if words else [])))


def commitment_to(seed: str) -> str:
    """Return the SHA-256 of a seed in UTF-8, which is made known before the match (R7.3)."""
    # Only a draw needs it, and every run pays for an import.
    import hashlib

    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()


class Draw(msgspec.Struct, frozen=True):
    """A draw with all it takes to verify it (R7.3).

    ``names`` are sorted by code point, ``words`` are the players', ``message`` is what was signed
    with ``seed``, ``digest`` the HMAC-SHA256 over it; ``index`` counts the names from 0.
    """

    names: tuple[str, ...]
    seed: str
    words: str
    message: bytes
    digest: bytes
    index: int

    @property
    def drawn(self) -> str:
        """The name that was drawn."""
        return self.names[self.index]


def draw(names: Sequence[str], seed: str, words: str = "") -> Draw:
    """Draw one name so that anyone with the seed and the players' words can verify it (R7.3).

    HMAC-SHA256 with the seed over `draw_message`, as a big-endian number, modulo the number of
    names, indexes the names sorted by code point.
    """
    # Most matches need no draw, and every run pays for an import.
    import hmac

    message = draw_message(names, words).encode("utf-8", "surrogatepass")
    digest = hmac.digest(seed.encode("utf-8", "surrogatepass"), message, "sha256")
    index = int.from_bytes(digest) % len(names)
    return Draw(tuple(sorted(names)), seed, words, message, digest, index)


class TieBreak(msgspec.Struct, frozen=True):
    """One step towards the Elimination Candidate: what was compared, and who was ``left`` (R7.2).

    ``figures`` holds what each player still tied had, ``lot`` the draw where the step is one.
    """

    decided_by: DecidedBy
    figures: Mapping[str, int]
    left: tuple[str, ...]
    lot: Draw | None = None


def tie_breaks(
    starved: Sequence[str],
    swaps: Mapping[str, int],
    first_swaps: Mapping[str, int],
    settings: Settings,
) -> Iterator[TieBreak]:
    """Go step by step from the starved pigs to one player, or to a pending draw (R7.2, R7.3).

    ``swaps`` counts each player's swaps in the match, ``first_swaps`` holds the number (R5.5) of
    the first swap of those who made one, ``settings`` the seed and the players' words.
    """
    left = tuple(starved)
    yield TieBreak("only starved pig", {}, left)
    if len(left) == 1:
        return
    counts = {name: swaps[name] for name in left}
    fewest = min(counts.values())
    left = tuple(name for name in left if counts[name] == fewest)
    yield TieBreak("fewest swaps", counts, left)
    if len(left) == 1:
        return
    if fewest:
        firsts = {name: first_swaps[name] for name in left}
        yield TieBreak("latest first swap", firsts, (max(left, key=firsts.__getitem__),))
    elif settings.tie_break_seed:
        lot = draw(left, settings.tie_break_seed, settings.players_words)
        yield TieBreak("draw", {}, (lot.drawn,), lot)
    else:
        yield TieBreak("draw pending", {}, tuple(sorted(left)))


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
    *_, last = tie_breaks(starved, swaps, first_swaps, settings)
    pending = last.decided_by == "draw pending"
    out = None if pending else last.left[0]
    winners = tuple(
        player.name
        for player in players
        if out is not None and player.name != out and player.rival in starved
    )
    tokens = settings.sole_winner_tokens if len(winners) == 1 else settings.joint_winner_tokens
    return Outcome(
        starved=starved,
        elimination_candidate=out,
        decided_by=last.decided_by,
        winners=winners,
        tokens_of_life=dict.fromkeys(winners, tokens),
        garnets_won={name: hunger[name] // settings.hunger_per_garnet for name in winners},
        tied=last.left if pending else (),
    )
