"""An empty match workbook laid out in an empty spreadsheet, from the declarative template."""

from collections.abc import Iterator
from typing import Final

from referee.match.faults import quoted
from referee.stores.google.reading import Obj, Seen, Sheet, is_filled
from referee.stores.google.requests import (
    PLAYER_WIDTH,
    colour_style,
    column_widths,
    free_id,
    header_look,
    mark,
    typed,
)
from referee.stores.google.seal import protection
from referee.workbook import layout
from referee.workbook.layout import Column, Layout, TabLayout
from referee.workbook.settings import SettingRow

_MOST_PLAYERS: Final = 6
_MOST_HUNGER: Final = 10
_ROWS_OF_OWNED: Final = 100
_TYPES: Final = {"@": "TEXT", "0": "NUMBER"}
_SHOWN: Final = ("title", "tabColorStyle")
_GRID: Final = ("rowCount", "columnCount", "frozenRowCount")
_NUMBER_FORMAT: Final = "userEnteredFormat.numberFormat"
_WARNING_COLOUR: Final = "#FCE8B2"
_SCALE: Final = (
    ("minpoint", 0, "#F4B6B0"),
    ("midpoint", _MOST_HUNGER // 2, _WARNING_COLOUR),
    ("maxpoint", _MOST_HUNGER, "#B7E1CD"),
)


class NewMatch:
    """The template's tabs, as a step of writing."""

    def __init__(self) -> None:
        self._plan = layout.load()

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:  # noqa: ARG002  as the step says
        """Return the parts of the batch. The first tab takes over one of the blank tabs."""
        plan = self._plan
        taken = {sheet.sheet_id for sheet in seen.sheets}
        blank = {sheet.title.casefold(): sheet for sheet in seen.sheets}
        places: dict[str, tuple[int, Sheet | None]] = {}
        for tab in plan.laid_out:
            reused = blank.pop(tab.title.casefold(), None)
            sheet_id = free_id(tab.title, taken) if reused is None else reused.sheet_id
            taken.add(sheet_id)
            places[tab.title] = sheet_id, reused
        first = plan.laid_out[0].title
        if places[first][1] is None and blank:
            reused = next(iter(blank.values()))
            places[first] = reused.sheet_id, reused
        requests: list[Obj] = []
        for index, tab in enumerate(plan.laid_out):
            sheet_id, reused = places[tab.title]
            requests.append(_grid(plan, tab, sheet_id, None if reused is not None else index))
        # The drop-downs of one tab name another, so that all of them have to be there before.
        for tab in plan.laid_out:
            requests += _contents(plan, tab, places[tab.title][0])
        return requests

    def is_done(self, seen: Seen) -> bool:
        """Whether every tab of the template stands there with its header and its mark."""
        by_title = {sheet.title: sheet.tab for sheet in seen.sheets}
        return all(
            (there := by_title.get(tab.title)) is not None
            and there.rows[:1] == [list(tab.header)]
            and there.owned == (tab.owner == "referee")
            for tab in self._plan.laid_out
        )

    def is_untouched(self, seen: Seen) -> bool:
        """Whether the template's tabs stand there, whole, and nothing besides."""
        plan = self._plan
        titles = [row.title for row in plan.settings_rows]
        return self.is_done(seen) and all(
            sheet.is_grid
            and [row[:1] for row in sheet.tab.rows[1:]]
            == ([[title] for title in titles] if sheet.title == "Settings" else [])
            and not any(is_filled(sheet.cell(row, 2)) for row in range(2, len(titles) + 2))
            for sheet in seen.sheets
        )

    def overtaken(self, before: Seen, after: Seen) -> str | None:  # noqa: ARG002  as the step says
        """Return what somebody else wrote into the spreadsheet that was empty."""
        there = contents(after)
        return None if there is None else f"{there} was written by somebody else at the same time"


def contents(seen: Seen) -> str | None:
    """Return what keeps a spreadsheet from being empty: a tab with anything in it."""
    for sheet in seen.sheets:
        if not sheet.is_grid or sheet.tab.rows or any("userEnteredValue" in c for c in _all(sheet)):
            return f"the tab {quoted(sheet.title)}"
    return None


def _all(sheet: Sheet) -> Iterator[Obj]:
    for row in sheet.cells:
        yield from row


def _grid(plan: Layout, tab: TabLayout, sheet_id: int, index: int | None) -> Obj:
    """Return the request for the tab itself: added at a place, or a blank one taken over."""
    if tab.owner == "referee":
        rows = _ROWS_OF_OWNED
    elif tab.title == "Settings":
        rows = len(plan.settings_rows) + _ROWS_OF_OWNED // 4
    else:
        rows = plan.blank_rows + 1
    columns = len(tab.columns) + (_MOST_PLAYERS if tab.per_player else 0)
    properties: Obj = {
        "sheetId": sheet_id,
        "title": tab.title,
        "tabColorStyle": colour_style(plan.colour(tab)),
        "gridProperties": {"rowCount": rows, "columnCount": columns, "frozenRowCount": 1},
    }
    if index is not None:
        return {"addSheet": {"properties": properties | {"index": index}}}
    fields = ",".join((*_SHOWN, *(f"gridProperties.{name}" for name in _GRID)))
    return {"updateSheetProperties": {"properties": properties, "fields": fields}}


def _contents(plan: Layout, tab: TabLayout, sheet_id: int) -> Iterator[Obj]:
    widths = [column.width for column in tab.columns]
    widths += [PLAYER_WIDTH] * (_MOST_PLAYERS if tab.per_player else 0)
    yield from column_widths(sheet_id, widths)
    yield header_look(sheet_id, plan.colour(tab))
    yield _header(tab, sheet_id)
    if tab.owner == "referee":
        yield protection(sheet_id)
        yield mark(sheet_id, tab.title)
        yield from _signals(tab, sheet_id)
    elif tab.title == "Settings":
        yield from _settings(plan, sheet_id)
    else:
        for index, column in enumerate(tab.columns):
            area = _area(sheet_id, index, plan.blank_rows + 1)
            if (shown := _number_format(plan, column.kind)) is not None:
                cell = {"userEnteredFormat": {"numberFormat": shown}}
                yield {"repeatCell": {"range": area, "cell": cell, "fields": _NUMBER_FORMAT}}
            if column.drop_down is not None:
                yield _validation(area, _drop_down(plan, column))


def _header(tab: TabLayout, sheet_id: int) -> Obj:
    cells = [typed(column.name) | _note(column.help) for column in tab.columns]
    if tab.owner == "referee":
        cells[0] |= _note(f"{tab.help} The referee writes this tab whole.")
    start = {"sheetId": sheet_id, "rowIndex": 0, "columnIndex": 0}
    rows = [{"values": cells}]
    return {"updateCells": {"start": start, "rows": rows, "fields": "userEnteredValue,note"}}


def _note(text: str) -> Obj:
    return {"note": text} if text else {}


def _area(sheet_id: int, column: int, end: int, start: int = 1) -> Obj:
    """Return a column's cells from one row to before another, all counted from 0."""
    rows = {"startRowIndex": start, "endRowIndex": end}
    return {"sheetId": sheet_id, **rows, "startColumnIndex": column, "endColumnIndex": column + 1}


def _number_format(plan: Layout, kind: str) -> Obj | None:
    pattern = plan.formats.get(kind)
    if pattern is None:
        return None
    type_ = _TYPES.get(pattern, "DATE_TIME")
    return {"type": type_} if type_ == "TEXT" else {"type": type_, "pattern": pattern}


def _settings(plan: Layout, sheet_id: int) -> Iterator[Obj]:
    rows = []
    for row in plan.settings_rows:
        shown = _number_format(plan, "text" if row.kind == "zone" else row.kind)
        value = {} if shown is None else {"userEnteredFormat": {"numberFormat": shown}}
        rows.append({"values": [typed(row.title), value, typed(row.help)]})
    start = {"sheetId": sheet_id, "rowIndex": 1, "columnIndex": 0}
    fields = f"userEnteredValue,{_NUMBER_FORMAT}"
    yield {"updateCells": {"start": start, "rows": rows, "fields": fields}}
    look = {"wrapStrategy": "WRAP", "verticalAlignment": "TOP", "textFormat": {"italic": True}}
    names = ",".join(f"userEnteredFormat.{name}" for name in look)
    area = _area(sheet_id, 2, len(rows) + 1)
    cell = {"userEnteredFormat": look}
    fields = names.replace("textFormat", "textFormat.italic")
    yield {"repeatCell": {"range": area, "cell": cell, "fields": fields}}
    for number, row in enumerate(plan.settings_rows, 1):
        if (rule := _setting_rule(row)) is not None:
            yield _validation(_area(sheet_id, 1, number + 1, number), rule)


def _setting_rule(row: SettingRow) -> Obj | None:
    if row.kind == "choice":
        return _one_of(row.choices) | {"strict": True}
    if row.kind == "whole":
        least = [{"userEnteredValue": str(row.least)}]
        message = f"A whole number, at least {row.least}"
        condition = {"type": "NUMBER_GREATER_THAN_EQ", "values": least}
        return {"condition": condition, "inputMessage": message, "strict": True}
    return None


def _drop_down(plan: Layout, column: Column) -> Obj:
    if column.drop_down == "players":
        names = [{"userEnteredValue": f"=Players!$A$2:$A${_MOST_PLAYERS + 1}"}]
        rule: Obj = {"condition": {"type": "ONE_OF_RANGE", "values": names}, "showCustomUi": True}
    else:
        rule = _one_of(plan.words(column.drop_down) if column.drop_down else ())
    return rule | {"strict": column.strict, "inputMessage": column.help}


def _one_of(words: tuple[str, ...]) -> Obj:
    values = [{"userEnteredValue": word} for word in words]
    return {"condition": {"type": "ONE_OF_LIST", "values": values}, "showCustomUi": True}


def _validation(area: Obj, rule: Obj) -> Obj:
    return {"setDataValidation": {"range": area, "rule": rule}}


def _signals(tab: TabLayout, sheet_id: int) -> Iterator[Obj]:
    """Yield what lets a host see which pigs are close to starving, and what to look at."""
    area: Obj = {"sheetId": sheet_id, "startRowIndex": 1}
    if tab.title == "Hunger":
        scale = {
            name: {"colorStyle": colour_style(colour), "type": "NUMBER", "value": str(value)}
            for name, value, colour in _SCALE
        }
        rule: Obj = {"ranges": [area | {"startColumnIndex": 1}], "gradientRule": scale}
    elif tab.title == "Notices":
        formula = [{"userEnteredValue": '=$A2="warning"'}]
        warning = {
            "condition": {"type": "CUSTOM_FORMULA", "values": formula},
            "format": {"backgroundColorStyle": colour_style(_WARNING_COLOUR)},
        }
        rule = {"ranges": [area], "booleanRule": warning}
    else:
        return
    yield {"addConditionalFormatRule": {"rule": rule, "index": 0}}
