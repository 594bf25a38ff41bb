"""Every sentence a host can see, together in one approved text: a change of wording is reviewed.

``REFEREE_APPROVE=1 pytest tests/words`` writes the text anew; read the difference aloud
(CONTRIBUTING.md says how we speak) before it is committed.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from referee.cli.main import COMMANDS
from referee.judging.explaining import explain
from referee.match.causes import CAUSES, Cause
from referee.match.faults import Stopped
from referee.match.instants import format_time_of_day
from referee.match.notices import CODES
from referee.match.record import Record
from referee.match.record_json import decode_record
from referee.match.result import Result
from tests.support.cli import b0, change_cells, clock, referee_at, write_book
from tests.support.match_notation import CASES, play, read_case, record_object
from tests.support.sheets import GALLERY

APPROVED = Path(__file__).with_name("approved.txt")
DAY = 86_400_000


def time_of_day(instant: int) -> str:
    return format_time_of_day(instant % DAY)


def helps() -> Iterator[str]:
    """What each command says of itself."""
    for name in ("", *COMMANDS):
        ran = referee_at("2026-12-01 12:00:00", *([name] if name else []), "--help")
        assert ran.code == 0
        yield f"$ referee {name} --help".replace("  ", " ")
        yield re.sub(r" +$", "", ran.out, flags=re.MULTILINE).strip()


def results() -> Iterator[Result | Stopped]:
    for path in CASES:
        yield play(read_case(path))


def notices() -> Iterator[str]:
    """Each notice, in the words of the first case that gives it with so many facts."""
    found: dict[str, str] = {}
    for result in results():
        if isinstance(result, Result):
            for notice in result.notices:
                found.setdefault(notice.code, notice.words(time_of_day))
    assert found.keys() == CODES.keys()
    yield from (f"{code}: {found[code]}" for code in sorted(found))


def causes() -> Iterator[str]:
    """Each cause, in the words of the first case whose explanation holds it."""
    found: dict[str, str] = {}
    for path in CASES:
        try:
            told = explain(decode_record(json.dumps(record_object(read_case(path)))))
        except Stopped:
            continue
        for cause in _causes_in(told):
            found.setdefault(cause.code, cause.words(time_of_day))
    assert found.keys() <= CAUSES.keys()
    yield from (f"{code}: {found[code]}" for code in sorted(found))


def _causes_in(value: Any) -> Iterator[Cause]:
    if isinstance(value, Cause):
        yield value
    elif isinstance(value, Result | Record):
        return
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _causes_in(getattr(value, name))
    elif isinstance(value, tuple):
        for one in value:
            yield from _causes_in(one)


def stops() -> Iterator[str]:
    """What stops a replay, by its code."""
    found: dict[str, str] = {}
    for result in results():
        if isinstance(result, Stopped):
            for fault in result.faults:
                found.setdefault(fault.code, fault.text)
    yield from (f"{code}: {found[code]}" for code in sorted(found))


def gallery() -> Iterator[str]:
    """What is said of each mistake in a sheet, as the gallery has it."""
    for path in sorted(GALLERY.glob("*.toml")):
        case = tomllib.loads(path.read_text("utf-8"))
        yield from (f"fault: {text}" for text in case.get("faults", ()))
        yield from (f"remark: {text}" for text in case.get("remarks", ()))


def evening(folder: Path) -> Iterator[str]:
    """What a host reads on an evening: a deal, two rounds, a mistake, a ruling and the end."""
    path = write_book(folder / "match.xlsx", MATCH)

    def run(now: str, *words: str) -> Iterator[str]:
        at = [str(path) if word == "match.xlsx" else word for word in words]
        ran = referee_at(f"2026-03-02 {now}", *at)
        yield f"$ referee {' '.join(words)}    # {now} UTC, exit code {ran.code}"
        for name, text in (("", ran.out), ("! ", ran.err)):
            shown = text.replace(str(path), "match.xlsx").replace(str(folder), "FOLDER")
            yield from (f"{name}{_without_chance(line)}" for line in shown.splitlines())
        yield ""

    yield from run("00:00:30", "check", "match.xlsx")
    yield from run("00:05:00", "resolve", "match.xlsx")
    yield from run("00:11:00", "resolve", "match.xlsx")
    yield from run("00:11:10", "announce", "match.xlsx")
    yield from run("00:11:20", "resolve", "match.xlsx")
    yield from run("00:11:30", "audit", "match.xlsx")
    change_cells(path, {"Rounds!A3": 2, "Queue!A4": clock("19:12:00"), "Queue!B4": "Bobb"})
    yield from run("00:12:30", "check", "match.xlsx")
    yield from run("00:21:00", "resolve", "match.xlsx")
    change_cells(path, {"Queue!B4": "Bob", "Submissions!A3": clock("19:14:00")})
    change_cells(path, {"Submissions!B3": "Bob", "Submissions!C3": "B E"})
    yield from run("00:21:10", "resolve", "match.xlsx")
    yield from run("00:21:20", "explain", "match.xlsx", "--player", "Bob")
    yield from run("00:21:30", "whatif", "match.xlsx", "--allow", "Submissions:3")
    change_cells(path, {"Submissions!E3": "allow"})
    yield from run("00:21:40", "resolve", "match.xlsx")
    yield from run("00:21:50", "audit", "match.xlsx")
    yield from run("00:22:00", "resolve", "match.xlsx", "--reopen", "2")
    yield from run("00:22:10", "show", "match.xlsx")
    yield from run("00:22:20", "resolve", "match.xlsx", "--round", "7")
    yield from run("00:22:30", "reslove", "match.xlsx")
    yield from run("00:22:40", "show", "none.xlsx")


MATCH = b0(Settings=[*b0()["Settings"], ["Tie-break seed", "a secret that nobody can guess 42"]])
_CHANCE = re.compile(r"\b[0-9a-f]{16,64}\b|(?:[a-z]{5}-){3}[a-z]{5}")


def _without_chance(line: str) -> str:
    """Leave out digests and anchors: they are not words."""
    return _CHANCE.sub("…", line.rstrip())


def words(folder: Path) -> str:
    sections = {
        "Help": helps(),
        "Notices": notices(),
        "Causes": causes(),
        "What stops a replay": stops(),
        "Mistakes in a sheet": gallery(),
        "An evening": evening(folder),
    }
    parts = [f"==== {title}\n\n" + "\n".join(lines) for title, lines in sections.items()]
    return "\n\n".join(parts).rstrip() + "\n"


def test_every_sentence_is_as_it_was_approved(tmp_path: Path) -> None:
    """Whoever changes a sentence sees it in its place among all others, and so do reviewers."""
    found = words(tmp_path)
    if os.environ.get("REFEREE_APPROVE"):
        APPROVED.write_text(found, "utf-8")
    assert found == APPROVED.read_text("utf-8")
