"""What a batchUpdate's request handlers work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import Obj, RequestError
from .model import Sheet, Spreadsheet, area_of
from .protection import guard

if TYPE_CHECKING:
    import datetime as dt

    from .a1 import Area
    from .views import Unclear


@dataclass
class Work:
    book: Spreadsheet
    caller: str
    now: dt.datetime
    unclear: Unclear

    def area(self, given: Obj | None) -> tuple[Sheet, Area]:
        """The tab and the area of a GridRange: starting in the grid, cut at its edges."""
        if given is None:
            raise RequestError("range is required.")
        sheet = self.book.grid_sheet(given.get("sheetId", 0))
        area = area_of(given)
        for name, start, end in (
            ("Row", area.top, area.bottom),
            ("Column", area.left, area.right),
        ):
            if start < 0 or (end is not None and end < start):
                text = f"range.end{name}Index[{end}] must be after range.start{name}Index[{start}]"
                raise RequestError(text)
        sheet.check_start(area)
        return sheet, sheet.clamped(area)

    def editable(self, given: Obj | None) -> tuple[Sheet, Area]:
        """The same, for cells about to be changed."""
        sheet, area = self.area(given)
        guard(self.book, sheet, area, self.caller)
        return sheet, area
