"""``referee export``: a workbook's match record."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, sheet_and_file, sheet_at
from referee.cli.output import Output
from referee.match.faults import Unavailable, WrongUsage


def run(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[SHEET] FILE", help="The workbook, and the .json file to write (- for stdout)."
        ),
    ],
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a workbook's match record to a file: everything a replay needs, in one JSON object.

    It holds what is published too, so that anyone can audit it.

    Example: `referee export match.xlsx match.json`
    """
    from referee.match.record_json import encode_record
    from referee.stores import file_safety

    sheet, file = sheet_and_file(arguments, "FILE")
    output = Output(as_json=as_json)
    if file != "-" and not file.lower().endswith(".json"):
        raise WrongUsage(f"{file}: a match record's name ends in .json")
    line = encode_record(sheet_at(sheet, credentials, read_only=True).record())
    if file == "-":
        typer.echo(line)
        return
    path = Path(file)
    file_safety.write_file(path, f"{line}\n".encode())
    if not path.exists():
        raise Unavailable(f"{file} could not be written")
    output.done(f"wrote {file}")
    output.say(f"wrote {file}")
    output.give({"wrote": file}, "export")
