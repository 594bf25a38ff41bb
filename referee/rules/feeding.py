"""Hunger at the end of a round (R6.2-R6.4)."""

from collections.abc import Mapping, Sequence

from referee.record import FOOD, Settings
from referee.result import Loss
from referee.rules.pen import CENTRE, NEIGHBOURS, Pen


def losses(
    pen: Pen, last_swap: tuple[str, str] | None, settings: Settings, names: Sequence[str]
) -> dict[str, tuple[Loss, ...]]:
    """Return what each clause takes from each pig, in hunger points; 0 points are not listed.

    ``pen`` is the pen after the round's swaps, ``last_swap`` the round's last swap as (player,
    two cells), ``names`` the players.
    """
    food = next(cell for cell, token in pen.items() if token == FOOD)
    if food == CENTRE:
        hungry, points = set(names), settings.centre_loss
    else:
        fed = {pen[cell] for cell in NEIGHBOURS[food]}
        hungry, points = {name for name in names if name not in fed}, settings.missed_meal_loss
    missed = (Loss(points, "R6.2"),) if points else ()
    lost = {name: missed if name in hungry else () for name in names}
    if last_swap is not None and settings.last_swap_loss:
        maker, swap = last_swap
        if CENTRE in swap:
            lost[maker] += (Loss(settings.last_swap_loss, "R6.3"),)
    return lost


def hunger_after(
    hunger: Mapping[str, int], lost: Mapping[str, Sequence[Loss]]
) -> dict[str, int]:
    """Return each pig's hunger points after its losses, never below 0 (R6.4)."""
    return {
        name: max(0, points - sum(loss.points for loss in lost[name]))
        for name, points in hunger.items()
    }
