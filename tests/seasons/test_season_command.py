"""``referee season``: who won what, from published and audited results alone."""

import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import b0, change_cells, referee_at, write_book

NOW = "2026-07-01 12:00:00"


def game(path: Path, name: str, *, start: str = "18:50:00", **tabs: Any) -> Path:
    """The base game, over after its first round: Dee, Eve and Flo starve, none of them swapped."""
    rows = [row for row in b0()["Settings"] if row[0] != "Match name"]
    rows += [["Match name", name], ["Starting hunger", 2], ["Tie-break seed", name]]
    return write_book(path, b0(Settings=rows, **tabs))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two matches that count; a copy, a changed, an unpublished and a broken one that do not."""
    for name in ("one", "two", "changed"):
        path = game(tmp_path / f"{name}.xlsx", name)
        assert referee_at(NOW, "resolve", path).code == 0
    shutil.copyfile(tmp_path / "one.xlsx", tmp_path / "one copy.xlsx")
    change_cells(tmp_path / "changed.xlsx", {"Hunger!B2": 7})
    game(tmp_path / "waits.xlsx", "waits")
    (tmp_path / "broken.xlsx").write_bytes(b"PK")
    for bak in tmp_path.glob("*.bak"):
        bak.unlink()
    return tmp_path


def season(*options: str | Path) -> Any:
    ran = referee_at(NOW, "season", *options, "--json")
    assert ran.code == 0, ran.err
    return ran.json


def test_what_is_published_and_audited_counts(folder: Path) -> None:
    told = season(folder)
    assert told["format"] == "referee-season/1"
    assert sorted(match["name"] for match in told["matches"]) == ["one", "two"]
    standings = {one["player"]: one for one in told["standings"]}
    assert {one["matches"] for one in standings.values()} == {2}
    assert sum(one["candidate"] for one in standings.values()) == 2
    assert [standings[name]["starved"] for name in ("Dee", "Eve", "Flo")] == [2, 2, 2]
    won = [won for match in told["matches"] for won in match["won"]]
    assert sum(one["tokens"] for one in standings.values()) == sum(w["tokens"] for w in won)
    assert sum(one["garnets"] for one in standings.values()) == sum(w["garnets"] for w in won)
    assert [one["won"] for one in told["standings"]] == sorted(
        (one["won"] for one in told["standings"]), reverse=True
    )


def test_what_does_not_count_is_listed_with_its_reason(folder: Path) -> None:
    left = {Path(one["place"]).name: one["why"] for one in season(folder)["left_out"]}
    assert sorted(left) == ["broken.xlsx", "changed.xlsx", "one.xlsx", "waits.xlsx"]
    assert "the same match as" in left["one.xlsx"]
    assert "its audit finds a difference: Hunger" in left["changed.xlsx"]
    assert left["waits.xlsx"] == "nothing is published yet"
    assert "broken.xlsx" in left["broken.xlsx"]


def test_rulings_are_counted_by_kind(tmp_path: Path) -> None:
    """Rows behind the last published round needed none yet."""
    queue = b0()["Queue"]
    queue[2][3] = " VOID "
    said = b0()["Submissions"]
    said[1][4] = "read as A D"
    path = game(tmp_path / "ruled.xlsx", "ruled", Queue=queue, Submissions=said)
    assert referee_at(NOW, "resolve", path).code == 0
    told = season(path)
    assert told["rulings"] == {
        "read as": {"times": 1, "matches": 1},
        "void": {"times": 1, "matches": 1},
    }


class Reader(HTMLParser):
    """A page's texts, and the tags that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_holds_the_tables_and_loads_nothing(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "season.html"
    ran = referee_at(NOW, "season", folder, "--page", page, "--title", "Autumn")
    assert (ran.code, ran.err) == (0, f"wrote {page}\n")
    text = page.read_text("utf-8")
    reader = Reader()
    reader.feed(text)
    assert {"Autumn", "Players", "Matches", "Not counted", "one", "two"} <= set(reader.texts)
    assert not reader.tags & {"script", "img", "link", "iframe", "form"}
    assert "default-src 'none'" in text
    assert "Tokens of Life" in ran.out


def test_names_are_text_on_the_page(tmp_path: Path) -> None:
    evil = "<img src=x>"
    players = [[evil if cell == "Ann" else cell for cell in row] for row in b0()["Players"]]
    players[0] = b0()["Players"][0]
    queue = [[evil if cell == "Ann" else cell for cell in row] for row in b0()["Queue"]]
    said = [[evil if cell == "Ann" else cell for cell in row] for row in b0()["Submissions"]]
    path = game(tmp_path / "m.xlsx", "<b>m</b>", Players=players, Queue=queue, Submissions=said)
    assert referee_at(NOW, "resolve", path).code == 0
    page = tmp_path / "p.html"
    assert referee_at(NOW, "season", path, "--page", page, "--title", "<i>t</i>").code == 0
    reader = Reader()
    reader.feed(page.read_text("utf-8"))
    assert not reader.tags & {"img", "b", "i"}
    assert {evil, "<b>m</b>", "<i>t</i>"} <= set(reader.texts)


def test_a_page_has_the_name_of_one(tmp_path: Path) -> None:
    ran = referee_at(NOW, "season", tmp_path, "--page", tmp_path / "s.pdf")
    assert (ran.code, "ends in .html" in ran.err) == (2, True)
