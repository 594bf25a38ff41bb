"""Names as outlines: text set in the shipped fonts, the same on every machine.

No font of the system is ever looked at. HarfBuzz shapes the text (joined Arabic, Indic syllables,
emoji of several parts); what no shipped font holds is drawn as a box with its code point in it.
"""

import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from referee.views.bidi import visual_runs
from referee.views.graphemes import (
    EMOJI_STYLE,
    JOINER,
    TEXT_STYLE,
    clusters,
    is_invisible,
    printable,
)

_FONTS: Final = Path(__file__).parent / "fonts"
_FIRST: Final = ("NotoSans", "NotoEmoji", "DroidSansFallback")
"""Looked at first: Latin, Greek and Cyrillic; emoji; Han, kana and Hangul."""
_BOX_WIDTH: Final = 0.9
_BOX_HEIGHT: Final = 0.72


_Point = tuple[float, float]


class Outline(NamedTuple):
    """A path in SVG's words, to be shifted right by ``x``, and scaled by ``scale``, upwards."""

    path: str
    x: float
    y: float
    scale: float


class Lettering(NamedTuple):
    """A line of text set at a size of 1, its baseline at 0."""

    outlines: tuple[Outline, ...]
    width: float


@cache
def lettering(text: str) -> Lettering:
    """Set a line of text; any string can be set, nothing raises."""
    plain = unicodedata.normalize("NFC", printable(text))
    outlines: list[Outline] = []
    width = 0.0
    for run in visual_runs(plain):
        stretches = list(_by_font(run.text))
        for stretch, font in reversed(stretches) if run.right_to_left else stretches:
            drawn = (
                _boxes(stretch)
                if font is None
                else _shaped(stretch, font, right_to_left=run.right_to_left)
            )
            outlines += (outline._replace(x=outline.x + width) for outline in drawn.outlines)
            width += drawn.width
    return Lettering(tuple(outlines), width)


def _by_font(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield stretches of text with the font that holds them, None where there is none."""
    stretch, font = "", None
    for cluster in clusters(text):
        chosen = _font_for(cluster)
        if stretch and chosen != font:
            yield stretch, font
            stretch = ""
        stretch, font = stretch + cluster, chosen
    if stretch:
        yield stretch, font


@cache
def _font_for(cluster: str) -> str | None:
    needed = [character for character in cluster if not is_invisible(character)]
    as_emoji = EMOJI_STYLE in cluster or JOINER in cluster
    order = ("NotoEmoji", *_font_names()) if as_emoji else _font_names()
    if TEXT_STYLE in cluster:
        order = tuple(name for name in order if name != "NotoEmoji")
    return next((name for name in order if _holds(name, needed)), None)


@cache
def _font_names() -> tuple[str, ...]:
    shipped = sorted(path.stem for path in _FONTS.glob("*.ttf"))
    return (*_FIRST, *(name for name in shipped if name not in _FIRST))


def _holds(name: str, characters: list[str]) -> bool:
    font = _font(name)
    return all(font.get_nominal_glyph(ord(character)) for character in characters)


@cache
def _font(name: str) -> Any:
    import uharfbuzz as hb  # type: ignore[import-untyped]  # the library ships no types

    return hb.Font(hb.Face(hb.Blob.from_file_path(str(_FONTS / f"{name}.ttf"))))


def _shaped(text: str, name: str, *, right_to_left: bool) -> Lettering:
    import uharfbuzz as hb

    font = _font(name)
    buffer = hb.Buffer()
    buffer.add_str(text)
    buffer.direction = "rtl" if right_to_left else "ltr"
    buffer.guess_segment_properties()
    # The language would otherwise be the machine's own, and choose other shapes.
    buffer.language = "en"
    hb.shape(font, buffer)
    scale = 1 / font.face.upem
    outlines = []
    x = y = 0
    for info, position in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        path = _glyph_path(font, info.codepoint)
        if path:
            left, up = x + position.x_offset, y + position.y_offset
            outlines.append(Outline(path, left * scale, up * scale, scale))
        x += position.x_advance
        y += position.y_advance
    return Lettering(tuple(outlines), x * scale)


def _glyph_path(font: Any, glyph: int) -> str:
    pen = _Pen()
    font.draw_glyph_with_pen(glyph, pen)
    return "".join(pen.words)


class _Pen:
    """Takes down an outline as HarfBuzz tells it, in SVG's words."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def moveTo(self, to: _Point) -> None:  # noqa: N802 -- the protocol's name
        self._add("M", to)

    def lineTo(self, to: _Point) -> None:  # noqa: N802  the drawing protocol names its methods so
        self._add("L", to)

    # The drawing protocol names its methods so.
    def qCurveTo(self, *points: _Point) -> None:  # noqa: N802
        self._add("Q", *points)

    # The drawing protocol names its methods so.
    def curveTo(self, *points: _Point) -> None:  # noqa: N802
        self._add("C", *points)

    def closePath(self) -> None:  # noqa: N802  the drawing protocol names its methods so
        self.words.append("Z")

    def _add(self, letter: str, *points: _Point) -> None:
        self.words.append(letter + " ".join(f"{round(x)},{round(y)}" for x, y in points))


def _boxes(text: str) -> Lettering:
    """Draw a box for each character that no font holds, its code point inside in two rows."""
    outlines: list[Outline] = []
    width = 0.0
    for character in text:
        if is_invisible(character):
            continue
        outlines.append(Outline(_frame(), width, 0, 1 / 100))
        digits = f"{ord(character):04X}"
        half = (len(digits) + 1) // 2
        for row, part in ((0.4, digits[:half]), (0.07, digits[half:])):
            inner = _shaped(part, "NotoSans", right_to_left=False)
            size = 0.34
            left = width + (_BOX_WIDTH - inner.width * size) / 2
            outlines += (
                Outline(drawn.path, left + drawn.x * size, row, drawn.scale * size)
                for drawn in inner.outlines
            )
        width += _BOX_WIDTH
    return Lettering(tuple(outlines), width)


def _frame() -> str:
    """Return a box's frame as a path, in hundredths: outside one way round, inside the other."""
    left, right, top, line = 5, round(_BOX_WIDTH * 100) - 5, round(_BOX_HEIGHT * 100), 4
    return (
        f"M{left},0L{left},{top}L{right},{top}L{right},0Z"
        f"M{left + line},{line}L{right - line},{line}"
        f"L{right - line},{top - line}L{left + line},{top - line}Z"
    )
