"""What became of messages that stand in the sheet already: changed, vanished, or there twice."""

from collections.abc import Iterator, Sequence

from referee.chat.authors import Cast
from referee.chat.known import QUEUE, SUBMISSIONS, Known, KnownRow
from referee.chat.mentions import Look, Options, without_mentions
from referee.chat.messages import Export, Message
from referee.chat.report import Added, Changed, Vanished
from referee.workbook.names import fold
from referee.workbook.places import Places


def find_change(
    message: Message,
    player: str,
    look: Look,
    rows: Sequence[KnownRow],
    options: Options,
    places: Places,
) -> Changed | None:
    """Return how a message differs from the row it stands in, None where it does not."""
    submitted = next((row for row in rows if row.tab == SUBMISSIONS), None)
    row = submitted or rows[0]
    knows_edits = message.id.isdigit()
    was_edited = knows_edits and message.edited is not None and message.edited != row.edited
    if submitted is None:
        # Queue keeps no text; only an edited message may say something else by now.
        if message.edited is None or (look.pings and not look.says_more):
            return None
        was_edited = True
    elif not was_edited and _gist(row.text, options) == _gist(look.text, options):
        return None
    return Changed(
        where=f"{places.title(row.tab)} row {row.row}",
        message_id=message.id,
        player=player,
        why="edited" if was_edited else "differs",
        was=row.text,
        now=look.text,
        edited=message.edited,
    )


def _gist(text: str, options: Options) -> str:
    """Return a text for comparison: mentions have several forms, blanks several widths."""
    return " ".join(without_mentions(text, options).split())


def find_vanished(
    exports: Sequence[Export], known: Known, cast: Cast, places: Places
) -> Iterator[Vanished]:
    """Yield rows whose message should be in an export and is in none.

    A sheet does not say which channel a row is from. So only rows between an export's first and
    last message are told, and only of players of whom that export has other rows of the sheet.
    """
    told = {message.id for export in exports for message in export.messages}
    numbered = [(int(number), rows[0]) for number, rows in known.by_id.items() if _is_id(number)]
    numbered.sort(key=lambda found: found[0])
    for export in exports:
        ids = [int(message.id) for message in export.messages if _is_id(message.id)]
        if not ids:
            continue
        first, last = min(ids), max(ids)
        here = {cast.players.get(m.author.id) for m in export.messages if m.id in known.by_id}
        for number, row in numbered:
            inside = first < number < last and row.player is not None and row.player in here
            if inside and row.id not in told:
                told.add(row.id)
                where = f"{places.title(row.tab)} row {row.row}"
                yield Vanished(where, row.id, row.player or "", export.file)


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit()


def note_doubles(known: Known, added: Sequence[Added], places: Places, warnings: list[str]) -> None:
    """Warn of new rows that a host may have typed by hand already."""
    for new in added:
        for old in known.typed.get(new.player, ()):
            if places.title(old.tab) != new.tab or not old.is_at(new.time):
                continue
            if old.tab == QUEUE or fold(old.text) == fold(new.text):
                warnings.append(
                    f"{new.tab} row {old.row}, typed by hand, may be message {new.message_id} of "
                    f"{new.player} in row {new.row}; clear one of the two"
                )
