"""What an audit finds: cells and inputs that are not as they should be."""

from typing import Any, Final, Literal

import msgspec

from referee.match.record import CellValue

Kind = Literal["output", "input", "rewritten", "moved", "late-seed"]

GRAVE: Final = frozenset({"output", "input", "rewritten"})
"""The kinds of differences that are worth an exit code of 1; the others are only told."""


class Difference(msgspec.Struct, frozen=True):
    """One cell that says something else than the recomputation, or one change of the inputs.

    ``kind`` is ``input`` for a host tab that is not as a round was resolved from it, and for every
    cell that differs where the round's result changed with it; ``output`` for a cell of an owned
    tab that is not what the inputs give; ``rewritten`` for a round that is not the one that was
    announced or stood in an earlier copy. ``moved`` (rows that only moved, or came after the match)
    and ``late-seed`` (a seed or words first given after the round) are told and forbid nothing.
    ``cell`` is its address (``Pen!B3``), ``rule`` the clause behind ``recomputed``.
    """

    kind: Kind
    tab: str
    cell: str
    round: int | None
    published: CellValue
    recomputed: CellValue
    rule: str
    text: str

    def as_json(self) -> dict[str, Any]:
        """Return the difference as ``--json`` shows it."""
        return msgspec.structs.asdict(self)
