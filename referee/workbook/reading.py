"""A whole workbook into a match record, every fault located.

Reading goes from what others depend on to what depends on it: Settings, Players, then the rows of
Rounds, Queue, Submissions and Adjustments. Nothing stops it half-way; whatever it finds wrong is
collected and raised together at the end, in the order of the sheet.
"""

from collections.abc import Sequence
from typing import Final, cast

import msgspec
from msgspec import UNSET, UnsetType

from referee.match.faults import Fault, Stopped, quoted
from referee.match.instants import Instant
from referee.match.record import (
    GAME,
    RECORD_FORMAT,
    Adjustment,
    Player,
    QueueRow,
    Record,
    RingCell,
    Round,
    Submission,
)
from referee.rules.checks import Ledger, players_faults, rounds_faults
from referee.rules.rulings import VOID
from referee.workbook import layout as template
from referee.workbook.actions import find_action, no_action
from referee.workbook.cells import Book, Value
from referee.workbook.distance import judge_distances
from referee.workbook.findings import Findings, Remark
from referee.workbook.names import fold
from referee.workbook.places import Places
from referee.workbook.published import owned_titles, published_tabs
from referee.workbook.rows import TabRows
from referee.workbook.setup import SetUp, gather_set_up
from referee.workbook.values import is_blank, read_words, shown

_PLAYERS_TOGETHER: Final = frozenset({"player-count", "cell-taken", "own-rival", "doubled-rival"})
"""What only shows when players are held against each other; single cells are judged here."""


class Reading(msgspec.Struct, frozen=True):
    """A workbook as read: the record, remarks that stop nothing, and where everything stands.

    ``undated`` are the rows, by tab and row, whose times name no date.
    ``commitment`` is what players were told of the seed before the match (R7.3).
    """

    record: Record
    remarks: tuple[Remark, ...]
    places: Places
    undated: tuple[tuple[str, int], ...] = ()
    commitment: str = ""


class SetUpReading(msgspec.Struct, frozen=True):
    """Settings and Players as read, before a match is dealt or logged; see `SetUp`."""

    set_up: SetUp
    remarks: tuple[Remark, ...]
    places: Places


def read_book(book: Book) -> Reading:
    """Read a whole workbook.

    Raises `Stopped` with every fault found, in the order of the sheet.
    """
    findings = Findings()
    layout = template.load()
    set_up = gather_set_up(book, layout, findings)
    places = _places(book, layout, set_up)
    _ask_for_start(set_up, findings)
    players = _players(set_up, places, findings)
    tabs = {
        title: TabRows(title, book, set_up, findings)
        for title in ("Rounds", "Queue", "Submissions", "Adjustments")
    }
    record = Record(
        format=RECORD_FORMAT,
        game=GAME,
        name=set_up.settings.name,
        time_zone=set_up.settings.clock.name,
        start=set_up.settings.start or Instant(0),
        settings=set_up.settings.settings,
        players=players,
        rounds=_rounds(tabs["Rounds"], places, findings),
        queue=_queue(tabs["Queue"]),
        submissions=_submissions(tabs["Submissions"]),
        adjustments=_adjustments(tabs["Adjustments"]),
    )
    _refuse_queue_rows(record, places, findings)
    TabRows("Players", book, set_up, findings).remark_blank("Garnets", "0")
    tabs["Queue"].remark_blank("Action", "join, a ping")
    if set_up.settings.start is not None:
        judge_distances(record, tabs, set_up.settings.clock, findings)
    if findings.faults:
        raise Stopped(findings.faults, record.name)
    names = [player.name for player in players]
    published = published_tabs(layout, book, places.titles, names, findings)
    record = msgspec.structs.replace(record, published=published)
    undated = tuple((tab, row) for tab, rows in tabs.items() for row in rows.undated)
    committed = set_up.settings.commitment
    return Reading(record, findings.remarks, places, undated, committed)


def read_set_up(book: Book) -> SetUpReading:
    """Read only what `deal` and `import` need: Settings, Players and where the tabs stand.

    A blank start, cell or rival is no fault. Raises `Stopped` with every fault found.
    """
    findings = Findings()
    layout = template.load()
    set_up = gather_set_up(book, layout, findings)
    if findings.faults:
        raise Stopped(findings.faults, set_up.settings.name)
    return SetUpReading(set_up, findings.remarks, _places(book, layout, set_up))


def _places(book: Book, layout: template.Layout, set_up: SetUp) -> Places:
    titles = owned_titles(layout, book, set_up.settings.namings)
    titles |= {title: table.tab.title for title, table in set_up.tables.items()}
    return Places(
        tables=set_up.tables,
        titles=titles,
        player_rows=tuple(player.row for player in set_up.players),
        setting_rows=set_up.settings.rows,
        clock=set_up.settings.clock.text,
    )


def _ask_for_start(set_up: SetUp, findings: Findings) -> None:
    table, row = set_up.tables.get("Settings"), set_up.settings.rows.get("start")
    if table is None or set_up.settings.start is not None:
        return
    problem = "there is no Match start; write it like 2026-11-29 20:00:00"
    if row is None:
        text = f"{table.tab.title}: {problem} in a row of that name"
        findings.fault(table.spot(0), Fault("missing-start", text, "Settings"))
    elif not set_up.settings.start_given:
        findings.fault(*table.fault("missing-start", row, "Value", problem))


def _players(set_up: SetUp, places: Places, findings: Findings) -> tuple[Player, ...]:
    """Return the players; a blank cell or rival and what they are together become faults."""
    table = set_up.tables.get("Players")
    if table is None:
        return ()
    players = []
    for entrant in set_up.players:
        for column, value in (("Cell", entrant.cell), ("Rival", entrant.rival)):
            if value is None:
                problem = f"{_named(entrant.name)} has no {column.lower()}; fill it in or run deal"
                code = f"missing-{column.lower()}"
                findings.fault(*table.fault(code, entrant.row, column, problem, entrant.name))
        players.append(
            Player(
                name=entrant.name,
                # A stand-in that no other row shares keeps a faulty cell from looking doubled.
                cell=cast("RingCell", entrant.cell or f"?{entrant.row}"),
                rival=entrant.rival or "",
                garnets=entrant.garnets,
                aliases=entrant.aliases,
                token=entrant.token,
            )
        )
    for fault in players_faults(players):
        if fault.code in _PLAYERS_TOGETHER:
            placed = places.describe(fault)
            findings.fault(places.spot(placed), placed)
    return tuple(players)


def _named(name: str) -> str:
    return "this player" if name.startswith("\n") else quoted(name)


def _rounds(rows: TabRows, places: Places, findings: Findings) -> tuple[Round, ...]:
    """Return the rounds listed; where every number is sure, their order is checked too (R2.4)."""
    found = []
    sure = True
    for row, cells in rows.rows:
        number = rows.whole(row, cells, "Round", 1)
        start = rows.time(row, cells, "Start")
        minutes = rows.whole(row, cells, "Minutes", 1, "minutes")
        if number is None:
            sure = False
            rows.missing(
                row, cells, "Round", "the row has no round number; add it or clear the row"
            )
            continue
        found.append(
            Round(
                row=row, number=number, start=start, minutes=UNSET if minutes is None else minutes
            )
        )
    for fault in rounds_faults(found) if sure else ():
        placed = places.describe(fault)
        if fault.code == "starts-not-rising" and rows.is_undated(placed.row or 0, "Start"):
            more = "; it has no date: if it is of another day, write that too"
            placed = placed._replace(text=placed.text + more)
        findings.fault(places.spot(placed), placed)
    return tuple(found)


def _queue(rows: TabRows) -> tuple[QueueRow, ...]:
    found = []
    for row, cells in rows.rows:
        time = rows.required_time(row, cells)
        ruling, parsed = rows.ruling(row, cells)
        player = rows.player(row, cells, void=parsed == VOID)
        typed = rows.text(row, cells, "Action")
        action = find_action(typed)
        if action is None:
            rows.fault("bad-action", row, "Action", no_action(typed), player or None)
            continue
        edited = _edited(rows, row, cells, time, player)
        found.append(
            QueueRow(row=row, time=time, player=player, action=action, edited=edited, ruling=ruling)
        )
    return tuple(found)


def _submissions(rows: TabRows) -> tuple[Submission, ...]:
    found = []
    for row, cells in rows.rows:
        time = rows.required_time(row, cells)
        ruling, parsed = rows.ruling(row, cells)
        player = rows.player(row, cells, void=parsed == VOID)
        message = rows.text(row, cells, "Message", read_words)
        edited = _edited(rows, row, cells, time, player)
        found.append(
            Submission(
                row=row, time=time, player=player, message=message, edited=edited, ruling=ruling
            )
        )
    return tuple(found)


def _edited(
    rows: TabRows, row: int, cells: Sequence[Value], time: Instant, player: str
) -> Instant | UnsetType:
    """Return when a row's message was last edited, which cannot be before it was sent.

    Where the cell cannot be read, the time it was sent stands in: it was edited all the same.
    """
    edited = rows.time(row, cells, "Edited")
    if edited is UNSET:
        return UNSET if is_blank(rows.value(cells, "Edited")) else time
    if edited < time:
        sent = shown(rows.value(cells, "Timestamp"))
        problem = (
            f"{shown(rows.value(cells, 'Edited'))} is before {sent}, when the message was "
            "sent; correct one of the two"
        )
        rows.fault("edited-before-sent", row, "Edited", problem, player or None)
    return edited


def _adjustments(rows: TabRows) -> tuple[Adjustment, ...]:
    found = []
    for row, cells in rows.rows:
        time = rows.required_time(row, cells)
        player = rows.player(row, cells)
        garnets = rows.whole(row, cells, "Garnets")
        reason = rows.text(row, cells, "Reason", read_words)
        if garnets is None:
            rows.missing(
                row, cells, "Garnets", "the row has no garnets; write a whole number like -1"
            )
            continue
        found.append(Adjustment(row=row, time=time, player=player, garnets=garnets, reason=reason))
    return tuple(found)


def _refuse_queue_rows(record: Record, places: Places, findings: Findings) -> None:
    """Find edits not ruled on and forbidden entries here, among other faults (R3.6, R4.7)."""
    ledger = Ledger(record)
    for row in record.queue:
        if fold(row.ruling) != "void":
            ledger.action(row, cast("int", row.row))
            ledger.edited_ping(row, cast("int", row.row))
    for fault in ledger.faults:
        placed = places.describe(fault)
        findings.fault(places.spot(placed), placed)
