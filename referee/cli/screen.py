"""The console of ``referee live`` with a line to type at: drawn over it, the Dealer's state.

What is slow runs beside it: the sheet is read, the state found and lines written in threads of
their own, so that a key press is stamped when it comes.
"""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Final

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import BeforeInput

from referee.desk.alarms import Alarms
from referee.desk.evening import Evening, Reply
from referee.match.record import ACTIONS
from referee.views.pen_text import shorten, steady

if TYPE_CHECKING:
    from referee.views.dealer import Dealer

HELP: Final = (
    "What to type, each stamped when Enter is pressed",
    "",
    "  ann              Ann pings @Dealer",
    "  ann exit         Ann leaves the room (also: withdraw, leave)",
    "  ann A D          what Ann types in the Dealer Room",
    "  ann says exit    a message that looks like something else",
    "  round            the next round's timer starts",
    "  round --minutes 13   this round lasts 13 minutes, a pause included",
    "  undo             takes the last line back (also Ctrl-Z)",
    "",
    "  Tab completes a name · Escape clears the line · Ctrl-C ends the console",
    "  A line that is not clear keeps its time while you correct it.",
    "",
    "  Any key goes back to the console",
)
_WORDS: Final = ("round", "undo", "help")
_MARK_SECONDS: Final = 5.0
"""How long a bell's reason stays on the screen."""


class _Names(Completer):
    """Completes names and the words of the console, then what a player may do."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002  the library's signature
    ) -> Iterable[Completion]:
        typed = document.text_before_cursor.lstrip()
        folded = typed.casefold()
        if not folded:
            return
        for word in (*self._evening.names, *_WORDS):
            if word.casefold().startswith(folded) and word.casefold() != folded:
                yield Completion(word, start_position=-len(typed))
        for name in self._evening.names:
            begin = f"{name.casefold()} "
            said = folded.removeprefix(begin)
            if folded.startswith(begin) and said and " " not in said:
                for action in ACTIONS:
                    if action.startswith(said) and action != said:
                        yield Completion(action, start_position=-len(said))


class Screen:
    """The console on the whole screen until Ctrl-C; ``frame`` finds what it shows of the match.

    ``now`` tells the instant (milliseconds) of a key press.
    """

    def __init__(
        self, evening: Evening, frame: "Callable[[], Dealer]", now: Callable[[], int]
    ) -> None:
        self._evening = evening
        self._frame = frame
        self._now = now
        self._alarms = Alarms()
        self._dealer: Dealer | None = None
        self._mark, self._mark_until = "", 0.0
        self._reply = Reply("")
        self._shows_help = False
        self._wake = threading.Event()
        self._is_over = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drawn: tuple[object, tuple[int, int], ANSI] | None = None
        self._names = _Names(evening)
        self._buffer = Buffer(completer=self._names, complete_while_typing=True)
        self._app: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            full_screen=True,
            erase_when_done=True,
        )
        # Whoever types an Escape sees it act at once, not after half a second.
        self._app.ttimeoutlen = 0.05

    def run(self) -> None:
        """Show the console until it is left; raises what broke it."""
        ticker = threading.Thread(target=self._tick, daemon=True)

        def begin() -> None:
            self._loop = asyncio.get_running_loop()
            with suppress(NotImplementedError):  # Windows knows no such signal
                self._loop.add_signal_handler(signal.SIGTERM, self._leave)
            ticker.start()

        try:
            self._app.run(pre_run=begin)
        except EOFError:
            return  # the terminal is gone
        finally:
            self._is_over = True
            self._wake.set()

    def _leave(self) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    # --- beside the screen -----------------------------------------------------------------------

    def changed(self) -> None:
        """Have the console drawn anew at once; any thread may call it."""
        self._wake.set()

    def _tick(self) -> None:
        """Find the state every second, on the second, and whenever something was typed."""
        try:
            while not self._is_over:
                dealer = self._frame()
                rung = [] if dealer.state is None else self._alarms.since(dealer.state)
                self._in_loop(partial(self._show, dealer, rung))
                self._wake.wait(1.0 - time.time() % 1.0)
                self._wake.clear()
        except BaseException as broken:  # noqa: BLE001  raised again by `run`
            error = broken
            self._in_loop(lambda: self._app.exit(exception=error))

    def _in_loop(self, what: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the console was left meanwhile
                self._loop.call_soon_threadsafe(what)

    def _show(self, dealer: "Dealer", rung: list[str]) -> None:
        self._dealer = dealer
        if rung:
            self._mark, self._mark_until = "; ".join(rung), time.monotonic() + _MARK_SECONDS
            self._app.output.bell()
        self._app.invalidate()

    # --- the screen ------------------------------------------------------------------------------

    def _layout(self) -> Layout:
        prompt = BufferControl(self._buffer, input_processors=[BeforeInput(self._prompt)])
        body = HSplit(
            [
                Window(FormattedTextControl(self._above)),
                Window(FormattedTextControl(self._status), height=1),
                Window(prompt, height=1),
            ]
        )
        menu = Float(CompletionsMenu(max_height=5), xcursor=True, ycursor=True)
        return Layout(FloatContainer(body, [menu]), focused_element=prompt)

    def _above(self) -> ANSI | str:
        size = self._app.output.get_size()
        if self._shows_help:
            return "\n".join(shorten(line, size.columns) for line in HELP)
        if self._dealer is None:
            return ""
        room = (size.columns, max(size.rows - 2, 1))
        if self._drawn is None or self._drawn[:2] != (self._dealer, room):
            self._drawn = (self._dealer, room, ANSI(_ansi(self._dealer, *room)))
        return self._drawn[2]

    def _status(self) -> StyleAndTextTuples:
        width = self._app.output.get_size().columns
        if time.monotonic() < self._mark_until:
            return [("reverse bold", shorten(f"» {steady(self._mark)}", width))]
        if self._reply.again:
            return [("ansired", shorten(f"? {steady(self._reply.text)}", width))]
        said = steady(self._reply.text)
        if doubt := self._evening.doubt():
            both = f"{said} · ! {steady(doubt)}" if said else f"! {steady(doubt)}"
            return [("ansired", shorten(both, width))]
        return [("", shorten(said or "F1 help", width))]

    def _prompt(self) -> StyleAndTextTuples:
        asked = self._evening.asked
        return [("bold", "> " if asked is None else f"{self._evening.time(asked.at)[:8]} > ")]

    # --- keys ------------------------------------------------------------------------------------

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            self._enter(self._now(), event)

        @keys.add("c-c")
        @keys.add("<sigint>")
        def _(event: KeyPressEvent) -> None:  # noqa: ARG001  the library's signature
            self._leave()

        @keys.add("c-d")
        def _(event: KeyPressEvent) -> None:  # noqa: ARG001  its caller's
            if not self._buffer.text:
                self._leave()

        @keys.add("f1")
        def _(event: KeyPressEvent) -> None:  # noqa: ARG001  its caller's
            self._shows_help = not self._shows_help

        @keys.add("escape", eager=True)
        def _(event: KeyPressEvent) -> None:  # noqa: ARG001  its caller's
            self._clear()

        @keys.add("c-z")
        def _(event: KeyPressEvent) -> None:  # noqa: ARG001  its caller's
            self._buffer.reset()
            self._answer(self._evening.undo())

        @keys.add("tab")
        def _(event: KeyPressEvent) -> None:  # noqa: ARG001  its caller's
            self._complete()

        return keys

    def _complete(self) -> None:
        """Take the next of the completions shown, or the first where none is shown yet."""
        if self._buffer.complete_state:
            self._buffer.complete_next()
            return
        shown = CompleteEvent(completion_requested=True)
        for found in self._names.get_completions(self._buffer.document, shown):
            self._buffer.apply_completion(found)
            return

    def _enter(self, at: int, event: KeyPressEvent) -> None:  # noqa: ARG002  its caller's
        text, self._shows_help = self._buffer.text, False
        self._buffer.reset()
        if text.strip().casefold() in ("help", "?"):
            self._shows_help = True
            return
        if not text.strip():
            self._clear()
            return
        # A paste may bring many lines; each is one.
        for line in text.splitlines():
            self._answer(self._evening.enter(line, at))
            if self._reply.again:
                self._buffer.insert_text(self._reply.again)
                break

    def _clear(self) -> None:
        self._shows_help = False
        self._buffer.reset()
        self._answer(self._evening.let_go())

    def _answer(self, reply: Reply) -> None:
        self._reply = reply
        self._mark_until = 0.0
        self.changed()


def _ansi(dealer: "Dealer", width: int, height: int) -> str:
    """Return the console's lines as a terminal is told to draw them."""
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, force_terminal=True, width=width, legacy_windows=False)
    for number, line in enumerate(dealer.lines(width, height)):
        console.print(line, end="", soft_wrap=True)
        out.write("\n" if number < height - 1 else "")
    return out.getvalue()
