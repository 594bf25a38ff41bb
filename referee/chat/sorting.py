"""Takes messages one by one and decides what becomes of each: a row, a change to a row, or neither.

A ping is the message as it was sent (R3.6). So where an export shows only what a message was
edited to, what was known of it earlier decides: an export from before the edit, or the row that
the sheet has of it. Where nothing did, its row in Queue carries the edit and stops the run until
the host rules.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from referee.chat.amending import (
    BY_EDIT,
    DID_NOT_PING,
    FIRST_SEEN_EDITED,
    FROM_CSV,
    Amendments,
    said,
    sent_as,
)
from referee.chat.authors import Cast
from referee.chat.drafts import Draft, check_edited_column
from referee.chat.keeping import LONGEST, keep_text
from referee.chat.known import CHANNEL_COLUMN, QUEUE, SUBMISSIONS, Known, KnownRow
from referee.chat.mentions import PLAIN, Look, Options, look_at, without_mentions
from referee.chat.merging import csv_stem, same_text
from referee.chat.messages import PEOPLE_KINDS, Message
from referee.chat.report import Changed, NoPing
from referee.match.faults import Fault, quoted
from referee.workbook.places import Places
from referee.workbook.times import time_cell
from referee.workbook.wall_clock import Clock

KNOWN: Final = "already in the sheet"

_BY_TEXT: Final = f"a ping by the text {PLAIN} alone, which may be typed and ping nobody"


class Means(msgspec.Struct, frozen=True):
    """What sorting goes by; ``when`` is the time of the import as the workbook shows times."""

    known: Known
    places: Places
    options: Options
    cast: Cast
    clock: Clock
    when: str


class Sorting:
    """Takes messages one by one and puts each where it belongs."""

    def __init__(self, means: Means, faults: list[Fault]) -> None:
        self._means, self._faults = means, faults
        self.drafts: list[Draft] = []
        self.amendments = Amendments(means.places)
        self.skipped: Counter[str] = Counter()
        self.changed: list[Changed] = []
        self.no_pings: list[NoPing] = []
        self.warnings: list[str] = []
        self._by_text = self._bare = 0

    def take(self, message: Message, original: Message | None) -> None:
        """Sort one message; ``original`` is the same as it was sent, where that is known too."""
        reason = self._not_a_player(message)
        if reason:
            self.skipped[reason] += 1
            return
        player = self._means.cast.players.get(message.author.id)
        if player is None:
            return  # the fault is noted already
        rows = self._known_rows(message, player)
        kept = keep_text(message.text)
        look = look_at(message, kept.text, self._means.options)
        if rows:
            _Known(self, self._means, message, player, look, rows).hold(self._sent(original))
            return
        reason = self._without_text(message)
        if reason:
            self.skipped[reason] += 1
            return
        if kept.mended:
            self.warnings.append(f"{message.where} ({player}) {kept.mended}")
        if original is not None and original.text != message.text:
            self._tell_edit(message, player, look, original)
        self._first_seen(message, player, look, self._sent(original))

    def _tell_edit(self, message: Message, player: str, look: Look, original: Message) -> None:
        self.changed.append(
            Changed(
                where=original.where,
                message_id=message.id,
                player=player,
                why="edited",
                was=keep_text(original.text).text,
                now=look.text,
                edited=message.edited,
                taken=True,
            )
        )

    def _sent(self, original: Message | None) -> Look | None:
        if original is None:
            return None
        return look_at(original, keep_text(original.text).text, self._means.options)

    def _not_a_player(self, message: Message) -> str:
        """Return why a message's author does not count, in the words by which it is counted."""
        author, options = message.author.id, self._means.options
        if message.kind not in PEOPLE_KINDS:
            return f"by Discord itself ({message.kind})"
        if message.author.is_bot:
            return "by bots and webhooks"
        if author in options.dealer_users:
            return "by the Dealer"
        if author in options.hosts:
            return "by hosts"
        if author in options.ignored:
            return "by accounts left out with --ignore"
        if author in self._means.cast.strangers and options.only_players:
            return "by people who are not in Players"
        return ""

    def _without_text(self, message: Message) -> str:
        """Return why there is nothing to import of a message, in the words as above."""
        if message.text.strip():
            return ""
        if message.forwarded:
            return "forwarded from elsewhere"
        if message.edited is not None:
            return ""  # it said something once, and may hide that (R5.4)
        self._bare += not message.carries
        return "without text (pictures and the like)"

    def _known_rows(self, message: Message, player: str) -> list[KnownRow]:
        """Return the rows a message stands in already, whichever export they came from."""
        known = self._means.known
        rows = known.by_id.get(message.id) or known.stemming(csv_stem(message))
        if not rows and not message.id.isdigit():
            rows = known.at(player, message.sent)
        return rows

    def _first_seen(self, message: Message, player: str, look: Look, sent: Look | None) -> None:
        first = look if message.edited is None else sent
        notes = [] if message.id.isdigit() else [FROM_CSV]
        if first is None:
            notes.append(FIRST_SEEN_EDITED)
        elif sent is not None:
            notes.append(sent_as(sent.text))
        if (look if first is None else first).pings:
            unsure = message.edited if first is None else None
            self.join(message, player, first or look, unsure)
        elif look.pings:
            self.doubt(message, player, look.text, BY_EDIT)
            notes.append(BY_EDIT)
        elif look.doubt:
            self.doubt(message, player, look.text, look.doubt)
            notes.append(look.doubt)
        if _is_line(look) or (sent is not None and _is_line(sent)):
            self.line(message, player, look.text, notes)

    def join(self, message: Message, player: str, look: Look, unsure: int | None) -> None:
        """Add a row of Queue; ``unsure`` is the edit that hides whether it pinged, if any."""
        notes = [] if message.id.isdigit() else [FROM_CSV]
        if look.by_text:
            self._by_text += 1
            notes.append(_BY_TEXT)
        if unsure is not None:
            notes.append(FIRST_SEEN_EDITED)
            self.warnings.append(
                f"{message.where} ({player}) was edited before it was first imported: whether it "
                "pinged the Dealer when it was sent cannot be known; rule its row in Queue allow "
                "if it did, void if it did not"
            )
        self.drafts.append(
            Draft(
                tab=QUEUE,
                message=message,
                player=player,
                text=look.text,
                edited=unsure,
                notes=tuple(notes),
            )
        )

    def line(self, message: Message, player: str, text: str, notes: Sequence[str]) -> None:
        """Add a row of Submissions."""
        self.drafts.append(
            Draft(
                tab=SUBMISSIONS,
                message=message,
                player=player,
                text=text,
                edited=message.edited,
                notes=tuple(notes),
            )
        )

    def doubt(self, message: Message, player: str, text: str, why: str) -> None:
        """Tell of a message that looks like a ping and is none."""
        self.no_pings.append(NoPing(message.where, player, text, why))

    def need_edited_column(self, tab: str, message: Message) -> None:
        """Note a fault where a row has no cell for its edit time."""
        check_edited_column(self._means.places, tab, message, self._faults)

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
                f"{what} nothing at all, neither text nor picture: a poll, or the exporting bot "
                "lacks the message content intent"
            )


class _Known:
    """One message that stands in the sheet already, held against its rows."""

    def __init__(
        self,
        sorting: Sorting,
        means: Means,
        message: Message,
        player: str,
        look: Look,
        rows: Sequence[KnownRow],
    ) -> None:
        self._sorting, self._means, self._message = sorting, means, message
        self._player, self._look, self._rows = player, look, rows
        self._queued = next((row for row in rows if row.tab == QUEUE), None)
        self._said = next((row for row in rows if row.tab == SUBMISSIONS), None)

    def hold(self, sent: Look | None) -> None:
        """Add or change what the message says more than its rows."""
        before = len(self._sorting.drafts)
        self._ping(self._as_sent(sent))
        self._text(sent)
        for row in self._rows:
            if self._message.channel and not row.channel:
                self._sorting.amendments.set(row, CHANNEL_COLUMN, self._message.channel)
        if len(self._sorting.drafts) == before:
            self._sorting.skipped[KNOWN] += 1

    def _as_sent(self, sent: Look | None) -> Look | None:
        """Return how the message looked when it was sent, None where that is not known."""
        message, row, options = self._message, self._said, self._means.options
        if message.edited is None and (message.id.isdigit() or row is None or self._is_same(row)):
            return self._look
        if sent is not None:
            return sent
        if row is not None and row.edited is None and message.id.isdigit():
            return look_at(msgspec.structs.replace(message, text=row.text), row.text, options)
        return None

    def _ping(self, sent: Look | None) -> None:
        queued, amendments = self._queued, self._sorting.amendments
        if queued is None:
            if sent is not None and sent.pings:
                # Its mention was not known to be the Dealer's then, or it was seen edited first.
                self._sorting.join(self._message, self._player, sent, None)
            elif self._look.pings:
                self._sorting.doubt(self._message, self._player, self._look.text, BY_EDIT)
                if self._said is not None and not self._said.is_ruled:
                    amendments.note(self._said, BY_EDIT)
        elif sent is not None and queued.edited is not None and not queued.is_ruled:
            if sent.pings:
                amendments.set(queued, "Edited", None)
                amendments.note(queued, sent_as(sent.text), key=quoted(sent.text, LONGEST))
            else:
                amendments.note(queued, DID_NOT_PING)
                self._sorting.doubt(self._message, self._player, sent.text, DID_NOT_PING)

    def _text(self, sent: Look | None) -> None:
        row, message, look = self._said, self._message, self._look
        if row is None:
            if message.edited is not None and _is_line(look):
                notes = [] if sent is None else [sent_as(sent.text)]
                self._sorting.line(message, self._player, look.text, notes)
            return
        if message.edited is not None and message.edited > (row.edited or 0):
            self._edited_since(row, message.edited)
        elif row.edited is not None and (message.edited or 0) < row.edited:
            if message.id.isdigit() and message.edited is None and not row.is_ruled:
                # What R5.4 hides is known after all: it helps the host to rule.
                quote = quoted(look.text, LONGEST)
                self._sorting.amendments.note(row, sent_as(look.text), key=quote)
        elif not self._is_same(row):
            self._tell(row, "differs", taken=False)

    def _edited_since(self, row: KnownRow, edited: int) -> None:
        self._tell(row, "edited", taken=not row.is_ruled)
        if row.is_ruled:
            return
        amendments = self._sorting.amendments
        self._sorting.need_edited_column(SUBMISSIONS, self._message)
        amendments.set(row, "Message", self._look.text)
        amendments.set(row, "Edited", time_cell(self._means.clock, edited))
        amendments.note(row, said(row.text, self._means.when))

    def _is_same(self, row: KnownRow) -> bool:
        """Whether a row says what the message says: mentions have several forms."""
        was, now = row.text, self._look.text
        options = self._means.options
        return same_text(was, now) or same_text(
            without_mentions(was, options), without_mentions(now, options)
        )

    def _tell(self, row: KnownRow, why: str, *, taken: bool) -> None:
        self._sorting.changed.append(
            Changed(
                where=f"{self._means.places.title(row.tab)} row {row.row}",
                message_id=self._message.id,
                player=self._player,
                why=why,
                was=row.text,
                now=self._look.text,
                edited=self._message.edited,
                taken=taken,
            )
        )


def _is_line(look: Look) -> bool:
    """Whether a message says something for Submissions: all but a bare ping does."""
    return not look.pings or look.says_more
