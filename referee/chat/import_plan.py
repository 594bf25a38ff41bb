"""What an import adds to a match's workbook, decided from the sheet and the exports.

Every message is known by its id, so a second import, an overlap, or rows that a host sorted or
corrected add nothing. What stands in a sheet is never written over: a message that changed since
is told, and the host decides. A deleted row comes back; a row that shall not count gets the
ruling `void`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from referee.chat.authors import Cast, find_cast
from referee.chat.changes import find_change, find_vanished, note_doubles
from referee.chat.keeping import keep_text
from referee.chat.known import ID_COLUMN, QUEUE, SUBMISSIONS, Known, KnownRow, read_known
from referee.chat.mentions import PLAIN, Look, Options, look_at
from referee.chat.merging import Merged, csv_stem, merge
from referee.chat.messages import PEOPLE_KINDS, Export, Message
from referee.chat.report import Added, Changed, ImportReport, Linked, NoPing
from referee.match.faults import Fault, Stopped, quoted
from referee.stores.contract import CellEdit, NewRow, WallClock
from referee.workbook.cells import Book, Written
from referee.workbook.places import Places
from referee.workbook.reading import SetUpReading
from referee.workbook.setup import SetUp
from referee.workbook.times import time_cell
from referee.workbook.values import read_text

KNOWN: Final = "already in the sheet"
REPEATED: Final = "repeated in the exports"


class ImportPlan(msgspec.Struct, frozen=True):
    """The rows to add and the cells to set, all at once, and what everything comes from.

    ``rows`` are those of ``report.queue``, then those of ``report.submissions``.
    """

    edits: tuple[CellEdit, ...]
    rows: tuple[NewRow, ...]
    report: ImportReport


def plan_import(
    reading: SetUpReading, book: Book, exports: Sequence[Export], options: Options
) -> ImportPlan:
    """Decide what to add of some exports to the workbook that ``reading`` was read from.

    Raises `Stopped` with every fault found, in the sheet and in the exports.
    """
    set_up, places = reading.set_up, reading.places
    faults: list[Fault] = []
    _check_columns(places, faults)
    known = read_known(book, set_up, places, faults)
    merged = merge(exports, faults)
    # Nicknames of all copies help: a later export may show a name that an earlier one does not.
    everybody = (message for export in exports for message in export.messages)
    cast = find_cast(everybody, set_up.players, set_up.roster, options, faults)
    sorting = _Sorting(known, places, options, cast)
    for message in merged.messages:
        sorting.take(message)
    rows = _Rows(set_up, places, faults)
    rows.add_all(sorting.joins, sorting.submissions)
    if faults:
        raise Stopped(dict.fromkeys(faults), set_up.settings.name)
    note_doubles(known, [*rows.queue, *rows.submissions], places, sorting.warnings)
    linked = _linked(cast, merged, places, sorting.warnings)
    rows.link(linked)
    report = ImportReport(
        name=book.name,
        files=tuple((export.file, len(export.messages)) for export in exports),
        queue=tuple(rows.queue),
        submissions=tuple(rows.submissions),
        linked=linked,
        skipped=_skipped(sorting.skipped, merged),
        changed=(*_versions(merged, cast), *sorting.changed),
        vanished=tuple(find_vanished(exports, known, cast, places)),
        no_pings=tuple(sorting.no_pings),
        warnings=(*_remarks(reading, exports), *sorting.summary(), *sorting.warnings),
    )
    return ImportPlan(tuple(rows.edits), tuple(rows.new), report)


def standing(report: ImportReport, numbers: Sequence[int]) -> ImportReport:
    """Return a report whose rows say where they stand, once the plan's rows are added."""
    placed = iter(numbers)
    queue, submissions = (
        tuple(msgspec.structs.replace(row, row=next(placed)) for row in rows)
        for rows in (report.queue, report.submissions)
    )
    return msgspec.structs.replace(report, queue=queue, submissions=submissions)


def _check_columns(places: Places, faults: list[Fault]) -> None:
    for tab in (QUEUE, SUBMISSIONS):
        table = places.tables.get(tab)
        if table is not None and ID_COLUMN not in table.columns:
            text = (
                f"{table.address(table.header_row)}: no header {quoted(ID_COLUMN)}, by which a "
                "message is known when it is imported again; write it into a free column"
            )
            faults.append(Fault("missing-header", text, tab, table.header_row))


class _Sorting:
    """Takes messages one by one and puts each where it belongs."""

    def __init__(self, known: Known, places: Places, options: Options, cast: Cast) -> None:
        self._known, self._places, self._options, self._cast = known, places, options, cast
        self.joins: list[tuple[Message, str, str]] = []
        self.submissions: list[tuple[Message, str, str]] = []
        """Message, player, and text as it is kept."""
        self.skipped: Counter[str] = Counter()
        self.changed: list[Changed] = []
        self.no_pings: list[NoPing] = []
        self.warnings: list[str] = []
        self._by_text = self._bare = 0

    def take(self, message: Message) -> None:
        """Sort one message."""
        reason = self._not_a_player(message)
        if reason:
            self.skipped[reason] += 1
            return
        player = self._cast.players.get(message.author.id)
        if player is None:
            return  # the fault is noted already
        kept = keep_text(message.text)
        look = look_at(message, kept.text, self._options)
        rows = self._known_rows(message, player)
        if rows:
            self._compare(message, player, look, rows)
            return
        reason = self._without_text(message)
        if reason:
            self.skipped[reason] += 1
            return
        if look.doubt:
            self.no_pings.append(NoPing(message.where, player, look.text, look.doubt))
        if kept.mended:
            self.warnings.append(f"{message.where} ({player}) {kept.mended}")
        if look.pings:
            self._join(message, player, look)
        if not look.pings or look.says_more:
            self.submissions.append((message, player, look.text))

    def _not_a_player(self, message: Message) -> str:
        """Return why a message's author does not count, in the words by which it is counted."""
        author = message.author.id
        if message.kind not in PEOPLE_KINDS:
            return f"by Discord itself ({message.kind})"
        if message.author.is_bot:
            return "by bots and webhooks"
        if author in self._options.dealer_users:
            return "by the Dealer"
        if author in self._options.ignored:
            return "by accounts left out with --ignore"
        if author in self._cast.strangers and self._options.only_players:
            return "by people who are not in Players"
        return ""

    def _without_text(self, message: Message) -> str:
        """Return why there is nothing to import of a message, in the words as above."""
        if message.text.strip():
            return ""
        if message.forwarded:
            return "forwarded from elsewhere"
        self._bare += not message.carries
        return "without text (pictures and the like)"

    def _known_rows(self, message: Message, player: str) -> list[KnownRow]:
        """Return the rows a message stands in already, whichever export they came from."""
        rows = self._known.by_id.get(message.id) or self._known.stemming(csv_stem(message))
        if not rows and not message.id.isdigit():
            rows = self._known.at(player, message.sent)
        return rows

    def _compare(self, message: Message, player: str, look: Look, rows: Sequence[KnownRow]) -> None:
        queued = any(row.tab == QUEUE for row in rows)
        if look.pings and not queued:
            # It was imported before its mention was known to be the Dealer's.
            self._join(message, player, look)
            return
        self.skipped[KNOWN] += 1
        change = find_change(message, player, look, rows, self._options, self._places)
        if change is not None:
            self.changed.append(change)

    def _join(self, message: Message, player: str, look: Look) -> None:
        self._by_text += look.by_text
        if message.edited is not None:
            self.warnings.append(
                f"{message.where} ({player}) was edited: whether it pinged the Dealer when it was "
                "sent cannot be known; rule its row in Queue void if it did not"
            )
        self.joins.append((message, player, look.text))

    def summary(self) -> Iterator[str]:
        """Yield what to say once of many messages."""
        if self._by_text:
            count = "1 ping counts" if self._by_text == 1 else f"{self._by_text} pings count"
            yield (
                f"{count} by the text {PLAIN} alone, which may be typed and ping nobody; exports "
                "with --markdown false tell, with --dealer-role"
            )
        if self._bare:
            what = "1 message holds" if self._bare == 1 else f"{self._bare} messages hold"
            yield (
                f"{what} nothing at all, neither text nor picture; if people did write there, the "
                "exporting bot lacks the message content intent"
            )


class _Rows:
    """The new rows of both tabs, right under what is there, and the cells they are made of."""

    def __init__(self, set_up: SetUp, places: Places, faults: list[Fault]) -> None:
        self._clock, self._places, self._faults = set_up.settings.clock, places, faults
        self._player_rows = {entrant.name: entrant.row for entrant in set_up.players}
        self.edits: list[CellEdit] = []
        self.new: list[NewRow] = []
        self.queue: list[Added] = []
        self.submissions: list[Added] = []

    def add_all(
        self,
        joins: Sequence[tuple[Message, str, str]],
        submissions: Sequence[tuple[Message, str, str]],
    ) -> None:
        """Add a row for each ping and for each submission."""
        for message, player, text in joins:
            self._add(QUEUE, self.queue, message, player, text)
        edited = next(
            (message for message, _, _ in submissions if message.edited is not None), None
        )
        if edited is not None and not self._has_column(SUBMISSIONS, "Edited"):
            where = f'{self._places.title(SUBMISSIONS)} has no header "Edited"'
            text = f"{where}, but {edited.where} was edited; write it into a free column"
            self._faults.append(Fault("missing-header", text, SUBMISSIONS))
            return
        for message, player, text in submissions:
            self._add(SUBMISSIONS, self.submissions, message, player, text)

    def _has_column(self, tab: str, column: str) -> bool:
        # A tab that is not there at all is a fault of its own.
        return tab not in self._places.tables or self._places.column(tab, column) is not None

    def _add(self, tab: str, added: list[Added], message: Message, player: str, text: str) -> None:
        title, last = self._places.title(tab), self._places.last_row(tab) or 1
        cells: dict[str, Written | WallClock] = {
            "Timestamp": time_cell(self._clock, message.sent),
            "Player": player,
        }
        if tab == QUEUE:
            cells["Action"] = "join"
        else:
            cells["Message"] = text
            if message.edited is not None:
                cells["Edited"] = time_cell(self._clock, message.edited)
        cells[ID_COLUMN] = message.id
        numbers = {column: self._places.column(tab, column) for column in cells}
        by_number = {n: cells[column] for column, n in numbers.items() if n is not None}
        self.new.append(NewRow(title, last, by_number))
        added.append(
            Added(
                tab=title,
                row=last + len(added) + 1,
                time=message.sent,
                shown=self._clock.text(message.sent),
                player=player,
                message_id=message.id,
                text=text,
                file=message.file,
            )
        )

    def link(self, linked: Sequence[Linked]) -> None:
        """Add each new account's id to its player's Aliases."""
        column = self._places.column("Players", "Aliases")
        if column is None:
            return
        for link in linked:
            row = self._player_rows[link.player]
            there = read_text(self._places.content("Players", row, "Aliases")).strip().rstrip(",")
            text = f"{there}, {link.id}" if there else link.id
            self.edits.append(CellEdit(self._places.title("Players"), row, column, text))


def _linked(cast: Cast, merged: Merged, places: Places, warnings: list[str]) -> tuple[Linked, ...]:
    authors = {message.author.id: message.author for message in merged.messages}
    linked = tuple(
        Linked(player, number, authors[number].name, authors[number].nickname)
        for number, player in cast.named.items()
    )
    if linked and places.column("Players", "Aliases") is None:
        names = ", ".join(link.player for link in linked)
        warnings.append(
            f'{places.title("Players")} has no header "Aliases" to keep the Discord ids of '
            f"{names} in: whoever changes their name will not be known again"
        )
    return linked


def _skipped(counted: Counter[str], merged: Merged) -> dict[str, int]:
    found = dict(sorted(counted.items()))
    return found | ({REPEATED: merged.repeated} if merged.repeated else {})


def _versions(merged: Merged, cast: Cast) -> Iterator[Changed]:
    for old, new in merged.versions:
        player = cast.players.get(new.author.id)
        if player is not None and old.by_a_person:
            was, now = keep_text(old.text).text, keep_text(new.text).text
            yield Changed(old.where, new.id, player, "edited", was, now, new.edited)


def _remarks(reading: SetUpReading, exports: Sequence[Export]) -> Iterator[str]:
    yield from (remark.text for remark in reading.remarks)
    for export in exports:
        if not export.has_ids:
            yield (
                f"{export.file} is a CSV: its messages are known by author, time and text only, "
                "edits are not seen, and what Discord itself wrote counts as its author's; "
                "a JSON export is better"
            )
