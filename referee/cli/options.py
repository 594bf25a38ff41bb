"""The arguments and options that several commands share, declared once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.sheets import MatchSheet

SHEET_HELP = "A Google Sheets address or key, an .xlsx file, or a match record (.json; - is stdin)."

SheetArgument = Annotated[
    str,
    typer.Argument(metavar="SHEET", envvar="REFEREE_SHEET", help=SHEET_HELP, show_default=False),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Give the result as one JSON object on standard output.")
]
CredentialsOption = Annotated[
    Path | None,
    typer.Option(
        "--credentials", metavar="FILE", help="Google credentials, where SHEET is a Google Sheet."
    ),
]
RoundOption = Annotated[
    int | None, typer.Option("--round", metavar="N", help="A round's number, from 1.")
]

HUNGER_HELP = (
    "Tell every pig's hunger points, too. This gives away who made the last swap of a round where "
    "that swap went through D: their pig lost one more (R6.3)."
)


def tell_wait(text: str) -> None:
    """Tell what a store waits for beside the result."""
    typer.echo(text, err=True)


def sheet_at(
    sheet: str,
    credentials: Path | None,
    *,
    read_only: bool = False,
    on_wait: "Callable[[str], None]" = tell_wait,
) -> "MatchSheet":
    """Return the match workbook that SHEET names; ``-`` is standard input."""
    from referee.sheets import open as open_sheet

    return open_sheet(sheet, credentials=credentials, read_only=read_only, on_wait=on_wait)


def sheet_of_environment() -> str:
    """Return the sheet that REFEREE_SHEET names, blanks and all; raises `WrongUsage` if none."""
    import os

    sheet = os.environ.get("REFEREE_SHEET", "")
    if not sheet:
        raise WrongUsage("name SHEET, or set REFEREE_SHEET")
    return sheet


def sheet_and_file(arguments: list[str], what: str) -> tuple[str, str]:
    """Split ``[SHEET] FILE``: with one argument the sheet is REFEREE_SHEET's.

    Raises `WrongUsage` where that leaves no sheet.
    """
    import os

    if len(arguments) == 2:
        return arguments[0], arguments[1]
    sheet = os.environ.get("REFEREE_SHEET", "")
    if len(arguments) == 1 and sheet:
        return sheet, arguments[0]
    raise WrongUsage(f"name SHEET and {what} (or set REFEREE_SHEET and name {what} alone)")


def check_round(number: int | None, most: int) -> None:
    """Raise `WrongUsage` where a round is asked for that is not there."""
    if number is not None and not 1 <= number <= most:
        known = f"round must be 1..{most}" if most else "no round is there yet"
        raise WrongUsage(f"--round {number}: {known}")
