"""The commands `explain` and `whatif`, as a host types them."""

import json
import sys
from pathlib import Path

import pytest

from referee.cli.changes import Wording
from referee.cli.main import run
from referee.match.record import Adjustment, Player, Round
from referee.match.record_json import encode_record
from referee.rules.replay import replay
from referee.workbook.places import Places
from referee.workbook.settings import SettingRow, setting_rows
from tests.support.played_matches import at, join, match, send


class Told:
    """What a run of the program said, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.lines = out.splitlines()
        self.err = err.splitlines()
        self.out = out


class Host:
    """A host at a terminal with one match record."""

    def __init__(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.path = path
        self.monkeypatch = monkeypatch
        self.capsys = capsys
        self.record = match(
            players=(
                Player(name="Ann", cell="A", rival="Ben", garnets=3, aliases=("annie",)),
                Player(name="Ben", cell="B", rival="Cat", garnets=1),
                Player(name="Cat", cell="F", rival="Ann"),
            ),
            queue=(join(5, "Ann"), join(6, "Ben")),
            submissions=(send(37.4, "Ann", "A D"), send(30, "Ben", "B D?")),
            adjustments=(Adjustment(time=at(7), player="Ben", garnets=2),),
            rounds=(Round(number=1), Round(number=2)),
            time_zone="America/New_York",
        )
        path.write_text(encode_record(self.record), "utf-8")

    def types(self, command: str, *options: str) -> Told:
        self.monkeypatch.setattr(sys, "argv", ["referee", command, str(self.path), *options])
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = self.capsys.readouterr()
        return Told(int(ended.value.code or 0), out, err)


@pytest.fixture
def host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Host:
    return Host(tmp_path / "match.json", monkeypatch, capsys)


class TestExplain:
    def test_a_row_is_explained_on_the_match_s_own_clock(self, host: Host) -> None:
        told = host.types("explain", "--row", "Submissions!1")
        assert told.code == 0
        assert told.lines == [
            "Round 1: 15:00:00 to 15:01:00 (timer 15:01:00)",
            "  Rows",
            (
                '    - Submissions row 1 Ann "A D": Ann sent the swap AD 12.4 s after the visit '
                "that ended at 15:00:25 in round 1: it does not count (R5.1)"
            ),
        ]

    def test_a_row_may_be_named_by_one_of_its_cells(self, host: Host) -> None:
        whole = host.types("explain", "--row", "Submissions!1").lines
        assert host.types("explain", "--row", "submissions!C1").lines == whole

    def test_a_player_may_be_named_by_an_alias(self, host: Host) -> None:
        told = host.types("explain", "--player", "ANNIE", "--json")
        visits = [one for round_ in json.loads(told.out)["rounds"] for one in round_["visits"]]
        assert [visit["player"] for visit in visits] == ["Ann"]

    def test_json_holds_every_round_in_utc(self, host: Host) -> None:
        told = json.loads(host.types("explain", "--json").out)
        assert told["format"] == "referee-explanation/1"
        assert [round_["official_end"] for round_ in told["rounds"]] == [
            "2026-11-29T20:01:00Z",
            "2026-11-29T20:02:00Z",
        ]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--player", "Anna"], 'referee: "Anna" is not a player of this match (nearest: Ann)'),
            (["--row", "Submissions"], 'referee: "Submissions" is not a row; write Submissions:14'),
            (["--row", "Queue!9"], "referee: Queue row 9: the match has no such row"),
            (
                ["--row", "Pen!2"],
                (
                    'referee: "Pen" is not a tab with rows; they are Rounds, Adjustments, Queue, '
                    "Submissions"
                ),
            ),
        ],
    )
    def test_wrong_usage_exits_2_in_words(self, host: Host, options: list[str], words: str) -> None:
        told = host.types("explain", *options)
        assert (told.code, told.lines, told.err) == (2, [], [words])

    def test_a_record_that_stops_exits_3(self, host: Host) -> None:
        bad = match(queue=(join(5, "Nobody"),))
        host.path.write_text(encode_record(bad), "utf-8")
        told = host.types("explain")
        assert told.code == 3
        assert told.err[1] == '  Queue row 1: "Nobody" is not a player of this match'


class TestWhatIf:
    def test_it_shows_what_would_differ_and_writes_nothing(self, host: Host) -> None:
        before = host.path.read_bytes()
        told = host.types("whatif", "--allow", "Submissions!1")
        assert told.code == 0
        assert told.lines[:3] == [
            "if: Submissions row 1: allow",
            "  round 1, Visits, Ann's visit, Swap: nothing → AD (R5.2)",
            "  round 1, Visits, Ann's visit, Swap time: nothing → 15:00:25 (R5.5)",
        ]
        assert told.lines[-2] == "13 differences; nothing was written"
        assert host.path.read_bytes() == before

    def test_options_combine(self, host: Host) -> None:
        told = host.types(
            "whatif",
            *("--void", "Queue!1", "--read", "Submissions!2=B D", "--set", "Room seconds=30"),
            *("--add", "Queue: 15:00:40, annie", "--add", "Submissions: 15:00:45, Ann, a, c"),
            *(
                "--add",
                "Adjustments: 15:00:01, Cat, -1, penalty",
                "--add",
                "Rounds: 3, 15:03:00, 2",
            ),
            "--json",
        )
        result = json.loads(told.out)["result"]
        first = result["rounds"][0]
        assert [(v["player"], v["entered"], v["swap"]) for v in first["visits"]] == [
            ("Ben", "2026-11-29T20:00:06Z", "BD"),
            ("Ann", "2026-11-29T20:00:40Z", "AC"),
        ]
        assert result["garnets"] == {"Ann": 3, "Ben": 3, "Cat": -1}
        assert result["rounds"][2]["timer_end"] == "2026-11-29T20:05:00Z"

    def test_json_is_the_result_of_the_changed_record(self, host: Host) -> None:
        told = json.loads(host.types("whatif", "--void", "Queue!2", "--json").out)
        rows = (host.record.queue[0], join(6, "Ben", ruling="void"))
        parts = {key: getattr(host.record, key) for key in host.record.__struct_fields__}
        assert told["result"] == replay(match(**{**parts, "queue": rows})).as_json()

    def test_nothing_may_differ(self, host: Host) -> None:
        told = host.types("whatif", "--set", "missed_meal_loss=2")
        assert told.lines == ["if: missed_meal_loss = 2", "nothing would differ"]

    def test_each_doubtful_row_is_tried_by_itself(self, host: Host) -> None:
        told = host.types("whatif", "--each", "Submissions")
        assert told.lines[:2] == [
            "hunger: Submissions row 2: read as B D",
            '    now: "B D?" at 15:00:30 was not read: it is not certainly a swap (R5.3)',
        ]
        trials = json.loads(host.types("whatif", "--each", "Submissions", "--json").out)["trials"]
        assert [(trial["row"], trial["ruling"], trial["reach"]) for trial in trials] == [
            (2, "read as B D", "hunger"),
            (1, "allow", "hunger"),
        ]

    def test_a_tab_without_doubtful_rows_says_so(self, host: Host) -> None:
        assert host.types("whatif", "--each", "queue").lines == ["no row of Queue is doubtful"]

    def test_everything_wrong_is_told_at_once(self, host: Host) -> None:
        told = host.types(
            "whatif",
            *("--void", "Submissions!9", "--read", "Submissions!1", "--set", "room_secs=9"),
            *("--add", "Queue: soon, Ann", "--add", "Queue: 15:00:01, Ann, jump", "--add", "Queue"),
            *("--add", "Rounds: next", "--add", "Adjustments: 15:00:01, Ann, some"),
        )
        assert told.code == 2
        assert told.err == [
            "referee: --read Submissions!1: write Submissions:14=A D, or =pass",
            '--set room_secs=9: "room_secs" is not a setting (nearest: room_seconds)',
            '--add Queue: soon, Ann: "soon" is not a time; write it like 2026-11-29 21:05:07',
            (
                '--add Queue: 15:00:01, Ann, jump: "jump" is not an action; write one of join, '
                "withdraw, exit, leave, enter"
            ),
            (
                "--add Queue: write one of: Queue: TIME, PLAYER, ACTION · Submissions: TIME, "
                "PLAYER, MESSAGE · Adjustments: TIME, PLAYER, GARNETS · Rounds: NUMBER, START, "
                "MINUTES"
            ),
            '--add Rounds: next: "next" is not a whole number',
            '--add Adjustments: 15:00:01, Ann, some: "some" is not a whole number',
            "Submissions row 9: the match has no such row",
        ]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ([], "name a change (--void, --read, --allow, --set, --add) or use --each TAB"),
            (
                ["--each", "Queue", "--void", "Queue!1"],
                "--each tries rows by themselves; leave the other changes out",
            ),
            (
                ["--each", "Rounds"],
                "Rounds: only rows of Queue and Submissions carry rulings (R9.1)",
            ),
            (["--set", "room_seconds"], "--set room_seconds: write room_seconds=90"),
        ],
    )
    def test_wrong_usage_exits_2_in_words(self, host: Host, options: list[str], words: str) -> None:
        told = host.types("whatif", *options)
        assert (told.code, told.err) == (2, [f"referee: {words}"])

    def test_a_change_that_stops_the_run_exits_3(self, host: Host) -> None:
        told = host.types("whatif", "--add", "Queue: 15:00:01, Ann, enter")
        assert told.code == 3
        assert told.err[1].startswith("  Queue row 3: an enter row needs the setting Room clock")


@pytest.mark.parametrize("setting", setting_rows(), ids=lambda row: row.key)
def test_every_setting_can_be_given_another_value(host: Host, setting: SettingRow) -> None:
    """By its key and by its title, hyphens and all: `pre_game_minutes`, `Pre-game minutes`."""
    value = setting.choices[-1] if setting.choices else "7"
    for name in (setting.key, setting.title, setting.title.upper()):
        told = host.types("whatif", "--set", f"{name}={value}")
        assert told.code == 0, told.err
        assert told.lines[0] == f"if: {setting.key} = {value}"


def test_a_name_means_itself_before_it_means_another_in_other_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where `Ann` and `ANN` both play, `--player Ann` is Ann and `--player aNN` is nobody."""
    host = Host(tmp_path / "match.json", monkeypatch, capsys)
    players = (
        Player(name="ANN", cell="A", rival="Ann"),
        Player(name="Ann", cell="B", rival="ANN"),
    )
    record = match(players=players, queue=(join(5, "Ann"), join(7, "ANN")))
    host.path.write_text(encode_record(record), "utf-8")
    for name in ("Ann", "ANN"):
        told = host.types("explain", "--player", name)
        assert told.code == 0
        visits = [line.split() for line in told.lines if "entered" in line]
        assert visits
        assert all(name in words[: words.index("entered")] for words in visits), told.lines
    told = host.types("explain", "--player", "aNN")
    assert told.code == 2
    assert '"aNN" may be ANN or Ann' in told.out + "\n".join(told.err)


@pytest.mark.parametrize(
    "row",
    ["Queue:2", "Queue 2", "Queue row 2", "queue2", "Queue!2", "Queue!A2", "'queue':2"],
)
def test_a_row_is_named_as_any_shell_lets_it_be_typed(row: str) -> None:
    """A ``!`` means something else to bash and zsh."""
    places = Places(tables={}, titles={}, player_rows=(), setting_rows={})
    assert Wording(match(), places).place(row) == ("Queue", 2)
