"""Posting to Discord, for the commands that post."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.output import Output

if TYPE_CHECKING:
    from referee.chat.round_announcement import Poster
    from referee.sheets import MatchSheet

WebhookFileOption = Annotated[
    Path | None,
    typer.Option(
        "--webhook-file",
        metavar="FILE",
        help="A text file with the webhook's address, where REFEREE_DISCORD_WEBHOOK has none.",
    ),
]


def poster_of(
    match: "MatchSheet",
    output: Output,
    webhook_file: Path | None,
    *,
    hunger: bool = False,
    page: bool = False,
    ping: str = "",
) -> "Poster":
    """Return what posts a match's rounds.

    Raises `WrongUsage` and `Unavailable` where there is no webhook.
    """
    import time

    from referee.chat.round_announcement import Poster
    from referee.chat.webhook import Webhook, webhook_address

    webhook = Webhook(webhook_address(webhook_file, os.environ), output.tell)
    return Poster(
        match,
        webhook,
        lambda: time.time_ns() // 1_000_000,
        hunger=hunger,
        page=page,
        ping=ping,
    )
