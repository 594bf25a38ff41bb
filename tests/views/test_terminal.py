"""The match in a terminal of any width."""

import pytest
from rich.text import Text

from referee.match.record_json import read_record
from referee.rules.replay import replay
from referee.views.terminal import print_match
from referee.workbook.layout import template_path
from referee.workbook.places import Places

NO_PLACES = Places(tables={}, titles={}, player_rows=(), setting_rows={})


def test_a_narrow_window_gives_up_names_before_times(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """C092: at 60 columns every time of a visit, its price and its swap stand whole."""
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    result = replay(read_record(template_path().with_name("demo_match.json")))
    print_match(result, NO_PLACES, 2)
    lines = Text.from_ansi(capsys.readouterr().out).plain.splitlines()
    assert all(len(line) <= 60 for line in lines)
    for visit in ("20:20:07│20:20:44", "20:25:50│20:26:50", "20:29:08│20:30:08"):
        assert any(visit in line for line in lines), visit
    assert any("Flo" in line and "20:29:08" in line and "B-D" in line for line in lines)
