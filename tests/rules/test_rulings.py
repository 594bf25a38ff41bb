"""The host's rulings, as they are typed into the column Ruling (R9.1)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.faults import quoted
from referee.rules.rulings import Ruling, parse_ruling

RULINGS = {
    "void": ("void", None),
    "allow": ("allow", None),
    "read as A D": ("read as", "AD"),
    "read as da": ("read as", "AD"),
    "read as A-D": ("read as", "AD"),
    "read as A and D": ("read as", "AD"),
    "read as pass": ("read as", ""),
    "allow B E": ("allow", "BE"),
    "allow BE": ("allow", "BE"),
    "allow pass": ("allow", ""),
}


def told(ruling: Ruling | None) -> tuple[str, str | None] | None:
    """What a ruling is, and the pair of cells it names, empty for a pass."""
    if ruling is None:
        return None
    reading = ruling.reading
    if reading is None:
        return ruling.kind, None
    assert reading.kind == ("swap" if reading.swap else "pass")
    return ruling.kind, reading.swap


@pytest.mark.parametrize("text", RULINGS)
def test_what_can_be_ruled(text: str) -> None:
    """Each ruling on a submission is read as what it says."""
    assert told(parse_ruling(text, "Submissions")) == RULINGS[text]


@given(st.sampled_from(list(RULINGS)), st.randoms(use_true_random=False))
def test_in_any_case_and_spacing(text: str, random: Random) -> None:
    """Capitals and blanks do not matter."""
    blanks = (" ", "  ", "\t", "\u00a0", "\n")
    typed = "".join(random.choice((letter.upper(), letter.lower())) for letter in text)
    typed = "".join(random.choice(blanks) if letter == " " else letter for letter in typed)
    typed = f"{random.choice(('', ' '))}{typed}{random.choice(('', *blanks))}"
    assert told(parse_ruling(typed, "Submissions")) == RULINGS[text]


@pytest.mark.parametrize("tab", ["Queue", "Submissions"])
@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0"])
def test_blanks_are_no_ruling(tab: str, text: str) -> None:
    """A cell that looks empty is empty."""
    assert parse_ruling(text, tab) is None


@pytest.mark.parametrize("text", ["void", " VOID\t", "allow", "\nAllow "])
def test_a_queue_row_may_be_void_or_allowed(text: str) -> None:
    """On a queue row there are these two rulings; the second needs an edit (R3.6)."""
    assert told(parse_ruling(text, "Queue")) == (text.strip().casefold(), None)


@pytest.mark.parametrize("text", [text for text in RULINGS if text not in ("void", "allow")])
def test_a_queue_row_takes_no_other_ruling(text: str) -> None:
    """What is meant for submissions is refused on a queue row, and the host reads what to write."""
    with pytest.raises(ValueError, match="write void, allow on an edited row, or leave it empty"):
        parse_ruling(text, "Queue")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "voided",
            "void it",
            "v oid",
            "no",
            "ok",
            "x",
            "A D",
            "pass",
            "-",
            "0",
            "allowed",
            "disallow",
        ),
        *("read", "read as", "read A D", "readas A D", "read  as  ", "read it as A D", "void A D"),
        *("allow it", "allow A", "allow A D E", "read as A D or B D", "allow, A D", "аllow"),
    ],
)
def test_anything_else_is_no_ruling(text: str) -> None:
    """A ruling nobody knows is an error, worded for the host with what stands there."""
    with pytest.raises(ValueError, match="write ") as raised:
        parse_ruling(text, "Submissions")
    assert quoted(text) in str(raised.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("read as A E", "cells A and E do not touch"),
        ("allow A A", "it names cell A twice"),
        ("read as A H", "there is no cell H"),
        ("allow hello", "it is not certainly a swap"),
        ("read as \u0410 D", "is not the letter A"),
    ],
)
def test_a_ruling_names_a_possible_swap(text: str, why: str) -> None:
    """A host cannot rule that a row said what no swap could be."""
    with pytest.raises(ValueError, match=why):
        parse_ruling(text, "Submissions")
