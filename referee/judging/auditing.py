"""What is published held against what is recomputed, cell by cell, and the receipts' chain."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from referee.judging.comparing import rule_of, rule_of_hunger, verdict
from referee.match.record import CellValue, Record
from referee.match.result import Result
from referee.rules.replay import replay
from referee.workbook import layout as template
from referee.workbook.cells import Written, address, column_letters
from referee.workbook.receipts import CHAIN_START, Digests, Receipt, chained, digests, link
from referee.workbook.values import plain
from referee.workbook.writing import Rows, tab_rows

if TYPE_CHECKING:
    import pandas as pd

Published = Mapping[str, Sequence[Sequence[CellValue]]]
"""The owned tabs' rows as they stand, by the template's titles, header first."""

Kind = Literal["output", "input"]

_ROUND_TABS: Final = ("Pen", "Hunger", "Garnets", "Visits", "Receipts")
_FIRST_ROWS: Final = {"Pen": 2, "Hunger": 1, "Garnets": 1, "Receipts": 1}
"""Where round 1 stands, rows from 0, in the tabs with one row a round."""


class Difference(msgspec.Struct, frozen=True):
    """One cell that says something else than the recomputation, or one change of the inputs.

    ``kind`` is ``input`` where the inputs of the round are not those it was resolved from, and for
    every cell that differs with them; ``output`` for a cell of an owned tab that is not what
    unchanged inputs give. ``cell`` is its address (``Pen!B3``), ``rule`` the clause behind
    ``recomputed``.
    """

    kind: Kind
    tab: str
    cell: str
    round: int | None
    published: CellValue
    recomputed: CellValue
    rule: str
    text: str

    def as_json(self) -> dict[str, Any]:
        """Return the difference as ``--json`` shows it."""
        return msgspec.structs.asdict(self)


class Audit(msgspec.Struct, frozen=True):
    """What an audit found: the rounds it looked at and every difference, in order of the tabs."""

    rounds: tuple[int, ...]
    differences: tuple[Difference, ...]

    def frame(self) -> "pd.DataFrame":
        """Return the differences as a pandas DataFrame, one row each."""
        import pandas as pd

        columns = pd.Index(list(Difference.__struct_fields__))
        return pd.DataFrame([d.as_json() for d in self.differences], columns=columns)


def audit(
    record: Record,
    published: Published | None = None,
    *,
    only_round: int | None = None,
    titles: Mapping[str, str] | None = None,
) -> Audit:
    """Recompute every published round and compare it with what stands in the owned tabs.

    ``published`` is by default what the record carries. ``only_round`` looks at one round;
    ``titles`` are the tabs' titles in the workbook where they differ from the template's. Raises
    `Stopped` where the record cannot be replayed.
    """
    found = published if published is not None else (record.published or {})
    count = published_rounds(found)
    result = replay(record, count)
    if not count and not any(len(rows) > 1 for rows in found.values()):
        return Audit((), ())
    looked_at = [number for number in range(1, count + 1) if only_round in (None, number)]
    comparison = Comparison(result, found, titles or {})
    return Audit(tuple(looked_at), tuple(comparison.differences(count, only_round)))


def published_rounds(published: Published) -> int:
    """Return how many rounds are published: the highest number that stands in its own row.

    The tabs with one row a round say so, any one of them; a number out of its row is a changed
    cell and no round.
    """
    found = 0
    for tab, first in _FIRST_ROWS.items():
        for number, row in enumerate(published.get(tab, ())[first:], 1):
            if row and _whole(row[0]) == number:
                found = max(found, number)
    return found


def read_receipts(published: Published) -> tuple[Receipt, ...]:
    """Return the published receipts that are whole, in order; others are the audit's business."""
    rows = published.get("Receipts", ())[1:]
    return tuple(
        Receipt(*row)  # type: ignore[arg-type]  # the line below looks at every cell
        for row in rows
        if len(row) == 6
        and isinstance(row[0], int)
        and all(isinstance(cell, str) for cell in row[1:])
    )


class _Seen(msgspec.Struct, frozen=True):
    """A row of Receipts as it stands, of six cells or more, and the receipt that would fit it."""

    number: int
    row: list[CellValue]
    sound: str
    is_whole: bool


class Comparison:
    """A result held against published tabs."""

    def __init__(self, result: Result, published: Published, titles: Mapping[str, str]) -> None:
        self.result = result
        self.published = published
        self.titles = titles
        self.layout = template.load()
        self.digests = digests(result)
        self.receipts = tuple(_seen_receipts(published.get("Receipts", ())))
        self.changed = frozenset(
            seen.number for seen in self.receipts if self._has_new_inputs(seen)
        )
        """The rounds whose receipt is whole and names other inputs than there are now."""

    def differences(self, count: int, only_round: int | None = None) -> Iterator[Difference]:
        """Yield every difference of the first ``count`` rounds, tab by tab and cell by cell."""
        receipts = chained(self.digests, read_receipts(self.published), "")
        expected = tab_rows(self.result, receipts, self.layout)
        for tab, rows in expected.items():
            published = self.published.get(tab)
            if published is None:
                yield self._missing_tab(tab)
            elif tab == "Receipts":
                yield from self._tab_differences(tab, published[:1], rows[:1], None)
                yield from self._receipt_differences(count, only_round)
            else:
                yield from self._tab_differences(tab, published, rows, only_round)

    def _has_new_inputs(self, seen: _Seen) -> bool:
        if not seen.is_whole:
            return False
        right = self._digests_of(seen.number)
        return right is None or seen.row[3] != right.inputs

    def _digests_of(self, number: int) -> Digests | None:
        return self.digests[number - 1] if number <= len(self.digests) else None

    def _kind(self, round_: int | None) -> Kind:
        """Tell a cell that follows from changed inputs; one of no round follows from any."""
        return "input" if round_ in self.changed or (not round_ and self.changed) else "output"

    def _missing_tab(self, tab: str) -> Difference:
        title = self.titles.get(tab, tab)
        text = f"{title}: the tab is missing or is not the referee's own any more"
        return Difference("output", tab, f"{title}!A1", None, None, None, "R0.1", text)

    def _tab_differences(
        self, tab: str, published: Sequence[Sequence[CellValue]], expected: Rows, only: int | None
    ) -> Iterator[Difference]:
        for row in range(max(len(published), len(expected))):
            stands = published[row] if row < len(published) else ()
            right = expected[row] if row < len(expected) else []
            round_ = _round_of(tab, right) or _round_of(tab, stands)
            if only is not None and round_ != only:
                continue
            for column in range(max(len(stands), len(right))):
                one = stands[column] if column < len(stands) else None
                other = right[column] if column < len(right) else None
                if not same(one, other):
                    yield self._cell(tab, row, column, round_, one, other, expected)

    def _cell(
        self,
        tab: str,
        row: int,
        column: int,
        round_: int | None,
        stands: CellValue,
        right: Written,
        expected: Rows,
    ) -> Difference:
        cell = address(self.titles.get(tab, tab), row + 1, column + 1)
        rule = self._rule(tab, row, column, round_, expected)
        what = _what(tab, row, column, expected)
        text = f"{cell}: {verdict(tab, round_, what, stands, right, rule)}"
        return Difference(self._kind(round_), tab, cell, round_, stands, right, rule, text)

    def _rule(self, tab: str, row: int, column: int, round_: int | None, expected: Rows) -> str:
        header = expected[0][column] if column < len(expected[0]) else None
        right = expected[row] if row < len(expected) else []
        if tab == "Notices" and row and right and isinstance(right[2], str):
            return right[2]
        if tab == "Result" and right:
            return rule_of(tab, str(right[0]))
        if tab == "Garnets" and right and right[0] == "Awards":
            return rule_of("Awards", "")
        if tab == "Hunger" and round_ is not None and 1 <= round_ <= len(self.result.rounds):
            lost = self.result.rounds[round_ - 1].hunger_lost.get(str(header), ())
            return rule_of_hunger(lost)
        return rule_of(tab, str(header))

    def _receipt_differences(self, count: int, only: int | None) -> Iterator[Difference]:
        missing = range(len(self.receipts) + 1, count + 1)
        absent = (_Seen(n, [None] * 6, "", is_whole=False) for n in missing)
        for seen in (*self.receipts, *absent):
            if only is not None and only != seen.number:
                continue
            right = self._digests_of(seen.number)
            if right is None or seen.row[0] != seen.number:
                yield self._misplaced(seen)
            if not seen.is_whole and any(seen.row):
                yield self._broken(seen, right)
            if right is not None and any(seen.row):
                yield from self._wrong_digests(seen, right)
            for column, stands in enumerate(seen.row[6:], 7):
                if not same(stands, None):
                    problem = f"it says {_said(stands)}; a receipt has six cells"
                    yield self._receipt(seen, column, stands, None, problem, "output")

    def _misplaced(self, seen: _Seen) -> Difference:
        number, stands = seen.number, seen.row[0]
        if not any(seen.row):
            problem = f"the receipt of round {number} is missing"
        elif self._digests_of(number) is None:
            problem = f"a receipt of round {number} stands here, which the sheet does not come to"
        else:
            problem = f"it says {_said(stands)}, but the row is the receipt of round {number}"
        return self._receipt(seen, 1, stands, number, problem, self._kind(number))

    def _broken(self, seen: _Seen, right: Digests | None) -> Difference:
        problem = f"the row of round {seen.number} was changed after it was written"
        if right is not None and seen.row[3:5] == [right.inputs, right.result]:
            first = column_letters(2)
            problem += f": cell {first}, {column_letters(3)} or {column_letters(6)} of it"
        return self._receipt(seen, 6, seen.row[5], seen.sound, problem, "output")

    def _wrong_digests(self, seen: _Seen, right: Digests) -> Iterator[Difference]:
        number, row = seen.number, seen.row
        if row[3] != right.inputs:
            problem = (
                f"the inputs of round {number} (settings, players, rounds or rows up to its end) "
                "are not those it was resolved from"
                if seen.is_whole
                else f"it is not the digest of the inputs of round {number}"
            )
            yield self._receipt(seen, 4, row[3], right.inputs, problem, self._kind(number))
        if row[4] != right.result:
            problem = (
                f"round {number} now has another result than the one it was resolved to by "
                f"referee {_said(row[2])}"
                if seen.is_whole
                else f"it is not the digest of the result of round {number}"
            )
            yield self._receipt(seen, 5, row[4], right.result, problem, self._kind(number))

    def _receipt(
        self,
        seen: _Seen,
        column: int,
        stands: CellValue,
        right: CellValue,
        problem: str,
        kind: Kind,
    ) -> Difference:
        cell = address(self.titles.get("Receipts", "Receipts"), seen.number + 1, column)
        text = f"{cell}: {problem}"
        return Difference(kind, "Receipts", cell, seen.number, stands, right, "R0.1", text)


def _seen_receipts(rows: Sequence[Sequence[CellValue]]) -> Iterator[_Seen]:
    """Yield the published receipts, each held against the one before it.

    A changed receipt is told once: the next may follow from what stands there or from what should.
    """
    chain = [CHAIN_START]
    for number, cells in enumerate(rows[1:], 1):
        row = [*cells, *[None] * (6 - len(cells))]
        sound = [link(last, *row[:5]) for last in dict.fromkeys(chain)]
        is_whole = row[5] in sound and row[0] == number
        chain = [str(row[5]), sound[0]]
        yield _Seen(number, row, sound[0], is_whole)


def _what(tab: str, row: int, column: int, expected: Rows) -> str:
    """Return of whom or what a cell speaks: a player, a cell of the pen, an item, a column."""
    header = expected[0]
    name = str(header[column]) if column < len(header) else "beside the table"
    right = expected[row] if row < len(expected) else []
    if row == 0:
        return "header"
    if not right:
        return f"row {row + 1}, {name}"
    if tab == "Result":
        return str(right[0]) if column == 1 else name
    if tab == "Visits":
        return f"{right[2]}'s visit {right[1]}, {name}"
    return f"row {row + 1}, {name}" if tab == "Notices" else name


def _round_of(tab: str, row: Sequence[CellValue]) -> int | None:
    return _whole(row[0]) if tab in _ROUND_TABS and row else None


def _whole(value: CellValue) -> int | None:
    """Return a number's whole value, None for anything else."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def same(one: CellValue, other: CellValue) -> bool:
    """Whether two cells hold the same: numbers by value, an empty text like an empty cell."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    return (one or None) == (other or None) if _textual(one) and _textual(other) else False


def _textual(value: CellValue) -> bool:
    return value is None or isinstance(value, str)


def _said(value: CellValue) -> str:
    if value is None or value == "":
        return "nothing"
    if not isinstance(value, str):
        return plain(value)
    seen = (letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in value)
    return f'"{"".join(seen)}"'
