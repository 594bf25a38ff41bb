"""``referee resolve``: the main job."""

import time
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.exits import Exit
from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from referee.judging.resolving import Plan
    from referee.sheets import MatchSheet, Read


def run(
    sheet: SheetArgument,
    up_to: Annotated[
        int | None, typer.Option("--round", metavar="N", help="Publish no round after N.")
    ] = None,
    early: Annotated[
        bool, typer.Option("--early", help="Publish listed rounds whose timer still runs, too.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; write nothing.")
    ] = False,
    reopen: Annotated[
        int | None,
        typer.Option("--reopen", metavar="N", help="Let round N and later ones change."),
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay the match and publish every round that is over by now.

    A published round stays published: where recomputing gives something else, nothing is written
    and the exit code is 1; --reopen N accepts the change from round N on.

    Example: `referee resolve match.xlsx`
    """
    output = Output(as_json=as_json)
    match = sheet_at(sheet, credentials, read_only=dry_run)
    job = partial(_resolve_once, output, match, up_to, early, dry_run, reopen)
    with nullcontext() if dry_run else match.lock():
        read, planned = job()
        notes = list(match.notes)
        new_rounds = list(planned.new_rounds)
        written = _writes(planned) and not dry_run
        _tell_notes(output, notes)
        if match.overtaken:
            # The sheet changed under the run: what stands now is looked at once more.
            _say(output, match, read, planned, dry_run=dry_run)
            read, planned = _look_again(job)
            new_rounds += planned.new_rounds if _writes(planned) else []
            if _writes(planned) and match.notes:
                _tell_notes(output, match.notes)
                notes += match.notes
    if planned.differences:
        _tell_differences(output, read, planned, wrote_before=written)
    _say(output, match, read, planned, dry_run=dry_run)
    told = planned.as_json() | {"new_rounds": new_rounds}
    output.give(
        told | {"written": written or (_writes(planned) and not dry_run), "notes": notes}, "resolve"
    )
    if planned.differences:
        raise typer.Exit(Exit.DIFFERENCE)


def _resolve_once(
    output: Output,
    match: "MatchSheet",
    up_to: int | None,
    early: bool,
    dry_run: bool,
    reopen: int | None,
) -> "tuple[Read, Plan]":
    """Read, decide, write; with ``dry_run`` without the third."""
    read = match.read()
    planned = _plan(read, up_to, early=early, reopen=reopen)
    tell_remarks(output, read)
    for fault in planned.ahead:
        text = read.places.describe(fault).text
        output.tell(f"note: this will stop a round that still runs: {text}")
    _tell_notes(output, planned.notes)
    if _writes(planned) and not dry_run:
        match.write(planned.tabs)
        output.done(_written(match.name, planned))
    return read, planned


def _written(name: str, planned: "Plan") -> str:
    numbers = ", ".join(map(str, planned.new_rounds))
    return f"{name}: published round {numbers}" if numbers else f"{name}: written anew"


def _writes(planned: "Plan") -> bool:
    """Whether a plan has something to write and may."""
    return bool(planned.tabs) and not planned.differences


def _look_again(job: "Callable[[], tuple[Read, Plan]]") -> "tuple[Read, Plan]":
    """Resolve once more after a write; what stops it then does not undo that write."""
    from referee.match.faults import Stopped

    try:
        return job()
    except Stopped as stopped:
        stopped.after_writing = True
        raise


def _tell_notes(output: Output, notes: "Iterable[str]") -> None:
    for note in notes:
        output.tell(f"note: {note}")


def _plan(read: "Read", up_to: int | None, *, early: bool, reopen: int | None) -> "Plan":
    from referee.judging.resolving import plan
    from referee.match.faults import Stopped
    from referee.sheets import located, new_salt

    now = time.time_ns() // 1_000_000
    try:
        return plan(
            read.record,
            read.places.titles,
            now,
            only_to=up_to,
            early=early,
            reopen=reopen,
            salt=new_salt(),
        )
    except Stopped as stopped:
        raise located(stopped, read.places) from None


def tell_remarks(output: Output, read: "Read") -> None:
    """Tell what the reading found doubtful."""
    for remark in read.remarks:
        output.tell(remark.line)


def _tell_differences(output: Output, read: "Read", planned: "Plan", *, wrote_before: bool) -> None:
    from referee.judging.doubts import doubts

    first = min((d.round for d in planned.differences if d.round is not None), default=1)
    output.tell(
        "What is published is not what the sheet gives now (published → recomputed); nothing "
        f"{'more ' if wrote_before else ''}was written:"
    )
    for difference in planned.differences:
        output.tell(f"  {difference.kind}: {difference.text}")
    other_day = [
        remark
        for remark in doubts(planned, read.places, read.undated)
        if remark.code == "undated-rows"
    ]
    for remark in other_day:
        output.tell(remark.line)
    if other_day:
        output.tell("Write the dates first, then resolve again.")
        return
    output.tell(
        f"Undo the change in the sheet, or accept it: referee resolve --reopen {first} "
        "(the players have seen the old result)"
    )


def _say(
    output: Output, match: "MatchSheet", read: "Read", planned: "Plan", *, dry_run: bool
) -> None:
    from referee.judging.doubts import doubts
    from referee.views.summary import new_notices, next_step, round_lines

    if planned.differences:
        return
    for difference in planned.refreshed:
        output.say(f"reopened: {difference.text}")
    would = "would publish" if dry_run else "published"
    for number in planned.new_rounds:
        output.say(f"{match.name}: {would} round {number}")
    if planned.tabs and not planned.new_rounds:
        what = "the changed rounds" if planned.refreshed else "notices; no published round changed"
        output.say(f"{match.name}: {'would write' if dry_run else 'wrote'} {what}")
    if planned.new_rounds:
        for line in round_lines(planned.result):
            output.say(line)
    for line in new_notices(planned, read.places):
        output.say(line)
    for remark in doubts(planned, read.places, read.undated):
        output.tell(remark.line)
    if not planned.tabs:
        output.say(f"{match.name}: nothing new to publish")
    output.say(next_step(planned.result))
