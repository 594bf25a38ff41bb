"""Whether a message pings the Dealer (R3.1), for certain or only by how it looks.

Discord stores a ping as ``<@&role>`` or ``<@user>``. The exporter rewrites it to ``@Name`` unless
it is told not to, and then it is the same as typed text that pinged nobody. So the raw forms count
where their id is the Dealer's, a rewritten user where the message's list of mentions has the
Dealer, and the role's plain name only if the host allows it. Another account's mention is never
taken for the role's, whatever that account is called. What stands in quoted lines or in code
pings nobody.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from referee.chat.messages import Message, Person
from referee.workbook.names import fold

NAME: Final = "Dealer"
PLAIN: Final = f"@{NAME}"

_RAW: Final = re.compile(r"(?<!\\)<@([!&]?)([0-9]+)>")
_SET_APART: Final = re.compile(
    r"```.*?```|``.+?``|`[^`\n]+`|^>>> .*|^> [^\n]*", re.DOTALL | re.MULTILINE
)
"""Code, and lines quoted from others."""
_MAY_MEAN: Final = re.compile(r"(?<![\w@])@\w|<@&[0-9]+>|\bdealer\b", re.IGNORECASE)
_ROLE: Final = re.compile(r"(?:<@&)?([0-9]{1,20})>?")

_USER: Final = re.compile(r"<@!?[0-9]+>")

_RAW_EXPORT: Final = "export with --markdown false"


class Options(msgspec.Struct, frozen=True):
    """What a host says about the people in a chat.

    ``dealer_roles`` and ``dealer_users`` are Discord ids that a ping of the Dealer carries;
    ``dealer_names`` are names of the role whose plain text counts as one too, as ``plain_mentions``
    lets ``@Dealer``. ``hosts`` and ``ignored`` are ids of accounts to leave out, ``only_players``
    leaves out everybody who is not in Players.
    """

    dealer_roles: frozenset[str] = frozenset()
    dealer_users: frozenset[str] = frozenset()
    plain_mentions: bool = False
    ignored: frozenset[str] = frozenset()
    only_players: bool = False
    dealer_names: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()

    def and_of(
        self, role: Iterable[str], hosts: Iterable[str], roles: Iterable[tuple[str, str]]
    ) -> "Options":
        """Return these options and what Settings say of the Dealer's role and the hosts' accounts.

        ``roles`` are ids and names of roles seen in the chat: a role named becomes known by its id.
        """
        ids, names = role_of(role)
        ids, names = ids | self.dealer_roles, names | self.dealer_names
        folded = {fold(name) for name in names}
        seen = [(number, name) for number, name in roles if fold(name) in folded]
        return msgspec.structs.replace(
            self,
            dealer_roles=ids | {number for number, _ in seen},
            dealer_names=names | {name for _, name in seen},
            hosts=self.hosts | frozenset(hosts),
        )

    @property
    def left_out(self) -> frozenset[str]:
        """The accounts whose messages are nobody's."""
        return self.ignored | self.dealer_users | self.hosts


def role_of(texts: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids and the names by which texts call a role: ``<@&id>``, digits, or a name."""
    ids, names = set(), set()
    for text in texts:
        if found := _ROLE.fullmatch(text.strip()):
            ids.add(found[1])
        elif name := text.strip().lstrip("@"):
            names.add(name)
    return frozenset(ids), frozenset(names)


class Look(msgspec.Struct, frozen=True):
    """How a message looks to the Dealer.

    ``text`` is its text with rewritten mentions of the Dealer and the hosts put back; ``pings``
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
    if "@" not in text and not _MAY_MEAN.search(text):
        replies = any(person.id in options.dealer_users for person in message.mentions)
        doubt = "it only replies to the Dealer" if replies else ""
        return Look(text, pings=False, by_text=False, says_more=bool(fold(text)), doubt=doubt)
    kept = _rewritten(message, text, options, others=None)
    live = _rewritten(message, _SET_APART.sub(" ", text), options, others=" ")
    raw = any(_is_dealer(found, options) for found in _RAW.finditer(live))
    plain = _plain(frozenset({NAME})).search(live) is not None
    pings = raw or (plain and (options.plain_mentions or bool(options.dealer_names)))
    return Look(
        text=kept,
        pings=pings,
        by_text=pings and not raw,
        says_more=bool(fold(without_mentions(kept, options))),
        doubt="" if pings else _doubt(message, kept, live, plain, options),
    )


def has_plain(text: str, names: Iterable[str]) -> bool:
    """Whether the role's name stands in a text as a mention that an exporter may have rewritten."""
    return _plain(frozenset({NAME, *names})).search(text) is not None


def without_mentions(text: str, options: Options) -> str:
    """Return the text without its mentions of the Dealer, in whichever form they were exported."""
    text = _RAW.sub(lambda found: " " if _is_dealer(found, options) else found[0], text)
    return _plain(frozenset({NAME, *options.dealer_names})).sub(" ", text)


@lru_cache(maxsize=256)
def _plain(names: frozenset[str]) -> re.Pattern[str]:
    longest_first = "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
    return re.compile(rf"(?<![\w\\@<])@({longest_first})(?!\w)")


def _is_dealer(found: re.Match[str], options: Options) -> bool:
    ids = options.dealer_roles if found[1] == "&" else options.dealer_users
    return found[2] in ids


def _names(person: Person) -> set[str]:
    return {person.nickname, person.name} - {""}


def _rewritten(message: Message, text: str, options: Options, others: str | None) -> str:
    """Put ids back where the exporter wrote names over them.

    The Dealer's and the hosts' accounts become ``<@id>``, the role's own name ``@Dealer``; other
    accounts' mentions become ``others``, or stay where it is None.
    """
    ours = options.dealer_users | options.hosts
    put: dict[str, str | None] = dict.fromkeys(options.dealer_names, PLAIN)
    for person in message.mentions:
        for name in _names(person):
            put[name] = f"<@{person.id}>" if person.id in ours else others
    if not put:
        return text

    def replace(found: re.Match[str]) -> str:
        new = put[found[1]]
        return found[0] if new is None else new

    return _plain(frozenset(put)).sub(replace, text)


def _doubt(message: Message, text: str, live: str, plain: bool, options: Options) -> str:
    if plain:
        return (
            f"plain {PLAIN} may be typed text: {_RAW_EXPORT} and give "
            "--dealer-role, or allow it with --plain-mentions"
        )
    for person in message.mentions:
        if person.id not in options.dealer_users and _may_be_dealer(person, text, options):
            return f"it mentions {person}: give --dealer-user {person.id} if that is the Dealer"
    if found := re.search(r"<@&([0-9]+)>", live):
        known = "is not a role given with" if options.dealer_roles else "may be the Dealer's: give"
        return f"the role {found[1]} {known} --dealer-role"
    if _MAY_MEAN.search(_USER.sub(" ", live)):
        return f"it does not mention {PLAIN}"
    if _looks_like_ping(text, options):
        return "the mention stands in quoted text or in code"
    if any(person.id in options.dealer_users for person in message.mentions):
        return "it only replies to the Dealer"
    return ""


def _may_be_dealer(person: Person, text: str, options: Options) -> bool:
    """Whether a text mentions an account that is a host's, or is called like the Dealer."""
    if person.id in options.hosts:
        return re.search(rf"<@!?{person.id}>", text) is not None
    called = [name for name in _names(person) if fold(name).startswith(fold(NAME))]
    return bool(called) and (
        _plain(frozenset(called)).search(text) is not None
        or re.search(rf"<@!?{person.id}>", text) is not None
    )


def _looks_like_ping(text: str, options: Options) -> bool:
    raw = any(_is_dealer(found, options) for found in _RAW.finditer(text))
    return raw or _plain(frozenset({NAME})).search(text) is not None
