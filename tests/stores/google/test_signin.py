"""Signing in to Google: where credentials are looked for, and one true line for each that fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.match.faults import Unavailable
from referee.stores.google.store import GoogleStore, create_spreadsheet
from tests.google_sheets import HOST, ROBOT, SPREADSHEETS, errors, faults
from tests.support.google_stores import Time, cleared, google

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.google_sheets import SheetsServer

READ_ONLY = f"{SPREADSHEETS}.readonly"
DRIVE = "https://www.googleapis.com/auth/drive"
EXAMPLE = Path(__file__).parents[3] / "credentials.example.json"


@pytest.fixture(scope="module")
def running() -> Iterator[SheetsServer]:
    with google() as served:
        yield served


@pytest.fixture
def server(running: SheetsServer) -> SheetsServer:
    cleared(running)
    return running


@pytest.fixture
def key(server: SheetsServer) -> str:
    return server.new_spreadsheet("Match", {"Queue": [["Player"]]})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, where nobody is signed in."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    return folder


def usual(home: Path, name: str) -> Path:
    """A file in gspread's own folder."""
    from gspread.auth import get_config_dir

    path = Path(get_config_dir()) / name
    assert home in path.parents
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def opened(key: str, credentials: Path | None = None, *, read_only: bool = False) -> GoogleStore:
    return GoogleStore(
        key, credentials=credentials, read_only=read_only, patience=Time().patience()
    )


def refused(key: str, credentials: Path | None = None) -> str:
    """The one line that a sign-in ends with."""
    with pytest.raises(Unavailable) as told:
        opened(key, credentials).read()
    text = str(told.value)
    assert "\n" not in text
    return text


def scopes(server: SheetsServer) -> set[tuple[str, ...]]:
    return {entry.scopes for entry in server.requests if entry.kind in ("read", "write")}


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


# --- where credentials are looked for ---------------------------------------------------------


@pytest.mark.parametrize(("read_only", "scope"), [(True, READ_ONLY), (False, SPREADSHEETS)])
def test_a_service_account_asks_for_no_more_than_it_needs(
    server: SheetsServer, key: str, tmp_path: Path, read_only: bool, scope: str
) -> None:
    file = server.service_account_file(tmp_path / "robot.json")
    opened(key, file, read_only=read_only).read()
    assert scopes(server) == {(scope,)}
    assert server.requests.counts() == {"token": 1, "read": 1}


def test_the_named_file_comes_before_the_environments(
    server: SheetsServer, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    opened(key, server.service_account_file(tmp_path / "robot.json")).read()


def test_the_environments_file_comes_before_the_usual_places(
    server: SheetsServer, key: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(usual(home, "service_account.json"), "not JSON")
    file = server.service_account_file(tmp_path / "robot.json")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    opened(key).read()


def test_a_missing_file_of_the_environment_is_not_passed_over(
    server: SheetsServer, key: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody named it; another account would be a guess."""
    server.service_account_file(usual(home, "service_account.json"))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "gone.json"))
    told = refused(key)
    assert "gone.json" in told
    assert "GOOGLE_APPLICATION_CREDENTIALS" in told
    assert "does not exist" in told


def test_gspreads_usual_places(server: SheetsServer, key: str, home: Path) -> None:
    """A service account's key first, then a saved sign-in."""
    server.user_file(usual(home, "authorized_user.json"))
    opened(key).read()
    server.service_account_file(usual(home, "service_account.json"))
    opened(key).read()
    server.unshare(key)
    assert f"share the sheet with {ROBOT}" in refused(key)


def test_googles_application_default_comes_last(
    server: SheetsServer, key: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What gcloud left is used, quietly."""
    folder = home / "gcloud"
    folder.mkdir()
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(folder))
    server.user_file(folder / "application_default_credentials.json")
    opened(key).read()


def test_no_credentials_at_all(key: str) -> None:
    told = refused(key)
    assert "--credentials" in told
    assert "GOOGLE_APPLICATION_CREDENTIALS" in told
    assert "service_account.json" in told


# --- what a file may be -----------------------------------------------------------------------


def test_the_example_is_a_pattern_only(key: str) -> None:
    """It shows the shape, and is told apart from a key."""
    assert "private_key" in refused(key, EXAMPLE)
    shape = json.loads(EXAMPLE.read_text("utf-8"))
    assert {"type", "client_email", "private_key", "token_uri"} <= set(shape)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("\0\1", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ([], "holds no credentials"),
        ({}, "no Google credentials"),
        ({"format": "referee-match/1"}, "no Google credentials"),
        ({"type": "something"}, "no Google credentials"),
        ({"web": {"client_id": "x"}}, "web program"),
        ({"installed": {}}, "lacks client_id and client_secret and token_uri"),
        ({"type": "service_account"}, "lacks client_email and private_key and token_uri"),
        (
            {"type": "authorized_user", "client_id": "x", "client_secret": "y"},
            "lacks refresh_token",
        ),
        ({"type": "external_account"}, "is damaged"),
        ({"type": "external_account_authorized_user"}, "is damaged"),
        ({"type": "impersonated_service_account"}, "is damaged"),
        ({"type": "impersonated_service_account", "source_credentials": []}, "is damaged"),
        ({"type": "impersonated_service_account", "source_credentials": {}}, "is damaged"),
        ({"type": ["service_account"]}, "no Google credentials"),
        ({"type": {}}, "no Google credentials"),
        ({"type": 7, "refresh_token": "x"}, "no Google credentials"),
    ],
)
def test_the_wrong_file_is_told_in_one_line(
    key: str, tmp_path: Path, content: Any, words: str
) -> None:
    file = written(tmp_path / "file.json", content)
    told = refused(key, file)
    assert words in told
    assert "file.json" in told


def test_a_file_that_cannot_be_read(key: str, tmp_path: Path) -> None:
    assert "does not exist" in refused(key, tmp_path / "none.json")
    assert "is a folder" in refused(key, tmp_path)


def test_a_file_with_a_byte_order_mark_is_read(
    server: SheetsServer, key: str, tmp_path: Path
) -> None:
    """As editors on Windows save it."""
    file = server.service_account_file(tmp_path / "robot.json")
    file.write_text(file.read_text("utf-8"), "utf-8-sig")
    opened(key, file).read()


# --- credentials that are good no more --------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Invalid JWT Signature.", "make a new key"),
        ("Invalid grant: account not found", "make a new key"),
        ("Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.", "clock"),
    ],
)
def test_a_service_accounts_key_refused(
    server: SheetsServer, key: str, tmp_path: Path, description: str, words: str
) -> None:
    file = server.service_account_file(tmp_path / "robot.json")
    server.faults.plan("token", faults.answer(errors.invalid_grant(description)), times=None)
    told = refused(key, file)
    assert words in told
    assert server.requests.counts() == {"token": 1}


def test_a_revoked_sign_in(server: SheetsServer, key: str, tmp_path: Path) -> None:
    user = server.user()
    user.revoked = True
    assert "sign in again" in refused(key, written(tmp_path / "user.json", user.file()))


def test_another_clients_secret(server: SheetsServer, key: str, tmp_path: Path) -> None:
    file = server.user_file(tmp_path / "user.json")
    info = json.loads(file.read_text("utf-8"))
    written(file, info | {"client_secret": "wrong-secret"})
    told = refused(key, file)
    assert "no longer valid (invalid_client" in told
    assert "wrong-secret" not in told


# --- token answers ----------------------------------------------------------------------------

TOKEN = "ya29.not-to-be-seen"
WRONG_TOKENS = {
    "a number": '{"access_token": 5}',
    "a list": f'{{"access_token": ["{TOKEN}"]}}',
    "null": '{"access_token": null}',
    "nothing": "{}",
    "a line break": f'{{"access_token": "{TOKEN}\\nx: y", "expires_in": 3599}}',
    "a carriage return": f'{{"access_token": "{TOKEN}\\r", "expires_in": 3599}}',
    "another alphabet": f'{{"access_token": "{TOKEN}ж", "expires_in": 3599}}',
    "half a character": f'{{"access_token": "{TOKEN}\\ud800", "expires_in": 3599}}',
    "blank": '{"access_token": " ", "expires_in": 3599}',
    "endless": f'{{"access_token": "{TOKEN}{"x" * 100_000}", "expires_in": 3599}}',
    "no end": f'{{"access_token": "{TOKEN}", "expires_in": Infinity}}',
    "no number": f'{{"access_token": "{TOKEN}", "expires_in": NaN}}',
    "beyond numbers": f'{{"access_token": "{TOKEN}", "expires_in": 1e999}}',
    "5,000 digits": f'{{"access_token": "{TOKEN}", "expires_in": {"9" * 5000}}}',
    "30 digits": f'{{"access_token": "{TOKEN}", "expires_in": {"9" * 30}}}',
    "soon": f'{{"access_token": "{TOKEN}", "expires_in": "soon"}}',
    "true": f'{{"access_token": "{TOKEN}", "expires_in": true}}',
    "before now": f'{{"access_token": "{TOKEN}", "expires_in": -5}}',
    "an object": f'{{"access_token": "{TOKEN}", "expires_in": {{}}}}',
    "another's": f'{{"access_token": "{TOKEN}", "expires_in": 3599, "refresh_token": 7}}',
    "deep": "[" * 100_000,
    "a list of all": f'["{TOKEN}"]',
    "cut off": f'{{"access_token": "{TOKEN}',
}


def raw(text: str, status: int = 200, **headers: str) -> faults.Fault:
    """An answer with these very words."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return faults.answer(
        errors.ApiError(status, text, {"Content-Type": "application/json"} | named)
    )


@pytest.mark.parametrize("kind", ["key", "person"])
@pytest.mark.parametrize("name", WRONG_TOKENS)
def test_a_token_that_is_none_is_told_in_one_line(
    server: SheetsServer, key: str, tmp_path: Path, name: str, kind: str
) -> None:
    """Neither what came in its place nor a part of it is shown."""
    make = server.service_account_file if kind == "key" else server.user_file
    server.faults.plan("token", raw(WRONG_TOKENS[name]), times=None)
    told = refused(key, make(tmp_path / "file.json"))
    assert TOKEN[:8] not in told
    assert "xxx" not in told
    assert server.requests.counts() == {"token": 1}


@pytest.mark.parametrize(
    "text",
    [
        '{"error": 5}',
        '{"error": {"code": "x"}}',
        '{"error": ["invalid_grant"], "error_description": 7}',
        '{"error": "invalid_grant", "error_description": {"a": "b\\nc"}}',
        '{"error": "x\\ny", "error_description": "ya29.not-to-be-seen"}',
        '{"error_description": "ya29.not-to-be-seen"}',
        "[]",
        "{}",
        "ya29.not-to-be-seen",
    ],
)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 418])
def test_a_refusal_of_any_shape_is_told_in_one_line(
    server: SheetsServer, key: str, tmp_path: Path, text: str, status: int
) -> None:
    server.faults.plan("token", raw(text, status), times=None)
    told = refused(key, server.service_account_file(tmp_path / "robot.json"))
    assert TOKEN not in told


@pytest.mark.parametrize(("status", "code"), [(403, "rate_limit_exceeded"), (400, "server_error")])
def test_a_refusal_that_may_pass_is_waited_for(
    server: SheetsServer, key: str, tmp_path: Path, status: int, code: str
) -> None:
    server.faults.plan("token", raw(json.dumps({"error": code}), status))
    opened(key, server.service_account_file(tmp_path / "robot.json")).read()
    assert server.requests.counts() == {"token": 2, "read": 1}


@pytest.mark.parametrize(("wait", "pauses"), [("7", [7.0]), ("soon", [0.75])])
def test_a_wait_that_the_sign_in_asks_for_is_kept_to(
    server: SheetsServer, key: str, tmp_path: Path, wait: str, pauses: list[float]
) -> None:
    time = Time()
    file = server.service_account_file(tmp_path / "robot.json")
    server.faults.plan("token", raw("{}", 429, Retry_After=wait))
    GoogleStore(key, credentials=file, patience=time.patience()).read()
    assert time.pauses == pauses


@pytest.mark.parametrize("on", ["token", "read"])
@pytest.mark.parametrize(("wait", "words"), [("3600", "60 minutes"), ("90000", "25 hours")])
def test_an_hours_wait_is_told(
    server: SheetsServer, key: str, tmp_path: Path, on: str, wait: str, words: str
) -> None:
    server.faults.plan(on, raw("{}", 429, Retry_After=wait), times=None)
    told = refused(key, server.service_account_file(tmp_path / "robot.json"))
    assert f"Google asks to wait {words} before the next try" in told


@pytest.mark.parametrize("on", ["token", "read"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(
    server: SheetsServer, key: str, tmp_path: Path, on: str, status: int
) -> None:
    """Neither a key nor a token goes anywhere else."""
    server.faults.plan(on, raw("{}", status, Location="https://elsewhere.example/token"))
    told = refused(key, server.service_account_file(tmp_path / "robot.json"))
    assert f"unexpected answer from Google (HTTP {status}" in told
    assert server.proxy.refused == []


def test_a_netrc_file_has_no_say(
    server: SheetsServer, key: str, tmp_path: Path, home: Path
) -> None:
    hosts = ("sheets.googleapis.com", "oauth2.googleapis.com")
    lines = [f"machine {host} login somebody password else" for host in hosts]
    (home / ".netrc").write_text("\n".join(lines), "utf-8")
    (home / ".netrc").chmod(0o600)
    opened(key, server.service_account_file(tmp_path / "robot.json")).read()


@pytest.mark.parametrize("address", ["http://oauth2.googleapis.com/token", "ftp://x", "", 5, []])
@pytest.mark.parametrize("kind", ["key", "person"])
def test_a_token_is_asked_for_over_a_secure_connection_only(
    server: SheetsServer, key: str, tmp_path: Path, kind: str, address: Any
) -> None:
    make = server.service_account_file if kind == "key" else server.user_file
    file = make(tmp_path / "file.json")
    written(file, json.loads(file.read_text("utf-8")) | {"token_uri": address})
    assert "token_uri" in refused(key, file)
    assert server.requests.counts() == {}


def test_a_mistake_of_the_referees_own_shows_no_header() -> None:
    """What Python says of a wrong header holds the header."""
    from tests.support.cli import PROJECT, command, environment

    code = (
        "import referee.cli.main as m\n"
        "def app(*_, **__): raise ValueError(\"Invalid header value: 'Bearer ya29.secret'\")\n"
        "m.app = app\nm.run()"
    )
    ran = subprocess.run(
        [command()[0], "-c", code],
        env=environment(PYTHONWARNINGS="default"),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 70
    assert "Bearer …" in ran.stderr
    assert "secret" not in ran.stderr


# --- signed-in users --------------------------------------------------------------------------


def test_a_user_asks_for_reading_only_where_the_consent_named_it(
    server: SheetsServer, key: str, tmp_path: Path
) -> None:
    """A refresh cannot narrow what was not named; Drive is never asked for."""
    user = server.user(scopes=[SPREADSHEETS, READ_ONLY, DRIVE])
    file = written(tmp_path / "user.json", user.file() | {"scopes": user.scopes})
    opened(key, file, read_only=True).read()
    assert scopes(server) == {(READ_ONLY,)}
    server.requests.clear()
    opened(key, file).read()
    assert scopes(server) == {(SPREADSHEETS,)}


def test_a_user_without_named_scopes_uses_what_was_allowed(
    server: SheetsServer, key: str, tmp_path: Path
) -> None:
    file = server.user_file(tmp_path / "user.json")
    opened(key, file, read_only=True).read()
    assert scopes(server) == {(SPREADSHEETS,)}


def test_a_sign_in_saved_for_reading_cannot_write(
    server: SheetsServer, key: str, tmp_path: Path
) -> None:
    user = server.user()
    file = written(tmp_path / "user.json", user.file() | {"scopes": [READ_ONLY]})
    assert "was not allowed to change" in refused(key, file)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_consent_to_all_of_drive_is_enough(
    server: SheetsServer, key: str, tmp_path: Path, read_only: bool
) -> None:
    user = server.user(scopes=[DRIVE])
    file = written(tmp_path / "user.json", user.file() | {"scopes": user.scopes})
    opened(key, file, read_only=read_only).read()
    assert scopes(server) == {(DRIVE,)}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("person", "remove the saved sign-in, sign in anew and allow it"),
        ("gcloud", "gcloud auth application-default login --scopes="),
        ("key", "administrator"),
    ],
)
def test_a_missing_scope_has_advice_for_each_kind_of_account(
    server: SheetsServer,
    key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    words: str,
) -> None:
    file = tmp_path / "application_default_credentials.json"
    if kind == "key":
        server.service_account_file(file)
    else:
        server.user_file(file, scopes=["https://www.googleapis.com/auth/cloud-platform"])
    if kind == "gcloud":
        monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    server.faults.plan("read", faults.answer(errors.insufficient_scopes("sheets", "x")))
    told = refused(key, None if kind == "gcloud" else file)
    assert "does not allow" in told
    assert words in told


def test_an_unshared_sheet_names_the_signed_in_user(server: SheetsServer, tmp_path: Path) -> None:
    foreign = server.new_spreadsheet("Other", owner="else@example.com", shared_with={})
    told = refused(foreign, server.user_file(tmp_path / "user.json"))
    assert "the Google account you are signed in with" in told


def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that follows where it is led and allows what it is asked for."""
    script = tmp_path / "browser.py"
    script.write_text(
        "import sys, requests\nrequests.get(sys.argv[1], timeout=20)\n", encoding="utf-8"
    )
    command = f"{sys.executable} {script} %s &"
    monkeypatch.setenv("BROWSER", command)
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_desktop_client_asks_once_and_keeps_the_sign_in(
    server: SheetsServer,
    key: str,
    tmp_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The first run opens a browser; the second finds what gspread would find too."""
    browser(tmp_path, monkeypatch)
    client = server.desktop_client_file(tmp_path / "client.json")
    saved = usual(home, "authorized_user.json")
    saved.write_text('{"client_id": "another program\'s, and longer than what takes its place"}')
    saved.chmod(0o644)
    opened(key, client).read()
    kept = json.loads(saved.read_text("utf-8"))
    assert kept["scopes"] == [SPREADSHEETS]
    assert "token" not in kept or not kept["token"]
    assert os.name == "nt" or saved.stat().st_mode & 0o077 == 0
    assert capfd.readouterr().out == ""
    monkeypatch.setenv("BROWSER", "false")
    opened(key, client, read_only=True).read()
    opened(key).read()
    assert scopes(server) == {(SPREADSHEETS,)}


# --- new spreadsheets -------------------------------------------------------------------------


def test_a_user_makes_a_new_sheet(server: SheetsServer, tmp_path: Path) -> None:
    address = create_spreadsheet(
        "MM8", credentials=server.user_file(tmp_path / "user.json"), patience=Time().patience()
    )
    made = address.split("/")[5]
    assert server.titles(made)[:2] == ["Settings", "Players"]
    assert server.book(made).properties["title"] == "MM8"
    assert server.book(made).owner == HOST
    assert server.requests.counts() == {"token": 1, "write": 2, "read": 1}


def test_a_service_account_makes_none_and_says_what_to_do(
    server: SheetsServer, tmp_path: Path
) -> None:
    file = server.service_account_file(tmp_path / "robot.json")
    with pytest.raises(Unavailable, match=f"share it with {ROBOT} as Editor"):
        create_spreadsheet("MM8", credentials=file)
    assert server.requests.counts() == {}


def test_a_new_sheet_whose_answer_was_lost_is_not_made_twice(
    server: SheetsServer, tmp_path: Path
) -> None:
    server.faults.plan("spreadsheets.create", faults.drop().after_applying())
    file = server.user_file(tmp_path / "user.json")
    with pytest.raises(Unavailable, match="whether a spreadsheet was made is not known"):
        create_spreadsheet("MM8", credentials=file, patience=Time().patience())
    assert server.requests.counts() == {"token": 1, "write": 1}
