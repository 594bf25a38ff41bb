"""``python -m referee``: the same program as ``referee``."""

from referee.cli.main import run

if __name__ == "__main__":
    run()
