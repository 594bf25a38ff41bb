"""What each player is told alone after the deal: their own cell and rival, nobody else's (R1.4)."""

from typing import Any

from referee.chat.markup import escape_name
from referee.desk.dealing import Deal


def private_messages(deal: Deal) -> dict[str, str]:
    """Return each player's message for Discord, which shows the names as typed."""
    found = {}
    for name in deal.cells or deal.rivals:
        parts = []
        if name in deal.cells:
            parts.append(f"your pig starts on cell {deal.cells[name]}")
        if name in deal.rivals:
            parts.append(f"your rival is {escape_name(deal.rivals[name])}")
        text = " and ".join(parts)
        found[name] = f"{text[0].upper()}{text[1:]}."
    return found


def deal_as_json(deal: Deal) -> dict[str, Any]:
    """Return the deal as ``--json`` shows it; the seed itself stays in the workbook."""
    return {
        "cells": deal.cells,
        "rivals": deal.rivals,
        "commitment": deal.commitment if deal.seed else None,
        "messages": private_messages(deal),
    }
