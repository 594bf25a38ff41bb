"""The workbook as an .xlsx file (contract in `referee.stores.contract`).

Reading takes every tab from the file's own parts. Publishing replaces the parts of the referee's
own tabs and leaves all others byte for byte as they were; the file is written whole, checked and
put in place at once, or not at all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final

from referee.match.faults import RefereeError, Stopped, Unavailable, quoted, visible
from referee.stores import file_safety, owned_tabs
from referee.stores.contract import CellEdit
from referee.stores.writable import check_cells, check_edits
from referee.stores.xlsx.file_kinds import why_no_workbook
from referee.stores.xlsx.formulas import recalculate_note, who_looks_at
from referee.stores.xlsx.publishing import Change, Place, changes, places, recalculated
from referee.stores.xlsx.reading import read_tab
from referee.stores.xlsx.workbook import Sheet, Workbook
from referee.stores.xlsx.zip_package import LARGEST_ARCHIVE, Damaged, Package
from referee.workbook.cells import Book, Contents, NewRow, OwnedTab, Tab, placed

_MEND: Final = "open it in Excel or LibreOffice and save it again, or take its last copy"

Told = Callable[[], AbstractContextManager[None]]
"""What turns damage into words for a host, for the length of a ``with``."""


class _Version:
    """The file as it was at one moment: its bytes, its structure, and the tabs read so far."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.workbook = Workbook(Package(data))
        self._contents: dict[Sheet, Contents] = {}

    def contents(self, sheet: Sheet) -> Contents:
        """Return a sheet's cells."""
        if sheet not in self._contents:
            self._contents[sheet] = read_tab(self.workbook, sheet)
        return self._contents[sheet]

    def tab(self, sheet: Sheet, told: Told = nullcontext) -> Tab:
        """Return a sheet, whose cells are read when they are asked for, ``told`` of any damage."""

        def load() -> Contents:
            with told():
                return self.contents(sheet)

        return Tab(sheet.title, load, owned=sheet.is_owned, owned_as=sheet.owned_as)

    def tabs(self, told: Told = nullcontext) -> tuple[Tab, ...]:
        """Return all sheets that have cells."""
        return tuple(self.tab(sheet, told) for sheet in self.workbook.sheets if sheet.is_grid)


class XlsxStore:
    """A match workbook in an .xlsx file; making one does not touch the file."""

    def __init__(self, path: Path) -> None:
        self.notes: list[str] = []
        self._path = path
        self._locks = 0
        self._seen: _Version | None = None
        """The file as it was read: what is published belongs to this version and no other."""

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    @property
    def overtaken(self) -> bool:
        """Never: a file that somebody changed meanwhile is not written."""
        return False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep a second run away for the length of a ``with``; raises `Unavailable` if one runs."""
        if self._locks:
            with self._counted():
                yield
            return
        with file_safety.locked(self._path), self._counted():
            yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._locks += 1
        try:
            yield
        finally:
            self._locks -= 1

    def read(self) -> Book:
        """Read the workbook; a tab's cells are read when somebody looks at them.

        Raises `Unavailable` where the file is no workbook that can be read, `Stopped` where a
        sheet is too large: so does the first look at a tab's cells.
        """
        with self._told():
            self._seen = self._version(self._bytes())
            return Book(self.name, self._seen.tabs(self._told))

    def publish(self, tabs: Sequence[OwnedTab]) -> None:
        """Replace the referee's own tabs by these, all or nothing; everything else stays.

        A file that already holds just this is not written. Raises `Stopped` where a host's tab
        stands under one of the titles or a cell cannot be held by a file; `Unavailable` where the
        file is open elsewhere, was changed since `read`, or cannot be written.
        """
        self.notes = []
        if faults := [fault for tab in tabs for fault in check_cells(tab)]:
            raise Stopped(faults)
        with self.lock(), self._told():
            old = self._current()
            found = places(old.workbook, tabs, old.tab)
            if all(_is_current(place, old) for place in found):
                return
            change = changes(old.workbook, found)
            self._replace(old, change, lambda new: _check_owned(new, found))
            self._tell_of_formulas(old, {_title(place) for place in found})

    def edit(self, edits: Sequence[CellEdit], rows: Sequence[NewRow] = ()) -> list[int]:
        """Set single cells of the host's tabs and add rows, all or nothing; everything else stays.

        A time becomes a date cell where the cell's style shows dates with times, else a text that
        says it to the millisecond. Raises `Stopped` where a cell cannot be set: it holds a formula,
        lies inside merged cells or outside the sheet; `Unavailable` as `publish` does.
        """
        from referee.stores.xlsx.edits import check_edited, edited

        self.notes = []
        if not edits and not rows:
            return []
        with self.lock(), self._told():
            old = self._current()
            added, numbers = placed(rows, partial(_is_taken, {t.title: t for t in old.tabs()}))
            edits = (*edits, *added)
            if faults := check_edits(old.tabs(), edits):
                raise Stopped(faults)
            parts: dict[str, bytes] = {}
            for sheet in old.workbook.sheets:
                if own := [edit for edit in edits if edit.tab == sheet.title]:
                    parts |= edited(old.workbook, sheet, own)
            parts |= recalculated(old.workbook)

            def check(new: _Version) -> None:
                for before, after in zip(old.tabs(), new.tabs(), strict=True):
                    if own := [edit for edit in edits if edit.tab == before.title]:
                        check_edited(before, after, own)

            self._replace(old, Change(parts), check)
            self._tell_of_formulas(old, {edit.tab for edit in edits})
        return numbers

    def create(self, time_zone: str = "") -> None:
        """Make a new match workbook from the template, in a time zone of its own.

        Raises `Unavailable` where a file that is not empty has the name already.
        """
        from referee.stores.xlsx.template import new_workbook

        if self._path.suffix.lower() != ".xlsx":
            raise Unavailable(f"{self.name}: a new workbook's name ends in .xlsx")
        with self.lock(), self._told():
            new = new_workbook(time_zone)
            file_safety.create_file(self._path, new)
            self._seen = _Version(new)

    # --- steps ---------------------------------------------------------------------------------

    def _current(self) -> _Version:
        """Return the file as it is, which must be as it was read."""
        data = self._bytes()
        if self._seen is None:
            return self._version(data)
        if self._seen.data != data:
            raise file_safety.changed_meanwhile(self._path)
        return self._seen

    def _replace(
        self,
        old: _Version,
        change: Change,
        check: Callable[[_Version], None],
    ) -> None:
        """Put the changed file in place once it has been read back and found good."""
        if old.workbook.is_signed:
            raise Unavailable(
                f"{self.name} is digitally signed, which any change would break: remove the "
                "signature (File > Info > View Signatures in Excel), save the file and run again"
            )
        file_safety.refuse_if_open(self._path)
        data = old.workbook.package.rebuilt(change.parts, change.dropped)

        def checked(written: bytes) -> None:
            try:
                self._seen = _Version(written)
                _check_parts(old, self._seen, change)
                check(self._seen)
            except Damaged as damage:
                raise Unavailable(
                    f"{self.name} is left as it was: the new version would be wrong ({damage}); "
                    "please report this with a copy of the file"
                ) from None

        try:
            self.notes += file_safety.replace_file(self._path, old.data, data, checked)
        except BaseException:
            self._seen = old
            raise

    def _tell_of_formulas(self, old: _Version, written: set[str]) -> None:
        """Note formulas of the host's that show old values until they are worked out anew."""
        seen = [sheet for sheet in old.workbook.sheets if sheet.title in written]
        if written and (titles := who_looks_at(old.workbook, seen, written)):
            self.notes.append(recalculate_note(titles))

    def _bytes(self) -> bytes:
        name = self.name
        if name.startswith(("~$", ".~lock.")):
            raise Unavailable(
                f"{name} is only a sign that a workbook is open; give the workbook itself, "
                f"{name.removeprefix('~$').removeprefix('.~lock.').rstrip('#')}"
            )
        return file_safety.read_file(self._path, LARGEST_ARCHIVE)

    def _version(self, data: bytes) -> _Version:
        if (problem := why_no_workbook(data)) is not None:
            raise Unavailable(f"{self.name} {problem}")
        return _Version(data)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of damage which file it is in."""
        try:
            yield
        except Damaged as damage:
            raise Unavailable(f"{self.name} is damaged: {damage}; {_MEND}") from None
        except RefereeError:
            raise
        except Exception as error:
            found = f"{type(error).__name__}: {visible(str(error))}"
            raise Unavailable(
                f"{self.name} is damaged in a way nobody foresaw ({found}); {_MEND}"
            ) from error


def _title(place: Place) -> str:
    return place.sheet.title if place.sheet is not None else place.tab.title


def _is_taken(tabs: Mapping[str, Tab], row: NewRow, number: int) -> bool:
    """Whether something stands where a new row would put its cells."""
    rows = tabs[row.tab].rows if row.tab in tabs else []
    there = rows[number - 1] if number <= len(rows) else []
    return any(column <= len(there) and there[column - 1] is not None for column in row.cells)


def _is_current(place: Place, version: _Version) -> bool:
    """Whether an owned tab already stands where it belongs and holds just these cells."""
    if place.sheet is None or place.needs_mark:
        return False
    rows, there = owned_tabs.read_back(place.tab.rows), version.tab(place.sheet)
    return not there.odd and owned_tabs.same_cells(there.rows, rows)


def _check_parts(old: _Version, new: _Version, change: Change) -> None:
    """Raise `Damaged` where a part that had to stay is not as it was stored."""
    before, after = old.workbook.package, new.workbook.package
    touched = {name.lower() for name in (*change.parts, *change.dropped)}
    for name in before.names():
        if name.lower() not in touched and before.stored(name) != after.stored(name):
            raise Damaged(f"its part {name} changed")


def _check_owned(new: _Version, places: Sequence[Place]) -> None:
    """Raise `Damaged` where an owned tab does not read as it was meant."""
    owned = {sheet.title: sheet for sheet in new.workbook.sheets if sheet.is_owned}
    for place in places:
        title = _title(place)
        rows = owned_tabs.read_back(place.tab.rows)
        sheet = owned.get(title)
        if sheet is None or not owned_tabs.same_cells(new.tab(sheet).rows, rows):
            raise Damaged(f"the tab {quoted(title)} does not read back as it was written")
