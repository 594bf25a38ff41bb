"""``referee announce``: what stands published and what players may know, and nothing else."""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.judging.resolving import plan_result
from referee.match.record import Record
from referee.match.record_json import encode_record
from referee.rules.replay import replay
from tests.chat.test_announcement import DERANGEMENTS, SIX, VISITS, played
from tests.support.cli import b0, change_cells, clock, referee, referee_at, with_rows, write_book

NOW = "2026-07-01 12:00:00"
"""Long after every match of these tests."""
PEN = """\
      __.-'-.__ __.-'-.__
     |    A    |    B    |
     |  food   |   Bob   |
 __.-'-.__ __.-'-.__ __.-'-.__
|    C    |    D    |    E    |
|   Cy    |   Ann   |   Dee   |
'-.__ __.-'-.__ __.-'-.__ __.-'
     |    F    |    G    |
     |   Eve   |   Flo   |
     '-.__ __.-'-.__ __.-'"""
SECRETS = ("garnet", "rival", "swap", "visit", "queue", "dealer", "waiting", "turned", "paid")


def two_rounds(**changed: Any) -> dict[str, Any]:
    """The base game with a second round, at 19:10:30, in which Bob swaps B and E."""
    queue = b0()["Queue"] + [[clock("19:11:00"), "Bob", "join", None]]
    said = b0()["Submissions"] + [[clock("19:11:20"), "Bob", "B E", None, None]]
    listed = b0()["Rounds"] + [[2, clock("19:10:30"), None]]
    return b0(Queue=queue, Submissions=said, Rounds=listed, **changed)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Two rounds are over, and the first is published."""
    path = write_book(tmp_path / "match.xlsx", two_rounds())
    assert referee_at(NOW, "resolve", path, "--round", "1").code == 0
    return path


def announce(sheet: Path, *options: str | Path, now: str = NOW) -> str:
    ran = referee_at(now, "announce", sheet, *options)
    assert ran.code == 0, ran.err
    return ran.out


def refused(sheet: Path, *options: str | Path, code: int = 2) -> str:
    """What is said of an announcement that is not made; nothing of it gets out."""
    ran = referee_at(NOW, "announce", sheet, *options)
    assert (ran.code, ran.out) == (code, "")
    return ran.err


def test_the_last_published_round_is_announced(sheet: Path) -> None:
    """A round that is over but not published is not; a next start is told while it lies ahead."""
    assert announce(sheet) == (
        f"## Round 1 is over\n```\n{PEN}\n```\n"
        "**A** the food ← D\n**B** Bob\n**C** Cy\n**D** Ann ← A\n**E** Dee\n**F** Eve\n**G** Flo\n"
        "Round 1 has no anchor: the match has no tie-break seed.\n"
    )
    soon = announce(sheet, now="2026-03-02 00:10:29")
    assert "**G** Flo\nRound 2 starts at <t:1772410230:T>, <t:1772410230:R>.\n" in soon
    assert "starts at" not in announce(sheet, now="2026-03-02 00:10:31")
    assert referee_at(NOW, "resolve", sheet).code == 0
    assert announce(sheet).startswith("## Round 2 is over\n")
    assert announce(sheet, "--round", "1").startswith("## Round 1 is over\n")


def test_nothing_unpublished_is_announced(sheet: Path, tmp_path: Path) -> None:
    """Neither a round that is only over, nor the match as it is before it is resolved at all."""
    for options in ((), ("--private",), ("--picture", tmp_path / "pen.svg")):
        assert "published are rounds 1 to 1; resolve it first" in refused(
            sheet, "--round", "2", *options
        )
    assert not (tmp_path / "pen.svg").exists()
    fresh = write_book(tmp_path / "fresh.xlsx", two_rounds())
    assert announce(fresh).startswith("## The pen at the start\n")
    assert "no round is published yet" in refused(fresh, "--round", "1")
    assert "none is published yet" in refused(fresh, "--private")
    assert "--round -1" in refused(fresh, "--round", "-1")


def test_a_round_whose_rows_were_changed_since_is_not_announced(sheet: Path) -> None:
    """Else the changed result would get out before it is published."""
    change_cells(sheet, {"Submissions!C2": "A B"})
    told = refused(sheet, code=1)
    assert "nothing goes to the players" in told
    assert "Pen!B3: " in told
    ran = referee_at(NOW, "announce", sheet, "--json")
    assert (ran.code, ran.json["format"], ran.json["code"]) == (1, "referee-error/1", "differs")
    assert ran.json["differences"][0]["cell"] == "Pen!B3"
    assert referee_at(NOW, "resolve", sheet, "--reopen", "1").code == 0
    assert "**B** Ann ← A" in announce(sheet, "--round", "1")


def test_a_ruling_that_is_only_tried_out_leaves_by_no_way(sheet: Path, tmp_path: Path) -> None:
    """Text, picture and page come from one gate; a refusal writes no file."""
    page, pen = tmp_path / "public.html", tmp_path / "pen.svg"
    ways: list[tuple[str | Path, ...]] = [
        ("announce", sheet),
        ("announce", sheet, "--hunger"),
        ("announce", sheet, "--private"),
        ("announce", sheet, "--picture", pen),
        ("report", sheet, page, "--public"),
        ("report", sheet, page, "--public", "--hunger", "--round", "1"),
    ]
    change_cells(sheet, {"Submissions!E2": "void"})
    before = sorted(tmp_path.iterdir())
    for way in ways:
        ran = referee_at(NOW, *way)
        assert (ran.code, ran.out) == (1, ""), way
        assert "Pen!B3: " in ran.err, way
    assert sorted(tmp_path.iterdir()) == before
    assert referee_at(NOW, "resolve", sheet, "--reopen", "1").code == 0
    for way in ways:
        assert referee_at(NOW, *way).code == 0, way


def test_a_page_or_picture_leaves_no_older_one_beside_it(sheet: Path, tmp_path: Path) -> None:
    """An old page may hold what was corrected since; a workbook's last version is kept."""
    for way in (("announce", sheet, "--picture", tmp_path / "pen.png"),) * 2:
        assert referee_at(NOW, *way).code == 0
    for more in ((), ("--public",)):
        for _ in "ab":
            assert referee_at(NOW, "report", sheet, tmp_path / "page.html", *more).code == 0
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"match.xlsx", "match.xlsx.bak", "pen.png", "page.html"}


def test_telling_hunger_says_what_it_gives_away() -> None:
    """The last swap through D costs its maker's pig one point more: their name is in the sum."""
    for command in ("announce", "report"):
        told = " ".join(referee_at(NOW, command, "--help").out.replace("│", " ").split())
        assert "This gives away who made the last swap" in told


def test_a_draw_is_not_announced_before_it_is_published(tmp_path: Path) -> None:
    """The seed decides it; the candidate is told once the sheet says so."""
    rows = [*b0()["Settings"], ["Starting hunger", 2], ["Tie-break seed", None]]
    path = write_book(tmp_path / "match.xlsx", b0(Settings=rows))
    assert referee_at(NOW, "resolve", path).code == 0
    assert "The Elimination Candidate is still to be drawn." in announce(path)
    change_cells(path, {"Settings!B6": "salt"})
    assert "Result!" in refused(path, code=1)
    assert referee_at(NOW, "resolve", path).code == 0
    assert "**Elimination Candidate: " in announce(path)


def test_the_start_is_announced_with_the_timer_of_round_1(tmp_path: Path) -> None:
    """As recorded, else as the pre-game phase gives it."""
    recorded = write_book(tmp_path / "a.xlsx", b0())
    rows = [*b0()["Settings"], ["Pre-game minutes", 5]]
    open_ = write_book(
        tmp_path / "b.xlsx", b0(Settings=rows, Rounds=[["Round", "Start", "Minutes"]])
    )
    for path, stamp in ((recorded, 1772409600), (open_, 1772409300)):
        text = announce(path, now="2026-03-01 23:50:00")
        assert text.endswith(f"Round 1 starts at <t:{stamp}:T>, <t:{stamp}:R>.\n")


def test_a_round_that_is_not_listed_is_announced_as_the_clocks_give_it(tmp_path: Path) -> None:
    rows = [*b0()["Settings"], ["Break seconds", 45]]
    path = write_book(tmp_path / "match.xlsx", b0(Settings=rows))
    assert referee_at(NOW, "resolve", path).code == 0
    text = announce(path, now="2026-03-02 00:10:40")
    assert "Round 2 starts at <t:1772410245:T>, <t:1772410245:R>.\n" in text


def test_hunger_is_told_if_asked_for_and_a_role_is_mentioned(sheet: Path) -> None:
    assert "hunger" not in announce(sheet)
    text = announce(sheet, "--hunger", "--ping", "111222333444555666")
    assert text.startswith("<@&111222333444555666>\n## Round 1")
    assert "**D** Ann ← A · hunger 9\n" in text
    assert "is not a mention" in refused(sheet, "--ping", "@Players")


def test_a_picture_is_drawn_too(sheet: Path, tmp_path: Path) -> None:
    """Where it cannot be, nothing is printed that a host might post without it."""
    for name, begins in (("pen.png", b"\x89PNG"), ("pen.svg", b"<svg")):
        ran = referee_at(NOW, "announce", sheet, "--picture", tmp_path / name)
        assert (ran.code, ran.err) == (0, f"wrote {tmp_path / name}\n")
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert "must end in" in refused(sheet, "--picture", tmp_path / "pen.gif")
    assert "cannot be written" in refused(sheet, "--picture", tmp_path / "none" / "pen.png", code=4)


def test_the_hosts_version_tells_what_is_secret_and_pings_nobody(sheet: Path) -> None:
    text = announce(sheet, "--private")
    assert "1\\. Ann · 2026-03-01 19:01:00 to 2026-03-01 19:01:40 (exit)" in text
    assert "swap A–D" in text
    assert "pings nobody" in refused(sheet, "--private", "--ping", "@here")


def test_a_notice_of_the_instant_in_which_rounds_meet_stands_in_one_of_them(
    tmp_path: Path,
) -> None:
    """The instant is the earlier round's; what came between two rounds is the later one's."""
    queue = [
        b0()["Queue"][0],
        *([clock(time), "Ann", "exit", None] for time in ("19:10:00", "19:20:05", "19:40:00")),
    ]
    listed: list[list[Any]] = [["Round", "Start"], [1, None], [2, None], [3, clock("19:20:10")]]
    path = write_book(tmp_path / "match.xlsx", b0(Queue=queue, Rounds=listed))
    assert referee_at(NOW, "resolve", path).code == 0
    rows = {"1": "Queue row 2", "3": "Queue row 3"}
    for number in "123":
        private = announce(path, "--private", "--round", number)
        shown = referee_at(NOW, "show", path, "--round", number).out
        assert ("Queue row 2" in private, "Queue row 3" in private) == (
            rows.get(number) == "Queue row 2",
            rows.get(number) == "Queue row 3",
        )
        assert ("Queue!A2" in shown, "Queue!A3" in shown) == (number == "1", number == "3")


def test_each_player_is_told_the_rival_that_was_dealt(tmp_path: Path) -> None:
    """What deal and announce say to a player names the same rival, and nobody else's."""
    path = tmp_path / "match.xlsx"
    assert referee_at(NOW, "init", path).code == 0
    names = ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]
    change_cells(path, {f"Players!A{row}": name for row, name in enumerate(names, 2)})
    change_cells(path, {"Settings!B3": clock("18:50:00"), "Settings!B4": "America/New_York"})
    dealt = referee_at(NOW, "deal", path, "--json").json
    told = json.loads(announce(path, "--rival-messages", "--json"))["rival_messages"]
    assert list(told) == names
    for name, rival in dealt["rivals"].items():
        assert f"your rival is {rival}" in dealt["messages"][name]
        assert f"**{rival}**" in told[name]
        others = set(names) - {rival}
        assert not [other for other in others if other in told[name]]
    text = announce(path, "--rival-messages")
    assert text.startswith(f"To Ann alone:\n{told['Ann']}\n\nTo Bob alone:\n")


@pytest.mark.parametrize(
    "option",
    [("--round", "1"), ("--hunger",), ("--private",), ("--picture", "p.png"), ("--ping", "@here")],
)
def test_rival_messages_stand_alone(sheet: Path, option: tuple[str, ...]) -> None:
    assert "--rival-messages stands alone" in refused(sheet, "--rival-messages", *option)


def test_a_sheet_that_cannot_be_replayed_is_not_announced(sheet: Path) -> None:
    edited = [clock("19:01:30"), "Ann", "A D", clock("19:05:00"), None]
    path = write_book(sheet.with_name("edited.xlsx"), with_rows("Submissions", edited))
    assert announce(path).startswith("## The pen at the start")
    change_cells(sheet, {"Submissions!D2": clock("19:05:00")})
    assert "Submissions!D2: Ann sent this at " in refused(sheet, code=3)


def test_only_reading_is_asked_for(sheet: Path) -> None:
    before = sheet.read_bytes()
    for options in ((), ("--hunger",), ("--private",), ("--rival-messages",), ("--json",)):
        announce(sheet, *options)
    assert sheet.read_bytes() == before


def published(record: Record) -> bytes:
    """A record that carries everything it comes to as published."""
    planned = plan_result(replay(record), record, {}, record.start)
    tabs = {tab.title: [list(row) for row in tab.rows] for tab in planned.tabs}
    return encode_record(msgspec.structs.replace(record, published=tabs)).encode()


ANCHOR = re.compile(r"(?:[a-z]{5}-){3}[a-z]{5}")
"""An anchor follows from all there is, and tells nobody anything without the seed."""


def public(record: Record, number: int) -> tuple[str, str, bytes]:
    """Everything the command gives out after a round that is not marked as private."""
    with tempfile.TemporaryDirectory() as folder:
        path, picture = Path(folder) / "match.json", Path(folder) / "pen.svg"
        path.write_bytes(published(record))
        options = ("--round", str(number), "--picture", picture)
        text = referee_at(NOW, "announce", path, *options)
        told = referee_at(NOW, "announce", path, *options, "--json")
        assert (text.code, told.code) == (0, 0), text.err
        said, as_json = (ANCHOR.sub("(anchor)", out) for out in (text.out, told.out))
        return said, as_json, picture.read_bytes()


@settings(max_examples=settings().max_examples // 5)
@given(VISITS, DERANGEMENTS, DERANGEMENTS, st.permutations(range(6)), st.data())
def test_what_the_command_gives_out_tells_nothing_secret(
    visits: list[tuple[int, int, int, int]],
    rivals: list[int],
    others: list[int],
    makers: list[int],
    data: st.DataObject,
) -> None:
    """Other makers and rivals behind the same pens change no byte; no word hints at them."""
    mine = played(visits, rivals, SIX, garnets=99)
    swapped = [(second, makers[player], one, other) for second, player, one, other in visits]
    theirs = played(swapped, others, SIX, garnets=98)
    alike = [
        number
        for number, (one, other) in enumerate(zip(mine.rounds, theirs.rounds, strict=False), 1)
        if all(a.pen == b.pen for a, b in zip(mine.rounds[:number], theirs.rounds, strict=False))
        and number < min(len(mine.rounds), len(theirs.rounds))
        and one.official_end == other.official_end
    ]
    number = data.draw(st.sampled_from([0, *alike]))
    given_out = public(mine.record, number)
    assert given_out == public(theirs.record, number)
    words = given_out[0].lower()
    assert not [secret for secret in SECRETS if secret in words]


def test_the_public_command_is_a_program_of_its_own(sheet: Path) -> None:
    """Without a terminal, in UTF-8, with nothing beside the text."""
    ran = referee("announce", sheet, env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.err) == (0, "")
    assert "the food ← D" in ran.out
