"""The command line: parse, call, print, exit code."""

import time
from typing import Final

BEGUN: Final = time.time_ns() // 1_000_000
"""The instant (milliseconds) at which the program began to be loaded; see `referee.cli.begun`."""
