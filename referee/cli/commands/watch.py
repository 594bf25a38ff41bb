"""``referee watch``: resolve each round as soon as it is over."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.exits import Exit
from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output
from referee.cli.posting import WebhookFileOption, poster_of
from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from referee.desk.watching import Event, Follower
    from referee.judging.resolving import Plan
    from referee.sheets import MatchSheet


def run(
    sheet: SheetArgument,
    every: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", min=2, help="Look at the sheet so often."),
    ] = 15.0,
    post: Annotated[
        bool,
        typer.Option("--post", help="Post each round to Discord, too, as announce --post does."),
    ] = False,
    webhook_file: WebhookFileOption = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Resolve each round as soon as it is over by the clock, until the match ends or Ctrl-C.

    Trouble with the network, a quota, a locked file or a row of the sheet is told once and waited
    out. A round published too early for a row that came later is not changed: the difference is
    told; where the match was published to its end already, that ends the watch with exit code 1.
    With --post each round goes to Discord as soon as it is published, and a corrected one follows
    up. With --json it gives one object a line as things happen.

    Example: `referee watch match.xlsx`
    """
    from referee.desk.watching import Watch

    output = Output(as_json=as_json)
    if sheet == "-":
        raise WrongUsage("what comes from standard input cannot be watched; name a sheet")

    def tell_wait(text: str) -> None:
        # What was told once as trouble is not told again at each attempt.
        if not watch.in_trouble:
            output.tell(text)

    match = sheet_at(sheet, credentials, on_wait=tell_wait)
    follower = _posting(match, output, webhook_file) if post else None
    watch = Watch(match, every, lambda: time.time_ns() // 1_000_000, time.sleep, follower)
    output.tell(f"watching {match.name}; Ctrl-C ends it")
    event: Event | None = None
    try:
        for event in watch.events():
            _tell(output, event, f"{time.strftime('%H:%M:%S')} {match.name}:")
            output.give(event.as_json(), "event")
    except KeyboardInterrupt:
        output.tell("stopped watching")
        return
    if event is not None and event.kind == "differs":
        raise typer.Exit(Exit.DIFFERENCE)


def _posting(match: "MatchSheet", output: Output, webhook_file: Path | None) -> "Follower":
    from referee.chat.round_announcement import PostingFollower

    return PostingFollower(poster_of(match, output, webhook_file))


def _tell(output: Output, event: "Event", begin: str) -> None:
    """Say what was published as a result, and anything else beside it."""
    lines = event.text.split("\n")
    if event.plan is not None:
        _tell_published(output, event, event.plan, begin)
    elif event.kind == "warned":
        _list(output, f"{begin} this will stop the round when it is over; mend it:", lines)
    elif event.kind == "stopped":
        _list(output, f"{begin} nothing was written; mend this in the sheet:", lines)
    elif event.kind == "differs":
        _list(output, f"{begin} what is published is not what the sheet gives now:", lines)
        other_day = [doubt.line for doubt in event.doubts if doubt.code == "undated-rows"]
        undo = "Undo the change in the sheet, or accept it: referee resolve --reopen N"
        for line in other_day or [undo]:
            output.tell(f"  {line}")
    elif event.kind == "waiting":
        for doubt in event.doubts:
            output.tell(f"{begin} {doubt.line}")
    else:
        output.tell(f"{begin} {event.text}")


def _tell_published(output: Output, event: "Event", plan: "Plan", begin: str) -> None:
    from referee.views.summary import new_notices, next_step, round_lines

    output.done(f"{begin} {event.text}")
    output.say(f"{begin} {event.text}")
    for line in round_lines(plan.result) if plan.new_rounds else ():
        output.say(line)
    for line in new_notices(plan, event.places) if event.places is not None else ():
        output.say(line)
    output.say(next_step(plan.result))
    for note in event.notes:
        output.tell(f"  note: {note}")


def _list(output: Output, head: str, lines: list[str]) -> None:
    output.tell(head)
    for line in lines:
        output.tell(f"  {line}")
