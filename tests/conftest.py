"""How hard the laws are tried: the same few examples every time, or as many new ones as wished.

``HYPOTHESIS_PROFILE=thorough pytest tests/rules/test_laws.py`` looks for new counterexamples.
"""

import os
import signal

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
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
