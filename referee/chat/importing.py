"""Channel exports into a match's workbook: read, decide, write."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from referee.chat.export import read_exports
from referee.chat.import_plan import ImportPlan, Progress, no_progress, plan_import
from referee.chat.mentions import Options
from referee.chat.messages import Export
from referee.chat.report import ImportReport
from referee.match.faults import Overtaken
from referee.match.instants import Instant
from referee.workbook.reading import read_set_up

if TYPE_CHECKING:
    from referee.stores.contract import Store

_ATTEMPTS: Final = 4
"""How often an import begins anew where others write to the sheet at the same time."""


def import_messages(
    store: "Store",
    exports: Sequence[Export],
    options: Options,
    now: Instant,
    *,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> ImportReport:
    """Add what is new in some exports to a workbook, all at once; ``dry_run`` writes nothing.

    ``now`` is the time of the import, for notes. The report names the rows really used. Raises
    `Stopped` with every fault found and `Unavailable` where the workbook cannot be read or
    written; it is then as it was.
    """
    if dry_run:
        return _plan(store, exports, options, now, progress).report
    with store.lock():
        for is_last in (*[False] * (_ATTEMPTS - 1), True):
            plan = _plan(store, exports, options, now, progress)
            if not (plan.edits or plan.rows):
                return plan.report
            progress(f"writing {plan.report.name}", 0, 0)
            try:
                numbers = store.edit(plan.edits, plan.rows)
            except Overtaken:
                # What somebody else wrote meanwhile may be these very messages: decided anew.
                if is_last:
                    raise
            else:
                return _numbered(plan.report, numbers)
    raise AssertionError("unreachable")


def import_files(
    store: "Store",
    paths: Sequence[Path],
    options: Options,
    now: Instant,
    *,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> ImportReport:
    """Do as `import_messages` with export files; raises also what `read_exports` raises."""
    progress("reading exports", 0, 0)
    exports = read_exports(paths)
    return import_messages(store, exports, options, now, dry_run=dry_run, progress=progress)


def _plan(
    store: "Store", exports: Sequence[Export], options: Options, now: Instant, progress: Progress
) -> ImportPlan:
    progress(f"reading {store.name}", 0, 0)
    book = store.read()
    return plan_import(read_set_up(book), book, exports, options, now, progress)


def _numbered(report: ImportReport, numbers: Sequence[int]) -> ImportReport:
    """Return the report with the rows that were really used; somebody may have typed meanwhile."""
    rows = [
        msgspec.structs.replace(row, row=number)
        for row, number in zip((*report.queue, *report.submissions), numbers, strict=True)
    ]
    pings = len(report.queue)
    return msgspec.structs.replace(
        report, queue=tuple(rows[:pings]), submissions=tuple(rows[pings:]), written=True
    )
