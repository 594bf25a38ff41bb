"""A real browser for tests: Chromium without a window, driven over a pipe by its own protocol.

No driver, no port and no package stands in between: the DevTools protocol is JSON with a zero byte
after each message, written to the browser's file descriptor 3 and read from its 4.
"""

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
PATIENCE: Final = 60.0
"""Seconds to wait for an answer before the test fails."""

KEYS: Final = {
    "ArrowLeft": 37,
    "ArrowRight": 39,
    "PageUp": 33,
    "PageDown": 34,
    "Home": 36,
    "End": 35,
    "[": 219,
    "]": 221,
}
"""Keys a page is driven with, and their codes."""


def program(*names: str) -> str:
    """The first of these programs that is installed.

    A machine without one skips the test, unless REFEREE_REQUIRE_PROGRAMS=1 says that none may be
    skipped.
    """
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is not None:
        return found
    reason = f"needs {' or '.join(names)}, which is not installed here"
    if os.environ.get("REFEREE_REQUIRE_PROGRAMS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


class Browser:
    """One page of a running browser, and everything it reported."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self._to, self._back = to, back
        self._number = 0
        self._unread = b""
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Have the browser do something; returns what it answers."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            asked["sessionId"] = self._session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == self._number:
                assert "error" not in message, message
                answer: dict[str, Any] = message["result"]
                return answer
            self.events.append(message)

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._back], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            piece = os.read(self._back, 1 << 16)
            assert piece, "the browser has ended"
            self._unread += piece
        message, _, self._unread = self._unread.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def open(self, page: Path, fragment: str = "") -> None:
        """Open a file anew and wait until it is there; what was reported before is forgotten."""
        # Coming from the same file, the browser would only move to the fragment.
        for address in ("about:blank", page.as_uri() + fragment):
            self.events.clear()
            self.call("Page.navigate", url=address)
            while not any(event["method"] == "Page.loadEventFired" for event in self.events):
                self.events.append(self._read())

    def value(self, expression: str) -> Any:
        """The value of a script's expression on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        pressed: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **pressed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def size(self, width: int, height: int) -> None:
        """Give the page the size of a screen, in pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def prefers(self, **features: str) -> None:
        """Set what the reader prefers, such as ``color_scheme="dark"``."""
        listed = [
            {"name": f"prefers-{name.replace('_', '-')}", "value": value}
            for name, value in features.items()
        ]
        self.call("Emulation.setEmulatedMedia", features=listed)

    def requests(self) -> list[str]:
        """Every address asked for since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[dict[str, Any]]:
        """Every error, warning and exception since the page was opened."""
        self.value("0")  # whatever the page still had to report comes before this answer
        return [
            event
            for event in self.events
            if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")
            or (
                event["method"] == "Runtime.consoleAPICalled"
                and event["params"]["type"] in ("error", "warning", "assert")
            )
        ]


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own in an empty folder, and end it."""
    path = program("chromium", "chromium-browser", "google-chrome")
    theirs, to = os.pipe()
    back, answers = os.pipe()
    # Shells give a program the descriptors it wants; the browser wants 3 and 4.
    start = f'exec "$@" 3<&{theirs} 4>&{answers}'
    process = subprocess.Popen(
        ["bash", "-c", start, "browser", path, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
        pass_fds=(theirs, answers),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder)},
    )
    os.close(theirs)
    os.close(answers)
    try:
        running = Browser(process, to, back)
        yield running
        running._session = None
        running.call("Browser.close")
        process.wait(PATIENCE)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(to)
        os.close(back)
