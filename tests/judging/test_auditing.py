"""An audit finds every change of what is published and of what it was published from."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.judging.auditing import Audit, audit
from referee.judging.findings import Difference
from referee.judging.resolving import plan
from referee.judging.standing import published_rounds
from referee.match.faults import Stopped
from referee.match.instants import MINUTE, Instant, format_instant, parse_instant
from referee.match.record import CellValue, Player, QueueRow, Record, Round, Settings, Submission
from referee.match.record_json import decode_record, encode_record, read_record
from referee.workbook.layout import load, template_path
from tests.support.strategies import Match, numbered, play, sound_matches

LATE = parse_instant("2027-01-01T00:00:00Z")
OWNED = tuple(tab.title for tab in load().result_tabs)

Tabs = dict[str, list[list[CellValue]]]


def published(record: Record) -> Record:
    """The record with everything published that is over."""
    planned = plan(record, {}, LATE)
    return replace(record, published={tab.title: tab.rows for tab in planned.tabs})


DEMO = published(read_record(template_path().with_name("demo_match.json")))


def found(record: Record) -> set[str]:
    """The kinds of an audit's differences."""
    return {difference.kind for difference in audit(record).differences}


def tabs_of(record: Record) -> Tabs:
    """A copy of the published tabs that a test may change."""
    assert record.published is not None
    return {title: [list(row) for row in rows] for title, rows in record.published.items()}


def changed_cell(record: Record, tab: str, row: int, column: int, value: CellValue) -> Audit:
    """Audit the record with one published cell changed; positions count from 0."""
    tabs = tabs_of(record)
    cells = tabs[tab][row]
    cells += [None] * (column + 1 - len(cells))
    cells[column] = value
    return audit(record, tabs)


def near_miss(value: CellValue) -> CellValue:
    """What a cell may come to hold that looks the same."""
    if value is None:
        return 0
    return f"{value} " if isinstance(value, str) else str(value)


def test_what_was_just_published_shows_no_difference() -> None:
    """An audit of an untouched match names its rounds and nothing else."""
    assert audit(DEMO) == Audit((1, 2, 3, 4, 5, 6), ())


@pytest.mark.parametrize("tab", OWNED)
def test_every_changed_cell_is_found_as_a_changed_output(tab: str) -> None:
    """Whatever a cell of an owned tab is changed to is found, in that tab, as an output."""
    rows = tabs_of(DEMO)[tab]
    width = max(map(len, rows))
    missed = []
    for row, cells in enumerate(rows):
        for column in range(width + 1):
            value = near_miss(cells[column] if column < len(cells) else None)
            differences = changed_cell(DEMO, tab, row, column, value).differences
            if {(d.kind, d.tab) for d in differences} != {("output", tab)}:
                missed.append((row, column, value, differences))
    assert missed == []


@pytest.mark.parametrize("tab", OWNED)
def test_every_emptied_cell_is_found(tab: str) -> None:
    """A cell that was emptied is found like any other change."""
    for row, cells in enumerate(tabs_of(DEMO)[tab][:8]):
        for column in (c for c, value in enumerate(cells) if value is not None):
            assert changed_cell(DEMO, tab, row, column, None).differences, (row, column)


@pytest.mark.parametrize("tab", [tab for tab in OWNED if tab != "Receipts"])
def test_a_changed_cell_is_named_alone_with_both_values(tab: str) -> None:
    """One changed cell is one difference: its address, what stands there, what is right."""
    for row, cells in enumerate(tabs_of(DEMO)[tab]):
        for column, value in enumerate(cells):
            expected = f"{tab}!{'ABCDEFGHIJ'[column]}{row + 1}"
            (difference,) = changed_cell(DEMO, tab, row, column, "changed").differences
            assert difference.cell == expected
            assert (difference.published, difference.recomputed) == ("changed", value)
            assert difference.text.startswith(f"{expected}: ")
            assert ": changed → " in difference.text
            assert difference.text.endswith(f"({difference.rule})")


def test_a_difference_names_the_clause_behind_the_right_value() -> None:
    """Pen, hunger, garnets, awards, visits, result and notices each name their own clause."""
    rules = {
        ("Pen", 2, 1): "R6.1",
        ("Garnets", 2, 1): "R8.1",
        ("Garnets", 7, 1): "R7.5",
        ("Visits", 1, 4): "R4.3",
        ("Visits", 1, 6): "R4.4",
        ("Visits", 1, 7): "R4.5",
        ("Visits", 1, 8): "R5.2",
        ("Result", 4, 1): "R7.2",
        ("Result", 6, 1): "R7.4",
        ("Notices", 1, 6): "R5.1",
        ("Receipts", 1, 5): "R0.1",
    }
    for (tab, row, column), rule in rules.items():
        differences = changed_cell(DEMO, tab, row, column, "changed").differences
        assert [d.rule for d in differences] == [rule], (tab, row, column)
    lost = next(d.rule for d in changed_cell(DEMO, "Hunger", 6, 1, 99).differences)
    assert lost == "R6.2"


@pytest.mark.parametrize("tab", OWNED)
def test_rows_added_removed_or_exchanged_are_found(tab: str) -> None:
    """Whole rows of an owned tab cannot come, go or change places."""
    rows = tabs_of(DEMO)[tab]
    changes: list[list[list[CellValue]]] = [
        rows[:-1],
        rows[1:],
        [*rows, ["x"]],
        [*rows, [7, "x"]],
        [*rows[:-2], rows[-1], rows[-2]],
        [rows[0], [], *rows[1:]],
        [],
    ]
    for changed in changes:
        differences = audit(DEMO, tabs_of(DEMO) | {tab: changed}).differences
        assert {(d.kind, d.tab) for d in differences} >= {("output", tab)}


@pytest.mark.parametrize("tab", OWNED)
def test_a_missing_tab_is_found(tab: str) -> None:
    """A tab that is gone is told once, by its name."""
    tabs = {title: rows for title, rows in tabs_of(DEMO).items() if title != tab}
    (difference,) = audit(DEMO, tabs).differences
    assert difference.text == f"{tab}: the tab is missing or is not the referee's own any more"


def test_a_wild_round_number_is_one_difference() -> None:
    """A round number that cannot be is a changed cell, not a thousand missing rounds."""
    for wild in (99999, 2**53, 1e300, float("inf"), float("nan"), -1, 6.5, True):
        (difference,) = changed_cell(DEMO, "Pen", 7, 0, wild).differences
        assert difference.cell == "Pen!A8"


@pytest.mark.parametrize("row", [2, 6])
def test_a_changed_receipt_is_found_at_its_cell_and_accuses_no_other(row: int) -> None:
    """Every cell of a receipt is told by its address, once; the next receipt is not accused."""
    for column in range(18):
        (difference,) = changed_cell(DEMO, "Receipts", row, column, "changed").differences
        assert difference.cell == f"Receipts!{'ABCDEFGHIJKLMNOPQR'[column]}{row + 1}"


def test_a_receipt_that_is_gone_is_told_once_as_that() -> None:
    """Wherever a row of Receipts was deleted or emptied, the round without one is named."""
    rows = tabs_of(DEMO)["Receipts"]
    for gone in range(1, 7):
        for left in (0, 1):
            changed: list[list[CellValue]] = [*rows[:gone], *[[]] * left, *rows[gone + 1 :]]
            (difference,) = audit(DEMO, tabs_of(DEMO) | {"Receipts": changed}).differences
            assert difference.text.endswith(f": the receipt of round {gone} is missing")


def test_values_that_look_alike_are_told_apart() -> None:
    """A number as text, a blank at the end and a word for nothing show as what they are."""
    for tab, value, shown in (
        ("Hunger", "8", '"8" → 8'),
        ("Pen", "Ann ", '"Ann " → "Ann"'),
        ("Pen", None, "nothing → Ann"),
    ):
        (difference,) = changed_cell(DEMO, tab, 1, 1, value).differences
        assert f": {shown} (" in difference.text


def test_an_unreadable_character_in_a_cell_is_shown_by_its_number() -> None:
    """What stands in a cell cannot steer the terminal it is shown on."""
    (difference,) = changed_cell(DEMO, "Pen", 1, 1, "A\x1b[2J").differences
    assert "A\\u001b[2J" in difference.text


def later(row: Any, millis: int = 1) -> Any:
    """A row at another instant."""
    return replace(row, time=Instant(row.time + millis))


def queue_changes(row: QueueRow) -> Iterator[QueueRow]:
    yield later(row)
    yield replace(row, player="Ann" if row.player != "Ann" else "Ben")
    yield replace(row, action="leave" if row.action == "exit" else "exit")
    yield replace(row, ruling="void")


def submission_changes(row: Submission) -> Iterator[Submission]:
    yield later(row)
    yield replace(row, player="Ann" if row.player != "Ann" else "Ben")
    yield replace(row, message=f"{row.message} ")
    yield replace(row, message="swap F and G" if row.message != "swap F and G" else "pass")
    yield replace(row, edited=row.time)
    yield replace(row, ruling="void")
    yield replace(row, ruling="allow")


def with_each(record: Record, name: str, changes: Any) -> Iterator[tuple[str, Record]]:
    """The record with each row of a list changed, left out or doubled."""
    rows = getattr(record, name)
    for place, row in enumerate(rows):
        others = [(f"{name} {place} {row}", one) for one in changes(row)]
        for label, one in others:
            yield label, replace(record, **{name: (*rows[:place], one, *rows[place + 1 :])})


def assert_found_as_input(cases: Iterator[tuple[str, Record]]) -> None:
    seen = 0
    for label, record in cases:
        seen += 1
        assert found(record) == {"input"}, label
    assert seen


def test_every_changed_queue_row_is_found_as_a_changed_input() -> None:
    """Time, player, action and ruling of each ping of a published round are its inputs."""
    assert_found_as_input(with_each(DEMO, "queue", queue_changes))


def test_every_changed_submission_is_found_as_a_changed_input() -> None:
    """Time, player, message, edit and ruling of each submission are inputs, chat too."""
    assert_found_as_input(with_each(DEMO, "submissions", submission_changes))


def test_every_changed_adjustment_is_found_as_a_changed_input() -> None:
    """Time, player, garnets and reason of an adjustment are inputs."""
    assert DEMO.adjustments

    def changes(row: Any) -> Iterator[Any]:
        yield later(row)
        yield replace(row, player="Ann" if row.player != "Ann" else "Ben")
        yield replace(row, garnets=row.garnets + 1)
        yield replace(row, reason=f"{row.reason}!")

    assert_found_as_input(with_each(DEMO, "adjustments", changes))


def test_every_row_left_out_or_added_is_found_as_a_changed_input() -> None:
    """A row of a published round that goes, or comes twice, is a changed input."""

    def without(name: str) -> Iterator[tuple[str, Record]]:
        rows = getattr(DEMO, name)
        for place, row in enumerate(rows):
            yield f"{name} {place}", replace(DEMO, **{name: rows[:place] + rows[place + 1 :]})
            yield f"{name} {place}", replace(DEMO, **{name: (*rows, row)})

    for name in ("queue", "submissions", "adjustments"):
        assert_found_as_input(without(name))


def test_every_changed_round_is_found_as_a_changed_input() -> None:
    """A round's start and length are inputs, and so is that it is listed."""

    def cases() -> Iterator[tuple[str, Record]]:
        rounds = DEMO.rounds
        for place, row in enumerate(rounds):
            for one in (replace(row, minutes=9), replace(row, minutes=11)):
                changed = (*rounds[:place], one, *rounds[place + 1 :])
                yield f"round {row.number}", replace(DEMO, rounds=changed)
            yield f"only {place} rounds", replace(DEMO, rounds=rounds[:place])
        yield "start", replace(DEMO, start=Instant(DEMO.start + 1))
        begins = replace(rounds[0], start=Instant(DEMO.start + 10 * MINUTE + 1))
        yield "round 1", replace(DEMO, rounds=(begins, *rounds[1:]))

    assert_found_as_input(cases())


def test_every_changed_player_is_found_as_a_changed_input() -> None:
    """Names, cells, rivals and garnets at the start are inputs."""

    def exchanged(name: str, place: int) -> Record:
        one, other = DEMO.players[place : place + 2]
        pair = (
            replace(one, **{name: getattr(other, name)}),
            replace(other, **{name: getattr(one, name)}),
        )
        return replace(DEMO, players=(*DEMO.players[:place], *pair, *DEMO.players[place + 2 :]))

    def cases() -> Iterator[tuple[str, Record]]:
        for place, player in enumerate(DEMO.players):
            richer = replace(player, garnets=player.garnets + 1)
            rest = (*DEMO.players[:place], richer, *DEMO.players[place + 1 :])
            yield f"garnets of {player.name}", replace(DEMO, players=rest)
            if place + 1 < len(DEMO.players):
                yield f"cells {place}", exchanged("cell", place)
        turned = DEMO.players[-1:] + DEMO.players[:-1]
        yield "order", replace(DEMO, players=turned)
        rivals = {"Ann": "Eve", "Ben": "Dan"}
        named = tuple(replace(p, rival=rivals.get(p.name, p.rival)) for p in DEMO.players)
        yield "rivals", replace(DEMO, players=named)

    assert_found_as_input(cases())


def test_every_changed_setting_is_found_as_a_changed_input() -> None:
    """Each setting is an input of every round, the seed too (R7.3), and so is the time zone."""

    def cases() -> Iterator[tuple[str, Record]]:
        default = Settings()
        for key in Settings.__struct_fields__:
            value = getattr(default, key)
            other: Any = {
                "visit_ends": "swap",
                "pings_outside_rounds": "queue",
                "unpaid_visits": "debt",
                "room_clock": "recorded",
            }.get(key, value)
            if isinstance(value, int):
                other = value + 1
            if other != value:
                yield key, replace(DEMO, settings=replace(DEMO.settings, **{key: other}))
        yield "seed", replace(DEMO, settings=replace(DEMO.settings, tie_break_seed="another"))
        yield "zone", replace(DEMO, time_zone="Europe/Paris")

    assert_found_as_input(cases())


def test_what_no_round_follows_from_is_no_input() -> None:
    """The match's name, tokens and aliases may change after a round was published."""
    players = tuple(replace(p, token="x", aliases=("y" + p.name,)) for p in DEMO.players)
    assert audit(replace(DEMO, name="Another", players=players)).differences == ()


def test_rows_in_another_order_are_no_changed_input() -> None:
    """Sorting rows of different instants changes no inputs, and no row number that is said."""
    backwards = replace(
        DEMO,
        queue=tuple(sorted(DEMO.queue, key=lambda row: -row.time)),
        submissions=tuple(sorted(DEMO.submissions, key=lambda row: -row.time)),
        rounds=DEMO.rounds[::-1],
    )
    numbered = replace(DEMO, published=None)
    rows = {
        "queue": tuple(replace(r, row=n) for n, r in enumerate(numbered.queue, 2)),
        "submissions": tuple(replace(r, row=n) for n, r in enumerate(numbered.submissions, 2)),
    }
    resolved = published(replace(numbered, **rows))
    shuffled = replace(
        resolved,
        queue=tuple(sorted(resolved.queue, key=lambda row: -row.time)),
        submissions=tuple(sorted(resolved.submissions, key=lambda row: -row.time)),
    )
    assert audit(shuffled).differences == ()
    # Without recorded row numbers the places in the list are said, and those did change.
    assert {d.tab for d in audit(backwards).differences} == {"Notices"}
    assert found(backwards) == {"moved"}
    assert audit(backwards).is_clean


def test_rows_of_rounds_not_yet_published_change_nothing() -> None:
    """What the host logs and rules of the running round is not held against published ones."""
    first = replace(DEMO, published=None, rounds=DEMO.rounds[:1])
    resolved = published(first)
    end = parse_instant("2026-11-29T20:25:00Z")
    talk = Submission(time=end, player="Ann", message="A D", ruling="void")
    ping = QueueRow(time=end, player="Ann", ruling="void")
    running = replace(
        resolved,
        rounds=(*resolved.rounds, Round(number=2)),
        submissions=(*resolved.submissions, talk),
        queue=(*resolved.queue, ping),
    )
    assert audit(running) == Audit((1,), ())


def test_a_changed_row_is_held_against_its_round_and_the_later_ones() -> None:
    """Rounds before the changed row stay sound."""
    late = DEMO.queue[-1]
    changed = replace(DEMO, queue=(*DEMO.queue[:-1], later(late)))
    assert {d.round for d in audit(changed).differences if d.tab == "Queue"} == {6}
    early = replace(DEMO, queue=(replace(DEMO.queue[0], ruling="void"), *DEMO.queue[1:]))
    differences = audit(early).differences
    assert {d.round for d in differences if d.tab == "Pen"} >= {1, 2, 3, 4, 5, 6}
    (named,) = [d for d in differences if d.tab == "Queue"]
    assert (named.cell, named.round) == ("Queue!1", 1)


def test_one_round_can_be_audited() -> None:
    """Only that round's rows are held against their recomputation."""
    tabs = tabs_of(DEMO)
    tabs["Pen"][2][1] = tabs["Pen"][4][1] = "changed"
    (difference,) = audit(DEMO, tabs, only_round=3).differences
    assert difference.cell == "Pen!B5"
    assert audit(DEMO, tabs, only_round=2).differences == ()
    assert audit(DEMO, tabs, only_round=2).rounds == (2,)


def test_nothing_published_is_nothing_to_find() -> None:
    """A match that was never resolved has no difference, with or without empty owned tabs."""
    bare = replace(DEMO, published=None)
    assert audit(bare) == Audit((), ())
    headers = {title: rows[:1] for title, rows in tabs_of(DEMO).items()}
    assert audit(bare, headers) == Audit((), ())
    assert published_rounds({}) == 0


def test_a_record_keeps_what_is_published_through_json() -> None:
    """An archived match is audited as the workbook was."""
    assert audit(decode_record(encode_record(DEMO))).differences == ()


def test_differences_are_rows_of_a_frame() -> None:
    """The frame has a column for each part of a difference, also where there is none."""
    frame = changed_cell(DEMO, "Pen", 1, 1, "x").frame()
    assert list(frame.columns) == list(Difference.__struct_fields__)
    assert frame.loc[0, "cell"] == "Pen!B2"
    assert list(audit(DEMO).frame().columns) == list(Difference.__struct_fields__)


def test_a_drawn_candidate_depends_on_the_seed() -> None:
    """Where a draw decided, the seed is an input of the last round."""
    players = (
        Player("Ann", "A", "Ben"),
        Player("Ben", "B", "Ann"),
    )
    drawn = Record(
        format="referee-match/1",
        game="pig-starvation",
        name="draw",
        start=parse_instant("2026-01-01T00:00:00Z"),
        players=players,
        rounds=tuple(Round(number=n) for n in range(1, 11)),
        queue=(),
        submissions=(),
        settings=Settings(tie_break_seed="one"),
    )
    resolved = published(drawn)
    assert audit(resolved).differences == ()
    assert found(replace(resolved, settings=Settings(tie_break_seed="two"))) == {"input"}


def changed_row(tab: str, row: dict[str, Any], names: list[str], how: int) -> dict[str, Any] | None:
    """A row of a match with one of its cells changed; None leaves it out."""
    time = parse_instant(row["time"])
    others = [name for name in names if name != row["player"]]
    changes: list[dict[str, Any] | None] = [
        None,
        {"time": format_instant(time - 1)},
        {"player": others[0]},
    ]
    if tab == "submissions":
        changes.append({"message": "A B" if row["message"] != "A B" else "pass"})
    if tab != "adjustments" and row.get("ruling", "").casefold() != "void":
        changes.append({"ruling": "void"})
    if tab == "adjustments":
        changes.append({"garnets": row["garnets"] + 1})
    change = changes[how % len(changes)]
    return None if change is None else {**row, **change}


@given(sound_matches(), st.integers(0), st.integers(0))
def test_in_any_match_a_changed_row_is_an_input_and_nothing_else(
    match: Match, which: int, how: int
) -> None:
    """Whatever else a changed row of a published round changes is told as following from it."""
    match = numbered(match)
    rounds = play(match).rounds
    assume(rounds)
    end = rounds[-1].official_end
    rows = [
        (tab, place)
        for tab in ("queue", "submissions", "adjustments")
        for place, row in enumerate(match[tab])
        if parse_instant(row["time"]) <= end
    ]
    assume(rows)
    tab, place = rows[which % len(rows)]
    try:
        resolved = published(decode_record(json.dumps(match)))
    except Stopped:
        reject()  # none of five rows or more lies in a round: no host could publish that
    names = [player["name"] for player in match["players"]]
    row = changed_row(tab, match[tab][place], names, how)
    match[tab][place : place + 1] = [] if row is None else [row]
    try:
        differences = audit(decode_record(json.dumps(match)), resolved.published).differences
    except Stopped:
        return
    assert {difference.kind for difference in differences} == {"input"}
