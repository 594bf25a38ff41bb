"""What if: a record with changed rulings, settings or rows, and which rulings would matter (R9)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec

from referee.judging.comparing import Difference, differences
from referee.match.causes import Cause
from referee.match.faults import Fault, Stopped, WrongUsage, quoted
from referee.match.instants import SECOND, format_instant
from referee.match.notices import Clock, excerpt
from referee.match.record import LARGEST, Adjustment, QueueRow, Record, Round, Settings, Submission
from referee.match.result import Result
from referee.rules.checks import label
from referee.rules.messages import hinted_swaps
from referee.rules.reasons import LISTS, Verdict, reasons, rows_of
from referee.rules.replay import replay
from referee.rules.rulings import VOID, parse_ruling

Reach = Literal["outcome", "hunger", "garnets", "pen", "visits", "nothing"]
"""The gravest thing a ruling would change."""

_REACHES: Final[tuple[Reach, ...]] = ("outcome", "hunger", "garnets", "pen", "visits", "nothing")
_REACH_OF: Final[dict[str, Reach]] = {
    "Result": "outcome",
    "Rounds": "visits",
    "Hunger": "hunger",
    "Garnets": "garnets",
    "Pen": "pen",
    "Visits": "visits",
    "Queue": "visits",
}
RULED: Final = ("Queue", "Submissions")
"""The tabs whose rows can carry a ruling (R9.1)."""

CLOSE: Final = SECOND
"""A swap this close to the end of its visit, in milliseconds, is worth a second look."""


class Rule(msgspec.Struct, frozen=True):
    """Give a row another ruling, as typed in its column Ruling; a blank one takes it away."""

    tab: str
    row: int
    ruling: str

    def words(self, _clock: Clock = format_instant) -> str:
        """Return the change in words."""
        said = self.ruling or "without its ruling"
        return f"{self.tab} row {self.row}: {said}"


class SetTo(msgspec.Struct, frozen=True):
    """Give a setting another value; ``key`` is its key in a record."""

    key: str
    value: int | str

    def words(self, _clock: Clock = format_instant) -> str:
        """Return the change in words."""
        return f"{self.key} = {self.value}"


class AddRow(msgspec.Struct, frozen=True):
    """Add a row below the last one of its tab."""

    row: QueueRow | Submission | Adjustment | Round

    @property
    def tab(self) -> str:
        """The tab the row belongs to."""
        tabs = {QueueRow: "Queue", Submission: "Submissions", Adjustment: "Adjustments"}
        return tabs.get(type(self.row), "Rounds")

    def words(self, clock: Clock = format_instant) -> str:
        """Return the change in words, a time in it shown by ``clock``."""
        row = self.row
        match row:
            case QueueRow():
                said = f"{row.player} {row.action} at {clock(row.time)}"
            case Submission():
                said = f"{row.player} {excerpt(row.message)} at {clock(row.time)}"
            case Adjustment():
                said = f"{row.garnets:+} garnets for {row.player} at {clock(row.time)}"
            case Round():
                said = f"round {row.number}"
        return f"a row more in {self.tab}: {said}"


Change = Rule | SetTo | AddRow


def change(record: Record, changes: Sequence[Change]) -> Record:
    """Return the record as it were with the changes typed in.

    Raises `WrongUsage` with everything wrong about them: rows and settings that do not exist,
    rulings and values that none can have. Whether the changed record can be replayed shows then.
    """
    problems: list[str] = []
    for one in changes:
        try:
            record = _changed(record, one)
        except WrongUsage as problem:
            problems.append(str(problem))
    if problems:
        raise WrongUsage("\n".join(problems))
    return record


def _changed(record: Record, one: Change) -> Record:
    match one:
        case Rule():
            return _ruled(record, one)
        case SetTo():
            settings = set_to(record.settings, one)
            return msgspec.structs.replace(record, settings=settings)
        case AddRow():
            return _added(record, one)


def _ruled(record: Record, rule: Rule) -> Record:
    where = f"{rule.tab} row {rule.row}"
    if rule.tab not in RULED:
        raise WrongUsage(f"{where}: only rows of Queue and Submissions carry rulings (R9.1)")
    places = rows_of(record, rule.tab).get(rule.row, [])
    if len(places) != 1:
        several = f"{len(places)} rows with that number" if places else "no such row"
        raise WrongUsage(f"{where}: the match has {several}")
    try:
        parse_ruling(rule.ruling, rule.tab)
    except ValueError as error:
        raise WrongUsage(f"{where}: {error}") from None
    key = LISTS[rule.tab]
    rows = list(getattr(record, key))
    rows[places[0]] = msgspec.structs.replace(rows[places[0]], ruling=rule.ruling)
    return msgspec.structs.replace(record, **{key: tuple(rows)})


def set_to(settings: Settings, setting: SetTo) -> Settings:
    """Return the settings with one of them changed.

    Raises `WrongUsage` where there is no such setting or it takes no such value.
    """
    known = Settings.__struct_fields__
    if setting.key not in known:
        raise WrongUsage(f"{quoted(setting.key)} is not a setting; they are {', '.join(known)}")
    values: dict[str, Any] = {**msgspec.structs.asdict(settings), setting.key: setting.value}
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError:
        raise WrongUsage(f"{setting.key} = {setting.value}: {_wanted(setting.key)}") from None


def _wanted(key: str) -> str:
    """Say what a setting takes, for a host who gave it something else."""
    from referee.workbook.settings import setting_rows

    row = next(row for row in setting_rows() if row.key == key)
    if row.kind == "choice":
        return f"write one of {', '.join(row.choices)}"
    if row.kind == "whole":
        unit = f" of {row.unit}" if row.unit else ""
        return f"write a whole number{unit} from {row.least} to {LARGEST}"
    return "write a text"


def _added(record: Record, added: AddRow) -> Record:
    key = LISTS[added.tab]
    rows = getattr(record, key)
    last = max((label(row, place) for place, row in enumerate(rows)), default=0)
    row = msgspec.structs.replace(added.row, row=last + 1)
    return msgspec.structs.replace(record, **{key: (*rows, row)})


class WhatIf(msgspec.Struct, frozen=True):
    """What changes would come to.

    ``stopped`` are the faults that stop the record as it stands; then ``before`` is None and there
    is nothing to differ from. ``record`` is the changed one, ``after`` its result.
    """

    changes: tuple[Change, ...]
    record: Record
    before: Result | None
    after: Result
    differences: tuple[Difference, ...]
    stopped: tuple[Fault, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as ``--json`` shows it."""
        return {
            "changes": [one.words() for one in self.changes],
            "stopped": [fault.as_json() for fault in self.stopped],
            "differences": [difference.as_json() for difference in self.differences],
            "result": self.after.as_json(),
        }


def what_if(
    record: Record,
    changes: Sequence[Change],
    *,
    clock: Clock = format_instant,
    notices: bool = False,
) -> WhatIf:
    """Replay a record as it stands and with changes, and compare; ``clock`` shows the times.

    A record that stops as it stands may go through with the changes. Raises `WrongUsage` as
    `change` does and `Stopped` where the changed record cannot be replayed.
    """
    changed = change(record, changes)
    after = replay(changed)
    try:
        before = replay(record)
    except Stopped as stopped:
        return WhatIf(tuple(changes), changed, None, after, (), stopped.faults)
    found = differences(before, after, clock=clock, notices=notices)
    return WhatIf(tuple(changes), changed, before, after, found)


# --- every doubtful row by itself ----------------------------------------------------------------


class Trial(msgspec.Struct, frozen=True):
    """One ruling tried on one doubtful row; ``faults`` are there where it would stop the run."""

    verdict: Verdict
    rule: Rule
    differences: tuple[Difference, ...]
    faults: tuple[Fault, ...] = ()

    @property
    def reach(self) -> Reach:
        """The gravest thing the ruling would change."""
        found: set[Reach] = {_reach(difference) for difference in self.differences}
        return next((reach for reach in _REACHES if reach in found), "nothing")

    def as_json(self, clock: Clock = format_instant) -> dict[str, Any]:
        """Return the trial as ``--json`` shows it."""
        why = self.verdict.causes[0]
        return {
            "tab": self.rule.tab,
            "row": self.rule.row,
            "ruling": self.rule.ruling,
            "reach": self.reach,
            "now": {"code": why.code, "rule": why.rule, "text": why.words(clock)},
            "differences": [difference.as_json() for difference in self.differences],
            "faults": [fault.as_json() for fault in self.faults],
        }


def each(record: Record, tab: str, *, clock: Clock = format_instant) -> tuple[Trial, ...]:
    """Try the obvious rulings on every doubtful row of a tab, each by itself, the gravest first.

    Doubtful are rows with a warning, with a ruling of the host's or an edit that counts, and swaps
    within `CLOSE` of the end of their visit. Raises `Stopped` where the record cannot be replayed
    and `WrongUsage` where rows of the tab carry no rulings or share a number.
    """
    if tab not in RULED:
        raise WrongUsage(f"{tab}: only rows of Queue and Submissions carry rulings (R9.1)")
    why = reasons(record)
    before = why.result
    ends = {(seen.round, seen.visit.number): seen.visit.left for seen in why.visits}
    trials: list[Trial] = []
    for verdict in why.verdicts:
        if verdict.tab != tab:
            continue
        left = None if verdict.visit is None else ends[verdict.visit]
        for ruling in dict.fromkeys(_obvious(record, verdict, left)):
            rule = Rule(tab, verdict.row, ruling)
            changed = change(record, [rule])
            try:
                found = differences(before, replay(changed), clock=clock)
            except Stopped as stopped:
                trials.append(Trial(verdict, rule, (), stopped.faults))
            else:
                trials.append(Trial(verdict, rule, found))
    trials.sort(key=lambda trial: (_REACHES.index(trial.reach), -len(trial.differences)))
    return tuple(trials)


def _reach(difference: Difference) -> Reach:
    if difference.tab == "Result" and difference.what.startswith("Swaps: "):
        return "visits"
    return _REACH_OF[difference.tab]


def _obvious(record: Record, verdict: Verdict, left: int | None) -> Iterator[str]:
    """Yield the rulings a host may think of for a row; none where nothing is doubtful."""
    row: QueueRow | Submission = getattr(record, LISTS[verdict.tab])[verdict.place]
    ruling = parse_ruling(row.ruling, verdict.tab)
    if ruling is not None:
        yield ""
        if ruling is not VOID:
            yield "void"
        return
    if isinstance(row, Submission):
        yield from _for_submission(row, verdict, left)
    elif verdict.effect == "counts" and any(n.severity == "warning" for n in verdict.notices):
        yield "void"


def _for_submission(row: Submission, verdict: Verdict, left: int | None) -> Iterator[str]:
    first, *others = verdict.causes
    if first.code in ("late-submission", "early-submission", "not-visiting", "after-match"):
        yield "allow"
    elif first.code in ("unreadable-swap", "invalid-swap"):
        for swap in hinted_swaps(row.message):
            yield f"read as {swap[0]} {swap[1]}"
    elif isinstance(first, Cause) and first.code in ("counted", "takes-back", "replaced"):
        close = left is not None and left - first.instant <= CLOSE
        if close or any(why.code == "as-edited" for why in others):
            yield "void"
