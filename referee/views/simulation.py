"""What a simulation came to, in tables for a terminal."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from referee.seasons.figures import Change, Counts, estimates, lengths


def print_figures(counts: Counts) -> None:
    """Print every figure with its interval, and how long matches lasted."""
    table = Table("figure", show_edge=False, pad_edge=False)
    for header in ("value", "95 % interval", "of"):
        table.add_column(header, justify="right", no_wrap=True)
    for one in estimates(counts):
        interval = f"{_shown(one.low, one.unit)} to {_shown(one.high, one.unit)}"
        table.add_row(one.name, _shown(one.value, one.unit), interval, f"{one.of:,}")
    _print([table, _length_line(counts)])


def print_changes(changes: Sequence[Change]) -> None:
    """Print what another design changes; what may be chance alone is only counted."""
    table = Table("figure", show_edge=False, pad_edge=False)
    for header in ("before", "now", "difference"):
        table.add_column(header, justify="right", no_wrap=True)
    told = [one for one in changes if one.is_beyond_chance]
    for one in told:
        interval = f"{_shown(one.low, one.unit)} to {_shown(one.high, one.unit)}"
        table.add_row(one.name, _shown(one.before, one.unit), _shown(one.after, one.unit), interval)
    rest = len(changes) - len(told)
    others = "1 other figure does" if rest == 1 else f"{rest} other figures do"
    chance = f"{others} not differ by more than chance may explain"
    _print([table, chance] if told else [f"Nothing differs beyond chance: {chance}"])


def _length_line(counts: Counts) -> str:
    found = lengths(counts)
    parts = (f"{number} {100 * times / counts['matches']:.1f} %" for number, times in found.items())
    return f"Rounds a match: {', '.join(parts)}"


def _shown(value: float, unit: str) -> str:
    return f"{100 * value:.1f} %" if unit == "share" else f"{value:.2f}"


def _print(parts: Iterable[Table | str]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    for part in parts:
        console.print(part)
