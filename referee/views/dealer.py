"""The Dealer's console in a terminal: one screenful, however small the window."""

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.text import Text

from referee.console import State, reads_as
from referee.instants import MINUTE, SECOND
from referee.notices import Clock

_PHASES = {
    "pre-game": "pre-game, round 1 starts in",
    "round": "timer",
    "overrun": "timer is over, the last visit ends in",
    "break": "break, the next round starts in",
    "waiting": "over: add the next round to Rounds as its timer starts",
    "over": "the match is over",
}


class Dealer:
    """The console at one instant; ``trouble`` is why the sheet could not be read last time."""

    def __init__(self, state: State, clock: Clock, trouble: str = "") -> None:
        self.state = state
        self.clock = clock
        self.trouble = trouble

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the console into the window's size; what does not fit below is left out."""
        height = options.height or console.height
        lines = self.lines(max(options.max_width - 4, 20))
        room = max(height - 3, 6)
        if len(lines) > room:
            left_out = len(lines) - room + 1
            lines = [*lines[: room - 1], Text(f"… {left_out} more lines", style="dim")]
        body: RenderableType = Group(*lines)
        title = Text(f"{self.state.name} · {_time(self.clock(self.state.now))}")
        yield Panel(body, title=title, width=options.max_width, height=len(lines) + 2)

    def lines(self, width: int) -> list[Text]:
        """Return the console's lines, each cut to a width in columns."""
        lines = [self._phase(), Text(), *self._inside(), Text(), *self._queue()]
        if self.trouble:
            lines.insert(0, Text(f"! {self.trouble}", style="bold red"))
        lines += [Text(), *self._notices()]
        for line in lines:
            line.no_wrap = True
            line.truncate(width, overflow="ellipsis")
        return lines

    def _phase(self) -> Text:
        state = self.state
        what = _PHASES[state.phase]
        head = f"Round {state.round}: {what}" if state.round else what.capitalize()
        text = Text(head, style="bold")
        if state.until is not None:
            text.append(f" {countdown(state.until - state.now)}", style="bold yellow")
            text.append(f"  (until {_time(self.clock(state.until))})", style="dim")
        return text

    def _inside(self) -> list[Text]:
        state, inside = self.state, self.state.inside
        if inside is None:
            told = state.last_entered or "nobody yet"
            return [Text("Dealer Room: empty", style="bold"), Text(f"  last to enter: {told}")]
        lines = [
            Text.assemble(
                ("Dealer Room: ", "bold"),
                (inside.player, "bold cyan"),
                f" for {countdown(state.now - inside.entered)}, out in ",
                (countdown(inside.until - state.now), "bold yellow"),
            ),
            Text(f"  tell them: {inside.told or 'nobody was here before you this round'}"),
        ]
        if inside.paid:
            lines.append(Text(f"  paid {inside.paid} garnets for this visit"))
        for typed in state.typed[-3:]:
            line = Text(f"  {_time(self.clock(typed.time))} {_one_line(typed.message)} → ")
            style = "green" if typed.reading.kind == "swap" else "yellow"
            line.append(reads_as(typed.reading), style=style)
            lines.append(line)
        if not state.typed:
            lines.append(Text("  has typed nothing yet", style="dim"))
        return lines

    def _queue(self) -> list[Text]:
        state = self.state
        if not state.queue:
            return [Text("Queue: nobody waits", style="bold")]
        lines = [Text(f"Queue: {len(state.queue)} waiting", style="bold")]
        for place, waiting in enumerate(state.queue, 1):
            line = Text(f"  {place}. {waiting.player}")
            if waiting.enters is not None:
                line.append(f"  in {countdown(waiting.enters - state.now)}", style="yellow")
            if waiting.turned_away:
                line.append("  cannot pay: will be turned away", style="red")
            elif waiting.pays:
                line.append(f"  will pay {waiting.pays} garnets", style="magenta")
            elif waiting.enters is None:
                line.append("  not this round any more", style="dim")
            lines.append(line)
        return lines

    def _notices(self) -> list[Text]:
        state = self.state
        found = [Text(f"! {fault.text}", style="bold red") for fault in state.faults]
        found += [
            Text(f"{_time(self.clock(notice.instant))} {notice.words(self.clock)}", style="dim")
            for notice in reversed(state.notices[-5:])
        ]
        return [Text("Latest notices", style="bold"), *found] if found else []


def countdown(millis: int) -> str:
    """Return a length of time as a clock shows it: ``0:05``, ``9:59``, ``1:02:03``."""
    seconds = -(-max(millis, 0) // SECOND)
    hours, rest = divmod(seconds, 60 * MINUTE // SECOND)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _time(text: str) -> str:
    """Return a shown instant without its date and fraction."""
    return (text.partition(" ")[2] or text).partition(".")[0]


def _one_line(text: str, longest: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def plain(state: State, clock: Clock) -> list[str]:
    """Return the console's lines as plain text, for a run without a terminal."""
    title = f"{state.name} · {_time(clock(state.now))}"
    return [title, *(line.plain for line in Dealer(state, clock).lines(200))]
