"""Motion of bases in a random film: planned before the film begins, so that truth is known at any moment."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.simulation.scene import Placement, VirtualScene, VirtualTerrain
from tests.vision.random_scenes import Disc, find_free_place, list_anchor_room, measure_radius

SLIDE_MM = (15.0, 160.0)
LIFT_MM = (40.0, 150.0)
FASTEST_MM = 10.0
"""In one frame: 300 mm a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMotion:
    """One base goes from a place to another between two frames, by the least jerk."""

    tag: int
    first_frame: float
    last_frame: float
    start: Placement
    end: Placement
    lift_mm: float
    """How high it is carried on the way; 0 for one that slides or turns."""
    vanishes: bool
    """It is off the table on the way, such as in a box."""

    def find_placement(self, number: float) -> Placement | None:
        """Return where it is at a frame, or between two."""
        share = min(max((number - self.first_frame) / (self.last_frame - self.first_frame), 0.0), 1.0)
        if self.vanishes and 0 < share < 1:
            return None
        height = least_jerk(min(share, 1 - share, 0.3) / 0.3) * self.lift_mm
        # What is lifted goes up before it goes away.
        way = least_jerk(share if self.lift_mm == 0 else min(max((share - 0.2) / 0.6, 0.0), 1.0))
        return Placement(
            x_mm=self.start.x_mm + way * (self.end.x_mm - self.start.x_mm),
            y_mm=self.start.y_mm + way * (self.end.y_mm - self.start.y_mm),
            facing_rad=self.start.facing_rad + way * (self.end.facing_rad - self.start.facing_rad),
            z_mm=self.start.z_mm + way * (self.end.z_mm - self.start.z_mm) + height,
        )


class MotionPlan:
    """Where every base is at every moment of a film."""

    def __init__(self, start: Mapping[int, Placement], strokes: list[BaseMotion]) -> None:
        self._start = dict(start)
        self._by_tag: dict[int, list[BaseMotion]] = {}
        for stroke in strokes:
            self._by_tag.setdefault(stroke.tag, []).append(stroke)

    def find_placements(self, number: float) -> dict[int, Placement]:
        """Return the placements at a frame, by tag; what is off the table is left out."""
        places = ((tag, self.find_placement(tag, number)) for tag in self._start)
        return {tag: place for tag, place in places if place is not None}

    def find_placement(self, tag: int, number: float) -> Placement | None:
        """Return one base's placement at a frame, or between two; None while it is off the table."""
        begun = [stroke for stroke in self._by_tag.get(tag, ()) if stroke.first_frame <= number]
        return begun[-1].find_placement(number) if begun else self._start.get(tag)

    def is_moved_between(self, tag: int, first: float, last: float) -> bool:
        """Tell whether a base moves at all between two frames."""
        return any(stroke.first_frame < last and stroke.last_frame > first for stroke in self._by_tag.get(tag, ()))

    @property
    def moved_tags(self) -> list[int]:
        """The tags that are moved at all."""
        return sorted(self._by_tag)


def place_bases(rng: np.random.Generator, scene: VirtualScene) -> dict[int, Placement]:
    """Stand a scene's bases where they find room, on some raised terrain first, then on the table."""
    placements, taken = {}, list_anchor_room() + [_find_room(block) for block in scene.terrain if block.raised]
    blocks = [block for block in scene.terrain if block.raised]
    for base in scene.bases:
        facing_rad = float(rng.uniform(-math.pi, math.pi))
        if blocks and rng.uniform() < 0.5:
            block = blocks.pop()
            middle = np.mean(block.outline_mm, axis=0)
            placements[base.marker] = Placement(
                x_mm=float(middle[0]), y_mm=float(middle[1]), facing_rad=facing_rad, z_mm=block.height_mm
            )
        elif place := find_free_place(rng, taken, measure_radius(base), scene):
            placements[base.marker] = Placement(x_mm=place[0], y_mm=place[1], facing_rad=facing_rad)
            taken.append(Disc(x_mm=place[0], y_mm=place[1], radius_mm=measure_radius(base)))
    return placements


def plan_motion(rng: np.random.Generator, scene: VirtualScene, *, frames: int, share: float) -> MotionPlan:
    """Plan moves of a share of a scene's bases: slides, turns, lifts, and absences."""
    now = dict(scene.placements)
    strokes: list[BaseMotion] = []
    free_from: dict[int, float] = {}
    bases = {base.marker: base for base in scene.bases}
    for first_frame in np.sort(rng.uniform(25, max(30, frames - 30), round(share * len(now)))):
        tag = int(rng.choice(sorted(now)))
        if free_from.get(tag, 0.0) > first_frame:
            continue
        kind = str(rng.choice(["slide", "slide", "turn", "lift", "carry", "vanish"]))
        start, radius_mm = now[tag], measure_radius(bases[tag])
        end = _choose_end(rng, scene, kind, start, radius_mm=radius_mm, taken=list_taken_room(scene, now, tag))
        if end is None:
            continue
        far_mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm)
        shortest = far_mm * 1.875 / FASTEST_MM if kind == "slide" else 8.0
        lasts = float(max(shortest, rng.uniform(8, 30))) if kind in ("slide", "turn") else float(rng.uniform(24, 45))
        lift_mm = float(rng.uniform(*LIFT_MM)) if kind in ("lift", "carry") else 0.0
        strokes.append(
            BaseMotion(
                tag=tag,
                first_frame=float(first_frame),
                last_frame=float(first_frame) + lasts,
                start=start,
                end=end,
                lift_mm=lift_mm,
                vanishes=kind == "vanish",
            )
        )
        now[tag], free_from[tag] = end, float(first_frame) + lasts + 15
    return MotionPlan(scene.placements, strokes)


def plan_strokes(rng: np.random.Generator, scene: VirtualScene, *, frames: int, movers: int) -> MotionPlan:
    """Plan that some bases, the first that find room for it, slide to and fro all the time, with short stops."""
    now, strokes, claimed = dict(scene.placements), list[BaseMotion](), list[Disc]()
    bases = {base.marker: base for base in scene.bases}
    moved = 0
    for tag in rng.permutation(sorted(now)).tolist():
        if moved == movers:
            break
        radius_mm, taken = measure_radius(bases[tag]), list_taken_room(scene, now, tag) + claimed
        start = now[tag]
        if any(math.hypot(d.x_mm - start.x_mm, d.y_mm - start.y_mm) < d.radius_mm + radius_mm for d in claimed):
            continue
        tries = (_choose_end(rng, scene, "slide", start, radius_mm=radius_mm, taken=taken) for _ in range(60))
        if (end := next((end for end in tries if end), None)) is None:
            continue
        for share in np.linspace(0, 1, 5).tolist():
            x_mm, y_mm = start.x_mm + share * (end.x_mm - start.x_mm), start.y_mm + share * (end.y_mm - start.y_mm)
            claimed.append(Disc(x_mm=x_mm, y_mm=y_mm, radius_mm=radius_mm))
        strokes += _shuttle(rng, tag, start, end, frames)
        moved += 1
    return MotionPlan(scene.placements, strokes)


def _shuttle(rng: np.random.Generator, tag: int, start: Placement, end: Placement, frames: int) -> list[BaseMotion]:
    strokes = []
    far_mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm)
    first_frame = float(rng.uniform(25, 45))
    while first_frame < frames:
        lasts = max(far_mm * 1.875 / FASTEST_MM, float(rng.uniform(8, 20)))
        strokes.append(
            BaseMotion(
                tag=tag,
                first_frame=first_frame,
                last_frame=first_frame + lasts,
                start=start,
                end=end,
                lift_mm=0.0,
                vanishes=False,
            )
        )
        first_frame += lasts + float(rng.uniform(2, 12))
        start, end = end, start
    return strokes


def _choose_end(
    rng: np.random.Generator, scene: VirtualScene, kind: str, start: Placement, *, radius_mm: float, taken: list[Disc]
) -> Placement | None:
    facing_rad = start.facing_rad + float(rng.uniform(-1.5, 1.5))
    if kind in ("turn", "lift"):
        return Placement(x_mm=start.x_mm, y_mm=start.y_mm, facing_rad=facing_rad, z_mm=start.z_mm)
    if kind == "slide":
        if start.z_mm > 0:
            return None
        far_mm, bearing_rad = float(rng.uniform(*SLIDE_MM)), float(rng.uniform(-math.pi, math.pi))
        step = np.array([math.cos(bearing_rad), math.sin(bearing_rad)])
        way = np.array([start.x_mm, start.y_mm]) + np.linspace(0.1, 1, 8)[:, None] * far_mm * step
        return _find_end_on_way(scene, way, radius_mm, taken, facing_rad)
    place = find_free_place(rng, taken, radius_mm, scene)
    return place and Placement(x_mm=place[0], y_mm=place[1], facing_rad=facing_rad)


def _find_end_on_way(
    scene: VirtualScene, way: NDArray[np.float64], radius_mm: float, taken: list[Disc], facing_rad: float
) -> Placement | None:
    """Return the end of a way that runs into nothing."""
    for x, y in way:
        if not (radius_mm < x < scene.width_mm - radius_mm and radius_mm < y < scene.depth_mm - radius_mm):
            return None
        if any(math.hypot(x - d.x_mm, y - d.y_mm) < radius_mm + d.radius_mm + 2 for d in taken):
            return None
    return Placement(x_mm=float(way[-1][0]), y_mm=float(way[-1][1]), facing_rad=facing_rad)


def list_taken_room(scene: VirtualScene, now: Mapping[int, Placement], but: int | None = None) -> list[Disc]:
    """Return the room that anchors, raised terrain and standing bases take; one base may be left out."""
    taken = list_anchor_room() + [_find_room(block) for block in scene.terrain if block.raised]
    radii = {base.marker: measure_radius(base) for base in scene.bases}
    return taken + [Disc(x_mm=at.x_mm, y_mm=at.y_mm, radius_mm=radii[tag]) for tag, at in now.items() if tag != but]


def _find_room(block: VirtualTerrain) -> Disc:
    corners = np.array(block.outline_mm)
    middle = corners.mean(axis=0)
    return Disc(x_mm=float(middle[0]), y_mm=float(middle[1]), radius_mm=float(np.hypot(*(corners - middle).T).max()))


def least_jerk(share: float) -> float:
    """Return how far along its way a hand is after a share of its time, with the smoothest start and stop."""
    return share**3 * (10 - 15 * share + 6 * share**2)
