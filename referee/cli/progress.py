"""A bar for work that takes its time: on a terminal's standard error, and nowhere else."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol


class Progress(Protocol):
    """What is told of work that is going on."""

    def advance(self, more: int = 1) -> None:
        """Tell that so much more is done."""
        ...

    def hidden(self) -> AbstractContextManager[None]:
        """Take the bar off the terminal while something is written, so that no line is shared."""
        ...


class _Silent:
    def advance(self, more: int = 1) -> None:
        pass

    def hidden(self) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Progress]:
    """Show how much of some work is done, how fast it goes and how long it will take.

    ``total`` is how much there is, where it is known. Nothing is shown without a terminal, and the
    bar is gone at the end.
    """
    if not sys.stderr.isatty():
        yield _Silent()
        return
    from referee.views.progress import Bar

    with Bar(what, total) as bar:
        yield bar
