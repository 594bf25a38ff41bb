"""``referee replay``: records, workbooks and archives into results, one line a match."""

from typing import Annotated

import typer

from referee.cli.exits import Exit
from referee.cli.options import JobsOption, JsonOption


def run(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD...",
            help="Match records (.json), archives of one record a line (.jsonl, also .gz or .zst), "
            "workbooks, folders of these, or - for stdin.",
        ),
    ],
    jobs: JobsOption = 1,
    as_json: JsonOption = False,  # noqa: ARG001  results are JSON in any case
) -> None:
    """Replay match records and archives; print one line of JSON a match, in order.

    A record that stops gives a referee-stop/1 line with every fault in its place, a file that
    cannot be read a referee-error/1 line; the run goes on with the next, and the exit code is 3 or
    4 at the end. The lines are the same for any number of jobs.

    Example: `referee replay season.jsonl`
    """
    from referee.cli.progress import progress
    from referee.seasons.replaying import replay_all
    from referee.seasons.sources import sources

    count = stopped = unread = 0
    with progress("replaying") as bar:
        for replayed in replay_all(sources(records), jobs):
            count += 1
            stopped += replayed.stopped
            unread += bool(replayed.error)
            with bar.hidden():
                typer.echo(replayed.json)
                if replayed.error:
                    typer.echo(f"referee: {replayed.error}", err=True)
            bar.advance()
    if stopped:
        typer.echo(f"referee: {stopped} of {count} records stopped", err=True)
    if unread or stopped:
        raise typer.Exit(Exit.UNAVAILABLE if unread else Exit.CONTENTS)
