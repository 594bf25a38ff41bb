"""Each message once, in order, from any number of exports that may overlap (parts, repeats).

A message of a JSON export is known by its id. One of a CSV has none: there its author, instant and
text stand for it, joined to an id of the referee's own making.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from referee.chat.keeping import keep_text
from referee.chat.messages import Export, Message
from referee.match.faults import Fault

_CSV: Final = "csv"


class Merged(msgspec.Struct, frozen=True):
    """The messages of all exports, each once; ``repeated`` counts how often one came again.

    ``versions`` are those found with different texts: the one left out and the one taken, which is
    the one edited last.
    """

    messages: tuple[Message, ...]
    repeated: int
    versions: tuple[tuple[Message, Message], ...]


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
    versions: list[tuple[Message, Message]] = []
    for copies in numbered.values():
        taken = _newest(copies, versions, faults)
        messages.append(taken)
        # A JSON export knows more of a message than a CSV, whose row is then one copy more.
        unnumbered.pop((taken.author.id, taken.sent), None)
    for rows in unnumbered.values():
        messages += _distinct(rows, faults)
    total = sum(len(export.messages) for export in exports)
    return Merged(tuple(_ordered(messages)), total - len(messages), tuple(versions))


def _newest(
    copies: Sequence[Message], versions: list[tuple[Message, Message]], faults: list[Fault]
) -> Message:
    # Of equal edit times the one with raw mentions tells more; the text itself settles the rest.
    taken = max(copies, key=lambda copy: (copy.edited or 0, copy.text.count("<@"), copy.text))
    for copy in copies:
        if (copy.author.id, copy.sent) != (taken.author.id, taken.sent):
            text = (
                f"{copy.where} has another author or time than in {taken.file}; "
                "export the channel again and import only that"
            )
            faults.append(Fault("contradicting-exports", text))
        elif copy.edited != taken.edited:
            versions.append((copy, taken))
    return taken


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
    """Order by id, which is the order of sending in every channel; with a CSV by time."""
    if all(message.id.isdigit() for message in messages):
        return sorted(messages, key=lambda message: int(message.id))
    return sorted(messages, key=lambda message: message.sent)
