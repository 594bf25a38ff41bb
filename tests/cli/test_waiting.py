"""The bar of what takes long: on a terminal's standard error alone, and not before its time."""

import os
import pty
import subprocess
import sys

CODE = """
import sys, time
from referee.cli.waiting import Waiting
with Waiting(patience=float(sys.argv[1])) as waiting:
    waiting("sorting messages", 30, 120)
    ends = time.monotonic() + float(sys.argv[2])
    while not waiting.is_shown and time.monotonic() < ends:
        time.sleep(0.05)
print("done")
"""


def shown(patience: float, longest: float, *, terminal: bool) -> tuple[str, bytes]:
    """What stands on standard output, and what on standard error, of a run of some seconds."""
    ours, theirs = pty.openpty()
    try:
        ran = subprocess.run(
            [sys.executable, "-c", CODE, str(patience), str(longest)],
            stdout=subprocess.PIPE,
            stderr=theirs if terminal else subprocess.PIPE,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
            check=True,
        )
        os.set_blocking(ours, False)
        try:
            told = os.read(ours, 65536) if terminal else ran.stderr
        except BlockingIOError:
            told = b""
        return ran.stdout.decode(), told
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_bar_is_shown_once_its_time_has_come() -> None:
    output, told = shown(0.1, 30, terminal=True)
    assert output == "done\n"
    assert b"sorting messages" in told
    assert b"25%" in told


def test_nothing_is_shown_of_what_is_quick_or_where_nobody_watches() -> None:
    assert shown(30, 0.3, terminal=True) == ("done\n", b"")
    assert shown(0.1, 0.3, terminal=False) == ("done\n", b"")
