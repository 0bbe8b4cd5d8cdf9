"""The zone of every action, over and on terrain, in the air and among others, is where the verdict allows to end."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
import shapely

from assistant.game.state import GameState
from assistant.geometry.shapes import Oval, Rect
from assistant.rules.judge import Zone, zone
from assistant.rules.region import Facing
from tests.assistant.rules.situations import Kind, may_end, rolls, situation

OVAL = Oval(length_mm=75, width_mm=42)
RECT = Rect(length_mm=60, width_mm=40)
KINDS = {
    "over terrain": Kind(action="normal", terrain=3, enemies=3),
    "within error": Kind(action="normal", terrain=3, enemies=3, sigma_mm=0.3),
    "from a roof": Kind(action="normal", terrain=3, enemies=3, on_top=True),
    "with mates": Kind(action="normal", terrain=2, enemies=3, mates=3),
    "advance": Kind(action="advance", terrain=3, enemies=3),
    "oval over terrain": Kind(action="normal", base=OVAL, terrain=3, enemies=3),
    "oval within error": Kind(action="normal", base=OVAL, terrain=3, enemies=3, sigma_mm=0.3),
    "hull from a roof": Kind(action="normal", base=RECT, terrain=2, enemies=3, on_top=True),
    "fly": Kind(action="normal", keywords=("fly",), terrain=3, enemies=5),
    "fly from a roof": Kind(action="normal", keywords=("fly",), terrain=3, enemies=5, on_top=True),
    "oval flies within error": Kind(action="normal", base=OVAL, keywords=("fly",), terrain=3, enemies=5, sigma_mm=0.3),
    "around friendly hulls": Kind(action="normal", base=RECT, keywords=("vehicle",), terrain=1, enemies=2, hulls=4),
    "over friendly hulls": Kind(action="normal", keywords=("vehicle", "fly"), terrain=1, enemies=2, hulls=4),
    "fall back": Kind(action="fall-back", terrain=1, enemies=8),
    "fall back within error": Kind(action="fall-back", base=OVAL, terrain=1, enemies=8, sigma_mm=0.3),
    "fall back with mates": Kind(action="fall-back", enemies=4, mates=2),
    "fall back alone": Kind(action="fall-back", enemies=4, mates=2, alone=True),
    "fall back in the air": Kind(action="fall-back", keywords=("fly",), terrain=2, enemies=8),
    "set up": Kind(action="set-up", terrain=3, enemies=1),
    "set up within error": Kind(action="set-up", base=RECT, terrain=3, enemies=1, sigma_mm=0.3),
    "disembark": Kind(action="disembark", terrain=2, enemies=2),
    "disembark within error": Kind(action="disembark", base=OVAL, terrain=2, enemies=2, sigma_mm=0.3),
    "disembark alone": Kind(action="disembark", terrain=2, enemies=2, mates=2, alone=True),
    "disembark in an emergency": Kind(action="emergency-disembark", terrain=1),
}
SEEDS = (0, 1, 2, 100)
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def zone_of(state: GameState, kind: Kind, *, keep: bool) -> Zone:
    facing: Facing = "keep" if keep else "any"
    return zone(state, model="m", action=kind.action, rolls=rolls(kind), facing=facing, alone=kind.alone)


def places(rng: random.Random, region: shapely.MultiPolygon, count: int) -> list[tuple[float, float]]:
    """Return places near a zone's edge, and anywhere."""
    found = [(rng.uniform(130, 510), rng.uniform(0, 310)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(count)]
        found += [(end.x + rng.gauss(0, 0.4), end.y + rng.gauss(0, 0.4)) for end in ends]
    return found


@kinds
def test_a_kept_facing_zone_is_where_judge_agrees(kind: Kind) -> None:
    seen = set[bool]()
    for seed in SEEDS:
        rng = random.Random(seed)
        state = situation(rng, kind)
        answer, start = zone_of(state, kind, keep=True), state.model("m").pose
        assert start is not None
        for place in places(rng, answer.region, 6):
            point = shapely.Point(place)
            if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
                inside = answer.region.contains(point)
                assert may_end(state, kind, place, [start.facing_rad]) == inside, (seed, place)
                seen.add(inside)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("name", "seed"),
    [("hull from a roof", 1), ("oval flies within error", 0), ("disembark within error", 1)],
)
@pytest.mark.parametrize("pivot", ["furthest-point", "fixed-2in"])
def test_an_any_facing_zone_is_where_judge_agrees_at_some_facing(name: str, seed: int, pivot: str) -> None:
    kind, rng = replace(KINDS[name], parameters={"pivot": pivot}), random.Random(seed)
    state = situation(rng, kind)
    answer, kept = zone_of(state, kind, keep=False), zone_of(state, kind, keep=True)
    assert shapely.difference(kept.region, answer.region).area < 1e-6
    start = state.model("m").pose
    assert start is not None
    few, many = (sorted(np.linspace(-math.pi, math.pi, count), key=abs) for count in (9, 65))
    within = shapely.buffer(answer.region, -0.5)
    for place in places(rng, answer.region, 3):
        point = shapely.Point(place)
        if within.contains(point):
            assert may_end(state, kind, place, [start.facing_rad + turn for turn in many]), place
        elif answer.region.distance(point) > answer.error_mm:
            assert not may_end(state, kind, place, [start.facing_rad + turn for turn in few]), place
