"""A message's text as a workbook can keep them."""

import re
from typing import Final

import msgspec

LONGEST: Final = 32_000
"""The most UTF-16 units kept of a text: a file's cell holds 32,767, a Google Sheet's 50,000."""

_PLANES: Final = "".join(chr(p + e) for p in range(0, 0x110000, 0x10000) for e in (0xFFFE, 0xFFFF))
_BLANK: Final = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
_UNKEEPABLE: Final = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_PLANES}]")


class Kept(msgspec.Struct, frozen=True):
    """A text as it is kept, and what was done to it, in words for a host; empty where nothing."""

    text: str
    mended: str = ""


def keep_text(text: str) -> Kept:
    """Return a text without what no workbook can keep, and shortened where it is too long.

    Odd blanks become a blank; a control character or half an emoji becomes U+FFFD, which can be
    seen, so that a text never turns into a readable swap by losing something.
    """
    if text.isascii() and text.isprintable() and len(text) <= LONGEST:
        return Kept(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    mended = _UNKEEPABLE.search(text) or _BLANK.search(text)
    done = []
    if mended is not None:
        text = _UNKEEPABLE.sub("\ufffd", _BLANK.sub(" ", text))
        code = f"U+{ord(mended[0]):04X}"
        done.append(f"holds {code}, which no workbook can keep; it is written as a blank or U+FFFD")
    length = _units(text)
    if length > LONGEST:
        text = _cut(text, f" … [{length:,} characters, the rest left out]")
        done.append(f"has {length:,} characters; the first {LONGEST:,} are kept")
    return Kept(text, " and ".join(done))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _cut(text: str, mark: str) -> str:
    units = text.encode("utf-16-le")[: 2 * (LONGEST - len(mark))]
    # Half a pair at the cut is left out with the rest.
    return units.decode("utf-16-le", "ignore") + mark
