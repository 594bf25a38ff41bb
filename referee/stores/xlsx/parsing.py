"""From a part's bytes to its elements: one parser for all parts, within bounds whatever they hold.

A part is fed to expat in pieces. A document type, which could expand without end, is refused in
any encoding; so are elements nested without end and a tag that does not stop.
"""

import pyexpat
from collections.abc import Callable
from typing import Final
from xml.etree import ElementTree as ET

from referee.match.faults import quoted
from referee.stores.xlsx.cells import decoded
from referee.stores.xlsx.zip_package import Damaged

MOST_NODES: Final = 400_000
"""Elements and attributes of a part that is held as a tree; Excel's largest table of styles has
fewer."""
_DEEPEST: Final = 100
_LONGEST_TAG: Final = 2**18
"""Bytes from the start of a tag to its end, or of a comment."""
_CHUNK: Final = 2**16
_MOST_PIECES: Final = 32
"""Pieces of up to a chunk that one text may come in: thirty times what Excel takes in a cell."""
_LONGEST_NUMBER: Final = 10


class Walk:
    """One way through a part: what is done at each start tag and each end tag.

    The name of an element is its namespace, a brace and its word: ``http://…}row``. ``pieces`` is
    the text since the last start tag, in the pieces it came in.
    """

    def __init__(self, part: str) -> None:
        self.part = part
        self.pieces: list[str] = []
        self.parser = parser = pyexpat.ParserCreate(namespace_separator="}")
        self._depth = 0
        parser.buffer_text, parser.buffer_size = True, _CHUNK
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.pieces.append
        parser.StartDoctypeDeclHandler = self._refuse

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002  expat's
        """Take a start tag."""
        self.deeper()

    def end(self, name: str) -> None:  # noqa: ARG002  expat's
        """Take an end tag."""
        self._depth -= 1

    def deeper(self) -> int:
        """Return the depth of the element that begins, from 1. Raises `Damaged` without end."""
        self._depth = depth = self._depth + 1
        if depth > _DEEPEST:
            raise Damaged(f"its part {self.part} nests elements without end")
        self.pieces.clear()
        return depth

    def where(self) -> str:
        """Return what a host calls the place reached."""
        return f"its part {self.part}"

    def text(self) -> str:
        """Return the text since the last start tag."""
        if len(self.pieces) > _MOST_PIECES:
            raise Damaged(f"{self.where()} holds a text of more than a million characters")
        return "".join(self.pieces)

    def through(self, data: bytes) -> None:
        """Go through the whole part. Raises `Damaged` where it is not well-formed."""
        parser = self.parser
        try:
            for start in range(0, len(data), _CHUNK):
                parser.Parse(data[start : start + _CHUNK], False)  # noqa: FBT003  expat's own
                if start - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise Damaged(f"its part {self.part} has a tag without an end")
            parser.Parse(b"", True)  # noqa: FBT003  expat takes it so
        except (pyexpat.ExpatError, LookupError, ValueError) as error:
            raise Damaged(f"its part {self.part} is not well-formed ({error})") from None

    def _refuse(self, *_: object) -> None:
        raise Damaged(f"its part {self.part} declares a document type")


def check_well_formed(data: bytes, part: str) -> None:
    """Raise `Damaged` where a part is not well-formed or out of bounds."""
    Walk(part).through(data)


class _Tree(Walk):
    """Builds a tree of a part."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.builder = ET.TreeBuilder()
        self._nodes = 0
        self.parser.CharacterDataHandler = self.builder.data

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.deeper()
        self._nodes += 1 + len(attributes)
        if self._nodes > MOST_NODES:
            raise Damaged(f"its part {self.part} holds more than {MOST_NODES:,} elements")
        self.builder.start(_tag(name), {_tag(key): value for key, value in attributes.items()})

    def end(self, name: str) -> None:
        self.builder.end(_tag(name))
        self._depth -= 1


def parsed(data: bytes, part: str) -> ET.Element:
    """Return a part as a tree; for the small parts that say how a workbook hangs together."""
    tree = _Tree(part)
    tree.through(data)
    return tree.builder.close()


def _tag(name: str) -> str:
    """Return a name as trees have it: ``{http://…}sheet``."""
    return "{" + name if "}" in name else name


def namespace(element: ET.Element) -> str:
    """Return the namespace of an element as a prefix for tags: ``{http://…}`` or nothing."""
    return element.tag[: element.tag.find("}") + 1]


class _Texts(Walk):
    """Puts shared texts together from their runs, without phonetic hints."""

    def __init__(self, part: str, spend: Callable[[str], None]) -> None:
        super().__init__(part)
        self.texts: list[str] = []
        self._spend = spend
        self._runs: list[str] = []
        self._parent = ""
        self._is_open = False

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002  expat's
        depth = self.deeper()
        kind = name[name.rfind("}") + 1 :]
        if depth == 3:
            self._parent = kind
        self._is_open = kind == "t" and (depth == 3 or (depth == 4 and self._parent == "r"))

    def end(self, name: str) -> None:  # noqa: ARG002  expat's
        if self._is_open:
            self._runs.append(decoded(self.text()))
            self._is_open = False
        if self._depth == 2:
            self.texts.append("".join(self._runs))
            self._spend(self.texts[-1])
            self._runs.clear()
        self._depth -= 1


def shared_texts(data: bytes, part: str, spend: Callable[[str], None]) -> list[str]:
    """Return the shared texts in order; ``spend`` is told each of them and may raise."""
    walk = _Texts(part, spend)
    walk.through(data)
    return walk.texts


def whole(text: str) -> int:
    """Read a whole number that a part uses to point at something, the one way for all of them."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER):
        raise Damaged(f"{quoted(text)} stands where a number should")
    return int(text)


def is_true(value: str | None) -> bool:
    """Read an XML truth value; absent is false."""
    return value in ("1", "true", "on")
