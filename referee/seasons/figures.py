"""What many simulated matches come to: counts that can be added up, and estimates from them.

Counts are whole numbers, so that the same matches give the same figures however the work was
divided.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any, Final

import msgspec

from referee.match.result import Result
from referee.seasons.policies import Policy

Counts = Counter[str]
"""How often each thing was seen, by a key of words with ``/`` between them."""

CONFIDENCE: Final = 0.95


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its confidence interval (95 %); ``unit`` is ``share`` or what is counted.

    ``of`` is how many observations it rests on; ``spread`` is the standard error.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str
    of: int
    spread: float

    def as_json(self) -> dict[str, Any]:
        """Return the estimate as ``--json`` shows it."""
        return msgspec.structs.asdict(self)


class Change(msgspec.Struct, frozen=True):
    """A figure under two designs; ``is_beyond_chance`` allows for how many were compared."""

    name: str
    before: float
    after: float
    low: float
    high: float
    unit: str
    is_beyond_chance: bool

    def as_json(self) -> dict[str, Any]:
        """Return the change as ``--json`` shows it."""
        return msgspec.structs.asdict(self)


def counted(result: Result, policies: Sequence[Policy]) -> Counts:
    """Count what happened in one match; ``policies`` by seat, in the order of the players."""
    seats = dict(zip((player.name for player in result.record.players), policies, strict=True))
    rounds = len(result.rounds)
    waiting = [len(round_.queue) for round_ in result.rounds]
    counts = Counter(
        {
            "matches": 1,
            "rounds": rounds,
            "rounds squared": rounds * rounds,
            f"length/{rounds}": 1,
            "visits": sum(len(round_.visits) for round_ in result.rounds),
            "visits squared": sum(len(round_.visits) ** 2 for round_ in result.rounds),
            "waiting": sum(waiting),
            "waiting squared": sum(number * number for number in waiting),
            "rounds with somebody waiting": sum(1 for number in waiting if number),
            "turned away": sum(len(round_.turned_away) for round_ in result.rounds),
        }
    )
    for policy in policies:
        counts[f"seats/{policy.name}"] += 1
    outcome = result.outcome
    if outcome is None:
        counts["unfinished"] += 1
        return counts
    counts[f"decided/{outcome.decided_by}"] += 1
    counts[f"winners/{len(outcome.winners)}"] += 1
    for name in outcome.winners:
        counts[f"won/{seats[name].name}"] += 1
    if outcome.elimination_candidate is not None:
        counts[f"eliminated/{seats[outcome.elimination_candidate].name}"] += 1
    return counts


def estimates(counts: Counts) -> list[Estimate]:
    """Return every figure of a simulation, in the order in which it is told."""
    matches, rounds = counts["matches"], counts["rounds"]
    found = [
        _mean("rounds a match", counts["rounds"], counts["rounds squared"], matches, "rounds"),
        _mean("visits a round", counts["visits"], counts["visits squared"], rounds, "visits"),
        _mean(
            "waiting at a round's end",
            counts["waiting"],
            counts["waiting squared"],
            rounds,
            "players",
        ),
        _share(
            "rounds that end with somebody waiting", counts["rounds with somebody waiting"], rounds
        ),
    ]
    found += [
        _share(f"{label} {key}", counts[f"{kind}/{key}"], matches)
        for kind, label in (("decided", "decided by"), ("winners", "winners:"))
        for key in _keys(counts, kind)
    ]
    if counts["unfinished"]:
        found.append(_share("given up unfinished", counts["unfinished"], matches))
    for policy in _keys(counts, "seats"):
        seats = counts[f"seats/{policy}"]
        found.append(_share(f"{policy} wins", counts[f"won/{policy}"], seats))
        found.append(_share(f"{policy} is eliminated", counts[f"eliminated/{policy}"], seats))
    return found


def lengths(counts: Counts) -> dict[int, int]:
    """Return how many matches lasted how many rounds."""
    found = {int(key): counts[f"length/{key}"] for key in _keys(counts, "length")}
    return dict(sorted(found.items()))


def changes(before: Counts, after: Counts) -> list[Change]:
    """Hold every figure of two simulations against each other.

    A difference is beyond chance where its interval leaves nothing out, made wider for the number
    of figures (Bonferroni), so that of twenty figures that did not change none is called changed.
    """
    old = {estimate.name: estimate for estimate in estimates(before)}
    new = {estimate.name: estimate for estimate in estimates(after)}
    names = [*old, *(name for name in new if name not in old)]
    quantile = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / len(names))
    return [_change(name, old.get(name), new.get(name), quantile) for name in names]


def _change(name: str, old: Estimate | None, new: Estimate | None, quantile: float) -> Change:
    # What was never seen in one of the two is a share of nothing in it.
    known = old or new
    assert known is not None  # noqa: S101  the name comes from one of the two
    before, after = (0.0 if one is None else one.value for one in (old, new))
    spread = sqrt(sum((_floor(one, known)) ** 2 for one in (old, new)))
    margin = quantile * spread
    difference = after - before
    low, high = difference - margin, difference + margin
    return Change(name, before, after, low, high, known.unit, not low <= 0 <= high)


def _floor(one: Estimate | None, known: Estimate) -> float:
    """Return a standard error that is never nothing: a share of none of few may still be some."""
    spread, of = (0.0, known.of) if one is None else (one.spread, one.of)
    return max(spread, 1 / (of + 1)) if known.unit == "share" and of else spread


def _keys(counts: Counts, kind: str) -> Iterator[str]:
    prefix = f"{kind}/"
    yield from sorted(key.removeprefix(prefix) for key in counts if key.startswith(prefix))


def _mean(name: str, total: int, squares: int, of: int, unit: str) -> Estimate:
    if not of:
        return Estimate(name, 0.0, 0.0, 0.0, unit, 0, 0.0)
    mean = total / of
    # From whole sums, so that nothing is lost where the spread is small.
    variance = max(squares * of - total * total, 0) / (of * max(of - 1, 1))
    spread = sqrt(variance / of)
    margin = _quantile() * spread
    return Estimate(name, mean, max(mean - margin, 0.0), mean + margin, unit, of, spread)


def _share(name: str, hits: int, of: int) -> Estimate:
    """Return a share with Wilson's interval, which holds for rare and for certain things too."""
    if not of:
        return Estimate(name, 0.0, 0.0, 1.0, "share", 0, 0.0)
    share, z = hits / of, _quantile()
    middle = (hits + z * z / 2) / (of + z * z)
    margin = z / (of + z * z) * sqrt(hits * (of - hits) / of + z * z / 4)
    spread = sqrt(share * (1 - share) / of)
    # Where the share is none or all, rounding would leave it a hair outside.
    low, high = min(middle - margin, share), max(middle + margin, share)
    return Estimate(name, share, max(low, 0.0), min(high, 1.0), "share", of, spread)


def _quantile() -> float:
    return NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2)
