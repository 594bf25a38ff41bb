"""Discord's ids: of messages, by themselves or in a message's link, and of accounts.

A message's id holds the time at which it was sent, so it may stand for a time too.
"""

import re
from typing import Final

_EPOCH: Final = 1420070400000
"""Discord's first millisecond, 2015-01-01."""

_ACCOUNT: Final = re.compile(r"(?:<@!?)?([0-9]{1,20})>?")
_LINK: Final = re.compile(
    r"<?(?:https?://)?(?:\w+\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]+)/([0-9]+)/([0-9]+)/?"
    r"(?:[?#]\S*)?>?"
)
_SNOWFLAKE: Final = re.compile(r"[0-9]{17,20}")
"""Discord's messages have had 17 digits and more; a shorter number is no time."""


def account_id(text: str) -> str:
    """Return the id of an account, given as digits or as a mention; empty for anything else."""
    found = _ACCOUNT.fullmatch(text)
    return "" if found is None else found[1]


def linked_message(text: str) -> tuple[str, str]:
    """Return the ids of channel and message of a message's link; two empty texts for none."""
    found = _LINK.fullmatch(text)
    return ("", "") if found is None else (found[1], found[2])


def sent_at(text: str) -> int | None:
    """Return the time in a message's id or link, in milliseconds since 1970; None for no id."""
    number = linked_message(text)[1] or text
    return (int(number) >> 22) + _EPOCH if _SNOWFLAKE.fullmatch(number) else None
