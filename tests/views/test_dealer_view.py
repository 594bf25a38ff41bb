"""The console's picture of an instant: one screenful, whatever the window and the names are."""

import unicodedata
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from referee.desk.console import state_at
from referee.desk.dealer_state import State
from referee.match.faults import Fault
from referee.match.instants import SECOND
from referee.match.record import Player, Record, Round, Settings
from referee.views.dealer import Dealer, countdown, elapsed, plain
from referee.workbook.wall_clock import Clock
from tests.support.played_matches import at, join, match, send

CLOCK = Clock.utc().text
UNREAD = "it is not certainly a swap"
WINDOWS = ((80, 24), (120, 40), (40, 10), (20, 4), (200, 60))
STRANGE = (
    "Ann the Magnificent of the Long-Winded House of Names",
    "日本語の名前はとても長いのです本当に",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 Fam \u2764\ufe0f \U0001f1e9\U0001f1ea",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "e\u0301\u0301\u0301" * 9,
    "a\u200bb[red]c[/]",
)


def shown(dealer: Dealer, width: int, height: int) -> list[str]:
    """The lines of the console as a window of this size has them."""
    return [line.plain.rstrip() for line in dealer.lines(width, height)]


def dealer(
    seconds: float, *, faults: tuple[Fault, ...] = (), trouble: str = "", **parts: Any
) -> Dealer:
    """The console of a match of Ann, Ben and Cat, at some seconds into round 1."""
    state = state_at(match(**parts), at(seconds))
    return Dealer(state, CLOCK, faults=(*state.faults, *faults), trouble=trouble)


def crowded(names: tuple[str, ...] = STRANGE) -> Record:
    """A round in which everybody waits, the visitor has said much, and there are 20 notices."""
    rows = [join(second, name) for second, name in enumerate((*names, *names[:1]))]
    rows += [join(9, names[1])] * 20
    return match(
        name=names[0],
        players=tuple(
            Player(name=name, cell=cell, rival=rival, garnets=3)  # type: ignore[arg-type]  # a letter
            for name, cell, rival in zip(names, "ABCEFG", (*names[1:], names[0]), strict=True)
        ),
        settings=Settings(pre_game_minutes=0, round_minutes=2, room_seconds=20),
        queue=tuple(rows),
        submissions=tuple(
            send(8 + n / 10, names[0], text)
            for n, text in enumerate((*names, "\x1b[2J \ud83d\n\x07"))
        ),
    )


def test_a_round_as_the_dealer_sees_it() -> None:
    view = dealer(
        23,
        queue=(join(0, "Ann"), join(1, "Ben"), join(2, "Cat"), join(3, "Ann"), join(4, "Ann")),
        submissions=(send(5, "Ann", "A D"), send(21, "Ben", "hm\nwell"), send(22, "Ben", "b d")),
    )
    assert plain(view) == [
        "Test match · 20:00:23 UTC",
        "",
        "Round 1: timer 0:37 (until 20:01:00)",
        "",
        "Dealer Room: Ben for 0:03, out in 0:17",
        "  tell them: Ann",
        "  so far: swap B–D",
        "  20:00:21 hm well → unreadable: it is not certainly a swap",
        "  20:00:22 b d → swap B and D",
        "",
        "Queue: 2 waiting",
        "  1. Cat  in 0:17",
        "  2. Ann  in round 2",
        "",
        "2 notices, the latest first",
        '  20:00:21 Submissions row 2: "hm well" at 20:00:21 was not read: ' + UNREAD,
        "  20:00:04 Queue row 5: Ann was waiting already at 20:00:04: the ping adds nothing",
    ]


def test_prices_refusals_and_payments_are_said() -> None:
    """Ann can pay for her second visit, Ben cannot; who has paid is told while inside."""
    parts: dict[str, Any] = {
        "settings": Settings(pre_game_minutes=0, round_minutes=1, room_seconds=10),
        "queue": (join(0, "Ben"), join(1, "Ann"), join(2, "Ben"), join(11, "Ann")),
        "submissions": (send(3, "Ben", "B D"), send(12, "Ann", "A C")),
    }
    text = plain(dealer(13, **parts))
    assert "  1. Ben  in 0:07  has 1 garnet: will be turned away" in text
    assert "  2. Ann  in 0:07  will pay 2 of 3 garnets" in text
    assert "  paid 2 garnets for this visit" in plain(dealer(21, **parts))


def test_an_empty_room_says_whom_the_next_is_told() -> None:
    assert "  tell the next: nobody, they are the first" in plain(dealer(1))
    assert "  tell the next: Ann" in plain(dealer(30, queue=(join(0, "Ann"),)))
    assert "Dealer Room: closed" in plain(dealer(60))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "The match starts in 0:05 (until 20:00:00)"),
        (0, "Pre-game: round 1 starts in 1:00 (until 20:01:00)"),
        (110, "Round 1: timer 0:10 (until 20:02:00)"),
        (125, "Round 1: the timer is over, the last visit ends in 0:13 (until 20:02:18)"),
        (140, "Round 1 is over, round 2 starts in 0:08 (until 20:02:28)"),
        (149, "Round 2 cannot be played: mend the faults"),
    ],
)
def test_each_phase_is_named_with_its_clock(seconds: float, words: str) -> None:
    view = dealer(
        seconds,
        settings=Settings(pre_game_minutes=1, round_minutes=1, break_seconds=10, room_seconds=20),
        rounds=(Round(number=1), Round(number=2), Round(number=3, start=at(150))),
        queue=(join(118, "Ann"),),
    )
    assert plain(view)[2] == words


def test_what_is_waited_for_is_named() -> None:
    settings = Settings(pre_game_minutes=0)
    assert plain(dealer(0, rounds=(), settings=settings))[2] == (
        "The pre-game phase is over: add round 1 to Rounds as its timer starts"
    )
    view = plain(dealer(70, queue=(join(65, "Ann"),)))
    assert view[2] == "Round 1 is over: add round 2 to Rounds as its timer starts"
    assert view[-4:] == [
        "Waiting for round 2 to be listed:",
        "  20:01:05 Ann join",
        "",
        "1 row in no listed round: Queue row 1",
    ]
    starved = Settings(pre_game_minutes=0, round_minutes=1, starting_hunger=1)
    assert plain(dealer(60, settings=starved))[2] == "Round 1 is over, and so is the match"


def test_faults_are_shown_with_their_places_and_trouble_above_all() -> None:
    """Each fault takes at most three lines, with the beginning of its words."""
    faults = tuple(
        Fault("bad-time", f'Queue!A{row}: "soon" is not a time; ' + "write it well " * 30)
        for row in (3, 4)
    )
    view = dealer(1, faults=faults, trouble="not read for 0:12: Google's limit is reached (429)")
    lines = shown(view, 60, 24)
    assert lines[2] == "! not read for 0:12: Google's limit is reached (429)"
    assert lines[5] == "! 2 faults in the sheet:"
    assert lines[6].startswith('  Queue!A3: "soon" is not a time; write it well')
    assert lines[9].startswith("  Queue!A4")
    assert lines[8].endswith("…")


def test_a_sheet_that_made_no_sense_yet_is_shown_by_its_name_and_faults() -> None:
    view = Dealer(
        None, str, name="match.xlsx", faults=[Fault("x", "Players!A2: the name is blank")]
    )
    assert shown(view, 80, 24) == [
        "match.xlsx",
        "",
        "! 1 fault in the sheet:",
        "  Players!A2: the name is blank",
    ]


def test_what_matters_most_stays_in_the_smallest_window() -> None:
    """The timer, who is inside and how long, whom to tell, and who is next, down to 40x10."""
    record = crowded()
    lines = shown(Dealer(state_at(record, at(9)), CLOCK), 40, 10)
    assert len(lines) == 10
    assert lines[0].endswith("20:00:09")
    assert lines[1] == "Round 1: timer 1:51 (until 20:02:00)"
    assert lines[2].startswith("Room: Ann the ")
    assert lines[2].endswith("… for 0:09, out in 0:11")
    assert lines[3] == "  tell them: nobody, they are the first"
    assert lines[4] == "  so far: no swap"
    assert any(line.startswith("Queue: 6 waiting") for line in lines)
    assert lines[-1] == "27 notices, the latest first"


def test_what_does_not_fit_is_counted() -> None:
    """Below the last line that fits, the rest is told by its number."""
    view = Dealer(state_at(crowded(), at(9)), CLOCK)
    lines = shown(view, 80, 24)
    assert len(lines) == 24
    whole = len(shown(view, 80, 100))
    assert lines[-1] == f"  … {whole - 23} more lines"


def screen(view: Dealer, width: int, height: int) -> list[str]:
    """What a terminal of this size is sent, line by line."""
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(view)
    return capture.get().removesuffix("\n").split("\n")


def columns(text: str) -> int:
    """The columns a plain terminal gives a text, code point by code point."""
    return sum(
        0
        if unicodedata.category(letter) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )


def _steers(text: str) -> bool:
    return any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text)


def overflowing(view: Dealer) -> list[str]:
    """Lines that run over, steer the terminal, or are too many for their window."""
    found = []
    for width, height in WINDOWS:
        drawn = screen(view, width, height)
        found += [line for line in drawn if columns(line) > width or _steers(line)]
        found += drawn[height:]
    return found


def test_nothing_overflows_with_strange_names_faults_and_trouble() -> None:
    record = crowded()
    faults = [Fault("x", f"Queue!A{row}: " + "\u65e5\u672c " * 90) for row in range(9)]
    for seconds in range(0, 140, 20):
        state = state_at(record, at(seconds))
        assert not overflowing(Dealer(state, CLOCK, faults=faults, trouble="\u672c" * 300))


NAMES = st.text(st.characters(exclude_categories=["Cn"]), min_size=1, max_size=40)


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(NAMES, min_size=6, max_size=6, unique=True))
def test_nothing_overflows_whatever_the_players_are_called(names: list[str]) -> None:
    """Any text at all: control characters, marks on marks, half an emoji, right to left."""
    state = state_at(crowded(STRANGE), at(9))
    renamed = dict(zip(STRANGE, names, strict=True))
    assert not overflowing(Dealer(_renamed(state, renamed), CLOCK))


def _renamed(state: State, names: dict[str, str]) -> State:
    replace = msgspec.structs.replace
    assert state.inside is not None
    typed = tuple(replace(t, message=names.get(t.message, t.message)) for t in state.inside.typed)
    return replace(
        state,
        name=names[STRANGE[0]],
        inside=replace(state.inside, player=names[state.inside.player], typed=typed),
        queue=tuple(replace(one, player=names[one.player]) for one in state.queue),
        last_entered=names[STRANGE[1]],
    )


def test_times_left_and_passed_add_up_to_the_whole() -> None:
    """A begun second counts as left and not as passed."""
    assert (countdown(0), countdown(1), countdown(5000), countdown(-3)) == (
        "0:00",
        "0:01",
        "0:05",
        "0:00",
    )
    assert (countdown(599_999), countdown(3_723_000)) == ("10:00", "1:02:03")
    assert (elapsed(0.999), elapsed(61.5), elapsed(-1)) == ("0:00", "1:01", "0:00")
    for passed in (0, 1, 999, 1000, 12_345, 60_000):
        left = countdown(60 * SECOND - passed)
        gone = elapsed(passed / SECOND)
        assert sum(int(t.split(":")[0]) * 60 + int(t.split(":")[1]) for t in (left, gone)) == 60


def test_notices_that_are_old_or_ruled_on_are_not_repeated() -> None:
    """What came before the round, and what the host has ruled on, was told; machines get it all."""
    parts: dict[str, Any] = {
        "rounds": (Round(number=1), Round(number=2)),
        "queue": (
            join(0, "Ann"),
            join(1, "Ben"),
            join(2, "Ben"),
            join(70, "Cat"),
            join(71, "Cat", ruling="void"),
            join(72, "Ben"),
            join(73, "Ben"),
        ),
    }
    state = state_at(match(**parts), at(75))
    assert {notice.row for notice in state.notices} == {3, 5, 7}
    assert [notice.row for notice in state.news] == [7]
    assert "1 notice" in plain(dealer(75, **parts))
