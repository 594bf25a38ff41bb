"""Exit codes, and the one place that decides which an error gets (COMMANDS)."""

from enum import IntEnum

from referee.match.faults import RefereeError, Stopped, Unavailable, WrongUsage


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


def exit_of(error: RefereeError) -> Exit:
    """Return the exit code of an error."""
    if isinstance(error, Stopped):
        return Exit.CONTENTS
    if isinstance(error, Unavailable):
        return Exit.UNAVAILABLE
    if isinstance(error, WrongUsage):
        return Exit.USAGE
    return Exit.DIFFERENCE
