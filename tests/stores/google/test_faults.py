"""Whatever goes wrong on the way to Google, the sheet is whole and the message is true."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from referee.match.faults import RefereeError, Unavailable
from referee.stores.contract import CellEdit
from referee.workbook.cells import OwnedTab
from tests.google_sheets import ROBOT, errors, faults
from tests.support.google_stores import Time, cleared, google, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.google_sheets import SheetsServer
    from tests.google_sheets.faults import Fault

OLD = [
    OwnedTab("Pen", [["Round", "A"], [0, "Ann"]]),
    OwnedTab("Log", [["Round"], [1], [2], [3], [4], [5]]),
]
NEW = [OwnedTab("Pen", [["Round", "A"], [0, "Ann"], [1, "Ben"]]), OwnedTab("Log", [["Round"], [1]])]
NEWER = [*NEW, OwnedTab("Result", [["Item", "Value"], ["Status", "running"]])]

LONGEST_STEP = 65 + 15
"""Seconds after which a step has ended: the limit and the last look."""

PASSING = {
    **{str(code): faults.status(code) for code in (408, 409, 429, 500, 502, 503, 504)},
    "read quota": faults.answer(errors.quota_exceeded("read")),
    "html 502": faults.html(502),
    "html 429": faults.html(429, "We're sorry..."),
    "drop": faults.drop(),
    "cut": faults.cut(),
    "hang": faults.hang(),
}
LASTING = {
    "not shared": (faults.answer(errors.permission_denied()), f"share the sheet with {ROBOT}"),
    "not there": (faults.answer(errors.not_found()), f"share the sheet with {ROBOT} as Editor"),
    "api off": (faults.answer(errors.service_disabled()), "console.developers.google.com/apis"),
    "usage limits": (faults.answer(errors.usage_limits()), "switched off"),
    "daily limit": (faults.answer(errors.usage_limits("quotaExceeded")), "quota"),
    "excel": (faults.answer(errors.excel_file()), "File > Save as Google Sheets"),
    "scope": (faults.answer(errors.insufficient_scopes("sheets", "x")), "does not allow"),
    "sign-in page": (faults.html(200, "Sign in"), "unexpected answer from Google"),
    "html 403": (faults.html(403), "unexpected answer from Google"),
    "bad request": (faults.answer(errors.bad_request("Some words.")), "Some words."),
}


def limit(name: str) -> float:
    """Seconds for one request: few where an answer never comes, so that tests do not wait."""
    return 0.5 if name == "hang" else 30


@pytest.fixture(scope="module")
def server() -> Iterator[SheetsServer]:
    with google() as running:
        yield running


@dataclass
class Match:
    """A sheet with rounds published, and the time of the run that meets the faults."""

    server: SheetsServer
    key: str
    folder: Path
    time: Time

    def run(self, tabs: list[OwnedTab] = NEWER, one_request: float = 30.0) -> str:
        """Read, then publish; return what the host is told, nothing where all went well."""
        opened = store(self.server, self.key, self.folder, self.time, one_request=one_request)
        try:
            opened.read()
            opened.publish(tabs)
        except RefereeError as told:
            return str(told)
        return ""

    def holds(self, tabs: list[OwnedTab]) -> bool:
        """Whether the owned tabs are these and no others, each just once and whole."""
        titles = self.server.titles(self.key)
        return titles == ["Queue", *(tab.title for tab in tabs)] and all(
            self.server.cells(self.key, tab.title) == tab.rows for tab in tabs
        )

    def is_told_truly(self, told: str) -> bool:
        """Whether the sheet is as the message says."""
        if not told:
            return self.holds(NEWER)
        if "either everything was written or nothing was" in told:
            return self.holds(NEWER) or self.holds(OLD)
        return self.holds(OLD)


@pytest.fixture
def match(server: SheetsServer, tmp_path: Path) -> Match:
    cleared(server)
    key = server.new_spreadsheet("Match", {"Queue": [["Timestamp", "Player"], [46082.5, "Ann"]]})
    made = Match(server, key, tmp_path, Time())
    assert made.run(OLD) == ""
    server.requests.clear()
    return made


def counts(match: Match) -> dict[str, int]:
    return match.server.requests.counts()


def test_a_run_is_one_token_one_read_and_one_write(match: Match) -> None:
    """However many tabs, rounds and rows there are."""
    assert match.run() == ""
    assert counts(match) == {"token": 1, "read": 1, "write": 1}
    match.server.requests.clear()
    many = [OwnedTab(f"T{n}", [[f"{i}"] * 5 for i in range(200)]) for n in range(12)]
    assert match.run(many, one_request=30) == ""
    assert counts(match) == {"token": 1, "read": 1, "write": 1}


def test_nothing_new_is_not_written(match: Match) -> None:
    assert match.run(OLD) == ""
    assert counts(match) == {"token": 1, "read": 1}


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("on", ["token", "read", "write"])
def test_what_passes_is_waited_for(match: Match, name: str, on: str) -> None:
    """Two faults in a row, then all is well; the host is told what is waited for."""
    match.server.faults.plan(on, PASSING[name], times=2)
    assert match.run(one_request=limit(name)) == ""
    assert match.holds(NEWER)
    assert len(match.time.said) == len(match.time.pauses) > 0
    assert all("trying again in" in line for line in match.time.said)


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("times", [1, 2])
def test_c026_a_write_that_took_effect_is_not_made_twice(
    match: Match, name: str, times: int
) -> None:
    """A lost answer is looked after; the tabs are there once, and the run ends well."""
    match.server.faults.plan("write", PASSING[name].after_applying(), times=times)
    assert match.run(one_request=limit(name)) == ""
    assert match.holds(NEWER)
    assert counts(match)["write"] == 1


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("on", ["token", "read", "write", "any"])
def test_c025_what_never_passes_ends_in_time(match: Match, name: str, on: str) -> None:
    """After the stated limit the run stops, and nothing was written."""
    fault = PASSING[name]
    match.server.faults.plan(on, fault, times=None)
    told = match.run(one_request=limit(name))
    match.server.faults.clear()
    if name == "cut" and on == "write":  # the first one took effect, and was seen to
        assert told == ""
    else:
        assert "nothing was written" in told or "was not read" in told
    assert match.is_told_truly(told)
    assert match.time.now <= LONGEST_STEP


@pytest.mark.parametrize("name", LASTING)
@pytest.mark.parametrize("on", ["read", "write"])
def test_what_will_not_pass_is_told_at_once(match: Match, name: str, on: str) -> None:
    """c025, c028, c031, c032, c034: no second try, no waiting, a message of its own."""
    fault, words = LASTING[name]
    match.server.faults.plan(on, fault, times=None)
    told = match.run()
    assert words in told
    assert match.time.pauses == []
    assert counts(match)[on] == 1
    assert match.holds(OLD)
    assert on == "read" or "nothing was written" in told


@pytest.mark.parametrize(("name", "passes"), [("503", True), ("not shared", False)])
def test_whoever_watches_hears_whether_it_will_pass(match: Match, name: str, passes: bool) -> None:
    fault = PASSING.get(name) or LASTING[name][0]
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    match.server.faults.plan("any", fault, times=None)
    with pytest.raises(Unavailable) as told:
        opened.publish(NEW)
    assert told.value.passes is passes


def test_three_refusals_have_three_messages(match: Match) -> None:
    """c031: not there, not shared and not switched on are told apart."""
    told = set()
    for name in ("not shared", "not there", "api off"):
        match.server.faults.plan("read", LASTING[name][0])
        told.add(match.run())
    assert len(told) == 3


def test_c028_no_page_of_html_is_shown(match: Match) -> None:
    for on in ("token", "read", "write"):
        for code in (200, 403, 404, 502):
            match.server.faults.plan(on, faults.html(code, "Sign in"), times=None)
            told = match.run()
            assert told
            assert "<" not in told + "".join(match.time.said)
            assert match.holds(OLD)
            match.server.faults.clear()


def test_c025_a_lasting_503_or_429_by_real_names(match: Match) -> None:
    """The limit is not overshot, and the pauses grow but stay bounded."""
    match.server.faults.plan("read", faults.status(503), times=None)
    match.run()
    assert match.time.now <= 65
    assert match.time.pauses[:4] == [0.75, 1.5, 3.0, 6.0]
    assert max(match.time.pauses) <= 16


def test_pauses_are_jittered() -> None:
    """Two runs that fail together do not come back together."""
    from referee.stores.google.faults import Passing
    from referee.stores.google.retries import Deadline, Patience

    slept: list[float] = []
    for jitter in (lambda: 0.0, lambda: 1.0):
        patience = Patience(sleep=slept.append, clock=lambda: 0.0, jitter=jitter)
        assert Deadline(patience, lambda _: None).pause(Passing("busy"))
    assert slept == [0.5, 1.0]


@pytest.mark.parametrize(("wait", "pauses"), [("7", [7.0]), ("soon", [0.75])])
def test_retry_after_is_kept_to(match: Match, wait: str, pauses: list[float]) -> None:
    refusal = errors.quota_exceeded("read")
    refusal.headers["Retry-After"] = wait
    match.server.faults.plan("read", faults.answer(refusal))
    assert match.run() == ""
    assert match.time.pauses == pauses


def test_a_retry_after_beyond_the_limit_is_not_waited_for(match: Match) -> None:
    refusal = errors.quota_exceeded("read")
    refusal.headers["Retry-After"] = "3600"
    match.server.faults.plan("read", faults.answer(refusal))
    assert "limit of requests" in match.run()
    assert match.time.pauses == []


def test_a_quota_used_up_is_waited_for(match: Match) -> None:
    """Sixty a minute: the run waits until Google counts anew."""
    match.server.quota.on = True
    match.server.quota.limits = {"read": 60, "write": 60}
    match.server.clock.advance(120)
    for _ in range(60):
        match.server.quota.count("read", ROBOT)
    sleep = match.time.sleep

    def sleep_for_all(seconds: float) -> None:
        sleep(seconds)
        match.server.clock.advance(seconds)

    # A double stands in for this one call.
    match.time.sleep = sleep_for_all  # type: ignore[method-assign]
    assert match.run() == ""
    assert 60 <= match.time.now <= 65


# --- signing in ------------------------------------------------------------------------------


def test_c029_a_refused_token_is_renewed_once(match: Match) -> None:
    """The same request then goes well, and nothing is written twice."""
    for on in ("read", "write"):
        match.server.faults.plan(on, faults.answer(errors.unauthenticated()))
    assert match.run() == ""
    assert counts(match) == {"token": 3, "read": 2, "write": 2}
    assert match.holds(NEWER)


@pytest.mark.parametrize("on", ["read", "write"])
def test_c029_a_token_refused_for_good_ends_the_run(match: Match, on: str) -> None:
    match.server.faults.plan(on, faults.answer(errors.unauthenticated()), times=None)
    told = match.run()
    assert "does not accept the sign-in" in told
    assert counts(match)[on] == 2
    assert match.holds(OLD)


def test_c029_credentials_revoked_in_mid_evening(match: Match) -> None:
    """A token that ran out cannot be renewed: no loop, and nothing was written."""
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    match.server.accounts.expire_tokens()
    refusal = errors.invalid_grant("Token has been expired or revoked.")
    match.server.faults.plan("token", faults.answer(refusal), times=None)
    with pytest.raises(Unavailable, match=r"no longer valid.*nothing was written"):
        opened.publish(NEWER)
    assert match.time.pauses == []
    assert match.holds(OLD)


def test_tokens_that_hardly_live(match: Match) -> None:
    """A token of two seconds is asked for anew before each request, and before a write twice."""
    match.server.accounts.seconds = 2
    try:
        assert match.run() == ""
    finally:
        match.server.accounts.seconds = 3600
    assert counts(match) == {"token": 3, "read": 1, "write": 1}


# --- protection ------------------------------------------------------------------------------


def _protect(match: Match, title: str, **place: int) -> None:
    sheet = next(s for s in match.server.book(match.key).sheets if s.title == title)
    area = {"sheetId": sheet.id, **place}
    match.server.change(match.key, {"addProtectedRange": {"protectedRange": {"range": area}}})


def test_c034_a_protected_range_is_named(match: Match) -> None:
    """One tab of several refuses: the message names it and its range, and nothing is written."""
    _protect(match, "Log", startRowIndex=0, endRowIndex=2, startColumnIndex=0, endColumnIndex=3)
    told = match.run()
    assert "Log!A1:C2" in told
    assert ROBOT in told
    assert "nothing was written" in told
    assert match.holds(OLD)


def test_c034_a_protected_range_without_googles_number(match: Match) -> None:
    """Where Google does not say which, those the referee may not edit are named."""
    _protect(match, "Pen", startRowIndex=1, endRowIndex=2)
    match.server.faults.plan("write", faults.answer(errors.protected_cell()))
    told = match.run()
    assert "(Pen!2)" in told
    assert match.holds(OLD)


def test_c034_rights_to_read_only(match: Match) -> None:
    """A sheet shared for reading is read, and the refusal says what to do."""
    match.server.share(match.key, ROBOT, "reader")
    told = match.run()
    assert f"share the sheet with {ROBOT} as Editor" in told
    assert match.holds(OLD)
    assert match.run(OLD) == ""


# --- in a loop -------------------------------------------------------------------------------


def _any_fault(rng: random.Random) -> Fault:
    """Google's refusals are true; an answer that may pass, or none, says nothing of the effect."""
    if rng.random() < 0.3:
        return rng.choice([fault for fault, _ in LASTING.values()])
    fault = rng.choice([*PASSING.values(), faults.html(200, "Sign in")])
    return fault.after_applying() if rng.random() < 0.5 else fault


@pytest.mark.parametrize("seed", range(40))
def test_the_sheet_is_whole_whatever_happens(match: Match, seed: int) -> None:
    """Faults of all kinds, at any request, taking effect or not, for a while or for good."""
    rng = random.Random(seed)  # noqa: S311  a test's
    for _ in range(rng.randint(1, 3)):
        match.server.faults.plan(
            rng.choice(["token", "read", "write", "write", "any"]),
            _any_fault(rng),
            nth=rng.randint(1, 3),
            times=rng.choice([1, 1, 2, 3, None]),
        )
    told = match.run(one_request=0.1)
    match.server.faults.clear()
    assert match.is_told_truly(told), told
    assert match.time.now <= 2 * LONGEST_STEP
    match.time = Time()
    assert match.run() == ""
    assert match.holds(NEWER)


# --- others at work --------------------------------------------------------------------------


def _other_run(match: Match, tabs: list[OwnedTab]) -> Callable[[], None]:
    def publish() -> None:
        other = store(match.server, match.key, match.folder)
        other.read()
        other.publish(tabs)

    return publish


def _while_writing(match: Match, change: Callable[[], None]) -> None:
    match.server.faults.plan("write", faults.edit(change))


OTHERS = [OwnedTab("Pen", [["Round", "A"], [0, "Zoe"]]), OwnedTab("Log", [["Round"], [5]])]


def test_c046_the_second_of_two_runs_notices(match: Match) -> None:
    """Google refuses its write as a whole, and the first one's tabs stay."""
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    _other_run(match, OTHERS)()
    with pytest.raises(Unavailable, match=r"at the same time.*nothing was written by this run"):
        opened.publish(NEW)
    assert match.holds(OTHERS)


def test_c046_the_second_of_two_first_runs_notices(server: SheetsServer, tmp_path: Path) -> None:
    """Before anything was published there is no seal; the tabs themselves collide."""
    cleared(server)
    match = Match(server, server.new_spreadsheet("Match", {"Queue": []}), tmp_path, Time())
    opened = store(server, match.key, tmp_path, match.time)
    opened.read()
    _other_run(match, OTHERS)()
    with pytest.raises(Unavailable, match="at the same time"):
        opened.publish(NEW)
    assert match.holds(OTHERS)


def test_a_second_run_that_writes_the_same_is_no_trouble(match: Match) -> None:
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    _other_run(match, NEW)()
    opened.publish(NEW)
    assert match.holds(NEW)


def test_a_warning_taken_off_by_hand_is_put_on_again(match: Match) -> None:
    """Somebody removes the protection between the read and the write: the write is built anew."""
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    sheets = match.server.book(match.key).sheets
    for sheet in sheets:
        for one in list(sheet.protections):
            sheet.protections.remove(one)
    opened.publish(NEW)
    assert match.holds(NEW)
    assert [len(sheet.protections) for sheet in match.server.book(match.key).sheets] == [0, 1, 1]


def test_c046_a_hosts_edit_in_between_is_told(match: Match) -> None:
    """What was published goes by the sheet as it was read, and the host hears of it."""
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    match.server.set_cell(match.key, "Queue", "B2", "Ben")
    opened.publish(NEW)
    (note,) = opened.notes
    assert "Queue!B2" in note
    assert "run again" in note
    assert match.holds(NEW)


def test_c046_a_row_inserted_in_between_is_told(match: Match) -> None:
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    row = {"dimension": "ROWS", "startIndex": 1, "endIndex": 2}
    match.server.change(match.key, {"insertDimension": {"range": row}})
    opened.publish(NEW)
    assert re.search(r"Queue!A2, Queue!B2, Queue!A3, 1 more cell\b", opened.notes[0])


def test_a_quiet_sheet_gives_no_notes(match: Match) -> None:
    """A clock in a cell changes by itself; that is no edit."""
    clock = {"userEnteredValue": {"formulaValue": "=NOW()"}}
    match.server.set_cell(match.key, "Queue", "C2", clock)
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    match.server.clock.advance(90)
    opened.publish(NEW)
    assert opened.notes == []


def test_an_edit_met_while_an_answer_is_lost_is_told_too(match: Match) -> None:
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    _while_writing(match, lambda: match.server.set_cell(match.key, "Queue", "B2", "Ben"))
    match.server.faults.plan("write", faults.status(503).after_applying())
    opened.publish(NEW)
    assert "Queue!B2" in opened.notes[0]


def test_a_seal_that_may_not_be_taken_off_is_left_alone(match: Match) -> None:
    """Where Google lets the referee write but not touch the warning, it writes without."""
    words = "You do not have permission to edit this protected range."
    refusal = errors.bad_request(f"Invalid requests[0].deleteProtectedRange: {words}")
    match.server.faults.plan("write", faults.answer(refusal))
    assert match.run() == ""
    assert match.holds(NEWER)
    kinds = [next(iter(part)) for part in list(match.server.requests)[-1].body["requests"]]
    assert "deleteProtectedRange" not in kinds


def test_conflicts_without_end_end(match: Match) -> None:
    """Google finds a conflict each time though nothing changed: three writes, then the truth."""
    refusal = errors.bad_request("Invalid requests[0].addSheet: A sheet ... already exists.")
    match.server.faults.plan("write", faults.answer(refusal), times=None)
    assert "nothing was written" in match.run()
    assert counts(match)["write"] == 3
    assert match.holds(OLD)


def test_what_trickles_is_given_up() -> None:
    """An answer whose bytes never end meets the time limit of the whole request."""
    import threading

    from referee.stores.google.faults import Passing
    from referee.stores.google.retries import within

    never = threading.Event()
    with pytest.raises(Passing, match="no whole answer"):
        within(0.05, never.wait)
    never.set()
    assert within(5, lambda: 7) == 7


# --- single cells and new sheets -------------------------------------------------------------

EDITS = [CellEdit("Queue", 5, 2, "Flo"), CellEdit("Queue", 5, 1, 3.5)]


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("name", PASSING)
def test_edits_are_made_just_once(match: Match, name: str, applied: bool) -> None:
    fault = PASSING[name]
    match.server.faults.plan("write", fault.after_applying() if applied else fault)
    opened = store(match.server, match.key, match.folder, match.time, one_request=limit(name))
    opened.edit(EDITS)
    assert match.server.cells(match.key, "Queue")[4] == [3.5, "Flo"]
    assert opened.notes == []
    opened.edit(EDITS)
    # One more takes the hidden tab away.
    assert counts(match)["write"] == (2 if applied or name == "cut" else 3)
    assert match.holds(OLD)


def test_a_cell_that_somebody_else_fills_is_left_to_them(match: Match) -> None:
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    _while_writing(match, lambda: match.server.set_cell(match.key, "Queue", "B5", "Zoe"))
    match.server.faults.plan("write", faults.status(503))
    with pytest.raises(Unavailable, match=r"Queue!B5 was changed by somebody else.*nothing was"):
        opened.edit(EDITS)
    assert match.server.cells(match.key, "Queue")[4] == ["", "Zoe"]


def test_edits_beside_those_of_a_host_are_told(match: Match) -> None:
    opened = store(match.server, match.key, match.folder, match.time)
    opened.read()
    _while_writing(match, lambda: match.server.set_cell(match.key, "Queue", "B6", "Zoe"))
    opened.edit(EDITS)
    assert "Queue!B6" in opened.notes[0]
    assert match.server.cells(match.key, "Queue")[4:] == [[3.5, "Flo"], ["", "Zoe"]]


@pytest.mark.parametrize("name", [name for name in PASSING if name != "hang"])
def test_a_new_sheet_is_laid_out_just_once(server: SheetsServer, tmp_path: Path, name: str) -> None:
    cleared(server)
    key = server.new_spreadsheet("Match")
    server.faults.plan("write", PASSING[name].after_applying())
    store(server, key, tmp_path).create()
    assert server.requests.counts() == {"token": 1, "read": 2, "write": 1}
    assert len(server.titles(key)) == 13


def test_a_sheet_filled_while_it_was_laid_out_is_left_alone(
    server: SheetsServer, tmp_path: Path
) -> None:
    cleared(server)
    key = server.new_spreadsheet("Match")
    server.faults.plan("write", faults.edit(lambda: server.set_cell(key, "Sheet1", "A1", "x")))
    server.faults.plan("write", faults.status(503))
    with pytest.raises(Unavailable, match="somebody else"):
        store(server, key, tmp_path).create()
    assert server.titles(key) == ["Sheet1"]


def test_no_secret_is_ever_said(match: Match, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a key nor a token is part of a message or of the output, whatever fails."""
    said: list[str] = []
    everything: dict[str, Any] = {**PASSING, **{name: f for name, (f, _) in LASTING.items()}}
    for on in ("token", "read", "write"):
        for fault in everything.values():
            match.server.faults.plan(on, fault, times=3)
            said.append(match.run(one_request=0.05))
            match.server.faults.clear()
    text = "\n".join([*said, *match.time.said, *capfd.readouterr()])
    parts = (match.folder / "robot.json").read_text("utf-8").split('"')
    keys = [part for part in parts if "PRIVATE KEY" in part or len(part) == 40]
    assert len(keys) == 2
    for secret in (*match.server.accounts.tokens, *keys):
        assert secret not in text
        assert secret[:30] not in text


def test_an_init_after_one_that_never_heard_of_its_end_finds_the_sheet_made(
    server: SheetsServer, tmp_path: Path
) -> None:
    """Google applied the first and did not answer; the second says so and writes nothing."""
    cleared(server)
    key = server.new_spreadsheet("Match")
    server.faults.plan("write", faults.drop().after_applying(), times=None)
    server.faults.plan("read", faults.status(503), nth=2, times=None)
    with pytest.raises(Unavailable, match="either everything was written or nothing was"):
        store(server, key, tmp_path).create()
    cleared(server)
    later = store(server, key, tmp_path)
    later.create()
    assert later.notes == ["Match was laid out already, by a run before this one"]
    assert server.requests.counts() == {"token": 1, "read": 1}
    server.set_cell(key, "Settings", "B2", "MM8")
    with pytest.raises(Unavailable, match="is not empty"):
        store(server, key, tmp_path).create()
