"""The workbook as an .xlsx file (contract in `referee.stores.contract`).

Reading takes every tab from the file's own parts. Publishing replaces the parts of the referee's
own tabs and leaves all others byte for byte as they were; the file is written whole, checked and
put in place at once, or not at all.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from referee.faults import Stopped, Unavailable
from referee.stores import file_safety, xlsx_edits, xlsx_publishing, xlsx_writing
from referee.stores.contract import CellEdit
from referee.stores.file_kinds import why_no_workbook
from referee.stores.xlsx_reading import read_tab
from referee.stores.xlsx_workbook import Sheet, Workbook
from referee.stores.zip_package import LARGEST_ARCHIVE, Damaged, Package
from referee.workbook.cells import Book, OwnedTab, Tab


class XlsxStore:
    """A match workbook in an .xlsx file; making one does not touch the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._locks = 0
        self._seen: bytes | None = None
        """The file's bytes as they were read: what is published belongs to them and no others."""

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

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
        """Read every tab.

        Raises `Unavailable` where the file is no workbook that can be read, `Stopped` where a
        sheet is too large.
        """
        self._seen = self._bytes()
        workbook = self._workbook(self._seen)
        with self._told():
            tabs = tuple(read_tab(workbook, sheet) for sheet in workbook.sheets if sheet.is_grid)
        return Book(self.name, tabs)

    def publish(self, tabs: Sequence[OwnedTab]) -> None:
        """Replace the referee's own tabs by these, all or nothing; everything else stays.

        A file that already holds just this is not written. Raises `Stopped` where a host's tab
        stands under one of the titles or a cell cannot be held by a file; `Unavailable` where the
        file is open elsewhere, was changed since `read`, or cannot be written.
        """
        if faults := [fault for tab in tabs for fault in xlsx_writing.check_cells(tab)]:
            raise Stopped(faults)
        with self.lock(), self._told():
            old, workbook = self._current()

            def read(sheet: Sheet) -> Tab:
                return read_tab(workbook, sheet)

            found = xlsx_publishing.places(workbook, tabs, read)
            if all(_is_current(place, read) for place in found):
                return
            change = xlsx_publishing.changes(workbook, found)

            def check(new: bytes) -> None:
                self._check_parts(old, new, change)
                self._check_owned(new, found)

            self._replace(old, change, check)

    def edit(self, edits: Sequence[CellEdit]) -> None:
        """Set single cells of the host's tabs, all or nothing; everything else stays.

        A time becomes a date cell where the cell's style shows dates with times, else a text that
        says it to the millisecond. Raises `Stopped` where a cell cannot be set: it holds a formula,
        lies inside merged cells or outside the sheet; `Unavailable` as `publish` does.
        """
        if not edits:
            return
        with self.lock(), self._told():
            old, workbook = self._current()
            tabs = {s.title: read_tab(workbook, s) for s in workbook.sheets if s.is_grid}
            if faults := xlsx_edits.check_edits(list(tabs.values()), edits):
                raise Stopped(faults)
            parts: dict[str, bytes] = {}
            for sheet in workbook.sheets:
                if own := [edit for edit in edits if edit.tab == sheet.title]:
                    parts |= xlsx_edits.edited(workbook, sheet, own)

            def check(new: bytes) -> None:
                self._check_parts(old, new, xlsx_publishing.Change(parts))
                after = Workbook(Package(new))
                for sheet in after.sheets:
                    if sheet.is_grid:
                        tab = read_tab(after, sheet)
                        xlsx_edits.check_edited(tabs[sheet.title], tab, edits)

            self._replace(old, xlsx_publishing.Change(parts), check)

    def create(self) -> None:
        """Make a new match workbook from the template.

        Raises `Unavailable` where a file that is not empty has the name already.
        """
        from referee.stores.xlsx_template import new_workbook

        if self._path.suffix.lower() != ".xlsx":
            raise Unavailable(f"{self.name}: a new workbook's name ends in .xlsx")
        with self.lock(), self._told():
            new = new_workbook()
            file_safety.create_file(self._path, new)
            self._seen = new

    # --- steps ---------------------------------------------------------------------------------

    def _current(self) -> tuple[bytes, Workbook]:
        """Return the file as it is, which must be as it was read."""
        data = self._bytes()
        if self._seen is not None and data != self._seen:
            raise file_safety.changed_meanwhile(self._path)
        return data, self._workbook(data)

    def _replace(
        self, old: bytes, change: xlsx_publishing.Change, check: Callable[[bytes], None]
    ) -> None:
        file_safety.refuse_if_open(self._path)
        new = Package(old).rebuilt(change.parts, change.dropped)

        def checked(written: bytes) -> None:
            try:
                check(written)
            except Damaged as damage:
                raise Unavailable(
                    f"{self.name} is left as it was: the new version would be wrong ({damage}); "
                    "please report this with a copy of the file"
                ) from None

        file_safety.replace_file(self._path, old, new, checked)
        self._seen = new

    def _check_parts(self, old: bytes, new: bytes, change: xlsx_publishing.Change) -> None:
        """Raise `Damaged` where a part that had to stay arrived changed on the disk."""
        before, after = Package(old), Package(new)
        for name in before.names():
            is_kept = name not in change.parts and name not in change.dropped
            if is_kept and before.stored(name) != after.stored(name):
                raise Damaged(f"its part {name} changed")

    def _check_owned(self, new: bytes, places: Sequence[xlsx_publishing.Place]) -> None:
        """Raise `Damaged` where an owned tab does not read as it was meant."""
        workbook = Workbook(Package(new))
        owned = {sheet.title: sheet for sheet in workbook.sheets if sheet.owned_as is not None}
        for place in places:
            title = place.sheet.title if place.sheet is not None else place.tab.title
            rows = xlsx_writing.read_back(place.tab.rows)
            sheet = owned.get(title)
            if sheet is None or not xlsx_writing.same_cells(read_tab(workbook, sheet).rows, rows):
                raise Damaged(f"the tab {title!r} does not read back as it was written")

    def _bytes(self) -> bytes:
        name = self.name
        if name.startswith(("~$", ".~lock.")):
            raise Unavailable(
                f"{name} is only a sign that a workbook is open; give the workbook itself, "
                f"{name.removeprefix('~$').removeprefix('.~lock.').rstrip('#')}"
            )
        return file_safety.read_file(self._path, LARGEST_ARCHIVE)

    def _workbook(self, data: bytes) -> Workbook:
        if (problem := why_no_workbook(data)) is not None:
            raise Unavailable(f"{self.name} {problem}")
        with self._told():
            return Workbook(Package(data))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of damage which file it is in."""
        try:
            yield
        except Damaged as damage:
            raise Unavailable(
                f"{self.name} is damaged: {damage}; open it in Excel or LibreOffice and save it "
                "again, or take its last copy"
            ) from None


def _is_current(place: xlsx_publishing.Place, read: Callable[[Sheet], Tab]) -> bool:
    """Whether an owned tab already stands where it belongs and holds just these cells."""
    if place.sheet is None or place.needs_mark:
        return False
    rows = xlsx_writing.read_back(place.tab.rows)
    return xlsx_writing.same_cells(read(place.sheet).rows, rows)
