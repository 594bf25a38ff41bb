"""What the receipts say of published rounds, held against what those come to now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any, Final

import msgspec

from referee.judging.chain import Chain, read_chain
from referee.match.record import CellValue, Player
from referee.match.result import Result
from referee.workbook.digests import TABS, digest, digests, players_digest
from referee.workbook.first_digests import first_digests
from referee.workbook.names import fold
from referee.workbook.oddities import shown
from referee.workbook.receipts import (
    CHAIN_START,
    Receipt,
    new_receipt,
    read_receipts,
    said,
)

Published = Mapping[str, Sequence[Sequence[CellValue]]]
"""The owned tabs' rows as they stand, by the template's titles, header first."""

UNKNOWN: Final = "?"
"""Stands for a host tab where a receipt of referee 0.1 does not tell which."""

SEED: Final = "Tie-break seed"
WORDS: Final = "Players' words"
_MOST_NAMES: Final = 2000
_ROUND_TABS: Final = {"Pen": 2, "Hunger": 1, "Garnets": 1}
"""The tabs with one row a round, and where round 1 stands, rows from 0."""


def published_rounds(published: Published) -> int:
    """Return how many rounds are published: the highest number that stands in its own row.

    The tabs with one row a round say so, any one of them, and the receipts that stand; a number out
    of its row is a changed cell and no round.
    """
    found = 0
    for tab, first in _ROUND_TABS.items():
        for number, row in enumerate(published.get(tab, ())[first:], 1):
            if row and whole(shown(row[0])) == number:
                found = max(found, number)
    receipts = [row for row in published.get("Receipts", ())[1:] if row]
    standing = {whole(row[0]) for row in receipts if not any(row[17:18])}
    while found + 1 in standing:
        found += 1
    return found


def whole(value: CellValue) -> int | None:
    """Return a number's whole value, None for anything else."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Change(msgspec.Struct, frozen=True):
    """How a round's receipt differs from what the round comes to now.

    ``tabs`` are the host tabs that were changed, with `SEED` and `WORDS` for those two settings;
    ``late`` says which of them were first given after the round; ``order`` tells rows of one
    instant that changed places; ``result`` that the round now comes to something else.
    """

    round: int
    receipt: Receipt
    tabs: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    order: bool = False
    result: bool = False

    @property
    def matters(self) -> bool:
        """Whether the receipt does not stand for the round any more."""
        return bool(self.tabs) or self.result


class Standing:
    """A result held against the published receipts."""

    def __init__(self, result: Result, published: Published, count: int) -> None:
        self.result = result
        self.published = published
        self.digests = digests(result)
        rows, notices = published.get("Receipts", ()), published.get("Notices", ())
        self.chain: Chain = read_chain(rows, notices, self.digests, count)
        self._first: dict[tuple[str, ...], tuple[tuple[str, str], ...]] = {}
        self._called: set[tuple[str, ...]] = set()
        self.changes: dict[int, Change] = {
            number: self.change(receipt)
            for number, receipt in sorted(self.chain.current.items())
            if number <= count
        }

    @property
    def _players(self) -> tuple[Player, ...]:
        return self.result.record.players

    def change(self, receipt: Receipt) -> Change:
        """Return how a receipt differs from what its round comes to now."""
        number = receipt.round
        if number > len(self.digests):
            return Change(number, receipt, ("Rounds",), result=True)
        if receipt.is_first_kind:
            inputs, result = self._first_kind(receipt)
            return Change(number, receipt, () if inputs else (UNKNOWN,), result=not result)
        found = self.digests[number - 1]
        tabs = [tab for tab in TABS if receipt.tab(tab) != found.tab(tab)]
        if "Players" in tabs and self._called_then(receipt.players):
            tabs.remove("Players")
        late = []
        for name, then, now in (
            (SEED, receipt.seed, found.seed),
            (WORDS, receipt.words, found.words),
        ):
            if then and then != now:
                tabs.append(name)
            elif then != now:
                late.append(name)
        before = msgspec.structs.replace(
            found, players=receipt.players, seed=receipt.seed, words=receipt.words
        )
        order = not tabs and before.inputs != receipt.inputs
        result = receipt.result != found.result
        return Change(number, receipt, tuple(tabs), tuple(late), order, result)

    # --- who was called how (R7.6)

    @cached_property
    def _names(self) -> list[tuple[str, ...]]:
        """What the players may have been called, the likeliest first: by the tabs, by aliases."""
        return list(islice(self._possible_names(), _MOST_NAMES))

    def _possible_names(self) -> Iterator[tuple[str, ...]]:
        now = tuple(player.name for player in self._players)
        yield now
        header = tuple(str(cell) for cell in next(iter(self.published.get("Hunger", ())), ())[1:])
        aliases = [{fold(alias) for alias in player.aliases} for player in self._players]
        if len(header) == len(now) and all(
            then == name or fold(then) in known
            for then, name, known in zip(header, now, aliases, strict=True)
        ):
            yield header
        places = [place for place, player in enumerate(self._players) if player.aliases]
        for many in range(1, len(places) + 1):
            for some in combinations(places, many):
                for others in product(*(self._players[place].aliases for place in some)):
                    then = dict(zip(some, others, strict=True))
                    yield tuple(then.get(place, name) for place, name in enumerate(now))

    def _called_then(self, players: str) -> bool:
        for names in self._names:
            if players_digest(self._players, names) == players:
                self._called.add(names)
                return True
        return False

    def _first_kind(self, receipt: Receipt) -> tuple[bool, bool]:
        """Whether a receipt of referee 0.1 has the inputs and the result of its round."""
        place = receipt.round - 1
        for names in self._names[:64]:
            if names not in self._first:
                called = {p.name: name for p, name in zip(self._players, names, strict=True)}
                self._first[names] = first_digests(self.result, called)
            if self._first[names][place][0] == receipt.inputs:
                self._called.add(names)
                return True, self._first[names][place][1] == receipt.result
        return False, self._first[self._names[0]][place][1] == receipt.result

    @cached_property
    def former(self) -> dict[str, str]:
        """The players' names of now by those that a receipt vouches for."""
        found = {}
        for names in self._called:
            for name, player in zip(names, self._players, strict=True):
                if name != player.name:
                    found[name] = player.name
        return found


def renewed(
    standing: Standing, resolved_at: str, salt: str, told: Callable[[int], str]
) -> tuple[Receipt, ...]:
    """Return the receipts as they come to stand: those that hold, and new ones below.

    A round whose receipt does not hold any more gets another one; ``told`` says what players were
    told of it before.
    """
    found = standing.digests
    rows = [
        [shown(cell) for cell in row]
        for row in standing.published.get("Receipts", ())[1:]
        if any(cell not in (None, "") for cell in row)
    ]
    kept = list(read_receipts(rows))
    there = {one.round: one for one in kept}
    for number, digests_ in enumerate(found, 1):
        old = there.get(number)
        if old is not None and not standing.change(old).matters:
            continue
        last = kept[-1].receipt if kept else CHAIN_START
        own = _salted(salt, number)
        kept.append(new_receipt(last, number, resolved_at, digests_, own, told(number)))
    return tuple(_marked(kept, len(found), resolved_at))


def _salted(salt: str, number: int) -> str:
    """Return a salt of a round's own; none where none is given."""
    return digest([salt, number])[:32] if salt else ""


def _marked(receipts: Sequence[Receipt], count: int, now: str) -> Iterator[Receipt]:
    later: dict[int, str] = {}
    marks = []
    for one in reversed(receipts):
        gone = (one.superseded or now) if one.round > count else ""
        marks.append(later.get(one.round, gone))
        later[one.round] = one.resolved_at
    for one, mark in zip(receipts, reversed(marks), strict=True):
        yield msgspec.structs.replace(one, superseded=mark)


def told_before(published: Published, number: int, count: int) -> str:
    """Return what players were told of a published round, for its receipt; empty if nothing."""
    pens = published.get("Pen", ())
    if not 0 < number <= count or number + 1 >= len(pens):
        return ""
    public: dict[str, Any] = {"pen": _named(pens[0][1:], pens[number + 1][1:])}
    hungers = published.get("Hunger", ())
    if number < len(hungers):
        public["hunger"] = _named(hungers[0][1:], hungers[number][1:])
    if number == count:
        items = {str(row[0]): row[1] for row in published.get("Result", ())[1:] if len(row) > 1}
        wanted = ("Starved", "Elimination Candidate", "Winners")
        public["end"] = {item: shown(items[item]) for item in wanted if item in items}
    return said(public)


def _named(header: Sequence[CellValue], row: Sequence[CellValue]) -> dict[str, CellValue]:
    cells = [*row, *[None] * (len(header) - len(row))]
    return {str(name): shown(cell) for name, cell in zip(header, cells, strict=False)}
