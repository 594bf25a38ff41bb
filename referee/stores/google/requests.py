"""The owned tabs as one ``spreadsheets.batchUpdate``: typed cells, and what a missing tab needs.

Every text goes as a ``stringValue``, which Google never parses: nothing can become a formula.

Each publication renews the seal (`seal`), so that one built on a sheet as it was before somebody
else wrote is refused as a whole.
"""

import zlib
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from referee.stores.google.reading import MARK, Obj, Seen, Sheet, mark_value
from referee.stores.google.seal import is_whole, protection, renewed
from referee.stores.owned_tabs import find_owned, read_back, same_cells
from referee.workbook import layout
from referee.workbook.cells import OwnedTab, Value

LONGEST_TITLE: Final = 100
LONGEST_TEXT: Final = 50_000
"""The most characters (UTF-16 units) Google takes in one cell."""

_CELL_FIELDS: Final = (
    "userEnteredValue,userEnteredFormat.numberFormat,userEnteredFormat.textFormat.link"
)
"""What is written of each cell. A number format left by a host would make a number a date, and
plain text that looks like an address may get a link of Google's own."""

_HEADER_FIELDS: Final = "userEnteredFormat.textFormat.bold,userEnteredFormat.backgroundColorStyle"
_HIGHEST_ID: Final = 2**31 - 1
PLAYER_WIDTH: Final = 14
"""Characters that a column headed by a player's name is wide."""
_PIXELS: Final = 8
"""Pixels a character takes in Google's standard font, with some room."""


class Place(msgspec.Struct, frozen=True):
    """Where an owned tab goes: the sheet that is there, None for a new one."""

    tab: OwnedTab
    sheet: Sheet | None

    @property
    def is_current(self) -> bool:
        """Whether the tab already stands where it belongs and holds just these cells."""
        if self.sheet is None or not self.sheet.is_marked:
            return False
        there = self.sheet.tab
        return not there.odd and same_cells(there.rows, read_back(self.tab.rows))


class Publication:
    """What publishing owned tabs takes, given the sheet as it was seen (a step of `writing`)."""

    def __init__(self, tabs: Sequence[OwnedTab]) -> None:
        self._tabs = tabs

    def is_done(self, seen: Seen) -> bool:
        """Whether the sheet holds all of it."""
        return all(place.is_current for place in places(seen, self._tabs))

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:
        """Return the parts of the batch. Raises `Stopped` where a host's tab is in the way."""
        found = places(seen, self._tabs)
        plan = layout.load()
        requests = renewed(seen) if sealed else []
        taken = {sheet.sheet_id for sheet in seen.sheets}
        for place in found:
            if place.sheet is None:
                sheet_id = free_id(place.tab.title, taken)
                taken.add(sheet_id)
                requests += new_owned_tab(plan, place.tab, sheet_id)
            else:
                sheet_id = place.sheet.sheet_id
                requests += _made_fit(place.sheet, place.tab)
            requests.append(_cells(sheet_id, place.tab))
        return requests

    def overtaken(self, before: Seen, after: Seen) -> str | None:
        """Return what somebody else did to the owned tabs between two looks."""
        old, new = places(before, self._tabs), places(after, self._tabs)
        for one, other in zip(old, new, strict=True):
            if _held(one) != _held(other):
                return (
                    f"the tab {one.tab.title} was changed at the same time, by another run of the "
                    "referee or by hand"
                )
        return None

    def owned_ids(self, seen: Seen) -> frozenset[int]:
        """Return the ids of the tabs this step writes."""
        found = places(seen, self._tabs)
        return frozenset(place.sheet.sheet_id for place in found if place.sheet is not None)


def _held(place: Place) -> object:
    return None if place.sheet is None else place.sheet.tab.rows


def places(seen: Seen, tabs: Sequence[OwnedTab]) -> list[Place]:
    """Find the sheet of each owned tab, by its mark.

    A sheet without a mark is taken over only where it has exactly the title and exactly the header
    of the owned tab, as after a way through a file, or exactly the title and nothing to lose.
    Raises `Stopped` where any other sheet stands under one of the titles, in any case.
    """
    found = find_owned(seen.sheets, tabs, _is_ours, _title_problem)
    return [Place(tab, sheet) for tab, sheet in zip(tabs, found, strict=True)]


def _is_ours(sheet: Sheet, tab: OwnedTab) -> bool:
    if sheet.title != tab.title or not sheet.is_grid:
        return False
    header, there = read_back(tab.rows[:1]), sheet.tab.rows
    if len(there) <= 1:  # empty, or a template's header, which has no players yet
        header = [row[: len(there[0])] for row in header] if there else []
    return same_cells(there[:1], header)


def _title_problem(title: str) -> str | None:
    if not title.strip():
        return "it is blank"
    if len(title) > LONGEST_TITLE:
        return f"it is longer than {LONGEST_TITLE} characters"
    return None


# --- parts of the batch ------------------------------------------------------------------------


def free_id(title: str, taken: set[int]) -> int:
    """Return an id for a new tab: two runs that add the same tab choose the same and collide."""
    number = zlib.crc32(title.encode("utf-8", "replace")) & _HIGHEST_ID
    while number in taken or not number:
        number = number % _HIGHEST_ID + 1
    return number


def new_owned_tab(plan: layout.Layout, tab: OwnedTab, sheet_id: int) -> list[Obj]:
    """Return what adds a tab of the referee's own, without its cells."""
    rows, columns = _size(tab)
    known = next((t for t in plan.owned_tabs if t.title == tab.title), None)
    widths = [column.width for column in known.columns] if known is not None else []
    widths += [PLAYER_WIDTH] * (columns - len(widths))
    grid = {"rowCount": max(rows, 2), "columnCount": columns, "frozenRowCount": 1}
    properties = {
        "sheetId": sheet_id,
        "title": tab.title,
        "gridProperties": grid,
        "tabColorStyle": colour_style(plan.referee_colour),
    }
    return [
        {"addSheet": {"properties": properties}},
        header_look(sheet_id, plan.referee_colour),
        *column_widths(sheet_id, widths),
        protection(sheet_id),
        mark(sheet_id, tab.title),
    ]


def _made_fit(sheet: Sheet, tab: OwnedTab) -> Iterator[Obj]:
    """Yield what an owned tab that exists still lacks before its cells are written."""
    rows, columns = _size(tab)
    sizes = {"rowCount": (rows, sheet.rows), "columnCount": (columns, sheet.columns)}
    grown = {name: needed for name, (needed, there) in sizes.items() if needed > there}
    if grown:
        properties = {"sheetId": sheet.sheet_id, "gridProperties": grown}
        fields = ",".join(f"gridProperties.{name}" for name in grown)
        yield {"updateSheetProperties": {"properties": properties, "fields": fields}}
    if sheet.tab.merges:
        yield {"unmergeCells": {"range": {"sheetId": sheet.sheet_id}}}
    if not any(is_whole(one) for one in sheet.protections):
        yield protection(sheet.sheet_id)
    if not sheet.is_marked:
        yield mark(sheet.sheet_id, tab.title)


def _size(tab: OwnedTab) -> tuple[int, int]:
    return max(len(tab.rows), 1), max(max(map(len, tab.rows), default=1), 1)


def _cells(sheet_id: int, tab: OwnedTab) -> Obj:
    """Return the request that writes a tab whole: what the rows do not cover is cleared."""
    rows = [{"values": [typed(value) for value in row]} for row in read_back(tab.rows)]
    return {"updateCells": {"range": {"sheetId": sheet_id}, "rows": rows, "fields": _CELL_FIELDS}}


def typed(value: Value) -> Obj:
    """Return a cell that holds a value as its own type, never as something to be parsed."""
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"userEnteredValue": {"boolValue": value}}
    if isinstance(value, str):
        return {"userEnteredValue": {"stringValue": value}}
    return {"userEnteredValue": {"numberValue": value}}


def mark(sheet_id: int, title: str) -> Obj:
    """Return the request that marks a tab as the referee's own, for every program to see."""
    entry = {
        "metadataKey": MARK,
        "metadataValue": mark_value(sheet_id, title),
        "visibility": "DOCUMENT",
        "location": {"sheetId": sheet_id},
    }
    return {"createDeveloperMetadata": {"developerMetadata": entry}}


def header_look(sheet_id: int, colour: str) -> Obj:
    """Return the request that makes a tab's first row look like a header."""
    look = {"textFormat": {"bold": True}, "backgroundColorStyle": colour_style(colour, pale=True)}
    area = {"sheetId": sheet_id, "startRowIndex": 0, "endRowIndex": 1}
    cell = {"userEnteredFormat": look}
    return {"repeatCell": {"range": area, "cell": cell, "fields": _HEADER_FIELDS}}


def column_widths(sheet_id: int, widths: Sequence[int]) -> Iterator[Obj]:
    """Yield the requests that make columns as wide as so many characters."""
    for index, width in enumerate(widths):
        place = {
            "sheetId": sheet_id,
            "dimension": "COLUMNS",
            "startIndex": index,
            "endIndex": index + 1,
        }
        wide = {"pixelSize": width * _PIXELS}
        yield {
            "updateDimensionProperties": {"range": place, "properties": wide, "fields": "pixelSize"}
        }


def colour_style(colour: str, *, pale: bool = False) -> Obj:
    """Return a colour ``#RRGGBB`` as Google has it; pale enough to write on if asked for."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    if pale:
        parts = [1 - (1 - part) * 0.4 for part in parts]
    return {"rgbColor": dict(zip(("red", "green", "blue"), parts, strict=True))}
