"""The match record as JSON: what is read, what is written, and every fault with its place."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from referee import Stopped, decode_record, encode_record, read_record, replay
from referee.match.faults import quoted
from referee.match.instants import Instant, parse_instant
from referee.match.record import Adjustment, Player, QueueRow, Record, Round, Settings, Submission
from tests.support.strategies import Match, changed, judge, matches, sound_matches

TIME = "2026-11-29T20:10:05Z"
PLAIN: Match = {
    "format": "referee-match/1",
    "game": "pig-starvation",
    "name": "MM8",
    "start": "2026-11-29T20:00:00Z",
    "players": [
        {"name": "Ann", "cell": "A", "rival": "Ben"},
        {"name": "Ben", "cell": "B", "rival": "Ann"},
    ],
    "rounds": [{"number": 1}],
    "queue": [{"time": TIME, "player": "Ann"}],
    "submissions": [{"time": TIME, "player": "Ann", "message": "A D"}],
}
"""The least a record needs, with a row in each list."""
FULL: Match = {
    **PLAIN,
    "time_zone": "Europe/London",
    "settings": {"room_clock": "recorded", "tie_break_seed": "seed", "break_seconds": 0},
    "players": [
        {"name": "Ann", "cell": "A", "rival": "Ben", "garnets": 3, "aliases": ["a"], "token": "🐷"},
        {"name": "Ben", "cell": "B", "rival": "Ann"},
    ],
    "rounds": [{"number": 1, "start": "2026-11-29T20:10:00.250Z", "minutes": 12, "row": 2}],
    "queue": [{"time": TIME, "player": "Ann", "action": "enter", "ruling": "void", "row": 7}],
    "submissions": [
        {"time": TIME, "player": "Ann", "message": "", "edited": TIME, "ruling": "allow", "row": 9}
    ],
    "adjustments": [{"time": TIME, "player": "Ann", "garnets": -1, "reason": "trade", "row": 3}],
    "published": {"Pen": [["Round", "A"], [1, None], [2.5, True]]},
}
"""A record with everything there can be."""


def text(match: Any) -> str:
    return json.dumps(match, ensure_ascii=False)


def stopped(data: bytes | str) -> Stopped:
    with pytest.raises(Stopped) as raised:
        decode_record(data)
    return raised.value


def faults(data: bytes | str) -> list[tuple[str, str | None, int | None]]:
    return [(fault.code, fault.tab, fault.row) for fault in stopped(data).faults]


def with_row(tab: str, **held: Any) -> Match:
    """The full record with some cells of a list's first row replaced."""
    return changed(FULL, lambda match: match[tab][0].update(held))


# --- what is read --------------------------------------------------------------------------------


def test_the_least_record_has_the_defaults() -> None:
    """What may be left out takes its default."""
    record = decode_record(text(PLAIN))
    assert record.settings == Settings()
    assert record.time_zone == "UTC"
    assert record.adjustments == ()
    assert record.published is None
    assert record.players[0] == Player(name="Ann", cell="A", rival="Ben")
    assert record.queue[0].action == "join"
    assert (record.queue[0].row, record.rounds[0].start) == (UNSET, UNSET)


def test_a_record_made_in_python_is_the_decoded_one() -> None:
    """Scripts may build a record from its types; it equals the one that JSON gives."""
    moment = parse_instant(TIME)
    made = Record(
        format="referee-match/1",
        game="pig-starvation",
        name="MM8",
        start=parse_instant("2026-11-29T20:00:00Z"),
        time_zone="Europe/London",
        settings=Settings(room_clock="recorded", tie_break_seed="seed"),
        players=(
            Player(name="Ann", cell="A", rival="Ben", garnets=3, aliases=("a",), token="🐷"),
            Player(name="Ben", cell="B", rival="Ann"),
        ),
        rounds=(
            Round(number=1, start=parse_instant("2026-11-29T20:10:00.25Z"), minutes=12, row=2),
        ),
        queue=(QueueRow(time=moment, player="Ann", action="enter", ruling="void", row=7),),
        submissions=(
            Submission(time=moment, player="Ann", message="", edited=moment, ruling="allow", row=9),
        ),
        adjustments=(Adjustment(time=moment, player="Ann", garnets=-1, reason="trade", row=3),),
        published={"Pen": [["Round", "A"], [1, None], [2.5, True]]},
    )
    assert made == decode_record(text(FULL))
    assert encode_record(made) == encode_record(decode_record(text(FULL)))


def test_an_instant_is_a_whole_number_of_milliseconds() -> None:
    """Times of a record can be reckoned with, whatever offset they were written with."""
    record = decode_record(text({**PLAIN, "start": "2026-11-29T21:00:00.5+01:00"}))
    assert isinstance(record.start, Instant)
    assert record.start == parse_instant("2026-11-29T20:00:00Z") + 500


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b" \n", b""], ids=["mark", "blanks", "plain"])
def test_what_may_stand_before_a_record(before: bytes) -> None:
    """A byte order mark, as editors on Windows write it, is passed over like blanks."""
    data = before + text(FULL).encode()
    assert decode_record(data) == decode_record(text(FULL))
    assert decode_record(data.decode()) == decode_record(text(FULL))


def test_a_record_in_a_file(tmp_path: Path) -> None:
    """A file's record is read as UTF-8 whatever the machine would like."""
    path = tmp_path / "match.json"
    path.write_bytes(text(changed(PLAIN, lambda m: m.update(name="Zoë's 🐷"))).encode())
    assert read_record(path).name == "Zoë's 🐷"
    assert read_record(str(path)) == read_record(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """What cannot be read at all is no fault of a record."""
    with pytest.raises(OSError, match=r"match\.json"):
        read_record(tmp_path / "match.json")


# --- what is written -----------------------------------------------------------------------------


def test_what_stands_at_its_default_is_left_out() -> None:
    """An exported record is as short as it can be, on one line."""
    assert json.loads(encode_record(decode_record(text(PLAIN)))) == PLAIN
    written = json.loads(encode_record(decode_record(text(FULL))))
    assert written.pop("settings") == {"room_clock": "recorded", "tie_break_seed": "seed"}
    assert written == {key: held for key, held in FULL.items() if key != "settings"}
    assert "\n" not in encode_record(decode_record(text(FULL)))


@given(matches())
def test_there_and_back(match: Match) -> None:
    """Written and read again a record is the same, and so are its bytes."""
    record = decode_record(text(match))
    written = encode_record(record)
    assert decode_record(written) == record
    assert encode_record(decode_record(written)) == written


# --- what is no record ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        *(
            b"",
            b"   ",
            b"{",
            b'{"format"',
            b"MM8",
            b"{} {}",
            b"{}x",
            b"{'format': 1}",
            b"// note\n{}",
        ),
        *(b"\xff\xfe{\x00}\x00", b"PK\x03\x04", b'{"name": "\xff"}', b'{"name": "\\ud83d"}'),
        *(b'{"published": {"Pen": [[NaN]]}}', b'{"start": Infinity}', b'{"start": 1e999}'),
        *(b"[" * 100_000, b'{"a":' * 100_000, b'{"a":' * 5000 + b"1" + b"}" * 5000),
        "{'name': '\ud83d'}",
        '{"name": "\ud83d"}',
    ],
    ids=lambda data: repr(data[:20]),
)
def test_what_is_not_json(data: bytes | str) -> None:
    """Anything but one JSON value is told as such, without a traceback."""
    stop = stopped(data)
    assert [fault.code for fault in stop.faults] == ["not-json"]
    assert stop.name is None
    assert stop.faults[0].text.startswith("the record is not JSON: ")


@pytest.mark.parametrize("data", ["null", "[]", "7", '"MM8"', "true", f"[{text(PLAIN)}]"])
def test_json_that_is_no_object(data: str) -> None:
    """A record is one JSON object; a list of records is none."""
    assert faults(data) == [("bad-type", None, None)]


def test_an_empty_object_lacks_everything() -> None:
    """Every key that is missing is named."""
    stop = stopped("{}")
    assert [fault.code for fault in stop.faults] == ["missing-key"] * 8
    for key in PLAIN:
        assert any(quoted(key) in fault.text for fault in stop.faults)


# --- single faults -------------------------------------------------------------------------------


@pytest.mark.parametrize("key", sorted(PLAIN))
def test_a_missing_key_of_the_record(key: str) -> None:
    """Each required key is missed by name."""
    match = changed(FULL, lambda m: m.pop(key))
    assert faults(text(match)) == [("missing-key", None, None)]
    assert quoted(key) in stopped(text(match)).faults[0].text


@pytest.mark.parametrize(
    ("tab", "key"),
    [
        *(("players", key) for key in ("name", "cell", "rival")),
        ("rounds", "number"),
        *(("queue", key) for key in ("time", "player")),
        *(("submissions", key) for key in ("time", "player", "message")),
        *(("adjustments", key) for key in ("time", "player", "garnets")),
    ],
)
def test_a_missing_cell_of_a_row(tab: str, key: str) -> None:
    """Each required cell of a row is missed by tab, row and name."""
    match = changed(FULL, lambda m: m[tab][0].pop(key))
    row = 1 if tab == "players" else FULL[tab][0]["row"]
    assert faults(text(match)) == [("missing-key", tab.capitalize(), row)]
    assert (
        f"{tab.capitalize()} row {row}: the key {quoted(key)}"
        in stopped(text(match)).faults[0].text
    )


@pytest.mark.parametrize("tab", ["players", "rounds", "queue", "submissions", "adjustments"])
def test_an_unknown_key_of_a_row(tab: str) -> None:
    """A key nobody knows is refused by name, with its row."""
    match = changed(FULL, lambda m: m[tab].append({**m[tab][0], "colour": "red", "row": 40}))
    found = [(f.tab, f.row, f.text.rpartition(" ")[2]) for f in stopped(text(match)).faults]
    if tab == "players":
        # Players have no row numbers of their own: they count from 1.
        assert found == [("Players", 3, '"colour"'), ("Players", 3, '"row"')]
    else:
        assert found == [(tab.capitalize(), 40, '"colour"')]


@pytest.mark.parametrize("key", ["Name", "extra", "", "row", "visits"])
def test_an_unknown_key_of_the_record(key: str) -> None:
    """So is one of the record itself, and one of its settings."""
    assert faults(text({**PLAIN, key: 1})) == [("unknown-key", None, None)]
    match = {**PLAIN, "settings": {key: 1}}
    assert faults(text(match)) == [("unknown-key", "Settings", None)]
    assert quoted(key) in stopped(text(match)).faults[0].text


@pytest.mark.parametrize("key", sorted(FULL))
def test_null_is_no_value(key: str) -> None:
    """Only `published` may be null."""
    match = {**FULL, key: None}
    if key == "published":
        assert decode_record(text(match)).published is None
    else:
        ((code, _, row),) = faults(text(match))
        assert (code, row) in (("bad-value", None), ("bad-type", None))


@pytest.mark.parametrize(
    ("tab", "key"),
    [
        (tab, key)
        for tab in ("players", "rounds", "queue", "submissions", "adjustments")
        for key in FULL[tab][0]
    ],
)
def test_null_is_no_value_in_a_row_either(tab: str, key: str) -> None:
    """What a row does not have is left out, not null."""
    ((code, where, _),) = faults(text(with_row(tab, **{key: None})))
    assert (code, where) == ("bad-value", tab.capitalize())


NO_COUNT: tuple[Any, ...] = (-1, 1.0, 1.5, "1", True, None, [], 2**53, 10**400)
NO_TEXT: tuple[Any, ...] = (7, True, None, [], {})
NO_TIME = (
    "",
    "soon",
    "20:10:05",
    "2026-11-29T20:10:05",
    "2026-11-29T20:10:05.1234Z",
    1764446405,
    None,
)


@pytest.mark.parametrize("value", [*NO_COUNT, float("1e300")], ids=repr)
@pytest.mark.parametrize("name", [f.name for f in msgspec.structs.fields(Settings)])
def test_settings_take_their_kind_of_value(name: str, value: Any) -> None:
    """Counts are whole and not negative, choices are words, seed and players' words texts."""
    if name in ("tie_break_seed", "players_words") and isinstance(value, str):
        return
    match = {**PLAIN, "settings": {name: value}}
    assert faults(text(match)) == [("bad-value", "Settings", None)]
    assert quoted(name) in stopped(text(match)).faults[0].text


@pytest.mark.parametrize("name", ["round_minutes", "room_seconds", "hunger_per_garnet"])
def test_some_settings_are_at_least_one(name: str) -> None:
    """A clock length of nothing, or garnets for nothing, is refused."""
    assert faults(text({**PLAIN, "settings": {name: 0}})) == [("bad-value", "Settings", None)]


@pytest.mark.parametrize("name", ["pre_game_minutes", "break_seconds", "starting_hunger"])
def test_other_settings_may_be_nothing(name: str) -> None:
    """A pre-game phase and a break of no length are fine."""
    record = decode_record(text({**PLAIN, "settings": {name: 0}}))
    assert getattr(record.settings, name) == 0


@pytest.mark.parametrize(
    ("tab", "key", "values"),
    [
        ("players", "name", NO_TEXT),
        ("players", "cell", (*NO_TEXT, "D", "H", "a", "AB", "")),
        ("players", "rival", NO_TEXT),
        ("players", "garnets", NO_COUNT),
        ("players", "aliases", ("a", [1], [None], {}, None)),
        ("players", "token", NO_TEXT),
        ("rounds", "number", (0, *NO_COUNT)),
        ("rounds", "minutes", (0, *NO_COUNT)),
        ("rounds", "start", NO_TIME),
        ("rounds", "row", (0, *NO_COUNT)),
        ("queue", "time", NO_TIME),
        ("queue", "player", NO_TEXT),
        ("queue", "action", (*NO_TEXT, "", "ping", "Join", "enter ")),
        ("queue", "edited", NO_TIME),
        ("queue", "ruling", NO_TEXT),
        ("queue", "row", (0, *NO_COUNT)),
        ("submissions", "time", NO_TIME),
        ("submissions", "message", NO_TEXT),
        ("submissions", "edited", NO_TIME),
        ("submissions", "ruling", NO_TEXT),
        ("adjustments", "garnets", (*NO_COUNT[1:], -(2**53))),
        ("adjustments", "reason", NO_TEXT),
        ("adjustments", "time", NO_TIME),
    ],
)
def test_cells_take_their_kind_of_value(tab: str, key: str, values: tuple[Any, ...]) -> None:
    """What a cell cannot hold is a fault of its row that shows what stands there."""
    for value in values:
        ((code, where, row),) = faults(text(with_row(tab, **{key: value})))
        assert (code, where) == ("bad-value", tab.capitalize()), value
        assert row is not None
        (fault,) = stopped(text(with_row(tab, **{key: value}))).faults
        shown = quoted(value) if isinstance(value, str) else json.dumps(value)[:60]
        assert f"{quoted(key)} is {shown}" in fault.text


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("format", ("referee-match/2", "referee-result/1", "", *NO_TEXT)),
        ("game", ("chess", "Pig-Starvation", *NO_TEXT)),
        ("name", NO_TEXT),
        ("start", NO_TIME),
        ("time_zone", NO_TEXT),
        ("published", ([], "Pen", {"Pen": "x"}, {"Pen": [1]}, {"Pen": [[[]]]}, {"Pen": [[{}]]}, 7)),
    ],
)
def test_the_records_own_values(key: str, values: tuple[Any, ...]) -> None:
    """The format, the game and the rest are what they have to be."""
    for value in values:
        assert faults(text({**FULL, key: value})) == [("bad-value", None, None)], value


@pytest.mark.parametrize("tab", ["players", "rounds", "queue", "submissions", "adjustments"])
@pytest.mark.parametrize("value", [{}, "", 7, True], ids=repr)
def test_lists_are_lists(tab: str, value: Any) -> None:
    """A list that is something else, or holds something else than rows, is a fault."""
    assert faults(text({**FULL, tab: value})) == [("bad-type", tab.capitalize(), None)]
    inside = changed(FULL, lambda m: m[tab].insert(0, [value]))
    assert faults(text(inside)) == [("bad-type", tab.capitalize(), 1)]


def test_settings_are_an_object() -> None:
    """Settings that are no object are a fault."""
    assert faults(text({**PLAIN, "settings": []})) == [("bad-type", "Settings", None)]


# --- a key twice ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"name": "MM8"', '"name": "MM8", "name": "MM9"', (None, None)),
        ('"ruling": "allow"', '"ruling": "void", "ruling": "allow"', ("Submissions", 9)),
        ('"ruling": "allow"', '"ruling": "void", "\\u0072uling": "allow"', ("Submissions", 9)),
        ('"action": "enter"', '"action" : "enter", "action" :"enter"', ("Queue", 7)),
        ('"minutes": 12', '"minutes": 12, "minutes": 12', ("Rounds", 2)),
        ('"cell": "B"', '"cell": "B", "cell": "C"', ("Players", 2)),
        ('"reason": "trade"', '"reason": ":\\":", "reason": ""', ("Adjustments", 3)),
        ('"break_seconds": 0', '"break_seconds": 0, "break_seconds": 60', ("Settings", None)),
        ('"Pen": [', '"Pen": [], "Pen": [', (None, None)),
    ],
)
def test_a_key_twice_is_refused(old: str, new: str, fault: tuple[str | None, int | None]) -> None:
    """Which of two values counts nobody can know, so none does."""
    data = text(FULL)
    assert data.count(old) == 1
    twice = data.replace(old, new)
    assert faults(twice) == [("repeated-key", *fault)]
    spread = json.dumps(FULL, indent=1).replace(old, new)
    assert faults(spread) == [("repeated-key", *fault)]


@pytest.mark.parametrize(
    "message", ['say "time": now', '"', '\\":', ' " : ', "\t", '{"a": 1, "a": 2}']
)
def test_a_message_may_look_like_keys(message: str) -> None:
    """What stands inside a text is no key."""
    record = decode_record(text(with_row("submissions", message=message)))
    assert record.submissions[0].message == message
    compact = json.dumps(with_row("submissions", message=message), separators=(",", ":"))
    assert decode_record(compact) == record


# --- several faults ------------------------------------------------------------------------------


def test_all_faults_are_listed_at_once() -> None:
    """One run shows everything that is wrong, each with its tab and row."""

    def spoil(match: Match) -> None:
        del match["name"]
        match["extra"] = None
        match["settings"].update(room_clock="both", colour="red")
        match["players"][1].update(cell="D", garnets=-1)
        match["rounds"].append({"number": 0, "minutes": "10"})
        match["queue"] += [{"time": "soon"}, 7]
        match["submissions"][0].update(edited="later")
        match["adjustments"] = {}

    stop = stopped(text(changed(FULL, spoil)))
    assert sorted((f.code, f.tab or "", f.row or 0) for f in stop.faults) == [
        ("bad-type", "Adjustments", 0),
        ("bad-type", "Queue", 3),
        ("bad-value", "Players", 2),
        ("bad-value", "Players", 2),
        ("bad-value", "Queue", 2),
        ("bad-value", "Rounds", 2),
        ("bad-value", "Rounds", 2),
        ("bad-value", "Settings", 0),
        ("bad-value", "Submissions", 9),
        ("missing-key", "", 0),
        ("missing-key", "Queue", 2),
        ("unknown-key", "", 0),
        ("unknown-key", "Settings", 0),
    ]
    assert stop.name is None


def test_a_stop_as_json() -> None:
    """What an archive prints in place of a result names the match, and each fault's place."""
    stop = stopped(text({**PLAIN, "start": "soon"}))
    assert stop.as_json() == {
        "format": "referee-stop/1",
        "name": "MM8",
        "faults": [
            {
                "code": "bad-value",
                "tab": None,
                "row": None,
                "player": None,
                "text": 'the record\'s "start" is "soon": "soon" is not a time; write it like '
                "2026-11-29T20:00:00Z or 2026-11-29T20:00:00.250+01:00",
            }
        ],
    }


@pytest.mark.parametrize("name", [None, 7, ["MM8"]])
def test_a_stop_of_a_match_without_a_name(name: Any) -> None:
    """Where the record has no name that is one, the stop has none."""
    assert stopped(text({**PLAIN, "name": name})).name is None


# --- anything at all -----------------------------------------------------------------------------

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**53, 2**70, 10**400, 0.5, 1e300]),
    st.sampled_from(
        ["", "Ann", "A", "void", "allow", TIME, "9999-12-31T23:59:59.999Z", "\u0000", "🐷"]
    ),
    st.sampled_from(["0001-01-01T00:00:00Z", "enter", "swap", "food", "recorded"]),
    st.lists(st.none(), max_size=1),
    st.dictionaries(st.sampled_from(["time", "x"]), st.none(), max_size=1),
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value that something else can be put into."""
    found = []
    if isinstance(value, dict | list):
        for key in range(len(value)) if isinstance(value, list) else list(value):
            found += [(value, key), *_places(value[key])]
    return found


@given(sound_matches(), st.data())
def test_a_spoilt_record_gives_a_result_or_faults(match: Match, data: st.DataObject) -> None:
    """Whatever is deleted or replaced, the answer is a result or a list of faults."""
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(_places(match)))
        if data.draw(st.booleans()):
            del holder[key]
        else:
            holder[key] = data.draw(VALUES)
    played = judge(match)
    if isinstance(played, Stopped):
        assert played.faults
        assert all(fault.text and fault.code for fault in played.faults)
        json.dumps(played.as_json())
    else:
        assert json.loads(played.to_json())["format"] == "referee-result/1"


@given(st.data())
def test_an_unknown_action_made_in_python(data: st.DataObject) -> None:
    """A record built by hand may hold what no JSON could: that, too, is a fault of its row."""
    action: Any = data.draw(st.text(min_size=1).filter(lambda word: word != "join"))
    record = decode_record(text(PLAIN))
    row = msgspec.structs.replace(record.queue[0], action=action)
    with pytest.raises(Stopped) as raised:
        replay(msgspec.structs.replace(record, queue=(row,)))
    (fault,) = raised.value.faults
    assert fault.tab == "Queue"
    assert fault.row == 1


@pytest.mark.parametrize("cell", ["D", "H", "a", "", "AB"])
def test_an_impossible_cell_made_in_python(cell: Any) -> None:
    """So is a starting cell that is none of the ring."""
    record = decode_record(text(PLAIN))
    players = (msgspec.structs.replace(record.players[0], cell=cell), record.players[1])
    with pytest.raises(Stopped) as raised:
        replay(msgspec.structs.replace(record, players=players))
    (fault,) = raised.value.faults
    assert (fault.code, fault.tab, fault.row) == ("bad-cell", "Players", 1)
    assert f"starts on {quoted(cell)}" in fault.text
