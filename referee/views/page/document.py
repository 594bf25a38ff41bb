"""The page as one HTML file that needs and loads nothing else.

Scripts and styles are inlined at build time and allowed by their hashes; the match is data, with
every ``<`` escaped, so that no name can end it; the scripts only ever turn it into text.
"""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

import msgspec

from referee.version import __version__
from referee.views.glyphs import FOOD_BOWL, PIG
from referee.views.hexagons import PLACES
from referee.views.page.model import Page

_FOLDER: Final = Path(__file__).parent


def write_document(page: Page) -> bytes:
    """Return a page as an HTML file's bytes; the same page gives the same bytes."""
    parts = _parts(page)
    script = "\n".join(_asset(f"{name}.js") for name in ("dom", "pen", "standings", *parts, "page"))
    style = "\n".join(_asset(f"{name}.css") for name in ("page", *parts))
    slots = {
        "policy": _policy(script, style),
        "version": __version__,
        "title": escape(page.name),
        "style": style,
        "pig": PIG,
        "food": FOOD_BOWL,
        "parts": "\n".join(_asset(f"{part}.html") for part in parts),
        "match": _data(page),
        "script": script,
    }
    pieces = _asset("page.html").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        slot, _, text = piece.partition("}}")
        filled += (slots[slot], text)
    # Half an emoji in a title is no character of any encoding; a reference to it is.
    return "".join(filled).encode("utf-8", "xmlcharrefreplace")


def _parts(page: Page) -> tuple[str, ...]:
    """Return the parts, each of HTML, script and style, that this page has data for."""
    hunger = () if page.hunger is None else ("hunger",)
    return ("room", *hunger, "notices") if page.kind == "host" else hunger


def _asset(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


def _data(page: Page) -> str:
    data = msgspec.to_builtins(page)
    data["cells"] = {cell: list(place) for cell, place in PLACES.items()}
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _policy(script: str, style: str) -> str:
    """Return the page's policy: this script, this style, nothing from anywhere, no text as HTML."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_source(script)}",
            f"style-src {_source(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
