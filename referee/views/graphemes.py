"""What a reader sees as one character, and how to keep strange ones from spoiling a drawing.

Names come as people typed them: emoji made of several code points, flags, accents set one by one,
scripts that run from right to left. Terminals, chat programs and fonts treat whole clusters, so the
drawings cut and measure names by cluster, never by code point. What belongs to what is Unicode's
to say: ``regex`` knows its tables.
"""

from typing import Final
from unicodedata import bidirectional

import regex

JOINER: Final = "\u200d"
TEXT_STYLE: Final = "\ufe0e"
EMOJI_STYLE: Final = "\ufe0f"
REPLACEMENT: Final = "\ufffd"

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"

_CLUSTER: Final = regex.compile(r"\X")
_EXTENDER: Final = regex.compile(r"[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\u200c\u200d]")
_FLAG_LETTER: Final = regex.compile(r"\p{Regional_Indicator}")
_INVISIBLE: Final = regex.compile(r"[\p{Cf}\p{Variation_Selector}]")
_NO_CHARACTER: Final = regex.compile(r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]")
_STEERS_DIRECTION: Final = regex.compile(r"\p{Bidi_Control}")
_FROM_THE_RIGHT: Final = ("R", "AL", "AN")


def clusters(text: str) -> list[str]:
    """Split a text into what is seen as one character each; joined, they give the text again."""
    return _CLUSTER.findall(text)


def is_extender(character: str) -> bool:
    """Whether the character only changes the one before it."""
    return _EXTENDER.match(character) is not None


def is_flag_letter(character: str) -> bool:
    """Whether the character is a regional indicator; two of them make a flag."""
    return _FLAG_LETTER.match(character) is not None


def is_invisible(character: str) -> bool:
    """Whether the character takes no room and shows nothing by itself."""
    return _INVISIBLE.match(character) is not None


def printable(text: str) -> str:
    """Return the text with everything that is no character, or steers a terminal, shown as U+FFFD.

    Line breaks of every kind and unpaired halves of an emoji are among it.
    """
    return str(_NO_CHARACTER.sub(REPLACEMENT, text))


def isolated(text: str) -> str:
    """Return the text so that its direction of writing cannot reorder what stands around it.

    Without this, two Arabic names side by side are shown in each other's cells.
    """
    plain = str(_STEERS_DIRECTION.sub("", text))
    if any(bidirectional(character) in _FROM_THE_RIGHT for character in plain):
        return f"{_ISOLATE}{plain}{_END_ISOLATE}"
    return plain
