"""``referee live``: the Dealer's console during a round."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.options import CredentialsOption, JsonOption, SheetArgument, sheet_at, tell_wait
from referee.cli.output import Output
from referee.match.faults import Stopped, WrongUsage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from referee.desk.dealer_state import State
    from referee.desk.evening import Evening
    from referee.desk.following import Follower, Seen, Waits
    from referee.desk.logbook import Logbook
    from referee.match.faults import Fault
    from referee.match.record import Record
    from referee.sheets import MatchSheet, Read
    from referee.views.dealer import Dealer

_SHORTEST_PAUSE: Final = 0.25
"""Seconds between two frames of a past match that runs fast."""
_LAST_WRITE: Final = 8.0
"""Seconds that whoever leaves waits at most for what was typed last to be written."""
_OVERDUE: Final = 2.0
"""Seconds that a reading takes without a word about it."""


def run(
    sheet: SheetArgument,
    every: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", min=2, help="Look at the sheet so often."),
    ] = 5.0,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="Look at a past instant of the match instead."),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            metavar="N",
            min=0.1,
            max=3600,
            help="Let a past match run N times as fast, from --at or its start.",
        ),
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who is inside and for how long, whom to tell, who is next and what they pay.

    At its bottom line what happens is typed as for `referee log`: a name, `ann exit`, `round`; F1
    shows more. Nothing else is written. It ends with Ctrl-C. The clocks go on every second;
    --every says how often the sheet is read, and Google allows 60 reads a minute. Without a
    terminal, with --json, or with --at alone it shows one instant and ends.

    Example: `referee live match.xlsx --at "2026-11-29 20:13:05"`
    """
    from referee.desk.following import Waits

    output = Output(as_json=as_json)
    waits = Waits(tell_wait)
    match = sheet_at(sheet, credentials, read_only=True, on_wait=waits)
    try:
        if as_json or not _has_screen() or (at is not None and speed is None):
            _show_once(output, match, at)
        elif at is not None or speed is not None or sheet == "-":
            _show_past(match, at, speed or 1.0)
        else:
            _show_live(match, every, waits, _evening_of(sheet, credentials))
    except KeyboardInterrupt:
        return


def _has_screen() -> bool:
    if not sys.stdout.isatty():
        return False
    from rich.console import Console

    return not Console().is_dumb_terminal


def _now() -> int:
    return time.time_ns() // 1_000_000


def _instant(record: "Record", text: str) -> int:
    """Read a time as the workbook would."""
    from referee.workbook.times import Times
    from referee.workbook.zones import clock_of

    try:
        return Times(clock_of(record), record.start).read(text, on_the_minute=True)
    except ValueError as error:
        raise WrongUsage(f"--at {error}") from None


def _state(read: "Read", now: int) -> "State":
    """Return the state at an instant; its faults, or a stop's, name the host's own cells."""
    import msgspec

    from referee.desk.console import state_at
    from referee.sheets import located

    try:
        state = state_at(read.record, now)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    faults = tuple(read.places.describe(fault) for fault in state.faults)
    return msgspec.structs.replace(state, faults=faults)


def _dealer(
    read: "Read", state: "State", faults: "Sequence[Fault]" = (), trouble: str = ""
) -> "Dealer":
    from referee.views.dealer import Dealer
    from referee.workbook.writing import wall_clock

    def locate(tab: str, row: int) -> str:
        return read.places.locate(tab, row, "Start" if tab == "Rounds" else "Timestamp")

    found = (*state.faults, *faults)
    return Dealer(state, wall_clock(read.record), locate, faults=found, trouble=trouble)


def _show_once(output: Output, match: "MatchSheet", at: str | None) -> None:
    from referee.views.dealer import plain

    read = match.read()
    state = _state(read, _now() if at is None else _instant(read.record, at))
    for line in plain(_dealer(read, state)):
        output.say(line)
    output.give(state.as_json())


def _show_past(match: "MatchSheet", at: str | None, speed: float) -> None:
    """Let a match run from an instant on, without reading it again."""
    read = match.read()
    first = read.record.start if at is None else _instant(read.record, at)
    begun = time.monotonic()

    def frame() -> "Dealer":
        return _dealer(read, _state(read, first + int((time.monotonic() - begun) * speed * 1000)))

    pause = max(1 / max(speed, 1), _SHORTEST_PAUSE)
    _draw(frame, lambda: pause)


def _evening_of(sheet: str, credentials: "Path | None") -> "Logbook | None":
    """Return where lines typed for a sheet are kept; None where none can be typed."""
    from referee.stores.records import RecordStore

    match = sheet_at(sheet, credentials, on_wait=lambda _: None)
    if isinstance(match.store, RecordStore) or not sys.stdin.isatty():
        return None
    from referee.desk.logbook import Logbook
    from referee.sheets import journal_of

    return Logbook(journal_of(sheet), match.workbook_store)


def _show_live(
    match: "MatchSheet", every: float, waits: "Waits", logbook: "Logbook | None"
) -> None:
    """Draw the match every second while it is read again and again beside it."""
    from referee.desk.following import Follower, Seen

    try:
        first = Seen(match.read(), time.monotonic())
    except Stopped as stopped:
        # The host mends the sheet while the console is on.
        first = Seen(None, time.monotonic(), stopped.faults)
    waits.is_kept = True
    with Follower(match, first, every) as follower:
        frames = _Frames(match.name, follower, every, waits)
        if logbook is None:
            _draw(frames.frame, lambda: 1.0 - time.time() % 1.0)
        else:
            _type_along(frames, logbook)


def _type_along(frames: "_Frames", logbook: "Logbook") -> None:
    """Show the console with a line to type at; what is typed is written beside it."""
    from referee.cli.screen import Screen
    from referee.desk.evening import Evening
    from referee.desk.writing_along import Writer
    from referee.views.summary import counted

    def changed() -> None:
        screen.changed()

    writer = Writer(logbook, changed)
    evening = Evening(logbook, writer)
    frames.evening = evening
    screen = Screen(evening, frames.frame, _now)
    with writer:
        screen.run()
        if logbook.journal.waiting() and not writer.finish(_LAST_WRITE):
            waiting = len(logbook.journal.waiting())
            tell_wait(
                f"{counted(waiting, 'line')} kept with their times in {logbook.journal.path}, "
                "written by the next referee log or live"
            )


class _Frames:
    """What the console shows of a sheet that is read beside it: the last that made sense."""

    def __init__(self, name: str, follower: "Follower", every: float, waits: "Waits") -> None:
        self._name = name
        self._follower = follower
        self._every = every
        self._waits = waits
        self._sound: Read | None = None
        self.evening: Evening | None = None

    def frame(self) -> "Dealer":
        """Return the console as it looks now."""
        from referee.views.dealer import Dealer

        seen, now = self._follower.seen, _now()
        trouble, faults = self._trouble(seen), seen.faults
        if seen.read is not None and seen.read is not self._sound:
            try:
                _state(self._echoed(seen.read), now)
                self._sound = seen.read
            except Stopped as stopped:
                faults = (*faults, *stopped.faults)
        if self._sound is None:
            return Dealer(None, str, name=self._name, faults=faults, trouble=trouble)
        sound = self._echoed(self._sound)
        return _dealer(sound, _state(sound, now), faults, trouble)

    def _echoed(self, read: "Read") -> "Read":
        """Return a reading with what was typed since in it."""
        if self.evening is None:
            return read
        import msgspec

        return msgspec.structs.replace(read, record=self.evening.hear(read.record))

    def _trouble(self, seen: "Seen") -> str:
        """Return why the console may be behind the sheet; blank where it is not."""
        from referee.views.dealer import elapsed

        age = time.monotonic() - seen.at
        if age <= self._every + _OVERDUE and not seen.trouble:
            self._waits.latest = ""
            return ""
        if why := self._waits.latest or seen.trouble:
            return f"not read for {elapsed(age)}: {why}"
        return f"the sheet was last read {elapsed(age)} ago; still trying"


def _draw(frame: "Callable[[], Dealer]", pause: Callable[[], float]) -> None:
    """Draw frame after frame on a screen of its own until Ctrl-C, or until somebody ends us."""
    import signal

    from rich.live import Live

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Live(frame(), screen=True, auto_refresh=False) as live:
            while True:
                live.update(frame(), refresh=True)
                time.sleep(pause())
    finally:
        signal.signal(signal.SIGTERM, before)
