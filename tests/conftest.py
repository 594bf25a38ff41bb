"""How hard the laws are tried: the same few examples every time, or as many new ones as wished.

``pytest -m "not slow"`` leaves the slow tests out and tries the laws on a fifth of the examples.
``HYPOTHESIS_PROFILE=thorough pytest tests/rules/test_laws.py`` looks for new counterexamples.
"""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Started in the background, a shell's children ignore Ctrl-C, and theirs in turn; the programs that
# tests start and interrupt have to begin as on a terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", settings.get_profile("default"), max_examples=5000, derandomize=False
)
settings.register_profile("quick", settings.get_profile("default"), max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

SLOW = (
    "chat/test_import_files.py",
    "chat/test_import_stores.py",
    "chat/test_posting.py",
    "cli/test_commands.py",
    "cli/test_formats.py",
    "cli/test_live_command.py",
    "cli/test_lost_output.py",
    "cli/test_path.py",
    "cli/test_post_commands.py",
    "cli/test_zone_commands.py",
    "desk/test_watching.py",
    "match/test_archives.py",
    "rules/test_laws_of_change.py",
    "stores/google",
    "stores/test_contract.py",
    "stores/xlsx/test_publishing.py",
    "stores/xlsx/test_refusals.py",
    "stores/xlsx/test_safety.py",
    "test_faults_from_cases.py",
    "test_library.py",
    "test_readme.py",
    "views/test_page.py",
    "views/test_page_browser.py",
)
"""What starts a browser, LibreOffice, a server or programs, or tries very much."""


def pytest_configure(config: pytest.Config) -> None:
    """Try less where only the quick tests are asked for."""
    if config.getoption("markexpr") == "not slow" and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests listed above."""
    here = Path(__file__).parent
    slow = [here / place for place in SLOW]
    assert all(place.exists() for place in slow), "a place listed as slow is gone"
    for item in items:
        if any(item.path.is_relative_to(place) for place in slow):
            item.add_marker(pytest.mark.slow)
