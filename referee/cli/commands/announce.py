"""``referee announce``: what a host posts after a round."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import (
    HUNGER_HELP,
    CredentialsOption,
    JsonOption,
    SheetArgument,
    sheet_at,
)
from referee.cli.output import Output
from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from referee.match.result import Result
    from referee.sheets import Read


def run(
    sheet: SheetArgument,
    number: Annotated[
        int | None,
        typer.Option("--round", metavar="N", help="A published round's number; 0 is the start."),
    ] = None,
    hunger: Annotated[bool, typer.Option("--hunger", help=HUNGER_HELP)] = False,
    private: Annotated[
        bool,
        typer.Option("--private", help="The host's version, with visits, swaps and garnets."),
    ] = False,
    rivals: Annotated[
        bool,
        typer.Option("--rival-messages", help="One private message a player: who their rival is."),
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Write the pen as a .png or .svg, too."),
    ] = None,
    ping: Annotated[
        str,
        typer.Option("--ping", metavar="ROLE", help="Mention a role by its id, or @everyone."),
    ] = "",
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the text to post after the last published round, or after round N; 0 is the start.

    It holds only what the players may know: the new pen, with --hunger the hunger points, and at
    the end the match result. Each part between two lines of dashes fits one Discord message. A
    round whose published result is not what the sheet gives now is not announced.

    Example: `referee announce match.xlsx --hunger --picture pen.png`
    """
    output = Output(as_json=as_json)
    if rivals and (number is not None or hunger or private or picture or ping):
        raise WrongUsage("--rival-messages stands alone: they tell no round")
    if private and ping:
        raise WrongUsage("--private is for the host alone and pings nobody; leave out --ping")
    read = sheet_at(sheet, credentials, read_only=True).read()
    if rivals:
        _tell_rivals(output, read)
        return
    from referee.desk.gate import for_players

    result = for_players(read)
    chosen = _chosen(result, number, private=private)
    texts = _texts(result, chosen, hunger=hunger, private=private, ping=ping)
    if picture is not None:
        _draw(result, chosen, picture)
        output.tell(f"wrote {picture}")
    output.say("\n--------\n".join(texts))
    output.give({"round": chosen, "messages": texts})


def _tell_rivals(output: Output, read: "Read") -> None:
    from referee.chat.confidential import rival_messages

    messages = rival_messages(read.record)
    for name, text in messages.items():
        output.say(f"To {name} alone:\n{text}\n")
    output.give({"rival_messages": messages})


def _chosen(result: "Result", number: int | None, *, private: bool) -> int:
    last = len(result.rounds)
    chosen = last if number is None else number
    if not 0 <= chosen <= last:
        published = f"published are rounds 1 to {last}" if last else "no round is published yet"
        raise WrongUsage(f"--round {chosen}: {published}; resolve it first")
    if private and chosen == 0:
        why = "the start holds nothing that is secret" if last else "none is published yet"
        raise WrongUsage(f"--private tells a round; {why}")
    return chosen


def _texts(result: "Result", number: int, *, hunger: bool, private: bool, ping: str) -> list[str]:
    from referee.chat.announcement import announce_round
    from referee.chat.confidential import announce_private
    from referee.workbook.writing import wall_clock

    if private:
        return announce_private(result, number, clock=wall_clock(result.record))
    timer = _next_timer(result, number)
    return announce_round(result, number, hunger=hunger, next_timer=timer, ping=ping)


def _next_timer(result: "Result", number: int) -> int:
    """Return when the next round's timer starts: as recorded, else as it follows (R2.2)."""
    from referee.match.instants import SECOND
    from referee.rules.clocks import Clocks

    clocks = Clocks(result.record)
    end = result.rounds[number - 1].official_end if number else None
    start = clocks.start(number, end)
    if start is not None:
        return start
    # It is not listed yet; unless the host records another start, it will be this one.
    return clocks.opening if end is None else end + result.record.settings.break_seconds * SECOND


def _draw(result: "Result", number: int, picture: Path) -> None:
    from referee.views.picture import write_picture
    from referee.views.revealed import revealed

    seen = revealed(result, number)
    caption = "The start" if number == 0 else f"After round {number}"
    write_picture(picture, seen.pen, before=seen.before, tokens=seen.tokens, caption=caption)
