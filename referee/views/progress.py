"""A bar with its rate and the time that remains, on a terminal's standard error."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class Rate(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        """Return the rate, nothing before there is one."""
        return Text("" if task.speed is None else f"{task.speed:,.0f} a second")


class Bar:
    """The bar; it is on the screen inside a ``with``."""

    def __init__(self, what: str, total: int | None) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate())
        # What a command says goes where it goes without a bar, also where that is a file.
        self._bar = Progress(
            *columns,
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, more: int = 1) -> None:
        """Tell that so much more is done."""
        self._bar.advance(self._task, more)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the bar off the screen while something is written to it."""
        self._bar.stop()
        try:
            yield
        finally:
            self._bar.start()
