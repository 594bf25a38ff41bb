"""``referee init``: a new match workbook."""

from typing import Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output
from referee.match.faults import WrongUsage


def run(
    sheet: SheetArgument = "",
    create: Annotated[
        str | None,
        typer.Option(
            "--create",
            metavar="TITLE",
            help="Make a new Google Sheet with this title, as the signed-in user.",
        ),
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a match workbook from the template: a new file, or the tabs in an empty Google Sheet.

    Fill in Settings and Players next, then deal.

    Example: `referee init match.xlsx`
    """
    output = Output(as_json=as_json)
    if create is not None:
        from referee.stores.google.store import create_spreadsheet

        address = create_spreadsheet(create, credentials=credentials)
        output.done(f"made {address}")
        output.say(f"made {address}")
        output.give({"made": address})
        return
    if not sheet:
        raise WrongUsage("name the file to make, as in referee init match.xlsx")
    store = sheet_at(sheet, credentials).workbook_store()
    store.create()
    output.done(f"made {store.name}")
    output.say(f"made {store.name}: fill in Settings and Players, then run referee deal {sheet}")
    output.give({"made": sheet})
