"""``referee deal``: cells, rivals and the tie-break seed."""

from typing import Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output
from referee.match.faults import Fault, Stopped, WrongUsage


def run(
    sheet: SheetArgument,
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="WHAT", help="Draw only cells, rivals or seed."),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed",
            metavar="TEXT",
            help="Draw from this text instead of the system's randomness, so that the deal can be "
            "repeated. Keep it secret.",
        ),
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw starting cells, rivals and a tie-break seed, and write them to Players and Settings.

    Prints the public commitment to the seed, to be posted before the match, and one private
    message a player. What a published round already used is never dealt again.

    Example: `referee deal match.xlsx`
    """
    from referee.chat.private_messages import deal_as_json, private_messages
    from referee.desk import dealing
    from referee.workbook.published import another_match, owned_rows
    from referee.workbook.reading import read_set_up

    output = Output(as_json=as_json)
    if only is not None and only not in dealing.WHAT:
        raise WrongUsage(f"--only {only}: write cells, rivals or seed")
    if seed is not None and not seed.strip():
        raise WrongUsage("--seed: give a text that nobody can guess, or leave the option out")
    what = tuple(one for one in dealing.WHAT if only in (None, one))
    store = sheet_at(sheet, credentials).workbook_store()
    with store.lock():
        book = store.read()
        read = read_set_up(book)
        set_up = read.set_up
        names = [player.name for player in set_up.players]
        published = owned_rows(book, read.places.titles, names)
        if (fault := another_match(published, read.places.titles, names)) is not None:
            raise Stopped([fault])
        given = bool(set_up.settings.settings.tie_break_seed)
        dealing.check_allowed(published, what, given)
        held = {"cells": any(p.cell for p in set_up.players)}
        held |= {"rivals": any(p.rival for p in set_up.players), "seed": given}
        draw = dealing.system_draw if seed is None else dealing.seeded_draw(seed)
        try:
            dealt = dealing.deal(names, draw, what)
        except ValueError as error:
            title = read.places.title("Players")
            raise Stopped([Fault("player-count", f"{title}: {error}", "Players")]) from None
        rows = [player.row for player in set_up.players]
        store.edit(dealing.edits(dealt, read.places, names, rows))
        output.done(f"{store.name}: what was dealt stands in its tabs Players and Settings")
    for remark in read.remarks:
        output.tell(remark.line)
    for note in store.notes:
        output.tell(f"note: {note}")
    replaced = [one for one in what if held[one]]
    if replaced:
        output.tell(f"note: replaced the {' and '.join(replaced)} that stood there before")
    if dealt.seed:
        output.say("Post this before the match; it commits you to the tie-break seed (SHA-256):")
        output.say(f"  {dealt.commitment}")
    for name, message in private_messages(dealt).items():
        output.say(f"To {name} alone: {message}")
    output.give(deal_as_json(dealt), "deal")
