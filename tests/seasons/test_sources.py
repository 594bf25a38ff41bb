"""Many matches by folder, workbook, record and archive: in order, and none stops the others."""

import gzip
import json
from contextlib import suppress
from pathlib import Path

import pytest

from referee.match.archives import LARGEST_LINE, archive_writer, read_lines
from referee.match.faults import Unavailable
from referee.match.record_json import encode_record
from referee.seasons.sources import files_of
from tests.support.cli import b0, referee, referee_at, write_book
from tests.support.played_matches import match

NOW = "2026-07-01 12:00:00"
LINE = encode_record(match())


def named(name: str) -> str:
    return LINE.replace("Test match", name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A season's folder: two archives, a record, two workbooks, and what does not belong."""
    (tmp_path / "later").mkdir()
    (tmp_path / "a.jsonl").write_text(f"{named('a1')}\n{named('a2')}\n", "utf-8")
    with archive_writer(tmp_path / "b.jsonl.zst") as stream:
        stream.write(f"{named('b1')}\n{named('b2')}\n".encode())
    (tmp_path / "c.json").write_text(named("c"), "utf-8")
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(f"{named('d')}\n".encode()))
    write_book(tmp_path / "e.xlsx", b0())
    write_book(tmp_path / "later" / "f.xlsx", b0())
    (tmp_path / "~$e.xlsx").write_bytes(b"open")
    (tmp_path / ".hidden.json").write_text("{}", "utf-8")
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    return tmp_path


def test_a_folders_matches_come_in_the_order_of_their_paths(folder: Path) -> None:
    found = [str(path.relative_to(folder)) for path in files_of(folder)]
    assert found == [
        *("a.jsonl", "b.jsonl.zst", "c.json", "d.jsonl.gz", "e.xlsx"),
        str(Path("later") / "f.xlsx"),
    ]


def test_a_folder_is_replayed_whole_and_alike_by_any_number_of_jobs(folder: Path) -> None:
    one = referee_at(NOW, "replay", folder)
    names = [json.loads(line)["name"] for line in one.out.splitlines()]
    assert (one.code, names) == (0, ["a1", "a2", "b1", "b2", "c", "d", "B0", "B0"])
    two = referee("replay", folder, "--jobs", "2")
    assert (two.code, two.out) == (0, one.out)


def test_one_broken_file_never_stops_the_rest(folder: Path) -> None:
    """A stop and an unreadable file stand in their places; the exit code says the worst."""
    (folder / "a.jsonl").write_text(f"{named('a1')}\nnone\n{named('a2')}\n", "utf-8")
    (folder / "e.xlsx").write_bytes(b"PK no workbook")
    whole = (folder / "b.jsonl.zst").read_bytes()
    (folder / "b.jsonl.zst").write_bytes(whole[:-5])
    for jobs in ("1", "2"):
        ran = referee("replay", folder, "--jobs", jobs)
        kinds = [
            json.loads(line)["format"].removeprefix("referee-") for line in ran.out.splitlines()
        ]
        assert kinds[:3] == ["result/1", "stop/1", "result/1"]
        assert kinds.count("error/1") == 2
        assert kinds[-2:] == ["error/1", "result/1"]
        assert ran.code == 4
        assert "referee: 1 of " in ran.err
        assert "b.jsonl.zst cannot be read" in ran.err


@pytest.mark.parametrize("ending", ["gz", "zst"])
@pytest.mark.parametrize("broken", ["cut", "garbled", "none"])
def test_a_packed_archive_that_is_broken_is_told(tmp_path: Path, ending: str, broken: str) -> None:
    """Cut off, garbled in the middle, or not packed at all: never read as a shorter archive."""
    path = tmp_path / f"season.jsonl.{ending}"
    with archive_writer(path) as stream:
        stream.write("".join(f"{named(str(n))}\n" for n in range(50)).encode())
    data = bytearray(path.read_bytes())
    assert len(list(read_lines(str(path)))) == 50
    if broken == "cut":
        data = data[: len(data) - 9]
    elif broken == "garbled":
        data[len(data) // 2] ^= 0xFF
    else:
        data = bytearray(LINE.encode())
    path.write_bytes(data)
    with pytest.raises(Unavailable, match=r"season\.jsonl\.\w+ cannot be read"):
        list(read_lines(str(path)))


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    """A small packed file may unpack to any size."""
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * (LARGEST_LINE + 10), 9))
    with pytest.raises(Unavailable, match="64 MB is no match record"):
        list(read_lines(str(path)))


def test_packed_archives_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    for ending in ("gz", "zst"):
        found = set()
        for name in ("one", "other"):
            path = tmp_path / f"{name}.jsonl.{ending}"
            with archive_writer(path) as stream:
                stream.write(b"{}\n")
            found.add(path.read_bytes())
        assert len(found) == 1, ending


def test_an_archive_is_there_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"old")
    with suppress(ZeroDivisionError), archive_writer(path) as stream:
        stream.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
