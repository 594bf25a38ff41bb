"""Requests about what is laid over cells: named and protected ranges, metadata, filters, rules."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from . import metadata
from .a1 import cells as a1_cells
from .colours import normal
from .errors import Obj, RequestError
from .masks import assign, update_mask
from .model import area_of, grid_range
from .protection import can_edit

if TYPE_CHECKING:
    from .work import Work


def add_named_range(work: Work, request: Obj) -> Obj:
    given = request.get("namedRange", {})
    named = {"namedRangeId": given.get("namedRangeId") or _text_id()}
    if any(other["namedRangeId"] == named["namedRangeId"] for other in work.book.named_ranges):
        raise RequestError(f"A named range with id: {named['namedRangeId']} already exists.")
    named["name"] = _checked_name(work, given.get("name", ""), named["namedRangeId"])
    new = named | {"range": _place(work, given.get("range"))}
    work.book.named_ranges.append(new)
    return {"namedRange": new}


def _checked_name(work: Work, name: str, own_id: str) -> str:
    if (
        not re.fullmatch(r"[^\W\d]\w{0,249}", name)
        or a1_cells(name)
        or name.lower() in ("true", "false")
    ):
        raise RequestError(f'The name "{name}" is not valid for a named range.')
    for other in work.book.named_ranges:
        if other["name"].casefold() == name.casefold() and other["namedRangeId"] != own_id:
            raise RequestError(f'A named range with name "{name}" already exists.')
    return name


def _place(work: Work, given: Obj | None) -> Obj:
    """The GridRange of something laid over cells: open ends stay open."""
    sheet, _ = work.area(given)
    return grid_range(sheet.id, area_of(given or {}))


def delete_named_range(work: Work, request: Obj) -> None:
    named = _by_id(
        work.book.named_ranges, "namedRangeId", request.get("namedRangeId"), "named range"
    )
    work.book.named_ranges.remove(named)


def update_named_range(work: Work, request: Obj) -> None:
    given = request.get("namedRange", {})
    tree = update_mask(request.get("fields", ""), "NamedRange", ("namedRangeId",))
    named = _by_id(work.book.named_ranges, "namedRangeId", given.get("namedRangeId"), "named range")
    new = assign(named, given, tree)
    _checked_name(work, new.get("name", ""), named["namedRangeId"])
    named |= new | {"range": _place(work, new.get("range"))}


def add_protected_range(work: Work, request: Obj) -> Obj:
    given = request.get("protectedRange", {})
    if "namedRangeId" in given:
        named = _by_id(work.book.named_ranges, "namedRangeId", given["namedRangeId"], "named range")
        given = given | {"range": named["range"]}
    _check_editors(given, given)
    place = _place(work, given.get("range"))
    sheet = work.book.sheet(place.get("sheetId", 0))
    if _whole_sheet(place) and any(_whole_sheet(other["range"]) for other in sheet.protections):
        raise RequestError(f'Sheet "{sheet.title}" already has sheet protection.')
    number = given.get("protectedRangeId") or _number_id()
    if any(p["protectedRangeId"] == number for s in work.book.sheets for p in s.protections):
        raise RequestError(f"A protected range with id: {number} already exists.")
    kept = {k: v for k, v in given.items() if v not in (False, "") and k != "requestingUserCanEdit"}
    new = kept | {"protectedRangeId": number, "range": place}
    editors = {k: v for k, v in given.get("editors", {}).items() if v}
    if not new.get("warningOnly") and work.caller not in editors.get("users", []):
        editors["users"] = [*editors.get("users", []), work.caller]
    sheet.protections.append(new | {"editors": editors})
    told = {k: v for k, v in given.get("editors", {}).items() if v}
    return {"protectedRange": new | {"requestingUserCanEdit": True, "editors": told}}


def _check_editors(given: Obj, whole: Obj) -> None:
    if whole.get("warningOnly") and "editors" in given:
        raise RequestError("ProtectedRange is warningOnly. Editors cannot be set on it.")


def _whole_sheet(place: Obj) -> bool:
    return not any(name.endswith("Index") for name in place)


def update_protected_range(work: Work, request: Obj) -> None:
    given = request.get("protectedRange", {})
    tree = update_mask(request.get("fields", ""), "ProtectedRange", ("protectedRangeId",))
    old = _protection(work, given.get("protectedRangeId"))
    new = assign(old, given, tree)
    if "editors" in tree:
        _check_editors(given, new)
    if old.get("warningOnly") and not new.get("warningOnly") and "editors" not in tree:
        new["editors"] = {"domainUsersCanEdit": True}  # nobody is named: all editors are let in
    new = {k: v for k, v in new.items() if v not in (False, "")}
    new["range"] = _place(work, new.get("range"))
    old.clear()
    old.update(new)


def delete_protected_range(work: Work, request: Obj) -> None:
    protection = _protection(work, request.get("protectedRangeId"))
    for sheet in work.book.sheets:
        if protection in sheet.protections:
            sheet.protections.remove(protection)


def _protection(work: Work, number: int | None) -> Obj:
    everywhere = [p for sheet in work.book.sheets for p in sheet.protections]
    found = _by_id(everywhere, "protectedRangeId", number, "protected range")
    if not can_edit(work.book, found, work.caller):
        raise RequestError("You do not have permission to edit this protected range.")
    return found


def create_metadata(work: Work, request: Obj) -> Obj:
    return {"developerMetadata": metadata.create(work.book, request.get("developerMetadata", {}))}


def update_metadata(work: Work, request: Obj) -> Obj:
    tree = update_mask(request.get("fields", ""), "DeveloperMetadata", ("metadataId", "location"))
    found = metadata.search(work.book, request.get("dataFilters", []))
    for entry, _ in found:
        entry.update(assign(entry, request.get("developerMetadata", {}), tree))
        metadata.check(entry)
    return {"developerMetadata": [entry for entry, _ in found]}


def delete_metadata(work: Work, request: Obj) -> Obj:
    found = [entry for entry, _ in metadata.search(work.book, [request.get("dataFilter", {})])]
    for entry in found:
        metadata.remove(work.book, entry)
    return {"deletedDeveloperMetadata": found} if found else {}


def set_basic_filter(work: Work, request: Obj) -> None:
    given = request.get("filter", {})
    place = given.get("range", {})
    sheet, _ = work.area(place)
    sheet.filter = given | {"range": grid_range(sheet.id, area_of(place))}


def clear_basic_filter(work: Work, request: Obj) -> None:
    sheet = work.book.grid_sheet(request.get("sheetId", 0))
    sheet.filter = None


def add_conditional_format(work: Work, request: Obj) -> None:
    rule = request.get("rule", {})
    places = [_place(work, place) for place in rule.get("ranges", [])]
    if not places:
        raise RequestError("No ranges specified.")
    sheet = work.book.sheet(places[0].get("sheetId", 0))
    sheet.conditional_formats.insert(request.get("index", 0), normal(rule) | {"ranges": places})


def delete_conditional_format(work: Work, request: Obj) -> Obj:
    sheet = work.book.grid_sheet(request.get("sheetId", 0))
    index = request.get("index", 0)
    if not 0 <= index < len(sheet.conditional_formats):
        raise RequestError(f"No conditional format on sheet: {sheet.id} at index: {index}")
    return {"rule": sheet.conditional_formats.pop(index)}


def add_banding(work: Work, request: Obj) -> Obj:
    given = normal(request.get("bandedRange", {}))
    place = _place(work, given.get("range"))
    new = given | {"range": place, "bandedRangeId": given.get("bandedRangeId") or _number_id()}
    work.book.sheet(place.get("sheetId", 0)).bandings.append(new)
    return {"bandedRange": new}


def delete_banding(work: Work, request: Obj) -> None:
    for sheet in work.book.sheets:
        for banding in sheet.bandings:
            if banding["bandedRangeId"] == request.get("bandedRangeId"):
                sheet.bandings.remove(banding)
                return
    raise RequestError(f"No banded range with id: {request.get('bandedRangeId')}")


def _by_id(entries: list[Obj], name: str, wanted: Any, noun: str) -> Obj:
    for entry in entries:
        if entry[name] == wanted:
            return entry
    raise RequestError(f"No {noun} with id: {wanted}")


def _text_id() -> str:
    return str(secrets.randbelow(2**31 - 1) + 1)


def _number_id() -> int:
    return secrets.randbelow(2**31 - 1) + 1


HANDLERS = {
    "addNamedRange": add_named_range,
    "deleteNamedRange": delete_named_range,
    "updateNamedRange": update_named_range,
    "addProtectedRange": add_protected_range,
    "updateProtectedRange": update_protected_range,
    "deleteProtectedRange": delete_protected_range,
    "createDeveloperMetadata": create_metadata,
    "updateDeveloperMetadata": update_metadata,
    "deleteDeveloperMetadata": delete_metadata,
    "setBasicFilter": set_basic_filter,
    "clearBasicFilter": clear_basic_filter,
    "addConditionalFormatRule": add_conditional_format,
    "deleteConditionalFormatRule": delete_conditional_format,
    "addBanding": add_banding,
    "deleteBanding": delete_banding,
}
