"""``referee simulate``: what a design of the match comes to, over many simulated matches."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import JobsOption, JsonOption
from referee.cli.output import Output
from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.cli.progress import Progress
    from referee.match.record import Settings
    from referee.seasons.figures import Counts
    from referee.seasons.simulating import Simulation

FORMAT = "referee-simulation/1"


def run(
    policies: Annotated[
        str,
        typer.Option(
            "--policies",
            metavar="NAMES",
            help="A policy for each of two to six players: idle, random, hungry, hunter, avoider, "
            "spender; one name stands for six players, mixed draws for each anew.",
        ),
    ] = "mixed",
    matches: Annotated[
        int, typer.Option("--matches", metavar="N", min=1, help="Play so many matches.")
    ] = 1000,
    seed: Annotated[
        str, typer.Option("--seed", metavar="TEXT", help="The same seed gives the same matches.")
    ] = "referee",
    garnets: Annotated[
        int, typer.Option("--garnets", metavar="N", min=0, help="Everybody starts with so many.")
    ] = 4,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Give a setting a value: room_seconds=45."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="KEY=VALUE",
            help="Compare with this setting instead, or with the defaults (say: defaults).",
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", metavar="FILE", help="Write the matches as an archive (.jsonl)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the figures (.png, .svg).")
    ] = None,
    jobs: JobsOption = 1,
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster instead.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Play many matches between simple players and tell how long they last and who wins.

    The engine judges every match as it does a real one. Figures carry 95 % intervals; with
    --against only what differs beyond chance is told. The same seed gives the same figures,
    whatever --jobs and --cluster say.

    Example: `referee simulate --matches 200 --set room_seconds=45 --against defaults`
    """
    from referee.cli.progress import progress
    from referee.seasons.playing import Design
    from referee.seasons.simulating import Simulation

    output = Output(as_json=as_json)
    if cluster and jobs > 1:
        raise WrongUsage("--cluster has processes of its own; leave out --jobs")
    design = Design(_seats(policies), _settings(settings or []), garnets)
    other = None if against is None else Design(design.policies, _compared(against), garnets)
    if plot is not None:
        from referee.views.simulation_plot import check_plot

        check_plot(plot)
    simulation = Simulation(design, seed, matches)
    total = matches if other is None else 2 * matches
    with progress("playing", total) as bar:

        def play(one: Simulation, archive: Path | None) -> "Counts":
            return _play(one, archive, jobs, cluster, bar)

        counts = play(simulation, records)
        before = None if other is None else play(Simulation(other, seed, matches), None)
    if plot is not None:
        from referee.views.simulation_plot import write_plot

        write_plot(plot, counts, f"{matches:,} matches: {policies}")
        output.tell(f"wrote {plot}")
    if records is not None:
        output.tell(f"wrote {records}")
    _tell(output, simulation, counts, before)


def _play(
    simulation: "Simulation", records: Path | None, jobs: int, cluster: str, bar: "Progress"
) -> "Counts":
    from contextlib import nullcontext

    from referee.match.archives import archive_writer
    from referee.seasons.simulating import Batch, simulate, total

    batches = simulate(simulation, jobs=jobs, cluster=cluster, keep_records=records is not None)
    with nullcontext() if records is None else archive_writer(records) as stream:

        def take(batch: Batch) -> None:
            if stream is not None:
                stream.writelines(f"{line}\n".encode() for line in batch.records)
            bar.advance(batch.matches)

        return total(batches, take)


def _seats(names: str) -> tuple[str, ...]:
    """Return a policy for each player; raises `WrongUsage` for one that is none."""
    from referee.seasons.playing import NAMES
    from referee.seasons.policies import MIXED, POLICIES

    found = tuple(name.strip().casefold() for name in names.split(","))
    for name in found:
        if name not in POLICIES and name != MIXED:
            raise WrongUsage(
                f"--policies: {name or 'nothing'} is no policy; they are {', '.join(POLICIES)}, "
                f"and {MIXED}"
            )
    if len(found) == 1:
        return found * len(NAMES)
    if len(found) > len(NAMES):
        raise WrongUsage(f"--policies: {len(found)} players; a match has 2 to {len(NAMES)}")
    return found


def _settings(texts: "Sequence[str]") -> "Settings":
    from referee.cli.changes import setting_change
    from referee.judging.whatif import set_to
    from referee.match.record import Settings

    settings = Settings()
    for text in texts:
        settings = set_to(settings, setting_change(text))
    if settings.room_clock == "recorded":
        raise WrongUsage("simulated players let themselves in: leave room_clock as it is")
    return settings


def _compared(texts: "Sequence[str]") -> "Settings":
    return _settings([text for text in texts if text.strip().casefold() != "defaults"])


def _tell(
    output: Output, simulation: "Simulation", counts: "Counts", before: "Counts | None"
) -> None:
    from referee.seasons.figures import changes, estimates, lengths
    from referee.views.simulation import print_changes, print_figures

    told = [] if before is None else changes(before, counts)
    if not output.as_json:
        print_figures(counts)
        if before is not None:
            output.say()
            print_changes(told)
    given = {
        "format": FORMAT,
        "matches": simulation.matches,
        "seed": simulation.seed,
        "policies": list(simulation.design.policies),
        "lengths": lengths(counts),
        "figures": [one.as_json() for one in estimates(counts)],
    }
    if before is not None:
        given["changes"] = [one.as_json() for one in told]
    output.give(given)
