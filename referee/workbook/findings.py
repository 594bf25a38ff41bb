"""What a reading found: faults and remarks, collected and put in the order of the sheet."""

from typing import Final, Literal

import msgspec

from referee.match.faults import Fault

NO_PLACE: Final = (-1, 0, 0)
"""Where what concerns the whole workbook is listed: before every tab."""

Spot = tuple[int, int, int]
"""A place in the workbook, for the order of the list: tab from 0, row and column from 1."""


class Remark(msgspec.Struct, frozen=True):
    """Something a host should know of that stops nothing.

    ``code`` is a stable word in kebab-case, ``tab`` the template's title, ``row`` a sheet row. A
    ``warning`` may mean that the result is not what the host thinks.
    """

    code: str
    text: str
    tab: str | None = None
    row: int | None = None
    severity: Literal["warning", "info"] = "info"

    @property
    def line(self) -> str:
        """The remark as hosts read it."""
        return f"{'warning' if self.severity == 'warning' else 'note'}: {self.text}"


class Findings:
    """Collects the faults and remarks of one reading."""

    def __init__(self) -> None:
        self._faults: list[tuple[Spot, Fault]] = []
        self._remarks: list[tuple[Spot, Remark]] = []

    def fault(self, spot: Spot, fault: Fault) -> None:
        """Add a fault that stands at ``spot``."""
        self._faults.append((spot, fault))

    def remark(self, spot: Spot, remark: Remark) -> None:
        """Add a remark that stands at ``spot``."""
        self._remarks.append((spot, remark))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault, in the order of the sheet."""
        return tuple(fault for _, fault in sorted(self._faults, key=lambda found: found[0]))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Every remark, in the order of the sheet."""
        return tuple(remark for _, remark in sorted(self._remarks, key=lambda found: found[0]))
