"""The order in which a name's characters are drawn: right-to-left scripts among others.

Unicode's annex 9 for what names need: one line, no explicit embeddings (their control characters
are ignored). Terminals and Discord do this themselves; only pictures draw their own letters.
"""

import unicodedata
from typing import NamedTuple

_RIGHT = ("R", "AL")
_NUMBERS = ("EN", "AN")


class Run(NamedTuple):
    """A stretch of text in one direction, its characters still in the order of reading."""

    text: str
    right_to_left: bool


def visual_runs(text: str) -> list[Run]:
    """Return the text's runs from left to right as they are drawn (annex 9, P2 to L2)."""
    levels = _levels(text)
    runs: list[tuple[int, int, int]] = []
    for position, level in enumerate(levels):
        if runs and runs[-1][2] == level:
            runs[-1] = (runs[-1][0], position + 1, level)
        else:
            runs.append((position, position + 1, level))
    return [
        Run(text[first:end], right_to_left=bool(level % 2))
        for first, end, level in _reordered(runs)
    ]


def _levels(text: str) -> list[int]:
    directions = map(unicodedata.bidirectional, text)
    first = next((kind for kind in directions if kind == "L" or kind in _RIGHT), "L")
    base = "R" if first in _RIGHT else "L"
    kinds = _kinds(text, base)
    _settle_neutrals(kinds, base)
    if base == "R":
        return [1 if kind == "R" else 2 for kind in kinds]
    return [{"L": 0, "R": 1}.get(kind, 2) for kind in kinds]


def _kinds(text: str, base: str) -> list[str]:
    """Return each character's kind as L, R, a number, or nothing for a neutral one (W1 to W7)."""
    kinds: list[str] = []
    strong = base
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind == "NSM" and kinds:
            kinds.append(kinds[-1])
            continue
        if kind in _RIGHT or kind == "L":
            strong = "L" if kind == "L" else "R"
            kinds.append(strong)
        elif kind in _NUMBERS:
            kinds.append("L" if kind == "EN" and strong == "L" else "AN")
        else:
            kinds.append("")
    return kinds


def _settle_neutrals(kinds: list[str], base: str) -> None:
    """Give neutral characters the direction on both their sides, else the text's own (N1, N2)."""
    before = base
    position = 0
    while position < len(kinds):
        if kinds[position]:
            before = "L" if kinds[position] == "L" else "R"
            position += 1
            continue
        end = position
        while end < len(kinds) and not kinds[end]:
            end += 1
        after = base if end == len(kinds) else ("L" if kinds[end] == "L" else "R")
        kinds[position:end] = [before if before == after else base] * (end - position)
        position = end


def _reordered(runs: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Reverse what is at each level or deeper, from the deepest level down to 1 (L2)."""
    ordered = list(runs)
    for level in range(max((run[2] for run in runs), default=0), 0, -1):
        position = 0
        while position < len(ordered):
            end = position
            while end < len(ordered) and ordered[end][2] >= level:
                end += 1
            ordered[position:end] = reversed(ordered[position:end])
            position = max(end, position + 1)
    return ordered
