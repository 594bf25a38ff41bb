"""Where the elements of an XML text stand, so that it can be changed in place.

Writing a tree back would touch all of a part: prefixes, order of attributes, white space. Here a
part is kept as text, and only the stretches that must change are replaced. The text is known to
be well-formed and without a document type before it comes here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from referee.stores.xlsx.zip_package import Damaged

_NAME: Final = r"[^\s<>/=!?\"']+"
_TAG: Final = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>"
    rf"|<(/?)({_NAME})((?:\s+{_NAME}\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(rf"\s+({_NAME})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
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
    """A stretch of text and what takes its place."""

    start: int
    end: int
    text: str


def as_text(data: bytes, part: str) -> str:
    """Return a part's text. Raises `Damaged` where it is not in UTF-8 as all programs write it."""
    declared = _DECLARED.match(data)
    if declared is not None and declared[1].lower() not in (b"utf-8", b"us-ascii", b"ascii"):
        raise Damaged(f"its part {part} is not in UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Damaged(f"its part {part} is not in UTF-8") from None


def root(text: str) -> Element:
    """Return the outermost element."""
    tags = (tag for tag in _TAG.finditer(text) if tag[2] is not None)
    opened = next(tags)
    if opened[4]:
        end = opened.end()
        return Element(opened[2], opened.start(), end, end, end, _attributes(opened[3]))
    # The last closing tag is the root's; what looks like one in a comment behind it is not.
    end = text.rindex(f"</{opened[2]}", 0, _end_of_elements(text))
    return Element(
        opened[2],
        opened.start(),
        opened.end(),
        end,
        text.index(">", end) + 1,
        _attributes(opened[3]),
    )


def _end_of_elements(text: str) -> int:
    """Return where the comments and instructions behind the root element begin."""
    found = re.search(r"(?:\s|<!--(?:(?!--).)*-->|<\?(?:(?!\?>).)*\?>)*\Z", text[-4096:], re.DOTALL)
    return len(text) - len(found[0]) if found is not None else len(text)


def children(text: str, parent: Element) -> list[Element]:
    """Return the elements directly inside another, in order."""
    return list(_elements(text, parent.inner, parent.inner_end))


def named(text: str, parent: Element, *required: str) -> dict[str, Element]:
    """Return the elements directly inside another by name; `Damaged` where a required one lacks."""
    found = {element.name: element for element in children(text, parent)}
    for name in required:
        if name not in found:
            raise Damaged(f"its part with {parent.name} has no {name}")
    return found


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Return the text with every splice made; none may overlap another."""
    pieces: list[str] = []
    position = 0
    for splice in sorted(splices):
        pieces += (text[position : splice.start], splice.text)
        position = splice.end
    pieces.append(text[position:])
    return "".join(pieces)


def with_attribute(text: str, element: Element, name: str, value: str) -> Splice:
    """Return the splice that sets an attribute of an element (the value needs no escaping)."""
    tag = text[element.start : element.inner]
    before = re.search(rf"\s{re.escape(name)}\s*=\s*(\"[^\"]*\"|'[^']*')", tag)
    if before is None:
        place = element.start + 1 + len(element.qualified)
        return Splice(place, place, f' {name}="{value}"')
    return Splice(element.start + before.start(1), element.start + before.end(1), f'"{value}"')


def appended(text: str, element: Element, addition: str) -> Splice:
    """Return the splice that puts more at the end of an element's contents."""
    if not element.is_closed:
        return Splice(element.inner_end, element.inner_end, addition)
    tag = text[element.start : element.end]
    opened = tag.removesuffix("/>").rstrip()
    return Splice(element.start, element.end, f"{opened}>{addition}</{element.qualified}>")


def attribute_value(text: str) -> str:
    """Return text as it stands between double quotes, or between tags."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;")


def _elements(text: str, position: int, stop: int) -> Iterator[Element]:
    depth = 0
    opened: re.Match[str] | None = None
    can_skip = "<!--" not in text and "<![CDATA[" not in text
    while (tag := _TAG.search(text, position, stop)) is not None:
        position = tag.end()
        closing, name, _, single = tag.groups()
        if name is None:
            continue
        if not closing and not depth:
            opened = tag
            if not single and can_skip and name.endswith("sheetData"):
                position = text.rindex(f"</{name}", position, stop)
        if not closing and not single:
            depth += 1
        if closing:
            depth -= 1
        if not depth and opened is not None:
            inner_end = tag.start() if closing else tag.end()
            yield Element(
                opened[2],
                opened.start(),
                opened.end(),
                inner_end,
                tag.end(),
                _attributes(opened[3]),
            )


def _attributes(text: str) -> dict[str, str]:
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}
