"""The whole path of a match on a Google Sheet, by the command line, as if this were Google."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.stores.contract import CellEdit, WallClock
from referee.stores.google.store import GoogleStore
from referee.stores.xlsx.store import XlsxStore
from tests.google_sheets import ROBOT, SheetsServer, faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.stores.contract import Store

    Run = Callable[..., subprocess.CompletedProcess[str]]

PROJECT = Path(__file__).parents[3]
SHEETS = "https://www.googleapis.com/auth/spreadsheets"
NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Flo")
FIRST = 46082.0  # 2026-03-01


def at(hour: int, minute: int, second: int = 0) -> WallClock:
    return WallClock(FIRST + (hour * 3600 + minute * 60 + second) / 86400)


MATCH = [
    CellEdit("Settings", 2, 2, "MM8"),
    CellEdit("Settings", 3, 2, at(18, 50)),
    CellEdit("Settings", 4, 2, "America/New_York"),
    *(CellEdit("Players", 2 + n, 1, name) for n, name in enumerate(NAMES)),
    *(CellEdit("Players", 2 + n, 2, cell) for n, cell in enumerate("ABCEFG")),
    *(CellEdit("Players", 2 + n, 3, NAMES[(n + 1) % 6]) for n in range(6)),
    CellEdit("Rounds", 2, 1, 1),
    CellEdit("Rounds", 2, 2, at(19, 0)),
    CellEdit("Queue", 2, 1, at(19, 1)),
    CellEdit("Queue", 2, 2, "Ann"),
    CellEdit("Queue", 2, 3, "join"),
    CellEdit("Submissions", 2, 1, at(19, 1, 20)),
    CellEdit("Submissions", 2, 2, "ann"),
    CellEdit("Submissions", 2, 3, "A D"),
    CellEdit("Submissions", 3, 1, at(19, 1, 50)),
    CellEdit("Submissions", 3, 2, "Bob"),
    CellEdit("Submissions", 3, 3, "=B1 with D"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with SheetsServer(tls=True) as running:
        yield running


@pytest.fixture
def run(server: SheetsServer, tmp_path: Path) -> Run:
    """Run a command in a process of its own, signed in by the environment."""
    server.faults.clear()
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "APPDATA": str(tmp_path)}
    robot = server.service_account_file(tmp_path / "robot.json")
    signed = {"GOOGLE_APPLICATION_CREDENTIALS": str(robot), "PYTHONPATH": str(PROJECT)}
    environment = server.environment() | home | signed

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        server.requests.clear()
        return subprocess.run(
            [sys.executable, "-m", "referee", *words],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return command


@pytest.fixture
def address(
    server: SheetsServer,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """A sheet with the match filled in."""
    key = server.new_spreadsheet("Main Match 8", time_zone="America/New_York")
    made = run("init", f"https://docs.google.com/spreadsheets/d/{key}/edit#gid=0")
    assert made.returncode == 0, made.stderr
    for name in ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, server.environment()[name])
    GoogleStore(key, credentials=tmp_path / "robot.json").edit(MATCH)
    return f"https://docs.google.com/spreadsheets/d/{key}/edit"


def counts(server: SheetsServer) -> dict[str, int]:
    return server.requests.counts()


def scopes(server: SheetsServer) -> set[tuple[str, ...]]:
    return {entry.scopes for entry in server.requests if entry.kind in ("read", "write")}


def test_a_match_from_the_empty_sheet_to_the_audit(
    server: SheetsServer,
    run: Run,
    address: str,
) -> None:
    """Each command asks for no more than it needs, in the least number of requests."""
    key = address.split("/")[5]
    assert run("check", address).returncode == 0
    assert (counts(server), scopes(server)) == ({"token": 1, "read": 1}, {(f"{SHEETS}.readonly",)})
    resolved = run("resolve", address)
    assert resolved.returncode == 0, resolved.stderr
    assert (counts(server), scopes(server)) == ({"token": 1, "read": 1, "write": 1}, {(SHEETS,)})
    assert server.cells(key, "Pen")[-1] == [1, "food", "Bob", "Cy", "Ann", "Dee", "Eve", "Flo"]
    assert server.cells(key, "Hunger")[-1] == [1, 9, 10, 10, 8, 8, 8]
    assert run("resolve", address).returncode == 0
    assert counts(server) == {"token": 1, "read": 1}
    audited = run("audit", address)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert (counts(server), scopes(server)) == ({"token": 1, "read": 1}, {(f"{SHEETS}.readonly",)})
    server.set_cell(key, "Hunger", "B3", 10)
    assert run("audit", address).returncode == 1
    assert server.proxy.refused == []


@pytest.mark.parametrize(
    ("place", "cell"),
    [
        ("D2", {"userEnteredValue": {"formulaValue": '="food"'}}),
        ("A3", {"userEnteredValue": {"formulaValue": "=1"}}),
        (
            "A3",
            {
                "userEnteredValue": {"numberValue": 1},
                "userEnteredFormat": {"numberFormat": {"type": "DATE", "pattern": "yyyy"}},
            },
        ),
    ],
    ids=["formula of a text", "formula of a number", "number format"],
)
def test_what_only_looks_like_a_published_value_is_a_difference_and_written_over(
    server: SheetsServer, run: Run, address: str, place: str, cell: dict[str, Any]
) -> None:
    """A formula in an owned tab may show anything tomorrow, a number format already today."""
    key = address.split("/")[5]
    assert run("resolve", address).returncode == 0
    server.set_cell(key, "Pen", place, cell)
    audited = run("audit", address, "--json")
    assert audited.returncode == 1, audited.stderr
    (found,) = json.loads(audited.stdout)["audits"][0]["differences"]
    assert (found["kind"], found["cell"]) == ("output", f"Pen!{place}")
    again = run("resolve", address)
    assert again.returncode == 0, again.stderr + again.stdout
    assert run("audit", address).returncode == 0
    assert "formulaValue" not in server.cell(key, "Pen", place)["userEnteredValue"]


def test_a_sheet_and_a_file_give_the_same_result(run: Run, address: str, tmp_path: Path) -> None:
    """Byte for byte in JSON."""
    file: Store = XlsxStore(tmp_path / "match.xlsx")
    file.create()
    file.edit(MATCH)
    told = [run("resolve", sheet, "--json") for sheet in (address, str(tmp_path / "match.xlsx"))]
    assert [one.returncode for one in told] == [0, 0]
    assert told[0].stdout == told[1].stdout
    assert json.loads(told[0].stdout)["new_rounds"] == [1]


def test_text_of_a_player_never_becomes_a_formula(
    server: SheetsServer, run: Run, address: str
) -> None:
    """Neither where it was written nor where a notice quotes it."""
    key = address.split("/")[5]
    run("resolve", address)
    for tab in ("Submissions", *server.titles(key)[6:]):
        for row in server.book(key).sheets[server.titles(key).index(tab)].cells.values():
            assert "formulaValue" not in row.get("userEnteredValue", {})


@pytest.mark.parametrize(
    ("share", "words"), [(None, f"share the sheet with {ROBOT}"), ("reader", "as Editor")]
)
def test_a_sheet_that_is_not_shared(
    server: SheetsServer,
    run: Run,
    address: str,
    share: str | None,
    words: str,
) -> None:
    """Exit code 4, one line that says what to do, no traceback."""
    key = address.split("/")[5]
    server.unshare(key)
    if share is not None:
        server.share(key, ROBOT, share)
    told = run("resolve", address)
    assert told.returncode == 4
    assert words in told.stderr
    assert "Traceback" not in told.stderr
    assert server.cells(key, "Pen") == [["Round", *"ABCDEFG"]]


def test_a_lost_answer_is_looked_after(server: SheetsServer, run: Run, address: str) -> None:
    """c026: the write took effect, the answer said otherwise; the run ends well all the same."""
    server.faults.plan("write", faults.status(503).after_applying())
    told = run("resolve", address)
    assert told.returncode == 0, told.stderr
    assert counts(server) == {"token": 1, "read": 2, "write": 1}
    assert run("audit", address).returncode == 0


@pytest.mark.parametrize(
    ("cell", "value", "code"), [("C2", "A E", 1), ("A2", "soon", 3)], ids=["differs", "stops"]
)
def test_c046_a_second_look_does_not_deny_the_first_write(
    server: SheetsServer, run: Run, address: str, cell: str, value: str, code: int
) -> None:
    """An edit between read and write: the round is published, and no message says otherwise."""
    key = address.split("/")[5]
    edit = faults.edit(lambda: server.set_cell(key, "Submissions", cell, value))
    server.faults.plan("write", edit)
    told = run("resolve", address, "--json")
    assert told.returncode == code, told.stderr
    assert server.cells(key, "Pen")[-1][0] == 1
    assert "nothing more was written" in told.stderr
    assert "nothing was written" not in told.stderr
    if code == 1:
        answer = json.loads(told.stdout)
        assert (answer["written"], answer["new_rounds"]) == (True, [1])


def test_a_service_account_makes_no_sheet(server: SheetsServer, run: Run) -> None:
    told = run("init", "--create", "MM9")
    assert told.returncode == 4
    assert f"share it with {ROBOT} as Editor" in told.stderr
    assert counts(server) == {}


@pytest.mark.parametrize(
    "code",
    [
        "import referee.cli.main",
        "from referee.sheets import open; open('match.xlsx')",
        "from referee.sheets import open; open('1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789')",
    ],
)
def test_nothing_of_google_is_imported_before_it_is_needed(code: str) -> None:
    heavy = ("gspread", "google", "requests", "pandas", "openpyxl")
    check = f"{code}\nimport sys\nprint([n for n in {heavy!r} if n in sys.modules])"
    told: Any = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, cwd=PROJECT, check=True
    )
    assert told.stdout.strip() == "[]"
