"""A match record into the host's tabs of a new workbook: the reverse of `reading`.

Times become date cells on the match's wall clock.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET, UnsetType

from referee.match.record import Record, Settings
from referee.workbook.cells import CellEdit, WallClock, Written
from referee.workbook.places import Places
from referee.workbook.times import time_cell
from referee.workbook.wall_clock import Clock
from referee.workbook.zones import clock_of

Filled = Written | WallClock
Row = dict[str, Filled]


def fill(record: Record, places: Places) -> list[CellEdit]:
    """Return the cells that write a record into an empty match workbook from the template.

    Raises `Stopped` where the record's time zone does not exist.
    """
    clock = clock_of(record)
    edits = list(_settings(record, places, clock))
    for tab, rows in _tabs(record, clock).items():
        first = (places.last_row(tab) or 1) + 1
        for row, cells in enumerate(rows, first):
            edits += _row(tab, row, cells, places)
    return edits


def _cell(instant: int | UnsetType, clock: Clock) -> Filled:
    return None if isinstance(instant, UnsetType) else time_cell(clock, instant)


def _settings(record: Record, places: Places, clock: Clock) -> Iterator[CellEdit]:
    column = places.column("Settings", "Value")
    values: Row = {
        "name": record.name,
        "start": _cell(record.start, clock),
        "time_zone": record.time_zone,
    }
    default = Settings()
    for key in Settings.__struct_fields__:
        value = getattr(record.settings, key)
        if value != getattr(default, key):
            values[key] = value
    for key, value in values.items():
        if column is not None and key in places.setting_rows:
            title = places.title("Settings")
            yield CellEdit(title, places.setting_rows[key], column, value)


def _tabs(record: Record, clock: Clock) -> dict[str, Sequence[Row]]:
    return {
        "Players": [
            {
                "Player": player.name,
                "Cell": player.cell,
                "Rival": player.rival,
                "Garnets": player.garnets,
                "Token": player.token,
                "Aliases": ", ".join(player.aliases),
            }
            for player in record.players
        ],
        "Rounds": [
            {
                "Round": row.number,
                "Start": _cell(row.start, clock),
                "Minutes": None if row.minutes is UNSET else row.minutes,
            }
            for row in record.rounds
        ],
        "Queue": [
            {
                "Timestamp": _cell(row.time, clock),
                "Player": row.player,
                "Action": row.action,
                "Edited": _cell(row.edited, clock),
                "Ruling": row.ruling,
            }
            for row in record.queue
        ],
        "Submissions": [
            {
                "Timestamp": _cell(row.time, clock),
                "Player": row.player,
                "Message": row.message,
                "Edited": _cell(row.edited, clock),
                "Ruling": row.ruling,
            }
            for row in record.submissions
        ],
        "Adjustments": [
            {
                "Timestamp": _cell(row.time, clock),
                "Player": row.player,
                "Garnets": row.garnets,
                "Reason": row.reason,
            }
            for row in record.adjustments
        ],
    }


def _row(tab: str, row: int, cells: Row, places: Places) -> Iterator[CellEdit]:
    for name, value in cells.items():
        column = places.column(tab, name)
        if column is not None and value not in (None, ""):
            yield CellEdit(places.title(tab), row, column, value)
