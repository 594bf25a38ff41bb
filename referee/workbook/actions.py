"""The words hosts use for what somebody does at the door: one place for the sheet and the log."""

from typing import Final, cast

from referee.match.faults import quoted
from referee.match.record import ACTIONS, Action
from referee.workbook.names import fold, nearby

_SAID: Final[dict[Action, tuple[str, ...]]] = {
    "join": (
        *("", "ping", "pings", "pinged", "@dealer", "dealer", "in", "queue", "queued", "queues"),
        *("joins", "joined", "line up", "lines up", "lined up"),
    ),
    "withdraw": ("withdraws", "withdrew", "withdrawn", "unqueue", "unqueued", "dequeue"),
    "exit": ("exits", "exited"),
    # Whichever fits: out of the room who is inside, out of the queue who waits (R4.8).
    "leave": ("leaves", "left", "out", "done", "quit", "quits", "gone", "finished"),
    "enter": ("enters", "entered"),
}
_WORDS: Final[dict[str, Action]] = {cast("Action", word): cast("Action", word) for word in ACTIONS}
_WORDS.update((word, action) for action, words in _SAID.items() for word in words)


def find_action(text: str) -> Action | None:
    """Return the action a word stands for, in any case and spacing; blank is a ping."""
    return _WORDS.get(text) or _WORDS.get(fold(text))


def no_action(text: str) -> str:
    """Say that a word is no action, and what to write; a word is suggested only if it is near."""
    near = nearby(text, _WORDS)
    hint = f" (nearest: {near})" if near else ""
    return f"{quoted(text)} is not an action{hint}; write one of {', '.join(ACTIONS)}"
