"""The program ``referee``: finds the command, runs it, and turns what happens into an exit code."""

import errno
import gc
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from referee.cli.exits import Exit
from referee.cli.output import report, report_lost, use_utf8
from referee.cli.plain_values import take_plainly
from referee.cli.usage import in_our_words, no_such_command
from referee.match.faults import Interrupted, Mistake, RefereeError

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("init", "Make a match workbook from the template."),
    "deal": ("deal", "Draw starting cells, rivals and a tie-break seed."),
    "check": ("check", "Tell everything wrong or doubtful in the host's tabs; write nothing."),
    "resolve": ("resolve", "Replay the match and publish every round that is over by now."),
    "audit": ("audit", "Recompute published rounds and compare them cell by cell."),
    "show": ("show", "Show the match as it stands, or as it stood after a round."),
    "explain": ("explain", "Tell why: every loss, visit and row, and how the match ended."),
    "whatif": ("whatif", "Show what other rulings, settings or rows would change."),
    "export": ("export", "Write a workbook's match record to a file."),
    "replay": ("replay", "Replay match records and archives into results."),
    "import": ("import_", "Add the messages of Discord channel exports, each of them once."),
    "announce": ("announce", "Print the text to post after a round; draw the pen."),
    "log": ("log", "Stamp what just happened: a ping, an exit, a message, a round's start."),
    "live": ("live", "The Dealer's console: who is inside, who is next, the timer."),
    "watch": ("watch", "Resolve each round as soon as it is over."),
    "report": ("report", "Write the match as one HTML page to step through."),
    "season": ("season", "Tell who won what over the matches of a season."),
    "simulate": ("simulate", "Play many matches between simple players; tell who wins."),
    "demo": ("demo", "Play a complete match in a new workbook, resolve it and show it."),
}
"""Every command by name: its module under `referee.cli.commands`, and what it does in a line."""

_WRITING = frozenset({"init", "deal", "resolve", "import", "log", "watch", "demo"})
"""The commands that write to a sheet, and say so where they did not."""

_OUTPUT_LOST = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Why a standard output takes nothing more; a file of a sheet's own tells of itself by name."""


class PlainCommand(TyperCommand):
    """A command whose values are converted only where there is something to convert."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options and arguments."""
        return take_plainly(super().get_params(ctx))


class _PastTyper(Exception):
    """Carries an end that has its own exit code here; Typer's would pass for a difference."""

    def __init__(self, ended_by: BaseException) -> None:
        super().__init__()
        self.ended_by = ended_by


class LazyGroup(TyperGroup):
    """Imports only the command that is called: help and every other command start fast."""

    _listing = False

    def get_params(self, ctx: Any) -> Any:
        """Return the program's own options; see `PlainCommand`."""
        return take_plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Show the help where no command is given; not every Typer calls that wrong usage."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            ctx.exit(Exit.USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  Typer's signature
        """Return the names of all commands, in the order of a host's evening."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  Typer's signature
        """Return a command; in the list of all only its name and its line of help."""
        if cmd_name not in COMMANDS:
            return None
        module, line = COMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(name=cmd_name, help=line)
        run: Callable[..., None] = import_module(f"referee.cli.commands.{module}").run
        single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        single.command(name=cmd_name, cls=PlainCommand)(run)
        return typer.main.get_command(single)

    def resolve_command(self, ctx: Any, args: Any) -> Any:
        """Return the command that is meant; raises `WrongUsage` where there is none."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise no_such_command(args[0], list(COMMANDS))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what Typer would turn into an exit code of its own goes past it."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError, EOFError) as error:
            raise _PastTyper(error) from error

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the list of all commands without importing them."""
        self._listing = True
        super().format_help(ctx, formatter)


app = typer.Typer(
    cls=LazyGroup,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        from referee.version import __version__

        typer.echo(f"referee {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Referee a match of Pig Starvation from its sheet, and show why.

    SHEET is a Google Sheets address or key, an .xlsx file, or a match record (.json); without it
    REFEREE_SHEET from the environment, or the only .xlsx file of the folder. A name that begins
    with a dash goes behind --, as in `referee show -- -Zed.xlsx`.
    """


def run() -> None:
    """Run the program and exit with its code; the only way out of it."""
    use_utf8()
    # A run makes next to no circular garbage; looking for it as often as Python does by itself
    # takes a tenth of a short one.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        code = app(prog_name="referee", standalone_mode=False)
    except _PastTyper as past:
        code = _end(past.ended_by)
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001  Python itself would exit 1
        code = _end(error)
    sys.exit(code)


def _end(error: BaseException) -> Exit:
    as_json = "--json" in sys.argv[1:]
    told = error if isinstance(error, RefereeError) else in_our_words(error)
    if told is not None:
        command = next((word for word in sys.argv[1:] if word in COMMANDS), "")
        return report(told, as_json=as_json, writes=command in _WRITING)
    if isinstance(error, KeyboardInterrupt):
        return report(Interrupted("interrupted"), as_json=as_json)
    if isinstance(error, BrokenPipeError):
        _quiet_pipe()
        return Exit.UNAVAILABLE
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_LOST:
        _quiet_pipe()
        return report_lost(error)
    return _confess(error, as_json=as_json)


def _quiet_pipe() -> None:
    """Keep Python from complaining again at its end that nobody reads on."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_HEADER = re.compile(r"\b(Bearer|Basic)\s+[^\s'\"]+", re.IGNORECASE)
"""What signs a request in; no mistake is worth showing it."""


def _confess(error: BaseException, *, as_json: bool) -> Exit:
    import traceback

    text = "".join(traceback.format_exception(error))
    typer.echo(_HEADER.sub(r"\1 …", text), err=True, nl=False)
    mistake = Mistake(
        "this is a mistake in the referee itself, not in your sheet. Nothing is published in part. "
        "Please report it with the lines above."
    )
    return report(mistake, as_json=as_json)


if __name__ == "__main__":
    run()
