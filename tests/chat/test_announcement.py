"""The announcement after a round: all that the players may see, and nothing else (R6.5)."""

import hashlib
import hmac
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import Record, Result, decode_record, replay
from referee.chat.announcement import announce_round
from referee.chat.confidential import announce_private, rival_messages
from referee.chat.markup import length
from referee.match.faults import WrongUsage
from referee.match.instants import MINUTE, SECOND, format_instant, parse_instant
from referee.match.result import Outcome, Visit
from referee.views.picture import pen_svg
from referee.views.revealed import revealed

START = parse_instant("2026-11-29T20:00:00Z")
FIRST = START + 10 * MINUTE
SIX = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay"]
SEED = "seventeen tall beans by the old gate"
NEXT = parse_instant("2026-11-29T20:20:30.250Z")

Row = tuple[int, str]


def match(
    visits: list[Row],
    said: list[tuple[int, str, str]],
    *,
    rounds: int = 1,
    names: list[str] | None = None,
    rivals: list[str] | None = None,
    garnets: int = 9,
    **more: Any,
) -> Record:
    """A match of players on A, B, C, E, F, G; rows are (seconds into round 1, player, message)."""
    called = names or SIX
    hated = rivals or [*called[1:], called[0]]
    record = {
        "format": "referee-match/1",
        "game": "pig-starvation",
        "name": "Evening",
        "start": format_instant(START),
        "players": [
            {"name": name, "cell": cell, "rival": rival, "garnets": garnets}
            for name, cell, rival in zip(called, "ABCEFG", hated, strict=False)
        ],
        "rounds": [{"number": number} for number in range(1, rounds + 1)],
        "queue": [{"time": at(second), "player": player} for second, player in visits],
        "submissions": [
            {"time": at(second), "player": player, "message": message}
            for second, player, message in said
        ],
        **more,
    }
    return decode_record(json.dumps(record))


def at(second: int) -> str:
    return format_instant(FIRST + second * SECOND)


def one_swap(**more: Any) -> Result:
    return replay(match([(60, "Ann")], [(80, "Ann", "A D")], **more))


def to_the_end(**more: Any) -> Result:
    """The food on A from the first round: Dan, Eve and Fay starve together in round 5."""
    return one_swap(rounds=9, **more)


def text(result: Result, number: int, **how: Any) -> str:
    return "\n".join(announce_round(result, number, **how))


def test_a_round_is_announced_with_the_new_pen_and_the_next_timer() -> None:
    """The pen is drawn and listed, what moved says from where, and a stamp tells the next start."""
    assert announce_round(one_swap(), 1, next_timer=NEXT) == [
        """\
## Round 1 is over
```
      __.-'-.__ __.-'-.__
     |    A    |    B    |
     |  food   |   Ben   |
 __.-'-.__ __.-'-.__ __.-'-.__
|    C    |    D    |    E    |
|   Cat   |   Ann   |   Dan   |
'-.__ __.-'-.__ __.-'-.__ __.-'
     |    F    |    G    |
     |   Eve   |   Fay   |
     '-.__ __.-'-.__ __.-'
```
**A** the food ← D
**B** Ben
**C** Cat
**D** Ann ← A
**E** Dan
**F** Eve
**G** Fay
Round 2 starts at <t:1795983630:T>, <t:1795983630:R>."""
    ]


def test_hunger_is_told_only_if_asked_for() -> None:
    """By default the players are left to work it out."""
    assert "hunger" not in text(one_swap(), 1)
    told = text(one_swap(), 1, hunger=True)
    assert "**B** Ben · hunger 10\n" in told
    assert "**D** Ann ← A · hunger 9\n" in told
    assert "**E** Dan · hunger 8\n" in told
    assert "**A** the food ← D\n" in told


def test_the_start_is_announced_as_round_0() -> None:
    """Before round 1 nothing has moved and every pig has its starting hunger."""
    start = text(one_swap(), 0, hunger=True, next_timer=FIRST)
    assert start.startswith("## The pen at the start\n")
    assert "**A** Ann · hunger 10\n" in start
    assert "←" not in start
    assert start.endswith("Round 1 starts at <t:1795983000:T>, <t:1795983000:R>.")


def test_a_players_token_stands_before_the_name_and_an_empty_cell_says_so() -> None:
    """Three players leave three cells of the ring empty."""
    players = [
        {"name": "Ann", "cell": "A", "rival": "Ben", "token": "<:pig:111222333444555666>"},
        {"name": "Ben", "cell": "B", "rival": "Ann", "token": "\U0001f98a"},
    ]
    start = text(replay(match([], [], players=players)), 0)
    assert "**A** <:pig:111222333444555666> Ann\n**B** \U0001f98a Ben\n**C** (empty)" in start


def test_the_last_round_announces_the_matchs_end() -> None:
    """The candidate, the winners and their tokens are told; garnets and the reason are not."""
    ending = text(to_the_end(settings={"tie_break_seed": "salt"}), 5, next_timer=NEXT)
    assert ending.startswith("## Round 5 is over, and so is the match\n")
    assert (
        "Starved: Dan, Eve, Fay\n"
        "**Elimination Candidate: Eve**\n"
        "**Winners: Cat, Dan** (1 Token of Life each)\n"
    ) in ending
    assert "starts at" not in ending
    assert "match" not in text(to_the_end(settings={"tie_break_seed": "salt"}), 4)


def test_a_sole_winner_is_told_so() -> None:
    """Only Ann's rival starved, so Ann gets both tokens."""
    outcome = Outcome(("Ben",), "Ben", "only starved pig", ("Ann",), {"Ann": 2}, {"Ann": 5})
    result = msgspec.structs.replace(one_swap(), outcome=outcome)
    assert text(result, 1).endswith(
        "Starved: Ben\n**Elimination Candidate: Ben**\n**Winner: Ann** (2 Tokens of Life)"
    )


def test_a_pending_draw_names_no_candidate_and_nobody_it_stands_between() -> None:
    """Who is tied would tell who made how many swaps."""
    assert text(to_the_end(), 5).endswith(
        "Starved: Dan, Eve, Fay\nThe Elimination Candidate is still to be drawn."
    )


def test_names_break_out_of_nothing_and_ping_nobody_but_the_host_may() -> None:
    """The wanted mention stands first; a name that looks like one is only its letters (C076)."""
    names = ["```@everyone", "**Bob**", "<@&111222333444555666>", "||x||", "http://x.example", "F"]
    posted = text(replay(match([], [], names=names)), 1, ping="999888777666555444")
    assert posted.startswith("<@&999888777666555444>\n## Round 1")
    assert posted.count("```") == 2
    assert posted.count("<@&") == 1
    assert "@everyone" not in posted
    assert "http://" not in posted
    assert "**B** \\*\\*Bob\\*\\*\n" in posted


def test_a_round_that_was_not_played_or_a_wrong_ping_is_wrong_usage() -> None:
    """The message says which rounds there are."""
    with pytest.raises(WrongUsage, match=r"played \(1 to 1\), or 0 for the start; not 2"):
        announce_round(one_swap(), 2)
    with pytest.raises(WrongUsage, match=r"played \(1 to 1\), or 0 for the start; not -1"):
        announce_round(one_swap(), -1)
    with pytest.raises(WrongUsage, match=r"played \(1 to 1\); not 0"):
        announce_private(one_swap(), 0)
    with pytest.raises(WrongUsage, match=r"played \(none so far\)"):
        announce_private(replay(match([], [], rounds=0)), 1)
    with pytest.raises(WrongUsage, match="is not a mention"):
        announce_round(one_swap(), 1, ping="@Players")


def test_each_player_gets_their_own_rival_and_nobody_elses() -> None:
    """A rival's name stands only in the message of the player whose rival it is (R1.4)."""
    messages = rival_messages(match([], [], names=["Ann", "B_n", "Cat"]))
    assert list(messages) == ["Ann", "B_n", "Cat"]
    assert "**B\\_n**" in messages["Ann"]
    assert "Cat" not in messages["Ann"]
    assert "**Cat**" in messages["B_n"]
    assert all(length(message) <= 2000 for message in messages.values())


def test_the_host_alone_is_told_everything() -> None:
    """Visits, what was told and paid, swaps, losses with their clause, balances, queue, notices."""
    result = replay(
        match(
            [(60, "Ann"), (130, "Ann"), (570, "Ben"), (580, "Cat"), (590, "Cat")],
            [(80, "Ann", "A D"), (125, "Ann", "D E"), (585, "Ben", "D G")],
        )
    )
    private = announce_private(result, 1, clock=lambda instant: format_instant(instant)[11:19])
    assert (
        "\n".join(private).replace("\u200b", "")
        == """\
## Round 1, for the host alone
From 20:10:00, timer until 20:20:00, officially over at 20:20:30
**Visits**
1\\. Ann · 20:11:00 to 20:12:00 (limit) · told nobody · swap A–D at 20:11:20
2\\. Ann · 20:12:10 to 20:13:10 (limit) · told Ann · paid 2 · no swap
3\\. Ben · 20:19:30 to 20:20:30 (limit) · told Ann · swap D–G at 20:19:45
**Hunger lost** Ann −2 (R6.2) · Ben −1 (R6.3) · Dan −2 (R6.2) · Eve −2 (R6.2)
**Hunger** Ann 8 · Ben 9 · Cat 10 · Dan 8 · Eve 8 · Fay 10
**Garnets** Ann 7 · Ben 9 · Cat 9 · Dan 9 · Eve 9 · Fay 9
**Still waiting** Cat
**Notices**
warning `late-submission` Submissions row 2: Ann sent the swap DE 5 s after the visit that ended \
at 20:12:00 in round 1: it does not count
warning `duplicate-ping` Queue row 5: Cat was waiting already at 20:19:50: the ping adds nothing"""
    )


def test_the_host_is_told_how_the_match_was_decided() -> None:
    """Only the host's version has the reason, who is tied, and the garnets won."""
    decided = to_the_end(settings={"tie_break_seed": "salt"})
    private = "\n".join(announce_private(decided, 5))
    assert "**Visits** none\n" in private
    assert "**Decided by** draw\n**Garnets won** Cat 5 · Dan 0" in private
    pending = "\n".join(announce_private(to_the_end(), 5))
    assert "**Decided by** draw pending\n**Tied** Dan, Eve, Fay" in pending
    assert "Decided" not in "\n".join(announce_private(decided, 4))


def test_a_round_of_many_visits_takes_as_many_messages_as_it_needs() -> None:
    """Ten visits a round under long names, and notices by the hundred, still fit Discord."""
    names = [letter * 90 + "*" * 9 for letter in "ABCDEF"]
    pings = [(second, names[second % 6]) for second in range(590)]
    messages = announce_private(replay(match(pings, [], names=names, garnets=0)), 1)
    assert len(messages) > 5
    assert all(length(message) <= 2000 for message in messages)


VISITS = st.lists(
    st.tuples(
        st.integers(0, 700),
        st.sampled_from(range(6)),
        st.sampled_from(range(7)),
        st.sampled_from(range(7)),
    ),
    max_size=25,
)
DERANGEMENTS = st.permutations(range(6)).filter(
    lambda order: all(place != rival for place, rival in enumerate(order))
)


def played(
    visits: list[tuple[int, int, int, int]], rivals: list[int], names: list[str], garnets: int
) -> Result:
    """A match of up to ten rounds in which everybody who enters asks for a swap at once."""
    rows = sorted(visits)
    record = match(
        [(second * 8, names[player]) for second, player, _, _ in rows],
        [
            (second * 8 + 1, names[player], f"{'ABCDEFG'[one]} {'ABCDEFG'[other]}")
            for second, player, one, other in rows
        ],
        rounds=10,
        names=names,
        rivals=[names[rival] for rival in rivals],
        garnets=garnets,
        settings={"tie_break_seed": "salt"},
    )
    return replay(record)


def public(result: Result, number: int, *, hunger: bool) -> tuple[list[str], str]:
    """Everything that is shown to players after a round: the messages and the picture."""
    seen = revealed(result, number, hunger=hunger)
    picture = pen_svg(seen.pen, before=seen.before, tokens=seen.tokens, caption=f"Round {number}")
    return announce_round(result, number, hunger=hunger, next_timer=NEXT), picture


def _was_drawn(result: Result) -> bool:
    return result.outcome is not None and result.outcome.decided_by == "draw"


def with_other_secrets(result: Result, data: st.DataObject) -> Result:
    """The same pens, hunger and public end, but all that is secret replaced by something else."""
    names = [player.name for player in result.record.players]
    order = data.draw(DERANGEMENTS)
    someone = st.sampled_from(names)
    players = tuple(
        msgspec.structs.replace(player, rival=names[rival], garnets=data.draw(st.integers(0, 99)))
        for player, rival in zip(result.record.players, order, strict=True)
    )
    visit = st.builds(
        Visit,
        st.integers(1, 9),
        someone,
        st.integers(0, 9),
        st.integers(0, 9),
        st.sampled_from(["limit", "exit"]),
        someone | st.none(),
        st.integers(0, 4),
        st.sampled_from(["AB", "DE"]) | st.none(),
        st.integers(0, 9) | st.none(),
    )
    purses = st.fixed_dictionaries(dict.fromkeys(names, st.integers(-9, 99)))
    rounds = tuple(
        msgspec.structs.replace(
            round_,
            visits=tuple(data.draw(st.lists(visit, max_size=4))),
            turned_away=(),
            garnets=data.draw(purses),
            queue=tuple(data.draw(st.lists(someone, max_size=4))),
            hunger_lost={},
        )
        for round_ in result.rounds
    )
    outcome = result.outcome
    if outcome is not None:
        outcome = msgspec.structs.replace(
            outcome,
            # That lots were drawn is told, and how; what else decided counts swaps, and is not.
            decided_by="draw"
            if _was_drawn(result)
            else data.draw(st.sampled_from(["fewest swaps", "latest first swap"])),
            garnets_won=data.draw(purses),
            tied=tuple(data.draw(st.lists(someone, max_size=3))),
        )
    return Result(
        record=msgspec.structs.replace(
            result.record, players=players, queue=(), submissions=(), adjustments=(), published=None
        ),
        rounds=rounds,
        outcome=outcome,
        garnets=data.draw(purses),
        # A draw names those it stood between: players without a swap (R7.3).
        swaps=result.swaps if _was_drawn(result) else data.draw(purses),
        notices=(),
    )


@given(VISITS, DERANGEMENTS, st.data())
def test_what_is_public_depends_on_nothing_secret(
    visits: list[tuple[int, int, int, int]], rivals: list[int], data: st.DataObject
) -> None:
    """Other visits, makers, rivals and garnets behind the same pens change no letter (R6.5)."""
    result = played(visits, rivals, SIX, garnets=2)
    other = with_other_secrets(result, data)
    number = data.draw(st.integers(0, len(result.rounds)))
    hunger = data.draw(st.booleans())
    assert public(result, number, hunger=hunger) == public(other, number, hunger=hunger)


@given(VISITS, DERANGEMENTS, st.permutations(range(6)))
def test_the_same_swaps_by_other_players_are_announced_alike(
    visits: list[tuple[int, int, int, int]], rivals: list[int], makers: list[int]
) -> None:
    """As long as the match runs and hunger is not told, nobody can see who swapped (R6.5)."""
    mine = played(visits, rivals, SIX, garnets=99)
    others = [(second, makers[player], one, other) for second, player, one, other in visits]
    theirs = played(others, rivals, SIX, garnets=99)
    for number, (one, other) in enumerate(zip(mine.rounds, theirs.rounds, strict=False), 1):
        ended = number in {len(mine.rounds), len(theirs.rounds)}
        if one.pen == other.pen and not ended:
            before = revealed(mine, number).before == revealed(theirs, number).before
            same = public(mine, number, hunger=False) == public(theirs, number, hunger=False)
            assert same == before


@given(VISITS, DERANGEMENTS, st.lists(st.text(min_size=1, max_size=200), min_size=6, max_size=6))
def test_every_message_fits_whatever_the_players_are_called(
    visits: list[tuple[int, int, int, int]], rivals: list[int], typed: list[str]
) -> None:
    """Discord takes 2000 characters; names may be anything the record allows."""
    names = [
        f"{number}{''.join(filter(str.isprintable, name))}" for number, name in enumerate(typed)
    ]
    result = played(visits, rivals, names, garnets=2)
    for number in range(len(result.rounds) + 1):
        assert all(0 < length(m) <= 2000 for m in announce_round(result, number, hunger=True))
    assert all(length(m) <= 2000 for m in announce_private(result, len(result.rounds)))
    assert all(length(m) <= 2000 for m in rival_messages(result.record).values())


def drawn(words: str) -> Result:
    """A match whose end was drawn, among pigs of players without a swap."""
    record = to_the_end().record
    settings = msgspec.structs.replace(record.settings, tie_break_seed=SEED, players_words=words)
    return replay(msgspec.structs.replace(record, settings=settings))


@pytest.mark.parametrize("words", ["", "gate oak brook"])
def test_r7_3_a_draw_is_told_so_that_anyone_can_compute_it(words: str) -> None:
    """What the last announcement shows, typed into an HMAC calculator, gives what it says."""
    result = drawn(words)
    assert result.outcome is not None
    said = text(result, len(result.rounds))
    blocks = [block.strip("\n") for block in said.split("```")[1::2]]
    seed, message = blocks[-2:]
    digest = hmac.digest(seed.encode(), message.encode(), "sha256")
    assert seed == SEED
    assert digest.hex() in said
    names = message.splitlines()[1 : -1 if words else None]
    index = int(digest.hex(), 16) % len(names)
    assert f"leaves {index}. Counting the names from 0, it is {names[index]}." in said
    assert result.outcome.elimination_candidate == names[index]


def test_r7_3_the_start_shows_the_commitment_and_asks_for_words() -> None:
    """Players hold the seed's SHA-256 before round 1, and read their words back once given."""
    promised = hashlib.sha256(SEED.encode()).hexdigest()
    (asking,) = announce_round(drawn(""), 0)
    assert promised in asking
    assert "a word from each of you" in asking
    (told,) = announce_round(drawn("gate oak"), 0)
    assert promised in told
    assert "gate oak" in told
    assert "a word from each of you" not in told
    assert promised not in "".join(announce_round(drawn(""), 1))
