"""Poses to game events: the one place where perception meets the game.

A model counts as moved when it has come to rest elsewhere.  What was seen on the way is its path; where it was hidden
or in the air on the way, only its ends are known.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import shapely

from assistant.game.events import Event, ModelPlaced, ModelSettled
from assistant.game.state import GameState, Pose
from vision.types import BasePose, PoseState, TableSnapshot

MOVED_MM = 0.5
"""A model that comes to rest nearer than this to where it stood has not moved: a base trembles under a sleeve."""
TURNED_RAD = math.radians(2.0)
MOVED_SIGMAS = 5.0
GAP_NS = 250_000_000
"""A longer time without a sighting on the way leaves a part of the path unobserved."""
STEP_MM = 1.0
"""While a model moves, a pose is kept whenever it has gone so far since the last that was kept."""
STEP_RAD = math.radians(3.0)
STRAIGHT_MM = 1.0
"""A path is reduced to the fewest legs that stay this close to every pose seen, so that noise adds no length."""
LONGEST_TURN_RAD = math.radians(170.0)
CLIMBED_MM = 51.0
"""What rests over terrain higher than this stands on top of it.  Lower steps leave the way as it was seen."""
LEVER_MM = 20.0
"""What a radian of turning counts when paths are reduced: the edge of an ordinary base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """One model since it last rested."""

    rest: Pose
    way: tuple[Pose, ...] = ()
    observed: bool = True
    seen_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What ingest remembers from one snapshot to the next, by model id."""

    journeys: Mapping[str, Journey] = field(default_factory=dict)


def ingest(memory: Memory, snapshot: TableSnapshot, state: GameState) -> tuple[Memory, tuple[Event, ...]]:
    """Return what is to be remembered, and the events that a snapshot brings to the game.

    Poses of models that are not in the game are left out.
    """
    known = {model.id for _, model in state.models()}
    journeys = dict(memory.journeys)
    events: list[Event] = []
    for pose in snapshot.poses:
        if pose.model not in known:
            continue
        before = journeys.get(pose.model)
        if before is None:
            if pose.state is PoseState.SEEN and not pose.moving:
                rest = on_top(state, game_pose(pose))
                journeys[pose.model] = Journey(rest=rest, seen_ns=pose.seen_ns)
                events.append(ModelPlaced(model=pose.model, pose=rest))
            continue
        journeys[pose.model], settled = _advance(before, pose, state)
        if settled is not None:
            events.append(settled)
    return replace(memory, journeys=journeys), tuple(events)


def game_pose(pose: BasePose) -> Pose:
    """Return a base pose as the game knows it, with the larger of its two standard deviations."""
    return Pose(
        x_mm=pose.x_mm,
        y_mm=pose.y_mm,
        facing_rad=pose.facing_rad,
        z_mm=pose.z_mm,
        sigma_mm=math.sqrt(float(np.linalg.eigvalsh(pose.covariance[:2, :2])[-1])),
    )


def on_top(state: GameState, pose: Pose) -> Pose:
    """Return where a model really rests: what is seen over high terrain stands on it, for it cannot be inside."""
    over = (
        terrain.height_mm
        for terrain in state.terrain
        if terrain.height_mm > CLIMBED_MM
        if shapely.contains_xy(shapely.Polygon(terrain.outline_mm), pose.x_mm, pose.y_mm)
    )
    return replace(pose, z_mm=max(over, default=pose.z_mm))


def _advance(journey: Journey, pose: BasePose, state: GameState) -> tuple[Journey, ModelSettled | None]:
    if pose.state is PoseState.LIFTED:
        # What was seen just before it rose is off by the rise, and where it is carried is no path on the table.
        return replace(journey, way=(), observed=False, seen_ns=pose.seen_ns), None
    if pose.state is not PoseState.SEEN:
        return journey, None
    here = game_pose(pose)
    gap = pose.seen_ns - journey.seen_ns > GAP_NS
    journey = replace(journey, seen_ns=pose.seen_ns)
    if pose.moving:
        last = journey.way[-1] if journey.way else journey.rest
        way = (*journey.way, here) if _apart(last, here) > 1 else journey.way
        return replace(journey, way=way, observed=journey.observed and not gap), None
    if not _elsewhere(journey.rest, here):
        # Nothing has happened, or the model was put back where it stood.
        return Journey(rest=journey.rest, seen_ns=pose.seen_ns), None
    here = on_top(state, here)
    if here.z_mm == journey.rest.z_mm == 0:
        path, observed = straightened((journey.rest, *journey.way, here)), journey.observed and not gap
    else:  # where on the way it went up or down cannot be told from above
        path, observed = (journey.rest, here), False
    settled = ModelSettled(model=pose.model, path=path, observed=observed)
    return Journey(rest=here, seen_ns=pose.seen_ns), settled


def _elsewhere(rest: Pose, here: Pose) -> bool:
    away_mm = math.hypot(here.x_mm - rest.x_mm, here.y_mm - rest.y_mm)
    turned = abs(math.remainder(here.facing_rad - rest.facing_rad, math.tau))
    noise_mm = MOVED_SIGMAS * math.hypot(rest.sigma_mm, here.sigma_mm)
    return away_mm > max(MOVED_MM, noise_mm) or turned > TURNED_RAD


def _apart(a: Pose, b: Pose) -> float:
    """How far two poses are apart, in the steps at which a path is kept."""
    turned = abs(math.remainder(b.facing_rad - a.facing_rad, math.tau))
    return max(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) / STEP_MM, turned / STEP_RAD)


def straightened(path: tuple[Pose, ...]) -> tuple[Pose, ...]:
    """Return the path with the poses left out that lie within STRAIGHT_MM of the legs without them.

    This is Ramer, Douglas and Peucker's method over place and turn together.
    """
    turns = np.unwrap([pose.facing_rad for pose in path])
    points = np.array([[p.x_mm, p.y_mm, LEVER_MM * turn] for p, turn in zip(path, turns, strict=True)])
    kept = {0, len(path) - 1}
    spans = [(0, len(path) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        leg = points[last] - points[first]
        inner = points[first + 1 : last] - points[first]
        along = np.clip(inner @ leg / max(float(leg @ leg), 1e-12), 0.0, 1.0)
        off = np.linalg.norm(inner - along[:, None] * leg, axis=1)
        worst = int(np.argmax(off))
        # A leg turns by the shorter way, so one that turned by more is two.
        if off[worst] > STRAIGHT_MM or abs(turns[last] - turns[first]) > LONGEST_TURN_RAD:
            middle = first + 1 + worst if off[worst] > STRAIGHT_MM else (first + last) // 2
            kept.add(middle)
            spans += [(first, middle), (middle, last)]
    return tuple(path[i] for i in sorted(kept))
