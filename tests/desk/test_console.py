"""The Dealer's console agrees at every instant with the match as it is replayed in the end."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec import UNSET

from referee.desk.console import state_at
from referee.desk.dealer_state import Inside, Next, Pending, State, reads_as
from referee.match.faults import Stopped
from referee.match.instants import SECOND, Instant
from referee.match.record import Adjustment, Player, Record, Round, Settings
from referee.match.result import Result, RoundResult
from referee.rules.replay import replay
from tests.support.played_matches import at, join, match, played_matches, send

RECORDED = Settings(pre_game_minutes=0, round_minutes=1, room_seconds=20, room_clock="recorded")


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
        starts = [before.timer_end, before.official_end]
        starts += [before.official_end + seconds * SECOND for seconds in (-3, -1, 2, 30)]
        start = draw(st.sampled_from([None, *(s for s in starts if s >= before.timer_end)]))
        if start is not None:
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


@settings(max_examples=settings().max_examples // 2)
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


@settings(max_examples=settings().max_examples // 2)
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


@settings(max_examples=settings().max_examples // 2)
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


@settings(max_examples=settings().max_examples // 2)
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


@settings(max_examples=settings().max_examples // 2)
@given(scheduled_matches())
def test_in_the_end_the_console_has_every_notice(record: Record) -> None:
    result = replay(record)
    state = state_at(record, at(10**6))
    assert state.notices == result.notices
    assert state.phase == ("waiting" if result.outcome is None else "over")


# --- single instants -----------------------------------------------------------------------------


def look(seconds: float, **parts: Any) -> State:
    """A match of Ann, Ben and Cat at some seconds into round 1, which lasts a minute."""
    return state_at(match(**parts), at(seconds))


def inside(state: State) -> Inside:
    assert state.inside is not None
    return state.inside


def said(state: State) -> list[tuple[str, str]]:
    """What the visitor typed, and how it reads."""
    return [(typed.message, reads_as(typed.reading)) for typed in inside(state).typed]


def test_the_phases_of_a_match() -> None:
    """Before the match, pre-game, the round, its overrun, the break, and the wait for a round."""
    settings = Settings(pre_game_minutes=1, round_minutes=1, break_seconds=30, room_seconds=20)
    record = match(
        settings=settings,
        rounds=(Round(number=1), Round(number=2)),
        queue=(join(110, "Ann"),),
    )
    phases = {
        seconds: (state.phase, state.round, state.until)
        for seconds in (-1, 0, 60, 119, 120, 130, 160, 220)
        for state in [state_at(record, at(seconds))]
    }
    assert phases == {
        -1: ("before", None, at(0)),
        0: ("pre-game", None, at(60)),
        60: ("round", 1, at(120)),
        119: ("round", 1, at(120)),
        120: ("overrun", 1, at(130)),
        130: ("break", 1, at(160)),
        160: ("round", 2, at(220)),
        220: ("waiting", 2, None),
    }


def test_a_match_whose_first_round_is_not_listed_waits_for_it() -> None:
    settings = Settings(pre_game_minutes=1)
    assert look(59, rounds=(), settings=settings).phase == "pre-game"
    assert look(60, rounds=(), settings=settings).phase == "waiting"


def test_a_start_recorded_ahead_is_counted_down_to() -> None:
    """Both before round 1 and in a break, whatever the clocks would give."""
    rounds = (Round(number=1, start=at(90)), Round(number=2, start=at(200)))
    settings = Settings(pre_game_minutes=1, round_minutes=1)
    record = match(rounds=rounds, settings=settings)
    assert (state_at(record, at(70)).phase, state_at(record, at(70)).until) == ("pre-game", at(90))
    assert (state_at(record, at(160)).phase, state_at(record, at(160)).until) == ("break", at(200))


def test_the_match_is_over_with_the_round_in_which_a_pig_starves() -> None:
    settings = Settings(pre_game_minutes=0, round_minutes=1, starting_hunger=1)
    rounds = (Round(number=1), Round(number=2))
    assert look(59, settings=settings, rounds=rounds).phase == "round"
    over = look(60, settings=settings, rounds=rounds, queue=(join(70, "Ann"),))
    assert (over.phase, over.round, over.until, over.pending) == ("over", 1, None, ())


def test_what_the_visitor_typed_is_shown_as_it_reads() -> None:
    """The last swap counts so far; a pass takes it back; rulings are read in place of the words."""
    queue = (join(0, "Ann"),)
    rows = (
        send(1, "Ann", "A D"),
        send(2, "Ann", "hello"),
        send(3, "Ben", "B D"),
        send(4, "Ann", "C F", ruling="void"),
        send(5, "Ann", "maybe A C", ruling="read as A C"),
        send(6, "Ann", "pass"),
    )
    swaps = [inside(look(s, queue=queue, submissions=rows)).swap for s in range(8)]
    assert swaps == [None, "AD", "AD", "AD", "AD", "AC", None, None]
    assert said(look(6, queue=queue, submissions=rows)) == [
        ("A D", "swap A and D"),
        ("hello", "unreadable: it is not certainly a swap"),
        ("maybe A C", "swap A and C"),
        ("pass", "pass"),
    ]
    assert inside(look(6, queue=queue, submissions=rows)).typed[2].ruling == "read as A C"


def test_an_edit_is_not_shown_before_it_was_made() -> None:
    """A chat shows only the latest text, so that what was there before is not known."""
    row = msgspec.structs.replace(send(2, "Ann", "A D"), edited=at(9))
    early, late = (look(s, queue=(join(0, "Ann"),), submissions=(row,)) for s in (8, 9))
    assert said(early) == [
        ("", "unreadable: edited later; what it said by now is not known (R5.4)")
    ]
    assert inside(early).swap is None
    assert said(late) == [("A D", "swap A and D")]
    assert (inside(late).typed[0].counts, inside(late).swap) == (at(9), "AD")


def test_a_ruling_that_tells_what_an_edit_hid_is_read_from_when_it_was_sent() -> None:
    """Bare allow tells nothing of it, and counts when the visit has ended."""
    queue = (join(0, "Ann"),)
    for ruling, swap in (("read as B D", "BD"), ("allow B D", "BD"), ("allow", None)):
        sent = send(2, "Ann", "A D", ruling)
        row = msgspec.structs.replace(sent, edited=at(30))
        state = look(8, queue=queue, submissions=(row,))
        assert (inside(state).swap, inside(state).until, state.faults) == (swap, at(20), ())
        assert len(inside(state).typed) == 1


def test_an_edit_after_the_visit_is_a_fault_once_it_is_made() -> None:
    row = msgspec.structs.replace(send(2, "Ann", "A D"), edited=at(30))
    parts = {"queue": (join(0, "Ann"),), "submissions": (row,)}
    assert look(29, **parts).faults == ()
    assert [(f.code, f.row) for f in look(30, **parts).faults] == [("hidden-edit", 1)]


def test_a_message_of_the_instant_that_parts_two_visits_belongs_to_the_earlier() -> None:
    row = msgspec.structs.replace(send(20, "Ann", "A D"), edited=at(25))
    rows = (join(0, "Ann"), join(5, "Ann"))
    assert said(look(22, queue=rows, submissions=(row,))) == []


def test_who_waits_is_foretold_when_they_enter_and_what_they_pay() -> None:
    """Ann has swapped and pays, Ben cannot, and Cat enters in that same instant."""
    parts = {
        "players": (
            Player(name="Ann", cell="A", rival="Ben", garnets=3),
            Player(name="Ben", cell="B", rival="Cat", garnets=1),
            Player(name="Cat", cell="F", rival="Ann"),
        ),
        "settings": Settings(pre_game_minutes=0, round_minutes=1, room_seconds=15),
        "queue": tuple(join(s, who) for s, who in enumerate(("Ben", "Ann", "Ben", "Ann", "Cat"))),
        "submissions": (send(3, "Ben", "B D"), send(16, "Ann", "A C")),
        "adjustments": (Adjustment(time=at(16), player="Ann", garnets=2),),
    }
    assert look(17, **parts).queue == (
        Next("Ben", 1, 1, at(30), turned_away=True),
        Next("Cat", 1, 0, at(30)),
    )
    # The values are known to fit here.
    rows = (*parts["queue"], join(17, "Ann"))  # type: ignore[misc]
    again = look(18, **{**parts, "queue": rows}).queue
    assert again[2:] == (Next("Ann", 1, 5, at(45), pays=2),)


def test_who_comes_too_late_waits_for_the_next_round() -> None:
    """Where that round is listed, it is known when they enter there, and it costs nothing."""
    rows = tuple(join(s, who) for s, who in ((41, "Ann"), (42, "Ben")))
    parts = {"queue": rows, "submissions": (send(41, "Ann", "A D"),)}
    assert look(50, **parts).queue == (Next("Ben", 2, 1),)
    listed = (Round(number=1), Round(number=2, start=at(70)))
    assert look(50, **parts, rounds=listed).queue == (Next("Ben", 2, 1, at(70)),)
    assert look(65, **parts, rounds=listed).queue == (Next("Ben", 2, 1, at(70)),)


def test_a_start_recorded_ahead_cuts_the_visit_that_runs_into_it() -> None:
    listed = (Round(number=1), Round(number=2, start=at(62)))
    assert inside(look(55, rounds=listed, queue=(join(50, "Ann"),))).until == at(62)


def test_where_the_host_opens_the_room_prices_are_known_and_times_are_not() -> None:
    """A price of nothing turns nobody away, not even in debt; after the timer all is free again."""
    rows = (
        join(0, "Ann"),
        join(1, "Ann", "enter"),
        join(9, "Ann", "exit"),
        join(10, "Ann"),
        join(11, "Ben"),
    )
    parts = {"settings": RECORDED, "queue": rows, "submissions": (send(2, "Ann", "A D"),)}
    assert look(20, **parts).queue == (Next("Ann", 1, 3, pays=2), Next("Ben", 1, 1))
    assert look(60, **parts).queue == (Next("Ann", 2, 3), Next("Ben", 2, 1))
    poor = (Adjustment(time=at(3), player="Ann", garnets=-5),)
    assert look(20, **parts, adjustments=poor).queue[0] == Next("Ann", 1, -2, turned_away=True)
    parts["settings"] = msgspec.structs.replace(RECORDED, extra_visit_garnets=0)
    assert look(20, **parts, adjustments=poor).queue[0] == Next("Ann", 1, -2)
    parts["settings"] = msgspec.structs.replace(RECORDED, unpaid_visits="debt")
    assert look(20, **parts, adjustments=poor).queue[0] == Next("Ann", 1, -2, pays=2)


def test_a_swap_ends_the_visit_where_the_match_has_it_so() -> None:
    settings = Settings(pre_game_minutes=0, round_minutes=1, room_seconds=20, visit_ends="swap")
    parts = {"queue": (join(0, "Ann"), join(1, "Ben")), "submissions": (send(5, "Ann", "A D"),)}
    assert inside(look(4, **parts, settings=settings)).until == at(20)
    assert inside(look(5, **parts, settings=settings)).player == "Ben"


def test_rows_whose_round_is_not_listed_are_shown_as_waiting() -> None:
    state = look(70, queue=(join(65, "Ann"), join(80, "Ben")))
    assert state.pending == (Pending("Ann", "join", at(65)),)


def test_a_notice_knows_of_no_visit_ahead_and_keeps_its_row() -> None:
    """Rows without numbers keep the place they have in the whole list."""
    rows = (send(40, "Cat", "pass"), send(5, "Ben", "B D"))
    state = look(6, queue=(join(0, "Ann"), join(1, "Ben")), submissions=rows)
    assert [(n.code, n.row, n.facts) for n in state.notices] == [("not-visiting", 2, ("BD", 1))]


def test_faults_of_rounds_that_may_never_be_played_are_not_told() -> None:
    """A start that cannot be right is told once its own round is due."""
    rounds = tuple(Round(number=n, start=at(s)) for n, s in ((1, 0), (2, 70), (3, 80)))
    assert look(30, rounds=rounds).faults == ()
    assert look(30, rounds=rounds).phase == "round"
    stuck = look(75, rounds=rounds)
    assert [fault.code for fault in stuck.faults] == ["start-before-timer"]
    assert (stuck.phase, stuck.round) == ("cannot be played", 1)


def test_faults_of_players_or_rounds_stop_the_look() -> None:
    with pytest.raises(Stopped, match="round 3 is listed and round 2 is not"):
        look(0, rounds=(Round(number=1), Round(number=3)))


def test_the_state_is_told_to_machines_with_its_times_in_utc() -> None:
    parts = {"queue": (join(0, "Ann"), join(1, "Ben")), "submissions": (send(2, "Ann", "A D"),)}
    told = look(3, **parts).as_json()
    assert told == {
        "format": "referee-live/1",
        "name": "Test match",
        "time_zone": "UTC",
        "waiting": [],
        "now": "2026-11-29T20:00:03Z",
        "phase": "round",
        "round": 1,
        "until": "2026-11-29T20:01:00Z",
        "inside": {
            "player": "Ann",
            "entered": "2026-11-29T20:00:00Z",
            "until": "2026-11-29T20:00:20Z",
            "told": None,
            "garnets_paid": 0,
            "swap": "AD",
            "typed": [
                {
                    "time": "2026-11-29T20:00:02Z",
                    "message": "A D",
                    "reads_as": "swap A and D",
                    "ruling": "",
                }
            ],
        },
        "last_entered": "Ann",
        "queue": [
            {
                "player": "Ben",
                "round": 1,
                "garnets": 1,
                "enters": "2026-11-29T20:00:20Z",
                "pays": 0,
                "turned_away": False,
            }
        ],
        "pending": [],
        "notices": [],
        "faults": [],
    }
