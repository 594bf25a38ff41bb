"""The names that mark a tab of an .xlsx file as the referee's, also once it lies at Google."""

import re
from typing import Final

MARK: Final = "_referee_"
"""A hidden workbook-wide name `_referee_Pen` that points into a tab marks it as the referee's.

Names follow a tab that is renamed or moved, and Excel, LibreOffice, openpyxl and Google keep them
when they save. The copy of a tab gets names of its own scope, which do not count as marks.
"""

_PLAIN: Final = re.compile(r"[^A-Za-z0-9]")
_SPELT: Final = re.compile(r"_([0-9A-F]+)_")


def mark_name(title: str) -> str:
    """Return the defined name that marks the tab published under a title."""
    return MARK + _PLAIN.sub(lambda found: f"_{ord(found[0]):X}_", title)


def marked_title(name: str) -> str:
    """Return the title a mark was made for."""
    return _SPELT.sub(lambda found: chr(int(found[1], 16)), name.removeprefix(MARK))
