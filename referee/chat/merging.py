"""Each message once, in order, from any number of exports that may overlap (parts, repeats).

A message of a JSON export is known by its id. One of a CSV has none: there its author, instant and
text stand for it, joined to an id of the referee's own making.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from referee.chat.keeping import keep_text
from referee.chat.messages import Export, Message
from referee.match.faults import Fault

_CSV: Final = "csv"

_MARKED_UP: Final = re.compile(r"<(?:@[!&]?|#|t:|a?:)[^<>\n]*>")
"""What an exporter writes as a name unless it is told not to."""


class Merged(msgspec.Struct, frozen=True):
    """The messages of all exports, each once; ``repeated`` counts how often one came again.

    A message is taken as it was edited last; ``originals`` holds those edited that an older export
    shows as they were sent, by id.
    """

    messages: tuple[Message, ...]
    repeated: int
    originals: Mapping[str, Message]


def csv_stem(message: Message) -> str:
    """Return how the ids given to CSV rows of this author and instant begin."""
    return f"{_CSV}-{message.author.id}-{message.sent}"


def merge(exports: Sequence[Export], faults: list[Fault]) -> Merged:
    """Take every message once; what two exports contradict each other on goes into ``faults``."""
    numbered: dict[str, list[Message]] = {}
    unnumbered: dict[tuple[str, int], list[Message]] = {}
    for export in exports:
        for message in export.messages:
            if export.has_ids:
                numbered.setdefault(str(int(message.id)), []).append(message)
            else:
                unnumbered.setdefault((message.author.id, message.sent), []).append(message)
    messages: list[Message] = []
    originals: dict[str, Message] = {}
    for copies in numbered.values():
        taken = copies[0] if len(copies) == 1 else _newest(copies, originals, faults)
        messages.append(taken)
        # A JSON export knows more of a message than a CSV, whose row is then one copy more.
        unnumbered.pop((taken.author.id, taken.sent), None)
    for rows in unnumbered.values():
        messages += _distinct(rows, faults)
    total = sum(len(export.messages) for export in exports)
    return Merged(tuple(_ordered(messages)), total - len(messages), originals)


def _newest(
    copies: Sequence[Message], originals: dict[str, Message], faults: list[Fault]
) -> Message:
    # Of equal edit times the one with raw mentions tells more; the text itself settles the rest.
    rank = [(copy.edited or 0, copy.text.count("<@"), copy.text) for copy in copies]
    taken = copies[rank.index(max(rank))]
    for copy in copies:
        if (copy.author.id, copy.sent) != (taken.author.id, taken.sent):
            faults.append(_contradiction(copy, taken, "another author or time"))
        elif copy.edited == taken.edited and not same_text(_by_ids(copy), _by_ids(taken)):
            faults.append(_contradiction(copy, taken, "another text"))
    if taken.edited is not None:
        sent = [copy for copy in copies if copy.edited is None]
        if sent:
            originals[taken.id] = max(sent, key=lambda copy: (copy.text.count("<@"), copy.text))
    return taken


def _contradiction(copy: Message, taken: Message, what: str) -> Fault:
    text = (
        f"{copy.where} has {what} than in {taken.file}, and no later edit tells which is right; "
        "export the channel again and import only that"
    )
    return Fault("contradicting-exports", text)


def _by_ids(message: Message) -> str:
    """Return a text with people by id: between two exports a nickname may have changed."""
    text = message.text
    for person in message.mentions if "@" in text else ():
        for name in sorted({person.nickname, person.name} - {""}, key=len, reverse=True):
            text = text.replace(f"@{name}", f"<@{person.id}>")
    return text


def same_text(one: str, other: str) -> bool:
    """Whether two texts are one, but for mentions, emoji and times that an exporter rewrote."""
    if " ".join(one.split()) == " ".join(other.split()):
        return True
    return _stands_for(one, other) or _stands_for(other, one)


def _stands_for(raw: str, shown: str) -> bool:
    """Whether what stands around the marked-up parts of a text stands in the other, in order."""
    first, *others = (part.strip() for part in _MARKED_UP.split(raw))
    if not others or not shown.strip().startswith(first):
        return False
    rest = shown.strip()[len(first) :]
    for part in others[:-1]:
        place = rest.find(part, 1)
        if place < 0:
            return False
        rest = rest[place + len(part) :]
    return len(rest) > len(others[-1]) and rest.endswith(others[-1])


def _distinct(rows: Sequence[Message], faults: list[Fault]) -> list[Message]:
    """Return the messages of one author and instant, each with an id made of all three."""
    by_file: dict[str, dict[str, Message]] = {}
    for row in rows:
        by_file.setdefault(row.file, {}).setdefault(row.text, row)
    first, *others = by_file.values()
    for other in others:
        if other.keys() != first.keys():
            one, two = next(iter(first.values())), next(iter(other.values()))
            text = (
                f"{two.where} says something else than {one.where}: edited in between? "
                "a CSV cannot tell; use JSON"
            )
            faults.append(Fault("contradicting-exports", text))
    return [msgspec.structs.replace(row, id=_csv_id(row)) for row in first.values()]


def _csv_id(row: Message) -> str:
    from zlib import crc32

    return f"{csv_stem(row)}-{crc32(keep_text(row.text).text.encode()):08x}"


def _ordered(messages: Sequence[Message]) -> list[Message]:
    """Order by time, and those of one millisecond by id, which is the order of sending."""
    return sorted(
        messages,
        key=lambda message: (message.sent, int(message.id) if message.id.isdigit() else 0),
    )
