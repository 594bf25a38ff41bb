"""What is for the host alone or for one player alone: visits, swaps, garnets, notices, rivals."""

from collections.abc import Mapping

from referee.chat.markup import escape_name, escape_text, split_messages
from referee.match.instants import format_instant
from referee.match.notices import Clock, Notice
from referee.match.record import Record
from referee.match.result import Outcome, Result, RoundResult, Visit
from referee.views.revealed import check_played
from referee.views.round_notices import round_notices


def announce_private(
    result: Result, round_number: int, *, clock: Clock = format_instant
) -> list[str]:
    """Return the messages that tell the host all of a round, its secrets included.

    ``clock`` shows an instant; by default in UTC. Raises `WrongUsage` where the round has not been
    played.
    """
    check_played(result, round_number, first=1)
    round_ = result.rounds[round_number - 1]
    blocks = [f"## Round {round_number}, for the host alone", *_timetable(round_, clock)]
    if round_number == len(result.rounds) and result.outcome is not None:
        blocks += _outcome(result.outcome)
    notices = round_notices(result, round_number)
    if notices:
        blocks.append("**Notices**")
        blocks += [_notice(notice, clock) for notice in notices]
    return split_messages(blocks)


def rival_messages(record: Record) -> dict[str, str]:
    """Return one private message for each player: who their rival is (R1.4)."""
    return {
        player.name: (
            f"Your rival pig is the one of **{escape_name(player.rival)}**. You can only win the "
            "Main Match if that pig ends it with 0 hunger points. Keep this to yourself."
        )
        for player in record.players
    }


def _timetable(round_: RoundResult, clock: Clock) -> list[str]:
    start, timer_end, end = map(clock, (round_.start, round_.timer_end, round_.official_end))
    losses = [
        f"{escape_name(player)} " + ", ".join(f"−{loss.points} ({loss.rule})" for loss in lost)
        for player, lost in round_.hunger_lost.items()
        if lost
    ]
    return [
        f"From {start}, timer until {timer_end}, officially over at {end}",
        "**Visits**" if round_.visits else "**Visits** none",
        *(_visit(visit, clock) for visit in round_.visits),
        *(
            f"Turned away: {escape_name(turned.player)} at {clock(turned.time)}"
            for turned in round_.turned_away
        ),
        f"**Hunger lost** {' · '.join(losses) or 'none'}",
        f"**Hunger** {_numbers(round_.hunger)}",
        f"**Garnets** {_numbers(round_.garnets)}",
        f"**Still waiting** {', '.join(map(escape_name, round_.queue)) or 'nobody'}",
    ]


def _visit(visit: Visit, clock: Clock) -> str:
    told = "nobody" if visit.told is None else escape_name(visit.told)
    parts = [
        f"{visit.number}\\. {escape_name(visit.player)}",
        f"{clock(visit.entered)} to {clock(visit.left)} ({visit.left_because})",
        f"told {told}",
    ]
    if visit.garnets_paid:
        parts.append(f"paid {visit.garnets_paid}")
    if visit.swap is None or visit.swap_time is None:
        parts.append("no swap")
    else:
        parts.append(f"swap {visit.swap[0]}–{visit.swap[1]} at {clock(visit.swap_time)}")
    return " · ".join(parts)


def _numbers(numbers: Mapping[str, int]) -> str:
    return " · ".join(f"{escape_name(player)} {number}" for player, number in numbers.items())


def _outcome(outcome: Outcome) -> list[str]:
    lines = [f"**Decided by** {outcome.decided_by}"]
    if outcome.tied:
        lines.append(f"**Tied** {', '.join(map(escape_name, outcome.tied))}")
    if outcome.winners:
        lines.append(f"**Garnets won** {_numbers(outcome.garnets_won)}")
    return lines


def _notice(notice: Notice, clock: Clock) -> str:
    words = escape_text(notice.words(clock))
    return f"{notice.severity} `{notice.code}` {notice.tab} row {notice.row}: {words}"
