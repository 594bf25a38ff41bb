"""What every command owes: help with an example that runs, JSON, UTF-8, and an honest exit code."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from referee.cli.exits import Exit
from referee.cli.main import COMMANDS, run
from tests.support.chat_exports import BOB, ROLE, export, message
from tests.support.cli import (
    PROJECT,
    Ran,
    b0,
    clock,
    command,
    environment,
    referee,
    referee_at,
    with_rows,
    write_book,
)

NOW = "2026-12-01T00:00:00Z"
DAY = "2024-03-01"
"""A day that is over by any clock, for what runs in a process of its own."""


def evening(path: Path) -> Path:
    """A match of one round, over since long: B0, with an alias that is a Discord id."""
    tabs = b0(
        Rounds=[["Round", "Start"], [1, clock("19:00:00", DAY)]],
        Queue=[["Timestamp", "Player", "Action"], [clock("19:01:00", DAY), "Ann", "join"]],
        Submissions=[
            ["Timestamp", "Player", "Message", "Ruling", "Message id"],
            [clock("19:01:20", DAY), "Ann", "A D", None, None],
        ],
    )
    tabs["Queue"][0].append("Message id")
    tabs["Settings"] += [["Starting hunger", 2], ["Tie-break seed", "beans"]]
    tabs["Settings"][2] = ["Match start", clock("18:50:00", DAY)]
    tabs["Players"][1][4], tabs["Players"][2][4] = "11", "22"
    return write_book(path, tabs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A host's folder with everything the examples in the help name."""
    evening(tmp_path / "match.xlsx")
    sent = f"{DAY}T19:05:00-05:00"
    (tmp_path / "ann.json").write_bytes(export([message(1, f"<@&{ROLE}>", at=sent)]))
    (tmp_path / "bob.json").write_bytes(export([message(2, "hello", BOB, at=sent)]))
    line = referee_at(NOW, "export", tmp_path / "match.xlsx", "-").out
    (tmp_path / "season.jsonl").write_text(line * 2, "utf-8")
    return tmp_path


def help_of(name: str) -> str:
    """A command's help as it stands on the screen, its lines joined."""
    ran = referee_at(NOW, name, "--help")
    assert (ran.code, ran.err) == (0, "")
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", ran.out).split())


def example_of(name: str) -> list[str]:
    found = re.search(r"Example: (referee .*?)(?= Arguments | Options )", help_of(name))
    assert found is not None, f"the help of {name} shows no example"
    words = shlex.split(found[1])
    assert words[:2] == ["referee", name]
    return words[1:]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_the_help_runs(folder: Path, name: str) -> None:
    """What the help shows works as it stands, in a folder with such files."""
    if name == "init":
        (folder / "match.xlsx").unlink()
    ran = referee(*example_of(name), cwd=folder)
    assert ran.code == 0, ran
    assert "\x1b" not in ran.out + ran.err, "without a terminal there are no colours"
    assert ran.out or name == "watch"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("watch", "replay")])
def test_with_json_there_is_one_value_on_standard_output(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else is told goes to standard error; `watch` and `replay` give a value a line."""
    monkeypatch.chdir(folder)
    if name == "init":
        (folder / "match.xlsx").unlink()
    ran = referee_at(NOW, *example_of(name), "--json")
    assert ran.code == 0, ran
    assert ran.out.endswith("\n")
    assert isinstance(ran.json, dict)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_line_and_its_json(name: str) -> None:
    """The list of commands and a command's own help agree; each takes --json."""
    listed = " ".join(referee_at(NOW, "--help").out.split())
    assert COMMANDS[name][1].split(". ")[0][:40] in listed.replace(" │ │ ", " ")
    assert "--json" in help_of(name)


def test_every_command_is_in_the_readme() -> None:
    """The README's table names each command and no other."""
    readme = (PROJECT / "README.md").read_text("utf-8")
    named = re.findall(r"^\| `([a-z]+)[^`]*` \|", readme, re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)


def test_the_help_says_how_to_name_what_begins_with_a_dash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C064: `--` ends the options; the help tells so, and the second form works."""
    monkeypatch.chdir(tmp_path)
    assert "show -- -Zed.xlsx" in referee("--help").out
    evening(tmp_path / "-Zed.xlsx")
    taken = referee_at(NOW, "show", "-Zed.xlsx")
    assert (taken.code, taken.out) == (2, "")
    assert "there is no option -Z" in taken.err
    meant = referee("show", "--json", "--", "-Zed.xlsx", cwd=tmp_path)
    assert (meant.code, meant.json["name"]) == (0, "B0")
    for name in ("show", "audit"):
        ran = referee_at(NOW, name, "--round", "-1", "--", "-Zed.xlsx")
        assert (ran.code, ran.out) == (2, "")
        assert "--round -1: " in ran.err
    beyond = referee_at(NOW, "show", "--round", "-1", "--", "-Zed.xlsx")
    assert "round must be 1..1" in beyond.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["nonsense"], 2),
        (["show"], 0),
        (["audit"], 0),
        (["export", "a.xlsx"], 2),
        (["show", ""], 2),
        (["resolve", "--round", "one", "match.xlsx"], 2),
        (["audit", "--jobs", "0", "match.xlsx"], 2),
        (["show", "none.xlsx"], 4),
        (["show", "none.json"], 4),
        (["show", "."], 4),
        (["init", "match.xlsx"], 4),
        (["--version"], 0),
    ],
)
def test_exit_codes(
    folder: Path, arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong usage is 2, a place that cannot be read or written 4; no traceback in either."""
    monkeypatch.chdir(folder)
    ran = referee_at(NOW, *arguments)
    assert ran.code == code, ran
    assert "Traceback" not in ran.err
    assert bool(ran.err) == (code != 0 and arguments != [])


def test_faults_go_to_standard_error_and_as_json_to_standard_output(tmp_path: Path) -> None:
    """Exit code 3: all faults in words on standard error; with --json as one stop."""
    path = write_book(
        tmp_path / "match.xlsx",
        b0(Queue=[["Timestamp", "Player", "Action"], ["soon", "Zed", "jump"]]),
    )
    for name in ("resolve", "show", "audit", "export"):
        target = [tmp_path / "out.json"] if name == "export" else []
        plain = referee_at(NOW, name, path, *target)
        assert (plain.code, plain.out) == (3, "")
        begins = (
            "Mend these 3 first; nothing was written:\n"
            if name == "resolve"
            else "Mend these 3 first:\n"
        )
        assert plain.err.startswith(begins)
        for cell in ("Queue!A2: ", "Queue!B2: ", "Queue!C2: "):
            assert cell in plain.err
        told = referee_at(NOW, name, path, *target, "--json")
        assert (told.code, told.json["format"]) == (3, "referee-stop/1")
        assert [fault["row"] for fault in told.json["faults"]] == [2, 2, 2]
        assert told.err == plain.err
    checked = referee_at(NOW, "check", path)
    assert checked.code == 3
    assert checked.out.count("fault: ") == 3
    assert checked.err == "Mend these 3 first, then check again.\n"
    assert len(referee_at(NOW, "check", "--json", path).json["faults"]) == 3


def test_what_cannot_be_had_is_an_error_in_json_too(tmp_path: Path) -> None:
    """A missing file and wrong usage give one object with the same words."""
    missing = referee_at(NOW, "show", "--json", tmp_path / "none.xlsx")
    assert (missing.code, missing.json["format"]) == (4, "referee-error/1")
    assert missing.json["text"] in missing.err
    wrong = referee_at(NOW, "deal", "--json", "--only", "x", tmp_path / "none.xlsx")
    assert (wrong.code, wrong.json["format"]) == (2, "referee-error/1")


def test_check_tells_what_is_doubtful_and_writes_nothing(tmp_path: Path) -> None:
    """Remarks and notices are told with the host's own cells; exit code 0."""
    tabs = b0()
    tabs["Submissions"].append([clock("19:05:00"), "Bob", "B D", None, None])
    path = write_book(tmp_path / "match.xlsx", {f"{title} ": rows for title, rows in tabs.items()})
    before = path.read_bytes()
    ran = referee_at(NOW, "check", path)
    assert (ran.code, ran.err) == (0, "")
    assert 'note: the tab "Queue " is read as Queue' in ran.out
    assert "warning: Submissions !A3: " in ran.out
    assert "(R5.1)" in ran.out
    assert ran.out.endswith("match.xlsx can be resolved; look at the 2 warnings above first\n")
    assert "warning: Settings : there is no Tie-break seed" in ran.out
    told = referee_at(NOW, "check", "--json", path).json
    assert [notice["code"] for notice in told["notices"]] == ["not-visiting"]
    assert {remark["code"] for remark in told["remarks"]} == {"tab-title", "no-seed"}
    assert path.read_bytes() == before
    assert [place.name for place in tmp_path.iterdir()] == ["match.xlsx"]


def test_the_sheet_may_stand_in_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REFEREE_SHEET serves every command, with blanks in its name; an argument goes before it."""
    path = folder / "my match.xlsx"
    (folder / "match.xlsx").rename(path)
    assert referee("audit", env={"REFEREE_SHEET": str(path)}).code == 0
    monkeypatch.setenv("REFEREE_SHEET", str(path))
    for arguments in (
        ["check"],
        ["resolve"],
        ["audit"],
        ["show"],
        ["explain"],
        ["whatif", "--void", "Queue!2"],
        ["export", folder / "out.json"],
        ["announce"],
        ["report", folder / "out.html"],
        ["import", folder / "ann.json", "--dealer-role", ROLE],
    ):
        ran = referee_at(NOW, *arguments)
        assert ran.code == 0, ran
    assert referee_at(NOW, "show", folder / "none.xlsx").code == 4


def test_the_only_workbook_of_a_folder_needs_no_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program's mark that it is open is none; of two, both are named."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("REFEREE_SHEET", raising=False)
    (folder / "~$match.xlsx").touch()
    for arguments in (
        ["check"],
        ["audit"],
        ["show"],
        ["export", "out.json"],
        ["report", "out.html"],
        ["import", "ann.json", "--dealer-role", ROLE, "--dry-run"],
    ):
        ran = referee_at(NOW, *arguments)
        assert ran.code == 0, ran
    (folder / "zoe.xlsx").touch()
    for command_ in (["audit"], ["show"], ["log", "ann"], ["export", "out.json"]):
        both = referee_at(NOW, *command_)
        assert (both.code, both.out) == (2, "")
        assert "in this folder are match.xlsx and zoe.xlsx" in both.err
    for name in ("match.xlsx", "zoe.xlsx"):
        (folder / name).unlink()
    none = referee_at(NOW, "show")
    assert none.code == 2
    assert "there is no .xlsx file in this folder" in none.err
    assert "REFEREE_SHEET" in none.err


def test_everything_is_utf8_in_any_locale(tmp_path: Path) -> None:
    """Names in any script, tokens and the hexagons come through a pipe in a C locale."""
    tabs = b0()
    tabs["Players"][1][0] = "Zoë 🐷"
    tabs["Players"][6][2] = "Zoë 🐷"
    tabs["Queue"], tabs["Submissions"] = tabs["Queue"][:1], tabs["Submissions"][:1]
    path = write_book(tmp_path / "mätch.xlsx", tabs)
    for env in ({"LANG": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}):
        ran = referee("show", path, env=env)
        assert (ran.code, ran.err) == (0, "")
        assert "Zoë 🐷" in ran.out
        assert "mätch.xlsx" in referee("resolve", "--early", "--dry-run", path, env=env).out


class Boom(Exception):
    """Something nobody foresaw."""


def ended(monkeypatch: pytest.MonkeyPatch, raised: BaseException) -> Any:
    """The exit code of a run in which a command raises something."""

    def raise_it(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr("referee.sheets.open", raise_it)
    monkeypatch.setattr(sys, "argv", ["referee", "show", "match.xlsx"])
    with pytest.raises(SystemExit) as left:
        run()
    return left.value.code


@pytest.mark.parametrize("error", [Boom("beans"), OSError(22, "beans"), MemoryError("beans")])
def test_the_unforeseen_exits_70_and_says_whose_mistake_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    """Python's own 1 would pass for a difference found."""
    assert ended(monkeypatch, error) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert "beans" in err
    assert "a mistake in the referee itself" in err


def test_no_end_passes_for_a_difference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C is 130; an end of input that nobody foresaw is a mistake, not a 1."""
    assert ended(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "referee: interrupted\n"
    assert ended(monkeypatch, EOFError()) == 70


@pytest.fixture
def long_archive(tmp_path: Path) -> Path:
    """An archive that takes a while."""
    line = referee_at(NOW, "export", evening(tmp_path / "long.xlsx"), "-").out
    path = tmp_path / "long.jsonl"
    path.write_text(line * 20000, "utf-8")
    return path


def test_a_run_cut_short_from_outside(long_archive: Path) -> None:
    """Ctrl-C exits 130 with a line; a reader that goes away ends the run in silence, not with 1."""
    process = subprocess.Popen(
        command("replay", long_archive),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"referee: interrupted\n")
    process = subprocess.Popen(
        command("replay", long_archive),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), err) == (Exit.UNAVAILABLE, b"")


def secrets_in(ran: Ran, *words: str) -> list[str]:
    return [word for word in words if word in ran.out + ran.err]


def test_the_seed_is_never_shown(tmp_path: Path) -> None:
    """What a host runs at a stream shows no seed and, before it is posted, nothing of the deal."""
    path = evening(tmp_path / "match.xlsx")
    for arguments in (["check"], ["resolve"], ["audit"], ["show"], ["deal", "--only", "seed"]):
        for more in ([], ["--json"]):
            ran = referee_at(NOW, *arguments, path, *more)
            assert secrets_in(ran, "beans") == [], arguments


def test_show_draws_the_match_after_any_round(tmp_path: Path) -> None:
    """The pen as hexagons, standings, visits, queue and notices, for the round asked for."""
    tabs = b0()
    tabs["Rounds"].append([2, None, None])
    tabs["Queue"].append([clock("19:19:30"), "Bob", "join", None])
    tabs["Queue"].append([clock("19:19:31"), "Cy", "join", None])
    tabs["Submissions"].append([clock("19:03:00"), "Dee", "[b]A D[/b] A-D", None, None])
    tabs["Submissions"].append([clock("19:04:00"), "Dee", "A-D", None, None])
    path = write_book(tmp_path / "match.xlsx", tabs)
    first = referee_at(NOW, "show", "--round", "1", path)
    assert (first.code, first.err) == (0, "")
    for part in (
        "B0: round 1, over at 2026-03-01 19:10:00",
        "food",
        "-1 (R6.3)",
        "-2 (R6.2)",
        "19:01:00",
        "A-D",
        "Queue: nobody",
        "warning: Submissions!A4: Dee had no visit in round 1: the swap AD",
    ):
        assert part in first.out, part
    second = referee_at(NOW, "show", path)
    assert "round 2, over at 2026-03-01 19:20:30" in second.out
    assert "Queue: Cy" in second.out
    assert "Dee had no visit" not in second.out
    told = referee_at(NOW, "show", "--json", "--round", "1", path).json
    assert (told["name"], told["round"]["number"]) == ("B0", 1)
    assert json.dumps(told)
    assert max(map(len, second.out.splitlines())) <= 100
    none = write_book(tmp_path / "start.xlsx", b0(Rounds=[["Round"]]))
    assert "B0: the start" in referee_at(NOW, "show", none).out
    assert referee_at(NOW, "show", "--round", "1", none).code == 2


def test_a_demo_never_writes_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second demo takes the next free name; a name that is taken is refused."""
    monkeypatch.chdir(tmp_path)
    first, second = (referee_at(NOW, "demo") for _ in range(2))
    assert first.code == second.code == 0
    assert "made demo-match.xlsx" in first.out
    assert "made demo-match-2.xlsx" in second.out
    before = (tmp_path / "demo-match.xlsx").read_bytes()
    taken = referee_at(NOW, "demo", "demo-match.xlsx")
    assert (taken.code, taken.out) == (4, "")
    assert (tmp_path / "demo-match.xlsx").read_bytes() == before
    for part in ("Starved: Ann, Eve.", "Elimination Candidate: Ann (fewest swaps).", "Winners: "):
        assert part in first.out
    assert referee_at(NOW, "audit", "demo-match.xlsx", "demo-match-2.xlsx").code == 0


def test_starting_takes_no_heavy_library(tmp_path: Path) -> None:
    """A run on a file imports neither pandas nor gspread nor openpyxl."""
    path = evening(tmp_path / "match.xlsx")
    script = (
        "import sys\nfrom referee.cli.main import run\n"
        f"sys.argv = ['referee', 'resolve', {str(path)!r}]\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'numpy', 'gspread', 'google.auth', 'openpyxl', 'requests'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, check=True
    )
    assert ran.stderr.decode().strip() == "[]"
    assert b"published round 1" in ran.stdout


def test_a_killed_run_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    """Whenever the process dies the workbook is whole, and the next run finishes the work."""
    old = evening(tmp_path / "match.xlsx").read_bytes()
    began = time.monotonic()
    assert referee("resolve", tmp_path / "match.xlsx").code == 0
    length = time.monotonic() - began
    path = tmp_path / "match.xlsx"
    for step in range(8):
        path.write_bytes(old)
        process = subprocess.Popen(
            command("resolve", path),
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(length * (0.5 + step / 12))
        process.kill()
        process.wait()
        if path.read_bytes() != old:
            assert referee_at(NOW, "audit", "--json", path).json["audits"][0]["rounds"] == [1]
        assert referee_at(NOW, "resolve", path).code == 0
        assert referee_at(NOW, "audit", path).code == 0
        names = {place.name for place in tmp_path.iterdir()}
        assert names <= {"match.xlsx", "match.xlsx.bak"}


def test_two_runs_at_once_do_not_meet(tmp_path: Path) -> None:
    """Of several runs at once each publishes, finds nothing new, or says another is at work."""
    path = evening(tmp_path / "match.xlsx")
    runs = [
        subprocess.Popen(
            command("resolve", path),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    came_to = []
    for process in runs:
        out, err = process.communicate(timeout=60)
        came_to.append(process.returncode)
        if process.returncode:
            assert b"another run of the referee is working on match.xlsx" in err
            assert out == b""
    assert 0 in came_to
    assert set(came_to) <= {0, 4}
    assert referee_at(NOW, "audit", "--json", path).json["audits"][0]["rounds"] == [1]


def test_a_held_workbook_is_left_alone(tmp_path: Path) -> None:
    """While another run holds the workbook, resolving says so and exits 4; reading goes on."""
    from referee.stores.file_safety import locked

    path = evening(tmp_path / "match.xlsx")
    before = path.read_bytes()
    with locked(path):
        ran = referee("resolve", path)
        assert (ran.code, ran.out) == (4, "")
        assert "another run" in ran.err
        assert referee("check", path).code == 0
        assert referee("resolve", "--dry-run", path).code == 0
    assert path.read_bytes() == before
    assert [place.name for place in tmp_path.iterdir()] == ["match.xlsx"]


def test_check_tells_one_rounds_notices(tmp_path: Path) -> None:
    """A round that is not there is wrong usage."""
    rows = with_rows("Queue", [clock("19:01:10"), "Bob", "join", None],
                     [clock("19:01:11"), "Bob", "join", None],
                     [clock("19:10:30"), "Cy", "withdraw", None])  # fmt: skip
    rows["Rounds"].append([2, clock("19:10:00"), None])
    sheet = write_book(tmp_path / "b0.xlsx", rows)
    told = [referee_at(NOW, "check", sheet, "--round", number).out for number in ("1", "2")]
    assert ["Queue!A5" in out for out in told] == [True, False]
    assert ["Queue!A6" in out for out in told] == [False, True]
    assert referee_at(NOW, "check", sheet, "--round", "3").code == 2


def test_a_round_that_runs_is_not_said_to_be_over(tmp_path: Path) -> None:
    sheet = write_book(tmp_path / "b0.xlsx", b0())
    running = referee_at("2026-03-02 00:05:00", "show", sheet)
    assert "round 1, still running until 2026-03-01 19:10:00, as it stands now" in running.out
    assert "over" not in running.out
    assert "Round 1 runs until" in referee_at("2026-03-02 00:05:00", "resolve", sheet).out
