"""What an import adds to a match's workbook, decided from the sheet and the exports.

Every message is known by its id, so a second import, an overlap, or rows that a host sorted or
corrected add nothing. A message that was edited since gives its row the new text and the time of
the edit, and the earlier text stands in the row's note; a row that a host ruled on is left alone.
A deleted row comes back; a row that shall not count gets the ruling `void`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from referee.chat.authors import Cast, find_cast, ids_of
from referee.chat.changes import Gone
from referee.chat.drafts import NewRows, both
from referee.chat.keeping import keep_text
from referee.chat.known import ID_COLUMN, QUEUE, SUBMISSIONS, Known, read_known
from referee.chat.mentions import Options, has_plain, look_at
from referee.chat.merging import Merged, csv_stem, merge
from referee.chat.messages import Export, Message
from referee.chat.report import ImportReport, Linked
from referee.chat.sorting import Means, Sorting
from referee.match.faults import Fault, Stopped, quoted
from referee.match.instants import Instant
from referee.stores.contract import CellEdit, NewRow
from referee.workbook.cells import Book
from referee.workbook.places import Places
from referee.workbook.reading import SetUpReading
from referee.workbook.setup import SetUp
from referee.workbook.values import read_text

REPEATED: Final = "repeated in the exports"
BEFORE: Final = "of before the match"

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


def no_progress(what: str, done: int, total: int) -> None:
    """Tell nobody."""


class ImportPlan(msgspec.Struct, frozen=True):
    """The cells to set and the rows to add, all at once, and what they come from.

    ``rows`` are in the order of the report's rows: first Queue's, then Submissions'.
    """

    edits: tuple[CellEdit, ...]
    rows: tuple[NewRow, ...]
    report: ImportReport


def plan_import(
    reading: SetUpReading,
    book: Book,
    exports: Sequence[Export],
    options: Options,
    now: Instant,
    progress: Progress = no_progress,
) -> ImportPlan:
    """Decide what to add of some exports to the workbook that ``reading`` was read from.

    ``now`` is the time of the import, for notes. Raises `Stopped` with every fault found, in the
    sheet and in the exports.
    """
    set_up, places = reading.set_up, reading.places
    settings = set_up.settings
    roles = (role for export in exports for role in export.roles)
    options = options.and_of(settings.dealer_role, settings.host_accounts, roles)
    faults: list[Fault] = []
    _check_columns(places, faults)
    _check_left_out(set_up, options, faults)
    known = read_known(book, set_up, places, faults)
    merged = merge(exports, faults)
    early = _of_before(merged, set_up, known, options)
    # Nicknames of all copies help: a later export may show a name that an earlier one does not.
    speaking = (m for export in exports for m in export.messages if _key(m) not in early)
    cast = find_cast(speaking, set_up.players, set_up.roster, options, faults)
    clock = settings.clock
    means = Means(known, places, options, cast, clock, clock.text(now - now % 1000))
    sorting = Sorting(means, faults)
    _sort(merged, early, sorting, progress)
    gone = Gone(exports, known, cast, places)
    vanished = list(gone.rows(sorting.amendments))
    drafts = list(gone.drafts(sorting.drafts, vanished))
    rows = NewRows(clock, places, known, faults)
    for tab, own in both(drafts):
        rows.add_all(tab, own)
    if faults:
        raise Stopped(dict.fromkeys(faults), settings.name)
    warnings = [*sorting.warnings, *rows.warnings]
    linked = _linked(cast, merged, places, warnings)
    noteless = rows.without_notes | sorting.amendments.without_notes
    report = ImportReport(
        name=book.name,
        files=tuple((export.file, len(export.messages)) for export in exports),
        queue=tuple(row for row in rows.added if row.tab == places.title(QUEUE)),
        submissions=tuple(row for row in rows.added if row.tab == places.title(SUBMISSIONS)),
        linked=linked,
        skipped=_skipped(sorting, merged, len(early)),
        changed=tuple(sorting.changed),
        vanished=tuple(vanished),
        no_pings=tuple(sorting.no_pings),
        warnings=(
            *_remarks(reading, exports, options),
            *sorting.summary(),
            *warnings,
            *_noteless(noteless, places),
        ),
    )
    edits = (*sorting.amendments.edits(), *_links(linked, set_up, places))
    return ImportPlan(edits, tuple(rows.rows), report)


def _sort(merged: Merged, early: set[str], sorting: Sorting, progress: Progress) -> None:
    for number, message in enumerate(merged.messages):
        if number % 1000 == 0:
            progress("sorting messages", number, len(merged.messages))
        if _key(message) not in early:
            sorting.take(message, merged.originals.get(message.id))


def _check_columns(places: Places, faults: list[Fault]) -> None:
    for tab in (QUEUE, SUBMISSIONS):
        table = places.tables.get(tab)
        if table is not None and ID_COLUMN not in table.columns:
            text = (
                f"{table.address(table.header_row)}: no header {quoted(ID_COLUMN)}, by which a "
                "message is known when it is imported again; write it into a free column"
            )
            faults.append(Fault("missing-header", text, tab, table.header_row))


def _check_left_out(set_up: SetUp, options: Options, faults: list[Fault]) -> None:
    """Note a fault for each account to leave out that is a player's own."""
    for entrant in set_up.players:
        for number in sorted(options.left_out.intersection(ids_of(entrant))):
            text = (
                f"the id {number} is left out as a host's or by an option, but stands in the "
                f"Aliases of {entrant.name}; take it out of one of the two"
            )
            faults.append(Fault("player-left-out", text, "Players", entrant.row, entrant.name))


def _key(message: Message) -> str:
    """Return what tells a message in all exports: its id, or what stands for it in a CSV."""
    return message.id if message.id.isdigit() else csv_stem(message)


def _of_before(merged: Merged, set_up: SetUp, known: Known, options: Options) -> set[str]:
    """Return the messages that were over before the match: sent, and if ever edited, too.

    Where pings outside rounds queue (R3.2), a ping is kept; so is what the sheet holds already.
    """
    start = set_up.settings.start
    if start is None:
        return set()
    queues = set_up.settings.settings.pings_outside_rounds == "queue"
    found = set()
    for message in merged.messages:
        if message.sent >= start or (message.edited or 0) >= start:
            continue
        if message.id in known.by_id or known.stemming(csv_stem(message)):
            continue
        if not (queues and look_at(message, keep_text(message.text).text, options).pings):
            found.add(_key(message))
    return found


def _links(linked: Sequence[Linked], set_up: SetUp, places: Places) -> Iterator[CellEdit]:
    """Yield the edits that add each new account's id to its player's Aliases."""
    rows = {entrant.name: entrant.row for entrant in set_up.players}
    column = places.column("Players", "Aliases")
    for link in linked if column is not None else ():
        row = rows[link.player]
        there = read_text(places.content("Players", row, "Aliases")).strip().rstrip(",")
        text = f"{there}, {link.id}" if there else link.id
        yield CellEdit(places.title("Players"), row, column or 0, text)


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


def _skipped(sorting: Sorting, merged: Merged, early: int) -> dict[str, int]:
    found = dict(sorted(sorting.skipped.items()))
    found |= {BEFORE: early} if early else {}
    return found | ({REPEATED: merged.repeated} if merged.repeated else {})


def _remarks(reading: SetUpReading, exports: Sequence[Export], options: Options) -> Iterator[str]:
    yield from (remark.text for remark in reading.remarks)
    names = {name for e in exports for number, name in e.roles if number in options.dealer_roles}
    for export in exports:
        if not export.has_ids:
            yield (
                f"{export.file} is a CSV: its messages are known by author, time and text only, "
                "edits are not seen, and what Discord itself wrote counts as its author's; "
                "a JSON export is better"
            )
        elif options.dealer_roles and _holds_names_only(export, names | options.dealer_names):
            yield (
                f"{export.file} holds no raw mention at all, so the role's id tells no ping there: "
                "export it again with --markdown false"
            )


def _holds_names_only(export: Export, names: set[str]) -> bool:
    """Whether mentions stand in an export, and all of them as names."""
    texts = [message.text for message in export.messages if "@" in message.text]
    return not any("<@" in text for text in texts) and any(has_plain(t, names) for t in texts)


def _noteless(tabs: set[str], places: Places) -> Iterator[str]:
    for tab in sorted(tabs):
        yield (
            f'{places.title(tab)} has no header "Note" to keep in its rows what is in doubt of '
            "them and what they said before; write it into a free column"
        )
