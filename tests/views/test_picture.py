"""The pen as a picture: everything an outline, the same file bytes on every machine."""

import hashlib
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match.faults import Unavailable, WrongUsage
from referee.views.bidi import visual_runs
from referee.views.graphemes import clusters
from referee.views.lettering import lettering
from referee.views.picture import pen_png, pen_svg, write_picture

SVG = "{http://www.w3.org/2000/svg}"
BEFORE = {"A": "Ann", "B": "Ben", "C": "Cat", "D": "food", "E": "Dan", "F": "Eve", "G": None}
AFTER = {"A": "food", "B": "Ben", "C": "Cat", "D": "Ann", "E": None, "F": "Eve", "G": "Dan"}
PIG_ARROW, FOOD_ARROW = "#b3265e", "#23702c"
BOX = "M5,0L5,72"
"""How the frame around a code point begins."""


def arrows(svg: str, colour: str) -> int:
    return svg.count(f'fill="none" stroke="{colour}"')


def test_a_picture_shows_each_token_that_moved_with_one_arrow() -> None:
    """Ann and Dan moved, and so did the food; nothing else has an arrow."""
    svg = pen_svg(AFTER, before=BEFORE)
    assert arrows(svg, PIG_ARROW) == 2
    assert arrows(svg, FOOD_ARROW) == 1
    assert "Ann moved from A to D; Dan moved from E to G</title>" in svg
    still = pen_svg(AFTER, before=AFTER)
    assert arrows(still, PIG_ARROW) + arrows(still, FOOD_ARROW) == 0
    assert still == pen_svg(AFTER)


def test_arrows_of_two_that_changed_places_lie_apart() -> None:
    """Both are seen: each is bent to its own right."""
    swapped = BEFORE | {"A": "Ben", "B": "Ann"}
    paths = re.findall(
        rf'd="(M[^"]*)" fill="none" stroke="{PIG_ARROW}"', pen_svg(swapped, before=BEFORE)
    )
    heights = [float(path.split(",")[1].split("Q")[0]) for path in paths]
    assert abs(heights[0] - heights[1]) == pytest.approx(56)


def test_an_svg_holds_outlines_and_no_text() -> None:
    """No font of the reader's machine is asked for anything."""
    # The text is our own or was checked for declarations before.
    root = ET.fromstring(pen_svg(AFTER, before=BEFORE, caption="Round 3"))  # noqa: S314
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "clipPath", "path", "rect", "g", "ellipse", "circle"}


def test_every_pig_the_food_and_an_empty_cell_are_drawn() -> None:
    """Five pigs, one bowl, nothing on the empty cell."""
    svg = pen_svg(AFTER)
    assert svg.count("translate(0 -20) scale(58)") == 5
    assert svg.count("translate(0 -8) scale(58)") == 1


def test_a_players_token_is_a_badge_unless_it_is_a_whole_text() -> None:
    """An emoji fits beside the pig; a custom emoji's code does not."""
    assert pen_svg(AFTER, tokens={"Ann": "\U0001f98a"}).count('r="36"') == 1
    assert pen_svg(AFTER, tokens={"Ann": "<:pig:111222333444555666>"}) == pen_svg(AFTER)


def test_a_png_has_the_size_of_its_svg(tmp_path: Path) -> None:
    """About a thousand pixels wide, which a phone shows sharply at a third."""
    write_picture(tmp_path / "pen.PNG", AFTER, before=BEFORE)
    content = (tmp_path / "pen.PNG").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1008, 972)
    assert len(content) < 300_000


def test_an_svg_file_holds_the_text_in_utf_8(tmp_path: Path) -> None:
    """Names stand in the title as they are, for readers who cannot see the picture."""
    write_picture(tmp_path / "pen.svg", BEFORE | {"B": "Zo\u00eb & <co>"})
    assert (tmp_path / "pen.svg").read_bytes().decode() == pen_svg(
        BEFORE | {"B": "Zo\u00eb & <co>"}
    )
    assert "B: Zo\u00eb &amp; &lt;co&gt;," in (tmp_path / "pen.svg").read_text(encoding="utf-8")


def test_another_ending_or_an_unwritable_place_is_said_plainly(tmp_path: Path) -> None:
    """The message names what would do."""
    with pytest.raises(WrongUsage, match=r'must end in \.png or \.svg, not "pen\.jpg"'):
        write_picture(tmp_path / "pen.jpg", AFTER)
    with pytest.raises(Unavailable, match=r"cannot be written: the folder .*nowhere is not there"):
        write_picture(tmp_path / "nowhere" / "pen.svg", AFTER)
    assert list(tmp_path.iterdir()) == []


def test_the_same_pen_gives_the_same_bytes_under_any_language_and_hash_seed() -> None:
    """Neither the machine's language, nor its fonts, nor chance have a say."""
    script = (
        "import hashlib\n"
        "from referee.views.picture import pen_png, pen_svg\n"
        "names = ['Zo\\u00eb \\u4e2d\\u6587', 'food', '\\u0639\\u0645\\u0631']\n"
        "svg = pen_svg(dict(zip('ADE', names)))\n"
        "print(hashlib.sha256(svg.encode() + pen_png(svg)).hexdigest())\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"LANG": language, "LC_ALL": language, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for language, seed in (("C", "0"), ("ja_JP.UTF-8", "1"), ("tr_TR.UTF-8", "2"))
    }
    svg = pen_svg({"A": "Zo\u00eb \u4e2d\u6587", "D": "food", "E": "\u0639\u0645\u0631"})
    assert seen == {hashlib.sha256(svg.encode() + pen_png(svg)).hexdigest() + "\n"}


@given(
    st.dictionaries(st.sampled_from("ABCDEFG"), st.text(max_size=200) | st.none()),
    st.dictionaries(st.sampled_from("ABCDEFG"), st.text(max_size=40) | st.none()),
    st.text(max_size=200),
)
@settings(max_examples=60, deadline=None)
def test_any_names_can_be_drawn(
    pen: dict[str, str | None], before: dict[str, str | None], caption: str
) -> None:
    """Whatever is typed gives a well-formed document."""
    tokens = {name: name[:2] for name in pen.values() if name}
    svg = pen_svg(pen, before=before, tokens=tokens, caption=caption)
    # The text is our own or was checked for declarations before.
    assert ET.fromstring(svg).tag == f"{SVG}svg"  # noqa: S314


def test_a_picture_of_the_strangest_names_can_be_turned_into_a_png() -> None:
    """Missing characters, half emoji, piled-up accents and endless names are no obstacle."""
    names = ["\U00013000\ufffe\ud83d", "a" + "\u0301" * 500, "x" * 60_000, "\u200b", "a b " * 9_000]
    svg = pen_svg(dict(zip("ABCEF", names, strict=True)), caption="\U00013000" * 500)
    assert pen_png(svg).startswith(b"\x89PNG")
    assert len(svg) < 2_000_000


def test_a_name_too_long_for_one_line_takes_two_and_then_a_mark() -> None:
    """A phone shows letters of a third of this size, so they shrink only a little."""
    one = pen_svg({"A": "Bartholomew"})
    two = pen_svg({"A": "Bartholomew Christo"})
    cut = pen_svg({"A": "Bartholomew Christopher the third"})
    ellipsis = lettering("…").outlines[0].path
    glyphs = [svg.count("<path") for svg in (one, two, cut)]
    assert glyphs[0] < glyphs[1]
    assert ellipsis not in one + two
    assert ellipsis in cut


@pytest.mark.parametrize(
    "name",
    [
        "Zo\u00eb \u0141\u00f3d\u017a",
        "\u042e\u0440\u0456\u0439",
        "\u0395\u03bb\u03ad\u03bd\u03b7",
        "\u0531\u0580\u0561",
        "\u10d0\u10dc\u10d0",
        "\u05d3\u05d5\u05d3",
        "\u0639\u0645\u0631",
        "\u0928\u092e\u0938\u094d\u0924\u0947",
        "\u09ac\u09be\u0982\u09b2\u09be",
        "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd",
        "\u0e44\u0e17\u0e22",
        "\u0e9e\u0eb2",
        "\u1781\u17d2\u1798\u17c2\u179a",
        "\u1019\u103c\u1014\u103a",
        "\u1260\u12a8",
        "\u4e2d\u6587",
        "\u3072\u3089\u30ab\u30ca",
        "\ud55c\uad6d\uc5b4",
        "\u1112\u1161\u11ab",
        "\uff21\uff4e\uff4e",
        "\U0001d4d0\U0001d4f7\U0001d4f7",
        "\u2605\u2665\u265b\u2728",
        "\U0001f437",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f44d\U0001f3fd",
        "\U0001f1ec\U0001f1e7",
        "1\ufe0f\u20e3",
        "\u2764\ufe0f",
        "\u16a8\u16be\u16be",
        "\u13a0\u13c2",
        "\u0f56\u0f7c\u0f51",
        "@#$%&*<>\"'\\/|~`^",
    ],
)
def test_names_in_living_scripts_and_emoji_have_their_letters(name: str) -> None:
    """The shipped fonts hold them: no box, and something to see."""
    set_line = lettering(name)
    assert set_line.outlines
    assert not any(outline.path.startswith(BOX) for outline in set_line.outlines)
    assert 0 < set_line.width < 12


def test_a_character_in_no_font_is_a_box_with_its_code_point() -> None:
    """Four or five digits tell which it is, and two such names differ."""
    box = lettering("\U00013000")
    digits = [lettering(digit).outlines[0].path for digit in "13000"]
    assert box.outlines[0].path.startswith(BOX)
    assert [outline.path for outline in box.outlines[1:]] == digits
    assert lettering("\U00013001") != box


def test_an_emoji_of_several_parts_is_one_drawing() -> None:
    """A family, a flag and a skin tone are shaped, not spelt."""
    for name in (
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1ec\U0001f1e7",
        "\U0001f44d\U0001f3fd",
    ):
        assert lettering(name).width == lettering("\U0001f437").width


def test_arabic_letters_are_joined() -> None:
    """In a word they have other shapes than alone."""
    word = {outline.path for outline in lettering("\u0639\u0645\u0631").outlines}
    assert lettering("\u0639").outlines[0].path not in word


def test_composed_and_decomposed_names_look_alike() -> None:
    """The same name from two keyboards gives the same picture."""
    assert lettering("Zoe\u0308") == lettering("Zo\u00eb")


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Ann", [("Ann", False)]),
        ("\u05d0\u05d1", [("\u05d0\u05d1", True)]),
        ("Al \u05d0\u05d1", [("Al ", False), ("\u05d0\u05d1", True)]),
        ("\u05d0\u05d1 Al", [("Al", False), ("\u05d0\u05d1 ", True)]),
        ("\u05d0 \u05d1", [("\u05d0 \u05d1", True)]),
        ("\u05d0 12", [("12", False), ("\u05d0 ", True)]),
        ("12 \u05d0", [(" \u05d0", True), ("12", False)]),
        (
            "a \u05d0 1 \u05d1 b",
            [("a ", False), (" \u05d1", True), ("1", False), ("\u05d0 ", True), (" b", False)],
        ),
        ("12-3 \u05d0", [(" \u05d0", True), ("12-3", False)]),
        ("\u05d0 +5%", [("5%", False), ("\u05d0 +", True)]),
        ("\u05d0\u200d2", [("2", False), ("\u05d0\u200d", True)]),
        ("\u05d0!", [("\u05d0!", True)]),
        ("", []),
    ],
)
def test_right_to_left_names_are_drawn_in_their_direction(
    text: str, drawn: list[tuple[str, bool]]
) -> None:
    """Runs come from left to right as they are seen; numbers keep their own order."""
    assert [tuple(run) for run in visual_runs(text)] == drawn


@given(st.text(max_size=40))
def test_nothing_of_a_name_is_lost_on_its_way_to_the_picture(text: str) -> None:
    """Clusters and runs only cut and reorder."""
    assert "".join(clusters(text)) == text
    assert sorted("".join(run.text for run in visual_runs(text))) == sorted(text)


def test_a_name_of_two_lines_leaves_room_for_the_token_and_no_arrow_hides_a_letter() -> None:
    """The badge moves up; a cell's letter has a halo, as names have."""
    badge = re.compile(r'<circle cx="78" cy="(-?[0-9]+)" r="36"')
    names = BEFORE | {"A": "Bartholomew the Great"}
    svg = pen_svg(names, before=names, tokens={name: "A" for name in names.values() if name})
    assert sorted(map(int, badge.findall(svg))) == [-12, 14, 14, 14, 14]
    letters = pen_svg(dict.fromkeys("ABCDEFG"))
    assert letters.count('stroke-linejoin="round"><path') == 7
