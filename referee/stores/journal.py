"""What was typed, kept on the disk before anything else is done with it.

A file of JSON lines that is only ever appended to: each line as it was typed with its instant,
then what became of it. It stands beside a workbook file (``match.xlsx.log``); for a Google Sheet
in this user's own folder for such things. A process may be killed at any moment: what it had taken
is found here by the next one.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.match.faults import Unavailable
from referee.match.instants import format_instant, parse_instant
from referee.stores import file_safety
from referee.workbook.spoken import Spoken

FORMAT: Final = "referee-journal/1"
_LARGEST: Final = 64 * 2**20


class Kept(msgspec.Struct):
    """A line of the journal and what became of it; ``at`` is its instant in milliseconds.

    ``spoken`` is what it stands for, None while that was never clear. ``written`` tells that the
    sheet holds it; ``undo`` that it is to be taken back, ``gone`` that it was, or never counts.
    ``planned`` tells that its writing was begun and ``before`` what its cell held then, where it
    changes a cell that may hold something.
    """

    key: str
    at: int
    typed: str
    spoken: Spoken | None = None
    written: bool = False
    undo: bool = False
    gone: bool = False
    planned: bool = False
    before: int | str | None = None

    @property
    def waits(self) -> bool:
        """Whether it still has to be written."""
        return not (self.written or self.undo or self.gone)

    @property
    def waits_for_undo(self) -> bool:
        """Whether the sheet still has to be rid of it; it may hold it though nobody noted that."""
        return self.undo and not self.gone


def journal_beside(path: str | Path) -> "Journal":
    """Return the journal of a workbook file."""
    target = Path(os.path.realpath(path))
    return Journal(target.with_name(f"{target.name}.log"))


def journal_for_key(key: str) -> "Journal":
    """Return this user's journal for the Google Sheet of a key."""
    from platformdirs import user_state_path

    return Journal(user_state_path("referee", appauthor=False) / f"{key}.log")


class Journal:
    """The journal of one workbook, in a file that may not be there yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, line: Kept) -> None:
        """Keep a new line; when this returns it is on the disk. Raises `Unavailable`."""
        event: dict[str, Any] = {
            "format": FORMAT,
            "line": line.key,
            "at": format_instant(line.at),
            "typed": line.typed,
        }
        if line.spoken is not None:
            event["means"] = msgspec.to_builtins(line.spoken)
        self._append(event)

    def clear_up(self, key: str, typed: str, spoken: Spoken) -> None:
        """Note what a line stands for that was not clear when it was taken."""
        self._append({"line": key, "typed": typed, "means": msgspec.to_builtins(spoken)})

    def plan(self, key: str, before: int | str | None) -> None:
        """Note what a cell holds that a line is about to change."""
        self._append({"line": key, "before": before})

    def wrote(self, key: str) -> None:
        """Note that the sheet holds a line."""
        self._append({"line": key, "written": True})

    def take_back(self, key: str, *, undo: bool = True) -> None:
        """Note that a line is to be undone, or that it cannot be and stays."""
        self._append({"line": key, "undo": undo})

    def gone(self, key: str) -> None:
        """Note that nothing more is to be done about a line."""
        self._append({"line": key, "gone": True})

    def _append(self, event: dict[str, Any]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            data = json.dumps(event, ensure_ascii=False).encode() + b"\n"
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.path, flags, 0o600)
            try:
                # A line that a killed process left half written must not swallow this one.
                if (size := os.fstat(descriptor).st_size) and not _ends_line(descriptor, size):
                    data = b"\n" + data
                while data:
                    data = data[os.write(descriptor, data) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise Unavailable(
                f"{self.path}: the line cannot be kept there: {error.strerror or error}"
            ) from None

    def lines(self) -> list[Kept]:
        """Return every line, in the order typed; what was torn in writing is left out.

        Raises `Unavailable` where the journal is there and cannot be read.
        """
        if not self.path.exists():
            return []
        found: dict[str, Kept] = {}
        for event in _events(file_safety.read_file(self.path, _LARGEST)):
            _take(found, event)
        return list(found.values())

    def waiting(self) -> list[Kept]:
        """Return the lines that the sheet does not hold yet; raises as `lines` does."""
        return [line for line in self.lines() if line.waits or line.waits_for_undo]

    def check_settled(self) -> None:
        """Raise `Unavailable` where lines wait that somebody typed for an old workbook."""
        if waiting := len(self.waiting()):
            lines = "1 line that was" if waiting == 1 else f"{waiting} lines that were"
            raise Unavailable(
                f"{self.path.name} beside it holds {lines} logged and never written; delete that "
                "file if it is about another match"
            )

    def start_anew(self) -> None:
        """Let go of what was settled: a new workbook has taken this name."""
        self.path.unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from writing the same lines; raises `Unavailable` if one does."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with file_safety.locked(self.path):
            yield


def _ends_line(descriptor: int, size: int) -> bool:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("line"), str):
            yield event


def _take(found: dict[str, Kept], event: dict[str, Any]) -> None:
    """Let one event tell of its line; an event of a line that is not there tells nothing."""
    key = event["line"]
    try:
        if "at" in event:
            found[key] = Kept(key, parse_instant(event["at"]), str(event["typed"]))
        line = found[key]
        if "means" in event:
            line.typed = str(event["typed"])
            line.spoken = msgspec.convert(event["means"], Spoken)
    except (KeyError, ValueError, TypeError):
        return
    if "before" in event:
        line.planned, line.before = True, event["before"]
    line.undo = bool(event.get("undo", line.undo))
    line.written = line.written or "written" in event
    line.gone = line.gone or "gone" in event
