"""A Google Sheets server that the product is led to as if it were Google, and time made to fly."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from referee.stores.google.retries import Patience
from referee.stores.google.store import GoogleStore
from tests.google_sheets import SheetsServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LED_BY = ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
_IN_THE_WAY = ("https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy")
_SIGNED_IN_BY = ("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG")


class Time:
    """A clock that only waiting moves on; ``pauses`` are the waits asked for."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.said: list[str] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def patience(self, one_request: float = 30.0) -> Patience:
        return Patience(
            sleep=self.sleep, clock=lambda: self.now, jitter=lambda: 0.5, one_request=one_request
        )


@contextmanager
def google() -> Iterator[SheetsServer]:
    """A server to which this process's requests to Google are led."""
    with SheetsServer(tls=True) as server, pytest.MonkeyPatch.context() as patch:
        for name in (*_IN_THE_WAY, *_SIGNED_IN_BY):
            patch.delenv(name, raising=False)
        for name in _LED_BY:
            patch.setenv(name, server.environment()[name])
        yield server


def cleared(server: SheetsServer) -> None:
    """Forget planned faults and counted requests."""
    server.faults.clear()
    server.requests.clear()
    server.quota.on = False


def store(
    server: SheetsServer,
    key: str,
    folder: Path,
    time: Time | None = None,
    *,
    read_only: bool = False,
    one_request: float = 30.0,
) -> GoogleStore:
    """The store of a sheet, signed in as the service account; time flies where it waits."""
    time = time or Time()
    return GoogleStore(
        key,
        credentials=server.service_account_file(folder / "robot.json"),
        read_only=read_only,
        on_wait=time.said.append,
        patience=time.patience(one_request),
    )
