"""Common tangents and crossings of obstacles, against distances."""

import math
import random

import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shortest_path import tangents
from assistant.geometry.shortest_path.obstacles import ObstacleField, build_disc_field, build_field
from assistant.geometry.shortest_path.tangents import (
    find_arc_crossings,
    find_tangents,
    is_inside_box,
    measure_cone_offsets,
)
from tests.assistant.geometry.shortest_path.test_obstacles import make_disc, make_obstacles

PLANE = (-math.inf, -math.inf, math.inf, math.inf)


@pytest.mark.parametrize("seed", range(8))
def test_every_tangent_touches_both_its_obstacles(seed: int) -> None:
    obstacles = make_obstacles(random.Random(seed), 5)
    field = build_disc_field(np.array([-50 + 200j]), np.zeros(1)).combine(build_field(obstacles))
    lines = find_tangents(field, 1, math.inf)
    shapes = [make_disc(-50, 200, 0), *obstacles]
    assert len(lines.source) > 8
    for k in range(len(lines.source)):
        source, target = int(field.owner[lines.source[k]]), int(field.owner[lines.target[k]])
        first, last = complex(lines.first[k]), complex(lines.last[k])
        assert source < target
        assert abs(last - first) == pytest.approx(lines.length_mm[k])
        heading = (last - first) / abs(last - first)
        for owner, place, normal, turn in (
            (source, first, complex(lines.source_normal[k]), int(lines.source_turn[k])),
            (target, last, complex(lines.target_normal[k]), int(lines.target_turn[k])),
        ):
            # The obstacle lies on one side of the line, which passes it the way round that the turn says.
            assert shapes[owner].distance(place.real, place.imag)[0] == pytest.approx(0, abs=1e-9)
            farthest = shapes[owner].support(np.array([(normal.real, normal.imag)]))[0]
            assert farthest == pytest.approx((place * normal.conjugate()).real, abs=1e-7)
            assert abs(1j * turn * normal - heading) < 1e-7


@pytest.mark.parametrize(("apart", "count"), [(100, 4), (45, 2), (5, 0)])
def test_two_discs_have_as_many_tangents_as_their_distance_allows(apart: float, count: int) -> None:
    field = build_disc_field(np.array([500j]), np.zeros(1)).combine(
        build_field([make_disc(0, 0, 30), make_disc(apart, 0, 20)])
    )
    lines = find_tangents(field, 1, math.inf)
    between = lines.select(lines.source > 0)
    assert len(between.source) == count
    gone = sorted({round(float(mm), 6) for mm in between.length_mm})
    assert gone == {100: [86.60254, 99.498744], 45: [43.874822], 5: []}[int(apart)]


def test_tangents_out_of_reach_are_left_out() -> None:
    field = build_disc_field(np.array([0j]), np.zeros(1)).combine(
        build_field([make_disc(100, 0, 30), make_disc(300, 0, 20)])
    )
    assert set(find_tangents(field, 1, math.inf).target.tolist()) == {1, 2}
    assert set(find_tangents(field, 1, 150).target.tolist()) == {1}
    assert not len(find_tangents(field, 1, 60).target)


def test_rays_from_a_spot_turn_counter_clockwise() -> None:
    field = build_disc_field(np.array([0j, 10j]), np.zeros(2)).combine(build_field([make_disc(100, 0, 30)]))
    lines = find_tangents(field, 2, math.inf)
    assert sorted(lines.source.tolist()) == [0, 0, 1, 1]
    assert lines.source_turn.tolist() == [1, 1, 1, 1]
    assert sorted(lines.target_turn.tolist()) == [-1, -1, 1, 1]


@pytest.mark.parametrize("seed", range(8))
def test_no_crossing_is_left_out(seed: int) -> None:
    field = build_field(make_obstacles(random.Random(seed), 16))
    corner, normal = find_arc_crossings(field, PLANE)
    found = 0
    for c in np.flatnonzero(field.radii_mm > 0).tolist():
        angles = np.linspace(0, float(field.cone_width[c]), 300)
        places = field.centres[c] + field.radii_mm[c] * np.exp(1j * angles) * field.lows[c]
        covered = field.is_covered_complex(places, np.full(300, field.owner[c]))
        known = measure_cone_offsets(field, corner[corner == c], normal[corner == c])
        for k in np.flatnonzero(covered[1:] != covered[:-1]).tolist():
            found += 1
            assert ((known >= angles[k] - 1e-9) & (known <= angles[k + 1] + 1e-9)).any()
    assert found > 5


def test_crossings_with_the_box() -> None:
    field = build_field([make_disc(0, 0, 10)])
    corner, normal = find_arc_crossings(field, (-6, -50, 50, 8))
    places = sorted((round(10 * z.real, 6), round(10 * z.imag, 6)) for z in normal.tolist())
    assert corner.tolist() == [0, 0, 0, 0]
    assert places == [(-6, -8), (-6, 8), (-6, 8), (6, 8)]


def test_sides_of_a_box_belong_to_it() -> None:
    places = np.array([0j, 4 + 0j, 4 + 3j, 4.1 + 3j, 2 - 0.1j])
    assert is_inside_box(places, (0, 0, 4, 3)).tolist() == [True, True, True, False, False]


def test_an_arc_that_goes_on_along_another_part_is_parted_where_its_side_begins() -> None:
    # Two parts of one outline: they share a corner, and each covers the other's disc beyond the shared side.
    left = ConvexSet(corners_mm=np.array([(0.0, 0.0), (50.0, 0.0), (50.0, 40.0)]), radius_mm=16)
    right = ConvexSet(corners_mm=np.array([(50.0, 0.0), (90.0, 60.0), (50.0, 40.0)]), radius_mm=16)
    field = build_field([left, right])
    corner, normal = find_arc_crossings(field, PLANE)
    shared = 1  # the first part's corner at (50, 0)
    side = math.atan2(-40, 60)  # where the second part's side begins, square to it
    found = [abs(np.angle(n * np.exp(-1j * side))) for c, n in zip(corner, normal, strict=True) if c == shared]
    assert min(found) < 1e-6


def make_heap(count: int, spread_mm: float) -> ObstacleField:
    """A start, and ovals that lie in a heap."""
    rng = random.Random(1)
    ovals = [
        ConvexSet(
            corners_mm=np.array([(rng.uniform(0, spread_mm), rng.uniform(0, spread_mm))]),
            radius_mm=16,
            ellipses=((52.5, 35.0, rng.uniform(-3, 3)),),
        )
        for _ in range(count)
    ]
    return build_disc_field(np.array([-200 - 200j]), np.zeros(1)).combine(build_field(ovals))


def test_a_heap_too_large_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tangents, "MOST_PAIRS", 100_000)  # a hundredth: a heap beyond it takes no memory
    with pytest.raises(BadInput, match="too much is in the way: expected at most 100000 pairs"):
        find_arc_crossings(make_heap(150, 20), PLANE)
    with pytest.raises(BadInput, match="too much is in the way: expected at most 20000 corners, not 20001"):
        find_tangents(build_disc_field(np.zeros(20_001, dtype=complex), np.zeros(20_001)), 1, 10)


def test_pairs_looked_at_in_turns_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    field = make_heap(8, 250)
    lines, crossings = find_tangents(field, 1, math.inf), find_arc_crossings(field, PLANE)
    monkeypatch.setattr(tangents, "_AT_ONCE", 10 * len(field.owner))
    again, crossed = find_tangents(field, 1, math.inf), find_arc_crossings(field, PLANE)
    assert len(lines.source) > 50
    assert sorted(zip(lines.source, lines.target, lines.length_mm, strict=True)) == sorted(
        zip(again.source, again.target, again.length_mm, strict=True)
    )
    assert len(crossings[0]) > 20
    assert sorted(zip(crossings[0], np.angle(crossings[1]), strict=True)) == sorted(
        zip(crossed[0], np.angle(crossed[1]), strict=True)
    )
