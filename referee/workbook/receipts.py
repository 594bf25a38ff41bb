"""Receipts: what each round was resolved from and to, as digests in a chain.

The tab only ever grows: a round that is resolved anew gets another receipt below, and the one
before stays, marked superseded. A receipt is the digest of its row and of the receipt above it, so
whoever changes a published row breaks the chain from there. Two columns are not in the chain, as
they change later: what the notices came to last, and the mark of a superseded receipt.

Rows of referee 0.1 have the first six columns alone and stay as they are.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from referee.match.record import CellValue
from referee.match.result import Result
from referee.version import __version__
from referee.workbook.cells import Written
from referee.workbook.digests import TABS, Digests, digest, digests

CHAIN_START: Final = "referee-receipts/1"
"""What the first receipt is chained to."""

FIRST_COLUMNS: Final = 6
"""The columns of referee 0.1."""


class Receipt(msgspec.Struct, frozen=True):
    """One row of the tab Receipts.

    ``salt`` is random, so that nobody can try out what an anchor was made from (see `anchors`).
    ``instead_of`` is what players were told of the round before it was reopened; ``superseded`` is
    when another receipt took the place of this one.
    """

    round: int
    resolved_at: str
    version: str
    inputs: str
    result: str
    receipt: str
    settings: str = ""
    players: str = ""
    rounds: str = ""
    queue: str = ""
    submissions: str = ""
    adjustments: str = ""
    seed: str = ""
    words: str = ""
    salt: str = ""
    instead_of: str = ""
    notices: str = ""
    superseded: str = ""

    @property
    def is_first_kind(self) -> bool:
        """Whether it is one of referee 0.1."""
        return not any(self.cells()[FIRST_COLUMNS:-2])

    def cells(self) -> tuple[Written, ...]:
        """Return the row as it is written."""
        return tuple(
            value if value != "" else None
            for value in (getattr(self, key) for key in self.__struct_fields__)
        )

    def tab(self, title: str) -> str:
        """Return the digest of one of the host's tabs."""
        found: str = getattr(self, title.lower())
        return found

    def chained_to(self, last: str) -> str:
        """Return what its receipt has to be below another one."""
        return link(last, self.cells())


COLUMNS: Final = Receipt.__struct_fields__


def link(last: str, cells: Sequence[CellValue]) -> str:
    """Return a receipt: the digest of a row's other cells and of the receipt above it."""
    first, more = cells[: FIRST_COLUMNS - 1], cells[FIRST_COLUMNS:-2]
    return digest([last, *first, *((cell or "") for cell in more if any(more))])


def said(public: object) -> str:
    """Return what players were told of a round, as a receipt keeps it."""
    return json.dumps(public, ensure_ascii=False, separators=(",", ":"))


def new_receipt(
    last: str, number: int, at: str, found: Digests, salt: str, instead_of: str = ""
) -> Receipt:
    """Return the receipt of a round, chained to the one above."""
    receipt = Receipt(
        number,
        at,
        __version__,
        found.inputs,
        found.result,
        "",
        seed=found.seed,
        words=found.words,
        salt=salt,
        instead_of=instead_of,
        **{tab.lower(): found.tab(tab) for tab in TABS},
    )
    return msgspec.structs.replace(receipt, receipt=receipt.chained_to(last))


def first_receipts(result: Result, resolved_at: str, salt: str) -> tuple[Receipt, ...]:
    """Return the receipts of a result that is published for the first time."""
    receipts: list[Receipt] = []
    for number, found in enumerate(digests(result), 1):
        last = receipts[-1].receipt if receipts else CHAIN_START
        receipts.append(new_receipt(last, number, resolved_at, found, salt))
    return tuple(receipts)


def read_row(cells: Sequence[CellValue]) -> Receipt | None:
    """Return a row of the tab as a receipt, None where its cells cannot be one's."""
    row = [*cells[: len(COLUMNS)], *[None] * (len(COLUMNS) - len(cells))]
    number, *texts = row
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    # The last two columns are not in the chain and may have been changed to anything.
    if not all(text is None or isinstance(text, str) for text in texts[:-2]):
        return None
    return Receipt(number, *("" if text is None else str(text) for text in texts))


def read_receipts(rows: Sequence[Sequence[CellValue]]) -> tuple[Receipt, ...]:
    """Return the receipts of the tab as far down as the chain holds; ``rows`` without header."""
    found: list[Receipt] = []
    last = CHAIN_START
    for cells in rows:
        receipt = read_row(cells)
        if receipt is None or receipt.receipt != receipt.chained_to(last):
            break
        found.append(receipt)
        last = receipt.receipt
    return tuple(found)


def current(receipts: Iterable[Receipt]) -> dict[int, Receipt]:
    """Return the receipt that stands for each round."""
    return {one.round: one for one in receipts if not one.superseded}


def sealed(receipts: Sequence[Receipt], notices: Sequence[Sequence[Written]]) -> list[Receipt]:
    """Return receipts of which the last also holds what the notices came to."""
    if not receipts:
        return []
    kept = [msgspec.structs.replace(one, notices="") for one in receipts]
    kept[-1] = msgspec.structs.replace(kept[-1], notices=seal(kept[-1].receipt, notices))
    return kept


def seal(receipt: str, notices: Sequence[Sequence[CellValue]]) -> str:
    """Return the digest of the notices as they were published below a receipt."""
    return digest([receipt, [_trimmed(row) for row in notices]])


def _trimmed(row: Sequence[CellValue]) -> list[CellValue]:
    cells = [int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in row]
    while cells and cells[-1] in (None, ""):
        cells.pop()
    return [cell if cell != "" else None for cell in cells]
