"""Channel exports for tests, written as DiscordChatExporter writes them."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

ROLE = "111222333444555666"


def user(
    number: int | str, name: str, nickname: str | None = None, *, bot: bool = False
) -> dict[str, Any]:
    """An account as it stands in authors and mentions."""
    return {
        "id": str(number),
        "name": name,
        "discriminator": "0000",
        "nickname": nickname or name,
        "color": None,
        "isBot": bot,
        "roles": [],
        "avatarUrl": "https://cdn.example/0.png",
    }


ANN, BOB = user(11, "ann"), user(22, "bob")


def snowflake(at: str, number: int = 0, *, millis: int = 0) -> str:
    """An id whose own time is a stamp's, some milliseconds on."""
    sent = round(datetime.fromisoformat(at).timestamp() * 1000)
    return str((sent + millis - 1420070400000 << 22) + number)


def message(
    number: int | str,
    content: str,
    author: Mapping[str, Any] = ANN,
    *,
    at: str = "2026-03-01T19:01:20-05:00",
    **more: Any,
) -> dict[str, Any]:
    """A message; more keys replace the usual ones."""
    return {
        "id": str(number),
        "type": "Default",
        "timestamp": at,
        "timestampEdited": None,
        "callEndedTimestamp": None,
        "isPinned": False,
        "content": content,
        "author": author,
        "attachments": [],
        "components": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
        "inlineEmojis": [],
        **more,
    }


def export(messages: Sequence[Mapping[str, Any]], **more: Any) -> bytes:
    """A whole export."""
    root = {
        "guild": {"id": "1", "name": "Game", "iconUrl": ""},
        "channel": {"id": "2", "type": "GuildTextChat", "category": "x", "name": "ann"},
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2026-03-02T12:00:00+00:00",
        "messages": list(messages),
        "messageCount": len(messages),
        **more,
    }
    return json.dumps(root, ensure_ascii=True, indent=2).encode()


def csv_export(*rows: tuple[object, str, str, str], attachments: str = "") -> bytes:
    """A CSV export of (author's id, name, date, content)."""
    lines = ["AuthorID,Author,Date,Content,Attachments,Reactions"]
    for row in rows:
        cells = [*map(str, row), attachments, ""]
        lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    return "\n".join([*lines, ""]).encode("utf-8-sig")
