"""A bar for what takes more than two seconds: on a terminal's standard error, wiped at the end."""

import sys
import threading
from types import TracebackType
from typing import Any, Final, Self

PATIENCE: Final = 2.0
"""Seconds before anything is shown."""


class Waiting:
    """Shows how far a run is, once it has taken a while, where somebody watches."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience, self._lock = patience, threading.Lock()
        self._timer: threading.Timer | None = None
        self._bar: Any = None
        self._task: Any = None
        self._last = ("", 0, 0)

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer = threading.Timer(self._patience, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note what is being done; a ``total`` of 0 is one that nobody knows."""
        with self._lock:
            self._last = (what, done, total)
            self._update()

    @property
    def is_shown(self) -> bool:
        """Whether the bar can be seen by now."""
        return self._bar is not None

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        with self._lock:
            if self._timer is None:
                return
            bar = Progress(console=Console(stderr=True), transient=True)
            self._task = bar.add_task("", total=None)
            bar.start()
            self._bar = bar
            self._update()

    def _update(self) -> None:
        if self._bar is not None:
            what, done, total = self._last
            self._bar.update(self._task, description=what, completed=done, total=total or None)
