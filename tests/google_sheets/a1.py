"""A1 notation: reading ``'My tab'!B2:D`` and writing it back as the service does."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CORNER = re.compile(r"\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,8})?$")
_R1C1 = re.compile(r"R(\d+)C(\d+)$", re.IGNORECASE)
_PLAIN_TITLE = re.compile(r"[^\W\d]\w*$")
_LIKE_A_CELL = re.compile(r"([A-Za-z]{1,3}\d+|R\d*(C\d*)?|C\d*)$", re.IGNORECASE)


@dataclass(frozen=True)
class Area:
    """Cells of a sheet, counted from 0, ends excluded; None: to the edge of the grid."""

    top: int = 0
    bottom: int | None = None
    left: int = 0
    right: int | None = None
    single: bool = False  # written as one cell: in a write only the place to start

    def within(self, rows: int, columns: int) -> Area:
        """The same area with its open and too far ends put at the edge of the grid."""
        bottom = rows if self.bottom is None else min(self.bottom, rows)
        right = columns if self.right is None else min(self.right, columns)
        return Area(self.top, bottom, self.left, right, self.single)

    @property
    def end_row(self) -> int:
        assert self.bottom is not None
        return self.bottom

    @property
    def end_column(self) -> int:
        assert self.right is not None
        return self.right

    def cells(self) -> list[tuple[int, int]]:
        rows, columns = range(self.top, self.end_row), range(self.left, self.end_column)
        return [(row, column) for row in rows for column in columns]

    def meets(self, other: Area) -> bool:
        return (
            self.top < _far(other.bottom)
            and other.top < _far(self.bottom)
            and self.left < _far(other.right)
            and other.left < _far(self.right)
        )

    def covers(self, other: Area) -> bool:
        return (
            self.top <= other.top
            and _far(other.bottom) <= _far(self.bottom)
            and self.left <= other.left
            and _far(other.right) <= _far(self.right)
        )


def _far(end: int | None) -> int:
    return 10**9 if end is None else end


def column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def column_letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def split(text: str) -> tuple[str | None, str | None]:
    """Tab and cells of a range text. Tab alone or cells alone leave the other None."""
    if text.startswith("'"):
        found = re.match(r"'((?:[^']|'')*)'(?:!(.*))?$", text, re.DOTALL)
        if not found:
            return None, None
        return found[1].replace("''", "'"), found[2]
    tab, mark, cells = text.rpartition("!")
    return (tab, cells) if mark else (None, text)


def cells(text: str) -> Area | None:
    """The area that a text such as ``A1``, ``B2:D``, ``2:3``, ``D4:A1`` or ``R1C1:R2C2`` names."""
    parts = text.split(":")
    if len(parts) > 2:
        return None
    corners = [_corner(part) for part in parts]
    if len(corners) == 1:
        first = corners[0]
        if first is None or None in first:
            return None
        row, column = first
        assert row is not None
        assert column is not None
        return Area(row, row + 1, column, column + 1, single=True)
    one, two = corners
    if one is None or two is None:
        return None
    rows = sorted(n for n in (one[0], two[0]) if n is not None)
    columns = sorted(n for n in (one[1], two[1]) if n is not None)
    if not rows and not columns:
        return None
    return Area(
        rows[0] if rows else 0,
        rows[1] + 1 if len(rows) == 2 else None,
        columns[0] if columns else 0,
        columns[1] + 1 if len(columns) == 2 else None,
    )


def _corner(text: str) -> tuple[int | None, int | None] | None:
    numbered = _R1C1.match(text)
    if numbered:
        return int(numbered[1]) - 1, int(numbered[2]) - 1
    found = _CORNER.match(text)
    if not found or not (found[1] or found[2]):
        return None
    row = int(found[2]) - 1 if found[2] else None
    return row, column_number(found[1]) if found[1] else None


def quoted(title: str) -> str:
    """A tab's title as it stands in a range: in quotes only where it could be read otherwise."""
    if _PLAIN_TITLE.match(title) and not _LIKE_A_CELL.match(title):
        return title
    return "'" + title.replace("'", "''") + "'"


def written(title: str, area: Area) -> str:
    """``Tab!A1:B2`` for an area with all its ends; ``Tab!A1`` for one cell."""
    return f"{quoted(title)}!{corners(area)}"


def corners(area: Area) -> str:
    """The area in letters and numbers, open ends left out as in ``A1001:B``."""
    first = f"{column_letters(area.left)}{area.top + 1}"
    last = column_letters(area.right - 1) if area.right is not None else ""
    last += str(area.bottom) if area.bottom is not None else ""
    return first if last in ("", first) else f"{first}:{last}"
