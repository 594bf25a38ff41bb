"""Tabs and columns of the match workbook, read from the template in ``sheet_templates/``.

The template declares each title, header, width, help text and drop-down once; the stores make
workbooks from it, the reader finds columns by it, the writer takes the owned tabs' headers from
it. The settings of a match come from `referee.match.record.Settings` by way of `setting_rows`.
"""

from functools import cache, cached_property
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from referee.match.record import ACTIONS, RingCell
from referee.workbook.settings import SettingRow, setting_rows

TEMPLATE: Final = "pig_starvation.toml"

Kind = Literal[
    "text", "time", "player", "names", "cell", "action", "ruling", "whole", "id", "value", "note"
]
"""What a column holds. ``value``: by its row's setting; ``note``: for people, never read."""

DropDown = Literal["players", "actions", "cells", "queue_rulings", "rulings"]


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One column: its header and what stands under it; ``width`` in characters."""

    name: str
    kind: Kind
    width: int
    required: bool = False
    synonyms: tuple[str, ...] = ()
    help: str = ""
    drop_down: DropDown | None = None
    strict: bool = False


class TabLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tab; with ``per_player`` a column for each player follows the fixed ones.

    One that is ``on_demand`` is no part of a result and of a new workbook: what needs it makes it.
    """

    title: str
    owner: Literal["host", "referee"]
    columns: tuple[Column, ...]
    help: str = ""
    optional: bool = False
    per_player: bool = False
    on_demand: bool = False

    @property
    def header(self) -> tuple[str, ...]:
        """The fixed headers, from left to right."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name; raises KeyError where the template has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The whole template."""

    game: str
    title: str
    host_colour: str
    referee_colour: str
    blank_rows: int
    formats: dict[str, str]
    drop_downs: dict[DropDown, tuple[str, ...]]
    synonyms: dict[str, tuple[str, ...]]
    match_settings: tuple[SettingRow, ...]
    deal_settings: tuple[SettingRow, ...]
    import_settings: tuple[SettingRow, ...]
    tabs: tuple[TabLayout, ...]

    @cached_property
    def host_tabs(self) -> tuple[TabLayout, ...]:
        """The tabs a host fills in, in the order of the workbook."""
        return tuple(tab for tab in self.tabs if tab.owner == "host")

    @cached_property
    def owned_tabs(self) -> tuple[TabLayout, ...]:
        """The tabs the referee writes whole, in the order of the workbook."""
        return tuple(tab for tab in self.tabs if tab.owner == "referee")

    @cached_property
    def result_tabs(self) -> tuple[TabLayout, ...]:
        """The owned tabs that every publication writes, in the order of the workbook."""
        return tuple(tab for tab in self.owned_tabs if not tab.on_demand)

    @cached_property
    def laid_out(self) -> tuple[TabLayout, ...]:
        """The tabs of a new workbook, in their order."""
        return tuple(tab for tab in self.tabs if not tab.on_demand)

    @cached_property
    def settings_rows(self) -> tuple[SettingRow, ...]:
        """The rows of a new Settings tab.

        The match's own three, then every `Settings` field, what `deal` fills in, and what `import`
        asks for.
        """
        dealt = self.deal_settings
        return (*self.match_settings, *setting_rows(), *dealt, *self.import_settings)

    def tab(self, title: str) -> TabLayout:
        """Return the tab of that title; raises KeyError where the template has none."""
        for tab in self.tabs:
            if tab.title == title:
                return tab
        raise KeyError(title)

    def colour(self, tab: TabLayout) -> str:
        """Return the colour of a tab's marker, as ``#RRGGBB``."""
        return self.host_colour if tab.owner == "host" else self.referee_colour

    def synonyms_of(self, column: Column) -> tuple[str, ...]:
        """Return the other headers under which a host's column is found."""
        return (*column.synonyms, *self.synonyms.get(column.name, ()))

    def words(self, source: DropDown) -> tuple[str, ...]:
        """Return what a drop-down offers; nothing for ``players``: those are the Players tab's."""
        if source == "actions":
            return ACTIONS
        if source == "cells":
            return get_args(RingCell)
        return self.drop_downs.get(source, ())

    def number_format(self, kind: str) -> str:
        """Return the number format of a kind of column or setting, ``General`` for any."""
        return self.formats.get(kind, "General")


def template_path() -> Path:
    """Return where the template lies: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "sheet_templates" / TEMPLATE
    return installed if installed.exists() else package.parent / "sheet_templates" / TEMPLATE


@cache
def load() -> Layout:
    """Read the template, once a process."""
    import tomllib

    return msgspec.convert(tomllib.loads(template_path().read_text("utf-8")), Layout)
