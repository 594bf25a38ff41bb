"""The pen as a picture: SVG, and PNG drawn from that very SVG (R1.1, R6.5).

Everything is an outline, letters too, so a picture looks the same wherever it is opened; resvg
promises the same pixels on every machine. It has a panel of its own behind it, for dark and light
Discord alike, and is laid out to be read at the width of a phone.
"""

from collections.abc import Iterator, Mapping
from html import escape
from math import hypot
from pathlib import Path
from typing import Final, NamedTuple

from referee.match.faults import WrongUsage, quoted
from referee.match.record import FOOD
from referee.stores.file_safety import write_file
from referee.views.glyphs import FOOD_BOWL, PIG
from referee.views.graphemes import clusters, printable
from referee.views.hexagons import PLACES, ROWS, WIDTH, Move, in_order, moves
from referee.views.lettering import Lettering, lettering

SUFFIXES: Final = (".png", ".svg")

# Lengths are in pixels of the picture; a phone shows about a third of them.
_HALF: Final = 156
_SIDE: Final = 180
_PITCH: Final = 270
_MARGIN: Final = 36
_CAPTION: Final = 92
_ACROSS: Final = WIDTH * _HALF + 2 * _MARGIN
_DOWN: Final = (ROWS - 1) * _PITCH + 2 * _SIDE + 2 * _MARGIN

_PANEL: Final = "#fbf4e6"
_RING: Final = "#f0dcb8"
_CENTRE: Final = "#e2c890"
_FENCE: Final = "#8a5a2b"
_INK: Final = "#2d1b0e"
_FAINT_INK: Final = "#7a5330"
_PIG_ARROW: Final = "#b3265e"
_FOOD_ARROW: Final = "#23702c"

_NAME_SIZES: Final = (48, 42, 36)
_NAME_ROOM: Final = 2 * _HALF - 36
_SECOND_LINE_ROOM: Final = 216
_HALO: Final = 10
_LONGEST_NAME: Final = 80
"""Clusters of a name looked at; no more can ever fit."""


class _Point(NamedTuple):
    x: float
    y: float


def pen_svg(
    pen: Mapping[str, str | None],
    *,
    before: Mapping[str, str | None] | None = None,
    tokens: Mapping[str, str] | None = None,
    caption: str = "",
) -> str:
    """Return the pen as an SVG document; the same arguments give the same text.

    ``before`` is the pen of the round before: each token that stands elsewhere now gets an arrow
    from its old cell to its new one. ``tokens`` are the players' own tokens, drawn as badges,
    ``caption`` a line above the pen. Any text can be drawn.
    """
    moved = moves(before, pen) if before is not None else ()
    top = _MARGIN + (_CAPTION if caption.strip() else 0)
    height = _DOWN + top - _MARGIN
    centres = {
        cell: _Point(_MARGIN + place.across * _HALF, top + _SIDE + place.row * _PITCH)
        for cell, place in PLACES.items()
    }
    parts = [
        _svg_tag(height),
        f"<title>{escape(_described(pen, moved, caption))}</title>",
        f'<clipPath id="cell"><path d="{_hexagon(-8)}"/></clipPath>',
        f'<rect width="{_ACROSS}" height="{height}" rx="32" fill="{_PANEL}"/>',
    ]
    if caption.strip():
        parts += _caption(caption)
    parts += (_cell_ground(cell, centre) for cell, centre in centres.items())
    parts += (_arrow(move, centres) for move in moved)
    for cell, token in in_order(pen):
        parts += _cell_contents(cell, centres[cell], token, (tokens or {}).get(token or "", ""))
    return "\n".join([*parts, "</svg>", ""])


def _svg_tag(height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_ACROSS}" height="{height}" '
        f'viewBox="0 0 {_ACROSS} {height}" role="img">'
    )


def pen_png(svg: str) -> bytes:
    """Return an SVG of this module as a PNG file's bytes, without looking at any system font."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def write_picture(
    path: Path,
    pen: Mapping[str, str | None],
    *,
    before: Mapping[str, str | None] | None = None,
    tokens: Mapping[str, str] | None = None,
    caption: str = "",
) -> None:
    """Write the pen as `pen_svg` draws it into a file: .svg or .png, by its name's ending.

    Raises `WrongUsage` for another ending, `Unavailable` where the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise WrongUsage(
            f"a picture's file must end in {' or '.join(SUFFIXES)}, not {quoted(path.name)}"
        )
    svg = pen_svg(pen, before=before, tokens=tokens, caption=caption)
    write_file(path, pen_png(svg) if suffix == ".png" else svg.encode(), keep_old=False)


def _described(pen: Mapping[str, str | None], moved: tuple[Move, ...], caption: str) -> str:
    """Return the picture in words, for readers who cannot see it."""
    stands = ", ".join(f"{cell}: {token or 'empty'}" for cell, token in in_order(pen))
    went = "".join(f"; {move.token} moved from {move.old} to {move.new}" for move in moved)
    return printable(f"{caption.strip()} – {stands}{went}".removeprefix(" – "))


def _hexagon(grown: int = 0) -> str:
    half, side = _HALF + grown, _SIDE + grown
    low = side / 2
    return (
        f"M0,{-side}L{half},{_number(-low)}L{half},{_number(low)}"
        f"L0,{side}L{-half},{_number(low)}L{-half},{_number(-low)}Z"
    )


def _cell_ground(cell: str, centre: _Point) -> str:
    fill = _CENTRE if cell == "D" else _RING
    return (
        f'<path transform="translate({centre.x} {centre.y})" d="{_hexagon()}" fill="{fill}" '
        f'stroke="{_FENCE}" stroke-width="7" stroke-linejoin="round"/>'
    )


def _cell_contents(cell: str, centre: _Point, token: str | None, badge: str) -> Iterator[str]:
    # The clip keeps piled-up accents inside their cell.
    yield f'<g transform="translate({centre.x} {centre.y})" clip-path="url(#cell)">'
    halo = _CENTRE if cell == "D" else _RING
    yield _text(lettering(cell), 44, _Point(0, -104), _FAINT_INK, halo)
    lines = [] if token is None else _name_lines(token)
    if token == FOOD:
        yield f'<g transform="translate(0 -8) scale(58)">{FOOD_BOWL}</g>'
    elif token is not None:
        yield f'<g transform="translate(0 -20) scale(58)">{PIG}</g>'
        yield from _badge(badge, 14 if len(lines) < 2 else -12)
    for line, size, baseline in lines:
        yield _text(line, size, _Point(0, baseline), _INK, halo)
    yield "</g>"


def _badge(token: str, down: int) -> Iterator[str]:
    """Draw a player's own token beside the pig, where it is as short as a token should be.

    ``down`` is its middle; above a name of two lines it stands higher.
    """
    line = lettering(token.strip())
    if not line.outlines or line.width > 2.7:
        return
    size = min(46.0, 58 / line.width)
    yield f'<circle cx="78" cy="{down}" r="36" fill="{_PANEL}" stroke="{_FENCE}" stroke-width="4"/>'
    yield _text(line, size, _Point(78, down + 0.36 * size), _INK)


def _name_lines(name: str) -> list[tuple[Lettering, float, float]]:
    """Return a name's lines with their size and baseline: smaller, then two lines, then cut."""
    short = "".join(clusters(name.strip())[:_LONGEST_NAME])
    whole = lettering(short)
    for size in _NAME_SIZES:
        if whole.width * size <= _NAME_ROOM and short == name.strip():
            return [(whole, size, 84)]
    size = _NAME_SIZES[-1]
    first, rest = _broken(short, size)
    if not rest:
        return [(lettering(_cut(short, _NAME_ROOM / size)), size, 84)]
    second = rest if short == name.strip() else f"{rest}…"
    return [
        (lettering(first), size, 66),
        (lettering(_cut(second, _SECOND_LINE_ROOM / size)), size, 104),
    ]


def _broken(name: str, size: float) -> tuple[str, str]:
    """Return as many words as fit a line, and the rest; both or only the first."""
    words = name.split()
    for count in range(len(words) - 1, 0, -1):
        first = " ".join(words[:count])
        if lettering(first).width * size <= _NAME_ROOM:
            return first, " ".join(words[count:])
    return name, ""


def _cut(text: str, room: float) -> str:
    """Return what of a text fits, at a size of 1, with an ellipsis if anything is missing."""
    if lettering(text).width <= room:
        return text
    kept = clusters(text)
    while kept and lettering("".join(kept).rstrip() + "…").width > room:
        kept.pop()
    return "".join(kept).rstrip() + "…"


def _caption(caption: str) -> Iterator[str]:
    line = lettering(_cut("".join(clusters(caption.strip())[:_LONGEST_NAME]), 27))
    size = min(52.0, (_ACROSS - 2 * _MARGIN) / max(line.width, 1))
    yield _text(line, size, _Point(_ACROSS / 2, _MARGIN + 46), _INK)


def _text(line: Lettering, size: float, at: _Point, ink: str, halo: str = "") -> str:
    """Return a centred line of outlines; the halo parts it from an arrow that passes below it."""
    left = at.x - line.width * size / 2
    drawn, glow = [], []
    for outline in line.outlines:
        x, y = _number(left + outline.x * size), _number(at.y - outline.y * size)
        scale = outline.scale * size
        path = (
            f'<path transform="translate({x} {y}) scale({_number(scale)} {_number(-scale)})" '
            f'd="{outline.path}"'
        )
        drawn.append(f"{path}/>")
        glow.append(f'{path} stroke-width="{_number(_HALO / scale)}"/>')
    ink_group = f'<g fill="{ink}">{"".join(drawn)}</g>'
    if not halo:
        return ink_group
    return f'<g fill="none" stroke="{halo}" stroke-linejoin="round">{"".join(glow)}</g>{ink_group}'


def _arrow(move: Move, centres: Mapping[str, _Point]) -> str:
    """Draw where a token went, bent to its right so that two that changed places stay apart."""
    old, new = centres[move.old], centres[move.new]
    across, down = new.x - old.x, new.y - old.y
    far = hypot(across, down)
    one = _Point(across / far, down / far)
    right = _Point(-one.y, one.x)
    if far < 2 * _HALF + 1:  # Neighbours: the arrow stays about their common fence.
        begin, bend, aside = 0.39 * far, 42.0, 28.0
        end = 0.67 * far
    elif far < 4 * _HALF - 1:  # It runs along the fence between the two cells that part them.
        begin, end, bend, aside = 108.0, far - 108, 34.0, 16.0
    else:  # It goes around the pig on D.
        begin, end, bend, aside = 110.0, far - 110, 200.0, 40.0
    start = _offset(old, one, begin, right, aside)
    tip = _offset(old, one, end, right, aside)
    control = _offset(old, one, far / 2, right, bend)
    return _arrow_path(start, control, tip, _FOOD_ARROW if move.token == FOOD else _PIG_ARROW)


def _offset(origin: _Point, one: _Point, along: float, right: _Point, aside: float) -> _Point:
    return _Point(
        origin.x + one.x * along + right.x * aside, origin.y + one.y * along + right.y * aside
    )


def _arrow_path(start: _Point, control: _Point, tip: _Point, colour: str) -> str:
    far = hypot(tip.x - control.x, tip.y - control.y)
    one = _Point((tip.x - control.x) / far, (tip.y - control.y) / far)
    right = _Point(-one.y, one.x)
    neck = _offset(tip, one, -34, right, 0)
    wings = (_offset(tip, one, -40, right, 27), _offset(tip, one, -40, right, -27))
    shaft = f"M{_at(start)}Q{_at(control)} {_at(neck)}"
    head = f"M{_at(tip)}L{_at(wings[0])}L{_at(neck)}L{_at(wings[1])}Z"
    return "".join(
        f'<path d="{shaft}" fill="none" stroke="{ink}" stroke-width="{15 + wider}" '
        f'stroke-linecap="round"/><path d="{head}" fill="{ink}" stroke="{ink}" '
        f'stroke-width="{3 + wider}" stroke-linejoin="round"/>'
        for ink, wider in ((_PANEL, 10), (colour, 0))
    )


def _at(point: _Point) -> str:
    return f"{_number(point.x)},{_number(point.y)}"


def _number(value: float) -> str:
    """Write a coordinate, short and the same on every machine."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
