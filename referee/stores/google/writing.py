"""Carrying out one change of a sheet: sent once, and sent again only after looking.

Google may have carried out a write whose answer says otherwise or never comes. So after every
trouble the sheet is read: if it holds the change, the change is done; if it is as it was before,
the change is sent again, built anew on what was just read; if it is neither, somebody else was
here and nothing more is written.
"""

from collections.abc import Iterator
from typing import Final, Protocol

from referee.match.faults import Overtaken, Stopped, Unavailable
from referee.stores.google.faults import Passing, Refused, Unexpected
from referee.stores.google.reading import MASK, Obj, Seen, read_spreadsheet
from referee.stores.google.retries import Deadline, Patience, Tell
from referee.stores.google.wire import Wire
from referee.workbook.cells import column_letters

_ANSWER: Final = f"replies,updatedSpreadsheet({MASK})"
NOTHING: Final = "nothing was written"
_MOST_CONFLICTS: Final = 3


class Step(Protocol):
    """A change to a spreadsheet: how to make it and how to tell that it is made."""

    def requests(self, seen: Seen, *, sealed: bool) -> list[Obj]:
        """Return the parts of the batch that make the change to a sheet as it was seen.

        ``sealed``: so that Google refuses them where somebody else published since.
        """
        ...

    def is_done(self, seen: Seen) -> bool:
        """Whether the sheet holds the change, whole."""
        ...

    def overtaken(self, before: Seen, after: Seen) -> str | None:
        """Return what somebody else did between two looks to what this step writes."""
        ...


class Writer:
    """Carries out steps on one spreadsheet."""

    def __init__(self, wire: Wire, key: str, patience: Patience, tell: Tell) -> None:
        self._wire = wire
        self._key = key
        self._patience = patience
        self._tell = tell

    def read(self, deadline: Deadline) -> Seen:
        """Look at the spreadsheet; raises `Passing` where there is no time left."""
        return read_spreadsheet(self._wire.get(self._key, MASK, deadline))

    def carry_out(self, step: Step, before: Seen) -> Seen:
        """Make a change to the sheet as it was seen ``before``, and return it as it is then.

        Raises `Unavailable` with what is certain: nothing was written, or that it is not known.
        """
        deadline = Deadline(self._patience, self._tell)
        conflicts, sealed = 0, True
        while True:
            requests = step.requests(before, sealed=sealed)
            self._refresh(deadline)
            trouble: Passing | Unexpected | Refused
            try:
                return self._send(requests, deadline)
            except (Passing, Unexpected) as found:
                trouble = found
            except Refused as refused:
                if sealed and refused.is_about_seal and not refused.is_conflict:
                    sealed = False
                    continue
                conflicts += refused.is_conflict
                trouble = refused
            is_last = conflicts >= _MOST_CONFLICTS or not _may_repeat(trouble, deadline)
            seen = self._look(trouble, deadline, is_last=is_last)
            if seen is not None and step.is_done(seen):
                return seen
            if seen is not None and (other := step.overtaken(before, seen)) is not None:
                raise Overtaken(f"{other}; {NOTHING} by this run: run again")
            if seen is None or is_last:
                raise self._explained(trouble, requests, before)
            before = seen

    def _refresh(self, deadline: Deadline) -> None:
        """Have a good token before anything is sent, so that what fails here changed nothing."""
        try:
            self._wire.refresh(deadline)
        except (Passing, Unavailable) as trouble:
            raise _nothing_written(trouble) from None

    def _send(self, requests: list[Obj], deadline: Deadline) -> Seen:
        body = {
            "requests": requests,
            "includeSpreadsheetInResponse": True,
            "responseIncludeGridData": True,
        }
        answer = self._wire.post(f"/{self._key}:batchUpdate", _ANSWER, body, deadline)
        return read_spreadsheet(answer.get("updatedSpreadsheet", {}))

    def _look(self, trouble: Exception, deadline: Deadline, *, is_last: bool) -> Seen | None:
        """Read back after a write that did not plainly succeed; the last look has its own time.

        None where the sheet cannot be read but Google's word is enough: it refused the write.
        Raises `Unavailable` where the end of the write stays unknown.
        """
        if is_last:
            deadline = Deadline(self._patience, self._tell, self._patience.last_look)
        try:
            return self.read(deadline)
        except (Passing, Unavailable, Stopped) as blind:
            if not is_last and isinstance(blind, Passing):
                return self._look(trouble, deadline, is_last=True)
            if isinstance(trouble, Refused):
                return None
            raise Unavailable(
                f"{_why(trouble)}, and the sheet cannot be read back ({_why(blind)}): either "
                "everything was written or nothing was; run again, which finds out",
                passes=True if isinstance(trouble, Passing) else None,
            ) from None

    def _explained(self, trouble: Exception, requests: list[Obj], seen: Seen) -> Unavailable:
        """Return what to say of a write that Google refused."""
        if not isinstance(trouble, Refused) or not trouble.is_protected:
            return _nothing_written(trouble)
        number = trouble.request
        tried = requests if number is None else requests[number : number + 1]
        places = list(_protected(seen, {_sheet_id(request) for request in tried}))
        where = f" ({', '.join(places)})" if places else ""
        return Unavailable(
            f"cells that the referee has to write are protected{where}: under Data > Protect "
            f"sheets and ranges let {self._wire.account.named} edit them; {NOTHING}",
            passes=False,
        )


def _nothing_written(trouble: Exception) -> Unavailable:
    """Return what to say of a trouble that left the sheet as it was."""
    passes = trouble.passes if isinstance(trouble, Unavailable) else isinstance(trouble, Passing)
    return Unavailable(f"{_why(trouble)}; {NOTHING}", passes=passes)


def _may_repeat(trouble: Passing | Unexpected | Refused, deadline: Deadline) -> bool:
    if isinstance(trouble, Passing):
        return deadline.pause(trouble)
    return isinstance(trouble, Refused) and trouble.is_conflict


def _why(trouble: Exception) -> str:
    return trouble.why if isinstance(trouble, Passing) else str(trouble)


def _sheet_id(request: Obj) -> int:
    """Return the tab that a part of a batch is about."""
    body = next(iter(request.values()))
    places = (body.get(name) for name in ("range", "start", "properties", "destination"))
    place = next(filter(None, places), body)
    return int(place.get("sheetId", 0))


def _protected(seen: Seen, sheet_ids: set[int]) -> Iterator[str]:
    """Yield the ranges of these tabs that the referee may not edit, or else the tabs."""
    for sheet in seen.sheets:
        if sheet.sheet_id not in sheet_ids:
            continue
        hard = [one for one in sheet.protections if not _is_open(one)]
        yield from (range_name(sheet.title, one.get("range", {})) for one in hard)
        if not hard and len(sheet_ids) == 1:
            yield sheet.title


def _is_open(protection: Obj) -> bool:
    return bool(protection.get("warningOnly") or protection.get("requestingUserCanEdit"))


def range_name(title: str, place: Obj) -> str:
    """Return a range as hosts read it: ``Pen!A1:C7``, or the tab alone for all of it."""
    top, left = place.get("startRowIndex", 0) + 1, place.get("startColumnIndex", 0) + 1
    bottom, right = place.get("endRowIndex"), place.get("endColumnIndex")
    if bottom is None and right is None:
        return title
    first = f"{column_letters(left) if right else ''}{top if bottom else ''}"
    last = f"{column_letters(right) if right else ''}{bottom or ''}"
    return f"{title}!{first}" if first == last else f"{title}!{first}:{last}"
