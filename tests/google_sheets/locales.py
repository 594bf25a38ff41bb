"""How a spreadsheet's locale writes numbers and dates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Locale:
    decimal: str = "."
    group: str = ","
    date: str = "m/d/yyyy"
    time: str = "h:mm:ss am/pm"
    day_first: bool = False
    currency: str = '"$"#,##0.00'

    @property
    def date_time(self) -> str:
        clock = "h:mm:ss" if "am" in self.time else self.time
        return f"{self.date} {clock}"


def _other(group: str, date: str, time: str, currency: str) -> Locale:
    """A locale with a decimal comma."""
    return Locale(",", group, date, time, day_first=not date.startswith("y"), currency=currency)


_EURO = '#,##0.00 "€"'
_KNOWN = {
    "en_US": Locale(),
    "en_GB": Locale(date="dd/mm/yyyy", time="hh:mm:ss", day_first=True, currency='"£"#,##0.00'),
    "en_AU": Locale(date="d/mm/yyyy", day_first=True),
    "en_CA": Locale(date="yyyy-mm-dd"),
    "en_IE": Locale(date="dd/mm/yyyy", time="hh:mm:ss", day_first=True, currency='"€"#,##0.00'),
    "fr_FR": _other("\u202f", "dd/mm/yyyy", "hh:mm:ss", _EURO),
    "de_DE": _other(".", "dd.mm.yyyy", "hh:mm:ss", _EURO),
    "es_ES": _other(".", "d/mm/yyyy", "h:mm:ss", _EURO),
    "it_IT": _other(".", "dd/mm/yyyy", "h.mm.ss", _EURO),
    "nl_NL": _other(".", "d-m-yyyy", "h:mm:ss", '"€" #,##0.00'),
    "pl_PL": _other("\u00a0", "d.mm.yyyy", "hh:mm:ss", '#,##0.00 "zł"'),
    "pt_BR": _other(".", "dd/mm/yyyy", "hh:mm:ss", '"R$" #,##0.00'),
    "ru_RU": _other("\u00a0", "dd.mm.yyyy", "h:mm:ss", '#,##0.00 "₽"'),
    "sv_SE": _other("\u00a0", "yyyy-mm-dd", "hh:mm:ss", '#,##0.00 "kr"'),
    "ja_JP": Locale(date="yyyy/mm/dd", time="h:mm:ss", currency='"¥"#,##0'),
}


def known(name: str) -> bool:
    return name in _KNOWN or name.split("_")[0] in {key.split("_")[0] for key in _KNOWN}


def locale(name: str) -> Locale:
    """The locale itself, else another of the same language, else the American one."""
    language = name.split("_")[0]
    near = (found for key, found in _KNOWN.items() if key.split("_")[0] == language)
    return _KNOWN.get(name) or next(near, Locale())
