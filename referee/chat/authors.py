"""Who of the people in a chat is which player.

An account is known by its id, which stands among a player's aliases. One that is not known yet is
matched by its user name and nickname, and its id is then kept; from there on it may be renamed at
will. Names are nobody's own, so a name never moves a message to a player who has another id, and
two accounts of one name are a fault.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from referee.chat.mentions import Options
from referee.chat.messages import Message, Person
from referee.match.faults import Fault, quoted
from referee.workbook.names import Roster
from referee.workbook.players_tab import Entrant

_ID_ALIAS: Final = re.compile(r"(?:<@!?)?([0-9]+)>?")


class Cast(msgspec.Struct, frozen=True):
    """Who is who.

    ``players`` are the players' names by account id, ``named`` those of them matched by name only,
    whose id is new; ``strangers`` the accounts that are nobody's, with the first message of each.
    """

    players: dict[str, str]
    named: dict[str, str]
    strangers: dict[str, Message]


def ids_of(entrant: Entrant) -> tuple[str, ...]:
    """Return the account ids among a player's aliases."""
    found = (_ID_ALIAS.fullmatch(alias) for alias in entrant.aliases)
    return tuple(match[1] for match in found if match is not None)


def find_cast(
    messages: Iterable[Message],
    entrants: Sequence[Entrant],
    roster: Roster,
    options: Options,
    faults: list[Fault],
) -> Cast:
    """Match every account that speaks; what cannot be told for certain goes into ``faults``."""
    by_id = {number: entrant.name for entrant in entrants for number in ids_of(entrant)}
    spoken: dict[str, list[Message]] = {}
    for message in messages:
        if message.by_a_person and message.author.id not in _left_out(options):
            spoken.setdefault(message.author.id, []).append(message)
    cast = Cast({}, {}, {})
    for number, own in spoken.items():
        if number in by_id:
            cast.players[number] = by_id[number]
            continue
        players = _players_named((message.author for message in own), roster)
        if len(players) == 1:
            cast.named[number] = players[0]
        elif players:
            faults.append(_two_names(own[0], players))
        else:
            cast.strangers[number] = own[0]
    _settle_named(cast, spoken, entrants, faults)
    if not options.only_players:
        faults += [_stranger(message, roster) for message in cast.strangers.values()]
    return cast


def _left_out(options: Options) -> frozenset[str]:
    return options.ignored | options.dealer_users


def _players_named(persons: Iterable[Person], roster: Roster) -> list[str]:
    names = [name for person in persons for name in (person.name, person.nickname) if name]
    found = (roster.find(name) for name in dict.fromkeys(names))
    return list(dict.fromkeys(player for player in found if player is not None))


def _settle_named(
    cast: Cast,
    spoken: dict[str, list[Message]],
    entrants: Sequence[Entrant],
    faults: list[Fault],
) -> None:
    """Keep only those matches by name that leave no other account for the same player."""
    known = {entrant.name: ids_of(entrant) for entrant in entrants}
    for player in dict.fromkeys(cast.named.values()):
        claimants = [number for number, name in cast.named.items() if name == player]
        if not known[player] and len(claimants) == 1:
            cast.players[claimants[0]] = player
            continue
        for number in claimants:
            del cast.named[number]
            faults.append(_doubtful_name(spoken[number][0], player, known[player]))


def _doubtful_name(first: Message, player: str, ids: Sequence[str]) -> Fault:
    if ids:
        why = f"goes by the name of {quoted(player)}, whose id is {' or '.join(ids)}"
    else:
        why = f"is not the only account that goes by the name of {quoted(player)}"
    mend = "write the ids of the player's own accounts into Aliases, and give others with --ignore"
    return Fault("doubtful-author", f"{first.where}: {first.author} {why}; {mend}", player=player)


def _two_names(first: Message, players: Sequence[str]) -> Fault:
    both = " and ".join(map(quoted, players))
    text = (
        f"{first.where}: {first.author} goes by the names of {both}; write the id "
        f"{first.author.id} into the Aliases of the right one"
    )
    return Fault("doubtful-author", text)


def _stranger(first: Message, roster: Roster) -> Fault:
    author = first.author
    near = roster.nearest(author.nickname or author.name)
    hint = "" if near is None else f" (nearest: {near})"
    text = (
        f"{first.where}: {author} is not in Players{hint}; write the id {author.id} into the "
        f"player's Aliases, or leave the account out with --ignore {author.id}"
    )
    return Fault("unknown-author", text)
