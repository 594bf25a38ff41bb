"""Running the program as a host does, and the workbooks it is run on.

`referee` starts a process of its own, with exit code, output and errors apart; `referee_at` runs
the program in this process at a stopped clock. Workbooks are written with openpyxl, as a host's
own tools would write them, from plain rows.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import openpyxl
from freezegun import freeze_time

from referee.cli.main import run

PROJECT = Path(__file__).resolve().parents[2]

Cells = list[list[Any]]
Tabs = dict[str, Cells]


class Ran(NamedTuple):
    """What a run of the program came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What stands on standard output as JSON: one value and nothing besides."""
        return json.loads(self.out)


def environment(**changes: str) -> dict[str, str]:
    """A plain host's environment, with some variables set."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONPATH": str(PROJECT), "PYTHONWARNINGS": "error", **changes}


def command(*arguments: str | Path) -> list[str]:
    """The command line that starts the program."""
    return [sys.executable, "-m", "referee", *map(str, arguments)]


def referee(
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Ran:
    """Run the program in a process of its own, without a terminal."""
    ran = subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(**(env or {})),
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout.decode("utf-8"), ran.stderr.decode("utf-8"))


def referee_at(now: str, *arguments: str | Path) -> Ran:
    """Run the program in this process with the clock stopped at ``now`` (UTC)."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
    code: Any = 0
    with (
        freeze_time(now),
        mock.patch.object(sys, "argv", ["referee", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            run()
        except SystemExit as left:
            code = left.code
    texts = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
    return Ran(int(code or 0), *texts)


def clock(text: str, day: str = "2026-03-01") -> datetime:
    """A cell with a date and a time of day, to the millisecond."""
    return datetime.fromisoformat(f"{day} {text}")


B0: Tabs = {
    "Settings": [
        ["Setting", "Value"],
        ["Match name", "B0"],
        ["Match start", clock("18:50:00")],
        ["Time zone", "America/New_York"],
    ],
    "Players": [
        ["Player", "Cell", "Rival", "Garnets", "Aliases"],
        ["Ann", "A", "Bob", 3, None],
        ["Bob", "B", "Cy", 3, None],
        ["Cy", "C", "Dee", 3, None],
        ["Dee", "E", "Eve", 3, None],
        ["Eve", "F", "Flo", 3, None],
        ["Flo", "G", "Ann", 3, None],
    ],
    "Rounds": [["Round", "Start", "Minutes"], [1, clock("19:00:00"), None]],
    "Queue": [
        ["Timestamp", "Player", "Action", "Ruling"],
        [clock("19:01:00"), "Ann", "join", None],
        [clock("19:01:40"), "Ann", "exit", None],
    ],
    "Submissions": [
        ["Timestamp", "Player", "Message", "Edited", "Ruling"],
        [clock("19:01:20"), "Ann", "A D", None, None],
    ],
}
"""One round in which Ann swaps A and D: see `B0_PEN` and `B0_HUNGER`."""

B0_PEN = {"A": "food", "B": "Bob", "C": "Cy", "D": "Ann", "E": "Dee", "F": "Eve", "G": "Flo"}
B0_HUNGER = {"Ann": 9, "Bob": 10, "Cy": 10, "Dee": 8, "Eve": 8, "Flo": 8}


def b0(**changed: Sequence[Sequence[Any]]) -> Tabs:
    """The base game with some tabs replaced or added."""
    tabs = deepcopy(B0)
    return tabs | {title: [list(row) for row in rows] for title, rows in changed.items()}


def with_rows(tab: str, *rows: Sequence[Any]) -> Tabs:
    """The base game with more rows at the end of a tab."""
    tabs = deepcopy(B0)
    tabs[tab] += [list(row) for row in rows]
    return tabs


def write_book(path: Path, tabs: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    """Write a workbook of these tabs; texts stay texts, dates get a number format."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in tabs.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


def change_cells(path: Path, changes: Mapping[str, Any]) -> None:
    """Set cells of a workbook, given as ``Queue!B3``, the way a host's program does."""
    book = openpyxl.load_workbook(path)
    for place, value in changes.items():
        title, _, cell = place.rpartition("!")
        book[title][cell] = value
    book.save(path)
    book.close()


def cells_of(path: Path, title: str) -> Cells:
    """A tab's rows as openpyxl reads them, without empty rows at the end."""
    book = openpyxl.load_workbook(path)
    rows = [list(row) for row in book[title].iter_rows(values_only=True)]
    book.close()
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    return rows


def table(path: Path, title: str) -> list[dict[str, Any]]:
    """A tab's rows by their headers."""
    header, *rows = cells_of(path, title)
    return [dict(zip(header, row, strict=True)) for row in rows]


def copied(path: Path, name: str) -> Path:
    """A copy of a workbook beside it."""
    target = path.with_name(name)
    shutil.copyfile(path, target)
    return target
