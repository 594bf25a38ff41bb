"""What an import did or would do, for people and for machines."""

from typing import Any

import msgspec

from referee.match.instants import format_instant


class Added(msgspec.Struct, frozen=True, gc=False):
    """A new row: a ping in Queue, or a message in Submissions; ``shown`` is its time as there."""

    tab: str
    row: int
    time: int
    shown: str
    player: str
    message_id: str
    text: str
    file: str

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` shows it."""
        return {**msgspec.structs.asdict(self), "time": format_instant(self.time)}


class Linked(msgspec.Struct, frozen=True):
    """An account matched by its name, whose id is added to the player's Aliases."""

    player: str
    id: str
    name: str
    nickname: str


class Changed(msgspec.Struct, frozen=True):
    """A message that says something else than what stands at ``where``.

    ``why`` is ``edited`` where the message was edited later, ``differs`` where only the texts are
    others: a host corrected the row. ``taken`` tells whether the row takes the new text: an edit's,
    unless the row is ruled on.
    """

    where: str
    message_id: str
    player: str
    why: str
    was: str
    now: str
    edited: int | None
    taken: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the change as ``--json`` shows it."""
        edited = None if self.edited is None else format_instant(self.edited)
        return {**msgspec.structs.asdict(self), "edited": edited}


class Vanished(msgspec.Struct, frozen=True):
    """A row whose message is not among those that ``file`` has of its channel and time.

    It was deleted; where the row does not say its channel it may be from another. ``where`` is a
    message of an older export where that is what brought it.
    """

    where: str
    message_id: str
    player: str
    file: str


class NoPing(msgspec.Struct, frozen=True):
    """A player's message that looks as if it might ping the Dealer and does not count as a ping."""

    message: str
    player: str
    text: str
    why: str


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an import found. ``skipped`` counts messages left out, by reason."""

    name: str
    files: tuple[tuple[str, int], ...]
    queue: tuple[Added, ...] = ()
    submissions: tuple[Added, ...] = ()
    linked: tuple[Linked, ...] = ()
    skipped: dict[str, int] = {}
    changed: tuple[Changed, ...] = ()
    vanished: tuple[Vanished, ...] = ()
    no_pings: tuple[NoPing, ...] = ()
    warnings: tuple[str, ...] = ()
    written: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the report as ``--json`` shows it."""
        builtins = msgspec.to_builtins
        return {
            "format": "referee-import/1",
            "name": self.name,
            "written": self.written,
            "files": [{"file": file, "messages": count} for file, count in self.files],
            "queue": [row.as_json() for row in self.queue],
            "submissions": [row.as_json() for row in self.submissions],
            "linked": builtins(self.linked),
            "skipped": dict(self.skipped),
            "changed": [change.as_json() for change in self.changed],
            "vanished": builtins(self.vanished),
            "no_pings": builtins(self.no_pings),
            "warnings": list(self.warnings),
        }
