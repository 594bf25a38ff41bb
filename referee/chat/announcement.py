"""The text a host posts after a round, with only what the players may know (R6.5).

It is made from `Revealed` alone; what a round keeps secret is in `referee.chat.confidential`.
"""

from referee.chat.markup import (
    code_block,
    escape_name,
    escape_token,
    mention,
    split_messages,
    timestamp,
)
from referee.match.record import FOOD
from referee.match.result import Result
from referee.rules.verdict import Draw, commitment_to
from referee.views.corrections import Correction, corrections
from referee.views.hexagons import in_order, moves
from referee.views.pen_text import PHONE_COLUMNS, draw_pen
from referee.views.revealed import Ending, Revealed, revealed


def announce_round(
    result: Result,
    round_number: int,
    *,
    hunger: bool = False,
    next_timer: int | None = None,
    ping: str = "",
) -> list[str]:
    """Return the messages that announce a round's end, each short enough for Discord.

    ``round_number`` 0 announces the start. ``hunger`` adds every pig's hunger points;
    ``next_timer`` (milliseconds) is when the next round's timer starts; ``ping`` is who is
    mentioned: a role's id, ``<@&id>``, ``@everyone`` or ``@here``. Raises `WrongUsage` for a round
    that was not played or a mention that is none.
    """
    seen = revealed(result, round_number, hunger=hunger)
    blocks = [mention(ping)] if ping.strip() else []
    blocks += [_heading(seen), code_block(_drawing(seen)), *_cells(seen), *_corrected(seen)]
    blocks += _promise(seen)
    if seen.ending is not None:
        blocks += _ending(seen.ending)
    elif next_timer is not None:
        blocks.append(
            f"Round {seen.number + 1} starts at {timestamp(next_timer, 'T')}, "
            f"{timestamp(next_timer, 'R')}."
        )
    blocks += _anchor(seen)
    return split_messages(blocks)


def _heading(seen: Revealed) -> str:
    if seen.number == 0:
        return "## The pen at the start"
    over = f"## Round {seen.number} is over"
    over = f"{over}, and so is the match" if seen.ending is not None else over
    return over if seen.told is None or seen.told.instead_of is None else f"{over} (corrected)"


def _anchor(seen: Revealed) -> list[str]:
    """Return the line that holds the host to this round (RULES, Anchors)."""
    if seen.told is None:
        return []
    if not seen.told.anchor:
        return [f"Round {seen.number} has no anchor: the match has no tie-break seed."]
    return [f"Anchor of round {seen.number}: `{seen.told.anchor}`"]


def _corrected(seen: Revealed) -> list[str]:
    """Return what is otherwise than announced before the round was reopened."""
    if seen.told is None or seen.told.instead_of is None:
        return []
    lines = list(corrections(seen))
    if not lines:
        return ["**Corrected:** for players nothing changes; the anchor is a new one."]
    return ["**Corrected:** this was announced otherwise before:", *map(_escaped, lines)]


def _escaped(line: Correction) -> str:
    return f"- {escape_name(line.what)}: {escape_name(line.now)}, not {escape_name(line.before)}"


def _drawing(seen: Revealed) -> str:
    return draw_pen(seen.pen, columns=PHONE_COLUMNS, legend=False)


def _cells(seen: Revealed) -> list[str]:
    """Return a line a cell: who stands there, where they came from, their hunger if it is told."""
    came_from = {move.token: move.old for move in moves(seen.before or seen.pen, seen.pen)}
    lines = []
    for cell, token in in_order(seen.pen):
        if token is None:
            lines.append(f"**{cell}** (empty)")
            continue
        line = f"**{cell}** {_token_name(seen, token)}"
        if token in came_from:
            line += f" ← {came_from[token]}"
        if seen.hunger is not None and token in seen.hunger:
            line += f" · hunger {seen.hunger[token]}"
        lines.append(line)
    return lines


def _token_name(seen: Revealed, token: str) -> str:
    if token == FOOD:
        return "the food"
    badge = seen.tokens.get(token, "")
    return f"{escape_token(badge)} {escape_name(token)}" if badge else escape_name(token)


def _ending(ending: Ending) -> list[str]:
    lines = [f"Starved: {_names(ending.starved)}"]
    if ending.elimination_candidate is None:
        return [*lines, "The Elimination Candidate is still to be drawn."]
    lines.append(f"**Elimination Candidate: {escape_name(ending.elimination_candidate)}**")
    winners = ending.tokens_of_life
    each = " each" if len(winners) > 1 else ""
    for count in sorted(set(winners.values())):
        named = [name for name, tokens in winners.items() if tokens == count]
        title = "Winners" if len(named) > 1 else "Winner"
        tokens = "1 Token of Life" if count == 1 else f"{count} Tokens of Life"
        lines.append(f"**{title}: {_names(named)}** ({tokens}{each})")
    return lines if ending.lot is None else [*lines, *_draw(ending.lot)]


def _promise(seen: Revealed) -> list[str]:
    """Return what binds the host to the seed, and the question for the players' words (R7.3)."""
    if not seen.commitment:
        return []
    told = [
        "Should it come to a draw, it follows from a secret seed. It is fixed by its SHA-256:",
        code_block(seen.commitment),
    ]
    if seen.words:
        return [*told, "and by the players' words:", code_block(seen.words)]
    return [
        *told,
        (
            "and by a word from each of you: post yours before round 1 starts, and nobody, the "
            "host included, can know what will be drawn."
        ),
    ]


def _draw(lot: Draw) -> list[str]:
    """Return a draw step by step, for any HMAC calculator (R7.3)."""
    count = len(lot.names)
    words = "without words of the players" if not lot.words else "and last the players' words"
    return [
        (
            "**The draw**, for anyone to check. Take any HMAC-SHA256 calculator. As its key this "
            "seed, which was kept secret until now:"
        ),
        code_block(lot.seed),
        f"Its SHA-256 is what was told at the start: `{commitment_to(lot.seed)}`",
        f"As its message these lines, the names of those tied, {words}; no blank line after them:",
        code_block(lot.message.decode("utf-8", "replace")),
        (
            f"It gives `{lot.digest.hex()}`. Divided by {count}, as one hexadecimal number, that "
            f"leaves {lot.index}. Counting the names from 0, it is {escape_name(lot.drawn)}."
        ),
    ]


def _names(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(escape_name, names))
