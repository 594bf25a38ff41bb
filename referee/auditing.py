"""What is published held against what is recomputed, cell by cell, and the receipts' chain."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from referee.comparing import rule_of, rule_of_hunger
from referee.record import CellValue, Record
from referee.result import Result
from referee.rules.replay import replay
from referee.workbook import layout as template
from referee.workbook.cells import Written, address
from referee.workbook.receipts import CHAIN_START, Digests, Receipt, chained, digests, link
from referee.workbook.writing import Rows, tab_rows

if TYPE_CHECKING:
    import pandas as pd

Published = Mapping[str, Sequence[Sequence[CellValue]]]
"""The owned tabs' rows as they stand, by the template's titles, header first."""

Kind = Literal["output", "input"]

_ROUND_TABS: Final = ("Pen", "Hunger", "Garnets", "Visits", "Receipts")


class Difference(msgspec.Struct, frozen=True):
    """One cell that says something else than the recomputation, or one change of the inputs.

    ``kind`` is ``output`` for a cell of an owned tab that is not what the inputs give, ``input``
    where the inputs are not those that the round was resolved from. ``cell`` is its address
    (``Pen!B3``), ``rule`` the clause behind ``recomputed``.
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
    looked_at = [number for number in range(1, count + 1) if only_round in (None, number)]
    comparison = Comparison(result, found, titles or {})
    return Audit(tuple(looked_at), tuple(comparison.differences(count, only_round)))


def published_rounds(published: Published) -> int:
    """Return how many rounds are published: the highest round number in the owned tabs."""
    numbers = [
        int(row[0])
        for tab in _ROUND_TABS
        for row in published.get(tab, ())[1:]
        if row and isinstance(row[0], (int, float)) and not isinstance(row[0], bool)
    ]
    return max((number for number in numbers if 0 < number < 10**6), default=0)


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


class Comparison:
    """A result held against published tabs."""

    def __init__(self, result: Result, published: Published, titles: Mapping[str, str]) -> None:
        self.result = result
        self.published = published
        self.titles = titles
        self.layout = template.load()
        self.digests = digests(result)

    def differences(self, count: int, only_round: int | None = None) -> Iterator[Difference]:
        """Yield every difference of the first ``count`` rounds, tab by tab and cell by cell."""
        receipts = chained(self.digests, read_receipts(self.published), "")
        expected = tab_rows(self.result, receipts, self.layout)
        for tab, rows in expected.items():
            published = self.published.get(tab)
            if published is None:
                yield self._missing_tab(tab)
            elif tab == "Receipts":
                yield from self._receipt_differences(published, rows, count, only_round)
            else:
                yield from self._tab_differences(tab, published, rows, only_round)

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
        text = f"{cell}: it says {_said(stands)}, recomputed it is {_said(right)} ({rule})"
        return Difference("output", tab, cell, round_, stands, right, rule, text)

    def _rule(self, tab: str, row: int, column: int, round_: int | None, expected: Rows) -> str:
        header = expected[0][column] if column < len(expected[0]) else None
        right = expected[row] if row < len(expected) else []
        if tab == "Notices" and right and isinstance(right[2], str):
            return right[2]
        if tab == "Result" and right:
            return rule_of(tab, str(right[0]))
        if tab == "Garnets" and right and right[0] == "Awards":
            return rule_of("Awards", "")
        if tab == "Hunger" and round_ is not None and round_ <= len(self.result.rounds):
            lost = self.result.rounds[round_ - 1].hunger_lost.get(str(header), ())
            return rule_of_hunger(lost)
        return rule_of(tab, str(header))

    def _receipt_differences(
        self,
        published: Sequence[Sequence[CellValue]],
        expected: Rows,
        count: int,
        only: int | None,
    ) -> Iterator[Difference]:
        yield from self._tab_differences("Receipts", published[:1], expected[:1], None)
        chain = [CHAIN_START]
        for number in range(1, max(count, len(published) - 1) + 1):
            row = list(published[number]) if number < len(published) else []
            row += [None] * (6 - len(row))
            sound = [link(last, *row[:5]) for last in dict.fromkeys(chain)]
            is_whole = row[5] in sound
            # A changed receipt is told once: the next row may follow from what stands there or
            # from what should.
            chain = [str(row[5]), sound[0]]
            if only is None or only == number:
                yield from self._one_receipt(number, row, sound[0], is_whole=is_whole)

    def _one_receipt(
        self, number: int, row: Sequence[CellValue], sound: str, *, is_whole: bool
    ) -> Iterator[Difference]:
        title = self.titles.get("Receipts", "Receipts")
        right = self.digests[number - 1] if number <= len(self.digests) else None
        if right is None or row[0] != number:
            cell = address(title, number + 1, 1)
            text = f"{cell}: it says {_said(row[0])}; there is no receipt of round {number} here"
            yield Difference("output", "Receipts", cell, number, row[0], number, "R0.1", text)
        if not is_whole:
            cell = address(title, number + 1, 6)
            text = f"{cell}: the receipt of round {number} was changed after it was written"
            yield Difference("output", "Receipts", cell, number, row[5], sound, "R0.1", text)
        if right is not None:
            yield from self._one_digest(title, number, row, right, is_whole=is_whole)

    def _one_digest(
        self, title: str, number: int, row: Sequence[CellValue], right: Digests, *, is_whole: bool
    ) -> Iterator[Difference]:
        changed = row[3] != right.inputs
        if changed:
            cell = address(title, number + 1, 4)
            kind: Kind = "input" if is_whole else "output"
            text = (
                f"{cell}: the inputs of round {number} (settings, players, rounds or rows up to "
                "its end) are not those it was resolved from"
                if is_whole
                else f"{cell}: it does not say what the inputs of round {number} come to"
            )
            yield Difference(kind, "Receipts", cell, number, row[3], right.inputs, "R0.1", text)
        if row[4] != right.result:
            cell = address(title, number + 1, 5)
            kind = "input" if changed and is_whole else "output"
            text = (
                f"{cell}: round {number} now has another result than the one it was resolved to "
                f"by referee {row[2]}"
            )
            yield Difference(kind, "Receipts", cell, number, row[4], right.result, "R0.1", text)


def _round_of(tab: str, row: Sequence[CellValue]) -> int | None:
    if tab not in _ROUND_TABS or not row or isinstance(row[0], (str, bool)) or row[0] is None:
        return None
    return int(row[0])


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
    return f'"{value}"' if isinstance(value, str) else str(value)
