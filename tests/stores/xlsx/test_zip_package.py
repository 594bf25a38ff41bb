"""Archives rewritten in place: what is not replaced keeps its very bytes."""

import io
import struct
import zipfile
from collections.abc import Callable

import pytest

from referee.stores.xlsx.zip_package import Damaged, Package, TooLarge
from tests.support import xlsx_samples as x

PARTS: dict[str, str | bytes] = {
    "a.xml": "<a/>" * 50,
    "b.bin": bytes(range(256)),
    "c/d.xml": "<d/>",
}


def streamed() -> bytes:
    """An archive written without seeking: sizes follow the data, as many libraries do it."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in PARTS.items():
            archive.writestr(name, content)
    return pipe.getvalue()


def wide() -> bytes:
    """An archive that spells sizes in 64 bits in its local headers."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in PARTS.items():
            with archive.open(name, "w", force_zip64=True) as part:
                part.write(content.encode() if isinstance(content, str) else content)
    return buffer.getvalue()


def wide_directory() -> bytes:
    """An archive whose directory, and the end of it, give places in 64 bits."""
    data = x.zipped(PARTS)
    end = data.rindex(b"PK\5\6")
    count, _, start = struct.unpack_from("<HLL", data, end + 10)
    directory, position = b"", start
    for _ in range(count):
        name_length, extra, comment = struct.unpack_from("<3H", data, position + 28)
        record = bytearray(data[position : position + 46 + name_length])
        (offset,) = struct.unpack_from("<L", record, 42)
        struct.pack_into("<L", record, 42, 0xFFFFFFFF)
        struct.pack_into("<H", record, 30, 16)
        field = struct.pack("<HH", 0x7777, 0) + struct.pack("<HHQ", 1, 8, offset)
        directory += bytes(record) + field
        position += 46 + name_length + extra + comment
    place = start + len(directory)
    record_64 = struct.pack(
        "<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), start
    )
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, place, 1)
    end_record = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:start] + directory + record_64 + locator + end_record


def commented() -> bytes:
    buffer = io.BytesIO(x.zipped(PARTS))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"the host's own archive"
    return buffer.getvalue()


KINDS: dict[str, Callable[[], bytes]] = {
    "usual": lambda: x.zipped(PARTS),
    "stored": lambda: x.zipped(PARTS, zipfile.ZIP_STORED),
    "streamed": streamed,
    "64-bit sizes": wide,
    "64-bit directory": wide_directory,
    "commented": commented,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_archive_is_read_and_rewritten(kind: str) -> None:
    data = KINDS[kind]()
    package = Package(data)
    assert {name: package.read(name, 10**6) for name in package.names()} == x.unzipped(data)
    new = package.rebuilt(
        {"a.xml": b"<changed/>", "new/\u00fc.xml": b"<n/>"}, frozenset({"c/d.xml"})
    )
    assert x.unzipped(new) == {
        "a.xml": b"<changed/>",
        "b.bin": PARTS["b.bin"],
        "new/\u00fc.xml": b"<n/>",
    }
    assert Package(new).stored("b.bin") == package.stored("b.bin")
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(io.BytesIO(new)) as after:
        assert after.comment == before.comment
        assert after.getinfo("b.bin").date_time == before.getinfo("b.bin").date_time
        assert after.getinfo("a.xml").date_time == before.getinfo("a.xml").date_time


@pytest.mark.parametrize("kind", ["usual", "stored", "streamed", "64-bit sizes", "commented"])
def test_an_archive_rewritten_without_a_change_is_the_same_to_the_byte(kind: str) -> None:
    data = KINDS[kind]()
    assert Package(data).rebuilt({}) == data


def test_names_are_found_in_any_case_and_with_either_slash() -> None:
    package = Package(x.zipped({"XL\\Workbook.xml": "<w/>"}))
    assert "xl/workbook.xml" in package
    assert package.read("xl/workbook.xml", 100) == b"<w/>"
    assert x.unzipped(package.rebuilt({"xl/workbook.xml": b"<v/>"})) == {
        "XL\\Workbook.xml": b"<v/>"
    }


def test_an_entry_is_never_unpacked_beyond_the_limit() -> None:
    package = Package(x.zipped({"a": bytes(1000)}))
    with pytest.raises(TooLarge) as caught:
        package.read("a", 999)
    assert (caught.value.name, caught.value.size) == ("a", 1000)


def read_all(data: bytes) -> None:
    package = Package(data)
    for name in package.names():
        package.read(name, 10**6)


def damaged(data: bytes) -> str:
    with pytest.raises(Damaged) as caught:
        read_all(data)
    return str(caught.value)


def test_what_contradicts_itself_is_damaged() -> None:
    data = x.zipped({"one.xml": "1" * 99, "two.xml": "2"})
    directory = data.index(b"PK\1\2")
    assert damaged(data.replace(b"two.xml", b"one.xml")) == "two of its parts have one name"
    assert damaged(data.replace(b"PK\1\2", b"PK\1\3", 1)).startswith("its directory cannot be read")
    assert damaged(b"PK\3\5" + data[4:]) == "one.xml is not where the directory says"
    far = bytearray(data)
    struct.pack_into("<L", far, directory + 42, len(data))
    assert damaged(bytes(far)) == "one.xml is not where the directory says"
    struct.pack_into("<L", far, directory + 42, data.index(b"PK\3\4", 4))
    assert damaged(bytes(far)) == "two of its parts lie in one place"
    long = bytearray(data)
    struct.pack_into("<L", long, directory + 20, 10**6)
    assert damaged(bytes(long)) == "one.xml is cut off"
    secret = bytearray(data)
    struct.pack_into("<H", secret, directory + 8, 1)
    assert damaged(bytes(secret)) == "one.xml is encrypted"
    method = bytearray(data)
    struct.pack_into("<H", method, directory + 10, 12)
    assert damaged(bytes(method)) == "one.xml cannot be unpacked"
    checksum = bytearray(data)
    struct.pack_into("<L", checksum, directory + 16, 0)
    assert damaged(bytes(checksum)) == "one.xml cannot be unpacked"


def test_a_64_bit_directory_that_contradicts_itself_is_damaged() -> None:
    data, field = wide_directory(), struct.pack("<HH", 1, 8)
    for broken in (
        data.replace(b"PK\6\7", b"PK\6\0"),
        data.replace(b"PK\6\6", b"PK\6\0"),
        data.replace(field, struct.pack("<HH", 1, 9)),
    ):
        assert damaged(broken).startswith("its directory cannot be read")
    lost = data.replace(field, struct.pack("<HH", 2, 8))
    assert damaged(lost) == "two of its parts lie in one place"


def test_more_entries_than_any_workbook_has_are_refused() -> None:
    """Also more than the directory of a plain archive can count."""
    count = 66_000
    body, directory = bytearray(), bytearray()
    for number in range(count):
        sizes = struct.pack("<5H3L2H", 20, 0, 0, 0, 33, 0, 0, 0, 5, 0)
        directory += b"PK\1\2\x14\0" + sizes + bytes(10) + struct.pack("<L", 35 * number)
        directory += b"%05d" % number
        body += b"PK\3\4" + sizes + b"%05d" % number
    place = len(body) + len(directory)
    wide = struct.pack(
        *("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), len(body))
    )
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, len(directory), 2**32 - 1, 0)
    data = bytes(body + directory) + wide + struct.pack("<4sLQL", b"PK\6\7", 0, place, 1) + end
    assert damaged(data) == "it holds 66,000 files, more than any workbook"
