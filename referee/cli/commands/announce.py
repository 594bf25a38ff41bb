"""``referee announce``: what a host posts after a round."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import (
    CredentialsOption,
    JsonOption,
    RoundOption,
    SheetArgument,
    sheet_at,
)
from referee.cli.output import Output
from referee.faults import WrongUsage

if TYPE_CHECKING:
    from referee.record import Record
    from referee.result import Result


def run(
    sheet: SheetArgument,
    number: RoundOption = None,
    hunger: Annotated[
        bool, typer.Option("--hunger", help="Tell every pig's hunger points, too.")
    ] = False,
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
    the end the match result. Each part between two lines of dashes fits one Discord message.

    Example: `referee announce match.xlsx --hunger --picture pen.png`
    """
    output = Output(as_json=as_json)
    read = sheet_at(sheet, credentials, read_only=True).read()
    if rivals:
        from referee.chat.confidential import rival_messages

        messages = rival_messages(read.record)
        for name, text in messages.items():
            output.say(f"To {name} alone:\n{text}\n")
        output.give({"rival_messages": messages})
        return
    result = _published_result(read.record)
    chosen = len(result.rounds) if number is None else number
    texts = _texts(result, chosen, hunger=hunger, private=private, ping=ping)
    output.say("\n--------\n".join(texts))
    if picture is not None:
        _draw(result, chosen, picture)
        output.tell(f"wrote {picture}")
    output.give({"round": chosen, "messages": texts})


def _published_result(record: "Record") -> "Result":
    """Replay what is published and no more: a round is not announced before it stands."""
    from referee.auditing import published_rounds
    from referee.rules.replay import replay

    return replay(record, published_rounds(record.published or {}))


def _texts(result: "Result", number: int, *, hunger: bool, private: bool, ping: str) -> list[str]:
    from referee.chat.announcement import announce_round
    from referee.chat.confidential import announce_private
    from referee.workbook.writing import wall_clock

    if not 0 <= number <= len(result.rounds):
        published = f"0..{len(result.rounds)}" if result.rounds else "none yet"
        raise WrongUsage(f"--round {number}: published rounds: {published}; resolve it first")
    if private:
        if number == 0:
            raise WrongUsage("no round is published yet; resolve one first")
        return announce_private(result, number, clock=wall_clock(result.record))
    timer = _next_timer(result, number)
    return announce_round(result, number, hunger=hunger, next_timer=timer, ping=ping)


def _next_timer(result: "Result", number: int) -> int | None:
    """Return when the next round's timer starts, as far as the sheet tells."""
    from referee.rules.clocks import Clocks

    clocks = Clocks(result.record)
    if number == 0:
        return clocks.start(0, None) or clocks.opening
    end = result.rounds[number - 1].official_end
    following = clocks.start(number, end)
    return end + result.record.settings.break_seconds * 1000 if following is None else following


def _draw(result: "Result", number: int, picture: Path) -> None:
    from referee.views.picture import write_picture
    from referee.views.revealed import revealed

    seen = revealed(result, number)
    caption = "The start" if number == 0 else f"After round {number}"
    write_picture(picture, seen.pen, before=seen.before, tokens=seen.tokens, caption=caption)
