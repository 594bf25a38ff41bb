"""What others kept of a match finds every rewriting of it, however well the workbook agrees."""

import hashlib
import hmac
import itertools
from typing import Any

import pytest
from msgspec.structs import replace

from referee.chat.round_announcement import public_texts
from referee.judging.against import against_anchors, against_copy, read_anchors
from referee.judging.anchors import anchor, proquint, receipts_of
from referee.judging.auditing import audit
from referee.judging.resolving import plan
from referee.judging.standing import published_rounds
from referee.match.faults import WrongUsage
from referee.match.instants import MINUTE, Instant, parse_instant
from referee.match.record import Player, Record, Round, Settings
from referee.match.record_json import read_record
from referee.rules.replay import replay
from referee.workbook.digests import digests, places
from referee.workbook.first_digests import first_digests
from referee.workbook.layout import template_path
from referee.workbook.receipts import CHAIN_START, FIRST_COLUMNS, link, new_receipt

NOW = parse_instant("2027-01-01T00:00:00Z")
BARE = read_record(template_path().with_name("demo_match.json"))
RIVALS = ("Dan", "Eve", "Flo", "Ben", "Cat", "Ann")


def resolved(
    record: Record, *, reopen: int | None = None, salt: str = "salt", at: int = 0
) -> Record:
    """The record with all that is over published."""
    planned = plan(record, {}, NOW + at, reopen=reopen, salt=salt)
    assert planned.differences == ()
    return replace(record, published={tab.title: tab.rows for tab in planned.tabs})


def announced(record: Record) -> str:
    """Everything that was announced of a match."""
    count = published_rounds(record.published or {})
    texts = [public_texts(replay(record, count), number, 0) for number in range(count + 1)]
    return "\n".join(itertools.chain(*texts))


MATCH = resolved(BARE)
ANNOUNCED = announced(MATCH)


def with_row(record: Record, key: str, place: int, **cells: Any) -> Record:
    rows = list(getattr(record, key))
    rows[place] = replace(rows[place], **cells)
    return replace(record, **{key: tuple(rows)})


FORGED = with_row(MATCH, "submissions", 0, message="A B")
ANEW = resolved(replace(FORGED, published=None), salt="other")
REOPENED = resolved(FORGED, reopen=1, salt="other", at=MINUTE)


def found(record: Record, text: str = ANNOUNCED) -> dict[int | None, str]:
    return {one.round: one.text for one in against_anchors(record, text)}


def test_an_untouched_match_fits_its_announcements_and_its_copies() -> None:
    """Nothing is found where nothing was rewritten, nor once more rounds were published."""
    assert found(MATCH) == {}
    assert list(against_copy(MATCH, MATCH)) == []
    assert list(against_copy(MATCH, replace(MATCH, published=None))) == []
    half = resolved(replace(BARE, rounds=BARE.rounds[:3]))
    whole = resolved(replace(half, rounds=BARE.rounds))
    assert found(whole, announced(half)) == {}
    assert list(against_copy(whole, half)) == []


def test_tabs_deleted_and_resolved_anew_are_found_by_the_anchors() -> None:
    """The audit of the workbook alone is clean; every announced round is named."""
    assert audit(ANEW).differences == ()
    assert set(found(ANEW)) == {1, 2, 3, 4, 5, 6}
    assert found(ANEW)[1].startswith("round 1 was rewritten after it was announced")


def test_a_later_rewriting_leaves_the_rounds_before_it() -> None:
    """Rounds are named from the first one that was rewritten on."""
    forged = with_row(replace(MATCH, published=None), "submissions", -1, message="pass")
    first = resolved(replace(forged, rounds=BARE.rounds[:5]))
    kept = list(receipts_of(MATCH.published or {}))[:5]
    rows = [list(first.published["Receipts"][0]), *([*one.cells()] for one in kept)]  # type: ignore[index]
    tabs: Any = {**(first.published or {}), "Receipts": rows}
    again = resolved(replace(forged, published=tabs), reopen=1, salt="other")
    assert set(found(again)) == {6}


def test_an_open_reopening_names_the_tab_from_the_anchors_alone() -> None:
    """The superseded receipt still fits the announcement, and says what was changed since."""
    assert audit(REOPENED).differences == ()
    texts = found(REOPENED)
    assert set(texts) == {1, 2, 3, 4, 5, 6}
    assert "reopened after this announcement" in texts[1]
    assert "changed since: Submissions" in texts[1]
    # Once the correction was announced too, nothing is left to find.
    assert found(REOPENED, ANNOUNCED + announced(REOPENED)) == {}
    # Without the superseded receipts the first announcement fits none.
    assert set(found(ANEW, ANNOUNCED + announced(ANEW))) == {1, 2, 3, 4, 5, 6}


def test_another_seed_other_words_and_an_old_copy_are_found() -> None:
    """Whatever the draw follows from is in every receipt; what was announced must be there."""
    settings = replace(MATCH.settings, tie_break_seed="another")
    swapped = resolved(replace(BARE, settings=settings))
    # The start announced the commitment to the seed, which another one does not fit.
    assert set(found(swapped)) == {None, 1, 2, 3, 4, 5, 6}
    assert "the seed may be another one" in found(swapped)[1]
    commitment = hashlib.sha256(MATCH.settings.tie_break_seed.encode()).hexdigest()
    assert commitment in ANNOUNCED
    worded = replace(MATCH.settings, players_words="apple")
    assert set(found(resolved(replace(BARE, settings=worded)))) == {1, 2, 3, 4, 5, 6}
    old = resolved(replace(BARE, rounds=BARE.rounds[:2]))
    assert {3, 4, 5, 6} <= set(found(old))
    none = replace(MATCH, settings=replace(MATCH.settings, tie_break_seed=""))
    assert "no tie-break seed" in found(none)[None]


def test_an_earlier_copy_names_tab_and_row() -> None:
    """Queue, Submissions, Adjustments row by row, the other tabs by name; each rewritten round."""
    numbered = with_row(BARE, "submissions", 0, row=2)
    before = resolved(numbered)
    after = resolved(with_row(numbered, "submissions", 0, message="A B"), salt="other")
    for earlier in (before, numbered):
        texts = {one.round: one.text for one in against_copy(after, earlier)}
        assert set(texts) == {1, 2, 3, 4, 5, 6}
        assert texts[1].endswith("changed: Submissions (row 2; row 2 of the copy)")
    longer = resolved(replace(BARE, rounds=(replace(BARE.rounds[0], minutes=11), *BARE.rounds[1:])))
    assert "changed: Rounds" in next(against_copy(longer, before)).text
    assert (
        "changed: Settings"
        in next(against_copy(resolved(replace(BARE, time_zone="Europe/Paris")), MATCH)).text
    )
    short = resolved(replace(BARE, rounds=BARE.rounds[:5]))
    assert [one.round for one in against_copy(short, before)] == [6]
    # Resolved anew from the same rows: only the receipts tell.
    same = resolved(BARE, salt="other")
    assert {one.tab for one in against_copy(same, MATCH)} == {"Receipts"}


def test_anchors_are_read_however_they_were_pasted() -> None:
    """Bold, code marks, capitals, blanks or a table; a text without any is wrong usage."""
    for line in (
        "Anchor of round 3: `lusab-babad-gutih-tugad`",
        "**anchor of round 3:** LUSAB-BABAD-GUTIH-TUGAD",
        "3\tlusab babad gutih tugad",
    ):
        assert read_anchors(f"text before\n{line}\n") == {3: ["lusab-babad-gutih-tugad"]}
    with pytest.raises(WrongUsage, match="it holds no anchors"):
        read_anchors("nothing here")


def test_anyone_can_make_an_anchor_with_a_hmac_calculator() -> None:
    """HMAC-SHA256 over the receipt's 64 digits; 127.0.0.1 is the known example of proquints."""
    assert [proquint(0x7F00), proquint(0x0001)] == ["lusab", "babad"]
    receipt = list(receipts_of(MATCH.published or {}))[2].receipt
    code = hmac.new(b"the farmer counts at midnight", receipt.encode(), "sha256").hexdigest()
    words = [proquint(int(code[place : place + 4], 16)) for place in (0, 4, 8, 12)]
    assert f"Anchor of round 3: `{'-'.join(words)}`" in ANNOUNCED


def test_nothing_can_be_tried_out_from_an_anchor() -> None:
    """With an empty round 1, the right rivals, garnets and seed among the guesses fit nothing.

    The time of resolving is given away too: what is missing is the salt alone.
    """
    quiet = replace(BARE, queue=(), submissions=(), adjustments=(), rounds=(Round(number=1),))
    published = resolved(quiet, salt="5f0e")
    shown = read_anchors(announced(published))[1]
    receipt = next(receipts_of(published.published or {}))
    guesses = 0
    for rivals in itertools.permutations(RIVALS):
        if any(one == player.name for one, player in zip(rivals, BARE.players, strict=True)):
            continue
        players = tuple(replace(p, rival=r) for p, r in zip(BARE.players, rivals, strict=True))
        guessed = replay(replace(quiet, players=players), 1)
        (found_,) = digests(guessed)
        tried = new_receipt(CHAIN_START, 1, receipt.resolved_at, found_, "")
        for seed in ("beans", "pig", BARE.settings.tie_break_seed):
            guesses += 1
            assert anchor(seed, tried.receipt) not in shown
    assert guesses == 265 * 3


def test_a_match_without_a_seed_says_that_it_has_no_anchor() -> None:
    """Players learn that nothing holds the host to a round."""
    text = announced(resolved(replace(BARE, settings=Settings())))
    assert "Round 1 has no anchor: the match has no tie-break seed." in text
    assert "Anchor of" not in text


def test_a_substitute_changes_nothing_published() -> None:
    """The new name in Player, the old one in Aliases: nothing published differs by it (R7.6)."""
    half = resolved(replace(BARE, rounds=BARE.rounds[:3]))
    text = announced(half)

    def called(name: str) -> str:
        return "Zoe" if name == "Ann" else name

    players = tuple(
        replace(
            p,
            name=called(p.name),
            rival=called(p.rival),
            aliases=("ann#1", "Ann") if p.name == "Ann" else (),
        )
        for p in half.players
    )
    logs = {
        key: tuple(replace(row, player=called(row.player)) for row in getattr(half, key))
        for key in ("queue", "submissions", "adjustments")
    }
    substituted = replace(half, players=players, **logs)
    assert not [d for d in audit(substituted).differences if d.kind != "moved"]
    whole = resolved(replace(substituted, rounds=BARE.rounds))
    assert audit(whole).differences == ()
    assert found(whole, text) == {}
    assert list(against_copy(whole, half)) == []
    stranger = replace(substituted, players=tuple(replace(p, aliases=()) for p in players))
    assert not audit(stranger).is_clean


def test_a_sheet_resolved_by_the_first_version_is_audited_by_its_own_receipts() -> None:
    """Six columns: sound as it stands, a changed input told, the tab it cannot tell said so."""
    names = {name: name for name in places(BARE.players)}
    receipts: list[list[Any]] = [list((MATCH.published or {})["Receipts"][0][:FIRST_COLUMNS])]
    last = CHAIN_START
    for number, (inputs, result) in enumerate(first_digests(replay(BARE), names), 1):
        row: list[Any] = [number, "2026-11-30T00:00:00Z", "0.1.0", inputs, result]
        last = link(last, [*row, None])
        receipts.append([*row, last])
    old = replace(MATCH, published={**(MATCH.published or {}), "Receipts": receipts})
    assert audit(old).differences == ()
    reworded = [*(old.published or {})["Notices"]]
    assert reworded[1][6]
    reworded[1] = [*reworded[1][:6], "what another version says"]
    worded = audit(replace(old, published={**(old.published or {}), "Notices": reworded}))
    assert [(one.kind, one.cell) for one in worded.differences] == [("moved", "Notices!G2")]
    assert worded.is_clean
    changed = audit(with_row(old, "submissions", 0, message="A B")).differences
    assert {one.kind for one in changed} == {"input"}
    (named,) = [one for one in changed if one.tab == "Receipts"]
    assert "does not tell which tab was changed" in named.text
    talk = audit(with_row(old, "submissions", 0, message="D G ")).differences
    assert [one.tab for one in talk] == ["Receipts"]
    upgraded = resolved(old)
    assert audit(upgraded).differences == ()
    assert [one.receipt for one in receipts_of(upgraded.published or {})] == [
        row[5] for row in receipts[1:]
    ]


def test_a_seed_first_given_after_a_tie_is_told_at_every_audit() -> None:
    """It completes the match and forbids nothing, but whoever gave it could know the draw."""
    drawn = Record(
        format="referee-match/1",
        game="pig-starvation",
        name="draw",
        start=Instant(0),
        players=(Player("Ann", "A", "Ben"), Player("Ben", "B", "Ann")),
        rounds=tuple(Round(number=n) for n in range(1, 11)),
        queue=(),
        submissions=(),
    )
    pending = resolved(drawn)
    done = resolved(replace(pending, settings=Settings(tie_break_seed="late")))
    (told,) = audit(done).differences
    assert (told.kind, told.tab) == ("late-seed", "Settings")
    assert audit(done).is_clean
