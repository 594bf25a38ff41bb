"""Rows whose messages are gone from their channel: told, noted, and counting until ruled."""

from collections.abc import Iterator, Sequence

import msgspec

from referee.chat.amending import GONE, Amendments
from referee.chat.authors import Cast
from referee.chat.drafts import Draft
from referee.chat.known import Known, KnownRow
from referee.chat.messages import Export
from referee.chat.report import Vanished
from referee.workbook.places import Places


class _Reach(msgspec.Struct, frozen=True):
    """What one export, all of its parts together, should hold: a channel from time to time."""

    file: str
    channel: str
    after: int
    before: int
    made: int
    ids: frozenset[str]


class Gone:
    """Finds what stands in the sheet, or in an older export, and in its channel no more."""

    def __init__(self, exports: Sequence[Export], known: Known, cast: Cast, places: Places) -> None:
        self._exports = [export for export in exports if export.has_ids]
        self._known, self._cast, self._places = known, cast, places
        reaches = _reaches(self._exports)
        self._reaches = sorted(reaches, key=lambda reach: reach.made, reverse=True)

    def rows(self, amendments: Amendments) -> Iterator[Vanished]:
        """Yield the rows not ruled on whose message is gone; each is noted in its row, once."""
        rows = [row for same in self._known.by_id.values() for row in same if _is_id(row.id)]
        yielded: set[tuple[str, int]] = set()
        for row in sorted(rows, key=lambda row: int(row.id)):
            file = None if row.is_ruled else self._missed(row.id, row.channel, row.sent)
            if file is not None:
                amendments.note(row, GONE)
                yielded.add((row.tab, row.row))
                yield self._vanished(row, file)
        for row, file in self._of_unknown_channel(rows):
            if (row.tab, row.row) not in yielded:
                yield self._vanished(row, file)

    def drafts(self, drafts: Sequence[Draft], vanished: list[Vanished]) -> Iterator[Draft]:
        """Yield the new rows, with a note to those that a later export has no more."""
        for draft in drafts:
            message = draft.message
            file = self._missed(message.id, message.channel, message.sent)
            if file is None:
                yield draft
            else:
                vanished.append(Vanished(message.where, message.id, draft.player, file))
                yield msgspec.structs.replace(draft, notes=(*draft.notes, GONE))

    def _missed(self, number: str, channel: str, sent: int | None) -> str | None:
        """Return the file in which a message should be and is not, if any."""
        if not channel or sent is None:
            return None
        # The newest export that reaches to the message knows best.
        for reach in self._reaches:
            if reach.channel == channel and reach.after < sent < reach.before:
                return None if number in reach.ids else reach.file
        return None

    def _of_unknown_channel(self, rows: Sequence[KnownRow]) -> Iterator[tuple[KnownRow, str]]:
        """Yield rows that do not say their channel, where players and times suggest an export's.

        Only rows between its first and last message are told, and only of players of whom it has
        other rows of the sheet.
        """
        loose = [row for row in rows if not row.channel and not row.is_ruled]
        told = {message.id for export in self._exports for message in export.messages}
        for export in self._exports if loose else ():
            ids = [int(message.id) for message in export.messages]
            authors = {m.author.id for m in export.messages if m.id in self._known.by_id}
            here = {self._cast.players.get(author) for author in authors}
            for row in loose:
                inside = ids and min(ids) < int(row.id) < max(ids)
                if inside and row.player in here and row.id not in told:
                    told.add(row.id)
                    yield row, export.file

    def _vanished(self, row: KnownRow, file: str) -> Vanished:
        where = f"{self._places.title(row.tab)} row {row.row}"
        return Vanished(where, row.id, row.player or "", file)


def _reaches(exports: Sequence[Export]) -> Iterator[_Reach]:
    together: dict[tuple[str, int | None, str], list[Export]] = {}
    for export in exports:
        # Parts of one export were made at one time; without a time each file is by itself.
        alone = "" if export.exported is not None else export.file
        key = (export.channel_id, export.exported, alone)
        together.setdefault(key, []).append(export)
    for (channel, exported, _), parts in together.items():
        if not channel:
            continue
        sent = [message.sent for part in parts for message in part.messages]
        ends = [bound for bound in (exported, *(part.before for part in parts)) if bound]
        starts = [part.after for part in parts if part.after is not None]
        last = max(sent, default=0)
        yield _Reach(
            file=parts[0].file,
            channel=channel,
            after=max(starts, default=-1),
            before=min(ends, default=last) if exported is not None else min([last, *ends]),
            made=last if exported is None else exported,
            ids=frozenset(message.id for part in parts for message in part.messages),
        )


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit()
