"""``referee log``: stamp what just happened."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from referee.cli.options import (
    CredentialsOption,
    JsonOption,
    pasteable,
    sheet_and_words,
    sheet_at,
)
from referee.cli.output import Output
from referee.match.faults import Fault, RefereeError, Stopped, Unavailable, WrongUsage

if TYPE_CHECKING:
    from referee.desk.logbook import Done, Logbook
    from referee.stores.journal import Kept

_TRIES: Final = 5
_PAUSE: Final = 0.3
"""Seconds between two tries to write a file that another program is busy with."""


def run(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SHEET] WHAT…",
            help="ann: a ping; ann exit; ann A D: what she typed; round: the next round's timer "
            "starts. Without WHAT, what could not be written before is written.",
            show_default=False,
        ),
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(
            "--minutes",
            metavar="N",
            min=1,
            help="With round: the round that runs lasts N minutes, a pause included.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="When it happened, where that is not now."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last logged line back.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Let go of the lines that wait to be written.")
    ] = False,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stamp what just happened with the time it is now, to the millisecond.

    A ping or another thing at the door goes to Queue, a message to Submissions, a round's start
    to Rounds. What cannot be written now, because the file is open elsewhere or Google does not
    answer, is kept with its time and written by the next log or live.

    Example: `referee log match.xlsx ann "A D"`
    """
    from referee.cli.begun import begun
    from referee.desk.logbook import Logbook
    from referee.sheets import journal_of

    now = begun(time.time_ns() // 1_000_000)
    output = Output(as_json=as_json)
    sheet, words = _sheet_and_words(arguments or [], now, at)
    typed = " ".join([*words, *([] if minutes is None else [f"--minutes {minutes}"])])
    _check_usage(typed, minutes, at, undo=undo, forget=forget)
    match = sheet_at(sheet, credentials)
    logbook = Logbook(journal_of(sheet), match.workbook_store)
    line: Kept | None = None
    if forget:
        _forget(output, logbook)
        return
    if undo:
        line = logbook.take_back()
        if line is None:
            raise WrongUsage("nothing was logged that could be undone")
    elif typed:
        line = _kept(logbook, sheet, typed, now, at, match.workbook_store)
    done = _written(output, logbook, sheet)
    _tell(output, sheet, logbook, line, done)


def _sheet_and_words(arguments: list[str], now: int, at: str | None) -> tuple[str, list[str]]:
    try:
        return sheet_and_words(arguments)
    except WrongUsage as wrong:
        if not arguments or at is not None:
            raise
        from referee.match.instants import format_instant

        stamp = format_instant(now)
        raise WrongUsage(f"{wrong}\nNothing was logged; add --at {stamp}, when it was") from None


def _check_usage(
    typed: str, minutes: int | None, at: str | None, *, undo: bool, forget: bool
) -> None:
    if sum([bool(typed), undo, forget]) > 1:
        raise WrongUsage("write what happened, or --undo, or --forget alone")
    if minutes is not None and not typed.casefold().startswith("round"):
        raise WrongUsage("--minutes is a round's: write round --minutes 13")
    if at is not None and not typed:
        raise WrongUsage("--at: write what happened then")


def _kept(
    logbook: "Logbook", sheet: str, typed: str, now: int, at: str | None, store: Any
) -> "Kept":
    """Keep the line; whoever's line is not kept gets its time told, so that it is not lost."""
    from referee.match.instants import format_instant
    from referee.sheets import is_google

    try:
        if not is_google(sheet) and not Path(sheet).is_file():
            raise Unavailable(f"{sheet} does not exist; check its name and folder")
        return logbook.take(typed, now if at is None else _instant(store(), at, typed))
    except Unavailable as unavailable:
        stamp = format_instant(now) if at is None else at
        raise Unavailable(
            f"{unavailable}\nNothing was logged. Once that is mended:\n  "
            + pasteable("log", sheet, "--at", stamp, typed)
        ) from None


def _instant(store: Any, text: str, typed: str) -> int:
    """Read --at as a cell of the workbook; only a round's start is on the full minute for sure."""
    from referee.workbook.reading import read_set_up
    from referee.workbook.times import UndatedError

    on_the_minute = typed.casefold().startswith("round")
    times = read_set_up(store.read()).set_up.times
    try:
        return times.read(text, on_the_minute=on_the_minute)
    except UndatedError:
        raise WrongUsage("--at: give the date too, as Settings has no Match start yet") from None
    except ValueError as error:
        raise WrongUsage(f"--at {error}") from None


def _forget(output: Output, logbook: "Logbook") -> None:
    gone = logbook.forget()
    for line in gone:
        output.say(f"forgotten: {line.typed}")
    if not gone:
        output.say("nothing waits to be written")
    output.give({"forgotten": [line.typed for line in gone]}, "log")


def _written(output: Output, logbook: "Logbook", sheet: str) -> "list[Done]":
    """Write what waits; a file that is busy for a moment is tried again."""
    from referee.sheets import is_google

    tries = 1 if is_google(sheet) else _TRIES
    while True:
        tries -= 1
        try:
            return logbook.write()
        except Stopped:
            _tell_kept(output, sheet, logbook)
            raise
        except Unavailable as unavailable:
            if tries <= 0:
                _tell_kept(output, sheet, logbook)
                raise Unavailable(str(unavailable), passes=unavailable.passes) from None
        time.sleep(_PAUSE)


def _tell_kept(output: Output, sheet: str, logbook: "Logbook") -> None:
    from referee.views.summary import counted

    waiting = len(logbook.journal.waiting())
    output.tell(
        f"kept with its time in {logbook.journal.path.name}; {counted(waiting, 'line')} to be "
        f"written by the next {pasteable('log', sheet)}"
    )


def _tell(
    output: Output, sheet: str, logbook: "Logbook", line: "Kept | None", done: "list[Done]"
) -> None:
    """Say what became of the line and of those kept before; raises where it was not logged."""
    failed: RefereeError | None = None
    for one in done:
        is_asked = line is not None and one.line.key == line.key
        if one.problem:
            error = _refusal(sheet, one)
            if is_asked:
                failed = error
                if isinstance(error, WrongUsage):
                    logbook.journal.gone(one.line.key)
                elif not one.line.undo:
                    _tell_kept(output, sheet, logbook)
            else:
                output.tell(f"still kept: {one.line.typed}: {error}")
            continue
        text = _sentence(one)
        if not is_asked:
            text = f"{text}, kept from before"
        output.done(text)
        output.say(text)
    if not done:
        output.say("nothing waits to be written")
    if failed is not None:
        raise failed
    output.give({"lines": [_json(one) for one in done]}, "log")


def _sentence(done: "Done") -> str:
    where = f" ({done.where})" if done.row is not None else ""
    if done.line.undo:
        gone = f"undone{where}" if done.row is not None else "undone; the sheet did not hold it"
        return f"{gone}: {done.time[11:]} {done.words}"
    return f"{done.time[11:]} {done.words}{where}"


def _refusal(sheet: str, done: "Done") -> RefereeError:
    """Return why a line was not logged, with commands that do log it, at its own time."""
    if done.line.undo or not done.unclear:
        return Stopped([Fault("not-logged", f"{done.where}: {done.problem}", done.where)])
    lines = [pasteable("log", sheet, "--at", done.time, meant) for meant in done.meant]
    end = "" if done.problem.endswith("?") else "."
    text = f"{done.problem}{end}\nNothing was logged; it was {done.time[11:]}."
    if lines:
        text += " If you mean it:\n  " + "\n  ".join(lines)
    return WrongUsage(text)


def _json(done: "Done") -> dict[str, Any]:
    from referee.match.instants import format_instant

    return {
        "at": format_instant(done.line.at),
        "typed": done.line.typed,
        "means": done.words,
        "where": done.where,
        "row": done.row,
        "undone": done.line.undo,
        "problem": done.problem or None,
    }
