"""The requests of a spreadsheets.batchUpdate, in order. The caller lets them work on a copy."""

from __future__ import annotations

from collections.abc import Callable

from . import cell_requests, range_requests, sheet_requests
from .errors import ApiError, Obj, RequestError, bad_request, error
from .work import Work

Handler = Callable[[Work, Obj], Obj | None]
HANDLERS: dict[str, Handler] = {
    **sheet_requests.HANDLERS,
    **cell_requests.HANDLERS,
    **range_requests.HANDLERS,
}


def run(work: Work, requests: list[Obj]) -> list[Obj]:
    """Carry out every request; one reply each, ``{}`` where there is nothing to say."""
    if not requests:
        raise bad_request("Must specify at least one request.")
    replies = []
    for number, request in enumerate(requests):
        if len(request) != 1:
            text = "No request set." if not request else "More than one request set."
            raise bad_request(f"Invalid requests[{number}]: {text}")
        kind, body = next(iter(request.items()))
        replies.append(_one(work, number, kind, body))
    return replies


def _one(work: Work, number: int, kind: str, body: Obj) -> Obj:
    handler = HANDLERS.get(kind)
    if handler is None:
        raise error(501, f"requests[{number}].{kind} is not part of this test server.")
    place = f"Invalid requests[{number}].{kind}: "
    try:
        reply = handler(work, body)
    except RequestError as fault:
        raise bad_request(f"{place}{fault}") from None
    except ApiError as fault:  # a mask that cannot be read
        raise bad_request(f"{place}{_message(fault)}") from None
    return {} if reply is None else {kind: reply}


def _message(fault: ApiError) -> str:
    body = fault.body
    return str(body["error"]["message"]) if isinstance(body, dict) else str(body)
