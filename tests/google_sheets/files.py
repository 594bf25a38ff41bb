"""The files on Drive, who may see and change them, and when they were last changed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .model import Spreadsheet, new_properties, new_sheet

if TYPE_CHECKING:
    from .clock import Clock
    from .errors import Obj

SPREADSHEET = "application/vnd.google-apps.spreadsheet"
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_ROLES = {"reader": 1, "commenter": 2, "writer": 3, "organizer": 4, "owner": 5}
ANYONE = "anyone"


@dataclass
class File:
    id: str
    owner: str
    mime: str
    created: str
    modified: str
    book: Spreadsheet | None = None
    title: str = ""  # of a file that is no spreadsheet
    description: str = ""
    parents: list[str] = field(default_factory=list)
    permissions: dict[str, Obj] = field(default_factory=dict)  # by address, or ANYONE
    version: int = 1

    @property
    def name(self) -> str:
        return str(self.book.properties["title"]) if self.book else self.title

    def role(self, email: str) -> int:
        """The rank of what this account may do; 0: not even see it."""
        roles = [
            self.permissions[who]["role"] for who in (email, ANYONE) if who in self.permissions
        ]
        return max((_ROLES[role] for role in roles), default=0)

    def may_read(self, email: str) -> bool:
        return self.role(email) >= _ROLES["reader"]

    def may_write(self, email: str) -> bool:
        return self.role(email) >= _ROLES["writer"]

    def share(self, email: str, role: str) -> Obj:
        entry: Obj = {"role": role, "kind": "drive#permission"}
        if email == ANYONE:
            entry |= {"type": "anyone", "id": "anyoneWithLink", "allowFileDiscovery": False}
        else:
            number = str(int.from_bytes(email.encode()[:7], "big")).zfill(20)
            entry |= {"type": "user", "id": number, "emailAddress": email}
            entry |= {"displayName": email.partition("@")[0], "deleted": False}
        self.permissions[email] = entry
        return entry


@dataclass
class Files:
    clock: Clock
    by_id: dict[str, File] = field(default_factory=dict)

    def new(self, owner: str, mime: str, title: str, book: Spreadsheet | None = None) -> File:
        now = self.clock.stamp()
        file = File(book.id if book else new_id(), owner, mime, now, now, book, title)
        file.share(owner, "owner")
        self.by_id[file.id] = file
        return file

    def new_spreadsheet(
        self, owner: str, title: str, *, locale: str = "en_US", time_zone: str = "Etc/GMT"
    ) -> File:
        properties = new_properties(title, locale, time_zone)
        book = Spreadsheet(new_id(), properties, [new_sheet("Sheet1", 0)], owner)
        return self.new(owner, SPREADSHEET, title, book)

    def touch(self, file: File) -> None:
        file.modified = self.clock.stamp()
        file.version += 1

    def visible(self, email: str) -> list[File]:
        """What Drive lists for an account: its own files and those shared with it by name."""
        return [file for file in self.by_id.values() if email in file.permissions]


def new_id() -> str:
    """44 characters that begin with a 1, as Google's do: never with a dash, like an option."""
    return "1" + secrets.token_urlsafe(33)[:43]
