"""The explained match: its sums are the result's, and it tells how the match ended."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.judging.explaining import Explanation, explain
from referee.match.faults import Stopped, WrongUsage
from referee.match.instants import format_instant
from referee.match.record import Adjustment, Player, Record, Round, Settings
from referee.match.result import Loss
from referee.rules.replay import replay
from referee.views.explanation import explanation_lines, within_day
from tests.support.played_matches import at, join, match, played_matches, send


def clock(instant: int) -> str:
    return format_instant(instant)[11:].rstrip("Z")


def text(explanation: Explanation) -> str:
    return "\n".join(explanation_lines(explanation, clock))


def starving(*submissions: object, **parts: object) -> Record:
    """Every pig starves in round 1; Ann, Ben and Cat are inside one after the other."""
    whole: dict[str, object] = {
        "settings": Settings(
            pre_game_minutes=0,
            round_minutes=1,
            room_seconds=10,
            starting_hunger=1,
            last_swap_loss=0,
            tie_break_seed="s3cret",
        ),
        "queue": (join(1, "Ann"), join(1, "Ben"), join(1, "Cat")),
        "submissions": submissions,
        **parts,
    }
    return match(**whole)


class TestLaws:
    @given(played_matches())
    def test_the_losses_told_are_the_hunger_lost(self, record: Record) -> None:
        explanation, result = explain(record), replay(record)
        left = {player.name: record.settings.starting_hunger for player in record.players}
        for story in explanation.rounds:
            for loss in story.hunger:
                left[loss.player] -= loss.taken
                assert loss.left == left[loss.player]
            assert left == story.round.hunger
            for name, lost in story.round.hunger_lost.items():
                told = tuple(Loss(a.points, a.rule) for a in story.hunger if a.player == name)
                assert told == lost
        assert [story.round for story in explanation.rounds] == list(result.rounds)

    @given(played_matches())
    def test_the_payments_told_are_the_garnets(self, record: Record) -> None:
        explanation, result = explain(record), replay(record)
        balance = dict.fromkeys(result.garnets, 0)
        for payment in explanation.payments():
            balance[payment.player] += payment.garnets
            assert payment.balance == balance[payment.player]
        assert balance == result.garnets

    @given(played_matches())
    def test_each_round_s_payments_come_to_its_balances(self, record: Record) -> None:
        explanation = explain(record)
        balance = {player.name: player.garnets for player in record.players}
        for story in explanation.rounds:
            for payment in story.garnets:
                balance[payment.player] += payment.garnets
            assert balance == story.round.garnets

    @given(played_matches())
    def test_an_adjustment_says_the_balance_that_its_payment_has(self, record: Record) -> None:
        for payment in explain(record).payments():
            if payment.cause.code == "adjusted":
                assert payment.cause.facts[1] == payment.balance

    @given(played_matches())
    def test_what_concerns_each_player_is_together_the_whole(self, record: Record) -> None:
        whole = explain(record)
        parts = [explain(record, player=player.name) for player in record.players]
        assert sum(len(list(part.payments())) for part in parts) == len(list(whole.payments()))
        assert sum(len(list(part.hunger_losses())) for part in parts) == len(
            list(whole.hunger_losses())
        )
        for number, story in enumerate(whole.rounds):
            told = [part.rounds[number] for part in parts]
            assert sum(len(one.visits) for one in told) == len(story.visits)
            assert sum(len(one.rows) for one in told) == len(
                [verdict for verdict in story.rows if verdict.player is not None]
            )

    @given(played_matches())
    def test_every_row_is_told_once(self, record: Record) -> None:
        explanation = explain(record)
        rows = [verdict for story in explanation.rounds for verdict in story.rows]
        told = sorted((v.tab, v.place) for v in (*rows, *explanation.rows))
        lists = {
            "Rounds": record.rounds,
            "Queue": record.queue,
            "Submissions": record.submissions,
            "Adjustments": record.adjustments,
        }
        assert told == sorted((tab, place) for tab, of in lists.items() for place in range(len(of)))

    @given(played_matches(), st.data())
    def test_any_row_can_be_asked_for(self, record: Record, data: st.DataObject) -> None:
        row = data.draw(st.integers(1, len(record.queue))) if record.queue else None
        place = ("Rounds", 1) if row is None else ("Queue", row)
        explanation = explain(record, row=place)
        rows = [verdict for story in explanation.rounds for verdict in story.rows]
        assert [(v.tab, v.row) for v in (*rows, *explanation.rows)] == [place]

    @given(played_matches())
    def test_it_can_be_given_as_json_and_as_text(self, record: Record) -> None:
        explanation = explain(record)
        told = json.loads(json.dumps(explanation.as_json()))
        assert [one["number"] for one in told["rounds"]] == [
            round_.number for round_ in explanation.result.rounds
        ]
        lines = text(explanation)
        assert all(loss.words in lines for loss in explanation.hunger_losses())


class TestLosses:
    def test_each_loss_says_where_food_and_pig_stood(self) -> None:
        record = match(queue=(join(5, "Ann"),), submissions=(send(9, "Ann", "D G"),))
        assert [loss.words for loss in explain(record).hunger_losses()] == [
            "Ann loses 2, leaving 8: the pig on A does not touch the food on G (R6.2)",
            "Ann loses 1, leaving 7: Ann made the round's last swap, and it involved D (R6.3)",
            "Ben loses 2, leaving 8: the pig on B does not touch the food on G (R6.2)",
        ]

    def test_food_in_the_centre_is_not_enough_for_all(self) -> None:
        words = [loss.words for loss in explain(match()).hunger_losses()]
        assert words[0] == (
            "Ann loses 1, leaving 9: the food is on D, and there is not enough of it for all (R6.2)"
        )

    def test_what_is_forgiven_is_told(self) -> None:
        settings = Settings(pre_game_minutes=0, round_minutes=1, room_seconds=20, starting_hunger=1)
        record = match(
            queue=(join(5, "Ann"),), submissions=(send(9, "Ann", "D G"),), settings=settings
        )
        assert [loss.words for loss in explain(record, player="Ann").hunger_losses()] == [
            (
                "Ann loses 2, leaving 0: the pig on A does not touch the food on G (R6.2), only 1 "
                "were left (R6.4)"
            ),
            (
                "Ann loses 1, leaving 0: Ann made the round's last swap, and it involved D (R6.3), "
                "only 0 were left (R6.4)"
            ),
        ]


class TestPayments:
    def test_an_extra_visit_is_paid_and_told_with_the_balance_it_leaves(self) -> None:
        record = match(
            queue=(join(5, "Ann"), join(30, "Ann")), submissions=(send(9, "Ann", "A D"),)
        )
        explanation = explain(record, player="Ann")
        assert [(p.garnets, p.balance, p.round) for p in explanation.payments()] == [
            (3, 3, None),
            (-2, 1, 1),
        ]
        assert (
            "    Ann paid 2 garnets on entering: visit 1 of this round holds the swap AD of "
            "20:00:09 (R4.5): Ann has 1" in text(explanation).splitlines()
        )


class TestEnding:
    def test_a_running_match_has_no_ending(self) -> None:
        assert explain(match()).ending is None

    def test_fewest_swaps_are_told_with_their_figures(self) -> None:
        record = starving(send(2, "Ann", "A C"), send(12, "Ben", "A C"))
        ending = explain(record).ending
        assert ending is not None
        assert list(ending.lines())[:2] == [
            "the match ended with round 1: no hunger left to Ann, Ben, Cat (R7.1)",
            "fewest swaps in the match (R7.2): Ann 1, Ben 1, Cat 0: Cat",
        ]
        assert list(ending.lines())[-1] == "Cat is the Elimination Candidate (R7.2)"

    def test_the_latest_first_swap_is_told_with_its_numbers(self) -> None:
        record = starving(send(2, "Ann", "A C"), send(12, "Ben", "A C"), send(22, "Cat", "A C"))
        ending = explain(record).ending
        assert ending is not None
        assert list(ending.lines())[1:3] == [
            "fewest swaps in the match (R7.2): Ann 1, Ben 1, Cat 1: Ann, Ben, Cat",
            "latest first swap, by its number in the match (R7.2): Ann 1, Ben 2, Cat 3: Cat",
        ]

    def test_the_draw_can_be_verified_from_what_is_told(self) -> None:
        ending = explain(starving()).ending
        assert ending is not None
        draw = ending.as_json()["steps"][-1]["draw"]
        message = "\n".join(["elimination candidate", *sorted(["Cat", "Ben", "Ann"])]).encode()
        digest = hmac.new(b"s3cret", message, hashlib.sha256).hexdigest()
        assert draw["names"] == ["Ann", "Ben", "Cat"]
        assert bytes.fromhex(draw["message_hex"]) == message
        assert bytes.fromhex(draw["seed_hex"]) == b"s3cret"
        assert draw["hmac_sha256"] == digest
        assert draw["index"] == int(digest, 16) % draw["modulo"]
        assert draw["drawn"] == draw["names"][draw["index"]]
        assert draw["drawn"] == ending.outcome.elimination_candidate
        told = "\n".join(ending.lines())
        assert all(part in told for part in (message.hex(), digest, b"s3cret".hex()))

    def test_a_pending_draw_says_how_to_settle_it(self) -> None:
        settings = Settings(pre_game_minutes=0, round_minutes=1, starting_hunger=1)
        ending = explain(starving(settings=settings)).ending
        assert ending is not None
        assert "the draw is pending: fill in the setting Tie-break seed (R7.3)" in ending.lines()
        assert "Ann: the rival Ben starved; winners are known once the draw is settled (R7.3)" in (
            list(ending.lines())
        )

    def test_a_winner_is_told_the_rival_and_the_prizes(self) -> None:
        players = (
            Player(name="Ann", cell="A", rival="Ben"),
            Player(name="Ben", cell="G", rival="Ann"),
        )
        settings = Settings(pre_game_minutes=0, round_minutes=1, starting_hunger=2)
        record = match(
            players=players,
            queue=(join(5, "Ann"),),
            submissions=(send(9, "Ann", "B D"),),
            settings=settings,
        )
        assert text(explain(record)).partition("How it ended\n")[2].splitlines() == [
            "  the match ended with round 1: no hunger left to Ben (R7.1)",
            "  the only starved pig is Ben's (R7.2)",
            (
                "  Ann wins: the rival Ben starved and Ann is not the Elimination Candidate "
                "(R7.4); Tokens of Life: 2, garnets: 0, 1 for every 2 of 1 hunger points left "
                "(R7.5)"
            ),
            "  Ben is the Elimination Candidate (R7.2)",
            "Garnets after the rounds",
            "  Ann wins 0 garnets: 1 for every 2 of 1 hunger points left (R7.5): Ann has 0",
        ]

    @given(played_matches())
    def test_whoever_is_told_to_win_wins(self, record: Record) -> None:
        explanation = explain(record)
        outcome = explanation.result.outcome
        if outcome is None or explanation.ending is None:
            assert explanation.ending is None
            assert outcome is None
            return
        fates = explanation.ending.fates
        assert tuple(f.player for f in fates if " wins: " in f.words) == outcome.winners
        assert [f.player for f in fates if f.eliminated] == [
            name for name in [outcome.elimination_candidate] if name is not None
        ]
        left = explanation.ending.steps[-1].left
        assert left == (outcome.tied or (outcome.elimination_candidate,))


class TestAsking:
    def record(self) -> Record:
        return match(
            queue=(join(5, "Ann"), join(6, "Ben")),
            submissions=(send(9, "Ann", "A D"), send(27, "Ann", "B D")),
            adjustments=(Adjustment(time=at(7), player="Ben", garnets=2),),
            rounds=(Round(number=1), Round(number=2)),
        )

    def test_a_row_comes_with_its_visit(self) -> None:
        (story,) = explain(self.record(), row=("Submissions", 1)).rounds
        assert [seen.visit.player for seen in story.visits] == ["Ann"]
        assert [(verdict.tab, verdict.row) for verdict in story.rows] == [("Submissions", 1)]

    def test_a_late_row_says_how_late(self) -> None:
        told = text(explain(self.record(), row=("Submissions", 2)))
        assert (
            'Submissions row 2 Ann "B D": Ann sent the swap BD 2 s after the visit that ended at'
            in told
        )

    def test_one_round_leaves_the_others_out(self) -> None:
        explanation = explain(self.record(), round=2)
        assert [story.round.number for story in explanation.rounds] == [2]
        assert list(explanation.payments()) == []

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            ({"player": "Zed"}, '"Zed" is not a player of this match; it has Ann, Ben, Cat'),
            ({"round": 3}, "round 3 is not played in this match; it has rounds 1 to 2"),
            ({"round": 0}, "round 0 is not played in this match; it has rounds 1 to 2"),
            ({"row": ("Queue", 9)}, "Queue row 9: the match has no such row"),
            (
                {"row": ("Pen", 2)},
                "Pen row 2: rows of Rounds, Adjustments, Queue, Submissions can be explained",
            ),
        ],
    )
    def test_what_is_not_there_is_refused_in_words(
        self, asked: dict[str, object], words: str
    ) -> None:
        with pytest.raises(WrongUsage) as refused:
            # A sample or double is looser than the type, on purpose.
            explain(self.record(), **asked)  # type: ignore[arg-type]
        assert str(refused.value) == words

    def test_a_round_of_a_match_without_any_is_refused(self) -> None:
        with pytest.raises(WrongUsage, match="no round is played yet"):
            explain(match(rounds=()), round=1)

    def test_a_record_that_stops_is_not_explained(self) -> None:
        with pytest.raises(Stopped):
            explain(match(queue=(join(5, "Nobody"),)))

    def test_the_day_is_told_only_where_it_is_another(self) -> None:
        def wall(instant: int) -> str:
            return format_instant(instant).replace("T", " ").rstrip("Z")

        shown = within_day(wall, at(0))
        assert (shown(at(5)), shown(at(86400))) == ("20:00:05", "2026-11-30 20:00:00")
