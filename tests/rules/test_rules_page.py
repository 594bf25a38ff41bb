"""The rules page says what the code does: its clauses, settings and notices are the code's."""

import re
from pathlib import Path
from typing import get_type_hints

import msgspec

from referee.match.notices import CODES
from referee.match.record import Settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "RULES.md").read_text("utf-8")
CLAUSE = re.compile(r"R[0-9]\.[0-9]")


def _table(section: str) -> list[list[str]]:
    body = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line for line in body.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_clauses_keep_their_numbers() -> None:
    """Published results cite clauses by number, so none may be renumbered or dropped."""
    lengths = {0: 3, 1: 4, 2: 4, 3: 6, 4: 8, 5: 5, 6: 5, 7: 6, 8: 2, 9: 3}
    numbers = [f"R{part}.{n}" for part, last in lengths.items() for n in range(1, last + 1)]
    assert re.findall(r"^### (R[0-9]\.[0-9]) ", PAGE, re.MULTILINE) == numbers


def test_every_clause_cited_is_on_the_page() -> None:
    """Whoever reads a clause's number in the code can look it up."""
    clauses = set(re.findall(r"^### (R[0-9]\.[0-9]) ", PAGE, re.MULTILINE))
    cited = {
        (path.name, clause)
        for path in (*ROOT.glob("referee/**/*.py"), ROOT / "RULES.md")
        for clause in CLAUSE.findall(path.read_text("utf-8"))
    }
    assert {place for place in cited if place[1] not in clauses} == set()


def test_every_setting_is_on_the_page() -> None:
    """The settings' titles, names, defaults and descriptions are those of the code."""
    hints = get_type_hints(Settings, include_extras=True)
    declared = []
    for field in msgspec.structs.fields(Settings):
        told = next(meta for meta in hints[field.name].__metadata__ if meta.title)
        default = "(empty)" if field.default == "" else str(field.default)
        declared.append([told.title, f"`{field.name}`", default, told.description])
    assert _table("Settings") == declared


def test_every_setting_is_explained_where_it_matters() -> None:
    """The clause that a setting changes names it."""
    for title, _, default, description in _table("Settings"):
        for clause in CLAUSE.findall(description):
            text = PAGE.partition(f"\n### {clause} ")[2].partition("\n#")[0]
            assert f"`{title}`" in text, (title, clause)
            assert default in text or default == "(empty)", (title, clause, default)


def test_every_notice_is_on_the_page() -> None:
    """The notices' codes, clauses and severities are those of the code."""
    listed = {row[0].strip("`"): tuple(row[1:3]) for row in _table("Notices")}
    assert listed == {code: (rule, severity) for code, (rule, severity, _) in CODES.items()}


def test_every_notice_is_named_where_it_arises() -> None:
    """The clause behind a notice names it."""
    for code, clause, *_ in _table("Notices"):
        text = PAGE.partition(f"\n### {clause} ")[2].partition("\n#")[0]
        assert code in text, (code, clause)
