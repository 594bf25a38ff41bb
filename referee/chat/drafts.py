"""New rows of Queue and Submissions, right under what is there."""

from collections.abc import Iterator, Sequence

import msgspec

from referee.chat.amending import joined
from referee.chat.known import CHANNEL_COLUMN, ID_COLUMN, NOTE_COLUMN, QUEUE, SUBMISSIONS, Known
from referee.chat.messages import Message
from referee.chat.report import Added
from referee.match.faults import Fault
from referee.workbook.cells import NewRow, WallClock, Written
from referee.workbook.places import Places
from referee.workbook.times import time_cell
from referee.workbook.values import is_blank
from referee.workbook.wall_clock import Clock


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A row to be added: a ping where ``tab`` is Queue, else what a message says.

    ``edited`` is None where there was no edit, or where it does not touch the row. ``notes`` are
    what is in doubt of it.
    """

    tab: str
    message: Message
    player: str
    text: str
    edited: int | None
    notes: tuple[str, ...] = ()


class NewRows:
    """Makes the rows of both tabs from drafts."""

    def __init__(self, clock: Clock, places: Places, known: Known, faults: list[Fault]) -> None:
        self._clock, self._places, self._known, self._faults = clock, places, known, faults
        self._columns: dict[str, dict[str, int]] = {
            tab: {name: index + 1 for name, index in places.tables[tab].columns.items()}
            if tab in places.tables
            else {}
            for tab in (QUEUE, SUBMISSIONS)
        }
        self.rows: list[NewRow] = []
        self.added: list[Added] = []
        self.without_notes: set[str] = set()
        """The tabs that lack a column for what should be noted."""
        self.warnings: list[str] = []

    def add_all(self, tab: str, drafts: Sequence[Draft]) -> None:
        """Add a row for each draft of one tab, in their order."""
        edited = next((draft.message for draft in drafts if draft.edited is not None), None)
        if edited is not None:
            check_edited_column(self._places, tab, edited, self._faults)
        after = _last_row(self._places, tab)
        for number, draft in enumerate(drafts, after + 1):
            self._add(draft, after, number)

    def _add(self, draft: Draft, after: int, number: int) -> None:
        message, tab = draft.message, draft.tab
        notes = [*draft.notes, *self._doubles(draft, number), *self._too_low(draft, number)]
        cells: dict[str, Written | WallClock] = {
            "Timestamp": time_cell(self._clock, message.sent),
            "Player": draft.player,
        }
        if tab == QUEUE:
            cells["Action"] = "join"
        else:
            cells["Message"] = draft.text
        if draft.edited is not None:
            cells["Edited"] = time_cell(self._clock, draft.edited)
        cells[ID_COLUMN] = message.id
        if message.channel:
            cells[CHANNEL_COLUMN] = message.channel
        if notes:
            cells[NOTE_COLUMN] = joined("", notes)
            if NOTE_COLUMN not in self._columns[tab]:
                self.without_notes.add(tab)
        title = self._places.title(tab)
        columns = self._columns[tab]
        values = {columns[name]: value for name, value in cells.items() if name in columns}
        self.rows.append(NewRow(title, after, values))
        self.added.append(
            Added(
                tab=title,
                row=number,
                time=message.sent,
                shown=self._clock.text(message.sent),
                player=draft.player,
                message_id=message.id,
                text=draft.text,
                file=message.file,
            )
        )

    def _doubles(self, draft: Draft, number: int) -> Iterator[str]:
        """Yield a note for each row that a host typed and that may be the same."""
        title, message = self._places.title(draft.tab), draft.message
        for old in self._known.typed(draft.tab, draft.player, message.sent):
            if draft.tab == QUEUE or " ".join(old.text.split()).casefold() == (
                " ".join(draft.text.split()).casefold()
            ):
                self.warnings.append(
                    f"{title} row {old.row}, typed by hand, may be message {message.id} of "
                    f"{draft.player} in row {number}; clear one of the two"
                )
                yield f"may be row {old.row}, typed by hand; clear one of the two"

    def _too_low(self, draft: Draft, number: int) -> Iterator[str]:
        """Yield a note where a row stands below one that was sent after it (R0.3).

        That takes two messages of one millisecond, the later of which was imported earlier.
        """
        title = self._places.title(draft.tab)
        for other in self._known.sent_after(draft.tab, draft.message):
            self.warnings.append(
                f"{title} row {number} was sent before row {other.row}, in one millisecond; where "
                "the order matters, move it above"
            )
            yield f"sent before row {other.row}, in one millisecond; move it above"


def check_edited_column(places: Places, tab: str, message: Message, faults: list[Fault]) -> None:
    """Note a fault where a tab has no column for an edit time that a row needs."""
    # A tab that is not there at all is a fault of its own.
    if tab in places.tables and places.column(tab, "Edited") is None:
        where = f'{places.title(tab)} has no header "Edited"'
        text = f"{where}, but {message.where} was edited; write it into a free column"
        faults.append(Fault("missing-header", text, tab))


def _last_row(places: Places, tab: str) -> int:
    """Return the last row under which new ones go: one with no more than a note counts too."""
    table, last = places.tables.get(tab), places.last_row(tab) or 1
    if table is None or (column := table.columns.get(NOTE_COLUMN)) is None:
        return last
    rows = table.tab.rows
    for number in range(len(rows), last, -1):
        if column < len(rows[number - 1]) and not is_blank(rows[number - 1][column]):
            return number
    return last


def both(drafts: Sequence[Draft]) -> Iterator[tuple[str, list[Draft]]]:
    """Yield the drafts of each tab: a ping comes before what else its message says."""
    for tab in (QUEUE, SUBMISSIONS):
        yield tab, [draft for draft in drafts if draft.tab == tab]
