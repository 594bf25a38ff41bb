"""The API's messages and their fields (schema.txt), and the check of a request body against them.

The table follows Google's published reference. Parts that the server keeps no state for (charts,
slicers, comments) have the type ``any``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .errors import Obj, violations

Message = dict[str, str]
_SIMPLE = {"string", "bool", "int32", "double", "any", "list"}
_LIST_VALUE = "type.googleapis.com/google.protobuf.ListValue"
# Messages in which only one of these fields may be given.
_ONE_OF = {
    "ExtendedValue": ("value", {"numberValue", "stringValue", "boolValue", "formulaValue"}),
    "UpdateCellsRequest": ("area", {"range", "start"}),
}


@cache
def messages() -> dict[str, Message]:
    found: dict[str, Message] = {}
    name = ""
    for line in Path(__file__).with_name("schema.txt").read_text("utf-8").splitlines():
        head, mark, entries = line.partition(": ") if not line.startswith(" ") else ("", "", line)
        if mark or head:
            name = head.removesuffix(":")
            found[name] = {}
        for entry in entries.split():
            key, _, kind = entry.partition(":")
            found[name][key] = kind
    return found


def element(kind: str) -> str:
    return kind.removesuffix("[]")


def message_of(kind: str) -> Message | None:
    """The fields behind a type, or None where it has none: a plain value, or ``any``."""
    return messages().get(element(kind))


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda found: "_" + found[1].lower(), name)


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


@dataclass
class _Check:
    found: list[tuple[str, str]] = field(default_factory=list)

    def fault(self, path: str, description: str) -> None:
        self.found.append((path, description))

    def value(self, kind: str, value: Any, path: str) -> Any:
        if kind.endswith("[]"):
            inner = element(kind)
            if not isinstance(value, list):
                return [self.single(inner, value, path)]
            return [self.single(inner, item, f"{path}[{n}]") for n, item in enumerate(value)]
        return self.single(kind, value, path)

    def single(self, kind: str, value: Any, path: str) -> Any:
        if kind in messages():
            return self.message(kind, value, path)
        wrong = _wrong_type(kind, value)
        if wrong:
            self.fault(path, f"Invalid value at '{path}' ({wrong}), {_shown(value)}")
        if kind == "int32" and not wrong:
            return int(value)
        return float(value) if kind == "double" and not wrong else value

    def message(self, name: str, value: Any, path: str) -> Obj:
        if not isinstance(value, dict):
            proto = f"type.googleapis.com/google.apps.sheets.v4.{name}"
            self.fault(path, f"Invalid value at '{path}' ({proto}), {_shown(value)}")
            return {}
        known, clean = messages()[name], {}
        for key, item in value.items():
            kind = known.get(key) or known.get(camel(key))
            if kind is None:
                at = f" at '{path}'" if path else ""
                text = (
                    f'Invalid JSON payload received. Unknown name "{key}"{at}: Cannot find field.'
                )
                self.fault(path, text)
            elif item is not None:
                name_now = key if key in known else camel(key)
                clean[name_now] = self.value(kind, item, f"{path}.{snake(key)}".lstrip("."))
        self._one_of(name, clean, path)
        return clean

    def _one_of(self, name: str, clean: Obj, path: str) -> None:
        group, keys = _ONE_OF.get(name, ("", set()))
        given = [key for key in clean if key in keys]
        for key in given[1:]:
            text = f"Invalid value at '{path}' (oneof), oneof field '{group}' is already set. "
            self.fault(path, f"{text}Cannot set '{key}'")


def _wrong_type(kind: str, value: Any) -> str:
    """The protobuf type a value was expected to have, or '' where it fits."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "any":
        return ""
    if kind == "list":
        return "" if isinstance(value, list) else _LIST_VALUE
    if kind == "string":
        return "" if isinstance(value, str) else "TYPE_STRING"
    if kind == "bool":
        return "" if isinstance(value, bool) else "TYPE_BOOL"
    if kind == "int32":
        whole = (number and value == int(value)) or (isinstance(value, str) and _is_int(value))
        return "" if whole and -(2**31) <= int(value) < 2**31 else "TYPE_INT32"
    if kind == "double":
        return "" if number or (isinstance(value, str) and _is_float(value)) else "TYPE_DOUBLE"
    return "" if value in kind.split("|") else "TYPE_ENUM"


def _is_int(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None


def _is_float(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d*)?([eE][-+]?\d+)?", text) is not None


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return str(value)


def checked(name: str, body: Any, path: str = "") -> Obj:
    """The body without its nulls; refused with every fault named where it does not fit."""
    if not isinstance(body, dict | None):
        text = 'Invalid JSON payload received. Unknown name "": Root element must be a message.'
        raise violations([("", text)])
    check = _Check()
    clean = check.message(name, {} if body is None else body, path)
    if check.found:
        raise violations(check.found)
    return clean
