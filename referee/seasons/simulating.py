"""Many matches of one design, played and judged; the figures do not depend on who did the work."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from referee.match.record_json import encode_record
from referee.rules.replay import replay
from referee.seasons.figures import Counts, counted
from referee.seasons.playing import Design, played, seats
from referee.seasons.spreading import spread, spread_on_cluster

BATCH = 25
"""Matches that one process plays at a time."""


class Simulation(msgspec.Struct, frozen=True):
    """What to play: matches number 0 to ``matches`` - 1 of a design, all following from a seed."""

    design: Design
    seed: str
    matches: int


class Batch(msgspec.Struct, frozen=True):
    """Some matches played: how many, what they came to, and their records where asked for."""

    matches: int
    counts: dict[str, int]
    records: tuple[str, ...]


def simulate(
    simulation: Simulation, *, jobs: int = 1, cluster: str = "", keep_records: bool = False
) -> Iterator[Batch]:
    """Play the matches and yield what each batch of them came to, in order.

    ``jobs`` processes of this machine, or the Dask cluster at an address. Raises as
    `spread_on_cluster` does.
    """
    starts = range(0, simulation.matches, BATCH)
    work = partial(_play, simulation, keep_records)
    if cluster:
        yield from spread_on_cluster(work, starts, cluster)
    else:
        yield from spread(work, starts, jobs)


def total(batches: Iterator[Batch], each: Callable[[Batch], None] = lambda _: None) -> Counts:
    """Add up what batches came to; ``each`` is called with every one of them, in order."""
    counts: Counts = Counter()
    for batch in batches:
        counts.update(batch.counts)
        each(batch)
    return counts


def _play(simulation: Simulation, keep_records: bool, start: int) -> Batch:
    counts: Counts = Counter()
    records = []
    numbers = range(start, min(start + BATCH, simulation.matches))
    for number in numbers:
        record = played(simulation.design, simulation.seed, number)
        result = replay(record)
        counts.update(counted(result, seats(simulation.design, simulation.seed, number)))
        if keep_records:
            records.append(encode_record(record))
    return Batch(len(numbers), dict(counts), tuple(records))
