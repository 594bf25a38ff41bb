"""Hunger at the end of a round (R6.2-R6.4)."""

from collections.abc import Mapping, Sequence

from referee.match.record import FOOD, Settings
from referee.match.result import Loss
from referee.rules.pen import CELLS, CENTRE, NEIGHBOURS, Pen


def losses(
    pen: Pen, last_swap: tuple[str, str] | None, settings: Settings, names: Sequence[str]
) -> dict[str, tuple[Loss, ...]]:
    """Return what each clause takes from each pig, in hunger points; 0 points are not listed.

    ``pen`` is the pen after the round's swaps, ``last_swap`` the round's last swap as (player,
    two cells), ``names`` the players.
    """
    food = CELLS[list(pen.values()).index(FOOD)]
    points = settings.centre_loss if food == CENTRE else settings.missed_meal_loss
    missed: tuple[Loss, ...] = (Loss(points, "R6.2"),) if points else ()
    lost = dict.fromkeys(names, missed)
    if food != CENTRE:
        for cell in NEIGHBOURS[food]:
            fed = pen[cell]
            if fed is not None:
                lost[fed] = ()
    if last_swap is not None and settings.last_swap_loss:
        maker, swap = last_swap
        if CENTRE in swap:
            lost[maker] += (Loss(settings.last_swap_loss, "R6.3"),)
    return lost


def hunger_after(hunger: Mapping[str, int], lost: Mapping[str, Sequence[Loss]]) -> dict[str, int]:
    """Return each pig's hunger points after its losses, never below 0 (R6.4)."""
    after = {}
    for name, points in hunger.items():
        left = points
        for loss in lost[name]:
            left -= loss.points
        after[name] = max(0, left)
    return after
