"""A terminal in which the program runs, and what is on its screen."""

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

import pyte

from tests.support.cli import PROJECT, command, environment

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
BELL = b"\a"


class Terminal:
    """A terminal of a given size in which `referee live` runs, and what is on its screen."""

    def __init__(self, width: int, height: int, *arguments: str | Path, **env: str) -> None:
        self.screen = pyte.HistoryScreen(width, height)
        self.stream = pyte.ByteStream(self.screen)
        self.sent = b""
        self.master, slave = pty.openpty()
        ioctl(slave, TIOCSWINSZ, pack("HHHH", height, width, 0, 0))
        self.process = subprocess.Popen(
            command("live", *arguments),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(TERM="xterm-256color", LANG="C.UTF-8", **env),
            cwd=PROJECT,
        )
        os.close(slave)

    @property
    def lines(self) -> list[str]:
        """The screen's lines, without the cells that a wide character covers."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return self.sent.decode("utf-8")

    def press(self, keys: str) -> float:
        """Send what a keyboard sends; returns the instant (seconds) at which it was pressed."""
        pressed = time.time()
        os.write(self.master, keys.encode())
        return pressed

    def read(self, seconds: float) -> None:
        """Let so much time pass."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0] and not self._take():
                return

    def wait_for(self, words: str, seconds: float = 20) -> None:
        """Wait until something stands on the screen."""
        end = time.monotonic() + seconds
        while not any(words in line for line in self.lines):
            assert time.monotonic() < end, f"{words!r} never came:\n" + "\n".join(self.lines)
            assert self.process.poll() is None, self.text
            self.read(0.1)

    def _take(self) -> bool:
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.sent += data
        self.stream.feed(data)
        return True

    def press_ctrl_c(self) -> int:
        """Send what a terminal sends for Ctrl-C, and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self) -> int:
        end = time.monotonic() + 10
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        self.read(0.2)
        return self.process.wait(timeout=1)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)

    def is_left_clean(self) -> bool:
        """Whether the screen was given back and the cursor is there again."""
        text = self.text
        return text.rfind(LEAVE) > text.rfind(ENTER) >= 0 and text.rfind(SHOW) > text.rfind(HIDE)


@contextmanager
def terminal(width: int, height: int, *arguments: str | Path, **env: str) -> Iterator[Terminal]:
    """Open a terminal for the length of a ``with``."""
    opened = Terminal(width, height, *arguments, **env)
    try:
        yield opened
    finally:
        opened.close()
