"""The Settings tab: the match's name, start and zone, how it is played, and a host's own names."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from referee.match.faults import Fault, quoted
from referee.match.instants import Instant
from referee.match.record import Settings
from referee.workbook.cells import Book, Value
from referee.workbook.draw_doubts import seed_doubt
from referee.workbook.findings import NO_PLACE, Findings, Remark
from referee.workbook.headers import Naming, Table
from referee.workbook.layout import Layout
from referee.workbook.message_ids import account_id
from referee.workbook.names import mended, nearest, tidy
from referee.workbook.settings import SettingRow, fold_setting, setting_rows
from referee.workbook.times import Times, UndatedError, settle
from referee.workbook.values import (
    CellError,
    is_blank,
    read_choice,
    read_text,
    read_whole,
    shown,
)
from referee.workbook.wall_clock import Clock, agree
from referee.workbook.zones import doubtful, find_zone, no_zone

TITLE: Final = "Settings"

Key = str | tuple[str, str]
"""A setting's key, or the tab and column that a host's own name stands for."""


class SettingsTab(msgspec.Struct, frozen=True):
    """What the tab says.

    ``start`` is None where it is blank or, with ``start_given``, faulty; ``dealer_role`` are ids
    and names of the Dealer's role, ``host_accounts`` account ids, as `import` uses them;
    ``commitment`` is what `deal` promised of the seed; ``rows`` are the sheet rows of the
    settings, by key.
    """

    name: str
    clock: Clock
    start: Instant | None
    start_given: bool
    settings: Settings
    namings: dict[tuple[str, str], Naming]
    rows: dict[str, int]
    dealer_role: tuple[str, ...] = ()
    host_accounts: tuple[str, ...] = ()
    commitment: str = ""


def read_settings(
    book: Book, layout: Layout, table: Table | None, findings: Findings
) -> SettingsTab:
    """Read the tab; what is wrong with it goes into ``findings``, defaults stand in for it."""
    reader = _Reader(book, layout, table, findings)
    clock = reader.clock()
    settings, commitment = reader.settings(), reader.text("commitment")
    reader.doubt_seed(settings, commitment)
    return SettingsTab(
        name=reader.name(),
        clock=clock,
        start=reader.start(clock),
        start_given=reader.filled("start") is not None,
        settings=settings,
        namings=reader.namings,
        rows={key: row for key, (row, _) in reader.cells.items()},
        dealer_role=reader.listed("dealer_role"),
        host_accounts=reader.host_accounts(),
        commitment=commitment,
    )


def _titles(layout: Layout) -> Iterator[tuple[str, Key]]:
    """List every title the tab may hold, with what it stands for."""
    for row in layout.settings_rows:
        yield row.title, row.key
    for tab in layout.tabs:
        if tab.title == TITLE:
            continue
        yield f"{tab.title} tab", (tab.title, "")
        for column in tab.columns if tab.owner == "host" else ():
            yield f"{tab.title} {column.name.lower()} column", (tab.title, column.name)


class _Reader:
    def __init__(self, book: Book, layout: Layout, table: Table | None, findings: Findings) -> None:
        self.book, self.table, self.findings = book, table, findings
        self.cells: dict[str, tuple[int, Value]] = {}
        self.namings: dict[tuple[str, str], Naming] = {}
        self._seen: dict[Key, int] = {}
        titles = list(_titles(layout))
        self._titles = [title for title, _ in titles]
        self._keys = {fold_setting(title): key for title, key in titles}
        if table is not None:
            setting, value = table.columns["Setting"], table.columns["Value"]
            for row, cells in table.rows:
                self._take(row, cells[setting], cells[value])

    def _fault(self, code: str, row: int, column: str, problem: str) -> None:
        if self.table is not None:
            self.findings.fault(*self.table.fault(code, row, column, problem))

    def _take(self, row: int, setting: Value, value: Value) -> None:
        """Note one row under the key of its setting."""
        try:
            title = read_text(setting)
        except CellError as error:
            self._fault("bad-setting", row, "Setting", str(error))
            return
        if is_blank(title):
            problem = f"{shown(value)} has no setting's name beside it; add it or clear the row"
            self._fault("bad-setting", row, "Setting", problem)
            return
        key = self._keys.get(fold_setting(title))
        if key is None:
            near = nearest(title, self._titles)
            problem = f"{quoted(title)} is no setting (nearest: {near}); correct or remove the row"
            self._fault("unknown-setting", row, "Setting", problem)
        elif key in self._seen:
            problem = (
                f"{quoted(title)} stands in row {self._seen[key]} already; keep one of the two"
            )
            self._fault("doubled-setting", row, "Setting", problem)
        else:
            self._seen[key] = row
            if isinstance(key, str):
                self.cells[key] = (row, value)
            elif not is_blank(value):
                self._name(key, row, value)

    def _name(self, key: tuple[str, str], row: int, value: Value) -> None:
        """Note a host's own title of a tab or header of a column."""
        try:
            text = read_text(value)
        except CellError as error:
            self._fault("bad-setting", row, "Value", str(error))
            return
        if self.table is not None:
            where = self.table.address(row, "Value")
            self.namings[key] = Naming(text, where, self.table.spot(row, "Value"))

    def filled(self, key: str) -> tuple[int, Value] | None:
        cell = self.cells.get(key)
        return None if cell is None or is_blank(cell[1]) else cell

    def name(self) -> str:
        """Return the match's name: the setting, or what the host calls the workbook."""
        cell = self.filled("name")
        if cell is None:
            # The same match in a file and in a sheet of that title has the same name.
            return mended(self.book.name.removesuffix(".xlsx"))
        try:
            return mended(tidy(read_text(cell[1])))
        except CellError as error:
            self._fault("bad-setting", cell[0], "Value", str(error))
            return ""

    def text(self, key: str) -> str:
        """Return a setting that is not the record's, empty where it is blank or faulty."""
        cell = self.filled(key)
        if cell is None:
            return ""
        try:
            return tidy(read_text(cell[1]))
        except CellError as error:
            self._fault("bad-setting", cell[0], "Value", str(error))
            return ""

    def doubt_seed(self, settings: Settings, commitment: str) -> None:
        """Remark on a seed that is not the one the players were promised (R7.3)."""
        doubt = seed_doubt(settings, commitment)
        cell = self.filled("tie_break_seed")
        if doubt is not None and cell is not None and self.table is not None:
            row = cell[0]
            text = f"{self.table.address(row, 'Value')}: {doubt}"
            remark = Remark("seed-not-committed", text, TITLE, row, severity="warning")
            self.findings.remark(self.table.spot(row, "Value"), remark)

    def clock(self) -> Clock:
        """Return the wall clock of the workbook: the setting's zone, else the spreadsheet's own."""
        cell = self.filled("time_zone")
        if cell is None:
            return self._own_clock()
        row, value = cell
        try:
            name = tidy(read_text(value))
        except CellError as error:
            self._fault("bad-time-zone", row, "Value", str(error))
            return Clock.utc()
        zone = find_zone(name)
        if zone is None:
            self._fault("bad-time-zone", row, "Value", no_zone(name, self._about()))
            return Clock.utc()
        own = self.book.time_zone
        spreadsheets = None if own is None else find_zone(own)
        if own is not None and (spreadsheets is None or not agree(zone, spreadsheets)):
            problem = (
                f"the Time zone here is {name}, the spreadsheet's own is {own}; "
                "make them the same, or leave this cell empty"
            )
            self._fault("two-time-zones", row, "Value", problem)
        self._remark_zone(row, name)
        return Clock(zone, name)

    def _remark_zone(self, row: int, name: str) -> None:
        """Remark on a zone that is there and may not be what its host means."""
        about = self._about()
        doubt = None if about is None else doubtful(name, about)
        if doubt is not None and self.table is not None:
            text = f"{self.table.address(row, 'Value')}: {doubt}"
            remark = Remark("doubtful-time-zone", text, TITLE, row)
            self.findings.remark(self.table.spot(row, "Value"), remark)

    def _about(self) -> Instant | None:
        """Return about when the match starts, its zone aside; None where that is not known."""
        cell = self.filled("start")
        if cell is None:
            return None
        try:
            return Times(Clock.utc()).read(cell[1], settle([cell[1]], self.book.locale))
        except (CellError, UndatedError):
            return None

    def _own_clock(self) -> Clock:
        own = self.book.time_zone
        if own is None:
            text = "Settings: no Time zone is set, so times without an offset are taken as UTC"
            self.findings.remark(NO_PLACE, Remark("no-time-zone", text, TITLE))
            return Clock.utc()
        zone = find_zone(own)
        if zone is None:
            text = f"Settings: the spreadsheet's own zone: {no_zone(own, self._about())}"
            self.findings.fault(NO_PLACE, Fault("bad-time-zone", text, TITLE))
            return Clock.utc()
        return Clock(zone, own)

    def start(self, clock: Clock) -> Instant | None:
        """Return the match's start, None where it is blank."""
        cell = self.filled("start")
        if cell is None:
            return None
        row, value = cell
        try:
            order = settle([value], self.book.locale)
            return Times(clock).read(value, order, on_the_minute=True)
        except CellError as error:
            self._fault("bad-time", row, "Value", str(error))
        except UndatedError:
            problem = f"{shown(value)} has no date; write it like 2026-11-29 20:00:00"
            self._fault("bad-time", row, "Value", problem)
        return None

    def settings(self) -> Settings:
        """Return how the match is played; a faulty value leaves the default."""
        values: dict[str, Any] = {}
        for setting in setting_rows():
            cell = self.filled(setting.key)
            if cell is None:
                continue
            try:
                values[setting.key] = _setting_value(setting, cell[1])
            except CellError as error:
                self._fault("bad-setting", cell[0], "Value", str(error))
        return Settings(**values)

    def listed(self, key: str) -> tuple[str, ...]:
        """Return the parts of a text with commas between; an id's digits have to be whole."""
        cell = self.filled(key)
        if cell is None:
            return ()
        try:
            text = read_text(cell[1])
        except CellError as error:
            self._fault("bad-setting", cell[0], "Value", str(error))
            return ()
        return tuple(part for part in map(tidy, text.split(",")) if part)

    def host_accounts(self) -> tuple[str, ...]:
        """Return the ids of the hosts' accounts."""
        key, found = "host_accounts", []
        for part in self.listed(key):
            if number := account_id(part):
                found.append(number)
            else:
                problem = f"{quoted(part)} is no Discord id; write ids, with commas between"
                self._fault("bad-setting", self.cells[key][0], "Value", problem)
        return tuple(found)


def _setting_value(setting: SettingRow, value: Value) -> int | str:
    """Return a setting's value; a text, such as a seed, is kept letter for letter."""
    if setting.kind == "whole":
        return read_whole(value, setting.least, setting.unit)
    if setting.kind == "choice":
        return read_choice(value, setting.choices)
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise CellError(
            value, " may not be what was typed; format the cell as plain text and type it anew"
        )
    text = read_text(value)
    if mended(text) != text:
        raise CellError(value, " holds half a character; type it anew")
    return text
