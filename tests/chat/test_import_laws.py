"""Laws of importing: how often, in what order and from which exports does not matter."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.chat.amending import GONE
from referee.chat.import_plan import plan_import
from referee.chat.mentions import Options
from referee.chat.messages import Export
from referee.match.faults import Stopped
from referee.match.instants import parse_instant
from referee.rules.replay import replay
from referee.workbook.cells import Book, CellEdit, placed
from referee.workbook.layout import load
from referee.workbook.reading import read_book, read_set_up
from tests.support import chat_exports as c
from tests.support.chat_evenings import HOST, Evening, channels
from tests.support.sheets import make_book, with_cells

NOW = parse_instant("2026-03-02T03:00:00Z")
OPTIONS = Options(dealer_roles=frozenset({c.ROLE}), hosts=frozenset({HOST["id"]}))


def match() -> Book:
    """A match of three players in three short rounds, nothing in its queue yet."""
    players: list[list[Any]] = [
        ["Player", "Cell", "Rival", "Garnets", "Aliases"],
        ["Ann", "A", "Bob", 3, "11"],
        ["Bob", "B", "Cy", 3, "22"],
        ["Cy", "C", "Ann", 3, "33"],
    ]
    settings: list[list[Any]] = [
        ["Setting", "Value"],
        ["Match start", "2026-03-01 19:00:00"],
        ["Time zone", "America/New_York"],
        ["Pre-game minutes", 1],
        ["Round minutes", 2],
    ]
    tabs: dict[str, list[list[Any]]] = {
        tab: [list(load().tab(tab).header)] for tab in ("Queue", "Submissions")
    }
    rounds: list[list[Any]] = [["Round", "Start"], [1, None], [2, None], [3, None]]
    return make_book(
        {"Settings": settings, "Players": players, "Rounds": rounds, **tabs},
        without=("Adjustments",),
    )


def imported(book: Book, *exports: Export) -> Book:
    """The book with an import carried out, as a store does it."""
    made = plan_import(read_set_up(book), book, exports, OPTIONS, NOW)
    return with_cells(book, [*made.edits, *placed(made.rows)[0]])


def without_deleted(book: Book) -> Book:
    """The book in which the host ruled void whatever is noted as deleted."""
    edits = []
    for tab in book.tabs:
        if tab.title in ("Queue", "Submissions"):
            header = [str(cell) for cell in tab.rows[0]]
            note, ruling = header.index("Note"), header.index("Ruling")
            edits += [
                CellEdit(tab.title, number, ruling + 1, "void")
                for number, row in enumerate(tab.rows, 1)
                if len(row) > note and GONE in str(row[note])
            ]
    return with_cells(book, edits)


def outcome(book: Book) -> dict[str, Any] | str:
    """What the match comes to; a text where the run stops, notices left out."""
    try:
        result = replay(read_book(book).record)
    except Stopped as stop:
        return " ".join(fault.code for fault in stop.faults)
    return {key: value for key, value in json.loads(result.to_json()).items() if key != "notices"}


def check_evening(random: Random, *, orders: bool) -> str:
    """Hold importing after every event against importing once; returns how it came out."""
    evening = Evening(random)
    step_by_step = match()
    older: list[Export] = []
    for touched in evening.events(random.randint(2, 14)):
        exports = [evening.export(channel) for channel in touched]
        if orders and older:
            # Exports from before once more, in the same import or in one of their own.
            again = random.sample(older, random.randint(1, len(older)))
            exports += again if random.random() < 0.5 else []
            random.shuffle(exports)
            step_by_step = imported(step_by_step, again[0])
        older += [evening.export(channel, f"{len(older)} {channel}.json") for channel in touched]
        step_by_step = imported(step_by_step, *exports)
    last = [evening.export(channel) for channel in channels(evening.messages)]
    step_by_step = imported(step_by_step, *last)
    assert imported(step_by_step, *last) == step_by_step
    once = outcome(imported(match(), *last))
    found = outcome(without_deleted(step_by_step))
    if isinstance(once, str):
        return "stopped"
    assert found == once
    return "equal"


@given(st.randoms(use_true_random=False))
def test_importing_after_every_event_is_importing_once_or_that_stops(random: Random) -> None:
    """Edits, deletions, late pings; what was deleted is told, and void once the host says so."""
    check_evening(random, orders=False)


@given(st.randoms(use_true_random=False))
def test_exports_from_before_change_nothing_whenever_they_are_imported(random: Random) -> None:
    """Overlaps and orders: older exports again, beside newer ones or after them."""
    check_evening(random, orders=True)


@pytest.mark.parametrize("orders", [False, True])
def test_both_outcomes_of_an_evening_happen(*, orders: bool) -> None:
    """The evenings of these laws are neither all stopped nor all without a swap."""
    seeded = [Random(seed) for seed in range(30)]  # noqa: S311  the same evenings every time
    found = [check_evening(random, orders=orders) for random in seeded]
    assert {"equal", "stopped"} == set(found)
