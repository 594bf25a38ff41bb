"""``referee season``: what the matches of a season brought whom."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import JsonOption
from referee.cli.output import Output
from referee.match.faults import WrongUsage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.seasons.sources import Source


def run(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER...", help="Folders, workbooks, records or archives of the season."
        ),
    ],
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE", help="Write the season as one HTML page, too."),
    ] = None,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="What the page calls the season.")
    ] = "Season",
    as_json: JsonOption = False,
) -> None:
    """Tell who won what over the matches of a season, and how often each ruling was needed.

    Only published rounds count, and only of matches whose audit finds nothing; the others are
    listed with the reason.

    Example: `referee season matches --page season.html`
    """
    from referee.cli.progress import progress
    from referee.seasons.sources import sources
    from referee.seasons.standings import season
    from referee.stores.file_safety import write_file
    from referee.views.season_page import print_season, season_page

    output = Output(as_json=as_json)
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise WrongUsage(f"{page}: a page's name ends in .html")
    with progress("auditing") as bar:

        def counted() -> "Iterator[Source]":
            for source in sources(places):
                yield source
                bar.advance()

        found = season(counted())
    if page is not None:
        write_file(page, season_page(found, title), keep_old=False)
        output.tell(f"wrote {page}")
    if not as_json:
        print_season(found)
    output.give(found.as_json())
