"""Laws of change: what may be done to a record without doing anything to its result."""

import json
import os
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.match.instants import DAY, format_instant, parse_instant
from tests.support.match_notation import CASES, read_case, record_object
from tests.support.strategies import (
    CHAT,
    INVALID,
    Match,
    changed,
    numbered,
    play,
    sound_matches,
    without_notices,
)

MATCHES = sound_matches()
TABS = ("queue", "submissions", "adjustments")
SHUFFLES = st.randoms(use_true_random=False)

REPLAY = """
import sys
from referee import Stopped, decode_record, replay
for line in sys.stdin.buffer:
    try:
        print(replay(decode_record(line)).to_json())
    except Stopped as stopped:
        print(stopped.as_json())
"""


@given(MATCHES)
def test_r0_1_same_record_same_bytes(match: Match) -> None:
    """Two replays of one record agree in every byte."""
    assert play(match).to_json() == play(match).to_json()


def test_r0_1_another_process_gives_the_same_bytes() -> None:
    """Neither the process nor the seed of its hashes has a say: every case, in three processes."""
    archive = "".join(json.dumps(record_object(read_case(path))) + "\n" for path in CASES)
    answers = {_in_a_process(archive, seed) for seed in ("0", "1", "2")}
    (answer,) = answers
    assert len(answer.splitlines()) == len(CASES)


def _in_a_process(archive: str, seed: str) -> bytes:
    command = [sys.executable, "-X", "utf8", "-c", REPLAY]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        command, input=archive.encode(), env=environment, capture_output=True, check=True
    )
    return done.stdout


@given(MATCHES, st.integers(-400, 400))
def test_r0_1_the_date_does_not_matter(match: Match, days: int) -> None:
    """The same match on another day goes the same way, all its times moved by as much."""
    moved = json.loads(json.dumps(match), object_hook=lambda row: _moved(row, days))
    before = play(match).as_json()
    after = play(moved).as_json()
    for notices in (before["notices"], after["notices"]):
        for notice in notices:
            del notice["text"]
    assert after == json.loads(json.dumps(before), object_hook=lambda row: _moved(row, days))


def _moved(row: dict[str, Any], days: int) -> dict[str, Any]:
    def later(value: str) -> str:
        return format_instant(parse_instant(value) + days * DAY)

    times = ("time", "edited", "start", "timer_end", "official_end", "entered", "left", "swap_time")
    return {k: later(v) if k in times and v is not None else v for k, v in row.items()}


@given(MATCHES, SHUFFLES)
def test_r0_3_the_sheet_need_not_be_sorted(match: Match, shuffle: Random) -> None:
    """Rows of different instants, and rounds, may stand in any order."""
    match = numbered(match)
    other = changed(match, lambda m: _shuffle(m, shuffle))
    assert play(other).to_json() == play(match).to_json()


def _shuffle(match: Match, random: Random) -> None:
    random.shuffle(match["rounds"])
    for tab in TABS:
        rows = match[tab]
        instants = [row["time"] for row in rows]
        random.shuffle(instants)
        waiting = {time: [row for row in rows if row["time"] == time] for time in instants}
        match[tab] = [waiting[time].pop(0) for time in instants]


@given(MATCHES)
def test_r0_3_row_numbers_decide_nothing(match: Match) -> None:
    """Rows have numbers only to be named by."""
    assert without_notices(play(numbered(match))) == without_notices(play(match))


@given(MATCHES, SHUFFLES)
def test_r0_3_players_may_stand_in_any_order(match: Match, shuffle: Random) -> None:
    """The order of the players decides nothing, not even a draw."""
    other = changed(match, lambda m: shuffle.shuffle(m["players"]))
    before, after = play(match), play(other)
    assert after.rounds == before.rounds
    assert after.garnets == before.garnets
    assert (after.outcome is None) == (before.outcome is None)
    if before.outcome is not None and after.outcome is not None:
        assert after.outcome.elimination_candidate == before.outcome.elimination_candidate
        assert set(after.outcome.winners) == set(before.outcome.winners)
        assert after.outcome.tied == before.outcome.tied


@given(MATCHES, st.data())
def test_r5_3_chat_changes_nothing_but_notices(match: Match, data: st.DataObject) -> None:
    """Another line that is no swap and no pass changes no round and no outcome."""
    times = sorted({row["time"] for tab in TABS for row in match[tab]} | {match["start"]})
    chat = {
        "time": data.draw(st.sampled_from(times)),
        "player": data.draw(st.sampled_from(match["players"]))["name"],
        "message": data.draw(st.sampled_from((*CHAT, *INVALID))),
    }
    place = data.draw(st.integers(0, len(match["submissions"])))
    other = changed(match, lambda m: m["submissions"].insert(place, chat))
    assert without_notices(play(other)) == without_notices(play(match))


@given(sound_matches(edits=False, ruled=False), st.integers(1, 3))
def test_r7_1_a_round_that_is_over_stays_as_it_is(match: Match, number: int) -> None:
    """Without edits and allowed rows, nothing logged after a round's official end can touch it."""
    result = play(match)
    assume(number <= len(result.rounds))
    last = result.rounds[number - 1]
    assume(not last.visits or last.visits[-1].left_because != "next round")
    cut = changed(match, lambda m: _cut(m, number, last.official_end))
    assert play(cut).rounds == result.rounds[:number]


def _cut(match: Match, number: int, end: int) -> None:
    match["rounds"] = [row for row in match["rounds"] if row["number"] <= number]
    for tab in TABS:
        match[tab] = [row for row in match[tab] if parse_instant(row["time"]) <= end]


@given(MATCHES)
def test_r2_2_recording_what_follows_anyway_changes_nothing(match: Match) -> None:
    """A host who records the very starts that the clock would give gets the same match."""
    result = play(match)
    starts = {round_.number: format_instant(round_.start) for round_ in result.rounds}

    def record(m: Match) -> None:
        for row in m["rounds"]:
            if row["number"] in starts:
                row["start"] = starts[row["number"]]

    before, after = without_notices(result), without_notices(play(changed(match, record)))
    for found in (before, after):
        for round_ in found["rounds"]:
            for visit in round_["visits"]:
                # A visit that ends by its limit right when the next round starts ends by both.
                visit["left_because"] = visit["left_because"].replace("next round", "limit")
    assert after == before


@given(sound_matches(settings={"room_clock": "simulated"}))
def test_r4_7_logging_the_simulated_entries_gives_the_same_match(match: Match) -> None:
    """Whoever logs by hand what the simulated clock did gets the same rounds."""
    result = play(match)
    entries = []
    for round_ in result.rounds:
        entries += [(turned.time, turned.player) for turned in round_.turned_away]
        entries += [(visit.entered, visit.player) for visit in round_.visits]
    entries.sort(key=lambda entry: entry[0])

    def log(m: Match) -> None:
        m["settings"]["room_clock"] = "recorded"
        m["queue"] += [
            {"time": format_instant(time), "player": player, "action": "enter"}
            for time, player in entries
        ]

    assert without_notices(play(changed(match, log))) == without_notices(result)


@given(MATCHES)
def test_r4_8_leave_says_whatever_is_meant(match: Match) -> None:
    """A leave that matched something may be logged as the exit or the withdrawal that it was."""
    result = play(numbered(match))
    stray = {n.row - 2 for n in result.notices if n.code in ("unmatched-leave", "after-match")}
    exits = {(v.player, v.left) for r in result.rounds for v in r.visits if v.left > v.entered}

    def spell_out(m: Match) -> None:
        for place, row in enumerate(m["queue"]):
            if row.get("action") == "leave" and place not in stray:
                left = (row["player"], parse_instant(row["time"])) in exits
                row["action"] = "exit" if left else "withdraw"

    assert without_notices(play(changed(match, spell_out))) == without_notices(result)


@given(MATCHES)
def test_r9_1_void_rows_are_as_good_as_absent(match: Match) -> None:
    """Without its void rows a match goes the same way."""

    def drop(m: Match) -> None:
        for tab in ("queue", "submissions"):
            m[tab] = [row for row in m[tab] if row.get("ruling") != "void"]

    assert without_notices(play(changed(match, drop))) == without_notices(play(match))


@given(sound_matches(edits=False, ruled=False), st.data())
def test_r9_1_allow_changes_nothing_on_a_row_sent_in_time(
    match: Match, data: st.DataObject
) -> None:
    """A submission sent within a visit may be allowed, which it was anyway."""
    result = play(match)
    stays = {
        (visit.player, instant)
        for round_ in result.rounds
        for visit in round_.visits
        for instant in (visit.entered, visit.left, visit.swap_time)
    }
    in_time = [
        place
        for place, row in enumerate(match["submissions"])
        if (row["player"], parse_instant(row["time"])) in stays
    ]
    assume(in_time)
    place = data.draw(st.sampled_from(in_time))
    other = changed(match, lambda m: m["submissions"][place].update(ruling="allow"))
    assert without_notices(play(other)) == without_notices(result)


@given(sound_matches(edits=False, ruled=False, forms=("{} {}",)))
def test_r9_1_read_as_what_it_says(match: Match) -> None:
    """Ruling that each row says what it says changes nothing."""

    def rule(m: Match) -> None:
        for row in m["submissions"]:
            swap = len(row["message"]) == 3
            row["ruling"] = f"read as {row['message']}" if swap else "read as pass"

    assert without_notices(play(changed(match, rule))) == without_notices(play(match))


@given(sound_matches(ruled=False, edits=False, settings={"visit_ends": "limit"}))
def test_r9_3_what_was_late_may_be_deleted(match: Match) -> None:
    """Rows whose notice says they had no effect may go, and nothing changes."""
    match = numbered(match)
    result = play(match)
    idle = {"late-submission", "early-submission", "not-visiting", "invalid-swap", "after-match"}
    idle |= {"unreadable-swap", "ping-outside-round", "duplicate-ping", "unmatched-exit"}
    idle |= {"unmatched-withdraw", "unmatched-leave", "already-inside", "entry-outside-round"}
    gone = {(notice.tab.lower(), notice.row) for notice in result.notices if notice.code in idle}

    def drop(m: Match) -> None:
        for tab in TABS:
            m[tab] = [row for row in m[tab] if (tab, row["row"]) not in gone]

    assert without_notices(play(changed(match, drop))) == without_notices(result)


@pytest.mark.parametrize("spare", ["time_zone", "published"])
@given(match=MATCHES)
def test_r0_1_what_the_engine_does_not_look_at(spare: str, match: Match) -> None:
    """Neither the time zone nor what was published changes the result."""
    held = {"time_zone": "Asia/Kolkata", "published": {"Pen": [["Round", "A"], [0, None]]}}
    assert play({**match, spare: held[spare]}).to_json() == play(match).to_json()
