"""What a reader sees as one character, and how to keep strange ones from spoiling a drawing.

Names come as people typed them: emoji made of several code points, flags, accents set one by one,
scripts that run from right to left. Terminals, chat programs and fonts treat whole clusters, so the
drawings cut and measure names by cluster, never by code point.
"""

import unicodedata
from typing import Final

JOINER: Final = "\u200d"
TEXT_STYLE: Final = "\ufe0e"
EMOJI_STYLE: Final = "\ufe0f"
REPLACEMENT: Final = "\ufffd"

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_DROP_BIDI_CONTROLS = dict.fromkeys(map(ord, _BIDI_CONTROLS))
_MARKS = ("Mn", "Mc", "Me")


def clusters(text: str) -> list[str]:
    """Split a text into what is seen as one character each; joined, they give the text again.

    This is the part of Unicode's annex 29 that names meet: marks, joiners, variation selectors,
    skin tones, tags and flags. Hangul is expected composed.
    """
    found: list[str] = []
    for character in text:
        if found and _continues(found[-1], character):
            found[-1] += character
        else:
            found.append(character)
    return found


def _continues(cluster: str, character: str) -> bool:
    if cluster[-1] == JOINER:
        return unicodedata.category(cluster[0]) == "So" and unicodedata.category(character) == "So"
    if is_flag_letter(character):
        return len(cluster) == 1 and is_flag_letter(cluster)
    return is_extender(character)


def is_extender(character: str) -> bool:
    """Whether the character only changes the one before it."""
    return (
        unicodedata.category(character) in _MARKS
        or character in (JOINER, "\u200c")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def is_flag_letter(character: str) -> bool:
    """Whether the character is a regional indicator; two of them make a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def is_invisible(character: str) -> bool:
    """Whether the character takes no room and shows nothing by itself."""
    return (
        unicodedata.category(character) == "Cf"
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


def printable(text: str) -> str:
    """Return the text with everything that is no character, or steers a terminal, shown as U+FFFD.

    Line breaks of every kind and unpaired halves of an emoji are among it.
    """
    return "".join(
        REPLACEMENT
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or _is_noncharacter(character)
        else character
        for character in text
    )


def _is_noncharacter(character: str) -> bool:
    point = ord(character)
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF


def isolated(text: str) -> str:
    """Return the text so that its direction of writing cannot reorder what stands around it.

    Without this, two Arabic names side by side are shown in each other's cells.
    """
    plain = text.translate(_DROP_BIDI_CONTROLS)
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in plain):
        return f"{_ISOLATE}{plain}{_END_ISOLATE}"
    return plain
