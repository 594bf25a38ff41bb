"""A compact way to write a match down, for the cases and for the hosts who read them.

`tests/cases/README.md` explains the notation. A case's lines become a match record as JSON, and
what the engine makes of it is put into the words of the case's own expectation, so that a failing
case shows two texts side by side.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.match.faults import Fault, Stopped
from referee.match.instants import format_instant
from referee.match.record_json import decode_record
from referee.match.result import Result, RoundResult, Visit
from referee.rules.replay import replay

CASES: Final = sorted((Path(__file__).parents[1] / "cases").glob("*.toml"))
DAY: Final = "2026-11-29"
PLAYERS: Final = """
Ann A Ben 3
Ben B Cat 3
Cat C Dan 3
Dan E Eve 3
Eve F Fay 3
Fay G Ann 3
"""
"""The players of every case that names none: name, cell, rival, garnets."""

_PLAYER = re.compile(r"(?P<name>\S+) (?P<cell>\S+) (?P<rival>\S+)(?: (?P<garnets>\S+))?")
_ROW = r"(?:#(?P<row>[0-9]+) )?"
_RULING = r"(?: \{(?P<ruling>.*)\})?"
_ROUND = re.compile(
    rf"{_ROW}(?P<number>[0-9]+)(?: at (?P<start>\S+))?(?: for (?P<minutes>\d+) min)?"
)
_EDITED = r"(?:\(edited (?P<edited>\S+)\) )?"
_QUEUE = re.compile(
    rf"{_ROW}(?P<time>\S+) {_EDITED}(?P<player>[^\s(]+)(?: (?P<action>[a-z]+))?{_RULING}"
)
_SUBMISSION = re.compile(
    rf"{_ROW}(?P<time>\S+) {_EDITED}(?P<player>[^\s:]+): (?P<message>.*?){_RULING}"
)
_ADJUSTMENT = re.compile(
    rf"{_ROW}(?P<time>\S+) (?P<player>\S+) (?P<garnets>[+-]?[0-9]+)(?: (?P<reason>.*))?"
)
_NUMBERS: Final = ("row", "number", "minutes", "garnets")
_TIMES: Final = ("time", "edited", "start")


def read_case(path: Path) -> dict[str, Any]:
    """A case as it stands in its file."""
    return tomllib.loads(path.read_text("utf-8"))


def lines(block: str) -> list[str]:
    """The lines of a block, with single blanks, so that columns may be aligned."""
    return [" ".join(line.split()) for line in block.splitlines() if line.strip()]


def _time(text: str) -> str:
    return text if "T" in text else f"{DAY}T{text}Z"


def _rows(block: str, pattern: re.Pattern[str]) -> list[dict[str, Any]]:
    found = []
    for line in lines(block):
        match = pattern.fullmatch(line)
        assert match is not None, f"not in the notation of a case: {line}"
        row: dict[str, Any] = {k: v for k, v in match.groupdict().items() if v is not None}
        row |= {key: int(row[key]) for key in _NUMBERS if key in row}
        row |= {key: _time(row[key]) for key in _TIMES if key in row}
        found.append(row)
    return found


def record_object(case: Mapping[str, Any]) -> dict[str, Any]:
    """The match record that a case's lines stand for, as a JSON object."""
    players = case.get("players", PLAYERS)
    return {
        "format": "referee-match/1",
        "game": "pig-starvation",
        "name": "A case",
        "start": _time(case.get("start", "20:00:00")),
        "settings": case.get("settings", {}),
        "players": _rows(players, _PLAYER) if isinstance(players, str) else players,
        "rounds": _rows(case.get("rounds", "1"), _ROUND),
        "queue": _rows(case.get("queue", ""), _QUEUE),
        "submissions": _rows(case.get("submissions", ""), _SUBMISSION),
        "adjustments": _rows(case.get("adjustments", ""), _ADJUSTMENT),
    }


def play(case: Mapping[str, Any]) -> Result | Stopped:
    """What the engine makes of a case's match."""
    try:
        return replay(decode_record(json.dumps(record_object(case))))
    except Stopped as stopped:
        return stopped


def _clock(instant: int) -> str:
    return format_instant(instant).removeprefix(f"{DAY}T").removesuffix("Z")


def expected_and_found(
    expect: Mapping[str, Any], played: Result | Stopped
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A case's expectation and what was found, both in the case's words."""
    if isinstance(played, Stopped):
        wanted = sorted(lines(expect.get("stop", "no stop")))
        return {"stop": wanted}, {"stop": _stop(wanted, played.faults)}
    expected: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for key, value in {"notices": "", **expect}.items():
        wanted_lines = lines(value) if isinstance(value, str) else value
        expected[key] = _plain(wanted_lines)
        found[key] = _FOUND[key](wanted_lines, played)
    return expected, found


def _plain(value: Any) -> Any:
    """Cells and names stand one after the other; how they are broken into lines does not matter."""
    if isinstance(value, Mapping):
        return {key: _plain(held) for key, held in value.items()}
    return " ".join(value.split()) if isinstance(value, str) else value


def _with_fragment(wanted: Sequence[str], place: int, found: str, text: str) -> str:
    """What was found, with its words only if the case quotes some of them, or all if it errs."""
    expected, _, fragment = wanted[place].partition(": ") if place < len(wanted) else ("", "", "")
    if expected != found or not fragment:
        return found
    return f"{found}: {fragment if fragment in text else text}"


def _stop(wanted: Sequence[str], faults: Sequence[Fault]) -> list[str]:
    said = sorted((_words(fault.code, fault.tab, fault.row), fault.text) for fault in faults)
    return [_with_fragment(wanted, place, *fault) for place, fault in enumerate(said)]


def _notices(wanted: Sequence[str], result: Result) -> list[str]:
    return [
        _with_fragment(wanted, place, _words(n.code, n.tab, n.row, n.player), n.text)
        for place, n in enumerate(result.notices)
    ]


def _words(*parts: object) -> str:
    return " ".join(str(part) for part in parts if part is not None)


def _visits(wanted: Sequence[str], result: Result) -> list[str]:
    every = [(round_.number, visit) for round_ in result.rounds for visit in round_.visits]
    found = []
    for place, (number, visit) in enumerate(every):
        asked = wanted[place].split(", ")[1:] if place < len(wanted) else []
        found.append(_visit(number, visit, [part.split()[0] for part in asked]))
    return found


def _visit(number: int, visit: Visit, asked: Iterable[str]) -> str:
    parts = [
        f"{number} {visit.player} {_clock(visit.entered)}-{_clock(visit.left)} {visit.left_because}"
    ]
    for what in asked:
        if what == "told":
            parts.append(f"told {visit.told or 'nobody'}")
        elif what == "paid":
            parts.append(f"paid {visit.garnets_paid}")
        elif visit.swap is None:
            parts.append("no swap")
        else:
            at = "" if visit.swap_time is None else f" at {_clock(visit.swap_time)}"
            parts.append(f"swap {visit.swap}{at}")
    return ", ".join(parts)


def _rounds(_wanted: Any, result: Result) -> list[str]:
    return [
        f"{r.number} {_clock(r.start)} {_clock(r.timer_end)} {_clock(r.official_end)}"
        for r in result.rounds
    ]


def _turned_away(_wanted: Any, result: Result) -> list[str]:
    return [
        f"{round_.number} {turned.player} {_clock(turned.time)}"
        for round_ in result.rounds
        for turned in round_.turned_away
    ]


def _round(result: Result, number: str) -> RoundResult | None:
    return next((r for r in result.rounds if str(r.number) == number), None)


def _pen(wanted: Mapping[str, str], result: Result) -> dict[str, str]:
    found = {}
    for number in wanted:
        round_ = _round(result, number)
        cells = {} if round_ is None else round_.pen
        found[number] = " ".join(cells.get(cell) or "-" for cell in "ABCDEFG")
    return found


def _waiting(wanted: Mapping[str, str], result: Result) -> dict[str, str]:
    found = {}
    for number in wanted:
        round_ = _round(result, number)
        found[number] = "no such round" if round_ is None else " ".join(round_.queue)
    return found


def _hunger(wanted: Mapping[str, Mapping[str, int]], result: Result) -> dict[str, Any]:
    found = {}
    for number, names in wanted.items():
        round_ = _round(result, number)
        found[number] = {} if round_ is None else {name: round_.hunger[name] for name in names}
    return found


def _lost(wanted: Mapping[str, Mapping[str, str]], result: Result) -> dict[str, Any]:
    found = {}
    for number, names in wanted.items():
        round_ = _round(result, number)
        lost = {} if round_ is None else round_.hunger_lost
        found[number] = {
            name: ", ".join(f"{loss.points} {loss.rule}" for loss in lost.get(name, ()))
            for name in names
        }
    return found


def _garnets(wanted: Mapping[str, Mapping[str, int]], result: Result) -> dict[str, Any]:
    """By round, and under `end` the balances with the awards and everything after the rounds."""
    found = {}
    for number, names in wanted.items():
        round_ = _round(result, number)
        held = result.garnets if number == "end" else {} if round_ is None else round_.garnets
        found[number] = {name: held.get(name) for name in names}
    return found


def _swaps(wanted: Mapping[str, int], result: Result) -> dict[str, int]:
    return {name: result.swaps[name] for name in wanted}


def _outcome(wanted: Mapping[str, Any] | bool, result: Result) -> Any:
    if result.outcome is None or isinstance(wanted, bool):
        return result.outcome is not None
    held = {name: getattr(result.outcome, name) for name in wanted}
    if held.get("elimination_candidate", "") is None:
        held["elimination_candidate"] = "nobody"
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in held.items()
    }


_FOUND: Final[dict[str, Callable[[Any, Result], Any]]] = {
    "garnets": _garnets,
    "hunger": _hunger,
    "lost": _lost,
    "notices": _notices,
    "outcome": _outcome,
    "pen": _pen,
    "rounds": _rounds,
    "stop": lambda _wanted, _result: "no stop",
    "swaps": _swaps,
    "turned_away": _turned_away,
    "visits": _visits,
    "waiting": _waiting,
}
"""What a case may expect, and how the engine's answer is put into the case's words."""
