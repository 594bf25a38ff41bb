"""The words hosts use for what somebody does at the door: one place for the sheet and the log."""

from typing import Final, cast

from referee.match.record import ACTIONS, Action
from referee.workbook.names import fold

_WORDS: Final = {word: word for word in ACTIONS} | {"": "join"}


def find_action(text: str) -> Action | None:
    """Return the action a word stands for, in any case and spacing; blank is a ping."""
    return cast("Action | None", _WORDS.get(text) or _WORDS.get(fold(text)))
