"""Rulings by the host on single rows (R9.1)."""

from typing import Final, Literal

import msgspec

from referee.match.faults import quoted
from referee.rules.messages import Reading, read_message


class Ruling(msgspec.Struct, frozen=True, gc=False):
    """What a ruling says: ``void``, ``allow``; for a submission also ``read as X``, ``allow X``.

    ``reading`` is what X says.
    """

    kind: Literal["void", "read as", "allow"]
    reading: Reading | None = None


VOID: Final = Ruling("void")
ALLOW: Final = Ruling("allow")


def parse_ruling(text: str, tab: str) -> Ruling | None:
    """Read a ruling's text, in any case and spacing; blank is none.

    ``tab`` is ``Queue`` or ``Submissions``. Raises ValueError, worded for a host, for anything
    that R9.1 does not name.
    """
    words = text.split()
    if not words:
        return None
    verb = " ".join(words[:2]).casefold() if words[0].casefold() == "read" else words[0].casefold()
    rest = " ".join(words[len(verb.split()) :])
    if verb == "void" and not rest:
        return VOID
    if verb == "allow" and not rest:
        return ALLOW
    if tab == "Queue":
        raise ValueError(
            f"{quoted(text)} is not a ruling for the queue; write void, allow on an edited row, or "
            "leave it empty"
        )
    if verb in ("allow", "read as") and rest:
        reading = read_message(rest)
        if reading.kind in ("swap", "pass"):
            return Ruling("allow" if verb == "allow" else "read as", reading)
        raise ValueError(
            f"{quoted(text)}: {quoted(rest)} is no swap and no pass: {reading.why}; "
            f"write for instance {verb} A D"
        )
    raise ValueError(
        f"{quoted(text)} is not a ruling; "
        "write void, read as A D, allow, or allow A D, or leave it empty"
    )
