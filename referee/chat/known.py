"""What the sheet already holds of a chat: rows by their message id, and rows typed by hand."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from referee.chat.messages import Message
from referee.match.faults import Fault
from referee.match.instants import SECOND, Instant
from referee.match.record import LARGEST
from referee.workbook.cells import Book, Broken, Moment, Value
from referee.workbook.findings import Findings
from referee.workbook.headers import Row
from referee.workbook.message_ids import linked_message, sent_at
from referee.workbook.names import tidy
from referee.workbook.places import Places
from referee.workbook.rows import TabRows
from referee.workbook.setup import SetUp
from referee.workbook.values import CellError, is_blank, plain, read_words, shown

QUEUE: Final = "Queue"
SUBMISSIONS: Final = "Submissions"
ID_COLUMN: Final = "Message id"
CHANNEL_COLUMN: Final = "Channel id"
NOTE_COLUMN: Final = "Note"


class KnownRow(msgspec.Struct, frozen=True, gc=False):
    """A row of Queue or Submissions; what of it cannot be read is None or empty."""

    tab: str
    row: int
    id: str
    time: Instant | None
    player: str | None
    text: str
    edited: Instant | None
    is_ruled: bool = False
    note: str = ""
    channel: str = ""

    @property
    def sent(self) -> Instant | None:
        """When the message was sent, by its id where that tells."""
        inside = sent_at(self.id)
        return self.time if inside is None else Instant(inside)


class Known:
    """The rows of both tabs."""

    def __init__(self, rows: Sequence[KnownRow]) -> None:
        self.by_id: dict[str, list[KnownRow]] = {}
        self._typed: dict[tuple[str, str, int], list[KnownRow]] = {}
        """Rows without an id, by tab, player and time."""
        self._numbered: dict[tuple[str, int], list[KnownRow]] = {}
        self._instants: dict[tuple[str, int], list[KnownRow]] = {}
        self._stems: dict[str, list[KnownRow]] = {}
        for row in rows:
            if row.time is not None:
                self._instants.setdefault((row.tab, row.time), []).append(row)
            if row.id:
                self.by_id.setdefault(row.id, []).append(row)
                self._stems.setdefault(row.id.rpartition("-")[0], []).append(row)
                if row.player is not None and row.time is not None:
                    self._numbered.setdefault((row.player, row.time), []).append(row)
            elif row.player is not None and row.time is not None:
                self._typed.setdefault((row.tab, row.player, row.time), []).append(row)

    def sent_after(self, tab: str, message: Message) -> list[KnownRow]:
        """Return the rows of a message's millisecond whose messages were sent after it."""
        rows = self._instants.get((tab, message.sent), ())
        if not message.id.isdigit():
            return []
        return [row for row in rows if row.id.isdigit() and int(row.id) > int(message.id)]

    def typed(self, tab: str, player: str, instant: int) -> list[KnownRow]:
        """Return the rows without an id at an instant, or at its whole second as people type it."""
        at = dict.fromkeys((instant, instant - instant % SECOND))
        return [row for time in at for row in self._typed.get((tab, player, time), ())]

    def stemming(self, stem: str) -> list[KnownRow]:
        """Return the rows whose id is this and one more part after a dash."""
        return self._stems.get(stem, [])

    def at(self, player: str, instant: int) -> list[KnownRow]:
        """Return the rows with an id that say a player wrote at this instant."""
        return self._numbered.get((player, instant), [])


def read_known(book: Book, set_up: SetUp, places: Places, faults: list[Fault]) -> Known:
    """Read both tabs as far as they can be; an id whose digits are lost goes into ``faults``."""
    return Known(
        [
            row
            for tab in (QUEUE, SUBMISSIONS)
            for row in _rows(tab, TabRows(tab, book, set_up, Findings()), set_up, places, faults)
        ]
    )


def _rows(
    tab: str, rows: TabRows, set_up: SetUp, places: Places, faults: list[Fault]
) -> Iterator[KnownRow]:
    """Yield the rows of one tab; other faults than an id's are for `check` to tell."""
    notes = set_up.tables[tab].columns.get(NOTE_COLUMN) if tab in set_up.tables else None
    for number, cells in rows.rows:
        found = []
        for column in (ID_COLUMN, CHANNEL_COLUMN):
            try:
                found.append(_ids(rows.value(cells, column)))
            except CellError as error:
                where = places.locate(tab, number, column)
                faults.append(Fault("bad-message-id", f"{where}: {error}", tab, number))
        if len(found) < 2:
            continue
        (channel, message_id), (_, given) = found
        time = rows.time(number, cells, "Timestamp")
        edited = rows.time(number, cells, "Edited")
        note = None if notes is None else cells[notes]
        yield KnownRow(
            tab=tab,
            row=number,
            id=message_id,
            time=None if time is UNSET else time,
            player=set_up.roster.find(_text(rows, (number, cells), "Player")),
            text=_text(rows, (number, cells), "Message"),
            edited=None if edited is UNSET else edited,
            is_ruled=not is_blank(rows.value(cells, "Ruling")),
            note=note if isinstance(note, str) else "" if note is None else shown(note),
            channel=given or channel,
        )


def _text(rows: TabRows, row: Row, column: str) -> str:
    number, cells = row
    return rows.text(number, cells, column, read_words)


def _ids(value: Value) -> tuple[str, str]:
    """Return the channel, where a link tells, and the id that a cell holds; either may be empty.

    Raises CellError for an id that lost its digits.
    """
    if value is None or is_blank(value):
        return "", ""
    if isinstance(value, str):
        text = tidy(value)
        channel, message_id = linked_message(text)
        return channel, message_id or text
    if isinstance(value, Broken):
        raise CellError(value, f" cannot be read: {value.why}")
    if isinstance(value, Moment) or abs(value) > LARGEST:
        mend = "format the column as plain text and paste the message's id anew"
        raise CellError(value, f" has lost the digits of a message id; {mend}")
    return "", plain(value)
