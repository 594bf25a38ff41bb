"""The Players tab: who plays, and every name that stands for one of them."""

from collections.abc import Sequence
from typing import Final, get_args

import msgspec

from referee.match.faults import quoted
from referee.match.record import FOOD, RingCell
from referee.workbook.cells import Value
from referee.workbook.findings import Findings
from referee.workbook.headers import Table
from referee.workbook.names import Roster, fold, mended, tidy, unfit
from referee.workbook.values import CellError, is_blank, read_text, read_whole, shown

_RING: Final[tuple[str, ...]] = get_args(RingCell)


class Entrant(msgspec.Struct, frozen=True):
    """A row of Players.

    ``cell`` and ``rival`` are None where the cell is blank, ``""`` where it is faulty.
    """

    row: int
    name: str
    cell: str | None
    rival: str | None
    garnets: int
    aliases: tuple[str, ...]
    token: str


def read_players(table: Table | None, findings: Findings) -> tuple[tuple[Entrant, ...], Roster]:
    """Read the tab; what is wrong with it goes into ``findings``."""
    reader = _Reader(table, findings)
    return reader.entrants(), reader.roster


class _Reader:
    def __init__(self, table: Table | None, findings: Findings) -> None:
        self.table, self.findings = table, findings
        self.roster = Roster()
        self._claimed: dict[str, tuple[str, str]] = {}

    def entrants(self) -> tuple[Entrant, ...]:
        """Read every row: first all names, then aliases, then the rest, which refers to them."""
        if self.table is None:
            return ()
        rows = self.table.rows
        names = [self._name(row, cells) for row, cells in rows]
        aliases = [
            self._aliases(row, cells, name) for (row, cells), name in zip(rows, names, strict=True)
        ]
        return tuple(
            Entrant(
                row=row,
                name=name,
                cell=self._cell(row, cells),
                rival=self._rival(row, cells),
                garnets=self._garnets(row, cells),
                aliases=others,
                token=self._token(row, cells),
            )
            for (row, cells), name, others in zip(rows, names, aliases, strict=True)
        )

    def _value(self, cells: Sequence[Value], column: str) -> Value:
        index = None if self.table is None else self.table.columns.get(column)
        return None if index is None else cells[index]

    def _fault(self, code: str, row: int, column: str, problem: str) -> None:
        if self.table is not None:
            self.findings.fault(*self.table.fault(code, row, column, problem))

    def _text(self, row: int, cells: Sequence[Value], column: str) -> str:
        try:
            return read_text(self._value(cells, column))
        except CellError as error:
            self._fault("bad-text", row, column, str(error))
            return ""

    def _name(self, row: int, cells: Sequence[Value]) -> str:
        """Return a player's name; for a faulty one, something no name can be."""
        value = self._value(cells, "Player")
        stand_in = f"\n{row}"
        if is_blank(value):
            self._fault("blank-name", row, "Player", "there is no name; add it or clear the row")
            return stand_in
        name = tidy(self._text(row, cells, "Player"))
        if not name:
            return stand_in
        if (bad := unfit(name)) is not None:
            problem = f"{quoted(name)} holds the character {bad}, which cannot be kept; retype it"
            self._fault("control-character", row, "Player", problem)
        elif fold(name) == FOOD:
            problem = f"{quoted(name)} is the food's name; choose another"
            self._fault("reserved-name", row, "Player", problem)
        elif self._claim(name, name, row, "Player"):
            return name
        return stand_in

    def _aliases(self, row: int, cells: Sequence[Value], name: str) -> tuple[str, ...]:
        found: dict[str, str] = {}
        for part in self._text(row, cells, "Aliases").split(","):
            alias = tidy(part)
            if not fold(alias) or fold(alias) == fold(name):
                continue
            if (bad := unfit(alias)) is not None:
                problem = f"{quoted(alias)} holds the character {bad}, which cannot be kept"
                self._fault("control-character", row, "Aliases", f"{problem}; retype it")
            elif fold(alias) not in found and self._claim(alias, name, row, "Aliases"):
                found[fold(alias)] = alias
        return tuple(found.values())

    def _claim(self, spelling: str, player: str, row: int, column: str) -> bool:
        """Let a spelling stand for a player; another's spelling is a fault with both cells."""
        if self.table is None:
            return False
        where = self.table.address(row, column)
        taken = self._claimed.setdefault(fold(spelling), (where, spelling))
        if taken[0] != where:
            problem = (
                f"{quoted(spelling)} is the same name as {quoted(taken[1])} in {taken[0]}; "
                "change one of the two"
            )
            self._fault("doubled-name", row, column, problem)
            return False
        self.roster.add(spelling, player)
        return True

    def _cell(self, row: int, cells: Sequence[Value]) -> str | None:
        value = self._value(cells, "Cell")
        if is_blank(value):
            return None
        letter = fold(self._text(row, cells, "Cell")).upper()
        if letter in _RING:
            return letter
        why = "is the food's cell" if letter == "D" else "is no cell"
        if len(letter) == 1 and not letter.isascii():
            why += f" (the {letter} here is U+{ord(letter):04X})"
        problem = f"{shown(value)} {why}; write one of {', '.join(_RING)}"
        self._fault("bad-cell", row, "Cell", problem)
        return ""

    def _rival(self, row: int, cells: Sequence[Value]) -> str | None:
        value = self._value(cells, "Rival")
        if is_blank(value):
            return None
        text = self._text(row, cells, "Rival")
        rival = self.roster.find(text)
        if rival is None and text:
            hint = self.roster.hint(text)
            problem = f"{shown(value)} is not in Players{hint}; write a player's name"
            self._fault("unknown-rival", row, "Rival", problem)
        return rival or ""

    def _garnets(self, row: int, cells: Sequence[Value]) -> int:
        value = self._value(cells, "Garnets")
        if is_blank(value):
            return 0
        try:
            return read_whole(value, 0)
        except CellError as error:
            self._fault("bad-number", row, "Garnets", str(error))
            return 0

    def _token(self, row: int, cells: Sequence[Value]) -> str:
        return mended(self._text(row, cells, "Token").strip())
