"""How a unit stands, as the tablet and the projector show it."""

import pytest

from assistant.game.state import GameState, Table, Unit
from assistant.overlay.composition import compose_overlay
from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome
from tests.assistant.rules.books.warmaster_revolution.stand_builders import Place, build_stands, build_unit

LINE: tuple[Place, ...] = ((300, 300), (300, 340), (300, 380))
BLOCK: tuple[Place, ...] = ((300, 300), (300, 340), (280, 320))
OPEN: tuple[Place, ...] = ((300, 300), (300, 341.0), (300, 381))


def build_table(of: Unit) -> GameState:
    return GameState(rulebook="warmaster-revolution", table=Table(width_mm=1800, depth_mm=1200), units=(of,))


def build_infantry(places: tuple[Place, ...], sigma_mm: float = 0.0) -> GameState:
    return build_table(build_unit(build_stands(*places, sigma_mm=sigma_mm), troop="infantry"))


@pytest.mark.parametrize(
    ("state", "text", "outcome", "style"),
    [
        (build_infantry(LINE), "line: 20 cm", Outcome.LEGAL, "coherency"),
        (build_infantry(BLOCK), "irregular: 10 cm", Outcome.ILLEGAL, "break"),
        (build_infantry(OPEN, 0.2), "line: 10 cm or 20 cm", Outcome.TOO_CLOSE, "witness-too-close"),
    ],
)
def test_a_formation_is_named_and_drawn_through_its_stands(
    state: GameState, text: str, outcome: Outcome, style: str
) -> None:
    found = Referee(state).find_arrangement("b")
    assert found is not None
    assert (found.text, found.outcome) == (text, outcome)
    assert set(found.order) == {"b1", "b2", "b3"}
    (shape,) = (s for s in compose_overlay(state=state, tracks={}, verdict=None, unit="b") if s.key == "arranged:b")
    assert (shape.label, shape.style, len(shape.rings_mm[0])) == (text, style, 3)


def test_a_doubtful_pace_is_listed_with_both_figures() -> None:
    order = next(option for option in Referee(build_infantry(OPEN, 0.2)).list_options("b") if option.action == "order")
    assert order.limit_mm == 200
    assert order.reason.startswith("half or full pace: a line of 3; ")
    assert order.reason.endswith("up to 10 cm surely")


def test_a_character_stands_in_no_formation() -> None:
    assert Referee(build_table(build_unit(build_stands((300, 300)), troop="character"))).find_arrangement("b") is None
