"""Print how fast the referee is beside its peers: `python -m tests.benchmarks`.

Every row is measured in one run on one machine, the two sides in turn; the ratio is the median of
the pairs. Nothing is asserted: a busy machine is no fault. Needs the extra ``benchmark``.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from referee import open as open_sheet
from referee import replay
from referee.judging.resolving import plan
from referee.match.record import Record

from . import matches, peers
from .measuring import in_turn, least, peak_memory, process


class Row(NamedTuple):
    """One line of the table; ``aim`` is what the ratio should come to."""

    what: str
    ours: str
    beside: str
    peers: str
    ratio: str
    aim: str = ""


def command_line(folder: Path) -> Iterator[Row]:
    """Whole processes, from start to exit."""
    hello, book, work = folder / "hello.py", folder / "match.xlsx", folder / "work.xlsx"
    hello.write_text(peers.HELLO, "utf-8")
    matches.write_workbook(book, 10, 60)

    def resolve() -> None:
        shutil.copyfile(book, work)
        process(["-m", "referee", "resolve", work])

    found = in_turn(
        lambda: process(["-m", "referee", "--help"]), lambda: process([hello, "--help"]), 21
    )
    yield Row(
        "referee --help", _ms(found.ours), "Typer program --help", _ms(found.peers),
        f"{found.ratio:.2f}", "<= 1.10",
    )  # fmt: skip
    found = in_turn(resolve, lambda: process([hello]), 21)
    yield Row(
        "referee resolve, 10 rounds of 60 rows", _ms(found.ours), "Typer program, one line",
        _ms(found.peers), f"{found.ratio:.2f}", "<= 1.50",
    )  # fmt: skip


def workbook(folder: Path) -> Iterator[Row]:
    """Reading and publishing the same workbook in one process."""
    book, work, copy = folder / "match.xlsx", folder / "work.xlsx", folder / "copy.xlsx"
    found = in_turn(lambda: open_sheet(book).read(), lambda: peers.load_workbook(book), 7)
    yield Row(
        "read the workbook into a record", _ms(found.ours), "openpyxl: load", _ms(found.peers),
        f"{found.ratio:.3f}",
    )  # fmt: skip

    def publish() -> None:
        shutil.copyfile(book, work)
        sheet = open_sheet(work)
        with sheet.lock():
            read = sheet.read()
            planned = plan(read.record, read.places.titles, time.time_ns() // 1_000_000)
            sheet.write(planned.tabs)

    found = in_turn(publish, lambda: peers.load_and_save(book, copy), 7)
    yield Row(
        "read, replay and publish all rounds", _ms(found.ours), "openpyxl: load and save",
        _ms(found.peers), f"{found.ratio:.3f}",
    )  # fmt: skip


def engine() -> Iterator[Row]:
    """Replays of records in memory, with all their notices."""
    game, games, repeated = peers.pgn_game(), 20, 50
    sizes = {
        "the same match": [matches.record(10, 60)] * repeated,
        "different matches": [matches.record(10, 60, seed) for seed in range(repeated)],
    }
    for name, records in sizes.items():
        found = in_turn(partial(_replay_all, records), partial(_replay_games, game, games), 21)
        rounds = 10 * repeated
        yield Row(
            f"engine, rounds of 60 events, {name}", f"{rounds / found.ours:,.0f} rounds/s",
            f"python-chess: PGN of {peers.PLIES} plies", f"{games / found.peers:,.0f} games/s",
            f"{rounds / games / found.ratio:.1f}", ">= 23.5",
        )  # fmt: skip


def _replay_all(records: Sequence[Record]) -> None:
    for record in records:
        replay(record)


def _replay_games(game: str, times: int) -> None:
    for _ in range(times):
        peers.replay_pgn(game)


def growth() -> Iterator[Row]:
    """How the engine's time grows with the events of a round, and an archive's memory."""
    first: float | None = None
    for events in (60, 600, 6000):
        record = matches.record(10, events)
        each = least(partial(replay, record), 5) / (10 * events)
        first = first or each
        yield Row(
            f"engine, a round of {events:,} events", f"{each * 1e6:.2f} us/event", "of 60 events",
            f"{first * 1e6:.2f} us/event", f"{each / first:.2f}", "~ 1",
        )  # fmt: skip


def archive(folder: Path) -> Iterator[Row]:
    """Peak memory of `referee replay` on archives of different lengths."""
    peaks = {}
    for records in (1_000, 10_000):
        path = folder / f"{records}.jsonl"
        matches.write_archive(path, records)
        peaks[records] = peak_memory(["-m", "referee", "replay", path])
    short, long = peaks.values()
    yield Row(
        "replay an archive of 10,000 records", _mib(long), "of 1,000 records", _mib(short),
        f"{long / short:.2f}", "~ 1",
    )  # fmt: skip


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def main() -> None:
    """Print the table row by row, as it is measured."""
    if find_spec("chess") is None:
        raise SystemExit("python-chess is missing: pip install -e '.[benchmark]'")
    line = "{:54} {:>16}   {:32} {:>14} {:>7}  {}"
    print(line.format("referee", "", "beside", "", "ratio", "aim"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rows in (command_line(folder), workbook(folder), engine(), growth(), archive(folder)):
            for row in rows:
                print(line.format(*row), flush=True)


if __name__ == "__main__":
    main()
