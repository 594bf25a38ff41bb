"""Archives: match records, one a line (JSON Lines), read as a stream of any length (RECORD)."""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

from referee.match.faults import Unavailable

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Kind = Literal["archive", "record", "either"]


def read_lines(place: str) -> Iterator[bytes]:
    """Yield the records of a file or archive, each as its JSON; ``-`` is standard input.

    A name that ends in .jsonl is an archive; any other file is one record, unless its first line
    is a whole object by itself. Standard input is an archive unless its first line clearly goes
    on. Blank lines are passed over. Raises `Unavailable` where it cannot be read.
    """
    if place == "-":
        yield from _records(sys.stdin.buffer, "either")
        return
    kind: Kind = "archive" if place.lower().endswith(".jsonl") else "record"
    try:
        with Path(place).open("rb") as stream:
            yield from _records(stream, kind)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unavailable(f"{place} cannot be read: {reason}") from None


def _records(stream: Iterable[bytes], kind: Kind) -> Iterator[bytes]:
    lines = iter(stream)
    first = next(lines, b"").removeprefix(_BYTE_ORDER_MARK)
    while first.isspace():
        first = next(lines, b"")
    start = first.strip()
    is_object = start.startswith(b"{") and start.endswith(b"}")
    goes_on = start.endswith((b"{", b"[", b",", b":"))
    if not is_object and (kind == "record" or (kind == "either" and goes_on)):
        yield first + b"".join(lines)
        return
    for line in chain([start], lines):
        if line and not line.isspace():
            yield line.strip()
