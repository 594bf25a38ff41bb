"""Which row of a host's tab was changed after a round, as far as the published tabs can tell.

A row of a log is certain where putting it back, in one of the ways in which single cells are
changed, gives the digest of the receipt again. Else the rows are named that speak of a visit whose
published row is another now, else all those of the round, if they are few.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from referee.judging.standing import Change
from referee.match.instants import SECOND, Instant
from referee.match.record import ACTIONS
from referee.match.result import Result
from referee.rules.checks import label
from referee.rules.reasons import LISTS
from referee.workbook.digests import log_digest, log_lines

_SLIP: Final = 30
"""Seconds by which a time is tried to have been another."""


def rows_changed(tab: str, change: Change, result: Result) -> list[int]:
    """Return the rows of a host's tab of which one was changed, empty where that stays open."""
    rounds = result.record.rounds
    if tab == "Rounds":
        return [label(row, n) for n, row in enumerate(rounds) if row.number == change.round]
    if tab not in LISTS or tab == "Rounds" or not 1 <= change.round <= len(result.rounds):
        return []
    rows: tuple[Any, ...] = getattr(result.record, LISTS[tab])
    end = result.rounds[change.round - 1].official_end
    begin = result.rounds[change.round - 2].official_end if change.round > 1 else 0
    line = log_lines(result.record, tab)
    lines = [line(row) for row in rows]
    # What stands before the round's own rows was right when the round before was looked at.
    before = hashlib.sha256(b"".join(one for time, one in sorted(lines) if time <= begin))
    near = [place for place, row in enumerate(rows) if begin < row.time <= end + _SLIP * SECOND]
    for place in near:
        others = [lines[other] for other in near if other != place]
        for other in _others(rows[place], result):
            tried = sorted((*others, *map(line, other)))
            found = before.copy()
            found.update(b"".join(one for time, one in tried if time <= end))
            digest = log_digest(found.hexdigest(), result, tab, change.round - 1)
            if digest == change.receipt.tab(tab):
                return [label(rows[place], place)]
    return sorted(label(rows[n], n) for n in near if rows[n].time <= end)


def _others(row: Any, result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield what may have stood in a row's place: nothing, or the row with one other cell."""
    yield ()
    for field, values in _values(row, result):
        for value in values:
            if value != getattr(row, field):
                yield (msgspec.structs.replace(row, **{field: value}),)


def _values(row: Any, result: Result) -> Iterator[tuple[str, list[Any]]]:
    fields = row.__struct_fields__
    if "ruling" in fields:
        yield "ruling", ["", "void", "allow"]
    if "action" in fields:
        yield "action", list(ACTIONS)
    yield "player", [player.name for player in result.record.players]
    if "edited" in fields:
        yield "edited", [UNSET]
    if "message" in fields:
        yield "message", [row.message.strip(), f"{row.message} ", "pass"]
    if "garnets" in fields:
        yield "garnets", [row.garnets + more for more in range(-5, 6)]
    yield "time", [Instant(row.time + slip * SECOND) for slip in range(-_SLIP, _SLIP + 1)]
