"""Lines typed during a round, into the workbook: kept first, then written in order, each once.

A line is kept in the journal with the instant of its key press before anything slow is done.
Writing reads the sheet, looks for every line that still waits, since a write whose answer was lost
may have happened, and adds the others in one edit. The journal's lock lets one process at a time
do so. A line's instant, to the millisecond, is what it is found by.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from referee.stores.contract import CellEdit, NewRow, Store
from referee.stores.journal import Journal, Kept
from referee.workbook.actions import find_action
from referee.workbook.cells import Book, Value, WallClock, Written
from referee.workbook.headers import Row
from referee.workbook.names import mended
from referee.workbook.places import Places
from referee.workbook.reading import read_set_up
from referee.workbook.setup import SetUp
from referee.workbook.spoken import ListedRound, Spoken, UnclearError, hearing, understand
from referee.workbook.times import UndatedError, time_cell
from referee.workbook.values import CellError, is_blank, read_text, read_whole

_UNREADABLE: Final = (CellError, UndatedError)


class Done(msgspec.Struct, frozen=True):
    """What became of a line: ``problem`` says why it still waits, empty where it does not.

    ``words`` say what it stands for, ``time`` when on the match's wall clock, ``where`` and ``row``
    (in the sheet, from 1) where; an undone line without a row did not stand in the sheet.
    ``unclear`` tells that the line itself is the problem; lines ``meant`` would not be.
    """

    line: Kept
    words: str = ""
    time: str = ""
    where: str = ""
    row: int | None = None
    problem: str = ""
    unclear: bool = False
    meant: tuple[str, ...] = ()


class Logbook:
    """The lines typed for one workbook; ``store`` is asked for when something is to be written."""

    def __init__(self, journal: Journal, store: Callable[[], Store]) -> None:
        self.journal = journal
        self._open = store
        self._store: Store | None = None
        self._last = 0
        self.held: set[str] = set()
        """Keys of lines that somebody is about to correct: they are not written meanwhile."""

    def take(self, typed: str, at: int, spoken: Spoken | None = None) -> Kept:
        """Keep a line with its instant; no two lines of a process share one.

        Raises `Unavailable` where it cannot be kept.
        """
        self._last = at = max(at, self._last + 1)
        line = Kept(secrets.token_hex(8), at, mended(" ".join(typed.split("\n"))), spoken)
        self.journal.add(line)
        return line

    def take_back(self) -> Kept | None:
        """Note that the last line is to be undone, and return it; None where there is none."""
        lines = [line for line in self.journal.lines() if not (line.undo or line.gone)]
        if not lines:
            return None
        self.journal.take_back(lines[-1].key)
        return lines[-1]

    def forget(self) -> list[Kept]:
        """Let every line go that waits, and return them; what the sheet holds stays."""
        waiting = self.journal.waiting()
        for line in waiting:
            self.journal.gone(line.key)
        return waiting

    def waiting(self) -> list[Kept]:
        """Return the lines to be written or undone; raises as `Journal.lines` does."""
        return [line for line in self.journal.waiting() if line.key not in self.held]

    def write(self) -> list[Done]:
        """Write every line that waits and undo what is to be undone, all or nothing.

        Returns what became of each. Raises `Unavailable` or `Stopped` where the workbook cannot be
        read or written; all lines are then kept.
        """
        if not self.waiting():
            return []
        with self.journal.lock():
            waiting = self.waiting()
            if not waiting:
                return []
            store = self._store = self._store or self._open()
            with store.lock():
                book = store.read()
                read = read_set_up(book)
                draft = _Draft(book, read.set_up, read.places)
                for line in waiting:
                    draft.add(line)
                for step in draft.steps:
                    if step.changes_cell and not step.done.line.planned:
                        self.journal.plan(step.done.line.key, step.before)
                numbers = iter(store.edit(draft.edits, draft.rows))
            return [self._noted(step, numbers) for step in draft.steps]

    def _noted(self, step: "_Step", numbers: Iterator[int]) -> Done:
        done, line = step.done, step.done.line
        if step.is_new:
            row = next(numbers)
            done = msgspec.structs.replace(done, row=row, where=f"{done.where} row {row}")
        if done.problem:
            if line.undo:
                self.journal.take_back(line.key, undo=False)
            return done
        if line.spoken is None and step.spoken is not None:
            self.journal.clear_up(line.key, line.typed, step.spoken)
        if line.undo:
            self.journal.gone(line.key)
        else:
            self.journal.wrote(line.key)
        return done


class _Step(msgspec.Struct):
    """One line on its way into the sheet; ``is_new`` where a row is added for it.

    ``changes_cell`` tells that it sets a cell, which held ``before``.
    """

    done: Done
    spoken: Spoken | None = None
    is_new: bool = False
    changes_cell: bool = False
    before: int | str | None = None


class _Draft:
    """The edit that writes some lines into a workbook as it was read."""

    def __init__(self, book: Book, set_up: SetUp, places: Places) -> None:
        self._set_up, self._places = set_up, places
        self._heard = hearing(book, set_up)
        self.edits: list[CellEdit] = []
        self.rows: list[NewRow] = []
        self.steps: list[_Step] = []
        self._new_rounds: dict[int, dict[int, Written | WallClock]] = {}

    def add(self, line: Kept) -> None:
        """Plan one line: its row, its cell, or its undoing."""
        spoken, time = line.spoken, self._set_up.settings.clock.text(line.at)
        try:
            spoken = understand(line.typed, line.at, self._heard) if spoken is None else spoken
        except UnclearError as unclear:
            # A line that never had a meaning never came into the sheet.
            done = Done(line, line.typed, time)
            if not line.undo:
                done = Done(
                    line, line.typed, time, problem=str(unclear), unclear=True, meant=unclear.meant
                )
            self.steps.append(_Step(done))
            return
        step = _Step(Done(line, spoken.words(), time, self._places.title(spoken.tab)), spoken)
        try:
            if spoken.kind == "minutes":
                self._set_minutes(line, spoken, step)
            elif line.undo:
                self._clear(line, spoken, step)
            else:
                self._write(line, spoken, step)
        except _RefusedError as refused:
            problem, where = str(refused), step.done.where
            step.done = Done(
                line, spoken.words(), time, where, problem=problem, unclear=refused.is_final
            )
        self.steps.append(step)

    # --- a row ---------------------------------------------------------------------------------

    def _write(self, line: Kept, spoken: Spoken, step: _Step) -> None:
        if (found := self._find(line, spoken)) is not None:
            where = f"{step.done.where} row {found[0]}"
            step.done = msgspec.structs.replace(step.done, row=found[0], where=where)
            return
        if spoken.kind == "round":
            self._check_round(line, spoken)
        cells: dict[int, Written | WallClock] = {}
        for column, value in self._cells(line, spoken).items():
            if (number := self._places.column(spoken.tab, column)) is None:
                raise _RefusedError(
                    f"{self._places.title(spoken.tab)} has no column {column}; add it"
                )
            cells[number] = value
        after = self._places.last_row(spoken.tab)
        if after is None:
            raise _RefusedError(f"there is no tab {spoken.tab}; add it")
        if spoken.kind == "round":
            self._new_rounds[spoken.round] = cells
        self.rows.append(NewRow(self._places.title(spoken.tab), after, cells))
        step.is_new = True

    def _check_round(self, line: Kept, spoken: Spoken) -> None:
        listed = self._heard.rounds
        if any(one.number == spoken.round for one in listed):
            why = f"round {spoken.round} is listed already with another start"
            raise _RefusedError(why, is_final=True)
        row = ListedRound(0, spoken.round, line.at, None)
        self._heard = msgspec.structs.replace(self._heard, rounds=(*listed, row))

    def _cells(self, line: Kept, spoken: Spoken) -> dict[str, Written | WallClock]:
        time = time_cell(self._set_up.settings.clock, line.at)
        if spoken.kind == "round":
            return {"Round": spoken.round, "Start": time}
        said = ("Action", spoken.action) if spoken.kind == "queue" else ("Message", spoken.message)
        return {"Timestamp": time, "Player": spoken.player, said[0]: said[1]}

    def _find(self, line: Kept, spoken: Spoken) -> Row | None:
        """Return the row that holds a line already, None where none does."""
        table = self._set_up.tables.get(spoken.tab)
        for row, cells in () if table is None else table.rows:
            if self._is_row_of(line, spoken, spoken.tab, cells):
                return row, cells
        return None

    def _is_row_of(self, line: Kept, spoken: Spoken, tab: str, cells: Sequence[Value]) -> bool:
        time = self._value(tab, cells, "Start" if tab == "Rounds" else "Timestamp")
        if time is None or is_blank(time):
            return False
        try:
            if self._set_up.times.read(time) != line.at:
                return False
            if tab == "Rounds":
                return read_whole(self._value(tab, cells, "Round")) == spoken.round
            return self._is_player(self._value(tab, cells, "Player"), spoken.player)
        except _UNREADABLE:
            return False

    def _is_player(self, value: Value, player: str) -> bool:
        # Who was logged under a name that is an alias by now is still the same player.
        roster, text = self._set_up.roster, read_text(value)
        return (roster.find(text) or text) == (roster.find(player) or player)

    def _value(self, tab: str, cells: Sequence[Value], column: str) -> Value:
        table = self._set_up.tables.get(tab)
        index = None if table is None else table.columns.get(column)
        return None if index is None or index >= len(cells) else cells[index]

    # --- undoing -------------------------------------------------------------------------------

    def _clear(self, line: Kept, spoken: Spoken, step: _Step) -> None:
        """Empty the row of a line, where it still says what was logged and nothing else."""
        found = self._find(line, spoken)
        if found is None:
            return  # it never came into the sheet, or somebody took it out
        row, cells = found
        title = self._places.title(spoken.tab)
        written = self._cells(line, spoken)
        if not self._is_as_written(spoken, cells, written):
            raise _RefusedError(f"{title} row {row} was changed since; clear it by hand")
        for column in written:
            if (number := self._places.column(spoken.tab, column)) is not None:
                self.edits.append(CellEdit(title, row, number, None))
        where = f"{title} row {row}"
        step.done = msgspec.structs.replace(step.done, row=row, where=where)

    def _is_as_written(
        self, spoken: Spoken, cells: Sequence[Value], written: dict[str, Written | WallClock]
    ) -> bool:
        table = self._set_up.tables[spoken.tab]
        try:
            for column, index in table.columns.items():
                value, same = cells[index] if index < len(cells) else None, True
                if column not in written:
                    same = index not in table.read_columns or is_blank(value)
                elif column == "Action":
                    same = find_action(read_text(value)) == spoken.action
                elif column == "Message":
                    same = read_text(value) == spoken.message
                if not same:
                    return False
        except _UNREADABLE:
            return False
        return True

    # --- a round's length ------------------------------------------------------------------------

    def _set_minutes(self, line: Kept, spoken: Spoken, step: _Step) -> None:
        """Set a round's Minutes, or set them back to what they were."""
        tab, title = spoken.tab, self._places.title(spoken.tab)
        listed = next((one for one in self._heard.rounds if one.number == spoken.round), None)
        column = self._places.column(tab, "Minutes")
        if column is None:
            raise _RefusedError(f"{title} has no column Minutes; add it")
        if (fresh := self._new_rounds.get(spoken.round)) is not None:
            fresh[column] = spoken.minutes
            step.changes_cell = True
            return
        if listed is None:
            raise _RefusedError(f"round {spoken.round} is not listed in {title}", is_final=True)
        where = f"{title} row {listed.row}"
        there = self._places.content(tab, listed.row, "Minutes")
        if there is not None and not isinstance(there, int | float | str):
            raise _RefusedError(f"{where}: Minutes is no number; correct it")
        is_there = listed.minutes == spoken.minutes
        if line.undo and not (line.planned and is_there):
            return  # it never came into the sheet, or somebody wrote another length since
        step.changes_cell, step.before = True, int(there) if isinstance(there, float) else there
        if line.undo or not is_there:
            value = line.before if line.undo else spoken.minutes
            self.edits.append(CellEdit(title, listed.row, column, value))
        step.done = msgspec.structs.replace(step.done, row=listed.row, where=where)


class _RefusedError(Exception):
    """Why a line cannot be written or undone now, or, where ``is_final``, ever."""

    def __init__(self, why: str, *, is_final: bool = False) -> None:
        super().__init__(why)
        self.is_final = is_final
