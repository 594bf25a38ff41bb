"""Laws: what holds for every match, whatever its rows say."""

from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import assume, event, given
from hypothesis import strategies as st

from referee.match.faults import Stopped
from referee.match.instants import parse_instant
from referee.match.record import Settings
from referee.match.result import Result, RoundResult, Visit
from tests.support.strategies import (
    RING,
    TOUCHING,
    Match,
    judge,
    matches,
    play,
    sound_matches,
    without_notices,
)

MATCHES = sound_matches()


def visits_of(result: Result) -> list[tuple[RoundResult, Visit]]:
    return [(round_, visit) for round_ in result.rounds for visit in round_.visits]


def setting(result: Result, name: str) -> Any:
    return getattr(result.record.settings, name)


def swap(pen: dict[str, str | None], cells: str) -> None:
    pen[cells[0]], pen[cells[1]] = pen[cells[1]], pen[cells[0]]


@given(matches())
def test_r0_2_a_record_gives_a_result_or_its_faults(match: Match) -> None:
    """Nothing but a result or a list of faults ever comes of a record; each fault has a place."""
    played = judge(match)
    if isinstance(played, Stopped):
        assert played.faults
        for fault in played.faults:
            assert fault.row is not None
            assert f"{fault.tab} row {fault.row}" in fault.text
    else:
        assert len(played.rounds) <= len(match["rounds"])


@given(MATCHES)
def test_r0_2_every_notice_names_a_row_that_is_there(match: Match) -> None:
    """A host can find every row that a notice speaks of, and its player on it."""
    for notice in play(match).notices:
        row = match[notice.tab.lower()][notice.row - 1]
        if notice.tab != "Rounds" and notice.code != "visit-cut":
            assert row["player"] == notice.player
        assert notice.text
        assert notice.severity in ("info", "warning")


@given(MATCHES)
def test_r0_3_notices_are_listed_by_instant_tab_and_row(match: Match) -> None:
    """Notices are listed by instant, then in the order of the tabs, then of the rows."""
    tabs = ("Rounds", "Adjustments", "Queue", "Submissions")
    places = [(n.instant, tabs.index(n.tab), n.row) for n in play(match).notices]
    assert places == sorted(places)


@given(MATCHES)
def test_r1_1_seven_tokens_stay_seven(match: Match) -> None:
    """Nothing is ever lost from the pen, doubled, or invented."""
    tokens: Counter[str | None] = Counter({None: 6 - len(match["players"])})
    tokens.update(["food", *(player["name"] for player in match["players"])])
    for round_ in play(match).rounds:
        assert sorted(round_.pen) == list("ABCDEFG")
        assert Counter(round_.pen.values()) == tokens


@given(MATCHES)
def test_r2_3_a_round_ends_with_its_timer_or_its_last_visit(match: Match) -> None:
    """A round's official end is its timer's, or the exit of the visit still going on then."""
    for round_ in play(match).rounds:
        assert round_.start < round_.timer_end
        exits = [visit.left for visit in round_.visits]
        assert round_.official_end == max([round_.timer_end, *exits])


@given(MATCHES)
def test_r2_2_rounds_follow_each_other(match: Match) -> None:
    """A round starts as recorded, or after the one before and the break."""
    result = play(match)
    gap = setting(result, "break_seconds") * 1000
    recorded = {row["number"]: "start" in row for row in match["rounds"]}
    for before, after in pairwise(result.rounds):
        assert after.start >= before.official_end
        assert recorded[after.number] or after.start == before.official_end + gap


@given(MATCHES)
def test_r4_1_one_visit_at_a_time(match: Match) -> None:
    """Visits begin while the timer runs, never overlap, and never last longer than the limit."""
    result = play(match)
    limit = setting(result, "room_seconds") * 1000
    for round_, visit in visits_of(result):
        assert round_.start <= visit.entered < round_.timer_end
        assert visit.entered <= visit.left <= visit.entered + limit
    for (_, before), (_, after) in pairwise(visits_of(result)):
        assert before.left <= after.entered


@given(sound_matches(settings={"room_clock": "simulated"}))
def test_r4_1_the_room_is_never_empty_while_somebody_waits(match: Match) -> None:
    """Whoever waits at the end of a round could not enter: somebody was always inside."""
    for round_ in play(match).rounds:
        if not round_.queue:
            continue
        pings = [_time(row) for row in match["queue"] if row["player"] in round_.queue]
        waiting = max(time for time in pings if time <= round_.official_end)
        occupied = max(waiting, round_.start)
        for visit in round_.visits:
            assert visit.entered <= occupied or occupied >= round_.timer_end
            occupied = max(occupied, visit.left)
        assert occupied >= round_.timer_end


def _time(row: dict[str, Any]) -> int:
    return parse_instant(row["time"])


@given(MATCHES)
def test_r4_4_told_who_entered_last(match: Match) -> None:
    """In each round everyone is told who entered right before them, the first one nobody."""
    for round_ in play(match).rounds:
        names = [visit.player for visit in round_.visits]
        assert [visit.told for visit in round_.visits] == [None, *names][: len(names)]
        assert [visit.number for visit in round_.visits] == list(range(1, len(names) + 1))


@given(sound_matches(ruled=False, edits=False))
def test_r4_5_only_who_has_swapped_pays(match: Match) -> None:
    """A visit costs the price exactly if an earlier one of its round holds a swap."""
    result = play(match)
    price = setting(result, "extra_visit_garnets")
    for round_ in result.rounds:
        swapped = set()
        for visit in round_.visits:
            assert visit.garnets_paid == (price if visit.player in swapped else 0)
            if visit.swap is not None:
                swapped.add(visit.player)
        turned_away = {turned.player for turned in round_.turned_away}
        assert turned_away <= swapped


@given(MATCHES)
def test_r5_1_a_swap_lies_within_its_visit(match: Match) -> None:
    """Every swap counts at an instant of its visit, and names two cells that touch."""
    pairs = {"".join(sorted(pair)) for pair in TOUCHING}
    for _, visit in visits_of(play(match)):
        assert (visit.swap is None) == (visit.swap_time is None)
        if visit.swap is not None and visit.swap_time is not None:
            assert visit.swap in pairs
            assert visit.entered <= visit.swap_time <= visit.left


@given(MATCHES)
def test_r5_5_swaps_are_counted_by_their_visits(match: Match) -> None:
    """A player's swaps in the match are the visits of theirs that hold one."""
    result = play(match)
    made = Counter(visit.player for _, visit in visits_of(result) if visit.swap)
    assert result.swaps == {player["name"]: made[player["name"]] for player in match["players"]}


@given(MATCHES)
def test_r6_1_swaps_backwards_restore_the_pen(match: Match) -> None:
    """Undoing the swaps of all rounds from the last to the first gives the pen of the start."""
    result = play(match)
    start: dict[str, str | None] = dict.fromkeys("ABCDEFG")
    start |= {"D": "food", **{player["cell"]: player["name"] for player in match["players"]}}
    before: list[dict[str, str | None]] = [start, *(dict(r.pen) for r in result.rounds)]
    for round_, pen in zip(result.rounds, before, strict=False):
        undone = dict(round_.pen)
        for visit in reversed(round_.visits):
            swap(undone, visit.swap or "AA")
        assert undone == pen


@given(MATCHES)
def test_r6_2_who_eats_and_who_does_not(match: Match) -> None:
    """A pig's meal follows from where it and the food stand; hunger adds up, never below 0."""
    result = play(match)
    hunger = dict.fromkeys(result.swaps, setting(result, "starting_hunger"))
    for round_ in result.rounds:
        at = {token: cell for cell, token in round_.pen.items()}
        last = next((v for v in reversed(round_.visits) if v.swap), None)
        for name in hunger:
            touches = any({at[name], at["food"]} == set(pair) for pair in TOUCHING)
            meal = 0 if touches else setting(result, "missed_meal_loss")
            if at["food"] == "D":
                meal = setting(result, "centre_loss")
            unlucky = last is not None and last.player == name and "D" in (last.swap or "")
            extra = setting(result, "last_swap_loss") if unlucky else 0
            losses = [(loss.rule, loss.points) for loss in round_.hunger_lost[name]]
            assert losses == [(r, p) for r, p in (("R6.2", meal), ("R6.3", extra)) if p]
            hunger[name] = max(0, hunger[name] - meal - extra)
        assert round_.hunger == hunger


USUAL = {
    "starting_hunger": 10,
    "missed_meal_loss": 2,
    "centre_loss": 1,
    "last_swap_loss": 1,
}


@given(sound_matches(six=True, rounds=(10,), settings=USUAL))
def test_r7_1_six_pigs_starve_between_rounds_4_and_10(match: Match) -> None:
    """With six pigs and the usual losses a meal takes 6 points, and the match ends in time."""
    result = play(match)
    for round_ in result.rounds:
        taken = [loss for losses in round_.hunger_lost.values() for loss in losses]
        assert sum(loss.points for loss in taken if loss.rule == "R6.2") == 6
    assert 4 <= len(result.rounds) <= 10
    assert result.outcome is not None


@given(MATCHES)
def test_r7_1_the_match_ends_when_a_pig_starves(match: Match) -> None:
    """There is an outcome exactly if a pig stands at 0 after the last round, and never before."""
    result = play(match)
    for round_ in result.rounds[:-1]:
        assert 0 not in round_.hunger.values()
    starved = [name for name, left in result.rounds[-1].hunger.items() if left == 0]
    assert (result.outcome is not None) == bool(starved)
    if result.outcome is None:
        assert len(result.rounds) == len(match["rounds"])
    else:
        names = [player["name"] for player in match["players"]]
        assert result.outcome.starved == tuple(sorted(starved, key=names.index))


@given(sound_matches(settings={"starting_hunger": 2}, rounds=(4,)))
def test_r7_4_there_is_a_winner_or_a_pending_draw(match: Match) -> None:
    """Everyone whose rival starved wins, but the candidate; nobody does while a draw is pending."""
    result = play(match)
    outcome = result.outcome
    assume(outcome is not None)
    assert outcome is not None
    event(outcome.decided_by)
    if outcome.decided_by == "draw pending":
        assert outcome.elimination_candidate is None
        assert outcome.winners == ()
        assert set(outcome.tied) <= set(outcome.starved)
        assert len(outcome.tied) > 1
        assert {result.swaps[name] for name in outcome.tied} == {0}
        return
    assert outcome.tied == ()
    assert outcome.elimination_candidate in outcome.starved
    winning = [
        player["name"]
        for player in match["players"]
        if player["rival"] in outcome.starved and player["name"] != outcome.elimination_candidate
    ]
    assert outcome.winners == tuple(winning)
    assert winning


@given(sound_matches(settings={"starting_hunger": 3}, rounds=(3, 4)))
def test_r7_2_the_candidate_has_the_fewest_and_then_the_latest_swap(match: Match) -> None:
    """No starved player has fewer swaps than the candidate, nor as many and a later first one."""
    result = play(match)
    outcome = result.outcome
    assume(outcome is not None and outcome.elimination_candidate is not None)
    assert outcome is not None
    order = [visit.player for _, visit in visits_of(result) if visit.swap]
    first = {name: order.index(name) if name in order else -1 for name in outcome.starved}
    standing = {name: (result.swaps[name], -first[name]) for name in outcome.starved}
    assert outcome.elimination_candidate is not None
    assert standing[outcome.elimination_candidate] == min(standing.values())
    event(outcome.decided_by)


@given(sound_matches(settings={"tie_break_seed": "seed", "starting_hunger": 2}, rounds=(4,)))
def test_r7_5_prizes(match: Match) -> None:
    """A sole winner gets one prize, joint winners each another, and garnets by their hunger."""
    result = play(match)
    outcome = result.outcome
    assume(outcome is not None)
    assert outcome is not None
    sole = len(outcome.winners) == 1
    tokens = setting(result, "sole_winner_tokens" if sole else "joint_winner_tokens")
    assert outcome.tokens_of_life == dict.fromkeys(outcome.winners, tokens)
    left = result.rounds[-1].hunger
    per = setting(result, "hunger_per_garnet")
    assert outcome.garnets_won == {name: left[name] // per for name in outcome.winners}


@given(MATCHES)
def test_r8_1_balances_add_up(match: Match) -> None:
    """A balance is the start, the adjustments until then, less what was paid, and the award."""
    result = play(match)
    held = {player["name"]: player["garnets"] for player in match["players"]}
    over = result.outcome is not None
    ends = [round_.official_end for round_ in result.rounds]
    paid: Counter[str] = Counter()
    for round_ in result.rounds:
        for visit in round_.visits:
            paid[visit.player] += visit.garnets_paid
        given_ = _adjusted(match, round_.official_end)
        assert round_.garnets == {n: held[n] + given_[n] - paid[n] for n in held}
    given_ = _adjusted(match, ends[-1] if over else None)
    won = result.outcome.garnets_won if result.outcome is not None else {}
    assert result.garnets == {n: held[n] + given_[n] - paid[n] + won.get(n, 0) for n in held}


def _adjusted(match: Match, until: int | None) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in match["adjustments"]:
        if until is None or _time(row) <= until:
            total[row["player"]] += row["garnets"]
    return total


@given(sound_matches(forms=("{} {}",)), st.integers(1, 5))
def test_r1_1_the_pen_may_be_turned(match: Match, turns: int) -> None:
    """The ring has no beginning: a match turned round the centre goes the same way, turned."""
    assume(not any("read as" in str(row) or "low" in str(row) for row in match["submissions"]))
    to = {cell: RING[(place + turns) % 6] for place, cell in enumerate(RING)} | {"D": "D"}
    turned: Match = {
        **match,
        "players": [{**player, "cell": to[player["cell"]]} for player in match["players"]],
        "submissions": [
            {**row, "message": " ".join(to.get(word, word) for word in row["message"].split())}
            for row in match["submissions"]
        ],
    }
    plain, other = without_notices(play(match)), without_notices(play(turned))
    for before, after in zip(plain["rounds"], other["rounds"], strict=True):
        before["pen"] = {to[cell]: token for cell, token in before["pen"].items()}
        after["pen"] = {cell: after["pen"][cell] for cell in before["pen"]}
        for visit in before["visits"]:
            visit["swap"] = visit["swap"] and "".join(sorted(to[cell] for cell in visit["swap"]))
    assert other == plain


def test_the_usual_settings_are_the_defaults() -> None:
    """What the laws above call usual is what a match without settings is played by."""
    assert {name: getattr(Settings(), name) for name in USUAL} == USUAL
