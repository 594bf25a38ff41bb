"""Protected ranges: who may edit them, and how they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import PROTECTED, Obj, RequestError
from .model import Sheet, Spreadsheet, area_of

if TYPE_CHECKING:
    from .a1 import Area


def can_edit(book: Spreadsheet, protection: Obj, caller: str) -> bool:
    editors = protection.get("editors", {})
    return bool(
        protection.get("warningOnly")
        or caller == book.owner
        or caller in editors.get("users", [])
        or editors.get("domainUsersCanEdit")
    )


def guard(book: Spreadsheet, sheet: Sheet, area: Area, caller: str) -> None:
    """Refuse a change to cells that the caller is kept out of. Warnings do not stop the API."""
    for protection in sheet.protections:
        if can_edit(book, protection, caller) or not area_of(protection["range"]).meets(area):
            continue
        holes = [area_of(hole) for hole in protection.get("unprotectedRanges", [])]
        if not any(hole.covers(area) for hole in holes):
            raise RequestError(PROTECTED)


def protection_view(book: Spreadsheet, protection: Obj, caller: str) -> Obj:
    """A ProtectedRange as a get shows it: with its editors, the owner among them."""
    out = {key: value for key, value in protection.items() if key != "editors"}
    if can_edit(book, protection, caller):
        out["requestingUserCanEdit"] = True
        editors = dict(protection.get("editors", {}))
        users = [book.owner, *(user for user in editors.get("users", []) if user != book.owner)]
        out["editors"] = editors | {"users": users}
    return out
