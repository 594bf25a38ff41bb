"""What a Google Sheet is called: its address in the browser, or the key in the middle of it."""

import re
from typing import Final

from referee.match.faults import WrongUsage, quoted

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{20,}")
_IN_ADDRESS: Final = (
    re.compile(r"/spreadsheets/(?:u/[0-9]+/)?d/([A-Za-z0-9_-]{20,})(?![A-Za-z0-9_-])"),
    re.compile(r"/file/d/([A-Za-z0-9_-]{20,})"),
    re.compile(r"[?&#](?:key|id)=([A-Za-z0-9_-]{20,})"),
)
_PUBLISHED: Final = re.compile(r"/spreadsheets/(?:u/[0-9]+/)?d/e/")


def sheet_key(sheet: str) -> str:
    """Return the key of a spreadsheet from its address or from the key itself.

    Raises `WrongUsage` where the text is neither.
    """
    text = sheet.strip()
    if _KEY.fullmatch(text):
        return text
    if _PUBLISHED.search(text):
        raise WrongUsage(
            f"{text} is the address of a page published to the web, which cannot be written; "
            "give the address of the spreadsheet itself, as it stands while you edit it"
        )
    for pattern in _IN_ADDRESS:
        if found := pattern.search(text):
            return found[1]
    raise WrongUsage(
        f"{quoted(text)} is no address of a Google Sheet; give it as the browser shows it, like "
        "https://docs.google.com/spreadsheets/d/KEY/edit, or only its key"
    )
