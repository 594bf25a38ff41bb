"""An announcement posted to Discord, once: claimed in the sheet, sent, and noted with its id."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from referee.chat.posts import Post, Posts, is_corrected, still_to_post, unanswered
from referee.chat.webhook import Unanswered, Webhook
from referee.match.faults import Unavailable

if TYPE_CHECKING:
    from referee.stores.contract import Store


class Announcement(msgspec.Struct, frozen=True):
    """What is to be posted of a round: its parts in order, and files by name with the first.

    ``resolved_at`` (milliseconds) is when the round was last resolved, None for the start; ``ping``
    is who may be mentioned.
    """

    round: int
    parts: Sequence[str]
    files: Mapping[str, bytes]
    resolved_at: int | None
    ping: str = ""


class Posted(msgspec.Struct, frozen=True):
    """What a posting came to: the new parts, all ids of the round, whether it corrects."""

    round: int
    new: tuple[int, ...]
    message_ids: tuple[str, ...]
    corrects: bool

    @property
    def text(self) -> str:
        """Say it to the host."""
        what = "the start" if self.round == 0 else f"round {self.round}"
        if not self.new:
            return f"{what} is posted already; nothing was posted again"
        parts = "" if len(self.new) == 1 else f" in {len(self.new)} parts"
        return f"posted {'the correction of ' if self.corrects else ''}{what}{parts}"

    def as_json(self) -> dict[str, Any]:
        """Return it as ``--json`` shows it."""
        return {
            "round": self.round,
            "new_parts": list(self.new),
            "message_ids": list(self.message_ids),
            "corrects": self.corrects,
        }


class Channel(msgspec.Struct, frozen=True):
    """Where posts go and where they are noted; ``now`` tells the time (milliseconds)."""

    store: "Store"
    title: str
    webhook: Webhook
    now: Callable[[], int]

    def post(self, posts: Posts, announcement: Announcement, *, again: bool = False) -> Posted:
        """Post what of a round is not posted yet, in order; the store's lock is held.

        ``again`` posts a part once more of which nobody knows whether it was posted. Raises
        `Unavailable` where Discord or the sheet refuse, and where such a part is left from before;
        `Stopped` where the tab cannot be had.
        """
        number = announcement.round
        if again:
            posts = posts.without_claims(number)
        if (left := unanswered(posts, number, self.title)) is not None:
            raise self._in_doubt(*left, "an earlier run was cut off")
        corrects = is_corrected(posts, number, announcement.resolved_at)
        parts = still_to_post(posts, number, len(announcement.parts), announcement.resolved_at)
        for part in parts:
            posts = self._post_part(posts, announcement, part)
        if parts:
            self._note(posts, posts.rows[-1])
        ids = tuple(post.message_id for post in posts.latest(number))
        return Posted(number, tuple(parts), ids, corrects)

    def _post_part(self, posts: Posts, announcement: Announcement, part: int) -> Posts:
        claim = Post(announcement.round, part, "", self._time(announcement), len(posts.rows) + 2)
        # One write notes the part before and claims this one.
        claimed = posts.claimed(claim)
        self.store.publish([claimed.tab(self.title)])
        files = announcement.files if part == 1 else {}
        try:
            text = announcement.parts[part - 1]
            message = self.webhook.post(text, files, announcement.ping)
        except Unanswered as unknown:
            _, cell = unanswered(claimed, claim.round, self.title) or (claim, self.title)
            raise self._in_doubt(claim, cell, str(unknown)) from None
        except Unavailable:
            self.store.publish([posts.tab(self.title)])
            raise
        return claimed.answered(message, self._time(announcement))

    def _time(self, announcement: Announcement) -> int:
        """Return the time, never before what is posted was resolved, whatever the clocks say.

        Else the clock of another machine would make every post look like one to be corrected.
        """
        return max(self.now(), announcement.resolved_at or 0)

    def _note(self, posts: Posts, last: Post) -> None:
        try:
            self.store.publish([posts.tab(self.title)])
        except Unavailable as trouble:
            raise Unavailable(
                f"round {last.round}, part {last.part} was posted as message {last.message_id}, "
                f"but this could not be noted in {self.title} ({trouble}); write that number into "
                f"its Message id there, so that it is not posted again",
                passes=False,
            ) from None

    def _in_doubt(self, claim: Post, cell: str, why: str) -> Unavailable:
        return Unavailable(
            f"{why}: nobody knows whether round {claim.round}, part {claim.part} stands in the "
            f"channel. Look there. If it does, copy its message link into {cell}; if not, run the "
            "same command with --again",
            passes=False,
        )
