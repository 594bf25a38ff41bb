"""The owned tabs as pandas DataFrames, for notebooks and hosts' own scripts."""

from typing import Final

import pandas as pd

from referee.result import Result
from referee.workbook import layout as template
from referee.workbook.receipts import chained, digests
from referee.workbook.writing import Rows, tab_rows

_WHOLE: Final = frozenset({"Round", "Visit", "Garnets paid", "Row"})
_TIMES: Final = frozenset({"Entered", "Left", "Swap time"})


def result_frames(result: Result) -> dict[str, pd.DataFrame]:
    """Return each owned tab by title: whole numbers as Int64, times with their zone, else text.

    Receipts are as a first resolving would write them, without its time. Empty cells are missing
    values.
    """
    receipts = chained(digests(result), (), "")
    rows = tab_rows(result, receipts, template.load())
    frames = {title: _frame(title, tab) for title, tab in rows.items()}
    visits = [visit for round_ in result.rounds for visit in round_.visits]
    for column, instants in (
        ("Entered", [visit.entered for visit in visits]),
        ("Left", [visit.left for visit in visits]),
        ("Swap time", [visit.swap_time for visit in visits]),
    ):
        stamps = pd.to_datetime(pd.Series(instants, dtype="Int64"), unit="ms", utc=True)
        frames["Visits"][column] = stamps.dt.tz_convert(result.record.time_zone)
    return frames


def _frame(title: str, rows: Rows) -> pd.DataFrame:
    header, *body = rows
    frame = pd.DataFrame(body, columns=pd.Index([str(name) for name in header]), dtype=object)
    for column in frame.columns:
        values = [value for value in frame[column] if value is not None]
        counts = title in ("Hunger", "Garnets") and column != "Round"
        if (column in _WHOLE and title != "Garnets") or counts:
            frame[column] = frame[column].astype("Int64")
        elif column not in _TIMES and all(isinstance(value, str) for value in values):
            frame[column] = frame[column].astype("string")
    return frame
