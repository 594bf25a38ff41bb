"""A published match held against what players or hosts kept of it: anchors, or an earlier copy.

Whoever rewrites a round can make everything in a workbook fit again, but not what others hold.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from referee.judging.anchors import anchor, receipts_of
from referee.judging.findings import Difference
from referee.judging.standing import SEED, WORDS, published_rounds
from referee.match.faults import WrongUsage
from referee.match.record import Record
from referee.match.result import Result
from referee.rules.checks import label
from referee.rules.reasons import LISTS
from referee.rules.replay import replay
from referee.workbook.digests import (
    TABS,
    Digests,
    digests,
    log_lines,
    players_digest,
    text_digest,
)
from referee.workbook.names import fold
from referee.workbook.receipts import Receipt, current

_WORD: Final = "[bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]"
_ANCHOR: Final = re.compile(rf"\b(\d+)\W{{1,6}}({_WORD}(?:[-\s]{_WORD}){{3}})\b", re.IGNORECASE)
_COMMITMENT: Final = re.compile(r"\b[0-9a-f]{64}\b", re.IGNORECASE)


def read_anchors(text: str) -> dict[int, list[str]]:
    """Return the anchors in a text by round, as announcements showed them, in order.

    Raises `WrongUsage` where it holds none.
    """
    found: dict[int, list[str]] = {}
    for number, letters in _ANCHOR.findall(text):
        one = re.sub(r"\s", "-", letters.lower())
        kept = found.setdefault(int(number), [])
        if one not in kept:
            kept.append(one)
    if not found:
        raise WrongUsage(
            "it holds no anchors; paste the announcements of the rounds, with their lines "
            '"Anchor of round 1: …"'
        )
    return found


def against_anchors(record: Record, text: str) -> Iterator[Difference]:
    """Yield a difference for each round whose announced anchor is not what stands published.

    ``text`` are the announcements, or their lines with anchors. Raises `WrongUsage` for none.
    """
    announced = read_anchors(text)
    seed = record.settings.tie_break_seed
    commitments = [one.lower() for one in _COMMITMENT.findall(text)]
    if not seed:
        rounds = ", ".join(map(str, sorted(announced)))
        said = f"no tie-break seed stands here; the anchors of round {rounds} were made with one"
        yield _rewritten("Settings", None, f"Settings: {said}")
        return
    if commitments and text_digest(seed) not in commitments:
        yield _rewritten(
            "Settings", None, "Settings: the tie-break seed is not the one that was committed to"
        )
    receipts = list(receipts_of(record.published or {}))
    standing = current(receipts)
    made = {one.receipt: anchor(seed, one.receipt) for one in receipts}
    fits = any(one in made.values() for kept in announced.values() for one in kept)
    doubt = "" if fits else "; no anchor fits, so the seed may be another one"
    for number, kept in sorted(announced.items()):
        now = standing.get(number)
        if now is None:
            text_ = f"round {number} was announced, but is not published here"
            yield _rewritten("Receipts", number, text_)
            continue
        unknown = [one for one in kept if one not in made.values()]
        if kept[-1] != made[now.receipt]:
            before = [one for one in receipts if one.round == number and one.superseded]
            yield _against(number, kept[-1], now, before, made, doubt)
        elif unknown:
            said = f"round {number} was announced with the anchor {unknown[0]} first"
            text_ = f"{said}; no receipt of it is left"
            yield _rewritten("Receipts", number, text_)


def _against(
    number: int,
    announced: str,
    now: Receipt,
    before: Sequence[Receipt],
    made: dict[str, str],
    doubt: str,
) -> Difference:
    for one in before:
        if made[one.receipt] == announced:
            tabs = [tab for tab in TABS if one.tab(tab) != now.tab(tab)]
            tabs += [SEED] * (one.seed != now.seed) + [WORDS] * (one.words != now.words)
            what = f"changed since: {', '.join(tabs)}" if tabs else "no host tab changed"
            text = (
                f"round {number} was reopened after this announcement (superseded at "
                f"{one.superseded}); {what}"
            )
            return _rewritten(_tab(tabs), number, text)
    text = (
        f"round {number} was rewritten after it was announced: its anchor was {announced}, here it "
        f"is {made[now.receipt]}{doubt}. Which tab was changed, an earlier copy of the workbook "
        "tells"
    )
    return _rewritten("Receipts", number, text)


def against_copy(record: Record, earlier: Record) -> Iterator[Difference]:
    """Yield a difference for each round that is not what it was in an earlier copy.

    The copy's published rounds count; where it carries no owned tabs, all that it lists. Raises
    `Stopped` where one of the two cannot be replayed.
    """
    count = published_rounds(record.published or {})
    known = None if earlier.published is None else published_rounds(earlier.published)
    now, then = replay(record, count), replay(earlier, known)
    found = digests(now)
    if (called := _called_then(record, earlier)) is not None:
        players = players_digest(record.players, called)
        found = tuple(msgspec.structs.replace(one, players=players) for one in found)
    kept = current(receipts_of(earlier.published or {}))
    receipts = {one.receipt: one for one in receipts_of(record.published or {})}
    for place, before in enumerate(digests(then)):
        number = place + 1
        if number > len(found):
            text = f"round {number} stands in the copy, but is not published here"
            yield _rewritten("Rounds", number, text)
            continue
        tabs = _changed(before, found[place])
        old = kept.get(number)
        stands = None if old is None else receipts.get(old.receipt)
        if not tabs and before.result == found[place].result:
            if old is not None and stands is None:
                text = f"round {number}: its receipt is another one than in the copy"
                yield _rewritten("Receipts", number, text)
            continue
        said = [_tab_text(tab, record, earlier, now, place) for tab in tabs]
        what = ", ".join(said) or "no host tab, yet its result"
        openly = f" (superseded at {stands.superseded})" if stands and stands.superseded else ""
        text = f"round {number} was rewritten since the copy{openly}; changed: {what}"
        yield _rewritten(_tab(tabs), number, text)


def _called_then(record: Record, earlier: Record) -> list[str] | None:
    """Return what the players were called in the copy, where those are names or aliases now."""
    names = [player.name for player in earlier.players]
    if len(names) != len(record.players):
        return None
    for then, player in zip(names, record.players, strict=True):
        if then != player.name and fold(then) not in map(fold, player.aliases):
            return None
    return names


def _changed(before: Digests, now: Digests) -> list[str]:
    tabs = [tab for tab in TABS if before.tab(tab) != now.tab(tab)]
    for name, then, found in ((SEED, before.seed, now.seed), (WORDS, before.words, now.words)):
        if then != found:
            tabs.append(name)
    return tabs


def _tab_text(tab: str, record: Record, earlier: Record, now: Result, place: int) -> str:
    if tab not in ("Queue", "Submissions", "Adjustments"):
        return tab
    end = now.rounds[place].official_end
    line, line_then = log_lines(record, tab), log_lines(earlier, tab)
    rows, rows_then = getattr(record, LISTS[tab]), getattr(earlier, LISTS[tab])
    new = _others(rows, line, Counter(map(line_then, rows_then)), end)
    gone = _others(rows_then, line_then, Counter(map(line, rows)), end)
    parts = []
    if new:
        parts.append(f"row {', '.join(map(str, new))}")
    if gone:
        parts.append(f"row {', '.join(map(str, gone))} of the copy")
    return f"{tab} ({'; '.join(parts)})" if parts else tab


def _others(rows: Sequence[Any], line: Any, there: Counter[Any], end: int) -> list[int]:
    """Return the rows up to an instant that do not stand in the other match."""
    left = Counter(there)
    found = []
    for place, row in enumerate(rows):
        key = line(row)
        if left[key]:
            left[key] -= 1
        elif row.time <= end:
            found.append(label(row, place))
    return found


def _tab(tabs: Sequence[str]) -> str:
    if not tabs:
        return "Receipts"
    return tabs[0] if tabs[0] in TABS else "Settings"


def _rewritten(tab: str, number: int | None, text: str) -> Difference:
    return Difference("rewritten", tab, tab, number, None, None, "R0.1", text)
