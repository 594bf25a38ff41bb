"""Which operation a request asks for, by its method and path."""

from __future__ import annotations

import re
import urllib.parse
from dataclasses import dataclass

READ, WRITE, DRIVE, TOKEN, OTHER = "read", "write", "drive", "token", "other"
_AUTH = "https://www.googleapis.com/auth/"
_SHEETS_WRITE = {f"{_AUTH}{name}" for name in ("spreadsheets", "drive", "drive.file")}
_SHEETS_READ = _SHEETS_WRITE | {
    f"{_AUTH}{name}" for name in ("spreadsheets.readonly", "drive.readonly")
}
_DRIVE_WRITE = {f"{_AUTH}{name}" for name in ("drive", "drive.file")}
_DRIVE_READ = _DRIVE_WRITE | {
    f"{_AUTH}{name}" for name in ("drive.readonly", "drive.metadata.readonly", "drive.metadata")
}


@dataclass(frozen=True)
class Operation:
    name: str  # as in Google's reference
    kind: str  # how it is counted
    method: str
    path: re.Pattern[str]
    rpc: str = ""  # the name that Google's refusals carry
    parameters: frozenset[str] = frozenset()

    @property
    def api(self) -> str:
        return "drive" if self.kind == DRIVE else "sheets"

    @property
    def scopes(self) -> set[str]:
        """The scopes of which one is needed."""
        if self.kind == DRIVE:
            return _DRIVE_READ if self.method == "GET" else _DRIVE_WRITE
        return _SHEETS_READ if self.kind == READ else _SHEETS_WRITE


@dataclass(frozen=True)
class Match:
    operation: Operation
    parts: dict[str, str]


def _operation(
    name: str, kind: str, method: str, path: str, rpc: str = "", parameters: str = ""
) -> Operation:
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/:]+)", path).replace("{+", "(?P<")
    service = "google.apps.sheets.v4.SpreadsheetsService."
    full = service + rpc if rpc else ""
    return Operation(
        name, kind, method, re.compile(pattern + "$"), full, frozenset(parameters.split())
    )


_BOOK = "/v4/spreadsheets/{id}"
_RANGE = _BOOK + "/values/(?P<range>[^/]+)"
_SHOW = "valueRenderOption dateTimeRenderOption"
_ECHO = (
    "valueInputOption includeValuesInResponse responseValueRenderOption "
    "responseDateTimeRenderOption"
)
_FILES = "/drive/v3/files"
OPERATIONS = [
    _operation("token", TOKEN, "POST", "(?:/token|/o/oauth2/token|/oauth2/v4/token)"),
    _operation("consent", OTHER, "GET", "/o/oauth2(?:/v2)?/auth"),
    _operation("spreadsheets.create", WRITE, "POST", "/v4/spreadsheets", "CreateSpreadsheet"),
    _operation(
        "spreadsheets.batchUpdate", WRITE, "POST", f"{_BOOK}:batchUpdate", "BatchUpdateSpreadsheet"
    ),
    _operation(
        "spreadsheets.get",
        READ,
        "GET",
        _BOOK,
        "GetSpreadsheet",
        "ranges includeGridData commentsViewMode excludeTablesInBandedRanges",
    ),
    _operation(
        "values.batchGet",
        READ,
        "GET",
        f"{_BOOK}/values:batchGet",
        "BatchGetValues",
        f"ranges majorDimension {_SHOW}",
    ),
    _operation(
        "values.batchUpdate", WRITE, "POST", f"{_BOOK}/values:batchUpdate", "BatchUpdateValues"
    ),
    _operation(
        "values.batchClear", WRITE, "POST", f"{_BOOK}/values:batchClear", "BatchClearValues"
    ),
    _operation(
        "values.append",
        WRITE,
        "POST",
        f"{_RANGE}:append",
        "AppendValues",
        f"insertDataOption {_ECHO}",
    ),
    _operation("values.clear", WRITE, "POST", f"{_RANGE}:clear", "ClearValues"),
    _operation("values.update", WRITE, "PUT", _RANGE, "UpdateValues", _ECHO),
    _operation("values.get", READ, "GET", _RANGE, "GetValues", f"majorDimension {_SHOW}"),
    _operation(
        "developerMetadata.search",
        READ,
        "POST",
        f"{_BOOK}/developerMetadata:search",
        "SearchDeveloperMetadata",
    ),
    _operation(
        "developerMetadata.get",
        READ,
        "GET",
        f"{_BOOK}/developerMetadata/{{metadata}}",
        "GetDeveloperMetadata",
    ),
    _operation("sheets.copyTo", WRITE, "POST", f"{_BOOK}/sheets/{{sheet}}:copyTo", "CopySheet"),
    _operation("drive.files.create", DRIVE, "POST", _FILES),
    _operation("drive.files.list", DRIVE, "GET", _FILES),
    _operation("drive.files.copy", DRIVE, "POST", f"{_FILES}/{{id}}/copy"),
    _operation("drive.files.export", DRIVE, "GET", f"{_FILES}/{{id}}/export"),
    _operation("drive.comments.list", DRIVE, "GET", f"{_FILES}/{{id}}/comments"),
    _operation("drive.permissions.list", DRIVE, "GET", f"{_FILES}/{{id}}/permissions"),
    _operation("drive.permissions.create", DRIVE, "POST", f"{_FILES}/{{id}}/permissions"),
    _operation("drive.permissions.delete", DRIVE, "DELETE", f"{_FILES}/{{id}}/permissions/{{who}}"),
    _operation("drive.files.get", DRIVE, "GET", f"{_FILES}/{{id}}"),
    _operation("drive.files.update", DRIVE, "PATCH", f"{_FILES}/{{id}}"),
    _operation("drive.files.delete", DRIVE, "DELETE", f"{_FILES}/{{id}}"),
    _operation("drive.files.upload", DRIVE, "PUT", "/upload/drive/v2/files/{id}"),
]


def find(method: str, path: str) -> Match | None:
    """The operation, and the decoded parts of its path."""
    for operation in OPERATIONS:
        found = operation.path.match(path) if operation.method == method else None
        if found:
            parts = {name: urllib.parse.unquote(part) for name, part in found.groupdict().items()}
            return Match(operation, parts)
    return None
