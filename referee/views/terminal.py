"""The match in a terminal: the pen as hexagons, hunger, garnets, visits, queue and notices."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from referee.match.notices import Clock
from referee.match.result import Result, RoundResult
from referee.rules.pen import starting_pen
from referee.views.hexagons import moves
from referee.views.pen_text import draw_pen
from referee.views.round_notices import round_notices
from referee.views.summary import notice_line, outcome_lines
from referee.workbook.places import Places
from referee.workbook.writing import wall_clock

_BREAKABLE: Final = ("Player", "Told", "Because", "Lost")
"""Columns that may be cut where there is no room."""
_NARROW: Final = 76
"""Columns of a window below which tables leave out the blanks beside their lines."""


def match_view(
    result: Result, places: Places, number: int, now: int | None = None
) -> Iterable[RenderableType]:
    """Yield the parts of the match as it stood after round ``number``; 0 is the start.

    A round that is not over at ``now`` (milliseconds) is shown as it would end from here.
    What players typed is text and never mark-up.
    """
    record = result.record
    clock = wall_clock(record)
    tokens = {player.name: player.token for player in record.players}
    round_ = result.rounds[number - 1] if number else None
    before = result.rounds[number - 2].pen if number > 1 else starting_pen(record.players)
    pen = before if round_ is None else round_.pen
    moved = [move.token for move in moves(before, pen)]
    yield Text(_title(result, round_, clock, now))
    yield Text(draw_pen(pen, tokens, moved))
    yield _standing(result, round_)
    if round_ is not None:
        yield _visits(round_, clock)
        yield Text(f"Queue: {', '.join(round_.queue) or 'nobody'}")
        for notice in round_notices(result, number):
            yield Text(notice_line(notice, places, clock))
    if result.outcome is not None and number == len(result.rounds):
        yield from (Text(line) for line in outcome_lines(result.outcome))


def print_match(result: Result, places: Places, number: int, now: int | None = None) -> None:
    """Print the match on standard output; without a terminal plainly, at 100 columns."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    for part in match_view(result, places, number, now):
        if isinstance(part, Table) and console.width < _NARROW:
            part.padding = (0, 0, 0, 0)
        console.print(part)


def _title(result: Result, round_: RoundResult | None, clock: Clock, now: int | None) -> str:
    if round_ is None:
        return f"{result.name}: the start"
    if now is not None and now < round_.official_end:
        end = clock(round_.official_end)
        return f"{result.name}: round {round_.number}, still running until {end}, as it stands now"
    return f"{result.name}: round {round_.number}, over at {clock(round_.official_end)}"


def _table(*headers: str) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for header in headers:
        # In a narrow window names are cut first: half a time would be another time.
        table.add_column(header, no_wrap=header not in _BREAKABLE)
    return table


def _row(table: Table, cells: Sequence[object]) -> None:
    table.add_row(*(Text("" if cell is None else str(cell)) for cell in cells))


def _standing(result: Result, round_: RoundResult | None) -> Table:
    table = _table("Player", "Cell", "Hunger", "Lost", "Garnets", "Swaps")
    for player in result.record.players:
        name = player.name
        if round_ is None:
            hunger = result.record.settings.starting_hunger
            _row(table, (name, player.cell, hunger, "", player.garnets, 0))
            continue
        cell = next(cell for cell, token in round_.pen.items() if token == name)
        lost = " ".join(f"-{loss.points} ({loss.rule})" for loss in round_.hunger_lost[name])
        swaps = sum(
            1
            for played in result.rounds[: round_.number]
            for visit in played.visits
            if visit.player == name and visit.swap
        )
        _row(table, (name, cell, round_.hunger[name], lost, round_.garnets[name], swaps))
    return table


def _visits(round_: RoundResult, clock: Clock) -> RenderableType:
    if not round_.visits:
        return Text("No visits.")
    table = _table("Visit", "Player", "Entered", "Left", "Because", "Told", "Paid", "Swap")
    for visit in round_.visits:
        times = (_hour(clock(visit.entered)), _hour(clock(visit.left)))
        told = visit.told or "nobody"
        swap = "-".join(visit.swap) if visit.swap else "no swap"
        cells = (visit.number, visit.player, *times, visit.left_because, told)
        _row(table, (*cells, visit.garnets_paid, swap))
    return table


def _hour(text: str) -> str:
    """Return a shown time without its date, which the title tells."""
    return text.partition(" ")[2] or text
