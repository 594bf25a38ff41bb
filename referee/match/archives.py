"""Archives: match records, one a line (JSON Lines), streams of any length, also packed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, Literal, cast

from referee.match.faults import Unavailable, visible

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PACKED: Final = (".gz", ".zst")
"""How the names of packed files end; what they are is told by the ending before it."""
LARGEST_LINE: Final = 64 * 2**20
"""Bytes one line may have; a match of ten rounds has a few hundred thousand."""

Kind = Literal["archive", "record", "either"]


def is_archive(place: str) -> bool:
    """Whether a file's name is that of an archive, packed or not."""
    return _unpacked_name(place).endswith(".jsonl")


def is_record(place: str) -> bool:
    """Whether a file's name is that of a record, packed or not."""
    return _unpacked_name(place).endswith(".json")


def read_lines(place: str) -> Iterator[bytes]:
    """Yield the records of a file or archive, each as its JSON; ``-`` is standard input.

    A name that ends in .jsonl, also with .gz or .zst behind it, is an archive; any other file is
    one record, unless its first line is a whole object by itself. Standard input is an archive
    unless its first line clearly goes on. Blank lines are passed over. Raises `Unavailable` where
    it cannot be read: a packed file that is cut off included.
    """
    if place == "-":
        yield from _records(sys.stdin.buffer, "either")
        return
    path = Path(place)
    kind: Kind = "archive" if is_archive(place) else "record"
    try:
        with _opened(path, "rb") as stream:
            yield from _records(stream, kind)
    except _unreadable(path) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unavailable(f"{visible(place)} cannot be read: {visible(reason)}") from None


@contextmanager
def archive_writer(path: Path) -> Iterator[IO[bytes]]:
    """Give a stream into a new archive, packed as its name says; it is there once it is whole.

    Raises `Unavailable` where it cannot be written, and leaves what was there as it was.
    """
    beside = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        try:
            with _opened(beside, "wb") as stream:
                yield stream
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unavailable(f"{visible(str(path))} cannot be written: {reason}") from None


def _unpacked_name(place: str) -> str:
    name = place.lower()
    ending = next((one for one in PACKED if name.endswith(one)), "")
    return name.removesuffix(ending)


@contextmanager
def _opened(place: Path, mode: Literal["rb", "wb"]) -> Iterator[IO[bytes]]:
    """Open a file, unpacked or packed as the ending of ``place`` says."""
    ending = place.suffix.lower()
    if ending == ".gz":
        import gzip

        # Without name and time: the same records give the same file.
        with place.open(mode) as raw, gzip.GzipFile("", mode, fileobj=raw, mtime=0) as packed:
            yield cast("IO[bytes]", packed)
    elif ending == ".zst":
        zstd = _zstd()
        # Without a checksum a changed byte could pass.
        checked = {zstd.CompressionParameter.checksum_flag: 1} if mode == "wb" else None
        with zstd.open(place, mode, options=checked) as packed:
            yield packed
    else:
        with place.open(mode) as stream:
            yield stream


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _unreadable(place: Path) -> tuple[type[Exception], ...]:
    """Return what reading a file raises where it is missing, broken or cut off."""
    plain: tuple[type[Exception], ...] = (OSError, ValueError, EOFError)
    if place.suffix.lower() == ".gz":
        import zlib

        return (*plain, zlib.error)
    return (*plain, _zstd().ZstdError) if place.suffix.lower() == ".zst" else plain


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield lines; one without end, of which a small packed file may hold gigabytes, is refused."""
    while line := stream.readline(LARGEST_LINE + 1):
        if len(line) > LARGEST_LINE:
            raise ValueError(f"a line of more than {LARGEST_LINE // 2**20} MB is no match record")
        yield line


def _records(stream: IO[bytes], kind: Kind) -> Iterator[bytes]:
    lines = _lines(stream)
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
