"""What ``--json`` says: docs/formats.md names every format and every field, and they hold."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.chat.posting import Posted
from referee.cli.main import COMMANDS
from tests.support.chat_exports import export, message
from tests.support.cli import PROJECT, Ran, b0, change_cells, clock, referee_at, write_book

NOW = "2026-12-31 12:00:00"
"""Long after every match of these tests."""

Fields = dict[str, tuple[str, bool]]
"""What each field of a part holds, and whether it may be left out."""


def parts() -> dict[str, Fields]:
    """The page's formats and parts by their headings."""
    found: dict[str, Fields] = {}
    for section in (PROJECT / "docs" / "formats.md").read_text("utf-8").split("\n### ")[1:]:
        title, _, text = section.partition("\n")
        rows = re.findall(r"^\| `([a-z_]+)` \| ([^|]+) \| [^|]+ \|$", text, re.MULTILINE)
        found[title.strip("` ")] = {
            name: (holds.removesuffix(", if any"), holds.endswith(", if any"))
            for name, holds in rows
        }
    return found


PARTS = parts()


def problems(value: Any, holds: str, where: str) -> list[str]:
    """Everything about a value that is not as the page says."""
    kinds = holds.split(" or ")
    if value is None:
        return [] if {"null", "value"} & set(kinds) else [f"{where}: null"]
    kinds = [kind for kind in kinds if kind != "null"]
    found = [_unlike(value, kind, where) for kind in kinds]
    return [] if [] in found else found[0]


def _unlike(value: Any, kind: str, where: str) -> list[str]:
    if kind.startswith("list of "):
        if not isinstance(value, list):
            return [f"{where}: no list"]
        rest = kind.removeprefix("list of ")
        return [told for one in value for told in problems(one, rest, f"{where}[]")]
    if kind.startswith("by "):
        if not isinstance(value, dict):
            return [f"{where}: no object"]
        rest = kind.partition(": ")[2]
        return [told for key in value for told in problems(value[key], rest, f"{where}.{key}")]
    plain = {"text": str, "number": int | float, "yes/no": bool, "value": str | int | float | bool}
    if kind in plain:
        fits = isinstance(value, plain[kind])
        fits = fits and (kind != "number" or not isinstance(value, bool))
        return [] if fits else [f"{where}: {value!r} is not {kind}"]
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is not {kind}"]
    return part_problems(value, kind, where)


def part_problems(value: dict[str, Any], part: str, where: str) -> list[str]:
    """Everything about an object that is not as the page describes this part."""
    fields = dict(PARTS[part])
    if part.startswith("referee-"):
        fields["format"] = ("text", False)
    found = [f"{where}.{name}: missing" for name, (_, rare) in fields.items()
             if name not in value and not rare]  # fmt: skip
    for name, held in value.items():
        if name not in fields:
            found.append(f"{where}.{name}: not on the page ({part})")
        else:
            found += problems(held, fields[name][0], f"{where}.{name}")
    return found


class Runs:
    """Runs of commands with ``--json``, and the formats they gave."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.formats: set[str] = set()
        self.commands: set[str] = set()
        self.problems: list[str] = []

    def __call__(self, command: str, *arguments: str) -> Ran:
        where = [str(self.folder / word) if "." in word[1:] and " " not in word and "=" not in word
                 else word for word in arguments]  # fmt: skip
        ran = referee_at(NOW, command, *where, *([] if arguments[-1:] == ("-",) else ["--json"]))
        self.commands.add(command)
        for line in ran.out.splitlines():
            self.note(json.loads(line), command)
        return ran

    def note(self, given: dict[str, Any], command: str) -> None:
        """Hold an object to the page."""
        self.formats.add(given["format"])
        self.problems += part_problems(given, given["format"], command)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Every command in its ways, on matches sound, changed since and broken."""
    folder = tmp_path_factory.mktemp("formats")
    run = Runs(folder)
    run("demo", "m.xlsx")
    run("init", "new.xlsx")
    write_book(folder / "b.xlsx", b0())
    run("deal", "b.xlsx")
    for options in (
        ("check", "m.xlsx"),
        ("resolve", "m.xlsx"),
        ("resolve", "b.xlsx"),
        ("audit", "m.xlsx", "b.xlsx"),
        ("show", "m.xlsx"),
        ("show", "m.xlsx", "--round", "1"),
        ("explain", "m.xlsx"),
        ("whatif", "m.xlsx", "--void", "Queue!2"),
        ("whatif", "m.xlsx", "--each", "Submissions"),
        ("export", "m.xlsx", "m.json"),
        ("export", "m.xlsx", "-"),
        ("replay", "m.json"),
        ("announce", "m.xlsx", "--hunger"),
        ("announce", "m.xlsx", "--rival-messages"),
        ("live", "m.xlsx", "--at", "2026-11-29 20:13:05"),
        ("log", "m.xlsx", "--at", "2026-11-29 23:00:00", "Ann", "A D"),
        ("log", "m.xlsx", "--undo"),
        ("log", "m.xlsx", "--forget"),
        ("watch", "m.xlsx"),
        ("report", "m.xlsx", "page.html", "--public"),
        ("season", "m.xlsx", "none.xlsx"),
        ("simulate", "--matches", "20", "--set", "starting_hunger=4", "--against", "defaults"),
        ("show", "none.xlsx"),
        ("show", "m.xlsx", "--rond", "1"),
    ):
        run(*options)
    _chat(run, folder)
    _draw(run, folder)
    posted = Posted(round=1, new=(1,), message_ids=("9",), corrects=False)
    run.note({"format": "referee-post/1", **posted.as_json()}, "announce --post")
    change_cells(folder / "m.xlsx", {"Submissions!C3": "A B", "Pen!B3": "x"})
    for command in ("resolve", "audit", "announce"):
        run(command, "m.xlsx")
    change_cells(folder / "b.xlsx", {"Queue!C2": "fly"})
    for command in ("resolve", "check"):
        run(command, "b.xlsx")
    return run


def _chat(run: Runs, folder: Path) -> None:
    queue: list[list[Any]] = [["Timestamp", "Player", "Action", "Ruling", "Message id"],
             [clock("19:01:00"), "Ann", "join", None, None]]  # fmt: skip
    said: list[list[Any]] = [["Timestamp", "Player", "Message", "Edited", "Ruling", "Message id"],
            [clock("19:02:00"), "Ann", "A B", None, None, "9"]]  # fmt: skip
    write_book(folder / "c.xlsx", b0(Queue=queue, Submissions=said))
    sent = [message(1, "A D"), message(2, "@Dealer hi"), message(3, "hey @ Dealer")]
    (folder / "chat.json").write_bytes(export(sent))
    run("import", "c.xlsx", "chat.json", "--plain-mentions")
    (folder / "chat.json").write_bytes(export([message(1, "A E")]))
    run("import", "c.xlsx", "chat.json")


def _draw(run: Runs, folder: Path) -> None:
    rows = [*b0()["Settings"], ["Starting hunger", 2], ["Tie-break seed", None]]
    write_book(folder / "d.xlsx", b0(Settings=rows, Queue=b0()["Queue"][:1]))
    for seed in (None, "salt"):
        change_cells(folder / "d.xlsx", {"Settings!B6": seed})
        run("resolve", "d.xlsx")
        run("explain", "d.xlsx")


def test_every_command_gives_what_the_page_says(runs: Runs) -> None:
    """Each object has a format, and each field of it stands on the page as what it is."""
    assert sorted(set(runs.problems)) == []
    assert runs.commands >= set(COMMANDS)


def test_the_page_has_no_format_that_nothing_gives(runs: Runs) -> None:
    """A format that went takes its section with it."""
    assert runs.formats == {title for title in PARTS if title.startswith("referee-")}


def test_every_part_of_the_page_is_used_by_another() -> None:
    """What a field holds is plain or has a section; no section stands alone."""
    held = " ".join(holds for fields in PARTS.values() for holds, _ in fields.values())
    plain = {title for title in PARTS if not title.startswith("referee-")}
    assert [title for title in sorted(plain) if not re.search(rf"\b{title}\b", held)] == []


def test_errors_carry_a_code_and_usage_errors_too() -> None:
    """Also those that are found before a command runs."""
    for words in (("reslove",), ("show", "x.json", "--rond", "1"), ("show", "a", "--round", "x")):
        ran = referee_at(NOW, *words, "--json")
        assert (ran.code, ran.json["format"], ran.json["code"]) == (2, "referee-error/1", "usage")
        assert ran.err == f"referee: {ran.json['text']}\n"
