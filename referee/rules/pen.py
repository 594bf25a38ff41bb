"""The pen: seven cells, who touches whom, and swapping (R1, R6.1).

```
  A   B
C   D   E
  F   G
```
"""

from collections.abc import Iterable
from typing import Final

from referee.match.record import FOOD, Player

CELLS: Final = "ABCDEFG"
CENTRE: Final = "D"

NEIGHBOURS: Final[dict[str, str]] = {
    "A": "BCD",
    "B": "ADE",
    "C": "ADF",
    "D": "ABCEFG",
    "E": "BDG",
    "F": "CDG",
    "G": "DEF",
}
"""The cells each cell touches, in order of their letters (R1.1)."""

Pen = dict[str, str | None]
"""What stands on each cell: a player's name, ``food``, or nothing."""


def adjacent(one: str, other: str) -> bool:
    """Whether two cells touch (R1.1); letters that name no cell touch nothing."""
    return other in NEIGHBOURS.get(one, "")


def starting_pen(players: Iterable[Player]) -> Pen:
    """Return the pen at the start: food on D, each pig on its own ring cell (R1.2, R1.3)."""
    pen: Pen = dict.fromkeys(CELLS)
    pen[CENTRE] = FOOD
    for player in players:
        pen[player.cell] = player.name
    return pen


def swap_tokens(pen: Pen, swap: str) -> None:
    """Swap what stands on the two cells of ``swap``, two letters, in place (R1.3, R6.1)."""
    one, other = swap[0], swap[1]
    pen[one], pen[other] = pen[other], pen[one]
