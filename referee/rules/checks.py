"""What a record must be before it can be replayed: players, rounds, rows (R1.3, R1.4, R2.4, R9.1).

The types of `referee.match.record` settle what a single value may be; here stands what only shows
when values are held against each other. Every fault is found, none is raised.
"""

import unicodedata
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final, TypeVar, get_args

from msgspec import UNSET

from referee.match.faults import Fault, quoted
from referee.match.instants import format_instant, printable
from referee.match.record import (
    ACTIONS,
    FOOD,
    Adjustment,
    Player,
    QueueRow,
    Record,
    RingCell,
    Round,
    Submission,
)
from referee.rules.rulings import ALLOW, Ruling, parse_ruling

RING: Final[tuple[str, ...]] = get_args(RingCell)

_Value = TypeVar("_Value", bound=Hashable)

Row = Round | QueueRow | Submission | Adjustment


def label(row: Row, index: int) -> int:
    """Return a row's sheet row number; where none is recorded, its place in the list from 1."""
    return index + 1 if row.row is UNSET else row.row


def place(tab: str, row: int) -> str:
    """Return how a fault names a row: ``Queue row 14``."""
    return f"{tab} row {row}"


def players_faults(players: Sequence[Player]) -> Iterator[Fault]:
    """Find what is wrong with the set-up of the players (R1.2-R1.4)."""
    if not 2 <= len(players) <= 6:
        yield Fault(
            "player-count", f"Players: {len(players)} players; a match has 2 to 6", "Players"
        )
    names = _counted([player.name for player in players])
    cells: dict[str, int] = _counted([player.cell for player in players])
    rivals = _counted([player.rival for player in players])
    for row, player in enumerate(players, 1):
        for code, problem in _player_problems(player, names, cells, rivals):
            text = f"{place('Players', row)}: {problem}"
            yield Fault(code, text, "Players", row, player.name)


def _player_problems(
    player: Player, names: Mapping[str, int], cells: Mapping[str, int], rivals: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    name, rival = player.name, player.rival
    if not name.strip():
        yield "blank-name", "the name is blank; give every player a name"
    if not name.isprintable() and any(unicodedata.category(letter) == "Cc" for letter in name):
        yield "control-character", f"{quoted(name)} holds a control character; type the name anew"
    if name.casefold() == FOOD:
        yield "reserved-name", f"{quoted(name)} is the food's name; choose another"
    if names[name] > 1:
        yield "doubled-name", f"{quoted(name)} stands {names[name]} times; names are unique"
    cell: str = player.cell  # a record built in Python may hold any text
    if cell not in RING:
        yield "bad-cell", f"{quoted(name)} starts on {quoted(cell)}; use A, B, C, E, F or G"
    elif cells[cell] > 1:
        yield "cell-taken", f"cell {cell} is given to {cells[cell]} players"
    if rival not in names:
        yield "unknown-rival", f"{quoted(name)} has the rival {quoted(rival)}, who is not a player"
    elif rival == name:
        yield "own-rival", f"{quoted(name)} is their own rival; choose another player"
    elif rivals[rival] > 1:
        yield (
            "doubled-rival",
            f"{quoted(rival)} is the rival of {rivals[rival]} players; it must be one",
        )


def _counted(values: Sequence[_Value]) -> dict[_Value, int]:
    """Count how often each value stands there (a `Counter` takes twice as long for so few)."""
    counts: dict[_Value, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts


def rounds_faults(rounds: Sequence[Round]) -> Iterator[Fault]:
    """Find what is wrong with the list of rounds: numbers 1, 2, 3 … and rising starts (R2.4)."""
    numbers = _counted([round_.number for round_ in rounds])
    for index, round_ in enumerate(rounds):
        row, number = label(round_, index), round_.number
        where = place("Rounds", row)
        if numbers[number] > 1:
            text = f"{where}: round {number} is listed {numbers[number]} times; list it once"
            yield Fault("doubled-round", text, "Rounds", row)
        if number > 1 and number - 1 not in numbers:
            text = f"{where}: round {number} is listed and round {number - 1} is not; add it"
            yield Fault("missing-round", text, "Rounds", row)
    latest: int | None = None
    for index, round_ in in_order(rounds):
        if round_.start is UNSET:
            continue
        if latest is not None and round_.start <= latest:
            row = label(round_, index)
            text = (
                f"{place('Rounds', row)}: round {round_.number} starts at "
                f"{format_instant(round_.start)}, not after the recorded start of an earlier "
                f"round at {format_instant(latest)}; correct one of the two"
            )
            yield Fault("starts-not-rising", text, "Rounds", row)
        latest = round_.start


def in_order(rounds: Sequence[Round]) -> list[tuple[int, Round]]:
    """Return the rounds by number, each with its place in the list from 0."""
    return sorted(enumerate(rounds), key=lambda numbered: numbered[1].number)


class Ledger:
    """Collects the faults and the rulings of a record's rows while they are taken up."""

    def __init__(self, record: Record) -> None:
        self.names = frozenset(player.name for player in record.players)
        self.recorded_clock = record.settings.room_clock == "recorded"
        self.faults: list[Fault] = []

    def fault(self, code: str, problem: str, tab: str, row: int, player: str | None = None) -> None:
        """Add a fault about one row."""
        self.faults.append(Fault(code, f"{place(tab, row)}: {problem}", tab, row, player))

    def ruling(self, row: QueueRow | Submission, tab: str, number: int) -> Ruling | None:
        """Read a row's ruling; what is none becomes a fault (R9.1)."""
        try:
            return parse_ruling(row.ruling, tab)
        except ValueError as error:
            self.fault("bad-ruling", str(error), tab, number, row.player)
            return None

    def player(self, name: str, tab: str, row: int) -> bool:
        """Return whether a row's player is one of the match; an unknown one is a fault."""
        if name in self.names:
            return True
        self.fault(
            "unknown-player", f"{quoted(name)} is not a player of this match", tab, row, name
        )
        return False

    def action(self, row: QueueRow, number: int) -> bool:
        """Return whether a queue row's action can be taken; what cannot is a fault (R4.7)."""
        if row.action not in ACTIONS:
            words = ", ".join(ACTIONS)
            problem = f"{quoted(row.action)} is not an action; write one of {words}"
            self.fault("bad-action", problem, "Queue", number, row.player)
            return False
        if row.action == "enter" and not self.recorded_clock:
            problem = (
                "an enter row needs the setting Room clock = recorded; "
                "with the simulated clock remove the row, entries follow from the pings"
            )
            self.fault("enter-simulated", problem, "Queue", number, row.player)
            return False
        return True

    def edited_ping(self, row: QueueRow, number: int) -> bool:
        """Return whether a queue row was sent as it stands, or the host ruled on it (R3.6)."""
        ruling = row.ruling.strip().casefold()
        if row.edited is not UNSET and not ruling:
            code = "edited-ping"
            problem = (
                "the message was edited, and a mention that an edit adds pings nobody; write allow "
                "in the column Ruling if @Dealer stood in it when it was sent, void if not"
            )
        elif row.edited is UNSET and ruling == ALLOW.kind:
            code = "bad-ruling"
            problem = (
                f"{quoted(row.ruling)} lets an edited row count, and this one has no edit time; "
                "clear the ruling, or write void"
            )
        else:
            return True
        self.fault(code, problem, "Queue", number, row.player)
        return False

    def edit(self, row: QueueRow | Submission, tab: str, number: int) -> bool:
        """Return whether a row's edit does not precede its sending."""
        if row.edited is UNSET or row.edited >= row.time:
            return True
        problem = (
            f"edited at {format_instant(row.edited)}, before it was sent at "
            f"{format_instant(row.time)}; correct one of the two"
        )
        self.fault("edited-before-sent", problem, tab, number, row.player)
        return False


def clock_fault(tab: str | None, row: int | None, instant: int) -> Fault | None:
    """Return a fault where a clock leaves the years 1 to 9999, else None."""
    if printable(instant):
        return None
    where = f"{place(tab, row)}: " if tab and row else ""
    text = f"{where}the clocks run past the year 9999; shorten the lengths or correct the starts"
    return Fault("clock-overflow", text, tab, row)
