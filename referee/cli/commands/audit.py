"""``referee audit``: published against recomputed."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from referee.cli.exits import Exit
from referee.cli.options import (
    CredentialsOption,
    JsonOption,
    RoundOption,
    check_round,
    names_sheet,
    sheet_at,
    usual_sheet,
)
from referee.cli.output import Output
from referee.match.faults import RefereeError, Stopped, WrongUsage

if TYPE_CHECKING:
    from referee.sheets import Read


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
        from referee.judging.findings import GRAVE

        is_grave = any(difference["kind"] in GRAVE for difference in self.differences)
        return Exit.DIFFERENCE if is_grave else Exit.DONE


def run(
    sheets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SHEET...",
            help="Workbooks, Google Sheets, match records, or archives (.jsonl); REFEREE_SHEET "
            "where none is named.",
            show_default=False,
        ),
    ] = None,
    only_round: RoundOption = None,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="FILE",
            help="Compare with what was kept before, too: a text file with the announcements' "
            "anchors, or an earlier copy of the workbook or record.",
        ),
    ] = "",
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, help="Audit N of many at once.")
    ] = 1,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute every published round and compare it cell by cell with what the workbook says.

    The receipts tell a changed input from a changed output, and name the tab. The exit code is 1
    where anything differs; rows that only moved are told and are none.

    With --against it names the rounds that were rewritten after they were announced or copied,
    however well the workbook agrees with itself.

    Example: `referee audit match.xlsx`
    """
    output = Output(as_json=as_json)
    places = sheets or [usual_sheet()]
    if against and (len(places) > 1 or _is_archive(places[0])):
        raise WrongUsage("--against holds one match against what was kept of it; name one SHEET")
    if len(places) == 1 and not _is_archive(places[0]):
        # One workbook: what goes wrong is told as every other command tells it.
        verdicts: Iterable[Verdict] = [_audit_only(places[0], only_round, credentials, against)]
    else:
        verdicts = _many(places, only_round, credentials, jobs)
    codes = [Exit.DONE]
    given = []
    for verdict in verdicts:
        codes.append(verdict.code)
        _say(output, verdict, only_round)
        given.append(_as_json(verdict))
    output.give({"audits": given}, "audit")
    raise typer.Exit(max(codes))


def _is_archive(place: str) -> bool:
    return place.lower().endswith(".jsonl")


def _audit_only(
    place: str, only_round: int | None, credentials: Path | None, against: str
) -> Verdict:
    from referee.judging.standing import published_rounds

    match = sheet_at(place, credentials, read_only=True)
    read = match.read()
    check_round(only_round, published_rounds(read.record.published or {}))
    verdict = _audit_read(match.name, read, only_round)
    if not against:
        return verdict
    found = _against(read, against, credentials)
    return msgspec.structs.replace(verdict, differences=(*found, *verdict.differences))


def _against(read: "Read", against: str, credentials: Path | None) -> tuple[dict[str, Any], ...]:
    """Hold a match against a kept file; a text with anchors is one that is no sheet."""
    from referee.judging.against import against_anchors, against_copy

    if not against.lower().endswith(".txt") and names_sheet(against):
        earlier = sheet_at(against, credentials, read_only=True).read().record
        return tuple(one.as_json() for one in against_copy(read.record, earlier))
    from referee.stores.file_safety import read_file

    data = read_file(Path(against), _MOST_TEXT)
    # Windows' Notepad writes either.
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = data.decode(encoding, "replace")
    try:
        return tuple(one.as_json() for one in against_anchors(read.record, text))
    except WrongUsage as problem:
        raise WrongUsage(f"{against}: {problem}") from None


def _audit_read(name: str, read: "Read", only_round: int | None) -> Verdict:
    from referee.judging.auditing import audit
    from referee.sheets import located

    try:
        found = audit(read.record, only_round=only_round, titles=read.places.titles)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    return Verdict(
        name,
        found.rounds,
        tuple(difference.as_json() for difference in found.differences),
        tuple(remark.text for remark in read.remarks),
    )


_MOST_TEXT: Final = 16 * 2**20

Item = tuple[str, bytes | RefereeError | None]
"""One of many to audit: its name, and its JSON where it is a line of an archive."""


def _audit_one(only_round: int | None, credentials: Path | None, item: Item) -> Verdict:
    name, line = item
    try:
        if isinstance(line, RefereeError):
            raise line
        if line is None:
            read = sheet_at(name, credentials, read_only=True).read()
            return _audit_read(name, read, only_round)
        return _audit_line(name, line, only_round)
    except Stopped as stopped:
        return Verdict(name, faults=tuple(fault.as_json() for fault in stopped.faults))
    except RefereeError as error:
        return Verdict(name, error=str(error))


def _audit_line(name: str, line: bytes, only_round: int | None) -> Verdict:
    from referee.judging.auditing import audit
    from referee.match.record_json import decode_record

    record = decode_record(line)
    found = audit(record, only_round=only_round)
    differences = tuple(difference.as_json() for difference in found.differences)
    return Verdict(f"{name} ({record.name})", found.rounds, differences)


def _many(
    places: list[str], only_round: int | None, credentials: Path | None, jobs: int
) -> Iterator[Verdict]:
    """Audit one after the other or several at once, always told in the order given."""
    if only_round is not None and only_round < 1:
        raise WrongUsage(f"--round {only_round}: round must be 1 or more")
    total = None if any(map(_is_archive, places)) else len(places)
    work = partial(_audit_one, only_round, credentials)
    yield from _progress(_spread(work, _items(places), jobs), total)


def _items(places: list[str]) -> Iterator[Item]:
    from referee.match.archives import read_lines

    for place in places:
        if not _is_archive(place):
            yield place, None
            continue
        try:
            for number, line in enumerate(read_lines(place), 1):
                yield f"{Path(place).name} line {number}", line
        except RefereeError as error:
            yield place, error


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
    """Show a bar on a terminal's standard error while many are audited.

    It is wiped before a verdict is told, so that the two never share a line.
    """
    import sys

    stream = sys.stderr
    if not stream.isatty():
        yield from verdicts
        return
    for done in count():
        bar = _bar(done, total)
        stream.write(bar)
        stream.flush()
        verdict = next(verdicts, None)
        stream.write(f"\r{' ' * len(bar)}\r")
        stream.flush()
        if verdict is None:
            return
        yield verdict


def _bar(done: int, total: int | None) -> str:
    if total is None:
        return f"auditing: {done} done"
    full = 30 * done // total
    return f"auditing {'█' * full}{'░' * (30 - full)} {done} of {total}"


def _say(output: Output, verdict: Verdict, only_round: int | None) -> None:
    for remark in verdict.remarks:
        output.tell(f"note: {remark}")
    if verdict.faults:
        output.tell(f"{verdict.name}: it cannot be replayed:")
        for fault in verdict.faults:
            output.tell(f"  {fault['text']}")
    elif verdict.error:
        output.tell(f"{verdict.name}: {verdict.error}")
    elif verdict.differences:
        output.say(f"{verdict.name}: {_found(verdict)}:")
        for difference in verdict.differences:
            output.say(f"  {difference['kind']}: {difference['text']}")
    elif verdict.rounds:
        played = len(verdict.rounds)
        rounds = f"round {verdict.rounds[0]}" if played == 1 else f"all {played} published rounds"
        output.say(f"{verdict.name}: {rounds} as recomputed")
    else:
        number = "no round is" if only_round is None else f"round {only_round} is not"
        output.say(f"{verdict.name}: {number} published yet")


def _found(verdict: Verdict) -> str:
    """Say how many differences there are and which of the two was changed."""
    from referee.views.summary import counted

    many = counted(len(verdict.differences), "difference")
    kinds = {difference["kind"] for difference in verdict.differences}
    return f"{many}, {' and '.join(_SAID[kind] for kind in _SAID if kind in kinds)}"


_SAID: Final = {
    "rewritten": "rounds were rewritten after they were announced or copied",
    "input": "the inputs were changed",
    "output": "what is published was changed",
    "late-seed": "a seed or words came late",
    "moved": "rows moved, which changes nothing",
}
"""What each kind of difference says of a match, the gravest first."""


def _as_json(verdict: Verdict) -> dict[str, Any]:
    found = msgspec.to_builtins(verdict)
    return {**found, "compared": len(verdict.rounds), "exit_code": int(verdict.code)}
