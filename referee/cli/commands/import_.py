"""``referee import``: Discord channel exports into Queue and Submissions."""

import re
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, sheet_at, usual_sheet
from referee.cli.output import Output
from referee.match.faults import WrongUsage
from referee.match.instants import Instant

_ID = re.compile(r"(?:<@[!&]?)?([0-9]{1,20})>?")

IdList = list[str] | None


def run(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[SHEET] CHAT...",
            help="The workbook, and one or more exports: .json, or .csv with seconds and offset.",
        ),
    ],
    dealer_role: Annotated[
        IdList,
        typer.Option(
            "--dealer-role",
            metavar="ROLE",
            help="The Discord id of the Dealer's role: a message that mentions it is a ping. Only "
            "exports made with --markdown false hold it. Or the role's name, where exports hold "
            "names only; then typed text counts too. May be repeated, or stand in Settings as "
            "Dealer role.",
        ),
    ] = None,
    dealer_user: Annotated[
        IdList,
        typer.Option(
            "--dealer-user",
            metavar="ID",
            help="The Discord id of the Dealer's account, where players ping a person or a bot.",
        ),
    ] = None,
    plain_mentions: Annotated[
        bool,
        typer.Option(
            "--plain-mentions",
            help="Let the text @Dealer count as a ping; it may have been typed and pinged nobody.",
        ),
    ] = False,
    ignore: Annotated[
        IdList,
        typer.Option(
            "--ignore",
            metavar="ID",
            help="Leave out an account that is no player's: a spectator, or a host (whose ids may "
            "stand in Settings as Host accounts). May be repeated.",
        ),
    ] = None,
    only_players: Annotated[
        bool,
        typer.Option("--only-players", help="Leave out everybody who is not in Players."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be added; write nothing.")
    ] = False,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the messages of Discord channel exports to Queue and Submissions, each of them once.

    A message that pings the Dealer becomes a row of Queue; whatever else a player writes becomes a
    row of Submissions. Authors are known by the Discord ids in Aliases, then by name. Import as
    often as you like, the more the better: a message edited since gives its row the new text, and
    the row's note keeps the earlier one; one deleted since is noted in its row. A row that you
    ruled on is left alone, and one that shall not count gets the ruling void.

    Example: `referee import match.xlsx ann.json bob.json --dealer-role 111222333444555666`
    """
    import time

    from referee.chat.import_words import doubt_lines, import_lines
    from referee.chat.importing import import_files
    from referee.chat.mentions import Options, role_of
    from referee.cli.waiting import Waiting

    output = Output(as_json=as_json)
    sheet, chats = _sheet_and_chats(arguments)
    store = sheet_at(sheet, credentials, read_only=dry_run).workbook_store()
    roles, names = role_of(dealer_role or ())
    options = Options(
        dealer_roles=roles,
        dealer_names=names,
        dealer_users=_ids("--dealer-user", dealer_user),
        plain_mentions=plain_mentions,
        ignored=_ids("--ignore", ignore),
        only_players=only_players,
    )
    paths, now = [Path(chat) for chat in chats], Instant(time.time_ns() // 1_000_000)
    with Waiting() as waiting:
        report = import_files(store, paths, options, now, dry_run=dry_run, progress=waiting)
    for line in import_lines(report, dry_run=dry_run):
        if not dry_run:
            output.done(line)
        output.say(line)
    for line in (*doubt_lines(report), *(f"note: {note}" for note in store.notes)):
        output.tell(line)
    output.give(report.as_json())


def _sheet_and_chats(arguments: list[str]) -> tuple[str, list[str]]:
    """Split ``[SHEET] CHAT…``: where only exports are named the sheet is the usual one."""
    if arguments[0].lower().endswith((".json", ".csv")):
        return usual_sheet(), arguments
    if len(arguments) < 2:
        raise WrongUsage("name SHEET and CHAT, or CHAT alone for the usual sheet")
    return arguments[0], arguments[1:]


def _ids(option: str, given: IdList) -> frozenset[str]:
    found = set()
    for text in given or ():
        match = _ID.fullmatch(text.strip())
        if match is None:
            raise WrongUsage(f"{option} {text}: give a Discord id, a number of some 18 digits")
        found.add(match[1])
    return frozenset(found)
