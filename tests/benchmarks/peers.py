"""What the referee is measured beside: a Typer program, openpyxl, python-chess."""

import io
import random
from importlib import import_module
from pathlib import Path
from typing import Final

HELLO: Final = '''
import typer

app = typer.Typer()


@app.command()
def main() -> None:
    """Say hello."""
    typer.echo("hello")


app()
'''
"""A Typer program that only prints a line."""

PLIES: Final = 79


def pgn_game() -> str:
    """A random legal game of so many plies as PGN."""
    chess, pgn = import_module("chess"), import_module("chess.pgn")
    draw = random.Random(1)  # noqa: S311  the same game every time
    while True:
        board = chess.Board()
        while board.ply() < PLIES and not board.is_game_over():
            board.push(draw.choice(list(board.legal_moves)))
        if board.ply() == PLIES:
            return str(pgn.Game.from_board(board))


def replay_pgn(text: str) -> None:
    """Read a game and play its moves."""
    game = import_module("chess.pgn").read_game(io.StringIO(text))
    board = game.board()
    for move in game.mainline_moves():
        board.push(move)


def load_workbook(path: Path) -> None:
    """Load a workbook with openpyxl."""
    import openpyxl

    openpyxl.load_workbook(path).close()


def load_and_save(path: Path, copy: Path) -> None:
    """Load a workbook with openpyxl and save it."""
    import openpyxl

    openpyxl.load_workbook(path).save(copy)
