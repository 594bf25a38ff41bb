"""The players' page: the pens, the hunger if it is told, and the public end (R6.5).

It is made from `Revealed` alone, so that nothing else can be in the file.
"""

from collections.abc import Sequence

from referee.match.record import FOOD
from referee.rules.pen import CELLS
from referee.views.corrections import corrections
from referee.views.hexagons import Move, moves
from referee.views.page.model import Page, Player, Step, Table
from referee.views.page.words import counted, pen_words
from referee.views.revealed import Ending, Revealed


def public_page(title: str, seen: Sequence[Revealed]) -> Page:
    """Return a match as its players may see it; ``seen`` holds the start and every round, in order.

    Their hunger is on the page where each of them tells it.
    """
    names = [token for token in seen[0].pen.values() if token is not None and token != FOOD]
    tables = [Table(title="Pen", rows=(("Round", *CELLS), *(_cells(one) for one in seen)))]
    if all(one.hunger is not None for one in seen):
        rows = ((one.number, *((one.hunger or {})[name] for name in names)) for one in seen)
        tables.append(Table(title="Hunger", rows=(("Round", *names), *rows)))
    told = [(one.number, one.told.anchor or "none: no seed") for one in seen if one.told]
    if told:
        tables.append(Table(title="Anchors", rows=(("Round", "Anchor"), *told)))
    return Page(
        kind="public",
        name=title,
        status=_status(seen),
        players=tuple(Player(name=name, token=seen[0].tokens.get(name, "")) for name in names),
        steps=tuple(_step(one) for one in seen),
        tables=tuple(tables),
        hunger=_hunger(seen, names),
    )


def _status(seen: Sequence[Revealed]) -> str:
    played = counted(len(seen) - 1, "round")
    ending = seen[-1].ending
    if ending is not None:
        return f"{played} played · over. {_ending(ending)}"
    return f"{played} played · {'running' if len(seen) > 1 else 'not started'}"


def _hunger(seen: Sequence[Revealed], names: Sequence[str]) -> dict[str, tuple[int, ...]] | None:
    told = [one.hunger for one in seen if one.hunger is not None]
    if len(told) < len(seen):
        return None
    return {name: tuple(hunger[name] for hunger in told) for name in names}


def _cells(one: Revealed) -> tuple[str | int | None, ...]:
    return (one.number, *(one.pen[cell] for cell in CELLS))


def _step(one: Revealed) -> Step:
    moved = moves(one.before or one.pen, one.pen)
    if one.number == 0:
        title, text = "The start", pen_words(one.pen)
    else:
        title = f"Round {one.number} is over"
        went = "; ".join(map(_move, moved)) or "nothing"
        text = f"Moved: {went}. {pen_words(one.pen)}"
    if one.hunger is not None:
        left = ", ".join(f"{name} {points}" for name, points in one.hunger.items())
        text += f" Hunger now: {left}."
    if one.told is not None and one.told.instead_of is not None:
        title += " (corrected)"
        changed = "; ".join(f"{c.what}: {c.now}, not {c.before}" for c in corrections(one))
        text += f" Corrected: {changed or 'nothing changes for players'}."
    if one.told is not None and one.told.anchor:
        text += f" Anchor: {one.told.anchor}."
    if one.ending is not None:
        title += ", and so is the match"
        text += f" {_ending(one.ending)}"
    return Step(
        id="start" if one.number == 0 else f"r{one.number}",
        round=one.number,
        title=title,
        text=text,
        pen=one.pen,
        cells="".join(move.new for move in moved),
        hunger=one.hunger,
    )


def _move(move: Move) -> str:
    token = "the food" if move.token == FOOD else move.token
    return f"{token} from {move.old} to {move.new}"


def _ending(ending: Ending) -> str:
    starved = f"Starved: {', '.join(ending.starved)}."
    if ending.elimination_candidate is None:
        return f"{starved} The Elimination Candidate is still to be drawn."
    won = ", ".join(
        f"{name} ({counted(tokens, 'Token')} of Life)"
        for name, tokens in ending.tokens_of_life.items()
    )
    return f"{starved} Elimination Candidate: {ending.elimination_candidate}. Winners: {won}."
