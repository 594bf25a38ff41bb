"""The match record: everything the engine needs, as frozen types, and JSON both ways.

Settings and their defaults are declared here and nowhere else; the template, the workbook's
reader, the help and the rules page take titles, defaults, limits and descriptions from
`Settings`.
"""

from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from referee.match.instants import Instant

RECORD_FORMAT: Final = "referee-match/1"
GAME: Final = "pig-starvation"
FOOD: Final = "food"
LARGEST: Final = 2**53 - 1
"""The largest whole number every JSON reader keeps exactly."""

Cell = Literal["A", "B", "C", "D", "E", "F", "G"]
RingCell = Literal["A", "B", "C", "E", "F", "G"]
Action = Literal["join", "withdraw", "exit", "leave", "enter"]
ACTIONS: Final[tuple[str, ...]] = get_args(Action)

_Count = Annotated[int, Meta(ge=0, le=LARGEST)]
_Length = Annotated[int, Meta(ge=1, le=LARGEST)]


def _count(title: str, description: str) -> Any:
    return Meta(title=title, description=description)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a match is played: the settings, each with its default, unit and clause."""

    starting_hunger: Annotated[
        _Count, _count("Starting hunger", "Hunger points of every pig at the start (R1.2)")
    ] = 10
    pre_game_minutes: Annotated[
        _Count, _count("Pre-game minutes", "From the match's start to round 1 (R2.1)")
    ] = 10
    round_minutes: Annotated[_Length, _count("Round minutes", "The timer of a round (R2.1)")] = 10
    room_seconds: Annotated[
        _Length, _count("Room seconds", "The longest visit to the Dealer Room (R4.3)")
    ] = 60
    break_seconds: Annotated[
        _Count, _count("Break seconds", "From a round's official end to the next round (R2.2)")
    ] = 0
    extra_visit_garnets: Annotated[
        _Count,
        _count("Extra visit garnets", "Price of entering after a swap in the same round (R4.5)"),
    ] = 2
    missed_meal_loss: Annotated[
        _Count, _count("Missed meal loss", "Hunger lost by a pig away from the food (R6.2)")
    ] = 2
    centre_loss: Annotated[
        _Count, _count("Centre loss", "Hunger every pig loses with the food on D (R6.2)")
    ] = 1
    last_swap_loss: Annotated[
        _Count, _count("Last swap loss", "Hunger lost for a last swap that involves D (R6.3)")
    ] = 1
    sole_winner_tokens: Annotated[
        _Count, _count("Sole winner tokens", "Tokens of Life for a single winner (R7.5)")
    ] = 2
    joint_winner_tokens: Annotated[
        _Count, _count("Joint winner tokens", "Tokens of Life for each of several winners (R7.5)")
    ] = 1
    hunger_per_garnet: Annotated[
        _Length, _count("Hunger per garnet", "Hunger left that earns a winner one garnet (R7.5)")
    ] = 2
    room_clock: Annotated[
        Literal["simulated", "recorded"],
        _count(
            "Room clock",
            "simulated: the first in the queue enters as soon as the room is free (R4.1); "
            "recorded: only as the host logs an enter row (R4.7)",
        ),
    ] = "simulated"
    visit_ends: Annotated[
        Literal["limit", "swap"],
        _count(
            "Visit ends",
            "limit: at the limit or a logged exit; swap: also at the first valid swap (R4.3)",
        ),
    ] = "limit"
    pings_outside_rounds: Annotated[
        Literal["ignore", "queue"],
        _count(
            "Pings outside rounds",
            "ignore: they do not count; queue: they join the next round's queue (R3.2)",
        ),
    ] = "ignore"
    unpaid_visits: Annotated[
        Literal["refuse", "debt"],
        _count(
            "Unpaid visits",
            "refuse: who cannot pay is turned away; debt: they enter and owe (R4.6)",
        ),
    ] = "refuse"
    tie_break_seed: Annotated[
        str, _count("Tie-break seed", "Secret text that settles a draw anyone can verify (R7.3)")
    ] = ""
    players_words: Annotated[
        str,
        _count(
            "Players' words",
            "A word from each player, given once the seed was committed to; part of a draw (R7.3)",
        ),
    ] = ""


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, kw_only=True):
    """A row of a tab; ``row`` is its sheet row number, from 1, and only labels notices."""

    row: Annotated[int, Meta(ge=1, le=LARGEST)] | UnsetType = UNSET


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player: name, starting ring cell, rival's name, garnets to start with (R1.2-R1.4)."""

    name: str
    cell: RingCell
    rival: str
    garnets: _Count = 0
    aliases: tuple[str, ...] = ()
    token: str = ""


class Round(_Row, frozen=True, gc=False):
    """A round to resolve; ``start`` where the host recorded one, ``minutes`` where its own (R2)."""

    number: _Length
    start: Instant | UnsetType = UNSET
    minutes: _Length | UnsetType = UNSET


class QueueRow(_Row, frozen=True, gc=False):
    """A ping of @Dealer (``join``) or another act at the queue or the room (R3, R4).

    ``edited`` is when the message behind it was last edited, which may have made it a ping (R3.6).
    """

    time: Instant
    player: str
    action: Action = "join"
    edited: Instant | UnsetType = UNSET
    ruling: str = ""


class Submission(_Row, frozen=True, gc=False):
    """A message a player typed, when it was sent, and when it was last edited (R5)."""

    time: Instant
    player: str
    message: str
    edited: Instant | UnsetType = UNSET
    ruling: str = ""


class Adjustment(_Row, frozen=True, gc=False):
    """Garnets the host gave or took, with their time (R8)."""

    time: Instant
    player: str
    garnets: Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
    reason: str = ""


CellValue = str | int | float | bool | None
"""What a cell of an owned tab holds in an archive: text, number, true/false or nothing."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole match as the host recorded it (``referee-match/1``).

    Instants are whole milliseconds since the epoch. Lists keep the order of the sheet, which
    decides between rows of one instant (R0.3).
    """

    format: Literal["referee-match/1"]
    game: Literal["pig-starvation"]
    name: str
    start: Instant
    players: tuple[Player, ...]
    rounds: tuple[Round, ...]
    queue: tuple[QueueRow, ...]
    submissions: tuple[Submission, ...]
    time_zone: str = "UTC"
    settings: Settings = Settings()
    adjustments: tuple[Adjustment, ...] = ()
    published: dict[str, list[list[CellValue]]] | None = None
