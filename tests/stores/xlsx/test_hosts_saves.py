"""A host saves the file while the referee writes it, and file systems that can do less."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.match.faults import Unavailable
from referee.stores import file_safety
from referee.stores.contract import CellEdit, NewRow
from referee.stores.xlsx.store import XlsxStore
from referee.workbook.cells import OwnedTab
from tests.support import chat_exports as c
from tests.support import xlsx_samples as x
from tests.support.cli import referee_at

HEADER = x.row(1, x.text_cell("A1", "Player"))
OLD = x.zipped(x.book({"Queue": x.sheet(HEADER)}))
HOSTS = x.zipped(x.book({"Queue": x.sheet(HEADER + x.row(2, x.text_cell("A2", "typed")))}))
NEW = [OwnedTab("Pen", [["Round", "A"], [0, "Ann"]])]
CALLS = ("open", "write", "fsync", "chmod", "chown", "link", "replace", "unlink", "stat", "utime")

ACTS: dict[str, Callable[[XlsxStore], object]] = {
    "publish": lambda store: store.publish(NEW),
    "edit": lambda store: store.edit([CellEdit("Queue", 1, 2, "Cell")]),
    "add rows": lambda store: store.edit([], [NewRow("Queue", 1, {1: "Ann"})]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.xlsx"
    path.write_bytes(OLD)
    return path


def save_into(path: Path) -> None:
    """Save as programs do that write the file itself."""
    with path.open("wb") as file:
        file.write(HOSTS)


def save_over(path: Path, replace: Callable[[str, str], None] = os.replace) -> None:
    """Save as programs do that write another file and give it the name."""
    other = f"{path}~"
    with open(other, "wb") as file:  # noqa: PTH123 - below what is watched
        file.write(HOSTS)
    replace(other, str(path))


class Watched:
    """Calls a host's save before the n-th file call, once; counts them all."""

    def __init__(
        self, patch: pytest.MonkeyPatch, at: int, save: Callable[[], None], but: str = ""
    ) -> None:
        self.calls, self.at, self.save, self.but = 0, at, save, but
        self.is_busy = False
        for name in CALLS:
            patch.setattr(os, name, self.wrapped(name, getattr(os, name)))
        patch.setattr(Path, "read_bytes", self.wrapped("read", Path.read_bytes))
        patch.setattr(file_safety, "_exchange", self.wrapped("swap", file_safety._exchange))

    def wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if not self.is_busy:
                self.is_busy = True
                self.calls += 1
                if self.calls == self.at and name != self.but:
                    self.save()
                self.is_busy = False
            return real(*args, **options)

        return call


def typed(path: Path) -> bool:
    tab = next(tab for tab in XlsxStore(path).read().tabs if tab.title == "Queue")
    return ["typed"] in [row[:1] for row in tab.rows]


def injected(path: Path, act: str, save: Callable[[Path], None], but: str = "") -> int:
    """Save at every file call of an act, one after the other; return how many there were."""
    at = calls = 1
    while at <= calls:
        path.write_bytes(OLD)
        with pytest.MonkeyPatch.context() as patch:
            watched = Watched(patch, at, lambda: save(path), but)
            try:
                ACTS[act](XlsxStore(path))
                failed = ""
            except Unavailable as refusal:
                failed = str(refusal)
            calls = watched.calls
        assert typed(path) or (watched.but and not failed), (at, failed)
        assert not failed or "somebody else" in failed, at
        assert {p.name for p in path.parent.iterdir()} <= {"match.xlsx", "match.xlsx.bak"}
        at += 1
    return calls


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("save", [save_into, save_over])
def test_what_a_host_saves_at_any_file_call_is_never_lost(
    path: Path, act: str, save: Callable[[Path], None]
) -> None:
    """Either the run takes it in, or it says that somebody else saved and leaves theirs."""
    assert injected(path, act, save) > 20


@pytest.mark.parametrize(("save", "but"), [(save_into, ""), (save_over, "replace")])
def test_where_names_cannot_be_exchanged_all_but_one_moment_is_safe(
    path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path], None], but: str
) -> None:
    """There a program that replaces the file within the very last step is the one left out."""
    monkeypatch.setattr(file_safety, "_exchange", fails(errno.EINVAL))
    assert injected(path, "publish", save, but) > 20


def fails(code: int) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return call


# --- file systems with fewer abilities -------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "code"),
    [
        (("fsync",), errno.EINVAL),
        (("chmod", "chown", "utime"), errno.EPERM),
        (("chmod", "chown"), errno.ENOSYS),
        (("link",), errno.ENOTSUP),
        (("fsync", "chmod", "chown", "utime", "link", "setxattr"), errno.ENOSYS),
    ],
)
def test_a_folder_that_can_do_less_takes_a_file_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch, calls: tuple[str, ...], code: int
) -> None:
    for name in calls:
        monkeypatch.setattr(os, name, fails(code), raising=False)
    if "link" in calls:
        monkeypatch.setattr(file_safety, "_exchange", fails(code))
    XlsxStore(path).publish(NEW)
    assert [tab.title for tab in XlsxStore(path).read().tabs] == ["Queue", "Pen"]
    assert path.with_name("match.xlsx.bak").read_bytes() == OLD


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK])
def test_where_the_system_takes_no_locks_a_file_beside_says_who_works(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    import fcntl

    monkeypatch.setattr(fcntl, "flock", fails(code))
    store = XlsxStore(path)
    with store.lock():
        with pytest.raises(Unavailable, match="another run of the referee is working on match"):
            XlsxStore(path).publish(NEW)
        store.publish(NEW)
    with XlsxStore(path).lock():
        assert [tab.title for tab in store.read().tabs] == ["Queue", "Pen"]
    assert {p.name for p in path.parent.iterdir()} == {"match.xlsx", "match.xlsx.bak"}


def test_a_disk_that_fails_is_no_folder_that_can_do_less(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", fails(errno.EIO))
    with pytest.raises(Unavailable, match=r"match\.xlsx cannot be written: Input/output error"):
        XlsxStore(path).publish(NEW)
    assert path.read_bytes() == OLD


# --- whose file it is ------------------------------------------------------------------------


def test_owner_group_permissions_and_attributes_stay(path: Path) -> None:
    """As far as the one who runs it may give them: an administrator may give all of them."""
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
    path.chmod(0o664)
    if hasattr(os, "setxattr"):
        os.setxattr(path, "user.note", b"the host's own")
    before = path.stat()
    XlsxStore(path).publish(NEW)
    after = path.stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert stat.S_IMODE(after.st_mode) == 0o664
    assert after.st_mtime_ns > before.st_mtime_ns
    if hasattr(os, "setxattr"):
        assert os.getxattr(path, "user.note") == b"the host's own"


def test_another_name_of_the_same_file_is_told(path: Path) -> None:
    """It keeps the old version, which its owner cannot see."""
    other = path.with_name("also.xlsx")
    os.link(path, other)
    store = XlsxStore(path)
    store.publish(NEW)
    [note] = store.notes
    assert note.startswith("match.xlsx has one more name on this disk (hard links)")
    assert other.read_bytes() == OLD
    store.publish([OwnedTab("Pen", [["Round"]])])
    assert store.notes == []


# --- the commands ----------------------------------------------------------------------------


def match_of_two(path: Path) -> None:
    """A match that every command can work on: one round that is over, nothing dealt yet."""
    store = XlsxStore(path)
    store.create()
    settings = [(3, "2026-03-01 18:50:00"), (4, "Europe/London")]
    players = ["Ann", "Bob", "Cy", "Dee"]
    store.edit(
        [
            *(CellEdit("Settings", row, 2, value) for row, value in settings),
            *(CellEdit("Players", row, 1, name) for row, name in enumerate(players, 2)),
            *(CellEdit("Players", row, 2, cell) for row, cell in enumerate("ABCE", 2)),
            *(CellEdit("Rounds", 2, column, value) for column, value in ((1, 1), (3, 10))),
        ]
    )
    rivals = [*players[1:], players[0]]
    store.edit([CellEdit("Players", row, 3, rival) for row, rival in enumerate(rivals, 2)])


COMMANDS = {
    "resolve": ("resolve",),
    "deal": ("deal", "--only", "seed"),
    "import": ("import", "chat.json"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_loses_what_a_host_saves_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """At every seventh of its file calls, in turn into the file and over it (all once by hand)."""
    path = tmp_path / "match.xlsx"
    match_of_two(path)
    old = path.read_bytes()
    XlsxStore(path).edit([CellEdit("Players", 20, 9, "typed")])
    hosts = path.read_bytes()
    (tmp_path / "chat.json").write_bytes(c.export([c.message(1, "swap A and D")]))
    monkeypatch.chdir(tmp_path)
    name, *options = COMMANDS[command]
    now = "2026-03-01T20:00:00Z"

    def save() -> None:
        if watched.at % 2:
            path.write_bytes(hosts)
        else:
            path.with_name("other").write_bytes(hosts)
            path.with_name("other").replace(path)

    at = calls = 1
    while at <= calls:
        path.write_bytes(old)
        with pytest.MonkeyPatch.context() as patch:
            watched = Watched(patch, at, save)
            ran = referee_at(now, name, path, *options)
            calls = watched.calls
        read = XlsxStore(path).read()
        players = next(tab for tab in read.tabs if tab.title == "Players")
        assert players.rows[19:20] == [[None] * 8 + ["typed"]], (at, ran)
        assert ran.code in (0, 4), (at, ran)
        assert ran.code == 0 or "somebody else" in ran.err, (at, ran)
        if command == "deal" and ran.code:
            assert ran.out == "", at
        at += 7
    assert calls > 30
