"""Event descriptions: units are called as their players call them, and whose they are where two are called the same."""

from dataclasses import replace

import pytest

from assistant.game.events import Declared, Event, StatusSet, Withdrawn
from assistant.game.state import Declaration, GameState, Table, Unit
from assistant.replay.event_descriptions import describe_event

RED, OTHER = (
    Unit(id=known, player="Red", models=(), name=name) for known, name in (("boyz", "Boyz"), ("red-boyz", "Boyz 2"))
)
BLUE = Unit(id="blue-boyz", player="Blue", models=(), name="Boyz")
DECLARED = Declaration(unit="boyz", action="advance")


@pytest.mark.parametrize(
    ("units", "name"),
    [
        ((RED, OTHER), "Boyz"),
        ((RED, OTHER, BLUE), "Boyz (Red)"),
        ((replace(RED, name=""), OTHER, BLUE), "boyz"),
    ],
)
def test_a_unit_is_called_by_its_name(units: tuple[Unit, ...], name: str) -> None:
    state = GameState(
        rulebook="warhammer-40k-10e", table=Table(width_mm=1000, depth_mm=800), units=units, declared=DECLARED
    )
    events: list[tuple[Event, str]] = [
        (Declared(declaration=DECLARED), f"{name} announced Advance."),
        (Withdrawn(), f"The announcement of {name} was taken back."),
        (StatusSet(unit="boyz", status=("battle-shocked",)), f"{name} is battle-shocked."),
    ]
    for event, text in events:
        assert describe_event(event, state).text == text
    assert state.name_unit("red-boyz") == "Boyz 2"
