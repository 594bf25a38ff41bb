"""Channel exports into a match's workbook: read, decide, write."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from referee.chat.export import read_exports
from referee.chat.import_plan import ImportPlan, plan_import, standing
from referee.chat.mentions import Options
from referee.chat.messages import Export
from referee.chat.report import ImportReport
from referee.match.faults import Overtaken
from referee.workbook.reading import read_set_up

if TYPE_CHECKING:
    from referee.stores.contract import Store

_ATTEMPTS: Final = 4
"""How often an import begins anew where others write to the sheet at the same time."""


def import_messages(
    store: "Store", exports: Sequence[Export], options: Options, *, dry_run: bool = False
) -> ImportReport:
    """Add what is new in some exports to a workbook, all at once; ``dry_run`` writes nothing.

    Raises `Stopped` with every fault found and `Unavailable` where the workbook cannot be read or
    written; it is then as it was.
    """
    if dry_run:
        return _plan(store, exports, options).report
    with store.lock():
        for is_last in (*[False] * (_ATTEMPTS - 1), True):
            plan = _plan(store, exports, options)
            if not (plan.edits or plan.rows):
                return msgspec.structs.replace(plan.report, written=False)
            try:
                numbers = store.edit(plan.edits, plan.rows)
            except Overtaken:
                # What somebody else wrote meanwhile may be these very messages: decided anew.
                if is_last:
                    raise
            else:
                return msgspec.structs.replace(standing(plan.report, numbers), written=True)
    raise AssertionError("unreachable")


def import_files(
    store: "Store", paths: Sequence[Path], options: Options, *, dry_run: bool = False
) -> ImportReport:
    """Do as `import_messages` with export files; raises also what `read_exports` raises."""
    return import_messages(store, read_exports(paths), options, dry_run=dry_run)


def _plan(store: "Store", exports: Sequence[Export], options: Options) -> ImportPlan:
    book = store.read()
    return plan_import(read_set_up(book), book, exports, options)
