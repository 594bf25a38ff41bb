"""The owned tabs as pandas DataFrames, for notebooks and hosts' own scripts."""

from typing import Any, Final

import pandas as pd

from referee.match.result import Result
from referee.workbook import layout as template
from referee.workbook.cells import Written
from referee.workbook.receipts import first_receipts
from referee.workbook.writing import Rows, tab_rows

_WHOLE: Final = frozenset({"Round", "Visit", "Garnets paid", "Row"})
_TIMES: Final = frozenset({"Entered", "Left", "Swap time"})


def frames(result: Result) -> dict[str, pd.DataFrame]:
    """Return each owned tab as a DataFrame by its title with proper types.

    Rounds, hunger and garnets are whole numbers (Int64), times are timestamps in the match's time
    zone, all else is text; empty cells are missing values. Receipts are as a first resolving would
    write them, without its time.
    """
    receipts = first_receipts(result, "", "")
    rows = tab_rows(result, receipts, template.load())
    found = {title: _frame(title, tab) for title, tab in rows.items()}
    visits = [visit for round_ in result.rounds for visit in round_.visits]
    for column, instants in (
        ("Entered", [visit.entered for visit in visits]),
        ("Left", [visit.left for visit in visits]),
        ("Swap time", [visit.swap_time for visit in visits]),
    ):
        stamps = pd.to_datetime(pd.Series(instants, dtype="Int64"), unit="ms", utc=True)
        found["Visits"][column] = stamps.dt.tz_convert(result.record.time_zone)
    return found


def _frame(title: str, rows: Rows) -> pd.DataFrame:
    header, *body = rows
    columns = [
        _column(title, place, str(name), [row[place] for row in body])
        for place, name in enumerate(header)
    ]
    frame = pd.concat(columns, axis="columns")
    # A player may be called like the first column: the names come last, all at once.
    frame.columns = pd.Index([str(name) for name in header])
    return frame


def _column(title: str, place: int, name: str, values: list[Written]) -> "pd.Series[Any]":
    is_points = title in ("Hunger", "Garnets") and place > 0
    if is_points or (name in _WHOLE and title != "Garnets"):
        return pd.Series(values, dtype="Int64")
    if name not in _TIMES and all(value is None or isinstance(value, str) for value in values):
        return pd.Series(values, dtype="string")
    return pd.Series(values, dtype=object)
