"""What a submission says (R5.2, R5.3): a swap, a pass, an invalid swap, or nothing certain.

Reading is a grammar, not a search: a message is a swap only if all of it is one. Mark-up that
Discord draws and does not show is taken off in balanced pairs first; then the whole text has to be
mention, lead-in, pair, ``please``, closing mark, mention, each at most once.
"""

import re
from functools import lru_cache
from typing import Final, Literal

import msgspec

from referee.match.faults import quoted
from referee.rules.pen import CELLS, adjacent

Kind = Literal["swap", "pass", "invalid", "unreadable"]


class Reading(msgspec.Struct, frozen=True, gc=False):
    """How a message reads.

    ``swap`` holds the two cells in alphabetical order where ``kind`` is ``swap``; ``why`` says in
    a host's words what is wrong where it is ``invalid`` or ``unreadable``.
    """

    kind: Kind
    swap: str = ""
    why: str = ""


PASS: Final = Reading("pass")
_UNREADABLE: Final = Reading("unreadable", why="it is not certainly a swap")

_LONGEST: Final = 400
"""No readable message comes near this; a wall of text is not taken apart at all."""

_MENTION = r"(?:@dealer(?![a-z0-9_])|<@[!&]?[0-9]+>)"
_SWAP = r"(?:please |i['’]d like to |i want to )?(?:swap|switch) "
_LEAD_IN = rf"(?:{_SWAP}(?:cells )?|my swap is |(?:swap|final) ?: ?)"
_SEPARATOR = r"(?: ?(?:<->|->|↔\ufe0f?|→|[-/,&+]) ?| (?:and|to|with) | )"
_SENTENCE = re.compile(
    rf"(?:{_MENTION} ?)?"
    rf"(?:{_LEAD_IN}?([a-z]){_SEPARATOR}([a-z])|(?:{_SWAP})?([a-g])([a-g]))"
    rf"(?: please)? ?[.!]? ?(?:{_MENTION})?",
    re.ASCII | re.IGNORECASE,
)
"""Glued letters stand alone or right after swap or switch; words such as ``be`` would pass else."""
_PASS = re.compile(
    rf"(?:{_MENTION} ?)?(?:pass|cancel|none|no swap) ?[.!]? ?(?:{_MENTION})?",
    re.ASCII | re.IGNORECASE,
)
_MARKUP = re.compile(r"(\*{1,3}|_{1,3}|\|\||`{1,3})(.+?)\1")
_SIGNS: Final = frozenset("*_|`")

_LETTERS = {0xFF21 + i: chr(0x41 + i) for i in range(26)}
_LETTERS |= {0xFF41 + i: chr(0x61 + i) for i in range(26)}
_LETTERS |= {0x1F1E6 + i: chr(0x41 + i) for i in range(26)}
"""Full-width and regional-indicator letters, which are letters drawn otherwise."""

_LOOK_ALIKES: Final = dict(
    zip(
        "АВСЕКМНОРТХаеорсухіјѕԁԀԍԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧαοϲϹϜ",
        "ABCEKMHOPTXaeopcyxijsddGGABEZHIKMNOPTYXaocCF",
        strict=True,
    )
)
"""Cyrillic and Greek letters that look like ours (and are not)."""


def _strip_markup(text: str) -> str:
    stripped = _MARKUP.sub(r"\2", text)
    while stripped != text:
        text, stripped = stripped, _MARKUP.sub(r"\2", stripped)
    return " ".join(stripped.split())


def _pair(one: str, other: str) -> Reading:
    one, other = sorted((one.upper(), other.upper()))
    for cell in (one, other):
        if cell not in CELLS:
            return Reading("invalid", why=f"there is no cell {cell}")
    if one == other:
        return Reading("invalid", why=f"it names cell {one} twice")
    if not adjacent(one, other):
        return Reading("invalid", why=f"cells {one} and {other} do not touch")
    return Reading("swap", one + other)


def _unreadable(message: str) -> Reading:
    letter = next((letter for letter in message if letter in _LOOK_ALIKES), None)
    if letter is None:
        return _UNREADABLE
    alike = _LOOK_ALIKES[letter]
    return Reading(
        "unreadable", why=f"{quoted(letter)} is not the letter {alike} (U+{ord(letter):04X})"
    )


def read_message(message: str) -> Reading:
    """Read a message by R5.3's grammar; R5.2 tells an invalid swap from an unreadable message."""
    return _read(message) if len(message) > _LONGEST else _read_short(message)


def _read(message: str) -> Reading:
    text = " ".join(message.split())
    if len(text) > _LONGEST:
        return _UNREADABLE
    if not text.isascii():
        text = text.translate(_LETTERS)
    found = _SENTENCE.fullmatch(text)
    if found is None and not _SIGNS.isdisjoint(text) and _MARKUP.search(text):
        text = _strip_markup(text)
        found = _SENTENCE.fullmatch(text)
    if found is not None:
        one, other, glued_one, glued_other = found.groups()
        return _pair(one or glued_one, other or glued_other)
    if _PASS.fullmatch(text):
        return PASS
    return _UNREADABLE if text.isascii() else _unreadable(message)


_read_short = lru_cache(maxsize=4096)(_read)
"""Matches of an archive say the same few things over and over; what is long is not kept."""


def hinted_swaps(message: str) -> tuple[str, ...]:
    """Return the swaps that a message may have meant: adjacent cells whose letters stand in it.

    For a host to try; the rules read nothing into a message (R5.3).
    """
    drawn = message[:_LONGEST].translate(_LETTERS)
    text = "".join(_LOOK_ALIKES.get(letter, letter) for letter in drawn).upper()
    cells = "".join(sorted(set("".join(re.findall(r"\b[A-G]{1,2}\b", text)))))
    return tuple(
        one + other
        for place, one in enumerate(cells)
        for other in cells[place + 1 :]
        if adjacent(one, other)
    )
