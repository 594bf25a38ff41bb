"""A match workbook wherever it lives, as hosts' scripts and the commands use it.

``open("match.xlsx")`` takes a file, a Google Sheets address or key, or a match record.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from referee.match.faults import RefereeError, Stopped, Unavailable, WrongUsage, quoted
from referee.match.instants import format_instant
from referee.match.notices import Clock
from referee.match.record import CellValue, Record
from referee.match.result import Result
from referee.rules.replay import replay
from referee.workbook.cells import OwnedTab
from referee.workbook.findings import Remark
from referee.workbook.places import Places

if TYPE_CHECKING:
    from referee.judging.findings import Difference
    from referee.stores.contract import Store
    from referee.stores.journal import Journal
    from referee.stores.records import RecordStore

_GOOGLE_ADDRESS: Final = re.compile(r"(?:https?://)?(?:docs|drive)\.google\.com/")
_GOOGLE_KEY: Final = re.compile(r"[A-Za-z0-9_-]{20,}")
_NO_PLACES: Final = Places(tables={}, titles={}, player_rows=(), setting_rows={})


class Contradicted(RefereeError):
    """Published rounds say something else than their recomputation.

    ``text`` is what the user is told where it is not the list of differences alone.
    """

    code = "differs"

    def __init__(self, differences: "Sequence[Difference]", text: str | None = None) -> None:
        self.differences = tuple(differences)
        listed = "\n".join(difference.text for difference in differences)
        super().__init__(listed if text is None else text)

    def as_json(self) -> dict[str, Any]:
        """Return the ``referee-error/1`` object, with every difference."""
        told = [difference.as_json() for difference in self.differences]
        return {**super().as_json(), "differences": told}


class Read(msgspec.Struct, frozen=True):
    """A workbook as read: the record, remarks that stop nothing, and where everything stands.

    ``undated`` are the rows, by tab and row, whose times name no date.
    ``commitment`` is what players were told of the seed before the match (R7.3); a match record
    keeps none.
    """

    record: Record
    remarks: tuple[Remark, ...]
    places: Places
    undated: tuple[tuple[str, int], ...] = ()
    commitment: str = ""


class MatchSheet:
    """A match workbook in its place; making one reads nothing."""

    def __init__(
        self, store: "Store | RecordStore", journal: "Callable[[], Journal] | None" = None
    ) -> None:
        self.store = store
        self._journal = journal

    @property
    def name(self) -> str:
        """What the host calls it."""
        return self.store.name

    def workbook_store(self) -> "Store":
        """Return the store of a workbook with tabs of a host's.

        Raises `WrongUsage` for a match record, which has none.
        """
        from referee.stores.records import RecordStore

        if isinstance(self.store, RecordStore):
            raise WrongUsage(
                f"{self.name} is a match record; this needs a workbook: an .xlsx file or a "
                "Google Sheet"
            )
        return self.store

    @property
    def notes(self) -> tuple[str, ...]:
        """What the host should know of the last write, such as an edit made meanwhile."""
        return tuple(self.store.notes)

    @property
    def overtaken(self) -> bool:
        """Whether somebody changed the workbook during the last write: look at it once more."""
        return self.store.overtaken

    def lock(self) -> AbstractContextManager[None]:
        """Keep a second run away for the length of a ``with``; raises `Unavailable` if one runs."""
        return self.store.lock()

    def read(self) -> Read:
        """Read the workbook.

        Raises `Stopped` with every fault of its contents, `Unavailable` where it cannot be had.
        """
        from referee.stores.records import RecordStore

        if isinstance(self.store, RecordStore):
            record = self.store.read_record()
            remarks = tuple(_zone_remarks(record, self.name))
            return Read(record, remarks, _places_of(record))
        from referee.workbook.reading import read_book
        from referee.workbook.writing import wall_clock

        reading = read_book(self.store.read())
        remarks = (*reading.remarks, *self.waiting(wall_clock(reading.record)))
        return Read(reading.record, remarks, reading.places, reading.undated, reading.commitment)

    def waiting(self, clock: Clock = format_instant) -> tuple[Remark, ...]:
        """Return a remark for each line that was logged and that the workbook does not hold yet.

        ``clock`` shows their times. Raises `Unavailable` where the journal cannot be read.
        """
        waiting = [] if self._journal is None else self._journal().waiting()
        return tuple(
            Remark(
                "line-waiting",
                f"{quoted(line.typed)}, logged at {clock(line.at)}, "
                f"{'still has to be undone' if line.undo else 'is not in the sheet yet'}: run "
                "referee log with this sheet, or add --forget to let it go",
                severity="warning",
            )
            for line in waiting
        )

    def record(self) -> Record:
        """Return the match record that the workbook holds; raises as `read` does.

        Nobody is shown its times yet, so that a record's time zone need not exist.
        """
        from referee.stores.records import RecordStore

        if isinstance(self.store, RecordStore):
            return self.store.read_record()
        return self.read().record

    def published(self) -> dict[str, list[list[CellValue]]]:
        """Return the owned tabs' rows as they stand, by the template's titles, header first."""
        return self.record().published or {}

    def write(self, tabs: Sequence[OwnedTab]) -> None:
        """Replace the referee's own tabs, all or nothing; raises `Unavailable` or `Stopped`.

        Nothing is published while lines wait that were logged: they would be missing for ever.
        """
        if waiting := self.waiting():
            raise Unavailable("\n".join(remark.text for remark in waiting), passes=True)
        self.store.publish(tabs)

    def publish(self, result: Result, *, reopen: int | None = None) -> None:
        """Publish a result's rounds.

        A published round stays published: raises `Contradicted` where the result says something
        else of one, unless ``reopen`` names the first that may change.
        """
        import time

        from referee.judging.resolving import plan_result

        with self.lock():
            read = self.read()
            now = time.time_ns() // 1_000_000
            planned = plan_result(
                result, read.record, read.places.titles, now, reopen=reopen, salt=new_salt()
            )
            if planned.differences:
                raise Contradicted(planned.differences)
            if planned.tabs:
                self.write(planned.tabs)


def _places_of(record: Record) -> Places:
    from referee.workbook.zones import clock_of

    return msgspec.structs.replace(_NO_PLACES, clock=clock_of(record).text)


def _zone_remarks(record: Record, name: str) -> Iterator[Remark]:
    """Remark on a record's time zone; raises `Stopped` where there is none of that name."""
    from referee.workbook.zones import clock_of, doubtful

    try:
        clock = clock_of(record)
    except Stopped as stopped:
        faults = [fault._replace(text=f"{name}: {fault.text}") for fault in stopped.faults]
        raise Stopped(faults, record.name) from None
    if (doubt := doubtful(clock.name, record.start)) is not None:
        yield Remark("doubtful-time-zone", f"time_zone: {doubt}", "Settings")


def new_salt() -> str:
    """Return the random text that one run's receipts are salted with: 128 bits."""
    import secrets

    return secrets.token_hex(16)


def replay_located(read: Read, through: int | None = None) -> Result:
    """Replay a workbook's record; the engine's faults name the host's own cells.

    Raises `Stopped` as `replay` does.
    """
    try:
        return replay(read.record, through)
    except Stopped as stopped:
        raise located(stopped, read.places) from None


def located(stopped: Stopped, places: Places) -> Stopped:
    """Return a stop whose faults name the host's own cells."""
    return Stopped([places.describe(fault) for fault in stopped.faults], stopped.name)


def open(  # noqa: A001  the library's word for it, as in gzip.open
    sheet: str | Path,
    *,
    credentials: str | Path | None = None,
    read_only: bool = False,
    on_wait: Callable[[str], None] | None = None,
) -> MatchSheet:
    """Return the match workbook at a path, a Google Sheets address or key, or in a record.

    Nothing is read yet. ``credentials`` is a Google credentials file; ``read_only`` asks Google
    for no more than reading; ``on_wait`` is told in a line what is waited for. Raises
    `WrongUsage` where the name fits nothing.
    """
    store = store_of(sheet, credentials=credentials, read_only=read_only, on_wait=on_wait)
    return MatchSheet(store, partial(journal_of, str(sheet)))


def journal_of(sheet: str) -> "Journal":
    """Return the journal of the lines logged for a sheet, by the name it is opened by.

    Raises `WrongUsage` for an address that is no Google Sheet's.
    """
    from referee.stores.journal import journal_beside, journal_for_key

    if not is_google(sheet):
        return journal_beside(sheet)
    from referee.stores.google.address import sheet_key

    return journal_for_key(sheet_key(sheet))


def store_of(
    sheet: str | Path,
    *,
    credentials: str | Path | None = None,
    read_only: bool = False,
    on_wait: Callable[[str], None] | None = None,
) -> "Store | RecordStore":
    """Return the store a sheet's name stands for; see `open`."""
    name = str(sheet)
    if name.lower().endswith(".jsonl"):
        raise WrongUsage(
            f"{name} is an archive of match records; replay and audit take it, this one record"
        )
    if name == "-" or name.lower().endswith(".json"):
        from referee.stores.records import RecordStore

        return RecordStore(name)
    if is_google(name):
        from referee.stores.google.store import GoogleStore

        key = None if credentials is None else Path(credentials)
        told = (lambda _: None) if on_wait is None else on_wait
        return GoogleStore(name, credentials=key, read_only=read_only, on_wait=told)
    if not name.strip():
        raise WrongUsage("name a sheet: an .xlsx file, a Google Sheets address or a match record")
    from referee.stores.xlsx.store import XlsxStore

    return XlsxStore(Path(name))


def is_google(name: str) -> bool:
    """Whether a sheet's name is a Google Sheets address or, where no file has it, a key."""
    if _GOOGLE_ADDRESS.match(name):
        return True
    return bool(_GOOGLE_KEY.fullmatch(name)) and not Path(name).exists()
