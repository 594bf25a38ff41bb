"""What is published held against what is recomputed, cell by cell, and the receipts' chain."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from referee.judging.chain import Finding
from referee.judging.comparing import rule_of, rule_of_hunger, said_in_quotes, verdict
from referee.judging.findings import GRAVE, Difference, Kind
from referee.judging.inputs import changed_inputs
from referee.judging.standing import (
    UNKNOWN,
    Change,
    Published,
    Standing,
    published_rounds,
    whole,
)
from referee.match.record import CellValue, Record
from referee.match.result import Result
from referee.rules.replay import replay
from referee.workbook import layout as template
from referee.workbook.cells import Written, address
from referee.workbook.oddities import is_odd, shown
from referee.workbook.receipts import COLUMNS, FIRST_COLUMNS, Receipt
from referee.workbook.writing import Rows, tab_rows

if TYPE_CHECKING:
    import pandas as pd

ROUND_TABS: Final = ("Pen", "Hunger", "Garnets", "Visits", "Result")
"""The owned tabs that say what the rounds came to."""

_NUMBERED: Final = ("Pen", "Hunger", "Garnets", "Visits")


class Audit(msgspec.Struct, frozen=True):
    """What an audit found: the rounds it looked at and every difference, in order of the tabs."""

    rounds: tuple[int, ...]
    differences: tuple[Difference, ...]

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found that should not be."""
        return not any(difference.kind in GRAVE for difference in self.differences)

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


class Comparison:
    """A result held against published tabs."""

    def __init__(self, result: Result, published: Published, titles: Mapping[str, str]) -> None:
        self.result = result
        self.published = published
        self.titles = titles
        self.layout = template.load()
        self.count = published_rounds(published)
        self.standing = Standing(result, published, self.count)
        self.changed = frozenset(
            number
            for number, change in self.standing.changes.items()
            if (change.result and (change.tabs or change.order)) or "Players" in change.tabs
        )
        """The rounds that come to something else as their inputs were changed."""

    def differences(self, count: int, only_round: int | None = None) -> Iterator[Difference]:
        """Yield every difference of the first ``count`` rounds, tab by tab and cell by cell."""
        receipts = list(self.standing.chain.receipts)
        expected = tab_rows(self.result, receipts, self.layout)
        for tab, rows in expected.items():
            published = self.published.get(tab)
            if published is None:
                yield self._missing_tab(tab)
            elif tab == "Receipts":
                yield from self._receipts(published, rows, count, only_round)
            elif tab == "Notices":
                yield from self._notices(published, rows, only_round)
            elif tab == "Visits" and self.changed:
                yield from self._visits(published, rows, only_round)
            else:
                yield from self._tab_differences(tab, published, rows, only_round)

    def _kind(self, tab: str, row: int, round_: int | None) -> Kind:
        """Tell a cell that follows from changed inputs."""
        changes = self.standing.changes.values()
        if row == 0 or round_ == 0:
            follows = any({"Players", UNKNOWN} & {*change.tabs} for change in changes)
        elif tab in _NUMBERED and round_ is not None:
            follows = round_ in self.changed
        elif tab == "Notices":
            follows = any(change.tabs or change.order for change in changes)
        else:
            follows = bool(self.changed)
        return "input" if follows else "output"

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
                if not same(one, other) and not self._is_former(one, other):
                    yield self._cell(tab, row, column, round_, one, other, expected)

    def _visits(
        self, published: Sequence[Sequence[CellValue]], expected: Rows, only: int | None
    ) -> Iterator[Difference]:
        """Compare the visits round by round, as a visit more or less moves all that follow."""
        padded: Rows = [expected[0]]
        shifted: list[Sequence[CellValue]] = [published[0] if published else ()]
        places = [0]
        rounds = [_round_of("Visits", row) for row in published]
        for round_ in dict.fromkeys([*rounds[1:], *(whole(row[0]) for row in expected[1:])]):
            there = [n for n, one in enumerate(rounds) if n and one == round_]
            right = [row for row in expected[1:] if row[0] == round_]
            for place in range(max(len(there), len(right))):
                found = there[place] if place < len(there) else max(there, default=places[-1]) + 1
                places.append(found)
                shifted.append(published[found] if place < len(there) else ())
                padded.append(right[place] if place < len(right) else [])
        for row, (stands, wanted) in enumerate(zip(shifted, padded, strict=True)):
            at: Rows = [expected[0], *([[]] * (places[row] - 1)), wanted] if row else [wanted]
            there_: list[Sequence[CellValue]] = [expected[0], *([()] * (places[row] - 1)), stands]
            yield from self._tab_differences("Visits", there_ if row else [stands], at, only)

    def _is_former(self, stands: CellValue, right: CellValue) -> bool:
        """Whether a cell says a player's former name where their name of now is right (R7.6)."""
        former = self.standing.former
        if not former or not isinstance(stands, str) or not isinstance(right, str):
            return False
        if former.get(stands) == right:
            return True
        label, colon, name = stands.partition(": ")
        listed = ", ".join(former.get(one, one) for one in stands.split(", "))
        return right in (f"{label}{colon}{former.get(name, name)}", listed)

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
        kind: Kind = "output" if is_odd(stands) else self._kind(tab, row, round_)
        return Difference(kind, tab, cell, round_, stands, right, rule, text)

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

    # --- notices

    def _notices(
        self, published: Sequence[Sequence[CellValue]], expected: Rows, only: int | None
    ) -> Iterator[Difference]:
        """Compare the notices; rows that moved, or came after the match, are told once."""
        if only is not None:
            return
        found = list(self._tab_differences("Notices", published, expected, None))
        if not found:
            return
        changes = self.standing.changes.values()
        is_sealed = self.standing.chain.is_sealed
        is_first = is_sealed is None
        if is_first:
            is_sealed = _without_words(published) == _without_words(expected)
        if any(change.tabs for change in changes) or not is_sealed:
            yield from found
            return
        doubt = " (a receipt of referee 0.1 cannot tell that from changed words)" * is_first
        first = found[0]
        text = (
            f"{first.cell}: rows that the notices name have moved, or came after the match"
            f"{doubt}; referee resolve brings the notices up to date"
        )
        yield msgspec.structs.replace(first, kind="moved", text=text)

    # --- receipts

    def _receipts(
        self,
        published: Sequence[Sequence[CellValue]],
        expected: Rows,
        count: int,
        only: int | None,
    ) -> Iterator[Difference]:
        chain = self.standing.chain
        header = list(published[0]) if published else []
        is_first = header == expected[0][:FIRST_COLUMNS] and all(
            one.is_first_kind for one in chain.receipts
        )
        if not is_first:
            yield from self._tab_differences("Receipts", published[:1], expected[:1], None)
        for one in (*chain.findings, *self._seal()):
            if only is None or only == one.round:
                yield self._receipt(one)
        changes = [
            change
            for change in self.standing.changes.values()
            if change.round <= count and (only is None or change.round == only)
        ]
        yield from self._changed_results(changes)
        yield from changed_inputs(changes, self.titles, self.result)

    def _seal(self) -> Iterator[Finding]:
        """Find a changed digest of the notices, where the notices are as they should be."""
        rows = [row for row in self.published.get("Receipts", ())[1:] if any(row)]
        chain = self.standing.chain
        if chain.is_sealed is not False or not chain.receipts or chain.findings:
            return
        notices = tab_rows(self.result, (), self.layout)["Notices"]
        stands = self.published.get("Notices", ())
        if list(self._tab_differences("Notices", stands, notices, None)):
            return
        place = len(self.published["Receipts"])
        while not any(self.published["Receipts"][place - 1]):
            place -= 1
        column = COLUMNS.index("notices") + 1
        now = rows[-1][column - 1] if len(rows[-1]) >= column else None
        text = "it is not the digest of the notices, which are as they should be"
        yield Finding(place, column, None, now, None, text)

    def _changed_results(self, changes: Sequence[Change]) -> Iterator[Difference]:
        """Tell the rounds that come to something else though nothing they follow from changed."""
        for change in changes:
            if change.result and not change.tabs and not change.order and not change.late:
                receipt = change.receipt
                right = self.standing.digests[change.round - 1].result
                text = (
                    f"round {change.round} now has another result than the one it was resolved to "
                    f"by referee {said_in_quotes(receipt.version)}"
                )
                place = self._place(receipt)
                finding = Finding(place, 5, change.round, receipt.result, right, text)
                yield self._receipt(finding)

    def _place(self, receipt: Receipt) -> int:
        rows = self.published.get("Receipts", ())
        found = (n for n, row in enumerate(rows, 1) if receipt.receipt in row)
        return next(found, receipt.round + 1)

    def _receipt(self, found: Finding) -> Difference:
        cell = address(self.titles.get("Receipts", "Receipts"), found.row, found.column)
        text = f"{cell}: {found.problem}"
        return Difference(
            "output", "Receipts", cell, found.round, found.stands, found.right, "R0.1", text
        )


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
    return whole(shown(row[0])) if tab in _NUMBERED and row else None


def _without_words(notices: Sequence[Sequence[CellValue]]) -> list[str]:
    """Return notices without the rows they name and their words, in an order of their own.

    Words are no part of the contract: another version of the referee puts them otherwise.
    """
    return sorted(str([*row[:4], *row[5:6]]) for row in notices)


def same(one: CellValue, other: CellValue) -> bool:
    """Whether two cells hold the same: numbers by value, an empty text like an empty cell."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    return (one or None) == (other or None) if _textual(one) and _textual(other) else False


def _textual(value: CellValue) -> bool:
    return value is None or isinstance(value, str)
