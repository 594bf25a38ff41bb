"""A time is never silently far from the match (WORKBOOK).

Typed in a hurry, `20:12:30` becomes `08:12:30`, the next morning, or gets the date of another year;
such a row then waits for a round that never comes, and its swap is missed by nobody. So a time
without a date has to lie near the rounds, and a ping or a swap within a day of the match; other
rows that do not are named in a remark.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import UNSET

from referee.match.faults import Stopped
from referee.match.instants import DAY, MINUTE, format_time_of_day
from referee.match.record import QueueRow, Record, Submission
from referee.rules.clocks import Clocks
from referee.rules.messages import read_message
from referee.rules.replay import Replay
from referee.rules.rulings import VOID, Ruling, parse_ruling
from referee.workbook.findings import Findings, Remark
from referee.workbook.rows import TabRows
from referee.workbook.values import shown
from referee.workbook.wall_clock import Clock

LATE: Final = 120 * MINUTE
"""A time without a date is not taken for one that lies further than this after the rounds."""

PAUSE: Final = 45 * MINUTE
"""A round that starts so long after the one before it may have been typed an hour off."""

_HOUR: Final = 60 * MINUTE
_SLIPS: Final = (12, 1, -1, 10, -10, 2, -2, 3, -3)
"""Hours by which a time is mistyped, the likeliest first: a forgotten PM, a neighbouring key."""


class Listed(msgspec.Struct, frozen=True):
    """When a listed round begins and its timer ends, and the row that lists it."""

    number: int
    row: int
    start: int
    end: int


def judge_distances(
    record: Record, tabs: Mapping[str, TabRows], clock: Clock, findings: Findings
) -> None:
    """Find every time of a workbook that lies too far from its match.

    ``tabs`` are the rows the record was read from, by the template's titles. Nothing is said of a
    match without a start.
    """
    _Judge(record, tabs, clock, findings).judge()


def listed_rounds(record: Record) -> list[Listed]:
    """Return the listed rounds by number; one without a start follows the timer before (R2.2)."""
    clocks = Clocks(record)
    found: list[Listed] = []
    last: int | None = None
    for place in range(len(clocks.rounds)):
        start = clocks.start(place, last)
        if start is None:
            break
        round_, row = clocks.row(place)
        last = clocks.timer_end(place, start)
        found.append(Listed(round_.number, row, start, last))
    return found


class _Judge:
    def __init__(
        self, record: Record, tabs: Mapping[str, TabRows], clock: Clock, findings: Findings
    ) -> None:
        self.record, self.tabs, self.clock, self.findings = record, tabs, clock, findings
        self.rounds = listed_rounds(record)
        self.opening: int = record.start + record.settings.pre_game_minutes * MINUTE
        self.end = max((round_.end for round_ in self.rounds), default=self.opening)
        self._exact: int | None = None

    def judge(self) -> None:
        self._judge_rounds()
        acts: list[int] = []
        for row in self.record.queue:
            if self._is_judged(row, "Queue"):
                self._judge_time("Queue", row.row or 0, "Timestamp", row.time)
                self._judge_edit("Queue", row)
                if row.action == "join":
                    self._judge_day("Queue", row.row or 0, row.time)
                elif self._is_far(row.time):
                    acts.append(row.row or 0)
        chat: list[int] = []
        for sent in self.record.submissions:
            if not self._is_judged(sent, "Submissions"):
                continue
            number = sent.row or 0
            self._judge_time("Submissions", number, "Timestamp", sent.time)
            self._judge_edit("Submissions", sent)
            if self._says(sent) == "swap":
                self._judge_day("Submissions", number, sent.time)
            elif self._is_far(sent.time):
                chat.append(number)
        given: list[int] = []
        for row_ in self.record.adjustments:
            if not self.tabs["Adjustments"].is_timed(row_.row or 0):
                continue
            self._judge_time("Adjustments", row_.row or 0, "Timestamp", row_.time)
            if self._is_far(row_.time):
                given.append(row_.row or 0)
        self._remark_far("Queue", acts)
        self._remark_far("Submissions", chat)
        self._remark_far("Adjustments", given)

    # --- times without a date --------------------------------------------------------------------

    def _judge_time(self, tab: str, row: int, column: str, instant: int) -> None:
        if instant <= self.end + LATE or not self.tabs[tab].is_undated(row, column):
            return
        if instant <= self._official_end() + LATE:
            return
        after = (
            f"after round {self.rounds[-1].number}, the last one listed, is over"
            if self.rounds
            else "after the pre-game phase, and no round is listed"
        )
        likely = self._likely(instant, self.record.start, self.end + LATE)
        self._fault(tab, row, column, instant, instant - self.end, after, likely)

    def _judge_edit(self, tab: str, row: QueueRow | Submission) -> None:
        edited = getattr(row, "edited", UNSET)
        if edited is not UNSET:
            self._judge_time(tab, row.row or 0, "Edited", edited)

    def _judge_rounds(self) -> None:
        """Hold each round's start against the end of the round before it."""
        before, name = self.opening, "the pre-game phase"
        rows = self.tabs["Rounds"]
        for round_ in self.rounds:
            late = round_.start - before
            if late > LATE and rows.is_undated(round_.row, "Start"):
                likely = self._likely(round_.start, before, before + LATE)
                after = f"after {name} is over"
                self._fault("Rounds", round_.row, "Start", round_.start, late, after, likely)
                continue
            if late > PAUSE:
                where = rows.address(round_.row, "Start")
                text = f"{where}: round {round_.number} starts {_apart(late)} after {name} is over"
                self._remark("Rounds", round_.row, text)
            before, name = round_.end, f"round {round_.number}"

    def _likely(self, instant: int, first: int, last: int) -> str:
        """Return the time that was meant, as far as another hour of the same match explains it."""
        for hours in _SLIPS:
            for day in (0, -DAY):
                meant = instant + hours * _HOUR + day
                if first <= meant <= last:
                    return f"{format_time_of_day(self.clock.wall(meant) % DAY)}? "
        return ""

    def _fault(
        self, tab: str, row: int, column: str, instant: int, late: int, after: str, likely: str
    ) -> None:
        rows = self.tabs[tab]
        problem = (
            f"{shown(rows.content(row, column))} has no date and would be "
            f"{self.clock.text(instant)}, {_apart(late)} {after}: {likely}"
            "correct the time, or write its date too"
        )
        rows.fault("far-from-match", row, column, problem)

    def _official_end(self) -> int:
        """Return the last listed round's official end: a visit may outlast its timer (R2.3)."""
        if self._exact is None:
            self._exact = self.end
            try:
                drafts = Replay(self.record).drafts
            except Stopped:
                drafts = []
            if len(drafts) == len(self.rounds) and drafts:
                self._exact = max(self.end, drafts[-1].end)
        return self._exact

    # --- other days ------------------------------------------------------------------------------

    def _is_far(self, instant: int) -> bool:
        return instant < self.record.start - DAY or instant > self.end + DAY

    def _judge_day(self, tab: str, row: int, instant: int) -> None:
        """Stop at a ping or a swap of another day."""
        if not self._is_far(instant):
            return
        rows = self.tabs[tab]
        if instant < self.record.start:
            where = f"{_apart(self.record.start - instant)} before the match's start"
        elif self.rounds:
            where = f"{_apart(instant - self.end)} after the last listed round"
        else:
            where = f"{_apart(instant - self.end)} after the pre-game phase"
        problem = (
            f"{shown(rows.content(row, 'Timestamp'))} lies {where}; correct the date, or rule the "
            "row void"
        )
        rows.fault("far-from-match", row, "Timestamp", problem)

    def _remark_far(self, tab: str, rows: list[int]) -> None:
        if rows:
            what = "lies" if len(rows) == 1 else f"({len(rows)} rows) lie"
            text = (
                f"{self.tabs[tab].addresses(rows, 'Timestamp')} {what} more than a day before the "
                "match's start or after its last listed round"
            )
            self._remark(tab, rows[0], text)

    def _remark(self, tab: str, row: int, text: str) -> None:
        spot = self.tabs[tab].spot(row)
        self.findings.remark(spot, Remark("far-from-match", text, tab, row, severity="warning"))

    # --- what a row says -------------------------------------------------------------------------

    def _is_judged(self, row: QueueRow | Submission, tab: str) -> bool:
        """Whether a row has a time and is not void."""
        is_void = _ruling(row, tab) == VOID
        return self.tabs[tab].is_timed(row.row or 0) and not is_void

    def _says(self, row: Submission) -> str:
        ruling = _ruling(row, "Submissions")
        if ruling is not None and ruling.reading is not None:
            return ruling.reading.kind
        return read_message(row.message).kind


def _ruling(row: QueueRow | Submission, tab: str) -> Ruling | None:
    """Return a row's ruling; one that is none is a fault of its own."""
    try:
        return parse_ruling(row.ruling, tab) if row.ruling else None
    except ValueError:
        return None


def _apart(millis: int) -> str:
    """Return a long time in the two units that tell most: ``11 h 51 min``, ``365 days``."""
    minutes = millis // MINUTE
    if minutes >= 2 * 24 * 60:
        return f"{minutes // (24 * 60)} days"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
