"""Two results held against each other, in words that read like a verdict.

The clauses behind the cells of the referee's tabs stand here once, for comparisons of results and
for audits of what is published.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

import msgspec

from referee.match.faults import visible
from referee.match.instants import format_instant
from referee.match.notices import Clock
from referee.match.record import CellValue
from referee.match.result import Loss, Outcome, Result, RoundResult, Visit
from referee.workbook.oddities import said as said_odd
from referee.workbook.values import plain

RULES: Final[dict[str, dict[str, str]]] = {
    "Pen": {"": "R6.1"},
    "Hunger": {"": "R6.2"},
    "Garnets": {"": "R8.1"},
    "Awards": {"": "R7.5"},
    "Visits": {
        "": "R4.1",
        "Left": "R4.3",
        "Because": "R4.3",
        "Told": "R4.4",
        "Garnets paid": "R4.5",
        "Swap": "R5.2",
        "Swap time": "R5.5",
        "Turned away": "R4.6",
    },
    "Result": {
        "": "R7.1",
        "Elimination Candidate": "R7.2",
        "Decided by": "R7.2",
        "Tied": "R7.3",
        "To settle it": "R7.3",
        "Winners": "R7.4",
        "Tokens of Life": "R7.5",
        "Garnets won": "R7.5",
        "Swaps": "R5.5",
    },
    "Notices": {"": "R9.2"},
    "Receipts": {"": "R0.1"},
    "Rounds": {"": "R7.1", "Start": "R2.2", "Timer end": "R2.2", "Official end": "R2.3"},
    "Queue": {"": "R3.5"},
}
"""The clause behind what a tab says, by column or item; the empty one stands for the others.

``Awards`` is the last row of the tab Garnets.
"""


def rule_of(tab: str, item: str) -> str:
    """Return the clause behind a column of a tab or an item of the Result tab.

    In tabs with a column a player every column has the same, whatever a player is called.
    """
    rules = RULES[tab]
    return rules.get(item.partition(":")[0], rules[""])


def rule_of_hunger(lost: Sequence[Loss]) -> str:
    """Return the clauses behind a pig's hunger after a round, from what it lost there."""
    return " and ".join(loss.rule for loss in lost) or RULES["Hunger"][""]


class Difference(msgspec.Struct, frozen=True):
    """One thing that is not the same in two results.

    ``what`` says of whom or what in the tab, ``before`` and ``after`` hold both values (None where
    there is none; times in RFC 3339), ``rule`` is the clause behind ``after``. ``round`` is None
    where the thing belongs to no single round.
    """

    tab: str
    round: int | None
    what: str
    before: CellValue
    after: CellValue
    rule: str

    @property
    def text(self) -> str:
        """The difference in a line: ``round 3, Hunger, Ann: 8 → 6 (R6.2)``."""
        return verdict(self.tab, self.round, self.what, self.before, self.after, self.rule)

    def as_json(self) -> dict[str, Any]:
        """Return the difference as ``--json`` shows it."""
        return {**msgspec.structs.asdict(self), "text": self.text}


def differences(
    before: Result, after: Result, *, clock: Clock = format_instant, notices: bool = False
) -> tuple[Difference, ...]:
    """Return everything that differs between two results of one match, round by round.

    First come the rounds, then the outcome and the last balances, then, if asked for, the notices.
    ``clock`` shows the times. Without any difference two results say the same, notices aside.
    """
    found: list[Difference] = []
    for one, other in zip_longest(before.rounds, after.rounds):
        found += _round(one, other, clock)
    found += _end(before, after)
    if notices:
        found += _notices(before, after, clock)
    return tuple(found)


def verdict(
    tab: str, round_: int | None, what: str, before: CellValue, after: CellValue, rule: str
) -> str:
    """Return a difference in a line, as a what-if, an audit and a reopening all word it.

    Texts stand in quotes only where they would look like the other: like a number, like nothing,
    or like the same text with other blanks.
    """
    where = "" if round_ is None else f"round {round_}, "
    one, other = said_odd(before) or _said(before), _said(after)
    if one.split() == other.split():
        one, other = _quoted(before), _quoted(after)
    return f"{where}{tab}, {what}: {one} → {other} ({rule})"


def _said(value: CellValue) -> str:
    if value is None or value == "":
        return "nothing"
    if not isinstance(value, str):
        return plain(value)
    return visible(value)


def said_in_quotes(value: CellValue) -> str:
    """Return a cell as a verdict quotes it."""
    return said_odd(value) or _quoted(value)


def _quoted(value: CellValue) -> str:
    return f'"{_said(value)}"' if isinstance(value, str) and value else _said(value)


def _differing(
    tab: str,
    round_: int | None,
    values: Iterator[tuple[str, CellValue, CellValue]],
    rule: Callable[[str], str] | None = None,
) -> Iterator[Difference]:
    """Yield a difference for each (what, before, after) whose values are not the same."""
    for what, one, other in values:
        if one != other:
            clause = rule_of(tab, what) if rule is None else rule(what)
            yield Difference(tab, round_, what, one, other, clause)


def _mapped(
    before: Mapping[str, CellValue], after: Mapping[str, CellValue], label: str = ""
) -> Iterator[tuple[str, CellValue, CellValue]]:
    for key in dict.fromkeys([*before, *after]):
        yield f"{label}{key}", before.get(key), after.get(key)


# --- rounds --------------------------------------------------------------------------------------


def _round(
    one: RoundResult | None, other: RoundResult | None, clock: Clock
) -> Iterator[Difference]:
    if one is None or other is None:
        number = (one or other).number  # type: ignore[union-attr]  # one of them is there
        states = ("not played", "played") if one is None else ("played", "not played")
        yield Difference("Rounds", number, "the round", *states, rule_of("Rounds", ""))
        return
    number = one.number
    clocks = (
        ("Start", clock(one.start), clock(other.start)),
        ("Timer end", clock(one.timer_end), clock(other.timer_end)),
        ("Official end", clock(one.official_end), clock(other.official_end)),
    )
    yield from _differing("Rounds", number, iter(clocks))
    yield from _visits(one, other, clock)
    yield from _differing("Pen", number, _mapped(one.pen, other.pen))
    yield from _hunger(one, other)
    yield from _differing("Garnets", number, _mapped(one.garnets, other.garnets))
    waiting = ("who waits at its end", ", ".join(one.queue), ", ".join(other.queue))
    yield from _differing("Queue", number, iter([waiting]))


def _visits(one: RoundResult, other: RoundResult, clock: Clock) -> Iterator[Difference]:
    """Compare the visits of each player, the first with the first and so on."""
    befores, afters = _by_turn(one.visits), _by_turn(other.visits)
    for player, turn in dict.fromkeys([*befores, *afters]):
        before, after = befores.get((player, turn)), afters.get((player, turn))
        which = f"{player}'s visit" if turn == 1 else f"{player}'s visit {turn}"
        if before is None or after is None:
            both = (_summary(before, clock), _summary(after, clock))
            yield Difference("Visits", one.number, which, *both, rule_of("Visits", ""))
            continue
        columns, values = _columns(before, clock), _columns(after, clock)
        for column, value in columns.items():
            if value != values[column]:
                rule = rule_of("Visits", column)
                what = f"{which}, {column}"
                yield Difference("Visits", one.number, what, value, values[column], rule)
    aways = (_turned_away(one, clock), _turned_away(other, clock))
    yield from _differing("Visits", one.number, _mapped(*aways, "Turned away: "))


def _turned_away(round_: RoundResult, clock: Clock) -> dict[str, CellValue]:
    found: dict[str, CellValue] = {}
    for turned in round_.turned_away:
        time = clock(turned.time)
        found[turned.player] = f"{found[turned.player]}, {time}" if turned.player in found else time
    return found


def _by_turn(visits: Sequence[Visit]) -> dict[tuple[str, int], Visit]:
    turns: dict[str, int] = {}
    found = {}
    for visit in visits:
        turns[visit.player] = turn = turns.get(visit.player, 0) + 1
        found[visit.player, turn] = visit
    return found


def _summary(visit: Visit | None, clock: Clock) -> str | None:
    if visit is None:
        return None
    swap = "no swap" if visit.swap is None else f"swap {visit.swap}"
    return f"{clock(visit.entered)} to {clock(visit.left)}, {swap}"


def _columns(visit: Visit, clock: Clock) -> dict[str, CellValue]:
    return {
        "Visit": visit.number,
        "Entered": clock(visit.entered),
        "Left": clock(visit.left),
        "Because": visit.left_because,
        "Told": visit.told,
        "Garnets paid": visit.garnets_paid,
        "Swap": visit.swap,
        "Swap time": None if visit.swap_time is None else clock(visit.swap_time),
    }


def _hunger(one: RoundResult, other: RoundResult) -> Iterator[Difference]:
    def rule(name: str) -> str:
        return rule_of_hunger(other.hunger_lost[name])

    yield from _differing("Hunger", one.number, _mapped(one.hunger, other.hunger), rule)
    for name, lost in one.hunger_lost.items():
        # A loss that R6.4 forgave shows in no hunger, and is a difference all the same.
        if one.hunger[name] == other.hunger[name] and lost != other.hunger_lost[name]:
            losses = (_losses(lost), _losses(other.hunger_lost[name]))
            yield Difference("Hunger", one.number, f"{name}, lost", *losses, rule(name))


def _losses(lost: Sequence[Loss]) -> str:
    return ", ".join(f"{loss.points} by {loss.rule}" for loss in lost)


# --- the end -------------------------------------------------------------------------------------


def _end(before: Result, after: Result) -> Iterator[Difference]:
    items, others = _items(before.outcome), _items(after.outcome)
    yield from _differing("Result", None, _mapped(items, others))
    yield from _differing("Result", None, _mapped(before.swaps, after.swaps, "Swaps: "))
    yield from _differing("Garnets", None, _mapped(before.garnets, after.garnets, "at the end, "))


def _items(outcome: Outcome | None) -> dict[str, CellValue]:
    if outcome is None:
        return {"Status": "running"}
    return {
        "Status": "draw pending" if outcome.tied else "over",
        "Starved": ", ".join(outcome.starved),
        "Elimination Candidate": outcome.elimination_candidate,
        "Decided by": outcome.decided_by,
        "Tied": ", ".join(outcome.tied) or None,
        "Winners": ", ".join(outcome.winners) or None,
        **{f"Tokens of Life: {name}": n for name, n in outcome.tokens_of_life.items()},
        **{f"Garnets won: {name}": n for name, n in outcome.garnets_won.items()},
    }


def _notices(before: Result, after: Result, clock: Clock) -> Iterator[Difference]:
    told, retold = _by_place(before, clock), _by_place(after, clock)
    for key in dict.fromkeys([*told, *retold]):
        if told.get(key) != retold.get(key):
            where, rule = key
            yield Difference("Notices", None, where, told.get(key), retold.get(key), rule)


def _by_place(result: Result, clock: Clock) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for notice in result.notices:
        key = (f"{notice.tab} row {notice.row} {notice.code}", notice.rule)
        text = notice.words(clock)
        found[key] = f"{found[key]}; {text}" if key in found else text
    return found
