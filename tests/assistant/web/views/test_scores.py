"""The view of turns and scores."""

from dataclasses import replace

import pytest

from assistant.game.state import Turn
from assistant.web.views.scores import build_turn_section
from tests.assistant.snapshot_script import build_game


@pytest.mark.parametrize(
    ("number", "step", "last"),
    [
        (9, "reinforcements", False),
        (10, "move-units", False),
        (10, "reinforcements", True),
        (11, "reinforcements", True),
    ],
)
def test_the_last_turn_of_most_games_is_told(number: int, step: str, last: bool) -> None:
    state = replace(build_game(), turn=Turn(number=number, player="red", step=step))
    assert build_turn_section(state)["turn"].last is last
