"""The graph of ways over ground that costs: straight legs within one pace, and arcs that hug what is in the way.

Ways touch obstacles and rounded areas along common tangents, and pass the edges of areas at relays.  What a leg pays
and whether it is free is exact; only where a way passes an edge is rounded to a relay, which `refraction` undoes.
"""

import math
from dataclasses import dataclass

import numpy as np

from assistant.geometry.areas import Soil, stays
from assistant.geometry.convex import Array
from assistant.geometry.field import Field, Flags, Ints, Plane
from assistant.geometry.lines import Box, Layout, Tangents, crossings, laid_out, offsets, tangents


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """Everything a way may meet, in one field: the start, obstacles, the parts of areas, relays, and then goals."""

    field: Field
    closed: Field
    """The start and the obstacles."""
    soil: Soil
    box: Box
    points: int
    """The first relay's index among the things of the field, ..."""
    goals: int
    """... and the first goal's."""

    def is_point(self, corners: Ints) -> Flags:
        """Return which corners are the start, relays or goals."""
        owner = self.field.owner[corners]
        return np.asarray((owner >= self.points) | (owner == 0))

    def blocker(self, corners: Ints) -> Ints:
        """Return which of the closed things a corner belongs to; the start, which blocks nothing, for all else."""
        owner = self.field.owner[corners]
        return np.where(owner < len(self.closed.counts), owner, 0)

    def within(self, points: Array) -> Flags:
        """Return which (m, 2) points lie in the box."""
        low, high = np.array(self.box[:2]) - 1e-9, np.array(self.box[2:]) + 1e-9
        return np.asarray(((points >= low) & (points <= high)).all(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Legs:
    """Straight legs or arcs: (m,) states they lead from and to, what they cost, and what they are."""

    source: Ints
    target: Ints
    pace: Array
    length_mm: Array
    climb_mm: Array
    leaves: Ints
    """The climbed areas that a leg begins in, as bits, ..."""
    arrives: Ints
    """... and those that it ends in."""
    turn: Ints
    """1 or -1 for arcs counter-clockwise or clockwise, 0 for straight legs."""

    def among(self, keep: Flags) -> "Legs":
        """Return the legs that a mask keeps."""
        return Legs(
            source=self.source[keep],
            target=self.target[keep],
            pace=self.pace[keep],
            length_mm=self.length_mm[keep],
            climb_mm=self.climb_mm[keep],
            leaves=self.leaves[keep],
            arrives=self.arrives[keep],
            turn=self.turn[keep],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ways:
    """Places and legs; a state is 2 place + 1 where an arc is hugged counter-clockwise, and 2 place at points."""

    corner: Ints
    angle: Array
    """(n,) the outward direction of a place on the disc around its corner; 0 for points."""
    place_mm: Array
    """(n, 2)"""
    legs: Legs
    of_point: Ints
    """The place of each relay and goal."""


def straight(scene: Scene, first: Array, last: Array, touched: Ints) -> tuple[Legs, Flags]:
    """Return what straight legs between (m, 2) places pay, and which are free; ``touched`` (m, 2) as in `first_hit`.

    A leg is free that stays in the box, enters no obstacle and does not pass the edge of an area whose pace is not 1.
    """
    soil = scene.soil
    found = stays(soil, first, last)
    free = scene.within(first) & scene.within(last)
    free &= ~(found.crossed() & (soil.pace[found.area] > 1)).any(axis=1)
    asked = np.flatnonzero(free & (found.length_mm > 0))
    heading = (last[asked] - first[asked]) / found.length_mm[asked, None]
    hit, _ = scene.closed.first_hit(first[asked], heading, found.length_mm[asked], touched[asked])
    free[asked] = hit >= found.length_mm[asked]
    free[free] = ~scene.closed.covered(first[free], touched[free, 0])
    climb = np.where(found.change > 0, soil.up_mm[found.area], soil.down_mm[found.area])
    nothing = np.zeros(len(first), dtype=np.intp)
    return Legs(
        source=nothing,
        target=nothing,
        pace=soil.pace_at(found.begins_inside & found.ends_inside),
        length_mm=found.length_mm,
        climb_mm=np.where(found.crossed(), climb, 0.0).sum(axis=1),
        leaves=bits_of(soil, found.begins_inside),
        arrives=bits_of(soil, found.ends_inside),
        turn=nothing,
    ), free


def bits_of(soil: Soil, inside: Flags) -> Ints:
    """Return the climbed areas among flags (m, a) as bits, (m,)."""
    climbed = soil.climbed()
    return np.asarray(inside[:, climbed] @ (1 << np.arange(len(climbed), dtype=np.int64)), dtype=np.intp)


def ways_of(scene: Scene, limit_mm: float) -> Ways:
    """Return the graph of all ways that cost no more than a limit from the start."""
    field = scene.field
    layout = laid_out(field, 1)
    lines = _useful(scene, tangents(layout, limit_mm).both_ways())
    lines = lines.among(np.abs(lines.first - field.centres[0]) + lines.length_mm <= limit_mm)
    touched = np.column_stack((scene.blocker(lines.source), scene.blocker(lines.target)))
    legs, free = straight(scene, _points(lines.first), _points(lines.last), touched)
    return _assembled(scene, layout, lines.among(free), legs.among(free))


def _points(places: Plane) -> Array:
    return np.ascontiguousarray(places).view(float).reshape(-1, 2)


def _useful(scene: Scene, lines: Tangents) -> Tangents:
    """Leave out what leads from goals or touches sharp areas, whose corners are relays, and one of each line twice."""
    field = scene.field
    sharp = (field.owner >= len(scene.closed.counts)) & (field.owner < scene.points) & (field.radii_mm == 0)
    keep = ~sharp[lines.source] & ~sharp[lines.target] & (field.owner[lines.source] < scene.goals)
    keep &= field.owner[lines.target] > 0
    one, two = scene.is_point(lines.source), scene.is_point(lines.target)
    same = lines.source_turn == lines.target_turn
    keep &= ~(one | two) | same | (field.owner[lines.source] == 0)  # from the start there is but one of each
    keep &= ~(one & two) | (lines.target_turn > 0)
    return lines.among(keep)


def _assembled(scene: Scene, layout: Layout, lines: Tangents, legs: Legs) -> Ways:
    field = scene.field
    everyone = np.arange(len(field.owner))
    points = everyone[scene.is_point(everyone)]
    soft = (field.owner >= len(scene.closed.counts)) & (field.owner < scene.points)
    met = np.zeros(len(field.counts), dtype=bool)
    met[field.owner[lines.target]] = True
    round_ones = everyone[~scene.is_point(everyone) & ~(soft & (field.radii_mm == 0)) & met[field.owner]]
    crossed, normal = crossings(layout, scene.box)
    ours = np.isin(crossed, round_ones)
    wide = round_ones[field.counts[field.owner[round_ones]] == 1]
    touched = np.concatenate((lines.source, lines.target, crossed[ours]))
    angle = offsets(field, touched, np.concatenate((lines.source_normal, lines.target_normal, normal[ours])))
    corner = np.concatenate((touched, round_ones, wide, round_ones))
    angle = np.concatenate(
        (angle, np.zeros(len(round_ones)), np.full(len(wide), math.pi), field.cone_width[round_ones])
    )
    kept = np.flatnonzero((angle <= field.cone_width[corner] + 2e-12) & ~scene.is_point(corner))
    order = kept[np.lexsort((angle[kept], corner[kept]))]
    row = np.zeros(len(corner), dtype=np.intp)
    row[order] = np.arange(len(order))
    on_point = scene.is_point(corner)
    row[on_point] = len(order) + np.searchsorted(points, corner[on_point])
    count = len(lines.source)
    source, target = row[:count], row[count : 2 * count]
    hugged, around = corner[order], np.minimum(angle[order], field.cone_width[corner[order]])
    outward = field.cone_start[hugged] + around
    place = np.concatenate((field.at(hugged, outward), field.centres_mm[points]))
    chain = _chain(scene, hugged, around, place)
    hops = _leading(
        legs,
        2 * source + (~scene.is_point(lines.source) & (lines.source_turn > 0)),
        2 * target + (~scene.is_point(lines.target) & (lines.target_turn > 0)),
    )
    return Ways(
        corner=np.concatenate((hugged, points)),
        angle=np.concatenate((outward, np.zeros(len(points)))),
        place_mm=place,
        legs=_both(hops, chain),
        of_point=len(order) + np.arange(1, len(points)),
    )


def _chain(scene: Scene, hugged: Ints, around: Array, place: Array) -> Legs:
    """Return the free arcs and edges from each place on an obstacle to the next one, both ways round."""
    field = scene.field
    if not len(hugged):
        return straight(scene, np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 2), dtype=np.intp))[0]
    first = np.full(len(field.owner), -1)
    begins = np.flatnonzero(np.diff(hugged, prepend=-1))
    first[hugged[begins]] = begins
    following = np.arange(1, len(hugged) + 1)
    lasts = np.append(begins[1:], len(hugged)) - 1
    following[lasts] = first[field.following[hugged[lasts]]]
    seam = np.zeros(len(hugged), dtype=bool)
    seam[lasts] = True
    edges = lasts[field.lengths_mm[hugged[lasts]] > 0]
    arcs = np.flatnonzero(~seam)
    joints = np.setdiff1d(lasts, edges)  # the seam of a disc, of no length
    owner = scene.blocker(hugged)
    after = following[edges]
    touched = np.column_stack((owner[edges], owner[edges]))
    edge_legs = []
    for one, two, turn in ((edges, after, 1), (after, edges, 0)):
        along, free = straight(scene, place[one], place[two], touched)
        edge_legs.append(_leading(along, 2 * one + turn, 2 * two + turn).among(free))
    swept = around[arcs + 1] - around[arcs]
    middle = field.at(hugged[arcs], field.cone_start[hugged[arcs]] + around[arcs] + swept / 2)
    inside = scene.soil.holding(middle)
    bits = bits_of(scene.soil, inside)
    open_arc = scene.within(middle) & ~scene.closed.covered(middle, owner[arcs])
    arc_legs = Legs(
        source=2 * arcs + 1,
        target=2 * arcs + 3,
        pace=scene.soil.pace_at(inside),
        length_mm=field.radii_mm[hugged[arcs]] * swept,
        climb_mm=np.zeros(len(arcs)),
        leaves=bits,
        arrives=bits,
        turn=np.ones(len(arcs), dtype=np.intp),
    ).among(open_arc)
    bits = bits_of(scene.soil, scene.soil.holding(place[joints]))
    nothing = np.zeros(len(joints))
    joint_legs = Legs(
        source=2 * joints + 1,
        target=2 * following[joints] + 1,
        pace=nothing + 1,
        length_mm=nothing,
        climb_mm=nothing,
        leaves=bits,
        arrives=bits,
        turn=np.ones(len(joints), dtype=np.intp),
    )
    forth = _both(arc_legs, joint_legs)
    back = Legs(
        source=forth.target - 1,
        target=forth.source - 1,
        pace=forth.pace,
        length_mm=forth.length_mm,
        climb_mm=forth.climb_mm,
        leaves=forth.arrives,
        arrives=forth.leaves,
        turn=-forth.turn,
    )
    return _both(_both(*edge_legs), _both(forth, back))


def _leading(legs: Legs, source: Ints, target: Ints) -> Legs:
    return Legs(
        source=source,
        target=target,
        pace=legs.pace,
        length_mm=legs.length_mm,
        climb_mm=legs.climb_mm,
        leaves=legs.leaves,
        arrives=legs.arrives,
        turn=legs.turn,
    )


def _both(one: Legs, two: Legs) -> Legs:
    return Legs(**{name: np.concatenate((getattr(one, name), getattr(two, name))) for name in Legs.__slots__})
