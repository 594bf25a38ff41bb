"""One simulated match as a record: players who ping, enter, swap and leave by their policies.

Who is inside when follows the queue (R3, R4) as the players themselves would see it; what their
swaps come to is told by the rules' own functions, and the finished record is judged by a replay
like any other.
"""

import heapq
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Final

import msgspec

from referee.desk.dealing import deal, seeded_draw, undealt
from referee.match.instants import MINUTE, SECOND, Instant, parse_instant
from referee.match.record import Player, QueueRow, Record, RingCell, Round, Settings, Submission
from referee.rules.feeding import hunger_after, losses
from referee.rules.pen import Pen, starting_pen, swap_tokens
from referee.seasons.policies import MIXED, POLICIES, Policy, View, drawn

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Flo")
MOST_ROUNDS: Final = 100
"""After so many rounds a match is given up: under some settings nobody ever starves."""

_START: Final = parse_instant("2026-01-01T20:00:00Z")
_THINKING: Final = (4 * SECOND, 25 * SECOND)
_LEAVING: Final = (1 * SECOND, 5 * SECOND)


class Design(msgspec.Struct, frozen=True):
    """What is simulated: settings, a policy a seat, and the garnets everybody starts with.

    A seat's policy may be `MIXED`.
    """

    policies: tuple[str, ...]
    settings: Settings = Settings()
    garnets: int = 4


def seats(design: Design, seed: str, number: int) -> tuple[Policy, ...]:
    """Return who plays in the match of a number, by seat."""
    draw = _draw(f"{seed}\nseats\n{number}")
    names = list(POLICIES)
    return tuple(
        POLICIES[drawn(draw, names) if name == MIXED else name] for name in design.policies
    )


def played(design: Design, seed: str, number: int) -> Record:
    """Return the match of a number as a record, which follows from the seed alone.

    It ends with the round in which a pig starves (R7.1), or after `MOST_ROUNDS`.
    """
    return _Match(design, seed, number).record()


def _draw(text: str) -> Random:
    """Return draws that follow from a text: nobody's secret hangs on them, and they are quick."""
    return Random(text)  # noqa: S311  see above


class _Match:
    def __init__(self, design: Design, seed: str, number: int) -> None:
        self.number = number
        names = NAMES[: len(design.policies)]
        dealt = deal(undealt(names), seeded_draw(f"{seed}\ndeal\n{number}"), ("cells", "rivals"))
        cells: dict[str, RingCell] = dealt.cells  # type: ignore[assignment]  # letters of the ring
        # The tie-break must not be open; what it draws is as good as any other draw.
        seed_text = f"{seed} {number}"
        self.settings = msgspec.structs.replace(design.settings, tie_break_seed=seed_text)
        self.players = tuple(
            Player(name=name, cell=cells[name], rival=dealt.rivals[name], garnets=design.garnets)
            for name in names
        )
        self.policies = dict(zip(names, seats(design, seed, number), strict=True))
        self.draw = _draw(f"{seed}\nplay\n{number}")
        self.pen: Pen = starting_pen(self.players)
        self.hunger = dict.fromkeys(names, self.settings.starting_hunger)
        self.garnets = dict.fromkeys(names, design.garnets)
        self.waiting: deque[str] = deque()
        self.queue: list[QueueRow] = []
        self.submissions: list[Submission] = []
        self.rounds = 0

    def record(self) -> Record:
        start = _START + self.settings.pre_game_minutes * MINUTE
        while self.rounds < MOST_ROUNDS:
            self.rounds += 1
            end = self._round(start)
            if not all(self.hunger.values()):
                break
            start = end + self.settings.break_seconds * SECOND
        return Record(
            format="referee-match/1",
            game="pig-starvation",
            name=f"Simulated {self.number}",
            start=Instant(_START),
            settings=self.settings,
            players=self.players,
            rounds=tuple(Round(number=number) for number in range(1, self.rounds + 1)),
            queue=tuple(sorted(self.queue, key=lambda row: row.time)),
            submissions=tuple(self.submissions),
        )

    def _round(self, start: int) -> int:
        """Play one round from its start; returns its official end."""
        timer_end = start + self.settings.round_minutes * MINUTE
        pings = self._pings(start, timer_end)
        swaps: list[tuple[str, str]] = []
        own: dict[str, list[str]] = {}
        free = start
        while True:
            while pings and (pings[0][0] <= free or not self.waiting):
                time, name = heapq.heappop(pings)
                free = max(free, time)
                self._join(time, name)
            if not self.waiting or free >= timer_end:
                break
            name = self.waiting.popleft()
            if not self._pays(name, has_swapped=name in own):
                continue
            swap, free = self._visit(name, free, own.get(name, []))
            if swap is not None:
                swaps.append((name, swap))
                own.setdefault(name, []).append(swap)
            if self.policies[name].again and name in own and self._can_pay(name):
                again = free + self._some(_LEAVING)
                if again < timer_end:
                    heapq.heappush(pings, (again, name))
        for time, name in sorted(pings):
            self._join(time, name)
        self._feed(swaps)
        return max(timer_end, free)

    def _pings(self, start: int, timer_end: int) -> list[tuple[int, str]]:
        found = []
        for name, policy in self.policies.items():
            chance, part = self.draw.random() * 100, self.draw.random()
            if chance < policy.pings and name not in self.waiting:
                part = policy.earliest + part * (policy.latest - policy.earliest)
                found.append((start + int(part * (timer_end - start - 1)), name))
        heapq.heapify(found)
        return found

    def _join(self, time: int, name: str) -> None:
        self.queue.append(QueueRow(time=Instant(time), player=name))
        self.waiting.append(name)

    def _can_pay(self, name: str) -> bool:
        price = self.settings.extra_visit_garnets
        return not price or self.garnets[name] >= price or self.settings.unpaid_visits == "debt"

    def _pays(self, name: str, *, has_swapped: bool) -> bool:
        """Take what another visit costs (R4.5); false for who is turned away (R4.6)."""
        if has_swapped:
            if not self._can_pay(name):
                return False
            self.garnets[name] -= self.settings.extra_visit_garnets
        return True

    def _visit(self, name: str, entered: int, own: Sequence[str]) -> tuple[str | None, int]:
        """Let a player think, swap and leave; returns the swap and when the visit ended (R4.3)."""
        limit = entered + self.settings.room_seconds * SECOND
        said = min(entered + self._some(_THINKING), limit)
        left = min(said + self._some(_LEAVING), limit)
        pen = dict(self.pen)
        for swap in own:
            swap_tokens(pen, swap)
        rival = next(player.rival for player in self.players if player.name == name)
        chosen = self.policies[name].choose(View(name, rival, pen, self.settings), self.draw)
        if chosen is not None:
            message = f"{chosen[0]} {chosen[1]}"
            self.submissions.append(Submission(time=Instant(said), player=name, message=message))
            if self.settings.visit_ends == "swap":
                return chosen, said
        if left < limit:
            self.queue.append(QueueRow(time=Instant(left), player=name, action="exit"))
        return chosen, left

    def _some(self, span: tuple[int, int]) -> int:
        return span[0] + int(self.draw.random() * (span[1] - span[0]))

    def _feed(self, swaps: Sequence[tuple[str, str]]) -> None:
        for _, swap in swaps:
            swap_tokens(self.pen, swap)
        last = swaps[-1] if swaps else None
        lost = losses(self.pen, last, self.settings, tuple(self.hunger))
        self.hunger = hunger_after(self.hunger, lost)
