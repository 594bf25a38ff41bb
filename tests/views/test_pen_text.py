"""The pen drawn as text: hexagons that line up whatever the players are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from referee.views.hexagons import Move, moves
from referee.views.pen_text import PHONE_COLUMNS, TERMINAL_COLUMNS, draw_pen, steady

NAMES = {"A": "Ann", "B": "Ben", "C": "Cat", "D": "food", "E": "Dan", "F": "Eve", "G": None}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ISOLATES = str.maketrans("", "", "\u2068\u2069")


def pen(**changed: str | None) -> dict[str, str | None]:
    return NAMES | changed


def test_a_phone_gets_the_pen_in_31_columns() -> None:
    """The seven cells stand as R1.1 has them, the food among them and an empty cell left blank."""
    assert draw_pen(NAMES, columns=PHONE_COLUMNS).split("\n") == [
        "      __.-'-.__ __.-'-.__",
        "     |    A    |    B    |",
        "     |   Ann   |   Ben   |",
        " __.-'-.__ __.-'-.__ __.-'-.__",
        "|    C    |    D    |    E    |",
        "|   Cat   |  food   |   Dan   |",
        "'-.__ __.-'-.__ __.-'-.__ __.-'",
        "     |    F    |    G    |",
        "     |   Eve   |         |",
        "     '-.__ __.-'-.__ __.-'",
    ]


def test_a_terminal_gets_tokens_and_a_star_for_what_moved() -> None:
    """Tokens stand below the names; what moved is starred, and the star explained."""
    drawn = draw_pen(NAMES, {"Ann": "\U0001f437", "food": "\U0001f33d"}, ["Ann", "food"])
    assert drawn.split("\n") == [
        "             _.-'-._         _.-'-._",
        "         _.-'  A *  '-._ _.-'   B   '-._",
        "        |      Ann      |      Ben      |",
        "        |      \U0001f437       |               |",
        "     _.-'-._         _.-'-._         _.-'-._",
        " _.-'   C   '-._ _.-'  D *  '-._ _.-'   E   '-._",
        "|      Cat      |     food      |      Dan      |",
        "|               |      \U0001f33d       |               |",
        "'-._         _.-'-._         _.-'-._         _.-'",
        "    '-._ _.-'   F   '-._ _.-'   G   '-._ _.-'",
        "        |      Eve      |               |",
        "        |               |               |",
        "        '-._         _.-'-._         _.-'",
        "            '-._ _.-'       '-._ _.-'",
        "*  moved since the round before",
    ]


def test_a_row_for_tokens_is_only_there_when_somebody_has_one() -> None:
    """Players without tokens cost the drawing no blank rows."""
    assert draw_pen(NAMES, {"Ann": ""}) == draw_pen(NAMES)


def test_a_long_name_takes_the_widest_hexagons_before_it_is_cut() -> None:
    """The drawing grows to 73 columns first, and shortens only beyond that."""
    drawn = draw_pen(pen(A="Bartholomew the Third"))
    assert "Bartholomew the Third " in drawn
    assert max(map(len, drawn.split("\n"))) == 73


def test_a_name_too_long_is_cut_with_a_mark_and_told_in_full_below() -> None:
    """Nobody is left guessing which of two long names stands where."""
    name = "Bartholomew Christopher"
    drawn = draw_pen(pen(A=f"{name} the third", B=f"{name} the fourth"))
    assert f"{name[:20]}… " in drawn
    assert drawn.split("\n")[-2:] == [f"A  {name} the third", f"B  {name} the fourth"]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("中文", " 中文 "),
        ("Zoe\u0308", " Zo\u00eb "),
        ("007", " 007 "),
        (FAMILY, "\U0001f468 "),
        ("\U0001f1ec\U0001f1e7 Al", " GB Al "),
        ("\u2764\ufe0f", " \u2764 "),
        ("\U0001f44d\U0001f3fd", " \U0001f44d "),
        ("a\u200bb", " ab "),
        ("\u0301", "|               |"),
    ],
)
def test_what_terminals_disagree_about_is_simplified_inside_the_hexagon(
    name: str, label: str
) -> None:
    """Families, flags and skin tones take a different width in every terminal."""
    assert label in draw_pen(pen(A=name))


def test_a_simplified_name_stands_in_full_below() -> None:
    """At a line's end no width can do harm."""
    assert draw_pen(pen(E=FAMILY)).split("\n")[-1] == f"E  {FAMILY}"
    composed = draw_pen(pen(F="Zoe\u0308"))
    assert composed.split("\n")[-1].startswith(" ")


def test_names_from_right_to_left_stay_in_their_own_cells() -> None:
    """Two Arabic names side by side would be shown in each other's cells if not isolated."""
    drawn = draw_pen(pen(A="\u0639\u0645\u0631", B="\u0633\u0627\u0631\u0629"))
    assert "\u2068\u0639\u0645\u0631\u2069" in drawn
    assert drawn.index("\u0639\u0645\u0631") < drawn.index("\u0633\u0627\u0631\u0629")
    assert "\u202e" not in draw_pen(pen(A="\u202eevil"))


def test_a_name_cannot_steer_the_terminal() -> None:
    """Line ends and control characters are shown as what they are: no characters."""
    drawn = draw_pen(pen(A="a\x1b[31m\nb\u2028\ud83d\ufffe"))
    assert "a\ufffd[31m\ufffdb\ufffd\ufffd\ufffd" in drawn
    assert len(drawn.split("\n")) == len(draw_pen(NAMES).split("\n"))


def test_an_encoding_without_a_names_letters_still_gets_a_drawing() -> None:
    """Each column that cannot be shown is a question mark, and the walls stay where they were."""
    drawn = draw_pen(pen(A="\u4e2d\u6587", B="x" * 99), columns=PHONE_COLUMNS, encoding="ascii")
    assert drawn.isascii()
    assert "|  ????   |" in drawn
    assert "| xxxx... |" in drawn


@given(
    st.dictionaries(st.sampled_from("ABCDEFG"), st.text(max_size=40) | st.none()),
    st.sampled_from([PHONE_COLUMNS, 50, TERMINAL_COLUMNS]),
)
def test_walls_line_up_whatever_the_players_are_called(
    names: dict[str, str | None], columns: int
) -> None:
    """Every row ends in the same column as with an empty pen of that size."""
    drawn = draw_pen(names, columns=columns, legend=False).translate(ISOLATES).split("\n")
    lengths = [cell_len(row) for row in drawn]
    assert max(lengths) <= columns
    for row, width in zip(drawn, lengths, strict=True):
        # Slopes and walls are mirrored, so a row's blanks at its left tell where it ends.
        left = len(row) - len(row.lstrip(" "))
        assert width == max(lengths) - left, row


def test_moves_compare_two_pens_and_nothing_else() -> None:
    """A token swapped away and back did not move; one swapped twice moved once (R6.5)."""
    after = pen(A="food", D="Ann", E=None, G="Dan")
    assert moves(NAMES, after) == (
        Move("food", "D", "A"),
        Move("Ann", "A", "D"),
        Move("Dan", "E", "G"),
    )
    assert moves(NAMES, NAMES) == ()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u06005", "5"),
        ("\u200d\u0301", ""),
        ("\u1112\u1161\u11ab", "\ud55c"),
        ("\u0e01\u0e33", "\u0e01\u0e33"),
    ],
    ids=ascii,
)
def test_what_shows_nothing_takes_no_letter_with_it(name: str, shown: str) -> None:
    """One seen character may begin with such a sign, or hold two letters."""
    assert steady(name) == shown
