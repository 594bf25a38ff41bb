"""Faults by plan: which request goes wrong, how, and whether it takes effect all the same."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from .errors import STATUS_NAMES, ApiError, error, html_page, internal, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

Ending = Literal["answer", "hang", "drop"]


@dataclass(frozen=True)
class Fault:
    """What is done to one request: whether it is carried out first, and how it ends."""

    answer: ApiError | None = None
    ending: Ending = "answer"
    applied: bool = False
    after_bytes: int | None = None  # a drop after that much of the true answer; None: before any
    edit: Callable[[], None] | None = None  # somebody else at work: the request itself goes well

    def after_applying(self) -> Fault:
        """The same fault, met only after the request took effect."""
        return replace(self, applied=True)


def answer(refusal: ApiError) -> Fault:
    """Any refusal of ``errors``: ``answer(errors.permission_denied())``."""
    return Fault(refusal)


def status(code: int) -> Fault:
    """A bare status with the body Google gives it."""
    bodies = {500: internal, 503: unavailable}
    if code in bodies:
        return Fault(bodies[code]())
    return Fault(error(code, f"Test fault {code}.", name=STATUS_NAMES.get(code, "UNKNOWN")))


def html(code: int, title: str = "") -> Fault:
    return Fault(html_page(code, title))


def hang() -> Fault:
    """No answer until the client gives up or the server is closed."""
    return Fault(ending="hang")


def drop() -> Fault:
    """The connection is closed before a byte of the answer."""
    return Fault(ending="drop")


def cut(after_bytes: int = 20) -> Fault:
    """The request takes effect, and the connection is closed in the middle of its answer's body."""
    return Fault(ending="drop", applied=True, after_bytes=after_bytes)


def edit(change: Callable[[], None]) -> Fault:
    """Somebody changes the sheet just before this request is carried out."""
    return Fault(edit=change)


@dataclass
class _Planned:
    on: str
    fault: Fault
    first: int
    times: int | None
    met: int = 0

    def fits(self, kind: str, op: str) -> bool:
        return self.on in ("any", kind, op)

    def due(self) -> bool:
        """Count one fitting request; whether the fault is for it."""
        self.met += 1
        return self.met >= self.first and (self.times is None or self.met < self.first + self.times)


@dataclass
class Faults:
    """``plan("write", status(503).after_applying())``: the next write works, then answers 503."""

    _planned: list[_Planned] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, on: str, fault: Fault, *, nth: int = 1, times: int | None = 1) -> None:
        """Plan a fault.

        ``on`` is a kind of request ("token", "read", "write", "drive", "any") or an operation
        ("spreadsheets.get", "spreadsheets.batchUpdate", "values.update" …). Of the fitting requests
        from now on the ``nth`` and ``times - 1`` more meet it; ``times=None``: all later ones.
        """
        with self._lock:
            self._planned.append(_Planned(on, fault, nth, times))

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()

    def take(self, kind: str, op: str) -> list[Fault]:
        """The faults for a request: every edit that is due, and the first of the others."""
        with self._lock:
            due = [p.fault for p in self._planned if p.fits(kind, op) and p.due()]
        edits = [fault for fault in due if fault.edit is not None]
        return edits + [fault for fault in due if fault.edit is None][:1]
