"""The pen's seven hexagons: where each cell lies, and what moved from one pen to the next (R1.1).

Every drawing takes its places from here. They are counted in the two lengths a drawing chooses:
half a hexagon's width, and the way down from one row of cells to the next.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple


class Place(NamedTuple):
    """A cell's centre: ``across`` in half widths from the left edge, ``row`` from the top, 0-2."""

    across: int
    row: int


PLACES: Final[dict[str, Place]] = {
    "A": Place(2, 0),
    "B": Place(4, 0),
    "C": Place(1, 1),
    "D": Place(3, 1),
    "E": Place(5, 1),
    "F": Place(2, 2),
    "G": Place(4, 2),
}
WIDTH: Final = 6
"""The pen's width, in half widths of a hexagon."""
ROWS: Final = 3


class Move(NamedTuple):
    """A token that stands elsewhere than before."""

    token: str
    old: str
    new: str


def moves(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> tuple[Move, ...]:
    """Return the tokens that moved from one pen to another, by the cell they reached.

    Only the two pens are compared: how often a token was swapped on its way does not show (R6.5).
    """
    stood = {token: cell for cell, token in before.items() if token is not None}
    return tuple(
        Move(token, stood[token], cell)
        for cell, token in sorted(after.items())
        if token is not None and stood.get(token, cell) != cell
    )


def in_order(pen: Mapping[str, str | None]) -> Iterable[tuple[str, str | None]]:
    """Yield the cells by their letters with what stands there; a missing one is empty."""
    return ((cell, pen.get(cell)) for cell in PLACES)
