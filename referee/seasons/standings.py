"""A season: what its matches brought whom, from published and audited results alone."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from referee.judging.auditing import audit
from referee.judging.findings import GRAVE
from referee.match.faults import RefereeError, Stopped
from referee.match.record import Record
from referee.match.record_json import decode_record
from referee.match.result import Result
from referee.rules.replay import replay
from referee.rules.rulings import parse_ruling
from referee.seasons.sources import Source
from referee.sheets import open as open_sheet
from referee.workbook.names import fold
from referee.workbook.receipts import read_receipts

FORMAT: Final = "referee-season/1"


class Won(msgspec.Struct, frozen=True):
    """What winning a match brought somebody (R7.5)."""

    player: str
    tokens: int
    garnets: int


class Match(msgspec.Struct, frozen=True):
    """A match of the season as far as it is published.

    ``candidate`` is the Elimination Candidate, None while the match runs or its draw is pending;
    ``rulings`` how often each kind of ruling was needed (R9.1). The ``receipt`` of its last
    published round tells a copy from another match.
    """

    name: str
    place: str
    rounds: int
    is_over: bool
    candidate: str | None
    decided_by: str | None
    won: tuple[Won, ...]
    players: tuple[str, ...]
    starved: tuple[str, ...]
    rulings: dict[str, int]
    receipt: str


class Left(msgspec.Struct, frozen=True):
    """A match that does not count, and why."""

    place: str
    why: str


class Standing(msgspec.Struct, frozen=True):
    """What a season brought one player."""

    player: str
    matches: int
    won: int
    tokens: int
    garnets: int
    starved: int
    candidate: int


class Season(msgspec.Struct, frozen=True):
    """The matches of a season in their order, and those that were left out."""

    matches: tuple[Match, ...]
    left_out: tuple[Left, ...]

    def standings(self) -> list[Standing]:
        """Return every player's season: most wins first, then tokens, garnets, names.

        Names are one player's without regard to case and spacing, as in a workbook.
        """
        shown: dict[str, str] = {}
        found: dict[str, Counter[str]] = {}
        for match in self.matches:
            for name in match.players:
                shown.setdefault(fold(name), name)
                found.setdefault(fold(name), Counter())["matches"] += 1
            for won in match.won:
                one = found[fold(won.player)]
                one.update(won=1, tokens=won.tokens, garnets=won.garnets)
            for name in match.starved:
                found[fold(name)]["starved"] += 1
            if match.candidate is not None:
                found[fold(match.candidate)]["candidate"] += 1
        fields = Standing.__struct_fields__[1:]
        standings = [
            Standing(shown[key], *(one[field] for field in fields)) for key, one in found.items()
        ]
        return sorted(standings, key=lambda s: (-s.won, -s.tokens, -s.garnets, fold(s.player)))

    def rulings(self) -> dict[str, tuple[int, int]]:
        """Return how often each kind of ruling was needed, and in how many matches."""
        times: Counter[str] = Counter()
        matches: Counter[str] = Counter()
        for match in self.matches:
            times.update(match.rulings)
            matches.update(match.rulings.keys())
        return {kind: (times[kind], matches[kind]) for kind in sorted(times)}

    def as_json(self) -> dict[str, Any]:
        """Return the season as ``--json`` shows it."""
        rulings = self.rulings().items()
        return {
            "format": FORMAT,
            "matches": msgspec.to_builtins(self.matches),
            "standings": msgspec.to_builtins(self.standings()),
            "rulings": {
                kind: {"times": times, "matches": matches} for kind, (times, matches) in rulings
            },
            "left_out": msgspec.to_builtins(self.left_out),
        }


def season(found: Iterable[Source]) -> Season:
    """Look at every match, and count those whose published rounds are as they recompute."""
    matches: list[Match] = []
    left: list[Left] = []
    places: dict[str, str] = {}
    for source in found:
        one = _looked_at(source)
        if isinstance(one, Match):
            first = places.setdefault(one.receipt, one.place)
            if first != one.place:
                one = Left(one.place, f"it is the same match as {first}")
        if isinstance(one, Match):
            matches.append(one)
        else:
            left.append(one)
    return Season(tuple(matches), tuple(left))


def _looked_at(source: Source) -> Match | Left:
    try:
        record = _record(source)
        audited = audit(record)
        if not audited.rounds:
            return Left(source.name, "nothing is published yet")
        # Rows that only moved change nothing that was published.
        changed = [one for one in audited.differences if one.kind in GRAVE]
        if changed:
            return Left(source.name, f"its audit finds a difference: {changed[0].text}")
        receipt = read_receipts((record.published or {}).get("Receipts", ())[1:])[-1].receipt
        return _match(source.name, replay(record, len(audited.rounds)), receipt)
    except Stopped as stopped:
        return Left(source.name, f"it cannot be replayed: {stopped.faults[0].text}")
    except RefereeError as error:
        return Left(source.name, " ".join(str(error).split()))


def _record(source: Source) -> Record:
    if source.error is not None:
        raise source.error
    if source.line is not None:
        return decode_record(source.line)
    return open_sheet(source.place, read_only=True).record()


def _match(place: str, result: Result, receipt: str) -> Match:
    outcome = result.outcome
    over = outcome is not None and not outcome.tied
    return Match(
        name=result.name,
        place=place,
        rounds=len(result.rounds),
        is_over=over,
        candidate=None if outcome is None else outcome.elimination_candidate,
        decided_by=None if outcome is None else outcome.decided_by,
        won=()
        if outcome is None
        else tuple(
            Won(name, outcome.tokens_of_life[name], outcome.garnets_won[name])
            for name in outcome.winners
        ),
        players=tuple(player.name for player in result.record.players),
        starved=() if outcome is None else outcome.starved,
        rulings=_rulings(result),
        receipt=receipt,
    )


def _rulings(result: Result) -> dict[str, int]:
    record = result.record
    last = result.rounds[-1].official_end
    found: Counter[str] = Counter()
    for tab, rows in (("Queue", record.queue), ("Submissions", record.submissions)):
        for row in rows:
            ruling = parse_ruling(row.ruling, tab) if row.time <= last else None
            if ruling is not None:
                found[ruling.kind] += 1
    return dict(sorted(found.items()))
