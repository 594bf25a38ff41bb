"""Signing in to Google: which credentials there are, what they are, and what to do about them.

Looked for in this order: the file named by the user, the one named by
``GOOGLE_APPLICATION_CREDENTIALS``, gspread's usual places, Google's application default
credentials. Nothing of a credentials file but its path and a service account's address is ever
part of a message.
"""

import json
import os
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from referee.match.faults import Unavailable
from referee.stores.google.faults import Account
from referee.stores.google.retries import Tell

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

SCOPE: Final = "https://www.googleapis.com/auth/spreadsheets"
READ_ONLY_SCOPE: Final = "https://www.googleapis.com/auth/spreadsheets.readonly"
DRIVE_SCOPE: Final = "https://www.googleapis.com/auth/drive"
VARIABLE: Final = "GOOGLE_APPLICATION_CREDENTIALS"

_LARGEST: Final = 2**20
_CONSENT_SECONDS: Final = 180
_WHAT_TO_GIVE: Final = (
    "give the key file of a service account, as credentials.example.json shows its shape"
)
_NEEDED: Final = {
    "service_account": ("client_email", "private_key", "token_uri"),
    "authorized_user": ("client_id", "client_secret", "refresh_token"),
    "installed": ("client_id", "client_secret", "token_uri"),
}
_ADDRESSES: Final = ("token_uri", "token_url", "auth_uri", "service_account_impersonation_url")
_OTHER_KINDS: Final = frozenset(
    {"external_account", "external_account_authorized_user", "impersonated_service_account"}
)


class SignIn(msgspec.Struct, frozen=True):
    """Credentials of google-auth, ready to be refreshed, and whose they are."""

    credentials: "Credentials"
    account: Account


class _Place(msgspec.Struct, frozen=True):
    """A credentials file and, for a host, how the referee came to it."""

    path: Path
    because: str

    @property
    def named(self) -> str:
        return f"{self.path} ({self.because})" if self.because else str(self.path)


def sign_in(given: Path | None, tell: Tell, *, read_only: bool) -> SignIn:
    """Return the credentials to use.

    Touches the network only where a person signs in to a desktop client. Raises `Unavailable`
    where there are none or the file found is not what it should be.
    """
    scope = READ_ONLY_SCOPE if read_only else SCOPE
    for place in _places(given):
        return _from_file(place, scope, tell)
    return _default(scope)


def _places(given: Path | None) -> Iterator[_Place]:
    """Yield the credentials files there are, the named ones whether or not they exist."""
    if given is not None:
        yield _Place(given, "")
        return
    if named := os.environ.get(VARIABLE):
        yield _Place(Path(named), f"named by {VARIABLE}")
        return
    # The desktop client comes before the sign-in saved with it, which may not allow enough.
    for name in ("service_account.json", "credentials.json", "authorized_user.json"):
        if (path := _gspread() / name).exists():
            yield _Place(path, "gspread's usual place")


def _gspread() -> Path:
    from gspread.auth import get_config_dir

    return Path(get_config_dir())


def _saved_user() -> Path:
    return _gspread() / "authorized_user.json"


def _from_file(place: _Place, scope: str, tell: Tell) -> SignIn:
    info = _read(place)
    kind = _kind(place, info)
    held = info["installed"] if kind == "installed" else info
    missing = [name for name in _NEEDED.get(kind, ()) if not _is_text(held.get(name))]
    if missing:
        raise Unavailable(
            f"the credentials file {place.named} lacks {' and '.join(missing)}; download it again"
        )
    _check_addresses(place, held)
    if kind == "service_account":
        return _service_account(place, info, scope)
    if kind == "authorized_user":
        return _user(place, info, scope)
    if kind == "installed":
        return _desktop(place, info, scope, tell)
    return _other(place, info, scope)


def _check_addresses(place: _Place, held: Mapping[str, Any]) -> None:
    """Refuse to send what signs in to anywhere but over a secure connection."""
    for name in _ADDRESSES:
        value = held.get(name)
        if value is not None and not (_is_text(value) and value.startswith("https://")):
            raise Unavailable(
                f"the {name} in the credentials file {place.named} is no https address; download "
                "the file again"
            )


def _read(place: _Place) -> dict[str, Any]:
    named = f"the credentials file {place.named}"
    try:
        with place.path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        info = json.loads(data.decode("utf-8-sig")) if len(data) <= _LARGEST else None
    except FileNotFoundError:
        raise Unavailable(f"{named} does not exist; check its name and folder") from None
    except IsADirectoryError:
        raise Unavailable(f"{named} is a folder; name the file in it") from None
    except PermissionError:
        raise Unavailable(f"{named} may not be read; ask for permission to read it") from None
    except OSError as error:
        raise Unavailable(f"{named} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise Unavailable(
            f"{named} is not JSON; it may be cut off or another file: {_WHAT_TO_GIVE}"
        ) from None
    if not isinstance(info, dict):
        raise Unavailable(f"{named} holds no credentials; {_WHAT_TO_GIVE}")
    return info


def _kind(place: _Place, info: Mapping[str, Any]) -> str:
    kind = info.get("type")
    if kind is not None and not isinstance(kind, str):
        kind = "unknown"  # no word at all, so none of the known ones
    if kind in ("service_account", "authorized_user") or kind in _OTHER_KINDS:
        return str(kind)
    if kind is None and isinstance(info.get("installed"), dict):
        return "installed"
    if kind is None and isinstance(info.get("web"), dict):
        raise Unavailable(
            f"the credentials file {place.named} is for a web program; make an OAuth client of the "
            f"type Desktop app, or {_WHAT_TO_GIVE}"
        )
    if kind is None and _is_text(info.get("refresh_token")):
        return "authorized_user"  # as gspread saves it
    raise Unavailable(f"the file {place.named} is JSON but no Google credentials; {_WHAT_TO_GIVE}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _service_account(place: _Place, info: Mapping[str, Any], scope: str) -> SignIn:
    from google.auth.exceptions import GoogleAuthError
    from google.oauth2.service_account import Credentials

    try:
        # Google-auth types only a part of itself.
        made = Credentials.from_service_account_info(info, scopes=[scope])  # type: ignore[no-untyped-call]
    except (ValueError, TypeError, GoogleAuthError):
        raise Unavailable(
            f"the private_key in the credentials file {place.named} is no key; the file is only a "
            "pattern or damaged: download the service account's key again"
        ) from None
    return SignIn(made, Account(str(info["client_email"]), place.named, "key"))


def _user(place: _Place, info: Mapping[str, Any], scope: str) -> SignIn:
    """Return a signed-in user's credentials, as narrow as the consent they gave allows.

    A refresh may name only scopes that the consent named, so where reading alone is not among
    them, or nothing says what is, none is named and the token allows what the user allowed.
    """
    from google.oauth2.credentials import Credentials

    granted = _scopes(info)
    if granted and not _is_enough(granted, scope):
        raise Unavailable(
            f"the sign-in saved in {place.named} was not allowed to "
            f"{'read' if scope == READ_ONLY_SCOPE else 'change'} Google Sheets; remove the file "
            "and sign in again"
        )
    asked = [scope] if scope in granted else []
    fresh = {name: value for name, value in info.items() if name not in ("token", "expiry")}
    # Google-auth types only a part of itself.
    made = Credentials.from_authorized_user_info(fresh, scopes=asked)  # type: ignore[no-untyped-call]
    is_gcloud = place.path == _gcloud_file()
    return SignIn(made, Account(None, place.named, "gcloud" if is_gcloud else "person"))


def _is_enough(granted: Collection[str], scope: str) -> bool:
    """Whether a consent allows what a scope does; Google takes a wider one in its place."""
    wider = {scope, SCOPE, DRIVE_SCOPE} if scope == READ_ONLY_SCOPE else {scope, DRIVE_SCOPE}
    return not wider.isdisjoint(granted)


def _scopes(info: Mapping[str, Any]) -> list[str]:
    found = info.get("scopes")
    if isinstance(found, str):
        return found.split()
    return [str(scope) for scope in found] if isinstance(found, list) else []


def _desktop(place: _Place, info: Mapping[str, Any], scope: str, tell: Tell) -> SignIn:
    """Return the user's credentials for a desktop client: those saved before, or a new consent."""
    saved = _Place(_saved_user(), "saved when you signed in")
    if saved.path.exists():
        known = _read(saved)
        is_ours = known.get("client_id") == info["installed"]["client_id"]
        if is_ours and _is_enough(_scopes(known), scope):
            return _from_file(saved, scope, tell)
    tell("Google asks you to sign in: allow it in the browser window that opens")
    made = _consented(place, info, scope)
    _save(saved.path, made)
    return SignIn(made, Account(None, place.named))


def _consented(place: _Place, info: Mapping[str, Any], scope: str) -> "Credentials":
    """Let the user sign in in a browser. The address to open goes to standard error."""
    import contextlib
    import sys

    # The library ships no types.
    from google_auth_oauthlib.flow import InstalledAppFlow  # type: ignore[import-untyped]

    try:
        flow = InstalledAppFlow.from_client_config(info, [scope])
        flow.oauth2session.max_redirects = 0
        with contextlib.redirect_stdout(sys.stderr):
            # The call is typed loosely; what it returns is known here.
            return flow.run_local_server(port=0, timeout_seconds=_CONSENT_SECONDS)  # type: ignore[no-any-return]
    except Exception:  # noqa: BLE001  three libraries, each with errors of its own
        raise Unavailable(
            f"signing in with {place.named} did not come to an end; run again and allow it in the "
            f"browser within {_CONSENT_SECONDS // 60} minutes, or {_WHAT_TO_GIVE}"
        ) from None


def _save(path: Path, credentials: Any) -> None:
    """Keep a sign-in where gspread keeps it, for its owner's eyes only."""
    text: str = credentials.to_json(strip=("token", "expiry"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            # One that was there before keeps its rights until they are set.
            path.chmod(0o600)
            file.truncate()
            file.write(text)
    except OSError as error:
        raise Unavailable(
            f"the sign-in cannot be saved in {path}: {error.strerror or error}"
        ) from None


def _other(place: _Place, info: Mapping[str, Any], scope: str) -> SignIn:
    import google.auth
    from google.auth.exceptions import GoogleAuthError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            load = google.auth.load_credentials_from_dict
            # Google-auth types only a part of itself.
            made, _ = load(dict(info), scopes=[scope])  # type: ignore[no-untyped-call]
    except (GoogleAuthError, ValueError, KeyError, TypeError, AttributeError):
        # Google-auth looks into what the file lacks before it says so.
        raise Unavailable(f"the credentials file {place.named} is damaged; make it again") from None
    email = getattr(made, "service_account_email", None)
    return SignIn(made, Account(email if isinstance(email, str) else None, place.named, "key"))


def _default(scope: str) -> SignIn:
    """Return Google's application default credentials: gcloud's file, or a cloud machine's own."""
    if (path := _gcloud_file()).exists():
        return _from_file(_Place(path, "gcloud's application default"), scope, lambda _: None)
    import google.auth
    from google.auth.exceptions import GoogleAuthError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made, _ = google.auth.default(scopes=[scope])
    except GoogleAuthError:
        raise Unavailable(
            "no Google credentials found; give the key file of a service account with "
            f"--credentials FILE, name it in {VARIABLE}, or put it at "
            f"{_gspread() / 'service_account.json'}"
        ) from None
    email = getattr(made, "service_account_email", None)
    email = email if isinstance(email, str) else None
    return SignIn(made, Account(email, "this machine's own", "machine"))


def _gcloud_file() -> Path:
    if folder := os.environ.get("CLOUDSDK_CONFIG"):
        base = Path(folder)
    elif os.name == "nt":
        base = Path(os.environ.get("APPDATA", "")) / "gcloud"
    else:
        base = Path.home() / ".config" / "gcloud"
    return base / "application_default_credentials.json"
