"""Matches of any size to measure with: the same seed gives the same match."""

import json
import random
from pathlib import Path
from typing import Any, Final

from referee import decode_record
from referee import open as open_sheet
from referee.match.instants import format_instant, parse_instant
from referee.match.record import Record
from referee.workbook.filling import fill
from referee.workbook.reading import read_set_up

_START: Final = parse_instant("2024-11-30T20:00:00Z")
_ROUND: Final = 10 * 60_000
_PLAYERS: Final = dict(zip(("Ann", "Ben", "Cat", "Dan", "Eve", "Flo"), "ABCEFG", strict=True))
_ACTIONS: Final = {"join": 14, "exit": 4, "withdraw": 1, "leave": 1}
_MESSAGES: Final = {
    "A D": 4,
    "swap B and D": 3,
    "C-D": 3,
    "f g": 3,
    "pass": 1,
    "hello there": 3,
    "see you in {} minutes": 2,
}


def record_json(rounds: int, events: int, seed: int = 3) -> dict[str, Any]:
    """A match of six as JSON: in every round half the events are pings, half are messages.

    The pigs start with so much hunger that all rounds are played.
    """
    draw = random.Random(seed)  # noqa: S311  the same match every time
    names = list(_PLAYERS)
    opening = _START + _ROUND

    def rows(words: dict[str, int], key: str) -> list[dict[str, Any]]:
        times = sorted(
            opening + number * _ROUND + draw.randrange(_ROUND)
            for number in range(rounds)
            for _ in range(events // 2)
        )
        said = draw.choices(list(words), list(words.values()), k=len(times))
        return [
            {"time": format_instant(time), "player": draw.choice(names), key: text}
            for time, text in zip(times, said, strict=True)
        ]

    submissions = rows(_MESSAGES, "message")
    for row in submissions:
        row["message"] = row["message"].format(draw.randrange(100))
    return {
        "format": "referee-match/1",
        "game": "pig-starvation",
        "name": f"Match {seed}",
        "start": format_instant(_START),
        "settings": {"starting_hunger": 1000},
        "players": [
            {"name": name, "cell": cell, "rival": names[place - 1], "garnets": 20}
            for place, (name, cell) in enumerate(_PLAYERS.items())
        ],
        "rounds": [{"number": number} for number in range(1, rounds + 1)],
        "queue": rows(_ACTIONS, "action"),
        "submissions": submissions,
    }


def record(rounds: int, events: int, seed: int = 3) -> Record:
    """The same match as a record."""
    return decode_record(json.dumps(record_json(rounds, events, seed)).encode())


def write_workbook(path: Path, rounds: int, events: int) -> None:
    """The same match as a workbook with nothing published yet."""
    store = open_sheet(path).workbook_store()
    store.create()
    places = read_set_up(store.read()).places
    store.edit(fill(record(rounds, events), places))


def write_archive(path: Path, records: int) -> None:
    """So many short matches as an archive: JSON Lines."""
    with path.open("w", encoding="utf-8") as archive:
        for seed in range(records):
            archive.write(json.dumps(record_json(2, 20, seed)) + "\n")
