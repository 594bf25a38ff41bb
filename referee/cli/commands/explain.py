"""``referee explain``: why everything came as it did."""

from typing import Annotated

import typer

from referee.cli.options import (
    CredentialsOption,
    JsonOption,
    RoundOption,
    SheetArgument,
    sheet_at,
)
from referee.cli.output import Output
from referee.match.faults import Stopped


def run(
    sheet: SheetArgument,
    player: Annotated[
        str | None, typer.Option("--player", metavar="P", help="Only what concerns one player.")
    ] = None,
    number: RoundOption = None,
    row: Annotated[
        str | None,
        typer.Option("--row", metavar="ROW", help="Only one row, such as Submissions:14."),
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Explain every loss, payment, visit and row with its clause, and how the match ended.

    Rows marked + count, rows marked - have no effect, rows marked … wait for their round.
    It is for the host: players may not see visits, rivals and garnets.

    Example: `referee explain match.xlsx --row Submissions:2`
    """
    from referee.cli.changes import Wording
    from referee.judging.explaining import explain
    from referee.sheets import located
    from referee.views.explanation import explanation_lines, within_day
    from referee.workbook.writing import wall_clock

    output = Output(as_json=as_json)
    read = sheet_at(sheet, credentials, read_only=True).read()
    wording = Wording(read.record, read.places)
    try:
        explanation = explain(
            read.record,
            player=None if player is None else wording.player(player),
            round=number,
            row=None if row is None else wording.place(row),
        ).committed(read.commitment)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    clock = wall_clock(read.record)
    if as_json:
        output.give(explanation.as_json(clock))
        return
    shown = within_day(clock, read.record.start)
    for line in explanation_lines(explanation, shown, read.places.title):
        output.say(line)
