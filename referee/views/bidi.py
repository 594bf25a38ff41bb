"""The order in which a name's characters are drawn: right-to-left scripts among others.

python-bidi works it out by Unicode's annex 9. Its stages are called one by one, as it would return
the characters turned round already, and HarfBuzz joins letters in the order of reading. Terminals
and Discord do this themselves; only pictures draw their own letters.
"""

from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

_IGNORED: Final = ("BN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Kinds of characters that show nothing; python-bidi would drop them, and joiners with them."""
_PLACE: Final = itemgetter("place")


class Run(NamedTuple):
    """A stretch of text in one direction, its characters still in the order of reading."""

    text: str
    right_to_left: bool


def visual_runs(text: str) -> list[Run]:
    """Return a line's runs from left to right as they are drawn."""
    # The library ships no types.
    from bidi import algorithm as annex9  # type: ignore[import-untyped]

    base = annex9.get_base_level(text)
    line: dict[str, Any] = annex9.get_empty_storage()
    line |= {"base_level": base, "base_dir": "LR"[base]}
    annex9.get_embedding_levels(text, line)
    for place, character in enumerate(line["chars"]):
        character["place"] = place
        character["type"] = character["type"] or "L"  # A character that Unicode has not got yet.
        if character["type"] in _IGNORED:
            character["type"] = "NSM"  # It goes where the character before it goes.
    annex9.explicit_embed_and_overrides(line)
    annex9.resolve_weak_types(line)
    annex9.resolve_neutral_types(line, debug=False)
    annex9.resolve_implicit_levels(line, debug=False)
    annex9.reorder_resolved_levels(line, debug=False)
    return [
        Run(
            "".join(text[place] for place in sorted(map(_PLACE, run))), right_to_left=level % 2 == 1
        )
        for level, run in groupby(line["chars"], itemgetter("level"))
    ]
