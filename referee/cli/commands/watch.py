"""``referee watch``: resolve each round as soon as it is over."""

import time
from typing import Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output


def run(
    sheet: SheetArgument,
    every: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", min=2, help="Look at the sheet so often."),
    ] = 15.0,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Resolve each round as soon as it is over by the clock, until the match ends or Ctrl-C.

    Trouble with the network, a quota or a row of the sheet is told and waited out. With --json it
    gives one object a line as things happen.

    Example: `referee watch match.xlsx`
    """
    from referee.views.summary import next_step, round_lines
    from referee.watching import Watch

    output = Output(as_json=as_json)
    match = sheet_at(sheet, credentials)
    output.tell(f"watching {match.name}; Ctrl-C ends it")
    watch = Watch(match, every, lambda: time.time_ns() // 1_000_000, time.sleep)
    try:
        for event in watch.events():
            stamp = time.strftime("%H:%M:%S")
            if event.kind == "published" and event.plan is not None:
                output.say(f"{stamp} {match.name}: {event.text}")
                for line in round_lines(event.plan.result):
                    output.say(line)
                output.say(next_step(event.plan.result))
            else:
                output.tell(f"{stamp} {match.name}: {event.text}")
            output.give({"event": event.kind, "text": event.text})
    except KeyboardInterrupt:
        output.tell("stopped watching")
