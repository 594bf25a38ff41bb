"""What Google's refusals mean for a host, and which of them pass by themselves.

Decisions go by the HTTP status and the reasons in Google's answer, never by the code a client
library made of them: a page of HTML has a status too. Nothing Google sent is shown as it came, but
for one line of its own message.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from referee.match.faults import Unavailable, visible

PASSING_STATUSES: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
"""Answers after which the same request may well succeed a little later."""

_SHEETS: Final = "https://www.googleapis.com/auth/spreadsheets"
_CLOUD: Final = "https://www.googleapis.com/auth/cloud-platform"
_LIBRARY: Final = "https://console.cloud.google.com/apis/library/"
_LONGEST_QUOTE: Final = 240
_DESCRIBED: Final = {
    408: "Google waited too long for the request (408)",
    409: "Google was busy with another change (409)",
    429: "Google's limit of requests a minute is reached (429)",
    500: "Google had an internal error (500)",
    502: "Google's gateway had a problem (502)",
    503: "Google Sheets is unavailable at the moment (503)",
    504: "Google took too long to answer (504)",
}
_CONFLICTS: Final = (
    "No protected range with id",
    "already exists",
    "already has sheet protection",
    ".createDeveloperMetadata: ",
)

_SEAL: Final = (".deleteProtectedRange: ", ".deleteDeveloperMetadata: ")


class Account(msgspec.Struct, frozen=True):
    """Who the referee is for Google: a service account's address, None for a signed-in user.

    ``source`` names the credentials for a host: a file and where its name came from. ``kind`` is
    how they came about: a key file, a person's sign-in, gcloud's, or a cloud machine's own.
    """

    email: str | None
    source: str
    kind: Literal["key", "person", "gcloud", "machine"] = "person"

    @property
    def consent(self) -> str:
        """What to do where they do not allow Google Sheets."""
        if self.kind == "gcloud":
            return f"run gcloud auth application-default login --scopes={_CLOUD},{_SHEETS}"
        if self.kind == "machine":
            return (
                "give the key file of a service account with --credentials FILE, or let this "
                f"machine's account use {_SHEETS}"
            )
        if self.kind == "key":
            return (
                "a service account asks nobody: its organisation's administrator keeps it from "
                f"{_SHEETS}; make a key in a project of your own"
            )
        return "remove the saved sign-in, sign in anew and allow it"

    @property
    def named(self) -> str:
        """The account as a host shares a sheet with it."""
        return self.email or "the Google account you are signed in with"


class Passing(Exception):
    """A trouble that may pass: a request that failed may have been carried out all the same."""

    def __init__(self, why: str, retry_after: float | None = None) -> None:
        self.why = why
        self.retry_after = retry_after
        super().__init__(why)


class Refused(Unavailable):
    """Google answered that it did not do what was asked; repeating it as it is changes nothing.

    ``request`` is the number of the part of a batch that Google names, if it names one.
    """

    def __init__(self, text: str, said: str = "", status: int = 0) -> None:
        self.said = said
        self.status = status
        super().__init__(text, passes=False)

    @property
    def is_conflict(self) -> bool:
        """Whether somebody else got in between reading and writing."""
        return self.status == 400 and any(words in self.said for words in _CONFLICTS)

    @property
    def is_about_seal(self) -> bool:
        """Whether the referee may not take off the protection that shows who was here."""
        return self.status == 400 and any(words in self.said for words in _SEAL)

    @property
    def is_protected(self) -> bool:
        """Whether cells were protected against the referee."""
        return self.status == 400 and "protected cell or object" in self.said

    @property
    def request(self) -> int | None:
        """The number of the request in a batch that Google names."""
        number = self.said.partition("requests[")[2].partition("]")[0]
        return int(number) if number.isascii() and number.isdecimal() and len(number) < 9 else None


class Unexpected(Unavailable):
    """An answer that is no answer of the Sheets API: a sign-in page, a proxy's word."""


def unexpected(status: int) -> Unexpected:
    """Return what to say of an answer that cannot be understood."""
    return Unexpected(
        f"unexpected answer from Google (HTTP {status}, not the Sheets API's own); a proxy, a "
        "guest network's sign-in page or a filter may stand in between"
    )


def fault_of(
    status: int, headers: Mapping[str, str], text: str, account: Account, *, writing: bool
) -> Exception:
    """Return the exception for an answer other than success."""
    if status in PASSING_STATUSES:
        return Passing(_DESCRIBED[status], seconds_asked(headers))
    error = _error(text)
    if error is None:
        return unexpected(status)
    said = one_line(str(error.get("message", "")))
    told = _meaning(status, error, said, account, writing=writing)
    plain = f"Google refused (HTTP {status}): {said or 'without a word'}"
    return Refused(told or plain, said, status)


def _error(text: str) -> dict[str, Any] | None:
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return error if isinstance(error, dict) else None


def seconds_asked(headers: Mapping[str, str]) -> float | None:
    """Read a Retry-After header: seconds, or a date."""
    given = headers.get("Retry-After", "").strip()
    if not given:
        return None
    if given.isascii() and given.isdecimal():
        return float(given[:9])
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        at = parsedate_to_datetime(given)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return max((at - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _meaning(
    status: int, error: Mapping[str, Any], said: str, account: Account, *, writing: bool
) -> str | None:
    reasons = set(_reasons(error))
    if status == 401:
        return (
            "Google does not accept the sign-in, not even a fresh one; check the credentials "
            f"({account.source})"
        )
    if status == 403:
        return _forbidden(error, reasons, said, account, writing=writing)
    if status == 404:
        return (
            f"Google finds no such spreadsheet: check its address, and share the sheet with "
            f"{account.named} as Editor"
        )
    if status == 400 and error.get("status") == "FAILED_PRECONDITION":
        return (
            "this is an Excel file on Drive, not a Google Sheet: open it and use File > Save as "
            "Google Sheets, or download it and give the .xlsx"
        )
    if status == 400 and "limit of" in said and "cells" in said:
        return f"the spreadsheet is full: {said} Delete empty rows, columns or tabs"
    return None


def _forbidden(
    error: Mapping[str, Any], reasons: set[str], said: str, account: Account, *, writing: bool
) -> str:
    if reasons & {"SERVICE_DISABLED", "accessNotConfigured"}:
        name, link = _service(error)
        return (
            f"the {name} is switched off in the project of these credentials; switch it on at "
            f"{link}, wait a few minutes and run again"
        )
    if reasons & {"ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"}:
        return (
            f"the sign-in ({account.source}) does not allow {'writing' if writing else 'reading'} "
            f"Google Sheets; {account.consent}"
        )
    if reasons & {"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"}:
        return f"Google's quota for these credentials is used up: {said}"
    if error.get("status") not in (None, "PERMISSION_DENIED") or (reasons and said):
        return f"Google does not allow it: {said}"
    if writing:
        return f"{account.named} may not change it; share the sheet with {account.named} as Editor"
    return f"it is not shared; share the sheet with {account.named} as Editor"


def _service(error: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of the API that is off and Google's link to switch it on."""
    name, link = "Google Sheets API", f"{_LIBRARY}sheets.googleapis.com"
    for detail in _dicts(error.get("details")):
        known = detail.get("metadata")
        if isinstance(known, dict):
            name = one_line(str(known.get("serviceTitle", name)))
            link = one_line(str(known.get("activationUrl", link)))
    return name, link


def _reasons(error: Mapping[str, Any]) -> Iterator[str]:
    for name in ("details", "errors"):
        for entry in _dicts(error.get(name)):
            if "reason" in entry:
                yield str(entry["reason"])


def _dicts(found: object) -> Iterator[dict[str, Any]]:
    if isinstance(found, list):
        yield from (entry for entry in found if isinstance(entry, dict))


def one_line(text: str) -> str:
    """Return a text of Google's as one line of bearable length."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"
