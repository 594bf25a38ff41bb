"""The rules by example: every file in `cases/` is a little match with what must come of it."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.match.notices import CODES
from referee.match.record import Settings
from tests.support.match_notation import CASES, expected_and_found, play, read_case

RULES = (Path(__file__).parents[2] / "RULES.md").read_text("utf-8")
KEYS = {
    *("sentence", "clauses", "start", "settings", "players", "rounds"),
    *("queue", "submissions", "adjustments", "expect"),
}


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_the_rules_by_example(path: Path) -> None:
    """The match of the case comes out as the case says; a notice it does not name is an error."""
    case = read_case(path)
    expected, found = expected_and_found(case["expect"], play(case))
    assert found == expected, case["sentence"]


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_a_case_says_what_it_is_about(path: Path) -> None:
    """Each case has a sentence and is filed under the first of its clauses."""
    case = read_case(path)
    assert not case.keys() - KEYS
    assert case["sentence"].endswith(".")
    assert path.stem.startswith(f"{case['clauses'][0]}-")
    assert case["expect"]


def test_every_clause_has_a_case() -> None:
    """Each clause of the rules page has a case, and no case cites a clause that is not there."""
    cited = {clause for path in CASES for clause in read_case(path)["clauses"]}
    clauses = re.findall(r"^### (R[0-9]\.[0-9]) ", RULES, re.MULTILINE)
    assert sorted(cited) == sorted(clauses)


def test_every_notice_has_a_case() -> None:
    """Each notice the engine can give is named by a case."""
    said = {line.split()[0] for path in CASES for line in _notices(read_case(path))}
    assert said == set(CODES)


def test_every_setting_has_a_case() -> None:
    """Each setting is changed by a case."""
    changed = {name for path in CASES for name in read_case(path).get("settings", {})}
    assert changed == {field.name for field in msgspec.structs.fields(Settings)}


def _notices(case: dict[str, Any]) -> list[str]:
    notices: str = case["expect"].get("notices", "")
    return notices.strip().splitlines()
