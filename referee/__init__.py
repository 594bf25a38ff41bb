"""The referee of Pig Starvation: replays a host's sheet by the rules and shows why.

``read_record(path)`` reads a match record, ``replay(record)`` gives its `Result`. The workbook is
reached by ``open(sheet)``, and ``audit(record, published)`` holds what is published against its
recomputation. Nothing heavy is imported before it is asked for.
"""

from typing import TYPE_CHECKING, Any, Final

from referee.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from referee.judging.auditing import Audit
    from referee.judging.standing import Published
    from referee.match.faults import Fault, RefereeError, Stopped, Unavailable
    from referee.match.record import Record
    from referee.match.record_json import decode_record, encode_record, read_record
    from referee.match.result import Result
    from referee.rules.replay import replay
    from referee.sheets import MatchSheet

__all__ = [
    "Fault",
    "Record",
    "RefereeError",
    "Result",
    "Stopped",
    "Unavailable",
    "__version__",
    "audit",
    "decode_record",
    "encode_record",
    "frames",
    "open",
    "read_record",
    "replay",
]


_HOMES: Final = {
    "Fault": "referee.match.faults",
    "Record": "referee.match.record",
    "RefereeError": "referee.match.faults",
    "Result": "referee.match.result",
    "Stopped": "referee.match.faults",
    "Unavailable": "referee.match.faults",
    "decode_record": "referee.match.record_json",
    "encode_record": "referee.match.record_json",
    "read_record": "referee.match.record_json",
    "replay": "referee.rules.replay",
}
"""Where each name above comes from: imported when it is asked for, so that the command line can
show its help without the engine."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def open(  # noqa: A001  the library's word for it, as in gzip.open
    sheet: "str | Path", *, credentials: "str | Path | None" = None, read_only: bool = False
) -> "MatchSheet":
    """Return the match workbook at a path, a Google Sheets address or key, or in a record.

    Nothing is read yet: `MatchSheet.record`, `.published` and `.publish` do. ``credentials`` is a
    Google credentials file; ``read_only`` asks Google for no more than reading. Raises
    `WrongUsage` where the name fits nothing.
    """
    from referee.sheets import open as open_sheet

    return open_sheet(sheet, credentials=credentials, read_only=read_only)


def frames(result: "Result") -> "dict[str, pd.DataFrame]":
    """Return each owned tab of a result as a pandas DataFrame, by the tab's title.

    Whole numbers are Int64, times are timestamps in the match's time zone, empty cells are missing
    values. pandas is imported here and nowhere else.
    """
    from referee.workbook.frames import frames as frames_of

    return frames_of(result)


def audit(record: "Record", published: "Published | None" = None) -> "Audit":
    """Recompute every published round of a record and compare it with what is published.

    ``published`` holds the owned tabs' rows by title, by default what the record carries. The
    differences are `Audit.differences`, one a cell, and `Audit.frame()`. Raises `Stopped` where
    the record cannot be replayed.
    """
    from referee.judging.auditing import audit as audit_record

    return audit_record(record, published)
