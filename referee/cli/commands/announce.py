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
from referee.cli.posting import WebhookFileOption, poster_of
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
    post: Annotated[
        bool,
        typer.Option("--post", help="Post text and picture to your Discord channel's webhook."),
    ] = False,
    webhook_file: WebhookFileOption = None,
    page: Annotated[
        bool, typer.Option("--page", help="With --post: the players' page goes along.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="With --post: post what may be missing in the channel once more."
        ),
    ] = False,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the text to post after the last published round, or after round N; 0 is the start.

    It holds only what the players may know: the new pen, with --hunger the hunger points, and at
    the end the match result. Each part between two lines of dashes fits one Discord message. A
    round whose published result is not what the sheet gives now is not announced.

    With --post it goes to Discord by a webhook, whose address stands in REFEREE_DISCORD_WEBHOOK or
    in a file. Each round is posted once: the tab Posts notes what was posted.

    Example: `referee announce match.xlsx --hunger --picture pen.png`
    """
    output = Output(as_json=as_json)
    if rivals and (number is not None or hunger or private or picture or ping):
        raise WrongUsage("--rival-messages stands alone: they tell no round")
    if private and ping:
        raise WrongUsage("--private is for the host alone and pings nobody; leave out --ping")
    if post and (rivals or private or picture):
        raise WrongUsage("--post posts text and picture for the players, and goes alone")
    if not post and (page or again or webhook_file is not None):
        raise WrongUsage("--page, --again and --webhook-file go with --post")
    if post:
        poster = poster_of(
            sheet_at(sheet, credentials), output, webhook_file, hunger=hunger, page=page, ping=ping
        )
        posted = poster.post(number, again=again)
        output.say(posted.text)
        output.give(posted.as_json(), "post")
        return
    read = sheet_at(sheet, credentials, read_only=True).read()
    if rivals:
        _tell_rivals(output, read)
        return
    from referee.desk.gate import for_players

    result = for_players(read)
    chosen = _chosen(result, number, private=private)
    texts = _texts(result, chosen, hunger=hunger, private=private, ping=ping)
    if picture is not None:
        from referee.chat.round_announcement import draw

        draw(picture, result, chosen)
        output.tell(f"wrote {picture}")
    output.say("\n--------\n".join(texts))
    output.give({"round": chosen, "messages": texts}, "announcement")


def _tell_rivals(output: Output, read: "Read") -> None:
    from referee.chat.confidential import rival_messages

    messages = rival_messages(read.record)
    for name, text in messages.items():
        output.say(f"To {name} alone:\n{text}\n")
    output.give({"rival_messages": messages}, "rival-messages")


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
    if private:
        from referee.chat.confidential import announce_private
        from referee.workbook.writing import wall_clock

        return announce_private(result, number, clock=wall_clock(result.record))
    import time

    from referee.chat.round_announcement import public_texts

    now = time.time_ns() // 1_000_000
    return public_texts(result, number, now, hunger=hunger, ping=ping)
