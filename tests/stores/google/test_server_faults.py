"""Every planned fault reaches the client as it would from the service, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests

from tests.google_sheets import HOST, ROBOT, SheetsServer, errors, faults
from tests.google_sheets.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.google_sheets.faults import Fault

WRITE = {"requests": [{"addSheet": {"properties": {"title": "Pen", "sheetId": 7}}}]}


@pytest.fixture(scope="module")
def shared_server() -> Iterator[SheetsServer]:
    with SheetsServer() as running:
        yield running


@pytest.fixture
def server(shared_server: SheetsServer) -> Iterator[SheetsServer]:
    yield shared_server
    shared_server.faults.clear()
    shared_server.requests.clear()
    shared_server.quota.on = False


@pytest.fixture
def key(server: SheetsServer) -> str:
    return server.new_spreadsheet("Match", {"Queue": [["Team"], ["A"]]})


@pytest.fixture
def api(server: SheetsServer) -> Plain:
    return Plain(server, ROBOT)


def write(api: Plain, key: str, patience: float = 10) -> requests.Response:
    return api.call("POST", f"{key}:batchUpdate", WRITE, patience=patience)


REFUSALS = [
    (faults.status(503), 503, "UNAVAILABLE"),
    (faults.status(500), 500, "INTERNAL"),
    (faults.status(504), 504, "DEADLINE_EXCEEDED"),
    (faults.answer(errors.quota_exceeded("write")), 429, "RESOURCE_EXHAUSTED"),
    (faults.answer(errors.permission_denied()), 403, "PERMISSION_DENIED"),
    (faults.answer(errors.service_disabled()), 403, "PERMISSION_DENIED"),
    (faults.answer(errors.usage_limits()), 403, "PERMISSION_DENIED"),
    (faults.answer(errors.not_found()), 404, "NOT_FOUND"),
    (faults.answer(errors.unauthenticated()), 401, "UNAUTHENTICATED"),
    (faults.answer(errors.excel_file()), 400, "FAILED_PRECONDITION"),
    (faults.answer(errors.protected_cell()), 400, "INVALID_ARGUMENT"),
]


@pytest.mark.parametrize(("fault", "code", "name"), REFUSALS)
def test_a_refusal_changes_nothing(
    server: SheetsServer, api: Plain, key: str, fault: Fault, code: int, name: str
) -> None:
    """A planned status comes once with Google's body, and the request has no effect."""
    before = server.snapshot(key)
    server.faults.plan("write", fault)
    answer = write(api, key)
    assert (answer.status_code, answer.json()["error"]["status"]) == (code, name)
    assert "Retry-After" not in answer.headers
    assert server.snapshot(key) == before
    assert write(api, key).status_code == 200


@pytest.mark.parametrize(("fault", "code", "name"), REFUSALS[:2])
def test_applied_then_refused(
    server: SheetsServer, api: Plain, key: str, fault: Fault, code: int, name: str
) -> None:
    """The write took effect although the answer says otherwise; saying it again collides."""
    server.faults.plan("write", fault.after_applying())
    assert write(api, key).status_code == code
    assert server.titles(key) == ["Queue", "Pen"]
    assert "already exists" in write(api, key).json()["error"]["message"]
    assert [entry.status for entry in server.requests] == [code, 400]


@pytest.mark.parametrize("code", [502, 200])
def test_a_page_instead_of_json(server: SheetsServer, api: Plain, key: str, code: int) -> None:
    """A page made for people comes with the wanted status."""
    server.faults.plan("any", faults.html(code, "Sign in"))
    answer = api.call("GET", key)
    assert answer.status_code == code
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Sign in" in answer.text


@pytest.mark.parametrize("applied", [False, True])
def test_no_answer_at_all(server: SheetsServer, api: Plain, key: str, *, applied: bool) -> None:
    """The client waits in vain, whether or not the write took effect."""
    fault = faults.hang().after_applying() if applied else faults.hang()
    server.faults.plan("write", fault)
    with pytest.raises(requests.exceptions.ReadTimeout):
        write(api, key, patience=0.3)
    assert server.titles(key) == (["Queue", "Pen"] if applied else ["Queue"])


def test_many_clients_may_give_up(server: SheetsServer, api: Plain, key: str) -> None:
    """Requests left hanging do not use the server up."""
    server.faults.plan("read", faults.hang(), times=40)
    for _ in range(40):
        with pytest.raises(requests.exceptions.ReadTimeout):
            api.call("GET", key, patience=0.02)
    assert api.call("GET", key).status_code == 200


@pytest.mark.parametrize("applied", [False, True])
def test_a_closed_connection(server: SheetsServer, api: Plain, key: str, *, applied: bool) -> None:
    """The connection ends before a byte of the answer."""
    fault = faults.drop().after_applying() if applied else faults.drop()
    server.faults.plan("write", fault)
    with pytest.raises(requests.exceptions.ConnectionError):
        write(api, key)
    assert server.titles(key) == (["Queue", "Pen"] if applied else ["Queue"])
    assert server.requests[-1].status == 0


def test_an_answer_cut_in_the_middle(server: SheetsServer, api: Plain, key: str) -> None:
    """Half a body is noticed by the client, and the write stands."""
    server.faults.plan("write", faults.cut(after_bytes=20))
    broken = (requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError)
    with pytest.raises(broken):
        write(api, key)
    assert server.titles(key) == ["Queue", "Pen"]


def test_faults_through_tls_and_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts and drops pass through the proxy as they are."""
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    with SheetsServer(tls=True) as server:
        key = server.new_spreadsheet("Match")
        for name in ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE"):
            monkeypatch.setenv(name, server.environment()[name])
        headers = {"Authorization": f"Bearer {server.token()}"}
        url = f"https://sheets.googleapis.com/v4/spreadsheets/{key}"
        for fault in (faults.drop(), faults.cut(30)):
            server.faults.plan("read", fault)
            with pytest.raises(requests.exceptions.RequestException):
                requests.get(url, headers=headers, timeout=5)
        assert requests.get(url, headers=headers, timeout=5).json()["spreadsheetId"] == key


def test_the_second_and_third_request(server: SheetsServer, api: Plain, key: str) -> None:
    """nth and times choose which requests of an operation are met."""
    server.faults.plan("spreadsheets.get", faults.status(503), nth=2, times=2)
    assert api.call("GET", f"{key}/values/Queue!A1").status_code == 200
    codes = [api.call("GET", key).status_code for _ in range(4)]
    assert codes == [200, 503, 503, 200]


def test_a_lasting_fault(server: SheetsServer, api: Plain, key: str) -> None:
    """times=None never ends, and the token endpoint can fail likewise."""
    server.faults.plan("read", faults.status(503), times=None)
    assert {api.call("GET", key).status_code for _ in range(5)} == {503}
    server.faults.plan("token", faults.answer(errors.invalid_grant("Bad")))
    answer = requests.post(server.token_uri, data={"grant_type": "x"}, timeout=5)
    assert answer.json() == {"error": "invalid_grant", "error_description": "Bad"}


def test_somebody_edits_between_two_requests(server: SheetsServer, api: Plain, key: str) -> None:
    """A planned edit happens just before the request, which then goes well."""
    row = {"range": {"dimension": "ROWS", "startIndex": 1, "endIndex": 2}}
    server.faults.plan("write", faults.edit(lambda: server.set_cell(key, "Queue", "A2", "B")))
    server.faults.plan(
        "write", faults.edit(lambda: server.change(key, {"insertDimension": row}, by=HOST))
    )
    assert write(api, key).status_code == 200
    assert server.cells(key, "Queue") == [["Team"], [], ["B"]]
    assert server.requests.counts() == {"write": 1}


def test_tokens_expire_by_the_servers_clock(server: SheetsServer, key: str) -> None:
    """A token lives as long as it was said to, then answers 401 with the header to match."""
    api = Plain(server, ROBOT)
    server.clock.advance(3598)
    assert api.call("GET", key).status_code == 200
    server.clock.advance(2)
    refused = api.call("GET", key)
    assert refused.json()["error"]["status"] == "UNAUTHENTICATED"
    assert 'error="invalid_token"' in refused.headers["WWW-Authenticate"]
    other = Plain(server, ROBOT)
    server.accounts.expire_tokens()
    assert other.call("GET", key).status_code == 401


def test_sixty_of_each_kind_a_minute(server: SheetsServer, key: str) -> None:
    """The quota counts reads and writes apart and by user, and a minute later forgets."""
    server.quota.on = True
    server.quota.limits = {"read": 3, "write": 2}
    api = Plain(server, ROBOT)
    path = f"{key}/values/Queue!A1"

    def put() -> requests.Response:
        return api.call("PUT", path, {"values": [["x"]]}, valueInputOption="RAW")

    assert [api.call("GET", key).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert [put().status_code for _ in range(3)] == [200, 200, 429]
    detail: Any = put().json()["error"]["details"][0]
    assert detail["metadata"]["quota_limit"] == "WriteRequestsPerMinutePerUser"
    assert Plain(server, HOST).call("GET", key).status_code == 200
    server.clock.advance(61)
    assert [api.call("GET", key).status_code, put().status_code] == [200, 200]
    server.quota.limits = {"read": 60, "write": 60}


def test_time_can_run_faster(server: SheetsServer) -> None:
    """With a speed of 600 a minute is over in a tenth of a second."""
    before = server.clock.now()
    server.clock.run(speed=600)
    requests.get(server.base_url, timeout=5)
    assert server.clock.now() > before
    server.clock.run(speed=1)


def test_an_uploaded_workbook_is_no_sheet(server: SheetsServer, api: Plain) -> None:
    """An Excel file on Drive answers FAILED_PRECONDITION to every Sheets call."""
    key = server.new_excel_file("Match.xlsx")
    assert api.call("GET", key).json()["error"]["status"] == "FAILED_PRECONDITION"


def test_hard_protection_keeps_others_out(server: SheetsServer, api: Plain, key: str) -> None:
    """A range protected by the host refuses the robot, alone or in the middle of a batch."""
    area = {"sheetId": 0, "startRowIndex": 0, "endRowIndex": 1}
    server.change(key, {"addProtectedRange": {"protectedRange": {"range": area}}})
    cell = {"rows": [{"values": [{"note": "x"}]}], "fields": "note"}
    free = {"updateCells": cell | {"start": {"rowIndex": 1}}}
    hit = {"updateCells": cell | {"start": {"rowIndex": 0}}}
    before = server.snapshot(key)
    told = api.refused(key, free, free, hit, free)
    assert told.startswith("Invalid requests[2].updateCells: You are trying to edit a protected")
    single = api.call("PUT", f"{key}/values/Queue!A1", {"values": [["x"]]}, valueInputOption="RAW")
    assert single.status_code == 400
    assert server.snapshot(key) == before
    assert Plain(server, HOST).batch(key, hit)["replies"] == [{}]
