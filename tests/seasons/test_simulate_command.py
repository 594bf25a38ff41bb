"""``referee simulate``: the same figures however the work is divided, told with their doubt."""

import json
from pathlib import Path

import pytest

from tests.support.cli import Ran, referee, referee_at

NOW = "2026-12-01 12:00:00"
SMALL = ("--matches", "60", "--policies", "hunter,idle,random", "--seed", "s")


def simulate(*options: str | Path) -> Ran:
    return referee_at(NOW, "simulate", *options)


def test_figures_do_not_depend_on_how_the_work_is_divided(tmp_path: Path) -> None:
    """One process, two, and a Dask cluster give the same figures and the same records."""
    from distributed import LocalCluster

    alone = tmp_path / "alone.jsonl"
    one = simulate(*SMALL, "--json", "--records", alone)
    assert one.code == 0, one.err
    two = referee("simulate", *SMALL, "--json", "--jobs", "2", "--records", tmp_path / "two.jsonl")
    assert (two.code, two.out) == (0, one.out)
    assert (tmp_path / "two.jsonl").read_bytes() == alone.read_bytes()
    with LocalCluster(  # type: ignore[no-untyped-call]  # as the library has it
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        dashboard_address=None,
    ) as cluster:
        spread = referee(
            "simulate",
            *SMALL,
            *("--json", "--cluster", cluster.scheduler_address),
            *("--records", tmp_path / "spread.jsonl"),
        )
    assert (spread.code, spread.out) == (0, one.out)
    assert (tmp_path / "spread.jsonl").read_bytes() == alone.read_bytes()


def test_its_json_says_what_was_played_and_every_figure() -> None:
    told = simulate(*SMALL, "--json").json
    assert told["format"] == "referee-simulation/1"
    assert (told["matches"], told["seed"]) == (60, "s")
    assert told["policies"] == ["hunter", "idle", "random"]
    assert sum(told["lengths"].values()) == 60
    for figure in told["figures"]:
        assert figure["low"] <= figure["value"] <= figure["high"], figure


def test_the_records_replay_to_the_same_matches(tmp_path: Path) -> None:
    """Also from a packed archive; every record is a whole match."""
    archive = tmp_path / "played.jsonl.zst"
    told = simulate(*SMALL, "--json", "--records", archive).json
    ran = referee_at(NOW, "replay", archive)
    results = [json.loads(line) for line in ran.out.splitlines()]
    rounds = [len(result["rounds"]) for result in results]
    assert (ran.code, len(rounds)) == (0, 60)
    assert told["lengths"] == {str(n): rounds.count(n) for n in sorted(set(rounds))}


def test_its_table_names_figures_with_their_intervals() -> None:
    out = simulate(*SMALL).out
    assert "95 % interval" in out
    assert "hunter wins" in out
    assert "Rounds a match: " in out


def test_another_design_is_held_against_the_defaults() -> None:
    """Only what differs beyond chance is listed; the rest is counted."""
    ran = simulate(*SMALL, "--set", "starting_hunger=4", "--against", "defaults")
    assert ran.code == 0, ran.err
    told = ran.out.rpartition("Rounds a match: ")[2]
    assert "rounds a match" in told
    assert "not differ by more than chance may explain" in told
    same = simulate(*SMALL, "--against", "defaults")
    assert "Nothing differs beyond chance" in same.out
    assert "changes" in simulate(*SMALL, "--against", "room_seconds=30", "--json").json


@pytest.mark.parametrize(("name", "begins"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml")])
def test_a_plot_is_drawn(tmp_path: Path, name: str, begins: bytes) -> None:
    ran = simulate(*SMALL, "--plot", tmp_path / name)
    assert (ran.code, ran.err) == (0, f"wrote {tmp_path / name}\n")
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--policies", "lazy"], "lazy is no policy; they are idle, random"),
        (["--policies", "idle,idle,idle,idle,idle,idle,idle"], "7 players; a match has 2 to 6"),
        (["--set", "room_second=3"], "nearest: room_seconds"),
        (["--set", "room_seconds=soon"], "whole number of seconds"),
        (["--set", "room_clock=recorded"], "let themselves in"),
        (["--plot", "p.gif"], "a plot's file ends in .png"),
        (["--jobs", "2", "--cluster", "tcp://127.0.0.1:1"], "leave out --jobs"),
    ],
)
def test_what_cannot_be_simulated_is_said_before_any_work(options: list[str], says: str) -> None:
    ran = simulate(*options)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_a_cluster_that_is_not_there_is_told_in_a_line() -> None:
    ran = referee("simulate", *SMALL, "--cluster", "tcp://127.0.0.1:9")
    assert ran.code == 4
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in ran.err
    assert ran.err.count("\n") == 1


def test_records_that_cannot_be_written_leave_what_was_there(tmp_path: Path) -> None:
    ran = simulate(*SMALL, "--records", tmp_path / "none" / "r.jsonl")
    assert ran.code == 4
    assert "cannot be written" in ran.err
    assert list(tmp_path.iterdir()) == []
