"""What a page holds: the match as steps and rounds, in words and numbers, ready to be drawn.

Fields left at their default are not written at all, so that a page for players holds no trace of
what only the host may know. Times are words, their places on the time line milliseconds since the
round's start. Players are called by name everywhere.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from referee.match.causes import Effect
from referee.match.notices import Severity
from referee.workbook.cells import Written


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the page; what is left at its default is not in the file."""


class Line(_Part, frozen=True):
    """A sentence and the clause behind it."""

    text: str
    rule: str = ""


class Player(_Part, frozen=True):
    """A player; ``rival`` only on the host's page."""

    name: str
    token: str = ""
    rival: str = ""


class Step(_Part, frozen=True):
    """One place to stop at: what just happened, and how everything stands then.

    ``id`` is the step's name in the page's address. ``round`` counts from 1, 0 is the start and the
    number after the last round the result. ``cells`` are the two cells of the swap just made, or
    those whose tokens moved; ``at`` is the step's place on the round's time line, ``visit`` the
    number of the visit it shows. ``lost`` tells what each pig lost in the round that ends here.
    """

    id: str
    round: int
    title: str
    text: str
    pen: Mapping[str, str | None]
    cells: str = ""
    reasons: tuple[Line, ...] = ()
    hunger: Mapping[str, int] | None = None
    lost: Mapping[str, str] | None = None
    garnets: Mapping[str, int] | None = None
    swaps: Mapping[str, int] | None = None
    visit: int | None = None
    at: int | None = None


class Visit(_Part, frozen=True):
    """A visit as a bar of the time line and a row of its table."""

    number: int
    player: str
    begin: int
    end: int
    entered: str
    left: str
    because: str
    told: str | None
    paid: int
    swap: str | None
    swap_time: str | None


class Wait(_Part, frozen=True):
    """A stretch of a round in which a player stood in the queue."""

    player: str
    begin: int
    end: int


class Ping(_Part, frozen=True):
    """A ping of @Dealer; ``text`` tells what came of it."""

    player: str
    at: int
    time: str
    effect: Effect
    text: str


class Remark(_Part, frozen=True):
    """A notice with the cell it stands at."""

    severity: Severity
    where: str
    text: str
    rule: str


class Row(_Part, frozen=True):
    """A row of the host's tabs: who said what, and what became of it."""

    where: str
    said: str
    effect: Effect
    lines: tuple[Line, ...]


class Round(_Part, frozen=True):
    """A round's clocks, room, queue, notices and reasons."""

    number: int
    start: str
    timer_end: str
    official_end: str
    timer: int
    length: int
    visits: tuple[Visit, ...]
    waits: tuple[Wait, ...]
    pings: tuple[Ping, ...]
    queue: tuple[str, ...]
    notices: tuple[Remark, ...]
    hunger: tuple[Line, ...]
    garnets: tuple[Line, ...]
    rows: tuple[Row, ...]


class Rest(_Part, frozen=True):
    """What belongs to no round: rows that wait or came too late, balances before and after."""

    notices: tuple[Remark, ...]
    garnets: tuple[Line, ...]
    rows: tuple[Row, ...]


class Table(_Part, frozen=True):
    """A table of the whole match, header first, as the workbook publishes it."""

    title: str
    rows: tuple[tuple[Written, ...], ...]


class Page(_Part, frozen=True):
    """A whole page. ``hunger`` is each pig's at the start and after every round, where told."""

    kind: Literal["host", "public"]
    name: str
    status: str
    players: tuple[Player, ...]
    steps: tuple[Step, ...]
    tables: tuple[Table, ...]
    hunger: Mapping[str, tuple[int, ...]] | None = None
    rounds: tuple[Round, ...] = ()
    rest: Rest | None = None
