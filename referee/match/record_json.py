"""The match record as JSON: in, with every fault and its place, and out (docs/formats.md)."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec

from referee.match.faults import Fault, Stopped, quoted, visible
from referee.match.instants import Instant, format_instant, parse_instant
from referee.match.record import Record

_TABS: Final = {
    "players": "Players",
    "rounds": "Rounds",
    "queue": "Queue",
    "submissions": "Submissions",
    "adjustments": "Adjustments",
    "settings": "Settings",
}
_REQUIRED: Final = tuple(
    field.encode_name for field in msgspec.structs.fields(Record) if field.required
)
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, ValueError)


def _convert(expected: type[Any], value: Any) -> Any:
    if expected is Instant:
        if isinstance(value, str):
            return parse_instant(value)
        raise ValueError(f"Expected a time as text, got {_shown(value)}")
    raise NotImplementedError(expected)


def _shown(value: Any) -> str:
    """Return a value as its record writes it, cut where it is long."""
    if isinstance(value, str):
        return quoted(value)
    # Only a record with a fault is ever shown. The standard writer keeps half a surrogate pair.
    import json

    return visible(json.dumps(value, ensure_ascii=False)[:60])


_DECODER = msgspec.json.Decoder(Record, dec_hook=_convert)


def decode_record(data: bytes | str) -> Record:
    """Read one record from JSON.

    A byte order mark before it is passed over. Raises `Stopped` with every fault found: what is
    not JSON, unknown and repeated keys, wrong types, missing and impossible values, each with its
    place.
    """
    # What UTF-8 cannot hold is found when it is read back.
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    text = text.removeprefix(_BYTE_ORDER_MARK)
    try:
        record = _DECODER.decode(text)
        if not _repeats_a_key(text):
            return record
        first: Exception = ValueError("a key is repeated")
    except _UNREADABLE as error:
        first = error
    try:
        msgspec.json.decode(text)
        value = _objects(text)
    except _UNREADABLE as error:
        fault = Fault("not-json", f"the record is not JSON: {error}")
        raise Stopped([fault]) from None
    name = value.get("name") if isinstance(value, dict) else None
    faults = list(_record_faults(value)) or [Fault("bad-record", f"record: {first}")]
    raise Stopped(faults, name if isinstance(name, str) else None)


class _Object(dict[str, Any]):
    """A JSON object that still knows which of its keys stood in it more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        keys = [key for key, _ in pairs]
        self.repeated = [key for key in self if keys.count(key) > 1]


def _objects(text: bytes) -> Any:
    # Only a record with a fault is ever read this way.
    import json

    return json.loads(text, object_pairs_hook=_Object)


def _repeats_a_key(text: bytes) -> bool:
    """Whether an object of a valid record has a key twice, of which readers keep one or the other.

    Every key is followed by a quote and a colon. Where no more of these stand in the text than
    the objects have keys, none is repeated; where blanks come between or messages hold some
    themselves, the keys are looked at one by one.
    """
    if not any(blank in text for blank in (b"\n", b"\r", b"\t", b'" ')):
        value = msgspec.json.decode(text)
        objects = [value, *(held for held in value.values() if isinstance(held, dict))]
        lists = (held for held in value.values() if isinstance(held, list))
        if text.count(b'":') == sum(map(len, chain(objects, *lists))):
            return False
    import json

    pairs: list[list[tuple[str, Any]]] = []
    json.loads(text, object_pairs_hook=pairs.append)
    return sum(map(len, pairs)) > sum(map(len, map(dict, pairs)))


def encode_record(record: Record) -> str:
    """Write a record as one line of JSON; what stands at its default is left out."""
    return msgspec.json.encode(_plain(record)).decode()


def read_record(path: str | Path) -> Record:
    """Read the match record in a JSON file.

    Raises `Stopped` where it is no valid record, OSError where the file cannot be read.
    """
    return decode_record(Path(path).read_bytes())


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        found = {}
        for field in msgspec.structs.fields(value):
            held = getattr(value, field.name)
            if field.required or held != field.default:
                found[field.encode_name] = _plain(held)
        return found
    if isinstance(value, Instant):
        return format_instant(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _record_faults(value: Any) -> Iterator[Fault]:
    """Find every fault of a record that did not decode, piece by piece, by the types' own word."""
    if not isinstance(value, dict):
        yield Fault("bad-type", "the record: expected an object {…}")
        return
    hints = get_type_hints(Record, include_extras=True)
    yield from _repeated(value, "the record", None, None)
    for key in _REQUIRED:
        if key not in value:
            yield Fault("missing-key", f"the record: the key {quoted(key)} is missing")
    for key, held in value.items():
        if key not in hints:
            yield Fault("unknown-key", f"the record: unknown key {quoted(key)}", _TABS.get(key))
        elif get_origin(hints[key]) is tuple:
            yield from _list_faults(key, held, get_args(hints[key])[0])
        elif key == "settings":
            yield from _object_faults(held, hints[key], "settings", "Settings", None)
        else:
            yield from _repeated(held, f"the record's {quoted(key)}", None, None)
            yield from _value_faults(held, hints[key], f"the record's {quoted(key)}", None, None)


def _list_faults(key: str, held: Any, row_type: Any) -> Iterator[Fault]:
    tab = _TABS[key]
    if not isinstance(held, list):
        yield Fault("bad-type", f"{key}: expected a list […]", tab)
        return
    labelled = "row" in row_type.__struct_fields__
    for index, item in enumerate(held):
        row = item.get("row") if labelled and isinstance(item, dict) else None
        known = isinstance(row, int) and not isinstance(row, bool) and row >= 1
        number = row if known else index + 1
        yield from _object_faults(item, row_type, f"{tab} row {number}", tab, number)


def _object_faults(
    item: Any, row_type: Any, where: str, tab: str, row: int | None
) -> Iterator[Fault]:
    if not isinstance(item, dict):
        yield Fault("bad-type", f"{where}: expected an object {{…}}", tab, row)
        return
    yield from _repeated(item, where, tab, row)
    hints = get_type_hints(row_type, include_extras=True)
    for field in msgspec.structs.fields(row_type):
        if field.required and field.encode_name not in item:
            text = f"{where}: the key {quoted(field.encode_name)} is missing"
            yield Fault("missing-key", text, tab, row)
    for key, held in item.items():
        if key not in hints:
            yield Fault("unknown-key", f"{where}: unknown key {quoted(key)}", tab, row)
        else:
            yield from _value_faults(held, hints[key], f"{where}: {quoted(key)}", tab, row)


def _repeated(item: Any, where: str, tab: str | None, row: int | None) -> Iterator[Fault]:
    for key in getattr(item, "repeated", ()):
        text = f"{where}: the key {quoted(key)} stands more than once; keep one of them"
        yield Fault("repeated-key", text, tab, row)


def _value_faults(
    held: Any, expected: Any, where: str, tab: str | None, row: int | None
) -> Iterator[Fault]:
    try:
        msgspec.convert(held, expected, dec_hook=_convert)
    except (msgspec.ValidationError, ValueError) as error:
        said = re.sub(r" - at `\$[^`]*`$", "", str(error))
        text = f"{where} is {_shown(held)}: {said}"
        yield Fault("bad-value", text, tab, row)
