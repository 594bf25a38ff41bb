"""Whether a message pings the Dealer (R3.1), for certain or only by how it looks.

Discord stores a ping as ``<@&role>`` or ``<@user>``. The exporter rewrites it to ``@Name`` unless
it is told not to, and then it is the same as typed text that pinged nobody. So the raw forms count
where their id is the Dealer's, a rewritten user where the message's list of mentions has the
Dealer, and plain ``@Dealer`` only if the host allows it. What stands in quoted lines or in code
pings nobody.
"""

import re
from typing import Final

import msgspec

from referee.chat.messages import Message
from referee.workbook.names import fold

PLAIN: Final = "@Dealer"

_PLAIN: Final = re.compile(r"(?<![\w\\@<])@Dealer(?!\w)")
_RAW: Final = re.compile(r"(?<!\\)<@([!&]?)([0-9]+)>")
_SET_APART: Final = re.compile(
    r"```.*?```|``.+?``|`[^`\n]+`|^>>> .*|^> [^\n]*", re.DOTALL | re.MULTILINE
)
"""Code, and lines quoted from others."""
_MAY_MEAN: Final = re.compile(r"(?<![\w@])@\w|<@&[0-9]+>|\bdealer\b", re.IGNORECASE)


class Options(msgspec.Struct, frozen=True):
    """What a host says about the people in a chat.

    ``dealer_roles`` and ``dealer_users`` are Discord ids that a ping of the Dealer carries,
    ``plain_mentions`` lets the text ``@Dealer`` count as one too. ``ignored`` are ids of accounts
    to leave out, ``only_players`` leaves out everybody who is not in Players.
    """

    dealer_roles: frozenset[str] = frozenset()
    dealer_users: frozenset[str] = frozenset()
    plain_mentions: bool = False
    ignored: frozenset[str] = frozenset()
    only_players: bool = False


class Look(msgspec.Struct, frozen=True):
    """How a message looks to the Dealer.

    ``text`` is its text with rewritten mentions of the Dealer's account put back; ``pings``
    whether it lines its author up, ``by_text`` whether only by plain text; ``says_more`` whether
    anything but the mention stands there; ``doubt`` why what looks like a ping is none, if any.
    """

    text: str
    pings: bool
    by_text: bool
    says_more: bool
    doubt: str = ""


def look_at(message: Message, text: str, options: Options) -> Look:
    """Tell whether a message pings the Dealer; ``text`` is its text as it can be kept."""
    text = _restored(message, text, options)
    live = _SET_APART.sub(" ", text)
    raw = any(_is_dealer(found, options) for found in _RAW.finditer(live))
    plain = _PLAIN.search(live) is not None
    pings = raw or (plain and options.plain_mentions)
    return Look(
        text=text,
        pings=pings,
        by_text=pings and not raw,
        says_more=bool(fold(without_mentions(text, options))),
        doubt="" if pings else _doubt(message, text, live, plain, options),
    )


def without_mentions(text: str, options: Options) -> str:
    """Return the text without its mentions of the Dealer, in whichever form they were exported."""
    text = _RAW.sub(lambda found: " " if _is_dealer(found, options) else found[0], text)
    return _PLAIN.sub(" ", text)


def _is_dealer(found: re.Match[str], options: Options) -> bool:
    ids = options.dealer_roles if found[1] == "&" else options.dealer_users
    return found[2] in ids


def _restored(message: Message, text: str, options: Options) -> str:
    """Put ``<@id>`` back where the exporter wrote the Dealer's name over it."""
    for person in message.mentions:
        if person.id in options.dealer_users:
            for name in sorted({person.nickname, person.name} - {""}, key=len, reverse=True):
                pattern = rf"(?<![\w\\@<])@{re.escape(name)}(?!\w)"
                text = re.sub(pattern, f"<@{person.id}>", text)
    return text


def _doubt(message: Message, text: str, live: str, plain: bool, options: Options) -> str:
    if plain:
        return (
            f"plain {PLAIN} may be typed text: export with --markdown false and give "
            "--dealer-role, or allow it with --plain-mentions"
        )
    others = live
    for person in message.mentions:
        for name in {person.nickname, person.name} - {""}:
            others = others.replace(f"@{name}", " ")
    if found := re.search(r"<@&([0-9]+)>", others):
        known = "is not a role given with" if options.dealer_roles else "may be the Dealer's: give"
        return f"the role {found[1]} {known} --dealer-role"
    if _MAY_MEAN.search(others):
        return f"it does not mention {PLAIN}"
    if live != text and _looks_like_ping(text, options):
        return "the mention stands in quoted text or in code"
    if any(person.id in options.dealer_users for person in message.mentions):
        return "it only replies to the Dealer"
    return ""


def _looks_like_ping(text: str, options: Options) -> bool:
    raw = any(_is_dealer(found, options) for found in _RAW.finditer(text))
    return raw or _PLAIN.search(text) is not None
