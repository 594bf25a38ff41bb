"""The workbook as a Google Sheet (contract in `referee.stores.contract`).

Reading is one ``spreadsheets.get`` of everything, publishing one ``spreadsheets.batchUpdate`` of
all owned tabs; nothing else is asked of Google but a token. A run that changes nothing writes
nothing.

Each step, sign-in and repeating included, gives up after `Patience.limit` seconds (65); after a
write whose end is not known, one last look may take `Patience.last_look` seconds (15) more.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from referee.match.faults import Overtaken, Stopped, Unavailable, quoted
from referee.stores.contract import CellEdit
from referee.stores.google.address import sheet_key
from referee.stores.google.changes import host_changes
from referee.stores.google.editing import Editing
from referee.stores.google.faults import Passing, Refused, Unexpected
from referee.stores.google.reading import Seen
from referee.stores.google.requests import LONGEST_TEXT, Publication
from referee.stores.google.retries import Deadline, Patience
from referee.stores.google.wire import Wire
from referee.stores.google.writing import Step, Writer
from referee.stores.writable import check_cells
from referee.workbook.cells import Book, NewRow, OwnedTab


def _silent(_: str) -> None:
    """Tell nobody."""


class GoogleStore:
    """A match workbook in a Google Sheet; making one touches no network.

    ``sheet`` is the sheet's address or key, ``credentials`` a Google credentials file,
    ``read_only`` asks for no more than reading, ``on_wait`` is told in a sentence what is waited
    for. ``patience`` holds the limits, ``wire`` a way to Google that is signed in already. Raises
    `WrongUsage` where ``sheet`` is no address.
    """

    def __init__(
        self,
        sheet: str,
        *,
        credentials: Path | None = None,
        read_only: bool = False,
        on_wait: Callable[[str], None] = _silent,
        patience: Patience | None = None,
        wire: Wire | None = None,
    ) -> None:
        self._key = sheet_key(sheet)
        self._patience = patience or Patience()
        self._tell = on_wait
        wire = wire or Wire(credentials, on_wait, read_only=read_only)
        self._writer = Writer(wire, self._key, self._patience, on_wait)
        self._seen: Seen | None = None
        self._title = ""
        self.notes: list[str] = []
        """What the last writing met that a host should know, a sentence each: edits in between."""

    @property
    def name(self) -> str:
        """The spreadsheet's title; before it is read, its key."""
        return self._title or self._key

    @property
    def address(self) -> str:
        """The spreadsheet's address for a browser."""
        return f"https://docs.google.com/spreadsheets/d/{self._key}/edit"

    @property
    def overtaken(self) -> bool:
        """Whether a note says that the sheet was changed meanwhile, as all of them do."""
        return bool(self.notes)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Do nothing: Google has no locks.

        A second run is noticed when it writes: Google then refuses the whole write, as it names
        what the first run took away (`referee.stores.google.seal`).
        """
        yield

    def read(self) -> Book:
        """Read every tab in one request.

        Raises `Unavailable` where Google does not let us, `Stopped` where a sheet is too large.
        """
        try:
            self._seen = self._writer.read(Deadline(self._patience, self._tell))
        except Passing as passing:
            told = f"{self.name}: {passing.why}; the sheet was not read"
            raise Unavailable(told, passes=True) from None
        except Unavailable as refused:
            raise Unavailable(f"{self.name}: {refused}", passes=refused.passes) from None
        self._title = self._seen.book.name
        return self._seen.book

    def publish(self, tabs: Sequence[OwnedTab]) -> None:
        """Replace the referee's own tabs by these, all or nothing; everything else stays.

        A sheet that already holds just this is not written. Where a host changed the sheet since
        it was read, `notes` says so afterwards. Raises `Stopped` where a host's tab stands under
        one of the titles or Google cannot hold a cell, `Unavailable` where the write failed.
        """
        if faults := [fault for tab in tabs for fault in check_cells(tab, LONGEST_TEXT)]:
            raise Stopped(faults)
        step = Publication(tabs)
        before = self._current()
        self.notes = []
        if step.is_done(before):
            return
        after = self._write(step, before)
        owned = step.owned_ids(before) | step.owned_ids(after)
        if changed := host_changes(before, after, owned=owned):
            self.notes.append(
                f"{self.name} was changed while the referee was working ({changed}): what was "
                "published goes by the sheet as it was before; run again"
            )
        if not step.is_done(after):
            self.notes.append(
                f"{self.name} does not hold all that was written: somebody changed the referee's "
                "tabs at the same time; run again"
            )

    def edit(self, edits: Sequence[CellEdit], rows: Sequence[NewRow] = ()) -> list[int]:
        """Set single cells of the host's tabs and add rows, all or nothing; everything else stays.

        A time becomes a number where the cell, or without a format of its own the one above,
        shows date and time, else a text that says it to the millisecond. Raises `Stopped` where a
        cell cannot be set, `Overtaken` where somebody else changed what it goes by meanwhile and
        `Unavailable` as `publish` does.
        """
        if not (edits or rows):
            return []
        editing = Editing(self._carry_out, edits, rows)
        before = self._current()
        if faults := editing.faults(before):
            raise Stopped(faults)
        self.notes = []
        try:
            numbers, after, written = editing.run(before)
        except Overtaken as other:
            self._seen = None
            raise Overtaken(f"{self.name}: {other}") from None
        except Unavailable as refused:
            self._seen = None
            raise Unavailable(f"{self.name}: {refused}", passes=refused.passes) from None
        self.notes += [f"{self.name}: {note}" for note in editing.notes]
        if changed := host_changes(before, after, edited=written):
            self.notes.append(
                f"{self.name} was changed while the referee was writing ({changed}); both stand "
                "there"
            )
        return numbers

    def create(self, time_zone: str = "") -> None:  # noqa: ARG002  the spreadsheet has its own
        """Lay out an empty match workbook in an empty spreadsheet, which keeps its own zone.

        Raises `Unavailable` where the spreadsheet is not empty.
        """
        from referee.stores.google.template import NewMatch, contents

        self.read()
        before = self._current()
        self.notes = []
        step = NewMatch()
        if step.is_untouched(before):
            self.notes.append(f"{self.name} was laid out already, by a run before this one")
            return
        if (there := contents(before)) is not None:
            raise Unavailable(
                f"{self.name} is not empty ({there}); make a new spreadsheet and give its address"
            )
        self._write(step, before)

    def _current(self) -> Seen:
        """Return the sheet as it was seen last; looks where it never was."""
        if self._seen is None:
            self.read()
        assert self._seen is not None  # noqa: S101  reading sets it or raises
        return self._seen

    def _carry_out(self, step: Step, before: Seen) -> Seen:
        self._seen = None
        self._seen = self._writer.carry_out(step, before)
        return self._seen

    def _write(self, step: Step, before: Seen) -> Seen:
        """Carry out a step that is all there is to do; raises with the workbook's name."""
        try:
            return self._carry_out(step, before)
        except Overtaken as other:
            raise Overtaken(f"{self.name}: {other}") from None
        except Unavailable as refused:
            raise Unavailable(f"{self.name}: {refused}", passes=refused.passes) from None


def create_spreadsheet(
    title: str,
    *,
    credentials: Path | None = None,
    on_wait: Callable[[str], None] = _silent,
    patience: Patience | None = None,
) -> str:
    """Make a new spreadsheet as the signed-in user, lay it out and return its address.

    Raises `Unavailable` for a service account, which owns no files, and where Google refuses.
    """
    patience = patience or Patience()
    wire = Wire(credentials, on_wait, read_only=False)
    if (email := wire.account.email) is not None:
        raise Unavailable(
            "Google lets service accounts make no spreadsheets: make an empty one yourself "
            f"(https://sheets.new), share it with {email} as Editor, and run referee init with its "
            "address"
        )
    key = _made(wire, title, Deadline(patience, on_wait))
    store = GoogleStore(key, on_wait=on_wait, patience=patience, wire=wire)
    try:
        store.create()
    except Unavailable as refused:
        raise Unavailable(
            f"the spreadsheet {quoted(title)} was made but not laid out ({refused}): "
            f"run referee init {store.address}"
        ) from None
    return store.address


def _made(wire: Wire, title: str, deadline: Deadline) -> str:
    """Make an empty spreadsheet, once: what was made without an answer cannot be found again."""
    try:
        wire.refresh(deadline)
    except Passing as passing:
        raise Unavailable(f"{passing.why}; no spreadsheet was made") from None
    try:
        answer = wire.post("", "spreadsheetId", {"properties": {"title": title}}, deadline)
        return str(answer["spreadsheetId"])
    except Refused as refused:
        raise Unavailable(f"{refused}; no spreadsheet was made") from None
    except (Passing, Unexpected, KeyError) as trouble:
        why = trouble.args[0] if isinstance(trouble, Passing | Unexpected) else "no key came back"
        raise Unavailable(
            f"{why}; whether a spreadsheet was made is not known: look for {quoted(title)} in "
            "Google Drive, and give its address to referee init if it is there"
        ) from None
