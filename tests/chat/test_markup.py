"""Discord's mark-up: names shown as typed, nobody pinged by them, messages short enough."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.chat.markup import (
    MESSAGE_LIMIT,
    code_block,
    escape_name,
    escape_token,
    length,
    mention,
    split_messages,
    timestamp,
)
from referee.match.faults import WrongUsage

BREAK = "\u200b"
ACTING = re.compile(
    # Each alternative is something that Discord, or its input box, would act upon.
    r"@everyone|@here|@[A-Za-z]|#[A-Za-z0-9]|<[@#:ta/i]|https?://|discord\.gg/|:[A-Za-z0-9_+-]+:"
    r"|:[()DPpO]|<3|(?m:^(?:#{1,3}|-#|[-*+]|[0-9]+\.|>{1,3}) )|(?m:^/)"
)
UNESCAPED = re.compile(r"(?<!\\)(?:\\\\)*[*_~|>`\[\]()]")
TYPED = st.text(alphabet="@<>#:&!/*_~|`\\[]()-+.=1 aeehinorrtvy\u0639\U0001f437", max_size=60)


def as_shown(text: str) -> str:
    """What a reader sees of a posted text without any mark-up in effect."""
    unescaped = re.sub(r"\\([^0-9A-Za-z\s])", r"\1", text)
    return unescaped.translate(str.maketrans("", "", "\u200b\u2068\u2069"))


@pytest.mark.parametrize(
    "name",
    [
        "```@everyone",
        "**Bob**",
        "<@&111222333444555666>",
        "<@111222333444555666>",
        "<@!111222333444555666>",
        "<#111222333444555666>",
        "||x||",
        "http://x.example",
        "discord.gg/abc",
        "[x](https://y.example)",
        "# Ann",
        "-# Ann",
        "- Ann",
        "* Ann",
        "1. Ann",
        "> Ann",
        ">>> Ann",
        ":pig:",
        "<a:pig:111222333444555666>",
        "<t:1764450307:R>",
        "</resolve:111222333444555666>",
        "/nick",
        "@Dealer",
        "#general",
        "snake_case_name",
        "~~Ann~~",
        "C:\\Ann\\",
        "007",
        "<3 :)",
    ],
)
def test_a_name_is_shown_as_typed_and_does_nothing(name: str) -> None:
    """Mark-up, mentions, links, emoji codes and commands in a name are just its letters (C076)."""
    escaped = escape_name(name)
    assert as_shown(escaped) == name
    assert not ACTING.search(escaped)
    assert not UNESCAPED.search(escaped)


@given(TYPED)
def test_any_name_is_shown_as_typed_and_does_nothing(name: str) -> None:
    """The same for whatever can be made of the characters that act."""
    escaped = escape_name(name)
    assert as_shown(escaped) == name
    assert not ACTING.search(escaped)
    assert not UNESCAPED.search(escaped)


def test_plain_names_stay_as_they_are() -> None:
    """Nothing is added to what cannot act."""
    assert escape_name("Zo\u00eb \u4e2d\u6587 \U0001f437") == "Zo\u00eb \u4e2d\u6587 \U0001f437"


def test_a_name_takes_one_line_and_keeps_its_direction_to_itself() -> None:
    """Line ends and half emoji become U+FFFD; a right-to-left name turns nothing around it."""
    assert escape_name("a\nb\u2028\ud83d") == "a\ufffdb\ufffd\ufffd"
    assert escape_name("\u0639\u0645\u0631") == "\u2068\u0639\u0645\u0631\u2069"
    assert escape_name("\u202eevil") == "evil"


def test_an_endless_name_is_cut_with_a_mark() -> None:
    """A line with six names still fits a message, whatever they are made of."""
    assert escape_name("x" * 60_000) == "x" * 99 + "…"
    assert length(escape_name("a" + "\u0301" * 60_000)) <= 100
    assert escape_name("\U0001f437" * 60).count("\U0001f437") == 49


def test_a_servers_own_emoji_may_be_a_token() -> None:
    """A token may be a custom emoji; anything else in its place is defused like a name."""
    assert escape_token("<:pig:111222333444555666>") == "<:pig:111222333444555666>"
    assert as_shown(escape_token("<@111222333444555666>")) == "<@111222333444555666>"
    assert not ACTING.search(escape_token("<@111222333444555666>"))


@given(TYPED)
def test_nothing_in_a_code_block_closes_it(text: str) -> None:
    """Between its fences no fence is left, and nothing that pings (C076)."""
    block = code_block(text)
    inner = block.removeprefix("```\n").removesuffix("\n```")
    assert len(block) == len(inner) + 8
    assert "``" not in inner
    assert not re.search(r"@everyone|@here|<@", inner)
    assert inner.replace(BREAK, "") == text


@pytest.mark.parametrize(
    ("asked", "posted"),
    [
        ("111222333444555666", "<@&111222333444555666>"),
        (" <@&111222333444555666> ", "<@&111222333444555666>"),
        ("<@111222333444555666>", "<@111222333444555666>"),
        ("@everyone", "@everyone"),
        ("@here", "@here"),
    ],
)
def test_a_mention_the_host_asks_for_works(asked: str, posted: str) -> None:
    """A role's id is enough; the forms Discord knows are taken as they are."""
    assert mention(asked) == posted


@pytest.mark.parametrize("asked", ["", "@Players", "Players", "<@&12>", "<#111222333444555666>"])
def test_a_mention_that_would_ping_nobody_is_refused(asked: str) -> None:
    """Better no post than one that the players do not notice."""
    with pytest.raises(WrongUsage, match="is not a mention; give a role's id"):
        mention(asked)


def test_a_timestamp_is_in_whole_seconds() -> None:
    """Instants are milliseconds; Discord's stamps are seconds."""
    assert timestamp(1_764_450_307_999) == "<t:1764450307:T>"
    assert timestamp(1_764_450_307_000, "R") == "<t:1764450307:R>"


def test_length_is_counted_the_strictest_way() -> None:
    """An emoji beyond the basic plane counts twice, as in Discord's own input box."""
    assert length("a\u4e2d\U0001f437") == 4


def test_messages_are_split_at_line_ends() -> None:
    """Blocks share a message while they fit, and are kept whole."""
    assert split_messages(["a" * 4, "b" * 5, "c" * 10, "d\nd"], limit=10) == [
        "aaaa\nbbbbb",
        "cccccccccc",
        "d\nd",
    ]


def test_a_line_too_long_is_split_at_a_blank_then_between_characters() -> None:
    """No escape and no emoji is taken apart."""
    assert split_messages(["one two three"], limit=8) == ["one two", "three"]
    assert split_messages(["\\*" * 4], limit=5) == ["\\*\\*", "\\*\\*"]
    assert split_messages(["\U0001f437\U0001f437"], limit=3) == ["\U0001f437", "\U0001f437"]
    endless = "a" + "\u0301" * 9
    assert "".join(split_messages([endless], limit=4)) == endless


@given(st.lists(st.text(max_size=300), max_size=20), st.integers(40, MESSAGE_LIMIT))
def test_messages_lose_nothing_and_keep_the_limit(blocks: list[str], limit: int) -> None:
    """Joined again they give the text, but for blanks where a line had to be split."""
    messages = split_messages(blocks, limit)
    assert all(0 < length(message) <= limit for message in messages)
    kept = "".join("\n".join(blocks).split())
    assert "".join("".join(messages).split()) == kept


@given(st.lists(st.text(alphabet="ab", max_size=9), min_size=1))
def test_lines_that_fit_are_never_split(lines: list[str]) -> None:
    """Every line is a line of some message."""
    assume(any(lines))
    posted = [line for message in split_messages(lines, 20) for line in message.split("\n")]
    assert [line for line in posted if line] == [line for line in lines if line]
