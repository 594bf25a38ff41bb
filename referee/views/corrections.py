"""What a corrected round changes for players, against what they were told before (R6.5)."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from referee.match.record import FOOD
from referee.rules.pen import CELLS
from referee.views.revealed import Revealed


class Correction(msgspec.Struct, frozen=True):
    """One thing that is otherwise than it was announced, in words."""

    what: str
    before: str
    now: str


def corrections(seen: Revealed) -> Iterator[Correction]:
    """Yield what of a round is otherwise than its announcement before said.

    Hunger only where it is told; nothing where nothing was corrected.
    """
    before = None if seen.told is None else seen.told.instead_of
    if not before:
        return
    pen = _mapping(before, "pen")
    yield from _differing(
        (f"cell {cell}", _token(pen.get(cell)), _token(seen.pen[cell])) for cell in CELLS if pen
    )
    hunger = _mapping(before, "hunger")
    if seen.hunger is not None and hunger:
        yield from _differing(
            (f"hunger of {name}", str(hunger.get(name, "nothing")), str(points))
            for name, points in seen.hunger.items()
        )
    yield from _differing(_ends(_mapping(before, "end"), seen))


def _ends(before: Mapping[str, Any], seen: Revealed) -> Iterator[tuple[str, str, str]]:
    ending = seen.ending
    now = {
        "Starved": ", ".join(ending.starved) if ending else "",
        "Elimination Candidate": (ending.elimination_candidate or "") if ending else "",
        "Winners": ", ".join(ending.tokens_of_life) if ending else "",
    }
    for item, value in now.items():
        yield item, str(before.get(item) or "nobody"), value or "nobody"


def _differing(values: Iterator[tuple[str, str, str]]) -> Iterator[Correction]:
    for what, before, now in values:
        if before != now:
            yield Correction(what, before, now)


def _mapping(before: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = before.get(key)
    return found if isinstance(found, dict) else {}


def _token(token: Any) -> str:
    if token is None:
        return "nothing"
    return "the food" if token == FOOD else str(token)
