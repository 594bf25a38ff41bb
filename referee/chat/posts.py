"""What was posted to Discord, as the tab Posts keeps it, and what is still to be posted.

A part is claimed before it is sent and gets its message id once Discord has answered. So a run that
is cut off leaves either an id or a claim, and a second machine finds both: nothing is ever posted
twice without the host's word.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from referee.match.instants import format_instant, parse_instant
from referee.match.record import CellValue
from referee.workbook import layout as template
from referee.workbook.cells import OwnedTab, Written, address

TAB: Final = "Posts"
_ID: Final = re.compile(r"(?:https?://\S+/)?([0-9]{15,20})")


class Post(msgspec.Struct, frozen=True):
    """A part of a round's announcement: posted, or claimed and not answered for (no id).

    ``round`` 0 is the start; ``part`` counts from 1; ``at`` (milliseconds) is when it was claimed
    or posted, None where the sheet does not say; ``row`` is its row in the tab.
    """

    round: int
    part: int
    message_id: str
    at: int | None
    row: int = 0


class Posts(msgspec.Struct, frozen=True):
    """All that was posted, in order; a round that was corrected has a second set of parts."""

    rows: tuple[Post, ...] = ()

    def latest(self, number: int) -> tuple[Post, ...]:
        """Return the newest set of parts of a round, empty where none was posted."""
        found: list[Post] = []
        for post in self.rows:
            if post.round != number:
                continue
            if found and post.part <= found[-1].part:
                found = []
            found.append(post)
        return tuple(found)

    def last_round(self) -> int | None:
        """Return the highest round that anything was posted of, None where nothing was."""
        return max((post.round for post in self.rows), default=None)

    def claimed(self, post: Post) -> "Posts":
        """Return these posts and a new one behind them."""
        return Posts((*self.rows, post))

    def answered(self, message_id: str, at: int) -> "Posts":
        """Return these posts, the last of them answered for by Discord."""
        *before, last = self.rows
        return Posts((*before, msgspec.structs.replace(last, message_id=message_id, at=at)))

    def without_last(self) -> "Posts":
        """Return these posts without the last: what it claimed was surely not posted."""
        return Posts(self.rows[:-1])

    def without_claims(self, number: int) -> "Posts":
        """Return these posts without what is claimed of a round and not answered for."""
        return Posts(tuple(p for p in self.rows if p.round != number or p.message_id))

    def tab(self, title: str) -> OwnedTab:
        """Return the tab that says so."""
        header: list[Written] = [*template.load().tab(TAB).header]
        rows: list[list[Written]] = [
            [p.round, p.part, p.message_id or None, None if p.at is None else format_instant(p.at)]
            for p in self.rows
        ]
        return OwnedTab(title, [header, *rows])


def read_posts(published: Mapping[str, Sequence[Sequence[CellValue]]]) -> Posts:
    """Read the tab Posts; a message id may stand there as a link or as the bare id.

    A row whose round and part cannot be read is passed over: it tells nothing.
    """
    found = []
    for number, row in enumerate(published.get(TAB, ())[1:], 2):
        round_, part, message, at = (*row, None, None, None, None)[:4]
        if isinstance(round_, bool) or isinstance(part, bool):
            continue
        if isinstance(round_, int) and isinstance(part, int):
            found.append(Post(round_, part, _message_id(message), _instant(at), number))
    return Posts(tuple(found))


def unanswered(posts: Posts, number: int, title: str) -> tuple[Post, str] | None:
    """Return a part of a round that may or may not stand in the channel, and its cell."""
    claim = next((post for post in posts.latest(number) if not post.message_id), None)
    return None if claim is None else (claim, address(title, claim.row, 3))


def still_to_post(posts: Posts, number: int, parts: int, resolved_at: int | None) -> Sequence[int]:
    """Return which parts of a round's announcement are to be posted, counted from 1.

    None where all are; those that are missing where a run was cut off; all again where the round
    was resolved anew (``resolved_at``, None for the start) after they were posted.
    """
    there = posts.latest(number)
    if is_corrected(posts, number, resolved_at):
        return range(1, parts + 1)
    done = {post.part for post in there}
    return [part for part in range(1, parts + 1) if part not in done]


def is_corrected(posts: Posts, number: int, resolved_at: int | None) -> bool:
    """Whether a round was resolved anew after it had been posted."""
    times = [post.at for post in posts.latest(number) if post.at is not None]
    return resolved_at is not None and bool(times) and resolved_at > max(times)


def _message_id(value: CellValue) -> str:
    text = str(value).strip() if value is not None else ""
    found = _ID.fullmatch(text)
    return found[1] if found else text


def _instant(value: CellValue) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        return parse_instant(value)
    except ValueError:
        return None
