"""A standard output that takes nothing more: a full disk, told in a line, with what was done."""

import subprocess
from pathlib import Path

import pytest

from referee.cli.exits import Exit
from tests.support.cli import b0, clock, command, environment, table, write_book

FULL = Path("/dev/full")
DAY = "2024-03-01"

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a disk always full")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The base game on a day that is over by any clock."""
    tabs = b0(Rounds=[["Round", "Start"], [1, clock("19:00:00", DAY)]])
    tabs["Settings"][2] = ["Match start", clock("18:50:00", DAY)]
    for tab in ("Queue", "Submissions"):
        for row in tabs[tab][1:]:
            row[0] = row[0].replace(year=2024)
    return write_book(tmp_path / "match.xlsx", tabs)


def run_into_the_full_disk(*arguments: str | Path) -> tuple[int, list[str]]:
    with FULL.open("wb") as full:
        ran = subprocess.run(
            command(*arguments),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    return ran.returncode, ran.stderr.decode().splitlines()


LOST = "referee: the result cannot be written to standard output: No space left on device"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_was_published_is_told_all_the_same(path: Path, options: list[str]) -> None:
    code, said = run_into_the_full_disk("resolve", path, *options)
    assert (code, said) == (Exit.UNAVAILABLE, ["match.xlsx: published round 1", LOST])
    assert len(table(path, "Receipts")) == 1


@pytest.mark.parametrize(
    "arguments", [["show"], ["check"], ["check", "--json"], ["explain"], ["--help"]]
)
def test_what_only_shows_says_one_line(path: Path, arguments: list[str]) -> None:
    sheet = [] if arguments == ["--help"] else [path]
    code, said = run_into_the_full_disk(*arguments, *sheet)
    assert (code, said) == (Exit.UNAVAILABLE, [LOST])
