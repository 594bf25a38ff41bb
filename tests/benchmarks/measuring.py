"""Two things measured in turn, so that a machine busy for a while slows down both."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

PROJECT: Final = Path(__file__).resolve().parents[2]

_STARTER: Final = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

Job = Callable[[], object]


class Pair(NamedTuple):
    """Median seconds of the referee and of its peer, and the median of their ratios."""

    ours: float
    peers: float
    ratio: float


def in_turn(ours: Job, peers: Job, times: int) -> Pair:
    """Run two jobs in turn, once each without counting first."""
    ours()
    peers()
    runs = [(_seconds(ours), _seconds(peers)) for _ in range(times)]
    mine, theirs = zip(*runs, strict=True)
    ratios = [one / other for one, other in runs]
    return Pair(statistics.median(mine), statistics.median(theirs), statistics.median(ratios))


def least(job: Job, times: int) -> float:
    """The processor seconds of the quickest of some runs: fair to long jobs on a busy machine."""
    return min(_seconds(job, time.process_time) for _ in range(times))


def _seconds(job: Job, clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    job()
    return clock() - start


def process(arguments: Sequence[str | Path]) -> None:
    """Run Python with these arguments to its end, without a terminal; it has to succeed."""
    subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def peak_memory(arguments: Sequence[str | Path]) -> int:
    """Run Python with these arguments; return the process's peak memory in bytes.

    A small program starts it: a process counts what its parent held as it was forked.
    """
    told = subprocess.run(
        [sys.executable, "-c", _STARTER, sys.executable, *map(str, arguments)],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    ).stdout
    return int(told) * (1 if sys.platform == "darwin" else 1024)


def _environment() -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users have their modules compiled once
    return environment
