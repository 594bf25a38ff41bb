"""The host's page: every step of a match with what happened and why."""

from collections.abc import Iterator, Mapping

import msgspec

from referee.judging.explaining import Explanation, RoundStory
from referee.match.notices import Clock
from referee.match.record import FOOD
from referee.match.result import Result, Visit
from referee.rules.pen import CENTRE, Pen, starting_pen, swap_tokens
from referee.rules.reasons import VisitReasons
from referee.views.explanation import within_day
from referee.views.page.model import Line, Page, Player, Step, Table
from referee.views.page.rounds import Teller
from referee.views.page.words import counted, listed, loss, pen_words
from referee.views.summary import outcome_lines
from referee.workbook import layout
from referee.workbook.places import Places
from referee.workbook.writing import status, tab_rows, wall_clock

_TABLES = ("Pen", "Hunger", "Garnets", "Visits", "Result", "Notices")
"""The owned tabs a page shows; receipts are for audits."""


def host_page(explanation: Explanation, places: Places) -> Page:
    """Return a match with everything in it, for its host, or for all once it is over.

    The explanation is one of the whole match, or of its first rounds.
    """
    result = explanation.result
    record = result.record
    clock = within_day(wall_clock(record), record.start)
    teller = Teller(explanation, places, clock)
    start = {player.name: record.settings.starting_hunger for player in record.players}
    return Page(
        kind="host",
        name=result.name,
        status=_status(result, wall_clock(record)),
        players=tuple(
            Player(name=player.name, token=player.token, rival=player.rival)
            for player in record.players
        ),
        steps=tuple(_Walk(explanation, teller, clock).steps()),
        tables=_tables(result),
        hunger={
            name: (points, *(round_.hunger[name] for round_ in result.rounds))
            for name, points in start.items()
        },
        rounds=tuple(teller.round(story) for story in explanation.rounds),
        rest=teller.rest(explanation),
    )


def _status(result: Result, clock: Clock) -> str:
    played = counted(len(result.rounds), "round")
    return f"Began {clock(result.record.start)} · {played} played · {status(result)}"


def _tables(result: Result) -> tuple[Table, ...]:
    rows = tab_rows(result, (), layout.load())
    return tuple(Table(title=tab, rows=tuple(map(tuple, rows[tab]))) for tab in _TABLES)


class _Walk:
    """The match walked through once, with how everything stands after each step."""

    def __init__(self, explanation: Explanation, teller: Teller, clock: Clock) -> None:
        self.explanation = explanation
        self.result = explanation.result
        self.teller = teller
        self.clock = clock
        record = self.result.record
        self.pen: Pen = starting_pen(record.players)
        names = [player.name for player in record.players]
        self.hunger: Mapping[str, int] = dict.fromkeys(names, record.settings.starting_hunger)
        self.garnets = {player.name: player.garnets for player in record.players}
        self.swaps = dict.fromkeys(names, 0)
        self.waiting: tuple[str, ...] = ()
        self.given = [p for p in explanation.payments() if p.cause.code == "adjusted"]

    def steps(self) -> Iterator[Step]:
        """Yield every step from the start to the result."""
        points = self.result.record.settings.starting_hunger
        text = f"{pen_words(self.pen)} Every pig has {counted(points, 'hunger point')}."
        yield self._step("start", 0, "The start", text)
        for story in self.explanation.rounds:
            yield self._begin(story)
            for seen in story.visits:
                yield self._visit(story, seen)
            yield self._feeding(story)
        yield self._last()

    def _step(self, id_: str, round_: int, title: str, text: str) -> Step:
        return Step(
            id=id_,
            round=round_,
            title=title,
            text=text,
            pen=dict(self.pen),
            hunger=self.hunger,
            garnets=dict(self.garnets),
            swaps=dict(self.swaps),
        )

    def _begin(self, story: RoundStory) -> Step:
        round_ = story.round
        self._adjust(round_.start - 1)
        text = (
            f"The timer runs from {self.clock(round_.start)} to {self.clock(round_.timer_end)}. "
            f"In the queue: {listed(self.waiting)}."
        )
        step = self._step(f"r{round_.number}", round_.number, f"Round {round_.number} begins", text)
        return _with(step, at=0)

    def _visit(self, story: RoundStory, seen: VisitReasons) -> Step:
        round_, visit = story.round, seen.visit
        # Of one instant the adjustments come first, then the entry, which may cost (R4.2).
        self._adjust(visit.left)
        self.garnets[visit.player] -= visit.garnets_paid
        text = _visit_words(visit, self.pen)
        if visit.swap is not None:
            swap_tokens(self.pen, visit.swap)
            self.swaps[visit.player] += 1
        title = f"Round {round_.number}, visit {visit.number} of {len(round_.visits)}"
        step = self._step(f"r{round_.number}v{visit.number}", round_.number, title, text)
        return _with(
            step,
            cells=visit.swap or "",
            reasons=self.teller.visit_reasons(seen),
            visit=visit.number,
            at=visit.left - round_.start,
        )

    def _feeding(self, story: RoundStory) -> Step:
        round_ = story.round
        self._adjust(round_.official_end)
        self.hunger = round_.hunger
        self.waiting = round_.queue
        food = next(cell for cell, token in self.pen.items() if token == FOOD)
        enough = ", and there is not enough of it for all" if food == CENTRE else ""
        left = ", ".join(f"{name} {points}" for name, points in round_.hunger.items())
        text = (
            f"Over at {self.clock(round_.official_end)}. The food is on {food}{enough}. "
            f"Hunger now: {left}. Still in the queue: {listed(round_.queue)}."
        )
        title = f"Round {round_.number} ends: the pigs feed"
        step = self._step(f"r{round_.number}end", round_.number, title, text)
        return _with(
            step,
            reasons=tuple(Line(text=loss_.words) for loss_ in story.hunger),
            lost={name: loss(losses) for name, losses in round_.hunger_lost.items()},
            at=round_.official_end - round_.start,
        )

    def _last(self) -> Step:
        """Return the step behind the last round: the result, or where the match stands."""
        self.garnets = dict(self.result.garnets)
        number = len(self.result.rounds) + 1
        outcome, ending = self.result.outcome, self.explanation.ending
        if outcome is None or ending is None:
            text = f"The match goes on. In the queue: {listed(self.waiting)}."
            return self._step("now", number, "Where it stands", text)
        step = self._step("result", number, "The result", " ".join(outcome_lines(outcome)))
        return _with(step, reasons=tuple(Line(text=line) for line in ending.lines()))

    def _adjust(self, until: int) -> None:
        """Let every adjustment up to an instant happen (R8.1)."""
        while self.given and self.given[0].instant <= until:
            payment = self.given.pop(0)
            self.garnets[payment.player] += payment.garnets


def _with(step: Step, **more: object) -> Step:
    return msgspec.structs.replace(step, **more)


def _visit_words(visit: Visit, pen: Mapping[str, str | None]) -> str:
    """Tell what a visit did to the pen as it stood before."""
    paid = f" The visit cost {counted(visit.garnets_paid, 'garnet')}." if visit.garnets_paid else ""
    if visit.swap is None:
        return f"{visit.player} makes no swap.{paid}"
    one, other = visit.swap[0], visit.swap[1]
    moved = [
        f"{_token(pen[here])} goes to {there}"
        for here, there in ((one, other), (other, one))
        if pen[here] is not None
    ]
    what = " and ".join(moved) or "both are empty"
    return f"{visit.player} swaps {one} and {other}: {what}.{paid}"


def _token(token: str | None) -> str:
    return "the food" if token == FOOD else str(token)
