"""Rows whose messages were edited or deleted, and what of it stands in the sheet."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from referee.chat.amending import BY_EDIT, DID_NOT_PING, FIRST_SEEN_EDITED, FROM_CSV, GONE
from referee.chat.export import read_export
from referee.chat.import_plan import plan_import
from referee.chat.mentions import Options
from referee.chat.messages import Export
from referee.chat.report import ImportReport
from referee.match.faults import Stopped
from referee.match.instants import parse_instant
from referee.workbook.cells import Book, Value, placed
from referee.workbook.layout import load
from referee.workbook.reading import read_set_up
from tests.support import chat_exports as c
from tests.support.sheets import make_book, with_settings
from tests.support.sheets import with_cells as set_cells

NOW = parse_instant("2026-03-02T03:00:00Z")
PING = f"<@&{c.ROLE}>"
RAW = Options(dealer_roles=frozenset({c.ROLE}))
T0, T1, T2 = (f"2026-03-01T19:0{minute}:00-05:00" for minute in (1, 2, 3))


def book(*settings: Sequence[Any], **headers: Sequence[str]) -> Book:
    """Ann and Bob by their ids, and empty tabs with every column of the template."""
    players: list[list[Any]] = [
        ["Player", "Cell", "Rival", "Garnets", "Aliases"],
        ["Ann", "A", "Bob", 3, "11"],
        ["Bob", "B", "Ann", 3, "22"],
    ]
    tabs = {tab: [list(headers.get(tab, load().tab(tab).header))] for tab in TABS}
    return make_book({"Players": players, "Settings": with_settings(*settings), **tabs})


TABS = ("Queue", "Submissions")


def message(number: int, text: str, edited: str | None = None, **more: Any) -> Mapping[str, Any]:
    return c.message(number, text, at=more.pop("at", T0), timestampEdited=edited, **more)


def export(*messages: Mapping[str, Any], file: str = "chat.json", **more: Any) -> Export:
    return read_export(c.export(messages, **more), file)


def imported(
    into: Book, *exports: Export | Mapping[str, Any], options: Options = RAW
) -> tuple[Book, ImportReport]:
    """The book after an import, and what the import said; a message stands for its export."""
    chats = [one if isinstance(one, Export) else export(one) for one in exports]
    made = plan_import(read_set_up(into), into, chats, options, NOW)
    return set_cells(into, [*made.edits, *placed(made.rows)[0]]), made.report


def after(*imports: Export | Mapping[str, Any]) -> tuple[Book, ImportReport]:
    """A book after several imports, one by one, and what the last of them said."""
    sheet, report = book(), None
    for one in imports:
        sheet, report = imported(sheet, one)
    assert report is not None
    again, _ = imported(sheet, imports[-1])
    assert again == sheet, "importing again changed something"
    return sheet, report


def rows(of: Book, tab: str, *columns: str) -> list[list[Value]]:
    """Some columns of a tab's rows; an edit's time is only told to be there."""
    header, *found = next(t for t in of.tabs if t.title == tab).rows
    places = [header.index(column) for column in columns]
    cells = [[row[place] if place < len(row) else None for place in places] for row in found]
    return [
        [value if isinstance(value, str) or value is None else True for value in row]
        for row in cells
    ]


SAID = ("Message", "Edited", "Ruling", "Note")
PINGED = ("Player", "Edited", "Message id", "Note")
UNTIL = "until the import of 2026-03-01 22:00:00 it said "


# --- edits -------------------------------------------------------------------------------------


def test_an_edited_message_gives_its_row_the_new_text_and_keeps_the_earlier_in_its_note() -> None:
    sheet, report = after(message(1, "A D"), message(1, "D E", T1), message(1, "pass", T2))
    note = f'{UNTIL}"A D"\n{UNTIL}"D E"'
    assert rows(sheet, "Submissions", *SAID) == [["pass", True, None, note]]
    assert [(x.where, x.why, x.taken, x.was, x.now) for x in report.changed] == [
        ("Submissions row 2", "edited", True, "D E", "pass")
    ]


def test_an_edit_that_leaves_the_text_as_it_was_counts_all_the_same() -> None:
    """R5.4 goes by the time of the edit: what stood there in between is hidden."""
    sheet, _ = after(message(1, "A D"), message(1, "A D", T1))
    assert rows(sheet, "Submissions", "Message", "Edited") == [["A D", True]]


def test_an_older_export_takes_no_edit_back() -> None:
    sheet, report = after(message(1, "A D"), message(1, "D E", T2), message(1, "B D", T1))
    assert rows(sheet, "Submissions", "Message", "Edited") == [["D E", True]]
    assert report.changed == ()


def test_a_row_with_a_ruling_is_left_alone_and_told() -> None:
    sheet, _ = after(message(1, "A D"))
    column = load().tab("Submissions").header.index("Ruling") + 1
    ruled = set_cells(sheet, [("Submissions", 2, column, "read as A D")])
    same, report = imported(ruled, message(1, "D E", T1))
    assert same == ruled
    assert [(x.why, x.taken) for x in report.changed] == [("edited", False)]


def test_a_text_taken_out_by_an_edit_leaves_a_row_that_may_hide_something() -> None:
    """R5.4: whatever it says now, what it said in time is hidden; nothing is no exception."""
    picture = {"attachments": [{"id": "1"}]}
    for imports in ([message(1, "A D"), message(1, "", T1)], [message(1, "", T1, **picture)]):
        sheet, _ = after(*imports)
        assert rows(sheet, "Submissions", "Edited", "Message id") == [[True, "1"]]


def test_the_text_as_it_was_sent_is_noted_where_an_older_export_tells() -> None:
    sheet, _ = after(message(1, "D E", T1), message(1, "A D"))
    note = f'{FIRST_SEEN_EDITED}\nas it was sent it said "A D"'
    assert rows(sheet, "Submissions", *SAID) == [["D E", True, None, note]]
    both, report = imported(book(), export(message(1, "D E", T1)), export(message(1, "A D")))
    note = 'as it was sent it said "A D"'
    assert rows(both, "Submissions", *SAID) == [["D E", True, None, note]]
    assert [(x.was, x.now) for x in report.changed] == [("A D", "D E")]


def test_without_a_column_for_notes_the_earlier_text_is_told_and_a_column_asked_for() -> None:
    headers = {tab: [name for name in load().tab(tab).header if name != "Note"] for tab in TABS}
    sheet, _ = imported(book(**headers), message(1, "A D"))
    sheet, report = imported(sheet, message(1, "D E", T1))
    assert rows(sheet, "Submissions", "Message", "Edited") == [["D E", True]]
    assert report.changed[0].was == "A D"
    assert report.warnings[-1].startswith('Submissions has no header "Note" to keep')


def test_a_hosts_own_note_stays_in_front() -> None:
    sheet, _ = imported(book(), message(1, "A D"))
    column = load().tab("Submissions").header.index("Note") + 1
    noted = set_cells(sheet, [("Submissions", 2, column, "ask Ann")])
    sheet, _ = imported(noted, message(1, "D E", T1))
    assert rows(sheet, "Submissions", "Note") == [[f'ask Ann\n{UNTIL}"A D"']]


# --- pings (R3.6) --------------------------------------------------------------------------------


def test_a_mention_added_by_an_edit_is_no_ping_and_is_told() -> None:
    sheet, report = after(message(1, "hello"), message(1, f"{PING} A D", T1))
    assert rows(sheet, "Queue", *PINGED) == []
    note = f'{BY_EDIT}\n{UNTIL}"hello"'
    assert rows(sheet, "Submissions", *SAID) == [[f"{PING} A D", True, None, note]]
    assert [(ping.player, ping.why) for ping in report.no_pings] == [("Ann", BY_EDIT)]


def test_a_ping_first_seen_edited_carries_the_edit_and_waits_for_a_ruling() -> None:
    sheet, report = after(message(1, PING, T1))
    assert rows(sheet, "Queue", *PINGED) == [["Ann", True, "1", FIRST_SEEN_EDITED]]
    assert rows(sheet, "Submissions", *SAID) == []
    assert "rule its row in Queue allow if it did, void if it did not" in report.warnings[0]


def test_an_edited_ping_needs_a_column_for_its_edit_time() -> None:
    header = [name for name in load().tab("Queue").header if name != "Edited"]
    with pytest.raises(Stopped) as stop:
        imported(book(Queue=header), message(1, PING, T1))
    assert [fault.text for fault in stop.value.faults] == [
        (
            'Queue has no header "Edited", but chat.json message 1 was edited; write it into a '
            "free column"
        )
    ]


def test_a_bare_ping_edited_to_more_keeps_its_place_and_its_swap_gets_its_row() -> None:
    sheet, _ = after(message(1, PING), message(1, f"{PING} A D", T1))
    assert rows(sheet, "Queue", *PINGED) == [["Ann", None, "1", None]]
    note = f'as it was sent it said "{PING}"'
    assert rows(sheet, "Submissions", "Message", "Edited") == [[f"{PING} A D", True]]
    both, _ = imported(book(), export(message(1, PING)), export(message(1, f"{PING} A D", T1)))
    assert rows(both, "Queue", *PINGED) == [["Ann", None, "1", None]]
    assert rows(both, "Submissions", *SAID) == [[f"{PING} A D", True, None, note]]


def test_a_ping_that_an_edit_took_away_did_ping_all_the_same() -> None:
    sheet, _ = after(message(1, f"{PING} A D"), message(1, "A D", T1))
    assert rows(sheet, "Queue", *PINGED) == [["Ann", None, "1", None]]
    assert rows(sheet, "Submissions", "Message", "Edited") == [["A D", True]]


def test_an_older_export_tells_whether_an_edited_ping_did_ping() -> None:
    sheet, _ = after(message(1, PING, T1), message(1, f"{PING} A D"))
    note = f'{FIRST_SEEN_EDITED}\nas it was sent it said "{PING} A D"'
    assert rows(sheet, "Queue", *PINGED) == [["Ann", None, "1", note]]
    sheet, report = after(message(1, PING, T1), message(1, "A D"))
    note = f"{FIRST_SEEN_EDITED}\n{DID_NOT_PING}"
    assert rows(sheet, "Queue", *PINGED) == [["Ann", True, "1", note]]
    assert [ping.why for ping in report.no_pings] == [DID_NOT_PING]


def test_what_looks_like_a_ping_and_is_none_says_so_in_its_row() -> None:
    sheet, report = after(message(1, "@Dealer"))
    assert [[ping.why] for ping in report.no_pings] == rows(sheet, "Submissions", "Note")
    sheet, _ = imported(book(), message(1, "@Dealer"), options=Options(plain_mentions=True))
    assert rows(sheet, "Queue", "Note") == [
        ["a ping by the text @Dealer alone, which may be typed and ping nobody"]
    ]


# --- deletions ---------------------------------------------------------------------------------


def chat(*numbers: int, **more: Any) -> Export:
    return export(*(message(n, f"text {n}", at=c_time(n)) for n in numbers), **more)


def c_time(minute: int) -> str:
    return f"2026-03-01T19:{minute:02}:00-05:00"


@pytest.mark.parametrize("gone", [1, 5, 9])
def test_a_message_gone_from_its_channel_is_told_and_noted_and_counts(gone: int) -> None:
    """The first and the last one too."""
    left = [number for number in (1, 5, 9) if number != gone]
    sheet, report = after(chat(1, 5, 9), chat(*left))
    row = (1, 5, 9).index(gone) + 2
    assert [(x.where, x.message_id, x.player) for x in report.vanished] == [
        (f"Submissions row {row}", str(gone), "Ann")
    ]
    noted = rows(sheet, "Submissions", "Note")
    assert [bool(note) for (note,) in noted] == [number == gone for number in (1, 5, 9)]
    assert noted[row - 2] == [GONE]
    column = load().tab("Submissions").header.index("Ruling") + 1
    ruled = set_cells(sheet, [("Submissions", row, column, "void")])
    assert imported(ruled, chat(*left))[1].vanished == ()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, ["1", "5", "9"]),
        ({"dateRange": {"after": c_time(1), "before": None}}, ["5", "9"]),
        ({"dateRange": {"after": None, "before": c_time(9)}}, ["1", "5"]),
        ({"dateRange": {"after": c_time(5), "before": c_time(9)}}, []),
        ({"exportedAt": c_time(6)}, ["1", "5"]),
        ({"channel": {"id": "3", "name": "other"}}, []),
    ],
)
def test_only_what_an_export_should_hold_is_missed(
    more: Mapping[str, Any], told: list[str]
) -> None:
    sheet, _ = imported(book(), chat(1, 5, 9))
    _, report = imported(sheet, chat(**more))
    assert [row.message_id for row in report.vanished] == told


def test_the_parts_of_one_export_are_held_together() -> None:
    sheet, _ = imported(book(), chat(1, 5, 9))
    _, report = imported(sheet, chat(1, file="x.json"), chat(5, file="x [part 2].json"))
    assert [row.message_id for row in report.vanished] == ["9"]


def test_a_message_that_only_an_older_export_holds_is_added_and_told() -> None:
    older, newer = chat(1, 5, file="old.json", exportedAt=c_time(6)), chat(1)
    sheet, report = imported(book(), newer, older)
    assert [(x.where, x.message_id, x.file) for x in report.vanished] == [
        ("old.json message 5", "5", "chat.json")
    ]
    assert rows(sheet, "Submissions", "Message id", "Note") == [["1", None], ["5", GONE]]


def test_both_rows_of_a_message_that_is_gone_are_noted() -> None:
    sheet, report = after(message(1, f"{PING} A D"), export())
    assert [row.where for row in report.vanished] == ["Queue row 2", "Submissions row 2"]
    for tab in TABS:
        assert rows(sheet, tab, "Note") == [[GONE]]


def test_rows_of_before_there_were_channels_learn_theirs() -> None:
    headers = {tab: load().tab(tab).header for tab in TABS}
    sheet, _ = imported(book(**headers), message(1, f"{PING} A D"))
    for tab in TABS:
        column = load().tab(tab).header.index("Channel id") + 1
        sheet = set_cells(sheet, [(tab, 2, column, None)])
    link = "https://discord.com/channels/1/2/1"
    column = load().tab("Queue").header.index("Message id") + 1
    linked = set_cells(sheet, [("Queue", 2, column, link)])
    assert [row.where for row in imported(linked, export())[1].vanished] == ["Queue row 2"]
    sheet, _ = imported(sheet, message(1, f"{PING} A D"))
    assert [rows(sheet, tab, "Channel id") for tab in TABS] == [[["2"]], [["2"]]]


# --- exports that contradict each other ---------------------------------------------------------


def test_two_exports_with_one_id_and_two_texts_stop_unless_an_edit_tells() -> None:
    for edited in (None, T1):
        with pytest.raises(Stopped) as stop:
            imported(book(), export(message(1, "A D", edited)), export(message(1, "D E", edited)))
        assert [fault.code for fault in stop.value.faults] == ["contradicting-exports"]
        assert "chat.json message 1 has another text than in" in stop.value.faults[0].text
    sheet, _ = imported(book(), export(message(1, "A D", T1)), export(message(1, "D E", T2)))
    assert rows(sheet, "Submissions", "Message") == [["D E"]]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (f"{PING} A D", "@Dealer A D"),
        ("<@22> <:pig:1234> at <t:1772409680:T>!", "@Robert :pig: at 19:01:20!"),
        ("see <#77>", "see #rules"),
        ("hello @Bobby", "hello @Robert"),
    ],
)
def test_an_export_with_raw_mentions_and_one_without_do_not_contradict(
    raw: str, shown: str
) -> None:
    robert, bobby = (c.user(22, "bob", nickname) for nickname in ("Robert", "Bobby"))
    one = export(message(1, raw, mentions=[bobby]), file="a.json")
    other = export(message(1, shown, mentions=[robert]), file="b.json")
    _, report = imported(book(), one, other)
    assert report.changed == ()


# --- the Dealer and the hosts in Settings -------------------------------------------------------


def test_the_dealers_role_and_the_hosts_accounts_of_settings_are_used() -> None:
    settings = (["Dealer role", c.ROLE], ["Host accounts", "99"])
    host = c.user(99, "marcer", "Dealer Marcer")
    chats = [message(1, PING), c.message(2, "A D", host, at=T0)]
    sheet, report = imported(book(*settings), export(*chats), options=Options())
    assert rows(sheet, "Queue", "Player") == [["Ann"]]
    assert report.skipped == {"by hosts": 1}


def test_a_role_named_is_known_by_its_id_and_by_its_name_as_text() -> None:
    boss = {**c.user(99, "marcer"), "roles": [{"id": c.ROLE, "name": "The Boss"}]}
    chats = [
        message(1, PING),
        message(2, "@The Boss A D"),
        message(3, "@the boss"),
        c.message(4, "hello", boss, at=T0),
    ]
    settings = (["Dealer role", "the boss"], ["Host accounts", "99"])
    sheet, report = imported(book(*settings), export(*chats), options=Options())
    assert rows(sheet, "Queue", "Message id") == [["1"], ["2"], ["3"]]
    assert rows(sheet, "Submissions", "Message") == [["@Dealer A D"]]
    assert any("2 pings count by the text" in warning for warning in report.warnings)


def test_a_mention_of_somebody_called_like_the_dealer_is_one_like_another() -> None:
    marcer = c.user(99, "marcer", "Dealer Marcer")
    text = message(1, "@Dealer Marcer A D", mentions=[marcer])
    plain = Options(plain_mentions=True)
    sheet, report = imported(book(), text, options=plain)
    assert rows(sheet, "Queue", "Player") == []
    assert [ping.why for ping in report.no_pings] == [
        (
            'it mentions "marcer" (nickname "Dealer Marcer", id 99): give --dealer-user 99 if that '
            "is the Dealer"
        )
    ]
    sheet, _ = imported(book(["Host accounts", "99"]), text, options=plain)
    assert rows(sheet, "Queue", "Player") == []
    assert rows(sheet, "Submissions", "Message") == [["<@99> A D"]]
    sheet, _ = imported(book(), text, options=Options(dealer_users=frozenset({"99"})))
    assert rows(sheet, "Queue", "Player") == [["Ann"]]


def test_an_export_with_names_only_is_asked_for_anew_where_a_roles_id_is_given() -> None:
    _, report = imported(book(), export(message(1, "@Dealer"), message(2, "A D")))
    assert (
        "chat.json holds no raw mention at all, so the role's id tells no ping there: "
        "export it again with --markdown false"
    ) in report.warnings
    for texts in (["hello"], ["@Dealer", PING]):
        chats = export(*(message(n, text) for n, text in enumerate(texts)))
        assert not [text for text in imported(book(), chats)[1].warnings if "raw" in text]


def test_an_account_that_is_a_player_is_never_left_out_in_silence() -> None:
    for options, settings in (
        (Options(ignored=frozenset({"11"})), ()),
        (RAW, (["Host accounts", "11"],)),
    ):
        with pytest.raises(Stopped) as stop:
            imported(book(*settings), message(1, "A D"), options=options)
        assert stop.value.faults[0].text.startswith("the id 11 is left out as a host's or by an")


def test_a_row_below_one_of_its_millisecond_that_was_sent_after_it_says_so() -> None:
    """R0.3: between rows of one instant the sheet's order decides, and ids tell that of sending."""
    later, earlier = c.message(2, PING, c.BOB, at=T0), message(1, PING)
    together, report = imported(book(), export(later, earlier))
    assert rows(together, "Queue", "Message id", "Note") == [["1", None], ["2", None]]
    assert report.warnings == ()
    sheet, _ = imported(book(), export(later))
    sheet, report = imported(sheet, export(earlier, channel={"id": "3"}))
    note = "sent before row 2, in one millisecond; move it above"
    assert rows(sheet, "Queue", "Message id", "Note") == [["2", None], ["1", note]]
    assert report.warnings[0].startswith("Queue row 3 was sent before row 2, in one millisecond")


def test_rows_from_a_csv_say_that_an_edit_would_not_be_seen() -> None:
    chat = read_export(c.csv_export((11, "ann", T0, f"{PING} A D")), "a.csv")
    sheet, _ = imported(book(), chat)
    assert [rows(sheet, tab, "Note") for tab in TABS] == [[[FROM_CSV]], [[FROM_CSV]]]


# --- what does not belong to the match -----------------------------------------------------------


def test_lines_of_before_the_match_are_left_out_and_counted() -> None:
    """C088: whoever spoke only then is no fault; what was edited into the match is kept."""
    long_ago = "2026-02-01T19:00:00-05:00"
    zed = c.user(77, "zed")
    old = [c.message(n, "A D", zed, at=long_ago) for n in range(100, 2100)]
    start = "2026-03-01T18:50:00-05:00"
    kept = [message(1, "A D", T1, at=long_ago), message(2, PING, at=start), message(3, "A D")]
    sheet, report = imported(book(), export(*old, *kept))
    assert report.skipped == {"of before the match": 2000}
    assert rows(sheet, "Submissions", "Message id") == [["1"], ["3"]]
    assert rows(sheet, "Queue", "Message id") == [["2"]]


def test_a_ping_of_before_the_match_is_kept_where_it_may_queue() -> None:
    """R3.2: with `pings outside rounds = queue` it joins the first round's queue."""
    early = "2026-03-01T18:40:00-05:00"
    chats = export(message(1, PING, at=early), message(2, "hello", at=early))
    for choice, pings in (("ignore", []), ("queue", [["1"]])):
        sheet, _ = imported(book(["Pings outside rounds", choice]), chats)
        assert rows(sheet, "Queue", "Message id") == pings
        assert rows(sheet, "Submissions", "Message id") == []


# --- who is who ---------------------------------------------------------------------------------


def test_a_spectator_with_a_players_nickname_is_asked_about_with_both_ids() -> None:
    """C061, C089: the player's own account may be one that goes by another name."""
    players: list[list[Any]] = [
        ["Player", "Cell", "Rival"],
        ["Ann", "A", "Bob"],
        ["Bob", "B", "Ann"],
    ]
    sheet = make_book({"Players": players, **{tab: [load().tab(tab).header] for tab in TABS}})
    spectator, own = c.user(99, "zed", "Ann"), c.user(11, "annabel", "Annabel")
    chats = export(c.message(1, "A D", spectator, at=T0), c.message(2, "D E", own, at=T0))
    for options in (RAW, Options(only_players=True)):
        with pytest.raises(Stopped) as stop:
            imported(sheet, chats, options=options)
        (text, *_) = [f.text for f in stop.value.faults if f.code == "doubtful-author"]
        assert '"zed" (nickname "Ann", id 99) has the nickname of "Ann"' in text
        assert 'the player\'s own may be "annabel" (nickname "Annabel", id 11)' in text
    named = export(c.message(1, "A D", c.user(99, "ann", "Zed"), at=T0))
    assert imported(sheet, named)[1].linked[0].id == "99"
