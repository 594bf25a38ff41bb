"""The pen as seven hexagons of text, for terminals and code blocks (R1.1).

The lines are drawn with ASCII alone, which every terminal, font and encoding keeps at one column;
box-drawing slopes are not. Only names hold other characters, and of these only such as all
terminals give the same width: the rest is simplified inside the hexagon and told in full below.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from referee.views.graphemes import (
    EMOJI_STYLE,
    clusters,
    is_extender,
    is_flag_letter,
    is_invisible,
    isolated,
    printable,
)
from referee.views.hexagons import PLACES, ROWS, WIDTH, in_order

TERMINAL_COLUMNS: Final = 78
PHONE_COLUMNS: Final = 31
"""What a code block holds without wrapping on a narrow phone."""


class _Size(NamedTuple):
    """``half`` columns from a cell's centre to its wall, ``rise`` rows of slope, ``slope`` itself.

    ``slope`` is one row of it, from the apex to the right.
    """

    half: int
    rise: int
    slope: str

    @property
    def room(self) -> int:
        """The columns a name may take, a blank on either side."""
        return 2 * self.half - 3

    @property
    def columns(self) -> int:
        return WIDTH * self.half + 1


_SIZES: Final = (_Size(5, 1, "'-.__"), _Size(8, 2, "'-._"), _Size(12, 3, "'-._"))


def draw_pen(
    pen: Mapping[str, str | None],
    tokens: Mapping[str, str] | None = None,
    moved: Iterable[str] = (),
    *,
    columns: int = TERMINAL_COLUMNS,
    encoding: str = "utf-8",
    legend: bool = True,
) -> str:
    """Draw the pen, each cell with its letter, who stands there, and their token if it has room.

    ``moved`` names the tokens to mark with a star. The drawing takes the smallest size that holds
    every name and no more than ``columns`` (31 at least). With ``legend``, names that had to be
    shortened or simplified stand in full below, and the star is explained. What ``encoding`` cannot
    hold is shown as a question mark. Lines end with a newline only between them.
    """
    shown = {cell: steady(token or "") for cell, token in in_order(pen)}
    size = _size_for(shown.values(), columns)
    ellipsis = "…" if _fits_encoding("…", encoding) else "..."
    labels = {cell: shorten(name, size.room, ellipsis) for cell, name in shown.items()}
    stars = set(moved)
    badges = tokens or {}
    canvas = _Canvas(size, body=2 if size.rise == 1 or any(badges.values()) else 1)
    for cell, token in in_order(pen):
        canvas.outline(cell)
        lines = [cell + (" *" if token in stars else ""), labels[cell]]
        if token and size.rise > 1:
            lines.append(shorten(steady(badges.get(token, "")), size.room, ellipsis))
        canvas.write(cell, lines)
    text = canvas.text()
    if legend:
        text += _legend(pen, labels, stars)
    return text if _fits_encoding(text, encoding) else _reduced(text, encoding)


def cell_width(text: str) -> int:
    """Return how many columns of a terminal the text takes, code point by code point."""
    from rich.cells import cell_len

    return sum(0 if is_invisible(character) else cell_len(character) for character in text)


def _size_for(names: Iterable[str], columns: int) -> _Size:
    allowed = [size for size in _SIZES if size.columns <= columns] or [_SIZES[0]]
    # The small one is for phones: a terminal has room to breathe.
    usual = allowed[1:] or allowed
    widest = max(map(cell_width, names))
    return next((size for size in usual if size.room >= widest), usual[-1])


def steady(name: str) -> str:
    """Return the name without what terminals disagree about the width of."""
    composed = unicodedata.normalize("NFC", printable(name)).strip()
    return "".join(_steady_cluster(cluster) for cluster in clusters(composed))


def _steady_cluster(cluster: str) -> str:
    shown = [character for character in cluster if not is_invisible(character)]
    if not shown or is_extender(shown[0]):
        return ""  # A mark with nothing to stand on would take hold of the wall.
    first = shown[0]
    if is_flag_letter(first):
        return "".join(
            chr(ord(letter) - 0x1F1E6 + ord("A")) for letter in cluster if is_flag_letter(letter)
        )
    if unicodedata.category(first) == "So" or EMOJI_STYLE in cluster:
        # Skin tones, families and emoji style: two columns here, four or one there.
        return first
    return "".join(shown)


def shorten(text: str, room: int, ellipsis: str = "…") -> str:
    """Return what of a text fits into so many columns, with an ellipsis if anything is missing."""
    if cell_width(text) <= room:
        return text
    kept = ""
    for cluster in clusters(text):
        if cell_width(kept + cluster) + len(ellipsis) > room:
            break
        kept += cluster
    return kept.rstrip() + ellipsis


class _Canvas:
    """Rows of columns. A name's first column holds it whole, its other columns nothing."""

    def __init__(self, size: _Size, body: int) -> None:
        self.size = size
        self.pitch = size.rise + body
        height = ROWS * self.pitch + size.rise
        self.rows = [[" "] * size.columns for _ in range(height)]

    def outline(self, cell: str) -> None:
        """Draw a cell's two upper slopes, its walls and its two lower slopes."""
        size = self.size
        centre, top = self._corner(cell)
        for below in (0, self.pitch):
            # A lower slope is an upper one of the cells below, seen from their apex.
            for step in range(size.half):
                row, part = divmod(step, len(size.slope))
                mark = size.slope[part]
                for side in (-1, 1):
                    column = centre + (side * step if not below else side * (size.half - step))
                    self.rows[top + below + row][column] = mark
        for row in range(top + size.rise, top + self.pitch):
            for wall in (centre - size.half, centre + size.half):
                self.rows[row][wall] = "|"

    def write(self, cell: str, lines: Iterable[str]) -> None:
        """Write lines into a cell, centred; the first as high as the slopes leave room for it."""
        centre, top = self._corner(cell)
        first = top + max(self.size.rise - 1, 1)
        for row, line in enumerate(lines, first):
            width = cell_width(line)
            start = centre - width // 2
            if width:
                self.rows[row][start : start + width] = [isolated(line), *[""] * (width - 1)]

    def text(self) -> str:
        """Return the drawing, without blanks at line ends."""
        return "\n".join("".join(row).rstrip() for row in self.rows)

    def _corner(self, cell: str) -> tuple[int, int]:
        across, row = PLACES[cell]
        return across * self.size.half, row * self.pitch


def _legend(pen: Mapping[str, str | None], labels: Mapping[str, str], stars: set[str]) -> str:
    lines = [
        f"{cell}  {isolated(printable(token))}"
        for cell, token in in_order(pen)
        if token is not None and labels[cell] != unicodedata.normalize("NFC", printable(token))
    ]
    if not stars.isdisjoint(token for token in pen.values() if token is not None):
        lines.append("*  moved since the round before")
    return "".join(f"\n{line}" for line in lines)


def _fits_encoding(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _reduced(text: str, encoding: str) -> str:
    """Return the text in what the encoding has, each column kept."""
    return "".join(
        character if _fits_encoding(character, encoding) else "?" * cell_width(character)
        for character in text
    )
