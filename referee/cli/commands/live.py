"""``referee live``: the Dealer's console during a round."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at
from referee.cli.output import Output
from referee.faults import RefereeError, WrongUsage

if TYPE_CHECKING:
    from referee.console import State
    from referee.record import Record
    from referee.sheets import MatchSheet, Read


def run(
    sheet: SheetArgument,
    every: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", min=2, help="Read the sheet at most so often."),
    ] = 5.0,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="Look at a past instant of the match instead."),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(
            "--speed", metavar="N", min=0, help="Let a past match run N times as fast, from --at."
        ),
    ] = 0.0,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who is inside and for how long, whom to tell, who is next and what they pay.

    It writes nothing and ends with Ctrl-C. Without a terminal, with --json, or with --at alone it
    shows one instant and ends. Times are on the match's wall clock.

    Example: `referee live match.xlsx --at "2026-11-29 20:13:05"`
    """
    output = Output(as_json=as_json)
    match = sheet_at(sheet, credentials, read_only=True)
    read = match.read()
    begun = time.time_ns() // 1_000_000
    shown = _clock(read, at, speed, begun)
    if as_json or not sys.stdout.isatty() or (at is not None and not speed):
        _show_once(output, read, shown())
        return
    _show_live(match, read, shown, 0.0 if at is not None or speed else every)


def _clock(read: "Read", at: str | None, speed: float, begun: int) -> Callable[[], int]:
    """Return what tells the shown time: now, or a past time standing still or running fast."""
    if at is None and not speed:
        return lambda: time.time_ns() // 1_000_000
    first = read.record.start if at is None else _instant(read.record, at)
    return lambda: first + int((time.time_ns() // 1_000_000 - begun) * speed)


def _instant(record: "Record", text: str) -> int:
    """Read a time as the workbook would."""
    from referee.workbook.times import Times
    from referee.workbook.wall_clock import Clock, find_zone

    zone = find_zone(record.time_zone)
    clock = Clock.utc() if zone is None else Clock(zone, record.time_zone)
    try:
        return Times(clock, record.start).read(text)
    except ValueError as error:
        raise WrongUsage(f"--at {text}: {error}") from None


def _show_once(output: Output, read: "Read", now: int) -> None:
    from referee.console import state_at
    from referee.views.dealer import plain
    from referee.workbook.writing import wall_clock

    state = _located(read, state_at(read.record, now))
    for line in plain(state, wall_clock(read.record)):
        output.say(line)
    output.give(state.as_json())


def _located(read: "Read", state: "State") -> "State":
    import msgspec

    faults = tuple(read.places.describe(fault) for fault in state.faults)
    return msgspec.structs.replace(state, faults=faults)


def _show_live(match: "MatchSheet", read: "Read", shown: Callable[[], int], every: float) -> None:
    """Redraw every second; read the sheet again every ``every`` seconds, never where it is 0."""
    from rich.live import Live

    from referee.console import state_at
    from referee.views.dealer import Dealer
    from referee.workbook.writing import wall_clock

    trouble = ""
    read_at = time.monotonic()
    with Live(screen=True, auto_refresh=False) as live:
        while True:
            if every and time.monotonic() - read_at >= every:
                read_at = time.monotonic()
                try:
                    read, trouble = match.read(), ""
                except RefereeError as error:
                    trouble = " ".join(str(error).split("\n"))
            try:
                state = _located(read, state_at(read.record, shown()))
                live.update(Dealer(state, wall_clock(read.record), trouble), refresh=True)
                time.sleep(1.0 - time.time() % 1.0)
            except KeyboardInterrupt:
                return
