"""The test server answers real gspread and google-auth as the service does."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gspread
import pytest
import requests
from google.auth import exceptions as auth_exceptions
from google.auth.transport.requests import Request
from google.oauth2 import credentials as user_credentials
from google.oauth2 import service_account
from gspread.utils import ValueInputOption, ValueRenderOption

from tests.google_sheets import DRIVE, HOST, ROBOT, SPREADSHEETS, SheetsServer
from tests.google_sheets.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_ONLY = SPREADSHEETS + ".readonly"


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with SheetsServer(service_accounts_own_files=True) as running:
        yield running


@pytest.fixture(scope="module")
def tls_server() -> Iterator[SheetsServer]:
    with SheetsServer(tls=True) as running:
        yield running


@pytest.fixture(autouse=True)
def _clean(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for name in {"server", "tls_server"} & set(request.fixturenames):
        used: SheetsServer = request.getfixturevalue(name)
        used.faults.clear()
        used.requests.clear()


@pytest.fixture
def api(server: SheetsServer) -> Plain:
    return Plain(server)


@pytest.fixture
def key(server: SheetsServer) -> str:
    return server.new_spreadsheet("Match", {"Queue": [["Team", "Time"], ["A", 1]], "Pen": []})


@pytest.fixture
def book(
    tls_server: SheetsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> gspread.Spreadsheet:
    for name in ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "https_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, tls_server.environment()[name])
    key = tls_server.new_spreadsheet("Match", {"Queue": [["Team", "Time"], ["A", 1]], "Pen": []})
    file = tls_server.service_account_file(tmp_path / "robot.json")
    return gspread.service_account(filename=str(file), scopes=[SPREADSHEETS]).open_by_key(key)


def test_gspread_reads_and_writes_through_the_proxy(
    tls_server: SheetsServer, book: gspread.Spreadsheet
) -> None:
    """gspread, untouched and sure that it talks to Google, works on a sheet here."""
    queue = book.worksheet("Queue")
    queue.update([["B", 2]], "A3", raw=True)
    queue.append_row(["C", "=1+1"], value_input_option=ValueInputOption.user_entered)
    assert queue.get_values(value_render_option=ValueRenderOption.unformatted) == [
        ["Team", "Time"],
        ["A", 1],
        ["B", 2],
        ["C", 2],
    ]
    assert {"sheets.googleapis.com", "oauth2.googleapis.com"} <= set(tls_server.proxy.tunnels)
    assert tls_server.proxy.refused == []


def test_requests_are_counted_by_kind(tls_server: SheetsServer, book: gspread.Spreadsheet) -> None:
    """Opening a sheet costs one token and one read; a write is one write."""
    tls_server.requests.clear()
    book.values_update("Pen!A1", {"valueInputOption": "RAW"}, {"values": [["x"]]})
    book.values_get("Pen!A1")
    assert tls_server.requests.counts() == {"write": 1, "read": 1}
    assert tls_server.requests[0].scopes == (SPREADSHEETS,)
    assert tls_server.requests[0].op == "values.update"


def test_the_proxy_leads_nowhere_else(tls_server: SheetsServer) -> None:
    """A host that is not Google's is refused, and remembered."""
    proxies = {"https": tls_server.proxy.url}
    with pytest.raises(requests.exceptions.ProxyError):
        requests.get("https://example.com/", proxies=proxies, timeout=5)
    assert tls_server.proxy.refused == ["example.com"]
    tls_server.proxy.refused.clear()


def test_more_of_gspread(tls_server: SheetsServer, book: gspread.Spreadsheet) -> None:
    """Tabs, notes, formats, merges, named and protected ranges, sorting: gspread's own calls."""
    tab = book.add_worksheet("Notes", 20, 5)
    tab.update([["b", 2], ["a", 1], ["c", 3]], "A1:B3")
    tab.sort((1, "asc"))
    tab.format("A1:B1", {"textFormat": {"bold": True}})
    tab.insert_note("A1", "first")
    tab.merge_cells("C1:D2")
    tab.define_named_range("A1:B3", "letters")
    tab.add_protected_range("A1:B1", warning_only=True)
    tab.freeze(rows=1)
    tab.insert_rows([["head", "n"]], 1)
    tab.delete_rows(4)
    tab.hide_rows(2, 3)
    assert tab.get_all_values() == [["head", "n"], ["a", "1"], ["b", "2"]]
    assert tab.get_note("A2") == "first"
    assert book.list_named_ranges()[0]["range"]["startRowIndex"] == 1
    assert tab.find("b") is not None
    assert book.worksheet("Notes").frozen_row_count == 1
    twin = book.duplicate_sheet(tab.id, new_sheet_name="Twin")
    assert twin.get_all_values() == tab.get_all_values()
    book.del_worksheet(tab)
    assert tls_server.titles(book.id) == ["Twin", "Queue", "Pen"]


def test_the_servers_own_failure_is_not_taken_for_googles() -> None:
    """A crash in here answers 500, and fails the test that met it."""

    def crash() -> None:
        with SheetsServer() as broken:
            key = broken.new_spreadsheet("Match")
            broken.book(key).properties["timeZone"] = "No/Where"
            assert Plain(broken).call("GET", f"{key}/values/A1").status_code == 500

    with pytest.raises(ExceptionGroup, match="test server itself"):
        crash()


def test_files_on_drive(server: SheetsServer) -> None:
    """Drive makes, lists, shares, copies, exports and deletes a file."""
    headers = {"Authorization": f"Bearer {server.token('drive@example.com', [DRIVE])}"}
    files = f"{server.base_url}/drive/v3/files"
    sheet = "application/vnd.google-apps.spreadsheet"
    made = requests.post(files, json={"name": "X", "mimeType": sheet}, headers=headers, timeout=9)
    key = made.json()["id"]
    grant = {"type": "user", "role": "writer", "emailAddress": ROBOT}
    place = f"{files}/{key}"
    requests.post(f"{place}/permissions", json=grant, headers=headers, timeout=9)
    assert server.service.files.by_id[key].may_write(ROBOT)
    listed = requests.get(files, params={"q": 'name = "X"'}, headers=headers, timeout=9).json()
    assert [file["id"] for file in listed["files"]] == [key]
    assert requests.get(f"{place}/comments", headers=headers, timeout=9).json()["comments"] == []
    assert requests.post(f"{place}/copy", json={}, headers=headers, timeout=9).ok
    assert requests.delete(place, headers=headers, timeout=9).status_code == 204
    assert requests.get(place, headers=headers, timeout=9).status_code == 404


def robot(server: SheetsServer, path: Path, *scopes: str) -> service_account.Credentials:
    file = server.service_account_file(path / "robot.json")
    # Google-auth types only a part of itself.
    made = service_account.Credentials.from_service_account_file(  # type: ignore[no-untyped-call]
        str(file), scopes=list(scopes or (SPREADSHEETS,))
    )
    assert isinstance(made, service_account.Credentials)
    return made


def test_a_signed_grant_gets_a_token(server: SheetsServer, tmp_path: Path) -> None:
    """google-auth signs, the server checks the signature and hands out a token for the scopes."""
    signed_in = robot(server, tmp_path, READ_ONLY)
    # Google-auth types only a part of itself.
    signed_in.refresh(Request())  # type: ignore[no-untyped-call]
    token = server.accounts.bearer(f"Bearer {signed_in.token}")
    assert token is not None
    assert (token.email, token.scopes) == (ROBOT, [READ_ONLY])
    assert server.requests.counts() == {"token": 1}


def test_a_grant_signed_with_another_key_is_refused(server: SheetsServer, tmp_path: Path) -> None:
    """A key that was replaced gives invalid_grant, as does an account that was deleted."""
    signed_in = robot(server, tmp_path)
    del server.accounts.services[ROBOT]
    with pytest.raises(auth_exceptions.RefreshError, match="account not found"):
        # Google-auth types only a part of itself.
        signed_in.refresh(Request())  # type: ignore[no-untyped-call]
    server.accounts.service(ROBOT)
    with pytest.raises(auth_exceptions.RefreshError, match="Invalid JWT Signature"):
        # Google-auth types only a part of itself.
        signed_in.refresh(Request())  # type: ignore[no-untyped-call]


def test_a_user_refreshes_until_the_token_is_revoked(server: SheetsServer) -> None:
    """A signed-in person's refresh token works until it is revoked."""
    user = server.user()
    # Google-auth types only a part of itself.
    signed_in = user_credentials.Credentials(  # type: ignore[no-untyped-call]
        None,
        refresh_token=user.refresh_token,
        token_uri=server.token_uri,
        client_id=user.client_id,
        client_secret=user.client_secret,
    )
    # Google-auth types only a part of itself.
    signed_in.refresh(Request())  # type: ignore[no-untyped-call]
    assert server.accounts.bearer(f"Bearer {signed_in.token}") is not None
    user.revoked = True
    with pytest.raises(auth_exceptions.RefreshError, match="expired or revoked"):
        # Google-auth types only a part of itself.
        signed_in.refresh(Request())  # type: ignore[no-untyped-call]


def test_a_person_signs_in_with_a_desktop_client(server: SheetsServer, tmp_path: Path) -> None:
    """The consent page leads back with a code, which buys an access and a refresh token."""
    secrets = json.loads(server.desktop_client_file(tmp_path / "client.json").read_text())
    client = secrets["installed"]
    asked = {"client_id": client["client_id"], "scope": READ_ONLY, "state": "s"}
    asked["redirect_uri"] = "http://localhost:1/"
    page = requests.get(client["auth_uri"], params=asked, allow_redirects=False, timeout=9)
    back = urllib.parse.parse_qs(urllib.parse.urlsplit(page.headers["Location"]).query)
    form = {"grant_type": "authorization_code", "code": back["code"][0]} | {
        name: client[name] for name in ("client_id", "client_secret")
    }
    bought = requests.post(client["token_uri"], data=form, timeout=9).json()
    assert back["state"] == ["s"]
    assert bought["refresh_token"] in server.accounts.users
    token = server.accounts.bearer(f"Bearer {bought['access_token']}")
    assert token is not None
    assert (token.email, token.scopes) == (HOST, [READ_ONLY])
    again = requests.post(client["token_uri"], data=form, timeout=9)
    assert again.json()["error"] == "invalid_grant"


def test_scopes_and_shares_decide(server: SheetsServer, key: str) -> None:
    """Reading scopes do not write, readers do not write, strangers do not see."""
    path = f"{key}/values/Queue!A1"
    write: dict[str, Any] = {"body": {"values": [["x"]]}, "valueInputOption": "RAW"}
    reading = Plain(server, HOST, READ_ONLY)
    assert reading.get(key)["spreadsheetId"] == key
    refused = reading.call("PUT", path, **write)
    assert "insufficient authentication scopes" in refused.json()["error"]["message"]
    server.share(key, "guest@example.com", "reader")
    guest = Plain(server, "guest@example.com")
    assert guest.get(key)["spreadsheetId"] == key
    assert guest.call("PUT", path, **write).status_code == 403
    stranger = Plain(server, "stranger@example.com")
    assert stranger.call("GET", key).json()["error"]["status"] == "PERMISSION_DENIED"
    assert stranger.call("GET", "no-such-key").json()["error"]["status"] == "NOT_FOUND"


def test_today_service_accounts_own_no_files() -> None:
    """Without the switch a service account can make no file, by either way."""
    with SheetsServer() as strict:
        token = strict.accounts.issue(ROBOT, [SPREADSHEETS, DRIVE], is_service=True)
        headers = {"Authorization": f"Bearer {token}"}
        sheets = requests.post(f"{strict.base_url}/v4/spreadsheets", headers=headers, timeout=9)
        drive = requests.post(
            f"{strict.base_url}/drive/v3/files", json={"name": "X"}, headers=headers, timeout=9
        )
    assert sheets.json()["error"]["message"] == "The caller does not have permission"
    assert drive.json()["error"]["errors"][0]["reason"] == "storageQuotaExceeded"


def test_python_values_become_typed_cells(server: SheetsServer, api: Plain) -> None:
    """Dates and times of a test's rows are numbers with a format, text stays text."""
    # A wall clock's time, as cells hold it.
    rows = [[dt.datetime(2026, 9, 27, 12), dt.date(2026, 9, 27), dt.time(6), "=1+1", True, None]]  # noqa: DTZ001
    key = server.new_spreadsheet("Typed", {"T": rows}, locale="en_GB", time_zone="Europe/London")
    found = api.get(key, ranges="T", fields="sheets.data.rowData.values")
    cells = found["sheets"][0]["data"][0]["rowData"][0]["values"]
    assert [cell["formattedValue"] for cell in cells] == [
        "27/09/2026 12:00:00",
        "27/09/2026",
        "06:00:00",
        "=1+1",
        "TRUE",
    ]
    assert cells[0]["effectiveValue"] == {"numberValue": 46292.5}
    assert cells[3]["userEnteredValue"] == {"stringValue": "=1+1"}
    assert server.cells(key, "T") == [[46292.5, 46292, 0.25, "=1+1", True]]


def test_it_starts_by_hand(tmp_path: Path) -> None:
    """``python -m tests.google_sheets`` tells its address, credentials and a spreadsheet."""
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.google_sheets"], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().split() for _ in range(3)]
        process.terminate()
    told = {words[0]: words[-1] for words in lines}
    assert told["base"].startswith("http://127.0.0.1:")
    assert told["credentials"].endswith(".json")
    assert len(told["spreadsheet"]) == 44


def test_the_recordings_are_answered_alike(tmp_path: Path) -> None:
    """Recorded traffic with the real service, where a folder of it is at hand."""
    folder = os.environ.get("REFEREE_SHEETS_RECORDINGS")
    if not folder:
        pytest.skip("REFEREE_SHEETS_RECORDINGS names no folder with recordings")
    script = Path(folder).resolve().parent / "replay_recordings.py"
    with SheetsServer(service_accounts_own_files=True) as server:
        file = server.service_account_file(tmp_path / "robot.json")
        forbidden = server.new_spreadsheet("Private", shared_with={})
        command = [sys.executable, str(script), server.base_url, folder, "--min", "95%"]
        command += ["--credentials", str(file), "--forbidden-id", forbidden, "--tier", "core"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
