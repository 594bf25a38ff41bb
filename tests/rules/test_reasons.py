"""Why every row counted or not, and why every visit went as it went."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given

from referee.match.causes import CAUSES, Cause, Why
from referee.match.instants import format_instant
from referee.match.notices import Notice
from referee.match.record import Adjustment, Player, Record, Round, Settings
from referee.rules.reasons import LISTS, Reasons, Verdict, VisitReasons, reasons
from referee.rules.replay import replay
from tests.support.played_matches import at, join, match, played_matches, send


def clock(instant: int) -> str:
    return format_instant(instant)[11:].rstrip("Z")


def verdict_on(record: Record, tab: str, place: int) -> Verdict:
    found = [v for v in reasons(record).verdicts if (v.tab, v.place) == (tab, place)]
    assert len(found) == 1
    return found[0]


def told(record: Record, tab: str = "Submissions", place: int = 0) -> list[str]:
    """The causes of a row in words, each with its clause."""
    causes = verdict_on(record, tab, place).causes
    return [f"{why.words(clock)} ({why.rule})" for why in causes]


def visited(*submissions: object, **parts: object) -> Record:
    """Ann is inside from 5 s to 25 s of round 1, which ends at 60 s."""
    queue = (join(5, "Ann"),)
    return match(queue=queue, submissions=submissions, **parts)


class TestSubmissions:
    def test_a_swap_that_counts_names_its_visit(self) -> None:
        assert told(visited(send(10, "Ann", "A D"))) == [
            "Ann's swap AD counts at 20:00:10, in visit 1 of round 1 (R5.2)"
        ]

    def test_a_replaced_swap_names_the_row_that_replaced_it(self) -> None:
        record = visited(send(10, "Ann", "A D"), send(12, "Ann", "B D"))
        assert told(record) == [
            (
                "Ann's swap AD was replaced by the later one of Submissions row 2 at 20:00:12, in "
                "visit 1 of round 1 (R5.2)"
            )
        ]

    def test_a_pass_and_the_swap_it_takes_back_name_each_other(self) -> None:
        record = visited(send(10, "Ann", "A D"), send(12, "Ann", "pass"))
        assert told(record) == [
            (
                "Ann's swap AD was taken back by the pass of Submissions row 2 at 20:00:12, in "
                "visit 1 of round 1 (R5.2)"
            )
        ]
        assert told(record, place=1) == [
            (
                "the pass at 20:00:12 takes back the swap of Submissions row 1, in visit 1 of "
                "round 1 (R5.2)"
            )
        ]
        assert verdict_on(record, "Submissions", 1).effect == "counts"

    def test_a_pass_without_a_swap_before_it_does_nothing(self) -> None:
        record = visited(send(10, "Ann", "pass"), send(12, "Ann", "A D"))
        assert told(record) == [
            "the pass at 20:00:10 had no swap to take back, in visit 1 of round 1 (R5.2)"
        ]
        assert verdict_on(record, "Submissions", 0).effect == "no effect"

    def test_a_late_swap_is_told_with_its_distance_as_in_its_notice(self) -> None:
        record = visited(send(37.4, "Ann", "A D"))
        (notice,) = replay(record).notices
        assert told(record) == [f"{notice.words(clock)} (R5.1)"]
        assert "sent the swap AD 12.4 s after the visit that ended at 20:00:25" in notice.words(
            clock
        )

    def test_an_early_swap_and_one_of_a_player_who_never_visits_have_their_notices(self) -> None:
        record = visited(send(2, "Ann", "A D"), send(10, "Ben", "A D"))
        assert [verdict_on(record, "Submissions", place).causes[0].code for place in (0, 1)] == [
            "early-submission",
            "not-visiting",
        ]

    def test_an_allowed_swap_says_how_late_it_was(self) -> None:
        assert told(visited(send(37.4, "Ann", "A D", "allow"))) == [
            "Ann's swap AD counts at 20:00:25, in visit 1 of round 1 (R5.2)",
            (
                "the host allowed it, sent 12.4 s after the visit ended at 20:00:25: it counts as "
                "if sent then (R9.1)"
            ),
        ]

    def test_a_hidden_edit_that_was_allowed_says_how_late_the_edit_was(self) -> None:
        row = msgspec.structs.replace(send(10, "Ann", "A D", "allow"), edited=at(26))
        assert told(visited(row))[1] == (
            "the host allowed it, edited 1 s after the visit ended at 20:00:25: it counts as if "
            "sent then (R9.1)"
        )

    def test_a_row_that_the_host_read_says_as_what(self) -> None:
        assert told(visited(send(10, "Ann", "hm", "read as A D"))) == [
            "Ann's swap AD counts at 20:00:10, in visit 1 of round 1 (R5.2)",
            "the host read it as AD (R9.1)",
        ]

    def test_an_edit_in_time_counts_when_it_was_made(self) -> None:
        row = msgspec.structs.replace(send(2, "Ann", "A D"), edited=at(12))
        assert told(visited(row)) == [
            "Ann's swap AD counts at 20:00:12, in visit 1 of round 1 (R5.2)",
            "it counts as edited at 20:00:12; it was sent at 20:00:02 (R5.4)",
        ]

    def test_a_void_row_is_as_if_it_were_not_there(self) -> None:
        assert told(visited(send(10, "Ann", "A D", "void"))) == [
            "the host ruled the row void: as if it were not there (R9.1)"
        ]

    def test_talk_outside_every_visit_is_talk(self) -> None:
        assert told(visited(send(50, "Ann", "well played"))) == [
            "at 20:00:50, outside every visit, and no swap: talk (R5.3)"
        ]

    def test_what_comes_after_the_last_listed_round_waits(self) -> None:
        record = visited(send(70, "Ann", "A D"))
        assert told(record) == [
            "it waits for round 2: it came at 20:01:10, after round 1 had ended at 20:01:00 (R3.2)"
        ]
        assert verdict_on(record, "Submissions", 0).effect == "waits"

    def test_without_a_listed_round_everything_waits_for_round_1(self) -> None:
        record = visited(send(10, "Ann", "A D"), rounds=())
        assert told(record) == ["it waits for round 1, from 20:00:10 on (R3.2)"]
        assert told(record, "Queue") == ["it waits for round 1, from 20:00:05 on (R3.2)"]

    @pytest.mark.parametrize(
        ("message", "code"), [("A G", "invalid-swap"), ("A D E", "unreadable-swap")]
    )
    def test_what_is_no_swap_in_a_visit_has_its_notice(self, message: str, code: str) -> None:
        assert (
            verdict_on(visited(send(10, "Ann", message)), "Submissions", 0).causes[0].code == code
        )


class TestQueue:
    def test_a_ping_tells_its_place_and_its_entry(self) -> None:
        record = match(queue=(join(5, "Ann"), join(6, "Ben"), join(7, "Cat")))
        assert told(record, "Queue", 2) == [
            "Cat joined the queue at 20:00:07, at place 2 (R3.1)",
            "Cat entered at 20:00:45: visit 3 of round 1 (R4.1)",
        ]

    def test_a_ping_carried_over_tells_both_rounds(self) -> None:
        record = match(
            queue=(join(55, "Ann"), join(56, "Ben")), rounds=(Round(number=1), Round(number=2))
        )
        assert told(record, "Queue", 1) == [
            "Ben joined the queue at 20:00:56, at place 1 (R3.1)",
            (
                "Ben still waited when round 1 ended at 20:01:15 and stood at place 1 of the "
                "queue for round 2 (R3.5)"
            ),
            "Ben entered at 20:01:15: visit 1 of round 2 (R4.1)",
        ]

    def test_whoever_waits_after_the_last_round_is_told_so(self) -> None:
        record = match(queue=(join(55, "Ann"), join(56, "Ben")))
        assert told(record, "Queue", 1)[1:] == ["Ben still waits after round 1, at place 1 (R3.5)"]

    def test_a_withdrawal_and_its_ping_name_each_other(self) -> None:
        record = match(queue=(join(5, "Ann"), join(6, "Ben"), join(8, "Ben", "leave")))
        assert told(record, "Queue", 1)[1:] == [
            "Ben left the queue at 20:00:08 (Queue row 3) (R3.4)"
        ]
        assert told(record, "Queue", 2) == [
            "Ben left the queue at 20:00:08, having joined with Queue row 2 (R3.4)"
        ]

    def test_a_second_exit_at_the_instant_of_the_first_changes_nothing(self) -> None:
        record = match(queue=(join(5, "Ann"), join(9, "Ann", "exit"), join(9, "Ann", "leave")))
        assert told(record, "Queue", 1) == [
            "Ann left the room at 20:00:09: the end of visit 1 of round 1 (R4.3)"
        ]
        assert told(record, "Queue", 2) == [
            "visit 1 of round 1 ended at 20:00:09 already; the row changes nothing (R4.8)"
        ]

    def test_a_ping_before_its_round_joins_ahead_where_the_host_lets_it(self) -> None:
        settings = Settings(
            pre_game_minutes=0, round_minutes=1, break_seconds=9, pings_outside_rounds="queue"
        )
        record = match(
            queue=(join(63, "Ann"),),
            rounds=(Round(number=1), Round(number=2)),
            settings=settings,
        )
        assert told(record, "Queue") == [
            (
                "Ann pinged at 20:01:03, outside every round, and joined the queue of round 2 at "
                "place 1 (R3.2)"
            ),
            "Ann entered at 20:01:09: visit 1 of round 2 (R4.1)",
        ]

    def test_an_entry_that_cannot_be_paid_is_one_cause_of_ping_and_entry(self) -> None:
        queue = (
            join(5, "Cat"),
            join(6, "Cat", "enter"),
            join(30, "Cat"),
            join(31, "Cat", "enter"),
        )
        settings = Settings(
            pre_game_minutes=0, round_minutes=1, room_seconds=20, room_clock="recorded"
        )
        record = match(queue=queue, submissions=(send(9, "Cat", "D F"),), settings=settings)
        words = (
            "Cat was turned away at 20:00:31: another visit costs 2 garnets and Cat had 0 (R4.6)"
        )
        assert told(record, "Queue", 2) == [
            "Cat joined the queue at 20:00:30, at place 1 (R3.1)",
            words,
        ]
        assert told(record, "Queue", 3) == [words]
        assert told(record, "Queue", 1) == [
            "the host let Cat in at 20:00:06: visit 1 of round 1 (R4.7)"
        ]


class TestOtherTabs:
    def test_an_adjustment_tells_the_balance_it_leaves(self) -> None:
        rows = (Adjustment(time=at(9), player="Ann", garnets=-1, reason="trade"),)
        assert told(match(adjustments=rows), "Adjustments") == [
            "-1 garnet for Ann at 20:00:09 (trade): Ann has 2 (R8.1)"
        ]

    def test_a_round_tells_its_clocks(self) -> None:
        assert told(match(queue=(join(55, "Ann"),)), "Rounds") == [
            (
                "round 1 started at 20:00:00, as the clocks give it; its timer ended at 20:01:00 "
                "and the round at 20:01:15, 15 s later, with the last visit (R2.2)"
            )
        ]

    def test_a_round_after_the_end_is_not_played(self) -> None:
        settings = Settings(pre_game_minutes=0, round_minutes=1, starting_hunger=1)
        record = match(rounds=(Round(number=1), Round(number=2)), settings=settings)
        assert told(record, "Rounds", 1) == [
            "round 2 is not played: the match ended with round 1 at 20:01:00 (R7.1)"
        ]

    def test_a_round_that_is_left_out_is_not_played_yet(self) -> None:
        (verdict,) = reasons(match(), through=0).verdicts
        assert verdict.effect == "waits"
        assert verdict.causes[0].words(clock) == "round 1 is not played here"


class TestVisits:
    def only(self, record: Record) -> VisitReasons:
        return reasons(record).visits[-1]

    def words(self, why: Why) -> str:
        return f"{why.words(clock)} ({why.rule})"

    def test_a_visit_tells_its_ping_and_since_when_it_was_first(self) -> None:
        record = match(queue=(join(5, "Ann"), join(6, "Ben"), join(7, "Cat")))
        assert self.words(self.only(record).began) == (
            "ping at 20:00:07 (Queue row 3, place 2), first in the queue since 20:00:25, the room "
            "was free from 20:00:45: Cat entered at 20:00:45 (R4.1)"
        )

    def test_a_visit_by_the_host_s_hand_names_the_row_that_let_them_in(self) -> None:
        settings = Settings(pre_game_minutes=0, round_minutes=1, room_clock="recorded")
        record = match(queue=(join(5, "Ann"), join(9, "Ann", "enter")), settings=settings)
        assert self.words(self.only(record).began) == (
            "ping at 20:00:05 (Queue row 1, place 1); the host let Ann in at 20:00:09 (Queue row "
            "2) (R4.7)"
        )

    def test_a_visit_tells_what_ended_it(self) -> None:
        ended = {
            "limit": self.only(visited()),
            "exit": self.only(match(queue=(join(5, "Ann"), join(9, "Ann", "exit")))),
            "swap": self.only(
                visited(
                    send(8, "Ann", "A D"),
                    settings=Settings(pre_game_minutes=0, round_minutes=1, visit_ends="swap"),
                )
            ),
        }
        assert {because: self.words(seen.ended) for because, seen in ended.items()} == {
            "limit": "the visit reached its limit at 20:00:25, 20 s after the entry (R4.3)",
            "exit": "Ann left at 20:00:09 (Queue row 2), 4 s after the entry (R4.3)",
            "swap": (
                "the visit ended at 20:00:08 with its first valid swap (Submissions row 1), 3 s "
                "after the entry (R4.3)"
            ),
        }

    def test_a_visit_cut_by_the_next_round_has_its_notice(self) -> None:
        record = match(
            queue=(join(55, "Ann"),), rounds=(Round(number=1), Round(number=2, start=at(65)))
        )
        ended = self.only(record).ended
        assert isinstance(ended, Notice)
        assert (ended.code, ended.rule) == ("visit-cut", "R2.4")

    def test_a_visit_whose_limit_is_the_next_round_s_start_was_not_cut(self) -> None:
        record = match(
            queue=(join(55, "Ann"),), rounds=(Round(number=1), Round(number=2, start=at(75)))
        )
        assert self.words(self.only(record).ended) == (
            "the visit ended at 20:01:15, its limit and the next round's start (R2.4)"
        )

    def test_an_extra_visit_names_the_swap_that_made_it_cost(self) -> None:
        record = match(
            queue=(join(5, "Ann"), join(30, "Ann")), submissions=(send(9, "Ann", "A D"),)
        )
        assert self.words(self.only(record).paid) == (
            "Ann paid 2 garnets on entering: visit 1 of this round holds the swap AD of 20:00:09 "
            "(R4.5)"
        )
        assert self.words(self.only(record).told) == (
            "Ann was told Ann, who had entered last before (R4.4)"
        )
        assert self.words(self.only(record).swap) == "no swap: nothing was sent (R5.2)"


class TestLaws:
    @given(played_matches())
    def test_every_row_has_one_verdict_and_every_visit_its_reasons(self, record: Record) -> None:
        why = reasons(record)
        rows = Counter((verdict.tab, verdict.place) for verdict in why.verdicts)
        assert rows == Counter(
            (tab, place) for tab, key in LISTS.items() for place in range(len(getattr(record, key)))
        )
        visits = [visit for round_ in why.result.rounds for visit in round_.visits]
        assert [seen.visit for seen in why.visits] == visits

    @given(played_matches())
    def test_every_notice_stands_beside_its_row_once(self, record: Record) -> None:
        why = reasons(record)
        beside = Counter(
            cause
            for verdict in why.verdicts
            for cause in (*verdict.causes, *verdict.notices)
            if isinstance(cause, Notice) and (cause.tab, cause.row) == (verdict.tab, verdict.row)
        )
        assert beside == Counter(why.result.notices)

    @given(played_matches())
    def test_the_swaps_that_count_are_the_result_s(self, record: Record) -> None:
        why = reasons(record)
        counted = Counter(
            (v.visit, v.causes[0].facts[0], v.causes[0].instant)
            for v in why.verdicts
            if v.causes[0].code == "counted"
        )
        assert counted == Counter(
            ((round_.number, visit.number), visit.swap, visit.swap_time)
            for round_ in why.result.rounds
            for visit in round_.visits
            if visit.swap is not None
        )

    @given(played_matches())
    def test_every_visit_has_one_ping_and_begins_as_soon_as_it_may(self, record: Record) -> None:
        why = reasons(record)
        pings = Counter(
            verdict.visit
            for verdict in why.verdicts
            if verdict.tab == "Queue" and verdict.causes[-1].code == "entered"
        )
        assert pings == Counter((seen.round, seen.visit.number) for seen in why.visits)
        for seen in why.visits:
            if seen.began.code == "first-in-queue":
                *_, first, free = seen.began.facts
                assert seen.visit.entered == max(first, free)

    @given(played_matches())
    def test_the_queue_at_the_end_is_who_still_waits(self, record: Record) -> None:
        why = reasons(record)
        waiting = sorted(
            (cause.facts[0], str(cause.player))
            for verdict in why.verdicts
            for cause in verdict.causes
            if cause.code == "still-waiting"
        )
        assert [name for _, name in waiting] == list(why.result.rounds[-1].queue)

    @given(played_matches())
    def test_rows_that_share_their_numbers_keep_their_reasons(self, record: Record) -> None:
        alike = msgspec.structs.replace(
            record,
            queue=tuple(msgspec.structs.replace(row, row=7) for row in record.queue),
            submissions=tuple(msgspec.structs.replace(row, row=7) for row in record.submissions),
        )
        assert self.codes(reasons(alike)) == self.codes(reasons(record))

    def codes(self, why: Reasons) -> list[tuple[str, int, list[str]]]:
        return sorted((v.tab, v.place, [c.code for c in v.causes]) for v in why.verdicts)

    @given(played_matches())
    def test_every_cause_has_words_and_a_clause(self, record: Record) -> None:
        why = reasons(record)
        causes = [cause for verdict in why.verdicts for cause in verdict.causes]
        causes += [part for s in why.visits for part in (s.began, s.ended, s.told, s.paid, s.swap)]
        for cause in causes:
            assert cause.words(clock)
            assert cause.rule.startswith("R")
            assert not isinstance(cause, Cause) or cause.code in CAUSES


def test_players_are_told_apart_by_name() -> None:
    """A withdrawal of one player never ends another's wait."""
    players = (
        Player(name="Ann", cell="A", rival="Ben"),
        Player(name="Ben", cell="B", rival="Ann"),
    )
    record = match(
        players=players, queue=(join(5, "Ann"), join(6, "Ben"), join(7, "Ann", "withdraw"))
    )
    assert verdict_on(record, "Queue", 2).causes[0].code == "unmatched-withdraw"
