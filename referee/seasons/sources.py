"""Where many matches come from: workbooks, records and archives, named one by one or by folder."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from referee.match.archives import is_archive, is_record, read_lines
from referee.match.faults import RefereeError, Unavailable, visible
from referee.sheets import is_google


class Source(msgspec.Struct, frozen=True):
    """One match to look at: ``line`` is its record's JSON, None for the workbook at ``place``.

    ``error`` is why there is none: the file could not be read, or not to its end.
    """

    place: str
    name: str
    line: bytes | None = None
    error: RefereeError | None = None


def is_many(place: str) -> bool:
    """Whether a name stands for more than one match: a folder or an archive."""
    return is_archive(place) or Path(place).is_dir()


def sources(places: Iterable[str]) -> Iterator[Source]:
    """Yield every match of some places, in their order; a folder's files by their paths.

    What cannot be read stands in its place as an error, and the rest follows.
    """
    for place in places:
        if place == "-" or not Path(place).is_dir():
            yield from _of_one(place)
            continue
        found = files_of(Path(place))
        for path in found:
            yield from _of_one(str(path))
        if not found:
            text = f"{visible(place)}: the folder holds no workbook, record or archive"
            yield Source(place, place, error=Unavailable(text))


def files_of(folder: Path) -> list[Path]:
    """Return the workbooks, records and archives of a folder and those in it, by path.

    Left out are hidden files and what a spreadsheet program keeps beside an open workbook.
    """
    found = [
        path
        for path in folder.rglob("*")
        if _is_match(path.name)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    ]
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _is_match(name: str) -> bool:
    if name.startswith("~$"):
        return False
    return name.lower().endswith(".xlsx") or is_record(name) or is_archive(name)


def _of_one(place: str) -> Iterator[Source]:
    if place.lower().endswith(".xlsx") or is_google(place):
        yield Source(place, place)
        return
    try:
        for number, line in enumerate(read_lines(place), 1):
            name = f"{Path(place).name} line {number}" if is_archive(place) else place
            yield Source(place, name, line)
    except RefereeError as error:
        yield Source(place, place, error=error)
