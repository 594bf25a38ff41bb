"""A simulation in one picture: how long matches last, and who wins and who leaves."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.match.faults import Unavailable, WrongUsage, quoted, visible
from referee.seasons.figures import Counts, Estimate, estimates, lengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES: Final = (".png", ".svg", ".pdf")


def write_plot(path: Path, counts: Counts, title: str) -> None:
    """Draw the figures of a simulation into a .png, .svg or .pdf file.

    Raises `WrongUsage` for another ending and where matplotlib is not installed, `Unavailable`
    where the file cannot be written.
    """
    check_plot(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.5), layout="constrained")
    figure.suptitle(title)
    left, right = figure.subplots(1, 2)
    _lengths(left, counts)
    _policies(right, estimates(counts))
    try:
        # Without the time it was drawn at: the same figures give the same file.
        figure.savefig(path, metadata={_STAMP.get(path.suffix.lower(), "Software"): None})
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unavailable(f"{visible(str(path))} cannot be written: {reason}") from None


_STAMP: Final = {".svg": "Date", ".pdf": "CreationDate"}


def check_plot(path: Path) -> None:
    """Raise `WrongUsage` where a picture of that name cannot be drawn, before any work is done."""
    if path.suffix.lower() not in SUFFIXES:
        raise WrongUsage(f"a plot's file ends in {', '.join(SUFFIXES)}, not {quoted(path.name)}")
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise WrongUsage("--plot needs one more package: pip install 'referee[plot]'")


def _lengths(axes: "Axes", counts: Counts) -> None:
    found = lengths(counts)
    shares = [100 * number / counts["matches"] for number in found.values()]
    axes.bar(list(found), shares, color="#6D9EEB")
    axes.set(title="How long matches last", xlabel="rounds", ylabel="% of matches")
    axes.set_xticks(list(found))


def _policies(axes: "Axes", found: Sequence[Estimate]) -> None:
    for place, (ending, label, colour) in enumerate(
        ((" wins", "wins", "#93C47D"), (" is eliminated", "is eliminated", "#E06666"))
    ):
        told = [one for one in found if one.name.endswith(ending)]
        across = [number + 0.4 * place for number in range(len(told))]
        values = [100 * one.value for one in told]
        below = [100 * max(one.value - one.low, 0) for one in told]
        above = [100 * max(one.high - one.value, 0) for one in told]
        axes.bar(across, values, 0.4, yerr=(below, above), label=label, color=colour, capsize=3)
        if place == 0:
            names = [one.name.removesuffix(ending) for one in told]
            axes.set_xticks([number + 0.2 for number in range(len(told))], names)
    axes.set(title="Who wins, who is eliminated", ylabel="% of seats, with 95 % intervals")
    axes.legend()
