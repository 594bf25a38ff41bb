"""What a submission says: every way of writing a swap, and nothing that only looks like one."""

import time
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.rules.messages import read_message

SPOTS = {
    "A": (0, -1),
    "B": (1, -1),
    "C": (-1, 0),
    "D": (0, 0),
    "E": (1, 0),
    "F": (-1, 1),
    "G": (0, 1),
}
"""The cells' places on the hexagonal grid, in axial coordinates."""
STEPS = {(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}


def touch(one: str, other: str) -> bool:
    (q, r), (s, t) = SPOTS[one], SPOTS[other]
    return (s - q, t - r) in STEPS


@pytest.mark.parametrize("pair", ["".join(pair) for pair in product(SPOTS, SPOTS)])
def test_which_cells_touch(pair: str) -> None:
    """A swap is valid exactly if its cells are neighbours on the hexagonal grid (R1.1)."""
    reading = read_message(" ".join(pair))
    assert reading.kind == ("swap" if touch(*pair) else "invalid")
    assert reading.swap == ("".join(sorted(pair)) if touch(*pair) else "")


@pytest.mark.parametrize(
    "message",
    [
        "A D",
        "a d",
        "D A",
        "ad",
        "AD",
        "A-D",
        "a/d",
        "A, D",
        "A,D",
        "A & D",
        "A+D",
        "A<->D",
        "A <-> D",
        "A->D",
        "A↔D",
        "A ↔️ D",
        "A → D",
        "A to D",
        "A with D",
        "A AND D",
        "swap A and D",
        "swap ad",
        "SWITCH a with d",
        "switch ad",
        "Swap cells A & D please",
        "please swap A D",
        "please swap ad",
        "I'd like to swap A and D",
        "I’d like to swap A and D",
        "I want to swap A and D",
        "my swap is A D",
        "Swap: A D",
        "swap : A D",
        "Final: A D",
        "A D.",
        "A D!",
        "A D please!",
        "**A** and **D**",
        "*A* _D_",
        "__A D__",
        "***A D***",
        "||A D||",
        "||**A** D||",
        "`A D`",
        "``A D``",
        "```\nA D\n```",
        "Ａ Ｄ",
        "ａｄ",
        "ｓｗａｐ Ａ ａｎｄ Ｄ",
        "🇦 🇩",
        "🇦🇩",
        "@Dealer A D",
        "@dealer ad",
        "A D @DEALER",
        "@Dealer\nA D",
        "<@111222333444555666> A D",
        "<@!111222333444555666> A D",
        "<@&111222333444555666> swap A and D please! @Dealer",
        "A D <@&111222333444555666>",
        "**@Dealer** A D",
        "  A\t D  ",
        "A\u00a0D",
        "A\u3000D",
        "A\nD",
        "\u2003A\u2003D\u2003",
    ],
)
def test_ways_to_write_a_swap(message: str) -> None:
    """Whatever is certainly a swap of A and D is read as one (R5.3)."""
    reading = read_message(message)
    assert (reading.kind, reading.swap) == ("swap", "AD")


@pytest.mark.parametrize(
    "message",
    [
        "",
        " ",
        "A",
        "AA D",
        "A D E",
        "ADE",
        "A D, D E",
        "A D or D E",
        "A D and D E",
        "swap a pig with D",
        "swap A",
        "swap A and",
        "swap and D",
        "bad",
        "dad",
        "ok",
        "ah",
        "xy",
        "I will be there",
        "an ad for you",
        "be quick",
        "my swap is ad",
        "Final: ad",
        "Swap: ad",
        "swap cells ad",
        "can I swap A and D?",
        "A D?",
        "not A D",
        "do not swap A D",
        "A D!!",
        "A D..",
        "A D.!",
        "please A D",
        "~~A D~~",
        "~~A~~ D",
        "**~~A D~~**",
        "1 4",
        "A 4",
        "A D 2",
        "A–D",
        "A=>D",
        "A <- D",
        "A and with D",
        "A toD",
        "A_D",
        "A|D",
        "A\\D",
        "**A D",
        "A D**",
        "> A D",
        "# A D",
        "А D",
        "A\u200bD",
        "A \u200bD",
        "Ä D",
        "Ⓐ D",
        "a\u0301 D",
        "@DealerA D",
        "@Dealers A D",
        "@deleted-role A D",
        "<#111222333444555666> A D",
        "<@abc> A D",
        "@Dealer @Dealer A D",
        "A D @Dealer.",
        "@Dealer",
        "aſ",
        "pass or A D",
        "passing",
        "no swaps",
        "final pass",
        "~~pass~~",
        "pass!!",
        ":regional_indicator_a: :regional_indicator_d:",
    ],
)
def test_what_is_not_certainly_a_swap(message: str) -> None:
    """What might mean something else, or nothing, is neither swap nor pass (R5.3)."""
    reading = read_message(message)
    assert (reading.kind, reading.swap) == ("unreadable", "")
    assert reading.why


@pytest.mark.parametrize(
    "message",
    [
        *("pass", "Pass", "PASS.", "cancel", "cancel!", "none", "no swap", "No  Swap", "no\nswap"),
        *("**pass**", "||none||", "`cancel`", "@Dealer pass", "pass @Dealer", "<@&12> no swap ! "),
        *("ｐａｓｓ", "_pass_."),
    ],
)
def test_ways_to_take_a_swap_back(message: str) -> None:
    """A pass may have mentions, a closing mark and mark-up, like a swap (R5.3)."""
    assert read_message(message).kind == "pass"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("A A", "it names cell A twice"),
        ("dd", "it names cell D twice"),
        ("swap C and E!", "cells C and E do not touch"),
        ("ce", "cells C and E do not touch"),
        ("G a", "cells A and G do not touch"),
        ("A H", "there is no cell H"),
        ("x y", "there is no cell X"),
        ("I a", "there is no cell I"),
        ("swap Z with z", "there is no cell Z"),
    ],
)
def test_invalid_is_not_unreadable(message: str, why: str) -> None:
    """Two letters that are no possible swap were understood, and the notice says why not (R5.2)."""
    reading = read_message(message)
    assert (reading.kind, reading.swap, reading.why) == ("invalid", "", why)


@pytest.mark.parametrize(
    ("letter", "alike"),
    [
        *zip("АВСЕаесԁԌ", "ABCEaecdG", strict=True),
        *zip("ΑΒΕαϹϜ", "ABEaCF", strict=True),
    ],
)
def test_letters_of_other_alphabets(letter: str, alike: str) -> None:
    """A Cyrillic or Greek look-alike is not read, and called by its number (R5.3)."""
    reading = read_message(f"{letter} D")
    assert reading.kind == "unreadable"
    assert reading.why == f'"{letter}" is not the letter {alike} (U+{ord(letter):04X})'


MENTIONS = ("", "@Dealer", "@dealer", "<@42>", "<@!42>", "<@&42>")
LEAD_INS = (
    *("", "swap", "Swap", "switch", "swap cells", "please swap", "I'd like to swap"),
    *("I want to swap", "my swap is", "Swap:", "Final:"),
)
SEPARATORS = (
    " ",
    "-",
    " - ",
    "/",
    ", ",
    " & ",
    "+",
    "<->",
    "->",
    " ↔ ",
    "→",
    " and ",
    " TO ",
    " with ",
)
MARKUP = ("{}", "**{}**", "||{}||", "`{}`", "*{}*", "__{}__")
CASES: tuple[Callable[[str], str], ...] = (str, str.lower, str.upper)
BLANKS = (" ", "  ", "\t", "\u3000", "\n")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], str]:
    """The words of a message made of R5.3's parts, and the pair that it names."""
    pick = st.sampled_from
    one, other = draw(pick([pair for pair in product(SPOTS, SPOTS) if touch(*pair)]))
    first, last = draw(pick(MARKUP)).format(one), draw(pick(MARKUP)).format(other)
    pair = f"{first}{draw(pick(SEPARATORS))}{last}"
    lead_in = draw(pick(LEAD_INS))
    please = "" if lead_in.startswith("please") else draw(pick(("", "please")))
    parts = [draw(pick(MENTIONS)), lead_in, pair, please]
    words = " ".join(part for part in parts if part).split(" ")
    words[-1] += draw(pick(("", ".", "!")))
    closing = draw(pick(MENTIONS))
    cased = draw(pick(CASES))
    return [cased(word) for word in (*words, closing) if word], "".join(sorted(one + other))


@given(sentences(), st.sampled_from(BLANKS), st.sampled_from(MARKUP[:4]))
def test_the_parts_combine(sentence: tuple[list[str], str], blank: str, markup: str) -> None:
    """Mention, lead-in, pair, please, mark and mention, each at most once: a swap (R5.3)."""
    words, pair = sentence
    whole = blank.join(words)
    # The same mark-up within itself closes where it should open.
    marked = whole if markup[0] in whole else markup.format(whole)
    reading = read_message(f" {marked} ")
    assert (reading.kind, reading.swap) == ("swap", pair)


@given(sentences(), st.data())
def test_another_word_and_it_is_no_swap(
    sentence: tuple[list[str], str], data: st.DataObject
) -> None:
    """A word or letter more, wherever it stands, makes the message uncertain (R5.3)."""
    words, _ = sentence
    word = data.draw(
        st.sampled_from(("E", "x", "the", "not", "or", "pig", "7", "?", "pass", "@Bob"))
    )
    place = data.draw(st.integers(0, len(words)))
    assert read_message(" ".join([*words[:place], word, *words[place:]])).kind == "unreadable"


@given(sentences(), st.data())
def test_another_letter_and_it_is_no_swap(
    sentence: tuple[list[str], str], data: st.DataObject
) -> None:
    """A letter typed into any word makes it another word, which is not read (R5.3)."""
    words, _ = sentence
    place = data.draw(st.integers(0, len(words) - 1))
    word = words[place]
    assume(word[-1:].isalpha())
    longer = word + data.draw(st.sampled_from("qzäж5"))
    reading = read_message(" ".join([*words[:place], longer, *words[place + 1 :]]))
    assert reading.kind == "unreadable"


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """Whatever a player types has a reading, and only a swap names cells."""
    reading = read_message(text)
    assert (reading.kind == "swap") == bool(reading.swap)
    assert (reading.kind in ("invalid", "unreadable")) == bool(reading.why)


@pytest.mark.parametrize(
    "wall",
    [
        *("A D" + "x" * 60_000, "A D" + " " * 60_000 + "x", "`*_|" * 15_000, "* " * 30_000),
        *(
            "*" * 400,
            "_*" * 200,
            "**a" * 130,
            "|| " * 130,
            "A " * 200,
            "swap " * 80,
            "<@" + "1" * 380,
        ),
    ],
    ids=lambda wall: f"{wall[:9]!r} {len(wall)}",
)
def test_a_wall_of_text_is_soon_read(wall: str) -> None:
    """Nothing anybody pastes keeps the referee busy."""
    began = time.perf_counter()
    assert read_message(wall).kind == "unreadable"
    assert time.perf_counter() - began < 2


def test_blanks_around_a_swap_do_not_make_it_a_wall() -> None:
    """However many blanks stand around and between, a swap is a swap (R5.3)."""
    reading = read_message(" " * 3000 + "A" + "\n" * 3000 + "D" + "\t" * 3000)
    assert (reading.kind, reading.swap) == ("swap", "AD")
