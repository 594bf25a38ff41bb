"""A zip archive held in memory whose entries can be replaced while all others stay as they are.

`zipfile` cannot copy an entry without packing it anew, so a workbook rewritten with it would
change in every part. Here an entry that is not replaced is copied as the bytes it is stored in,
with its header, its order and its place in the directory.
"""

import struct
import zlib
from collections.abc import Mapping
from typing import Final, NamedTuple

LARGEST_ARCHIVE: Final = 256 * 2**20
"""No match workbook comes near this size in bytes; it keeps memory within bounds."""

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_UTF8: Final = 0x800
_ENCRYPTED: Final = 0x1
_NEWEST_DATE: Final = (0, 0x21)  # 1980-01-01 00:00, the earliest a zip can say


class Damaged(Exception):
    """The archive is cut off or contradicts itself."""


class TooLarge(Exception):
    """An entry unpacks to more bytes than allowed; ``size`` is what its directory declares."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        super().__init__(f"{name} unpacks to {size} bytes")


class Entry(NamedTuple):
    """One file of the archive and where its bytes lie."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    central: bytes
    wide_offset: int | None
    """Where in ``central`` the offset stands when it is a 64-bit one."""


class Package:
    """The entries of an archive by name, in the order of its directory.

    Raises `Damaged` where the directory cannot be trusted.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._directory, count = _find_directory(data)
        self._entries = _read_directory(data, self._directory, count)
        self._by_name = {entry.name.lower(): entry for entry in self._entries}
        if len(self._by_name) != len(self._entries):
            raise Damaged("two of its parts have one name")
        self._ends = self._spans()

    def names(self) -> list[str]:
        """Return the entries' names in the order of the directory."""
        return [entry.name for entry in self._entries]

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._by_name

    def size(self, name: str) -> int:
        """Return how many bytes the entry says it unpacks to."""
        return self._by_name[name.lower()].size

    def read(self, name: str, limit: int) -> bytes:
        """Unpack one entry.

        Never holds more than ``limit`` bytes of it, whatever the directory says. Raises KeyError
        where there is none, `TooLarge` and `Damaged`.
        """
        entry = self._by_name[name.lower()]
        if entry.size > limit:
            raise TooLarge(entry.name, entry.size)
        if entry.flags & _ENCRYPTED:
            raise Damaged(f"{entry.name} is encrypted")
        packed = self.stored(name)
        if entry.method == zlib.DEFLATED:
            inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                unpacked = inflate.decompress(packed, entry.size + 1)
            except zlib.error as error:
                raise Damaged(f"{entry.name} cannot be unpacked") from error
            complete = inflate.eof or len(unpacked) == entry.size
        else:
            unpacked, complete = packed, entry.method == 0
        if not complete or len(unpacked) != entry.size or zlib.crc32(unpacked) != entry.crc:
            raise Damaged(f"{entry.name} cannot be unpacked")
        return unpacked

    def stored(self, name: str) -> bytes:
        """Return the entry's bytes as they are packed."""
        entry = self._by_name[name.lower()]
        start = self._content_start(entry)
        if start + entry.packed > self._ends[entry.offset]:
            raise Damaged(f"{entry.name} is cut off")
        return self._data[start : start + entry.packed]

    def rebuilt(self, changed: Mapping[str, bytes], dropped: frozenset[str] = frozenset()) -> bytes:
        """Return the archive with some entries changed or added at the end and some dropped.

        Every other entry is copied as it is stored; the same call gives the same bytes.
        """
        new = {name.lower(): content for name, content in changed.items()}
        gone = {name.lower() for name in dropped}
        body: list[bytes] = []
        central: dict[str, bytes] = {}
        position = 0
        for entry in sorted(self._entries, key=lambda entry: entry.offset):
            if entry.name.lower() in gone:
                continue
            if (content := new.pop(entry.name.lower(), None)) is not None:
                date = struct.unpack_from("<2H", entry.central, 12)
                chunk, central[entry.name] = _packed(
                    _raw_name(entry.central), entry.flags & _UTF8, date, content, position
                )
            else:
                chunk = self._data[entry.offset : self._ends[entry.offset]]
                central[entry.name] = _moved(entry, position)
            body.append(chunk)
            position += len(chunk)
        order = [entry.name for entry in self._entries if entry.name.lower() not in gone]
        for name in (name for name in changed if name.lower() in new):
            flags = 0 if name.isascii() else _UTF8
            chunk, central[name] = _packed(
                name.encode(), flags, _NEWEST_DATE, changed[name], position
            )
            body.append(chunk)
            position += len(chunk)
            order.append(name)
        directory = b"".join(central[name] for name in order)
        count = len(order)
        end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), position, len(self._comment))
        return b"".join((*body, directory, end, self._comment))

    @property
    def _comment(self) -> bytes:
        end = self._data.rindex(b"PK\5\6")
        return self._data[end + _END.size :]

    def _spans(self) -> dict[int, int]:
        """Map each entry's offset to where the next begins; what lies between belongs to it."""
        offsets = sorted(entry.offset for entry in self._entries)
        ends = dict(zip(offsets, [*offsets, self._directory][1:], strict=True))
        if len(ends) != len(offsets):
            raise Damaged("two of its parts lie in one place")
        return ends

    def _content_start(self, entry: Entry) -> int:
        header = self._data[entry.offset : entry.offset + _LOCAL.size]
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            raise Damaged(f"{entry.name} is not where the directory says")
        name_length, extra_length = struct.unpack_from("<2H", header, 26)
        return int(entry.offset + _LOCAL.size + name_length + extra_length)


def _find_directory(data: bytes) -> tuple[int, int]:
    """Return where the directory starts and how many entries it lists."""
    end = data.rfind(b"PK\5\6", max(0, len(data) - _END.size - 0xFFFF))
    if end < 0 or end + _END.size > len(data):
        raise Damaged("its end is missing")
    *_, count, size, start, comment = _END.unpack_from(data, end)
    if end + _END.size + comment != len(data):
        raise Damaged("its end is not where it should be")
    if 0xFFFFFFFF in (size, start) or count == 0xFFFF:
        return _find_directory_64(data, end)
    if start + size > end:
        raise Damaged("its directory is cut off")
    return start, count


def _find_directory_64(data: bytes, end: int) -> tuple[int, int]:
    place = end - _LOCATOR_64.size
    if place < 0 or data[place : place + 4] != b"PK\6\7":
        raise Damaged("its directory is missing")
    _, _, record, _ = _LOCATOR_64.unpack_from(data, place)
    if record + _END_64.size > len(data) or data[record : record + 4] != b"PK\6\6":
        raise Damaged("its directory is missing")
    *_, count, size, start = _END_64.unpack_from(data, record)
    if start + size > record:
        raise Damaged("its directory is cut off")
    return start, count


def _read_directory(data: bytes, position: int, count: int) -> list[Entry]:
    entries = []
    for _ in range(count):
        if data[position : position + 4] != b"PK\1\2" or position + _CENTRAL.size > len(data):
            raise Damaged("its directory is cut off")
        fields = _CENTRAL.unpack_from(data, position)
        flags, method, _, _, crc, packed, size, name_length, extra, comment, *rest = fields[3:]
        after_name = _CENTRAL.size + name_length
        length = after_name + extra + comment
        central = data[position : position + length]
        offset, wide = rest[-1], None
        if 0xFFFFFFFF in (packed, size, offset):
            packed, size, offset, wide = _wide_fields(central, packed, size, offset)
        raw = central[_CENTRAL.size : after_name]
        name = raw.decode("utf-8" if flags & _UTF8 else "cp437", "replace").replace("\\", "/")
        if offset >= len(data):
            raise Damaged(f"{name} is cut off")
        entries.append(
            Entry(name.lstrip("/"), flags, method, crc, packed, size, offset, central, wide)
        )
        position += length
    return entries


def _wide_fields(
    central: bytes, packed: int, size: int, offset: int
) -> tuple[int, int, int, int | None]:
    """Take from the zip64 extra field what did not fit into 32 bits."""
    name_length, extra_length = struct.unpack_from("<2H", central, 28)
    place = _CENTRAL.size + name_length
    stop = place + extra_length
    while place + 4 <= stop:
        kind, length = struct.unpack_from("<2H", central, place)
        place += 4
        if kind == 1:
            wide = None
            try:
                if size == 0xFFFFFFFF:
                    (size,), place = struct.unpack_from("<Q", central, place), place + 8
                if packed == 0xFFFFFFFF:
                    (packed,), place = struct.unpack_from("<Q", central, place), place + 8
                if offset == 0xFFFFFFFF:
                    (offset,), wide = struct.unpack_from("<Q", central, place), place
            except struct.error:
                break
            return packed, size, offset, wide
        place += length
    raise Damaged("its directory contradicts itself")


def _raw_name(central: bytes) -> bytes:
    (length,) = struct.unpack_from("<H", central, 28)
    return central[_CENTRAL.size : _CENTRAL.size + length]


def _moved(entry: Entry, position: int) -> bytes:
    """Return the entry's directory record, pointing to its new place."""
    central = bytearray(entry.central)
    if entry.wide_offset is None:
        struct.pack_into("<L", central, 42, position)
    else:
        struct.pack_into("<Q", central, entry.wide_offset, position)
    return bytes(central)


def _packed(
    name: bytes, flags: int, date: tuple[int, ...], content: bytes, position: int
) -> tuple[bytes, bytes]:
    """Return an entry's bytes (header and packed content) and its directory record."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = squeeze.compress(content) + squeeze.flush()
    common = (flags, zlib.DEFLATED, *date, zlib.crc32(content), len(packed), len(content))
    local = _LOCAL.pack(b"PK\3\4", 20, *common, len(name), 0)
    central = _CENTRAL.pack(b"PK\1\2", 20, 20, *common, len(name), 0, 0, 0, 0, 0, position)
    return local + name + packed, central + name
