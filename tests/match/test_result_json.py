"""The result as JSON (``referee-result/1``): scripts and archives rely on every key of it."""

import json
from typing import Any

from referee.match.faults import Stopped
from referee.match.record_json import decode_record
from referee.match.result import Result
from referee.rules.replay import replay
from tests.support.match_notation import play, record_object

MATCH = {
    "settings": {"starting_hunger": 3, "room_clock": "recorded"},
    "players": """
Ann A Ben 3
Ben B Ann
""",
    "queue": """
20:10:05 Ann
20:10:06 Ben
20:10:10.25 Ann enter
20:10:40 Ben enter
20:11:50 Ann
20:12:00 Ann enter
20:19:00 Ann
20:19:30 Ann enter
""",
    "submissions": """
20:10:20 Ann: A D
20:11:50 Ben: D E
""",
    "adjustments": "20:15:00 Ann -1",
}
"""Ann swaps and is cut by Ben, comes back for two garnets, and cannot pay a second time."""

NOTICE = {"rule": "R4.7", "severity": "warning", "tab": "Queue", "player": "Ann"}


def found(match: dict[str, Any]) -> Any:
    result = play(match)
    assert isinstance(result, Result), result
    return json.loads(result.to_json())


def without_texts(notices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: held for key, held in notice.items() if key != "text"} for notice in notices]


def test_a_whole_result() -> None:
    """Every key of a running match's result is there, in its order, with its value."""
    result = found(MATCH)
    assert list(result) == [
        *("format", "name", "rounds", "outcome", "garnets", "swaps", "notices"),
    ]
    assert result["format"] == "referee-result/1"
    assert result["name"] == "A case"
    assert result["outcome"] is None
    assert result["garnets"] == {"Ann": 0, "Ben": 0}
    assert result["swaps"] == {"Ann": 1, "Ben": 0}
    (round_,) = result["rounds"]
    visits = round_.pop("visits")
    assert round_ == {
        "number": 1,
        "start": "2026-11-29T20:10:00Z",
        "timer_end": "2026-11-29T20:20:00Z",
        "official_end": "2026-11-29T20:20:00Z",
        "turned_away": [{"player": "Ann", "time": "2026-11-29T20:19:30Z"}],
        "pen": {"A": "food", "B": "Ben", "C": None, "D": "Ann", "E": None, "F": None, "G": None},
        "hunger": {"Ann": 2, "Ben": 3},
        "hunger_lost": {"Ann": [{"points": 1, "rule": "R6.3"}], "Ben": []},
        "garnets": {"Ann": 0, "Ben": 0},
        "queue": [],
    }
    assert visits == [
        {
            "number": 1,
            "player": "Ann",
            "entered": "2026-11-29T20:10:10.250Z",
            "left": "2026-11-29T20:10:40Z",
            "left_because": "next entry",
            "told": None,
            "garnets_paid": 0,
            "swap": "AD",
            "swap_time": "2026-11-29T20:10:20Z",
        },
        {
            "number": 2,
            "player": "Ben",
            "entered": "2026-11-29T20:10:40Z",
            "left": "2026-11-29T20:11:40Z",
            "left_because": "limit",
            "told": "Ann",
            "garnets_paid": 0,
            "swap": None,
            "swap_time": None,
        },
        {
            "number": 3,
            "player": "Ann",
            "entered": "2026-11-29T20:12:00Z",
            "left": "2026-11-29T20:13:00Z",
            "left_because": "limit",
            "told": "Ben",
            "garnets_paid": 2,
            "swap": None,
            "swap_time": None,
        },
    ]


def test_notices_of_a_result() -> None:
    """A notice has its code, clause, severity, place, player and words."""
    notices = found(MATCH)["notices"]
    assert without_texts(notices) == [
        {**NOTICE, "code": "visit-cut", "severity": "info", "row": 4},
        {
            **NOTICE,
            "code": "late-submission",
            "rule": "R5.1",
            "tab": "Submissions",
            "row": 2,
            "player": "Ben",
        },
        {**NOTICE, "code": "turned-away", "rule": "R4.6", "row": 7},
    ]
    assert list(notices[0]) == ["code", "rule", "severity", "tab", "row", "player", "text"]
    assert notices[1]["text"] == (
        "Ben sent the swap DE 10 s after the visit that ended at 2026-11-29T20:11:40Z in round 1: "
        "it does not count"
    )


def test_a_cut_by_the_next_round_cites_the_clocks() -> None:
    """A visit cut by a recorded start is named on the Rounds tab, by the clause of the clocks."""
    cut = {"rounds": "1\n2 at 20:20:10", "queue": "20:19:30 Ann"}
    (notice,) = found(cut)["notices"]
    assert (notice["code"], notice["rule"], notice["tab"]) == ("visit-cut", "R2.4", "Rounds")
    early = {"rounds": "1 at 20:08:00"}
    (notice,) = found(early)["notices"]
    assert (notice["code"], notice["player"]) == ("short-pre-game", None)


def test_the_outcome_of_a_match() -> None:
    """A match that is over says who starved, who is out, why, and who won what."""
    over = {**MATCH, "rounds": "1\n2", "settings": {"starting_hunger": 2}}
    result = found({**over, "queue": "", "submissions": "", "adjustments": ""})
    outcome = result["outcome"]
    assert list(outcome) == [
        *("starved", "elimination_candidate", "decided_by", "winners"),
        *("tokens_of_life", "garnets_won", "tied"),
    ]
    assert outcome == {
        "starved": ["Ann", "Ben"],
        "elimination_candidate": None,
        "decided_by": "draw pending",
        "winners": [],
        "tokens_of_life": {},
        "garnets_won": {},
        "tied": ["Ann", "Ben"],
    }
    decided = found(
        {
            **MATCH,
            "settings": {"starting_hunger": 1},
            "queue": "20:10:05 Ann",
            "submissions": "20:10:20 Ann: E G",
            "adjustments": "",
        }
    )
    assert decided["outcome"] == {
        "starved": ["Ann", "Ben"],
        "elimination_candidate": "Ben",
        "decided_by": "fewest swaps",
        "winners": ["Ann"],
        "tokens_of_life": {"Ann": 2},
        "garnets_won": {"Ann": 0},
    }


def test_a_result_is_one_line() -> None:
    """In an archive of results each is one line, whatever its texts hold."""
    record = record_object(MATCH)
    record["name"] = "A case\nof two lines"
    record["submissions"][1] |= {"time": "2026-11-29T20:11:00Z", "message": "oh\r\nno\n"}
    result = replay(decode_record(json.dumps(record)))
    assert result.notices[1].code == "unreadable-swap"
    assert "\n" not in result.to_json()


def test_a_stop_has_no_result() -> None:
    """What stops says so in its own format."""
    stop = play({"rounds": "2"})
    assert isinstance(stop, Stopped)
    assert stop.as_json()["format"] == "referee-stop/1"
    assert stop.as_json()["name"] == "A case"
    (fault,) = stop.as_json()["faults"]
    assert list(fault) == ["code", "tab", "row", "player", "text"]
