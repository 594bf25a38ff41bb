"""A new match workbook as an .xlsx file, made from the declarative template.

Made with openpyxl, once in a match's life; the same template gives the same bytes.
"""

import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

from referee.stores.marks import mark_name
from referee.stores.xlsx.zip_package import LARGEST_ARCHIVE, Package
from referee.workbook import layout
from referee.workbook.cells import column_letters
from referee.workbook.layout import Column, Layout, TabLayout
from referee.workbook.settings import SettingRow

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.worksheet.worksheet import Worksheet

_NO_ARCHIVE: Final = b"PK\5\6" + bytes(18)
_FIRST_PARTS: Final = ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml")
_DATES: Final = re.compile(rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>")
_CHARACTERS_A_LINE: Final = 42
_HELP_WIDTH: Final = 90
_MOST_HUNGER: Final = 10
_MOST_PLAYERS: Final = 6
_PLAYER_WIDTH: Final = 14
_FONT: Final = "Calibri"


def new_workbook(time_zone: str = "") -> bytes:
    """Return an empty match workbook in a time zone, laid out for a host to fill in."""
    from openpyxl import Workbook

    plan = layout.load()
    book = Workbook()
    book.remove(book.worksheets[0])
    book.properties.creator = "referee"
    book.properties.title = plan.title
    for tab in plan.laid_out:
        sheet = book.create_sheet(tab.title)
        sheet.sheet_properties.tabColor = _rgb(plan.colour(tab))
        _columns(plan, tab, sheet)
        if tab.owner == "referee":
            _referee_tab(book, tab, sheet)
        elif tab.title == "Settings":
            _settings(plan, sheet, time_zone)
        else:
            _drop_downs(plan, tab, sheet)
    book.worksheets[0].sheet_view.tabSelected = True
    buffer = BytesIO()
    book.save(buffer)
    return _settled(buffer.getvalue())


def _columns(plan: Layout, tab: TabLayout, sheet: "Worksheet") -> None:
    """Lay out the headers, and the width and number format of every column."""
    from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
    from openpyxl.worksheet.properties import PageSetupProperties

    colour = _rgb(plan.colour(tab))
    head = {
        "font": Font(name=_FONT, size=11, bold=True),
        "fill": PatternFill("solid", fgColor=_pale(colour)),
        "border": Border(bottom=Side("medium", color=colour)),
        "alignment": Alignment(horizontal="left", vertical="center"),
    }
    for number, column in enumerate(tab.columns, 1):
        cell = sheet.cell(1, number, column.name)
        dimension = sheet.column_dimensions[column_letters(number)]
        dimension.width = column.width
        dimension.alignment = Alignment(horizontal="left")
        if tab.owner == "host":
            dimension.number_format = plan.number_format(column.kind)
            if column.help:
                cell.comment = _note(column.help)
    # The whole row looks like a header, so that columns added later do too.
    shown = [sheet.cell(1, number) for number in range(1, len(tab.columns) + 1)]
    for styled in (sheet.row_dimensions[1], *shown):
        for name, value in head.items():
            setattr(styled, name, value)
    sheet.row_dimensions[1].height = 20
    sheet.freeze_panes = "A2"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)


def _referee_tab(book: "Workbook", tab: TabLayout, sheet: "Worksheet") -> None:
    from openpyxl.styles import Alignment
    from openpyxl.workbook.defined_name import DefinedName

    name = mark_name(tab.title)
    book.defined_names[name] = DefinedName(name, attr_text=f"'{tab.title}'!$A$1", hidden=True)
    sheet["A1"].comment = _note(
        f"{tab.help} The referee writes this tab whole: whatever is typed here is replaced."
    )
    if tab.per_player:
        first = len(tab.columns) + 1
        for number in range(first, first + _MOST_PLAYERS):
            dimension = sheet.column_dimensions[column_letters(number)]
            dimension.width = _PLAYER_WIDTH
            dimension.alignment = Alignment(horizontal="left")
    _signals(tab, sheet)


def _signals(tab: TabLayout, sheet: "Worksheet") -> None:
    """Let a host see at a glance which pigs are close to starving, and what to look at."""
    from openpyxl.formatting.rule import ColorScale, FormatObject, Rule
    from openpyxl.styles import Color, PatternFill
    from openpyxl.styles.differential import DifferentialStyle

    if tab.title == "Hunger":
        stops = ((0, "F4B6B0"), (_MOST_HUNGER // 2, "FCE8B2"), (_MOST_HUNGER, "B7E1CD"))
        scale = ColorScale(
            cfvo=[FormatObject("num", value) for value, _ in stops],
            color=[Color(colour) for _, colour in stops],
        )
        sheet.conditional_formatting.add("B2:G101", Rule("colorScale", colorScale=scale))
    if tab.title == "Notices":
        look = DifferentialStyle(fill=PatternFill(bgColor="FCE8B2"))
        rule = Rule("expression", dxf=look, formula=['$A2="warning"'])
        sheet.conditional_formatting.add(f"A2:{column_letters(len(tab.columns))}1000", rule)


def _settings(plan: Layout, sheet: "Worksheet", time_zone: str) -> None:
    from openpyxl.styles import Alignment, Font, PatternFill

    for number, row in enumerate(plan.settings_rows, 2):
        sheet.cell(number, 1, row.title).alignment = Alignment(vertical="top")
        value = sheet.cell(number, 2, time_zone if row.kind == "zone" and time_zone else None)
        value.number_format = plan.number_format("text" if row.kind == "zone" else row.kind)
        value.alignment = Alignment(horizontal="left", vertical="top")
        value.fill = PatternFill("solid", fgColor="FFF9F0")
        note = sheet.cell(number, 3, row.help)
        note.font = Font(name=_FONT, size=11, color="666666", italic=True)
        note.alignment = Alignment(wrap_text=True, vertical="top")
        lines = -(-len(row.help) // _HELP_WIDTH)
        sheet.row_dimensions[number].height = 16 * lines
        _setting_check(row, sheet, value.coordinate)


def _setting_check(row: SettingRow, sheet: "Worksheet", place: str) -> None:
    from openpyxl.worksheet.datavalidation import DataValidation

    if row.kind == "choice":
        check = DataValidation(type="list", formula1=_listed(row.choices))
        check.error = f"One of: {', '.join(row.choices)}"
    elif row.kind == "whole":
        check = DataValidation(type="whole", operator="greaterThanOrEqual", formula1=str(row.least))
        check.error = f"A whole number, at least {row.least}"
    else:
        return
    check.errorTitle = row.title
    check.allowBlank = True
    check.showErrorMessage = True
    check.add(place)
    sheet.add_data_validation(check)


def _drop_downs(plan: Layout, tab: TabLayout, sheet: "Worksheet") -> None:
    from openpyxl.worksheet.datavalidation import DataValidation

    for number, column in enumerate(tab.columns, 1):
        if column.drop_down is None:
            continue
        offered = _offered(plan, column)
        check = DataValidation(
            type="list", formula1=offered, allowBlank=True, showErrorMessage=column.strict
        )
        if column.strict:
            check.errorTitle = column.name
            check.error = column.help[:250]
        letters = column_letters(number)
        check.add(f"{letters}2:{letters}{plan.blank_rows + 1}")
        sheet.add_data_validation(check)


def _offered(plan: Layout, column: Column) -> str:
    if column.drop_down == "players":
        return f"Players!$A$2:$A${_MOST_PLAYERS + 1}"
    return _listed(plan.words(column.drop_down)) if column.drop_down else ""


def _listed(words: tuple[str, ...]) -> str:
    return '"' + ",".join(words) + '"'


def _note(text: str) -> "Comment":
    from openpyxl.comments import Comment

    lines = len(text) // _CHARACTERS_A_LINE + 2
    return Comment(text, "referee", height=20 * lines, width=320)


def _rgb(colour: str) -> str:
    return colour.removeprefix("#")


def _pale(colour: str) -> str:
    """Return a tint of a colour light enough to write on."""
    parts = (int(colour[place : place + 2], 16) for place in (0, 2, 4))
    return "".join(f"{255 - (255 - part) * 2 // 5:02X}" for part in parts)


def _settled(data: bytes) -> bytes:
    """Return the archive with its parts in the usual order and without the time of day."""
    package = Package(data)
    names = package.names()
    order = [*_FIRST_PARTS, *(name for name in names if name not in _FIRST_PARTS)]
    parts = {name: package.read(name, LARGEST_ARCHIVE) for name in order}
    parts["docProps/core.xml"] = _DATES.sub(b"", parts["docProps/core.xml"])
    return Package(_NO_ARCHIVE).rebuilt(parts)
