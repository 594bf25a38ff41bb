"""Dense little matches for the laws.

Everything happens on a coarse grid of instants, so that pings, entries, exits, edits and the ends
of rounds fall together all the time, or lie a millisecond apart. A match is told as stories (a
player pings, enters, types, perhaps edits, leaves, comes back), which `Teller` makes up from a
number: far more matches a second than draws for every cell would give, and fewer stories still
make a smaller match.
"""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from referee.match.faults import Stopped
from referee.match.instants import format_instant, parse_instant
from referee.match.record_json import decode_record
from referee.match.result import Result
from referee.rules.replay import replay

Match = dict[str, Any]
"""A match record as a JSON object."""

OPENING: Final = parse_instant("2026-11-29T20:00:00Z")
TICK: Final = 10_000
"""Milliseconds between two instants of the grid; a round of one minute has six of them."""

NAMES: Final = ("Ann", "Ben", "Zoë", "ann", "李", "O'Neil")
RING: Final = "ABEGFC"
"""The ring cells, going round."""
TOUCHING: Final = (
    *(one + other for one, other in zip(RING, RING[1:] + RING[:1], strict=True)),
    *(cell + "D" for cell in RING),
)
"""Every pair of cells that touch, written down once more without the engine's help."""

SWAPS: Final = ("{} {}", "{}{}", "swap {} and {}", "**{}** -> {}!", "Final: {},{}")
PASSES: Final = ("pass", "Pass.", "cancel", "none!", "no swap", "**pass**", "@Dealer pass")
INVALID: Final = ("A A", "B C", "A E", "swap A and H", "ce")
CHAT: Final = ("hello", "A D E", "is it my turn?", "ok", "\u0410 D", "~~A D~~", "swap", "1 2", "")


@dataclass(frozen=True)
class Options:
    """What a made-up match may hold: six players, how many rounds, recorded starts and so on."""

    six: bool = False
    rounds: Sequence[int] = (1, 2, 2, 3, 3, 4)
    starts: bool = True
    edits: bool = True
    ruled: bool = True
    forms: Sequence[str] = SWAPS
    settings: Mapping[str, Any] = field(default_factory=dict)


class Teller:
    """Makes up a match."""

    def __init__(self, seed: int, options: Options) -> None:
        self.random = Random(seed)  # noqa: S311 - nothing here is secret
        self.options = options
        self.settings = self._settings()
        self.names = self.random.sample(NAMES, 6 if options.six else self.random.randint(2, 6))
        self.rounds = self.random.choice(options.rounds)
        self.rows: dict[str, list[dict[str, Any]]] = {
            "queue": [],
            "submissions": [],
            "adjustments": [],
        }

    def _likely(self, chance: float) -> bool:
        return self.random.random() < chance

    def _settings(self) -> dict[str, Any]:
        def pick(*choices: Any) -> Any:
            return self.random.choice(choices)

        varied = {
            "starting_hunger": pick(0, 2, 4, 7, 12),
            "break_seconds": pick(0, 0, 10, 20),
            "extra_visit_garnets": pick(0, 1, 2, 2),
            "missed_meal_loss": pick(0, 1, 2, 3),
            "centre_loss": pick(0, 1, 2),
            "last_swap_loss": pick(0, 1, 2),
            "sole_winner_tokens": pick(0, 2, 5),
            "joint_winner_tokens": pick(0, 1, 3),
            "hunger_per_garnet": pick(1, 2, 3),
            "room_clock": pick("simulated", "simulated", "recorded"),
            "visit_ends": pick("limit", "swap"),
            "pings_outside_rounds": pick("ignore", "queue"),
            "unpaid_visits": pick("refuse", "refuse", "debt"),
            "tie_break_seed": pick("seed", "ß", ""),
            "players_words": pick("", "gate oak", "ß 李"),
        }
        short = {
            "pre_game_minutes": pick(0, 1),
            "round_minutes": 1,
            "room_seconds": pick(10, 20, 20, 30),
        }
        chosen = {name: held for name, held in varied.items() if self._likely(0.5)}
        return {**chosen, **short, **self.options.settings}

    def _players(self) -> list[dict[str, Any]]:
        names, cells = self.names, self.random.sample(RING, 6)
        found = [
            {
                "name": name,
                "cell": cell,
                "rival": rival,
                "garnets": self.random.choice((0, 1, 2, 5)),
            }
            for name, cell, rival in zip(names, cells, names[1:] + names[:1], strict=False)
        ]
        self.random.shuffle(found)
        return found

    def _rounds(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{"number": number + 1} for number in range(self.rounds)]
        due = 6 * self.settings["pre_game_minutes"]
        for row in found:
            if self._likely(0.15):
                row["minutes"] = 2
            if self.options.starts and self._likely(0.3):
                # About when the timer before ends, so that it cuts a visit or leaves a break.
                due += self.random.choice((-1, 0, 0, 1, 1, 2, 3))
                row["start"] = format_instant(self._instant(due))
            due += 6 * row.get("minutes", 1)
        return found

    def _instant(self, tick: float) -> int:
        off = self.random.choice((0, 0, 0, 0, 0, 1, -1, 4_000))
        return OPENING + int(tick * TICK) + off

    def _add(self, tab: str, instant: int, player: str, **fields: Any) -> None:
        held = {key: value for key, value in fields.items() if value not in (None, "join")}
        if self.options.ruled and tab != "adjustments":
            held |= self._ruling(tab)
        if self.options.ruled and tab == "queue" and self._likely(0.05):
            # Only a ruling lets an edited ping be (R3.6).
            held["edited"] = format_instant(instant + self.random.choice((0, 1, TICK)))
            held["ruling"] = self.random.choice(("allow", " Allow ", "void"))
        self.rows[tab].append({"time": format_instant(instant), "player": player, **held})

    def _ruling(self, tab: str) -> dict[str, str]:
        if not self._likely(0.12 if tab == "submissions" else 0.04):
            return {}
        pair = self.random.choice(TOUCHING)
        more = ("allow", "allow", "ALLOW", f"allow {pair}", f"read as {pair}", "read as pass")
        return {"ruling": self.random.choice(("void", *(more if tab == "submissions" else (" ",))))}

    def message(self) -> str:
        """What a player types: mostly a swap."""
        kind = self.random.random()
        if kind < 0.65:
            form = self.random.choice(self.options.forms)
            return str(form).format(*self.random.choice(TOUCHING))
        if kind < 0.8 or self.options.forms != SWAPS:
            return self.random.choice(PASSES)
        return self.random.choice(INVALID + CHAT)

    def _submission(self, tick: float, player: str) -> None:
        sent = self._instant(tick)
        edited = None
        if self.options.edits and self._likely(0.2):
            later = self._instant(int(tick) + self.random.choice((0, 1, 1, 2, 3)))
            edited = format_instant(max(sent, later))
        self._add("submissions", sent, player, message=self.message(), edited=edited)

    def story(self) -> None:
        """Tell of one player: a visit or two, with what belongs to them, or something stray."""
        pick, ticks = self.random.choice, 8 * self.rounds
        player, tick = pick(self.names), self.random.randint(-2, ticks)
        kind = self.random.random()
        if kind < 0.08:
            self._add("adjustments", self._instant(tick), player, garnets=pick((-3, -1, 1, 2)))
        elif kind < 0.2:
            self._submission(tick, player)
        elif kind < 0.3:
            action = pick(("exit", "withdraw", "leave", "join"))
            self._add("queue", self._instant(tick), player, action=action)
        else:
            self._visits(player, tick)

    def _visits(self, player: str, tick: int) -> None:
        pick = self.random.choice
        self._add("queue", self._instant(tick), player)
        if self.settings.get("room_clock") == "recorded":
            tick += pick((0, 0, 1))
            self._add("queue", self._instant(tick), player, action="enter")
        for _ in range(pick((0, 1, 1, 2, 3))):
            self._submission(tick + pick((0, 0.5, 1, 1, 2, 3)), player)
        if self._likely(0.4):
            action = pick(("exit", "exit", "leave", "withdraw"))
            self._add("queue", self._instant(tick + pick((0, 1, 1, 2))), player, action=action)
        if self._likely(0.4):
            self._visits(player, tick + pick((1, 1, 2, 3)))

    def match(self, stories: int) -> Match:
        """The match as a record's JSON object."""
        opening = {
            "format": "referee-match/1",
            "game": "pig-starvation",
            "name": "A law",
            "start": format_instant(OPENING),
            "settings": self.settings,
            "players": self._players(),
            "rounds": self._rounds(),
        }
        for _ in range(stories):
            self.story()
        return {**opening, **self.rows}


def matches(**options: Any) -> st.SearchStrategy[Match]:
    """Matches that may stop, for hidden edits and impossible starts alone."""
    allowed = Options(**options)
    return st.builds(
        lambda seed, stories: Teller(seed, allowed).match(stories),
        st.integers(0, 2**48),
        st.integers(0, 14),
    )


def judge(match: Match) -> Result | Stopped:
    """What the engine makes of a match."""
    try:
        return replay(decode_record(json.dumps(match)))
    except Stopped as stopped:
        return stopped


def sound_matches(**options: Any) -> st.SearchStrategy[Match]:
    """Matches that can be replayed: what stops one is mended as a host would."""
    return matches(**options).map(mended)


def mended(match: Match) -> Match:
    for _ in range(12):
        played = judge(match)
        if isinstance(played, Result):
            return match
        for fault in played.faults:
            assert fault.row is not None
            if fault.code == "hidden-edit":
                row = match["submissions"][fault.row - 1]
                row["ruling"] = ("void", "allow", "read as A D", "allow pass")[fault.row % 4]
            else:
                assert fault.code in ("start-before-timer", "starts-not-rising"), fault
                match["rounds"][fault.row - 1].pop("start", None)
    raise AssertionError(f"cannot be mended: {judge(match)}")


def play(match: Match) -> Result:
    """The result of a sound match."""
    played = judge(match)
    assert isinstance(played, Result), played
    return played


def numbered(match: Match) -> Match:
    """The match with its rows numbered, so that they keep their names wherever they stand."""
    match = copy.deepcopy(match)
    for tab in ("rounds", "queue", "submissions", "adjustments"):
        for number, row in enumerate(match[tab], 2):
            row["row"] = number
    return match


def without_notices(result: Result) -> dict[str, Any]:
    """Everything a result says but its notices."""
    return {key: value for key, value in result.as_json().items() if key != "notices"}


def changed(match: Match, change: Callable[[Match], object]) -> Match:
    """A copy of the match with a change made to it."""
    match = copy.deepcopy(match)
    change(match)
    return match
