"""Everything the README tells a host to do, done in its order in one folder."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from referee.cli.main import COMMANDS
from referee.match.record import Record, Round
from referee.sheets import open as open_sheet
from referee.workbook.cells import CellEdit
from referee.workbook.filling import fill
from referee.workbook.reading import read_set_up
from tests.google_sheets import SheetsServer
from tests.support.discord import Discord

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"(?:<!-- given: ([a-z0-9 ]+) -->\n)?```(sh|python)\n(.*?)```", re.DOTALL)
SET_UP = (
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/referee demo",
    "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/python -m pytest",
)
START = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)


class Block(NamedTuple):
    """A fenced block of the README, and what it takes for given."""

    given: str
    language: str
    text: str


def blocks() -> list[Block]:
    return [Block(*found.groups("")) for found in BLOCK.finditer(README)]


class Evening:
    """The folder in which the README is followed, and what a host does by hand in between."""

    def __init__(self, folder: Path, server: SheetsServer, discord: Discord) -> None:
        self.folder = folder
        self.server = server
        self.discord = discord
        self.key = ""
        self.led: dict[str, str] = {}
        self.now_in: Path | None = None

    def run(self, block: Block) -> None:
        for line in block.text.strip().splitlines():
            command = shlex.split(line.replace("KEY", self.key))
            assert command[0] == "referee", line
            self.start([sys.executable, "-m", "referee", *command[1:]], line)

    def script(self, block: Block) -> None:
        self.start([sys.executable, "-c", block.text], block.text)

    def start(self, command: list[str], shown: str) -> None:
        done = subprocess.run(
            command,
            cwd=self.now_in or self.folder,
            env={**self.server.environment(), **self.led, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{shown}\n{done.stdout}\n{done.stderr}"

    def fill_in(self, record: Record) -> None:
        store = open_sheet(self.folder / "match.xlsx").workbook_store()
        store.edit(fill(record, read_set_up(store.read()).places))

    def players(self) -> None:
        """Write what `init` could not know: garnets, accounts, and for this test the zone."""
        self.fill_in(empty_match())
        store = open_sheet(self.folder / "match.xlsx").workbook_store()
        read = read_set_up(store.read())
        accounts = {"Ann": "11", "Ben": "22"}
        edits = []
        for player in read.set_up.players:
            for column, value in (("Garnets", 2), ("Aliases", accounts.get(player.name))):
                number = read.places.column("Players", column)
                assert number is not None
                edits.append(CellEdit("Players", player.row, number, value))
        store.edit(edits)

    def tonight(self) -> None:
        """Follow a block in a folder whose match begins now."""
        self.now_in = self.folder / "tonight"
        self.now_in.mkdir()
        for command in (
            ["init", "match.xlsx", "--players", "Ann, Ben, Cat", "--start", "+0m"],
            ["deal", "match.xlsx"],
        ):
            self.start([sys.executable, "-m", "referee", *command], " ".join(command))

    def chats(self) -> None:
        ann = [message(1, "11", 60, "<@&111222333444555666>"), message(2, "11", 75, "A D")]
        ben = [message(3, "22", 90, "<@&111222333444555666> in"), message(4, "22", 140, "b-d")]
        for name, messages in (("ann", ann), ("ben", ben)):
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps(export(name, messages)), "utf-8")

    def round_1(self) -> None:
        start = START + timedelta(minutes=10)
        number = Round(number=1, start=int(start.timestamp() * 1000))  # type: ignore[arg-type]  # any whole number is an instant
        self.fill_in(empty_match(rounds=(number,)))

    def google(self) -> None:
        self.key = self.server.new_spreadsheet("Match", {"Sheet1": []})
        self.server.service_account_file(self.folder / "robot.json")

    def anchors(self) -> None:
        """What players copied out of the announcements, and a copy that somebody kept."""
        words = [sys.executable, "-m", "referee", "announce", "match.xlsx"]
        said = subprocess.run(
            words,
            cwd=self.folder,
            env={**self.server.environment(), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        )
        (self.folder / "anchors.txt").write_bytes(said.stdout)
        shutil.copyfile(self.folder / "match.xlsx", self.folder / "copy-of-tuesday.xlsx")

    def season(self) -> None:
        (self.folder / "matches").mkdir()
        shutil.copyfile(self.folder / "match.xlsx", self.folder / "matches" / "match.xlsx")

    def webhook(self) -> None:
        self.led = self.discord.environment

    def given(self, what: str) -> None:
        self.led, self.now_in = {}, None
        steps: dict[str, Callable[[], None]] = {
            "players": self.players,
            "tonight": self.tonight,
            "chats": self.chats,
            "round 1": self.round_1,
            "google": self.google,
            "webhook": self.webhook,
            "season": self.season,
            "anchors": self.anchors,
            "script": lambda: None,
            "": lambda: None,
        }
        steps[what]()


def empty_match(rounds: tuple[Round, ...] = ()) -> Record:
    return Record(
        format="referee-match/1",
        game="pig-starvation",
        name="Evening",
        start=int(START.timestamp() * 1000),  # type: ignore[arg-type]  # any whole number is an instant
        time_zone="UTC",
        players=(),
        rounds=rounds,
        queue=(),
        submissions=(),
    )


def message(number: int, author: str, seconds: int, content: str) -> dict[str, object]:
    sent = START + timedelta(minutes=10, seconds=seconds)
    name = {"11": "ann_1", "22": "ben_2"}[author]
    return {
        "id": str(((int(sent.timestamp() * 1000) - 1420070400000) << 22) + number),
        "type": "Default",
        "timestamp": sent.isoformat(),
        "timestampEdited": None,
        "isPinned": False,
        "content": content,
        "author": {"id": author, "name": name, "nickname": name, "isBot": False, "roles": []},
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
    }


def export(name: str, messages: list[dict[str, object]]) -> dict[str, object]:
    return {
        "guild": {"id": "1", "name": "Game", "iconUrl": ""},
        "channel": {"id": f"9{len(name)}", "type": "GuildTextChat", "name": f"{name}-submissions"},
        "dateRange": {"after": None, "before": None},
        "exportedAt": (START + timedelta(hours=1)).isoformat(),
        "messages": messages,
        "messageCount": len(messages),
    }


def test_the_readme_can_be_followed_from_top_to_bottom(tmp_path: Path) -> None:
    """Every command of the README works in the order in which it stands."""
    with SheetsServer(tls=True) as server, Discord() as discord:
        evening = Evening(tmp_path, server, discord)
        for block in blocks():
            if block.text.strip() in SET_UP:
                continue  # .ci/run follows these two in fresh virtual environments
            evening.given(block.given)
            if block.language == "sh":
                evening.run(block)
            else:
                evening.script(block)
    assert [list(message.files) for message in discord.channel] == [["pen.png"]]
    assert (tmp_path / "pen.png").stat().st_size > 1000
    assert "<html" in (tmp_path / "match.html").read_text("utf-8")


def test_the_two_set_up_commands_are_those_that_ci_runs() -> None:
    """The README names exactly the two set-up commands, in front of everything else."""
    commands = tuple(block.text.strip() for block in blocks()[:2])
    assert commands == SET_UP
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "install --quiet --disable-pip-version-check ." in script
    assert "'.[test]'" in script
    assert "-m pytest" in script


def test_every_command_is_in_the_readme() -> None:
    """The README's table lists every command of the program, and no other."""
    listed = re.findall(r"^\| `([a-z]+)", README, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_the_readmes_picture_is_what_the_project_draws(tmp_path: Path) -> None:
    """The picture is the demo match's, pixel by pixel."""
    for command in ("demo", "announce demo-match.xlsx --picture pen.png"):
        subprocess.run(
            [sys.executable, "-m", "referee", *command.split()],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
            capture_output=True,
            check=True,
        )
    assert (tmp_path / "pen.png").read_bytes() == (ROOT / "docs" / "pen.png").read_bytes()
