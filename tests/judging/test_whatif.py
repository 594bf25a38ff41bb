"""What if the host had ruled otherwise: the same as if it had been typed in."""

import msgspec
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from referee.judging.comparing import Difference, differences
from referee.judging.whatif import AddRow, Change, Rule, SetTo, change, each, what_if
from referee.match.faults import Fault, Stopped, WrongUsage
from referee.match.record import Adjustment, QueueRow, Record, Round, Settings, Submission
from referee.match.result import Result
from referee.rules.replay import replay
from tests.support.played_matches import at, join, match, played_matches, send


def played() -> Record:
    """Ann's swap of 12.4 s after her visit is late; Ben's unread message is in his visit."""
    return match(
        queue=(join(5, "Ann"), join(6, "Ben")),
        submissions=(
            send(37.4, "Ann", "A D"),
            send(30, "Ben", "B D?"),
            send(31, "Ben", "hello"),
        ),
        rounds=(Round(number=1), Round(number=2)),
    )


def typed_in(record: Record, tab: str, place: int, ruling: str) -> Record:
    key = "queue" if tab == "Queue" else "submissions"
    rows = list(getattr(record, key))
    rows[place] = msgspec.structs.replace(rows[place], ruling=ruling)
    return msgspec.structs.replace(record, **{key: tuple(rows)})


def faults_of(record: Record) -> tuple[Fault, ...]:
    try:
        replay(record)
    except Stopped as stopped:
        return stopped.faults
    return ()


def said(found: tuple[Difference, ...]) -> list[str]:
    return [difference.text for difference in found]


def without_notices(result: Result) -> dict[str, object]:
    return {key: value for key, value in result.as_json().items() if key != "notices"}


class TestChange:
    @given(played_matches(), st.data())
    def test_a_ruling_is_as_if_typed_in(self, record: Record, data: st.DataObject) -> None:
        tab = data.draw(st.sampled_from(["Queue", "Submissions"]))
        rows = record.queue if tab == "Queue" else record.submissions
        assume(rows)
        place = data.draw(st.integers(0, len(rows) - 1))
        rulings = (
            ["void", ""] if tab == "Queue" else ["void", "allow", "read as B D", "allow pass", ""]
        )
        ruling = data.draw(st.sampled_from(rulings))
        expected = typed_in(record, tab, place, ruling)
        rule = Rule(tab, place + 1, ruling)
        assert change(record, [rule]) == expected
        if faults := faults_of(expected):
            with pytest.raises(Stopped) as stopped:
                what_if(record, [rule])
            assert stopped.value.faults == faults
            return
        found = what_if(record, [rule])
        assert found.after == replay(expected)
        assert found.before == replay(record)

    def test_a_setting_is_as_if_typed_in(self) -> None:
        record = change(played(), [SetTo("room_seconds", "90"), SetTo("visit_ends", "swap")])
        assert record.settings == Settings(
            pre_game_minutes=0, round_minutes=1, room_seconds=90, visit_ends="swap"
        )

    def test_a_row_is_added_below_the_last_one(self) -> None:
        rows: list[QueueRow | Submission | Adjustment | Round] = [
            join(50, "Cat"),
            send(51, "Cat", "C F"),
            Adjustment(time=at(9), player="Cat", garnets=1),
            Round(number=3),
        ]
        record = change(played(), [AddRow(row) for row in rows])
        added = [record.queue, record.submissions, record.adjustments, record.rounds]
        assert [of[-1] for of in added] == [
            msgspec.structs.replace(row, row=number)
            for row, number in zip(rows, (3, 4, 1, 3), strict=True)
        ]

    def test_an_added_row_takes_the_number_after_the_highest(self) -> None:
        queue = (msgspec.structs.replace(join(5, "Ann"), row=8), join(6, "Ben"))
        assert change(match(queue=queue), [AddRow(join(7, "Cat"))]).queue[-1].row == 9

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            (Rule("Queue", 9, "void"), "Queue row 9: the match has no such row"),
            (
                Rule("Adjustments", 1, "void"),
                "Adjustments row 1: only rows of Queue and Submissions carry rulings (R9.1)",
            ),
            (
                Rule("Queue", 1, "perhaps"),
                (
                    'Queue row 1: "perhaps" is not a ruling for the queue; write void, allow on an '
                    "edited row, or leave it empty"
                ),
            ),
            (
                SetTo("room_seconds", "soon"),
                "room_seconds = soon: write a whole number of seconds from 1 to 9007199254740991",
            ),
            (
                SetTo("centre_loss", "-1"),
                "centre_loss = -1: write a whole number from 0 to 9007199254740991",
            ),
            (
                SetTo("room_clock", "fast"),
                "room_clock = fast: write one of simulated, recorded",
            ),
        ],
    )
    def test_what_no_sheet_can_hold_is_refused_in_words(self, wrong: Change, words: str) -> None:
        with pytest.raises(WrongUsage) as refused:
            change(played(), [wrong])
        assert str(refused.value) == words

    def test_everything_wrong_is_told_at_once(self) -> None:
        with pytest.raises(WrongUsage) as refused:
            change(played(), [Rule("Queue", 9, "void"), SetTo("speed", 3)])
        first, second = str(refused.value).splitlines()
        assert first == "Queue row 9: the match has no such row"
        assert second.startswith('"speed" is not a setting; they are starting_hunger, ')

    def test_a_number_that_two_rows_share_names_none_of_them(self) -> None:
        queue = tuple(msgspec.structs.replace(join(5, name), row=2) for name in ("Ann", "Ben"))
        with pytest.raises(WrongUsage, match=r"Queue row 2: the match has 2 rows with that number"):
            change(match(queue=queue), [Rule("Queue", 2, "void")])


class TestWhatIf:
    def test_a_late_swap_allowed_tells_every_consequence(self) -> None:
        found = what_if(played(), [Rule("Submissions", 1, "allow")])
        assert said(found.differences) == [
            "round 1, Visits, Ann's visit, Swap: nothing → AD (R5.2)",
            "round 1, Visits, Ann's visit, Swap time: nothing → 2026-11-29T20:00:25Z (R5.5)",
            "round 1, Pen, A: Ann → food (R6.1)",
            "round 1, Pen, D: food → Ann (R6.1)",
            "round 1, Hunger, Ben: 9 → 10 (R6.2)",
            "round 1, Hunger, Cat: 9 → 8 (R6.2)",
            "round 1, Hunger, Ann, lost: 1 by R6.2 → 1 by R6.3 (R6.3)",
            "round 2, Pen, A: Ann → food (R6.1)",
            "round 2, Pen, D: food → Ann (R6.1)",
            "round 2, Hunger, Ann: 8 → 9 (R6.2)",
            "round 2, Hunger, Ben: 8 → 10 (R6.2)",
            "round 2, Hunger, Cat: 8 → 6 (R6.2)",
            "Result, Swaps: Ann: 0 → 1 (R5.5)",
        ]

    def test_notices_are_told_where_asked_for(self) -> None:
        found = what_if(played(), [Rule("Submissions", 1, "allow")], notices=True)
        notices = [d for d in found.differences if d.tab == "Notices"]
        assert [(d.what, d.rule, d.after is None) for d in notices] == [
            ("Submissions row 1 late-submission", "R5.1", True),
            ("Submissions row 1 host-ruling", "R9.2", False),
        ]

    def test_a_stopped_record_may_go_through_with_the_change(self) -> None:
        edited = msgspec.structs.replace(send(10, "Ann", "A D"), edited=at(26))
        record = match(queue=(join(5, "Ann"),), submissions=(edited,))
        found = what_if(record, [Rule("Submissions", 1, "read as C D")])
        assert found.before is None
        assert [fault.code for fault in found.stopped] == ["hidden-edit"]
        assert found.after.rounds[0].visits[0].swap == "CD"

    def test_several_changes_count_together(self) -> None:
        changes: list[Change] = [
            AddRow(join(12, "Cat")),
            AddRow(send(46, "Cat", "F G")),
            SetTo("room_seconds", 15),
        ]
        found = what_if(played(), changes)
        assert found.after.rounds[0].visits[2].swap == "FG"
        assert found.as_json()["changes"] == [
            "a row more in Queue: Cat join at 2026-11-29T20:00:12Z",
            'a row more in Submissions: Cat "F G" at 2026-11-29T20:00:46Z',
            "room_seconds = 15",
        ]

    def test_a_match_that_ends_sooner_says_which_rounds_fall_away(self) -> None:
        found = what_if(played(), [SetTo("centre_loss", 10)])
        assert "round 2, Rounds, the round: played → not played (R7.1)" in said(found.differences)
        assert "Result, Status: running → draw pending (R7.1)" in said(found.differences)


class TestDifferences:
    @given(played_matches())
    def test_a_result_does_not_differ_from_itself(self, record: Record) -> None:
        assert differences(replay(record), replay(record), notices=True) == ()

    @given(played_matches(), st.data())
    def test_results_differ_just_where_their_json_does(
        self, record: Record, data: st.DataObject
    ) -> None:
        tab = data.draw(st.sampled_from(["Queue", "Submissions"]))
        rows = record.queue if tab == "Queue" else record.submissions
        assume(rows)
        place = data.draw(st.integers(0, len(rows) - 1))
        before = replay(record)
        try:
            after = replay(typed_in(record, tab, place, "void"))
        except Stopped:
            reject()
        found = differences(before, after)
        assert bool(found) == (without_notices(before) != without_notices(after))
        assert all(difference.before != difference.after for difference in found)
        there = {(d.tab, d.round, d.what, d.before, d.after) for d in found}
        back = {(d.tab, d.round, d.what, d.after, d.before) for d in differences(after, before)}
        assert there == back


class TestEach:
    def test_the_ruling_that_changes_most_comes_first(self) -> None:
        trials = each(played(), "Submissions")
        assert [(trial.reach, trial.rule.words()) for trial in trials] == [
            ("hunger", "Submissions row 2: read as B D"),
            ("hunger", "Submissions row 1: allow"),
        ]

    def test_a_ruling_that_changes_who_is_out_is_of_the_outcome(self) -> None:
        record = change(played(), [SetTo("starting_hunger", 1), SetTo("tie_break_seed", "x")])
        (first, *_) = each(record, "Submissions")
        assert first.reach == "outcome"
        assert "now" in first.as_json()

    @pytest.mark.parametrize(("moment", "doubtful"), [(23.9, False), (24, True), (25, True)])
    def test_a_swap_close_to_the_end_of_its_visit_is_doubtful(
        self, moment: float, doubtful: bool
    ) -> None:
        record = match(queue=(join(5, "Ann"),), submissions=(send(moment, "Ann", "A D"),))
        rulings = [trial.rule.ruling for trial in each(record, "Submissions")]
        assert rulings == (["void"] if doubtful else [])

    def test_what_the_host_ruled_is_tried_without_the_ruling(self) -> None:
        record = change(played(), [Rule("Submissions", 1, "allow")])
        rulings = [t.rule.ruling for t in each(record, "Submissions") if t.rule.row == 1]
        assert sorted(rulings) == ["", "void"]

    def test_a_ruling_without_which_the_run_stops_says_so(self) -> None:
        edited = msgspec.structs.replace(send(10, "Ann", "A D", "allow"), edited=at(26))
        trials = each(match(queue=(join(5, "Ann"),), submissions=(edited,)), "Submissions")
        assert [[f.code for f in t.faults] for t in trials if not t.rule.ruling] == [
            ["hidden-edit"]
        ]

    def test_pings_of_one_instant_are_doubtful(self) -> None:
        record = match(queue=(join(5, "Ann"), join(5, "Ben")))
        assert [trial.rule.words() for trial in each(record, "Queue")] == ["Queue row 2: void"]

    def test_rows_without_rulings_cannot_be_tried(self) -> None:
        with pytest.raises(WrongUsage, match="only rows of Queue and Submissions"):
            each(played(), "Rounds")

    @given(played_matches())
    def test_every_trial_is_the_ruling_typed_in(self, record: Record) -> None:
        before = replay(record)
        for trial in each(record, "Submissions"):
            ruled = typed_in(record, "Submissions", trial.verdict.place, trial.rule.ruling)
            if trial.faults:
                with pytest.raises(Stopped):
                    replay(ruled)
            else:
                assert trial.differences == differences(before, replay(ruled))
