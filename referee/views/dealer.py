"""The Dealer's console in a terminal: one screenful, however small the window.

Names and messages come as people typed them; they are shown in what every terminal gives the same
width, so that no line can run over and shift the screen.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from referee.desk.dealer_state import Inside, Next, Pending, State, Typed, reads_as
from referee.match.faults import Fault
from referee.match.instants import MINUTE, SECOND
from referee.match.notices import Clock, Notice
from referee.views.graphemes import isolated
from referee.views.pen_text import cell_width, shorten, steady

_PHASES: Final = {
    "before": "The match starts in",
    "pre-game": "Pre-game: round 1 starts in",
    "round": "Round {}: timer",
    "overrun": "Round {}: the timer is over, the last visit ends in",
    "break": "Round {} is over, round {} starts in",
    "waiting": "Round {} is over: add round {} to Rounds as its timer starts",
    "over": "Round {} is over, and so is the match",
    "cannot be played": "Round {next} cannot be played: mend the faults",
}
_FIRST_WAITS: Final = "The pre-game phase is over: add round 1 to Rounds as its timer starts"
_ROOMY: Final = 60
"""Columns from which on words are not saved."""
_LEAST_NAME: Final = 8
"""Columns that a name or message is given even where the rest of its line is cut for it."""

Locate = Callable[[str, int], str]
"""How a row of a tab is named to the host."""


def _row(tab: str, row: int) -> str:
    return f"{tab} row {row}"


class Block(NamedTuple):
    """Lines that belong together; ``least`` of them stay when there is no room for all."""

    lines: list[Text]
    least: int


class Dealer:
    """The console at one instant.

    ``state`` is None where the sheet could not be understood yet, ``name`` what is shown then;
    ``faults`` are those of the sheet as it was read last, ``trouble`` why it could not be read.
    """

    def __init__(
        self,
        state: State | None,
        clock: Clock,
        locate: Locate = _row,
        *,
        name: str = "",
        faults: Sequence[Fault] = (),
        trouble: str = "",
    ) -> None:
        self.state = state
        self.clock = clock
        self.locate = locate
        self.name = name
        self.faults = faults
        self.trouble = trouble

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the console into the window's size; what does not fit is counted and left out."""
        yield from self.lines(options.max_width, options.height or console.height)

    def lines(self, width: int, height: int | None = None) -> list[Text]:
        """Return the console's lines, at most ``height`` of them, each cut to ``width`` columns."""
        blocks = [Block([self._title(width)], 1), *self._blocks(width)]
        lines = _fitted([block for block in blocks if block.lines], height)
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
            if cell_width(line.plain) > width:
                line.truncate(width, overflow="ellipsis")
        return lines

    def _blocks(self, width: int) -> list[Block]:
        state, faults = self.state, _faults(self.faults, width)
        trouble = _wrapped(f"! {self.trouble}", width, 2) if self.trouble else []
        if state is None:
            return [Block(trouble, 1), faults]
        return [
            Block([*trouble, self._phase(state)], 2 if trouble else 1),
            faults,
            self._room(state, width),
            self._queue(state, width),
            self._pending(state, width),
            self._unlisted(state, width),
            self._notices(state.news),
        ]

    def _title(self, width: int) -> Text:
        if self.state is None:
            return Text(shorten(steady(self.name), width), style="bold reverse")
        time = self._time(self.state.now)
        if width >= _ROOMY:
            time += f" {_plain(self.state.time_zone)}"
        name = _cut(self.state.name, width, len(time) + 3)
        return Text(f"{name} · {time}", style="bold reverse")

    def _phase(self, state: State) -> Text:
        played = state.round or 0
        words = _FIRST_WAITS if state.phase == "waiting" and not played else _PHASES[state.phase]
        text = Text(words.format(played, played + 1, next=played + 1), style="bold")
        if state.until is not None:
            text.append(f" {countdown(state.until - state.now)}", style="bold yellow")
            text.append(f" (until {self._time(state.until)})", style="dim")
        return text

    # --- the room --------------------------------------------------------------------------------

    def _room(self, state: State, width: int) -> Block:
        inside = state.inside
        if inside is not None:
            return self._visit(state, inside, width)
        if state.phase != "round":
            return Block([Text("Dealer Room: closed", style="bold")], 1)
        told = "nobody, they are the first" if state.last_entered is None else state.last_entered
        lines = [
            Text("Dealer Room: empty", style="bold"),
            Text(f"  tell the next: {_plain(told)}"),
        ]
        return Block(lines, 2)

    def _visit(self, state: State, inside: Inside, width: int) -> Block:
        head = "Dealer Room: " if width >= _ROOMY else "Room: "
        stays = f" for {elapsed((state.now - inside.entered) / SECOND)}, out in "
        left = countdown(inside.until - state.now)
        name = _cut(inside.player, width, len(head) + len(stays) + len(left))
        told = "nobody, they are the first" if inside.told is None else _plain(inside.told)
        so_far = "no swap" if inside.typed else "nothing typed yet"
        if inside.swap is not None:
            so_far = f"swap {'–'.join(inside.swap)}"
        lines = [
            Text.assemble((head, "bold"), (name, "bold cyan"), stays, (left, "bold yellow")),
            Text.assemble("  tell them: ", (told, "cyan")),
            Text.assemble("  so far: ", (so_far, "green" if inside.swap else "yellow")),
        ]
        if inside.paid:
            lines.append(Text(f"  paid {_garnets(inside.paid)} for this visit", style="magenta"))
        left_out = len(inside.typed) - 3
        if left_out > 0:
            lines.append(Text(f"  … {left_out} earlier messages", style="dim"))
        lines += [self._typed(typed, width) for typed in inside.typed[-3:]]
        return Block(lines, 3)

    def _typed(self, typed: Typed, width: int) -> Text:
        begin, reads = f"  {self._time(typed.counts)} ", reads_as(typed.reading)
        ruled = f" (ruled: {_plain(typed.ruling)})" if typed.ruling else ""
        style = "green" if typed.reading.kind in ("swap", "pass") else "yellow"
        if not typed.message:
            return Text.assemble((begin, "dim"), (reads + ruled, style))
        said = _cut(" ".join(typed.message.split()), width, len(begin) + len(reads) + 3)
        return Text.assemble((begin, "dim"), said, " → ", (reads + ruled, style))

    # --- the queue -------------------------------------------------------------------------------

    def _queue(self, state: State, width: int) -> Block:
        if state.phase == "over":
            return Block([], 0)
        if not state.queue:
            return Block([Text("Queue: nobody waits", style="bold")], 1)
        head = Text(f"Queue: {len(state.queue)} waiting", style="bold")
        lines = [
            _waiting(place, waiting, state, width) for place, waiting in enumerate(state.queue, 1)
        ]
        return Block([head, *lines], 2)

    def _pending(self, state: State, width: int) -> Block:
        if not state.pending:
            return Block([], 0)
        following = (state.round or 0) + 1
        head = Text(f"Waiting for round {following} to be listed:", style="bold")
        return Block([head, *(self._pending_row(row, width) for row in state.pending)], 2)

    def _unlisted(self, state: State, width: int) -> Block:
        """Count and name every row that no listed round takes (R3.2)."""
        if not state.waiting:
            return Block([], 0)
        head = _rows(len(state.waiting))
        where = ", ".join(_plain(self.locate(name.tab, name.row)) for name in state.waiting)
        return Block(_wrapped(f"{head} in no listed round: {where}", width, 3), 1)

    def _pending_row(self, row: Pending, width: int) -> Text:
        begin = f"  {self._time(row.time)} "
        name = _cut(row.player, width, len(begin) + len(row.action) + 1)
        return Text(f"{begin}{name} {row.action}")

    # --- notices ---------------------------------------------------------------------------------

    def _notices(self, notices: Sequence[Notice]) -> Block:
        if not notices:
            return Block([], 0)
        count = len(notices)
        head = "1 notice" if count == 1 else f"{count} notices, the latest first"
        lines = [self._notice(notice) for notice in reversed(notices)]
        return Block([Text(head, style="bold"), *lines], 1)

    def _notice(self, notice: Notice) -> Text:
        where = _plain(self.locate(notice.tab, notice.row))
        words = _plain(notice.words(self._time))
        style = "yellow" if notice.severity == "warning" else "dim"
        return Text(f"  {self._time(notice.instant)} {where}: {words}", style=style)

    def _time(self, instant: int) -> str:
        """Return an instant without its date and fraction."""
        return self.clock(instant)[11:].partition(".")[0]


def _waiting(place: int, waiting: Next, state: State, width: int) -> Text:
    text = Text(f"  {place}. ")
    facts = list(_facts(waiting, state))
    name = _cut(waiting.player, width, len(text) + sum(len(fact) + 2 for fact, _ in facts))
    text.append(name, style="bold" if place == 1 else "")
    for fact, style in facts:
        text.append(f"  {fact}", style=style)
    return text


def _facts(waiting: Next, state: State) -> list[tuple[str, str]]:
    """Return what is to be said of a player who waits, each with its style."""
    found = []
    if waiting.enters is not None:
        found.append((f"in {countdown(waiting.enters - state.now)}", "yellow"))
    if waiting.round != state.round:
        found.append((f"in round {waiting.round}", "dim"))
    if waiting.turned_away:
        found.append((f"has {_garnets(waiting.garnets)}: will be turned away", "bold red"))
    elif waiting.pays:
        found.append((f"will pay {waiting.pays} of {_garnets(waiting.garnets)}", "magenta"))
    return found


def _faults(faults: Sequence[Fault], width: int) -> Block:
    if not faults:
        return Block([], 0)
    head = "1 fault in the sheet" if len(faults) == 1 else f"{len(faults)} faults in the sheet"
    lines = [line for fault in faults for line in _wrapped(f"  {fault.text}", width, 3)]
    return Block([Text(f"! {head}:", style="bold red"), *lines], 2)


def _fitted(blocks: list[Block], height: int | None) -> list[Text]:
    """Return the lines that fit: at least the least of each block, the upper blocks first.

    Blank lines part the blocks where only the last block has to be cut for them.
    """
    room = sum(len(block.lines) + 1 for block in blocks) if height is None else height
    least = [min(block.least, len(block.lines)) for block in blocks]
    upper = sum(len(block.lines) + 1 for block in blocks[:-1])
    gaps = upper + least[-1] <= room
    spare = max(room - sum(least) - (len(blocks) - 1 if gaps else 0), 0)
    lines: list[Text] = []
    for block, kept in zip(blocks, least, strict=True):
        more = min(len(block.lines) - kept, spare)
        spare -= more
        if gaps and lines:
            lines.append(Text())
        lines += _shown(block.lines, kept + more)
    return lines[:room]


def _shown(lines: list[Text], room: int) -> list[Text]:
    left_out = len(lines) - room
    if left_out <= 0 or room < 3:
        return lines[:room]
    return [*lines[: room - 1], Text(f"  … {left_out + 1} more lines", style="dim")]


def _wrapped(text: str, width: int, most: int) -> list[Text]:
    """Return a text in at most so many lines, the last of them cut where it is longer."""
    from textwrap import wrap

    whole = "  " + _plain(text) if text.startswith("  ") else _plain(text)
    rows = wrap(whole, max(width, 10), subsequent_indent="    ", drop_whitespace=True)
    if len(rows) > most:
        rows = [*rows[: most - 1], shorten(f"{rows[most - 1]} …", width)]
    return [Text(row, style="red") for row in rows]


def countdown(millis: int) -> str:
    """Return the time left as a clock shows it, never too little: ``0:05``, ``9:59``, ``1:02:03``.

    A begun second counts, so that it and the time passed add up to the whole.
    """
    return _clock(-(-max(millis, 0) // SECOND))


def elapsed(seconds: float) -> str:
    """Return the time passed as a clock shows it, never too much."""
    return _clock(int(max(seconds, 0)))


def _clock(seconds: int) -> str:
    hours, rest = divmod(seconds, 60 * MINUTE // SECOND)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"


def _garnets(number: int) -> str:
    return "1 garnet" if number == 1 else f"{number} garnets"


def _plain(text: str) -> str:
    return isolated(steady(text))


def _cut(text: str, width: int, taken: int) -> str:
    """Return a name or message in the room that the rest of its line leaves."""
    return isolated(shorten(steady(text), max(width - taken, _LEAST_NAME)))


def plain(dealer: Dealer) -> list[str]:
    """Return the console's lines as plain text, for a run without a terminal."""
    return [line.plain.rstrip() for line in dealer.lines(200)]
