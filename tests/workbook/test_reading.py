"""A sound workbook as a match record, whatever way a host lays it out."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from referee.match.faults import Fault, Stopped
from referee.match.instants import parse_instant
from referee.match.record import Adjustment, Player, QueueRow, Record, Round, Settings, Submission
from referee.workbook.cells import Book
from referee.workbook.reading import read_book, read_set_up
from tests.support.sheets import Cells, base_tabs, make_book, with_settings

AT = "2026-03-01 19:01:00"
QUEUE = ["Timestamp", "Player", "Action"]


def record(*args: Any, **kwargs: Any) -> Record:
    return read_book(make_book(*args, **kwargs)).record


def faults(book: Book) -> list[Fault]:
    with pytest.raises(Stopped) as stopped:
        read_book(book)
    return list(stopped.value.faults)


def test_a_workbook_becomes_a_record() -> None:
    """Every tab is read: players by name, rows by sheet row, times as instants."""
    adjustments = [["Timestamp", "Player", "Garnets", "Reason"], [AT, "bob", "-1", "trade"]]
    found = record({"Adjustments": adjustments})
    assert (found.format, found.game, found.name) == ("referee-match/1", "pig-starvation", "MM8")
    assert found.time_zone == "America/New_York"
    assert found.start == parse_instant("2026-03-01T18:50:00-05:00")
    assert found.players[0] == Player(name="Ann", cell="A", rival="Bob", garnets=3)
    assert found.rounds == (
        Round(row=2, number=1, start=parse_instant("2026-03-01T19:00:00-05:00")),
    )
    assert found.queue[1] == QueueRow(
        row=3, time=parse_instant("2026-03-01T19:01:40-05:00"), player="Ann", action="leave"
    )
    assert found.submissions == (
        Submission(
            row=2, time=parse_instant("2026-03-01T19:01:20-05:00"), player="Ann", message="A D"
        ),
    )
    assert found.adjustments == (
        Adjustment(
            row=2,
            time=parse_instant("2026-03-01T19:01:00-05:00"),
            player="Bob",
            garnets=-1,
            reason="trade",
        ),
    )
    assert found.settings == Settings()
    assert found.published is None


def test_a_match_without_rows_is_read() -> None:
    """A match that has not begun has headers only."""
    found = record(
        {"Rounds": [["Round"]], "Queue": [QUEUE], "Submissions": [[*QUEUE[:2], "Message"]]}
    )
    assert (found.rounds, found.queue, found.submissions) == ((), (), ())


@pytest.mark.parametrize(
    "queue",
    [
        [["Timestamp", "", "Player", "Action", ""], [AT, "x", "Ann", "join", "scratch"]],
        [["Timestamp", "Notes", "Player", "Action"], [AT, "Bob", "Ann", "join"]],
        [["Action", "Player", "Timestamp"], ["join", "Ann", AT]],
        [["WHEN", " who ", "aCTION"], [AT, "Ann", "join"]],
        [["", "", ""], [""], ["Time", "Name", "Action"], ["", "", ""], [AT, "Ann", ""]],
        [["Timestamp", "Player", "Action", "Message"], [AT, "Ann", "join", "@Dealer"]],
        [["Timestamp", "Player", "Action", "Note", "Notes"], [AT, "Ann", "join", "", "x"]],
        [["Timestamp", "Player", "Action", 7, True], [AT, "Ann", "join", 1, 2]],
    ],
)
def test_columns_are_found_by_name_anywhere(queue: Cells) -> None:
    """Headerless, extra, moved and renamed columns and blank rows change nothing."""
    row = record({"Queue": queue}).queue[0]
    assert (row.player, row.action) == ("Ann", "join")
    assert row.time == parse_instant("2026-03-01T19:01:00-05:00")


SHAPE = st.fixed_dictionaries(
    {
        "order": st.permutations(range(5)),
        "case": st.sampled_from([str.upper, str.lower, str.title, lambda text: f" {text}\u00a0 "]),
        "blanks": st.lists(st.integers(0, 3), min_size=4, max_size=4),
        "extra": st.integers(0, 5),
    }
)


@given(SHAPE)
def test_a_records_content_does_not_depend_on_the_sheets_shape(shape: dict[str, Any]) -> None:
    """Columns in any order and case, blank rows and extra columns leave the record as it is."""
    plain = [
        ["Timestamp", "Player", "Message", "Edited", "Ruling"],
        [AT, "Ann", "A D", "2026-03-01 19:01:10", ""],
        ["19:01:05", "bob", "pass", "", "void"],
        ["", "", "", "", ""],
        [AT, "Dee", "", "", "ALLOW"],
    ]
    rows = [[row[index] for index in shape["order"]] for row in plain]
    rows[0] = [shape["case"](header) for header in rows[0]]
    for row in rows:
        row.insert(shape["extra"], "mine" if row is rows[0] else "Bob")
    spread: list[list[str]] = []
    for row, blanks in zip(rows, [*shape["blanks"], 0], strict=True):
        spread += [[""] * 6] * blanks + [row]
    assert _contents(record({"Submissions": spread})) == _contents(record({"Submissions": plain}))


def _contents(found: Record) -> list[Submission]:
    return [msgspec.structs.replace(row, row=UNSET) for row in found.submissions]


def test_rows_keep_the_order_and_the_numbers_of_the_sheet() -> None:
    """The order of the sheet decides between rows of one instant; numbers are sheet rows."""
    rows = record({"Queue": [QUEUE, [""], [AT, "Bob", ""], [""], [AT, "Ann", ""]]}).queue
    assert [(row.row, row.player) for row in rows] == [(3, "Bob"), (5, "Ann")]


def test_a_row_with_only_a_note_is_no_row() -> None:
    """What a host writes beside the log, in a note or a column of their own, makes no row."""
    header = [*QUEUE, "Note", "Mood"]
    assert (
        record({"Queue": [header, ["", "", "", "half-time", ""], ["", "", "", "", ":)"]]}).queue
        == ()
    )


@pytest.mark.parametrize("action", ["", " JOIN ", "Join", "\uff2aoin", "join\u200b"])
def test_actions_are_read_in_any_case_and_spacing(action: str) -> None:
    """A blank action is a ping."""
    assert record({"Queue": [QUEUE, [AT, "Ann", action]]}).queue[0].action == "join"


@pytest.mark.parametrize("name", ["ann", " ANN ", "Ann\u200b", "\uff21nn", "ann#1", "Lex"])
def test_players_are_known_by_name_and_alias(name: str) -> None:
    """A record holds the player's own name, however a row spells it."""
    players = [list(row) for row in base_tabs()["Players"]]
    players[1][4] = "ann#1, , LEX , Ann"
    found = record({"Players": players, "Queue": [QUEUE, [AT, name, ""]]})
    assert found.queue[0].player == "Ann"
    assert found.players[0].aliases == ("ann#1", "LEX")


def test_numbers_as_names_have_no_decimals() -> None:
    """A number 7 is the player `7`, and `007` is another."""
    players = [
        ["Player", "Cell", "Rival"],
        ["007", "A", 7.0],
        [7.0, "B", "None"],
        ["None", "C", "NA"],
        ["NA", "E", "nan"],
        ["nan", "F", True],
        [True, "G", "007"],
    ]
    rows = [[AT, name, ""] for name in ("007", 7, "7", "none", "NA", "nan", "TRUE")]
    found = record(
        {"Players": players, "Queue": [QUEUE, *rows], "Submissions": [[*QUEUE[:2], "Text"]]}
    )
    assert [player.name for player in found.players] == ["007", "7", "None", "NA", "nan", "TRUE"]
    assert found.players[0].rival == "7"
    assert [row.player for row in found.queue] == ["007", "7", "7", "None", "NA", "nan", "TRUE"]


def test_a_void_row_may_name_anybody() -> None:
    """A row ruled void must be well formed, but its player may be unknown."""
    queue = [[*QUEUE, "Ruling"], [AT, " Zed ", "join", " Void"], ["soon", "Zed", "join", "void"]]
    assert [fault.code for fault in faults(make_book({"Queue": queue}))] == ["bad-time"]
    assert record({"Queue": queue[:2]}).queue[0].player == "Zed"
    assert record({"Queue": queue[:2]}).queue[0].ruling == " Void"


def test_messages_are_kept_letter_for_letter() -> None:
    """Whatever was typed is the engine's business; long texts pass; half characters are mended."""
    wall = "A D" + 60_000 * "x"
    texts = [" A  D ", wall, "=A1+D1", "A D\x0b", "", "A D \ud83d"]
    rows = [[AT, "Ann", text] for text in texts]
    found = record({"Submissions": [["Time", "Who", "Swap"], *rows]}).submissions
    assert [row.message for row in found] == [*texts[:5], "A D \ufffd"]


def test_messages_that_a_sheet_took_for_numbers_are_some_text() -> None:
    """A number, a date or a truth value in a message is no swap, and stops nothing."""
    cells = [5.0, 1.5, True, {"days": 46082.5, "kind": "date-time"}]
    rows = [[AT, "Ann", cell] for cell in cells]
    found = record({"Submissions": [["Time", "Who", "Swap"], *rows]}).submissions
    assert [row.message for row in found] == ["5", "1.5", "TRUE", "2026-03-01 12:00:00"]


def test_rounds_may_say_no_more_than_their_number() -> None:
    """Start and minutes may be blank or absent; numbers may be typed as text."""
    rounds = [["Minutes", "Round", "Start"], ["", "2", ""], [12.0, 1, "19:00:00"]]
    first, second = record({"Rounds": rounds}).rounds
    assert (first.number, first.start, first.minutes, first.row) == (2, UNSET, UNSET, 2)
    assert (second.minutes, second.start) == (12, parse_instant("2026-03-01T19:00:00-05:00"))


@pytest.mark.parametrize(
    ("title", "value", "key", "expected"),
    [
        ("Round minutes", 12, "round_minutes", 12),
        ("ROUND  minutes", 12.0, "round_minutes", 12),
        ("round_minutes", "12", "round_minutes", 12),
        ("Pre-game minutes", "0", "pre_game_minutes", 0),
        ("Round minutes", "12 min", "round_minutes", 12),
        ("Room seconds", "90 Seconds", "room_seconds", 90),
        ("Room clock", " Recorded", "room_clock", "recorded"),
        ("Tie-break seed", "  x 1 ", "tie_break_seed", "  x 1 "),
        ("Tie break seed", 12345.0, "tie_break_seed", "12345"),
        ("Tie-break seed", "007", "tie_break_seed", "007"),
        ("Unpaid visits", "", "unpaid_visits", "refuse"),
    ],
)
def test_settings_are_read(title: str, value: Any, key: str, expected: Any) -> None:
    """Numbers may be digits, words in any case; a seed stays as typed; blank is the default."""
    settings = record({"Settings": with_settings([title, value])}).settings
    assert getattr(settings, key) == expected


def test_the_dealers_role_and_the_hosts_accounts_are_typed_once() -> None:
    """Both are for `import`; an id whose digits are lost, or that is none, stops every command."""
    rows = [["Dealer role", "<@&111222333444555666>, Boss"], ["Host accounts", " <@99>, 98 "]]
    settings = read_set_up(make_book({"Settings": with_settings(*rows)})).set_up.settings
    assert settings.dealer_role == ("<@&111222333444555666>", "Boss")
    assert settings.host_accounts == ("99", "98")
    wrong: list[list[Any]] = [["Dealer role", 1.11222333444555e17], ["Host accounts", "Zed"]]
    texts = [fault.text for fault in faults(make_book({"Settings": with_settings(*wrong)}))]
    assert [text.partition(": ")[2][:38] for text in texts] == [
        "111222333444555008 is a number too lon",
        '"Zed" is no Discord id; write ids, wit',
    ]


def test_a_match_is_called_like_its_workbook() -> None:
    """Without a name of its own the match bears the workbook's."""
    assert record({"Settings": [["Setting", "Value"], ["Match start", AT]]}).name == "match"


def test_a_spreadsheets_own_zone_counts_where_settings_name_none() -> None:
    """A sheet in India is read in India's time, wherever the host sits."""
    settings = [["Setting", "Value"], ["Match start", AT], ["Time zone", ""]]
    found = record({"Settings": settings}, time_zone="Asia/Kolkata")
    assert found.start == parse_instant("2026-03-01T19:01:00+05:30")
    assert found.time_zone == "Asia/Kolkata"


def test_two_names_of_one_zone_are_no_conflict() -> None:
    """Settings may call the spreadsheet's zone by its older name."""
    settings = [["Setting", "Value"], ["Match start", AT], ["Time zone", "Asia/Calcutta"]]
    assert record({"Settings": settings}, time_zone="Asia/Kolkata").time_zone == "Asia/Calcutta"


def test_a_spreadsheet_in_an_unknown_zone_stops() -> None:
    """A zone that cannot be looked up is not replaced by another."""
    settings = [["Setting", "Value"], ["Match start", AT]]
    found = faults(make_book({"Settings": settings}, time_zone="Mars/Olympus"))
    assert [fault.code for fault in found] == ["bad-time-zone"]


def test_a_hosts_own_titles_and_headers_are_named_in_settings() -> None:
    """A form's tab and its questions are read as they are, and faults name them as they are."""
    settings = with_settings(
        ["Submissions tab", "Form Responses 1"],
        ["Submissions message column", "Your swap?"],
        ["Queue tab", "host's 🐷 queue"],
        ["Queue player column", "Hero"],
    )
    form = [["Timestamp", "Name", "Message", "Your swap?"], [AT, "Ann", "hi", "A D"]]
    queue = [["Timestamp", "Hero", "Player", "Action"], [AT, "Ann", "Zed", ""]]
    tabs = {"Settings": settings, "Form Responses 1": form, "Host's 🐷 Queue": queue}
    reading = read_book(make_book(tabs, without=["Queue", "Submissions"]))
    assert reading.record.submissions[0].message == "A D"
    assert reading.record.queue[0].player == "Ann"
    assert reading.places.locate("Queue", 2, "Player") == "Host's 🐷 Queue!B2"
    queue[1][1] = "Zed"
    (fault,) = faults(make_book(tabs, without=["Queue", "Submissions"]))
    assert fault.text.startswith("Host's 🐷 Queue!B2: ")
    assert (fault.tab, fault.row, fault.player) == ("Queue", 2, "Zed")


def test_merges_that_hide_nothing_are_left_alone() -> None:
    """Merged headings, merged empty cells and merges beside the data are the host's business."""
    queue = [["Timestamp", "Player", "Action", "Mine"], [AT, "Ann", "join", "x"], [""] * 4]
    merges = [[1, 1, 1, 3], [2, 3, 2, 4], [3, 1, 9, 3], [2, 4, 3, 4]]
    assert len(record({"Queue": queue}, merges={"Queue": merges}).queue) == 1


PEN: Cells = [["Round", "A", "B", "C", "D", "E", "F", "G"], [0.0, "Ann", "", "x", "food"], ["", ""]]


def test_the_referees_tabs_come_along_as_they_stand() -> None:
    """Marked tabs, or those with exact title and header, are kept cell by cell."""
    hunger = [
        ["Round", "Ann", "Bob", "Cy", "Dee"],
        [0, 10, 10.5, True, {"why": "?", "shown": "#N/A"}],
    ]
    visits = [["Anything"], [{"days": 46082.5, "kind": "date-time"}]]
    found = record({"Pen": PEN, "Hunger": hunger, "VISITS": visits}, owned=["VISITS"])
    assert found.published == {
        "Pen": [PEN[0], [0, "Ann", None, "x", "food"]],
        "Hunger": [hunger[0], [0, 10, 10.5, True, "#N/A"]],
        "Visits": [["Anything"], [46082.5]],
    }


def test_the_referees_tabs_may_bear_other_titles() -> None:
    """Settings may name the referee's tabs too; faults and edits then use the real titles."""
    settings = with_settings(["Pen tab", "🐷 Pen"], ["Result tab", "R1"])
    tabs: dict[str, Cells] = {"Settings": settings, "🐷 Pen": PEN}
    reading = read_book(make_book(tabs, owned=["🐷 Pen"]))
    assert reading.record.published is not None
    assert list(reading.record.published) == ["Pen"]
    titles = [reading.places.title(tab) for tab in ("Pen", "Result", "Hunger")]
    assert titles == ["🐷 Pen", "R1", "Hunger"]


def test_a_marked_tab_is_never_read_as_a_hosts() -> None:
    """A tab that carries the referee's mark is not a log, whatever its title."""
    found = faults(make_book(owned=["Queue"]))
    assert [fault.text for fault in found] == [
        'there is no tab "Queue"; add it, or name yours in Settings as "Queue tab"'
    ]


def test_places_lead_back_to_the_hosts_cells() -> None:
    """A record's tab and row are shown as the host's cell, with what stands there."""
    queue = [[""], ["Mine", *QUEUE], ["", AT, "Ann", ""], ["", "", "", ""], ["x"]]
    places = read_book(make_book({"Queue": queue})).places
    assert places.locate("Queue", 3, "Action") == "Queue!D3"
    assert places.locate("Queue", 3) == places.locate("Queue", 3, "Ruling") == "Queue row 3"
    assert places.content("Queue", 3, "Player") == "Ann"
    assert places.content("Queue", 4, "Action") is None
    assert places.content("Queue", 99, "Player") is places.content("Nowhere", 1, "Player") is None
    assert places.column("Queue", "Timestamp") == 2
    assert places.column("Adjustments", "Timestamp") is None
    assert places.last_row("Queue") == 3
    assert places.last_row("Adjustments") is None
    assert places.setting_rows["start"] == 3


def test_a_fault_of_the_engine_is_shown_at_its_cell() -> None:
    """What the engine calls a row, and a player by place, becomes the host's cell."""
    players = [[""], *base_tabs()["Players"]]
    places = read_book(make_book({"Players": players})).places
    told = [
        places.describe(fault)
        for fault in (
            Fault("hidden-edit", "Submissions row 2: edited late", "Submissions", 2, "Ann"),
            Fault("cell-taken", "Players row 1: cell A is taken", "Players", 1, "Ann"),
            Fault("puzzling", "Queue row 2: odd", "Queue", 2),
            Fault("player-count", "Players: 1 players", "Players"),
        )
    ]
    assert [(fault.text, fault.row) for fault in told] == [
        ("Submissions!D2: edited late", 2),
        ("Players!B3: cell A is taken", 3),
        ("Queue row 2: odd", 2),
        ("Players: 1 players", None),
    ]


def test_a_match_can_be_set_up_before_it_is_dealt() -> None:
    """Dealing and importing read a workbook whose start, cells and rivals are still blank."""
    tabs = {
        "Settings": [["Setting", "Value"], ["Match start", ""], ["Tie-break seed", ""]],
        "Players": [["Player", "Cell", "Rival"], ["Ann", "", "Bob"], ["Bob", "B", ""]],
    }
    reading = read_set_up(make_book(tabs))
    ann, bob = reading.set_up.players
    assert (ann.row, ann.cell, ann.rival) == (2, None, "Bob")
    assert (bob.row, bob.cell, bob.rival) == (3, "B", None)
    assert reading.set_up.settings.start is None
    assert reading.places.setting_rows == {"start": 2, "tie_break_seed": 3}
    assert [remark.code for remark in reading.remarks] == ["no-time-zone"]


def test_setting_up_still_refuses_what_is_wrong() -> None:
    """A faulty cell stops a deal as well."""
    players = [["Player", "Cell", "Rival"], ["Ann", "D", ""], ["Bob", "", ""]]
    with pytest.raises(Stopped, match="food's cell"):
        read_set_up(make_book({"Players": players}))


def test_a_missing_players_tab_brings_no_strangers() -> None:
    """Where nobody can be known, rows are not each told that their player is unknown."""
    assert [fault.code for fault in faults(make_book(without=["Players"]))] == ["missing-tab"]


def test_an_unusable_start_makes_no_other_faults() -> None:
    """Times of day wait for a start; the start's own fault is told once."""
    settings = [["Setting", "Value"], ["Match start", "soon"], ["Time zone", "UTC"]]
    queue = [QUEUE, ["19:01:00", "Ann", ""]]
    found = faults(make_book({"Settings": settings, "Queue": queue}))
    assert [fault.text.partition(":")[0] for fault in found] == ["Settings!B2"]


def test_a_fault_says_where_it_stands() -> None:
    """A fault carries code, tab, row and player beside its words."""
    book = make_book({"Queue": [QUEUE, [AT, "Zed", ""]]})
    with pytest.raises(Stopped) as stopped:
        read_book(book)
    assert stopped.value.name == "MM8"
    (fault,) = stopped.value.faults
    assert (fault.code, fault.tab, fault.row, fault.player) == ("unknown-player", "Queue", 2, "Zed")


@given(
    st.sampled_from(["Settings", "Players", "Rounds", "Queue", "Submissions"]),
    st.integers(0, 4),
    st.integers(0, 4),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
)
def test_any_cell_is_read_or_refused(tab: str, row: int, column: int, cell: Any) -> None:
    """Whatever stands in a cell, the book is read or stops with located words."""
    rows = [list(cells) for cells in base_tabs()[tab]]
    rows[row % len(rows)][column % len(rows[0])] = cell
    try:
        read_book(make_book({tab: rows}))
    except Stopped as stopped:
        texts = [fault.text for fault in stopped.faults]
    else:
        texts = []
    assert all(
        text.startswith((tab, "Queue", "Submissions", "Players", "Rounds")) for text in texts
    )
