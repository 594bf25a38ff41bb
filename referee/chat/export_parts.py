"""Exports split into parts: all of them, or none.

DiscordChatExporter splits a large channel into ``chat.json``, ``chat [part 2].json`` and so on;
the first may be called ``chat [part 1].json`` too. With one part missing, what stands in it would
look as if it had never been written.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from referee.match.faults import Fault

_PART: Final = re.compile(r"(.*?) ?\[part ([0-9]{1,6})\]", re.DOTALL)


def missing_parts(paths: Sequence[Path]) -> list[Fault]:
    """Return a fault for each split export of which not every part is among ``paths``."""
    given: dict[tuple[Path, str, str], dict[int, str]] = {}
    for path in paths:
        stem, number = _part(path)
        given.setdefault((path.parent, stem, path.suffix), {})[number] = path.name
    return [
        fault
        for (folder, stem, suffix), parts in given.items()
        if (fault := _incomplete(parts, dict(_beside(folder, stem, suffix)), stem, suffix))
    ]


def _incomplete(
    parts: dict[int, str], beside: dict[int, str], stem: str, suffix: str
) -> Fault | None:
    last = max(*parts, *beside, 1)
    missing = [number for number in range(1, last + 1) if number not in parts]
    if not missing:
        return None
    lacks = ", ".join(
        f"{beside[number]} (which lies beside it)"
        if number in beside
        else _name(stem, number, suffix)
        for number in missing
    )
    named = " and ".join(parts[number] for number in sorted(parts))
    text = (
        f"{named}: an export in {last} parts or more, of which these were not named: {lacks}; "
        f"name every part, or move away those of an older export"
    )
    return Fault("missing-part", text)


def _part(path: Path) -> tuple[str, int]:
    """Return the name that all parts share, and which of them a file is; the first has none."""
    found = _PART.fullmatch(path.stem)
    return (path.stem, 1) if found is None else (found[1], int(found[2]))


def _name(stem: str, number: int, suffix: str) -> str:
    return f"{stem}{suffix}" if number == 1 else f"{stem} [part {number}]{suffix}"


def _beside(folder: Path, stem: str, suffix: str) -> Iterator[tuple[int, str]]:
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return
    for file in files:
        other, number = _part(file)
        if (other, file.suffix) == (stem, suffix):
            yield number, file.name
