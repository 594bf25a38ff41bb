"""The settings of a match as rows of the Settings tab: `referee.match.record.Settings`."""

from functools import cache
from typing import Any, Final, Literal, get_args, get_origin

import msgspec

from referee.match.record import Settings
from referee.workbook.names import fold

SettingKind = Literal["text", "time", "zone", "whole", "choice"]


class SettingRow(msgspec.Struct, frozen=True):
    """One row of the Settings tab.

    ``key`` is the record's word for it; ``default`` what a blank value stands for; ``choices``
    the words of a ``choice``; ``least`` the smallest value of a ``whole``.
    """

    key: str
    title: str
    kind: SettingKind
    help: str = ""
    default: int | str = ""
    choices: tuple[str, ...] = ()
    least: int = 0

    @property
    def unit(self) -> Literal["minutes", "seconds"] | None:
        """What a length of time is counted in, None for anything else."""
        if self.key.endswith("_minutes"):
            return "minutes"
        return "seconds" if self.key.endswith("_seconds") else None


_SPELLINGS: Final = str.maketrans({"_": " ", "-": " ", "'": None, "\u2019": None})
"""Signs in which a setting's title and its key differ."""


def fold_setting(text: str) -> str:
    """Return what a setting's title or key is compared by: ``Pre-game minutes`` is both."""
    return fold(text.translate(_SPELLINGS))


@cache
def setting_rows() -> tuple[SettingRow, ...]:
    """List every setting of the record, in its order, with title, default, help and limits."""
    defaults = Settings()
    return tuple(
        _row(key, annotation, getattr(defaults, key))
        for key, annotation in Settings.__annotations__.items()
    )


def _row(key: str, annotation: Any, default: int | str) -> SettingRow:
    plain, *metas = get_args(annotation)
    choices = get_args(plain) if get_origin(plain) is Literal else ()
    kind: SettingKind = "choice" if choices else "whole" if plain is int else "text"
    least = next((meta.ge for meta in metas if meta.ge is not None), 0)
    title = next(meta.title for meta in metas if meta.title is not None)
    described = next(meta.description for meta in metas if meta.description is not None)
    blank = f"Blank: {default}." if default != "" else "Blank: none."
    return SettingRow(
        key=key,
        title=title,
        kind=kind,
        help=f"{described}. {blank}",
        default=default,
        choices=choices,
        least=least,
    )
