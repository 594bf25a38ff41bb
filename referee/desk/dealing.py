"""Dealing a match: starting cells, rivals and the tie-break seed (R1.2, R1.4, R7.3).

Every draw comes from one stream of uniform numbers, either the system's randomness or one that
follows from a given text, so that a deal can be repeated and checked.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

import msgspec

from referee.judging.auditing import published_rounds
from referee.match.faults import Fault, Stopped, WrongUsage
from referee.match.record import CellValue, RingCell
from referee.stores.contract import CellEdit
from referee.workbook.places import Places

What = Literal["cells", "rivals", "seed"]
WHAT: Final[tuple[What, ...]] = get_args(What)

Draw = Callable[[int], int]
"""Return a number from 0 to one less than the given one, each as likely."""


class Deal(msgspec.Struct, frozen=True):
    """What was dealt: cells and rivals by player, the seed and the public commitment to it.

    What was not drawn is empty.
    """

    cells: dict[str, str]
    rivals: dict[str, str]
    seed: str = ""

    @property
    def commitment(self) -> str:
        """SHA-256 of the seed in UTF-8, to be told before the match (R7.3)."""
        return hashlib.sha256(self.seed.encode()).hexdigest()


def system_draw(below: int) -> int:
    """Draw from the system's randomness."""
    import secrets

    return secrets.randbelow(below)


def seeded_draw(seed: str) -> Draw:
    """Return draws that follow from a text alone, on every machine and version.

    The n-th block is SHA-256 of the seed and n; a number beyond the last whole multiple of
    ``below`` is drawn again, so that none is favoured.
    """
    count = 0

    def draw(below: int) -> int:
        nonlocal count
        limit = 2**256 - 2**256 % below
        while True:
            block = hashlib.sha256(f"referee deal\n{seed}\n{count}".encode()).digest()
            count += 1
            number = int.from_bytes(block)
            if number < limit:
                return number % below

    return draw


def deal(names: Sequence[str], draw: Draw, what: Sequence[What] = WHAT) -> Deal:
    """Deal to the players in the order of the sheet.

    Rivals are a permutation without fixed points, each as likely. Raises ValueError where the
    number of players allows none.
    """
    if not 2 <= len(names) <= 6:
        raise ValueError(f"{len(names)} players; a match has 2 to 6")
    cells = _shuffled(get_args(RingCell), draw) if "cells" in what else []
    rivals = _derangement(names, draw) if "rivals" in what else []
    letters = "abcdefghijkmnpqrstuvwxyz23456789"
    seed = "".join(letters[draw(len(letters))] for _ in range(32)) if "seed" in what else ""
    return Deal(
        cells=dict(zip(names, cells, strict=False)),
        rivals=dict(zip(names, rivals, strict=False)),
        seed=seed,
    )


def _shuffled(items: Sequence[str], draw: Draw) -> list[str]:
    rest = list(items)
    return [rest.pop(draw(len(rest))) for _ in items]


def _derangement(names: Sequence[str], draw: Draw) -> list[str]:
    while True:
        # Drawing anew until it fits is what makes every fitting permutation as likely.
        drawn = _shuffled(names, draw)
        if all(rival != name for rival, name in zip(drawn, names, strict=True)):
            return drawn


def check_allowed(
    published: dict[str, list[list[CellValue]]] | None, what: Sequence[What], seed_given: bool
) -> None:
    """Raise `WrongUsage` where a deal would replace what a published round already used."""
    rounds = published_rounds(published or {})
    if not rounds:
        return
    are = "1 round is" if rounds == 1 else f"{rounds} rounds are"
    if "cells" in what or "rivals" in what:
        raise WrongUsage(f"{are} published: cells and rivals stay as they were dealt")
    if seed_given:
        raise WrongUsage(
            f"{are} published and the players have the commitment to the seed: it stays as it was "
            "dealt"
        )


def edits(dealt: Deal, places: Places, names: Sequence[str], rows: Sequence[int]) -> list[CellEdit]:
    """Return the cells to set: Players' Cell and Rival, and the setting Tie-break seed.

    ``rows`` are the sheet rows of ``names``. Raises `Stopped` where a column is missing.
    """
    found = []
    for column, drawn in (("Cell", dealt.cells), ("Rival", dealt.rivals)):
        number = places.column("Players", column)
        if drawn and number is None:
            text = f"{places.title('Players')}: there is no column {column}; add it"
            raise Stopped([Fault("missing-column", text, "Players")])
        for name, row in zip(names, rows, strict=True):
            if name in drawn and number is not None:
                found.append(CellEdit(places.title("Players"), row, number, drawn[name]))
    if dealt.seed:
        found += _seed_edits(dealt.seed, places)
    return found


def _seed_edits(seed: str, places: Places) -> list[CellEdit]:
    title = places.title("Settings")
    setting, value = places.column("Settings", "Setting"), places.column("Settings", "Value")
    if setting is None or value is None:
        text = f"{title}: there is no tab or header with Setting and Value; add it"
        raise Stopped([Fault("missing-column", text, "Settings")])
    row = places.setting_rows.get("tie_break_seed")
    if row is not None:
        return [CellEdit(title, row, value, seed)]
    row = (places.last_row("Settings") or 1) + 1
    return [CellEdit(title, row, setting, "Tie-break seed"), CellEdit(title, row, value, seed)]
