"""One round on the host's page: its time line, its notices, and the reason for everything in it."""

from collections.abc import Iterable, Iterator, Sequence

from referee.judging.explaining import Explanation, Payment, RoundStory
from referee.match.causes import Why
from referee.match.notices import Clock, Notice, excerpt
from referee.match.record import QueueRow, Record, Submission
from referee.match.result import RoundResult
from referee.match.result import Visit as Visited
from referee.rules.reasons import LISTS, Verdict, VisitReasons
from referee.views.page.model import Line, Ping, Remark, Rest, Round, Row, Visit, Wait
from referee.workbook.places import Places

_QUEUED = ("joined", "joined-ahead")
"""Causes of a ping that took a place in the queue."""


class Teller:
    """Puts a match's rows and reasons into words, in the host's own cells and times."""

    def __init__(self, explanation: Explanation, places: Places, clock: Clock) -> None:
        self.record: Record = explanation.result.record
        self.places = places
        self.clock = clock
        self._waits = [
            verdict
            for rows in (*(story.rows for story in explanation.rounds), explanation.rows)
            for verdict in rows
            if verdict.tab == "Queue" and verdict.causes[0].code in _QUEUED
        ]

    def round(self, story: RoundStory) -> Round:
        """Return a round with everything the explanation knows of it."""
        round_ = story.round
        return Round(
            number=round_.number,
            start=self.clock(round_.start),
            timer_end=self.clock(round_.timer_end),
            official_end=self.clock(round_.official_end),
            timer=round_.timer_end - round_.start,
            length=round_.official_end - round_.start,
            visits=tuple(self._visit(round_, visit) for visit in round_.visits),
            waits=tuple(self._waiting(round_)),
            pings=tuple(self._pings(story)),
            queue=round_.queue,
            notices=self.notices(story.rows),
            hunger=tuple(Line(text=loss.words) for loss in story.hunger),
            garnets=self.payments(story.garnets),
            rows=self.rows(story.rows),
        )

    def rest(self, explanation: Explanation) -> Rest:
        """Return what belongs to no round."""
        return Rest(
            notices=self.notices(explanation.rows),
            garnets=self.payments(explanation.garnets),
            rows=self.rows(explanation.rows),
        )

    def visit_reasons(self, seen: VisitReasons) -> tuple[Line, ...]:
        """Return why a visit began, what was told and paid, why it ended, and its swap."""
        whys = (seen.began, seen.told, seen.paid, seen.ended, seen.swap)
        return tuple(self.line(why) for why in whys)

    def line(self, why: Why) -> Line:
        """Return a cause or notice with its clause."""
        return Line(text=why.words(self.clock), rule=why.rule)

    def notices(self, verdicts: Iterable[Verdict]) -> tuple[Remark, ...]:
        """Return every notice on these rows, each once, in the order of the rows."""
        return tuple(
            self._remark(why)
            for verdict in verdicts
            for why in (*verdict.causes, *verdict.notices)
            if isinstance(why, Notice) and (why.tab, why.row) == (verdict.tab, verdict.row)
        )

    def rows(self, verdicts: Iterable[Verdict]) -> tuple[Row, ...]:
        """Return what became of each row."""
        return tuple(
            Row(
                where=f"{self.places.title(verdict.tab)} row {verdict.row}",
                said=self._said(verdict),
                effect=verdict.effect,
                lines=tuple(self.line(why) for why in (*verdict.causes, *verdict.notices)),
            )
            for verdict in verdicts
        )

    def payments(self, payments: Sequence[Payment]) -> tuple[Line, ...]:
        """Return every change of a balance."""
        return tuple(self.line(payment.cause) for payment in payments)

    def _visit(self, round_: RoundResult, visit: Visited) -> Visit:
        return Visit(
            number=visit.number,
            player=visit.player,
            begin=visit.entered - round_.start,
            end=visit.left - round_.start,
            entered=self.clock(visit.entered),
            left=self.clock(visit.left),
            because=visit.left_because,
            told=visit.told,
            paid=visit.garnets_paid,
            swap=visit.swap,
            swap_time=None if visit.swap_time is None else self.clock(visit.swap_time),
        )

    def _waiting(self, round_: RoundResult) -> Iterator[Wait]:
        """Yield who stood in the queue when; a wait over several rounds shows in each of them."""
        for verdict in self._waits:
            begin = max(verdict.causes[0].instant, round_.start)
            end = min(verdict.causes[-1].instant, round_.official_end)
            if begin < end:
                yield Wait(
                    player=str(verdict.player), begin=begin - round_.start, end=end - round_.start
                )

    def _pings(self, story: RoundStory) -> Iterator[Ping]:
        round_ = story.round
        for verdict in story.rows:
            if verdict.tab != "Queue" or not round_.start <= verdict.instant <= round_.official_end:
                continue
            if self.record.queue[verdict.place].action == "join":
                yield Ping(
                    player=str(verdict.player),
                    at=verdict.instant - round_.start,
                    time=self.clock(verdict.instant),
                    effect=verdict.effect,
                    text="; ".join(why.words(self.clock) for why in verdict.causes),
                )

    def _remark(self, notice: Notice) -> Remark:
        column = "Start" if notice.tab == "Rounds" else "Timestamp"
        return Remark(
            severity=notice.severity,
            where=self.places.locate(notice.tab, notice.row, column),
            text=notice.words(self.clock),
            rule=notice.rule,
        )

    def _said(self, verdict: Verdict) -> str:
        """Return who said what in a row, as it stands in the sheet."""
        row = getattr(self.record, LISTS[verdict.tab])[verdict.place]
        if isinstance(row, QueueRow):
            return f"{row.player} {row.action}"
        if isinstance(row, Submission):
            return f"{row.player} {excerpt(row.message)}"
        return ""
