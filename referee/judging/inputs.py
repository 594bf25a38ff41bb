"""What of a host's tabs is not as the published rounds were resolved from it: told once a tab."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from referee.judging.findings import Difference, Kind
from referee.judging.locating import rows_changed
from referee.judging.standing import SEED, UNKNOWN, WORDS, Change
from referee.match.result import Result
from referee.workbook.digests import TABS

_WHAT: Final = {
    "Settings": "a setting, the match's start or its time zone is",
    "Players": "a name, cell, rival or number of garnets is",
    "Rounds": "the list of rounds is",
    "Queue": "a row is",
    "Submissions": "a row is",
    "Adjustments": "a row is",
    SEED: "the tie-break seed is",
    WORDS: "the players' words are",
}


def changed_inputs(
    changes: Sequence[Change], titles: Mapping[str, str], result: Result
) -> Iterator[Difference]:
    """Yield a difference for each host tab that was changed after a round was resolved from it."""
    for tab in (*TABS, SEED, WORDS):
        changed = [change for change in changes if tab in change.tabs]
        if changed:
            yield _changed(tab, changed, titles, result)
    unknown = [change for change in changes if UNKNOWN in change.tabs]
    if unknown:
        yield _unknown(unknown, titles)
    yield from _order(changes, titles)
    for name in (SEED, WORDS):
        late = [change for change in changes if name in change.late]
        if late:
            yield _late(name, late[-1], titles)


def _changed(
    tab: str,
    changed: Sequence[Change],
    titles: Mapping[str, str],
    result: Result,
) -> Difference:
    first = changed[0]
    host_tab = tab if tab in TABS else "Settings"
    title = titles.get(host_tab, host_tab)
    rows = rows_changed(tab, first, result) if tab in TABS else []
    where = title if not rows else f"{title} {_rows(rows)}"
    cell = f"{title}!{rows[0]}" if len(rows) == 1 else title
    text = (
        f"{where}: {_WHAT[tab]} not as when round {first.round} was resolved"
        f"{_rest(changed)}; {_effect(changed)}"
    )
    receipt: dict[str, str] = {SEED: first.receipt.seed, WORDS: first.receipt.words}
    then = receipt[tab] if tab in receipt else first.receipt.tab(tab)
    return Difference("input", host_tab, cell, first.round, then, None, "R0.1", text)


def _rows(rows: Sequence[int]) -> str:
    if len(rows) == 1:
        return f"row {rows[0]}"
    if len(rows) == 2:
        return f"row {rows[0]} or {rows[1]}"
    return f"rows {rows[0]} to {rows[-1]}"


def _rest(changed: Sequence[Change]) -> str:
    if len(changed) == 1:
        return ""
    return f", nor are rounds up to {changed[-1].round} that rest on it"


def _effect(changed: Sequence[Change]) -> str:
    results = [str(change.round) for change in changed if change.result]
    if not results:
        return "no result changed by it"
    return f"the result of round{'' if len(results) == 1 else 's'} {', '.join(results)} changed"


def _unknown(changed: Sequence[Change], titles: Mapping[str, str]) -> Difference:
    first = changed[0]
    cell = f"{titles.get('Receipts', 'Receipts')}!D{first.round + 1}"
    text = (
        f"{cell}: the inputs of round {first.round} (settings, players, rounds or rows up to its "
        f"end) are not those it was resolved from{_rest(changed)}; {_effect(changed)}. A receipt "
        "of referee 0.1 does not tell which tab was changed"
    )
    inputs = first.receipt.inputs
    return Difference("input", "Receipts", cell, first.round, inputs, None, "R0.1", text)


def _order(changes: Sequence[Change], titles: Mapping[str, str]) -> Iterator[Difference]:
    turned = [change for change in changes if change.order]
    if not turned:
        return
    first = next((change for change in turned if change.result), turned[0])
    title = titles.get("Queue", "Queue")
    kind: Kind = "input" if first.result else "moved"
    text = (
        f"{title}: rows of one instant have changed places, in this log or another, since round "
        f"{first.round} was resolved; the order of the sheet decides there; {_effect(turned)}"
    )
    inputs = first.receipt.inputs
    yield Difference(kind, "Queue", title, first.round, inputs, None, "R0.3", text)


def _late(name: str, last: Change, titles: Mapping[str, str]) -> Difference:
    title = titles.get("Settings", "Settings")
    what = "the tie-break seed was" if name == SEED else "the players' words were"
    text = (
        f"{title}: {what} first given after round {last.round} was resolved: whoever gave them "
        "could know what they would draw"
        if name == WORDS
        else f"{title}: {what} first given after round {last.round} was resolved: whoever gave it "
        "could know whom it would draw"
    )
    return Difference("late-seed", "Settings", title, last.round, None, None, "R7.3", text)
