"""Where the elements of a part stand, so that it can be changed in place.

Writing a tree back would touch all of a part: prefixes, order of attributes, white space. Here a
part is kept as its bytes, and only the stretches that must change are replaced: ElementTree gives
all 48 XML parts of a workbook that LibreOffice saved back in other bytes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from referee.stores.xlsx.parsing import check_well_formed
from referee.stores.xlsx.zip_package import Damaged

_NAME: Final = rb"[^\s<>/=!?\"']+"
_TAG: Final = re.compile(
    rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>"
    rb"|<(/?)(" + _NAME + rb")((?:\s+" + _NAME + rb"\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(rb"\s+(" + _NAME + rb")\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_DECLARED: Final = re.compile(rb"<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)")


class Element(NamedTuple):
    """One element: ``start`` of its start tag, ``inner`` to ``inner_end`` its contents, ``end``."""

    qualified: str
    start: int
    inner: int
    inner_end: int
    end: int
    attributes: dict[str, str]
    """As they stand, with their prefixes, entities not resolved."""

    @property
    def prefix(self) -> str:
        """The prefix with its colon, or nothing."""
        return self.qualified[: self.qualified.find(":") + 1]

    @property
    def name(self) -> str:
        """The name without its prefix."""
        return self.qualified[self.qualified.find(":") + 1 :]

    @property
    def is_closed(self) -> bool:
        """Whether it is a single tag ``<name/>``."""
        return self.inner == self.end


class Splice(NamedTuple):
    """A stretch of a part and what takes its place."""

    start: int
    end: int
    text: str


def checked(data: bytes, part: str) -> bytes:
    """Return a part that is well-formed and in UTF-8, as all programs write it, or `Damaged`."""
    check_well_formed(in_utf_8(data, part), part)
    return data


def in_utf_8(data: bytes, part: str) -> bytes:
    """Return a part that is in UTF-8, for those who go through its elements themselves."""
    declared = _DECLARED.match(data)
    if declared is not None and declared[1].lower() not in (b"utf-8", b"us-ascii", b"ascii"):
        raise Damaged(f"its part {part} is not in UTF-8")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise Damaged(f"its part {part} is not in UTF-8") from None
    if b"\0" in data:
        raise Damaged(f"its part {part} is not in UTF-8")
    return data


def root(data: bytes) -> Element:
    """Return the outermost element."""
    opened = next(tag for tag in _TAG.finditer(data) if tag[2] is not None)
    if opened[4]:
        return _element(opened, opened.end(), opened.end())
    # The last closing tag is the root's; what looks like one in a comment behind it is not.
    end = data.rindex(b"</" + opened[2], 0, _end_of_elements(data))
    return _element(opened, end, data.index(b">", end) + 1)


def _end_of_elements(data: bytes) -> int:
    """Return where the comments and instructions behind the root element begin."""
    behind = rb"(?:\s|<!--(?:(?!--).)*-->|<\?(?:(?!\?>).)*\?>)*\Z"
    found = re.search(behind, data[-4096:], re.DOTALL)
    return len(data) - len(found[0]) if found is not None else len(data)


def element_at(data: bytes, place: int) -> Element:
    """Return the element that begins at a place."""
    return next(_elements(data, place, len(data)))


def children(data: bytes, parent: Element) -> list[Element]:
    """Return the elements directly inside another, in order."""
    return list(_elements(data, parent.inner, parent.inner_end))


def named(data: bytes, parent: Element, *required: str) -> dict[str, Element]:
    """Return the elements directly inside another by name; `Damaged` where a required one lacks."""
    found = {element.name: element for element in children(data, parent)}
    for name in required:
        if name not in found:
            raise Damaged(f"its part with {parent.name} has no {name}")
    return found


def spliced(data: bytes, splices: Iterable[Splice]) -> bytes:
    """Return the part with every splice made; none may overlap another."""
    pieces: list[bytes] = []
    position = 0
    for splice in sorted(splices):
        pieces += (data[position : splice.start], splice.text.encode())
        position = splice.end
    pieces.append(data[position:])
    return b"".join(pieces)


def with_attribute(data: bytes, element: Element, name: str, value: str) -> Splice:
    """Return the splice that sets an attribute of an element (the value needs no escaping)."""
    tag = data[element.start : element.inner]
    before = re.search(rb"\s" + name.encode() + rb"\s*=\s*(\"[^\"]*\"|'[^']*')", tag)
    if before is None:
        place = element.start + 1 + len(element.qualified.encode())
        return Splice(place, place, f' {name}="{value}"')
    return Splice(element.start + before.start(1), element.start + before.end(1), f'"{value}"')


def appended(data: bytes, element: Element, addition: str) -> Splice:
    """Return the splice that puts more at the end of an element's contents."""
    if not element.is_closed:
        return Splice(element.inner_end, element.inner_end, addition)
    tag = data[element.start : element.end].removesuffix(b"/>").rstrip()
    opened = element.start + len(tag)
    return Splice(opened, element.end, f">{addition}</{element.qualified}>")


def attribute_value(text: str) -> str:
    """Return text as it stands between double quotes, or between tags."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;")


def _elements(data: bytes, position: int, stop: int) -> Iterator[Element]:
    depth = 0
    opened: re.Match[bytes] | None = None
    while (tag := _TAG.search(data, position, stop)) is not None:
        position = tag.end()
        closing, name, _, single = tag.groups()
        if name is None:
            continue
        if not closing and not depth:
            opened = tag
            if not single and name.endswith(b"sheetData"):
                position = _before_end(data, name, position, stop)
        if not closing and not single:
            depth += 1
        if closing:
            depth -= 1
        if not depth and opened is not None:
            yield _element(opened, tag.start() if closing else tag.end(), tag.end())


def _before_end(data: bytes, name: bytes, position: int, stop: int) -> int:
    """Return where the end of a sheet's cells is looked for: right there, where it is sure."""
    can_skip = data.find(b"<!--", position, stop) < 0 > data.find(b"<![CDATA[", position, stop)
    return data.rindex(b"</" + name, position, stop) if can_skip else position


def _element(opened: re.Match[bytes], inner_end: int, end: int) -> Element:
    attributes = {
        name.decode(): (double or single).decode()
        for name, double, single in _ATTRIBUTE.findall(opened[3])
    }
    return Element(opened[2].decode(), opened.start(), opened.end(), inner_end, end, attributes)
