"""The arguments and options that several commands share, declared once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.sheets import MatchSheet

SHEET_HELP = (
    "A Google Sheets address or key, an .xlsx file, or a match record (.json; - is stdin). Left "
    "out: the only .xlsx file of this folder."
)


def usual_sheet() -> str:
    """Return the sheet of a command that names none: REFEREE_SHEET's, else the only .xlsx here.

    Raises `WrongUsage` where there is none or more than one.
    """
    import os

    if sheet := os.environ.get("REFEREE_SHEET", ""):
        return sheet
    found = sorted(
        path.name
        for path in Path().iterdir()
        if path.suffix.lower() == ".xlsx" and not path.name.startswith("~$") and path.is_file()
    )
    if len(found) == 1:
        return found[0]
    if not found:
        raise WrongUsage("name SHEET (or set REFEREE_SHEET): there is no .xlsx file in this folder")
    listed = f"{', '.join(found[:-1])} and {found[-1]}" if len(found) < 6 else f"{len(found)} files"
    raise WrongUsage(f"name SHEET (or set REFEREE_SHEET): in this folder are {listed}")


SheetArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SHEET]",
        envvar="REFEREE_SHEET",
        help=SHEET_HELP,
        show_default=False,
        default_factory=usual_sheet,
    ),
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
JobsOption = Annotated[
    int, typer.Option("--jobs", metavar="N", min=1, help="Work on N of many at once.")
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


def names_sheet(text: str) -> bool:
    """Whether a text of the command line can only be a sheet's name."""
    from referee.sheets import is_google

    return text == "-" or text.lower().endswith((".xlsx", ".json")) or is_google(text)


def sheet_and_file(arguments: list[str], what: str) -> tuple[str, str]:
    """Split ``[SHEET] FILE``: with one argument the sheet is the usual one.

    Raises `WrongUsage` where that leaves no sheet, or no file.
    """
    if len(arguments) == 2:
        return arguments[0], arguments[1]
    if len(arguments) == 1 and not arguments[0].lower().endswith(".xlsx"):
        return usual_sheet(), arguments[0]
    raise WrongUsage(f"name SHEET and {what}, or {what} alone for the usual sheet")


def sheet_and_words(arguments: list[str]) -> tuple[str, list[str]]:
    """Split ``[SHEET] WHAT…``: where the first is no sheet's name, the sheet is the usual one.

    Raises `WrongUsage` where that leaves no sheet.
    """
    if arguments and names_sheet(arguments[0]):
        return arguments[0], arguments[1:]
    return usual_sheet(), arguments


def pasteable(*words: str) -> str:
    """Return a command of the program that runs as it stands when it is pasted into a shell."""
    import sys

    if sys.platform == "win32":
        from subprocess import list2cmdline

        return list2cmdline(["referee", *words])
    import shlex

    return shlex.join(["referee", *words])


def check_round(number: int | None, most: int) -> None:
    """Raise `WrongUsage` where a round is asked for that is not there."""
    if number is not None and not 1 <= number <= most:
        known = f"round must be 1..{most}" if most else "no round is there yet"
        raise WrongUsage(f"--round {number}: {known}")
