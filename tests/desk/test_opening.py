"""A new match without looking things up: who plays, when it starts, and the first round played."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from referee.desk.opening import read_players, read_start
from referee.match.faults import WrongUsage
from referee.sheets import open as open_sheet
from referee.workbook.wall_clock import Clock
from tests.google_sheets import SheetsServer
from tests.support.cli import cells_of, clock, referee, referee_at, table

LONDON = Clock(ZoneInfo("Europe/London"), "Europe/London")


def at(text: str) -> int:
    return int(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)


NOW = at("2026-11-29 19:22:07.300")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("20:00", "2026-11-29 20:00"),
        ("20:00:30", "2026-11-29 20:00:30"),
        ("8:00 pm", "2026-11-29 20:00"),
        ("9:00", "2026-11-30 09:00"),
        ("17:21", "2026-11-30 17:21"),
        ("2026-12-24 20:15", "2026-12-24 20:15"),
        ("2026-07-01 20:15", "2026-07-01 19:15"),
        ("2026-11-29T20:00Z", "2026-11-29 20:00"),
        ("+10m", "2026-11-29 19:33"),
        ("+10 min", "2026-11-29 19:33"),
        ("+1h", "2026-11-29 20:23"),
        ("+1h30m", "2026-11-29 20:53"),
        ("+0m", "2026-11-29 19:23"),
    ],
)
def test_a_start_is_on_the_full_minute_and_lies_ahead(said: str, meant: str) -> None:
    """A time of day is the next one; what is counted from now ends on the minute."""
    assert read_start(said, NOW, LONDON) == at(meant)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("19:20", '"2026-11-29 19:20" or "2026-11-30 19:20"'),
        ("20", "is not a time"),
        ("soon", "is not a time"),
        ("+10", "is not understood"),
        ("+", "is not understood"),
        ("2026-02-30 20:00", "a day that does not exist"),
        ("11/10/2026 20:00", "may name its day or its month first"),
    ],
)
def test_a_start_that_is_not_certain_is_asked_about(said: str, words: str) -> None:
    with pytest.raises(WrongUsage) as asked:
        read_start(said, NOW, LONDON)
    assert words in str(asked.value)


def test_players_stand_between_commas() -> None:
    assert read_players(" Ann,Ben Lee ,, Zoë, ") == ["Ann", "Ben Lee", "Zoë"]
    for said, words in (
        ("Ann", "1 player; a match has 2 to 6"),
        ("a,b,c,d,e,f,g", "7 players; a match has 2 to 6"),
        ("Ann, ANN", '"Ann" and "ANN" are the same name'),
        ("Ann, Food", "is the food's name"),
        ("Ann, B\x07en", "holds the character U+0007"),
    ):
        with pytest.raises(WrongUsage) as wrong:
            read_players(said)
        assert words in str(wrong.value)


def test_a_match_is_ready_in_two_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Players and start are written, and `check` finds nothing that stops it."""
    # tzlocal looks once a process, and another test may have made it look.
    monkeypatch.setattr("tzlocal.get_localzone_name", lambda: "America/New_York")
    sheet = tmp_path / "match.xlsx"
    made = referee_at("2026-11-29 23:22:07", "init", sheet, "--players", "Ann, Ben, Cat",
                      "--start", "19:00")  # fmt: skip
    assert made.code == 0, made.err
    assert "the match starts 2026-11-29 19:00:00 (America/New_York)" in made.out
    assert [row["Player"] for row in table(sheet, "Players")] == ["Ann", "Ben", "Cat"]
    settings = {row[0]: row[1] for row in cells_of(sheet, "Settings")}
    assert settings["Match start"] == clock("19:00:00", "2026-11-29")
    assert referee_at("2026-11-29 23:23:00", "deal", sheet).code == 0
    assert referee_at("2026-11-29 23:23:00", "check", sheet).code == 0


def test_nothing_is_made_where_something_is_not_understood(tmp_path: Path) -> None:
    sheet = tmp_path / "match.xlsx"
    for options in (("--players", "Ann"), ("--start", "soon")):
        assert referee_at("2026-11-29 19:22:07", "init", sheet, *options).code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_google_sheet_starts_by_its_own_clock(tmp_path: Path) -> None:
    with SheetsServer(tls=True) as server:
        key = server.new_spreadsheet("Match", {"Sheet1": []}, time_zone="Asia/Tokyo")
        robot = server.service_account_file(tmp_path / "robot.json")
        kept = ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        led = {name: server.environment()[name] for name in kept}
        ran = referee("init", key, "--players", "Ann, Ben", "--start", "2026-11-29 20:00",
                      "--credentials", robot, env=led)  # fmt: skip
        assert ran.code == 0, ran.err
        assert "the match starts 2026-11-29 20:00:00 (Asia/Tokyo)" in ran.out
        assert referee("deal", key, "--credentials", robot, env=led).code == 0


def test_a_first_round_is_played_without_typing_a_clock_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six commands from a new folder to a published round; none of them names a time of day."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REFEREE_SHEET", raising=False)
    evening = [
        ("19:49:30", ["init", "match.xlsx", "--players", "Ann, Ben, Cat", "--start", "+0m"]),
        ("19:50:10", ["deal"]),
        ("20:00:02", ["log", "round"]),
        ("20:01:00", ["log", "ann"]),
        ("20:01:20", ["log", "ann", "A D"]),
        ("20:10:05", ["resolve"]),
    ]
    for time, words in evening:
        ran = referee_at(f"2026-11-29 {time}", *words)
        assert ran.code == 0, ran.err
        assert not any(":" in word for word in words)
    record = open_sheet("match.xlsx").record()
    assert [row[0] for row in (record.published or {})["Pen"][1:]] == [0, 1]
    assert [row.time for row in record.queue] == [
        int(datetime(2026, 11, 29, 20, 1, tzinfo=UTC).timestamp() * 1000)
    ]
