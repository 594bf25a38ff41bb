"""``referee report``: the match as one HTML page to step through."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import CredentialsOption, JsonOption, sheet_and_file, sheet_at
from referee.cli.output import Output
from referee.match.faults import Stopped, WrongUsage

if TYPE_CHECKING:
    from referee.sheets import Read
    from referee.views.page.model import Page


def run(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="[SHEET] FILE", help="The workbook, and the .html file to write."),
    ],
    public: Annotated[
        bool, typer.Option("--public", help="Only what players may know while the match runs.")
    ] = False,
    hunger: Annotated[
        bool, typer.Option("--hunger", help="With --public, tell every pig's hunger points, too.")
    ] = False,
    number: Annotated[
        int | None, typer.Option("--round", metavar="N", help="Stop after round N.")
    ] = None,
    credentials: CredentialsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the match as one HTML page to step through, round by round and swap by swap.

    The page loads nothing else and works wherever it is opened. It holds everything: visits,
    swaps, rivals, garnets and reasons are for the host, and for all once the match is over.

    With --public it holds the pens of the published rounds and nothing more, so that players may
    have it while the match runs.

    Example: `referee report match.xlsx match.html`
    """
    sheet, file = sheet_and_file(arguments, "FILE")
    output = Output(as_json=as_json)
    if not file.lower().endswith((".html", ".htm")):
        raise WrongUsage(f"{file}: a page's name ends in .html")
    if hunger and not public:
        raise WrongUsage("--hunger goes with --public; without it the page tells everything")
    read = sheet_at(sheet, credentials, read_only=True).read()
    page = _public(read, number, hunger=hunger) if public else _whole(read, number)
    from referee.views.page.document import write_document

    _write(Path(file), write_document(page))
    output.say(f"wrote {file}")
    output.give({"wrote": file, "public": public, "steps": len(page.steps)})


def _whole(read: "Read", number: int | None) -> "Page":
    from referee.cli.options import check_round
    from referee.judging.explaining import explain
    from referee.sheets import located
    from referee.views.page.host import host_page

    try:
        explanation = explain(read.record, through=number)
    except Stopped as stopped:
        raise located(stopped, read.places) from None
    check_round(number, len(explanation.result.rounds))
    return host_page(explanation, read.places)


def _public(read: "Read", number: int | None, *, hunger: bool) -> "Page":
    """Make a page of what is published and no more: a round is not shown before it stands."""
    from referee.cli.options import check_round
    from referee.sheets import replay_located
    from referee.views.page.public import public_page
    from referee.views.revealed import revealed

    published = _published(read)
    check_round(number, published)
    result = replay_located(read, published if number is None else number)
    seen = [revealed(result, one, hunger=hunger) for one in range(len(result.rounds) + 1)]
    return public_page(result.name, seen)


def _published(read: "Read") -> int:
    """Return how many rounds are published.

    A match record need not carry any tabs; then its rounds count once they are over.
    """
    from referee.judging.auditing import published_rounds

    if read.places.tables or read.record.published is not None:
        return published_rounds(read.record.published or {})
    import time

    from referee.sheets import replay_located

    now = time.time_ns() // 1_000_000
    return sum(1 for round_ in replay_located(read).rounds if round_.official_end <= now)


def _write(path: Path, data: bytes) -> None:
    from referee.stores import file_safety

    with file_safety.locked(path):
        if path.exists() and path.stat().st_size:
            old = file_safety.read_file(path, 2**30)
            file_safety.replace_file(path, old, data, lambda _: None)
        else:
            file_safety.create_file(path, data)
