"""CSV exports of DiscordChatExporter: authors, times and texts, and nothing else.

A CSV has no message ids, edit times, mentions or types of message, so it is the second choice. It
is taken only where its times have seconds and an offset; some versions wrote local minutes.
"""

import csv
import io
from typing import Final

from referee.chat.export_words import EXPORT_AGAIN, read_stamp, refused
from referee.chat.messages import Export, Message, Person
from referee.match.faults import Fault, Stopped, quoted

_NEEDED: Final = ("AuthorID", "Author", "Date", "Content")


def read_csv(text: str, file: str) -> Export:
    """Read a CSV export; raises `Stopped` with every fault found.

    Rows are counted as a spreadsheet shows them: the header is row 1.
    """
    header: list[str] = []
    messages: list[Message] = []
    faults: list[Fault] = []
    row = 0
    try:
        for row, fields in enumerate(csv.reader(io.StringIO(text, newline=""), strict=True), 1):
            if row == 1:
                header = fields
                _check_header(header, file)
            elif fields:
                try:
                    messages.append(_message(header, fields, file, row))
                except ValueError as error:
                    faults.append(Fault("bad-message", f"{file} row {row} {error}"))
    except csv.Error as error:
        raise refused(
            file, f"is cut off or damaged at row {row + 1}: {error}; {EXPORT_AGAIN}"
        ) from None
    if faults:
        raise Stopped(faults)
    return Export(file, "", tuple(messages), has_ids=False)


def _check_header(header: list[str], file: str) -> None:
    for name in _NEEDED:
        if header.count(name) != 1:
            problem = f"has no single column {name} in row 1; {EXPORT_AGAIN}"
            raise refused(file, problem)


def _message(header: list[str], fields: list[str], file: str, row: int) -> Message:
    if len(fields) != len(header):
        raise ValueError(
            f"has {len(fields)} fields instead of {len(header)}; is the file cut off? "
            f"{EXPORT_AGAIN}"
        )
    values = dict(zip(header, fields, strict=True))
    author = values["AuthorID"]
    if not (author.isascii() and author.isdigit()):
        raise ValueError(f"column AuthorID is not a number: {quoted(author)}; use JSON")
    try:
        sent = read_stamp(values["Date"])
    except ValueError as error:
        raise ValueError(f"column Date {error}; use JSON") from None
    return Message(
        file=file,
        place=f"row {row}",
        id="",
        kind="Default",
        author=Person(author, values["Author"]),
        sent=sent,
        text=values["Content"],
        carries=bool(values.get("Attachments")),
    )
