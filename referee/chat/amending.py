"""Cells of rows that stand in the sheet already, set by what an export says of their messages."""

from collections.abc import Iterable, Iterator
from typing import Final

from referee.chat.keeping import LONGEST, keep_text
from referee.chat.known import NOTE_COLUMN, KnownRow
from referee.match.faults import quoted
from referee.workbook.cells import CellEdit, WallClock, Written
from referee.workbook.places import Places

BY_EDIT: Final = "a mention added by an edit pings nobody (R3.6)"
FIRST_SEEN_EDITED: Final = (
    "edited before it was first imported: what it said at first is not known, nor whether that "
    "pinged the Dealer"
)
FROM_CSV: Final = "from a CSV export, which shows no edits"
GONE: Final = "no longer in its channel: deleted? It counts until a ruling says void"
DID_NOT_PING: Final = "as it was sent it did not ping the Dealer: rule it void"


def said(text: str, when: str) -> str:
    """Return what a row said until an import, for its note."""
    return f"until the import of {when} it said {quoted(text, LONGEST)}"


def sent_as(text: str) -> str:
    """Return what a message said when it was sent, for its note."""
    return f"as it was sent it said {quoted(text, LONGEST)}"


def joined(there: str, notes: Iterable[str]) -> str:
    """Return a note with more lines, short enough for a cell; what stands there comes first."""
    lines = [there] if there.strip() else []
    return keep_text("\n".join([*lines, *notes])).text[:LONGEST]


class Amendments:
    """Changes to the rows of Queue and Submissions; nothing else of a row is touched."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._cells: dict[tuple[str, int, int], Written | WallClock] = {}
        self._notes: dict[tuple[str, int], tuple[KnownRow, list[str]]] = {}
        self.without_notes: set[str] = set()
        """The tabs that lack a column for what should be noted."""

    def set(self, row: KnownRow, column: str, value: Written | WallClock) -> None:
        """Set a cell of a row, where the tab has such a column."""
        number = self._places.column(row.tab, column)
        if number is not None:
            self._cells[row.tab, row.row, number] = value

    def note(self, row: KnownRow, text: str, key: str | None = None) -> None:
        """Add a line to a row's note, once: ``key`` is what tells that it stands there already."""
        if (key or text) in row.note:
            return
        if self._places.column(row.tab, NOTE_COLUMN) is None:
            self.without_notes.add(row.tab)
            return
        _, lines = self._notes.setdefault((row.tab, row.row), (row, []))
        if text not in lines:
            lines.append(text)

    def edits(self) -> Iterator[CellEdit]:
        """Yield every cell to be set."""
        for (tab, number, column), value in self._cells.items():
            yield CellEdit(self._places.title(tab), number, column, value)
        for (tab, number), (row, lines) in self._notes.items():
            noted = self._places.column(tab, NOTE_COLUMN)
            if noted is not None:
                text = joined(row.note, lines)
                yield CellEdit(self._places.title(tab), number, noted, text)
