"""``referee demo``: a complete match, to look at."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import JsonOption
from referee.cli.output import Output

if TYPE_CHECKING:
    from referee.sheets import MatchSheet


def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The workbook to make.", show_default=False)
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Play a complete match in a new workbook in this folder, resolve it and show it.

    The match has an extra visit that costs garnets, swaps that came too late, a queue carried over
    into the next round, a last swap through D, and two starved pigs.

    Example: `referee demo`
    """
    from referee.judging.resolving import plan
    from referee.sheets import new_salt
    from referee.sheets import open as open_sheet

    output = Output(as_json=as_json)
    path = Path(file) if file else _free_name()
    match = open_sheet(path)
    _lay_out(match)
    read = match.read()
    planned = plan(
        read.record, read.places.titles, time.time_ns() // 1_000_000, early=True, salt=new_salt()
    )
    match.write(planned.tabs)
    output.say(f"made {path} and resolved it: open it, or run referee audit {path}")
    output.say()
    if not as_json:
        from referee.views.terminal import print_match

        print_match(planned.result, read.places, len(planned.result.rounds))
    output.give({"made": str(path), "result": planned.result.as_json()}, "demo")


def _free_name() -> Path:
    """Return the first free name, so that a second demo never touches the first."""
    number = 1
    while True:
        path = Path("demo-match.xlsx" if number == 1 else f"demo-match-{number}.xlsx")
        if not path.exists():
            return path
        number += 1


def _lay_out(match: "MatchSheet") -> None:
    from referee.match.record_json import read_record
    from referee.workbook.filling import fill
    from referee.workbook.layout import template_path
    from referee.workbook.reading import read_set_up

    store = match.workbook_store()
    store.create()
    places = read_set_up(store.read()).places
    store.edit(fill(read_record(template_path().with_name("demo_match.json")), places))
