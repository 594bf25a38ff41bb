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

from referee.chat.export_parts import missing_parts
from referee.chat.export_words import EXPORT_AGAIN, read_stamp, refused
from referee.chat.messages import Export, Message, Person
from referee.match.faults import Fault, Stopped, Unavailable, WrongUsage, quoted
from referee.match.instants import SECOND, Instant, format_instant
from referee.workbook.message_ids import sent_at
from referee.workbook.names import mended

if TYPE_CHECKING:
    from json import JSONDecodeError

_ID: Final = re.compile(r"[0-9]{1,20}")
_MOST_APART: Final = 2 * SECOND


def read_exports(paths: Sequence[Path]) -> tuple[Export, ...]:
    """Read channel exports, each a JSON or CSV file of DiscordChatExporter.

    Raises `Stopped` with every fault of every file, `WrongUsage` for a file that is not there and
    `Unavailable` for one that cannot be read.
    """
    exports: list[Export] = []
    contents = [(path, _bytes(path)) for path in paths]
    faults = missing_parts(paths)
    for path, data in contents:
        alone = len({other for other in paths if other.name == path.name}) == 1
        file = path.name if alone else str(path)
        try:
            exports.append(read_export(data, file))
        except Stopped as stop:
            faults += stop.faults
    if not faults:
        faults += _without_texts(exports)
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
    if faults := _without_texts([export]):
        raise Stopped(faults)
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


def _without_texts(exports: Sequence[Export]) -> list[Fault]:
    """Return a fault where all that people wrote is empty; one such message alone may be a poll."""
    people = [m for export in exports for m in export.messages if m.by_a_person]
    if len(people) < 2 or any(m.text.strip() or m.carries or m.forwarded for m in people):
        return []
    text = (
        f"{', '.join(export.file for export in exports)}: all {len(people)} messages are empty - "
        "message content intent? Switch it on for the bot whose token exports, and export again"
    )
    return [Fault("empty-export", text)]


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
    poll: dict[str, Any] | None = None
    mentions: list[_User] = []
    forwarded_message: dict[str, Any] | None = None


def _read_json(text: str, file: str) -> Export:
    root = _root(text, file)
    listed = root["messages"]
    faults: list[Fault] = []
    channel = root["channel"]
    number = str(channel.get("id") or "")
    channel_id = number if _ID.fullmatch(number) else ""
    messages = tuple(_messages(listed, channel_id, file, faults))
    times = {key: _bound(root, key, file, faults) for key in ("after", "before", "exportedAt")}
    if faults:
        raise Stopped(faults)
    name = channel.get("name")
    return Export(
        file,
        name if isinstance(name, str) else "",
        messages,
        channel_id=channel_id,
        after=times["after"],
        before=times["before"],
        exported=times["exportedAt"],
        roles=_roles(listed),
    )


def _bound(root: dict[str, Any], key: str, file: str, faults: list[Fault]) -> Instant | None:
    """Return a time that tells which messages the file should hold, None where it has none."""
    holder = root if key == "exportedAt" else root.get("dateRange")
    text = holder.get(key) if isinstance(holder, dict) else None
    if text is None:
        return None
    try:
        return _stamp(key, str(text))
    except ValueError as error:
        faults.append(Fault("unreadable-export", f"{file}: {error}; {EXPORT_AGAIN}"))
        return None


def _roles(listed: list[Any]) -> frozenset[tuple[str, str]]:
    """Return ids and names of the roles that authors have, as far as the file lists them."""
    held = {str(item["author"]["id"]): item["author"].get("roles") for item in listed}
    return frozenset(
        (str(role.get("id")), str(role.get("name")))
        for roles in held.values()
        for role in (roles if isinstance(roles, list) else ())
        if isinstance(role, dict)
    )


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


def _messages(listed: list[Any], channel: str, file: str, faults: list[Fault]) -> Iterator[Message]:
    for number, item in enumerate(listed, 1):
        given = item.get("id") if isinstance(item, dict) else None
        place = f"message {given}" if isinstance(given, str | int) else f"message number {number}"
        try:
            yield _message(msgspec.convert(item, _JsonMessage), channel, file, place)
        except msgspec.ValidationError as error:
            problem = f"is not as DiscordChatExporter writes it: {error}"
            faults.append(Fault("bad-message", f"{file} {place} {problem}; {EXPORT_AGAIN}"))
        except ValueError as error:
            faults.append(Fault("bad-message", f"{file} {place}: {error}; {EXPORT_AGAIN}"))


def _message(item: _JsonMessage, channel: str, file: str, place: str) -> Message:
    for what, number in (("id", item.id), ("author's id", item.author.id)):
        if not _ID.fullmatch(str(number)):
            raise ValueError(f"its {what} is not a number: {quoted(str(number))}")
    sent = _stamp("timestamp", item.timestamp)
    _hold_id_against(sent, str(item.id))
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
        carries=bool(
            item.attachments or item.embeds or item.stickers or item.components or item.poll
        ),
        forwarded=item.forwarded_message is not None,
        channel=channel,
    )


def _hold_id_against(sent: Instant, number: str) -> None:
    """Raise ValueError where the time inside an id is not the one beside it."""
    inside = sent_at(number)
    if inside is not None and abs(inside - sent) > _MOST_APART:
        one, other = format_instant(inside), format_instant(sent)
        raise ValueError(f"its id says {one}, its timestamp {other}; one of the two was changed")


def _stamp(key: str, text: str) -> Instant:
    try:
        return read_stamp(text)
    except ValueError as error:
        raise ValueError(f"{key} {error}") from None
