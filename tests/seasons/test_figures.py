"""What is counted can be added up in any order, and intervals are those of the books."""

from collections import Counter

import pytest

from referee.rules.replay import replay
from referee.seasons.figures import changes, counted, estimates, lengths
from referee.seasons.playing import Design, played, seats
from referee.seasons.simulating import Simulation, simulate, total

MIXED = Design(("mixed",) * 6)


def figure(counts: "Counter[str]", name: str) -> tuple[float, float, float]:
    found = next(one for one in estimates(counts) if one.name == name)
    return found.value, found.low, found.high


def test_a_share_has_wilsons_interval() -> None:
    """Ten of 263, as the textbooks have it: 2.08 % to 6.85 %; none and all keep within 0 and 1."""
    counts = Counter({"matches": 263, "decided/draw": 10})
    assert figure(counts, "decided by draw") == pytest.approx((0.0380, 0.0208, 0.0685), abs=1e-4)
    certain = Counter({"matches": 50, "decided/draw": 50})
    assert figure(certain, "decided by draw") == pytest.approx((1.0, 0.9287, 1.0), abs=1e-4)


def test_a_mean_has_the_interval_of_its_spread() -> None:
    """Rounds 4, 5, 6, 9: mean 6, standard error 1.0801."""
    numbers = (4, 5, 6, 9)
    counts = Counter(
        {"matches": 4, "rounds": sum(numbers), "rounds squared": sum(n * n for n in numbers)}
    )
    assert figure(counts, "rounds a match") == pytest.approx((6.0, 3.8830, 8.1170), abs=1e-3)


def test_every_seat_is_counted_once() -> None:
    """Seats, endings and lengths add up to what was played."""
    counts = total(simulate(Simulation(MIXED, "sums", 40)))
    assert counts["matches"] == 40
    assert sum(lengths(counts).values()) == 40
    by_kind = Counter[str]()
    for key, number in counts.items():
        by_kind[key.partition("/")[0]] += number
    assert by_kind["seats"] == 240
    assert by_kind["decided"] == by_kind["winners"] == by_kind["eliminated"] == 40
    assert by_kind["won"] >= 40


def test_what_one_match_counts_is_what_its_result_says() -> None:
    record = played(MIXED, "one", 3)
    result = replay(record)
    counts = counted(result, seats(MIXED, "one", 3))
    assert result.outcome is not None
    assert counts[f"decided/{result.outcome.decided_by}"] == 1
    assert counts[f"length/{len(result.rounds)}"] == 1
    assert counts["visits"] == sum(len(round_.visits) for round_ in result.rounds)


def test_the_same_design_differs_by_chance_alone() -> None:
    one, other = (total(simulate(Simulation(MIXED, seed, 60))) for seed in ("a", "b"))
    assert not any(change.is_beyond_chance for change in changes(one, other))


def test_another_design_differs_beyond_chance() -> None:
    """With half of the hunger matches are shorter, and the change says by how much."""
    from referee.match.record import Settings

    short = Design(MIXED.policies, Settings(starting_hunger=5))
    before = total(simulate(Simulation(MIXED, "a", 60)))
    after = total(simulate(Simulation(short, "a", 60)))
    found = {change.name: change for change in changes(before, after)}
    rounds = found["rounds a match"]
    assert rounds.is_beyond_chance
    assert rounds.low < rounds.after - rounds.before < rounds.high < 0


def test_what_was_never_seen_in_one_of_the_two_is_a_share_of_nothing() -> None:
    before = Counter({"matches": 100, "decided/draw": 100})
    after = Counter({"matches": 100, "decided/fewest swaps": 100})
    found = {change.name: change for change in changes(before, after)}
    assert (found["decided by draw"].before, found["decided by draw"].after) == (1.0, 0.0)
    assert found["decided by fewest swaps"].is_beyond_chance


def test_a_match_that_nobody_can_lose_is_given_up() -> None:
    from referee.match.record import Settings

    endless = Settings(missed_meal_loss=0, centre_loss=0, last_swap_loss=0)
    counts = total(simulate(Simulation(Design(("idle", "idle"), endless), "x", 2)))
    assert (counts["unfinished"], lengths(counts)) == (2, {100: 2})
    assert figure(counts, "given up unfinished")[0] == 1.0
