"""Start the server by hand: ``python -m tests.google_sheets --port 8080``."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import threading
from pathlib import Path

from .server import SheetsServer


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.google_sheets", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0: a free one")
    parser.add_argument("--credentials", type=Path, help="where to write the credentials file")
    parser.add_argument("--tls", action="store_true", help="speak HTTPS, and open a proxy to it")
    parser.add_argument("--quota", action="store_true", help="60 reads and 60 writes a minute")
    parser.add_argument(
        "--no-storage",
        action="store_true",
        help="refuse files of service accounts' own, as Google does today",
    )
    chosen = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with (
        tempfile.TemporaryDirectory(prefix="google-sheets-") as folder,
        SheetsServer(
            port=chosen.port, tls=chosen.tls, service_accounts_own_files=not chosen.no_storage
        ) as server,
    ):
        server.quota.on = chosen.quota
        path = chosen.credentials or Path(folder) / "credentials.json"
        key = server.new_spreadsheet("Test sheet", shared_with={})
        server.share_by_link(key)  # open to every account, but not listed among its files
        _say(f"base URL     {server.base_url}")
        _say(f"credentials  {server.service_account_file(path)}")
        _say(f"spreadsheet  {key}")
        _say(f"not shared   {server.new_spreadsheet('Private', shared_with={})}")
        if chosen.tls:
            for name in ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE"):
                _say(f"{name}={server.environment()[name]}")
        stop.wait()
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
