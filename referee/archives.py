"""Archives: match records, one a line (JSON Lines), read as a stream of any length (RECORD)."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from referee.faults import Unavailable

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(place: str) -> Iterator[bytes]:
    """Yield the records of a file or archive, each as its JSON; ``-`` is standard input.

    A file is one record unless its name ends in .jsonl or its first line is an object by itself
    and others follow. Blank lines are passed over. Raises `Unavailable` where it cannot be read.
    """
    if place == "-":
        yield from _records(sys.stdin.buffer, is_archive=False)
        return
    try:
        with Path(place).open("rb") as stream:
            yield from _records(stream, is_archive=place.lower().endswith(".jsonl"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unavailable(f"{place} cannot be read: {reason}") from None


def _records(stream: BinaryIO, *, is_archive: bool) -> Iterator[bytes]:
    first = stream.readline().removeprefix(_BYTE_ORDER_MARK)
    while first.isspace():
        first = stream.readline()
    whole = first.strip()
    if not is_archive and not (whole.startswith(b"{") and whole.endswith(b"}")):
        yield first + stream.read()
        return
    if whole:
        yield whole
    for line in stream:
        if not line.isspace():
            yield line.strip()
