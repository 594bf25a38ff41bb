"""Field masks: ``a.b``, ``a/b``, ``a(b,c)`` and ``*``, to cut answers and for partial updates."""

from __future__ import annotations

from typing import Any

from .errors import Obj, RequestError, unknown_mask_path
from .schema import element, message_of, messages

Tree = dict[str, Any]  # field -> the mask below it; empty: everything below


def parse(text: str) -> Tree:
    """The mask as a tree. Where a field is asked for both whole and in part, whole wins."""
    reader = _Reader(text)
    tree = reader.group()
    if reader.rest():
        raise unknown_mask_path(text)
    return tree


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = "".join(text.split())
        self.at = 0

    def rest(self) -> str:
        return self.text[self.at :]

    def group(self) -> Tree:
        tree: Tree = {}
        while True:
            self._path(tree)
            if not self._take(","):
                return tree

    def _path(self, tree: Tree) -> None:
        name = self._name()
        whole = name in tree and not tree[name]
        below: Tree = {}
        if self._take(".", "/"):
            self._path(below)
        elif self._take("("):
            below = self.group()
            if not self._take(")"):
                raise unknown_mask_path(self.text)
        if whole or not below:
            tree[name] = {}
        else:
            tree[name] = _merged(tree.get(name, {}), below)

    def _name(self) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in "./(),":
            self.at += 1
        if start == self.at:
            raise unknown_mask_path(self.text)
        return self.text[start : self.at]

    def _take(self, *signs: str) -> bool:
        if self.text[self.at : self.at + 1] in signs:
            self.at += 1
            return True
        return False


def _merged(one: Tree, other: Tree) -> Tree:
    merged = dict(one)
    for name, below in other.items():
        if name in merged and merged[name] and below:
            merged[name] = _merged(merged[name], below)
        elif name in merged and not merged[name]:
            continue
        else:
            merged[name] = below
    return merged


def unknown_path(tree: Tree, kind: str, path: str = "") -> str:
    """The first path of the mask that names no field, or ''."""
    fields = message_of(kind)
    for name, below in tree.items():
        here = f"{path}.{name}".lstrip(".")
        if name == "*":
            continue
        if fields is None:
            if element(kind) != "any":
                return here
            continue
        if name not in fields:
            return _full(here, below)
        deeper = unknown_path(below, fields[name], here) if below else ""
        if deeper:
            return deeper
    return ""


def _full(path: str, below: Tree) -> str:
    while len(below) == 1:
        name = next(iter(below))
        path, below = f"{path}.{name}", below[name]
    return path


def response_mask(text: str, kind: str) -> Tree:
    """A checked mask for an answer of this kind."""
    tree = parse(text)
    wrong = unknown_path(tree, kind) if kind in messages() else ""
    if wrong:
        raise unknown_mask_path(wrong)
    return tree


def wants(tree: Tree, *path: str) -> bool:
    """Whether a mask covers part of this field; ``*`` does not count, as on the real service."""
    for name in path:
        if name not in tree:
            return False
        tree = tree[name]
        if not tree:
            return True
    return True


def project(value: Any, tree: Tree) -> Any:
    """What a mask leaves of an answer. A message with nothing asked for in it stays ``{}``."""
    if not tree or "*" in tree:
        return value
    if isinstance(value, list):
        return [project(item, tree) for item in value]
    if isinstance(value, dict):
        return {name: project(value[name], below) for name, below in tree.items() if name in value}
    return value


def update_mask(text: str, kind: str, forbidden: tuple[str, ...] = ()) -> Tree:
    """The checked ``fields`` of an update; ``*`` is spread over all fields of the message."""
    if not text.strip():
        raise RequestError(
            "At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)"
        )
    tree = parse(text)
    if "*" in tree:
        return {name: {} for name in messages()[kind] if name not in forbidden}
    wrong = unknown_path(tree, kind)
    if wrong:
        raise RequestError(f"Invalid field: {wrong}")
    return tree


def assign(target: Obj, source: Obj, tree: Tree) -> Obj:
    """``target`` with the masked fields of ``source``; those that are missing there are cleared."""
    out = dict(target)
    for name, below in tree.items():
        if below and "*" not in below:
            out[name] = assign(out.get(name) or {}, source.get(name) or {}, below)
            if not out[name]:
                del out[name]
        elif name in source:
            out[name] = source[name]
        else:
            out.pop(name, None)
    return out
