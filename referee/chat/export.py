"""Channel exports of DiscordChatExporter as plain messages.

Only what the referee needs of a message is kept, and nothing of it is decided here: whether it
counts, and for whom, is `importing`'s business. A file that is cut off, damaged, of another kind
or without certain times is refused whole, with its name and the message's id.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from referee.chat.export_words import EXPORT_AGAIN, read_stamp, refused
from referee.chat.messages import Export, Message, Person
from referee.match.faults import Fault, Stopped, Unavailable, WrongUsage, quoted
from referee.match.instants import Instant
from referee.workbook.names import mended

if TYPE_CHECKING:
    from json import JSONDecodeError

_ID: Final = re.compile(r"[0-9]{1,20}")


def read_exports(paths: Sequence[Path]) -> tuple[Export, ...]:
    """Read channel exports, each a JSON or CSV file of DiscordChatExporter.

    Raises `Stopped` with every fault of every file, `WrongUsage` for a file that is not there and
    `Unavailable` for one that cannot be read.
    """
    exports: list[Export] = []
    faults: list[Fault] = []
    for path, data in [(path, _bytes(path)) for path in paths]:
        alone = len({other for other in paths if other.name == path.name}) == 1
        file = path.name if alone else str(path)
        try:
            exports.append(read_export(data, file))
        except Stopped as stop:
            faults += stop.faults
    if faults:
        raise Stopped(dict.fromkeys(faults))
    return tuple(exports)


def read_export(data: bytes, file: str) -> Export:
    """Read one export from its bytes; ``file`` is what faults call it. Raises `Stopped`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused(file, f"is not a text in UTF-8; {EXPORT_AGAIN}") from None
    start = text.lstrip()[:200]
    if not start:
        raise refused(file, f"is empty; {EXPORT_AGAIN}")
    if start[0] in "{[":
        export = _read_json(text, file)
    elif "AuthorID" in start.partition("\n")[0]:
        from referee.chat.export_csv import read_csv

        export = read_csv(text, file)
    elif start[0] == "<":
        raise refused(file, f"is an HTML page, not a JSON export; {EXPORT_AGAIN}")
    else:
        raise refused(file, f"is no channel export of DiscordChatExporter; {EXPORT_AGAIN}")
    _refuse_without_texts(export)
    return export


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        what = "is a folder" if path.is_dir() else "is not there"
        raise WrongUsage(f"{path} {what}; give the JSON file of a channel export") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unavailable(f"{path} cannot be read: {reason}") from None


def _refuse_without_texts(export: Export) -> None:
    people = [message for message in export.messages if message.by_a_person]
    empty = [m for m in people if not (m.text.strip() or m.carries or m.forwarded)]
    if people and len(empty) == len(people):
        text = (
            f"{export.file}: all {len(people)} messages are empty - message content intent? "
            "Switch it on for the bot whose token exports, and export again"
        )
        raise Stopped([Fault("empty-export", text)])


# --- JSON ------------------------------------------------------------------------------------


class _User(msgspec.Struct, rename="camel"):
    id: str | int
    name: str
    nickname: str | None = None
    is_bot: bool = False

    def person(self) -> Person:
        return Person(str(self.id), mended(self.name), mended(self.nickname or ""), self.is_bot)


class _JsonMessage(msgspec.Struct, rename="camel"):
    """The keys of a message that are read; all others may come and go with the versions."""

    id: str | int
    type: str | int
    timestamp: str
    author: _User
    content: str | None = None
    timestamp_edited: str | None = None
    attachments: list[Any] = []
    embeds: list[Any] = []
    stickers: list[Any] = []
    components: list[Any] = []
    mentions: list[_User] = []
    forwarded_message: dict[str, Any] | None = None


def _read_json(text: str, file: str) -> Export:
    root = _root(text, file)
    listed = root["messages"]
    faults: list[Fault] = []
    messages = tuple(_messages(listed, file, faults))
    if faults:
        raise Stopped(faults)
    name = root["channel"].get("name")
    return Export(file, name if isinstance(name, str) else "", messages)


def _root(text: str, file: str) -> dict[str, Any]:
    """Return the whole file as an object that has a channel and all of its messages."""
    import json

    try:
        # The standard library's reader, since it keeps half an emoji where others give up.
        root = json.loads(text)
    except json.JSONDecodeError as error:
        raise refused(file, _damage(text, error)) from None
    except (ValueError, RecursionError):
        raise refused(file, f"is damaged; {EXPORT_AGAIN}") from None
    is_export = (
        isinstance(root, dict)
        and isinstance(root.get("channel"), dict)
        and isinstance(root.get("messages"), list)
    )
    if not is_export:
        raise refused(file, f"is no channel export of DiscordChatExporter; {EXPORT_AGAIN}")
    count, found = root.get("messageCount"), len(root["messages"])
    if count is None:
        raise refused(file, f"is cut off: its messageCount is missing; {EXPORT_AGAIN}")
    if count != found or isinstance(count, bool):
        raise refused(file, f"holds {found} messages but says messageCount {count}; {EXPORT_AGAIN}")
    # The call is typed loosely; what it returns is known here.
    return root  # type: ignore[no-any-return]


def _damage(text: str, error: "JSONDecodeError") -> str:
    text = text.rstrip()
    is_cut = error.pos >= len(text) or not text.endswith("}")
    what = "is cut off" if is_cut else "is damaged"
    return f"{what} at line {error.lineno}; {EXPORT_AGAIN}"


def _messages(listed: list[Any], file: str, faults: list[Fault]) -> Iterator[Message]:
    for number, item in enumerate(listed, 1):
        given = item.get("id") if isinstance(item, dict) else None
        place = f"message {given}" if isinstance(given, str | int) else f"message number {number}"
        try:
            yield _message(msgspec.convert(item, _JsonMessage), file, place)
        except msgspec.ValidationError as error:
            problem = f"is not as DiscordChatExporter writes it: {error}"
            faults.append(Fault("bad-message", f"{file} {place} {problem}; {EXPORT_AGAIN}"))
        except ValueError as error:
            faults.append(Fault("bad-message", f"{file} {place}: {error}; {EXPORT_AGAIN}"))


def _message(item: _JsonMessage, file: str, place: str) -> Message:
    for what, number in (("id", item.id), ("author's id", item.author.id)):
        if not _ID.fullmatch(str(number)):
            raise ValueError(f"its {what} is not a number: {quoted(str(number))}")
    sent = _stamp("timestamp", item.timestamp)
    edited = None
    if item.timestamp_edited is not None:
        edited = _stamp("timestampEdited", item.timestamp_edited)
        if edited < sent:
            raise ValueError("timestampEdited is before timestamp")
    return Message(
        file=file,
        place=place,
        id=str(item.id),
        kind=str(item.type),
        author=item.author.person(),
        sent=sent,
        edited=edited,
        text=item.content or "",
        mentions=tuple(user.person() for user in item.mentions),
        carries=bool(item.attachments or item.embeds or item.stickers or item.components),
        forwarded=item.forwarded_message is not None,
    )


def _stamp(key: str, text: str) -> Instant:
    try:
        return read_stamp(text)
    except ValueError as error:
        raise ValueError(f"{key} {error}") from None
