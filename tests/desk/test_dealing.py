"""Dealing draws cells, rivals and a seed: fairly, repeatably, and never over what was used."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import pytest

from referee.chat.private_messages import private_messages
from referee.desk.dealing import Draw, Standing, deal, seeded_draw, system_draw
from tests.support.cli import (
    b0,
    cells_of,
    change_cells,
    clock,
    referee,
    referee_at,
    table,
    with_rows,
    write_book,
)

NAMES = ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]
RING = {"A", "B", "C", "E", "F", "G"}
BEANS = "seventeen tall beans by the old gate"


def undealt(path: Path, **settings: str) -> Path:
    """A workbook whose host has filled in names and nothing else."""
    tabs = b0(
        Players=[["Player", "Cell", "Rival"], *([name, None, None] for name in NAMES)],
        Queue=[["Timestamp", "Player", "Action"]],
        Submissions=[["Timestamp", "Player", "Message"]],
        Rounds=[["Round", "Start"]],
    )
    tabs["Settings"] += [[title, value] for title, value in settings.items()]
    return write_book(path, tabs)


def fresh(names: Sequence[str]) -> Standing:
    """What stands in a sheet before anything is dealt."""
    return Standing(dict.fromkeys(names, ""), dict.fromkeys(names, ""))


def told_by(numbers: tuple[int, ...], used: list[int]) -> Draw:
    """Draws that are told beforehand; each call notes how many numbers it chose from."""
    rest = iter(numbers)

    def draw(below: int) -> int:
        used.append(below)
        number = next(rest)
        if number >= below:
            raise LookupError
        return number

    return draw


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_derangement_is_as_likely(count: int) -> None:
    """Each choice of numbers gives one permutation, so each fitting permutation comes as often.

    All choices a first drawing can make are gone through; those with a fixed point draw again.
    """
    names = NAMES[:count]
    found: Counter[tuple[str, ...]] = Counter()
    again = 0
    for numbers in product(*(range(below) for below in range(count, 0, -1))):
        used: list[int] = []
        try:
            dealt = deal(fresh(names), told_by(numbers, used), ["rivals"])
        except StopIteration:
            again += 1
            continue
        assert used == list(range(count, 0, -1))
        found[tuple(dealt.rivals.values())] += 1
    derangements = [
        order
        for order in permutations(names)
        if all(rival != name for rival, name in zip(order, names, strict=True))
    ]
    assert found == Counter(derangements)
    assert again + len(derangements) == len(list(permutations(names)))


def test_every_placing_is_as_likely() -> None:
    """Two players: each of the 30 ordered pairs of ring cells comes equally often."""
    found: Counter[tuple[str, ...]] = Counter()
    for numbers in product(*(range(below) for below in range(6, 0, -1))):
        dealt = deal(fresh(NAMES[:2]), told_by(numbers, []), ["cells"])
        found[tuple(dealt.cells.values())] += 1
    assert set(found) == set(permutations(sorted(RING), 2))
    assert set(found.values()) == {24}


def test_a_seeded_number_beyond_the_last_whole_multiple_is_drawn_again() -> None:
    """The n-th number is SHA-256 of the seed and n, so anyone can follow the draw."""
    draw = seeded_draw("beans")
    expected = [
        int.from_bytes(hashlib.sha256(f"referee deal\nbeans\n{n}".encode()).digest()) % 6
        for n in range(50)
    ]
    assert [draw(6) for _ in range(50)] == expected
    huge = 2**255 + 1  # nearly half of all numbers lie beyond its only whole multiple
    blocks = [
        int.from_bytes(hashlib.sha256(f"referee deal\nbeans\n{n}".encode()).digest())
        for n in range(50)
    ]
    kept = [block for block in blocks if block < huge]
    draw = seeded_draw("beans")
    assert [draw(huge) for _ in kept] == kept
    assert len(kept) < len(blocks)


def test_the_system_draws_within_bounds() -> None:
    """Unseeded draws come from the system and differ from deal to deal."""
    seeds = {deal(fresh(NAMES), system_draw).seed for _ in range(20)}
    assert len(seeds) == 20
    assert {len(seed) for seed in seeds} == {32}


@pytest.mark.parametrize("seed", range(40))
def test_a_deal_is_a_set_up_the_rules_allow(seed: int) -> None:
    """Distinct ring cells, rivals without fixed points, for every number of players."""
    for count in range(2, 7):
        dealt = deal(fresh(NAMES[:count]), seeded_draw(str(seed)))
        assert len(set(dealt.cells.values())) == count
        assert set(dealt.cells.values()) <= RING
        assert sorted(dealt.rivals.values()) == sorted(NAMES[:count])
        assert all(name != rival for name, rival in dealt.rivals.items())


def test_dealing_writes_the_workbook_and_commits_to_the_seed(tmp_path: Path) -> None:
    """Cells and rivals stand in Players, the seed in Settings, its SHA-256 on the screen."""
    path = undealt(tmp_path / "match.xlsx")
    ran = referee("deal", path, "--seed", BEANS)
    assert (ran.code, ran.err) == (0, "")
    players = table(path, "Players")
    assert {player["Cell"] for player in players} == RING
    assert sorted(player["Rival"] for player in players) == NAMES
    settings = {row["Setting"]: row["Value"] for row in table(path, "Settings")}
    seed = settings["Tie-break seed"]
    lines = ran.out.splitlines()
    assert lines[0].startswith("Cells, rivals and the tie-break seed follow from the text")
    assert lines[1].startswith("Post this before the match")
    assert lines[2].strip() == hashlib.sha256(seed.encode()).hexdigest() == settings["Commitment"]
    assert lines[3].startswith("Then ask each player for a word")
    assert seed not in ran.out
    assert BEANS not in ran.out
    assert lines[4:] == [
        f"To {player['Player']} alone: Your pig starts on cell {player['Cell']} and your rival is "
        f"{player['Rival']}."
        for player in players
    ]
    assert referee("check", path).code == 0


def test_a_message_tells_a_player_their_own_cell_and_rival_only() -> None:
    """No other name and no other cell stands in a private message."""
    dealt = deal(fresh(NAMES), seeded_draw("x"))
    for name, message in private_messages(dealt).items():
        others = set(NAMES) - {name, dealt.rivals[name]}
        words = set(message.replace(".", "").split())
        assert not words & others
        assert words & RING == {dealt.cells[name]}
        assert dealt.rivals[name] in words


def test_the_same_seed_deals_the_same(tmp_path: Path) -> None:
    """A deal with --seed can be repeated and checked; another seed deals otherwise."""
    one, two, three = (undealt(tmp_path / f"{n}.xlsx") for n in range(3))
    dealt = [
        referee("deal", "--json", "--seed", seed, path).json
        for path, seed in ((one, "beans"), (two, "beans"), (three, "peas"))
    ]
    assert dealt[0] == dealt[1]
    assert dealt[0]["commitment"] != dealt[2]["commitment"]
    assert cells_of(one, "Players") == cells_of(two, "Players")


def test_json_holds_no_seed(tmp_path: Path) -> None:
    """The machine-readable deal has cells, rivals, messages and the commitment alone."""
    path = undealt(tmp_path / "match.xlsx")
    ran = referee("deal", "--json", path)
    assert sorted(ran.json) == ["cells", "commitment", "format", "messages", "rivals"]
    settings = {row["Setting"]: row["Value"] for row in table(path, "Settings")}
    assert settings["Tie-break seed"] not in ran.out


@pytest.mark.parametrize("only", ["cells", "rivals", "seed"])
def test_only_one_thing_can_be_drawn(tmp_path: Path, only: str) -> None:
    """--only leaves everything else as it stands."""
    tabs = b0(Queue=[["Timestamp", "Player", "Action"]])
    path = write_book(tmp_path / "match.xlsx", tabs)
    before = {tab: cells_of(path, tab) for tab in ("Players", "Settings")}
    ran = referee("deal", "--only", only, "--again", "--seed", "2", path)
    assert ran.code == 0
    assert "short enough to be guessed" in ran.err
    after = {tab: cells_of(path, tab) for tab in ("Players", "Settings")}
    column = {"cells": 1, "rivals": 2}.get(only)
    for old, new in zip(before["Players"], after["Players"], strict=True):
        assert [c for n, c in enumerate(old) if n != column] == [
            c for n, c in enumerate(new) if n != column
        ]
    assert (after["Settings"] != before["Settings"]) == (only == "seed")
    assert (after["Players"] != before["Players"]) == (only != "seed")
    assert ("Post this" in ran.out) == (only == "seed")
    assert ("your rival is" in ran.out.lower()) == (only == "rivals")
    assert ("your pig starts" in ran.out.lower()) == (only == "cells")


def test_nothing_a_published_round_used_is_dealt_again(tmp_path: Path) -> None:
    """Once a round stands published cells and rivals stay, and a seed that was given."""
    path = write_book(tmp_path / "match.xlsx", b0())
    referee_at("2026-03-09T00:00:00Z", "resolve", path)
    before = path.read_bytes()
    for arguments in ([], ["--only", "cells"], ["--only", "rivals"]):
        ran = referee("deal", path, "--again", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "1 round is published: cells and rivals stay as they were dealt" in ran.err
    assert path.read_bytes() == before
    # A seed was never given, so that a pending draw can still be settled.
    assert referee("deal", path, "--only", "seed").code == 0
    given = path.read_bytes()
    ran = referee("deal", path, "--only", "seed", "--again")
    assert ran.code == 2
    assert "it stays as it was dealt" in ran.err
    assert path.read_bytes() == given
    assert referee("audit", path).code == 0


@pytest.mark.parametrize("count", [0, 1, 7])
def test_a_match_has_two_to_six_players(tmp_path: Path, count: int) -> None:
    """Any other number is a fault of the sheet, and nothing is written."""
    names = [*NAMES, "Gil"][:count]
    tabs = b0(Players=[["Player", "Cell", "Rival"], *([name, None, None] for name in names)])
    tabs["Queue"], tabs["Submissions"] = tabs["Queue"][:1], tabs["Submissions"][:1]
    path = write_book(tmp_path / "match.xlsx", tabs)
    before = path.read_bytes()
    ran = referee("deal", path)
    assert (ran.code, ran.out) == (3, "")
    assert f"Players: {count} player" in ran.err
    assert path.read_bytes() == before


def test_what_cannot_be_dealt_is_said(tmp_path: Path) -> None:
    """A wrong word, a record, a missing column and a faulty sheet each get their own answer."""
    path = undealt(tmp_path / "match.xlsx")
    blank = referee("deal", path, "--seed", " ")
    assert (blank.code, blank.out) == (2, "")
    wrong = referee("deal", path, "--only", "pigs")
    assert (wrong.code, wrong.out) == (2, "")
    assert "--only pigs: write cells, rivals or seed" in wrong.err
    record = tmp_path / "match.json"
    referee("export", write_book(tmp_path / "b0.xlsx", b0()), record)
    refused = referee("deal", record)
    assert refused.code == 2
    assert "match.json is a match record" in refused.err
    change_cells(path, {"Players!A3": "Ann"})
    faulty = referee("deal", path)
    assert (faulty.code, faulty.out) == (3, "")
    assert "Players!A3: " in faulty.err


def test_the_seed_finds_its_row_or_gets_one(tmp_path: Path) -> None:
    """A Settings tab without the row, or with other rows below, takes the seed in the end."""
    path = undealt(tmp_path / "match.xlsx", **{"Room seconds": "60"})
    assert referee("deal", path).code == 0
    rows = cells_of(path, "Settings")
    assert [row[0] for row in rows[-3:]] == ["Room seconds", "Tie-break seed", "Commitment"]
    assert "replaced the cells and rivals and seed" in referee("deal", path, "--again").err
    again = cells_of(path, "Settings")
    assert len(again) == len(rows)
    assert again[-2] != rows[-2]
    assert again[-1] != rows[-1]


def test_a_deal_fills_what_is_blank_and_tells_all_of_it(tmp_path: Path) -> None:
    """What stands there stays, the blanks are filled to fit, and a second deal changes nothing."""
    path = undealt(tmp_path / "match.xlsx", **{"Tie-break seed": "the host's own seed"})
    change_cells(path, {"Players!B2": "G", "Players!C4": "Ann", "Players!C3": "Flo"})
    ran = referee("deal", "--json", path)
    assert ran.code == 0
    players = {player["Player"]: player for player in table(path, "Players")}
    assert (players["Ann"]["Cell"], players["Cy"]["Rival"]) == ("G", "Ann")
    assert players["Bob"]["Rival"] == "Flo"
    assert {player["Cell"] for player in players.values()} == RING
    assert sorted(player["Rival"] for player in players.values()) == NAMES
    settings = {row["Setting"]: row["Value"] for row in table(path, "Settings")}
    assert settings["Tie-break seed"] == "the host's own seed"
    assert settings["Commitment"] == hashlib.sha256(b"the host's own seed").hexdigest()
    assert ran.json["cells"] == {name: player["Cell"] for name, player in players.items()}
    assert ran.json["rivals"] == {name: player["Rival"] for name, player in players.items()}
    before = path.read_bytes()
    again = referee("deal", "--json", path)
    assert again.json == ran.json
    assert "nothing was blank" in again.err
    assert path.read_bytes() == before


def test_blanks_are_filled_at_random_among_all_that_fit() -> None:
    """Each way to complete the rivals comes as often."""
    held = {"Ann": "Bob", "Bob": "", "Cy": "", "Dee": ""}
    cells = dict.fromkeys(held, "")
    drawn = Counter(
        tuple(deal(Standing(cells, held), seeded_draw(str(n)), ["rivals"]).rivals.values())
        for n in range(1200)
    )
    fitting = [p for p in permutations(held) if p[0] == "Bob" and all(map(str.__ne__, p, held))]
    assert set(drawn) == set(fitting)
    assert all(abs(count - 1200 / len(fitting)) < 100 for count in drawn.values())


@pytest.mark.parametrize(
    "rivals",
    [
        {"Ann": "Bob", "Bob": "Ann", "Cy": ""},
        {"Ann": "Bob", "Bob": "", "Cy": "Bob"},
    ],
)
def test_rivals_that_leave_somebody_none_are_told(rivals: dict[str, str]) -> None:
    """Where no permutation fits any more the deal says so instead of drawing for ever."""
    standing = Standing(dict.fromkeys(rivals, ""), rivals)
    with pytest.raises(ValueError, match="leave no rival to somebody"):
        deal(standing, seeded_draw("x"), ["rivals"])


def test_a_seed_that_was_committed_to_is_not_drawn_anew_by_chance(tmp_path: Path) -> None:
    """A seed that is gone or changed is not made up for; --again deals both anew."""
    path = undealt(tmp_path / "match.xlsx")
    assert referee("deal", path).code == 0
    rows = [row[0] for row in cells_of(path, "Settings")]
    cell = f"Settings!B{rows.index('Tie-break seed') + 1}"
    for held, said in ((None, "is blank and its Commitment"), ("other", "is not the one of its")):
        change_cells(path, {cell: held})
        before = path.read_bytes()
        ran = referee("deal", path)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert path.read_bytes() == before
    checked = referee("check", path)
    assert f"{cell}: the Tie-break seed is not the one the players were promised" in checked.out
    assert referee("deal", path, "--only", "seed", "--again").code == 0
    assert "were promised" not in referee("check", path).out


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, ["there is no Tie-break seed"]),
        ({"Tie-break seed": "pigs"}, ["at most 12 bits of chance", "there are no Players' words"]),
        ({"Tie-break seed": "a" * 64}, ["at most 64 bits", "there are no Players' words"]),
        ({"Tie-break seed": "0123456789abcdef0123"}, ["there are no Players' words"]),
        ({"Tie-break seed": "k3vw8m2xq9zr5tyb7n", "Players' words": "gate oak"}, []),
    ],
)
def test_check_doubts_a_draw(tmp_path: Path, settings: dict[str, str], said: list[str]) -> None:
    """A missing or weak seed and missing words are warnings of every check."""
    tabs = b0()
    tabs["Settings"] += [[title, value] for title, value in settings.items()]
    out = referee("check", write_book(tmp_path / "match.xlsx", tabs)).out
    told = [line for line in out.splitlines() if "(R7.3)" in line]
    assert len(told) == len(said)
    assert all(words in line for words, line in zip(said, told, strict=True))


def test_a_dealt_match_is_played_by_what_was_dealt(tmp_path: Path) -> None:
    """init, deal and a round: the pen starts as the messages say."""
    path = tmp_path / "match.xlsx"
    assert referee("init", path).code == 0
    change_cells(path, {f"Players!A{row}": name for row, name in enumerate(NAMES, 2)})
    change_cells(path, {"Settings!B3": clock("18:50:00"), "Settings!B4": "America/New_York"})
    dealt = referee("deal", "--json", path).json
    change_cells(path, {"Rounds!A2": 1})
    assert referee("resolve", "--early", path).code == 0
    start = table(path, "Pen")[0]
    assert {start[cell]: cell for cell in RING} == dealt["cells"]
    assert start["D"] == "food"


def test_hosts_columns_beside_the_players_stay(tmp_path: Path) -> None:
    """Notes in extra columns and rows, and formulas elsewhere, are not touched by dealing."""
    tabs = with_rows("Players", [None, None, None, None, None])
    tabs["Players"][0].append("Channel")
    tabs["Players"][1].append("#ann")
    path = write_book(tmp_path / "match.xlsx", tabs)
    change_cells(path, {"Players!H2": "=1+1"})
    assert referee("deal", path).code == 0
    rows = cells_of(path, "Players")
    assert (rows[0][5], rows[1][5], rows[1][7]) == ("Channel", "#ann", "=1+1")
