"""Colours as the service keeps them: steps of 1/255, and each in an old and a new field."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import Obj


def single(number: float) -> float:
    """The shortest decimal for the nearest 32-bit float, as in JSON from Google."""
    packed = struct.pack("f", number)
    number = struct.unpack("f", packed)[0]
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        if struct.pack("f", short) == packed:
            return short
    return number


def kept(colour: Obj) -> Obj:
    """A colour rounded down to 1/255, parts of 0 left out."""
    out: Obj = {}
    for part in ("red", "green", "blue"):
        step = math.floor(round(colour.get(part, 0) * 255, 4))
        if step > 0:
            out[part] = single(min(step, 255) / 255)
    if "alpha" in colour:
        out["alpha"] = colour["alpha"]
    return out


def unpaired(old: Obj, tree: Obj) -> Obj:
    """What is kept of a format when one field of a colour's pair is written: not the other."""
    out = dict(old)
    for name, below in tree.items():
        if name.endswith("olorStyle"):
            out.pop(name.removesuffix("Style"), None)
        elif name.endswith("olor"):
            out.pop(f"{name}Style", None)
        elif below and isinstance(out.get(name), dict):
            out[name] = unpaired(out[name], below)
    return out


def normal(value: Any, name: str = "") -> Any:
    """Any part of a format or of properties, every colour rounded and in both its fields."""
    if isinstance(value, list):
        return [normal(item) for item in value]
    if not isinstance(value, dict):
        return value
    if name.endswith("olor"):
        return kept(value)
    out = {key: normal(item, key) for key, item in value.items()}
    for key in list(out):
        if key.endswith("ColorStyle") or key == "colorStyle":
            plain = key.removesuffix("Style")
            if "rgbColor" in out[key]:
                out[plain] = out[key]["rgbColor"]
            elif "themeColor" not in out[key]:
                del out[key]
                out.pop(plain, None)
    for key in list(out):
        if key.endswith("olor") and key != "rgbColor" and isinstance(out[key], dict):
            out.setdefault(f"{key}Style", {"rgbColor": out[key]})
    return out
