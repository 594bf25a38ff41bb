"""``referee show``: the match as it stands."""

import time

from referee.cli.options import (
    CredentialsOption,
    JsonOption,
    RoundOption,
    SheetArgument,
    check_round,
    sheet_at,
)
from referee.cli.output import Output


def run(
    sheet: SheetArgument,
    number: RoundOption = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the match now, or after round N: pen, hunger, garnets, visits, queue and notices.

    It shows what the host's tabs give, published or not. It is for the host: players may not see
    visits, rivals and garnets.

    Example: `referee show match.xlsx --round 1`
    """
    from referee.sheets import replay_located

    output = Output(as_json=as_json)
    read = sheet_at(sheet, credentials, read_only=True).read()
    result = replay_located(read)
    check_round(number, len(result.rounds))
    if as_json:
        shown = result.as_json()
        if number is not None:
            shown = {
                "format": "referee-round/1",
                "name": result.name,
                "round": shown["rounds"][number - 1],
            }
        output.give(shown)
        return
    from referee.views.terminal import print_match

    chosen = len(result.rounds) if number is None else number
    print_match(result, read.places, chosen, time.time_ns() // 1_000_000)
