"""The rules by example: every file in `cases/` is a little match with what must come of it."""

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from match_notation import expected_and_found, play

from referee.notices import CODES
from referee.record import Settings

TESTS = Path(__file__).parent
FILES = sorted((TESTS / "cases").glob("*.toml"))
RULES = (TESTS.parent / "RULES.md").read_text("utf-8")
KEYS = {
    *("sentence", "clauses", "start", "settings", "players", "rounds"),
    *("queue", "submissions", "adjustments", "expect"),
}


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_rules_by_example(path: Path) -> None:
    """The match of the case comes out as the case says; a notice it does not name is an error."""
    case = read(path)
    expected, found = expected_and_found(case["expect"], play(case))
    assert found == expected, case["sentence"]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_case_says_what_it_is_about(path: Path) -> None:
    """Each case has a sentence and is filed under the first of its clauses."""
    case = read(path)
    assert not case.keys() - KEYS
    assert case["sentence"].endswith(".")
    assert path.stem.startswith(f"{case['clauses'][0]}-")
    assert case["expect"]


def test_every_clause_has_a_case() -> None:
    """Each clause of the rules page has a case, and no case cites a clause that is not there."""
    cited = {clause for path in FILES for clause in read(path)["clauses"]}
    clauses = re.findall(r"^### (R[0-9]\.[0-9]) ", RULES, re.MULTILINE)
    assert sorted(cited) == sorted(clauses)


def test_every_notice_has_a_case() -> None:
    """Each notice the engine can give is named by a case."""
    said = {line.split()[0] for path in FILES for line in _notices(read(path))}
    assert said == set(CODES)


def test_every_setting_has_a_case() -> None:
    """Each setting is changed by a case."""
    changed = {name for path in FILES for name in read(path).get("settings", {})}
    assert changed == {field.name for field in msgspec.structs.fields(Settings)}


def _notices(case: dict[str, Any]) -> list[str]:
    notices: str = case["expect"].get("notices", "")
    return notices.strip().splitlines()
