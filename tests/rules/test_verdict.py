"""The end of the match: tie-breaks, and a draw that anyone can compute again (R7)."""

import hashlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.record import Player, Settings
from referee.match.result import Outcome
from referee.rules.verdict import draw, draw_message, outcome, tie_breaks

names = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True)
seeds = st.text(min_size=1, max_size=100)


def hmac_by_hand(key: bytes, message: bytes) -> int:
    """HMAC-SHA256 as RFC 2104 defines it, by nothing but the hash."""
    if len(key) > 64:
        key = hashlib.sha256(key).digest()
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded) + inner).hexdigest()
    return int(outer, 16)


def test_the_hash_by_hand_is_right() -> None:
    """The second test vector of RFC 4231 comes out."""
    number = hmac_by_hand(b"Jefe", b"what do ya want for nothing?")
    assert f"{number:064x}" == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"


@given(names, seeds, st.text(max_size=60))
def test_r7_3_the_draw_can_be_computed_again(players: list[str], seed: str, words: str) -> None:
    """Names sorted by code point, HMAC-SHA256 over purpose, names and words, the remainder."""
    ordered = sorted(players, key=lambda name: [ord(letter) for letter in name])
    message = "elimination candidate\n" + "\n".join(ordered)
    if words:
        message += "\n" + words
    number = hmac_by_hand(seed.encode(), message.encode())
    assert draw(players, seed, words).drawn == ordered[number % len(ordered)]
    assert draw_message(players, words) == message


def test_r7_3_a_seed_chosen_before_the_words_favours_nobody() -> None:
    """A seed ground until Ann is never drawn draws her as often as others once words are in."""
    players = ["Ann", "Ben", "Cat"]
    ground = (f"seed {number}" for number in range(10**6))
    spared = (seed for seed in ground if draw(players, seed).drawn != "Ann")
    drawn = [draw(players, next(spared), f"gate {n} oak").drawn for n in range(3000)]
    for name in players:
        assert 880 < drawn.count(name) < 1120


@given(names, seeds, st.randoms(use_true_random=False))
def test_r7_3_the_order_of_the_names_decides_nothing(
    players: list[str], seed: str, random: Random
) -> None:
    """Whoever lists the players otherwise draws the same name."""
    shuffled = random.sample(players, len(players))
    assert draw(shuffled, seed).drawn == draw(players, seed).drawn


def test_r7_3_every_name_is_drawn_about_as_often() -> None:
    """Among six names and 6000 seeds none is favoured."""
    players = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay"]
    drawn = [draw(players, f"seed {number}").drawn for number in range(6000)]
    for name in players:
        assert 850 < drawn.count(name) < 1150


def decide(
    starved: str, swaps: dict[str, int], firsts: dict[str, int], seed: str = ""
) -> tuple[str, tuple[str, ...]]:
    """What decided between the starved, and who was left."""
    *_, last = tie_breaks(starved.split(), swaps, firsts, Settings(tie_break_seed=seed))
    return last.decided_by, last.left


@pytest.mark.parametrize(
    ("starved", "swaps", "firsts", "seed", "decided"),
    [
        ("Ann", {"Ann": 9}, {"Ann": 1}, "s", ("only starved pig", ("Ann",))),
        ("Ann Ben", {"Ann": 2, "Ben": 1}, {"Ann": 9, "Ben": 1}, "s", ("fewest swaps", ("Ben",))),
        ("Ann Ben", {"Ann": 0, "Ben": 1}, {"Ben": 1}, "s", ("fewest swaps", ("Ann",))),
        (
            "Ann Ben",
            {"Ann": 1, "Ben": 1},
            {"Ann": 3, "Ben": 2},
            "s",
            ("latest first swap", ("Ann",)),
        ),
        (
            "Ann Ben Cat",
            {"Ann": 2, "Ben": 1, "Cat": 1},
            {"Ann": 9, "Ben": 4, "Cat": 7},
            "s",
            ("latest first swap", ("Cat",)),
        ),
        ("Ben Ann", {"Ann": 0, "Ben": 0}, {}, "", ("draw pending", ("Ann", "Ben"))),
        (
            "Cat Ann Ben",
            {"Ann": 0, "Ben": 4, "Cat": 0},
            {"Ben": 1},
            "",
            ("draw pending", ("Ann", "Cat")),
        ),
    ],
)
def test_r7_2_step_by_step(
    starved: str,
    swaps: dict[str, int],
    firsts: dict[str, int],
    seed: str,
    decided: tuple[str, tuple[str, ...]],
) -> None:
    """Fewest swaps, then the latest first swap, then the draw: whoever is left at each step."""
    assert decide(starved, swaps, firsts, seed) == decided


@given(st.lists(st.sampled_from(["Ann", "Ben", "Cat"]), min_size=2, max_size=3, unique=True), seeds)
def test_r7_3_only_the_tied_are_drawn(tied: list[str], seed: str) -> None:
    """Players with more swaps take no part in the draw."""
    swaps = dict.fromkeys(tied, 0) | {"Zoe": 1}
    decided_by, left = decide(" ".join([*tied, "Zoe"]), swaps, {"Zoe": 1}, seed)
    assert (decided_by, left) == ("draw", (draw(tied, seed).drawn,))


PLAYERS = (
    Player(name="Ann", cell="A", rival="Ben"),
    Player(name="Ben", cell="B", rival="Cat"),
    Player(name="Cat", cell="C", rival="Ann"),
)


def end(hunger: tuple[int, int, int], **settings: int) -> Outcome | None:
    """How a match of three ends, of whom Ann made two swaps, Ben one and Cat one after his."""
    swaps = {"Ann": 2, "Ben": 1, "Cat": 1}
    firsts = {"Ann": 3, "Ben": 1, "Cat": 2}
    left = dict(zip(("Ann", "Ben", "Cat"), hunger, strict=True))
    # A sample or double is looser than the type, on purpose.
    return outcome(PLAYERS, Settings(**settings), left, swaps, firsts)  # type: ignore[arg-type]


def test_r7_1_nobody_starved() -> None:
    """While every pig has hunger points left the match runs."""
    assert end((1, 1, 1)) is None


def test_r7_4_one_starved_pig_makes_one_winner() -> None:
    """The one whose rival it was wins two tokens, and garnets for the points left, rounded down."""
    ended = end((5, 0, 7))
    assert ended is not None
    assert ended.elimination_candidate == "Ben"
    assert ended.winners == ("Ann",)
    assert ended.tokens_of_life == {"Ann": 2}
    assert ended.garnets_won == {"Ann": 2}


def test_r7_4_a_starved_player_may_win() -> None:
    """Who starved but is not the candidate wins like anyone else, with no garnets."""
    ended = end((0, 0, 4))
    assert ended is not None
    assert (ended.starved, ended.elimination_candidate) == (("Ann", "Ben"), "Ben")
    assert ended.winners == ("Ann", "Cat")
    assert ended.tokens_of_life == {"Ann": 1, "Cat": 1}
    assert ended.garnets_won == {"Ann": 0, "Cat": 2}
