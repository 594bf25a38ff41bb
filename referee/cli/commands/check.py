"""``referee check``: what is wrong or doubtful, nothing written."""

from typing import TYPE_CHECKING, Any

import typer

from referee.cli.exits import Exit
from referee.cli.options import (
    CredentialsOption,
    JsonOption,
    RoundOption,
    SheetArgument,
    check_round,
    sheet_at,
)
from referee.cli.output import Output
from referee.match.faults import Stopped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.match.notices import Notice
    from referee.match.result import Result
    from referee.sheets import Read
    from referee.workbook.findings import Remark


def run(
    sheet: SheetArgument,
    number: RoundOption = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell everything wrong or doubtful in the host's tabs; write nothing.

    With --round only the notices of that round are told, and all that is no round's. The exit
    code is 3 where something would stop a resolving, 0 otherwise.

    Example: `referee check match.xlsx`
    """
    output = Output(as_json=as_json)
    match = sheet_at(sheet, credentials, read_only=True)
    faults: Sequence[Any] = ()
    notices: Sequence[Notice] = ()
    doubtful: Sequence[Remark] = ()
    read: Read | None = None
    try:
        read = match.read()
        result = _replayed(read, number)
        notices = result.notices if number is None else _of_round(result, number)
        doubtful = (*_doubts(read), *_draw_doubts(read, result))
    except Stopped as stopped:
        faults = stopped.faults
    remarks = (*(match.waiting() if read is None else read.remarks), *doubtful)
    for fault in faults:
        output.say(f"fault: {fault.text}")
    for remark in remarks:
        output.say(remark.line)
    if read is not None:
        from referee.views.summary import notice_line
        from referee.workbook.writing import wall_clock
        from referee.workbook.zones import clock_of, in_force

        output.say(f"times are in {in_force(clock_of(read.record), read.record.start)}")
        clock = wall_clock(read.record)
        for notice in notices:
            output.say(notice_line(notice, read.places, clock))
    if not faults:
        severities = [*(remark.severity for remark in remarks), *(n.severity for n in notices)]
        count = severities.count("warning")
        output.say(f"{match.name} can be resolved{_doubt(count)}")
    told = _as_json(faults, remarks, notices)
    output.give({"time_zone": None if read is None else read.record.time_zone} | told, "check")
    if faults:
        output.tell(f"Mend {_these(len(faults))} first, then check again.")
        raise typer.Exit(Exit.CONTENTS)


def _doubt(warnings: int) -> str:
    if not warnings:
        return ""
    return f"; look at the {'warning' if warnings == 1 else f'{warnings} warnings'} above first"


def _these(faults: int) -> str:
    return "this" if faults == 1 else f"these {faults}"


def _replayed(read: "Read", number: int | None) -> "Result":
    from referee.sheets import replay_located

    result = replay_located(read)
    check_round(number, len(result.rounds))
    return result


def _of_round(result: "Result", number: int) -> "Sequence[Notice]":
    from referee.views.round_notices import round_notices

    return round_notices(result, number)


def _draw_doubts(read: "Read", result: "Result") -> "Sequence[Remark]":
    """Return what is doubtful about a draw, unless the match ended without one."""
    from referee.workbook.draw_doubts import draw_doubts

    outcome = result.outcome
    if outcome is not None and outcome.decided_by not in ("draw", "draw pending"):
        return ()
    return tuple(draw_doubts(read.record.settings, read.commitment, read.places.title("Settings")))


def _doubts(read: "Read") -> "Sequence[Remark]":
    """Return what a resolving now would doubt; raises `Stopped` where it would stop."""
    import time

    from referee.judging.doubts import doubts
    from referee.judging.resolving import plan
    from referee.sheets import located

    now = time.time_ns() // 1_000_000
    try:
        planned = plan(read.record, read.places.titles, now)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    return doubts(planned, read.places, read.undated)


def _as_json(
    faults: "Sequence[Any]", remarks: "Sequence[Any]", notices: "Sequence[Notice]"
) -> dict[str, Any]:
    from referee.match.result import notice_json

    return {
        "faults": [fault.as_json() for fault in faults],
        "remarks": [
            {
                "severity": remark.severity,
                "code": remark.code,
                "tab": remark.tab,
                "row": remark.row,
                "text": remark.text,
            }
            for remark in remarks
        ],
        "notices": [notice_json(notice) for notice in notices],
    }
