"""``referee replay``: records and archives into results, one line a record."""

from typing import Annotated

import typer

from referee.cli.exits import Exit
from referee.cli.options import JsonOption
from referee.cli.output import to_json


def run(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD...",
            help="Match records (.json), archives of one record a line (.jsonl), or - for stdin.",
        ),
    ],
    as_json: JsonOption = False,  # noqa: ARG001  results are JSON in any case
) -> None:
    """Replay match records and archives; print one line of JSON a record, in order.

    A record that stops gives a referee-stop/1 line with every fault in its place; the run goes on
    with the next, and the exit code is 3 at the end.

    Example: `referee replay season.jsonl`
    """
    from referee.match.archives import read_lines
    from referee.match.faults import Stopped
    from referee.match.record_json import decode_record
    from referee.rules.replay import replay

    stopped = count = 0
    for place in records:
        for line in read_lines(place):
            count += 1
            try:
                typer.echo(replay(decode_record(line)).to_json())
            except Stopped as stop:
                stopped += 1
                typer.echo(to_json(stop.as_json()))
    if stopped:
        typer.echo(f"referee: {stopped} of {count} records stopped", err=True)
        raise typer.Exit(Exit.CONTENTS)
