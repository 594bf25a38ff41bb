"""What a host types during a round, as the row it stands for: ``ann``, ``ann exit``, ``ann A D``.

Names and words are those of the workbook's own reader. What could mean two things, or is only
nearly a word, is asked about and never guessed (R0.2).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec
from msgspec import UNSET

from referee.match.faults import quoted
from referee.match.instants import MINUTE
from referee.match.record import ACTIONS, Record, Settings
from referee.rules.messages import read_message
from referee.workbook.actions import find_action
from referee.workbook.cells import Book
from referee.workbook.findings import Findings
from referee.workbook.names import Roster, distance, fold, nearest, tidy
from referee.workbook.rows import TabRows
from referee.workbook.setup import SetUp
from referee.workbook.wall_clock import Clock
from referee.workbook.zones import clock_of

Kind = Literal["queue", "submission", "round", "minutes"]

TABS: Final[dict[Kind, str]] = {
    "queue": "Queue",
    "submission": "Submissions",
    "round": "Rounds",
    "minutes": "Rounds",
}

_ROUND: Final = re.compile(
    r"round(?: (?P<number>[0-9]{1,4}))?(?: (?:--)?minutes[ =](?P<length>.+))?"
)
_SAYS: Final = re.compile(r"\s*says(?:\s+|$)(.*)", re.DOTALL | re.IGNORECASE)
_LONGEST_ROUND: Final = 1440
"""Minutes that no round of an evening has."""


class Spoken(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a line stands for: a row of Queue, Submissions or Rounds, or a round's Minutes."""

    kind: Kind
    player: str = ""
    action: str = ""
    message: str = ""
    round: int = 0
    minutes: int = 0

    @property
    def tab(self) -> str:
        """The tab it goes to, by the template's title."""
        return TABS[self.kind]

    def words(self) -> str:
        """Return it as a sentence without its time."""
        if self.kind == "round":
            return f"round {self.round} starts"
        if self.kind == "minutes":
            return f"round {self.round} lasts {self.minutes} minutes"
        if self.kind == "submission":
            return f"{self.player} says {quoted(self.message)}"
        doing = {"join": "pings", "enter": "is let in", "withdraw": "leaves the queue"}
        doing |= {"exit": "leaves the room", "leave": "leaves"}
        return f"{self.player} {doing[self.action]}"


class UnclearError(ValueError):
    """A line that is not certainly one thing: why, and the lines that would be."""

    def __init__(self, why: str, meant: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.meant = tuple(meant)


class ListedRound(msgspec.Struct, frozen=True):
    """A row of Rounds as far as it can be read; ``start`` is None where it has none."""

    row: int
    number: int
    start: int | None
    minutes: int | None

    def timer_end(self, settings: Settings) -> int | None:
        """Return when its timer ends by what its row says, None where no start is written."""
        length = settings.round_minutes if self.minutes is None else self.minutes
        return None if self.start is None else self.start + length * MINUTE


class Hearing(msgspec.Struct, frozen=True):
    """What a line is understood by: who plays, by which clock, and the rounds listed."""

    roster: Roster
    names: tuple[str, ...]
    settings: Settings
    clock: Clock
    rounds: tuple[ListedRound, ...] = ()

    def running(self, at: int) -> ListedRound | None:
        """Return the round whose timer runs at an instant by what Rounds says."""
        for listed in self.rounds:
            end = listed.timer_end(self.settings)
            if listed.start is not None and end is not None and listed.start <= at < end:
                return listed
        return None


def hearing(book: Book, set_up: SetUp) -> Hearing:
    """Return what lines typed for this workbook are understood by; rounds with faults are none."""
    return Hearing(
        roster=set_up.roster,
        names=tuple(entrant.name for entrant in set_up.players),
        settings=set_up.settings.settings,
        clock=set_up.settings.clock,
        rounds=tuple(_listed(book, set_up)),
    )


def hearing_of(record: Record) -> Hearing:
    """Return what lines are understood by where a match is known as a record.

    Raises `Stopped` where the record's time zone does not exist.
    """
    roster = Roster()
    for player in record.players:
        for spelling in (player.name, *player.aliases):
            roster.add(spelling, player.name)
    return Hearing(
        roster=roster,
        names=tuple(player.name for player in record.players),
        settings=record.settings,
        clock=clock_of(record),
        rounds=tuple(
            ListedRound(
                row=place if one.row is UNSET else one.row,
                number=one.number,
                start=None if one.start is UNSET else one.start,
                minutes=None if one.minutes is UNSET else one.minutes,
            )
            for place, one in enumerate(record.rounds, 2)
        ),
    )


def _listed(book: Book, set_up: SetUp) -> Iterator[ListedRound]:
    rows = TabRows("Rounds", book, set_up, Findings())
    for row, cells in rows.rows:
        number = rows.whole(row, cells, "Round", 1)
        start = rows.time(row, cells, "Start")
        minutes = rows.whole(row, cells, "Minutes", 1, "minutes")
        if number is not None:
            yield ListedRound(row, number, None if start is UNSET else start, minutes)


def understand(typed: str, at: int, heard: Hearing) -> Spoken:
    """Return what a line typed at an instant stands for.

    Raises `UnclearError` where it is not certainly one thing.
    """
    text = typed.strip()
    if not text:
        raise UnclearError("nothing was typed; write a player's name, or round")
    found = list(dict.fromkeys(_addressed(text, heard.roster)))
    words = " ".join(text.casefold().split())
    if words.split(" ")[0] == "round":
        if found:
            name = found[0][0]
            raise UnclearError(
                f"{quoted(text)} may be the next round or the player {name}",
                [f"{name}: join", f"round {_next(heard)}"],
            )
        return _round(text, words, at, heard)
    if not found:
        raise _nobody(text, heard)
    if len(found) > 1:
        lines = [_line(player, said) for player, said in found]
        raise UnclearError(f"{quoted(text)} may be said of {_either([p for p, _ in found])}", lines)
    player, said = found[0]
    return _said(player, said, heard)


def _addressed(text: str, roster: Roster) -> Iterator[tuple[str, str]]:
    """Yield each player whom the line may begin with, and what is said of them."""
    ends = [found.end() for found in re.finditer(r"\S+", text)]
    for end in ends:
        begun = text[:end]
        if begun.endswith(":") and (player := _player(begun[:-1], roster)) is not None:
            yield player, text[end:].strip()
            return
    for end in ends:
        if (player := _player(text[:end], roster)) is not None:
            yield player, text[end:].strip()


def _player(name: str, roster: Roster) -> str | None:
    return roster.find(name) or roster.find(name.removeprefix("@"))


def _line(player: str, said: str) -> str:
    return f"{player}: {said}".strip() if said else f"{player}: join"


def _either(names: Sequence[str]) -> str:
    return " or ".join(dict.fromkeys(names))


def _nobody(text: str, heard: Hearing) -> UnclearError:
    """Return the question who is meant by the first word, which is nobody's name."""
    first, _, said = text.partition(" ")
    begun = (
        [name for name in heard.names if fold(name).startswith(fold(first))] if fold(first) else []
    )
    if begun:
        return UnclearError(
            f"{quoted(first)} is nobody's whole name: {_either(begun)}?",
            [_line(name, said.strip()) for name in begun],
        )
    meant = heard.roster.nearest(first)
    near = meant is not None and distance(fold(first), fold(meant)) <= max(len(first) // 2, 1)
    lines = [_line(meant, said.strip())] if near and meant is not None else []
    hint = heard.roster.hint(first) if near else ""
    return UnclearError(f"{quoted(tidy(first))} is not in Players{hint}", lines)


def _said(player: str, said: str, heard: Hearing) -> Spoken:
    """Return what was said of a player: an action, or the message they typed."""
    if (says := _SAYS.fullmatch(said)) is not None:
        if not says[1].strip():
            raise UnclearError(f"what does {player} say? write it behind says")
        return Spoken("submission", player=player, message=says[1].strip())
    action = find_action(said)
    if action == "enter" and heard.settings.room_clock == "simulated":
        raise UnclearError(
            "with Room clock = simulated nobody is let in by hand: the first who waits enters "
            "by the clock (R4.7)"
        )
    if action is not None:
        return Spoken("queue", player=player, action=action)
    if read_message(said).kind == "unreadable":
        _refuse_nearly_an_action(player, said)
    return Spoken("submission", player=player, message=said)


def _refuse_nearly_an_action(player: str, said: str) -> None:
    """Raise `UnclearError` for a chat line that may be meant for an action."""
    first, *more = said.split()
    meant = find_action(first.strip(".,!"))
    if meant is None and not more:
        near = nearest(first, ACTIONS)
        allowed = 1 if len(first) < 4 else 2
        meant_near = near is not None and distance(fold(first), near) <= allowed
        meant = find_action(near) if near is not None and meant_near else None
    if meant is not None:
        raise UnclearError(
            f"{quoted(said)}: is it what {player} does or what they typed?",
            [f"{player} {meant}", f"{player} says {said}"],
        )


def _next(heard: Hearing) -> int:
    return max((listed.number for listed in heard.rounds), default=0) + 1


def _round(text: str, words: str, at: int, heard: Hearing) -> Spoken:
    found = _ROUND.fullmatch(words)
    if found is None:
        raise UnclearError(f"{quoted(text)} is not understood", ["round", "round --minutes 13"])
    number = None if found["number"] is None else int(found["number"])
    if found["length"] is not None:
        return _minutes(number, found["length"], at, heard)
    following = _next(heard)
    if number is not None and number != following:
        raise UnclearError(f"the next round is {following}, not {number}", [f"round {following}"])
    running = heard.running(at)
    if running is not None:
        end = heard.clock.text(running.timer_end(heard.settings) or at)[11:]
        raise UnclearError(
            f"the timer of round {running.number} runs until {end}; if it is over, correct its "
            f"start or Minutes in Rounds row {running.row}"
        )
    if any(listed.start is not None and listed.start >= at for listed in heard.rounds):
        raise UnclearError("Rounds lists a round that starts later than this; correct it there")
    return Spoken("round", round=following)


def _minutes(number: int | None, length: str, at: int, heard: Hearing) -> Spoken:
    """Return the new length of a round that runs, or of the one named (R2.1)."""
    if not length.isascii() or not length.isdigit() or not 1 <= int(length) <= _LONGEST_ROUND:
        raise UnclearError(
            f"{quoted(length)} is no length; write whole minutes", ["round --minutes 13"]
        )
    minutes = int(length)
    if number is None:
        running = heard.running(at)
        if running is None:
            last = heard.rounds[-1].number if heard.rounds else None
            lines = [] if last is None else [f"round {last} --minutes {minutes}"]
            raise UnclearError("no round's timer runs now; say which round is meant", lines)
    else:
        running = next((one for one in heard.rounds if one.number == number), None)
        if running is None:
            raise UnclearError(f"round {number} is not listed in Rounds")
    later = [one.start for one in heard.rounds if one.number > running.number and one.start]
    start = running.start
    if start is not None and number is None and start + minutes * MINUTE <= at:
        raise UnclearError(
            f"round {running.number} has run longer than {minutes} minutes already; write its "
            "whole length, the pause included"
        )
    if start is not None and later and start + minutes * MINUTE > min(later):
        raise UnclearError(
            f"with {minutes} minutes round {running.number} would run into the next one, which "
            "has started"
        )
    return Spoken("minutes", round=running.number, minutes=minutes)
