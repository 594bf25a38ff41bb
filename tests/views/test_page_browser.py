"""The page in a real browser: stepped through by keys alone, each number held to the result."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.match.record import Adjustment, Player, QueueRow, Record, Round, Settings
from referee.match.result import Result, RoundResult
from referee.rules.pen import starting_pen
from referee.rules.replay import replay
from referee.views.hexagons import PLACES
from referee.views.page.document import write_document
from referee.workbook import layout
from referee.workbook.writing import tab_rows, wall_clock
from tests.support.browser import Browser, browser
from tests.support.played_matches import at, match, send
from tests.views.test_page import ODD_NAMES, shown, whole

NAMES = (*ODD_NAMES[:5], "__proto__")
ROUND = 60
ROUNDS = 10
STATE = """(() => {
  const text = (node) => node.textContent.trim();
  const cells = (row) => [...row.children].map(text);
  const rows = (table) => table ? [...table.tBodies[0].rows].map(cells) : [];
  return {
    title: text(document.querySelector('#step-title')),
    text: text(document.querySelector('#step-text')),
    count: text(document.querySelector('#count')),
    address: location.hash,
    standings: rows(document.querySelector('#standings')),
    tokens: [...document.querySelectorAll('#pen .token')].map((token) => [
      token.querySelector('title') ? token.querySelector('title').textContent : 'food',
      token.style.transform,
      token.querySelector('.points') ? text(token.querySelector('.points')) : '',
    ]),
    swapped: document.querySelectorAll('#pen .swapped').length,
    visits: rows(document.querySelector('#room-tables table')),
    bars: [...document.querySelectorAll('#room .visit rect')].map((bar) => [
      parseFloat(bar.getAttribute('x')), parseFloat(bar.getAttribute('width'))]),
    current: document.querySelectorAll('#room .visit.current').length,
    pings: document.querySelectorAll('#room .ping').length,
    notices: document.querySelectorAll('#notices .remark').length,
  };
})()"""
"""Everything the page shows at a step, as it stands in the document."""


def long_match() -> Record:
    """Ten rounds of odd names with four or five visits each; all six pigs starve in the last."""
    names = NAMES
    queue: list[QueueRow] = []
    said = []
    for number in range(ROUNDS):
        begin = ROUND * number
        swaps = ("A B", "A D", "A D", "F G")
        for place, swap in enumerate(swaps):
            name = names[(number + place) % 6]
            queue.append(QueueRow(time=at(begin + 2 * place), player=name))
            said.append(send(begin + 10 * place + 7, name, swap))
        if number in (1, 4):
            again = names[number % 6]
            queue.append(QueueRow(time=at(begin + 30), player=again))
            queue.append(QueueRow(time=at(begin + 31), player=again))
            said.append(send(begin + 59.5, again, "nothing today?"))
    return match(
        name=ODD_NAMES[0],
        settings=Settings(
            pre_game_minutes=0, round_minutes=1, room_seconds=10, tie_break_seed="seed"
        ),
        players=tuple(
            # A sample or double is looser than the type, on purpose.
            Player(name=name, cell=cell, rival=names[(place + 1) % 6], garnets=5, token="🐷")  # type: ignore[arg-type]
            for place, (name, cell) in enumerate(zip(NAMES, "ABCEFG", strict=True))
        ),
        rounds=tuple(Round(number=number + 1) for number in range(ROUNDS)),
        queue=tuple(queue),
        submissions=tuple(said),
        adjustments=(Adjustment(time=at(200), player=names[2], garnets=-2, reason="<b>fine</b>"),),
    )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture(scope="module")
def record() -> Record:
    return long_match()


@pytest.fixture(scope="module")
def result(record: Record) -> Result:
    found = replay(record)
    assert len(found.rounds) == ROUNDS
    assert found.outcome is not None
    return found


@pytest.fixture(scope="module")
def page(record: Record, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "match.html"
    path.write_bytes(write_document(whole(record)))
    return path


@pytest.fixture(scope="module")
def walked(running: Browser, page: Path, result: Result) -> list[dict[str, Any]]:
    """What the page shows at every step, met by pressing the right arrow alone."""
    running.size(1280, 800)
    running.open(page)
    states = [running.value(STATE)]
    for _ in range(steps_of(result) - 1):
        running.press("ArrowRight")
        states.append(running.value(STATE))
    return states


def steps_of(result: Result) -> int:
    """The start, each round's beginning, its visits and its end, the result."""
    return 2 + sum(2 + len(round_.visits) for round_ in result.rounds)


def ends(walked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [state for state in walked if state["title"].endswith("the pigs feed")]


def place_of(transform: str) -> str:
    """The cell that a token has been moved to."""
    x, y = (float(part) for part in transform[10:-1].replace("px", "").split(", "))
    half, pitch = 60.0, 60 * 3**0.5
    return next(
        cell
        for cell, (across, row) in PLACES.items()
        if abs((across - 3) * half - x) < 0.01 and abs((row - 1) * pitch - y) < 0.01
    )


def standing(result: Result, round_: RoundResult) -> list[list[str]]:
    """The table of how everybody stands after a round, from the result alone."""
    rows = []
    for player in result.record.players:
        name = player.name
        swaps = sum(
            visit.player == name and visit.swap is not None
            for played in result.rounds[: round_.number]
            for visit in played.visits
        )
        rows.append(
            [
                f"{name} {player.token}",
                next(cell for cell, token in round_.pen.items() if token == name),
                str(round_.hunger[name]),
                " ".join(f"−{loss.points} ({loss.rule})" for loss in round_.hunger_lost[name]),
                str(round_.garnets[name]),
                str(swaps),
                player.rival,
            ]
        )
    return rows


def test_the_right_arrow_alone_leads_to_the_end(
    walked: list[dict[str, Any]], result: Result
) -> None:
    """Every step is met once, in order, and the arrow does nothing more at the end."""
    last = len(walked)
    assert [state["count"] for state in walked] == [f"Step {n + 1} of {last}" for n in range(last)]
    assert walked[0]["title"] == "The start"
    assert walked[-1]["title"] == "The result"
    assert len({state["address"] for state in walked}) == last == steps_of(result)


def test_the_left_arrow_alone_leads_back_over_the_same_steps(
    running: Browser, page: Path, walked: list[dict[str, Any]]
) -> None:
    """Whatever the page shows depends on the step, not on the way there."""
    running.open(page, walked[-1]["address"])
    states = [running.value(STATE)]
    for _ in range(len(walked) + 2):
        running.press("ArrowLeft")
        states.append(running.value(STATE))
    assert states[: len(walked)] == walked[::-1]
    assert states[len(walked) :] == [walked[0]] * 3


def test_every_round_ends_with_the_result_s_numbers(
    walked: list[dict[str, Any]], result: Result
) -> None:
    """Cells, hunger, losses, garnets, swaps and rivals, read off the page."""
    states = ends(walked)
    assert len(states) == ROUNDS
    for state, round_ in zip(states, result.rounds, strict=True):
        assert state["standings"] == standing(result, round_)


def test_the_last_step_has_the_final_garnets_and_swaps(
    walked: list[dict[str, Any]], result: Result
) -> None:
    shown = {row[0].removesuffix(" 🐷"): row[4:6] for row in walked[-1]["standings"]}
    assert shown == {
        name: [str(held), str(result.swaps[name])] for name, held in result.garnets.items()
    }
    assert result.outcome is not None
    assert f"Elimination Candidate: {result.outcome.elimination_candidate}" in walked[-1]["text"]


def test_the_tokens_stand_where_the_pen_says_swap_by_swap(
    walked: list[dict[str, Any]], result: Result
) -> None:
    """After every visit and every round each token has slid to its cell, its hunger beside it."""
    pen = starting_pen(result.record.players)
    hunger = {player.name: 10 for player in result.record.players}
    expected = [(dict(pen), hunger)]
    for round_ in result.rounds:
        expected.append((dict(pen), hunger))
        for visit in round_.visits:
            if visit.swap:
                one, other = visit.swap[0], visit.swap[1]
                pen[one], pen[other] = pen[other], pen[one]
            expected.append((dict(pen), hunger))
        hunger = dict(round_.hunger)
        assert pen == round_.pen
        expected.append((dict(pen), hunger))
    expected.append((dict(pen), hunger))
    for state, (cells, points) in zip(walked, expected, strict=True):
        stand = {place_of(transform): name for name, transform, _ in state["tokens"]}
        assert stand == {cell: name for cell, name in cells.items() if name is not None}
        told = {name: told for name, _, told in state["tokens"] if name != "food"}
        assert told == {name: str(left) for name, left in points.items()}


def test_the_room_shows_each_visit_in_its_place_and_time(
    walked: list[dict[str, Any]], result: Result
) -> None:
    """The table has every figure of the visits, the time line a bar of its length for each."""
    clock, over = wall_clock(result.record), -1
    for state, round_ in zip(ends(walked), result.rounds, strict=True):
        length = round_.official_end - round_.start
        assert state["visits"] == [
            [
                str(visit.number),
                visit.player,
                clock(visit.entered).split()[1],
                clock(visit.left).split()[1],
                visit.left_because,
                visit.told or "nobody",
                str(visit.garnets_paid),
                "–".join(visit.swap) if visit.swap else "none",
                clock(visit.swap_time).split()[1] if visit.swap_time else "",
            ]
            for visit in round_.visits
        ]
        for (x, width), visit in zip(state["bars"], round_.visits, strict=True):
            assert x == pytest.approx(100 * (visit.entered - round_.start) / length)
            assert width == pytest.approx(100 * (visit.left - visit.entered) / length)
        pings = [row for row in result.record.queue if over < row.time <= round_.official_end]
        assert state["pings"] == len(pings)
        over = round_.official_end


def test_a_visit_s_step_marks_its_bar_and_its_cells(
    walked: list[dict[str, Any]], result: Result
) -> None:
    visits = [visit for round_ in result.rounds for visit in round_.visits]
    states = [state for state in walked if ", visit " in state["title"]]
    assert [state["swapped"] for state in states] == [2 if visit.swap else 0 for visit in visits]
    assert {state["current"] for state in states} == {1}


def test_every_notice_stands_beside_its_round(walked: list[dict[str, Any]], result: Result) -> None:
    told = sum(state["notices"] for state in ends(walked)) + walked[-1]["notices"]
    assert told == len(result.notices) > 0


def test_the_tables_of_the_whole_match_are_the_workbook_s(
    running: Browser, page: Path, result: Result
) -> None:
    """Cell by cell, in all six tabs; so is the table below the hunger curves."""
    running.open(page)
    read = """(table) => [[...table.tHead.rows[0].cells].map((cell) => cell.textContent),
      ...[...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))]"""
    tables = running.value(f"[...document.querySelectorAll('#tables table')].map({read})")
    tabs = tab_rows(result, (), layout.load())
    for table, tab in zip(
        tables, ("Pen", "Hunger", "Garnets", "Visits", "Result", "Notices"), strict=True
    ):
        rows = [["" if cell is None else str(cell) for cell in row] for row in tabs[tab]]
        assert [[cell.removeprefix("2026-11-29 ") for cell in row] for row in table] == [
            [cell.removeprefix("2026-11-29 ") for cell in row] for row in rows
        ]
    curve = running.value(f"({read})(document.querySelector('#hunger ~ details table'))")
    assert curve[2:] == [[str(cell) for cell in row] for row in tabs["Hunger"][1:]]


def test_keys_leap_from_round_to_round_and_to_both_ends(
    running: Browser, page: Path, walked: list[dict[str, Any]]
) -> None:
    """Page keys and brackets do the same; a round is first left by its beginning."""
    running.open(page)

    def press(*keys: str) -> str:
        for key in keys:
            running.press(key)
        return str(running.value("location.hash"))

    assert press("PageDown") == "#r1"
    assert press("]") == "#r2"
    assert press("ArrowRight", "ArrowRight") == "#r2v2"
    assert press("[") == "#r2"
    assert press("PageUp") == "#r1"
    assert press("End") == "#result"
    assert press("]") == "#result"
    assert press("PageUp") == "#r10"
    assert press("Home") == "#start"
    assert press("[") == "#start"


def test_buttons_do_what_the_keys_do(running: Browser, page: Path) -> None:
    running.open(page)
    for button, address in (
        ("step-on", "#r1"),
        ("step-on", "#r1v1"),
        ("round-on", "#r2"),
        ("step-back", "#r1end"),
        ("round-back", "#r1"),
    ):
        running.value(f"document.getElementById('{button}').click()")
        assert running.value("location.hash") == address


def test_nothing_is_asked_of_the_network_and_nothing_complained_of(
    running: Browser, page: Path, walked: list[dict[str, Any]]
) -> None:
    """The file alone is loaded, however long one steps, and the console stays empty."""
    running.open(page)
    for key in ("ArrowRight", "End", "PageUp", "ArrowLeft", "Home", "]", "[") * 3:
        running.press(key)
    assert running.complaints() == []
    assert running.requests() == [page.as_uri()]


def test_names_show_as_typed_and_run_nothing(
    running: Browser, page: Path, walked: list[dict[str, Any]]
) -> None:
    """Mark-up in names is text wherever it stands; no dialog and no element comes of it."""
    assert [row[0] for row in walked[3]["standings"]] == [f"{name} 🐷" for name in NAMES]
    assert any(ODD_NAMES[0] in state["text"] for state in walked)
    running.open(page, "#r4")
    assert running.value("document.querySelector('h1').textContent") == ODD_NAMES[0]
    assert running.value("document.title") == ODD_NAMES[0]
    assert (
        running.value("document.querySelectorAll('main script, main b > b, main fine').length") == 0
    )
    assert not [e for e in running.events if e["method"] == "Page.javascriptDialogOpening"]
    assert running.value("document.body.innerText.includes('(<b>fine</b>)')")


@pytest.mark.parametrize("width", [320, 360, 390, 768, 1280])
def test_no_page_is_wider_than_its_screen(
    running: Browser, page: Path, width: int, walked: list[dict[str, Any]]
) -> None:
    """At no step does a phone have to be scrolled sideways, everything unfolded or not."""
    running.size(width, 800)
    running.open(page)
    for key in ("Home", "ArrowRight", "ArrowRight", "]", "ArrowRight", "End"):
        running.press(key)
        for unfold in ("true", "false"):
            running.value(f"document.querySelectorAll('details').forEach((d) => d.open = {unfold})")
            assert running.value("document.documentElement.scrollWidth") <= width
    running.size(1280, 800)


def test_tokens_slide_but_not_for_readers_who_want_no_motion(running: Browser, page: Path) -> None:
    length = "getComputedStyle(document.querySelector('#pen .token')).transitionDuration"
    running.open(page)
    running.value("document.body.classList.add('moving')")
    assert running.value(length) == "0.7s"
    running.prefers(reduced_motion="reduce")
    assert running.value(length) == "0s"
    running.prefers(reduced_motion="no-preference")


def test_the_page_is_dark_for_readers_who_want_it_dark(running: Browser, page: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    running.prefers(color_scheme="light")
    running.open(page)
    light = running.value(ground)
    running.prefers(color_scheme="dark")
    assert (light, running.value(ground)) == ("rgb(247, 244, 238)", "rgb(24, 21, 18)")
    running.prefers(color_scheme="light")


def test_a_screen_reader_finds_its_way(running: Browser, page: Path) -> None:
    """Landmarks, a heading for each part, a live region that tells the step, drawings in words."""
    running.open(page, "#r1v1")
    nodes = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in running.call("Accessibility.getFullAXTree")["nodes"]
        if not node["ignored"]
    ]
    roles = [role for role, _ in nodes]
    assert roles.count("main") == roles.count("banner") == roles.count("status") == 1
    assert [name for role, name in nodes if role == "navigation"] == ["Rounds", "Steps"]
    assert {name for role, name in nodes if role == "heading"} == {
        *(ODD_NAMES[0], "The pen", "Round 1, visit 1 of 4", "The Dealer Room and the queue"),
        *("Hunger", "Notices and reasons of round 1", "The whole match in tables"),
    }
    buttons = {name for role, name in nodes if role == "button"}
    rounds = {f"Round {number}" for number in range(1, ROUNDS + 1)}
    moving = {"Round before", "Step back", "Next step", "Next round"}
    assert buttons == {"Start", "Result", *rounds, *moving}
    images = [name for role, name in nodes if role == "image"]
    assert any(name.startswith(f"The pen: A {ODD_NAMES[1]}, B {ODD_NAMES[0]},") for name in images)
    assert "Time line of round 1; the tables below say the same" in images
    told = running.value("document.querySelector('[role=status][aria-live=polite]').textContent")
    assert f"{ODD_NAMES[0]} swaps A and B" in told


def test_the_players_page_steps_through_the_pens_alone(
    running: Browser, result: Result, tmp_path: Path
) -> None:
    """It is driven by the same keys; hunger stands on it where it is told."""
    for hunger in (False, True):
        path = tmp_path / f"public-{hunger}.html"
        path.write_bytes(write_document(shown(result, hunger=hunger)))
        running.open(path)
        for round_ in result.rounds:
            running.press("ArrowRight")
            state = running.value(STATE)
            stand = {place_of(transform): name for name, transform, _ in state["tokens"]}
            assert stand == {cell: name for cell, name in round_.pen.items() if name is not None}
            points = [[str(left)] if hunger else [] for left in round_.hunger.values()]
            assert [row[2:] for row in state["standings"]] == points
        assert state["title"] == "Round 10 is over, and so is the match"
        assert running.complaints() == []
        assert running.requests() == [path.as_uri()]
        assert "Dealer" not in json.dumps(running.value("document.body.innerText"))
