"""Random evenings of a chat: what is sent, edited and deleted, and what exports show of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from referee.chat.export import read_export
from referee.chat.messages import Export
from tests.support import chat_exports as c

PING = f"<@&{c.ROLE}>"
BEGIN = datetime(2026, 3, 2, 0, 0, 50, tzinfo=UTC)
PINGS = (PING, f"{PING} A D", f"{PING} D E", f"please {PING}")
LINES = ("A D", "swap B D", "D G", "pass", "hello", "")
HOST = c.user(99, "host")
AUTHORS = (c.ANN, c.BOB, c.user(33, "cy"))


class Sent(msgspec.Struct):
    """A message as it stands now; ``pinged`` is whether it did when it was sent."""

    id: str
    channel: str
    author: Mapping[str, Any]
    at: datetime
    text: str
    pinged: bool
    edited: datetime | None = None
    deleted: bool = False


class Evening:
    """One evening, event by event; every channel can be exported after each."""

    def __init__(self, random: Random, *, may_delete: bool = True) -> None:
        self._random, self._may_delete = random, may_delete
        self.messages: list[Sent] = []
        self.now = BEGIN

    def events(self, count: int) -> Iterator[list[str]]:
        """Let things happen; yields the channels in which each did."""
        for number in range(count):
            self.now += timedelta(milliseconds=self._random.choice((2, 400, 9000, 21000, 64000)))
            there = [message for message in self.messages if not message.deleted]
            what = self._random.choice(("send", "send", "send", "edit", "edit", "delete"))
            if what == "send" or not there:
                yield self._send(number)
            elif what == "edit":
                yield [self._edit(self._random.choice(there))]
            elif self._may_delete:
                gone = self._random.choice(there)
                gone.deleted = True
                yield [gone.channel]

    def _send(self, number: int) -> list[str]:
        """Send a message, or two in one millisecond and two channels."""
        both = ["901", "902"]
        self._random.shuffle(both)
        used = both if self._random.randint(1, 6) == 1 else both[:1]
        for place, channel in enumerate(used):
            author = self._random.choice(AUTHORS)
            # A picture alone is no event: it is never imported, and an edit gives it no text.
            text = self._random.choice(PINGS + LINES[:-1])
            own = c.snowflake(self.now.isoformat(), 2 * number + place)
            self.messages.append(Sent(own, channel, author, self.now, text, text in PINGS))
        return used

    def _edit(self, message: Sent) -> str:
        """Edit a message. One that pinged goes on to mention the Dealer.

        An edit that takes a ping away before the first import leaves no trace of it anywhere.
        """
        texts = PINGS if message.pinged else PINGS + LINES
        self.now += timedelta(milliseconds=1)  # two edits never have one time
        message.text, message.edited = self._random.choice(texts), self.now
        return message.channel

    def export(self, channel: str, file: str = "") -> Export:
        """What an export of a channel shows now."""
        listed = [self._shown(m) for m in self.messages if m.channel == channel and not m.deleted]
        listed.insert(0, c.message(1, "welcome", HOST, at=BEGIN.isoformat()))
        made = {"channel": {"id": channel, "name": "x"}, "exportedAt": self._after().isoformat()}
        return read_export(c.export(listed, **made), file or f"{channel}.json")

    def _after(self) -> datetime:
        return self.now + timedelta(milliseconds=1)

    def _shown(self, message: Sent) -> dict[str, Any]:
        edited = None if message.edited is None else message.edited.isoformat()
        return c.message(
            message.id,
            message.text,
            message.author,
            at=message.at.isoformat(),
            timestampEdited=edited,
        )


def channels(messages: Sequence[Sent]) -> list[str]:
    """The channels in which anything was ever written."""
    return sorted({message.channel for message in messages})
