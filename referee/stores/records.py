"""A match record as a workbook: a JSON file whose ``published`` holds the owned tabs."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

import msgspec

from referee.match.faults import Stopped, Unavailable, WrongUsage
from referee.match.record import Record
from referee.match.record_json import decode_record, encode_record
from referee.stores import file_safety
from referee.workbook.cells import OwnedTab

STANDARD_INPUT: Final = "-"
_LARGEST: Final = 256 * 2**20


class RecordStore:
    """A match record in a JSON file, or on standard input; making one touches nothing."""

    def __init__(self, place: str) -> None:
        self.notes: list[str] = []
        self._place = place
        self._seen: bytes | None = None
        self._locks = 0

    @property
    def name(self) -> str:
        """The file's name."""
        return "standard input" if self._is_input else Path(self._place).name

    @property
    def overtaken(self) -> bool:
        """Never: a file that somebody changed meanwhile is not written."""
        return False

    @property
    def _is_input(self) -> bool:
        return self._place == STANDARD_INPUT

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep a second run away for the length of a ``with``; raises `Unavailable` if one runs."""
        held = self._is_input or self._locks
        with nullcontext() if held else file_safety.locked(Path(self._place)):
            self._locks += 1
            try:
                yield
            finally:
                self._locks -= 1

    def read_record(self) -> Record:
        """Read the record; raises `Unavailable` or `Stopped`."""
        if self._is_input:
            self._seen = sys.stdin.buffer.read()
        else:
            self._seen = file_safety.read_file(Path(self._place), _LARGEST)
        try:
            return decode_record(self._seen)
        except Stopped as stopped:
            faults = [fault._replace(text=f"{self.name}: {fault.text}") for fault in stopped.faults]
            raise Stopped(faults, stopped.name) from None

    def publish(self, tabs: Sequence[OwnedTab]) -> None:
        """Replace the published tabs in the file, all or nothing; raises `Unavailable`."""
        if self._is_input:
            raise WrongUsage("what comes from standard input cannot be published; name a file")
        self.notes = []
        path = Path(self._place)
        with self.lock():
            old = file_safety.read_file(path, _LARGEST)
            if self._seen is not None and old != self._seen:
                raise file_safety.changed_meanwhile(path)
            published = {tab.title: tab.rows for tab in tabs}
            new = msgspec.structs.replace(decode_record(old), published=published)
            data = encode_record(new).encode() + b"\n"
            self.notes += file_safety.replace_file(path, old, data, _check)
            self._seen = data


def _check(data: bytes) -> None:
    try:
        decode_record(data)
    except Stopped as stopped:
        raise Unavailable(f"the new version would not be a match record: {stopped}") from None
