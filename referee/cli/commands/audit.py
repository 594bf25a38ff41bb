"""``referee audit``: published against recomputed."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from referee.cli.exits import Exit
from referee.cli.options import CredentialsOption, JsonOption, RoundOption
from referee.cli.output import Output
from referee.faults import RefereeError, Stopped, WrongUsage


class Verdict(msgspec.Struct, frozen=True):
    """What one audit came to; ``error`` stands where there was none."""

    name: str
    rounds: tuple[int, ...] = ()
    differences: tuple[dict[str, Any], ...] = ()
    remarks: tuple[str, ...] = ()
    faults: tuple[dict[str, Any], ...] = ()
    error: str = ""

    @property
    def code(self) -> Exit:
        """The exit code it asks for."""
        if self.faults:
            return Exit.CONTENTS
        if self.error:
            return Exit.UNAVAILABLE
        return Exit.DIFFERENCE if self.differences else Exit.DONE


def run(
    sheets: Annotated[
        list[str],
        typer.Argument(
            metavar="SHEET...",
            envvar="REFEREE_SHEET",
            help="Workbooks, Google Sheets, match records, or archives (.jsonl).",
            show_default=False,
        ),
    ],
    only_round: RoundOption = None,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, help="Audit N of many at once.")
    ] = 1,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute every published round and compare it cell by cell with what the workbook says.

    The receipts tell a changed input from a changed output. The exit code is 1 where anything
    differs.

    Example: `referee audit match.xlsx`
    """
    output = Output(as_json=as_json)
    if len(sheets) == 1 and not sheets[0].lower().endswith(".jsonl"):
        # One workbook: what goes wrong is told as every other command tells it.
        verdicts: Iterable[Verdict] = [_audit_sheet(sheets[0], only_round, credentials)]
    else:
        verdicts = _many(sheets, only_round, credentials, jobs)
    codes = [Exit.DONE]
    given = []
    for verdict in verdicts:
        codes.append(verdict.code)
        _say(output, verdict)
        given.append(_as_json(verdict))
    output.give({"audits": given})
    raise typer.Exit(max(codes))


def _audit_sheet(place: str, only_round: int | None, credentials: Path | None) -> Verdict:
    from referee.auditing import audit, published_rounds
    from referee.cli.options import check_round, sheet_at
    from referee.sheets import located

    match = sheet_at(place, credentials, read_only=True)
    read = match.read()
    check_round(only_round, published_rounds(read.record.published or {}))
    try:
        found = audit(read.record, only_round=only_round, titles=read.places.titles)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    return Verdict(
        match.name,
        found.rounds,
        tuple(difference.as_json() for difference in found.differences),
        tuple(remark.text for remark in read.remarks),
    )


def _audit_or_error(only_round: int | None, credentials: Path | None, place: str) -> Verdict:
    try:
        return _audit_sheet(place, only_round, credentials)
    except Stopped as stopped:
        return Verdict(place, faults=tuple(fault.as_json() for fault in stopped.faults))
    except RefereeError as error:
        return Verdict(place, error=str(error))


def _audit_line(only_round: int | None, numbered: tuple[str, bytes]) -> Verdict:
    from referee.auditing import audit
    from referee.record_json import decode_record

    place, line = numbered
    try:
        record = decode_record(line)
        found = audit(record, only_round=only_round)
    except Stopped as stopped:
        return Verdict(place, faults=tuple(fault.as_json() for fault in stopped.faults))
    differences = tuple(difference.as_json() for difference in found.differences)
    return Verdict(f"{place} ({record.name})", found.rounds, differences)


def _many(
    sheets: list[str], only_round: int | None, credentials: Path | None, jobs: int
) -> Iterator[Verdict]:
    """Audit one after the other or several at once, always told in the order given."""
    if only_round is not None and only_round < 1:
        raise WrongUsage(f"--round {only_round}: round must be 1 or more")
    files = [place for place in sheets if not place.lower().endswith(".jsonl")]
    archives = [place for place in sheets if place.lower().endswith(".jsonl")]
    yield from _progress(
        _spread(partial(_audit_or_error, only_round, credentials), files, jobs), len(files)
    )
    yield from _progress(_spread(partial(_audit_line, only_round), _lines(archives), jobs), None)


def _lines(archives: list[str]) -> Iterator[tuple[str, bytes]]:
    from referee.archives import read_lines

    for place in archives:
        for number, line in enumerate(read_lines(place), 1):
            yield f"{Path(place).name} line {number}", line


def _spread(work: Any, items: Iterable[Any], jobs: int) -> Iterator[Verdict]:
    if jobs == 1:
        yield from map(work, items)
        return
    from collections import deque
    from concurrent.futures import Future, ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        # No more than a few per worker wait at a time, so that memory stays the same for any
        # length of archive.
        waiting: deque[Future[Verdict]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 4 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _progress(verdicts: Iterator[Verdict], total: int | None) -> Iterator[Verdict]:
    """Show a bar on a terminal's standard error while many are audited."""
    import sys

    if not sys.stderr.isatty():
        yield from verdicts
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(verdicts, "auditing", total=total, console=console, transient=True)


def _say(output: Output, verdict: Verdict) -> None:
    for remark in verdict.remarks:
        output.tell(f"note: {remark}")
    if verdict.faults:
        output.tell(f"{verdict.name}: it cannot be replayed:")
        for fault in verdict.faults:
            output.tell(f"  {fault['text']}")
    elif verdict.error:
        output.tell(f"{verdict.name}: {verdict.error}")
    elif verdict.differences:
        output.say(f"{verdict.name}: {len(verdict.differences)} differences:")
        for difference in verdict.differences:
            output.say(f"  {difference['text']}")
    elif verdict.rounds:
        count = len(verdict.rounds)
        rounds = f"round {verdict.rounds[0]}" if count == 1 else f"all {count} published rounds"
        output.say(f"{verdict.name}: {rounds} as recomputed")
    else:
        output.say(f"{verdict.name}: no round is published yet")


def _as_json(verdict: Verdict) -> dict[str, Any]:
    found = msgspec.to_builtins(verdict)
    return {**found, "exit_code": int(verdict.code)}
