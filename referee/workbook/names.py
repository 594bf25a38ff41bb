"""Names as hosts and players write them, and who is meant.

The rule, for players, tabs, headers and settings alike: two spellings are one name when they agree
after Unicode's compatibility form (NFKC) and case folding, once invisible characters are taken
out and each run of blanks counts as one. Beyond that the Turkish dotless and dotted i count as i.
So `Zoë` typed on a Mac is `Zoë`, `STRASSE` is `straße`, full-width `ＡＮＮ` is `Ann`, `İpek` is
`ipek`; but `007` is not `7`, and a Cyrillic `А` is not `A`. Where the rule makes two players one,
that is a fault, so a lenient rule can never pick the wrong person.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

_JOINERS: Final = "\u200c\u200d"
_UNSEEN: Final = dict.fromkeys(
    [
        0x00AD,  # soft hyphen
        0x061C,
        0x180E,
        0x200B,  # zero-width space
        *range(0x200E, 0x2010),  # direction marks
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        0xFEFF,  # byte order mark
        *range(0xFFF9, 0xFFFC),
    ]
)
"""Characters that show nothing and carry no meaning; emoji need the joiners and selectors."""

_DOTTED_I: Final = "i\u0307"
_DOTLESS_I: Final = "\u0131"


@cache
def _invisible() -> re.Pattern[str]:
    return re.compile(
        "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
        "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
    )


@cache
def _unfit() -> re.Pattern[str]:
    ends = (chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    return re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef" + "".join(ends) + "]")


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return what a name is compared by; empty where nothing of it can be seen."""
    if text.isascii():
        return " ".join(text.casefold().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    folded = _invisible().sub("", folded).replace(_DOTTED_I, "i").replace(_DOTLESS_I, "i")
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def tidy(text: str) -> str:
    """Return a name as it is shown: as typed, without unseen characters and needless blanks."""
    if text.isascii():
        return " ".join(text.split())
    return " ".join(text.translate(_UNSEEN).split()).strip(_JOINERS)


def unfit(text: str) -> str | None:
    """Return the first character no workbook or record can keep (``U+0000``), None if all can."""
    found = None if text.isascii() and text.isprintable() else _unfit().search(text)
    return None if found is None else f"U+{ord(found.group()):04X}"


def mended(text: str) -> str:
    """Return text with halves of broken characters replaced by U+FFFD, so that it can be stored."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def distance(one: str, other: str) -> int:
    """Count the letters to insert, drop, replace or swap with a neighbour between two texts."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            crossed = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted
            row.append(min(cost, before[j - 2] + 1) if crossed else cost)
        before, last = last, row
    return last[-1]


def nearest(text: str, names: Iterable[str]) -> str | None:
    """Return the name closest in spelling, the first of equals; None without names."""
    folded = fold(text[:100])
    return min(names, key=lambda name: distance(folded, fold(name)), default=None)


def nearby(text: str, names: Iterable[str]) -> str | None:
    """Return the closest name if it is really near: a slip of the hand, not another word."""
    near = nearest(text, names)
    if near is None:
        return None
    one, other = fold(text[:100]), fold(near)
    far = distance(one, other)
    shorter = min(len(one), len(other))
    return near if far <= max(1, shorter // 3) and far < max(shorter, 2) else None


MOST_PLAYERS: Final = 6
"""Players that a match may have (R1.3), and so that a message may name."""


class Roster:
    """Who is meant by a name: the players' names and aliases under the rule of this module."""

    def __init__(self) -> None:
        self._players: dict[str, str] = {}
        self._spellings: dict[str, str] = {}

    def add(self, spelling: str, player: str) -> None:
        """Let a name or alias stand for a player; the first to claim a spelling keeps it.

        A match record may hold names that differ in case alone; letter for letter each is its own.
        """
        self._players.setdefault(fold(spelling), player)
        self._spellings.setdefault(spelling, player)

    def find(self, text: str) -> str | None:
        """Return the player meant, None where it is nobody."""
        return self._spellings.get(text) or self._players.get(fold(text))

    def several(self, text: str) -> list[str]:
        """Return the players between whom a name does not decide, none where it does."""
        if text in self._spellings:
            return []
        folded = fold(text)
        meant = {player for name, player in self._spellings.items() if fold(name) == folded}
        return sorted(meant) if len(meant) > 1 else []

    def nearest(self, text: str) -> str | None:
        """Return the name or alias closest in spelling, None where none is really near."""
        return nearby(text, self._spellings)

    def hint(self, text: str) -> str:
        """Name the closest spelling for a message, and a letter that only looks like its own.

        Where none is near, name those who play.
        """
        near = self.nearest(text)
        if near is None:
            players = list(dict.fromkeys(self._spellings.values()))[:MOST_PLAYERS]
            return f" (players: {', '.join(players)})" if players else ""
        odd = _odd_letter(tidy(text), tidy(near))
        return f" (nearest: {near}{odd and '; '}{odd})"


def _odd_letter(text: str, near: str) -> str:
    """Say by its number what sets apart two names that may look alike, empty where more does."""
    if len(text) != len(near):
        return ""
    apart = [pair for pair in zip(text, near, strict=True) if fold(pair[0]) != fold(pair[1])]
    if not apart or not all(one.isalpha() and one > "\x7f" and two.isascii() for one, two in apart):
        return ""
    one, two = apart[0]
    return f"the {one} here is U+{ord(one):04X}, not {two}"
