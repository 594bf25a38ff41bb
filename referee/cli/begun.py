"""When this process began: the nearest there is to the key press that started it."""

from referee.cli import BEGUN

_LOADING = 5000
"""Milliseconds that a command takes at most from its start to its first line."""


def begun(now: int) -> int:
    """Return the instant (milliseconds) at which a command was started that asks it ``now``.

    Loading a command takes a tenth of a second or more. In a process that has run for long, or
    whose clock was set meanwhile, it is now.
    """
    return BEGUN if 0 <= now - BEGUN <= _LOADING else now
