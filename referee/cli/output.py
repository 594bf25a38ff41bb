"""What a command says: results on standard output, everything else on standard error.

With ``--json`` standard output holds one JSON object and nothing besides.
"""

import sys
from collections.abc import Mapping
from typing import Any

import typer

from referee.cli.exits import Exit, exit_of
from referee.match.faults import RefereeError, Stopped

_carried_out: list[str] = []
"""What this process has written to a sheet: told on standard error where the result gets lost."""


class Output:
    """One command's voice. ``as_json`` tells whether a machine listens."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def say(self, text: str = "") -> None:
        """Say a part of the result; with ``--json`` the object says it instead."""
        if not self.as_json:
            typer.echo(text)

    def done(self, text: str) -> None:
        """Note what was written to a sheet: it is told where the result cannot be."""
        _carried_out.append(text)

    def tell(self, text: str) -> None:
        """Tell the host something beside the result."""
        typer.echo(text, err=True)

    def give(self, value: Mapping[str, Any], kind: str = "") -> None:
        """Give the result to a machine, where one listens.

        Every object says by its ``format`` what it is (docs/formats.md): ``value`` has one
        already, or it is made of ``kind``, the command that gives it.
        """
        if self.as_json:
            typer.echo(to_json({"format": f"referee-{kind}/1", **value} if kind else value))


def to_json(value: Any) -> str:
    """Return one line of JSON, every character as it is."""
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def report(error: RefereeError, *, as_json: bool, writes: bool = False) -> Exit:
    """Say why a command could not go on; returns the exit code.

    ``writes`` tells of a command that would have written to the sheet.
    """
    if isinstance(error, Stopped):
        count = len(error.faults)
        these = "this" if count == 1 else f"these {count}"
        if error.after_writing:
            head = f"Mend {these} next; nothing more was written:"
        else:
            head = f"Mend {these} first{'; nothing was written' if writes else ''}:"
        typer.echo(head, err=True)
        for fault in error.faults:
            typer.echo(f"  {fault.text}", err=True)
    else:
        typer.echo(f"referee: {error}", err=True)
    if as_json:
        typer.echo(to_json(error.as_json()))
    return exit_of(error)


def report_lost(error: OSError) -> Exit:
    """Say that the result cannot be written where it should go, after what was carried out."""
    for text in _carried_out:
        typer.echo(text, err=True)
    why = error.strerror or error
    typer.echo(f"referee: the result cannot be written to standard output: {why}", err=True)
    return Exit.UNAVAILABLE


def use_utf8() -> None:
    """Write UTF-8 whatever the system's habit, so that names in any script survive a pipe.

    The name of a file that the system's own habit could not read is written as it was given.
    """
    import codecs

    codecs.register_error("as-given", _as_given)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="as-given")


def _as_given(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write what stands for undecoded bytes as those bytes, other halves of characters escaped."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    try:
        given = part.encode("utf-8", "surrogateescape")
        given.decode()
    except UnicodeError:
        return part.encode("ascii", "backslashreplace"), error.end
    return given, error.end
