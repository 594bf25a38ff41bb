"""Finding the host's tabs and their columns by name, wherever they stand.

A tab is found by its title and a column by the header in the first non-empty row, both without
regard to case and blanks; a host's own titles and headers are named in Settings. Where two could
be meant, neither is chosen.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from referee.match.faults import Fault, quoted
from referee.workbook.cells import Book, Broken, Tab, Value, address, column_letters
from referee.workbook.findings import NO_PLACE, Findings, Remark, Spot
from referee.workbook.layout import Column, Layout, TabLayout
from referee.workbook.names import distance, fold, nearest
from referee.workbook.values import is_blank, plain

Row = tuple[int, Sequence[Value]]
"""A sheet row number, from 1, and the row's cells, as many as there are headers."""


class Naming(msgspec.Struct, frozen=True):
    """A title or header of the host's own, and the cell of Settings that names it."""

    text: str
    where: str
    spot: Spot


Namings = Mapping[tuple[str, str], Naming]
"""The host's own names, by tab and column of the template; the column is empty for a title."""


class Table(msgspec.Struct, frozen=True, dict=True):
    """A host's tab with its columns found.

    ``position`` is the tab's place in the workbook from 0, ``header_row`` the header's row from
    1, ``columns`` where each column of the template stands, from 0.
    """

    layout: TabLayout
    tab: Tab
    position: int
    header_row: int
    columns: dict[str, int]

    @property
    def title(self) -> str:
        """The tab's title in the template, by which records and notices call it."""
        return self.layout.title

    def spot(self, row: int, column: str | None = None) -> Spot:
        """Return where a cell or row comes in the order of the workbook."""
        return (self.position, row, 0 if column is None else self.columns.get(column, -1) + 1)

    def address(self, row: int, column: str | None = None) -> str:
        """Return how a host finds a cell (``Queue!B14``) or, without a column, a row."""
        index = None if column is None else self.columns.get(column)
        if index is None:
            return f"{self.tab.title} row {row}"
        return address(self.tab.title, row, index + 1)

    def fault(
        self, code: str, row: int, column: str | None, problem: str, player: str | None = None
    ) -> tuple[Spot, Fault]:
        """Return a fault of one cell, with its place, ready for `Findings.fault`."""
        text = f"{self.address(row, column)}: {problem}"
        return self.spot(row, column), Fault(code, text, self.title, row, player)

    @cached_property
    def read_columns(self) -> tuple[int, ...]:
        """The columns that are read, notes left out, from 0."""
        return tuple(
            index for name, index in self.columns.items() if self.layout.column(name).kind != "note"
        )

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows under the header in which any column that is read says something."""
        width = max(self.columns.values(), default=0) + 1
        found = []
        for number, cells in enumerate(self.tab.rows[self.header_row :], self.header_row + 1):
            row = cells if len(cells) >= width else [*cells, *[None] * (width - len(cells))]
            for index in self.read_columns:
                value = row[index]
                if value is not None and not is_blank(value):
                    found.append((number, row))
                    break
        return tuple(found)

    @property
    def last_row(self) -> int:
        """The last row that says something, the header's where none does, from 1."""
        return self.rows[-1][0] if self.rows else self.header_row


def find_table(
    book: Book, layout: Layout, wanted: TabLayout, namings: Namings, findings: Findings
) -> Table | None:
    """Find a host's tab and its columns; what is missing or doubtful becomes a fault."""
    position = _find_tab(book, wanted, namings.get((wanted.title, "")), findings)
    if position is None:
        return None
    tab = book.tabs[position]
    header_row = next(
        (number for number, row in enumerate(tab.rows, 1) if not all(map(is_blank, row))), None
    )
    if header_row is None:
        expected = ", ".join(column.name for column in wanted.columns if column.required)
        text = f"{tab.title}: no header row; expected {expected}"
        findings.fault((position, 1, 0), Fault("no-header", text, wanted.title, 1))
        return None
    finder = _ColumnFinder(Table(wanted, tab, position, header_row, {}), layout, namings, findings)
    table = finder.table()
    if table is not None:
        _refuse_merges(table, findings)
        _remark_hidden(table, findings)
    return table


def _find_tab(
    book: Book, wanted: TabLayout, naming: Naming | None, findings: Findings
) -> int | None:
    title = wanted.title if naming is None else naming.text
    folded = fold(title)
    found = [
        index for index, tab in enumerate(book.tabs) if not tab.owned and fold(tab.title) == folded
    ]
    if len(found) == 1:
        _remark_titles(book, found[0], wanted, title, findings)
        return found[0]
    spot = NO_PLACE if naming is None else naming.spot
    where = "" if naming is None else f"{naming.where}: "
    if found:
        titles = " and ".join(quoted(book.tabs[index].title) for index in found)
        text = f"{where}the tabs {titles} may both be {title}; rename or remove one"
        findings.fault(spot, Fault("doubled-tab", text, wanted.title))
        return None
    others = [tab.title for tab in book.tabs if not tab.owned]
    near = nearest(title, others)
    close = near is not None and distance(folded, fold(near)) <= 2
    if wanted.optional and naming is None and not close:
        return None
    hint = f" (nearest: {quoted(near)})" if near is not None and close else ""
    mend = "rename it" if close else "add it"
    if naming is None:
        mend += f', or name yours in Settings as "{title} tab"'
    text = f"{where}there is no tab {quoted(title)}{hint}; {mend}"
    findings.fault(spot, Fault("missing-tab", text, wanted.title))
    return None


def _remark_titles(
    book: Book, found: int, wanted: TabLayout, title: str, findings: Findings
) -> None:
    if book.tabs[found].title != title:
        text = f"the tab {quoted(book.tabs[found].title)} is read as {title}"
        findings.remark((found, 0, 0), Remark("tab-title", text, wanted.title))
    for position, tab in enumerate(book.tabs):
        if position != found and not tab.owned and fold(tab.title) == fold(wanted.title):
            text = (
                f"the tab {quoted(tab.title)} is not read: Settings names {quoted(title)} instead"
            )
            findings.remark((position, 0, 0), Remark("unread-tab", text, wanted.title))


class _ColumnFinder:
    """Finds the columns of one tab by the texts of its header row."""

    def __init__(self, table: Table, layout: Layout, namings: Namings, findings: Findings) -> None:
        self.bare, self.layout, self.namings, self.findings = table, layout, namings, findings
        self.sound = True
        self.headers: dict[str, list[int]] = {}
        self.texts: dict[int, str] = {}
        for index, value in enumerate(table.tab.rows[table.header_row - 1]):
            if isinstance(value, Broken):
                where = address(table.tab.title, table.header_row, index + 1)
                self._fault(
                    "broken-cell", index, f"{where}: the header cannot be read: {value.why}"
                )
            elif isinstance(value, str | int | float) and not is_blank(value):
                text = value if isinstance(value, str) else plain(value)
                self.headers.setdefault(fold(text), []).append(index)
                self.texts[index] = text

    def table(self) -> Table | None:
        """Return the tab with its columns, None where one is missing or doubled."""
        columns: dict[str, int] = {}
        for column in self.bare.layout.columns:
            found = self._places(column)
            if len(found) > 1 and column.kind != "note":
                self._doubled(column, found)
            elif found:
                columns[column.name] = found[0]
            else:
                self._absent(column)
        if not self.sound:
            return None
        return msgspec.structs.replace(self.bare, columns=columns)

    def _fault(self, code: str, index: int, text: str) -> None:
        row = self.bare.header_row
        spot = (self.bare.position, row, index + 1)
        self.findings.fault(spot, Fault(code, text, self.bare.title, row))
        self.sound = False

    def _places(self, column: Column) -> list[int]:
        naming = self.namings.get((self.bare.title, column.name))
        if naming is not None:
            return self.headers.get(fold(naming.text), [])
        names = dict.fromkeys(map(fold, (column.name, *self.layout.synonyms_of(column))))
        return sorted(index for name in names for index in self.headers.get(name, []))

    def _doubled(self, column: Column, found: list[int]) -> None:
        where = " and ".join(f"column {column_letters(index + 1)}" for index in found)
        texts = list(dict.fromkeys(self.texts[index].strip() for index in found))
        row = f"{self.bare.tab.title} row {self.bare.header_row}"
        if len(texts) == 1:
            text = f"{row}: header {quoted(texts[0])} is in {where}; rename or remove one"
        else:
            both = " and ".join(map(quoted, texts))
            text = (
                f"{row}: headers {both}, in {where}, all mean {column.name}; rename or remove one"
            )
        self._fault("doubled-header", found[1], text)

    def _absent(self, column: Column) -> None:
        bare, row = self.bare, f"{self.bare.tab.title} row {self.bare.header_row}"
        naming = self.namings.get((bare.title, column.name))
        if naming is not None:
            near = nearest(naming.text, self.texts.values())
            hint = "" if near is None else f" (nearest: {quoted(near)})"
            text = f"{naming.where}: {row} has no header {quoted(naming.text)}{hint}"
            self.findings.fault(naming.spot, Fault("missing-header", text, bare.title))
            self.sound = False
            return
        taken = {index for other in bare.layout.columns for index in self._places(other)}
        free = [text for index, text in self.texts.items() if index not in taken]
        near = nearest(column.name, free)
        far = 99 if near is None else distance(fold(column.name), fold(near))
        own = f'name yours in Settings as "{bare.title} {column.name.lower()} column"'
        if column.required:
            hint = f" (nearest: {quoted(near)})" if near is not None and far <= 2 else ""
            text = f"{row}: no header {quoted(column.name)}{hint}; add it, or {own}"
            self._fault("missing-header", 0, text)
        elif near is not None and far <= 1 and column.kind not in ("note", "id"):
            text = f"{row}: is header {quoted(near)} meant to be {column.name}? rename it, or {own}"
            self._fault("unclear-header", 0, text)


def _refuse_merges(table: Table, findings: Findings) -> None:
    """Refuse merged cells that hide what a row says: only the first of them holds a value."""
    used = set(table.read_columns)
    rows = table.tab.rows
    for top, left, bottom, right in table.tab.merges:
        covered = [column for column in range(left - 1, right) if column in used]
        single = top == bottom and covered == [left - 1]
        if top <= table.header_row or not covered or single:
            continue
        if all(
            is_blank(value) for row in rows[top - 1 : bottom] for value in row[left - 1 : right]
        ):
            continue
        area = f"{address(table.tab.title, top, left)}:{column_letters(right)}{bottom}"
        text = (
            f"{area} is merged, so only {column_letters(left)}{top} holds a value; "
            "unmerge the cells and fill in each"
        )
        findings.fault((table.position, top, left), Fault("merged-cells", text, table.title, top))


def _remark_hidden(table: Table, findings: Findings) -> None:
    """Say once a tab which hidden rows count all the same."""
    hidden = [number for number, _ in table.rows if number in table.tab.hidden_rows]
    if hidden:
        one = len(hidden) == 1
        rows = ("row " if one else "rows ") + _spans(hidden)
        text = f"{table.tab.title}: {rows} {'is' if one else 'are'} hidden and will count"
        spot = (table.position, hidden[0], 0)
        findings.remark(spot, Remark("hidden-rows", text, table.title, hidden[0]))


def _spans(numbers: list[int]) -> str:
    """Write rising numbers as spans: ``3, 5-9``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
