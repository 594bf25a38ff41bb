"""What the console shows of lines just typed is what the sheet says once it holds them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from referee.desk.echo import echoed
from referee.desk.logbook import Logbook
from referee.sheets import journal_of
from referee.sheets import open as open_sheet
from referee.workbook.spoken import hearing_of, understand
from tests.support.cli import b0, write_book

if TYPE_CHECKING:
    from referee.stores.journal import Kept

AT = int(datetime(2026, 3, 2, 0, 11, tzinfo=UTC).timestamp() * 1000)


def test_an_echo_is_what_is_read_later(tmp_path: Path) -> None:
    """Line by line, rounds and their lengths too; undone, it is the record from before."""
    sheet = write_book(tmp_path / "b0.xlsx", b0())
    before = open_sheet(sheet).record()
    book = Logbook(journal_of(str(sheet)), open_sheet(sheet).workbook_store)
    lines: list[Kept] = []
    for number, typed in enumerate(("round", "bob", "bob a b", "bob exit", "round --minutes 13")):
        at = AT + number * 1000
        seen = echoed(before, lines)
        lines.append(book.take(typed, at, understand(typed, at, hearing_of(seen))))
        book.write()
        assert echoed(before, lines) == open_sheet(sheet).record()
        # A line that the record has already is not added again.
        assert echoed(open_sheet(sheet).record(), lines) == open_sheet(sheet).record()
    undone = [line for line in lines if line.spoken is not None and line.spoken.kind != "minutes"]
    for line in undone:
        line.undo = True
    assert echoed(open_sheet(sheet).record(), undone) == before
