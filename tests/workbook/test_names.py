"""Who is meant by a name: the one rule for players, tabs, headers and settings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.workbook.names import Roster, distance, fold, mended, nearby, nearest, tidy, unfit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zo\u00eb", "Zoe\u0308"),
        ("STRASSE", "straße"),
        ("\u0130pek", "ipek"),
        ("\u0130PEK", "I\u0307pek"),
        ("I\u015f\u0131l", "\u0131\u015f\u0131l"),
        ("\uff21\uff4e\uff4e", "Ann"),
        ("Ann\u200b", "ann"),
        ("\u202aAnn\u202c", "ANN"),
        ("A\u00adnn", "Ann"),
        ("\ufeffAnn", "Ann"),
        ("  Ann \u00a0 Lee\t", "ann lee"),
        ("\u2764\ufe0f", "\u2764"),
        ("ΣΟΦΟΣ", "σοφος"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    """Case, form, blanks and invisible characters make no other name."""
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("007", "7"), ("\u0410nn", "Ann"), ("Ann", "Anne"), ("AnnLee", "Ann Lee"), ("Zoe", "Zoë")],
)
def test_other_names(one: str, other: str) -> None:
    """Leading zeros, look-alike letters, accents and blanks within a name make another one."""
    assert fold(one) != fold(other)


@pytest.mark.parametrize("name", ["None", "NA", "null", "nan", "TRUE", "-"])
def test_words_that_other_tools_take_for_nothing_are_names(name: str) -> None:
    """Only what cannot be seen is blank."""
    assert fold(name) == name.casefold()


@pytest.mark.parametrize("blank", ["", "  ", "\u200b", "\u00a0", "\u3164", "\ufeff\n", "\u2800"])
def test_what_cannot_be_seen_is_blank(blank: str) -> None:
    """A name of invisible characters alone is no name."""
    assert fold(blank) == ""


def test_a_name_is_shown_as_typed() -> None:
    """Tidying keeps capitals, accents and emoji with their joiners, and drops the unseen."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert tidy(f"  Zoe\u0308 \u200b {family} \u202eX\u202c ") == f"Zoe\u0308 {family} X"
    assert tidy("\u200dAnn\u200c") == "Ann"
    assert tidy("007") == "007"


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("De\x00e", "U+0000"),
        ("A\ufffe", "U+FFFE"),
        ("A\ud83d", "U+D83D"),
        ("A\x85", "U+0085"),
        ("\U0001ffff", "U+1FFFF"),
        ("Zoë 🐷", None),
    ],
)
def test_characters_that_cannot_be_kept_are_named(text: str, bad: str | None) -> None:
    """Control characters, halves of characters and noncharacters would damage a file."""
    assert unfit(text) == bad


def test_half_a_character_is_mended() -> None:
    """Half an emoji becomes the replacement character; whole ones and the rest stay."""
    assert mended("A D \ud83d") == "A D \ufffd"
    assert mended("A \ud83d\udc37 D") == "A 🐷 D"
    assert mended("A 🐷 D") == "A 🐷 D"
    assert mended("A D") == "A D"


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    """A folded name is its own folding."""
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_tidying_keeps_the_name(text: str) -> None:
    """A name as shown is the same name as the one typed, and is tidy already."""
    assert fold(tidy(text)) == fold(text)
    assert tidy(tidy(text)) == tidy(text)


@given(st.text(), st.text())
def test_distance_is_symmetric(one: str, other: str) -> None:
    """A spelling is as far from another as the other from it, and only from itself at nought."""
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)


def test_neighbours_swapped_are_one_mistake() -> None:
    """Two letters in the wrong order count once, like a missing or a wrong letter."""
    assert distance("rulign", "ruling") == 1
    assert distance("rulling", "ruling") == 1
    assert distance("", "ann") == 3


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("Anm", "Ann"),
        ("an", "Ann"),
        ("Flora", None),
        ("Zed", None),
        ("x", None),
        ("@Dealer", None),
        ("", None),
        ("wihdraw", "withdraw"),
        ("exti", "exit"),
        ("out", None),
        ("quueue", None),
    ],
)
def test_only_a_slip_of_the_hand_is_near(text: str, near: str | None) -> None:
    """Another word is not suggested: followed, it would mean the opposite."""
    assert nearby(text, ["Ann", "Bob", "Dee", "Flo", "join", "withdraw", "exit", "leave"]) == near


def test_the_nearest_name() -> None:
    """The closest spelling is named, the first of equals; nobody among none."""
    assert nearest("Zed", ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]) == "Dee"
    assert nearest("x", ["Ann", "Bob"]) == "Ann"
    assert nearest("x", []) is None


def test_a_roster_knows_names_and_aliases() -> None:
    """An alias stands for its player; a spelling once claimed keeps its player."""
    roster = Roster()
    roster.add("Ann", "Ann")
    roster.add("ann#1", "Ann")
    roster.add("ANN", "Bob")
    assert roster.find(" ANN#1 ") == "Ann"
    assert roster.find("ann") == "Ann"
    assert roster.find("ANN") == "Bob"
    assert roster.several("aNN") == ["Ann", "Bob"]
    assert roster.several("ANN") == []
    assert roster.find("Bob") is None
    assert roster.nearest("an#1") == "ann#1"
