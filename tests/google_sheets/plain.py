"""Plain HTTP to the Sheets API as one account, for calls that no client library makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import requests

from .server import DRIVE, HOST, SPREADSHEETS

if TYPE_CHECKING:
    from .server import SheetsServer

_PATIENCE = 20  # seconds


class Plain:
    def __init__(self, server: SheetsServer, email: str = HOST, *scopes: str) -> None:
        token = server.token(email, scopes or (SPREADSHEETS, DRIVE))
        self._base = f"{server.base_url}/v4/spreadsheets/"
        self._headers = {"Authorization": f"Bearer {token}"}

    def call(
        self, method: str, path: str, body: Any = None, *, patience: float = _PATIENCE, **query: Any
    ) -> requests.Response:
        return requests.request(
            method,
            self._base + path,
            json=body,
            params=query,
            headers=self._headers,
            timeout=patience,
        )

    def get(self, key: str, **query: Any) -> Any:
        found = self.call("GET", key, **query)
        assert found.status_code == 200, found.text
        return found.json()

    def batch(self, key: str, *requests_: Any, **rest: Any) -> Any:
        """A batchUpdate that goes well; ``rest`` are the body's other fields."""
        found = self.call("POST", f"{key}:batchUpdate", {"requests": list(requests_)} | rest)
        assert found.status_code == 200, found.text
        return found.json()

    def refused(self, key: str, *requests_: Any) -> str:
        """The message of a batchUpdate that is refused as invalid."""
        return message(self.call("POST", f"{key}:batchUpdate", {"requests": list(requests_)}))


def message(answer: requests.Response) -> str:
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
    return str(error["message"])
