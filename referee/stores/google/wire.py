"""Requests to the Sheets API through google-auth's own session, each under one time limit.

The session signs each request and renews a refused token once. Done by hand here is what it or
gspread would do otherwise: gspread's client repeats writes, and on lasting answers never ends; a
session's own limit begins anew with each byte, so that a trickle never ends; it follows redirects,
lets a .netrc file replace the token, and says the token in an error over one that no header can
hold; google-auth repeats a token request without a word.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from referee.match.faults import RefereeError, Unavailable
from referee.stores.google.faults import (
    PASSING_STATUSES,
    Account,
    Passing,
    Refused,
    Unexpected,
    fault_of,
    seconds_asked,
    unexpected,
)
from referee.stores.google.retries import Deadline, Tell, within
from referee.stores.google.signin import SignIn, sign_in

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from requests import Session

T = TypeVar("T")
_ADDRESS: Final = "https://sheets.googleapis.com/v4/spreadsheets"
_JSON: Final = {"Content-Type": "application/json; charset=UTF-8"}
_UNAUTHENTICATED: Final = 401
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,16384}")
_LONGEST_LIFE: Final = 10**8
"""Seconds, some three years: more than any token of Google's lives."""
_PASSING_CODES: Final = frozenset(
    {"rate_limit_exceeded", "server_error", "temporarily_unavailable", "internal_failure"}
)


class Wire:
    """The way to Google for one run: signs in when it is first used, and keeps the token."""

    def __init__(self, credentials: Path | None, tell: Tell, *, read_only: bool) -> None:
        self._given = credentials
        self._tell = tell
        self._read_only = read_only
        self._signed: SignIn | None = None
        self._session: AuthorizedSession | None = None

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
        return deadline.repeat(lambda: self._ask("GET", f"/{key}", fields, None, deadline))

    def post(
        self, path: str, fields: str, body: Mapping[str, Any], deadline: Deadline
    ) -> dict[str, Any]:
        """Send one change, once; ``path`` follows the API's address.

        `refresh` comes before. Raises `Refused` where Google did not carry it out, `Passing` or
        `Unexpected` where it may have done so.
        """
        return self._ask("POST", path, fields, body, deadline)

    def refresh(self, deadline: Deadline) -> None:
        """Get a token where there is none that is still good, repeated while there is time."""
        signed = self._sign_in()

        def attempt() -> None:
            limit = deadline.request_limit
            ask = partial(_token_request, limit=limit)
            renew = partial(signed.credentials.refresh, ask)
            within(limit, lambda: _told(lambda: _signed_in(renew, signed.account)))

        if not signed.credentials.valid:
            deadline.repeat(attempt)

    def _ask(
        self,
        method: str,
        path: str,
        fields: str,
        body: Mapping[str, Any] | None,
        deadline: Deadline,
    ) -> dict[str, Any]:
        """Send one request; where the token is refused, the session renews it and sends again."""
        account, session, limit = self.account, self._connected(), deadline.request_limit
        parameters = {"fields": fields, "prettyPrint": "false"}
        data = None if body is None else _compact(body)

        def send() -> Any:
            address, headers = _ADDRESS + path, _JSON if data else {}
            # Google-auth types only a part of itself.
            return session.request(  # type: ignore[no-untyped-call]
                method, address, params=parameters, data=data, headers=headers, timeout=limit
            )

        def call() -> Any:
            try:
                return _signed_in(send, account)
            except Unavailable as trouble:
                raise Refused(str(trouble), status=_UNAUTHENTICATED) from None

        try:
            answer = within(limit, lambda: _told(call))
        except Passing:
            self._session = None  # its connections may still be in use by what was given up
            raise
        if answer.status_code != 200:
            told = answer.status_code, answer.headers, answer.text
            raise fault_of(*told, account, writing=method == "POST")
        return _object(answer.status_code, answer.text)

    def _connected(self) -> "AuthorizedSession":
        if self._session is None:
            from google.auth.transport.requests import AuthorizedSession

            # Google-auth types only a part of itself.
            self._session = AuthorizedSession(  # type: ignore[no-untyped-call]
                self._sign_in().credentials,
                refresh_status_codes=(_UNAUTHENTICATED,),
                max_refresh_attempts=1,
                auth_request=_token_request,
            )
            _straight(self._session)
        return self._session


def _compact(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


class _TokenAnswer(NamedTuple):
    """An answer of a token endpoint as google-auth takes it."""

    status: int
    headers: Mapping[str, str]
    data: bytes


def _straight(session: "Session") -> "Session":
    """Have a session go nowhere but where it was sent, and as who it was sent."""
    session.max_redirects = 0
    session.auth = lambda request: request
    return session


def _token_request(
    url: str,
    method: str = "GET",
    body: Any = None,
    headers: Any = None,
    timeout: float = 30,
    limit: float | None = None,
    **_: Any,
) -> _TokenAnswer:
    """Send what google-auth asks for a token with: once; what comes back is checked.

    ``limit``, in seconds, goes before google-auth's own ``timeout``.
    """
    from requests import Session

    def call() -> _TokenAnswer:
        with _straight(Session()) as session:
            seconds = timeout if limit is None else limit
            found = session.request(method, url, data=body, headers=headers, timeout=seconds)
            return _TokenAnswer(found.status_code, found.headers, found.content)

    answer = _told(call)
    status = answer.status
    if status in PASSING_STATUSES:
        why = f"signing in to Google failed ({status})"
        raise Passing(why, seconds_asked(answer.headers))
    if method != "POST":
        return answer
    found = _object(status, answer.data.decode("utf-8", "replace"))
    if status == 200:
        return answer._replace(data=json.dumps(_checked_token(found)).encode())
    code = found.get("error")
    if isinstance(code, str) and code in _PASSING_CODES:
        raise Passing(f"signing in to Google failed ({code})", seconds_asked(answer.headers))
    return answer


def _checked_token(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is used of a token answer; raises `Unexpected` where it is not what it says."""
    texts = ("access_token", "id_token", "refresh_token")
    for name in texts:
        value = found.get(name, "-")
        if not (isinstance(value, str) and _TOKEN.fullmatch(value)):
            raise unexpected(200)
    life = found.get("expires_in", 3600)
    if isinstance(life, bool) or not isinstance(life, int) or not 0 < life < _LONGEST_LIFE:
        raise unexpected(200)
    scope = found.get("scope")
    checked = {name: found[name] for name in texts if name in found} | {"expires_in": life}
    return checked | ({"scope": scope} if isinstance(scope, str) and scope.isprintable() else {})


def _object(status: int, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise unexpected(status) from None
    if not isinstance(found, dict):
        raise unexpected(status)
    return found


def _no_number(word: str) -> None:
    raise ValueError(word)


def _told(call: Callable[[], T]) -> T:
    """Return what a call gives, its network's troubles told apart: those that may pass or not.

    Whatever else goes wrong underneath is told in one line: its own words might hold a token.
    """
    from requests import exceptions as network

    try:
        return call()
    except (RefereeError, Passing):
        raise
    except network.TooManyRedirects as error:
        raise unexpected(getattr(error.response, "status_code", 302)) from None
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
    except Exception as error:  # noqa: BLE001  a network library may raise anything
        why = type(error).__name__
        if isinstance(error, OSError) and error.strerror:
            why = error.strerror
        raise Unavailable(f"Google cannot be reached ({why})") from None


def _signed_in(call: Callable[[], T], account: Account) -> T:
    """Return what a call gives that may sign in first; raises what a failed sign-in means."""
    from google.auth.exceptions import GoogleAuthError, RefreshError

    try:
        return call()
    except RefreshError as error:
        raise _refused_sign_in(error, account) from None
    except (GoogleAuthError, ValueError, KeyError, TypeError, AttributeError) as error:
        if type(error).__module__.startswith("requests"):
            raise
        raise Unavailable(
            f"signing in to Google with {account.source} failed; make the credentials anew"
        ) from None


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
            f"the sign-in in {account.source} does not allow Google Sheets; {account.consent}",
            passes=False,
        )
    plain = code if code.replace("_", "").isalnum() and len(code) < 60 else "without a reason"
    return Unavailable(f"Google refused the sign-in with {account.source} ({plain})", passes=False)
