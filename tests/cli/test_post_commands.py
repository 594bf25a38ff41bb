"""``announce --post`` and ``watch --post``: each round goes to the channel once, and no secret."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from referee.chat.round_announcement import Poster, PostingFollower
from referee.chat.webhook import Webhook
from referee.desk.watching import Watch
from tests.cli.test_announce_command import NOW, two_rounds
from tests.desk.test_watching import Evening, game
from tests.support.cli import Ran, change_cells, command, referee, referee_at, table, write_book
from tests.support.discord import FIRST_ID, TOKEN, Discord, Planned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def discord() -> Iterator[Discord]:
    with Discord() as server, server.led():
        yield server


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Two rounds are over, and the first is published."""
    path = write_book(tmp_path / "match.xlsx", two_rounds())
    assert referee_at(NOW, "resolve", path, "--round", "1").code == 0
    return path


def post(sheet: Path, *options: str | Path, now: str = NOW) -> Ran:
    return referee_at(now, "announce", sheet, "--post", *options)


def test_the_text_and_the_picture_are_posted_once(sheet: Path, discord: Discord) -> None:
    """What is posted is what ``announce`` prints, with nobody mentioned."""
    ran = post(sheet)
    assert (ran.code, ran.out, ran.err) == (0, "posted round 1\n", "")
    [message] = discord.channel
    assert f"{message.text}\n" == referee_at(NOW, "announce", sheet).out
    assert list(message.files) == ["pen.png"]
    assert message.files["pen.png"].startswith(b"\x89PNG")
    assert message.allowed_mentions == {"parse": []}
    assert [row["Message id"] for row in table(sheet, "Posts")] == [str(FIRST_ID)]
    again = post(sheet)
    assert (again.code, again.out) == (0, "round 1 is posted already; nothing was posted again\n")
    assert len(discord.channel) == 1


def test_the_start_and_another_round_are_posted_by_number(sheet: Path, discord: Discord) -> None:
    assert post(sheet, "--round", "0").out == "posted the start\n"
    told = post(sheet, "--json").json
    assert (told["round"], told["new_parts"], told["corrects"]) == (1, [1], False)
    assert told["message_ids"] == [str(FIRST_ID + 1)]
    assert [row["Round"] for row in table(sheet, "Posts")] == [0, 1]


def test_the_players_page_goes_along_if_asked_for(
    sheet: Path, discord: Discord, tmp_path: Path
) -> None:
    """It is the players' page of the published rounds, as ``report --public`` writes it."""
    assert post(sheet, "--page", "--hunger").code == 0
    page = tmp_path / "public.html"
    assert referee_at(NOW, "report", sheet, page, "--public", "--hunger").code == 0
    assert discord.channel[0].files["match.html"] == page.read_bytes()


def test_a_corrected_round_follows_up_once(sheet: Path, discord: Discord) -> None:
    assert post(sheet).code == 0
    change_cells(sheet, {"Submissions!C2": "A B"})
    refused = post(sheet)
    assert refused.code == 1
    assert "nothing goes to the players" in refused.err
    later = "2026-07-01 13:00:00"
    assert referee_at(later, "resolve", sheet, "--reopen", "1").code == 0
    told = post(sheet, "--round", "1", now="2026-07-01 13:01:00")
    assert told.out == "posted the correction of round 1\n"
    told = post(sheet, "--round", "1", now="2026-07-01 13:02:00")
    assert told.out.startswith("round 1 is posted already")
    assert len(discord.channel) == 2


def test_a_role_is_mentioned_only_if_asked_for(sheet: Path, discord: Discord) -> None:
    assert post(sheet, "--ping", "111222333444555666").code == 0
    assert discord.channel[0].allowed_mentions == {"parse": [], "roles": ["111222333444555666"]}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--post", "--private"], "goes alone"),
        (["--post", "--rival-messages"], "goes alone"),
        (["--post", "--picture", "pen.png"], "goes alone"),
        (["--again"], "go with --post"),
        (["--page"], "go with --post"),
        (["--post", "--round", "2"], "round must be one that was played"),
    ],
)
def test_what_does_not_go_together_is_refused(
    sheet: Path, discord: Discord, options: list[str], says: str
) -> None:
    ran = referee_at(NOW, "announce", sheet, *options)
    assert (ran.code, says in ran.err) == (2, True), ran.err
    assert discord.requests == 0


def test_without_a_webhook_it_says_where_to_get_one(
    sheet: Path, discord: Discord, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("REFEREE_DISCORD_WEBHOOK")
    ran = post(sheet)
    assert ran.code == 2
    assert "Integrations, Webhooks" in ran.err
    file = tmp_path / "hook.txt"
    file.write_text(f"{discord.address}\n")
    assert post(sheet, "--webhook-file", file).out == "posted round 1\n"


def test_a_record_has_no_place_to_note_a_post(sheet: Path, discord: Discord) -> None:
    record = sheet.with_suffix(".json")
    assert referee_at(NOW, "export", sheet, record).code == 0
    ran = post(record)
    assert (ran.code, discord.requests) == (2, 0)
    assert "needs a workbook" in ran.err


def test_the_webhooks_token_gets_nowhere(sheet: Path, discord: Discord) -> None:
    """Not into the sheet, not onto the screen, whatever Discord answers."""
    discord.answers += [
        Planned(404, {"code": 10015}),
        Planned(400, {"message": f"bad {TOKEN}"[:9]}),
        Planned(0, posts=True),
    ]
    told = [post(sheet) for _ in range(4)]
    assert [ran.code for ran in told] == [4, 4, 4, 4]
    assert post(sheet, "--again").code == 0
    assert not any(TOKEN in ran.out + ran.err for ran in told)
    with zipfile.ZipFile(sheet) as package:
        assert not any(TOKEN.encode() in package.read(name) for name in package.namelist())


def test_posting_runs_as_a_program_of_its_own(sheet: Path, discord: Discord) -> None:
    ran = referee("announce", sheet, "--post", "--json", env=discord.environment)
    assert ran.code == 0, ran.err
    assert ran.json["message_ids"] == [str(FIRST_ID)]


def test_resolving_and_auditing_leave_the_posts_alone(sheet: Path, discord: Discord) -> None:
    assert post(sheet).code == 0
    before = table(sheet, "Posts")
    assert referee_at(NOW, "resolve", sheet).code == 0
    assert referee_at(NOW, "audit", sheet).code == 0
    assert table(sheet, "Posts") == before


def evening(path: Path, discord: Discord, minute: float = 0.5) -> Evening:
    """An evening that is watched and posted, at a clock that only waiting moves on."""
    there = Evening(path, minute)
    webhook = Webhook(discord.address, lambda _: None, lambda _: None)
    poster = Poster(there, webhook, lambda: there.time)

    def watch(every: float) -> None:
        follower = PostingFollower(poster)
        watched = Watch(there, every, lambda: there.time, there.sleep, follower)
        for event in watched.events():
            there.told.append(event)

    there.watch = watch  # type: ignore[method-assign]  # the same evening, posted
    return there


def headings(discord: Discord) -> list[str]:
    return [message.text.partition("\n")[0] for message in discord.channel]


def test_an_evening_is_published_and_posted_by_itself(tmp_path: Path, discord: Discord) -> None:
    there = evening(game(tmp_path, 1, 2, 3, hunger=3), discord)
    assert there.events() == [
        ("published", "published round 1"),
        ("posted", "posted round 1"),
        ("published", "published round 2"),
        ("posted", "posted round 2"),
        ("over", "the match is over"),
    ]
    assert headings(discord) == ["## Round 1 is over", "## Round 2 is over, and so is the match"]


def test_what_discord_does_not_take_now_is_posted_at_a_later_look(
    tmp_path: Path, discord: Discord
) -> None:
    """Also after the last round: the watch ends when that is posted."""
    discord.answers += [Planned(429, {"retry_after": 900})] * 3
    there = evening(game(tmp_path, 1, hunger=2), discord)
    told = there.events()
    assert [kind for kind, _ in told] == ["published", "unposted", "posted", "over"]
    assert headings(discord) == ["## Round 1 is over, and so is the match"]


def test_a_webhook_that_is_gone_is_told_once_and_the_rounds_go_on(
    tmp_path: Path, discord: Discord
) -> None:
    discord.answers.append(Planned(404, {"message": "Unknown Webhook", "code": 10015}))
    there = evening(game(tmp_path, 1, 2, hunger=3), discord)
    told = there.events()
    assert [kind for kind, _ in told] == ["published", "unposted", "published", "posted", "over"]
    assert "the webhook is gone" in told[1][1]
    assert headings(discord) == ["## Round 2 is over, and so is the match"]


def test_what_a_run_before_published_and_did_not_post_is_posted(
    tmp_path: Path, discord: Discord
) -> None:
    """Where that run had posted before: a host who does not post is not posted for."""
    path = game(tmp_path, 1, 2, 3, hunger=5)
    assert referee_at("2026-03-02 00:21:00", "resolve", path).code == 0
    silent = evening(path, discord, 22)
    silent.until = silent.time + 60_000
    assert silent.events() == []
    assert post(path, "--round", "1", now="2026-03-02 00:21:30").code == 0
    there = evening(path, discord, 23)
    there.until = there.time + 60_000
    assert there.events() == [("posted", "posted round 2")]


def test_watch_takes_the_option(tmp_path: Path, discord: Discord) -> None:
    """The whole program, on a match that is over and whose last round is not posted."""
    path = game(tmp_path, 1, hunger=2)
    assert referee_at(NOW, "resolve", path).code == 0
    assert post(path, "--round", "0").code == 0
    ran = referee("watch", path, "--post", "--json", env=discord.environment)
    assert ran.code == 0, ran.err
    events = [json.loads(line)["event"] for line in ran.out.splitlines()]
    assert events == ["posted", "over"]
    assert command("watch")[-1] == "watch"
