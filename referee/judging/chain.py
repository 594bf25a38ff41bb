"""The tab Receipts as it stands: whether its chain holds, and where it was changed.

The right values of most cells are known, so a row whose chain is broken is tried with each of them
in turn: the one that mends the chain is the cell that was changed. A row that is gone is told once,
as that.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from referee.judging.comparing import said_in_quotes
from referee.match.instants import parse_instant
from referee.match.record import CellValue
from referee.version import __version__
from referee.workbook.cells import column_letters
from referee.workbook.digests import TABS, Digests
from referee.workbook.oddities import is_odd, shown
from referee.workbook.receipts import (
    CHAIN_START,
    COLUMNS,
    FIRST_COLUMNS,
    Receipt,
    link,
    read_row,
    seal,
)

_AT: Final = COLUMNS.index("resolved_at")
_VERSION: Final = COLUMNS.index("version")
_RECEIPT: Final = COLUMNS.index("receipt")
_SALT: Final = COLUMNS.index("salt")
_INSTEAD: Final = COLUMNS.index("instead_of")
_NOTICES: Final = COLUMNS.index("notices")
_SUPERSEDED: Final = COLUMNS.index("superseded")

Cells = list[CellValue]


class Finding(msgspec.Struct, frozen=True):
    """A cell of the tab that is not as it was written; row and column from 1."""

    row: int
    column: int
    round: int | None
    stands: CellValue
    right: CellValue
    problem: str


class Chain(msgspec.Struct, frozen=True):
    """What the tab says: its receipts by row, mended where that is sure, and what is wrong."""

    receipts: tuple[Receipt, ...]
    findings: tuple[Finding, ...]
    is_sealed: bool | None
    """Whether the notices are those last written; None where the tab cannot tell."""

    @property
    def current(self) -> dict[int, Receipt]:
        """The receipt that stands for each round."""
        return {one.round: one for one in self.receipts}


def read_chain(
    rows: Sequence[Sequence[CellValue]],
    notices: Sequence[Sequence[CellValue]],
    found: Sequence[Digests],
    count: int,
) -> Chain:
    """Look at the tab's rows, header first; ``found`` is what ``count`` published rounds come to.

    ``notices`` is the tab Notices as it stands.
    """
    reader = _Reader(rows, notices, found, count)
    reader.read()
    is_sealed = reader.check_seal()
    reader.check_marks()
    reader.check_missing()
    reader.check_blank()
    findings = sorted(reader.findings, key=lambda one: (one.row, one.column))
    return Chain(tuple(reader.receipts), tuple(findings), is_sealed)


class _Reader:
    def __init__(
        self,
        rows: Sequence[Sequence[CellValue]],
        notices: Sequence[Sequence[CellValue]],
        found: Sequence[Digests],
        count: int,
    ) -> None:
        width = len(COLUMNS)
        self._rows = [
            (number, [*row, *[None] * (width - len(row))])
            for number, row in enumerate(rows[1:], 2)
            if any(cell not in (None, "") for cell in row)
        ]
        self._notices, self._found, self._count = notices, found, count
        self.receipts: list[Receipt] = []
        self._places: list[int] = []
        self.findings: list[Finding] = []
        self._told: set[CellValue] = set()

    def read(self) -> None:
        """Go down the rows, each held against the one above it."""
        lasts = [CHAIN_START]
        for place, (number, row) in enumerate(self._rows):
            self._beside(number, row)
            receipt = read_row(row)
            if receipt is not None and receipt.receipt in map(receipt.chained_to, lasts):
                lasts = [receipt.receipt]
            else:
                mended, lasts = self._broken(place, lasts)
                receipt = mended
            if receipt is not None:
                self.receipts.append(receipt)
                self._places.append(number)

    def _beside(self, number: int, row: Cells) -> None:
        for column, stands in enumerate(row[len(COLUMNS) :], len(COLUMNS) + 1):
            if stands not in (None, ""):
                text = f"it says {said_in_quotes(stands)}, beside the table"
                self._find(number, column, None, stands, None, text)

    def _broken(self, place: int, lasts: list[str]) -> tuple[Receipt | None, list[str]]:
        """Find what was changed in a row; return it mended, and what the next may follow from."""
        number, row = self._rows[place]
        top = max((one.round for one in self.receipts), default=0)
        mended = next(self._mended(row, lasts, top), None)
        if mended is not None:
            column, receipt = mended
            right = receipt.cells()[column]
            text = f"it says {said_in_quotes(row[column])}; {said_in_quotes(right)} was written"
            self._find(number, column + 1, receipt.round, row[column], right, text)
            return receipt, [receipt.receipt]
        round_, unmended = row[0], read_row(row)
        if isinstance(round_, int) and top + 1 < round_ <= self._count:
            return unmended, [str(row[_RECEIPT])]  # the receipts between are gone: told as that
        said = round_ if isinstance(round_, int) else top + 1
        self._told.add(said)
        sound = [link(last, row) for last in lasts]
        if self._goes_on(place):
            column = self._unknowable(row)
            text = f"the receipt of round {said} was changed after it was written: {self._names()}"
            stands: CellValue = row[column]
            if is_odd(stands):
                text = f"{said_in_quotes(stands)} stands in the receipt of round {said}"
            self._find(number, column + 1, said, stands, None, text)
            return unmended, [str(row[_RECEIPT])]
        text = f"the row of round {said} was changed after it was written"
        self._find(number, _RECEIPT + 1, said, row[_RECEIPT], sound[0], text)
        return unmended, [str(row[_RECEIPT]), sound[0]]

    def _mended(self, row: Cells, lasts: list[str], top: int) -> Iterator[tuple[int, Receipt]]:
        """Yield the cells that mend the chain, with the mended row."""
        for column, right in self._tries(row, top):
            changed = [*row[:column], right, *row[column + 1 :]]
            if row[_RECEIPT] in [link(last, changed) for last in lasts]:
                receipt = read_row(changed)
                if receipt is not None:
                    yield column, receipt

    def _tries(self, row: Cells, top: int) -> Iterator[tuple[int, CellValue]]:
        yield from ((column, shown(cell)) for column, cell in enumerate(row) if is_odd(cell))
        yield from ((0, number) for number in range(1, max(self._count, top) + 2))
        number = row[0]
        if not isinstance(number, int) or not 1 <= number <= len(self._found):
            return
        found = self._found[number - 1]
        versions = {str(other[_VERSION]) for _, other in self._rows} | {__version__}
        yield from ((_VERSION, version) for version in sorted(versions))
        yield from ((3, found.inputs), (4, found.result))
        for column, tab in enumerate(TABS, FIRST_COLUMNS):
            yield column, found.tab(tab)
        for column, own in ((_SALT - 2, found.seed), (_SALT - 1, found.words)):
            yield from ((column, own), (column, ""))
        yield _INSTEAD, ""
        # A blank cell in one of the first rows: all further cells are blank there.
        for column in range(FIRST_COLUMNS, _NOTICES):
            yield column, ""

    def _goes_on(self, place: int) -> bool:
        """Whether the receipt itself is as it was: what was made from it still fits."""
        receipt = str(self._rows[place][1][_RECEIPT])
        if place + 1 < len(self._rows):
            after = self._rows[place + 1][1]
            return link(receipt, after) == after[_RECEIPT]
        return self._rows[place][1][_NOTICES] == seal(receipt, self._notices)

    def _unknowable(self, row: Cells) -> int:
        """Return which of the cells that follow from nothing was changed, as far as can be seen."""
        odd = next((column for column, cell in enumerate(row) if is_odd(cell)), None)
        if odd is not None:
            return odd
        if not _is_instant(row[_AT]):
            return _AT
        is_salted = any(row[FIRST_COLUMNS:_NOTICES])
        return _SALT if is_salted and not _is_salt(row[_SALT]) else _AT

    def _names(self) -> str:
        return f"cell {column_letters(_AT + 1)} or {column_letters(_SALT + 1)} of it"

    def check_seal(self) -> bool | None:
        """Find a changed digest of the notices; return whether those are as they were."""
        holds = None
        for place, (number, row) in enumerate(self._rows):
            stands = row[_NOTICES]
            if place == len(self._rows) - 1:
                if not any(row[FIRST_COLUMNS:]):
                    return None
                holds = stands == seal(str(row[_RECEIPT]), self._notices)
            elif stands not in (None, "") and not self.findings:
                text = "only the last receipt says what the notices came to"
                self._find(number, _NOTICES + 1, None, stands, None, text)
        return holds

    def check_marks(self) -> None:
        """Find receipts that are marked superseded and are not, and the other way round."""
        for place, one in enumerate(self.receipts):
            number = self._places[place]
            after = next((o for o in self.receipts[place + 1 :] if o.round == one.round), None)
            right = "" if after is None else after.resolved_at
            if one.superseded == right or (after is None and one.round > self._count):
                continue
            if after is None:
                text = f"it is marked superseded, but no other receipt of round {one.round} follows"
            else:
                text = f"another receipt of round {one.round} follows, resolved at {right}"
            self._find(number, _SUPERSEDED + 1, one.round, one.superseded or None, right, text)

    def check_missing(self) -> None:
        """Find the rounds without a receipt."""
        there = {one.round for one in self.receipts}
        for round_ in range(1, self._count + 1):
            if round_ not in there and round_ not in self._told:
                above = [
                    n
                    for n, one in zip(self._places, self.receipts, strict=True)
                    if one.round < round_
                ]
                text = f"the receipt of round {round_} is missing"
                self._find(max(above, default=1) + 1, 1, round_, None, round_, text)

    def check_blank(self) -> None:
        """Find a row that was put in between, where nothing else says that it should not be."""
        for place, (number, _) in enumerate(self._rows, 2):
            if number != place and not self.findings:
                self._find(place, 1, None, None, None, "a blank row was put in between")

    def _find(
        self,
        row: int,
        column: int,
        round_: int | None,
        stands: CellValue,
        right: CellValue,
        problem: str,
    ) -> None:
        self.findings.append(Finding(row, column, round_, stands, right or None, problem))


def _is_instant(value: CellValue) -> bool:
    try:
        return isinstance(value, str) and parse_instant(value) is not None
    except ValueError:
        return False


def _is_salt(value: CellValue) -> bool:
    return isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef")
