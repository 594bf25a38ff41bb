"""The library as a host's own script uses it: open, read_record, replay, audit, frames."""

import subprocess
import sys
from pathlib import Path

import pytest

import referee
from referee.sheets import Contradicted
from tests.support.cli import (
    B0_HUNGER,
    B0_PEN,
    b0,
    change_cells,
    clock,
    environment,
    referee_at,
    table,
    with_rows,
    write_book,
)

NOW = "2026-12-01T00:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    tabs = with_rows("Rounds", [2, None, None])
    tabs["Queue"].append([clock("19:12:00"), "Bob", "join", None])
    tabs["Submissions"].append([clock("19:12:10"), "Bob", "B E", None, None])
    tabs["Submissions"].append([clock("19:03:00"), "Dee", "B E", None, None])
    return write_book(tmp_path / "match.xlsx", tabs)


def test_a_script_replays_publishes_and_audits(path: Path) -> None:
    """The README's few lines: open, record, replay, publish, audit."""
    match = referee.open(path)
    record = match.record()
    result = referee.replay(record)
    assert result.rounds[0].pen == B0_PEN
    assert match.published() == {}
    match.publish(result)
    assert table(path, "Hunger")[0] == {"Round": 1, **B0_HUNGER}
    again = referee.open(str(path))
    found = referee.audit(again.record(), again.published())
    assert (found.rounds, found.differences) == ((1, 2), ())
    assert referee.audit(again.record()).frame().empty
    assert referee_at(NOW, "audit", path).code == 0


def test_publishing_the_same_again_writes_nothing(path: Path) -> None:
    """A script may publish as often as it likes."""
    match = referee.open(path)
    match.publish(referee.replay(match.record()))
    before, changed = path.read_bytes(), path.stat().st_mtime_ns
    match.publish(referee.replay(match.record()))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, changed)


def test_a_published_round_stays_published_for_scripts_too(path: Path) -> None:
    """Other results and fewer rounds are refused with their differences, unless reopened."""
    match = referee.open(path)
    result = referee.replay(match.record())
    match.publish(result)
    before = path.read_bytes()
    with pytest.raises(Contradicted, match="Pen!A4") as fewer:
        match.publish(referee.replay(match.record(), 1))
    assert {difference.tab for difference in fewer.value.differences} >= {"Pen", "Hunger"}
    assert path.read_bytes() == before
    change_cells(path, {"Submissions!C2": "A C"})
    before = path.read_bytes()
    changed = referee.open(path)
    with pytest.raises(Contradicted, match="Pen!B3") as other:
        changed.publish(referee.replay(changed.record()))
    assert {difference.kind for difference in other.value.differences} == {"input"}
    assert path.read_bytes() == before
    changed.publish(referee.replay(changed.record()), reopen=1)
    assert table(path, "Pen")[1]["A"] == "Cy"
    assert isinstance(other.value, referee.RefereeError)


def test_one_round_may_be_published_after_the_other(path: Path) -> None:
    """A result of the first rounds publishes just these."""
    match = referee.open(path)
    match.publish(referee.replay(match.record(), 1))
    assert [row["Round"] for row in table(path, "Receipts")] == [1]
    match.publish(referee.replay(match.record(), 2))
    assert [row["Round"] for row in table(path, "Receipts")] == [1, 2]


def test_records_are_read_written_and_refused(path: Path, tmp_path: Path) -> None:
    """A record's JSON comes back as the same record; faults are all in the exception."""
    record = referee.open(path).record()
    place = tmp_path / "match.json"
    place.write_text(referee.encode_record(record), "utf-8")
    assert referee.read_record(place) == record
    assert referee.decode_record(place.read_bytes()) == record
    assert referee.open(place).record() == record
    assert referee.replay(record).to_json() == referee.replay(referee.read_record(place)).to_json()
    with pytest.raises(referee.Stopped) as stopped:
        referee.decode_record('{"format": "referee-match/1", "colour": "red"}')
    codes = [fault.code for fault in stopped.value.faults]
    assert "unknown-key" in codes
    assert codes.count("missing-key") >= 6


def test_errors_are_of_one_kind(tmp_path: Path) -> None:
    """Whatever a script may want to catch is a RefereeError, with words for a host."""
    with pytest.raises(referee.Unavailable, match="does not exist"):
        referee.open(tmp_path / "none.xlsx").record()
    with pytest.raises(referee.RefereeError, match="name a sheet"):
        referee.open(" ")
    faulty = write_book(tmp_path / "faulty.xlsx", b0(Queue=[["Timestamp"], [1]]))
    with pytest.raises(referee.Stopped) as stopped:
        referee.open(faulty).record()
    assert all(isinstance(fault, referee.Fault) for fault in stopped.value.faults)
    assert "Queue row 1" in str(stopped.value)


def test_opening_reads_nothing_yet(tmp_path: Path) -> None:
    """A name is looked at only when something is asked of it."""
    assert referee.open(tmp_path / "none.xlsx").name == "none.xlsx"
    assert referee.open(tmp_path / "none.json").name == "none.json"


def test_frames_have_proper_types(path: Path) -> None:
    """Each owned tab as a DataFrame: whole numbers, times with their zone, missing values."""
    frames = referee.frames(referee.replay(referee.open(path).record()))
    assert list(frames) == [
        "Pen", "Hunger", "Garnets", "Visits", "Result", "Notices", "Receipts",
    ]  # fmt: skip
    hunger = frames["Hunger"]
    assert list(hunger.columns) == ["Round", *B0_HUNGER]
    assert {str(kind) for kind in hunger.dtypes} == {"Int64"}
    assert hunger.set_index("Round").loc[1].to_dict() == B0_HUNGER
    visits = frames["Visits"]
    kinds = {name: str(kind) for name, kind in visits.dtypes.items()}
    for column in ("Entered", "Left", "Swap time"):
        assert kinds[column].startswith("datetime64[")
        assert kinds[column].endswith(", America/New_York]")
    assert str(visits.loc[0, "Entered"]) == "2026-03-01 19:01:00-05:00"
    assert kinds["Garnets paid"] == "Int64"
    assert visits["Told"].isna().all()
    pen = frames["Pen"]
    assert pen.loc[1, "A"] == "food"
    assert frames["Notices"].loc[0, "Row"] == 4
    assert str(frames["Notices"]["Text"].dtype).startswith("str")
    assert len(frames["Receipts"]) == 2


def test_a_player_called_like_a_column_has_a_column(tmp_path: Path) -> None:
    """Points stay numbers whatever the players are called."""
    tabs = b0()
    for row in tabs["Players"][1:]:
        row[0], row[2] = (
            {"Eve": "Awards", "Flo": "Round"}.get(name, name) for name in row[::2][:2]
        )
    book = write_book(tmp_path / "match.xlsx", tabs)
    frames = referee.frames(referee.replay(referee.open(book).record()))
    for title in ("Hunger", "Garnets"):
        assert list(frames[title].columns) == [
            "Round", "Ann", "Bob", "Cy", "Dee", "Awards", "Round",
        ]  # fmt: skip
        assert {str(kind) for kind in frames[title].dtypes[1:]} == {"Int64"}


def test_frames_of_nothing_are_empty_and_typed(tmp_path: Path) -> None:
    """A match before its first round has frames with their columns."""
    book = write_book(tmp_path / "start.xlsx", b0(Rounds=[["Round"]]))
    frames = referee.frames(referee.replay(referee.open(book).record()))
    assert frames["Visits"].empty
    assert str(frames["Visits"]["Entered"].dtype).startswith("datetime64[")
    assert list(frames["Hunger"].columns) == ["Round", *B0_HUNGER]
    assert frames["Pen"].loc[0, "D"] == "food"


def test_frames_of_an_ended_match_hold_its_awards(tmp_path: Path) -> None:
    """The row Awards of Garnets has no round; its column stays readable beside the numbers."""
    tabs = b0()
    tabs["Settings"] += [["Starting hunger", 2], ["Tie-break seed", "beans"]]
    book = write_book(tmp_path / "match.xlsx", tabs)
    result = referee.replay(referee.open(book).record())
    assert result.outcome is not None
    garnets = referee.frames(result)["Garnets"]
    assert list(garnets["Round"]) == [1, "Awards"]
    assert garnets.iloc[1].drop("Round").to_dict() == {
        name: result.outcome.garnets_won.get(name, 0) for name in B0_HUNGER
    }


def test_differences_come_as_a_frame(path: Path) -> None:
    """One row a difference, ready to be filtered."""
    referee_at(NOW, "resolve", path)
    change_cells(path, {"Pen!B2": "Bob", "Hunger!B2": 1})
    match = referee.open(path, read_only=True)
    frame = referee.audit(match.record(), match.published()).frame()
    assert list(frame["cell"]) == ["Pen!B2", "Hunger!B2"]
    assert list(frame[frame["tab"] == "Hunger"]["recomputed"]) == [9]


def test_nothing_heavy_is_imported_before_it_is_asked_for(path: Path) -> None:
    """pandas comes with frames, and neither with replaying nor with auditing."""
    script = (
        "import sys, referee\n"
        f"match = referee.open({str(path)!r})\n"
        "record = match.record()\n"
        "referee.replay(record).to_json(); referee.audit(record)\n"
        "heavy = {'pandas', 'numpy', 'gspread', 'openpyxl', 'rich', 'typer'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "referee.frames(referee.replay(record))\n"
        "assert 'pandas' in sys.modules\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(PYTHONWARNINGS="default"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_every_public_name_is_there() -> None:
    """What the package lists it also has, and its documentation says what it raises."""
    for name in referee.__all__:
        assert hasattr(referee, name), name
    for function in (referee.open, referee.audit, referee.read_record, referee.replay):
        assert "Raises" in (function.__doc__ or "")
