"""What a host types at the console, answered at once and written beside it."""

import re
from typing import Final

import msgspec

from referee.desk.echo import echoed
from referee.desk.logbook import Done, Logbook
from referee.desk.writing_along import Writer
from referee.match.faults import Unavailable
from referee.match.instants import format_instant
from referee.match.record import Record
from referee.stores.journal import Kept
from referee.workbook.spoken import Hearing, UnclearError, hearing_of, understand

_UNDO: Final = "undo"


class Reply(msgspec.Struct, frozen=True):
    """What a line came to; ``again`` is the text to be corrected, empty where it was taken."""

    text: str
    again: str = ""


class Evening:
    """The lines typed at one console: kept, shown at once, written by the ``writer``.

    A line that is not clear keeps the instant of its first key press while it is corrected.
    """

    def __init__(self, logbook: Logbook, writer: Writer) -> None:
        self._logbook = logbook
        self._writer = writer
        self._lines: list[Kept] = []
        self._heard: Hearing | None = None
        self.asked: Kept | None = None

    def hear(self, record: Record) -> Record:
        """Return a record as read with what was typed since in it; lines are understood by it."""
        record = echoed(record, tuple(self._lines))
        self._heard = hearing_of(record)
        return record

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, as far as the sheet could be read."""
        return () if self._heard is None else self._heard.names

    def time(self, instant: int) -> str:
        """Return an instant's time of day on the match's wall clock."""
        shown = format_instant(instant) if self._heard is None else self._heard.clock.text(instant)
        return shown[11:].rstrip("Z")

    def enter(self, typed: str, at: int) -> Reply:
        """Take a line whose key was pressed at an instant."""
        text = " ".join(re.split(r"[\r\n]+", typed)).strip()
        if not text:
            return Reply("")
        if text.casefold() == _UNDO:
            return self.undo()
        try:
            return self._take(text, at)
        except Unavailable as unavailable:
            return Reply(str(unavailable), again=text)

    def _take(self, text: str, at: int) -> Reply:
        heard, asked = self._heard, self.asked
        at = at if asked is None else asked.at
        if heard is None:
            line = asked or self._logbook.take(text, at)
            self._done(line)
            return Reply(f"{self.time(line.at)} kept: {text}; the sheet cannot be read yet")
        try:
            spoken = understand(text, at, heard)
        except UnclearError as unclear:
            if asked is None:
                self._ask(text, at)
            meant = f" ({' or '.join(unclear.meant)})" if unclear.meant else ""
            return Reply(f"{unclear}{meant}", again=text)
        if asked is None:
            line = self._logbook.take(text, at, spoken)
        else:
            line = msgspec.structs.replace(asked, typed=text, spoken=spoken)
            self._logbook.journal.clear_up(line.key, text, spoken)
        self._done(line)
        return Reply(f"{self.time(line.at)} {spoken.words()}")

    def _ask(self, text: str, at: int) -> None:
        """Keep a line that is not clear yet: whatever happens to the console, it is not lost."""
        line = self._logbook.take(text, at)
        self._logbook.held.add(line.key)
        self.asked = line

    def _done(self, line: Kept) -> None:
        self._logbook.held.discard(line.key)
        self.asked = None
        self._lines.append(line)
        self._writer.wake()

    def let_go(self) -> Reply:
        """Give up the line that is being corrected."""
        if self.asked is None:
            return Reply("")
        line, self.asked = self.asked, None
        self._logbook.journal.gone(line.key)
        self._logbook.held.discard(line.key)
        return Reply(f"not logged: {line.typed}")

    def undo(self) -> Reply:
        """Take the last line back, or give up the one that is being corrected."""
        if self.asked is not None:
            return self.let_go()
        try:
            line = self._logbook.take_back()
        except Unavailable as unavailable:
            return Reply(str(unavailable))
        if line is None:
            return Reply("there is nothing to undo")
        line.undo = True
        self._lines = [one for one in self._lines if one.key != line.key]
        self._lines.append(line)
        self._writer.wake()
        said = line.typed if line.spoken is None else line.spoken.words()
        return Reply(f"undone: {self.time(line.at)} {said}")

    def doubt(self) -> str:
        """Return what the host should know of lines that are not in the sheet, empty if nothing."""
        written = self._writer.written
        refused = [_refused(done) for done in written.latest if done.problem]
        if not written.waiting:
            return "; ".join(refused)
        lines = "1 line waits" if written.waiting == 1 else f"{written.waiting} lines wait"
        why = written.trouble or "; ".join(refused)
        return f"{lines}: {why}" if why else ""


def _refused(done: Done) -> str:
    return f"{done.line.typed}: {done.problem}"
