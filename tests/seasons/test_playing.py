"""Simulated matches: they follow from a seed, and the engine sees in them what was played."""

from itertools import product
from math import sqrt

from hypothesis import given
from hypothesis import strategies as st

from referee.match.record import Player, RingCell, Settings
from referee.match.record_json import decode_record, encode_record
from referee.rules.replay import replay
from referee.seasons.figures import lengths
from referee.seasons.playing import Design, _Match, played, seats
from referee.seasons.policies import MIXED, POLICIES, SWAPS, View
from referee.seasons.simulating import Simulation, simulate, total
from tests.support.played_matches import join, match, send

MANY = st.lists(st.sampled_from([*POLICIES, MIXED]), min_size=2, max_size=6).map(tuple)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "room_seconds": st.sampled_from([1, 5, 20, 60, 240]),
        "round_minutes": st.sampled_from([1, 3, 10]),
        "break_seconds": st.sampled_from([0, 45]),
        "pre_game_minutes": st.sampled_from([0, 10]),
        "extra_visit_garnets": st.integers(0, 3),
        "starting_hunger": st.integers(1, 10),
        "visit_ends": st.sampled_from(["limit", "swap"]),
        "unpaid_visits": st.sampled_from(["refuse", "debt"]),
    },
)
designs = st.builds(
    lambda policies, changes, garnets: Design(policies, Settings(**changes), garnets),
    MANY,
    CHANGES,
    st.integers(0, 5),
)


@given(design=designs, seed=st.text(max_size=5), number=st.integers(0, 1000))
def test_the_engine_sees_what_was_played(design: Design, seed: str, number: int) -> None:
    """R3-R7: no row of a simulated match is without effect, and hunger and garnets agree."""
    played_out = _Match(design, seed, number)
    record = played_out.record()
    result = replay(record)
    assert [notice for notice in result.notices if notice.code != "turned-away"] == []
    assert len(result.rounds) == played_out.rounds
    last = result.rounds[-1]
    assert last.hunger == played_out.hunger
    assert last.garnets == played_out.garnets
    assert last.pen == played_out.pen
    assert list(last.queue) == list(played_out.waiting)
    swaps = sum(visit.swap is not None for round_ in result.rounds for visit in round_.visits)
    assert swaps == len(record.submissions)


@given(design=designs, seed=st.text(max_size=5), number=st.integers(0, 1000))
def test_a_match_follows_from_its_seed_and_number(design: Design, seed: str, number: int) -> None:
    record = played(design, seed, number)
    assert played(design, seed, number) == record
    assert decode_record(encode_record(record)) == record


def test_other_numbers_and_seeds_give_other_matches() -> None:
    design = Design(("random",) * 6)
    found = {encode_record(played(design, seed, n)) for seed in ("a", "b") for n in range(10)}
    assert len(found) == 20


def test_idle_players_never_queue() -> None:
    record = played(Design(("idle",) * 6), "x", 1)
    assert (record.queue, record.submissions) == ((), ())
    assert len(record.rounds) == 10


def view(pen: str, name: str = "Ann", rival: str = "Ben") -> View:
    """A pen in its cells' order: a for Ann, b for Ben, c for Cat, f for the food."""
    names = {"a": "Ann", "b": "Ben", "c": "Cat", "f": "food", "-": None}
    cells = {cell: names[token] for cell, token in zip("ABCDEFG", pen, strict=True)}
    return View(name, rival, cells, Settings())


class Draws:
    """Every choice in turn."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def chosen(policy: str, seen: View) -> set[str | None]:
    draws = [Draws(number / 24) for number in range(24)]
    return {POLICIES[policy].choose(seen, draw) for draw in draws}  # type: ignore[arg-type]  # it draws


def test_a_hungry_player_comes_to_the_food_in_every_way_there_is() -> None:
    """Food on A, Ann on G: she is fed on B, C or D; D may cost one more, which she risks."""
    found = chosen("hungry", view("fb----a"))
    for swap in found:
        assert swap is not None
        assert view("fb----a").loss("Ann", view("fb----a").after(swap)) == 0
    assert chosen("hungry", view("fba----")) == {None}


def test_an_avoider_never_swaps_by_the_centre() -> None:
    for pen in ("fb----a", "a--f--b", "fba----"):
        assert not any(swap and "D" in swap for swap in chosen("avoider", view(pen)))


def test_a_hunter_starves_the_rival_and_feeds_itself_if_both_can_be_had() -> None:
    seen = view("f-b---a")
    for swap in chosen("hunter", seen):
        assert swap is not None
        assert seen.loss("Ben", seen.after(swap)) == 2


def test_a_random_player_makes_every_swap() -> None:
    assert chosen("random", view("fba----")) == set(SWAPS)
    assert len(SWAPS) == 12


def test_seats_are_drawn_anew_for_each_match_only_where_they_are_mixed() -> None:
    design = Design(("idle", MIXED, "hunter"))
    found = [seats(design, "s", number) for number in range(60)]
    assert {(first.name, last.name) for first, _, last in found} == {("idle", "hunter")}
    assert {middle.name for _, middle, _ in found} == set(POLICIES)


def ends_at_once(cell: RingCell, ann: str | None, ben: str | None, *, ann_first: bool) -> bool:
    """Whether a pig with one hunger point starves in round 1: one way it can go, replayed."""
    acts = [("Ann", ann), ("Ben", ben)] if ann_first else [("Ben", ben), ("Ann", ann)]
    there = [(place, name, swap) for place, (name, swap) in enumerate(acts) if swap is not None]
    players = (
        Player(name="Ann", cell="A", rival="Ben"),
        Player(name="Ben", cell=cell, rival="Ann"),
    )
    record = match(
        settings=SMALL,
        players=players,
        queue=tuple(join(10 * place, name) for place, name, _ in there),
        submissions=tuple(
            send(10 * place, name, f"{swap[0]} {swap[1]}") for place, name, swap in there
        ),
    )
    return replay(record).outcome is not None


SMALL = Settings(pre_game_minutes=0, room_seconds=1, starting_hunger=1)


def test_a_simulation_agrees_with_exact_enumeration() -> None:
    """Two players at random, with one hunger point: every way the first round can go, weighed.

    Each queues every other round, swaps any two cells, and either may come first; the pen looks
    the same from every cell of the ring.
    """
    acts = [(None, 1 / 2), *((swap, 1 / 24) for swap in SWAPS)]
    cells: tuple[RingCell, ...] = ("B", "C", "E", "F", "G")
    ways = product(cells, acts, acts, (True, False))
    exact = sum(
        p * q / 10
        for cell, (ann, p), (ben, q), ann_first in ways
        if ends_at_once(cell, ann, ben, ann_first=ann_first)
    )
    assert 0.5 < exact < 1
    matches = 3000
    design = Design(("random", "random"), SMALL)
    found = lengths(total(simulate(Simulation(design, "exact", matches))))[1] / matches
    assert abs(found - exact) < 3.3 * sqrt(exact * (1 - exact) / matches)
