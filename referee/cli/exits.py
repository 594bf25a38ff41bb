"""Exit codes, and the one place that decides which an error gets (README)."""

from enum import IntEnum
from typing import Final

from referee.match.faults import (
    Interrupted,
    Mistake,
    RefereeError,
    Stopped,
    Unavailable,
    WrongUsage,
)


class Exit(IntEnum):
    """What the program's exit code tells a script."""

    DONE = 0
    DIFFERENCE = 1
    USAGE = 2
    CONTENTS = 3
    UNAVAILABLE = 4
    INTERNAL = 70
    """A mistake in the referee itself; never 1, which would pass for a difference found."""
    INTERRUPTED = 130


_EXITS: Final = {
    Stopped: Exit.CONTENTS,
    Unavailable: Exit.UNAVAILABLE,
    WrongUsage: Exit.USAGE,
    Mistake: Exit.INTERNAL,
    Interrupted: Exit.INTERRUPTED,
}


def exit_of(error: RefereeError) -> Exit:
    """Return the exit code of an error."""
    return _EXITS.get(type(error), Exit.DIFFERENCE)
