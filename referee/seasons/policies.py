"""How simulated players play: simple named policies, each a ping and a choice of swap.

A policy sees what a player may see (R6.5): the pen as the round began, its own swaps of this round,
its rival and its garnets. It never sees what others swapped in the round.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import msgspec

from referee.match.record import FOOD, Settings
from referee.rules.feeding import losses
from referee.rules.pen import CELLS, CENTRE, NEIGHBOURS, Pen, swap_tokens

SWAPS: Final = tuple(one + other for one in CELLS for other in NEIGHBOURS[one] if one < other)
"""The twelve swaps there are, two letters each (R1.1)."""


class View(msgspec.Struct, frozen=True):
    """What one player knows on entering the Dealer Room."""

    name: str
    rival: str
    pen: Pen
    settings: Settings

    def after(self, swap: str) -> Pen:
        """Return the pen that the player expects after a swap."""
        pen = dict(self.pen)
        swap_tokens(pen, swap)
        return pen

    def loss(self, name: str, pen: Pen) -> int:
        """Return the hunger that a pig would lose if the round ended with this pen (R6.2)."""
        names = [token for token in pen.values() if token is not None and token != FOOD]
        return sum(loss.points for loss in losses(pen, None, self.settings, names)[name])


Choice = Callable[[View, Random], str | None]


class Policy(msgspec.Struct, frozen=True):
    """A way to play: ``what`` says it in a line.

    ``pings`` is how often of a hundred rounds it queues at all, between ``earliest`` and ``latest``
    parts of the round; ``choose`` picks the swap, None for none; with ``again`` it queues once more
    after a visit, as long as it can pay (R4.5).
    """

    name: str
    what: str
    pings: int
    earliest: float
    latest: float
    choose: Choice
    again: bool = False


def drawn(draw: Random, options: Sequence[str]) -> str:
    """Draw one of some options; `Random.random` alone gives the same on every version."""
    return options[int(draw.random() * len(options))]


def _none(_view: View, _draw: Random) -> str | None:
    return None


def _any(_view: View, draw: Random) -> str | None:
    return drawn(draw, SWAPS)


def _feed(view: View, draw: Random) -> str | None:
    return _best(view, draw, SWAPS, lambda pen: view.loss(view.name, pen))


def _feed_around_the_centre(view: View, draw: Random) -> str | None:
    swaps = [swap for swap in SWAPS if CENTRE not in swap]
    return _best(view, draw, swaps, lambda pen: view.loss(view.name, pen))


def _starve_the_rival(view: View, draw: Random) -> str | None:
    weight = 2 * max(view.settings.missed_meal_loss, view.settings.centre_loss, 1)

    def cost(pen: Pen) -> int:
        return view.loss(view.name, pen) - weight * view.loss(view.rival, pen)

    return _best(view, draw, SWAPS, cost)


def _best(view: View, draw: Random, swaps: Sequence[str], cost: Callable[[Pen], int]) -> str | None:
    """Return a swap of the least cost, none where the pen is as good as it is."""
    costs = [cost(view.after(swap)) for swap in swaps]
    least = min(costs)
    if cost(view.pen) <= least:
        return None
    return drawn(draw, [swap for swap, one in zip(swaps, costs, strict=True) if one == least])


POLICIES: Final = {
    policy.name: policy
    for policy in (
        Policy("idle", "never queues", 0, 0.0, 0.0, _none),
        Policy("random", "queues every other round and swaps anything", 50, 0.0, 1.0, _any),
        Policy("hungry", "brings the own pig to the food", 90, 0.0, 0.6, _feed),
        Policy("hunter", "keeps the rival's pig from the food", 90, 0.3, 1.0, _starve_the_rival),
        Policy("avoider", "feeds the own pig, never by D", 90, 0.3, 1.0, _feed_around_the_centre),
        Policy("spender", "pays to hunt again", 90, 0.0, 0.8, _starve_the_rival, again=True),
    )
}
"""Every policy by name."""

MIXED: Final = "mixed"
"""In place of a policy: each seat of each match draws one of all."""
