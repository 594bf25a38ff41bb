"""Dealing a match: starting cells, rivals and the tie-break seed (R1.2, R1.4, R7.3).

Every draw comes from one stream of uniform numbers, either the system's randomness or one that
follows from a given text, so that a deal can be repeated and checked.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

import msgspec

from referee.judging.standing import published_rounds
from referee.match.faults import Fault, Stopped, WrongUsage
from referee.match.record import CellValue, RingCell
from referee.rules.verdict import commitment_to
from referee.stores.contract import CellEdit
from referee.workbook import layout
from referee.workbook.places import Places

What = Literal["cells", "rivals", "seed"]
WHAT: Final[tuple[What, ...]] = get_args(What)
_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz23456789"
"""What a seed is made of: nothing that looks like something else."""

Draw = Callable[[int], int]
"""Return a number from 0 to one less than the given one, each as likely."""


class Standing(msgspec.Struct, frozen=True):
    """What stands in the sheet before a deal: cells and rivals by player, seed and commitment.

    Every player has an entry in ``cells`` and ``rivals``, in the order of the sheet, empty where
    nothing was dealt yet.
    """

    cells: dict[str, str]
    rivals: dict[str, str]
    seed: str = ""
    commitment: str = ""

    def without(self, what: Sequence[What]) -> "Standing":
        """Return it as it is before these things were dealt."""
        blank = dict.fromkeys(self.cells, "")
        return Standing(
            cells=blank if "cells" in what else self.cells,
            rivals=blank if "rivals" in what else self.rivals,
            seed="" if "seed" in what else self.seed,
            commitment="" if "seed" in what else self.commitment,
        )

    def blanks(self, what: Sequence[What]) -> tuple[What, ...]:
        """Return which of these things are not dealt, or not to every player."""
        missing = {
            "cells": not all(self.cells.values()),
            "rivals": not all(self.rivals.values()),
            "seed": not (self.seed and self.commitment),
        }
        return tuple(one for one in what if missing[one])


def undealt(names: Sequence[str]) -> Standing:
    """Return what stands in a sheet before anything is dealt to these players."""
    blank = dict.fromkeys(names, "")
    return Standing(blank, blank)


class Deal(msgspec.Struct, frozen=True):
    """What is dealt: cells and rivals by player, the seed and the public commitment to it.

    What was not asked for is empty.
    """

    cells: dict[str, str]
    rivals: dict[str, str]
    seed: str = ""

    @property
    def commitment(self) -> str:
        """SHA-256 of the seed in UTF-8, to be told before the match (R7.3)."""
        return commitment_to(self.seed)


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


def deal(standing: Standing, draw: Draw, what: Sequence[What] = WHAT) -> Deal:
    """Deal what is blank to the players in the order of the sheet; the rest stays as it stands.

    Rivals are a permutation without fixed points, each that fits as likely. Raises ValueError,
    worded for a host, where the number of players or what stands already allows none.
    """
    names = list(standing.cells)
    if not 2 <= len(names) <= 6:
        raise ValueError(f"{len(names)} players; a match has 2 to 6")
    cells = _cells(standing.cells, draw) if "cells" in what else {}
    rivals = _rivals(standing.rivals, draw) if "rivals" in what else {}
    seed = standing.seed if "seed" in what else ""
    if "seed" in what and not seed:
        seed = "".join(_LETTERS[draw(len(_LETTERS))] for _ in range(32))
    return Deal(cells, rivals, seed)


def _cells(held: dict[str, str], draw: Draw) -> dict[str, str]:
    free = [cell for cell in get_args(RingCell) if cell not in held.values()]
    drawn = _shuffled(free, draw)
    blank = [name for name, cell in held.items() if not cell]
    if len(free) < len(blank):
        raise ValueError("two players stand on one cell; correct it, or deal with --again")
    return held | dict(zip(blank, drawn, strict=False))


def _rivals(held: dict[str, str], draw: Draw) -> dict[str, str]:
    blank = [name for name, rival in held.items() if not rival]
    free = [name for name in held if name not in held.values()]
    if len(free) != len(blank) or blank == free == blank[:1] != []:
        raise ValueError(
            "the rivals that stand there leave no rival to somebody; correct them, or deal with "
            "--again"
        )
    while True:
        # Drawing anew until it fits is what makes every fitting permutation as likely.
        drawn = _shuffled(free, draw)
        if all(rival != name for rival, name in zip(drawn, blank, strict=True)):
            return held | dict(zip(blank, drawn, strict=True))


def _shuffled(items: Sequence[str], draw: Draw) -> list[str]:
    rest = list(items)
    return [rest.pop(draw(len(rest))) for _ in items]


def check_allowed(
    published: dict[str, list[list[CellValue]]] | None,
    drawn: Sequence[What],
    standing: Standing,
    before: Standing,
) -> None:
    """Raise `WrongUsage` where a deal that begins at ``before`` would replace what is in use.

    That is cells and rivals of a published round, and a seed the players hold the commitment to.
    """
    rounds = published_rounds(published or {})
    if not rounds:
        return
    are = "1 round is" if rounds == 1 else f"{rounds} rounds are"
    if "cells" in drawn or "rivals" in drawn:
        raise WrongUsage(f"{are} published: cells and rivals stay as they were dealt")
    if "seed" in drawn and not before.seed and (standing.seed or standing.commitment):
        raise WrongUsage(
            f"{are} published and the players have the commitment to the seed: it stays as it was "
            "dealt"
        )


def check_seed(standing: Standing) -> None:
    """Raise `WrongUsage` where the seed is not there that was committed to, as no other fits."""
    if not standing.commitment or standing.commitment == commitment_to(standing.seed):
        return
    is_ = "not the one of its Commitment" if standing.seed else "blank and its Commitment is not"
    raise WrongUsage(
        f"the Tie-break seed is {is_}: put the seed back that was dealt, or deal both anew with "
        "--only seed --again"
    )


def edits(
    dealt: Deal, standing: Standing, places: Places, names: Sequence[str], rows: Sequence[int]
) -> list[CellEdit]:
    """Return the cells to set, where something else stands: Players' Cell and Rival, the seed.

    ``rows`` are the sheet rows of ``names``. Raises `Stopped` where a column is missing.
    """
    found = []
    columns = (("Cell", dealt.cells, standing.cells), ("Rival", dealt.rivals, standing.rivals))
    for column, drawn, held in columns:
        number = places.column("Players", column)
        if drawn and number is None:
            text = f"{places.title('Players')}: there is no column {column}; add it"
            raise Stopped([Fault("missing-column", text, "Players")])
        for name, row in zip(names, rows, strict=True):
            if number is not None and drawn.get(name, held[name]) != held[name]:
                found.append(CellEdit(places.title("Players"), row, number, drawn[name]))
    if dealt.seed:
        settings = {"tie_break_seed": (dealt.seed, standing.seed)}
        settings["commitment"] = (dealt.commitment, standing.commitment)
        found += _settings_edits(settings, places)
    return found


def _settings_edits(settings: dict[str, tuple[str, str]], places: Places) -> list[CellEdit]:
    """Return the edits that give settings a new value for an old one, in their row or a new one."""
    title = places.title("Settings")
    setting, value = places.column("Settings", "Setting"), places.column("Settings", "Value")
    if setting is None or value is None:
        text = f"{title}: there is no tab or header with Setting and Value; add it"
        raise Stopped([Fault("missing-column", text, "Settings")])
    titles = {row.key: row.title for row in layout.load().settings_rows}
    below = (places.last_row("Settings") or 1) + 1
    found = []
    for key, (new, old) in settings.items():
        row = places.setting_rows.get(key)
        if new == old:
            continue
        if row is None:
            row, below = below, below + 1
            found.append(CellEdit(title, row, setting, titles[key]))
        found.append(CellEdit(title, row, value, new))
    return found
