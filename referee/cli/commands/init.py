"""``referee init``: a new match workbook."""

from typing import Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, sheet_at
from referee.cli.output import Output
from referee.match.faults import WrongUsage


def run(
    sheet: Annotated[
        str,
        typer.Argument(
            metavar="SHEET",
            envvar="REFEREE_SHEET",
            help="The .xlsx file to make, or the address of an empty Google Sheet.",
            show_default=False,
        ),
    ] = "",
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
        output.give({"made": address}, "init")
        return
    if not sheet:
        raise WrongUsage("name the file to make, as in referee init match.xlsx")
    from referee.sheets import journal_of

    store = sheet_at(sheet, credentials).workbook_store()
    zone = this_computers_zone()
    journal_of(sheet).start_anew()
    store.create(zone)
    output.done(f"made {store.name}")
    output.say(f"made {store.name}: fill in Settings and Players, then run referee deal {sheet}")
    zone = store.read().time_zone or zone
    if zone:
        output.tell(f"times are read in {zone}; if that is not yours, change the setting Time zone")
    else:
        output.tell("this computer's time zone has no name: fill in the setting Time zone")
    output.give({"made": sheet, "time_zone": zone}, "init")


def this_computers_zone() -> str:
    """Return the name of the time zone this computer is in, blank where it has none that counts."""
    import tzlocal

    from referee.workbook.zones import find_zone

    try:
        name = tzlocal.get_localzone_name()
    except (OSError, ValueError, LookupError):
        return ""
    return name if name and find_zone(name) is not None else ""
