"""Many records and workbooks replayed, as JSON, in the order of their sources (RECORD)."""

import json
from collections.abc import Iterable, Iterator

import msgspec

from referee.match.faults import RefereeError, Stopped
from referee.match.record_json import decode_record
from referee.rules.replay import replay
from referee.seasons.sources import Source
from referee.seasons.spreading import batched, spread
from referee.sheets import MatchSheet, located
from referee.sheets import open as open_sheet

BATCH = 16
"""Matches that one process replays at a time."""


class Replayed(msgspec.Struct, frozen=True):
    """What a source gives: its line of JSON, and whether it stopped or could not be read."""

    json: str
    stopped: bool = False
    error: str = ""


def replay_all(found: Iterable[Source], jobs: int = 1) -> Iterator[Replayed]:
    """Yield the result of each match, or in its place why there is none, in order.

    The same lines for any number of ``jobs``; memory does not grow with the number of matches.
    """
    for batch in spread(_replay_batch, batched(found, BATCH if jobs > 1 else 1), jobs):
        yield from batch


def _replay_batch(batch: tuple[Source, ...]) -> list[Replayed]:
    return [_replayed(source) for source in batch]


def _replayed(source: Source) -> Replayed:
    try:
        if source.error is not None:
            raise source.error
        if source.line is not None:
            return Replayed(replay(decode_record(source.line)).to_json())
        return Replayed(_of_workbook(open_sheet(source.place, read_only=True)))
    except Stopped as stop:
        return Replayed(_line(stop.as_json()), stopped=True)
    except RefereeError as error:
        return Replayed(_line(error.as_json()), error=str(error))


def _of_workbook(match: MatchSheet) -> str:
    read = match.read()
    try:
        return replay(read.record).to_json()
    except Stopped as stop:
        raise located(stop, read.places) from None


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
