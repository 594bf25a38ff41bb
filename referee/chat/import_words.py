"""An import in lines for people."""

from collections.abc import Iterator

from referee.chat.report import Added, Changed, ImportReport
from referee.match.faults import quoted


def import_lines(report: ImportReport, *, dry_run: bool) -> Iterator[str]:
    """Yield what an import added or would add, and what it left out, by reason."""
    verb = "would add" if dry_run else "added"
    if report.queue or report.submissions:
        pings = _count(len(report.queue), "ping")
        messages = _count(len(report.submissions), "message")
        yield f"{report.name}: {verb} {pings} to the queue and {messages} to the submissions"
    else:
        taken = sum(change.taken for change in report.changed)
        edits = f"; {_count(taken, 'row')} changed to what was edited since" if taken else ""
        yield f"{report.name}: nothing new{edits}"
    if dry_run:
        yield from map(_added, (*report.queue, *report.submissions))
    for link in report.linked:
        yield f"  {verb} the id {link.id} of {quoted(link.name)} to the aliases of {link.player}"
    for reason, count in report.skipped.items():
        yield f"  left out: {_count(count, 'message')} {reason}"


def doubt_lines(report: ImportReport) -> Iterator[str]:
    """Yield what a host should look at."""
    for text in report.warnings:
        yield f"note: {text}"
    if report.no_pings:
        yield "No pings, though they may look like it:"
    for ping in report.no_pings:
        yield f"  {ping.message} ({ping.player}), {quoted(ping.text)}: {ping.why}"
    for head, taken in (
        ("Edited since; the row takes the new text, its note keeps the earlier one:", True),
        ("Changed since; the row is left as it is:", False),
    ):
        changes = [change for change in report.changed if change.taken == taken]
        if changes:
            yield head
        yield from map(_changed, changes)
    if report.vanished:
        yield "Not in their channel any more: deleted? They count until a ruling says void:"
    for row in report.vanished:
        yield f"  {row.where} ({row.player}), message {row.message_id}: not in {row.file}"


def _added(row: Added) -> str:
    return f"  {row.tab} row {row.row}: {row.shown} {row.player} {quoted(row.text)}"


def _changed(change: Changed) -> str:
    what = "was edited" if change.why == "edited" else "differs from the row"
    was = f"{quoted(change.was)} there, " if change.was else ""
    return (
        f"  {change.where} ({change.player}), message {change.message_id} {what}: "
        f"{was}{quoted(change.now)} now"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
