"""The match explained: every loss and payment, every visit, every row, and how it ended (R2-R9)."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from referee.judging.ending import Ending, ending
from referee.match.causes import Cause, Why
from referee.match.faults import WrongUsage, quoted
from referee.match.instants import format_instant
from referee.match.notices import TABS, Clock
from referee.match.record import FOOD, Record
from referee.match.result import Result, RoundResult, visit_json
from referee.rules.pen import CENTRE
from referee.rules.reasons import Reasons, Verdict, VisitReasons, reasons, rows_of

EXPLANATION_FORMAT: Final = "referee-explanation/1"


class HungerLoss(msgspec.Struct, frozen=True):
    """Hunger points one clause took from one pig at the end of a round (R6.2-R6.4).

    ``points`` is what the clause takes, ``taken`` what was left to take; ``food`` and ``cell`` are
    where the food and the pig stood.
    """

    round: int
    player: str
    rule: str
    points: int
    taken: int
    left: int
    food: str
    cell: str

    @property
    def words(self) -> str:
        """The loss in words."""
        forgiven = "" if self.taken == self.points else f", only {self.taken} were left (R6.4)"
        return (
            f"{self.player} loses {self.points}, leaving {self.left}: {self._why} "
            f"({self.rule}){forgiven}"
        )

    @property
    def _why(self) -> str:
        if self.rule == "R6.3":
            return f"{self.player} made the round's last swap, and it involved {CENTRE}"
        if self.food == CENTRE:
            return f"the food is on {CENTRE}, and there is not enough of it for all"
        return f"the pig on {self.cell} does not touch the food on {self.food}"


class Payment(msgspec.Struct, frozen=True):
    """Garnets that came or went: ``garnets`` the change, ``balance`` what the player then had (R8).

    ``round`` is None before round 1, after the last one, and for prizes; ``row`` the sheet row of
    an adjustment.
    """

    player: str
    instant: int
    round: int | None
    garnets: int
    balance: int
    cause: Why
    row: int | None = None


class RoundStory(msgspec.Struct, frozen=True):
    """One round explained; ``rows`` are those it took, judged or waited for."""

    round: RoundResult
    visits: tuple[VisitReasons, ...]
    rows: tuple[Verdict, ...]
    hunger: tuple[HungerLoss, ...]
    garnets: tuple[Payment, ...]


class Explanation(msgspec.Struct, frozen=True):
    """A match, or the part of it that was asked for, explained.

    ``rows`` and ``garnets`` are those of no round: rows that wait or came after the match, opening
    balances and prizes. ``ending`` is None while the match runs or where it was not asked for.
    """

    result: Result
    rounds: tuple[RoundStory, ...]
    rows: tuple[Verdict, ...]
    garnets: tuple[Payment, ...]
    ending: Ending | None

    def committed(self, commitment: str) -> "Explanation":
        """Return the same with what players were told of the seed before the match (R7.3)."""
        if self.ending is None:
            return self
        ending = msgspec.structs.replace(self.ending, commitment=commitment)
        return msgspec.structs.replace(self, ending=ending)

    def hunger_losses(self) -> Iterator[HungerLoss]:
        """Yield every loss of hunger, round by round."""
        for story in self.rounds:
            yield from story.hunger

    def payments(self) -> Iterator[Payment]:
        """Yield every change of a balance: openings, then round by round, then the rest."""
        openings = [payment for payment in self.garnets if payment.cause.code == "opening"]
        yield from openings
        for story in self.rounds:
            yield from story.garnets
        yield from (payment for payment in self.garnets if payment.cause.code != "opening")

    def as_json(self, clock: Clock = format_instant) -> dict[str, Any]:
        """Return the explanation as ``--json`` shows it; ``clock`` shows the times in its texts."""
        return {
            "format": EXPLANATION_FORMAT,
            "name": self.result.name,
            "rounds": [_story_json(story, clock) for story in self.rounds],
            "rows": [_verdict_json(verdict, clock) for verdict in self.rows],
            "garnets": [_payment_json(payment, clock) for payment in self.garnets],
            "ending": None if self.ending is None else self.ending.as_json(),
        }


def explain(
    record: Record,
    *,
    player: str | None = None,
    round: int | None = None,  # noqa: A002  the game's word, as in the command
    row: tuple[str, int] | None = None,
    through: int | None = None,
) -> Explanation:
    """Explain a match, or only what concerns one player, one round or one row (tab, sheet row).

    ``through`` plays only the first so many listed rounds. Raises `Stopped` where the record
    cannot be replayed, `WrongUsage` where there is no such player, round or row.
    """
    why = reasons(record, through)
    if player is not None and player not in why.result.garnets:
        names = ", ".join(why.result.garnets)
        raise WrongUsage(f"{quoted(player)} is not a player of this match; it has {names}")
    if round is not None and not 1 <= round <= len(why.result.rounds):
        played = len(why.result.rounds)
        known = f"it has rounds 1 to {played}" if played else "no round is played yet"
        raise WrongUsage(f"round {round} is not played in this match; {known}")
    if row is not None:
        return _explain_row(why, *_known_row(record, *row))
    return _explain(why, player, round)


def _known_row(record: Record, tab: str, row: int) -> tuple[str, int]:
    if tab not in TABS:
        raise WrongUsage(f"{tab} row {row}: rows of {', '.join(TABS)} can be explained")
    if row not in rows_of(record, tab):
        raise WrongUsage(f"{tab} row {row}: the match has no such row")
    return tab, row


def _explain_row(why: Reasons, tab: str, row: int) -> Explanation:
    """Explain the rows with one label, each with the visit it belongs to."""
    rows = [verdict for verdict in why.verdicts if (verdict.tab, verdict.row) == (tab, row)]
    wanted = {verdict.visit for verdict in rows}
    visits = [seen for seen in why.visits if (seen.round, seen.visit.number) in wanted]
    numbers = {verdict.round for verdict in rows} | {seen.round for seen in visits}
    stories = tuple(
        RoundStory(
            round=round_,
            visits=tuple(seen for seen in visits if seen.round == round_.number),
            rows=tuple(verdict for verdict in rows if verdict.round == round_.number),
            hunger=(),
            garnets=(),
        )
        for round_ in why.result.rounds
        if round_.number in numbers
    )
    told = {verdict for story in stories for verdict in story.rows}
    return Explanation(why.result, stories, tuple(v for v in rows if v not in told), (), None)


def _explain(why: Reasons, player: str | None, only: int | None) -> Explanation:
    result = why.result
    rows = [v for v in why.verdicts if player in (None, v.player)]
    payments = [p for p in _payments(why) if player in (None, p.player)]
    losses = [loss for loss in _hunger_losses(why) if player in (None, loss.player)]
    stories = tuple(
        RoundStory(
            round=round_,
            visits=tuple(
                seen
                for seen in why.visits
                if seen.round == round_.number and player in (None, seen.visit.player)
            ),
            rows=tuple(verdict for verdict in rows if verdict.round == round_.number),
            hunger=tuple(loss for loss in losses if loss.round == round_.number),
            garnets=tuple(p for p in payments if p.round == round_.number),
        )
        for round_ in result.rounds
        if only in (None, round_.number)
    )
    played = {round_.number for round_ in result.rounds}
    whole = only is None
    end = ending(why.replay) if whole or only == len(result.rounds) else None
    if end is not None and player is not None:
        fates = tuple(fate for fate in end.fates if fate.player == player)
        end = msgspec.structs.replace(end, fates=fates)
    return Explanation(
        result=result,
        rounds=stories,
        rows=tuple(v for v in rows if whole and v.round not in played),
        garnets=tuple(p for p in payments if whole and p.round not in played),
        ending=end,
    )


def _hunger_losses(why: Reasons) -> Iterator[HungerLoss]:
    settings = why.result.record.settings
    left = dict.fromkeys(why.result.garnets, settings.starting_hunger)
    for round_ in why.result.rounds:
        cells = {token: cell for cell, token in round_.pen.items() if token is not None}
        for name, losses in round_.hunger_lost.items():
            for loss in losses:
                taken = min(loss.points, left[name])
                left[name] -= taken
                yield HungerLoss(
                    round=round_.number,
                    player=name,
                    rule=loss.rule,
                    points=loss.points,
                    taken=taken,
                    left=left[name],
                    food=cells[FOOD],
                    cell=cells[name],
                )


def _payments(why: Reasons) -> Iterator[Payment]:
    """Yield every change of every balance in order of time, adjustments before entries (R8.1)."""
    record = why.result.record
    balance = {player.name: player.garnets for player in record.players}
    for name, garnets in balance.items():
        cause = Cause("opening", record.start, name, (garnets,))
        yield Payment(name, record.start, None, garnets, garnets, cause)
    changes: list[tuple[int, str, int | None, int, Why, int | None]] = [
        (cause.instant, str(v.player), v.round, cause.facts[0], cause, v.row)
        for v in why.verdicts
        for cause in v.causes
        if cause.code == "adjusted"
    ]
    for seen in why.visits:
        visit = seen.visit
        if visit.garnets_paid:
            price = -visit.garnets_paid
            changes.append((visit.entered, visit.player, seen.round, price, seen.paid, None))
    changes.sort(key=lambda change: change[0])
    for instant, name, round_, garnets, cause_, row in changes:
        balance[name] += garnets
        yield Payment(name, instant, round_, garnets, balance[name], cause_, row)
    outcome = why.result.outcome
    if outcome is not None:
        end, each = why.result.rounds[-1], record.settings.hunger_per_garnet
        for name, won in outcome.garnets_won.items():
            balance[name] += won
            prize = Cause("prize", end.official_end, name, (won, end.hunger[name], each))
            yield Payment(name, end.official_end, None, won, balance[name], prize)


# --- JSON ----------------------------------------------------------------------------------------


def _story_json(story: RoundStory, clock: Clock) -> dict[str, Any]:
    round_ = story.round
    return {
        "number": round_.number,
        "start": format_instant(round_.start),
        "timer_end": format_instant(round_.timer_end),
        "official_end": format_instant(round_.official_end),
        "visits": [_visit_reasons_json(seen, clock) for seen in story.visits],
        "rows": [_verdict_json(verdict, clock) for verdict in story.rows],
        "hunger": [{**msgspec.structs.asdict(loss), "text": loss.words} for loss in story.hunger],
        "garnets": [_payment_json(payment, clock) for payment in story.garnets],
    }


def _visit_reasons_json(seen: VisitReasons, clock: Clock) -> dict[str, Any]:
    return {
        **visit_json(seen.visit),
        "why": {
            part: _why_json(getattr(seen, part), clock)
            for part in ("began", "ended", "told", "paid", "swap")
        },
    }


def _verdict_json(verdict: Verdict, clock: Clock) -> dict[str, Any]:
    return {
        "tab": verdict.tab,
        "row": verdict.row,
        "time": format_instant(verdict.instant),
        "player": verdict.player,
        "effect": verdict.effect,
        "round": verdict.round,
        "visit": None if verdict.visit is None else list(verdict.visit),
        "causes": [_why_json(why, clock) for why in verdict.causes],
        "notices": [_why_json(notice, clock) for notice in verdict.notices],
    }


def _payment_json(payment: Payment, clock: Clock) -> dict[str, Any]:
    return {
        "player": payment.player,
        "time": format_instant(payment.instant),
        "round": payment.round,
        "garnets": payment.garnets,
        "balance": payment.balance,
        "row": payment.row,
        **_why_json(payment.cause, clock),
    }


def _why_json(why: Why, clock: Clock) -> dict[str, Any]:
    return {"code": why.code, "rule": why.rule, "text": why.words(clock)}
