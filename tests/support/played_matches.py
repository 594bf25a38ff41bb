"""Random matches that can be replayed to the end, small and full of things that go wrong."""

from typing import Any

import msgspec
from hypothesis import reject
from hypothesis import strategies as st

from referee.match.faults import Stopped
from referee.match.instants import SECOND, Instant, parse_instant
from referee.match.record import (
    Action,
    Adjustment,
    Player,
    QueueRow,
    Record,
    RingCell,
    Round,
    Settings,
    Submission,
)
from referee.rules.replay import replay

START = parse_instant("2026-11-29T20:00:00Z")
CELLS: tuple[RingCell, ...] = ("A", "B", "C", "E", "F", "G")
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Flo")
MESSAGES = ("A D", "d-e", "B D", "swap F and G", "A C", "pass", "A G", "A D or D E", "hello", "C F")
RULINGS = ("", "", "", "", "void", "allow", "read as B E", "allow A D")


def at(seconds: float) -> Instant:
    return Instant(START + round(seconds * SECOND))


def match(**parts: Any) -> Record:
    """A match of Ann, Ben and Cat whose round 1 of one minute starts at the match's start."""
    whole: dict[str, Any] = {
        "format": "referee-match/1",
        "game": "pig-starvation",
        "name": "Test match",
        "start": START,
        "players": (
            Player(name="Ann", cell="A", rival="Ben", garnets=3),
            Player(name="Ben", cell="B", rival="Cat", garnets=1),
            Player(name="Cat", cell="F", rival="Ann"),
        ),
        "rounds": (Round(number=1),),
        "queue": (),
        "submissions": (),
        "settings": Settings(pre_game_minutes=0, round_minutes=1, room_seconds=20),
    }
    return Record(**{**whole, **parts})


def join(seconds: float, player: str, action: Action = "join", ruling: str = "") -> QueueRow:
    return QueueRow(time=at(seconds), player=player, action=action, ruling=ruling)


def send(seconds: float, player: str, message: str, ruling: str = "") -> Submission:
    return Submission(time=at(seconds), player=player, message=message, ruling=ruling)


@st.composite
def played_matches(draw: st.DrawFn) -> Record:
    """A random record that replays; its rounds are one minute long, with times in half seconds."""
    count = draw(st.integers(2, 6))
    names = NAMES[:count]
    rounds = draw(st.integers(1, 6))
    recorded = draw(st.booleans())
    # Times crowd together, so that edges are met.
    times = st.integers(-20, rounds * 130 + 40).map(lambda half: half / 2)
    player = st.sampled_from(names)
    actions: list[Action] = ["join", "join", "join", "join", "withdraw", "exit", "leave"]
    if recorded:
        actions += ["enter", "enter", "enter"]
    queue = draw(
        st.lists(
            st.builds(
                join, times, player, st.sampled_from(actions), st.sampled_from(["", "", "void"])
            ),
            max_size=40,
        )
    )
    submissions = draw(
        st.lists(
            st.builds(
                send, times, player, st.sampled_from(MESSAGES), st.sampled_from(RULINGS)
            ).flatmap(_perhaps_edited),
            max_size=30,
        )
    )
    adjustments = draw(
        st.lists(
            st.builds(
                Adjustment,
                time=times.map(at),
                player=player,
                garnets=st.integers(-3, 3),
                reason=st.just("trade"),
            ),
            max_size=4,
        )
    )
    record = match(
        players=tuple(
            Player(
                name=name,
                cell=cell,
                rival=names[(place + 1) % count],
                garnets=draw(st.integers(0, 4)),
            )
            for place, (name, cell) in enumerate(zip(names, CELLS, strict=False))
        ),
        rounds=tuple(Round(number=number) for number in range(1, rounds + 1)),
        queue=tuple(queue),
        submissions=tuple(submissions),
        adjustments=tuple(adjustments),
        settings=draw(_settings(recorded=recorded)),
    )
    try:
        replay(record)
    except Stopped:
        reject()
    return record


def _perhaps_edited(row: Submission) -> st.SearchStrategy[Submission]:
    edits = st.sampled_from([0, 0, 0, 0, 1, 2, 15])
    return edits.map(
        lambda seconds: (
            msgspec.structs.replace(row, edited=Instant(row.time + seconds * SECOND))
            if seconds
            else row
        )
    )


def _settings(*, recorded: bool) -> st.SearchStrategy[Settings]:
    return st.builds(
        Settings,
        starting_hunger=st.integers(1, 8),
        pre_game_minutes=st.just(0),
        round_minutes=st.just(1),
        room_seconds=st.sampled_from([5, 10, 20]),
        break_seconds=st.sampled_from([0, 0, 3]),
        extra_visit_garnets=st.integers(0, 2),
        last_swap_loss=st.integers(0, 2),
        room_clock=st.just("recorded" if recorded else "simulated"),
        visit_ends=st.sampled_from(["limit", "swap"]),
        pings_outside_rounds=st.sampled_from(["ignore", "queue"]),
        unpaid_visits=st.sampled_from(["refuse", "debt"]),
        tie_break_seed=st.sampled_from(["", "a seed"]),
    )
