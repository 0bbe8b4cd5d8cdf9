"""How far things are apart, edge to edge: facts known by hand, and the geometry's own clearance."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Model, Pose, Terrain, Unit
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.table.measuring import MeasuredThing, measure_distance
from tests.assistant.snapshot_script import build_crossing_game, build_game

BLOCK = Terrain(id="block", outline_mm=((700, 700), (800, 700), (800, 800), (700, 800)), height_mm=80.0)


def thing_from_model(name: str) -> MeasuredThing:
    return MeasuredThing(kind="model", id=name)


def thing_from_unit(name: str) -> MeasuredThing:
    return MeasuredThing(kind="unit", id=name)


def thing_from_point(x_mm: float, y_mm: float) -> MeasuredThing:
    return MeasuredThing(kind="point", at_mm=(x_mm, y_mm))


def stand_models(**poses: Pose) -> GameState:
    return replace(build_game(), terrain=(BLOCK,)).place_models(poses)


def test_two_round_bases_are_as_far_apart_as_their_centres_less_both_radii() -> None:
    state = stand_models(s1=Pose(x_mm=300, y_mm=300, sigma_mm=0.3), s2=Pose(x_mm=360, y_mm=380, sigma_mm=0.4))
    measurement = measure_distance(state, thing_from_model("s1"), thing_from_model("s2"))
    assert measurement.mm == pytest.approx(100 - 32, abs=1e-6)
    assert measurement.sigma_mm == pytest.approx(0.5)
    assert measurement.segment_mm[0] == pytest.approx((309.6, 312.8))
    assert measurement.segment_mm[1] == pytest.approx((350.4, 367.2))
    assert measurement.text == '2.68" ± 0.04"'  # two standard deviations


def test_a_unit_is_as_far_away_as_its_nearest_model() -> None:
    state = stand_models(s1=Pose(x_mm=300, y_mm=300), s2=Pose(x_mm=450, y_mm=320), w1=Pose(x_mm=600, y_mm=320))
    measurement = measure_distance(state, thing_from_unit("scouts"), thing_from_unit("walker"))
    assert measurement.mm == pytest.approx(600 - 50 - 466)
    assert measurement == measure_distance(state, thing_from_model("s2"), thing_from_model("w1"))
    assert measure_distance(state, thing_from_model("s1"), thing_from_unit("scouts")) == measure_distance(
        state, thing_from_model("s1"), thing_from_model("s2")
    )  # its others


def test_the_nearest_part_is_not_the_one_whose_disc_is_nearest() -> None:
    lengthwise = Model(
        id="long", base=Rect(length_mm=200, width_mm=20), pose=Pose(x_mm=150, y_mm=300, facing_rad=math.pi / 2)
    )
    small = Model(id="small", base=Round(radius_mm=16), pose=Pose(x_mm=0, y_mm=180))
    state = stand_models(s1=Pose(x_mm=0, y_mm=300))
    state = replace(state, units=(*state.units, Unit(id="band", player="blue", models=(lengthwise, small))))
    assert measure_distance(state, thing_from_model("s1"), thing_from_model("long")).mm == pytest.approx(150 - 16 - 10)
    assert measure_distance(state, thing_from_model("s1"), thing_from_unit("band")).mm == pytest.approx(120 - 32)


def test_terrain_and_points_are_certain() -> None:
    state = stand_models(s1=Pose(x_mm=660, y_mm=750, sigma_mm=0.2))
    measurement = measure_distance(state, thing_from_model("s1"), MeasuredThing(kind="terrain", id="block"))
    assert measurement.mm == pytest.approx(24)
    assert measurement.sigma_mm == pytest.approx(0.2)
    assert measure_distance(state, thing_from_point(100, 100), thing_from_point(400, 500)).mm == pytest.approx(500)
    assert measure_distance(state, thing_from_point(100, 100), thing_from_point(400, 500)).text == '19.69"'
    inside = measure_distance(state, thing_from_point(710, 750), MeasuredThing(kind="terrain", id="block"))
    assert inside.mm == pytest.approx(-10)
    assert inside.text == '0", overlapping by 0.39"'


def test_heights_that_differ_are_said_to_be_left_aside() -> None:
    level = stand_models(s1=Pose(x_mm=300, y_mm=300, z_mm=0.4), s2=Pose(x_mm=400, y_mm=300))
    assert not measure_distance(level, thing_from_model("s1"), thing_from_model("s2")).horizontal
    above = stand_models(s1=Pose(x_mm=300, y_mm=300, z_mm=75), s2=Pose(x_mm=400, y_mm=300))
    measurement = measure_distance(above, thing_from_model("s1"), thing_from_model("s2"))
    assert measurement.mm == pytest.approx(68)
    assert measurement.text == '2.68" horizontal'
    assert not measure_distance(above, thing_from_model("s1"), thing_from_point(400, 300)).horizontal


def test_a_length_is_said_in_the_rulebooks_unit_and_a_small_doubt_is_never_none() -> None:
    state = stand_models(s1=Pose(x_mm=300, y_mm=300, sigma_mm=0.01), s2=Pose(x_mm=400, y_mm=300))
    assert measure_distance(state, thing_from_model("s1"), thing_from_model("s2")).text == '2.68" ± 0.01"'
    assert (
        measure_distance(replace(state, rulebook=NO_RULEBOOK), thing_from_model("s1"), thing_from_model("s2")).text
        == '2.68" ± 0.01"'
    )
    metric = replace(state, rulebook="warmaster-revolution")
    assert measure_distance(metric, thing_from_model("s1"), thing_from_model("s2")).text == "6.8 cm ± 0.01 cm"


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (thing_from_model("s9"), thing_from_model("s1"), "there is no model 's9'"),
        (thing_from_unit("ghosts"), thing_from_model("s1"), "there is no unit 'ghosts'"),
        (MeasuredThing(kind="terrain", id="fog"), thing_from_model("s1"), "there is no terrain 'fog'"),
        (thing_from_model("r1"), thing_from_model("s1"), "r1 is not on the table"),
        (thing_from_model("s1"), thing_from_model("s1"), "the same thing"),
        (thing_from_unit("walker"), thing_from_model("w1"), "the same thing"),
    ],
)
def test_what_cannot_be_measured_is_said(one: MeasuredThing, other: MeasuredThing, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        measure_distance(build_crossing_game(), one, other)


places = st.floats(min_value=0, max_value=600)
shapes: st.SearchStrategy[Base] = st.one_of(
    st.builds(Round, radius_mm=st.floats(5, 60)),
    st.builds(Oval, length_mm=st.floats(10, 120), width_mm=st.floats(10, 120)),
    st.builds(Rect, length_mm=st.floats(10, 120), width_mm=st.floats(10, 120)),
)
models = st.builds(
    lambda base, x, y, turn: (base, Pose(x_mm=x, y_mm=y, facing_rad=turn)),
    shapes,
    places,
    places,
    st.floats(0, math.tau),
)


@settings(max_examples=40)
@given(st.lists(models, min_size=1, max_size=3), st.lists(models, min_size=1, max_size=3))
def test_what_is_measured_is_the_least_clearance(
    ours: list[tuple[Base, Pose]], theirs: list[tuple[Base, Pose]]
) -> None:
    one, other = (
        Unit(
            id=name, player=name, models=tuple(Model(id=f"{name}{n}", base=b, pose=p) for n, (b, p) in enumerate(poses))
        )
        for name, poses in (("a", ours), ("b", theirs))
    )
    state = replace(build_game(), units=(one, other))
    measurement = measure_distance(state, thing_from_unit("a"), thing_from_unit("b"))
    each = [clearance(m.place_base(), n.place_base()).mm for m in one.models for n in other.models]
    assert measurement.mm == pytest.approx(min(each), abs=1e-6)
    if measurement.mm > 0:
        (ax, ay), (bx, by) = measurement.segment_mm
        assert math.hypot(bx - ax, by - ay) == pytest.approx(measurement.mm, abs=1e-6)


@settings(max_examples=40)
@given(st.floats(5, 60), st.floats(5, 60), st.floats(0, math.tau))
def test_bases_that_touch_are_nothing_apart(one_mm: float, other_mm: float, way_rad: float) -> None:
    away_mm = one_mm + other_mm
    pair = (
        Model(id="a", base=Round(radius_mm=one_mm), pose=Pose(x_mm=300, y_mm=300)),
        Model(
            id="b",
            base=Round(radius_mm=other_mm),
            pose=Pose(x_mm=300 + away_mm * math.cos(way_rad), y_mm=300 + away_mm * math.sin(way_rad)),
        ),
    )
    state = replace(build_game(), units=(Unit(id="pair", player="red", models=pair),))
    measurement = measure_distance(state, thing_from_model("a"), thing_from_model("b"))
    assert measurement.mm == pytest.approx(0, abs=1e-6)
    assert measurement.text == '0"'
