"""The clocks of a match: when rounds start and their timers end (R2)."""

from referee.match.faults import Fault
from referee.match.instants import MINUTE, SECOND, format_instant
from referee.match.notices import Notice
from referee.match.record import Record, Round
from referee.rules.checks import clock_fault, in_order, label, place


class Clocks:
    """The listed rounds by number, with the starts that are recorded and those that follow."""

    def __init__(self, record: Record) -> None:
        self.settings = record.settings
        self.opening: int = record.start + record.settings.pre_game_minutes * MINUTE
        self.rounds = in_order(record.rounds)
        self._starts = [
            start if isinstance(start := round_.start, int) else None for _, round_ in self.rounds
        ]
        self._later_starts: list[int | None] = []
        later: int | None = None
        for recorded in reversed(self._starts):
            self._later_starts.append(later)
            later = later if recorded is None else recorded
        self._later_starts.reverse()

    def recorded_start(self, place_: int) -> int | None:
        """Return the recorded start of the round at a place from 0, None where there is none."""
        return self._starts[place_] if place_ < len(self._starts) else None

    def later_start(self, place_: int) -> int | None:
        """Return the first recorded start of the rounds behind a place, None where there is none.

        While the match runs this is never before the next round's start; rounds listed after its
        end may be anywhere (R2.4), and still say which round was running (R5.1).
        """
        return self._later_starts[place_]

    def start(self, place_: int, last_end: int | None) -> int | None:
        """Return when a listed round starts: as recorded, else as it follows (R2.2).

        ``last_end`` is the official end of the round before, None for the first. Returns None for
        a round that is not listed.
        """
        if place_ >= len(self.rounds):
            return None
        recorded = self.recorded_start(place_)
        if recorded is not None:
            return recorded
        if last_end is None:
            return self.opening
        return last_end + self.settings.break_seconds * SECOND

    def timer_end(self, place_: int, start: int) -> int:
        """Return when the timer of the round at a place ends: T_k (R2.2)."""
        minutes = self.rounds[place_][1].minutes
        length = minutes if isinstance(minutes, int) else self.settings.round_minutes
        return start + length * MINUTE

    def row(self, place_: int) -> tuple[Round, int]:
        """Return the round at a place and its sheet row."""
        index, round_ = self.rounds[place_]
        return round_, label(round_, index)

    def fault(self, place_: int, start: int, timer_end: int) -> Fault | None:
        """Return why a round's clocks cannot be right, None if they can (R2.4)."""
        round_, row = self.row(place_)
        fault = clock_fault("Rounds", row, start) or clock_fault("Rounds", row, timer_end)
        if fault is not None:
            return fault
        following = self.recorded_start(place_ + 1)
        if following is None or following >= timer_end:
            return None
        next_round, next_row = self.row(place_ + 1)
        text = (
            f"{place('Rounds', next_row)}: round {next_round.number} starts at "
            f"{format_instant(following)}, before the timer of round {round_.number} ends at "
            f"{format_instant(timer_end)}; correct the start, or round {round_.number}'s Minutes"
        )
        return Fault("start-before-timer", text, "Rounds", next_row)

    def opening_notice(self) -> Notice | None:
        """Return the notice of a first round recorded before the pre-game phase is over (R2.4)."""
        start = self.recorded_start(0)
        if start is None or start >= self.opening:
            return None
        return Notice("short-pre-game", start, "Rounds", self.row(0)[1], None, (self.opening,))
