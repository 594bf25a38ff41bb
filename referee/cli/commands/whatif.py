"""``referee whatif``: what would differ under other rulings, settings or rows."""

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.changes import ADD_FORMS, Wording
from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output
from referee.match.faults import Stopped, WrongUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.judging.whatif import Trial, WhatIf
    from referee.match.notices import Clock
    from referee.sheets import Read


def _rows(option: str, metavar: str, help_: str) -> typer.models.OptionInfo:
    option_: typer.models.OptionInfo = typer.Option(option, metavar=metavar, help=help_)
    return option_


def run(
    sheet: SheetArgument,
    void: Annotated[
        list[str] | None, _rows("--void", "ROW", "Rule a row void: Submissions:12, Queue:5.")
    ] = None,
    read_as: Annotated[
        list[str] | None, _rows("--read", "ROW=X", "Read a row as X: Submissions:14=A D, or =pass.")
    ] = None,
    allow: Annotated[
        list[str] | None,
        _rows("--allow", "ROW[=X]", "Allow a late row, with =X also what it says: Submissions:9."),
    ] = None,
    settings: Annotated[
        list[str] | None, _rows("--set", "KEY=VALUE", "Give a setting a value: room_seconds=90.")
    ] = None,
    add: Annotated[list[str] | None, _rows("--add", "ROW", f"Add a row. {ADD_FORMS}.")] = None,
    each: Annotated[
        str | None,
        typer.Option(
            "--each", metavar="TAB", help="Try each doubtful row of Submissions or Queue by itself."
        ),
    ] = None,
    notices: Annotated[
        bool, typer.Option("--notices", help="Also tell which notices would differ.")
    ] = False,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay the match with changes and show what would differ, round by round; write nothing.

    Options may be repeated and combined. With --each the rulings that would change the outcome
    come first: the rows to look at before publishing.

    Example: `referee whatif match.xlsx --allow Submissions:2 --set room_seconds=90`
    """
    from referee.sheets import located
    from referee.views.explanation import within_day
    from referee.workbook.writing import wall_clock

    output = Output(as_json=as_json)
    asked = [void or [], read_as or [], allow or [], settings or [], add or []]
    if not any(asked) and each is None:
        raise WrongUsage("name a change (--void, --read, --allow, --set, --add) or use --each TAB")
    if any(asked) and each is not None:
        raise WrongUsage("--each tries rows by themselves; leave the other changes out")
    read = sheet_at(sheet, credentials, read_only=True).read()
    clock = wall_clock(read.record)
    if not as_json:
        clock = within_day(clock, read.record.start)
    wording = Wording(read.record, read.places)
    try:
        if each is not None:
            _try_each(output, read, wording.tab(each), clock)
            return
        _show_changes(output, read, wording, asked, clock, notices=notices)
    except Stopped as stopped:
        raise located(stopped, read.places) from None


def _show_changes(
    output: Output,
    read: "Read",
    wording: Wording,
    asked: list[list[str]],
    clock: "Clock",
    *,
    notices: bool,
) -> None:
    from referee.judging.whatif import what_if

    void, read_as, allow, settings, add = asked
    changes = wording.changes(void=void, read=read_as, allow=allow, settings=settings, add=add)
    found = what_if(read.record, changes, clock=clock, notices=notices)
    _say_differences(output, read, found, clock)
    output.give(found.as_json(), "whatif")


def _say_differences(output: Output, read: "Read", found: "WhatIf", clock: "Clock") -> None:
    from referee.views.summary import counted, next_step

    for one in found.changes:
        output.say(f"if: {one.words(clock)}")
    for fault in found.stopped:
        output.say(f"as it stands the run stops: {read.places.describe(fault).text}")
    for difference in found.differences:
        output.say(f"  {difference.text}")
    if found.stopped:
        output.say("with the change it goes through.")
        output.say(next_step(found.after))
    elif found.differences:
        output.say(f"{counted(len(found.differences), 'difference')}; nothing was written")
        output.say(next_step(found.after))
    else:
        output.say("nothing would differ")


def _try_each(output: Output, read: "Read", tab: str, clock: "Clock") -> None:
    from referee.judging.whatif import each

    trials = each(read.record, tab, clock=clock)
    for trial in trials:
        for line in _trial_lines(trial, clock, read.places.title):
            output.say(line)
    if not trials:
        output.say(f"no row of {read.places.title(tab)} is doubtful")
    output.give({"trials": [trial.as_json(clock) for trial in trials]}, "whatif-each")


def _trial_lines(trial: "Trial", clock: "Clock", title: "Callable[[str], str]") -> list[str]:
    from referee.views.summary import counted

    why = trial.verdict.causes[0]
    ruling = trial.rule.ruling or "without its ruling"
    reach = "stops the run" if trial.faults else trial.reach
    lines = [
        f"{reach}: {title(trial.rule.tab)} row {trial.rule.row}: {ruling}",
        f"    now: {why.words(clock)} ({why.rule})",
    ]
    lines += [f"    {fault.text}" for fault in trial.faults]
    gravest = [d for d in trial.differences if d.tab == "Result" and not d.what.startswith("Swaps")]
    lines += [f"    {difference.text}" for difference in gravest]
    rest = len(trial.differences) - len(gravest)
    if rest:
        lines.append(f"    {counted(rest, 'difference')}{' more' if gravest else ''}")
    return lines
