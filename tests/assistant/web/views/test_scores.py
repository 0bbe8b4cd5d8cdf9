"""The view of turns and scores."""

from dataclasses import replace

import pytest

from assistant.game.state import Turn
from assistant.rules.books import find_rulebook
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
def test_the_last_turn_is_told_by_the_rulebooks_rounds_or_those_that_were_agreed_on(
    number: int, step: str, last: bool
) -> None:
    state = replace(build_game(), turn=Turn(number=number, player="red", step=step))
    told = build_turn_section(state)["turn"]
    assert (told.rounds, told.last) == (5, last)
    told = build_turn_section(replace(state, parameters={"rounds": 6}))["turn"]
    assert (told.rounds, told.last) == (6, False)


@pytest.mark.parametrize(
    "book", ["warhammer-40k-5e", "priority-skirmish", "activation-skirmish", "warmaster-revolution"]
)
def test_other_rulebooks_have_as_many_rounds_as_people_say(book: str) -> None:
    turn = Turn(number=6, player="red", step=find_rulebook(book).steps[-1].id, order=("red", "blue"))
    state = replace(build_game(), rulebook=book, turn=turn)
    told = build_turn_section(state)["turn"]
    assert (told.round, told.rounds, told.last) == (6, None, False)
    told = build_turn_section(replace(state, parameters={"rounds": 6}))["turn"]
    assert (told.round, told.rounds, told.last) == (6, 6, True)
