"""Rows, rulings, settings and new rows as the command line names them."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeVar

from referee.judging.whatif import AddRow, Change, Rule, SetTo, change
from referee.match.faults import WrongUsage, quoted
from referee.match.notices import TABS
from referee.match.record import Adjustment, QueueRow, Record, Round, Submission
from referee.workbook.actions import find_action, no_action
from referee.workbook.names import Roster, fold
from referee.workbook.values import CellError

if TYPE_CHECKING:
    from referee.match.instants import Instant
    from referee.workbook.places import Places
    from referee.workbook.times import Times

ADD_FORMS: Final = (
    "Queue: TIME, PLAYER, ACTION · Submissions: TIME, PLAYER, MESSAGE · "
    "Adjustments: TIME, PLAYER, GARNETS · Rounds: NUMBER, START, MINUTES"
)
"""How a row to add is written; what stands last may be left out where the sheet allows it."""

_ROW: Final = re.compile(
    r"\s*(?P<tab>.*?)(?:\s*(?:[!:]\s*[A-Z]{0,3}|\s(?:row\s+)?)|(?<=[^\W\d_]))(?P<row>[0-9]{1,7})\s*",
    re.IGNORECASE | re.ASCII,
)
"""A tab and a row: ``Queue:2``, ``Queue 2``, ``Queue row 2``, ``queue2``, ``Queue!A2``."""

_Parsed = TypeVar("_Parsed")


class Wording:
    """Reads what the command line says about one match, in that match's names and times."""

    def __init__(self, record: Record, places: "Places") -> None:
        self.record = record
        self.places = places
        self.problems: list[str] = []
        self.roster = Roster()
        for player in record.players:
            self.roster.add(player.name, player.name)
        for player in record.players:
            for alias in player.aliases:
                self.roster.add(alias, player.name)
        self._times: Times | None = None

    def tab(self, text: str) -> str:
        """Return the tab meant by its title in the template or in the host's workbook."""
        for tab in TABS:
            if fold(text) in (fold(tab), fold(self.places.title(tab))):
                return tab
        raise WrongUsage(f"{quoted(text)} is not a tab with rows; they are {', '.join(TABS)}")

    def place(self, text: str) -> tuple[str, int]:
        """Return the tab and row of ``Submissions:14``, ``submissions 14`` or ``Submissions!B14``.

        Shells take a ``!`` for something of their own.
        """
        found = _ROW.fullmatch(text)
        if found is None:
            raise WrongUsage(f"{quoted(text)} is not a row; write Submissions:14")
        return self.tab(found["tab"].strip("' ")), int(found["row"])

    def player(self, text: str) -> str:
        """Return the player meant by a name or alias."""
        if several := self.roster.several(text):
            raise WrongUsage(
                f"{quoted(text)} may be {' or '.join(several)}; write it letter for letter"
            )
        found = self.roster.find(text)
        if found is None:
            hint = self.roster.hint(text)
            raise WrongUsage(f"{quoted(text)} is not a player of this match{hint}")
        return found

    def changes(
        self,
        *,
        void: Iterable[str] = (),
        read: Iterable[str] = (),
        allow: Iterable[str] = (),
        settings: Iterable[str] = (),
        add: Iterable[str] = (),
    ) -> list[Change]:
        """Return the changes that the options of ``referee whatif`` ask for.

        Raises `WrongUsage` with everything wrong about them.
        """
        found: list[Change] = [
            *self._all("--void", void, lambda text: Rule(*self.place(text), "void")),
            *self._all("--read", read, self._read),
            *self._all("--allow", allow, self._allow),
            *self._all("--set", settings, setting_change),
            *self._all("--add", add, self._row),
        ]
        try:
            change(self.record, found)
        except WrongUsage as problem:
            self.problems.append(str(problem))
        if self.problems:
            raise WrongUsage("\n".join(self.problems))
        return found

    def _all(
        self, option: str, texts: Iterable[str], parse: Callable[[str], _Parsed]
    ) -> list[_Parsed]:
        found = []
        for text in texts:
            try:
                found.append(parse(text))
            except (WrongUsage, CellError) as problem:
                self.problems.append(f"{option} {text}: {problem}")
        return found

    def _read(self, text: str) -> Rule:
        place, mark, said = text.partition("=")
        if not mark or not said.strip():
            raise WrongUsage("write Submissions:14=A D, or =pass")
        return Rule(*self.place(place), f"read as {said.strip()}")

    def _allow(self, text: str) -> Rule:
        place, _, said = text.partition("=")
        return Rule(*self.place(place), f"allow {said.strip()}".strip())

    def _row(self, text: str) -> AddRow:
        title, mark, rest = text.partition(":")
        if not mark:
            raise WrongUsage(f"write one of: {ADD_FORMS}")
        tab = self.tab(title.strip())
        if tab == "Rounds":
            return AddRow(self._round([cell.strip() for cell in rest.split(",")]))
        time, _, others = rest.partition(",")
        player, _, said = (part.strip() for part in others.partition(","))
        return AddRow(self._timed(tab, self._instant(time), self.player(player), said))

    def _timed(
        self, tab: str, time: "Instant", player: str, said: str
    ) -> QueueRow | Submission | Adjustment:
        if tab == "Submissions":
            return Submission(time=time, player=player, message=said)
        if tab == "Adjustments":
            garnets, _, reason = said.partition(",")
            return Adjustment(
                time=time, player=player, garnets=_whole(garnets), reason=reason.strip()
            )
        action = find_action(said)
        if action is None:
            raise WrongUsage(no_action(said))
        return QueueRow(time=time, player=player, action=action)

    def _round(self, cells: list[str]) -> Round:
        number, start, minutes, *_ = [*cells, "", ""]
        import msgspec

        row = Round(number=_whole(number, least=1))
        if start:
            row = msgspec.structs.replace(row, start=self._instant(start))
        if minutes:
            row = msgspec.structs.replace(row, minutes=_whole(minutes, least=1))
        return row

    def _instant(self, text: str) -> "Instant":
        from referee.workbook.times import Times
        from referee.workbook.zones import clock_of

        if self._times is None:
            self._times = Times(clock_of(self.record), self.record.start)
        return self._times.read(text.strip())


def setting_change(text: str) -> SetTo:
    """Read ``KEY=VALUE``: a setting by its key or its title; raises `WrongUsage` for another."""
    from referee.workbook.names import nearest
    from referee.workbook.settings import fold_setting, setting_rows

    name, mark, value = text.partition("=")
    if not mark:
        raise WrongUsage("write room_seconds=90")
    wanted = fold_setting(name)
    rows = setting_rows()
    for row in rows:
        if wanted in (fold_setting(row.title), fold_setting(row.key)):
            return SetTo(row.key, value.strip())
    near = nearest(name, [row.key for row in rows])
    raise WrongUsage(f"{quoted(name.strip())} is not a setting (nearest: {near})")


def _whole(text: str, least: int | None = None) -> int:
    try:
        number = int(text.strip())
    except ValueError:
        raise WrongUsage(f"{quoted(text.strip())} is not a whole number") from None
    if least is not None and number < least:
        raise WrongUsage(f"{number} is below {least}")
    return number
