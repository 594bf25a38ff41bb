"""Requests to the Sheets API, each one attempt under a time limit, through gspread's own client.

gspread's back-off client is not used: it repeats writes, and on lasting answers never ends.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from referee.match.faults import Unavailable
from referee.stores.google.faults import (
    PASSING_STATUSES,
    Account,
    Passing,
    Refused,
    Unexpected,
    fault_of,
    unexpected,
)
from referee.stores.google.retries import Deadline, Tell, within
from referee.stores.google.signin import SignIn, sign_in

if TYPE_CHECKING:
    from google.auth.credentials import Credentials
    from gspread import Client
    from gspread.http_client import ParamsType
    from requests import PreparedRequest, Response

T = TypeVar("T")
_UNAUTHENTICATED: Final = 401


class Wire:
    """The way to Google for one run: signs in when it is first used, and keeps the token."""

    def __init__(self, credentials: Path | None, tell: Tell, *, read_only: bool) -> None:
        self._given = credentials
        self._tell = tell
        self._read_only = read_only
        self._signed: SignIn | None = None
        self._client: Client | None = None

    @property
    def account(self) -> Account:
        """Who the referee is for Google; looks for the credentials, without the network."""
        return self._sign_in().account

    def _sign_in(self) -> SignIn:
        if self._signed is None:
            self._signed = sign_in(self._given, self._tell, read_only=self._read_only)
        return self._signed

    def get(self, key: str, fields: str, deadline: Deadline) -> dict[str, Any]:
        """Return a spreadsheet's JSON through a field mask, repeated while the deadline allows."""
        from gspread.urls import SPREADSHEET_URL

        address = SPREADSHEET_URL % key

        def attempt() -> dict[str, Any]:
            self.refresh(deadline)
            return self._ask("get", address, fields, None, deadline)

        return deadline.repeat(attempt)

    def post(
        self, path: str, fields: str, body: Mapping[str, Any], deadline: Deadline
    ) -> dict[str, Any]:
        """Send one change, once; ``path`` follows the API's address.

        `refresh` comes before. Raises `Refused` where Google did not carry it out, `Passing` or
        `Unexpected` where it may have done so.
        """
        from gspread.urls import SPREADSHEETS_API_V4_BASE_URL

        address = SPREADSHEETS_API_V4_BASE_URL + path
        return self._ask("post", address, fields, body, deadline)

    def refresh(self, deadline: Deadline) -> None:
        """Get a token where there is none that is still good, repeated while there is time."""
        if not self._sign_in().credentials.valid:
            deadline.repeat(lambda: self._refresh(deadline))

    def _refresh(self, deadline: Deadline) -> None:
        from google.auth.exceptions import GoogleAuthError, RefreshError

        signed = self._sign_in()
        limit = deadline.request_limit
        request = _token_request(limit)
        try:
            # Google-auth types only a part of itself.
            within(limit, lambda: signed.credentials.refresh(request))  # type: ignore[no-untyped-call]
        except RefreshError as error:
            raise _refused_sign_in(error, signed.account) from None
        except (GoogleAuthError, ValueError, KeyError, TypeError, AttributeError):
            raise Unavailable(
                f"signing in to Google with {signed.account.source} failed; make the credentials "
                "anew"
            ) from None

    def _ask(
        self,
        method: str,
        address: str,
        fields: str,
        body: Mapping[str, Any] | None,
        deadline: Deadline,
    ) -> dict[str, Any]:
        """Send one request; where the token is refused, get a fresh one and send it once more."""
        for is_last in (False, True):
            try:
                return self._send(method, address, fields, body, deadline)
            except Refused as refusal:
                if is_last or refusal.status != _UNAUTHENTICATED:
                    raise
            # A refused token means that nothing was done, so that even a write may be repeated.
            try:
                deadline.repeat(lambda: self._refresh(deadline))
            except (Passing, Unavailable) as trouble:
                raise Refused(str(trouble), status=_UNAUTHENTICATED) from None
        raise AssertionError("unreachable")

    def _send(
        self,
        method: str,
        address: str,
        fields: str,
        body: Mapping[str, Any] | None,
        deadline: Deadline,
    ) -> dict[str, Any]:
        parameters: ParamsType = {"fields": fields, "prettyPrint": "false"}
        client = self._session()
        limit = deadline.request_limit
        client.set_timeout(limit)
        ask = client.http_client.request

        def call() -> "Response":
            return ask(method, address, params=parameters, json=body)

        try:
            response = within(limit, lambda: _told(call))
        except Passing:
            self._client = None  # its connections may still be in use by what was given up
            raise
        return _object(response.status_code, response.text)

    def _session(self) -> "Client":
        """Return gspread's client over a session that signs requests and repeats none."""
        if self._client is None:
            from gspread import Client
            from requests import Session

            session = Session()
            session.auth = _Bearer(self._sign_in().credentials)
            session.hooks["response"].append(self._checked)
            self._client = Client(auth=cast("Any", None), session=session)
        return self._client

    def _checked(self, response: "Response", *_: object, **__: object) -> None:
        """Raise what a refusal means, before gspread makes an error of its own of it.

        Before 6.2 gspread fails over a refusal that is a page of HTML.
        """
        if not response.ok:
            writing = response.request.method == "POST"
            status, headers, text = response.status_code, response.headers, response.text
            raise fault_of(status, headers, text, self.account, writing=writing)


class _Bearer:
    """Puts the token into each request; a .netrc file has no say then, as it would otherwise."""

    def __init__(self, credentials: "Credentials") -> None:
        self._credentials = credentials

    def __call__(self, request: "PreparedRequest") -> "PreparedRequest":
        # Google-auth types only a part of itself.
        self._credentials.apply(request.headers)  # type: ignore[no-untyped-call]
        return request


def _token_request(limit: float) -> Any:
    """Return what google-auth sends a token request with: once, and not on its own repeatedly."""
    from google.auth.exceptions import TransportError
    from google.auth.transport.requests import Request

    send = Request()

    def request(
        url: str, method: str = "GET", body: Any = None, headers: Any = None, **_: Any
    ) -> Any:
        def call() -> Any:
            try:
                return send(url=url, method=method, body=body, headers=headers, timeout=limit)
            except TransportError as error:
                raise error.args[0] if error.args else error from None

        answer = _told(call)
        if answer.status in PASSING_STATUSES:
            raise Passing(f"signing in to Google failed ({answer.status})")
        if method == "POST":
            _object(answer.status, answer.data.decode("utf-8", "replace"))
        return answer

    return request


def _object(status: int, text: str) -> dict[str, Any]:
    import json

    try:
        found = json.loads(text)
    except ValueError:
        raise unexpected(status) from None
    if not isinstance(found, dict):
        raise unexpected(status)
    return found


def _told(call: Callable[[], T]) -> T:
    """Return what a call gives, its network's troubles told apart: those that may pass or not."""
    from requests import exceptions as network

    try:
        return call()
    except network.Timeout:
        raise Passing("Google did not answer in time") from None
    except network.ProxyError:
        raise Passing("the proxy on the way to Google did not let the request through") from None
    except network.SSLError:
        raise Unavailable(
            "the connection to Google is not secure: its certificate is not accepted here; check "
            "the computer's clock and what stands between it and the internet"
        ) from None
    except (network.ConnectionError, network.ChunkedEncodingError, network.ContentDecodingError):
        raise Passing("the connection to Google broke off or could not be made") from None
    except network.RequestException as error:
        raise Unavailable(f"Google cannot be reached ({type(error).__name__})") from None
    except OSError as error:
        raise Unavailable(f"Google cannot be reached: {error.strerror or error}") from None


def _refused_sign_in(error: Exception, account: Account) -> Exception:
    """Return what to say of a sign-in that Google's token endpoint refused."""
    found = error.args[1] if len(error.args) > 1 else None
    code = found.get("error") if isinstance(found, dict) else None
    said = str(found.get("error_description", "")) if isinstance(found, dict) else ""
    if not isinstance(code, str):
        return Unexpected(f"unexpected answer from Google to the sign-in with {account.source}")
    if code == "invalid_grant" and ("iat" in said or "timeframe" in said):
        return Unavailable("Google does not accept the sign-in: set this computer's clock right")
    if code in ("invalid_grant", "invalid_client", "deleted_client", "account_disabled"):
        again = (
            "sign in again" if account.email is None else "make a new key for the service account"
        )
        return Unavailable(
            f"the credentials in {account.source} are no longer valid ({code}: expired, revoked or "
            f"deleted); {again}",
            passes=False,
        )
    if code == "invalid_scope":
        return Unavailable(
            f"the sign-in in {account.source} does not allow Google Sheets; sign in again and "
            "allow it",
            passes=False,
        )
    plain = code if code.replace("_", "").isalnum() and len(code) < 60 else "without a reason"
    return Unavailable(f"Google refused the sign-in with {account.source} ({plain})", passes=False)
