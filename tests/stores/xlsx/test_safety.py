"""Writing .xlsx files: at every moment there is the whole old file or the whole new one."""

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.match.faults import RefereeError, Unavailable
from referee.stores import file_safety
from referee.stores.contract import CellEdit
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab
from tests.support import xlsx_samples as x

OLD = x.zipped(x.book({"Queue": x.sheet(x.row(1, x.text_cell("A1", "Player")))}))
NEW = [OwnedTab("Pen", [["Round", "A"], [0, "Ann"]])]
STEPS = ("open", "write", "fsync", "chmod", "link", "replace", "unlink", "stat")
"""The system calls through which a file is put in place, the exchange of names aside."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.xlsx"
    path.write_bytes(OLD)
    return path


def names(path: Path) -> set[str]:
    return {place.name for place in path.parent.iterdir()}


def is_whole(path: Path) -> bool:
    """Whether the file is the old version, or a new one that can be read."""
    if path.read_bytes() == OLD:
        return True
    return [tab.title for tab in XlsxStore(path).read().tabs] in (["Queue"], ["Queue", "Pen"])


class Fault:
    """Lets the n-th of the system calls fail, or passes all and counts them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, fail: Callable[[], None]) -> None:
        self.calls = 0
        self.at = at
        self.fail = fail
        for name in STEPS:
            monkeypatch.setattr(os, name, self.wrapped(getattr(os, name)))
        monkeypatch.setattr(file_safety, "_exchange", self.wrapped(file_safety._exchange))

    def wrapped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                self.fail()
            return real(*args, **options)

        return call


def full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted() -> None:
    raise KeyboardInterrupt


def count_steps(path: Path, act: Callable[[XlsxStore], object]) -> int:
    with pytest.MonkeyPatch.context() as patch:
        fault = Fault(patch, 0, full)
        act(XlsxStore(path))
    return fault.calls


ACTS: dict[str, Callable[[XlsxStore], object]] = {
    "publish": lambda store: store.publish(NEW),
    "edit": lambda store: store.edit([CellEdit("Queue", 2, 1, "Ann")]),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("fail", [full, interrupted])
def test_c055_a_step_that_fails_leaves_the_old_file_and_nothing_stray(
    path: Path, act: str, fail: Callable[[], None]
) -> None:
    steps = count_steps(path, ACTS[act])
    assert steps > 10
    for at in range(1, steps + 1):
        path.write_bytes(OLD)
        with pytest.MonkeyPatch.context() as patch:
            Fault(patch, at, fail)
            try:
                ACTS[act](XlsxStore(path))
                is_done = True
            except (RefereeError, KeyboardInterrupt):
                is_done = False
        is_old = path.read_bytes() == OLD
        # An interruption in the last steps, the file being in its place, comes too late.
        assert is_done != is_old or (fail is interrupted and is_whole(path)), at
        assert names(path) <= {"match.xlsx", "match.xlsx.bak"} or at_cleaning(path), at
        ACTS[act](XlsxStore(path))
        assert names(path) == {"match.xlsx", "match.xlsx.bak"}, at


def at_cleaning(path: Path) -> bool:
    """Whether only hidden files are left over, where the failing step was their removal."""
    left = names(path) - {"match.xlsx", "match.xlsx.bak"}
    return len(left) == 1 and all(name.startswith(".match.xlsx.referee-") for name in left)


def test_c055_a_full_disk_is_told_as_such(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(descriptor: int, data: bytes) -> int:
        full()
        return 0

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(Unavailable, match=r"match.xlsx: the disk is full, .*old version is unto"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD
    assert names(path) == {"match.xlsx"}


def test_a_disk_that_takes_a_few_bytes_at_a_time_gets_them_all(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data)[:100]))
    XlsxStore(path).publish(NEW)
    assert XlsxStore(path).read().tabs[1].rows == NEW[0].rows


def test_a_disk_that_garbles_what_it_is_given_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(
        os, "write", lambda descriptor, data: real(descriptor, bytes(data).replace(b"PK", b"QK"))
    )
    with pytest.raises(Unavailable, match="does not keep what is written to it"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD
    assert names(path) == {"match.xlsx"}


def test_a_new_version_that_reads_differently_is_never_put_in_place(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee.stores.xlsx import writing

    real = writing.new_sheet
    monkeypatch.setattr(
        "referee.stores.xlsx.publishing.new_sheet",
        lambda *args: real(*args).replace(b"Ann", b"Bob"),
    )
    with pytest.raises(Unavailable, match=r"left as it was: the new version would be wrong"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD


# --- killed ----------------------------------------------------------------------------------

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from referee.stores import file_safety
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab
at, calls = int(sys.argv[2]), 0
def wrapped(real):
    def call(*args, **options):
        global calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    return call
store = XlsxStore(Path(sys.argv[1]))
store.read()
for name in sys.argv[3:]:
    setattr(os, name, wrapped(getattr(os, name)))
file_safety._exchange = wrapped(file_safety._exchange)
store.publish([OwnedTab("Pen", [["Round", "A"], [0, "Ann"]])])
"""


def test_c055_killed_at_any_step_there_is_the_old_file_or_the_new_one(path: Path) -> None:
    """And the next run neither waits for the dead one nor keeps what it left."""
    at, ended = 0, -signal.SIGKILL
    while ended == -signal.SIGKILL:
        at += 1
        path.write_bytes(OLD)
        ended = subprocess.run(
            [sys.executable, "-c", KILLED_AT, path, str(at), *STEPS], check=False
        ).returncode
        assert is_whole(path), at
        store = XlsxStore(path)
        store.publish([OwnedTab("Pen", [["Round", "A"], [at, "next"]])])
        assert names(path) == {"match.xlsx", "match.xlsx.bak"}, at
    assert ended == 0
    assert at > 10


BUSY = """
import sys
from pathlib import Path
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab
store = XlsxStore(Path(sys.argv[1]))
print("ready", flush=True)
turn = 0
while True:
    turn += 1
    store.publish([OwnedTab("Pen", [["Round"], *([n, turn] for n in range(300))])])
"""


def test_c055_killed_at_random_the_file_is_whole(path: Path) -> None:
    chance = random.Random(20261129)  # noqa: S311 - moments, no secrets
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", BUSY, path], stdout=subprocess.PIPE, text=True
        ) as run:
            assert run.stdout is not None
            assert run.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0.01, 0.12))
            run.kill()
        assert is_whole(path)
    XlsxStore(path).publish(NEW)
    assert names(path) == {"match.xlsx", "match.xlsx.bak"}


# --- the last version, links and permissions -------------------------------------------------


def test_the_last_version_stays_beside_the_new_one(path: Path) -> None:
    XlsxStore(path).publish(NEW)
    second = path.read_bytes()
    backup = path.with_name("match.xlsx.bak")
    assert backup.read_bytes() == OLD
    XlsxStore(path).publish([OwnedTab("Pen", [["Round"]])])
    assert backup.read_bytes() == second
    assert backup.stat().st_ino != path.stat().st_ino


def test_where_a_file_can_have_but_one_name_the_last_version_is_copied(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    XlsxStore(path).publish(NEW)
    assert path.with_name("match.xlsx.bak").read_bytes() == OLD


def test_a_name_as_long_as_a_folder_takes_is_no_hindrance(tmp_path: Path) -> None:
    """The files beside it have names of their own, which must fit the folder too."""
    path = tmp_path / ("m" * 246 + ".xlsx")
    path.write_bytes(OLD)
    XlsxStore(path).publish(NEW)
    assert is_whole(path)
    assert names(path) == {path.name, f"{path.name}.bak"}


def test_the_file_that_stands_in_the_way_is_named(path: Path) -> None:
    """Where the last version has no place, it is that place and not the workbook that fails."""
    path.with_name("match.xlsx.bak").mkdir()
    with pytest.raises(Unavailable, match=r"match\.xlsx cannot be written: .*\(match\.xlsx\.bak\)"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD
    assert names(path) == {"match.xlsx", "match.xlsx.bak"}


def test_permissions_stay_as_they_were(path: Path) -> None:
    path.chmod(0o640)
    XlsxStore(path).publish(NEW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_the_file_it_names_is_replaced(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "tonight.xlsx"
    link.symlink_to(path)
    XlsxStore(link).publish(NEW)
    assert link.is_symlink()
    assert [tab.title for tab in XlsxStore(path).read().tabs] == ["Queue", "Pen"]
    assert names(link) == {"tonight.xlsx"}
    assert path.with_name("match.xlsx.bak").read_bytes() == OLD


def test_c056_a_read_only_file_is_left_alone(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(Unavailable, match=r"match\.xlsx is read-only; make it writable"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD
    assert names(path) == {"match.xlsx"}


def test_c056_a_read_only_folder_is_told_as_such(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def denied(place: Any, flags: int, *mode: int) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(place, flags, *mode)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(Unavailable, match=r"may not be written: its folder .* is read-only"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD


# --- open elsewhere --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sign", "program"), [("~$match.xlsx", "Excel"), (".~lock.match.xlsx#", "LibreOffice")]
)
def test_c056_a_file_that_is_open_is_read_but_not_written(
    path: Path, sign: str, program: str
) -> None:
    path.with_name(sign).write_bytes(b"somebody")
    assert XlsxStore(path).read().tabs[0].title == "Queue"
    for act in ACTS.values():
        with pytest.raises(
            Unavailable, match=f"match.xlsx is open in {program}: save and close it"
        ):
            act(XlsxStore(path))
    assert path.read_bytes() == OLD
    assert path.with_name(sign).read_bytes() == b"somebody"


# --- two runs --------------------------------------------------------------------------------

HOLD = """
import sys
from pathlib import Path
from referee.stores.xlsx.store import XlsxStore
with XlsxStore(Path(sys.argv[1])).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_says_that_one_is_at_work_and_goes_on_when_that_is_killed(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "held\n"
        with pytest.raises(Unavailable, match="another run of the referee is working on match"):
            XlsxStore(path).publish(NEW)
        assert XlsxStore(path).read().tabs[0].title == "Queue"
        run.kill()
    XlsxStore(path).publish(NEW)
    assert names(path) == {"match.xlsx", "match.xlsx.bak"}


def test_two_stores_of_one_process_lock_each_other_out(path: Path) -> None:
    store = XlsxStore(path)
    with store.lock():
        with pytest.raises(Unavailable, match="another run"), XlsxStore(path).lock():
            pass
        with store.lock():
            store.publish(NEW)
        with pytest.raises(Unavailable, match="another run"):
            XlsxStore(path).publish(NEW)
    with XlsxStore(path).lock():
        pass
    assert names(path) == {"match.xlsx", "match.xlsx.bak"}


def test_a_lock_file_that_vanishes_while_it_is_taken_is_made_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    real = fcntl.flock
    turns = []

    def lock(descriptor: int, how: int) -> None:
        real(descriptor, how)
        if how & fcntl.LOCK_EX:
            turns.append(descriptor)
            if len(turns) == 1:  # the run before removes its file only now
                path.with_name(".match.xlsx.referee-lock").unlink()

    monkeypatch.setattr(fcntl, "flock", lock)
    with XlsxStore(path).lock():
        assert ".match.xlsx.referee-lock" in names(path)
    assert len(turns) == 2
