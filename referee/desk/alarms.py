"""When the Dealer has to look up: somebody enters, has ten seconds left, the timer is over."""

from collections.abc import Iterator
from typing import Final

from referee.desk.dealer_state import State
from referee.match.instants import SECOND

_LAST: Final = 10 * SECOND
"""How long before the end of a visit its Dealer is told."""


class Alarms:
    """What there is to ring for since the state before; nothing for what the first one shows."""

    def __init__(self) -> None:
        self._rung: set[tuple[object, ...]] | None = None

    def since(self, state: State) -> list[str]:
        """Return a line for each thing that has happened since the last state."""
        found = dict(_alarms(state))
        if self._rung is None:
            self._rung = set(found)
        new = [text for key, text in found.items() if key not in self._rung]
        self._rung |= set(found)
        return new


def _alarms(state: State) -> Iterator[tuple[tuple[object, ...], str]]:
    over = (state.round or 0) - (state.phase == "round")
    if over > 0:
        yield ("timer", over), f"the timer of round {over} is over"
    inside = state.inside
    if inside is not None:
        visit = (inside.player, inside.entered)
        yield ("entry", *visit), f"{inside.player} enters"
        if inside.until - state.now <= _LAST < inside.until - inside.entered:
            yield ("leaving", *visit), f"{inside.player} has ten seconds left"
