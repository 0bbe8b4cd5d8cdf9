import numpy as np

from assistant.game.state import GameState, Model, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Oval, Round
from assistant.rules.engine.situation_index import SituationIndex, index_situation


def build_scene() -> SituationIndex:
    units = tuple(
        Unit(
            id=name,
            player=name,
            models=(
                *(Model(id=f"{name}{n}", base=Oval(length_mm=60, width_mm=35), pose=at(n, y)) for n in range(3)),
                Model(id=f"{name}-off", base=Round(radius_mm=16), pose=None),
            ),
        )
        for name, y in (("a", 100.0), ("b", 150.0))
    )
    return index_situation(GameState(rulebook="any", table=Table(width_mm=900, depth_mm=600), units=units))


def at(number: int, y_mm: float) -> Pose:
    return Pose(x_mm=100.0 + 70.0 * number, y_mm=y_mm, facing_rad=0.4 * number, sigma_mm=0.1 * number)


def test_a_scene_in_which_one_model_moves_is_that_of_the_situation_then() -> None:
    scene, pose = build_scene(), Pose(x_mm=400, y_mm=300, z_mm=25, facing_rad=1, sigma_mm=0.3)
    for model in ("b1", "b-off"):
        moved, anew = scene.move_model(model, pose), index_situation(scene.state.place_models({model: pose}))
        assert (moved.state, moved.models, moved.owners) == (anew.state, anew.models, anew.owners)
        assert (moved.index, moved.poses) == (anew.index, anew.poses)
        for name in ("places_mm", "sigmas_mm", "radii_mm", "near_edge"):
            assert np.array_equal(getattr(moved, name), getattr(anew, name))
    assert scene.poses == build_scene().poses


def test_others_are_listed_by_how_near_they_are_and_the_nearest_is_known() -> None:
    scene = build_scene()
    gaps = scene.measure_gaps(1000.0)
    for place, owner in enumerate(scene.owners):
        near = gaps.list_near(place)
        assert near == sorted(near, key=lambda entry: entry[:2])
        assert {other for _, other, _ in near} == {*range(len(scene.models))} - {place}
        strangers = [mm for mm, other, _ in near if scene.owners[other] != owner]
        assert (gaps.nearest_mm[0][place], gaps.nearest_mm[1][place]) == (near[0][0], min(strangers))


def test_clearances_within_a_unit_by_itself_are_measured_once_while_it_stands_as_it_does() -> None:
    scene, same = build_scene(), build_scene()
    one, other, second = (each.keep_unit(each.state.units[at]) for each, at in ((scene, 0), (same, 0), (same, 1)))
    gaps = one.measure_gaps(50.0)
    assert other.measure_gaps(50.0) is gaps
    assert second.measure_gaps(50.0) is not gaps
    assert one.measure_gaps(60.0) is not gaps
    assert one.move_model("a1", Pose(x_mm=5, y_mm=5)).measure_gaps(50.0) is not gaps
