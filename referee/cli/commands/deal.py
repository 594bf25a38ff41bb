"""``referee deal``: cells, rivals and the tie-break seed."""

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output
from referee.match.faults import Fault, Stopped, WrongUsage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.desk.dealing import Standing, What
    from referee.workbook.setup import SetUp


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
            help="Draw from this text instead of the system's randomness: cells, rivals and seed "
            "follow from it, and anyone who is told it after the match can verify them. Keep it "
            "secret until then.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Draw anew what stands there already.")
    ] = False,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw what is blank of starting cells, rivals and tie-break seed, into Players and Settings.

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
        players = read.set_up.players
        names = [player.name for player in players]
        standing = _standing(read.set_up)
        published = owned_rows(book, read.places.titles, names)
        if (fault := another_match(published, read.places.titles, names)) is not None:
            raise Stopped([fault])
        drawn = what if again else standing.blanks(what)
        before = standing.without(what) if again else standing
        dealing.check_allowed(published, drawn, standing, before)
        if "seed" in what:
            dealing.check_seed(before)
        draw = dealing.system_draw if seed is None else dealing.seeded_draw(seed)
        try:
            dealt = dealing.deal(before, draw, what)
        except ValueError as error:
            title = read.places.title("Players")
            raise Stopped([Fault("player-count", f"{title}: {error}", "Players")]) from None
        rows = [player.row for player in players]
        store.edit(dealing.edits(dealt, standing, read.places, names, rows))
        output.done(f"{store.name}: what was dealt stands in its tabs Players and Settings")
    for remark in read.remarks:
        output.tell(remark.line)
    for note in store.notes:
        output.tell(f"note: {note}")
    _tell_drawn(output, what, drawn, standing)
    if seed is not None:
        _tell_origin(
            output, seed, complete=drawn == dealing.WHAT and before == standing.without(drawn)
        )
    if dealt.seed:
        output.say("Post this before the match; it commits you to the tie-break seed (SHA-256):")
        output.say(f"  {dealt.commitment}")
        output.say(
            "Then ask each player for a word and fill them in under Players' words before round 1."
        )
    for name, message in private_messages(dealt).items():
        output.say(f"To {name} alone: {message}")
    output.give(deal_as_json(dealt), "deal")


def _standing(set_up: "SetUp") -> "Standing":
    from referee.desk.dealing import Standing

    settings = set_up.settings
    return Standing(
        cells={player.name: player.cell or "" for player in set_up.players},
        rivals={player.name: player.rival or "" for player in set_up.players},
        seed=settings.settings.tie_break_seed,
        commitment=settings.commitment.strip().casefold(),
    )


def _tell_drawn(
    output: Output, what: "Sequence[What]", drawn: "Sequence[What]", standing: "Standing"
) -> None:
    """Say what was drawn over something that stood there, or that nothing was."""
    held = {
        "cells": any(standing.cells.values()),
        "rivals": any(standing.rivals.values()),
        "seed": bool(standing.seed),
    }
    blank = standing.blanks(what)
    replaced = [one for one in drawn if held[one] and one not in blank]
    if replaced:
        output.tell(f"note: replaced the {' and '.join(replaced)} that stood there before")
    if not drawn:
        output.tell("note: nothing was blank, so nothing was drawn; --again draws anew")


def _tell_origin(output: Output, text: str, *, complete: bool) -> None:
    """Say what follows from the text of --seed, and whether it could be guessed."""
    from referee.workbook.draw_doubts import ENOUGH, chance_in

    if complete:
        output.say(
            "Cells, rivals and the tie-break seed follow from the text given with --seed: tell it "
            "after the match, and anyone can deal it again and compare."
        )
    if chance_in(text) < ENOUGH:
        output.tell(
            "warning: the text given with --seed is short enough to be guessed, and cells, rivals "
            "and seed with it; take a longer one"
        )
