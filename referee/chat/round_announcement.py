"""Everything that goes to the players of one published round: the text, the picture, the page."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from referee.chat.announcement import announce_round
from referee.chat.posting import Announcement, Channel, Posted
from referee.chat.posts import is_corrected, read_posts
from referee.chat.webhook import Webhook
from referee.desk.gate import for_players
from referee.desk.watching import Event
from referee.judging.resolving import Plan
from referee.match.faults import RefereeError, Unavailable
from referee.match.instants import SECOND, parse_instant
from referee.match.result import Result
from referee.rules.clocks import Clocks
from referee.views.revealed import Revealed, revealed

if TYPE_CHECKING:
    from pathlib import Path

    from referee.sheets import MatchSheet, Read

PICTURE: Final = "pen.png"
PAGE: Final = "match.html"


def public_texts(
    result: Result, number: int, now: int, *, hunger: bool = False, ping: str = ""
) -> list[str]:
    """Return the messages that announce a published round; 0 is the start (R6.5).

    When the next round starts is told where that lies ahead of ``now`` (milliseconds). Raises as
    `announce_round` does.
    """
    timer = next_timer(result, number)
    ahead = timer if timer >= now else None
    return announce_round(result, number, hunger=hunger, next_timer=ahead, ping=ping)


def next_timer(result: Result, number: int) -> int:
    """Return when the next round's timer starts: as recorded, else as it follows (R2.2)."""
    clocks = Clocks(result.record)
    end = result.rounds[number - 1].official_end if number else None
    start = clocks.start(number, end)
    if start is not None:
        return start
    # It is not listed yet; unless the host records another start, it will be this one.
    return clocks.opening if end is None else end + result.record.settings.break_seconds * SECOND


def draw(path: "Path", result: Result, number: int) -> None:
    """Write the pen after a round into a .png or .svg file; raises as `write_picture` does."""
    from referee.views.picture import write_picture

    seen = revealed(result, number)
    write_picture(
        path, seen.pen, before=seen.before, tokens=seen.tokens, caption=_caption(seen.number)
    )


class Poster:
    """Posts rounds of one match to one channel, each once (`referee.chat.posts`).

    ``now`` tells the time (milliseconds). With ``page`` the players' page goes along.
    """

    def __init__(
        self,
        match: "MatchSheet",
        webhook: Webhook,
        now: Callable[[], int],
        *,
        hunger: bool = False,
        page: bool = False,
        ping: str = "",
    ) -> None:
        self._match = match
        self._webhook = webhook
        self._now = now
        self._hunger = hunger
        self._page = page
        self._ping = ping

    def post(self, number: int | None = None, *, again: bool = False) -> Posted:
        """Post a published round, by default the last; 0 is the start.

        The sheet is read and what stands in it goes through `for_players`, all under its lock.
        Raises as that and `Channel.post` do, and `WrongUsage` for a round that is not published.
        """
        store = self._match.workbook_store()
        with self._match.lock():
            read = self._match.read()
            result = for_players(read)
            chosen = len(result.rounds) if number is None else number
            channel = Channel(store, read.places.titles["Posts"], self._webhook, self._now)
            posts = read_posts(read.record.published or {})
            return channel.post(posts, self._announcement(read, result, chosen), again=again)

    def _announcement(self, read: "Read", result: Result, number: int) -> Announcement:
        seen = revealed(result, number, hunger=self._hunger)
        files = {PICTURE: _png(seen)}
        if self._page:
            files[PAGE] = _page(result, number, hunger=self._hunger)
        return Announcement(
            round=number,
            parts=public_texts(result, number, self._now(), hunger=self._hunger, ping=self._ping),
            files=files,
            resolved_at=resolved_at(read, number),
            ping=self._ping,
        )


def resolved_at(read: "Read", number: int) -> int | None:
    """Return when a round was last resolved, by its newest receipt; None for the start."""
    found = []
    for row in (read.record.published or {}).get("Receipts", ())[1:]:
        if len(row) > 1 and row[0] == number and isinstance(row[1], str):
            try:
                found.append(parse_instant(row[1]))
            except ValueError:
                continue
    return max(found, default=None)


class PostingFollower:
    """Posts each round that a watch published, and each that was corrected since it was posted.

    What an earlier run published and did not come to post is posted too, where it had posted
    before. What passes by itself is tried again at the next look, everything else told once.
    """

    def __init__(self, poster: Poster) -> None:
        self._poster = poster
        self._due: set[int] = set()
        self._told: dict[int, str] = {}
        self._given_up: set[int] = set()

    @property
    def is_waiting(self) -> bool:
        """Whether a round could not be posted yet."""
        return bool(self._due)

    def follow(self, read: "Read", plan: Plan) -> Iterator[Event]:
        """Post what is due, in order, and yield what came of it."""
        self._due |= _due(read, plan) - self._given_up
        for number in sorted(self._due):
            try:
                posted = self._poster.post(number)
            except RefereeError as trouble:
                text = str(trouble)
                if self._told.get(number) != text:
                    self._told[number] = text
                    yield Event("unposted", f"round {number} is not posted: {text}")
                if isinstance(trouble, Unavailable) and trouble.passes:
                    return
                self._given_up.add(number)
                self._due.discard(number)
            else:
                self._due.discard(number)
                if posted.new:
                    yield Event("posted", posted.text)


def _due(read: "Read", plan: Plan) -> set[int]:
    posts = read_posts(read.record.published or {})
    published = len(plan.result.rounds)
    found = set(plan.new_rounds)
    last_posted = posts.last_round()
    if last_posted is not None:
        found |= set(range(last_posted + 1, published + 1))
    corrected = (n for n in {post.round for post in posts.rows} if n <= published)
    return found | {n for n in corrected if is_corrected(posts, n, resolved_at(read, n))}


def _png(seen: Revealed) -> bytes:
    from referee.views.picture import pen_png, pen_svg

    caption = _caption(seen.number)
    return pen_png(pen_svg(seen.pen, before=seen.before, tokens=seen.tokens, caption=caption))


def _page(result: Result, number: int, *, hunger: bool) -> bytes:
    from referee.views.page.document import write_document
    from referee.views.page.public import public_page

    seen = [revealed(result, one, hunger=hunger) for one in range(number + 1)]
    return write_document(public_page(result.name, seen))


def _caption(number: int) -> str:
    return "The start" if number == 0 else f"After round {number}"
