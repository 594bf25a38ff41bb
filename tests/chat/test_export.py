"""Reading DiscordChatExporter's files: what a message says, and which files are refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.chat.export import read_export, read_exports
from referee.chat.messages import Export, Message
from referee.match.faults import Stopped, Unavailable, WrongUsage
from referee.match.instants import format_instant, parse_instant
from tests.support import chat_exports as c


def read(data: bytes) -> Export:
    return read_export(data, "chat.json")


def one(**more: object) -> Message:
    # A sample or double is looser than the type, on purpose.
    (message,) = read(c.export([c.message(123, "A D", **more)])).messages  # type: ignore[arg-type]
    return message


def stops(data: bytes, *words: str) -> None:
    with pytest.raises(Stopped) as stop:
        read(data)
    assert [fault.text for fault in stop.value.faults] == list(words)


def stops_like(data: bytes, pattern: str) -> None:
    with pytest.raises(Stopped, match=pattern):
        read(data)


def test_a_message_keeps_what_the_referee_needs_of_it() -> None:
    (found,) = read(
        c.export(
            [
                c.message(
                    123,
                    "A D",
                    c.user(11, "ann", "Annie"),
                    timestampEdited="2026-03-02T00:01:21Z",
                    mentions=[c.BOB],
                    attachments=[{"id": "1"}],
                )
            ]
        )
    ).messages
    assert (found.where, found.id, found.text) == ("chat.json message 123", "123", "A D")
    assert str(found.author) == '"ann" (nickname "Annie", id 11)'
    assert found.sent == parse_instant("2026-03-02T00:01:20Z")
    assert found.edited == parse_instant("2026-03-02T00:01:21Z")
    assert [person.name for person in found.mentions] == ["bob"]
    assert found.carries
    assert not found.forwarded


@pytest.mark.parametrize(
    ("stamp", "instant"),
    [
        ("2026-03-01T19:01:20-05:00", "2026-03-02T00:01:20Z"),
        ("2026-03-02T00:01:20.4+00:00", "2026-03-02T00:01:20.400Z"),
        ("2026-03-02T00:01:21Z", "2026-03-02T00:01:21Z"),
        ("2026-03-01T19:01:20.1230000-05:00", "2026-03-02T00:01:20.123Z"),
        ("2026-03-01T19:01:20.1234999-05:00", "2026-03-02T00:01:20.123Z"),
        ("2026-03-01T19:01:20.1235-05:00", "2026-03-02T00:01:20.124Z"),
        ("2026-03-01T19:01:59.9999999-05:00", "2026-03-02T00:02:00Z"),
    ],
)
def test_a_stamp_is_read_to_the_nearest_millisecond_in_any_zone(stamp: str, instant: str) -> None:
    assert format_instant(one(at=stamp).sent) == instant


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("2026-03-01T19:01:20", "has no offset: "),
        ("2026-03-01T19:01-05:00", "has no seconds: "),
        ("3/1/2026 7:01 PM", "has no seconds or offset: "),
        ("2026-02-30T19:01:20Z", "is not a time: "),
        ("2026-03-01T25:01:20Z", "is not a time: "),
        ("2026-03-01T19:01:20+99:00", "is not a time: "),
        ("soon 10:10:10 Z", "is not a time: "),
    ],
)
def test_a_stamp_that_names_no_certain_instant_stops_with_its_message(
    stamp: str, words: str
) -> None:
    stops_like(
        c.export([c.message(123, "x", at=stamp)]), f"^chat.json message 123: timestamp {words}"
    )


def test_an_edit_before_the_message_was_sent_stops() -> None:
    stops_like(
        c.export([c.message(123, "x", timestampEdited="2026-03-01T19:01:19-05:00")]),
        "message 123: timestampEdited is before timestamp",
    )


def test_keys_that_come_and_go_with_versions_are_ignored_and_plain_numbers_taken_as_ids() -> None:
    data = json.loads(c.export([c.message(123, "A D", poll={"x": 1})]))
    data["messages"][0]["id"] = 123
    data["new"] = None
    for key in ("components", "stickers", "embeds", "mentions", "timestampEdited"):
        del data["messages"][0][key]
    (found,) = read(json.dumps(data).encode()).messages
    assert (found.id, found.text, found.edited) == ("123", "A D", None)


def test_half_an_emoji_and_control_characters_are_read_as_they_stand() -> None:
    data = c.export([c.message(1, "A D \ud83d"), c.message(2, "A D\x0b\x00\ufffe")])
    assert [m.text for m in read(data).messages] == ["A D \ud83d", "A D\x0b\x00\ufffe"]


def test_every_fault_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    bad = c.message(7, "x", at="2026-03-01T19:01:20")
    wrong = {**c.message(8, "x"), "author": {"id": "1"}}
    (tmp_path / "a.json").write_bytes(c.export([bad, wrong, {**bad, "id": "x"}]))
    (tmp_path / "b.json").write_bytes(b"")
    with pytest.raises(Stopped) as stop:
        read_exports([tmp_path / "a.json", tmp_path / "b.json"])
    starts = [re.split(r":| is ", fault.text)[0] for fault in stop.value.faults]
    assert starts == ["a.json message 7", "a.json message 8", "a.json message x", "b.json"]


# --- files that are refused ------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_refused() -> None:
    whole = c.export([c.message(1, "A D"), c.message(2, "ok")])
    for end in range(1, len(whole)):
        stops_like(whole[:end], r"^chat\.json is cut off at line [0-9]+; export the channel again")


def test_the_end_of_a_cut_file_is_named_by_line() -> None:
    whole = c.export([c.message(1, "A D")])
    cut = whole[: whole.index(b'"content"')]
    stops(cut, "chat.json is cut off at line 26; export the channel again, as JSON")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"messageCount": None}, "is cut off: its messageCount is missing"),
        ({"messageCount": 5}, "holds 1 messages but says messageCount 5"),
        ({"messageCount": True}, "holds 1 messages but says messageCount True"),
        ({"channel": None}, "is no channel export of DiscordChatExporter"),
        ({"channel": []}, "is no channel export of DiscordChatExporter"),
    ],
)
def test_a_file_that_is_not_a_whole_export_is_refused(more: dict[str, object], words: str) -> None:
    data = c.export([c.message(1, "A D")], **more)
    stops(data, f"chat.json {words}; export the channel again, as JSON")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"<!DOCTYPE html>", "is an HTML page, not a JSON export"),
        (b"[]", "is no channel export of DiscordChatExporter"),
        (b"Guild: Game\nChannel: ann", "is no channel export of DiscordChatExporter"),
        (b"\xff\xfeA\x00", "is not a text in UTF-8"),
        (b"PK\x03\x04\xe9", "is not a text in UTF-8"),
        (b"[" * 100_000, "is damaged"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is damaged"),
    ],
)
def test_a_file_of_another_kind_is_refused(data: bytes, words: str) -> None:
    stops(data, f"chat.json {words}; export the channel again, as JSON")


def test_an_export_whose_messages_are_all_empty_is_refused() -> None:
    """A bot token without the message content right exports every text as empty."""
    empty = [c.message(number, "") for number in range(1, 21)]
    stops_like(c.export(empty), "all 20 messages are empty - message content intent?")
    stops_like(c.export([*empty, c.message(21, "hi", c.user(9, "b", bot=True))]), "all 20 messages")
    row = (11, "ann", "2026-03-02T00:01:20Z", "")
    stops_like(c.csv_export(row, row), "all 2 messages are empty")


def test_single_empty_messages_and_pictures_are_no_reason_to_refuse() -> None:
    picture = c.message(1, "", attachments=[{"id": "1"}])
    assert len(read(c.export([picture])).messages) == 1
    assert len(read(c.export([c.message(1, ""), c.message(2, "A D")])).messages) == 2
    assert read(c.export([])).messages == ()


@pytest.mark.parametrize(
    "more",
    [{}, {"poll": {"question": "?"}}, {"stickers": [{"id": "1"}]}, {"attachments": [{"id": "1"}]}],
)
def test_a_channel_whose_only_message_is_a_poll_sticker_or_picture_is_read(
    more: dict[str, Any],
) -> None:
    assert len(read(c.export([c.message(1, "", **more)])).messages) == 1


def test_single_empty_messages_of_several_files_are_held_together(tmp_path: Path) -> None:
    """C073: each player's channel may hold one message, and all of them are empty."""
    paths = [tmp_path / name for name in ("a.json", "b.json")]
    for number, path in enumerate(paths):
        path.write_bytes(c.export([c.message(number, "")]))
    with pytest.raises(Stopped, match=r"a\.json, b\.json: all 2 messages are empty"):
        read_exports(paths)


def test_what_an_export_should_hold_is_read_with_it() -> None:
    bounds = {"after": "2026-03-01T00:00:00-05:00", "before": None}
    export = read(c.export([], dateRange=bounds, exportedAt="2026-03-02T12:00:00.1234567+00:00"))
    assert (export.channel_id, export.before) == ("2", None)
    assert export.after == parse_instant("2026-03-01T05:00:00Z")
    assert export.exported == parse_instant("2026-03-02T12:00:00.123Z")
    older = read(c.export([], dateRange=None, exportedAt=None, channel={"name": "x"}))
    assert (older.channel_id, older.after, older.exported) == ("", None, None)
    stops_like(c.export([], exportedAt="2026-03-02 12:00"), "exportedAt has no seconds or offset")


def test_an_id_whose_own_time_is_another_than_its_timestamp_stops() -> None:
    """C086: more than two seconds apart; the fault names both times."""
    at = "2026-03-01T19:01:20-05:00"
    for millis, fits in ((0, True), (1999, True), (-2000, True), (2001, False), (-2001, False)):
        number = c.snowflake(at, millis=millis)
        if fits:
            assert read(c.export([c.message(number, "A D", at=at)])).messages[0].id == number
        else:
            stops_like(
                c.export([c.message(number, "A D", at=at)]),
                rf"message {number}: its id says \S+Z, its timestamp 2026-03-02T00:01:20Z",
            )


PARTS = ("x [part 2].json", "x [part 3].json")


@pytest.mark.parametrize(
    ("there", "given", "lacks"),
    [
        (["x.json", *PARTS], ["x.json"], "x [part 2].json (which lies beside it), x [part 3]"),
        (["x.json", PARTS[0]], [PARTS[0]], "x.json (which lies beside it);"),
        ([PARTS[0]], [PARTS[0]], "not named: x.json;"),
        (["x.json", PARTS[1]], ["x.json", PARTS[1]], "not named: x [part 2].json;"),
        (["x [part 1].json", PARTS[0]], ["x [part 1].json"], "x [part 2].json (which lies"),
        (["x.json", *PARTS], [PARTS[1], "x.json", PARTS[0]], None),
        (["x [part 1].json", PARTS[0]], [PARTS[0], "x [part 1].json"], None),
        (["x.json", "y [part 2].json"], ["x.json"], None),
    ],
)
def test_a_split_export_is_taken_whole_or_not_at_all(
    tmp_path: Path, there: list[str], given: list[str], lacks: str | None
) -> None:
    for name in there:
        (tmp_path / name).write_bytes(c.export([]))
    paths = [tmp_path / name for name in given]
    if lacks is None:
        assert len(read_exports(paths)) == len(given)
    else:
        with pytest.raises(Stopped) as stop:
            read_exports(paths)
        assert [fault.code for fault in stop.value.faults] == ["missing-part"]
        assert lacks in stop.value.faults[0].text


def test_a_file_that_is_not_there_is_a_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"none\.json is not there"):
        read_exports([tmp_path / "none.json"])
    with pytest.raises(WrongUsage, match="is a folder"):
        read_exports([tmp_path])
    with pytest.raises(Unavailable, match="cannot be read"):
        read_exports([tmp_path / ("x" * 300)])


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "c.json", tmp_path / "b" / "c.json", tmp_path / "d.json"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(c.export([c.message(1, "x")]))
    files = [export.file for export in read_exports([*paths, paths[2]])]
    assert files == [str(paths[0]), str(paths[1]), "d.json", "d.json"]


# --- CSV -------------------------------------------------------------------------------------


def test_a_csv_with_seconds_and_offset_is_read_with_its_mark_and_line_breaks() -> None:
    data = c.csv_export(
        (11, "ann", "2026-03-01T19:01:20.1230000-05:00", 'A "D"\nplease, now'),
        (22, "bob#1234", "2026-03-02T00:01:21.0000000+00:00", ""),
        attachments="https://cdn.example/a.png",
    )
    export = read(data)
    first, second = export.messages
    assert not export.has_ids
    assert (first.where, first.author.id, first.text) == (
        "chat.json row 2",
        "11",
        'A "D"\nplease, now',
    )
    assert format_instant(first.sent) == "2026-03-02T00:01:20.123Z"
    assert (second.place, second.author.name, second.carries) == ("row 3", "bob#1234", True)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            '11,Ann,"3/1/2026 7:01 PM","A D",,',
            'chat.json row 2 column Date has no seconds or offset: "3/1/2026 7:01 PM"; use JSON',
        ),
        (
            '11,Ann,"2026-03-01T19:01:20","A D",,',
            'chat.json row 2 column Date has no offset: "2026-03-01T19:01:20"; use JSON',
        ),
        (
            "x,Ann,2026-03-01T19:01:20Z,A D,,",
            'chat.json row 2 column AuthorID is not a number: "x"; use JSON',
        ),
        (
            '11,Ann,"2026-03-01T19:01:20Z"',
            (
                "chat.json row 2 has 3 fields instead of 6; is the file cut off? "
                "export the channel again, as JSON"
            ),
        ),
    ],
)
def test_a_csv_row_that_is_not_certain_stops_with_its_number(row: str, words: str) -> None:
    stops(f"\ufeffAuthorID,Author,Date,Content,Attachments,Reactions\n{row}\n".encode(), words)


def test_a_csv_cut_off_inside_a_text_or_without_a_column_is_refused() -> None:
    whole = c.csv_export((11, "ann", "2026-03-02T00:01:20Z", "A D"))
    stops_like(whole[: whole.index(b"A D") + 1], "^chat.json is cut off or damaged at row 2")
    stops_like(b"AuthorID,Author,Content\n", "^chat.json has no single column Date in row 1")
    huge = c.csv_export((11, "ann", "2026-03-02T00:01:20Z", "x" * 200_000))
    stops_like(huge, "^chat.json is cut off or damaged at row 2: field larger than field limit")
