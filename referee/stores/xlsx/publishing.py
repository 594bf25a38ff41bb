"""The referee's own tabs put into a package: which parts change, and how little of each.

The sheets of the owned tabs are replaced. The workbook's own part, its links and its list of
contents change only where a tab or its mark is missing, and then only by the elements that are
added. Everything else is not touched.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from referee.match.faults import quoted
from referee.stores import owned_tabs
from referee.stores.marks import mark_name
from referee.stores.xlsx.formulas import any_formula
from referee.stores.xlsx.markup import (
    Element,
    Splice,
    appended,
    attribute_value,
    checked,
    children,
    named,
    root,
    spliced,
    with_attribute,
)
from referee.stores.xlsx.parsing import namespace
from referee.stores.xlsx.workbook import Sheet, Workbook
from referee.stores.xlsx.writing import new_sheet, rewritten
from referee.workbook.cells import OwnedTab, Tab

LONGEST_TITLE: Final = 31
CONTENT_TYPES: Final = "[Content_Types].xml"
_SHEET_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_BEFORE_NAMES: Final = ("sheets", "functionGroups", "externalReferences")
_BEFORE_CALCULATION: Final = (*_BEFORE_NAMES, "definedNames")


class Place(msgspec.Struct, frozen=True):
    """Where an owned tab goes: the sheet that is there, None for a new one, and its mark."""

    tab: OwnedTab
    sheet: Sheet | None
    needs_mark: bool


class Change(msgspec.Struct, frozen=True):
    """What becomes of a package: parts with their new bytes, and parts that go."""

    parts: dict[str, bytes]
    dropped: frozenset[str] = frozenset()


def places(
    workbook: Workbook, tabs: Sequence[OwnedTab], read: Callable[[Sheet], Tab]
) -> list[Place]:
    """Find the sheet of each owned tab, by its mark.

    A sheet without a mark is taken over only where it has exactly the title and exactly the
    header of the owned tab, as after a way through a program that drops the marks. Raises
    `Stopped` where any other sheet stands under one of the titles, in any case.
    """

    def is_ours(sheet: Sheet, tab: OwnedTab) -> bool:
        return _is_ours(sheet, tab, read)

    found = owned_tabs.find_owned(workbook.sheets, tabs, is_ours, title_problem)
    return [
        Place(tab, sheet, needs_mark=sheet is None or not sheet.is_owned)
        for tab, sheet in zip(tabs, found, strict=True)
    ]


def title_problem(title: str) -> str | None:
    """Return why Excel takes no tab of this title, None where it does."""
    if not title.strip():
        return "it is blank"
    if len(title.encode("utf-16-le", "replace")) > 2 * LONGEST_TITLE:
        return f"it is longer than {LONGEST_TITLE} characters"
    if found := [letter for letter in title if letter in "[]:*?/\\" or letter < " "]:
        return f"it holds {quoted(found[0])}"
    if title.startswith("'") or title.endswith("'"):
        return "it begins or ends with an apostrophe"
    return "Excel keeps the name for itself" if title.casefold() == "history" else None


def _is_ours(sheet: Sheet, tab: OwnedTab, read: Callable[[Sheet], Tab]) -> bool:
    if sheet.title != tab.title or sheet.is_owned or not sheet.is_grid:
        return False
    there, header = read(sheet).rows[:1], owned_tabs.read_back(tab.rows[:1])
    return bool(header) and owned_tabs.same_cells(there, header)


def changes(workbook: Workbook, found: Sequence[Place]) -> Change:
    """Return the parts to change so that each owned tab stands in its place."""
    parts: dict[str, bytes] = {}
    new: list[tuple[str, str]] = []
    for place in found:
        rows = place.tab.rows
        if place.sheet is not None:
            parts[place.sheet.part] = rewritten(workbook, place.sheet, rows)
        else:
            part = _free_part(workbook, {part for part, _ in new})
            parts[part] = new_sheet(namespace(workbook.root)[1:-1], rows)
            new.append((part, place.tab.title))
    ids = _free_ids(workbook, len(new))
    if new:
        parts[CONTENT_TYPES] = _with_types(workbook, [part for part, _ in new])
        parts[workbook.relations_part] = _with_links(
            workbook, [(identifier, part) for identifier, (part, _) in zip(ids, new, strict=True)]
        )
    sheets = [(title, identifier) for identifier, (_, title) in zip(ids, new, strict=True)]
    marks = {p.tab.title: p.sheet.title if p.sheet else p.tab.title for p in found if p.needs_mark}
    recalculate = any_formula(workbook, [p.sheet for p in found if p.sheet is not None])
    if sheets or marks or recalculate:
        text = _new_workbook(workbook, sheets, marks, recalculate=recalculate)
        if text is not None:
            parts[workbook.part] = text
    return _without_formulas(workbook, found, parts)


def recalculated(workbook: Workbook) -> dict[str, bytes]:
    """Return the workbook part that asks for a new calculation, or nothing where it need not."""
    text = _new_workbook(workbook, [], {}, recalculate=True) if any_formula(workbook) else None
    return {} if text is None else {workbook.part: text}


def _free_part(workbook: Workbook, taken: set[str]) -> str:
    folder = workbook.part.rpartition("/")[0]
    number = 1
    while True:
        part = f"{folder}/worksheets/sheet{number}.xml".lstrip("/")
        if part not in workbook.package and part not in taken:
            return part
        number += 1


def _free_ids(workbook: Workbook, count: int) -> list[str]:
    taken = {relation.identifier for relation in workbook.relations}
    free = (f"rId{number}" for number in range(1, len(taken) + count + 1))
    return [identifier for identifier in free if identifier not in taken][:count]


def _with_types(workbook: Workbook, new: Sequence[str]) -> bytes:
    text = checked(workbook.raw(CONTENT_TYPES), CONTENT_TYPES)
    top = root(text)
    added = "".join(
        f'<{top.prefix}Override PartName="/{part}" ContentType="{_SHEET_TYPE}"/>' for part in new
    )
    return spliced(text, [appended(text, top, added)])


def _with_links(workbook: Workbook, new: Sequence[tuple[str, str]]) -> bytes:
    part = workbook.relations_part
    text = checked(workbook.raw(part), part)
    top = root(text)
    kind = workbook.link_namespace
    added = "".join(
        f'<{top.prefix}Relationship Id="{identifier}" Type="{kind}/worksheet" Target="/{target}"/>'
        for identifier, target in new
    )
    return spliced(text, [appended(text, top, added)])


def _new_workbook(
    workbook: Workbook,
    sheets: Sequence[tuple[str, str]],
    marks: dict[str, str],
    *,
    recalculate: bool,
) -> bytes | None:
    """Return the workbook part with more sheets, marks and, if asked for, a new calculation.

    None where nothing changes.
    """
    text = checked(workbook.raw(workbook.part), workbook.part)
    top = root(text)
    parts = named(text, top, "sheets")
    splices = []
    if sheets:
        number = max(sheet.sheet_id for sheet in workbook.sheets)
        added = "".join(
            f'<{top.prefix}sheet name="{attribute_value(title)}" sheetId="{number + step}" '
            f'xmlns:r="{workbook.link_namespace}" r:id="{identifier}"/>'
            for step, (title, identifier) in enumerate(sheets, 1)
        )
        splices.append(appended(text, parts["sheets"], added))
    if marks:
        splices += _marked(text, parts, marks)
    calculation = parts.get("calcPr")
    if recalculate and calculation is None:
        end = max(parts[name].end for name in _BEFORE_CALCULATION if name in parts)
        splices.append(Splice(end, end, f'<{top.prefix}calcPr fullCalcOnLoad="1"/>'))
    elif (
        recalculate
        and calculation is not None
        and calculation.attributes.get("fullCalcOnLoad") not in ("1", "true")
    ):
        splices.append(with_attribute(text, calculation, "fullCalcOnLoad", "1"))
    return spliced(text, splices) if splices else None


def _marked(text: bytes, parts: dict[str, Element], marks: dict[str, str]) -> list[Splice]:
    """Return the splices that point each mark at its tab, anew where it points nowhere."""
    names = parts.get("definedNames")
    prefix = parts["sheets"].prefix
    there = (
        {}
        if names is None
        else {
            e.attributes.get("name"): e
            for e in children(text, names)
            if "localSheetId" not in e.attributes
        }
    )
    splices = []
    added = ""
    for title, tab in marks.items():
        name = mark_name(title)
        target = attribute_value("'" + tab.replace("'", "''") + "'!$A$1")
        element = f'<{prefix}definedName name="{name}" hidden="1">{target}</{prefix}definedName>'
        if (old := there.get(name)) is not None:
            splices.append(Splice(old.start, old.end, element))
        else:
            added += element
    if added and names is not None:
        splices.append(appended(text, names, added))
    elif added:
        end = max(parts[name].end for name in _BEFORE_NAMES if name in parts)
        whole = f"<{prefix}definedNames>{added}</{prefix}definedNames>"
        splices.append(Splice(end, end, whole))
    return splices


def _without_formulas(
    workbook: Workbook, found: Sequence[Place], parts: dict[str, bytes]
) -> Change:
    """Take the cells of owned tabs out of the chain of calculation: they hold no formulas."""
    chain = workbook.related("calcChain")
    if chain is None or chain not in workbook.package:
        return Change(parts)
    own = {str(place.sheet.sheet_id) for place in found if place.sheet is not None}
    text = checked(workbook.raw(chain), chain)
    top = root(text)
    splices = []
    sheet = ""
    kept = 0
    for cell in children(text, top):
        sheet = cell.attributes.get("i", sheet)  # as in the cell before where it is left out
        if sheet in own:
            splices.append(Splice(cell.start, cell.end, ""))
        else:
            kept += 1
    if not splices:
        return Change(parts)
    if kept:
        parts[chain] = spliced(text, splices)
        return Change(parts)
    return Change(_without_part(workbook, chain, parts), frozenset({chain}))


def _without_part(workbook: Workbook, gone: str, parts: dict[str, bytes]) -> dict[str, bytes]:
    """Take a part out of the list of contents and out of the workbook's links."""
    links = workbook.relations_part
    identifier = next(r.identifier for r in workbook.relations if r.target == gone)
    for part, key, value in ((CONTENT_TYPES, "PartName", f"/{gone}"), (links, "Id", identifier)):
        text = checked(parts.get(part) or workbook.raw(part), part)
        listed = children(text, root(text))
        splices = [Splice(e.start, e.end, "") for e in listed if e.attributes.get(key) == value]
        parts[part] = spliced(text, splices)
    return parts
