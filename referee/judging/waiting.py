"""Rows that no published round has taken up: those that wait, and those that can be in none.

In the rules a row after the last listed round simply waits (R3.2); a host has to hear of it, for it
may wait for ever because its time or its zone is wrong.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from referee.match.faults import Fault
from referee.match.record import Adjustment, QueueRow, Record, Submission
from referee.match.result import RoundResult
from referee.rules.checks import label, place
from referee.rules.messages import read_message
from referee.rules.replay import Replay
from referee.rules.rulings import VOID, parse_ruling
from referee.workbook.places import Places
from referee.workbook.zones import clock_of

MISPLACED: Final = 5
"""So many rows and none in a round: that is no chance, but a wrong zone or calendar."""


class RowName(msgspec.Struct, frozen=True, order=True):
    """A row of a record, by the template's tab and the sheet's row."""

    tab: str
    row: int

    def as_json(self) -> dict[str, str | int]:
        """Return the row as ``--json`` shows it."""
        return {"tab": self.tab, "row": self.row}


def waiting_rows(replay: Replay) -> tuple[RowName, ...]:
    """Return the rows that wait for a round to be listed, in the order of the tabs (R3.2).

    Talk does not wait: of submissions only those that read as a swap or a pass, or carry a ruling.
    """
    if replay.outcome is not None:
        return ()
    record, end = replay.record, replay.last_end
    found = [RowName("Queue", row) for _, _, _, row in replay.room.rest()]
    found += [
        RowName("Submissions", label(row, index))
        for index, row in enumerate(record.submissions)
        if (end is None or row.time > end) and _may_count(row)
    ]
    found += [
        RowName("Adjustments", label(row, index))
        for index, row in enumerate(record.adjustments)
        if end is not None and row.time > end
    ]
    return tuple(sorted(found, key=lambda name: (_TABS.index(name.tab), name.row)))


_TABS: Final = ("Queue", "Submissions", "Adjustments")


def _may_count(row: Submission) -> bool:
    try:
        ruling = parse_ruling(row.ruling, "Submissions")
    except ValueError:
        return True
    if ruling is not None:
        return ruling != VOID
    return read_message(row.message).kind in ("swap", "pass")


def idle_passes(replay: Replay) -> tuple[RowName, ...]:
    """Return the submissions that would take a swap back and belong to no visit (R5.1, R5.2).

    The rules pass over them without a notice; a host who mistyped the time has to hear of it.
    """
    if replay.last_end is None:
        return ()
    visits: dict[str, list[tuple[int, int]]] = {}
    for round_ in replay.rounds:
        for visit in round_.visits:
            visits.setdefault(visit.player, []).append((visit.entered, visit.left))
    return tuple(
        RowName("Submissions", label(row, index))
        for index, row in enumerate(replay.record.submissions)
        if row.time <= replay.last_end
        and not row.ruling.strip()
        and row.edited is UNSET
        and read_message(row.message).kind == "pass"
        and not any(begin <= row.time <= end for begin, end in visits.get(row.player, ()))
    )


def waiting_words(rows: Sequence[RowName], listed: int, places: Places) -> str:
    """Count rows that wait and name their cells, for a host; empty where none does."""
    if not rows:
        return ""
    count = "1 row waits" if len(rows) == 1 else f"{len(rows)} rows wait"
    return (
        f"{count} for round {listed + 1}, which is not listed (R3.2): {cells(rows, places)}; if "
        "that is not meant, correct the time"
    )


def cells(rows: Iterable[RowName], places: Places) -> str:
    """Name the cells in which rows of a record have their time."""
    by_tab: dict[str, list[int]] = {}
    for name in rows:
        by_tab.setdefault(name.tab, []).append(name.row)
    return ", ".join(places.locate_all(tab, found, "Timestamp") for tab, found in by_tab.items())


def misplaced(record: Record, rounds: Sequence[RoundResult]) -> Fault | None:
    """Return the fault of a record with rows of which none lies in one of the rounds played.

    Fewer than `MISPLACED` prove nothing: nobody may have come.
    """
    if not rounds:
        return None
    rows = list(_timed(record))
    if len(rows) < MISPLACED:
        return None
    for _, _, time in rows:
        if any(round_.start <= time <= round_.official_end for round_ in rounds):
            return None
    clock = clock_of(record)
    tab, row, time = rows[0]
    first, last = rounds[0], rounds[-1]
    text = (
        f"{place(tab, row)}: none of the {len(rows)} rows in Queue and Submissions lies in a round "
        f"that is over, this one at {clock.text(time)}, rounds from {clock.text(first.start)} to "
        f"{clock.text(last.official_end)} in {clock.name}; correct the Time zone or the dates, or "
        "rule rows void that belong to no round"
    )
    return Fault("rows-outside-rounds", text, tab, row)


def _timed(record: Record) -> Iterator[tuple[str, int, int]]:
    """Yield the rows of Queue and Submissions that are not void, with their times."""
    logs: tuple[tuple[str, Sequence[QueueRow | Submission]], ...] = (
        ("Queue", record.queue),
        ("Submissions", record.submissions),
    )
    for tab, rows in logs:
        for index, row in enumerate(rows):
            if row.ruling.strip().casefold() != "void":
                yield tab, label(row, index), row.time


def of_another_day(
    record: Record, undated: Iterable[RowName], rounds: Sequence[RoundResult]
) -> tuple[RowName, ...]:
    """Return rows whose times have no date and fall into published rounds, though typed later.

    That is what the second day of a match looks like: typed below what was there, and earlier by
    the clock. Where no row stands so, the lowest one of each tab is named.
    """
    published = _within(record, set(undated), rounds)
    later = [name for name, is_out_of_order in published if is_out_of_order]
    if later:
        return tuple(later)
    lowest = {name.tab: name for name, _ in published}
    return tuple(lowest.values())


def _within(
    record: Record, undated: set[RowName], rounds: Sequence[RoundResult]
) -> list[tuple[RowName, bool]]:
    """List undated rows in rounds, each with whether a row above it has a later time."""
    found: list[tuple[RowName, bool]] = []
    logs: tuple[tuple[str, Sequence[QueueRow | Submission | Adjustment]], ...] = (
        ("Queue", record.queue),
        ("Submissions", record.submissions),
        ("Adjustments", record.adjustments),
    )
    for tab, rows in logs:
        latest: int | None = None
        numbered = sorted((label(row, index), index) for index, row in enumerate(rows))
        for number, index in numbered:
            name, row = RowName(tab, number), rows[index]
            inside = any(round_.start <= row.time <= round_.official_end for round_ in rounds)
            if name in undated and inside:
                found.append((name, latest is not None and row.time < latest))
            latest = row.time if latest is None else max(latest, row.time)
    return found
