"""What a host says of a new match before anything is looked up: who plays, and from when."""

import re
from collections.abc import Sequence
from typing import Final

from referee.match.faults import WrongUsage, quoted
from referee.match.instants import DAY, MINUTE, Instant
from referee.match.record import FOOD
from referee.stores.contract import CellEdit
from referee.workbook.names import fold, tidy, unfit
from referee.workbook.places import Places
from referee.workbook.times import Times, UndatedError, time_cell
from referee.workbook.wall_clock import Clock

_FROM_NOW: Final = re.compile(r"\+ ?(?:([0-9]{1,3}) ?h)? ?(?:([0-9]{1,4}) ?m(?:in)?)?")
_JUST_NOW: Final = 2 * 60 * MINUTE
"""Whether a time of day so long ago means today or tomorrow is not guessed."""
_EXAMPLES: Final = 'write it like 20:00, "2026-11-29 20:00" or +10m'


def read_start(text: str, now: int, clock: Clock) -> Instant:
    """Return the instant at which a match starts: a time of day, a date and time, or from now on.

    A time of day is today's, or tomorrow's where it is long past; what is counted from ``now``
    (milliseconds) ends on the full minute. Raises `WrongUsage` where the text is anything else.
    """
    said = tidy(text)
    if said.startswith("+"):
        found = _FROM_NOW.fullmatch(said)
        if found is None or not any(found.groups()):
            raise WrongUsage(f"--start {quoted(text)} is not understood; {_EXAMPLES}")
        minutes = 60 * int(found[1] or 0) + int(found[2] or 0)
        return Instant(-(-(now + minutes * MINUTE) // MINUTE) * MINUTE)
    try:
        return Times(clock).read(said, on_the_minute=True)
    except UndatedError:
        return _of_the_day(said, now, clock)
    except ValueError as error:
        raise WrongUsage(f"--start {error}") from None


def _of_the_day(said: str, now: int, clock: Clock) -> Instant:
    today = clock.wall(now) // DAY * DAY
    try:
        start = Times(clock, clock.instant(today)).read(said, on_the_minute=True)
        if start > now:
            return start
        if now - start <= _JUST_NOW:
            raise WrongUsage(
                f"--start {said} was a short while ago: write it with its day, "
                f'"{clock.text(start)[:16]}" or "{clock.text(start + DAY)[:16]}"'
            )
        return Times(clock, clock.instant(today + DAY)).read(said, on_the_minute=True)
    except ValueError as error:
        raise WrongUsage(f"--start {error}") from None


def read_players(text: str) -> list[str]:
    """Return the players' names, which stand between commas.

    Raises `WrongUsage` where a match cannot be played by them.
    """
    names = [name for part in re.split(r"[,;\n]", text) if (name := tidy(part))]
    seen: dict[str, str] = {}
    for name in names:
        if (bad := unfit(name)) is not None:
            raise WrongUsage(f"--players: {quoted(name)} holds the character {bad}; leave it out")
        if fold(name) == FOOD:
            raise WrongUsage(f"--players: {quoted(name)} is the food's name; choose another")
        if (other := seen.setdefault(fold(name), name)) is not name:
            raise WrongUsage(
                f"--players: {quoted(other)} and {quoted(name)} are the same name; change one"
            )
    if not 2 <= len(names) <= 6:
        count = "1 player" if len(names) == 1 else f"{len(names)} players"
        raise WrongUsage(f"--players: {count}; a match has 2 to 6, with commas between")
    return names


def opening_edits(
    places: Places, clock: Clock, names: Sequence[str], start: int | None
) -> list[CellEdit]:
    """Return the cells that write the players and the start into a new match workbook."""
    edits = []
    value, row = places.column("Settings", "Value"), places.setting_rows.get("start")
    if start is not None and value is not None and row is not None:
        title = places.title("Settings")
        edits.append(CellEdit(title, row, value, time_cell(clock, start)))
    column = places.column("Players", "Player")
    first = (places.last_row("Players") or 1) + 1
    if column is not None:
        title = places.title("Players")
        edits += [CellEdit(title, row, column, name) for row, name in enumerate(names, first)]
    return edits
