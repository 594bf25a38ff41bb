"""The one way out to the players: what is published, held against its recomputation (R6.5).

Announcements, pictures, the players' page and whatever is posted take their result from here and
from nowhere else. A ruling that a host only tries out, a row changed later or a round that is over
but not resolved cannot get out before it is published.
"""

from referee.judging.auditing import ROUND_TABS, Comparison
from referee.judging.standing import published_rounds
from referee.match.result import Result
from referee.sheets import Contradicted, Read, replay_located


def for_players(read: Read) -> Result:
    """Return the result of the published rounds and of no more; none are published at the start.

    A match record without the owned tabs has nothing published. Raises `Contradicted` where
    something else is published than the sheet gives now, `Stopped` where it gives nothing.
    """
    published = read.record.published or {}
    count = published_rounds(published)
    result = replay_located(read, count)
    found = Comparison(result, published, read.places.titles).differences(count) if count else ()
    differences = [one for one in found if one.tab in ROUND_TABS]
    if differences:
        raise Contradicted(differences, _refusal([one.text for one in differences]))
    return result


def _refusal(texts: list[str]) -> str:
    lines = [
        "what is published is not what the sheet gives now; nothing goes to the players:",
        *(f"  {text}" for text in texts),
        "Undo the change in the sheet, or run referee resolve, which says how to accept it",
    ]
    return "\n".join(lines)
