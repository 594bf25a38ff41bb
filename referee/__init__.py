"""The referee of Pig Starvation: replays a host's sheet by the rules and shows why.

``read_record(path)`` reads a match record, ``replay(record)`` gives its `Result`. The workbook is
reached by ``open(sheet)``. Nothing heavy is imported before it is asked for.
"""

from referee.faults import Fault, RefereeError, Stopped, Unavailable
from referee.record import Record
from referee.record_json import decode_record, encode_record, read_record
from referee.result import Result
from referee.rules.replay import replay
from referee.version import __version__

__all__ = [
    "Fault",
    "Record",
    "RefereeError",
    "Result",
    "Stopped",
    "Unavailable",
    "__version__",
    "decode_record",
    "encode_record",
    "read_record",
    "replay",
]
