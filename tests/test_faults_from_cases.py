"""Faults people met in this kind of job, each tried on a real workbook by the command line.

The names carry the case's number. What every case owes is checked on the way: a refusal exits 3,
names its cells, writes nothing and shows no traceback; resolving never changes a host's tab.
"""

import re
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import time as time_of_day
from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font

from tests.support.chat_exports import ROLE, export, message
from tests.support.cli import (
    B0_HUNGER,
    B0_PEN,
    Cells,
    Ran,
    Tabs,
    b0,
    cells_of,
    change_cells,
    clock,
    copied,
    referee,
    referee_at,
    table,
    with_rows,
    write_book,
)

NOW = "2026-12-01T00:00:00Z"
OWNED = ("Pen", "Hunger", "Garnets", "Visits", "Result", "Notices", "Receipts")


class Host:
    """A host with one workbook."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "match.xlsx"

    def has(self, tabs: Mapping[str, Sequence[Sequence[Any]]]) -> "Host":
        write_book(self.path, tabs)
        return self

    def resolves(self, *options: str) -> Ran:
        """Resolve for good: exit code 0, no traceback, the host's tabs as they were."""
        before = hosts_cells(self.path)
        ran = referee_at(NOW, "resolve", *options, self.path)
        assert ran.code == 0, ran
        assert hosts_cells(self.path) == before
        return ran

    def gets_b0(self) -> Ran:
        """Resolve; the base game's own result is published and passes its audit."""
        ran = self.resolves()
        assert table(self.path, "Pen")[-1] == {"Round": 1, **B0_PEN}
        assert table(self.path, "Hunger")[-1] == {"Round": 1, **B0_HUNGER}
        assert referee_at(NOW, "audit", self.path).code == 0
        return ran

    def is_refused(self, *said: str) -> str:
        """Resolve in vain: exit code 3, everything said at once, the file as it was."""
        before = self.path.read_bytes()
        ran = referee_at(NOW, "resolve", self.path)
        assert (ran.code, ran.out) == (3, ""), ran
        for words in said:
            assert words in ran.err, words
        assert "Traceback" not in ran.err
        assert self.path.read_bytes() == before
        assert referee_at(NOW, "check", self.path).code == 3
        return ran.err


def hosts_cells(path: Path) -> dict[str, Any]:
    book = openpyxl.load_workbook(path)
    return {
        sheet.title: [[(c.value, c.number_format) for c in row] for row in sheet.iter_rows()]
        for sheet in book.worksheets
        if sheet.title not in OWNED
    }


def rewrite(path: Path, change: Callable[[str], str], part: str = "") -> None:
    """Change the XML of a workbook's sheets and texts, as another program would have written it."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    changed = dict(parts)
    for name in parts:
        if name == part or (not part and name.startswith(("xl/worksheets/", "xl/sharedStrings"))):
            changed[name] = change(parts[name].decode("utf-8")).encode()
    assert changed != parts
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in changed.items():
            archive.writestr(name, content)


def replaced(path: Path, old: str, new: str) -> None:
    """Put other letters into a workbook's texts, which openpyxl itself would refuse or cut."""
    rewrite(path, lambda xml: xml.replace(old, new))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


QUEUE = [row[:3] for row in b0()["Queue"]]


def test_the_base_game(host: Host) -> None:
    """B0 as it stands; without its swap all six would be at 9."""
    ran = host.has(b0()).gets_b0()
    assert ran.err == ""
    host.has(b0(Submissions=b0()["Submissions"][:1])).resolves()
    assert set(table(host.path, "Hunger")[-1].values()) == {1, 9}


def test_c001_one_header_in_two_columns(host: Host) -> None:
    """Neither of two Player columns is chosen."""
    header = ["Timestamp", "Player", "Action", "Player"]
    rows: Cells = [header, [clock("19:01:00"), "Ann", "join", "Bob"]]
    host.has(b0(Queue=rows)).is_refused(
        'Queue row 1: header "Player" is in column B and column D; rename or remove one'
    )


def test_c002_columns_without_a_header_are_the_hosts_own(host: Host) -> None:
    """Scratch notes in headerless columns neither block the match nor shift a column."""
    rows: Cells = [
        ["Timestamp", None, "Player", "Action", None],
        [clock("19:01:00"), "late?", "Ann", "join", "ask her"],
        [clock("19:01:40"), None, "Ann", "exit", 17],
    ]
    host.has(b0(Queue=rows)).gets_b0()


def test_c004_a_wiped_tab(host: Host) -> None:
    """A tab without anything in it has no header row, and says which it should have."""
    host.has(b0(Submissions=[])).is_refused(
        "Submissions: no header row; expected Timestamp, Player, Message"
    )


@pytest.mark.parametrize("order", [("Notes", 0, 1, 2), (2, 1, 0), (1, "Notes", 2, 0)])
def test_c005_columns_are_found_by_name(host: Host, order: tuple[Any, ...]) -> None:
    """An inserted column and any order of columns read the same; a hidden column counts."""
    rows: Cells = [[row[i] if isinstance(i, int) else i for i in order] for row in QUEUE]
    host.has(b0(Queue=rows))
    book = openpyxl.load_workbook(host.path)
    book["Queue"].column_dimensions["B"].hidden = True
    book.save(host.path)
    host.gets_b0()


def test_c005_a_missing_header_is_named(host: Host) -> None:
    """The tab, the row and the header that is not there."""
    rows: Cells = [["Timestamp", "Playr", "Action"], *QUEUE[1:]]
    host.has(b0(Queue=rows)).is_refused('Queue row 1: no header "Player" (nearest: "Playr")')


@pytest.mark.parametrize("by_filter", [True, False])
def test_c007_hidden_rows_count_and_are_named(host: Host, by_filter: bool) -> None:
    """A row that a filter or a hand hides counts all the same; one remark says which."""
    host.has(b0())
    book = openpyxl.load_workbook(host.path)
    if by_filter:
        book["Queue"].auto_filter.ref = "A1:D3"
        book["Queue"].auto_filter.add_filter_column(1, ["Bob"])
    book["Queue"].row_dimensions[3].hidden = True
    book.save(host.path)
    ran = host.gets_b0()
    assert ran.err == "note: Queue: row 3 is hidden and will count\n"


def renamed(names: Sequence[Any]) -> Tabs:
    """B0 with other names, each of whom queues once."""
    tabs = b0()
    known = dict(zip(("Ann", "Bob", "Cy", "Dee", "Eve", "Flo"), names, strict=True))
    for row in tabs["Players"][1:]:
        row[0], row[2] = known[row[0]], known[row[2]]
    for tab in ("Queue", "Submissions"):
        for row in tabs[tab][1:]:
            row[1] = known[row[1]]
    for minute, name in enumerate(names[1:], 3):
        tabs["Queue"].append([clock(f"19:{minute:02}:00"), name, "join", None])
    return tabs


@pytest.mark.parametrize("seven", ["7", 7])
def test_c008_leading_zeros_make_a_name(host: Host, seven: Any) -> None:
    """007 and 7 are two players, also where 7 is a number, and are shown as they are."""
    host.has(renamed(["007", seven, "Cy", "Dee", "Eve", "Flo"])).resolves()
    assert cells_of(host.path, "Hunger")[0][:3] == ["Round", "007", "7"]
    assert [row["Player"] for row in table(host.path, "Visits")][:2] == ["007", "7"]
    shown = referee_at(NOW, "show", "--json", host.path).json
    assert list(shown["garnets"])[:2] == ["007", "7"]
    said = referee_at(NOW, "announce", "--hunger", host.path).out
    assert "007" in said
    assert "7.0" not in said
    assert referee_at(NOW, "audit", host.path).code == 0


def test_c010_words_for_nothing_are_names(host: Host) -> None:
    """None, NA, null, nan and NaN's kin are ordinary players; only an empty cell is empty."""
    names = ["None", "NA", "null", "nan", "TRUE", "#N/A"]
    host.has(renamed(names))
    # openpyxl takes the last for an error; as text it is a name like any other.
    rewrite(host.path, lambda xml: xml.replace('t="e"', 't="str"'))
    host.resolves()
    assert cells_of(host.path, "Hunger")[0] == ["Round", *names]
    assert [row["Player"] for row in table(host.path, "Visits")] == names


def with_setting(title: str, value: Any) -> Tabs:
    return with_rows("Settings", [title, value])


@pytest.mark.parametrize(("value", "shown"), [("1,5", '"1,5"'), ("1,000", '"1,000"'), (1.5, "1.5")])
def test_c011_a_decimal_comma_is_never_a_thousands_mark(host: Host, value: Any, shown: str) -> None:
    """A length that is not certainly a whole number is refused, never 15 or 1000."""
    for title, unit in (("Room seconds", "seconds"), ("Round minutes", "minutes")):
        host.has(with_setting(title, value)).is_refused(
            f"Settings!B5: {shown} is not a whole number of {unit}"
        )
    host.has(with_setting("Extra visit garnets", value)).is_refused(f"Settings!B5: {shown} is not")


@pytest.mark.parametrize("number_format", ["h:mm", "d-mmm", "General", "yyyy"])
def test_c013_what_a_cell_shows_is_not_what_it_holds(host: Host, number_format: str) -> None:
    """Times keep their seconds whatever the format shows of them."""
    host.has(b0())
    book = openpyxl.load_workbook(host.path)
    for row in book["Queue"]["A2:A3"]:
        row[0].number_format = number_format
    book.save(host.path)
    host.gets_b0()


def test_c013_a_time_without_seconds_is_asked_for(host: Host) -> None:
    """A text that holds no seconds cannot order two visits of a minute."""
    rows: Cells = [QUEUE[0], ["19:01", "Ann", "join"]]
    assert "seconds" in host.has(b0(Queue=rows)).is_refused('Queue!A2: "19:01"')


def queued_at(*cells: Any) -> Tabs:
    return b0(Queue=[QUEUE[0], *([cell, "Ann", action] for cell, action in
                                 zip(cells, ("join", "exit"), strict=True))])  # fmt: skip


def test_c014_one_order_of_day_and_month_for_a_whole_column(host: Host) -> None:
    """Rows that settle the order settle it for all; where none does, or two disagree: a stop."""
    march = b0(Rounds=[["Round", "Start"], [1, clock("19:00:00", "2026-03-02")]])
    march["Settings"][2] = ["Match start", clock("18:50:00", "2026-03-02")]
    march["Submissions"][1][0] = clock("19:01:20", "2026-03-02")
    march["Queue"] = [
        QUEUE[0],
        ["02/03/2026 19:01:00", "Ann", "join"],
        ["02/03/2026 19:01:40", "Ann", "exit"],
        ["13/03/2026 19:02:00", "Bob", "withdraw"],
    ]
    ran = host.has(march).gets_b0()
    assert "Queue!A4" in ran.err  # days from the match: worth a look
    march["Queue"] = march["Queue"][:3]
    host.has(march).is_refused("Queue!A2: ", "Queue!A3: ")
    march["Queue"].append(["13/03/2026 19:02:00", "Bob", "join"])
    march["Queue"].append(["03/13/2026 19:02:00", "Bob", "join"])
    host.has(march).is_refused("Queue!A4: ", "Queue!A5: ")


def test_c016_serial_numbers_are_rounded_not_cut(host: Host) -> None:
    """19:01:00, 19:02:00 and 19:10:00 as a sheet stores them are exactly these instants."""
    host.has(b0())
    book = openpyxl.load_workbook(host.path)
    sheet = book["Queue"]
    for row, (serial, player, action) in enumerate(
        (
            (46082.7923611111, "Ann", "join"),
            (46082.7930555556, "Ann", "exit"),
            (46082.7986111111, "Bob", "join"),
        ),
        2,
    ):
        sheet.cell(row, 1).value = serial
        sheet.cell(row, 1).number_format = "yyyy-mm-dd hh:mm:ss"
        sheet.cell(row, 2).value, sheet.cell(row, 3).value = player, action
    book.save(host.path)
    host.gets_b0()
    visit = table(host.path, "Visits")[0]
    assert (visit["Entered"], visit["Left"]) == ("2026-03-01 19:01:00", "2026-03-01 19:02:00")
    assert visit["Because"] == "exit"
    queue = referee_at(NOW, "show", "--json", host.path).json["rounds"][0]["queue"]
    assert queue == ["Bob"]  # at 19:10:00, the very end: it counts in round 1 and waits


@pytest.mark.parametrize(
    ("value", "number_format", "minutes"),
    [
        (10, "General", 10),
        ("10", "@", 10),
        ("10 min", "@", 10),
        (time_of_day(10), "h:mm", None),
        (timedelta(minutes=10), "h:mm:ss", None),
        (timedelta(minutes=10), "[mm]:ss", None),
        (timedelta(hours=25), "[h]:mm:ss", None),
        ("10:00", "@", None),
        ("0:10:00", "@", None),
        ("25:00:00", "@", None),
        (0, "h:mm", None),
    ],
)
def test_c017_a_clock_time_is_no_number_of_minutes(
    host: Host, value: Any, number_format: str, minutes: int | None
) -> None:
    """Ten minutes, or the question: hours or minutes? Never ten hours."""
    host.has(with_setting("Round minutes", value))
    book = openpyxl.load_workbook(host.path)
    book["Settings"]["B5"].number_format = number_format
    book.save(host.path)
    if minutes is None:
        assert "a whole number of minutes" in host.is_refused("Settings!B5: ")
    else:
        host.gets_b0()


def night(day: str, start: str) -> Tabs:
    """B0 on another night, without anything logged."""
    tabs = b0(Queue=[QUEUE[0]], Submissions=[b0()["Submissions"][0]], Rounds=[["Round"], [1]])
    tabs["Settings"][2] = ["Match start", f"{day}T{start}"]
    return tabs


def test_c017_a_round_of_its_own_length_is_read_like_a_setting(host: Host) -> None:
    """Minutes may be named as such; a clock time in their place is asked about."""
    header = ["Round", "Start", "Minutes"]
    host.has(b0(Rounds=[header, [1, clock("19:00:00"), "10 min."]])).gets_b0()
    for cell, shown in ((time_of_day(0, 10), "00:10:00"), ("10:00", '"10:00"')):
        host.has(b0(Rounds=[header, [1, clock("19:00:00"), cell]])).is_refused(
            f"Rounds!C2: {shown}: hours or minutes? write a whole number of minutes, like 10"
        )


def test_c019_a_visit_over_the_change_of_clocks_is_as_long_as_it_was(host: Host) -> None:
    """From 01:59:30 summer time to 01:00:10 winter time are 40 seconds."""
    tabs = night("2026-11-01", "01:45:00-04:00")
    tabs["Queue"] += [
        ["2026-11-01T01:59:30-04:00", "Ann", "join"],
        ["2026-11-01T01:00:10-05:00", "Ann", "exit"],
    ]
    host.has(tabs).resolves()
    (visit,) = referee_at(NOW, "show", "--json", host.path).json["rounds"][0]["visits"]
    assert (visit["entered"], visit["left"]) == ("2026-11-01T05:59:30Z", "2026-11-01T06:00:10Z")
    assert referee_at(NOW, "audit", host.path).code == 0
    changed = table(host.path, "Visits")[0]
    assert changed["Entered"] != changed["Left"]


@pytest.mark.parametrize(
    ("day", "start", "cell", "why"),
    [
        ("2026-11-01", "01:45:00-04:00", "2026-11-01 01:30:00", "happens twice"),
        ("2026-03-08", "01:45:00-05:00", "2026-03-08 02:30:00", "does not exist"),
    ],
)
def test_c019_a_time_that_comes_twice_or_never_is_refused(
    host: Host, day: str, start: str, cell: str, why: str
) -> None:
    """The fault names the cell, the zone and a way to write it."""
    tabs = night(day, start)
    tabs["Queue"].append([cell, "Ann", "join"])
    # In a process of its own: a stopped clock's datetimes know no second hour.
    ran = referee("resolve", host.has(tabs).path)
    assert (ran.code, ran.out) == (3, "")
    assert f'Queue!A2: "{cell}" {why} in America/New_York' in ran.err


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "UTC", "America/Los_Angeles"])
def test_c020_the_machines_own_zone_changes_nothing(host: Host, zone: str) -> None:
    """Wall-clock times are in the zone that Settings names, wherever the host sits."""
    host.has(b0())
    ran = referee("resolve", "--early", host.path, env={"TZ": zone})
    assert ran.code == 0
    assert table(host.path, "Visits")[0]["Entered"] == "2026-03-01 19:01:00"
    told = referee("show", "--json", host.path, env={"TZ": zone}).json
    assert told["rounds"][0]["visits"][0]["entered"] == "2026-03-02T00:01:00Z"


def test_c022_the_order_of_the_sheet_decides_between_rows_of_one_instant(host: Host) -> None:
    """Bob's row under Ann's in the same second: told with its row, the same on every run."""
    rows = [
        QUEUE[0],
        [clock("19:01:00"), "Ann", "join"],
        [clock("19:01:00"), "Bob", "join"],
        [clock("19:01:40"), "Ann", "exit"],
    ]
    host.has(b0(Queue=rows)).gets_b0()
    visits = table(host.path, "Visits")
    assert [(v["Player"], v["Told"]) for v in visits] == [("Ann", None), ("Bob", "Ann")]
    notices = [(n["Code"], n["Tab"], n["Row"]) for n in table(host.path, "Notices")]
    assert notices == [("same-instant", "Queue", 3)]
    shown = {referee_at(NOW, "show", "--json", host.path).out for _ in range(3)}
    assert len(shown) == 1
    turned = [rows[0], rows[2], rows[1], rows[3]]
    host.has(b0(Queue=turned)).resolves()
    assert [v["Player"] for v in table(host.path, "Visits")] == ["Bob", "Ann"]
    assert [n["Row"] for n in table(host.path, "Notices") if n["Code"] == "same-instant"] == [3]


@pytest.mark.parametrize(
    ("entered", "sent", "counts"),
    [
        ("19:09:59", "19:10:59", True),
        ("19:09:59", "19:10:59.001", False),
        ("19:09:30", "19:10:20", True),
        ("19:09:30", "19:10:30", True),
        ("19:09:30", "19:10:31", False),
    ],
)
def test_c023_both_ends_of_a_visit_belong_to_it(
    host: Host, entered: str, sent: str, counts: bool
) -> None:
    """A swap at second 60 counts, a millisecond later it is late; also past the bell."""
    tabs = b0(
        Queue=[QUEUE[0], [clock(entered), "Ann", "join"]],
        Submissions=[b0()["Submissions"][0], [clock(sent), "Ann", "A D", None, None]],
    )
    host.has(tabs).resolves()
    assert table(host.path, "Visits")[0]["Swap"] == ("AD" if counts else None)
    codes = [notice["Code"] for notice in table(host.path, "Notices")]
    # Past the official end of the last listed round a row waits and is no notice yet.
    assert codes == []
    assert referee_at(NOW, "audit", host.path).code == 0


@pytest.mark.parametrize(
    ("joined", "visits"), [("19:09:59.999", 1), ("19:10:00", 0), ("19:10:01", 0)]
)
def test_c023_nobody_enters_at_the_bell(host: Host, joined: str, visits: int) -> None:
    """Whoever joins at the bell or later waits for the next round."""
    tabs = b0(Queue=[QUEUE[0], [clock(joined), "Ann", "join"]])
    host.has(tabs).resolves()
    assert len(table(host.path, "Visits")) == visits


def test_c023_a_message_in_the_very_instant_of_leaving_counts(host: Host) -> None:
    """The exit's own instant belongs to the visit."""
    tabs = b0()
    tabs["Submissions"][1][0] = clock("19:01:40")
    host.has(tabs).gets_b0()


def test_c035_odd_tab_names_are_read_and_written(host: Host) -> None:
    """Apostrophes, names like cells and emoji; messages show them as the host sees them."""
    tabs = b0()
    tabs["Host's Queue"] = tabs.pop("Queue")
    tabs["Settings"] += [
        ["Queue tab", "Host's Queue"],
        ["Pen tab", "🐷 Pen"],
        ["Hunger tab", "PEN1"],
        ["Result tab", "R1"],
    ]
    assert referee_at(NOW, "resolve", host.has(tabs).path).code == 0
    assert table(host.path, "🐷 Pen")[-1] == {"Round": 1, **B0_PEN}
    assert table(host.path, "PEN1")[-1] == {"Round": 1, **B0_HUNGER}
    assert table(host.path, "R1")[0] == {"Item": "Status", "Value": "running"}
    assert referee_at(NOW, "audit", host.path).code == 0
    assert "nothing new" in referee_at(NOW, "resolve", host.path).out
    change_cells(host.path, {"Host's Queue!B2": "Zed"})
    host.is_refused("Host's Queue!B2: ")


def test_c035_a_title_no_workbook_can_have_is_refused(host: Host) -> None:
    """A colon cannot stand in a tab's title; nothing is written."""
    tabs = with_rows("Settings", ["Visits tab", "Log: day 1"])
    before = host.has(tabs).path.read_bytes()
    ran = referee_at(NOW, "resolve", host.path)
    assert (ran.code, ran.out) == (3, "")
    assert "Log: day 1" in ran.err
    assert host.path.read_bytes() == before


def test_c037_titles_match_without_case_and_blanks(host: Host) -> None:
    """`Queue ` and `SUBMISSIONS` are read with a remark; two candidates stop the run."""
    tabs = b0()
    tabs["Queue "] = tabs.pop("Queue")
    tabs["SUBMISSIONS"] = tabs.pop("Submissions")
    ran = host.has(tabs).gets_b0()
    assert 'note: the tab "Queue " is read as Queue' in ran.err
    assert 'note: the tab "SUBMISSIONS" is read as Submissions' in ran.err
    tabs["rounds "] = tabs["Rounds"]
    host.has(tabs).is_refused('the tabs "Rounds" and "rounds " may both be Rounds')


def test_c038_a_tab_of_the_hosts_is_never_taken(host: Host) -> None:
    """A host's own tab `result` stops publishing by name; no Result1 ever appears."""
    host.has(b0(result=[["my notes"], ["do not touch"]]))
    for _ in range(2):
        before = host.path.read_bytes()
        ran = referee_at(NOW, "resolve", host.path)
        assert (ran.code, ran.out) == (3, "")
        assert '"result"' in ran.err or "'result'" in ran.err
        assert host.path.read_bytes() == before
    book = openpyxl.load_workbook(host.path)
    book["result"].title = "Notes"
    book.save(host.path)
    host.gets_b0()
    host.resolves()
    titles = openpyxl.load_workbook(host.path).sheetnames
    assert [title for title in titles if title.lower().startswith("result")] == ["Result"]


@pytest.mark.parametrize("length", [40_000, 60_000])
def test_c040_a_wall_of_text_is_read_and_shortened_visibly(host: Host, length: int) -> None:
    """It is no swap; where it is echoed it ends in a mark, and the audit finds it equal."""
    tabs = with_rows("Submissions", [clock("19:01:30"), "Ann", "A D wall", None, None])
    host.has(tabs)
    replaced(host.path, "A D wall", "A D" + "x" * length)
    host.gets_b0()
    texts = [notice["Text"] for notice in table(host.path, "Notices")]
    assert any("…" in text for text in texts)
    assert max(map(len, texts)) <= 2000
    assert referee_at(NOW, "audit", host.path).code == 0


def test_c041_fewer_rows_leave_nothing_below(host: Host) -> None:
    """Twelve visits, then eight: the tab holds eight rows and no dead ones."""
    pings = [
        [clock(f"19:{minute:02}:{second:02}"), player, action]
        for minute in range(6)
        for second, player, action in (
            (0, "Bob", "join"),
            (20, "Bob", "exit"),
            (30, "Cy", "join"),
            (50, "Cy", "exit"),
        )
    ]
    host.has(b0(Queue=[QUEUE[0], *pings], Submissions=[b0()["Submissions"][0]])).resolves()
    assert len(cells_of(host.path, "Visits")) == 1 + 12
    book = openpyxl.load_workbook(host.path)
    book["Queue"].delete_rows(2, 8)
    book.save(host.path)
    assert referee_at(NOW, "resolve", host.path).code == 1
    host.resolves("--reopen", "1")
    assert len(cells_of(host.path, "Visits")) == 1 + 8
    assert referee_at(NOW, "audit", host.path).code == 0


def test_c043_a_player_called_nan_is_text_and_numbers_are_numbers(host: Host) -> None:
    """Names like numbers stay texts in the owned tabs, points stay whole numbers."""
    host.has(renamed(["NaN", "inf", "1e5", "Dee", "Eve", "Flo"])).resolves()
    assert cells_of(host.path, "Hunger")[0][:4] == ["Round", "NaN", "inf", "1e5"]
    for row in cells_of(host.path, "Garnets")[1:]:
        assert {type(cell) for cell in row} == {int}


def test_c044_import_goes_under_the_last_row_of_the_table(host: Host) -> None:
    """A gap in the row above and a side table at the right do not move where rows land."""
    tabs = with_message_ids()
    tabs["Queue"].append([clock("19:03:00"), "Bob", None, None, None])
    side: Cells = [["Seen", "By", "Whom"], *([n, n, n] for n in range(2, 10))]
    rows: Cells = tabs["Queue"] + [[None, None, None, None, None]] * 5
    tabs["Queue"] = [[*row, *extra] for row, extra in zip(rows, side, strict=True)]
    imports_pings(host.has(tabs), 4, 5)
    rows = cells_of(host.path, "Queue")
    assert [row[:3] for row in rows[4:6]] == [
        [clock("19:04:00"), "Ann", "join"],
        [clock("19:05:00"), "Ann", "join"],
    ]
    assert [row[5:] for row in rows] == side


def with_message_ids() -> Tabs:
    """B0 with a column for message ids, and Ann's Discord id."""
    tabs = b0()
    for tab in ("Queue", "Submissions"):
        tabs[tab] = [[*row, "Message id" if row[0] == "Timestamp" else None] for row in tabs[tab]]
    tabs["Players"][1][4] = "11"
    return tabs


def imports_pings(host: Host, *minutes: int) -> None:
    """Import a ping of Ann's at each of these minutes past 19:00."""
    chat = host.path.with_name("ann.json")
    pings = [message(n, f"<@&{ROLE}>", at=f"2026-03-01T19:0{n}:00-05:00") for n in minutes]
    chat.write_bytes(export(pings))
    ran = referee_at(NOW, "import", host.path, chat, "--dealer-role", ROLE)
    assert ran.code == 0, ran


def test_c046_a_save_between_reading_and_writing_is_noticed(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host saved in between: nothing is written over it, and the next run takes both."""
    host.has(b0())
    from referee.judging import resolving

    plan = resolving.plan

    def plan_while_the_host_saves(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(resolving, "plan", plan)
        change_cells(host.path, {"Queue!D2": "void"})
        return plan(*arguments, **named)

    monkeypatch.setattr(resolving, "plan", plan_while_the_host_saves)
    ran = referee_at(NOW, "resolve", host.path)
    assert (ran.code, ran.out) == (4, "")
    assert "match.xlsx was changed by somebody else" in ran.err
    assert "Pen" not in openpyxl.load_workbook(host.path).sheetnames
    host.resolves()
    assert table(host.path, "Visits") == []


def test_c047_publishing_keeps_every_other_tab(host: Host) -> None:
    """The six old tabs stand with equal cells, only the owned ones are added."""
    tabs = b0(Notes=[["call Bob", 1.5, None, "=1+1"], [], ["end"]])
    host.has(tabs).gets_b0()
    titles = openpyxl.load_workbook(host.path).sheetnames
    assert titles == [*tabs, *OWNED]
    assert cells_of(host.path, "Notes") == [["call Bob", 1.5, None, "=1+1"], [None] * 4,
                                            ["end", None, None, None]]  # fmt: skip


def test_c049_a_formula_needs_its_stored_value(host: Host) -> None:
    """Without one it stops the run by its cell; with one it counts, and stays a formula."""
    host.has(b0())
    change_cells(host.path, {"Queue!B2": "=Players!A2", "Queue!A3": "=A2+TIME(0,0,40)"})
    host.is_refused("Queue!A3: ", "Queue!B2: ", "formula")
    assert "save" in host.is_refused("Queue!B2: ")
    rewrite(
        host.path,
        lambda xml: re.sub(
            r"<f>A2\+TIME\(0,0,40\)</f><v ?/?>(</v>)?",
            "<f>A2+TIME(0,0,40)</f><v>46082.7928240741</v>",
            re.sub(
                r'<c r="B2"([^>]*?)( t="\w+")?><f>Players!A2</f><v ?/?>(</v>)?',
                r'<c r="B2"\1 t="str"><f>Players!A2</f><v>Ann</v>',
                xml,
            ),
        ),
    )
    assert table(host.path, "Queue")[0]["Player"] == "=Players!A2"
    host.gets_b0()
    assert table(host.path, "Queue")[0]["Player"] == "=Players!A2"
    assert table(host.path, "Queue")[1]["Timestamp"] == "=A2+TIME(0,0,40)"


@pytest.mark.parametrize("dimension", ['<dimension ref="A1"/>', ""])
def test_c050_the_stated_size_of_a_sheet_is_not_believed(host: Host, dimension: str) -> None:
    """All rows are read though the file says that only A1 is used, or nothing at all."""
    host.has(b0())
    rewrite(host.path, lambda xml: re.sub(r"<dimension [^>]*/>", dimension, xml))
    host.gets_b0()


@pytest.mark.parametrize("last", [5000, 1_048_576])
def test_c052_formats_far_below_cost_nothing(host: Host, last: int) -> None:
    """It ends in seconds, and imported rows land under the last one that says something."""
    host.has(with_message_ids())
    book = openpyxl.load_workbook(host.path)
    book["Queue"].cell(last, 1).font = Font(bold=True)
    book.save(host.path)
    began = time.monotonic()
    imports_pings(host, 4)
    resolved = referee_at(NOW, "resolve", host.path)
    assert resolved.code == 0
    assert time.monotonic() - began < 10
    opened = openpyxl.load_workbook(host.path)
    assert [cell.value for cell in opened["Queue"][4]][:3] == [clock("19:04:00"), "Ann", "join"]


def test_c053_a_workbook_that_unpacks_to_too_much_is_refused_at_once(host: Host) -> None:
    """Half a gigabyte of blanks in one sheet is told by the sheet's name, quickly."""
    host.has(b0())
    with zipfile.ZipFile(host.path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(host.path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            if name != "xl/worksheets/sheet4.xml":
                archive.writestr(name, content)
                continue
            head, _, tail = content.partition(b"<sheetData>")
            with archive.open(name, "w") as part:
                part.write(head + b"<sheetData>")
                for _ in range(512):
                    part.write(b" " * 2**20)
                part.write(tail)
    began = time.monotonic()
    ran = referee_at(NOW, "resolve", host.path)
    assert time.monotonic() - began < 5
    assert (ran.code, ran.out) == (3, "")
    assert "Queue" in ran.err
    assert "too large" in ran.err


def test_c055_a_publishing_that_fails_leaves_the_old_file(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full at any step: the old bytes, no stray file, exit code 4."""
    import errno
    import os

    host.has(b0())
    before = host.path.read_bytes()

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        ran = referee_at(NOW, "resolve", host.path)
    assert (ran.code, ran.out) == (4, "")
    assert "the disk is full" in ran.err
    assert host.path.read_bytes() == before
    assert [place.name for place in host.path.parent.iterdir()] == [host.path.name]
    host.gets_b0()


def test_c056_a_workbook_that_is_open_in_excel(host: Host) -> None:
    """Writing waits until it is closed there; reading goes on; Excel's own file is no workbook."""
    host.has(b0())
    sign = host.path.with_name(f"~${host.path.name}")
    sign.write_bytes(b"\x04host" + b" " * 160)
    before = host.path.read_bytes()
    ran = referee_at(NOW, "resolve", host.path)
    assert (ran.code, ran.out) == (4, "")
    assert "match.xlsx is open in Excel: save and close it there, then run again" in ran.err
    assert host.path.read_bytes() == before
    assert referee_at(NOW, "check", host.path).code == 0
    read = referee_at(NOW, "audit", host.path, sign)
    assert read.code == 4
    assert "Traceback" not in read.err
    sign.unlink()
    host.gets_b0()


def test_c058_one_name_in_two_spellings(host: Host) -> None:
    """Composed and decomposed letters, ß and SS, İ and i are the same player."""
    tabs = renamed(["Zo\u00eb", "STRASSE", "\u0130pek", "Dee", "Eve", "Flo"])
    for row in tabs["Queue"][1:]:
        row[1] = {"Zo\u00eb": "Zoe\u0308", "STRASSE": "straße", "\u0130pek": "ipek"}.get(
            row[1], row[1]
        )
    host.has(tabs).resolves()
    visitors = [row["Player"] for row in table(host.path, "Visits")]
    assert visitors[:3] == ["Zo\u00eb", "STRASSE", "\u0130pek"]
    tabs["Players"][4][0] = "strasse"
    tabs["Players"][3][2] = "strasse"
    said = host.has(tabs).is_refused("Players!A5: ")
    assert "Players!A3" in said


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("\uff21 \uff24", True),
        ("a d", True),
        ("A-D", True),
        ("A\u2194D", True),
        ("swap A and D", True),
        ("\u24b6 D", False),
        ("A D or B D", False),
        ("\u0410 D", False),
    ],
)
def test_c059_what_looks_like_a_swap(host: Host, said: str, read: bool) -> None:
    """Full-width letters, case and separators are read; look-alikes and two readings are not."""
    tabs = b0()
    tabs["Submissions"][1][2] = said
    if read:
        host.has(tabs).gets_b0()
        return
    host.has(tabs).resolves()
    assert set(table(host.path, "Hunger")[-1].values()) == {1, 9}
    (notice,) = table(host.path, "Notices")
    assert (notice["Code"], notice["Row"]) == ("unreadable-swap", 2)
    if said.startswith("\u0410"):
        assert "U+0410" in notice["Text"]
    assert referee_at(NOW, "audit", host.path).code == 0


def test_c061_two_players_of_one_name(host: Host) -> None:
    """Doubled names in Players stop the run with both cells."""
    tabs = b0()
    tabs["Players"][1][0] = tabs["Players"][2][0] = "Alex"
    said = host.has(tabs).is_refused("Players!A3: ")
    assert '"Alex" is the same name as "Alex" in Players!A2' in said


def test_c062_somebody_who_does_not_play(host: Host) -> None:
    """A spectator in Queue is named with the nearest player, among all other faults."""
    tabs = with_rows("Queue", [clock("19:03:00"), "Zed", "join", None])
    tabs["Queue"].append([clock("19:04:00"), "De", "jump", None])
    tabs["Rounds"].append(["two", None, None])
    said = host.has(tabs).is_refused(
        'Queue!B4: "Zed" is not in Players (players: Ann, Bob, Cy, Dee, Eve, Flo)',
        'Queue!B5: "De" is not in Players (nearest: Dee)',
        'Queue!C5: "jump" is not an action',
        'Rounds!A3: "two" is not a whole number',
    )
    assert said.startswith("Mend these 4 first; nothing was written:")


def test_c059_letters_that_only_look_like_ours_are_named(host: Host) -> None:
    """A Cyrillic letter in a name, a rival or a cell is told by its number, not just echoed."""
    tabs = with_rows("Queue", [clock("19:05:00"), "\u0410nn", "join", None])
    tabs["Players"][2][2] = "C\u0443"
    tabs["Players"][4][1] = "\u0415"
    host.has(tabs).is_refused(
        'Queue!B4: "\u0410nn" is not in Players (nearest: Ann; the \u0410 here is U+0410, not A)',
        'Players!C3: "C\u0443" is not in Players (nearest: Cy; the \u0443 here is U+0443, not y)',
        'Players!B5: "\u0415" is no cell (the \u0415 here is U+0415); write one of A, B, C, E,',
    )


def test_c065_control_characters_never_break_the_file(host: Host) -> None:
    """A message with what XML cannot hold is read; a name with it is refused by its cell."""
    host.has(with_rows("Submissions", [clock("19:01:30"), "Ann", "VT here", None, None]))
    replaced(host.path, "VT here", "A D_x000B_\ufffd")
    host.gets_b0()
    (notice,) = table(host.path, "Notices")
    assert notice["Code"] == "unreadable-swap"
    host.has(b0())
    replaced(host.path, "<t>Flo<", "<t>Fl_x0000_o<")
    host.is_refused("Players!A7: ", "U+0000")


def test_c077_a_draw_falls_alike_on_every_run(host: Host) -> None:
    """Two starved pigs, nothing to tell them apart: one seed, one name, in every process."""
    tabs = b0(Queue=[QUEUE[0]], Submissions=[b0()["Submissions"][0]])
    tabs["Settings"] += [["Starting hunger", 1], ["Tie-break seed", "beans"]]
    host.has(tabs).resolves()
    found = {row["Item"]: row["Value"] for row in table(host.path, "Result")}
    assert found["Decided by"] == "draw"
    shown = set()
    for seed in range(5):
        env = {"PYTHONHASHSEED": str(seed)}
        ran = referee("show", "--json", host.path, env=env)
        shown.add(ran.out)
        assert ran.json["outcome"]["elimination_candidate"] == found["Elimination Candidate"]
    assert len(shown) == 1
    assert referee_at(NOW, "audit", host.path).code == 0
    turned = copied(host.path, "turned.xlsx")
    tabs["Players"] = [tabs["Players"][0], *tabs["Players"][:0:-1]]
    write_book(turned, tabs)
    referee_at(NOW, "resolve", turned)
    again = {row["Item"]: row["Value"] for row in table(turned, "Result")}
    assert again["Elimination Candidate"] == found["Elimination Candidate"]
