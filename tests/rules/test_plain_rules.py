"""The engine and the rules written down once more, plainly, come to the same matches."""

import pytest

from tests.rules.plain_rules import Plain
from tests.support.strategies import Options, Teller, mended, play


@pytest.mark.parametrize("seed", range(250))
def test_the_engine_plays_by_the_plain_rules(seed: int) -> None:
    """Clocks, visits, prices, queues, pens, hunger and balances are those of the clauses."""
    match = mended(Teller(seed, Options()).match(seed % 15))
    found = [
        {
            "start": one.start,
            "end": one.official_end,
            "queue": one.queue,
            "garnets": one.garnets,
            "pen": one.pen,
            "hunger": one.hunger,
            "visits": [
                (
                    *(v.player, v.entered, v.left, v.left_because),
                    *(v.told, v.garnets_paid, v.swap),
                )
                for v in one.visits
            ],
        }
        for one in play(match).rounds
    ]
    assert Plain(match).play() == found
