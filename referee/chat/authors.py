"""Who of the people in a chat is which player.

An account is known by its id, which stands among a player's aliases. One that is not known yet is
matched by its user name and nickname, and its id is then kept; from there on it may be renamed at
will. Names are nobody's own, so a name never moves a message to a player who has another id, and
two accounts of one name are a fault. A nickname anybody can take: where another account writes
there that is nobody's yet, which may be the player's own, the host is asked.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from referee.chat.mentions import Options
from referee.chat.messages import Message, Person
from referee.match.faults import Fault, quoted
from referee.workbook.message_ids import account_id
from referee.workbook.names import Roster, fold
from referee.workbook.players_tab import Entrant

_MOST_NAMED: Final = 5


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
    return tuple(number for alias in entrant.aliases if (number := account_id(alias)))


def find_cast(
    messages: Iterable[Message],
    entrants: Sequence[Entrant],
    roster: Roster,
    options: Options,
    faults: list[Fault],
) -> Cast:
    """Match every account that speaks; what cannot be told for certain goes into ``faults``."""
    by_id = {number: entrant.name for entrant in entrants for number in ids_of(entrant)}
    left_out = options.left_out
    spoken: dict[str, list[Message]] = {}
    for message in messages:
        if message.by_a_person and message.author.id not in left_out:
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
    _settle_named(cast, spoken, entrants, roster, faults)
    if not options.only_players:
        faults += [_stranger(message, roster) for message in cast.strangers.values()]
    return cast


def _players_named(persons: Iterable[Person], roster: Roster) -> list[str]:
    names = [name for person in persons for name in (person.name, person.nickname) if name]
    found = (roster.find(name) for name in dict.fromkeys(names))
    return list(dict.fromkeys(player for player in found if player is not None))


def _settle_named(
    cast: Cast,
    spoken: dict[str, list[Message]],
    entrants: Sequence[Entrant],
    roster: Roster,
    faults: list[Fault],
) -> None:
    """Keep only those matches by name that leave no other account for the same player."""
    strangers = [first.author for first in cast.strangers.values()]
    known = {entrant.name: ids_of(entrant) for entrant in entrants}
    for player in dict.fromkeys(cast.named.values()):
        claimants = [number for number, name in cast.named.items() if name == player]
        others = {
            number: [spoken[other][0].author for other in claimants if other != number]
            for number in claimants
        }
        if len(claimants) == 1 and not _by_user_name(spoken[claimants[0]], player, roster):
            others[claimants[0]] = strangers
        if not known[player] and not any(others.values()):
            cast.players[claimants[0]] = player
            continue
        for number in claimants:
            del cast.named[number]
            faults.append(_doubtful_name(spoken[number][0], player, known[player], others[number]))


def _by_user_name(own: Sequence[Message], player: str, roster: Roster) -> bool:
    """Whether an account goes by a player's name as its user name, which is its alone."""
    return any(roster.find(name) == player for name in {message.author.name for message in own})


def _doubtful_name(
    first: Message, player: str, ids: Sequence[str], others: Sequence[Person]
) -> Fault:
    why = f"goes by the name of {quoted(player)}"
    if ids:
        why += f", whose id is {' or '.join(ids)}"
    elif any(fold(player) in (fold(other.name), fold(other.nickname)) for other in others):
        why += f", and so does {' and '.join(map(str, others))}"
    else:
        named = ", ".join(map(str, others[:_MOST_NAMED])) + ", …" * (len(others) > _MOST_NAMED)
        why = f"has the nickname of {quoted(player)}, but the player's own may be {named}"
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
