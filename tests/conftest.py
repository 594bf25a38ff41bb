"""How hard the laws are tried: the same few examples every time, or as many new ones as wished.

``HYPOTHESIS_PROFILE=thorough pytest tests/test_laws.py`` looks for new counterexamples.
"""

import os

from hypothesis import HealthCheck, settings

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
