"""A zip archive held in memory whose entries can be replaced while all others stay as they are.

`zipfile` finds and unpacks the entries. It cannot copy one as it is stored, only pack it anew: all
61 entries of a workbook that LibreOffice saved then have another header, names that are not in
ASCII another spelling, and what was packed by anything but zlib other bytes. So an entry that is
not replaced is copied here by hand: its header, its packed bytes, its place in the order and its
record in the directory.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Final, NamedTuple

LARGEST_ARCHIVE: Final = 256 * 2**20
"""No match workbook comes near this size in bytes; it keeps memory within bounds."""
MOST_ENTRIES: Final = 20_000
"""No workbook has as many parts; the directory of a plain archive ends at 65,535."""

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s4B4H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800
_WIDE: Final = 1
"""The kind of the extra field with 64-bit sizes and places, which no archive of this size needs."""
_CHUNK: Final = 2**20
_BROKEN: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error),
    *(EOFError, LookupError, NotImplementedError, OSError, RuntimeError, ValueError),
)
"""What `zipfile` raises, by the page or by experience, where an archive contradicts itself."""


class Damaged(Exception):
    """The archive is cut off or contradicts itself."""


class TooLarge(Exception):
    """An entry unpacks to more bytes than allowed; ``size`` is what its directory declares."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        super().__init__(f"{name} unpacks to {size} bytes")


class _Entry(NamedTuple):
    """One file of the archive: what its directory says, and where its bytes begin and end."""

    name: str
    info: zipfile.ZipInfo
    start: int
    end: int


class Package:
    """The entries of an archive by name, in the order of its directory.

    Raises `Damaged` where the directory cannot be trusted.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _BROKEN as error:
            raise Damaged(f"its directory cannot be read ({error})") from None
        infos = self._zip.infolist()
        if len(infos) > MOST_ENTRIES:
            raise Damaged(f"it holds {len(infos):,} files, more than any workbook")
        offsets = sorted(info.header_offset for info in infos)
        # What lies between one entry and the next belongs to the first.
        ends = dict(zip(offsets, [*offsets, self._zip.start_dir][1:], strict=True))
        if len(ends) != len(offsets):
            raise Damaged("two of its parts lie in one place")
        self._entries = [_entry(info, ends[info.header_offset]) for info in infos]
        self._by_name = {entry.name.lower(): entry for entry in self._entries}
        if len(self._by_name) != len(self._entries):
            raise Damaged("two of its parts have one name")

    def names(self) -> list[str]:
        """Return the entries' names in the order of the directory."""
        return [entry.name for entry in self._entries]

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._by_name

    def read(self, name: str, limit: int) -> bytes:
        """Unpack one entry.

        Never holds more than ``limit`` bytes of it, whatever the directory says. Raises KeyError
        where there is none, `TooLarge` and `Damaged`.
        """
        entry = self._by_name[name.lower()]
        if entry.info.file_size > limit:
            raise TooLarge(entry.name, entry.info.file_size)
        unpacked = b"".join(self.pieces(name))
        if len(unpacked) != entry.info.file_size:
            raise Damaged(f"{entry.name} cannot be unpacked")
        return unpacked

    def pieces(self, name: str) -> Iterator[bytes]:
        """Unpack one entry piece by piece; raises as `read` does, but for `TooLarge`."""
        entry = self._by_name[name.lower()]
        if entry.info.flag_bits & _ENCRYPTED:
            raise Damaged(f"{entry.name} is encrypted")
        self.stored(name)
        try:
            with self._zip.open(entry.info) as unpacked:
                while piece := unpacked.read(_CHUNK):
                    yield piece
        except _BROKEN:
            raise Damaged(f"{entry.name} cannot be unpacked") from None

    def stored(self, name: str) -> bytes:
        """Return the entry's bytes as they are packed."""
        entry = self._by_name[name.lower()]
        header = self._data[entry.start : entry.start + _LOCAL.size]
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            raise Damaged(f"{entry.name} is not where the directory says")
        start = entry.start + _LOCAL.size + sum(struct.unpack_from("<2H", header, 26))
        if start + entry.info.compress_size > entry.end:
            raise Damaged(f"{entry.name} is cut off")
        return self._data[start : start + entry.info.compress_size]

    def rebuilt(self, changed: Mapping[str, bytes], dropped: frozenset[str] = frozenset()) -> bytes:
        """Return the archive with some entries changed or added at the end and some dropped.

        Every other entry is copied as it is stored; the same call gives the same bytes.
        """
        new = {name.lower(): content for name, content in changed.items()}
        gone = {name.lower() for name in dropped}
        body: list[bytes] = []
        central: dict[str, bytes] = {}
        position = 0
        for entry in sorted(self._entries, key=lambda entry: entry.start):
            if entry.name.lower() in gone:
                continue
            if (content := new.pop(entry.name.lower(), None)) is not None:
                info = zipfile.ZipInfo(entry.name, entry.info.date_time)
                info.flag_bits = entry.info.flag_bits & _UTF8
                chunk, central[entry.name] = _packed(self._raw_name(entry), info, content, position)
            else:
                chunk = self._data[entry.start : entry.end]
                central[entry.name] = _record(self._raw_name(entry), entry.info, position)
            body.append(chunk)
            position += len(chunk)
        order = [entry.name for entry in self._entries if entry.name.lower() not in gone]
        for name in (name for name in changed if name.lower() in new):
            info = zipfile.ZipInfo(name)
            info.flag_bits = 0 if name.isascii() else _UTF8
            chunk, central[name] = _packed(name.encode(), info, changed[name], position)
            body.append(chunk)
            position += len(chunk)
            order.append(name)
        directory = b"".join(central[name] for name in order)
        comment = self._zip.comment
        ending = (0, 0, len(order), len(order), len(directory), position, len(comment))
        return b"".join((*body, directory, _END.pack(b"PK\5\6", *ending), comment))

    def _raw_name(self, entry: _Entry) -> bytes:
        """Return a name in the bytes it is stored in, which `zipfile` does not keep."""
        (length,) = struct.unpack_from("<H", self._data, entry.start + 26)
        start = entry.start + _LOCAL.size
        return self._data[start : start + length]


def _entry(info: zipfile.ZipInfo, end: int) -> _Entry:
    name = info.orig_filename.replace("\\", "/").lstrip("/")
    return _Entry(name, info, info.header_offset, end)


def _record(name: bytes, info: zipfile.ZipInfo, position: int) -> bytes:
    """Return the directory's record of an entry that stands at a position."""
    year, month, day, hour, minute, second = info.date_time
    extra = _narrow(info.extra)
    central = _CENTRAL.pack(
        b"PK\1\2",
        *(info.create_version, info.create_system, info.extract_version, info.reserved),
        *(info.flag_bits, info.compress_type),
        *(hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day),
        *(info.CRC, info.compress_size, info.file_size),
        *(len(name), len(extra), len(info.comment), 0),
        *(info.internal_attr, info.external_attr, position),
    )
    return central + name + extra + info.comment


def _narrow(extra: bytes) -> bytes:
    """Return the extra fields without the one that holds 64-bit sizes and places."""
    kept, place = b"", 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, place)
        if kind != _WIDE:
            kept += extra[place : place + 4 + length]
        place += 4 + length
    return kept + extra[place:]


def _packed(
    name: bytes, info: zipfile.ZipInfo, content: bytes, position: int
) -> tuple[bytes, bytes]:
    """Return an entry's bytes (header and packed content) and its directory record."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = squeeze.compress(content) + squeeze.flush()
    info.create_system, info.compress_type = 0, zlib.DEFLATED
    info.CRC, info.compress_size, info.file_size = zlib.crc32(content), len(packed), len(content)
    central = _record(name, info, position)
    # A header in front repeats what the directory says, from the version needed to the lengths.
    return b"PK\3\4" + central[6:30] + b"\0\0" + name + packed, central
