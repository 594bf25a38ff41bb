"""A time zone on the command line: refused where it does not exist, shown where it does."""

from pathlib import Path

import pytest

from referee.cli.exits import Exit
from referee.match.record_json import encode_record
from tests.support.cli import b0, cells_of, clock, referee, referee_at, write_book
from tests.support.played_matches import join, match, send

NOW = "2026-12-01T00:00:00Z"


def record_in(folder: Path, zone: str) -> Path:
    record = match(queue=(join(5, "Ann"),), submissions=(send(9, "Ann", "A D"),), time_zone=zone)
    path = folder / "match.json"
    path.write_text(encode_record(record), "utf-8")
    return path


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("Mars/Olympus", 'time_zone: "Mars/Olympus" is no time zone; write a city\'s zone, like'),
        ("America/New_Yrok", "write one like America/New_York"),
        ("", 'time_zone: "" is no time zone; write a city\'s zone, like Europe/London'),
        ("GMT-5", "America/New_York (UTC-05:00 in January"),
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["show"],
        ["announce"],
        ["report", "page.html"],
        ["report", "page.html", "--public"],
        ["explain"],
        ["check"],
        ["live"],
        ["audit"],
        ["resolve"],
        ["resolve", "--dry-run"],
        ["whatif", "--set", "room_seconds=9"],
    ],
    ids=" ".join,
)
def test_c085_a_record_without_a_real_zone_is_not_shown_in_utc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str, said: str, arguments: list[str]
) -> None:
    """Whatever shows local times says that there is no such zone, and what to write."""
    monkeypatch.chdir(tmp_path)
    path = record_in(tmp_path, zone)
    before = path.read_bytes()
    name, *options = arguments
    ran = referee_at(NOW, name, path, *options)
    assert ran.code == Exit.CONTENTS, ran
    assert said in ran.err + ran.out
    assert path.read_bytes() == before
    assert not Path("page.html").exists()


def test_what_shows_no_local_time_needs_no_zone(tmp_path: Path) -> None:
    """The engine does not look it up: a result is in UTC."""
    path = record_in(tmp_path, "Mars/Olympus")
    assert referee_at(NOW, "replay", path).code == 0
    assert referee_at(NOW, "export", path, "-").code == 0


def test_check_and_live_show_the_zone_in_force(tmp_path: Path) -> None:
    path = write_book(tmp_path / "match.xlsx", b0())
    ran = referee_at(NOW, "check", path)
    assert "times are in America/New_York (UTC-05:00 at the match's start)" in ran.out
    assert referee_at(NOW, "check", path, "--json").json["time_zone"] == "America/New_York"
    ran = referee_at(NOW, "live", path)
    assert ran.out.splitlines()[0].endswith(" America/New_York")
    assert referee_at(NOW, "live", path, "--json").json["time_zone"] == "America/New_York"


def test_c082_a_zone_without_summer_time_is_noted(tmp_path: Path) -> None:
    """In July, by every later check; in March New York is there too."""
    tabs = b0()
    tabs["Settings"][3][1] = "EST"
    path = write_book(tmp_path / "match.xlsx", tabs)
    assert "New York" not in referee_at(NOW, "check", path).out
    for tab in ("Rounds", "Queue", "Submissions"):
        for row in tabs[tab][1:]:
            place = 1 if tab == "Rounds" else 0
            row[place] = row[place].replace(month=7)
    tabs["Settings"][2][1] = clock("18:50:00", "2026-07-01")
    write_book(path, tabs)
    assert referee_at(NOW, "resolve", path).code == 0
    for _ in range(2):
        ran = referee_at(NOW, "check", path)
        assert "Settings!B4: EST has no summer time" in ran.out
        assert "New York is at UTC-04:00 on 2026-07-01" in ran.out


@pytest.mark.parametrize(
    ("zone", "written"),
    [("Asia/Kolkata", "Asia/Kolkata"), ("America/New_York", "America/New_York")],
)
def test_init_writes_the_zone_of_this_computer(tmp_path: Path, zone: str, written: str) -> None:
    """Whoever makes a workbook sees in which zone their times are read."""
    path = tmp_path / "new.xlsx"
    ran = referee("init", path, env={"TZ": zone})
    assert ran.code == 0, ran
    assert f"times are read in {zone}; if that is not yours" in ran.err
    settings = {row[0]: row[1] for row in cells_of(path, "Settings")}
    assert settings["Time zone"] == zone


@pytest.mark.parametrize("name", [None, "local", "Mars/Olympus"])
def test_init_leaves_a_zone_without_a_name_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    """As where a computer knows its offset and not its place."""
    monkeypatch.setattr("tzlocal.get_localzone_name", lambda: name)
    path = tmp_path / "new.xlsx"
    ran = referee_at(NOW, "init", path)
    assert ran.code == 0, ran
    assert "fill in the setting Time zone" in ran.err
    settings = {row[0]: row[1] for row in cells_of(path, "Settings")}
    assert settings["Time zone"] is None
