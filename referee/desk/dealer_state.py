"""A match as the Dealer sees it at one instant; `referee.desk.console` finds it, views show it."""

from typing import Any, Literal

import msgspec

from referee.judging.waiting import RowName
from referee.match.faults import Fault
from referee.match.instants import format_instant
from referee.match.notices import Notice
from referee.match.result import notice_json
from referee.rules.messages import Reading

Phase = Literal[
    "before", "pre-game", "round", "overrun", "break", "waiting", "over", "cannot be played"
]


class Typed(msgspec.Struct, frozen=True):
    """A message of the visitor, and how it reads; ``counts`` is the instant at which it does so.

    ``message`` is empty where it was edited after the instant shown; ``ruling`` is the host's.
    """

    counts: int
    message: str
    reading: Reading
    ruling: str = ""


class Inside(msgspec.Struct, frozen=True):
    """Who is in the Dealer Room: since when and at most until when, whom they are to be told.

    ``paid`` is the price of this visit in garnets, ``swap`` the one that counts so far.
    """

    player: str
    entered: int
    until: int
    told: str | None
    paid: int
    swap: str | None
    typed: tuple[Typed, ...]


class Next(msgspec.Struct, frozen=True):
    """A player who waits, in the order of the queue.

    ``enters`` is when the rules let them in if nothing else happens, None where that is open, and
    ``round`` the round in which it can be at the earliest. ``pays`` is the price in garnets they
    will pay then, ``turned_away`` that they cannot; ``garnets`` is what they have now.
    """

    player: str
    round: int
    garnets: int
    enters: int | None = None
    pays: int = 0
    turned_away: bool = False


class Pending(msgspec.Struct, frozen=True):
    """A queue row that waits for its round to be listed (R3.2)."""

    player: str
    action: str
    time: int


class State(msgspec.Struct, frozen=True):
    """A match at an instant.

    ``phase`` is ``before`` the match, ``pre-game``, ``round``, ``overrun`` (the timer is over,
    somebody is inside), ``break``, ``waiting`` (for the next round to be listed), ``over``, or
    ``cannot be played`` where the faults say so. ``round`` is the round that runs, else the last
    one played; ``until`` when the phase ends as far as that is known; ``time_zone`` the one in
    which times are shown; ``news`` the notices that are worth a look now; ``waiting`` every row,
    those ahead of now too, that waits for a round to be listed (R3.2).
    """

    name: str
    now: int
    phase: Phase
    round: int | None
    until: int | None
    inside: Inside | None
    last_entered: str | None
    queue: tuple[Next, ...]
    pending: tuple[Pending, ...]
    notices: tuple[Notice, ...]
    faults: tuple[Fault, ...]
    news: tuple[Notice, ...] = ()
    time_zone: str = "UTC"
    waiting: tuple[RowName, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the state as ``--json`` shows it; instants in UTC."""
        return {
            "format": "referee-live/1",
            "name": self.name,
            "now": format_instant(self.now),
            "time_zone": self.time_zone,
            "phase": self.phase,
            "round": self.round,
            "until": _shown(self.until),
            "inside": None if self.inside is None else _inside_json(self.inside),
            "last_entered": self.last_entered,
            "queue": [
                msgspec.structs.asdict(waiting) | {"enters": _shown(waiting.enters)}
                for waiting in self.queue
            ],
            "pending": [
                msgspec.structs.asdict(row) | {"time": _shown(row.time)} for row in self.pending
            ],
            "notices": [notice_json(notice) for notice in self.notices],
            "waiting": [row.as_json() for row in self.waiting],
            "faults": [fault.as_json() for fault in self.faults],
        }


def _shown(instant: int | None) -> str | None:
    return None if instant is None else format_instant(instant)


def _inside_json(inside: Inside) -> dict[str, Any]:
    return {
        "player": inside.player,
        "entered": format_instant(inside.entered),
        "until": format_instant(inside.until),
        "told": inside.told,
        "garnets_paid": inside.paid,
        "swap": inside.swap,
        "typed": [
            {
                "time": format_instant(typed.counts),
                "message": typed.message,
                "reads_as": reads_as(typed.reading),
                "ruling": typed.ruling,
            }
            for typed in inside.typed
        ],
    }


def reads_as(reading: Reading) -> str:
    """Return how a message reads, in a few words."""
    if reading.kind == "swap":
        return f"swap {reading.swap[0]} and {reading.swap[1]}"
    return "pass" if reading.kind == "pass" else f"{reading.kind}: {reading.why}"
