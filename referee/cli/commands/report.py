"""``referee report``: the match as one HTML page to step through."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import (
    HUNGER_HELP,
    CredentialsOption,
    JsonOption,
    sheet_and_file,
    sheet_at,
)
from referee.cli.output import Output
from referee.match.faults import Stopped, WrongUsage

if TYPE_CHECKING:
    from referee.sheets import Read
    from referee.views.page.model import Page


def run(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="[SHEET] FILE", help="The workbook, and the .html file to write."),
    ],
    public: Annotated[
        bool, typer.Option("--public", help="Only what players may know while the match runs.")
    ] = False,
    hunger: Annotated[bool, typer.Option("--hunger", help=f"With --public: {HUNGER_HELP}")] = False,
    number: Annotated[
        int | None, typer.Option("--round", metavar="N", help="Stop after round N.")
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the match as one HTML page to step through, round by round and swap by swap.

    The page loads nothing else and works wherever it is opened. It holds everything: visits,
    swaps, rivals, garnets and reasons are for the host, and for all once the match is over.

    With --public it holds the pens of the published rounds and nothing more, so that players may
    have it while the match runs. Where those are not what the sheet gives now, no page is written.

    Example: `referee report match.xlsx match.html`
    """
    sheet, file = sheet_and_file(arguments, "FILE")
    output = Output(as_json=as_json)
    if not file.lower().endswith((".html", ".htm")):
        raise WrongUsage(f"{file}: a page's name ends in .html")
    if hunger and not public:
        raise WrongUsage("--hunger goes with --public; without it the page tells everything")
    read = sheet_at(sheet, credentials, read_only=True).read()
    page = _public(output, read, number, hunger=hunger) if public else _whole(read, number)
    from referee.stores.file_safety import write_file
    from referee.views.page.document import write_document

    write_file(Path(file), write_document(page), keep_old=False)
    output.done(f"wrote {file}")
    output.say(f"wrote {file}")
    output.give({"wrote": file, "public": public, "steps": len(page.steps)}, "report")


def _whole(read: "Read", number: int | None) -> "Page":
    from referee.cli.options import check_round
    from referee.judging.explaining import explain
    from referee.sheets import located
    from referee.views.page.host import host_page

    try:
        explanation = explain(read.record, through=number)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    check_round(number, len(explanation.result.rounds))
    return host_page(explanation, read.places)


def _public(output: Output, read: "Read", number: int | None, *, hunger: bool) -> "Page":
    from referee.cli.options import check_round
    from referee.desk.gate import for_players
    from referee.views.page.public import public_page
    from referee.views.revealed import revealed

    result = for_players(read)
    check_round(number, len(result.rounds))
    if not result.rounds:
        output.tell("note: no round is published yet; the page shows the start")
    last = len(result.rounds) if number is None else number
    seen = [revealed(result, one, hunger=hunger) for one in range(last + 1)]
    return public_page(result.name, seen)
