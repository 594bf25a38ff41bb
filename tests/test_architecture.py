"""The walls of the house: which part may know which, and what the rules never touch."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MATCH = ROOT / "referee" / "match"
ENGINE = [
    *sorted((ROOT / "referee" / "rules").glob("*.py")),
    *(MATCH / f"{name}.py" for name in ("causes", "faults", "instants", "notices")),
    *(MATCH / f"{name}.py" for name in ("record", "result")),
]
ACTS = {
    *("open", "print", "input", "exec", "eval", "compile", "breakpoint", "globals", "vars", "id"),
    *("hash", "__import__"),
}
"""What reads or writes the world, or differs from one process to the next."""
CLOCKS = {"now", "utcnow", "today", "localtime", "fromtimestamp", "getenv", "perf_counter"}
MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
engine_files = pytest.mark.parametrize("path", ENGINE, ids=[path.name for path in ENGINE])


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def test_no_arrow_points_back() -> None:
    """The contracts of .importlinter hold: layers, pure rules, decisions that know no store."""
    run = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "ignore", "-c", run, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "KEPT" in done.stdout
    assert "BROKEN" not in done.stdout


@engine_files
def test_the_engine_touches_nothing_but_its_record(path: Path) -> None:
    """R0.1: no file, no terminal, no clock, no environment, no hash that a process seeds."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name):
            assert node.id not in ACTS, f"{path.name}:{node.lineno} uses {node.id}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert node.func.attr not in CLOCKS, f"{path.name}:{node.lineno} asks {node.func.attr}"


@engine_files
def test_the_engine_keeps_nothing_between_two_matches(path: Path) -> None:
    """No module of the engine holds state: nothing is `global`, and no constant is ever changed."""
    module = tree(path)
    constants = dict(_constants(module))
    for node in ast.walk(module):
        assert not isinstance(node, ast.Global | ast.Nonlocal), f"{path.name}:{node.lineno}"
        if isinstance(node, ast.FunctionDef):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                assert not isinstance(default, MUTABLE), f"{path.name}:{node.lineno}"
    for line, name in _changes(module):
        assert name not in constants, f"{path.name}:{line} changes {name}"


def _constants(module: ast.Module) -> Iterator[tuple[str, int]]:
    """The names a module defines at its top level by assignment."""
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.lineno


CHANGING = {
    *("append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault"),
    *("add", "discard", "sort", "reverse"),
}


def _changes(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a function changes something that it refers to by a plain name."""
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef):
            continue
        own = set(_bound(function))
        own |= {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)}
        for node in ast.walk(function):
            held = None
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                held = node.value
            if isinstance(node, ast.Attribute) and node.attr in CHANGING:
                held = node.value
            if isinstance(held, ast.Name) and held.id not in own:
                yield held.lineno, held.id


def _bound(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


HEAVY = (
    "pandas",
    "numpy",
    "openpyxl",
    "python_calamine",
    "gspread",
    "google",
    "requests",
    "rich",
    "typer",
)


@pytest.mark.parametrize("module", ["referee", "referee.rules.replay", "referee.match.record_json"])
def test_heavy_libraries_wait_until_they_are_needed(module: str) -> None:
    """A replay starts without pandas, openpyxl, gspread, rich and the command line."""
    look = f"import sys, {module}; print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == []


SOURCES = sorted((ROOT / "referee").rglob("*.py"))


def test_no_module_outgrows_a_readers_head() -> None:
    """No module is longer than about 400 lines, no function longer than a screen."""
    for path in SOURCES:
        assert len(path.read_text("utf-8").splitlines()) <= 420, path.name
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                # A command's options, declared in its signature, are no reading matter.
                length = (node.end_lineno or 0) - node.body[0].lineno + 1
                assert length <= 60, f"{path.name}: {node.name} has {length} lines"
