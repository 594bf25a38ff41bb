"""Posting to a webhook: once, in order, noted in the sheet, and true about what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.chat.posting import Announcement, Channel, Posted
from referee.chat.posts import Post, Posts, read_posts
from referee.chat.webhook import Unanswered, Webhook, webhook_address
from referee.match.faults import Stopped, Unavailable, WrongUsage
from referee.stores.xlsx.store import XlsxStore
from tests.support.cli import b0, write_book
from tests.support.discord import FIRST_ID, TOKEN, Discord, Planned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = 1_772_410_000_000
TWO = Announcement(3, ["## Round 3 is over", "and more"], {"pen.png": b"\x89PNG"}, NOW - 60_000)


@pytest.fixture
def discord() -> Iterator[Discord]:
    with Discord() as server, server.led():
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_book(tmp_path / "match.xlsx", b0())


class Told:
    """What a posting waited for."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pauses: list[float] = []


def channel(path: Path, discord: Discord, told: Told | None = None) -> Channel:
    told = told or Told()
    webhook = Webhook(discord.address, told.lines.append, told.pauses.append)
    return Channel(XlsxStore(path), "Posts", webhook, lambda: NOW)


def posts(path: Path) -> Posts:
    rows = {tab.title: tab.rows for tab in XlsxStore(path).read().tabs}
    return read_posts({"Posts": rows.get("Posts", [])})  # type: ignore[dict-item]  # read as text


def post(path: Path, discord: Discord, what: Announcement = TWO, **options: Any) -> Posted:
    return channel(path, discord).post(posts(path), what, **options)


def texts(discord: Discord) -> list[str]:
    return [message.text for message in discord.channel]


def test_parts_are_posted_in_order_with_the_picture_and_noted(path: Path, discord: Discord) -> None:
    posted = post(path, discord)
    assert (posted.new, posted.text) == ((1, 2), "posted round 3 in 2 parts")
    assert [(m.text, m.files) for m in discord.channel] == [
        ("## Round 3 is over", {"pen.png": b"\x89PNG"}),
        ("and more", {}),
    ]
    assert posts(path).rows == (
        Post(3, 1, str(FIRST_ID), NOW, 2),
        Post(3, 2, str(FIRST_ID + 1), NOW, 3),
    )


def test_what_is_posted_is_not_posted_again(path: Path, discord: Discord) -> None:
    post(path, discord)
    assert post(path, discord).text == "round 3 is posted already; nothing was posted again"
    assert len(discord.channel) == 2


def test_a_corrected_round_follows_up(path: Path, discord: Discord) -> None:
    """A round that was resolved anew after it was posted is posted anew, once."""
    post(path, discord)
    corrected = Announcement(3, ["corrected"], {}, NOW + 1)
    late = Channel(XlsxStore(path), "Posts", channel(path, discord).webhook, lambda: NOW + 60_000)
    assert late.post(posts(path), corrected).text == "posted the correction of round 3"
    assert post(path, discord, corrected).new == ()
    assert texts(discord) == ["## Round 3 is over", "and more", "corrected"]


def test_clocks_that_disagree_make_no_correction(path: Path, discord: Discord) -> None:
    """Whoever resolved has a clock an hour ahead of whoever posts."""
    ahead = Announcement(3, ["text"], {}, NOW + 3_600_000)
    post(path, discord, ahead)
    assert post(path, discord, ahead).new == ()


def test_nobody_is_mentioned_but_who_is_asked_for(path: Path, discord: Discord) -> None:
    post(path, discord, Announcement(1, ["@everyone <@&1>"], {}, None))
    post(path, discord, Announcement(2, ["<@&7>"], {}, None, ping="<@&7>"))
    post(path, discord, Announcement(3, ["@here"], {}, None, ping="@here"))
    assert [message.allowed_mentions for message in discord.channel] == [
        {"parse": []},
        {"parse": [], "roles": ["7"]},
        {"parse": ["everyone"]},
    ]


def test_a_rate_limit_is_waited_for(path: Path, discord: Discord) -> None:
    told = Told()
    discord.answers.append(Planned(429, {"retry_after": 0.4, "global": False}))
    channel(path, discord, told).post(posts(path), TWO)
    assert len(discord.channel) == 2
    assert told.pauses == [pytest.approx(0.55)]
    assert told.lines == ["Discord asks to wait 0.6 s …"]


def test_a_rate_limit_without_end_is_told(path: Path, discord: Discord) -> None:
    """What was surely not posted is not claimed any more."""
    discord.answers.append(Planned(429, {"retry_after": 3600}))
    with pytest.raises(Unavailable, match=r"wait 3600 s .* nothing was posted"):
        post(path, discord)
    assert posts(path).rows == ()
    assert post(path, discord).new == (1, 2)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Planned(404, {"message": "Unknown Webhook", "code": 10015}), "the webhook is gone"),
        (Planned(401, {"message": "Invalid Webhook Token", "code": 50027}), "copy the webhook's"),
        (Planned(413, "<html>too large</html>"), "files are too large"),
        (Planned(400, {"message": "Cannot send\nan empty"}), r"refused the message \(Cannot send"),
    ],
)
def test_a_refusal_is_told_and_nothing_is_claimed(
    path: Path, discord: Discord, answer: Planned, says: str
) -> None:
    discord.answers.append(answer)
    with pytest.raises(Unavailable, match=says) as refused:
        post(path, discord)
    assert "nothing was posted" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert posts(path).rows == ()


@pytest.mark.parametrize("answer", [Planned(0, posts=True), Planned(502, "<html>", posts=True)])
def test_what_may_have_been_posted_is_never_posted_again_by_itself(
    path: Path, discord: Discord, answer: Planned
) -> None:
    """The host looks, and says so by the message's link or by asking for it again."""
    discord.answers.append(answer)
    for _ in range(2):
        with pytest.raises(Unavailable, match=r"round 3, part 1 stands .* into Posts!C2; if not"):
            post(path, discord)
    assert texts(discord) == ["## Round 3 is over"]
    link = f"https://discord.com/channels/1/2/{FIRST_ID}"
    assert read_posts({"Posts": [[], [3, 1, link, None]]}).rows[0].message_id == str(FIRST_ID)
    assert post(path, discord, again=True).new == (1, 2)
    assert texts(discord)[1:] == ["## Round 3 is over", "and more"]


def test_a_run_cut_off_between_two_parts_goes_on_with_the_second(
    path: Path, discord: Discord
) -> None:
    discord.answers += [
        Planned(200, {"id": "77"}, posts=True),
        Planned(404, {"code": 10015}),
    ]
    with pytest.raises(Unavailable, match="the webhook is gone"):
        post(path, discord)
    assert [(p.part, p.message_id) for p in posts(path).rows] == [(1, "77")]
    assert post(path, discord).new == (2,)
    assert texts(discord) == ["## Round 3 is over", "and more"]


def test_a_post_that_could_not_be_noted_says_its_number(
    path: Path, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The claim stays, so that no other run posts it again."""
    one = Announcement(1, ["text"], {}, None)
    there = channel(path, discord)
    real, calls = there.store.publish, [0]

    def publish(tabs: Any) -> None:
        calls[0] += 1
        if calls[0] == 2:
            raise Unavailable("the file is open elsewhere")
        real(tabs)

    monkeypatch.setattr(there.store, "publish", publish)
    with pytest.raises(Unavailable, match=f"was posted as message {FIRST_ID}, but"):
        there.post(posts(path), one)
    with pytest.raises(Unavailable, match="nobody knows"):
        post(path, discord, one)
    assert len(discord.channel) == 1


def test_a_hosts_own_tab_of_that_name_stops_it_before_anything_is_posted(
    tmp_path: Path, discord: Discord
) -> None:
    path = write_book(tmp_path / "match.xlsx", b0(Posts=[["my posts"]]))
    with pytest.raises(Stopped, match="is not the referee's Posts"):
        post(path, discord)
    assert discord.requests == 0


@pytest.mark.parametrize("way", ["no host", "no proxy", "no certificates"])
def test_where_discord_cannot_be_reached_nothing_was_posted(
    path: Path, discord: Discord, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    there = channel(path, discord)
    if way == "no host":
        discord.unplug()
    elif way == "no proxy":
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    else:
        monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(Unavailable, match="cannot be reached; nothing was posted"):
        there.post(Posts(), TWO)
    assert posts(path).rows == ()


@pytest.mark.parametrize(
    "text",
    [
        "https://discord.com/api/webhooks/1/abc",
        " https://ptb.discord.com/api/v10/webhooks/1/a-b_C?thread_id=5\n",
        "https://discordapp.com/api/webhooks/1/abc",
    ],
)
def test_a_webhooks_address_is_taken_from_a_file_or_the_environment(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "webhook.txt"
    file.write_text(text)
    assert webhook_address(file, {}) == text.strip()
    assert webhook_address(None, {"REFEREE_DISCORD_WEBHOOK": text}) == text.strip()


@pytest.mark.parametrize(
    "text", ["http://discord.com/api/webhooks/1/abc", "https://discord.example/api/webhooks/1/abc"]
)
def test_another_address_is_refused_and_never_shown(tmp_path: Path, text: str) -> None:
    file = tmp_path / "webhook.txt"
    file.write_text(text)
    with pytest.raises(WrongUsage, match="does not hold a Discord webhook's address") as refused:
        webhook_address(file, {})
    assert text not in str(refused.value)
    with pytest.raises(WrongUsage, match="needs your channel's webhook"):
        webhook_address(None, {})
    with pytest.raises(Unavailable, match="cannot be read"):
        webhook_address(tmp_path / "none.txt", {})


@pytest.mark.parametrize("status", [0, 302, 401, 404, 429, 500])
def test_no_error_carries_the_token(discord: Discord, status: int) -> None:
    discord.answers += [Planned(status, {"message": f"no {discord.address[-10:]}"})] * 30
    with pytest.raises(Unavailable) as refused:
        Webhook(discord.address, lambda _: None, lambda _: None).post("x", {})
    seen = f"{refused.value} {refused.value.__cause__} {refused.value.__context__}"
    assert isinstance(refused.value, Unanswered) == (status in (0, 302, 500))
    assert TOKEN not in str(refused.value)
    assert refused.value.__suppress_context__ or TOKEN not in seen
