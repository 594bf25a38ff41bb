"""What an import adds to a sheet, what it leaves out, and what it tells and leaves alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.chat.export import read_export
from referee.chat.import_plan import ImportPlan, plan_import
from referee.chat.mentions import Options
from referee.chat.messages import Export
from referee.chat.report import ImportReport
from referee.match.faults import Stopped
from referee.match.instants import parse_instant
from referee.workbook.cells import Book, Tab, Value, placed
from referee.workbook.reading import read_book, read_set_up
from tests.support import chat_exports as c
from tests.support.sheets import Cells, make_book, with_cells

QUEUE = ["Timestamp", "Player", "Action", "Ruling", "Message id"]
SUBMISSIONS = ["Timestamp", "Player", "Message", "Edited", "Ruling", "Message id"]
PLAIN = Options(plain_mentions=True)
RAW = Options(dealer_roles=frozenset({c.ROLE}))
PING = f"<@&{c.ROLE}>"
NOW = parse_instant("2026-03-02T03:00:00Z")


def players(**aliases: str) -> Cells:
    cells = {"Ann": "A", "Bob": "B", "Cy": "C", "Dee": "E"}
    rivals = {"Ann": "Bob", "Bob": "Cy", "Cy": "Dee", "Dee": "Ann"}
    rows = [[name, cells[name], rivals[name], 3, aliases.get(name, "")] for name in cells]
    return [["Player", "Cell", "Rival", "Garnets", "Aliases"], *rows]


def book(
    queue: Cells = (),
    submissions: Cells = (),
    tabs: Mapping[str, Cells] | None = None,
    **aliases: str,
) -> Book:
    return make_book(
        {
            "Players": players(**({"Ann": "11", "Bob": "22"} | aliases)),
            "Queue": [QUEUE, *queue],
            "Submissions": [SUBMISSIONS, *submissions],
            **(tabs or {}),
        }
    )


def export(*messages: Mapping[str, Any], file: str = "chat.json") -> Export:
    return read_export(c.export(messages), file)


def csv(*rows: tuple[object, str, str, str], file: str = "chat.csv") -> Export:
    return read_export(c.csv_export(*rows), file)


def plan(into: Book, *exports: Export, options: Options = RAW) -> ImportPlan:
    return plan_import(read_set_up(into), into, exports, options, NOW)


def report(into: Book, *exports: Export, options: Options = RAW) -> ImportReport:
    return plan(into, *exports, options=options).report


def imported(into: Book, *exports: Export, options: Options = RAW) -> Book:
    return written(into, plan(into, *exports, options=options))


def written(into: Book, made: ImportPlan) -> Book:
    """The book with a plan carried out, as a store does it."""
    added, _ = placed(made.rows)
    return with_cells(into, [*made.edits, *added])


def unchanged(made: ImportPlan) -> bool:
    """Whether a plan writes nothing."""
    return not (made.edits or made.rows)


def rows(of: Book, tab: str) -> list[list[Value]]:
    """The rows of a tab under its header, times left out."""
    found = next(t for t in of.tabs if t.title == tab).rows[1:]
    return [row[1:] for row in found]


def record_rows(of: Book) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows of both tabs as the reader takes them, in the order of the sheet."""
    record = read_book(of).record
    return (
        [(row.time, row.player, row.action) for row in record.queue],
        [(row.time, row.player, row.message, row.edited) for row in record.submissions],
    )


def stops(into: Book, *exports: Export, options: Options = RAW) -> list[str]:
    with pytest.raises(Stopped) as stop:
        plan(into, *exports, options=options)
    return [fault.text for fault in stop.value.faults]


# --- rows --------------------------------------------------------------------------------------


def test_a_ping_joins_the_queue_and_every_other_message_is_a_submission() -> None:
    after = imported(
        book(),
        export(
            c.message(1, PING),
            c.message(2, "swap A and D"),
            c.message(3, f"{PING} A D", c.BOB),
            c.message(4, "hello", type="Reply", reference={"messageId": "2"}),
        ),
    )
    assert rows(after, "Queue") == [
        ["Ann", "join", None, "1"],
        ["Bob", "join", None, "3"],
    ]
    assert rows(after, "Submissions") == [
        ["Ann", "swap A and D", None, None, "2"],
        ["Bob", f"{PING} A D", None, None, "3"],
        ["Ann", "hello", None, None, "4"],
    ]


def test_times_and_edits_are_kept_to_the_millisecond_in_the_workbooks_zone() -> None:
    """C020, C068: the exporting machine's zone does not matter, nor does the host's."""
    messages = [
        c.message(1, "a", at="2026-03-01T19:01:20-05:00"),
        c.message(
            2,
            "b",
            at="2026-03-02T00:01:20.4+00:00",
            timestampEdited="2026-03-02T05:31:21.0019999+05:30",
        ),
        c.message(3, "d", at="2026-03-02T00:01:21Z"),
    ]
    settings = [["Setting", "Value"], ["Match start", "2026-03-01T23:50:00Z"]]
    for zone in ("America/New_York", "Asia/Kolkata", "UTC"):
        sheet = book(tabs={"Settings": [*settings, ["Time zone", zone]]})
        _, found = record_rows(imported(sheet, export(*messages)))
        start = read_book(sheet).record.start + 10 * 60_000 + 80_000
        assert [time - start for time, *_ in found] == [0, 400, 1000]
        assert found[1][3] - start == 1002


def test_a_time_that_the_clock_shows_twice_is_written_with_its_offset() -> None:
    at = ["2026-11-01T05:30:00.250Z", "2026-11-01T06:30:00.250Z"]
    messages = [c.message(n, "x", at=stamp) for n, stamp in enumerate(at, 1)]
    after = imported(book(), export(*messages))
    stamps = [row[0] for row in next(t for t in after.tabs if t.title == "Submissions").rows[1:]]
    assert stamps == ["2026-11-01 01:30:00.250-04:00", "2026-11-01 01:30:00.250-05:00"]
    _, found = record_rows(after)
    assert found[1][0] - found[0][0] == 3_600_000


def test_rows_go_right_under_the_last_used_row_past_side_tables_and_gaps() -> None:
    """C044."""
    queue = [
        ["2026-03-01 19:01:00", "Ann", "join", "", "", "", "side"],
        ["", "", "", "", "", "", "side"],
        ["2026-03-01 19:01:00", "", "join", "", "", "", "side"],
        ["", "", "", "", "", "", "side"],
    ]
    made = plan(book(queue), export(c.message(5, PING), c.message(4, PING, c.BOB)))
    cells = {(edit.row, edit.column): edit.value for edit in placed(made.rows)[0]}
    times = {(row, 1): cells[row, 1] for row in (5, 6)}
    assert cells == times | {
        (5, 2): "Bob", (5, 3): "join", (5, 5): "4",
        (6, 2): "Ann", (6, 3): "join", (6, 5): "5",
    }  # fmt: skip


def test_columns_are_found_by_their_headers_and_a_hosts_own_names() -> None:
    settings = [
        ["Setting", "Value"],
        ["Match start", "2026-03-01 18:50:00"],
        ["Submissions tab", "Form Responses 1"],
        ["Submissions message column", "Your swap"],
    ]
    sheet = book(tabs={"Settings": settings, "Form Responses 1": [
        ["Id", "Your swap", "Notes", "Edited", "Who", "When"]
    ]})  # fmt: skip
    made = plan(sheet, export(c.message(7, "A D")))
    added, _ = placed(made.rows)
    assert {(e.tab, e.column, e.value) for e in added if isinstance(e.value, str)} == {
        ("Form Responses 1", 1, "7"),
        ("Form Responses 1", 2, "A D"),
        ("Form Responses 1", 5, "Ann"),
    }
    assert made.report.submissions[0].tab == "Form Responses 1"


def test_without_a_column_for_ids_nothing_is_imported() -> None:
    tabs = {"Queue": [QUEUE[:4]], "Submissions": [SUBMISSIONS[:4]]}
    assert stops(book(tabs=tabs), export(c.message(1, "A D"))) == [
        f'{tab} row 1: no header "Message id", by which a message is known when it is imported '
        "again; write it into a free column"
        for tab in ("Queue", "Submissions")
    ]


def test_an_edited_message_needs_a_column_for_its_edit_time() -> None:
    tabs = {"Submissions": [["Timestamp", "Player", "Message", "Message id"]]}
    stamp = "2026-03-01T19:01:30-05:00"
    assert stops(book(tabs=tabs), export(c.message(1, "A D", timestampEdited=stamp))) == [
        (
            'Submissions has no header "Edited", but chat.json message 1 was edited; write it '
            "into a free column"
        )
    ]
    assert report(book(tabs=tabs), export(c.message(1, "A D"))).submissions


# --- pings (C070) ------------------------------------------------------------------------------

ASKED = [PING + " in", "@Dealer in", "@deleted-role in", "@dealer", "I will ping Dealer"]


def test_only_the_raw_mention_of_the_given_role_pings_and_the_rest_is_listed() -> None:
    chat = export(*(c.message(n, text) for n, text in enumerate(ASKED, 1)))
    found = report(book(), chat)
    assert [row.message_id for row in found.queue] == ["1"]
    assert [row.message_id for row in found.submissions] == ["1", "2", "3", "4", "5"]
    assert [(ping.message, ping.text) for ping in found.no_pings] == [
        (f"chat.json message {n}", text) for n, text in enumerate(ASKED[1:], 2)
    ]
    assert "--markdown false" in found.no_pings[0].why


def test_plain_mentions_count_only_if_the_host_allows_it_and_with_a_warning() -> None:
    chat = export(*(c.message(n, text) for n, text in enumerate(ASKED, 1)))
    found = report(book(), chat, options=PLAIN)
    assert [row.message_id for row in found.queue] == ["2"]
    assert [ping.message[-1] for ping in found.no_pings] == ["1", "3", "4", "5"]
    assert found.no_pings[0].why == f"the role {c.ROLE} may be the Dealer's: give --dealer-role"
    assert any("1 ping counts by the text @Dealer alone" in text for text in found.warnings)


@pytest.mark.parametrize(
    ("text", "pings"),
    [
        ("@Dealer", True),
        ("hey @Dealer, in please", True),
        ("@Dealers", False),
        ("me@Dealer.example", False),
        ("\\@Dealer", False),
        ("`@Dealer`", False),
        ("```\n@Dealer\n```", False),
        ("> @Dealer\nnot me", False),
        ("> not me\n@Dealer", True),
        (">>> all\n@Dealer", False),
    ],
)
def test_code_and_quoted_lines_ping_nobody(text: str, pings: bool) -> None:
    found = report(book(), export(c.message(1, text)), options=PLAIN)
    assert bool(found.queue) == pings
    assert bool(found.no_pings) != pings
    raw = report(book(), export(c.message(1, text.replace("@Dealer", PING))))
    if "Dealers" not in text and "me@" not in text:
        assert bool(raw.queue) == pings


def test_a_mention_of_the_dealers_account_counts_raw_or_rewritten() -> None:
    boss = c.user(99, "dealer.bot", "The Boss", bot=True)
    chat = export(
        c.message(1, "<@99>"),
        c.message(2, "<@!99> A D"),
        c.message(3, "@The Boss A D", mentions=[boss]),
        c.message(4, "@The Boss typed"),
        c.message(5, "thanks", type="Reply", mentions=[boss]),
        c.message(6, "hello @bob", mentions=[c.BOB]),
    )
    found = report(book(), chat, options=Options(dealer_users=frozenset({"99"})))
    assert [row.message_id for row in found.queue] == ["1", "2", "3"]
    assert [row.text for row in found.submissions[:2]] == ["<@!99> A D", "<@99> A D"]
    assert [(ping.message[-1], ping.why) for ping in found.no_pings] == [
        ("4", "it does not mention @Dealer"),
        ("5", "it only replies to the Dealer"),
    ]


# --- people (C061, C062) -----------------------------------------------------------------------


def test_an_account_is_known_by_its_id_whatever_it_is_called() -> None:
    sheet = book(Ann="alexa, 11", Bob="<@22>")
    both = [c.user(11, "x", "Alex"), c.user(22, "y", "Alex")]
    chat = export(*(c.message(n, "A D", author) for n, author in enumerate(both)))
    assert [row.player for row in report(sheet, chat).submissions] == ["Ann", "Bob"]
    renamed = export(c.message(9, "A D", c.user(11, "bob", "Bob")))
    assert [row.player for row in report(sheet, renamed).submissions] == ["Ann"]


def test_an_account_matched_by_name_is_known_by_id_from_then_on() -> None:
    sheet = book(Cy="cyril", Dee="")
    by_nickname = c.user(33, "some.one", "CYRIL")
    by_name = c.user(44, "dee", "whatever")
    first = plan(sheet, export(c.message(1, "A D", by_nickname), c.message(2, "A D", by_name)))
    assert [(link.player, link.id) for link in first.report.linked] == [("Cy", "33"), ("Dee", "44")]
    after = written(sheet, first)
    aliases = [row[-1] for row in rows(after, "Players")]
    assert aliases == ["11", "22", "cyril, 33", "44"]
    renamed = export(c.message(3, "B D", c.user(33, "new", "Dee")))
    second = plan(after, renamed)
    assert [row.player for row in second.report.submissions] == ["Cy"]
    assert second.report.linked == ()


def test_two_accounts_of_one_name_are_never_chosen_between() -> None:
    both = [c.user(33, "x", "Cy"), c.user(44, "y", "cy")]
    x, y = '"x" (nickname "Cy", id 33)', '"y" (nickname "cy", id 44)'
    chat = export(*(c.message(n, "A D", author) for n, author in enumerate(both, 1)))
    assert stops(book(), chat) == [
        f'chat.json message {n}: {one} goes by the name of "Cy", and so does {other}; '
        "write the ids of the player's own accounts into Aliases, and give others with --ignore"
        for n, one, other in ((1, x, y), (2, y, x))
    ]
    found = report(book(), chat, options=Options(ignored=frozenset({"33"})))
    assert [row.message_id for row in found.submissions] == ["2"]


def test_a_name_does_not_speak_for_a_player_whose_id_is_another() -> None:
    chat = export(c.message(1, "A D", c.user(99, "x", "Ann")))
    (text,) = stops(book(), chat)
    assert '(nickname "Ann", id 99) goes by the name of "Ann", whose id is 11' in text
    assert stops(book(), chat, options=Options(only_players=True)) == [text]


def test_an_account_with_two_players_names_is_neither() -> None:
    chat = export(c.message(1, "A D", c.user(99, "cy", "Dee")))
    (text,) = stops(book(), chat)
    assert text.endswith(
        'goes by the names of "Cy" and "Dee"; write the id 99 into the Aliases of the right one'
    )


def test_an_unknown_account_stops_once_with_its_name_and_first_message() -> None:
    zed = c.user(99, "zed", "Anne")
    chat = export(c.message(5, "hi", zed), c.message(6, "ho", zed), c.message(7, "A D"))
    assert stops(book(), chat) == [
        (
            'chat.json message 5: "zed" (nickname "Anne", id 99) is not in Players (nearest: '
            "Ann); write the id 99 into the player's Aliases, or leave the account out with "
            "--ignore 99"
        )
    ]
    found = report(book(), chat, options=Options(ignored=frozenset({"99"})))
    assert found.skipped == {"by accounts left out with --ignore": 2}
    found = report(book(), chat, options=Options(only_players=True))
    assert found.skipped == {"by people who are not in Players": 2}
    assert len(found.submissions) == 1


def test_without_a_column_for_aliases_names_still_match_with_a_warning() -> None:
    tabs = {"Players": [row[:4] for row in players()]}
    made = plan(book(tabs=tabs), export(c.message(1, "A D")))
    assert [row.player for row in made.report.submissions] == ["Ann"]
    assert not made.edits
    assert 'Players has no header "Aliases"' in made.report.warnings[0]


# --- what never counts (C074) -------------------------------------------------------------------


def test_bots_system_entries_forwards_and_pictures_are_left_out_and_counted() -> None:
    quoting = {"messageId": "1", "channelId": "2", "guildId": "3"}
    chat = export(
        c.message(1, "Ann swapped A D", c.user(7, "ann", bot=True)),
        c.message(2, "Ann started a thread.", type="ThreadCreated"),
        c.message(3, "Ann pinned a message.", type="ChannelPinnedMessage"),
        c.message(4, "Ann pinned a message.", type="ChannelPinnedMessage"),
        c.message(5, "me too", c.BOB, type="Reply", reference=quoting),
        c.message(6, "", attachments=[{"id": "1"}]),
        c.message(7, "", forwardedMessage={"content": "A D"}),
        c.message(8, "hi", c.user(99, "dealer")),
    )
    found = report(book(), chat, options=Options(dealer_users=frozenset({"99"})))
    assert [(row.player, row.text) for row in found.submissions] == [("Bob", "me too")]
    assert found.skipped == {
        "by Discord itself (ChannelPinnedMessage)": 2,
        "by Discord itself (ThreadCreated)": 1,
        "by bots and webhooks": 1,
        "by the Dealer": 1,
        "forwarded from elsewhere": 1,
        "without text (pictures and the like)": 1,
    }
    assert found.warnings == ()


def test_messages_that_hold_nothing_at_all_are_remarked_on() -> None:
    found = report(book(), export(c.message(1, ""), c.message(2, "A D")))
    assert found.warnings[0].startswith("1 message holds nothing at all, neither text nor picture")


# --- texts (C040, C065) -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kept", "code"),
    [
        ("A D\x0b", "A D ", "U+000B"),
        ("A\x00D", "A\ufffdD", "U+0000"),
        ("A D \ud83d", "A D \ufffd", "U+D83D"),
        ("A D\ufffe", "A D\ufffd", "U+FFFE"),
        ("A D\U0010ffff", "A D\ufffd", "U+10FFFF"),
    ],
)
def test_what_no_workbook_can_keep_is_replaced_and_named(text: str, kept: str, code: str) -> None:
    found = report(book(), export(c.message(123, text)))
    assert found.submissions[0].text == kept
    assert f"chat.json message 123 (Ann) holds {code}" in found.warnings[0]
    after = imported(book(), export(c.message(123, text)))
    again = report(after, export(c.message(123, text)))
    assert (again.submissions, again.changed, again.warnings) == ((), (), ())


def test_texts_are_kept_letter_for_letter() -> None:
    texts = ["=1+1", " A D ", "a\n\n> b", "007", "TRUE", "'x", "🐷 Zoe\u0308", "<b>&amp;", "\tA D"]
    chat = export(*(c.message(n, text) for n, text in enumerate(texts, 1)))
    after = imported(book(), chat)
    assert [row[1] for row in rows(after, "Submissions")] == texts


@pytest.mark.parametrize("letter", ["x", "🐷"])
@pytest.mark.parametrize("count", [40_000, 60_000])
def test_a_wall_of_text_is_shortened_with_a_mark_and_known_again(letter: str, count: int) -> None:
    chat = export(c.message(1, "A D " + letter * count))
    found = report(book(), chat)
    text = found.submissions[0].text
    assert len(text.encode("utf-16-le")) <= 64_000
    assert text.startswith("A D " + letter * 15_000)
    assert text.endswith("characters, the rest left out]")
    assert "message 1 (Ann) has" in found.warnings[0]
    again = report(imported(book(), chat), chat)
    assert (again.submissions, again.changed) == ((), ())


# --- once and never again (C071) ----------------------------------------------------------------

A = [c.message(n, PING if n % 2 else f"text {n}", c.BOB if n > 3 else c.ANN) for n in range(1, 6)]
B = [*A[3:], *(c.message(n, f"{PING} text {n}") for n in range(6, 9))]


@pytest.mark.parametrize("order", ["A", "AB", "BA", "AAB", "BAB"])
def test_each_message_is_added_once_in_any_order_of_overlapping_exports(order: str) -> None:
    chats = {"A": export(*A, file="a.json"), "B": export(*B[::-1], file="b.json")}
    after = one_by_one = book()
    for name in order:
        one_by_one = imported(one_by_one, chats[name])
    after = imported(after, *(chats[name] for name in order))
    ids = [str(row[-1]) for row in rows(after, "Queue")]
    assert ids == sorted(set(ids), key=int)
    for tab in ("Queue", "Submissions"):
        assert sorted(map(str, rows(one_by_one, tab))) == sorted(map(str, rows(after, tab)))
    assert unchanged(plan(after, *chats.values())) or order == "A"
    assert report(after, chats["A"]).skipped == {"already in the sheet": 5}


def test_equal_stamps_are_ordered_by_id() -> None:
    swapped = [c.message(5, "x"), c.message(4, "y")]
    found = report(book(), export(*swapped), export(*swapped[::-1], file="b.json"))
    assert [row.message_id for row in found.submissions] == ["4", "5"]
    assert found.skipped == {"repeated in the exports": 2}


@given(st.data())
def test_any_split_into_files_in_any_order_gives_the_same_rows(data: st.DataObject) -> None:
    texts = st.sampled_from([PING, f"{PING} A D", "A D", "hello", "@Dealer", "pass"])
    authors = st.sampled_from([c.ANN, c.BOB, c.user(33, "cy"), c.user(7, "bot", bot=True)])
    drawn = data.draw(st.lists(st.tuples(texts, authors), min_size=1, max_size=12))
    messages = [
        c.message(n, text, author, at=f"2026-03-01T19:{n:02}:20-05:00")
        for n, (text, author) in enumerate(drawn, 1)
    ]
    whole = imported(book(), export(*messages))
    parts = data.draw(
        st.lists(st.lists(st.sampled_from(messages), min_size=1), min_size=1, max_size=5)
    )
    left = [m for m in messages if all(m not in part for part in parts)]
    chats = [export(*part, file=f"{n}.json") for n, part in enumerate([*parts, left]) if part]
    sheet = book()
    for chat in chats:
        sheet = imported(sheet, chat)
        shuffled = data.draw(st.permutations(rows_with_times(sheet, "Submissions")))
        sheet = with_rows(sheet, "Submissions", shuffled)
    for tab in ("Queue", "Submissions"):
        assert sorted(map(str, rows(sheet, tab))) == sorted(map(str, rows(whole, tab)))
    assert all(unchanged(plan(sheet, chat)) for chat in chats)
    together = imported(book(), *chats)
    for tab in ("Queue", "Submissions"):
        assert rows(together, tab) == rows(whole, tab)


def rows_with_times(of: Book, tab: str) -> list[list[Value]]:
    return list(next(t for t in of.tabs if t.title == tab).rows[1:])


def with_rows(of: Book, tab: str, new: Sequence[list[Value]]) -> Book:
    return Book(
        of.name,
        tuple(Tab(t.title, [t.rows[0], *new]) if t.title == tab else t for t in of.tabs),
    )


def test_rows_that_a_host_sorted_moved_or_corrected_stay_as_they_are() -> None:
    chat = export(*A, *B[2:])
    sheet = imported(book(), chat)
    lines = rows_with_times(sheet, "Submissions")
    lines = [*lines[::-2], *lines[-2::-2]]
    lines[0] = ["2026-03-01 19:09:09", "Dee", "corrected", None, "void", lines[0][5]]
    moved = lines.pop()
    queue = [*rows_with_times(sheet, "Queue"), [moved[0], moved[1], "join", None, moved[5]]]
    sheet = with_rows(with_rows(sheet, "Submissions", [[], *lines]), "Queue", queue)
    made = plan(sheet, chat)
    assert unchanged(made)
    assert [(change.why, change.was) for change in made.report.changed] == [
        ("differs", "corrected")
    ]
    assert made.report.vanished == ()


def test_a_ping_imported_before_its_mention_was_known_joins_the_queue_later() -> None:
    chat = export(c.message(1, PING), c.message(2, "@Dealer"))
    sheet = imported(book(), chat, options=Options())
    assert [row[-1] for row in rows(sheet, "Submissions")] == ["1", "2"]
    sheet = imported(sheet, chat)
    assert [row[-1] for row in rows(sheet, "Queue")] == ["1"]
    sheet = imported(sheet, chat, options=PLAIN)
    assert [row[-1] for row in rows(sheet, "Queue")] == ["1", "2"]
    assert unchanged(plan(sheet, chat, options=PLAIN))


def test_an_id_that_lost_its_digits_stops_and_a_link_is_as_good_as_an_id() -> None:
    lost = book([["2026-03-01 19:01:00", "Ann", "join", "", 1.4777e18]])
    (text,) = stops(lost, export(c.message(1, "x")))
    assert text.startswith("Queue!E2: 1477700000000000000 has lost the digits of a message id")
    broken = {"why": "it holds a formula without a stored value", "shown": "=A1"}
    (text,) = stops(
        book([["2026-03-01 19:01:00", "Ann", "join", "", broken]]), export(c.message(1, "x"))
    )
    assert text == 'Queue!E2: "=A1" cannot be read: it holds a formula without a stored value'
    link = "https://discord.com/channels/1/2/345"
    known = book([["2026-03-01 19:01:00", "Ann", "join", "", link]], [])
    assert report(known, export(c.message(345, PING))).skipped == {"already in the sheet": 1}
    small = book([["2026-03-01 19:01:00", "Ann", "join", "", 345]], [])
    assert report(small, export(c.message(345, PING))).skipped == {"already in the sheet": 1}


# --- told, never overwritten --------------------------------------------------------------------


def test_a_message_whose_text_was_taken_out_since_is_told() -> None:
    sheet = imported(book(), export(c.message(1, "A D"), c.message(2, "x")))
    empty = c.message(1, "", timestampEdited="2026-03-01T19:05:00-05:00", attachments=[{"id": "1"}])
    found = report(sheet, export(empty, c.message(2, "x")))
    assert [(change.was, change.now) for change in found.changed] == [("A D", "")]


def test_mentions_exported_in_another_form_are_no_change() -> None:
    sheet = imported(book(), export(c.message(1, f"{PING} A D")))
    assert report(sheet, export(c.message(1, "@Dealer  A D"))).changed == ()


def test_of_two_exports_with_different_texts_the_later_edit_is_taken_and_both_are_told() -> None:
    old = c.message(1, "A D")
    new = {**old, "content": "D E", "timestampEdited": "2026-03-01T19:05:00-05:00"}
    for files in ([old, new], [new, old]):
        chats = [export(message, file=f"{n}.json") for n, message in enumerate(files)]
        found = report(book(), *chats)
        assert [row.text for row in found.submissions] == ["D E"]
        assert [(change.was, change.now) for change in found.changed] == [("A D", "D E")]


def test_exports_that_contradict_each_other_stop() -> None:
    one = export(c.message(1, "A D"), file="a.json")
    for other in (c.message(1, "A D", c.BOB), c.message(1, "A D", at="2026-03-01T19:02:00Z")):
        (text,) = stops(book(), one, export(other, file="b.json"))
        assert "message 1 has another author or time than in" in text


def test_a_message_that_vanished_is_told_where_that_can_be_known() -> None:
    def at(*numbers: int, author: Mapping[str, Any] = c.ANN) -> Export:
        return export(*(c.message(n, f"text {n}", author) for n in numbers))

    sheet = imported(book(), at(1, 3, 5, 7, 9))
    sheet = imported(sheet, at(2, 4, author=c.BOB))
    found = report(sheet, at(3, 5, 9)).vanished
    assert [(row.where, row.message_id, row.player) for row in found] == [
        ("Submissions row 5", "7", "Ann")
    ]
    assert report(sheet, at(2, 4, author=c.BOB)).vanished == ()
    assert unchanged(plan(sheet, at(3, 5, 9)))


def test_a_row_typed_by_hand_that_may_be_the_same_is_told() -> None:
    typed = book(
        [["2026-03-01 19:01:20", "ann", "", "", ""]],
        [
            ["2026-03-01 19:01:20", "Ann", "a  d", "", "", ""],
            ["2026-03-01 19:01:20", "Ann", "other", "", "", ""],
        ],
    )
    chat = export(c.message(1, f"{PING}", at="2026-03-02T00:01:20.7Z"), c.message(2, "A D"))
    found = report(typed, chat)
    assert [row.row for row in (*found.queue, *found.submissions)] == [3, 4]
    assert found.warnings[:2] == (
        "Queue row 2, typed by hand, may be message 1 of Ann in row 3; clear one of the two",
        "Submissions row 2, typed by hand, may be message 2 of Ann in row 4; clear one of the two",
    )


# --- CSV ------------------------------------------------------------------------------------

STAMP = "2026-03-01T19:01:20.1230000-05:00"


def test_a_csv_is_known_again_by_author_time_and_text() -> None:
    chat = csv((11, "ann", STAMP, "A D"), (22, "bob", "2026-03-01T19:01:21-05:00", "@Dealer"))
    made = plan(book(), chat, options=PLAIN)
    assert [row.player for row in made.report.queue] == ["Bob"]
    assert (
        "chat.csv is a CSV: its messages are known by author, time and text"
        in (made.report.warnings[0])
    )
    sheet = written(book(), made)
    assert unchanged(plan(sheet, chat, chat, options=PLAIN))
    lines = rows_with_times(sheet, "Submissions")
    lines[0][:3] = ["2026-03-01 19:09:09", "Dee", "corrected"]
    assert unchanged(plan(with_rows(sheet, "Submissions", lines), chat, options=PLAIN))


def test_a_csv_text_that_changed_is_told_and_not_added() -> None:
    sheet = imported(book(), csv((11, "ann", STAMP, "A D")))
    made = plan(sheet, csv((11, "ann", STAMP, "D E")))
    assert unchanged(made)
    assert [(x.why, x.was, x.now) for x in made.report.changed] == [("differs", "A D", "D E")]
    (text,) = stops(
        book(), csv((11, "ann", STAMP, "A D")), csv((11, "ann", STAMP, "D E"), file="b.csv")
    )
    assert text.startswith("b.csv row 2 says something else than chat.csv row 2")


def test_two_messages_of_one_stamp_in_a_csv_are_two() -> None:
    chat = csv((11, "ann", STAMP, "A D"), (11, "ann", STAMP, "pass"), (11, "ann", STAMP, "pass"))
    found = report(book(), chat)
    assert [row.text for row in found.submissions] == ["A D", "pass"]
    assert found.skipped == {"repeated in the exports": 1}
    assert unchanged(plan(imported(book(), chat), chat))


@pytest.mark.parametrize("order", ["csv first", "json first", "together"])
def test_a_csv_and_a_json_export_of_one_message_are_one(order: str) -> None:
    both = [csv((11, "ann", STAMP, "A D")), export(c.message(1, "A D", at=STAMP))]
    if order == "together":
        sheet = imported(book(), *both)
    else:
        one, other = both if order == "csv first" else both[::-1]
        sheet = imported(imported(book(), one), other)
    assert [row[1] for row in rows(sheet, "Submissions")] == ["A D"]
    assert report(sheet, *both).changed == ()


# --- the report ---------------------------------------------------------------------------------


def test_the_report_is_plain_json() -> None:
    import json

    chat = export(
        c.message(1, f"{PING} in", c.user(33, "cy")),
        c.message(2, "@Dealer", at="2026-03-01T19:01:20.5-05:00"),
    )
    found = json.loads(json.dumps(report(book(), chat).as_json()))
    assert found["format"] == "referee-import/1"
    assert found["files"] == [{"file": "chat.json", "messages": 2}]
    assert found["linked"] == [{"player": "Cy", "id": "33", "name": "cy", "nickname": "cy"}]
    assert found["submissions"][1] == {
        "tab": "Submissions",
        "row": 3,
        "time": "2026-03-02T00:01:20.500Z",
        "shown": "2026-03-01 19:01:20.500",
        "player": "Ann",
        "message_id": "2",
        "text": "@Dealer",
        "file": "chat.json",
    }
    assert [ping["message"] for ping in found["no_pings"]] == ["chat.json message 2"]


def test_all_faults_of_sheet_and_exports_are_told_together() -> None:
    sheet = book([["2026-03-01 19:01:00", "Ann", "join", "", 1.4777e18]])
    found = stops(
        sheet,
        export(c.message(1, "x", c.user(77, "p")), c.message(2, "y")),
        export(c.message(2, "y", c.BOB), c.message(3, "x", c.user(88, "q")), file="b.json"),
    )
    assert [text.split(":")[0].split(" has")[0] for text in found] == [
        "Queue!E2",
        "b.json message 2",
        "chat.json message 1",
        "b.json message 3",
    ]
