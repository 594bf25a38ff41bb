"""A match record with the lines just typed in it, before the sheet holds them.

The console shows what was typed at once, however long the sheet takes.
"""

from collections.abc import Iterable, Sequence
from typing import cast

import msgspec
from msgspec import UNSET

from referee.match.instants import Instant
from referee.match.record import Action, QueueRow, Record, Round, Submission
from referee.stores.journal import Kept


def echoed(record: Record, lines: Iterable[Kept]) -> Record:
    """Return a record as it will be read once the sheet holds these lines, in their order.

    A line that the record has already is not added again; one that is undone is taken out.
    """
    for line in lines:
        if line.spoken is not None and (not line.gone or line.undo):
            record = _without(record, line) if line.undo else _with(record, line)
    return record


def _with(record: Record, line: Kept) -> Record:
    spoken, at = line.spoken, Instant(line.at)
    assert spoken is not None  # noqa: S101  asked by the caller
    replace = msgspec.structs.replace
    if spoken.kind == "minutes":
        rounds = tuple(
            replace(one, minutes=spoken.minutes) if one.number == spoken.round else one
            for one in record.rounds
        )
        return replace(record, rounds=rounds)
    if spoken.kind == "round":
        if any(one.number == spoken.round for one in record.rounds):
            return record
        row = Round(number=spoken.round, start=at, row=_below(record.rounds))
        return replace(record, rounds=(*record.rounds, row))
    if spoken.kind == "queue":
        if any(_is_of(one, line) for one in record.queue):
            return record
        action = cast("Action", spoken.action)
        ping = QueueRow(at, spoken.player, action, row=_below(record.queue))
        return replace(record, queue=(*record.queue, ping))
    if any(_is_of(one, line) for one in record.submissions):
        return record
    said = Submission(at, spoken.player, spoken.message, row=_below(record.submissions))
    return replace(record, submissions=(*record.submissions, said))


def _without(record: Record, line: Kept) -> Record:
    spoken = line.spoken
    assert spoken is not None  # noqa: S101  asked by the caller
    replace = msgspec.structs.replace
    if spoken.kind == "queue":
        return replace(record, queue=tuple(one for one in record.queue if not _is_of(one, line)))
    if spoken.kind == "submission":
        kept = tuple(one for one in record.submissions if not _is_of(one, line))
        return replace(record, submissions=kept)
    if spoken.kind == "round":
        rounds = tuple(
            one for one in record.rounds if (one.number, one.start) != (spoken.round, line.at)
        )
        return replace(record, rounds=rounds)
    return record


def _is_of(row: QueueRow | Submission, line: Kept) -> bool:
    assert line.spoken is not None  # noqa: S101  asked by the caller
    return row.time == line.at and row.player == line.spoken.player


def _below(rows: Sequence[QueueRow | Submission | Round]) -> int:
    """Return the sheet row under the last one, which is where a new one comes to stand."""
    return max((row.row for row in rows if row.row is not UNSET), default=len(rows) + 1) + 1
