"""The page of a match: every number on it is the result's, and players find no secret in theirs."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.judging.explaining import explain
from referee.match.instants import SECOND
from referee.match.notices import Notice
from referee.match.record import Adjustment, Player, Record, Round
from referee.match.record_json import encode_record
from referee.match.result import Result, Visit
from referee.rules.pen import starting_pen
from referee.rules.replay import replay
from referee.views.page.document import write_document
from referee.views.page.host import host_page
from referee.views.page.model import Page, Step
from referee.views.page.public import public_page
from referee.views.revealed import revealed
from referee.workbook.places import Places
from tests.support.cli import B0_PEN, b0, referee, write_book
from tests.support.played_matches import at, join, match, played_matches, send

NO_PLACES = Places(tables={}, titles={}, player_rows=(), setting_rows={})
ODD_NAMES = (
    "<script>alert(1)</script>",
    "`</script><!--`",
    "שלום 3",
    "👩‍👩‍👧‍👦 \"Fam\" & 'Co'",
    "a\u202eb  c",
    "&lt;b&gt; \\u003c ]]>",
)


def whole(record: Record, through: int | None = None) -> Page:
    return host_page(explain(record, through=through), NO_PLACES)


def shown(result: Result, *, hunger: bool = False) -> Page:
    """The players' page of everything a result holds."""
    seen = [revealed(result, n, hunger=hunger) for n in range(len(result.rounds) + 1)]
    return public_page(result.name, seen)


def data_of(document: bytes) -> Any:
    """The match that a document carries, as its script finds it."""
    found = re.search(
        r'<script type="application/json" id="match">(.*?)</script>', document.decode()
    )
    assert found is not None
    return json.loads(found[1])


def named(names: tuple[str, ...], **more: Any) -> Record:
    """A match in which the first three of these players visit the room one after the other."""
    players = tuple(
        # A sample or double is looser than the type, on purpose.
        Player(name=name, cell=cell, rival=names[(place + 1) % len(names)], garnets=5)  # type: ignore[arg-type]
        for place, (name, cell) in enumerate(zip(names, "ABCEFG", strict=False))
    )
    queue = tuple(join(2 + place, name) for place, name in enumerate(names[:3]))
    said = (send(3, names[0], "A D"), send(25, names[1], f"swap {names[2]}!"))
    return match(name=names[0], players=players, queue=queue, submissions=said, **more)


def endings(page: Page) -> list[Step]:
    """The steps at which a round's pigs feed."""
    return [step for step in page.steps if step.id.endswith("end")]


class TestHost:
    @given(played_matches())
    def test_each_round_ends_as_the_result_says(self, record: Record) -> None:
        """Pen, hunger, losses, garnets and queue after every feeding."""
        result, page = replay(record), whole(record)
        ends = endings(page)
        assert len(ends) == len(page.rounds) == len(result.rounds)
        for step, told, round_ in zip(ends, page.rounds, result.rounds, strict=True):
            assert step.pen == round_.pen
            assert step.hunger == round_.hunger
            assert step.garnets == round_.garnets
            assert step.lost == {
                name: " ".join(f"−{loss.points} ({loss.rule})" for loss in losses)
                for name, losses in round_.hunger_lost.items()
            }
            assert told.queue == round_.queue
            assert told.timer == round_.timer_end - round_.start
            assert told.length == step.at == round_.official_end - round_.start

    @given(played_matches())
    def test_every_visit_is_a_step_and_a_bar_with_its_own_figures(self, record: Record) -> None:
        result, page = replay(record), whole(record)
        visits = [(round_, visit) for round_ in result.rounds for visit in round_.visits]
        steps = [step for step in page.steps if step.visit is not None]
        bars = [visit for round_ in page.rounds for visit in round_.visits]
        assert len(steps) == len(bars) == len(visits)
        for step, drawn, (round_, visit) in zip(steps, bars, visits, strict=True):
            assert (step.round, step.visit) == (round_.number, visit.number)
            assert step.cells == (visit.swap or "")
            assert step.at == visit.left - round_.start
            assert len(step.reasons) == 5
            assert (drawn.number, drawn.player, drawn.told, drawn.paid, drawn.swap) == (
                visit.number,
                visit.player,
                visit.told,
                visit.garnets_paid,
                visit.swap,
            )
            assert drawn.because == visit.left_because
            assert (drawn.begin, drawn.end) == (
                visit.entered - round_.start,
                visit.left - round_.start,
            )

    @given(played_matches())
    def test_the_last_step_holds_the_final_balances_and_swaps(self, record: Record) -> None:
        result, page = replay(record), whole(record)
        last = page.steps[-1]
        assert last.garnets == result.garnets
        assert last.swaps == result.swaps
        assert last.id == ("now" if result.outcome is None else "result")
        if result.outcome is not None:
            starved = ", ".join(result.outcome.starved)
            assert last.text.startswith(f"Starved: {starved}.")

    @given(played_matches())
    def test_the_head_of_the_players_page_says_how_the_match_ended(self, record: Record) -> None:
        """Who starved, the candidate and every winner (R7), at whatever step it is opened."""
        result = replay(record)
        status, outcome = shown(result).status, result.outcome
        assert (". Starved: " in status) == (outcome is not None)
        if outcome is not None:
            named = (*outcome.starved, outcome.elimination_candidate or "still to be drawn")
            assert all(name in status for name in (*named, *outcome.tokens_of_life))

    @given(played_matches())
    def test_each_step_s_pen_is_the_one_before_with_its_swap(self, record: Record) -> None:
        """From visit to visit only the swapped cells change; a feeding moves nothing."""
        steps = whole(record).steps
        assert steps[0].pen == starting_pen(record.players)
        for before, after in pairwise(steps):
            changed = {cell for cell in before.pen if before.pen[cell] != after.pen[cell]}
            assert changed <= set(after.cells)
            for cell, other in zip(after.cells, reversed(after.cells), strict=True):
                assert after.pen[cell] == before.pen[other]

    @given(played_matches())
    def test_every_notice_stands_on_the_page_once(self, record: Record) -> None:
        result, page = replay(record), whole(record)
        assert page.rest is not None
        parts = [*(round_.notices for round_ in page.rounds), page.rest.notices]
        told = sorted((note.severity, note.rule) for notes in parts for note in notes)
        assert told == sorted((note.severity, note.rule) for note in result.notices)

    @given(played_matches())
    def test_every_row_of_the_sheet_stands_on_the_page_once(self, record: Record) -> None:
        page = whole(record)
        assert page.rest is not None
        told = sum(len(round_.rows) for round_ in page.rounds) + len(page.rest.rows)
        rows = (record.rounds, record.queue, record.submissions, record.adjustments)
        assert told == sum(map(len, rows))

    @given(played_matches())
    def test_what_the_time_line_shows_lies_within_its_round(self, record: Record) -> None:
        """Bars, waiting and pings alike."""
        for round_ in whole(record).rounds:
            spans = [(visit.begin, visit.end) for visit in round_.visits]
            spans += [(wait.begin, wait.end) for wait in round_.waits]
            assert all(0 <= begin <= end <= round_.length for begin, end in spans)
            assert all(0 <= ping.at <= round_.length for ping in round_.pings)

    @given(played_matches())
    def test_the_curves_are_the_hunger_after_every_round(self, record: Record) -> None:
        result, page = replay(record), whole(record)
        assert page.hunger == {
            player.name: (
                record.settings.starting_hunger,
                *(round_.hunger[player.name] for round_ in result.rounds),
            )
            for player in record.players
        }

    def test_garnets_change_in_the_visit_that_cost_them_and_when_the_host_gave_them(self) -> None:
        page = whole(
            match(
                queue=(join(1, "Ann"), join(2, "Ann"), join(3, "Ben")),
                submissions=(send(5, "Ann", "A D"),),
                adjustments=(Adjustment(time=at(30), player="Ben", garnets=4, reason="gift"),),
            )
        )
        garnets = [(step.id, step.garnets) for step in page.steps]
        assert garnets[:5] == [
            ("start", {"Ann": 3, "Ben": 1, "Cat": 0}),
            ("r1", {"Ann": 3, "Ben": 1, "Cat": 0}),
            ("r1v1", {"Ann": 3, "Ben": 1, "Cat": 0}),
            ("r1v2", {"Ann": 1, "Ben": 5, "Cat": 0}),
            ("r1v3", {"Ann": 1, "Ben": 5, "Cat": 0}),
        ]
        assert [step.swaps for step in page.steps][2] == {"Ann": 1, "Ben": 0, "Cat": 0}

    def test_each_step_says_what_happens(self) -> None:
        page = whole(
            match(
                queue=(join(1, "Ann"), join(2, "Ann"), join(50, "Cat")),
                submissions=(send(5, "Ann", "A D"), send(55, "Cat", "D E")),
            )
        )
        assert [(step.title, step.text) for step in page.steps] == [
            (
                "The start",
                "The food is on D. Ann on A, Ben on B, Cat on F. Every pig has 10 hunger points.",
            ),
            (
                "Round 1 begins",
                "The timer runs from 20:00:00 to 20:01:00. In the queue: nobody.",
            ),
            (
                "Round 1, visit 1 of 3",
                "Ann swaps A and D: Ann goes to D and the food goes to A.",
            ),
            ("Round 1, visit 2 of 3", "Ann makes no swap. The visit cost 2 garnets."),
            ("Round 1, visit 3 of 3", "Cat swaps D and E: Ann goes to E."),
            (
                "Round 1 ends: the pigs feed",
                (
                    "Over at 20:01:10. The food is on A. Hunger now: Ann 8, Ben 10, Cat 7. "
                    "Still in the queue: nobody."
                ),
            ),
            ("Where it stands", "The match goes on. In the queue: nobody."),
        ]

    def test_a_page_stops_at_the_round_asked_for(self) -> None:
        record = match(rounds=(Round(number=1), Round(number=2), Round(number=3)))
        assert [step.id for step in whole(record, through=2).steps][-2:] == ["r2end", "now"]
        assert len(whole(record, through=2).rounds) == 2

    def test_a_match_without_rounds_has_its_start(self) -> None:
        assert [step.id for step in whole(match(rounds=())).steps] == ["start", "now"]


class TestPublic:
    @given(played_matches(), st.booleans())
    def test_the_pens_are_the_result_s(self, record: Record, hunger: bool) -> None:
        result = replay(record)
        page = shown(result, hunger=hunger)
        pens = [starting_pen(record.players), *(round_.pen for round_ in result.rounds)]
        assert [step.pen for step in page.steps] == pens
        points = [round_.hunger if hunger else None for round_ in result.rounds]
        assert [step.hunger for step in page.steps[1:]] == points
        assert (page.hunger is not None) == hunger

    @given(played_matches(), st.booleans(), st.data())
    def test_nothing_secret_has_any_part_in_the_file(
        self, record: Record, hunger: bool, data: st.DataObject
    ) -> None:
        """With other visits, rivals, garnets, queues, clocks and notices it has the same bytes."""
        result = replay(record)
        other = disguised(result, data.draw(st.integers(1, 1000)))
        assert write_document(shown(other, hunger=hunger)) == write_document(
            shown(result, hunger=hunger)
        )

    @given(played_matches())
    def test_no_secret_word_is_in_the_file(self, record: Record) -> None:
        """Every text a host or player wrote, made recognisable, stays out; so does every time."""
        told = tuple(
            msgspec.structs.replace(row, reason="tell-tale gift") for row in record.adjustments
        )
        said = (*record.submissions, *(send(second, "Ann", "tell-tale") for second in (1, 9, 70)))
        record = msgspec.structs.replace(record, submissions=said, adjustments=told)
        document = write_document(shown(replay(record))).decode()
        assert "tell-tale" not in document
        assert not re.search(r"\d\d:\d\d:\d\d", document)
        carried = json.dumps(data_of(document.encode()))
        for word in ("garnet", "rival", "visit", "queue", "ping", "notice", "swap", "(R"):
            assert word not in carried

    def test_the_parts_for_the_host_are_not_on_the_players_page(self) -> None:
        """Neither their headings nor the scripts that draw them."""
        document = write_document(shown(replay(match()))).decode()
        for word in ("Dealer Room", "Notices", "Hunger</h2>", "timeLine", ".remark"):
            assert word not in document
        assert "Hunger</h2>" in write_document(shown(replay(match()), hunger=True)).decode()

    def test_a_round_tells_what_moved_and_not_how(self) -> None:
        """Two swaps back and forth look like none."""
        record = match(
            queue=(join(1, "Ann"), join(2, "Ben")),
            submissions=(send(5, "Ann", "A D"), send(25, "Ben", "A D")),
        )
        assert shown(replay(record)).steps[1].text == (
            "Moved: nothing. The food is on D. Ann on A, Ben on B, Cat on F."
        )


def was_drawn(result: Result) -> bool:
    """Whether players are shown a draw: it names those it stood between, without a swap (R7.3)."""
    return result.outcome is not None and result.outcome.decided_by == "draw"


def disguised(result: Result, salt: int) -> Result:
    """The same pens and hunger, brought about by quite other deeds."""
    record = result.record
    names = [player.name for player in record.players]
    rounds = tuple(
        msgspec.structs.replace(
            round_,
            start=round_.start + salt,
            official_end=round_.official_end + salt * SECOND,
            visits=(Visit(1, names[-1], 0, salt, "limit", names[0], salt, "AB", salt),),
            turned_away=(),
            hunger_lost=dict.fromkeys(names, ()),
            garnets=dict.fromkeys(names, salt),
            queue=tuple(names),
        )
        for round_ in result.rounds
    )
    return msgspec.structs.replace(
        result,
        record=msgspec.structs.replace(
            record,
            start=at(salt),
            players=tuple(
                msgspec.structs.replace(player, rival=names[0], garnets=salt, aliases=("alias",))
                for player in record.players
            ),
            queue=(),
            submissions=(),
            adjustments=(),
        ),
        rounds=rounds,
        garnets=dict.fromkeys(names, salt),
        swaps=result.swaps if was_drawn(result) else dict.fromkeys(names, salt),
        notices=(Notice("host-ruling", salt, "Queue", salt, names[0], ("void",)),),
    )


class TestCommand:
    def test_it_writes_the_page_of_a_workbook(self, tmp_path: Path) -> None:
        """The host's own cells and the match's own clock are on it."""
        book = write_book(tmp_path / "b0.xlsx", b0())
        assert referee("report", book, "b0.html", cwd=tmp_path) == (0, "wrote b0.html\n", "")
        page = data_of((tmp_path / "b0.html").read_bytes())
        assert page["steps"][-1]["pen"] == B0_PEN
        assert page["rounds"][0]["official_end"] == "19:10:00"
        assert page["rounds"][0]["rows"][1]["where"] == "Queue row 2"

    def test_players_see_published_rounds_only(self, tmp_path: Path) -> None:
        """What is not resolved yet is not on their page, whatever the host's tabs give."""
        book = write_book(tmp_path / "b0.xlsx", b0())
        page = tmp_path / "b0.html"
        assert referee("report", book, page, "--public").code == 0
        assert [step["id"] for step in data_of(page.read_bytes())["steps"]] == ["start"]
        assert referee("resolve", book).code == 0
        ran = referee("report", book, page, "--public", "--hunger", "--json")
        assert (ran.json["wrote"], ran.json["public"], ran.json["steps"]) == (str(page), True, 2)
        assert data_of(page.read_bytes())["steps"][1]["pen"] == B0_PEN
        asked = referee("report", book, page, "--public", "--round", "2")
        assert (asked.code, asked.err) == (2, "referee: --round 2: round must be 1..1\n")

    def test_a_record_without_published_tabs_shows_players_the_start(self, tmp_path: Path) -> None:
        """However long its rounds are over: nothing of it was published."""
        record, page = tmp_path / "match.json", tmp_path / "match.html"
        record.write_text(encode_record(match()), "utf-8")
        ran = referee("report", record, page, "--public")
        assert (ran.code, ran.err) == (
            0,
            "note: no round is published yet; the page shows the start\n",
        )
        assert [step["id"] for step in data_of(page.read_bytes())["steps"]] == ["start"]

    def test_it_stops_after_the_round_asked_for(self, tmp_path: Path) -> None:
        record, page = tmp_path / "match.json", tmp_path / "match.html"
        record.write_text(encode_record(match(rounds=(Round(number=1), Round(number=2)))), "utf-8")
        assert referee("report", record, page, "--round", "1").code == 0
        assert len(data_of(page.read_bytes())["rounds"]) == 1

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("b0.xlsx", "b0.txt"), "b0.txt: a page's name ends in .html"),
            (("b0.xlsx", "b0.html", "--hunger"), "--hunger goes with --public"),
            (("b0.xlsx", "b0.html", "--round", "2"), "--round 2: round must be 1..1"),
            (("b0.xlsx", "b0.html", "more"), "name SHEET and FILE"),
        ],
    )
    def test_wrong_usage_is_told_and_nothing_written(
        self, tmp_path: Path, arguments: tuple[str, ...], words: str
    ) -> None:
        write_book(tmp_path / "b0.xlsx", b0())
        ran = referee("report", *arguments, cwd=tmp_path)
        assert ran.code == 2
        assert words in ran.err
        assert [path.name for path in tmp_path.iterdir()] == ["b0.xlsx"]

    @pytest.mark.parametrize("more", [(), ("--public",)])
    def test_faults_of_the_sheet_stop_it(self, tmp_path: Path, more: tuple[str, ...]) -> None:
        """The fault names the host's own cell, and there is no page."""
        rounds: list[list[Any]] = [["Round", "Start", "Minutes"], [2, None, None]]
        write_book(tmp_path / "b0.xlsx", b0(Rounds=rounds))
        ran = referee("report", "b0.xlsx", "b0.html", *more, cwd=tmp_path)
        assert ran.code == 3
        assert "Rounds!A2" in ran.err
        assert not (tmp_path / "b0.html").exists()


class TestDocument:
    @pytest.mark.parametrize("name", ODD_NAMES)
    def test_odd_names_arrive_as_typed(self, name: str) -> None:
        """Both pages carry the very letters, and no mark-up comes of them."""
        names = (name, *(odd for odd in ODD_NAMES if odd != name))
        record = named(names)
        for page in (whole(record), shown(replay(record), hunger=True)):
            document = write_document(page)
            carried = data_of(document)
            assert carried["name"] == name
            assert [player["name"] for player in carried["players"]] == list(names)
            assert document.decode().count("<script") == 2
            assert "alert(1)</script>" not in document.decode()

    def test_half_an_emoji_does_not_stop_the_page(self) -> None:
        record = named(("half \ud83d", "Ben", "Cat"))
        document = write_document(whole(record))
        assert data_of(document)["players"][0]["name"] == "half \ud83d"

    @given(played_matches())
    def test_the_same_match_gives_the_same_bytes(self, record: Record) -> None:
        assert write_document(whole(record)) == write_document(whole(record))

    @pytest.mark.parametrize("hunger", [False, True])
    def test_the_policy_allows_this_script_and_style_and_nothing_else(self, hunger: bool) -> None:
        result = replay(match())
        for page in (whole(match()), shown(result, hunger=hunger)):
            text = write_document(page).decode()
            policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
            script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
            style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
            assert policy is not None
            assert script is not None
            assert style is not None
            assert policy[1].split("; ") == [
                "default-src 'none'",
                f"script-src 'sha256-{digest(script[1])}'",
                f"style-src 'sha256-{digest(style[1])}'",
                "base-uri 'none'",
                "form-action 'none'",
                "require-trusted-types-for 'script'",
            ]

    def test_the_page_names_no_address_to_load_anything_from(self) -> None:
        """Only the name of SVG's vocabulary, which nothing is loaded from, looks like one."""
        text = write_document(whole(match())).decode()
        assert set(re.findall(r"[a-z]+://[^\"'` )]*", text)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"<(link|img|iframe|object|embed|base)\b|\bsrc=|@import|url\(", text)


def digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
