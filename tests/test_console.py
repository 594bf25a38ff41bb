"""The Dealer's console agrees at every instant with the match as it is replayed in the end."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from msgspec import UNSET
from played_matches import at, join, match, played_matches, send

from referee.console import state_at
from referee.dealer_state import Inside, Next, Pending, State, reads_as
from referee.faults import Stopped
from referee.instants import SECOND, Instant
from referee.record import Adjustment, Player, Record, Round, Settings
from referee.result import Result, RoundResult, Visit
from referee.rules.replay import replay

RECORDED = Settings(
    pre_game_minutes=0, round_minutes=1, room_seconds=20, room_clock="recorded"
)


@st.composite
def scheduled_matches(draw: st.DrawFn) -> Record:
    """A random match, some of whose rounds have recorded starts: late ones, or ones that cut."""
    record = draw(played_matches())
    for place in range(1, len(record.rounds)):
        try:
            rounds = replay(record).rounds
        except Stopped:
            reject()
        if place > len(rounds):
            break
        before = rounds[place - 1]
        starts = [UNSET, before.timer_end, before.official_end]
        starts += [Instant(before.official_end + s * SECOND) for s in (-3, -1, 2, 30)]
        start = draw(st.sampled_from([s for s in starts if s is UNSET or s >= before.timer_end]))
        if start is not UNSET:
            listed = list(record.rounds)
            listed[place] = msgspec.structs.replace(listed[place], start=Instant(start))
            record = msgspec.structs.replace(record, rounds=tuple(listed))
    try:
        replay(record)
    except Stopped:
        reject()
    return record


def instants(record: Record, result: Result) -> list[int]:
    """Every instant at which something happens, and those beside it."""
    edges = {record.start, record.start - 5 * SECOND}
    for rows in (record.queue, record.submissions, record.adjustments):
        edges |= {row.time for row in rows}
    edges |= {row.edited for row in record.submissions if row.edited is not UNSET}
    for round_ in result.rounds:
        edges |= {round_.start, round_.timer_end, round_.official_end}
        edges |= {time for visit in round_.visits for time in (visit.entered, visit.left)}
    return sorted({edge + beside for edge in edges for beside in (-1, 0, 1)})


def running(result: Result, now: int) -> RoundResult | None:
    return next((r for r in result.rounds if r.start <= now < r.official_end), None)


@given(scheduled_matches())
def test_whoever_is_inside_in_the_end_is_inside_at_the_time(record: Record) -> None:
    """Round, phase, visitor, whom they are told and what they paid: the same at every instant."""
    result = replay(record)
    for now in instants(record, result):
        state, round_ = state_at(record, now), running(result, now)
        assert state.faults == ()
        if round_ is None:
            assert state.phase not in ("round", "overrun")
            assert state.inside is None
            continue
        assert state.round == round_.number
        assert state.phase == ("round" if now < round_.timer_end else "overrun")
        entered = [visit for visit in round_.visits if visit.entered <= now]
        assert state.last_entered == (entered[-1].player if entered else None)
        here = [visit for visit in entered if now < visit.left]
        seen = state.inside
        assert (seen is None) == (not here)
        if seen is not None:
            (visit,) = here
            assert (seen.player, seen.entered, seen.told, seen.paid) == (
                visit.player,
                visit.entered,
                visit.told,
                visit.garnets_paid,
            )
            assert seen.until >= visit.left


@given(scheduled_matches())
def test_the_queue_at_a_rounds_end_is_the_results(record: Record) -> None:
    """Where the next round starts in that instant, those who entered it are missing."""
    result = replay(record)
    for round_, following in pairwise([*result.rounds, None]):
        assert round_ is not None
        end = round_.official_end
        gone: set[str] = set()
        if following is not None and following.start == end:
            gone = {visit.player for visit in following.visits if visit.entered == end}
            gone |= {turned.player for turned in following.turned_away if turned.time == end}
        waiting = [waiting.player for waiting in state_at(record, end).queue]
        assert waiting == [player for player in round_.queue if player not in gone]


def comings(result: Result) -> Iterator[tuple[int, str, str | None, int | None, RoundResult]]:
    """Entries and refusals of a match: when, who, whom they are told, the price, the round."""
    for round_ in result.rounds:
        for visit in round_.visits:
            yield visit.entered, visit.player, visit.told, visit.garnets_paid, round_
        for turned in round_.turned_away:
            yield turned.time, turned.player, None, None, round_


def undisturbed(record: Record, now: int, until: int) -> bool:
    """Whether nothing is logged, sent or edited after an instant and up to another."""
    return not any(
        now < time <= until
        for rows in (record.queue, record.submissions, record.adjustments)
        for row in rows
        for time in (row.time, getattr(row, "edited", UNSET))
        if time is not UNSET
    )


@given(scheduled_matches())
def test_what_is_foretold_happens_if_nothing_else_does(record: Record) -> None:
    """Under the simulated clock: the order of the queue, the instants, prices and refusals."""
    result = replay(record)
    coming = sorted(comings(result), key=lambda one: (one[0], one[3] is not None))
    if record.settings.room_clock == "recorded":
        return
    for now in instants(record, result):
        quiet = [
            (time, player, paid or 0, paid is None)
            for time, player, _, paid, _ in coming
            if now < time and undisturbed(record, now, time)
        ]
        foretold = [
            (waiting.enters, waiting.player, waiting.pays, waiting.turned_away)
            for waiting in state_at(record, now).queue
        ]
        assert foretold[: len(quiet)] == quiet


@given(scheduled_matches())
def test_the_price_is_foretold_where_the_host_opens_the_room(record: Record) -> None:
    """Under the recorded clock nobody knows when, but what it will cost is known."""
    settings = msgspec.structs.replace(record.settings, room_clock="recorded")
    result = replay(record)
    if record.settings != settings:
        return
    for time, player, _, paid, round_ in comings(result):
        now = time - 1
        others = msgspec.structs.replace(
            record, queue=tuple(row for row in record.queue if row.action != "enter")
        )
        if not undisturbed(others, now, time):
            continue
        (waiting,) = [one for one in state_at(record, now).queue if one.player == player]
        assert waiting.enters is None
        if now >= round_.start:
            assert (waiting.pays, waiting.turned_away) == (paid or 0, paid is None)


@given(scheduled_matches())
def test_in_the_end_the_console_has_every_notice(record: Record) -> None:
    result = replay(record)
    state = state_at(record, at(10**6))
    assert state.notices == result.notices
    assert state.phase == ("waiting" if result.outcome is None else "over")
