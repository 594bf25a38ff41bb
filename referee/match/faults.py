"""Faults: what stops a run, where it stands, and how to mend it (R0.2).

A fault is the one form in which every layer says that it cannot go on. Faults are collected, not
raised one by one, so that a host sees all of them at once.
"""

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

STOP_FORMAT = "referee-stop/1"
ERROR_FORMAT = "referee-error/1"


class Fault(NamedTuple):
    """One thing that stops a run.

    ``code`` is a stable word in kebab-case, ``text`` a sentence for the host that names the place,
    what stands there and how to mend it; ``tab``, ``row`` (sheet row, from 1) and ``player`` are
    null where they do not apply.
    """

    code: str
    text: str
    tab: str | None = None
    row: int | None = None
    player: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the object that a ``referee-stop/1`` line lists."""
        return {
            "code": self.code,
            "tab": self.tab,
            "row": self.row,
            "player": self.player,
            "text": self.text,
        }


def visible(text: str) -> str:
    """Return a text with what a screen would not show spelt out, by its code point."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def quoted(text: str, longest: int = 60) -> str:
    """Quote what stands somewhere: at most ``longest`` characters, then a mark, all visible."""
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    return f'"{visible(short)}"'


class RefereeError(Exception):
    """Anything the referee tells its user instead of a traceback.

    ``code`` is a stable word that tells a program which kind it is.
    """

    code: ClassVar[str] = "error"

    def as_json(self) -> dict[str, Any]:
        """Return the ``referee-error/1`` object."""
        return {"format": ERROR_FORMAT, "code": self.code, "text": str(self)}


class Stopped(RefereeError):
    """The sheet's or record's contents stop the run: every fault found, in order.

    ``after_writing`` tells of a run that had written already when it met them, looking again.
    """

    code = "contents"

    def __init__(self, faults: Iterable[Fault], name: str | None = None) -> None:
        self.faults = tuple(faults)
        self.name = name
        self.after_writing = False
        super().__init__("\n".join(fault.text for fault in self.faults))

    def as_json(self) -> dict[str, Any]:
        """Return the ``referee-stop/1`` object."""
        return {
            "format": STOP_FORMAT,
            "name": self.name,
            "faults": [fault.as_json() for fault in self.faults],
        }


class Unavailable(RefereeError):
    """A sheet that cannot be read or written now: sign-in, sharing, quota, network, locked file.

    ``passes`` tells whoever waits what to expect: True where it will pass by itself, False where
    it will not, None where that depends on somebody.
    """

    code = "unavailable"

    def __init__(self, text: str, *, passes: bool | None = None) -> None:
        self.passes = passes
        super().__init__(text)


class Overtaken(Unavailable):
    """Somebody else wrote to the sheet between the reading and the writing; nothing was written.

    Whoever reads again, decides again and writes again does no harm.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, passes=True)


class WrongUsage(RefereeError):
    """The command line or a call asks for something that does not exist."""

    code = "usage"


class Interrupted(RefereeError):
    """The user ended a command with Ctrl-C before it was done."""

    code = "interrupted"


class Mistake(RefereeError):
    """A mistake in the referee itself; what went wrong was told beside it."""

    code = "internal"
