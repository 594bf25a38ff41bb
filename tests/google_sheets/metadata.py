"""Developer metadata: notes that programs leave at a spreadsheet, a tab, or a row or column."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from .errors import Obj, RequestError

if TYPE_CHECKING:
    from .model import Spreadsheet

MAX_CHARACTERS = 30_000


def create(book: Spreadsheet, given: Obj) -> Obj:
    entry = dict(given)
    if not entry.get("metadataKey"):
        raise RequestError("developerMetadata.metadataKey is required.")
    check(entry)
    location = entry.get("location", {})
    place = {
        name: value
        for name, value in location.items()
        if name != "locationType" and value is not False
    }
    if len(place) != 1:
        raise RequestError(
            "developerMetadata.location must name one of spreadsheet, sheetId, dimensionRange."
        )
    taken = {known["metadataId"] for known in book.all_metadata()}
    number = entry.get("metadataId") or secrets.randbelow(2**31 - 1) + 1
    if number in taken:
        raise RequestError(f"Developer metadata with id {number} already exists.")
    entry["metadataId"] = number
    entry["location"] = place | {"locationType": _location_type(place)}
    _list_for(book, place).append(entry)
    _check_size(book)
    return entry


def check(entry: Obj) -> None:
    if entry.get("visibility", "DEVELOPER_METADATA_VISIBILITY_UNSPECIFIED").endswith("UNSPECIFIED"):
        raise RequestError("developerMetadata.visibility is required.")


def _location_type(place: Obj) -> str:
    if "dimensionRange" in place:
        return "ROW" if place["dimensionRange"].get("dimension") == "ROWS" else "COLUMN"
    return "SHEET" if "sheetId" in place else "SPREADSHEET"


def _list_for(book: Spreadsheet, place: Obj) -> list[Obj]:
    if "spreadsheet" in place:
        return book.metadata
    sheet_id = place["sheetId"] if "sheetId" in place else place["dimensionRange"].get("sheetId", 0)
    return book.sheet(sheet_id).metadata


def _check_size(book: Spreadsheet) -> None:
    """Keys and values together have a limit, for the spreadsheet and for each tab."""
    for entries in (book.metadata, *(sheet.metadata for sheet in book.sheets)):
        size = sum(len(e["metadataKey"]) + len(e.get("metadataValue", "")) for e in entries)
        if size > MAX_CHARACTERS:
            raise RequestError(
                f"Developer metadata would exceed the limit of {MAX_CHARACTERS} characters."
            )


def remove(book: Spreadsheet, entry: Obj) -> None:
    for entries in (book.metadata, *(sheet.metadata for sheet in book.sheets)):
        if entry in entries:
            entries.remove(entry)


def by_id(book: Spreadsheet, number: int) -> Obj | None:
    return next((e for e in book.all_metadata() if e["metadataId"] == number), None)


def search(book: Spreadsheet, filters: list[Obj]) -> list[tuple[Obj, list[Obj]]]:
    """Every entry that one of the filters fits, with the filters that fit it."""
    for given in filters:
        if "developerMetadataLookup" not in given:
            raise RequestError("Only developerMetadataLookup filters are part of this test server.")
    found = []
    for entry in book.all_metadata():
        fitting = [given for given in filters if _fits(entry, given["developerMetadataLookup"])]
        if fitting:
            found.append((entry, fitting))
    return found


def _fits(entry: Obj, lookup: Obj) -> bool:
    for name in ("metadataId", "metadataKey", "metadataValue", "visibility"):
        if name in lookup and lookup[name] != entry.get(name):
            return False
    location = entry["location"]
    if lookup.get("locationType", location["locationType"]) != location["locationType"]:
        return False
    wanted = {k: v for k, v in lookup.get("metadataLocation", {}).items() if k != "locationType"}
    own = {k: v for k, v in location.items() if k != "locationType"}
    if not wanted or wanted == own:
        return True
    near = lookup.get("locationMatchingStrategy") == "INTERSECTING_LOCATION"
    return near and _meets(own, wanted)


def _meets(own: Obj, wanted: Obj) -> bool:
    """Whether two places lie in one another: a row in its tab, a tab in the spreadsheet."""
    if "spreadsheet" in own or "spreadsheet" in wanted:
        return True
    return _sheet_of(own) == _sheet_of(wanted)


def _sheet_of(place: Obj) -> int:
    if "sheetId" in place:
        return int(place["sheetId"])
    return int(place["dimensionRange"].get("sheetId", 0))
