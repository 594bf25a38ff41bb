"""Archives are replayed and audited as streams, one line a record, whatever a line holds."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import run
from referee.match.archives import read_lines
from referee.match.faults import Unavailable
from tests.support.cli import (
    B0_PEN,
    b0,
    change_cells,
    command,
    environment,
    referee,
    referee_at,
    write_book,
)

RECORD: dict[str, Any] = {
    "format": "referee-match/1",
    "game": "pig-starvation",
    "name": "small",
    "start": "2026-03-01T23:50:00Z",
    "players": [
        {"name": "Ann", "cell": "A", "rival": "Zoë 🐷"},
        {"name": "Zoë 🐷", "cell": "G", "rival": "Ann"},
    ],
    "rounds": [{"number": 1}],
    "queue": [],
    "submissions": [],
}
LINE = json.dumps(RECORD, ensure_ascii=False)
PRETTY = json.dumps(RECORD, ensure_ascii=False, indent=2)
UNKNOWN_KEY = json.dumps({**RECORD, "name": "odd", "colour": "red"})


def lines_of(out: str) -> list[Any]:
    return [json.loads(line) for line in out.splitlines()]


def formats(out: str) -> list[tuple[str, str | None]]:
    return [(line["format"], line["name"]) for line in lines_of(out)]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two sound records with a cut one, one with an unknown key and blank lines among them."""
    path = tmp_path / "season.jsonl"
    lines = ["", LINE, LINE[:50], "  ", UNKNOWN_KEY, "[]", "null", LINE]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_an_archive_gives_one_line_a_record(archive: Path) -> None:
    """Bad lines give a stop in their place, the run goes on and exits 3 in the end."""
    ran = referee("replay", archive)
    assert ran.code == 3
    assert formats(ran.out) == [
        ("referee-result/1", "small"),
        ("referee-stop/1", None),
        ("referee-stop/1", "odd"),
        ("referee-stop/1", None),
        ("referee-stop/1", None),
        ("referee-result/1", "small"),
    ]
    assert ran.err == "referee: 4 of 6 records stopped\n"
    stop = lines_of(ran.out)[2]
    assert sorted(stop["faults"][0]) == ["code", "player", "row", "tab", "text"]
    assert stop["faults"][0]["code"] == "unknown-key"
    assert "colour" in stop["faults"][0]["text"]


def test_standard_input_takes_records_and_archives(archive: Path) -> None:
    """One record over many lines, one on a line, and an archive that begins with a bad line."""
    pretty = referee("replay", "-", stdin=PRETTY.encode())
    assert (pretty.code, formats(pretty.out)) == (0, [("referee-result/1", "small")])
    single = referee("replay", "-", stdin=LINE.encode())
    assert single.out == pretty.out
    mixed = referee("replay", "-", stdin=archive.read_bytes())
    assert (mixed.code, len(lines_of(mixed.out))) == (3, 6)
    for bad in (LINE[:50], "no JSON at all"):
        broken = referee("replay", "-", stdin=f"{bad}\n{LINE}\n".encode())
        assert broken.code == 3
        assert [kind for kind, _ in formats(broken.out)] == ["referee-stop/1", "referee-result/1"]
    empty = referee("replay", "-", stdin=b"")
    assert (empty.code, empty.out) == (0, "")


def test_files_are_records_or_archives_by_what_they_hold(tmp_path: Path) -> None:
    """A .json file may hold one record or several lines; marks and line ends do not matter."""
    texts = {
        "pretty.json": (PRETTY, 1),
        "line.json": (LINE + "\n", 1),
        "marked.json": ("\ufeff" + PRETTY, 1),
        "lines.json": (f"{LINE}\r\n{LINE}\r\n", 2),
        "marked.jsonl": (f"\ufeff{LINE}\n\n{LINE}", 2),
        "garbage.json": ("<html>\n<body>\n", 1),
        "empty.jsonl": ("\n\n", 0),
    }
    for name, (text, count) in texts.items():
        path = tmp_path / name
        path.write_text(text, "utf-8", newline="")
        assert len(list(read_lines(str(path)))) == count, name


def test_several_places_are_replayed_in_order(archive: Path, tmp_path: Path) -> None:
    """Records and archives follow one another; results are the same bytes each time."""
    single = tmp_path / "single.json"
    single.write_text(PRETTY.replace("small", "first"), "utf-8")
    ran = referee("replay", single, archive)
    assert [name for _, name in formats(ran.out)][:2] == ["first", "small"]
    assert referee("replay", "--json", single, archive).out == ran.out


def test_what_cannot_be_read_exits_4(tmp_path: Path) -> None:
    """A missing file or an empty folder is said in a line, without a traceback."""
    places = {tmp_path / "none.jsonl": " cannot be read: ", tmp_path: ": the folder holds no"}
    for place, says in places.items():
        ran = referee("replay", place)
        assert (ran.code, ran.json["format"]) == (4, "referee-error/1")
        assert ran.err.startswith(f"referee: {place}{says}")
        assert ran.err.count("\n") == 1
    with pytest.raises(Unavailable, match="cannot be read"):
        list(read_lines("bad\0name.jsonl"))


def test_other_commands_take_single_records(archive: Path) -> None:
    """An archive holds many matches: which one to show or resolve is for the host to say."""
    for name in ("show", "resolve"):
        ran = referee_at("2026-12-01T00:00:00Z", name, archive)
        assert (ran.code, ran.out) == (2, "")
        assert "replay and audit take it" in ran.err


def test_names_survive_a_pipe(archive: Path) -> None:
    """Output is UTF-8 in any locale."""
    ran = referee("replay", archive, env={"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert "Zoë 🐷" in ran.out


def peak_memory(path: Path) -> int:
    """The largest resident size, in KB, of a process that replays an archive."""
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
        "stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, *command("replay", path)],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ran.stdout)


def test_an_archive_of_any_length_takes_the_same_memory(tmp_path: Path) -> None:
    """5000 records take no more memory than 200."""
    line = LINE + "\n"
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    few.write_text(line * 200, "utf-8")
    many.write_text(line * 5000, "utf-8")
    assert peak_memory(many) < peak_memory(few) + 3000


@pytest.fixture
def resolved(tmp_path: Path) -> Path:
    path = write_book(tmp_path / "match.xlsx", b0())
    assert referee_at("2026-03-09T00:00:00Z", "resolve", path).code == 0
    return path


def test_an_export_says_what_the_workbook_says(resolved: Path, tmp_path: Path) -> None:
    """Replay, audit and show give the same on the record as on the workbook."""
    record = tmp_path / "match.json"
    told = referee("export", resolved, record)
    assert (told.code, told.out, told.err) == (0, f"wrote {record}\n", "")
    replayed = referee("replay", record)
    assert replayed.code == 0
    assert replayed.json["rounds"][0]["pen"] == B0_PEN
    assert replayed.json == referee("show", "--json", resolved).json
    assert referee("show", "--json", record).json == replayed.json
    audits = [referee("audit", "--json", place).json["audits"][0] for place in (resolved, record)]
    assert [audit["rounds"] for audit in audits] == [[1], [1]]
    assert [audit["differences"] for audit in audits] == [[], []]
    piped = referee("export", resolved, "-")
    assert piped.out.encode() == record.read_bytes()
    assert referee("replay", "-", stdin=piped.out.encode()).json == replayed.json
    assert referee("audit", "-", stdin=piped.out.encode()).code == 0


def test_an_export_replaces_an_old_one_whole(resolved: Path, tmp_path: Path) -> None:
    """The last version stays beside it; another kind of name is refused."""
    record = tmp_path / "match.json"
    record.write_text("old", "utf-8")
    assert referee("export", resolved, record).code == 0
    assert (tmp_path / "match.json.bak").read_text("utf-8") == "old"
    wrong = referee("export", resolved, tmp_path / "match.txt")
    assert (wrong.code, wrong.out) == (2, "")
    assert not (tmp_path / "match.txt").exists()
    nowhere = referee("export", resolved, tmp_path / "none" / "match.json")
    assert nowhere.code == 4


def test_an_archive_is_audited_line_by_line(resolved: Path, tmp_path: Path) -> None:
    """Each line has its verdict, in order; the exit code is the worst of them."""
    sound = referee("export", resolved, "-").out.strip()
    record = json.loads(sound)
    record["published"]["Pen"][1][1] = "Bob"
    changed = json.dumps(record)
    record = json.loads(sound)
    record["queue"][0]["ruling"] = "void"
    ruled = json.dumps(record)
    archive = tmp_path / "season.jsonl"
    archive.write_text(f"{sound}\n{changed}\n{ruled}\n{sound}\n", "utf-8")
    ran = referee("audit", archive)
    assert (ran.code, ran.err) == (1, "")
    assert "season.jsonl line 1 (B0): round 1 as recomputed" in ran.out
    assert "line 2 (B0): 1 difference, what is published was changed:" in ran.out
    assert "output: Pen!B2: round 0, Pen, A: Bob → Ann (R6.1)" in ran.out
    assert "line 3 (B0): " in ran.out
    assert "the inputs were changed:" in ran.out
    told = referee("audit", "--json", archive)
    assert [audit["exit_code"] for audit in told.json["audits"]] == [0, 1, 1, 0]
    spread = referee("audit", "--json", "--jobs", "2", archive, resolved)
    assert [a["exit_code"] for a in spread.json["audits"]] == [0, 1, 1, 0, 0]
    assert spread.json["audits"][:4] == told.json["audits"]
    archive.write_text(f"{sound}\n{sound[:99]}\n{changed}", "utf-8")
    stopped = referee("audit", "--json", archive, tmp_path / "none.xlsx", tmp_path / "none.jsonl")
    assert stopped.code == 4
    codes = [audit["exit_code"] for audit in stopped.json["audits"]]
    assert codes == [0, 3, 1, 4, 4]
    assert "season.jsonl line 2: it cannot be replayed:" in stopped.err
    assert "none.xlsx does not exist" in stopped.err


def test_many_workbooks_are_audited_at_once(resolved: Path, tmp_path: Path) -> None:
    """Every file is told by name, whatever the others come to."""
    changed = tmp_path / "changed.xlsx"
    changed.write_bytes(resolved.read_bytes())
    change_cells(changed, {"Hunger!B2": 10})
    faulty = write_book(tmp_path / "faulty.xlsx", b0(Queue=[["Timestamp", "Player"]]))
    fresh = write_book(tmp_path / "fresh.xlsx", b0())
    ran = referee("audit", resolved, changed, faulty, fresh)
    assert ran.code == 3
    lines = ran.out.splitlines()
    assert lines[0].endswith("match.xlsx: round 1 as recomputed")
    assert lines[1].endswith("changed.xlsx: 1 difference, what is published was changed:")
    assert lines[2] == "  output: Hunger!B2: round 1, Hunger, Ann: 10 → 9 (R6.3)"
    assert lines[3].endswith("fresh.xlsx: no round is published yet")
    assert "faulty.xlsx: it cannot be replayed:" in ran.err
    assert "Queue row 1: no header" in ran.err
    beyond = referee("audit", "--round", "2", resolved, fresh)
    assert beyond.code == 0
    assert beyond.out.count("round 2 is not published yet") == 2
    wrong = referee("audit", "--round", "0", resolved, fresh)
    assert (wrong.code, wrong.out) == (2, "")


class Screen(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bar_is_shown_on_a_terminal_and_wiped_before_each_verdict(
    resolved: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    """The bar goes to standard error and shares no line with a verdict; results stay clean."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(sys, "argv", ["referee", "audit", "--jobs", jobs, *[str(resolved)] * 3])
    with pytest.raises(SystemExit) as left:
        run()
    assert left.value.code == 0
    assert capsys.readouterr().out == f"{resolved}: round 1 as recomputed\n" * 3
    told = screen.getvalue().split("\r")
    bars = [bar for bar in told if bar.strip()]
    assert [bar.split(" ", 2)[2] for bar in bars] == [
        "0 of 3",
        "1 of 3",
        "2 of 3",
        "3 of 3",
    ]
    assert told[1] == " " * len(told[0])
    assert told[-1] == ""
