"""What a host types during a round: what it stands for, and what is asked about instead."""

import msgspec
import pytest

from referee.match.instants import MINUTE
from referee.match.record import Settings
from referee.workbook.names import Roster
from referee.workbook.spoken import Hearing, ListedRound, Spoken, UnclearError, understand
from referee.workbook.wall_clock import Clock

NOW = 1_800_000_000_000
NAMES = {"Ann": ["annie"], "Ben": [], "Ben Lee": [], "Zoë": ["77"], "Round": []}


def heard(*rounds: ListedRound, names: dict[str, list[str]] | None = None) -> Hearing:
    roster = Roster()
    known = {name: also for name, also in NAMES.items() if name != "Round"}
    for name, aliases in (names or known).items():
        for spelling in (name, *aliases):
            roster.add(spelling, name)
    return Hearing(roster, tuple(names or known), Settings(), Clock.utc(), tuple(rounds))


def running(number: int = 1, begun: int = 5, minutes: int | None = None) -> ListedRound:
    return ListedRound(number + 1, number, NOW - begun * MINUTE, minutes)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ann", Spoken("queue", "Ann", "join")),
        ("  ANNIE  ", Spoken("queue", "Ann", "join")),
        ("@Ann", Spoken("queue", "Ann", "join")),
        ("77 exit", Spoken("queue", "Zoë", "exit")),
        ("zoe\u0308 EXIT", Spoken("queue", "Zoë", "exit")),
        ("ann: exit", Spoken("queue", "Ann", "exit")),
        ("ann withdraw", Spoken("queue", "Ann", "withdraw")),
        ("ann leave", Spoken("queue", "Ann", "leave")),
        ("ann A D", Spoken("submission", "Ann", message="A D")),
        ("ann  swap a  and d", Spoken("submission", "Ann", message="swap a  and d")),
        ("ann pass", Spoken("submission", "Ann", message="pass")),
        ("ann A C", Spoken("submission", "Ann", message="A C")),
        ("ann hello there", Spoken("submission", "Ann", message="hello there")),
        ("ann says exit", Spoken("submission", "Ann", message="exit")),
        ("Ben Lee: A D", Spoken("submission", "Ben Lee", message="A D")),
        ("Ben: Lee", Spoken("submission", "Ben", message="Lee")),
        ("round", Spoken("round", round=1)),
        ("Round 1", Spoken("round", round=1)),
    ],
)
def test_a_line_stands_for_one_row(typed: str, meant: Spoken) -> None:
    """Names and actions read as in the workbook; a message is kept as it was typed."""
    assert understand(typed, NOW, heard()) == meant


@pytest.mark.parametrize(
    ("typed", "words", "lines"),
    [
        ("", "nothing was typed", []),
        ("bob", "is not in Players", []),
        ("amn exit", "is not in Players (nearest: Ann)", ["Ann: exit"]),
        ("an exit", "nobody's whole name: Ann?", ["Ann: exit"]),
        ("be", "nobody's whole name: Ben or Ben Lee?", ["Ben: join", "Ben Lee: join"]),
        ("exit ann", '"exit" is not in Players', []),
        ("ben lee", "may be said of Ben or Ben Lee", ["Ben: lee", "Ben Lee: join"]),
        ("ann exti", "what Ann does or what they typed", ["Ann exit", "Ann says exti"]),
        ("ann exit now", "what Ann does or what they typed", ["Ann exit", "Ann says exit now"]),
        ("ann wihdraw", "what Ann does", ["Ann withdraw", "Ann says wihdraw"]),
        ("ann says", "what does Ann say", []),
        ("ann enter", "nobody is let in by hand", []),
        ("round 2", "the next round is 1, not 2", ["round 1"]),
        ("round one", "is not understood", ["round", "round --minutes 13"]),
        ("round --minutes 13", "no round's timer runs now", []),
        ("round --minutes ten", "write whole minutes", ["round --minutes 13"]),
        ("round 4 --minutes 13", "round 4 is not listed", []),
    ],
)
def test_what_may_mean_two_things_is_asked(typed: str, words: str, lines: list[str]) -> None:
    """Nothing is guessed, and each line offered is understood (R0.2)."""
    with pytest.raises(UnclearError) as asked:
        understand(typed, NOW, heard())
    assert words in str(asked.value)
    assert list(asked.value.meant) == lines
    for line in lines:
        if "--minutes" not in line:
            understand(line, NOW, heard())


def test_a_player_called_round_is_told_from_the_timer() -> None:
    names: dict[str, list[str]] = {"Round": [], "Ann": []}
    with pytest.raises(UnclearError, match="may be the next round or the player Round") as asked:
        understand("round", NOW, heard(names=names))
    assert [understand(line, NOW, heard(names=names)) for line in asked.value.meant[:1]] == [
        Spoken("queue", "Round", "join")
    ]


def test_a_round_starts_only_when_the_timer_before_it_is_over() -> None:
    """Minutes of its own row count for when that is (R2.1)."""
    with pytest.raises(UnclearError, match="the timer of round 1 runs until"):
        understand("round", NOW, heard(running()))
    assert understand("round", NOW, heard(running(begun=10))) == Spoken("round", round=2)
    with pytest.raises(UnclearError, match="the timer of round 1 runs until"):
        understand("round", NOW, heard(running(begun=10, minutes=13)))
    with pytest.raises(UnclearError, match="starts later than this"):
        understand("round", NOW, heard(running(begun=-5)))


def test_a_pause_lengthens_the_round_that_runs() -> None:
    """The whole length is given; one that is over already, or meets the next round, is not one."""
    assert understand("round --minutes 13", NOW, heard(running())) == Spoken(
        "minutes", round=1, minutes=13
    )
    assert understand("round minutes 13", NOW, heard(running())).minutes == 13
    with pytest.raises(UnclearError, match="has run longer than 3 minutes already"):
        understand("round --minutes 3", NOW, heard(running()))
    over = heard(running(begun=11))
    with pytest.raises(UnclearError, match="no round's timer runs now") as asked:
        understand("round --minutes 13", NOW, over)
    assert understand(asked.value.meant[0], NOW, over) == Spoken("minutes", round=1, minutes=13)
    both = heard(running(begun=15), running(2, begun=3))
    with pytest.raises(UnclearError, match="would run into the next one"):
        understand("round 1 --minutes 13", NOW, both)


def test_a_host_who_opens_the_door_by_hand_may_let_in() -> None:
    by_hand = msgspec.structs.replace(heard(), settings=Settings(room_clock="recorded"))
    assert understand("ann enter", NOW, by_hand) == Spoken("queue", "Ann", "enter")
