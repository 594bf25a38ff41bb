"""Values of the command line that pass Typer's converters by, and those that must not."""

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.core import TyperCommand

from referee.cli.plain_values import take_plainly
from tests.support.cli import referee_at


class Plainly(TyperCommand):
    """A command with the conversion under test."""

    def get_params(self, ctx: typer.Context) -> list[object]:  # type: ignore[override]  # click's own type is not typer's
        return take_plainly(super().get_params(ctx))


def taken(kind: type[TyperCommand], arguments: list[str]) -> list[object]:
    """What a command with one parameter of each sort gets from a command line."""
    got: list[object] = []

    def command(
        sheet: str,
        more: Annotated[list[str] | None, typer.Argument()] = None,
        round_: Annotated[int | None, typer.Option("--round")] = None,
        jobs: Annotated[int, typer.Option(min=1)] = 4,
        player: str = "nobody",
        void: Annotated[list[str] | None, typer.Option()] = None,
        file: Path | None = None,
        *,
        dry_run: bool = False,
    ) -> None:
        got.extend([sheet, more, round_, jobs, player, void, file, dry_run])

    app = typer.Typer(add_completion=False)
    app.command(cls=kind)(command)
    with pytest.raises(SystemExit) as ended:
        app(arguments)
    return [ended.value.code, *got]


@pytest.mark.parametrize(
    "arguments",
    [
        ["s"],
        ["s", "a", "b"],
        ["s", "--round", "3", "--jobs", "2", "--player", "Zoë 中文", "--dry-run"],
        ["s", "--round", " 3"],
        ["s", "--round", "-3"],
        ["s", "--round", "007"],
        ["s", "--round", "٣"],
        ["s", "--round", "1_0"],
        ["s", "--round", "9" * 30],
        ["s", "--round", ""],
        ["s", "--round", "x"],
        ["s", "--jobs", "0"],
        ["s", "--jobs", "two"],
        ["s", "--player", "", "--void", "Queue!1", "--void", "Queue!2"],
        ["s", "--player", "two\nlines"],
        ["s", "--file", "a.json"],
        [],
        ["s", "--player"],
        [""],
        ["\udcff"],
        ["s", "--player", "\udcff"],
    ],
    ids=repr,
)
def test_a_command_gets_what_typer_would_give_it(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Values, defaults, exit code and complaint are those of a command without the short cut."""
    plain = (taken(Plainly, arguments), capsys.readouterr())
    usual = (taken(TyperCommand, arguments), capsys.readouterr())
    assert plain == usual


def test_a_name_that_is_no_text_is_refused_in_words() -> None:
    """Bytes that are no UTF-8 may name a file; that none is there is said in words."""
    ran = referee_at("2026-11-29T22:00:00Z", "show", "\udcff.xlsx")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith("referee: ")
    assert "Traceback" not in ran.err
