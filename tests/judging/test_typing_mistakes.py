"""Mistakes typed into an evening: none changes what is published without a line naming its cell.

The generator makes one slip at a time, of a host's hand and not of ours: a forgotten PM, another
day, a neighbouring letter, a zone by its nickname. A fixed seed keeps the suite short; with
``REFEREE_MISTAKES=300`` in the environment it makes as many.
"""

import os
import random
import re
import string
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from referee.judging.doubts import doubts
from referee.judging.resolving import plan
from referee.match.faults import Stopped
from referee.match.instants import parse_instant
from referee.rules.replay import replay
from referee.views.summary import notice_line
from referee.workbook.cells import Book, Tab, address
from referee.workbook.reading import read_book
from referee.workbook.zones import clock_of

if TYPE_CHECKING:
    from collections.abc import Callable

Cells = list[list[Any]]
Slip = tuple[str, int, int, Any]
"""A tab, the row and column of a cell, from 1, and what is typed there by mistake."""

COUNT = int(os.environ.get("REFEREE_MISTAKES", "60"))
DAY = "2026-11-29"
MUCH_LATER = parse_instant("2030-01-01T00:00:00Z")


def evening(form: str) -> dict[str, Cells]:
    """Three rounds of six players, an evening in London; times in full, or without a date."""

    def at(time: str) -> str:
        return {"full": f"{DAY} {time}", "bare": time, "form": f"29/11/2026 {time}"}[form]

    return {
        "Settings": [
            ["Setting", "Value"],
            ["Match name", "MM8"],
            ["Match start", f"{DAY} 20:00:00"],
            ["Time zone", "Europe/London"],
        ],
        "Players": [
            ["Player", "Cell", "Rival", "Garnets", "Aliases"],
            ["Annabel", "A", "Benedict", 4, None],
            ["Benedict", "B", "Caroline", 4, None],
            ["Caroline", "C", "Dominic", 4, None],
            ["Dominic", "E", "Eleanor", 4, None],
            ["Eleanor", "F", "Florence", 4, None],
            ["Florence", "G", "Annabel", 4, None],
        ],
        "Rounds": [
            ["Round", "Start"],
            [1, at("20:10:00")],
            [2, at("20:21:00")],
            [3, at("20:32:00")],
        ],
        "Queue": [
            ["Timestamp", "Player", "Action"],
            [at("20:10:05"), "Annabel", "join"],
            [at("20:10:20"), "Benedict", "join"],
            [at("20:10:40"), "Annabel", "exit"],
            [at("20:11:30"), "Benedict", "exit"],
            [at("20:22:00"), "Caroline", "join"],
            [at("20:22:30"), "Dominic", "join"],
            [at("20:22:45"), "Caroline", "leave"],
            [at("20:33:00"), "Eleanor", "join"],
            [at("20:33:10"), "Florence", "join"],
            [at("20:33:20"), "Florence", "withdraw"],
            [at("20:33:40"), "Annabel", "join"],
        ],
        "Submissions": [
            ["Timestamp", "Player", "Message", "Edited"],
            [at("20:10:25"), "Annabel", "A D", None],
            [at("20:11:00"), "Benedict", "swap B and E", None],
            [at("20:22:20"), "Caroline", "F D", None],
            [at("20:22:25"), "Caroline", "pass", None],
            [at("20:23:00"), "Dominic", "E G", None],
            [at("20:33:30"), "Eleanor", "D G", None],
            [at("20:34:20"), "Annabel", "C D", None],
        ],
    }


def book_of(tabs: dict[str, Cells]) -> Book:
    return Book(
        name="match.xlsx",
        tabs=tuple(Tab(title=title, rows=rows) for title, rows in tabs.items()),
        locale="en_GB",
        time_zone=None,
    )


def outcome_of(tabs: dict[str, Cells]) -> tuple[Any, str]:
    """What would be published, None where nothing would be, and every line about it."""
    try:
        reading = read_book(book_of(tabs))
        planned = plan(reading.record, reading.places.titles, MUCH_LATER)
        result = replay(reading.record)
    except Stopped as stopped:
        return None, "\n".join(fault.text for fault in stopped.faults)
    clock = clock_of(reading.record).text
    lines = [remark.text for remark in reading.remarks]
    lines += [remark.text for remark in doubts(planned, reading.places, reading.undated)]
    lines += [notice_line(notice, reading.places, clock) for notice in result.notices]
    rounds = [(r.pen, r.hunger, r.garnets, [v.player for v in r.visits]) for r in result.rounds]
    return rounds, "\n".join(lines)


# --- slips -----------------------------------------------------------------------------------


def time_slips(text: str, chance: random.Random) -> str:
    """A time as it may be typed for another."""
    date, _, time = text.rpartition(" ")
    hour, rest = int(time[:2]), time[2:]
    glue = f"{date} " if date else ""
    slips: list[Callable[[], str]] = [
        lambda: f"{glue}{hour - 12:02}{rest}",
        lambda: f"{glue}{hour - 12}{rest}",
        lambda: f"{glue}{hour - 12}{rest} AM",
        lambda: f"{glue}{hour + chance.choice((-3, -2, -1, 1, 2, 3)):02}{rest}",
        lambda: f"{glue}{hour + 24}{rest}",
        lambda: f"{glue}{hour:02}{rest[:3]}",
        lambda: f"{glue}{hour:02}.{rest[1:]}",
        lambda: f"{glue}{hour:02}{rest}".replace("0", "O", 1),
    ]
    if date:
        year_first = date[4] == "-"
        day = datetime.fromisoformat(date) if year_first else datetime.strptime(date, "%d/%m/%Y")  # noqa: DTZ007  a wall clock
        form = "%Y-%m-%d" if year_first else "%d/%m/%Y"
        far = chance.choice((-365, -30, -7, -2, -1, 1, 2, 7, 30, 365, 198327))
        slips += [lambda: f"{(day + timedelta(days=far)).strftime(form)} {time}"] * 4
    return chance.choice(slips)()


def word_slips(word: str, chance: random.Random) -> str:
    """A word with a slip of the hand in it."""
    place = chance.randrange(len(word))
    letter = chance.choice(string.ascii_lowercase)
    doubled = word[: place + 1] + word[place:]
    return chance.choice(
        [
            word[:place] + word[place + 1 :],
            doubled,
            word[:place] + letter + word[place + 1 :],
            word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :],
            f" {word.upper()} ",
            f"@{word}",
        ]
    )


ZONES = ("GMT", "BST", "UTC+1", "GMT-5", "ET", "EST", "Europe/Lodnon", "London", "Etc/GMT-1", "")
ACTIONS = {
    "join": ("ping", "pinged", "in", "queue", "@Dealer", ""),
    "exit": ("leave", "left", "out", "done", "exits"),
    "leave": ("left", "out", "done", "exit"),
    "withdraw": ("left", "out", "leave", "withdrew"),
}
"""Words that mean the same there; another word that means something else is no slip."""


def slip(tabs: dict[str, Cells], chance: random.Random) -> Slip:
    kind = chance.choice(("time", "time", "time", "name", "action", "zone"))
    if kind == "zone":
        return "Settings", 4, 2, chance.choice(ZONES)
    if kind == "action":
        row = chance.randrange(2, len(tabs["Queue"]) + 1)
        word = tabs["Queue"][row - 1][2]
        slips = (word_slips(word, chance) for _ in range(4))
        typed = chance.choice((*ACTIONS[word], "shop", *slips))
        return "Queue", row, 3, typed
    if kind == "name":
        tab = chance.choice(("Queue", "Submissions"))
        row = chance.randrange(2, len(tabs[tab]) + 1)
        return tab, row, 2, word_slips(tabs[tab][row - 1][1], chance)
    tab, column = chance.choice((("Rounds", 2), ("Queue", 1), ("Submissions", 1)))
    row = chance.randrange(2, len(tabs[tab]) + 1)
    return tab, row, column, time_slips(tabs[tab][row - 1][column - 1], chance)


@pytest.mark.parametrize("form", ["full", "bare", "form"])
def test_no_slip_changes_a_result_without_a_line_that_names_its_cell(form: str) -> None:
    chance = random.Random(f"mistakes {form}")  # noqa: S311  the same mistakes each time
    meant, _ = outcome_of(evening(form))
    assert meant is not None
    silent, felt = [], 0
    for _ in range(COUNT):
        tabs = evening(form)
        tab, row, column, typed = slip(tabs, chance)
        before = tabs[tab][row - 1][column - 1]
        tabs[tab][row - 1][column - 1] = typed
        found, said = outcome_of(tabs)
        felt += found != meant
        if found is None:
            # Nothing is published; whatever stopped it names cells.
            assert re.search(r"[A-Z][a-z]+![A-Z]+[0-9]+", said), said
        elif found != meant and not re.search(rf"{address(tab, row, column)}\b", said):
            silent.append((address(tab, row, column), before, typed, said))
    assert not silent
    assert felt > COUNT // 4
