"""What the service answers when it refuses: statuses and JSON bodies shaped as Google's own.

Sheets and Drive differ: Drive adds a list ``errors``, and leaves ``status`` out for a missing file.
"""

from __future__ import annotations

from typing import Any

Obj = dict[str, Any]

PROJECT = "104729104729"
_BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"
_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_HELP = "type.googleapis.com/google.rpc.Help"

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
PROTECTED = (
    "You are trying to edit a protected cell or object. Please contact the spreadsheet owner to "
    "remove protection if you need to edit."
)


class ApiError(Exception):
    """An answer other than success, ready to be sent."""

    def __init__(self, status: int, body: Obj | str, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body
        self.headers = headers or {}


class RequestError(Exception):
    """A fault found inside one request; its place is put before the message by whoever loops."""


def error(
    status: int, message: str, *, name: str = "", details: list[Obj] | None = None
) -> ApiError:
    body: Obj = {"code": status, "message": message, "status": name or STATUS_NAMES[status]}
    if details:
        body["details"] = details
    return ApiError(status, {"error": body})


def bad_request(message: str, field: str = "") -> ApiError:
    if not field:
        return error(400, message)
    return violations([(field, message)])


def violations(found: list[tuple[str, str]], message: str = "") -> ApiError:
    """400 with the list of fields at fault; the message repeats them unless one is given."""
    listed = []
    for field, description in found:
        listed.append(
            {"field": field, "description": description} if field else {"description": description}
        )
    text = message or "\n".join(description for _, description in found)
    return error(400, text, details=[{"@type": _BAD_REQUEST, "fieldViolations": listed}])


def unknown_mask_path(path: str) -> ApiError:
    text = f"Error expanding 'fields' parameter. Cannot find matching fields for path '{path}'."
    return violations([(path, text)], "Request contains an invalid argument.")


def not_found() -> ApiError:
    return error(404, "Requested entity was not found.")


def permission_denied() -> ApiError:
    return error(403, "The caller does not have permission")


def excel_file() -> ApiError:
    return error(
        400, "This operation is not supported for this document", name="FAILED_PRECONDITION"
    )


def internal() -> ApiError:
    return error(500, "Internal error encountered.")


def unavailable() -> ApiError:
    return error(503, "The service is currently unavailable.")


def deadline_exceeded() -> ApiError:
    return error(504, "Deadline expired before operation could complete.")


def unauthenticated(api: str = "sheets") -> ApiError:
    refused = error(
        401,
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login "
        "cookie or other valid authentication credential. See "
        "https://developers.google.com/identity/sign-in/web/devconsole-project.",
    )
    refused.headers["WWW-Authenticate"] = (
        'Bearer realm="https://accounts.google.com/", error="invalid_token"'
    )
    if api == "drive":
        entry = _drive_entry("Invalid Credentials", "authError")
        _inner(refused)["errors"] = [
            entry | {"location": "Authorization", "locationType": "header"}
        ]
    return refused


def unregistered() -> ApiError:
    return error(
        403,
        "Method doesn't allow unregistered callers (callers without established identity). Please "
        "use API Key or other form of API consumer identity to call this API.",
    )


def insufficient_scopes(api: str, method: str) -> ApiError:
    refused = error(403, "Request had insufficient authentication scopes.")
    if api == "drive":
        entry = _drive_entry("Insufficient Permission", "insufficientPermissions")
        _inner(refused)["errors"] = [entry]
    else:
        meta = {"service": "sheets.googleapis.com", "method": method}
        _inner(refused)["details"] = [_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", meta)]
    return refused


def service_disabled() -> ApiError:
    url = (
        "https://console.developers.google.com/apis/api/sheets.googleapis.com/overview"
        f"?project={PROJECT}"
    )
    text = (
        f"Google Sheets API has not been used in project {PROJECT} before or it is disabled. "
        f"Enable it by visiting {url} then retry. If you enabled this API recently, wait a few "
        "minutes for the action to propagate to our systems and retry."
    )
    meta = {
        "serviceTitle": "Google Sheets API",
        "consumer": f"projects/{PROJECT}",
        "activationUrl": url,
        "containerInfo": PROJECT,
        "service": "sheets.googleapis.com",
    }
    localized = {
        "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
        "locale": "en-US",
        "message": text,
    }
    links = [{"description": "Google developers console API activation", "url": url}]
    details = [_info("SERVICE_DISABLED", meta), localized, {"@type": _HELP, "links": links}]
    return error(403, text, details=details)


def usage_limits(reason: str = "accessNotConfigured") -> ApiError:
    """403 in the older style, of the domain that some clients take for a passing quota."""
    refused = error(403, "Access Not Configured. The API is not enabled for your project.")
    _inner(refused)["errors"] = [
        {"message": _inner(refused)["message"], "domain": "usageLimits", "reason": reason}
    ]
    return refused


def quota_exceeded(kind: str) -> ApiError:
    """429 for ``kind`` 'read' or 'write'; Google sends no Retry-After with it."""
    title = kind.capitalize()
    meta = {
        "service": "sheets.googleapis.com",
        "consumer": f"projects/{PROJECT}",
        "quota_metric": f"sheets.googleapis.com/{kind}_requests",
        "quota_limit": f"{title}RequestsPerMinutePerUser",
        "quota_limit_value": "60",
        "quota_unit": "1/min/{project}/{user}",
        "quota_location": "global",
    }
    link = {
        "description": "Request a higher quota limit.",
        "url": "https://cloud.google.com/docs/quotas/help/request_increase",
    }
    text = (
        f"Quota exceeded for quota metric '{title} requests' and limit '{title} requests per "
        "minute per user' of service 'sheets.googleapis.com' for consumer "
        f"'project_number:{PROJECT}'."
    )
    details = [_info("RATE_LIMIT_EXCEEDED", meta), {"@type": _HELP, "links": [link]}]
    return error(429, text, details=details)


def protected_cell() -> ApiError:
    return error(400, PROTECTED)


def file_not_found(file_id: str) -> ApiError:
    text = f"File not found: {file_id}."
    entry = _drive_entry(text, "notFound") | {"location": "fileId", "locationType": "parameter"}
    return ApiError(404, {"error": {"code": 404, "message": text, "errors": [entry]}})


def drive_error(status: int, message: str, reason: str, domain: str = "global") -> ApiError:
    entry = {"message": message, "domain": domain, "reason": reason}
    return ApiError(status, {"error": {"code": status, "message": message, "errors": [entry]}})


def html_page(status: int, title: str = "") -> ApiError:
    """A page made for people, as proxies and overloaded front ends send it instead of JSON."""
    heading = title or f"Error {status}"
    page = (
        f"<!DOCTYPE html>\n<html lang=en><title>{heading}</title>\n"
        f"<p><b>{heading}</b> <ins>That's all we know.</ins></html>\n"
    )
    return ApiError(status, page, {"Content-Type": "text/html; charset=UTF-8"})


def invalid_grant(description: str) -> ApiError:
    return ApiError(400, {"error": "invalid_grant", "error_description": description})


def _inner(refused: ApiError) -> Obj:
    assert isinstance(refused.body, dict)
    inner: Obj = refused.body["error"]
    return inner


def _drive_entry(message: str, reason: str) -> Obj:
    return {"message": message, "domain": "global", "reason": reason}


def _info(reason: str, metadata: dict[str, str]) -> Obj:
    return {
        "@type": _ERROR_INFO,
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": metadata,
    }
