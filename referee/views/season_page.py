"""A season in one HTML page that loads nothing, and in tables for a terminal."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.seasons.standings import Match, Season
from referee.version import __version__

_STANDINGS: Final = (
    *("Player", "Matches", "Won", "Tokens of Life", "Garnets won"),
    *("Starved", "Elimination Candidate"),
)
_MATCHES: Final = ("Match", "Rounds", "Winners", "Elimination Candidate", "Decided by")
_RULINGS: Final = ("Ruling", "Times", "Matches")
_LEFT_OUT: Final = ("Left out", "Why")

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #2a241d; --ground: #f7f4ee; --line: #e3dbcd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #efe7da; --ground: #181512; --line: #3b342b; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 62rem; padding: 1rem; line-height: 1.5;
  font-family: system-ui, sans-serif; color: var(--ink); background: var(--ground);
}
section { overflow-x: auto; margin: 0 0 2rem; }
table { border-collapse: collapse; min-width: 100%; }
caption { text-align: left; font-size: 1.25rem; font-weight: 600; padding: .25rem 0; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td { overflow-wrap: anywhere; }
footer { opacity: .7; }
"""

Cell = str | int
Rows = list[tuple[Cell, ...]]


def season_page(season: Season, title: str) -> bytes:
    """Return the page as bytes; the same season gives the same bytes. Names are text throughout."""
    style = b64encode(sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    sections = "\n".join(_section(*table) for table in _tables(season))
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<main>
{sections}
</main>
<footer>referee {escape(__version__)}: published results, each audited</footer>
</body>
</html>
"""
    return page.encode("utf-8", "xmlcharrefreplace")


def print_season(season: Season) -> None:
    """Print the same tables on standard output; without a terminal at 100 columns."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    for title, headers, rows in _tables(season):
        table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
        for place, header in enumerate(headers):
            is_number = bool(rows) and isinstance(rows[0][place], int)
            table.add_column(header, justify="right" if is_number else "left")
        for row in rows:
            table.add_row(*(Text(str(cell)) for cell in row))
        console.print(table)
        console.print()


def _tables(season: Season) -> Iterable[tuple[str, Sequence[str], Rows]]:
    """Yield the title, headers and rows of each table; the last two only where there are any."""
    standings: Rows = [
        (one.player, one.matches, one.won, one.tokens, one.garnets, one.starved, one.candidate)
        for one in season.standings()
    ]
    yield "Players", _STANDINGS, standings
    yield "Matches", _MATCHES, [_match(match) for match in season.matches]
    rulings: Rows = [(kind, *numbers) for kind, numbers in season.rulings().items()]
    if rulings:
        yield "Rulings that were needed", _RULINGS, rulings
    if season.left_out:
        yield "Not counted", _LEFT_OUT, [(left.place, left.why) for left in season.left_out]


def _match(match: Match) -> tuple[Cell, ...]:
    winners = ", ".join(
        f"{won.player} ({won.tokens} Token{'' if won.tokens == 1 else 's'}, {won.garnets} garnets)"
        for won in match.won
    )
    if not match.is_over:
        state = "a draw is pending" if match.decided_by else "still running"
        return (match.name, match.rounds, state, "", "")
    return (match.name, match.rounds, winners, match.candidate or "", match.decided_by or "")


def _section(title: str, headers: Sequence[str], rows: Rows) -> str:
    numbers = [bool(rows) and isinstance(cell, int) for cell in (rows[0] if rows else headers)]
    body = "\n".join(_row("td", row, numbers) for row in rows)
    return (
        f"<section><table><caption>{escape(title)}</caption>\n"
        f"<thead>{_row('th', headers, numbers)}</thead>\n"
        f"<tbody>\n{body}\n</tbody></table></section>"
    )


def _row(tag: str, cells: Sequence[Cell], numbers: Sequence[bool]) -> str:
    found = (
        f"<{tag}{look}>{escape(str(cell))}</{tag}>"
        for cell, look in zip(cells, (' class="number"' * n for n in numbers), strict=True)
    )
    return f"<tr>{''.join(found)}</tr>"
