"""An edit of a host's tabs from its first batch to its last, and its way back where one fails."""

import secrets
from collections.abc import Callable, Sequence
from typing import Final

from referee.match.faults import Fault, Overtaken, Unavailable
from referee.stores.contract import CellEdit, NewRow
from referee.stores.google.changes import Cell
from referee.stores.google.edits import Edits, Tidying, Wanted
from referee.stores.google.reading import SAVED, Seen
from referee.stores.google.rows import NewRows, below, in_parts
from referee.stores.google.writing import NOTHING, Step

_IDS: Final = 2**30
_TABS: Final = 1000
"""More tabs than an edit ever writes to."""

CarryOut = Callable[[Step, Seen], Seen]


class Editing:
    """Cells to set and rows to add to one spreadsheet; ``notes`` are for the host, afterwards."""

    def __init__(
        self, carry_out: CarryOut, edits: Sequence[CellEdit], rows: Sequence[NewRow]
    ) -> None:
        self._carry_out = carry_out
        self._wanted = Wanted(edits)
        self._edits = Edits(self._wanted, _number())
        self._rows = rows
        self._written: set[Cell] = set()
        self.notes: list[str] = []

    def faults(self, seen: Seen) -> list[Fault]:
        """Return a fault for each cell that cannot be set as asked."""
        return [*self._wanted.faults(seen), *NewRows(self._rows).faults(seen)]

    def run(self, before: Seen) -> tuple[list[int], Seen, set[Cell]]:
        """Make the edit; return the rows' numbers, the sheet as it is then, and what was written.

        Raises `Overtaken` where nothing was written because of somebody else, `Unavailable` with
        what is certain else.
        """
        after = before
        if not self._wanted.are_held(before):
            after = self._carry_out(self._edits, before)
            if (changed := self._edits.misplaced(before, after)) is not None:
                self._put_back(changed, after)
            self._written |= self._edits.places(before)
        try:
            numbers, after = self._add(after)
        except Unavailable as refused:
            if self._edits.kept:
                self._put_back(refused, after)
            raise
        return numbers, self._tidied(after, self._edits), self._written

    def _add(self, seen: Seen) -> tuple[list[int], Seen]:
        """Add the rows, in as many batches as they need."""
        numbers: list[int] = []
        last: dict[str, int] = {}
        for part in in_parts(self._rows):
            step = NewRows(below(part, last), self._edits.kept)
            try:
                after = self._carry_out(step, seen)
                numbers += self._where(step, seen, after)
            except Unavailable as refused:
                if numbers:
                    raise Unavailable(
                        f"{len(numbers):,} of {len(self._rows):,} rows were added, then: "
                        f"{refused}; run again, which adds what is missing",
                        passes=refused.passes,
                    ) from None
                raise
            last |= {
                row.tab: number for row, number in zip(part, numbers[-len(part) :], strict=True)
            }
            seen = after
        return numbers, seen

    def _where(self, step: NewRows, before: Seen, after: Seen) -> list[int]:
        """Return where rows stand; raises where that is not where they belong."""
        numbers = step.numbers(after)
        if numbers is None:
            raise Unavailable(
                "the rows were added, but somebody else changed them in the same moment: look at "
                "the end of the tab, and run again"
            )
        if (changed := step.misplaced(before, after)) is not None:
            back = step.taking_back(after, numbers, _number())
            self._make_way(changed, back, after)
        if (moved := step.torn(before, after, numbers)) is not None:
            raise Unavailable(
                f"{moved} (now rows {numbers[0]} to {numbers[-1]}): look whether what stands "
                "beside them is still in its row"
            )
        self._written |= step.places(after, numbers)
        return numbers

    def _put_back(self, why: str | Unavailable, after: Seen) -> None:
        """Put back what the cells held; raises `Overtaken` in the end, or what is true instead."""
        back = self._edits.putting_back(after, _number())
        self._make_way(why, back, after)

    def _make_way(self, why: str | Unavailable, back: Edits, after: Seen) -> None:
        try:
            last = self._carry_out(back, after)
            again = back.misplaced(after, last)
        except Unavailable as refused:
            again = str(refused)
        if again is not None:
            kept = " and ".join(f'"{SAVED} {n}"' for n in (*self._edits.kept, *back.kept))
            raise Unavailable(
                f"{why}; taking back what this run wrote met another change ({again}): look at "
                f"these cells; what stood there is kept in the hidden tab {kept} (View > Hidden "
                "sheets)"
            ) from None
        self._tidied(last, self._edits, back)
        if isinstance(why, Unavailable):
            raise why
        raise Overtaken(f"{why}; {NOTHING} by this run: run again")

    def _tidied(self, seen: Seen, *steps: Edits) -> Seen:
        """Take the hidden tabs away; what fails here changes nothing of what was written."""
        step = Tidying([number for made in steps for number in made.kept])
        if step.is_done(seen):
            return seen
        try:
            return self._carry_out(step, seen)
        except Unavailable:
            self.notes.append(
                f'the hidden tab "{SAVED} …" is left over; delete it (View > Hidden sheets)'
            )
            return seen


def _number() -> int:
    """Return an id for the first hidden tab of a step, which no other run chooses."""
    return secrets.randbelow(_IDS) + _TABS
