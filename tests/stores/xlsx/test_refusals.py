"""Files that cannot be read: each is refused at once, with what to do about it."""

import os
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from referee.match.faults import Stopped, Unavailable
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import Value
from tests.support import xlsx_samples as x


def read_all(path: Path) -> list[list[list[Value]]]:
    """Read a workbook and look into each of its tabs, as if all were the match's."""
    return [tab.rows for tab in XlsxStore(path).read().tabs]


def refusal(path: Path) -> str:
    with pytest.raises(Unavailable) as caught:
        read_all(path)
    return str(caught.value)


SOUND = x.zipped(x.book({"Queue": x.sheet(x.row(1, x.text_cell("A1", "Player")))}))
COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)
BAD = {
    "empty": (b"", "is empty (0 bytes)"),
    "old excel": (COMPOUND + "Workbook".encode("utf-16-le"), "is an old Excel file (.xls)"),
    "password": (COMPOUND + "EncryptedPackage".encode("utf-16-le"), "is protected by a password"),
    "csv": (b"Timestamp,Player\n1,Ann\n", "is a text or CSV file, not an .xlsx workbook"),
    "utf-16 text": ("a\tb".encode("utf-16"), "is a text or CSV file"),
    "web page": (b"\xef\xbb\xbf <html>Sign in</html>", "is a web page, XML or JSON file"),
    "pdf": (b"%PDF-1.7\n\0", "is a PDF"),
    "noise": (bytes(range(256)) * 9, "is something else, not an .xlsx workbook"),
    "cut off": (SOUND[: len(SOUND) // 2], "is cut off"),
    "end cut off": (SOUND[:-10], "is damaged"),
    "other zip": (x.zipped({"readme.txt": "hello"}), "is damaged: its part _rels/.rels is missing"),
    "word": (
        x.zipped({"_rels/.rels": f'<Relationships xmlns="{x.PACKAGE_LINKS}"/>'}),
        "is damaged: it holds no workbook",
    ),
    "ods": (
        x.zipped(
            {"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED
        ),
        "is an OpenDocument spreadsheet (.ods)",
    ),
    "numbers": (x.zipped({"Index/Document.iwa": "x"}), "is a Numbers document"),
    "xlsb": (x.zipped({"xl/workbook.bin": "x"}), "is a binary Excel workbook (.xlsb)"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_workbook_says_what_it_is_and_what_to_do(
    tmp_path: Path, kind: str
) -> None:
    data, words = BAD[kind]
    path = tmp_path / "match.xlsx"
    path.write_bytes(data)
    text = refusal(path)
    assert text.startswith("match.xlsx ")
    assert words in text
    assert "\n" not in text
    assert path.read_bytes() == data


def test_a_missing_file_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "match.xlsx")
    assert "is a folder" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.xlsx")
    assert "not a file that can be read" in refusal(tmp_path / "pipe.xlsx")
    assert "cannot be read" in refusal(tmp_path / "a\0b.xlsx")


def test_a_file_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "match.xlsx"
    path.write_bytes(SOUND)
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert "may not be read" in refusal(path)


@pytest.mark.parametrize("name", ["~$match.xlsx", ".~lock.match.xlsx#"])
def test_c056_the_sign_that_a_workbook_is_open_is_never_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(SOUND)
    assert "only a sign that a workbook is open; give the workbook itself, match.xlsx" in refusal(
        tmp_path / name
    )


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "match.xlsx"
    for length in range(len(SOUND)):
        path.write_bytes(SOUND[:length])
        assert refusal(path).startswith("match.xlsx ")


def test_no_flipped_byte_ever_gives_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "match.xlsx"
    for place in range(0, len(SOUND), 3):
        path.write_bytes(SOUND[:place] + bytes([SOUND[place] ^ 0xFF]) + SOUND[place + 1 :])
        try:
            tabs = read_all(path)
        except (Unavailable, Stopped):
            continue
        assert tabs in ([[["Player"]]], [])


BROKEN_PARTS: dict[str, dict[str, str | None]] = {
    "sheet not closed": {"xl/worksheets/sheet1.xml": "<worksheet><sheetData>"},
    "sheet missing": {"xl/worksheets/sheet1.xml": None},
    "workbook not xml": {"xl/workbook.xml": "soon"},
    "row twice": {"xl/worksheets/sheet1.xml": x.sheet(x.row(1) + x.row(1))},
    "row out of bounds": {"xl/worksheets/sheet1.xml": x.sheet(x.row(1048577))},
    "column out of bounds": {
        "xl/worksheets/sheet1.xml": x.sheet(x.row(1, x.number_cell("XFE1", "1")))
    },
    "cell twice": {
        "xl/worksheets/sheet1.xml": x.sheet(
            x.row(1, x.number_cell("A1", "1"), x.number_cell("A1", "2"))
        )
    },
    "cell in another row": {
        "xl/worksheets/sheet1.xml": x.sheet(x.row(1, x.number_cell("A2", "1")))
    },
    "row without a number": {"xl/worksheets/sheet1.xml": x.sheet('<row r="x"/>')},
    "unknown text": {"xl/worksheets/sheet1.xml": x.sheet(x.row(1, '<c r="A1" t="s"><v>5</v></c>'))},
    "unknown type": {
        "xl/worksheets/sheet1.xml": x.sheet(x.row(1, '<c r="A1" t="zz"><v>5</v></c>'))
    },
    "merge nowhere": {
        "xl/worksheets/sheet1.xml": x.sheet(
            "", after='<mergeCells><mergeCell ref="?"/></mergeCells>'
        )
    },
    "document type": {
        "xl/worksheets/sheet1.xml": '<!DOCTYPE w [<!ENTITY a "b">]><worksheet>&a;</worksheet>'
    },
    "document type in the workbook": {
        "xl/workbook.xml": '<!DOCTYPE w [<!ENTITY a "b">]><workbook>&a;</workbook>'
    },
}


@pytest.mark.parametrize("kind", BROKEN_PARTS)
def test_a_part_that_contradicts_itself_is_damage(tmp_path: Path, kind: str) -> None:
    parts = x.book({"Queue": x.sheet("")})
    for name, content in BROKEN_PARTS[kind].items():
        if content is None:
            del parts[name]
        else:
            parts[name] = content
    path = tmp_path / "match.xlsx"
    path.write_bytes(x.zipped(parts))
    assert "match.xlsx is damaged: " in refusal(path)


# --- too large -------------------------------------------------------------------------------


def stopped(path: Path) -> Stopped:
    with pytest.raises(Stopped) as caught:
        read_all(path)
    return caught.value


def test_c053_a_sheet_that_unpacks_to_half_a_gigabyte_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "match.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in x.book({"Queue": ""}).items():
            if name != "xl/worksheets/sheet1.xml":
                archive.writestr(name, content)
        with archive.open("xl/worksheets/sheet1.xml", "w") as part:
            part.write(x.sheet("").encode())
            for _ in range(512):
                part.write(b" " * 2**20)
    assert path.stat().st_size < 2**20
    text, memory = read_in_a_process_of_its_own(path)
    assert text.startswith("sheet Queue is too large (512 MB)")
    assert memory < 150_000


def read_in_a_process_of_its_own(path: Path) -> tuple[str, int]:
    """What a reading says, and the most memory it held, in KB.

    A process begins its count with what the one that started it holds: a small one starts it.
    """
    reading = (
        "import sys; from pathlib import Path\n"
        "from referee.stores.xlsx.store import XlsxStore\n"
        "from referee.match.faults import Stopped, Unavailable\n"
        "try: [tab.rows for tab in XlsxStore(Path(sys.argv[1])).read().tabs]\n"
        "except (Stopped, Unavailable) as stop: print(stop)\n"
    )
    counting = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, timeout=60); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", counting, sys.executable, "-c", reading, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    text, memory = run.stdout.splitlines()
    return text, int(memory) // (1024 if sys.platform == "darwin" else 1)


def test_c053_a_sheet_that_lies_about_its_size_is_damaged(tmp_path: Path) -> None:
    parts = x.book({"Queue": x.sheet("\n" * 5_000_000)})
    data = bytearray(x.zipped(parts))
    size = len(str(parts["xl/worksheets/sheet1.xml"]))
    place = data.rindex(struct.pack("<L", size))
    struct.pack_into("<L", data, place, 100)
    path = tmp_path / "match.xlsx"
    path.write_bytes(data)
    assert "xl/worksheets/sheet1.xml cannot be unpacked" in refusal(path)


def test_c053_five_million_tiny_cells_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "match.xlsx"
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet("<row>" + "<c/>" * 5_000_000 + "</row>")})))
    [fault] = stopped(path).faults
    assert (fault.code, fault.tab) == ("sheet-too-large", "Queue")
    assert "sheet Queue is too large (5,000,0" in fault.text
    text, memory = read_in_a_process_of_its_own(path)
    assert text == fault.text
    assert memory < 150_000


def test_c053_a_few_cells_spread_over_millions_of_places_are_refused(tmp_path: Path) -> None:
    rows = "".join(x.row(n, x.number_cell(f"XFD{n}", "1")) for n in range(1, 300))
    path = tmp_path / "match.xlsx"
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(rows)})))
    assert "sheet Queue is too large" in str(stopped(path))


def test_c053_an_ordinary_file_of_two_megabytes_passes(tmp_path: Path) -> None:
    rows = "".join(
        x.row(
            n, x.number_cell(f"A{n}", f"{n * 7919 % 100003}.{n}"), x.text_cell(f"B{n}", f"t{n * n}")
        )
        for n in range(1, 90_000)
    )
    path = tmp_path / "match.xlsx"
    path.write_bytes(x.zipped(x.book({"Queue": x.sheet(rows)})))
    assert path.stat().st_size > 1_000_000
    assert len(XlsxStore(path).read().tabs[0].rows) == 89_999


def six(sheet: str) -> dict[str, str | bytes]:
    """A workbook whose six tabs of a host are all alike."""
    titles = ("Settings", "Players", "Rounds", "Queue", "Submissions", "Adjustments")
    return x.book(dict.fromkeys(titles, sheet))


ATTRIBUTES = " ".join(f'a{number}=""' for number in range(150_000))
AREAS = "".join(f'<mergeCell ref="A{n}:B{n}"/>' for n in range(1, 100_001))
HOSTILE: dict[str, dict[str, str | bytes]] = {
    "blanks in many sheets": six(x.sheet(x.row(1_048_576, x.number_cell("A1048576", "1")))),
    "a tag of a million letters": six(x.sheet(f"<row {ATTRIBUTES}/>")),
    "nested without end": six(x.sheet("<row>" * 900_000)),
    "100,000 merges": six(x.sheet("", after=f"<mergeCells>{AREAS}</mergeCells>")),
    "a workbook of attributes": {
        **six(x.sheet("")),
        "xl/workbook.xml": f'<workbook xmlns="{x.MAIN}">' + "<a b=''/>" * 250_000 + "</workbook>",
    },
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_file_takes_long_or_much_to_be_refused(tmp_path: Path, kind: str) -> None:
    """Under five seconds and 300 MB for any file of 4 MB (some forty more once by hand)."""
    path = tmp_path / "match.xlsx"
    path.write_bytes(x.zipped(HOSTILE[kind]))
    assert path.stat().st_size < 4_000_000
    begun = time.process_time()
    with pytest.raises((Stopped, Unavailable)) as caught:
        read_all(path)
    assert time.process_time() - begun < 5
    assert "\n" not in str(caught.value)
    _, memory = read_in_a_process_of_its_own(path)
    assert memory < 300_000
