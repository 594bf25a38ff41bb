"""What is doubtful about a draw before it is needed: its seed, the commitment, the words (R7.3)."""

import math
import string
from collections.abc import Iterator
from typing import Final

from referee.match.record import Settings
from referee.rules.verdict import commitment_to
from referee.workbook.findings import Remark

ENOUGH: Final = 80
"""Bits of chance in a seed, below which it could be found by trying."""

_CLASSES: Final = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
_OTHERS: Final = 32
"""How many more signs are on a keyboard."""


def chance_in(seed: str) -> float:
    """Return how many bits of chance a seed can hold at most, judged by its length and signs."""
    signs = set(seed)
    if signs <= set("0123456789abcdef") or signs <= set("0123456789ABCDEF"):
        choices = 16 if signs - set(string.digits) else 10
    else:
        choices = sum(len(one) for one in _CLASSES if not signs.isdisjoint(one))
        choices += _OTHERS if signs - set("".join(_CLASSES)) else 0
    # Signs that come again and again leave less to guess than their alphabet.
    return len(seed) * math.log2(min(choices, 2 * len(signs))) if seed else 0.0


def seed_doubt(settings: Settings, commitment: str) -> str | None:
    """Return why a seed is not the one committed to; None where it is, or one is missing."""
    if not (settings.tie_break_seed and commitment):
        return None
    digest = commitment_to(settings.tie_break_seed)
    if digest == commitment.strip().casefold():
        return None
    return (
        f"the Tie-break seed is not the one the players were promised: its SHA-256 is {digest}, "
        "the Commitment is another; put the seed back that was dealt (R7.3)"
    )


def draw_doubts(settings: Settings, commitment: str, title: str) -> Iterator[Remark]:
    """Tell what a host should mend before round 1, so that a draw settles a tie beyond doubt.

    ``title`` is the tab's. A seed that does not fit the commitment is told wherever it is read.
    """
    seed = settings.tie_break_seed
    if not seed:
        kept = "put the seed back that was dealt" if commitment else "run referee deal"
        text = f"there is no Tie-break seed, so that a tie may stay undrawn; {kept}"
        yield _doubt("no-seed", title, text)
        return
    bits = int(chance_in(seed))
    if bits < ENOUGH:
        yield _doubt(
            "weak-seed",
            title,
            f"the Tie-break seed holds at most {bits} bits of chance and could be guessed from its "
            f"SHA-256; {ENOUGH} are enough: let referee deal draw it before round 1",
        )
    if not settings.players_words:
        yield _doubt(
            "no-words",
            title,
            "there are no Players' words, so that players have to trust you not to have chosen the "
            "seed; post its SHA-256, ask each for a word, and fill them in before round 1",
        )


def _doubt(code: str, title: str, text: str) -> Remark:
    return Remark(code, f"{title}: {text} (R7.3)", "Settings", severity="warning")
