"""The words hosts use at the door."""

import pytest

from referee.match.record import ACTIONS
from referee.workbook.actions import find_action, no_action


@pytest.mark.parametrize(
    ("said", "action"),
    [
        *((word, "join") for word in ("ping", "Pinged", "in", "QUEUE", "@Dealer", " ", "joined")),
        *((word, "leave") for word in ("left", "out", "done", "Out ", "leaves")),
        *(("exited", "exit"), ("withdrew", "withdraw"), ("entered", "enter")),
        *((word, word) for word in ACTIONS),
        *((word, None) for word in ("shop", "7", "ot", "jon", "@Dee", "a d")),
    ],
)
def test_words_mean_what_they_mean(said: str, action: str | None) -> None:
    assert find_action(said) == action


def test_only_a_slip_of_the_hand_has_a_suggestion() -> None:
    """`@Dealers` is nearer to `@dealer` than to `leave`, and `shop` to nothing."""
    assert "(nearest: join)" in no_action("jion")
    assert "(nearest: @dealer)" in no_action("@Dealers")
    assert "nearest" not in no_action("shop")
