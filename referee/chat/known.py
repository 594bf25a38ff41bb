"""What the sheet already holds of a chat: rows by their message id, and rows typed by hand."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from referee.match.faults import Fault
from referee.match.instants import SECOND, Instant
from referee.match.record import LARGEST
from referee.workbook.cells import Book, Broken, Moment, Value
from referee.workbook.findings import Findings
from referee.workbook.headers import Row
from referee.workbook.names import tidy
from referee.workbook.places import Places
from referee.workbook.rows import TabRows
from referee.workbook.setup import SetUp
from referee.workbook.values import CellError, is_blank, plain, read_words

QUEUE: Final = "Queue"
SUBMISSIONS: Final = "Submissions"
ID_COLUMN: Final = "Message id"

_LINK: Final = re.compile(r"https?://(?:\w+\.)?discord(?:app)?\.com/channels/\S*?/([0-9]+)/?")


class KnownRow(msgspec.Struct, frozen=True):
    """A row of Queue or Submissions; what of it cannot be read is None or empty."""

    tab: str
    row: int
    id: str
    time: Instant | None
    player: str | None
    text: str
    edited: Instant | None

    def is_at(self, instant: int) -> bool:
        """Whether the row's time is this instant, or its whole second as people type it."""
        return self.time is not None and self.time in (instant, instant - instant % SECOND)


class Known:
    """The rows of both tabs."""

    def __init__(self, rows: Sequence[KnownRow]) -> None:
        self.by_id: dict[str, list[KnownRow]] = {}
        self.typed: dict[str, list[KnownRow]] = {}
        """Rows without an id, by player."""
        self._numbered: dict[tuple[str, int], list[KnownRow]] = {}
        self._stems: dict[str, list[KnownRow]] = {}
        for row in rows:
            if row.id:
                self.by_id.setdefault(row.id, []).append(row)
                self._stems.setdefault(row.id.rpartition("-")[0], []).append(row)
                if row.player is not None and row.time is not None:
                    self._numbered.setdefault((row.player, row.time), []).append(row)
            elif row.player is not None:
                self.typed.setdefault(row.player, []).append(row)

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
    for number, cells in rows.rows:
        try:
            message_id = _message_id(rows.value(cells, ID_COLUMN))
        except CellError as error:
            where = places.locate(tab, number, ID_COLUMN)
            faults.append(Fault("bad-message-id", f"{where}: {error}", tab, number))
            continue
        time = rows.time(number, cells, "Timestamp")
        edited = rows.time(number, cells, "Edited")
        yield KnownRow(
            tab=tab,
            row=number,
            id=message_id,
            time=None if time is UNSET else time,
            player=set_up.roster.find(_text(rows, (number, cells), "Player")),
            text=_text(rows, (number, cells), "Message"),
            edited=None if edited is UNSET else edited,
        )


def _text(rows: TabRows, row: Row, column: str) -> str:
    number, cells = row
    return rows.text(number, cells, column, read_words)


def _message_id(value: Value) -> str:
    """Return the id a cell holds, empty where it is blank; raises CellError for a lost one."""
    if value is None or is_blank(value):
        return ""
    if isinstance(value, str):
        text = tidy(value)
        link = _LINK.fullmatch(text)
        return text if link is None else link[1]
    mend = "format the column as plain text and paste the message's id anew"
    if isinstance(value, Broken):
        raise CellError(value, f" cannot be read: {value.why}")
    if isinstance(value, Moment) or abs(value) > LARGEST:
        raise CellError(value, f" has lost the digits of a message id; {mend}")
    return plain(value)
