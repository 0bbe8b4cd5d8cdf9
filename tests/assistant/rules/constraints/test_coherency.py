"""Coherency as one chain: which models it leaves out, what it measures, and that the zone agrees."""

import math
import random
from dataclasses import replace

import shapely
from hypothesis import given
from hypothesis import strategies as st

from assistant.game.state import GameState, Model, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Rect, Round
from assistant.rules.constraints.coherency import (
    Coherency,
    check_coherency,
    find_breaking_models,
    find_connected_groups,
    find_kept_places,
)
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_inches
from assistant.rules.verdict import Finding, Outcome

CHAIN = Coherency(rule="chain", range_mm=50.8, vertical_mm=50.8, chain=True)
NEAR = replace(CHAIN, chain=False)
ROUND = Round(radius_mm=16)

names = st.integers(0, 7)
links = st.lists(st.tuples(names, names).map(lambda pair: (f"m{pair[0]}", f"m{pair[1]}")), max_size=12)
MODELS = tuple(f"m{number}" for number in range(8))


@given(links)
def test_groups_are_a_partition_that_no_link_crosses(some: list[tuple[str, str]]) -> None:
    parts = find_connected_groups(MODELS, some)
    assert sorted(model for part in parts for model in part) == list(MODELS)
    home = {model: part for part in parts for model in part}
    assert all(home[one] is home[two] for one, two in some)


@given(links, st.randoms(use_true_random=False))
def test_the_order_of_links_does_not_matter(some: list[tuple[str, str]], rng: random.Random) -> None:
    mixed = [pair if rng.random() < 0.5 else pair[::-1] for pair in rng.sample(some, len(some))]
    assert find_connected_groups(MODELS, mixed) == find_connected_groups(MODELS, some)


@given(links)
def test_nobody_breaks_a_chain_that_is_whole(some: list[tuple[str, str]]) -> None:
    whole = len(find_connected_groups(MODELS, some)) == 1
    assert (find_breaking_models(MODELS, some) == ()) == whole


def make_unit(*places: tuple[float, float], z_mm: float = 0.0, sigma_mm: float = 0.0) -> Unit:
    models = (
        Model(
            id=f"m{n}",
            base=ROUND,
            pose=Pose(x_mm=100 + x, y_mm=100 + y, z_mm=z_mm if n else 0.0, sigma_mm=sigma_mm),
        )
        for n, (x, y) in enumerate(places)
    )
    return Unit(id="u", player="red", models=tuple(models))


def check_unit(unit: Unit, rule: Coherency = CHAIN) -> Finding:
    scene = index_situation(GameState(rulebook="any", table=Table(width_mm=900, depth_mm=600), units=(unit,)))
    return check_coherency(rule, unit, scene, scene.measure_gaps(rule.range_mm), format_inches)


def test_what_is_measured_is_the_longest_link_that_it_takes() -> None:
    found = check_unit(make_unit((0, 0), (60, 0), (140, 0), (60, 60)))  # clearances 28, 48, 28
    assert (found.outcome, found.measured_mm, found.subjects) == (Outcome.LEGAL, 48.0, ("m2",))
    assert found.text == 'the longest link of the chain, from m1 to m2, is 1.89", within 2"'


def test_two_pairs_are_no_chain() -> None:
    found = check_unit(make_unit((0, 0), (60, 0), (300, 0), (360, 0)))
    assert (found.outcome, found.margin_mm) == (Outcome.ILLEGAL, 50.8 - (240 - 32))
    assert found.subjects == ("m0", "m1", "m2", "m3")


def test_one_astray_is_named() -> None:
    found = check_unit(make_unit((0, 0), (60, 0), (300, 0)))
    assert (found.outcome, found.subjects) == (Outcome.ILLEGAL, ("m2",))


def test_a_link_in_doubt_leaves_the_chain_in_doubt_only_where_it_is_needed() -> None:
    assert check_unit(make_unit((0, 0), (82.7, 0), sigma_mm=0.2)).outcome is Outcome.TOO_CLOSE
    assert check_unit(make_unit((0, 0), (82.7, 0), (41, 30), sigma_mm=0.2)).outcome is Outcome.LEGAL


@given(st.floats(0, 90))
def test_of_models_that_are_equally_far_from_others_the_first_is_named_however_the_table_lies(angle_deg: float) -> None:
    along = math.radians(angle_deg)
    unit = make_unit(*((mm * math.cos(along), mm * math.sin(along)) for mm in (0, 40, 80, 120)))
    turned = tuple(
        replace(model, base=Rect(length_mm=40, width_mm=40), pose=replace(model.pose, facing_rad=along))
        for model in unit.models
        if model.pose is not None
    )
    assert check_unit(replace(unit, models=turned), NEAR).subjects == ("m0",)


def test_models_on_different_floors_cannot_be_linked() -> None:
    found = check_unit(make_unit((0, 0), (40, 0), z_mm=76.2))
    assert (found.outcome, found.margin_mm, found.subjects) == (Outcome.ILLEGAL, None, ("m0", "m1"))


def test_the_places_that_keep_the_chain_are_those_at_which_it_is_judged_whole() -> None:
    rng = random.Random(5)
    seen = set[bool]()
    for sigma_mm in (0.0, 0.3):
        for _ in range(8):
            spots = [(rng.uniform(0, 260), rng.uniform(0, 160)) for _ in range(4)]
            unit = make_unit(*spots, sigma_mm=sigma_mm)
            scene = index_situation(GameState(rulebook="any", table=Table(width_mm=900, depth_mm=600), units=(unit,)))
            mover = unit.models[0]
            assert mover.pose is not None
            walk = Walk(scene=scene, unit=unit, model=mover, path=(mover.pose,), observed=False, say=format_inches)
            places = find_kept_places(CHAIN, walk)
            for _ in range(12):
                x, y = rng.uniform(0, 480), rng.uniform(0, 360)
                if places.boundary.distance(shapely.Point(x, y)) > 0.05:
                    moved = replace(mover, pose=replace(mover.pose, x_mm=x, y_mm=y))
                    whole = check_unit(replace(unit, models=(moved, *unit.models[1:]))).outcome is Outcome.LEGAL
                    assert places.contains(shapely.Point(x, y)) == whole
                    seen.add(whole)
    assert seen == {True, False}
