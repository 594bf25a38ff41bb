"""Words that both pages share."""

from collections.abc import Iterable, Mapping, Sequence

from referee.match.record import FOOD
from referee.match.result import Loss
from referee.views.summary import counted

__all__ = ["counted", "listed", "loss", "pen_words"]


def listed(names: Sequence[str]) -> str:
    """Return names one after the other, or ``nobody``."""
    return ", ".join(names) or "nobody"


def loss(losses: Iterable[Loss]) -> str:
    """Return what a pig lost by each clause, ``−2 (R6.2)``; nothing where it lost nothing."""
    return " ".join(f"−{taken.points} ({taken.rule})" for taken in losses)


def pen_words(pen: Mapping[str, str | None]) -> str:
    """Tell who stands where, cell by cell."""
    food = next(cell for cell, token in pen.items() if token == FOOD)
    pigs = [f"{token} on {cell}" for cell, token in pen.items() if token not in (None, FOOD)]
    return f"The food is on {food}. {', '.join(pigs)}."
