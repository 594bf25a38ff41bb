"""``referee init``: a new match workbook."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, pasteable, sheet_at
from referee.cli.output import Output
from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from pathlib import Path


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
    players: Annotated[
        str | None,
        typer.Option(
            "--players",
            metavar="NAMES",
            help='Who plays, with commas between: "Ann, Ben, Cat".',
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="TIME",
            help="When the pre-game phase begins: 20:00, +10m (from now), or with its date.",
        ),
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a match workbook from the template: a new file, or the tabs in an empty Google Sheet.

    A file gets this computer's time zone, a Google Sheet has its own. Fill in what is missing in
    Settings and Players next, then deal.

    Example: `referee init match.xlsx --players "Ann, Ben, Cat" --start 20:00`
    """
    from referee.desk.opening import read_players

    output = Output(as_json=as_json)
    names = [] if players is None else read_players(players)
    if create is not None:
        from referee.stores.google.store import create_spreadsheet

        _this_clock(start)  # what is not understood is told before anything is made
        address = create_spreadsheet(create, credentials=credentials)
        output.done(f"made {address}")
        _say_made(output, address, address, _filled(address, credentials, names, start), names)
        return
    if not sheet:
        raise WrongUsage("name the file to make, as in referee init match.xlsx")
    from referee.sheets import journal_of

    store = sheet_at(sheet, credentials).workbook_store()
    _this_clock(start)
    journal = journal_of(sheet)
    journal.check_settled()
    store.create(this_computers_zone())
    journal.start_anew()
    for note in store.notes:
        output.tell(f"note: {note}")
    output.done(f"made {store.name}")
    _say_made(output, sheet, store.name, _filled(sheet, credentials, names, start), names)


def _this_clock(start: str | None) -> None:
    """Raise `WrongUsage` where a start is not understood, by this computer's clock."""
    from referee.desk.opening import read_start
    from referee.workbook.wall_clock import Clock
    from referee.workbook.zones import find_zone

    name = this_computers_zone()
    zone = find_zone(name) if name else None
    if start is not None:
        read_start(start, _now(), Clock.utc() if zone is None else Clock(zone, name))


def _filled(
    sheet: str, credentials: "Path | None", names: list[str], start: str | None
) -> tuple[str, str]:
    """Write players and start into a new workbook; returns its time zone and the start as text."""
    from referee.desk.opening import opening_edits, read_start
    from referee.workbook.reading import read_set_up

    store = sheet_at(sheet, credentials).workbook_store()
    book = store.read()
    read = read_set_up(book)
    clock = read.set_up.settings.clock
    begins = None if start is None else read_start(start, _now(), clock)
    if edits := opening_edits(read.places, clock, names, begins):
        store.edit(edits)
    known = book.time_zone or read.set_up.settings.rows.get("time_zone") is not None
    zone = clock.name if known and (book.time_zone or this_computers_zone()) else ""
    return zone, "" if begins is None else clock.text(begins)


def _say_made(
    output: Output, sheet: str, name: str, filled: tuple[str, str], names: list[str]
) -> None:
    zone, start = filled
    missing = [what for what, there in (("Settings", start), ("Players", names)) if not there]
    todo = f"fill in {' and '.join(missing)}, then run" if missing else "next,"
    output.say(f"made {name}: {todo} {pasteable('deal', sheet)}")
    if start:
        output.say(f"the match starts {start}{f' ({zone})' if zone else ''}")
    if zone:
        output.tell(f"times are read in {zone}; if that is not yours, change the setting Time zone")
    else:
        output.tell("this computer's time zone has no name: fill in the setting Time zone")
    output.give({"made": sheet, "time_zone": zone, "start": start, "players": names}, "init")


def _now() -> int:
    return time.time_ns() // 1_000_000


def this_computers_zone() -> str:
    """Return the name of the time zone this computer is in, blank where it has none that counts."""
    import tzlocal

    from referee.workbook.zones import find_zone

    try:
        name = tzlocal.get_localzone_name()
    except (OSError, ValueError, LookupError):
        return ""
    return name if name and find_zone(name) is not None else ""
