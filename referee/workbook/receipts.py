"""Receipts: what a round was resolved from and to, as digests in a chain.

A round's inputs are everything that its result follows from: the settings, the players, the rounds
so far, and the rows up to its official end in order of time. Rows are taken as they were read, so
that sorting a sheet, a note or another spelling of a time change nothing. The result is the round
as a result lists it, with the outcome where the round ended the match. A receipt is the digest of
its row and of the receipt before it: whoever changes a published row breaks the chain from there.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from referee.match.instants import SECOND, format_instant
from referee.match.record import Adjustment, QueueRow, Record, Submission
from referee.match.result import Result, RoundResult, outcome_json, round_json
from referee.rules.rulings import parse_ruling
from referee.version import __version__
from referee.workbook.cells import Written

CHAIN_START: Final = "referee-receipts/1"
"""What the first receipt is chained to."""


class Receipt(msgspec.Struct, frozen=True):
    """One row of the tab Receipts; digests are SHA-256 in lower-case hexadecimal."""

    round: int
    resolved_at: str
    version: str
    inputs: str
    result: str
    receipt: str

    def cells(self) -> tuple[Written, ...]:
        """Return the row as it is written."""
        return (
            self.round,
            self.resolved_at,
            self.version,
            self.inputs,
            self.result,
            self.receipt,
        )


class Digests(msgspec.Struct, frozen=True):
    """What a round's inputs and result come to."""

    inputs: str
    result: str


class _Log:
    """A log's rows in order of time, digested as far as they have been asked for.

    Rows are digested as lines of JSON, so that a later round goes on where the last one stopped.
    """

    def __init__(self, rows: Iterable[tuple[int, list[Any]]]) -> None:
        self._rows = sorted(rows, key=lambda row: row[0])
        self._next = 0
        self._digest = hashlib.sha256()

    def until(self, end: int) -> str:
        """Return the digest of the rows up to and including an instant, which only ever rises."""
        while self._next < len(self._rows) and self._rows[self._next][0] <= end:
            self._digest.update(msgspec.json.encode(self._rows[self._next][1]) + b"\n")
            self._next += 1
        return self._digest.hexdigest()


def digests(result: Result) -> tuple[Digests, ...]:
    """Return the digests of every round of a result, in order."""
    record = result.record
    queue = _Log((row.time, _queue_row(row)) for row in record.queue)
    submissions = _Log((row.time, _submission(row)) for row in record.submissions)
    adjustments = _Log((row.time, _adjustment(row)) for row in record.adjustments)
    allowed = sorted(
        (row for row in record.submissions if allows(row.ruling)), key=lambda row: row.time
    )
    found = []
    for place, round_ in enumerate(result.rounds):
        ends_match = result.outcome is not None and place == len(result.rounds) - 1
        end, until = round_.official_end, reach(result, place)
        inputs = {
            **_set_up(record, round_, uses_seed=ends_match and _was_drawn(result)),
            "queue": queue.until(end),
            "submissions": submissions.until(end),
            "adjustments": adjustments.until(end),
            "allowed_later": [_submission(row) for row in allowed if end < row.time < until],
        }
        output: dict[str, Any] = {"round": round_json(round_)}
        if ends_match and result.outcome is not None:
            output["outcome"] = outcome_json(result.outcome)
        found.append(Digests(digest(inputs), digest(output)))
    return tuple(found)


def chained(
    found: Sequence[Digests], earlier: Iterable[Receipt], resolved_at: str
) -> tuple[Receipt, ...]:
    """Return a receipt for each round; those that stand already keep their time and version."""
    kept = {receipt.round: receipt for receipt in earlier}
    receipts: list[Receipt] = []
    last = CHAIN_START
    for number, digests_ in enumerate(found, 1):
        old = kept.get(number)
        at, version = resolved_at, __version__
        if old is not None and (old.inputs, old.result) == (digests_.inputs, digests_.result):
            at, version = old.resolved_at, old.version
        last = link(last, number, at, version, digests_.inputs, digests_.result)
        receipts.append(Receipt(number, at, version, digests_.inputs, digests_.result, last))
    return tuple(receipts)


def link(last: str, *cells: Written) -> str:
    """Return a receipt: the digest of a row's other cells and of the receipt before it."""
    return digest([last, *cells])


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON: sorted keys, no blanks, UTF-8."""
    text = msgspec.json.encode(value, order="sorted")
    return hashlib.sha256(text).hexdigest()


def _was_drawn(result: Result) -> bool:
    return result.outcome is not None and result.outcome.decided_by == "draw"


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


def _set_up(record: Record, round_: RoundResult, *, uses_seed: bool) -> dict[str, Any]:
    settings = msgspec.to_builtins(record.settings)
    seed = settings.pop("tie_break_seed", None)
    if uses_seed:
        settings["tie_break_seed"] = seed
    rounds = [
        [row.number, _time(row.start), None if row.minutes is UNSET else row.minutes]
        for row in sorted(record.rounds, key=lambda row: row.number)
        if row.number <= round_.number
    ]
    cut = bool(round_.visits) and round_.visits[-1].left_because == "next round"
    return {
        "format": record.format,
        "game": record.game,
        "start": format_instant(record.start),
        "settings": settings,
        "players": [
            [player.name, player.cell, player.rival, player.garnets] for player in record.players
        ],
        "rounds": rounds,
        "cut_by_next_round": format_instant(round_.official_end) if cut else None,
    }


def _queue_row(row: QueueRow) -> list[Any]:
    edited = [] if row.edited is UNSET else [format_instant(row.edited)]
    return [format_instant(row.time), row.player, row.action, row.ruling, *edited]


def _submission(row: Submission) -> list[Any]:
    return [format_instant(row.time), row.player, row.message, _time(row.edited), row.ruling]


def _adjustment(row: Adjustment) -> list[Any]:
    return [format_instant(row.time), row.player, row.garnets, row.reason]


def _time(instant: Any) -> str | None:
    return None if instant is UNSET else format_instant(instant)


def allows(ruling: str) -> bool:
    """Whether a submission's ruling lets it count although late (R9.1)."""
    found = parse_ruling(ruling, "Submissions") if ruling else None
    return found is not None and found.kind == "allow"
