"""Objective ranges: who is within, edge to edge, who may be, and what is said of it."""

import pytest

from assistant.game.state import GameState, Model, Objective, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Oval, Round
from assistant.rules.objective_range import describe_control, find_models_in_range

MARKER = Objective(id="o", x_mm=500, y_mm=500, radius_mm=20, range_mm=76.2)


def build_state(*stands: tuple[str, float, float]) -> GameState:
    """Return a game with a round model of 32 mm for each player, distance along x and sigma."""
    units = tuple(
        Unit(
            id=f"u{at}",
            player=player,
            models=(
                Model(id=f"m{at}", base=Round(radius_mm=16), pose=Pose(x_mm=500 + away, y_mm=500, sigma_mm=sigma)),
            ),
        )
        for at, (player, away, sigma) in enumerate(stands)
    )
    return GameState(rulebook="none", table=Table(width_mm=1000, depth_mm=1000), units=units, objectives=(MARKER,))


def test_a_model_is_within_from_edge_to_edge() -> None:
    state = build_state(("Anna", 20 + 76.2 + 16, 0), ("Anna", 20 + 76.2 + 16.01, 0), ("Ben", 10, 0))
    found = find_models_in_range(state, MARKER)
    assert [(one.model, one.is_sure) for one in found] == [("m0", True), ("m2", True)]
    assert found[0].margin_mm == pytest.approx(0, abs=1e-9)
    assert describe_control(state, MARKER) == "Anna 1, Ben 1"


def test_what_lies_within_two_sigma_of_the_edge_is_told_from_to() -> None:
    edge = 20 + 76.2 + 16
    state = build_state(
        ("Anna", edge - 0.5, 0.3), ("Anna", edge + 0.5, 0.3), ("Anna", edge + 0.7, 0.3), ("Ben", edge - 0.7, 0.3)
    )
    assert [(one.model, one.is_sure) for one in find_models_in_range(state, MARKER)] == [
        ("m0", False),
        ("m1", False),
        ("m3", True),
    ]
    assert describe_control(state, MARKER) == "Anna 0-2, Ben 1"


def test_an_oval_is_measured_from_where_its_edge_is() -> None:
    def margin(facing_rad: float) -> list[float]:
        pose = Pose(x_mm=500 + 140, y_mm=500, facing_rad=facing_rad)
        model = Model(id="m", base=Oval(length_mm=90, width_mm=52), pose=pose)
        unit = Unit(id="u", player="Anna", models=(model,))
        state = GameState(rulebook="none", table=Table(width_mm=1000, depth_mm=1000), units=(unit,))
        return [one.margin_mm for one in find_models_in_range(state, MARKER)]

    assert margin(0.0) == pytest.approx([1.2])
    assert margin(1.5707963267948966) == []


def test_without_a_range_or_a_place_nobody_is_within() -> None:
    state = build_state(("Anna", 0, 0))
    assert find_models_in_range(state, Objective(id="o", x_mm=500, y_mm=500, radius_mm=20)) == ()
    assert describe_control(state.place_models({"m0": None}), MARKER) == ""
