"""Discord's mark-up: names shown as typed, mentions that ping nobody, messages short enough.

Hosts paste these texts by hand, so they pass through the program's own input box too, which turns
`:pig:`, `@name` and `#channel` into emoji and mentions before the message is sent.
"""

import re
from collections.abc import Iterable
from typing import Final

from referee.match.faults import WrongUsage, quoted
from referee.match.instants import SECOND
from referee.views.graphemes import clusters, isolated, printable

MESSAGE_LIMIT: Final = 2000
NAME_LIMIT: Final = 100
"""Longer names are cut, so that one line with all of them fits a message. Discord's have 32."""

_BREAK: Final = "\u200b"
"""A zero-width space: it shows nothing and parts what would act together."""

_ESCAPED: Final = {ord(mark): f"\\{mark}" for mark in "\\*_~|>`[]()-+."}
_BROKEN: Final = {ord(mark): mark + _BREAK for mark in "@<#:="}
# Before, not after: a message that begins with a slash is a command.
_IN_TEXT: Final = _ESCAPED | _BROKEN | {ord("/"): _BREAK + "/"}
_IN_CODE: Final = {ord(mark): mark + _BREAK for mark in "`@<"}

_CUSTOM_EMOJI: Final = re.compile(r"<a?:[A-Za-z0-9_]{2,32}:[0-9]{15,20}>")
_MENTION: Final = re.compile(r"@everyone|@here|<@[!&]?[0-9]{15,20}>")
_ROLE: Final = re.compile(r"[0-9]{15,20}")
_FENCE: Final = "```"


def length(text: str) -> int:
    """Return a text's length as the strictest count has it: in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def escape_name(text: str) -> str:
    """Return a name that Discord shows as typed and that pings, links and formats nothing.

    What is no character is shown as U+FFFD; a name of more than 100 units ends with an ellipsis.
    """
    return escape_text(_cut(printable(text), NAME_LIMIT))


def escape_text(text: str) -> str:
    """Return a text of any length that Discord shows as it is, on one line."""
    return isolated(printable(text)).translate(_IN_TEXT)


def escape_token(text: str) -> str:
    """Return a player's token: a custom emoji of the server as it is, all else as a name."""
    return text if _CUSTOM_EMOJI.fullmatch(text) else escape_name(text)


def code_block(text: str) -> str:
    """Return a text as a code block that nothing in it can close and that pings nobody."""
    return f"{_FENCE}\n{text.translate(_IN_CODE)}\n{_FENCE}"


def timestamp(instant: int, style: str = "T") -> str:
    """Return an instant (milliseconds) as each reader's own time, by Discord's styles.

    ``T`` is the time of day with seconds, ``R`` relative to now. A fraction of a second is lost.
    """
    return f"<t:{instant // SECOND}:{style}>"


def mention(text: str) -> str:
    """Return a mention the host asked for: a role's id, `<@&id>`, `<@id>`, `@everyone` or `@here`.

    Raises `WrongUsage` for anything else, so that a mistyped one is not posted as plain text.
    """
    wanted = text.strip()
    if _ROLE.fullmatch(wanted):
        return f"<@&{wanted}>"
    if _MENTION.fullmatch(wanted):
        return wanted
    raise WrongUsage(
        f"{quoted(text)} is not a mention; give a role's id, <@&id>, <@id>, @everyone or @here"
    )


def split_messages(blocks: Iterable[str], limit: int = MESSAGE_LIMIT) -> list[str]:
    """Pack blocks of lines into as few messages as their order allows, each within ``limit``.

    Blocks are joined by line ends and kept whole where they fit a message; a longer one is split at
    its line ends, a longer line at blanks, and a longer word between characters.
    """
    messages: list[str] = []
    for piece in (piece for block in blocks for piece in _pieces(block, limit)):
        if messages and length(messages[-1]) + 1 + length(piece) <= limit:
            messages[-1] += f"\n{piece}"
        elif piece.strip():
            messages.append(piece)
    return messages


def _pieces(block: str, limit: int) -> list[str]:
    if length(block) <= limit:
        return [block]
    found: list[str] = []
    for line in block.split("\n"):
        rest = line
        while length(rest) > limit:
            head = _head(rest, limit)
            found.append(head.rstrip(" "))
            rest = rest[len(head) :].lstrip(" ")
        found.append(rest)
    return found


def _head(line: str, limit: int) -> str:
    """Return what of a long line goes first: up to a blank, else as many characters as fit."""
    taken = used = kept = 0
    for cluster in _unbroken(line):
        used += length(cluster)
        if used > limit:
            break
        taken += len(cluster)
        if cluster == " ":
            kept = taken
    return line[: kept or taken or limit // 2]


def _unbroken(line: str) -> Iterable[str]:
    """Yield what must not be parted: clusters, an escaped one with its backslash."""
    backslash = ""
    for cluster in clusters(line):
        if cluster == "\\" and not backslash:
            backslash = cluster
        else:
            yield backslash + cluster
            backslash = ""
    if backslash:
        yield backslash


def _cut(text: str, limit: int) -> str:
    if length(text) <= limit:
        return text
    kept = ""
    for cluster in clusters(text):
        if length(kept + cluster) >= limit:
            break
        kept += cluster
    # One character may be endless by its accents alone; it is cut as it comes.
    return f"{kept or text[: limit // 2]}…"
