"""The match record as JSON: in, with every fault and its place, and out (RECORD)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec

from referee.faults import Fault, Stopped
from referee.instants import Instant, format_instant, parse_instant
from referee.record import Record

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


def _convert(expected: type[Any], value: Any) -> Any:
    if expected is Instant:
        if isinstance(value, str):
            return parse_instant(value)
        raise ValueError(f"Expected a time as text, got {value!r:.60}")
    raise NotImplementedError(expected)


_DECODER = msgspec.json.Decoder(Record, dec_hook=_convert)


def decode_record(data: bytes | str) -> Record:
    """Read one record from JSON.

    Raises `Stopped` with every fault found: what is not JSON, unknown keys, wrong types, missing
    and impossible values, each with its place.
    """
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        first = error
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        fault = Fault("not-json", f"the record is not JSON: {error}")
        raise Stopped([fault]) from None
    name = value.get("name") if isinstance(value, dict) else None
    faults = list(_record_faults(value)) or [Fault("bad-record", f"record: {first}")]
    raise Stopped(faults, name if isinstance(name, str) else None)


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
    for key in _REQUIRED:
        if key not in value:
            yield Fault("missing-key", f"the record: the key {key!r} is missing")
    for key, held in value.items():
        if key not in hints:
            yield Fault("unknown-key", f"the record: unknown key {key!r}", _TABS.get(key))
        elif get_origin(hints[key]) is tuple:
            yield from _list_faults(key, held, get_args(hints[key])[0])
        elif key == "settings":
            yield from _object_faults(held, hints[key], "settings", "Settings", None)
        else:
            yield from _value_faults(held, hints[key], f"the record's {key!r}", None, None)


def _list_faults(key: str, held: Any, row_type: Any) -> Iterator[Fault]:
    tab = _TABS[key]
    if not isinstance(held, list):
        yield Fault("bad-type", f"{key}: expected a list […]", tab)
        return
    for index, item in enumerate(held):
        row = item.get("row") if isinstance(item, dict) else None
        number = row if isinstance(row, int) and not isinstance(row, bool) else index + 1
        yield from _object_faults(item, row_type, f"{tab} row {number}", tab, number)


def _object_faults(
    item: Any, row_type: Any, where: str, tab: str, row: int | None
) -> Iterator[Fault]:
    if not isinstance(item, dict):
        yield Fault("bad-type", f"{where}: expected an object {{…}}", tab, row)
        return
    hints = get_type_hints(row_type, include_extras=True)
    for field in msgspec.structs.fields(row_type):
        if field.required and field.encode_name not in item:
            text = f"{where}: the key {field.encode_name!r} is missing"
            yield Fault("missing-key", text, tab, row)
    for key, held in item.items():
        if key not in hints:
            yield Fault("unknown-key", f"{where}: unknown key {key!r}", tab, row)
        else:
            yield from _value_faults(held, hints[key], f"{where}: {key!r}", tab, row)


def _value_faults(
    held: Any, expected: Any, where: str, tab: str | None, row: int | None
) -> Iterator[Fault]:
    try:
        msgspec.convert(held, expected, dec_hook=_convert)
    except (msgspec.ValidationError, ValueError) as error:
        said = re.sub(r" - at `\$[^`]*`$", "", str(error))
        text = f"{where} is {held!r:.60}: {said}"
        yield Fault("bad-value", text, tab, row)
