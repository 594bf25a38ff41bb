"""The result of a replay: frozen types, and JSON out (``referee-result/1``, docs/formats.md).

Instants are whole milliseconds since the epoch, here as everywhere; JSON shows them in UTC.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from referee.match.instants import format_instant
from referee.match.notices import Notice
from referee.match.record import Record

RESULT_FORMAT: Final = "referee-result/1"

LeftBecause = Literal["limit", "exit", "swap", "next entry", "next round"]
DecidedBy = Literal["only starved pig", "fewest swaps", "latest first swap", "draw", "draw pending"]


class Visit(msgspec.Struct, frozen=True, gc=False):
    """One visit to the Dealer Room; ``number`` counts from 1 in each round (R4).

    ``told`` is who entered last before, ``swap`` the two cells in alphabetical order or None,
    ``swap_time`` the instant at which it counts (R5.5).
    """

    number: int
    player: str
    entered: int
    left: int
    left_because: LeftBecause
    told: str | None
    garnets_paid: int
    swap: str | None
    swap_time: int | None


class TurnedAway(msgspec.Struct, frozen=True, gc=False):
    """A player who could not pay for another visit, and when (R4.6)."""

    player: str
    time: int


class Loss(msgspec.Struct, frozen=True, gc=False):
    """Hunger points a clause took, also the part that R6.4 forgave."""

    points: int
    rule: str


class RoundResult(msgspec.Struct, frozen=True, gc=False):
    """A round as it was played; balances, hunger, pen and queue at its official end."""

    number: int
    start: int
    timer_end: int
    official_end: int
    visits: tuple[Visit, ...]
    turned_away: tuple[TurnedAway, ...]
    pen: Mapping[str, str | None]
    hunger: Mapping[str, int]
    hunger_lost: Mapping[str, tuple[Loss, ...]]
    garnets: Mapping[str, int]
    queue: tuple[str, ...]


class Outcome(msgspec.Struct, frozen=True):
    """How the match ended (R7).

    With a pending draw there is no Elimination Candidate and no winner yet, and ``tied`` names the
    players between whom it stands, by code point.
    """

    starved: tuple[str, ...]
    elimination_candidate: str | None
    decided_by: DecidedBy
    winners: tuple[str, ...]
    tokens_of_life: Mapping[str, int]
    garnets_won: Mapping[str, int]
    tied: tuple[str, ...] = ()


class Result(msgspec.Struct, frozen=True):
    """Everything a replay finds: rounds, outcome (None while the match runs), balances, notices.

    ``record`` is the record replayed; it is not part of the JSON.
    """

    record: Record
    rounds: tuple[RoundResult, ...]
    outcome: Outcome | None
    garnets: Mapping[str, int]
    swaps: Mapping[str, int]
    notices: tuple[Notice, ...]

    @property
    def name(self) -> str:
        """The match's name."""
        return self.record.name

    def as_json(self) -> dict[str, Any]:
        """Return the ``referee-result/1`` object."""
        return {
            "format": RESULT_FORMAT,
            "name": self.name,
            "rounds": [round_json(round_) for round_ in self.rounds],
            "outcome": None if self.outcome is None else outcome_json(self.outcome),
            "garnets": dict(self.garnets),
            "swaps": dict(self.swaps),
            "notices": [notice_json(notice) for notice in self.notices],
        }

    def to_json(self) -> str:
        """Return the result as one line of JSON; the same record gives the same bytes (R0.1)."""
        return msgspec.json.encode(self.as_json()).decode()


def notice_json(notice: Notice) -> dict[str, Any]:
    """Return a notice as a result lists it."""
    return {
        "code": notice.code,
        "rule": notice.rule,
        "severity": notice.severity,
        "tab": notice.tab,
        "row": notice.row,
        "player": notice.player,
        "text": notice.text,
    }


def round_json(round_: RoundResult) -> dict[str, Any]:
    """Return a round as a result lists it."""
    return {
        "number": round_.number,
        "start": format_instant(round_.start),
        "timer_end": format_instant(round_.timer_end),
        "official_end": format_instant(round_.official_end),
        "visits": [visit_json(visit) for visit in round_.visits],
        "turned_away": [
            {"player": turned.player, "time": format_instant(turned.time)}
            for turned in round_.turned_away
        ],
        "pen": dict(round_.pen),
        "hunger": dict(round_.hunger),
        "hunger_lost": {
            player: [{"points": loss.points, "rule": loss.rule} for loss in losses]
            for player, losses in round_.hunger_lost.items()
        },
        "garnets": dict(round_.garnets),
        "queue": list(round_.queue),
    }


def visit_json(visit: Visit) -> dict[str, Any]:
    """Return a visit as a result lists it."""
    return {
        "number": visit.number,
        "player": visit.player,
        "entered": format_instant(visit.entered),
        "left": format_instant(visit.left),
        "left_because": visit.left_because,
        "told": visit.told,
        "garnets_paid": visit.garnets_paid,
        "swap": visit.swap,
        "swap_time": None if visit.swap_time is None else format_instant(visit.swap_time),
    }


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a result lists it."""
    found: dict[str, Any] = {
        "starved": list(outcome.starved),
        "elimination_candidate": outcome.elimination_candidate,
        "decided_by": outcome.decided_by,
        "winners": list(outcome.winners),
        "tokens_of_life": dict(outcome.tokens_of_life),
        "garnets_won": dict(outcome.garnets_won),
    }
    if outcome.tied:
        found["tied"] = list(outcome.tied)
    return found
