"""Commands at once on one Google Sheet, and a host at work between any two of their requests.

Every request of a command waits until it is chosen, so that a number decides the whole order. Many
more orders run by hand: ``REFEREE_ORDERS=500 pytest tests/stores/google/test_at_once.py``.
"""

from __future__ import annotations

import os
import random
import re
import threading
from typing import TYPE_CHECKING, Any

import pytest
import typer

from referee.chat.export import read_export
from referee.chat.importing import import_messages
from referee.chat.mentions import Options
from referee.cli.commands import deal, resolve
from referee.cli.exits import exit_of
from referee.match.faults import RefereeError
from referee.match.instants import Instant
from tests.google_sheets import faults
from tests.support import chat_exports as c
from tests.support.google_stores import Time, cleared, google, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.google_sheets import SheetsServer

ORDERS = int(os.environ.get("REFEREE_ORDERS", "8"))
NAMES = ["Ann", "Bob", "Cy"]
RINGS = ["A", "B", "C"]
JOBS = ("deal", "import", "resolve")
SETTINGS: list[list[Any]] = [
    ["Setting", "Value"],
    ["Match name", "M"],
    ["Match start", "2026-03-01 18:50:00"],
    ["Time zone", "UTC"],
    ["Tie-break seed", None],
]


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with google() as running:
        yield running


class Host:
    """Somebody at the sheet, who types tokens that are to stay, and moves rows."""

    def __init__(self, server: SheetsServer, key: str, rng: random.Random) -> None:
        self._server, self._key, self._rng = server, key, rng
        self._count = 0
        self.memos: dict[str, str] = {}
        self.typed: list[str] = []

    def acts(self) -> None:
        """Do one thing: type beside a player, type a row, insert a row, delete an empty one."""
        self._count += 1
        self._rng.choice((self._memo, self._row, self._insert, self._delete))()

    def _memo(self) -> None:
        name = self._rng.choice(NAMES)
        rows = self._server.cells(self._key, "Players")
        at = next(n for n, row in enumerate(rows, 1) if row[:1] == [name])
        self.memos[name] = f"memo {self._count}"
        self._server.set_cell(self._key, "Players", f"E{at}", self.memos[name])

    def _row(self) -> None:
        at = len(self._server.cells(self._key, "Queue")) + 1
        self.typed.append(f"host {self._count}")
        when = f"2026-03-01 19:0{self._rng.randrange(10)}:{self._count:02}"
        for column, value in zip("ABD", (when, "Cy", self.typed[-1]), strict=True):
            self._server.set_cell(self._key, "Queue", f"{column}{at}", value)

    def _insert(self) -> None:
        tab = self._rng.choice(("Queue", "Players", "Submissions", "Settings"))
        self._move("insertDimension", tab, self._rng.randint(1, 4))

    def _delete(self) -> None:
        for tab in ("Queue", "Players", "Submissions"):
            for at, row in enumerate(self._server.cells(self._key, tab)):
                if at and not any(row):
                    self._move("deleteDimension", tab, at)
                    return

    def _move(self, what: str, tab: str, at: int) -> None:
        number = next(s.id for s in self._server.book(self._key).sheets if s.title == tab)
        place = {"sheetId": number, "dimension": "ROWS", "startIndex": at, "endIndex": at + 1}
        self._server.change(self._key, {what: {"range": place}})


class AtOnce:
    """Runs jobs in threads of which one request at a time goes on, in an order a number decides."""

    def __init__(self, server: SheetsServer, rng: random.Random, host: Host) -> None:
        self._server, self._rng, self._host = server, rng, host
        self._turn = threading.Condition()
        self._waiting: list[threading.Event] = []
        self._running = 0

    def _hold(self) -> None:
        """Keep a request back until it is its turn."""
        mine = threading.Event()
        with self._turn:
            self._waiting.append(mine)
            self._turn.notify_all()
        assert mine.wait(60)

    def run(self, jobs: list[Callable[[], None]]) -> None:
        def end(job: Callable[[], None]) -> None:
            try:
                job()
            finally:
                with self._turn:
                    self._running -= 1
                    self._turn.notify_all()

        self._running = len(jobs)
        for on in ("read", "write"):
            self._server.faults.plan(on, faults.edit(self._hold), times=None)
        threads = [threading.Thread(target=end, args=(job,), daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        while True:
            with self._turn:
                assert self._turn.wait_for(lambda: len(self._waiting) >= self._running, 60)
                if not self._running:
                    break
                chosen = self._waiting.pop(self._rng.randrange(len(self._waiting)))
                if self._rng.random() < 0.4:
                    self._host.acts()
                chosen.set()
                self._turn.wait_for(lambda: len(self._waiting) >= self._running, 60)
        for thread in threads:
            thread.join(60)
        self._server.faults.clear()


class Evening:
    """A match's sheet, jobs on it, and what each of them told."""

    def __init__(self, server: SheetsServer, folder: Path, seed: int) -> None:
        cleared(server)
        rng = random.Random(seed)  # noqa: S311  a test's
        self.server, self.folder = server, folder
        dealt = rng.random() < 0.5
        cells = zip(NAMES, RINGS, ("Bob", "Cy", "Ann"), ("11", "22", "33"), strict=True)
        players = [
            [name, ring if dealt else None, rival if dealt else None, number, None]
            for name, ring, rival, number in cells
        ]
        rounds: list[list[Any]] = [["Round", "Start"], [1, "2026-03-01 19:00:00"]]
        queue: list[list[Any]] = [["Timestamp", "Player", "Action", "Message id"]]
        if rng.random() < 0.5:  # a table of the host's beside the queue, and longer
            queue = [[*queue[0], None, "Side"], *([None] * 5 + [f"side {n}"] for n in range(9))]
        messages: list[list[Any]] = [["Timestamp", "Player", "Message", "Edited", "Message id"]]
        tabs: dict[str, list[list[Any]]] = {
            "Settings": SETTINGS,
            "Players": [["Player", "Cell", "Rival", "Aliases", "Memo"], *players],
            "Rounds": rounds,
            "Queue": queue,
            "Submissions": messages,
        }
        self.key = server.new_spreadsheet("Match", tabs, time_zone="Etc/UTC")
        self.robot = server.service_account_file(folder / "robot.json")
        self.host = Host(server, self.key, rng)
        self.said: dict[int, list[str]] = {}
        self.codes: dict[int, int] = {}
        self.wanted: dict[int, set[str]] = {}
        self.kinds = [rng.choice(JOBS) for _ in range(rng.choice((2, 2, 3)))]
        jobs = [self._job(number, kind) for number, kind in enumerate(self.kinds)]
        AtOnce(server, rng, self.host).run(jobs)

    def _job(self, number: int, kind: str) -> Callable[[], None]:
        def job() -> None:
            self.said[number] = _VOICE.lines = []
            try:
                self._run(number, kind)
                self.codes[number] = 0
            except typer.Exit as left:
                self.codes[number] = left.exit_code
            except RefereeError as error:
                self.codes[number] = int(exit_of(error))
                self.said[number].append(str(error))

        return job

    def _run(self, number: int, kind: str) -> None:
        if kind == "deal":
            deal.run(sheet=self.key, credentials=self.robot)
        elif kind == "resolve":
            resolve.run(sheet=self.key, credentials=self.robot)
        else:
            ids = [f"14339593011200{n:05}" for n in range(number, number + 3)]
            written = [
                c.message(n, text, at=f"2026-03-01T19:0{at}:00Z")
                for at, (n, text) in enumerate(zip(ids, (f"<@&{c.ROLE}>", "A D", "x"), strict=True))
            ]
            self.wanted[number] = set(ids)
            export = read_export(c.export(written), f"{number}.json")
            opened = store(self.server, self.key, self.folder, Time())
            import_messages(opened, [export], Options(dealer_roles=frozenset({c.ROLE})), Instant(0))

    def column(self, tab: str, header: str) -> list[Any]:
        rows = self.server.cells(self.key, tab)
        head = next(n for n, row in enumerate(rows) if header in row)
        at = rows[head].index(header)
        return [row[at] for row in rows[head + 1 :] if len(row) > at and row[at] not in ("", None)]


_VOICE = threading.local()


@pytest.fixture
def voices(monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands say in threads of their own, kept apart."""
    monkeypatch.setattr(typer, "echo", lambda text="", **_: _VOICE.lines.append(str(text)))


@pytest.mark.usefixtures("voices")
@pytest.mark.parametrize("seed", range(ORDERS))
def test_nothing_is_lost_and_no_secret_told_that_does_not_hold(
    server: SheetsServer, tmp_path: Path, seed: int
) -> None:
    evening = Evening(server, tmp_path, seed)
    story = f"{evening.kinds} {evening.codes} {evening.said}"
    assert set(evening.codes.values()) <= {0, 1, 2, 3, 4}, story
    _host_keeps_everything(evening, story)
    _messages_stand_once(evening, story)
    _secrets_hold(evening, story)
    left = [title for title in server.titles(evening.key) if title.startswith("Referee undo")]
    assert not left or "Referee undo" in story, story


def _host_keeps_everything(evening: Evening, story: str) -> None:
    rows = evening.server.cells(evening.key, "Players")
    memos = {row[0]: row[4] for row in rows if len(row) > 4 and row[0] in NAMES and row[4]}
    assert memos == evening.host.memos, story
    ids = evening.column("Queue", "Message id")
    assert [ids.count(token) for token in evening.host.typed] == [1] * len(evening.host.typed), (
        story
    )
    queue = evening.server.cells(evening.key, "Queue")
    sides = [row[5] for row in queue if len(row) > 5 and str(row[5]).startswith("side")]
    assert sides in ([], [f"side {n}" for n in range(9)]), story


def _messages_stand_once(evening: Evening, story: str) -> None:
    there = [*evening.column("Queue", "Message id"), *evening.column("Submissions", "Message id")]
    for number, ids in evening.wanted.items():
        counts = [there.count(one) for one in sorted(ids)]
        assert counts == [1, 1, 1] or (evening.codes[number] and max(counts) <= 1), story


def _secrets_hold(evening: Evening, story: str) -> None:
    """Where deals ended well, what one of them told its players is what stands there."""
    rows = evening.server.cells(evening.key, "Players")
    stands = {row[0]: tuple(row[1:3]) for row in rows if row and row[0] in NAMES}
    told = []
    for number, kind in enumerate(evening.kinds):
        text = "\n".join(evening.said[number])
        found = re.findall(r"To (\w+) alone: .* cell (\w) and your rival is (\w+)", text)
        assert bool(found) == (kind == "deal" and evening.codes[number] == 0), story
        if found:
            told.append({name: (cell, rival) for name, cell, rival in found})
    assert not told or stands in told, f"{stands} {story}"
