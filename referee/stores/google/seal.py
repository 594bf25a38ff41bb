"""The seal of a spreadsheet: what makes one of two runs at once notice the other.

There is no lock on a Google Sheet and no precondition on a write. What takes their place is a thing
that every write of the referee's takes away and puts on anew under another number. A batch built on
a sheet as it was before somebody else wrote names a seal that is gone, or one that is there
already, and Google refuses it as a whole.

It is the warning-only protection of one of the referee's own tabs. Where there is none yet it is a
note of the spreadsheet's (developer metadata), whose numbers Google keeps apart.
"""

import zlib
from typing import Final

from referee.stores.google.reading import SEAL, Obj, Seen, Sheet

_WARNING: Final = "The referee writes this tab whole: what is typed here is replaced."
_FIRST: Final = zlib.crc32(SEAL.encode()) & 2**30 - 1


def renewed(seen: Seen) -> list[Obj]:
    """Return the requests that break the seal as it was seen and put on a new one."""
    for sheet in reversed(seen.sheets):
        if sheet.is_marked and (number := _protected(sheet)) is not None:
            gone = {"deleteProtectedRange": {"protectedRangeId": number}}
            return [gone, protection(sheet.sheet_id)]
    last = seen.seal
    requests: list[Obj] = []
    if last is not None:
        lookup = {"metadataId": last}
        there = {"dataFilter": {"developerMetadataLookup": lookup}}
        requests.append({"deleteDeveloperMetadata": there})
    entry = {
        "metadataId": _FIRST if last is None else last + 1,
        "metadataKey": SEAL,
        "metadataValue": "so that two runs at once notice each other",
        "visibility": "DOCUMENT",
        "location": {"spreadsheet": True},
    }
    requests.append({"createDeveloperMetadata": {"developerMetadata": entry}})
    return requests


def protection(sheet_id: int) -> Obj:
    """Return the request that has Google warn whoever types in a tab."""
    whole = {"range": {"sheetId": sheet_id}, "warningOnly": True, "description": _WARNING}
    return {"addProtectedRange": {"protectedRange": whole}}


def _protected(sheet: Sheet) -> int | None:
    """Return the number of a tab's protection that may be put on anew."""
    for one in sheet.protections:
        if is_whole(one) and one.get("warningOnly") and one.get("requestingUserCanEdit"):
            return one.get("protectedRangeId")
    return None


def is_whole(protected: Obj) -> bool:
    """Whether a protection is that of a whole tab."""
    return not any(name.endswith("Index") for name in protected.get("range", {}))
