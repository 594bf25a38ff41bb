"""Anchors: what players can hold a published round to, once the seed is known (RULES, Anchors).

An anchor is HMAC-SHA256 over the round's receipt (its 64 hexadecimal digits, as ASCII) with the
tie-break seed in UTF-8 as key: its first 64 bits, as four proquints. Every receipt holds a random
salt, so that nothing of a round can be tried out from it, even by who knows the seed.
"""

import hmac
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from referee.judging.standing import Published
from referee.workbook.oddities import shown
from referee.workbook.receipts import Receipt, current, read_row

_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"
_BITS: Final = 64


class Told(msgspec.Struct, frozen=True):
    """What a round's announcement says of the receipt: its anchor, and what it corrects.

    ``anchor`` is empty where the match has no seed. ``instead_of`` is what players were told
    before (``pen``, ``hunger``, ``end``), None where the round was never reopened.
    """

    anchor: str
    instead_of: Mapping[str, Any] | None = None


def anchor(seed: str, receipt: str) -> str:
    """Return the anchor of a receipt."""
    code = hmac.digest(seed.encode(), receipt.encode(), "sha256")
    number = int.from_bytes(code[: _BITS // 8])
    return "-".join(proquint(number >> shift & 0xFFFF) for shift in range(_BITS - 16, -1, -16))


def proquint(bits: int) -> str:
    """Return 16 bits as five letters, easy to read out: 4, 2, 4, 2 and 4 bits from the left."""
    letters = (
        _CONSONANTS[bits >> 12],
        _VOWELS[bits >> 10 & 3],
        _CONSONANTS[bits >> 6 & 15],
        _VOWELS[bits >> 4 & 3],
        _CONSONANTS[bits & 15],
    )
    return "".join(letters)


def receipts_of(published: Published) -> Iterator[Receipt]:
    """Yield the published receipts as they stand, whether the chain holds or not."""
    for row in published.get("Receipts", ())[1:]:
        receipt = read_row([shown(cell) for cell in row])
        if receipt is not None:
            yield receipt


def told(seed: str, published: Published) -> dict[int, Told]:
    """Return what is told of each published round's receipt, by round."""
    return {
        number: Told(anchor(seed, receipt.receipt) if seed else "", _instead_of(receipt))
        for number, receipt in current(receipts_of(published)).items()
    }


def _instead_of(receipt: Receipt) -> Mapping[str, Any] | None:
    if not receipt.instead_of:
        return None
    try:
        found = json.loads(receipt.instead_of)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
