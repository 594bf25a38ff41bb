"""Chat messages as the referee knows them, whatever file they came in."""

from typing import Final

import msgspec

from referee.match.faults import quoted
from referee.match.instants import Instant

PEOPLE_KINDS: Final = frozenset({"Default", "Reply"})
"""The types of message that are people talking; every other is written by Discord itself."""


class Person(msgspec.Struct, frozen=True, gc=False):
    """An account: ``id`` never changes, ``name`` seldom, ``nickname`` whenever its owner likes."""

    id: str
    name: str
    nickname: str = ""
    is_bot: bool = False

    def __str__(self) -> str:
        also = f"nickname {quoted(self.nickname)}, " if self.nickname not in ("", self.name) else ""
        return f"{quoted(self.name)} ({also}id {self.id})"


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message as exported.

    ``place`` is how a host finds it in its file (``message 123``, ``row 2``); ``id`` is empty in
    a CSV, which has none, and ``channel`` is then empty too. ``text`` is its author's own latest
    text: what a reply quotes or a forward carries is no part of it. ``carries`` tells a message
    with pictures, stickers or embeds, ``forwarded`` one that only passes on another.
    """

    file: str
    place: str
    id: str
    kind: str
    author: Person
    sent: Instant
    edited: Instant | None = None
    text: str
    mentions: tuple[Person, ...] = ()
    carries: bool = False
    forwarded: bool = False
    channel: str = ""

    @property
    def where(self) -> str:
        """The file and the place in it, for messages."""
        return f"{self.file} {self.place}"

    @property
    def by_a_person(self) -> bool:
        """Whether a person wrote it: no bot, no webhook, no entry of Discord's own."""
        return self.kind in PEOPLE_KINDS and not self.author.is_bot


class Export(msgspec.Struct, frozen=True):
    """One file: the channel's name, and of a JSON file its id, and all of its messages.

    ``has_ids`` is false for a CSV. ``after`` and ``before`` are the bounds of the export where it
    has any, ``exported`` when it was made, where the file says so. ``roles`` are ids and names of
    the roles its authors have.
    """

    file: str
    channel: str
    messages: tuple[Message, ...]
    has_ids: bool = True
    channel_id: str = ""
    after: Instant | None = None
    before: Instant | None = None
    exported: Instant | None = None
    roles: frozenset[tuple[str, str]] = frozenset()
