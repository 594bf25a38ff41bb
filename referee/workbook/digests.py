"""What a round was resolved from and to, as digests: one for each host tab, one for the result.

Rows are taken as they were read, so that sorting a sheet, a note or another spelling of a time
change nothing. Players are counted by their place in Players, so that a substitute who takes a row
over changes nothing either (R7.6); what players are called stands in the digest of Players alone.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from referee.match.instants import SECOND, format_instant
from referee.match.record import Adjustment, Player, QueueRow, Record, Submission
from referee.match.result import Result, RoundResult, outcome_json, round_json
from referee.rules.rulings import parse_ruling

TABS: Final = ("Settings", "Players", "Rounds", "Queue", "Submissions", "Adjustments")
"""The host tabs that have a digest of their own; the time zone belongs to Settings."""


class Digests(msgspec.Struct, frozen=True):
    """What a round's inputs and result come to; all are SHA-256 in lower-case hexadecimal.

    ``order`` is of the three logs with their rows of one instant in the order of the sheet (R0.3);
    ``seed`` and ``words`` are of the tie-break seed's and the players' words' own UTF-8, empty
    where there are none.
    """

    settings: str
    players: str
    rounds: str
    queue: str
    submissions: str
    adjustments: str
    seed: str
    words: str
    order: str
    result: str

    @property
    def inputs(self) -> str:
        """The digest of everything the round followed from."""
        return digest([getattr(self, key) for key in self.__struct_fields__ if key != "result"])

    def tab(self, title: str) -> str:
        """Return the digest of one of the host's tabs."""
        found: str = getattr(self, title.lower())
        return found


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON: sorted keys, no blanks, UTF-8."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8, empty for no text."""
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


class Log:
    """A log's rows in order, digested as far as they have been asked for.

    Rows are digested as lines of JSON, so that a later round goes on where the last one stopped.
    """

    def __init__(self, rows: Iterable[tuple[int, bytes]], *, by_content: bool = False) -> None:
        self._rows = sorted(rows) if by_content else sorted(rows, key=lambda row: row[0])
        self._next = 0
        self._digest = hashlib.sha256()

    def until(self, end: int) -> str:
        """Return the digest of the rows up to and including an instant, which only ever rises."""
        while self._next < len(self._rows) and self._rows[self._next][0] <= end:
            self._digest.update(self._rows[self._next][1])
            self._next += 1
        return self._digest.hexdigest()


def line(cells: list[Any]) -> bytes:
    """Return a row as it is digested."""
    return msgspec.json.encode(cells) + b"\n"


def digests(result: Result) -> tuple[Digests, ...]:
    """Return the digests of every round of a result, in order."""
    record = result.record
    place = places(record.players)
    kinds = {
        "queue": [(row.time, line(_queue_row(row, place))) for row in record.queue],
        "submissions": [(row.time, line(_submission(row, place))) for row in record.submissions],
        "adjustments": [(row.time, line(_adjustment(row, place))) for row in record.adjustments],
    }
    logs = {name: Log(rows, by_content=True) for name, rows in kinds.items()}
    ordered = {name: Log(rows) for name, rows in kinds.items()}
    settings, players = _settings(record), players_digest(record.players)
    found = []
    for number, round_ in enumerate(result.rounds):
        end = round_.official_end
        later = [_submission(row, place) for row in allowed_later(result, number)]
        log = {name: one.until(end) for name, one in logs.items()}
        found.append(
            Digests(
                settings=settings,
                players=players,
                rounds=digest(_rounds(record, round_)),
                queue=log["queue"],
                submissions=digest([log["submissions"], later]) if later else log["submissions"],
                adjustments=log["adjustments"],
                seed=text_digest(record.settings.tie_break_seed),
                words=text_digest(record.settings.players_words),
                order=digest([one.until(end) for one in ordered.values()]),
                result=digest(_output(result, number, place)),
            )
        )
    return tuple(found)


def log_lines(record: Record, tab: str) -> Callable[[Any], tuple[int, bytes]]:
    """Return what makes of a row of a log its time and what is digested of it."""
    place = places(record.players)
    kinds: dict[str, Callable[[Any, Mapping[str, int]], list[Any]]] = {
        "Queue": _queue_row,
        "Submissions": _submission,
        "Adjustments": _adjustment,
    }
    cells = kinds[tab]
    return lambda row: (row.time, line(cells(row, place)))


def log_digest(digest_of_rows: str, result: Result, tab: str, number: int) -> str:
    """Return a log's digest at the end of a round (its place from 0), from that of its rows."""
    place = places(result.record.players)
    later = [_submission(row, place) for row in allowed_later(result, number)]
    return digest([digest_of_rows, later]) if tab == "Submissions" and later else digest_of_rows


def places(players: Sequence[Player]) -> dict[str, int]:
    """Return each player's place in Players, from 1, by name."""
    return {player.name: number for number, player in enumerate(players, 1)}


def players_digest(players: Sequence[Player], names: Sequence[str] | None = None) -> str:
    """Return the digest of Players; ``names`` are what they were called then."""
    called = [player.name for player in players] if names is None else names
    rivals = places(players)
    return digest(
        [
            [name, player.cell, rivals.get(player.rival, player.rival), player.garnets]
            for name, player in zip(called, players, strict=True)
        ]
    )


def _settings(record: Record) -> str:
    settings = msgspec.to_builtins(record.settings)
    settings.pop("tie_break_seed", None)
    settings.pop("players_words", None)
    start = format_instant(record.start)
    return digest([record.format, record.game, start, record.time_zone, settings])


def _rounds(record: Record, round_: RoundResult) -> list[Any]:
    listed = [
        [row.number, _time(row.start), None if row.minutes is UNSET else row.minutes]
        for row in sorted(record.rounds, key=lambda row: row.number)
        if row.number <= round_.number
    ]
    cut = bool(round_.visits) and round_.visits[-1].left_because == "next round"
    return [listed, format_instant(round_.official_end) if cut else None]


def _queue_row(row: QueueRow, place: Mapping[str, int]) -> list[Any]:
    cells = [format_instant(row.time), place.get(row.player, row.player), row.action, row.ruling]
    return cells if row.edited is UNSET else [*cells, format_instant(row.edited)]


def _submission(row: Submission, place: Mapping[str, int]) -> list[Any]:
    player = place.get(row.player, row.player)
    return [format_instant(row.time), player, row.message, _time(row.edited), row.ruling]


def _adjustment(row: Adjustment, place: Mapping[str, int]) -> list[Any]:
    return [format_instant(row.time), place.get(row.player, row.player), row.garnets, row.reason]


def _time(instant: Any) -> str | None:
    return None if instant is UNSET else format_instant(instant)


def _output(result: Result, number: int, place: Mapping[str, int]) -> dict[str, Any]:
    """Return what a round came to, players by their places.

    The owned tabs show wall-clock times, so the time zone is a part of it.
    """
    round_ = round_json(result.rounds[number])
    output = {"time_zone": result.record.time_zone, "round": placed_round(round_, place)}
    if result.outcome is not None and number == len(result.rounds) - 1:
        outcome = placed_outcome(outcome_json(result.outcome), place)
        output["outcome"] = {**outcome, "tied": sorted(outcome.get("tied", ()))}
    return output


def placed_round(round_: Mapping[str, Any], called: Mapping[str, Any]) -> dict[str, Any]:
    """Return a round as RECORD writes it, every player called otherwise."""
    visits = [
        {**visit, "player": called[visit["player"]], "told": called.get(visit["told"])}
        for visit in round_["visits"]
    ]
    aways = [{**away, "player": called[away["player"]]} for away in round_["turned_away"]]
    return {
        **round_,
        "visits": visits,
        "turned_away": aways,
        "pen": {cell: called.get(token, token) for cell, token in round_["pen"].items()},
        "hunger": _keyed(round_["hunger"], called),
        "hunger_lost": _keyed(round_["hunger_lost"], called),
        "garnets": _keyed(round_["garnets"], called),
        "queue": [called[name] for name in round_["queue"]],
    }


def placed_outcome(outcome: Mapping[str, Any], called: Mapping[str, Any]) -> dict[str, Any]:
    """Return an outcome as RECORD writes it, every player called otherwise."""
    lists = {
        key: [called[name] for name in outcome[key]]
        for key in ("starved", "winners", "tied")
        if key in outcome
    }
    return {
        **outcome,
        **lists,
        "elimination_candidate": called.get(outcome["elimination_candidate"]),
        "tokens_of_life": _keyed(outcome["tokens_of_life"], called),
        "garnets_won": _keyed(outcome["garnets_won"], called),
    }


def _keyed(values: Mapping[str, Any], called: Mapping[str, Any]) -> dict[str, Any]:
    return {str(called[name]): value for name, value in values.items()}


def allowed_later(result: Result, number: int) -> list[Submission]:
    """Return the rows after a round (its place from 0) that may count in it all the same (R9.1)."""
    end, until = result.rounds[number].official_end, reach(result, number)
    rows = (row for row in result.record.submissions if end < row.time < until)
    return sorted((row for row in rows if allows(row.ruling)), key=lambda row: row.time)


def reach(result: Result, place: int) -> float:
    """Return until when an allowed row may still count in the round at a place from 0 (R9.1)."""
    rounds = result.rounds
    if place + 1 < len(rounds):
        return rounds[place + 1].start
    last = rounds[place]
    for row in result.record.rounds:
        if row.number == last.number + 1:
            break_ = result.record.settings.break_seconds * SECOND
            return last.official_end + break_ if row.start is UNSET else row.start
    return float("inf")


def allows(ruling: str) -> bool:
    """Whether a submission's ruling lets it count although late (R9.1)."""
    found = parse_ruling(ruling, "Submissions") if ruling else None
    return found is not None and found.kind == "allow"
