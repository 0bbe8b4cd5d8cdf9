"""Ingest: base poses to game events, the one place where perception meets the game.

A model counts as moved when it has come to rest elsewhere.  What was seen on the way is its path; where it was hidden
on the way, a leg of it was not seen; where it was in the air or went up or down, only its ends are known.  A path that
was seen pose by pose is reduced to the fewest legs, so that noise adds no length.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import radians

import numpy as np
from numpy.typing import NDArray

from assistant.game.events import Event, ModelPlaced, ModelSettled
from assistant.game.history import exchange_model
from assistant.game.state import GameState, Pose
from assistant.table.declared_move import Pick
from assistant.table.surface_levels import resolve_level
from vision.types import BasePose, ChangeKind, PoseState, TableSnapshot

STRAIGHT_MM = 1.0
"""A path is reduced to the fewest legs that stay this close to every pose seen, so that noise adds no length."""
LONGEST_TURN_RAD = radians(170.0)
LEVER_MM = 20.0
"""What a radian of turning counts when paths are reduced: the edge of an ordinary base."""


def simplify_path(path: tuple[Pose, ...], unseen: tuple[int, ...] = ()) -> tuple[tuple[Pose, ...], tuple[int, ...]]:
    """Return a path reduced to few legs, and which of these were not seen.

    What was seen for no longer than STRAIGHT_MM before or after a gap is no leg of its own.

    Args:
        path: every pose that was kept.
        unseen: the steps from one pose to the next that were not seen; the first is 0.

    """
    turns = np.unwrap([pose.facing_rad for pose in path])
    points = np.array([[p.x_mm, p.y_mm, LEVER_MM * turn] for p, turn in zip(path, turns, strict=True)])
    ends = sorted({0, len(path) - 1, *unseen, *(step + 1 for step in unseen)})
    kept, unseen_legs = [0], []
    for first, last in pairwise(ends):
        if first in unseen:
            unseen_legs.append(len(kept) - 1)
            kept.append(last)
        elif not unseen or np.linalg.norm(points[first : last + 1] - points[first], axis=1).max() > STRAIGHT_MM:
            kept += _find_bends(points, first, last)
    kept[-1] = len(path) - 1
    return tuple(path[i] for i in kept), tuple(unseen_legs)


def _find_bends(points: NDArray[np.float64], first: int, last: int) -> list[int]:
    """Return the points, after the first, that are left if those within STRAIGHT_MM of the legs without them are not.

    This is Ramer, Douglas and Peucker's method over place and turn together.
    """
    kept = {last}
    spans = [(first, last)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        leg = points[last] - points[first]
        inner = points[first + 1 : last] - points[first]
        along = np.clip(inner @ leg / max(float(leg @ leg), 1e-12), 0.0, 1.0)
        distances_mm = np.linalg.norm(inner - along[:, None] * leg, axis=1)
        worst = int(np.argmax(distances_mm))
        # A leg turns by the shorter way, so one that turned by more is two.
        if distances_mm[worst] > STRAIGHT_MM or abs(leg[2]) > LEVER_MM * LONGEST_TURN_RAD:
            middle = first + 1 + worst if distances_mm[worst] > STRAIGHT_MM else (first + last) // 2
            kept.add(middle)
            spans += [(first, middle), (middle, last)]
    return sorted(kept)


MOVED_MM = 0.5
"""A model that comes to rest nearer than this to where it stood has not moved: a base trembles under a sleeve."""
BEGAN_MM = 5.0
"""Nearer than this to where it stood when the game began, a model that is seen anew stands where it is seen."""
TURNED_RAD = math.radians(2.0)
MOVED_SIGMAS = 5.0
GAP_NS = 250_000_000
"""A longer time without a sighting on the way leaves a part of the path unobserved."""
STEP_MM = 1.0
"""While a model moves, a pose is kept whenever it has gone so far since the last that was kept."""
STEP_RAD = math.radians(3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """One model since it last rested."""

    rest: Pose
    way: tuple[Pose, ...] = ()
    unseen: tuple[int, ...] = ()
    """The steps, from the rest along the way, that were not seen; the first is 0."""
    lifted: bool = False
    """It has not been seen on a surface since it rose."""
    seen_ns: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MotionTracker:
    """What is remembered from one snapshot to the next of where models rested and how they came on from there."""

    journeys: Mapping[str, Journey] = field(default_factory=dict)
    """By model id."""
    latest: TableSnapshot | None = None
    """The last snapshot; None where it is not known any more where in it models are."""
    expected: Mapping[str, Pose] = field(default_factory=dict)
    """Where models stood before they were first seen in the game, or by the lens that is used now, by model id."""

    def follow(self, snapshot: TableSnapshot, state: GameState) -> "tuple[MotionTracker, tuple[Event, ...]]":
        """Return what is to be remembered, and the events that a snapshot brings to the game.

        Poses of models that are not in the game are left out.
        """
        known = {model.id for _, model in state.iterate_models()}
        journeys, expected = dict(self.journeys), self.expected
        if any(change.kind is ChangeKind.LENS_CHANGED for change in snapshot.changes):
            journeys, expected = self._keep_unsettled(state), self.list_rests()
        events: list[Event] = []
        for pose in snapshot.poses:
            if pose.model not in known:
                continue
            before = journeys.get(pose.model)
            if before is None:
                if pose.state is PoseState.SEEN and not pose.moving:
                    # A situation that gives no height says nothing of levels, so it is not asked.
                    rest = resolve_level(state, pose_from_base_pose(pose), None)
                    began = expected.get(pose.model)
                    if began is None or math.hypot(began.x_mm - rest.x_mm, began.y_mm - rest.y_mm) <= BEGAN_MM:
                        journeys[pose.model] = Journey(rest=rest, seen_ns=pose.seen_ns)
                        events.append(ModelPlaced(model=pose.model, pose=rest))
                        continue
                    # It was moved before the first picture of it.
                    events.append(ModelPlaced(model=pose.model, pose=began))
                    before = Journey(rest=began, lifted=True, seen_ns=pose.seen_ns)
                else:
                    continue
            journeys[pose.model], event = _advance(before, pose, state)
            if event is not None:
                events.append(event)
        return replace(self, journeys=journeys, latest=snapshot, expected=expected), tuple(events)

    def list_rests(self) -> dict[str, Pose]:
        """Return where models rest now, by model id; not those that are on their way."""
        return {model: each.rest for model, each in self.journeys.items() if not (each.way or each.lifted)}

    def _keep_unsettled(self, state: GameState) -> dict[str, Journey]:
        """Return the models that were on their way, hidden, or moved and not accepted, without those that just stood.

        The latter get their places anew by the lens that is used from now on, or what they go next would be measured
        from a place by the one before.
        """
        latest_ns = self.latest.captured_ns if self.latest else 0
        return {
            model: journey
            for model, journey in self.journeys.items()
            if journey.way or journey.lifted or latest_ns - journey.seen_ns > GAP_NS or model in state.tracks
        }

    def lose_sight(self) -> "MotionTracker":
        """Return what is to be remembered while it is not known where models stand."""
        return replace(self, latest=None)

    def exchange(self, models: tuple[str, str]) -> "MotionTracker":
        """Let what is remembered of one model be of the other."""
        journeys = {exchange_model(models, model): journey for model, journey in self.journeys.items()}
        return MotionTracker(journeys=journeys, expected=self.expected)

    def predict_settling(self, state: GameState, pick: Pick | None) -> ModelSettled | None:
        """Return what will have happened if a model that moves comes to rest where it is now; None while none moves.

        Of several it is the picked model, or else one of the picked unit; any, where nothing is picked.

        Args:
            state: the game.
            pick: what is looked at.

        """
        moving = {pose.model: pose for pose in self.latest.poses if pose.moving} if self.latest else {}
        if not moving or state.restoring is not None:
            return None
        members = [model.id for model in state.find_unit(pick.unit).models] if pick else list(moving)
        first = [pick.model] if pick else []
        predictions = (self._predict_rest(moving[model], state) for model in (*first, *members) if model in moving)
        return next((event for event in predictions if event is not None), None)

    def find_underway(self, state: GameState) -> str | None:
        """Return a model that is on its way, on the table or in a hand; the first of several, None if none is."""
        if self.latest is None or state.restoring is not None:
            return None
        return next((pose.model for pose in self.latest.poses if self._is_underway(pose)), None)

    def _is_underway(self, pose: BasePose) -> bool:
        journey = self.journeys.get(pose.model)
        if journey is None or not (pose.moving or pose.state is PoseState.LIFTED):
            return False
        return pose.state is PoseState.LIFTED or _is_away(journey.rest, pose_from_base_pose(pose))

    def _predict_rest(self, pose: BasePose, state: GameState) -> ModelSettled | None:
        journey = self.journeys.get(pose.model)
        if journey is None or journey.lifted or not pose.moving or pose.state is not PoseState.SEEN:
            return None
        here = resolve_level(state, pose_from_base_pose(pose), None if journey.unseen else journey.rest)
        return _build_settled(pose.model, journey, here) if _is_away(journey.rest, here) else None


def recall_motion(state: GameState, seen: Iterable[str], now_ns: int) -> MotionTracker:
    """Return what is to be remembered where a recorded game goes on: nobody saw what became of the models meanwhile.

    Args:
        state: the game as it was.
        seen: the models that had been seen by then.
        now_ns: when it was.

    """
    ends = {model: track.poses[-1] for model, track in state.tracks.items()}
    rests = {model.id: ends.get(model.id, model.pose) for _, model in state.iterate_models()}
    known = ((model, rests.get(model)) for model in seen)
    return MotionTracker(
        journeys={m: Journey(rest=rest, lifted=True, seen_ns=now_ns) for m, rest in known if rest is not None}
    )


def pose_from_base_pose(pose: BasePose) -> Pose:
    """Return a base pose as the game knows it, with its standard deviation where that is largest."""
    (xx, xy, _), (_, yy, _), _ = pose.covariance.tolist()
    largest_mm2 = (xx + yy) / 2 + math.hypot((xx - yy) / 2, xy)  # the larger eigenvalue
    return Pose(
        x_mm=pose.x_mm,
        y_mm=pose.y_mm,
        facing_rad=pose.facing_rad,
        z_mm=pose.z_mm,
        sigma_mm=math.sqrt(largest_mm2),
        other_z_mm=pose.other_z_mm,
    )


def _advance(journey: Journey, pose: BasePose, state: GameState) -> tuple[Journey, ModelSettled | ModelPlaced | None]:
    if pose.state is PoseState.LIFTED:
        # What was seen just before it rose is off by the rise, and where it is carried is no path on the table.
        return replace(journey, way=(), unseen=(), lifted=True, seen_ns=pose.seen_ns), None
    if pose.state is not PoseState.SEEN:
        return journey, None
    rest, here = journey.rest, pose_from_base_pose(pose)
    gap = journey.lifted or pose.seen_ns - journey.seen_ns > GAP_NS
    unseen = (*journey.unseen, len(journey.way)) if gap else journey.unseen
    if pose.moving:
        last = journey.way[-1] if journey.way else rest
        # What comes after a gap is kept wherever it is, so that the leg that was not seen has its end.
        way = (*journey.way, replace(here, other_z_mm=())) if gap or _count_steps_apart(last, here) > 1 else journey.way
        return Journey(rest=rest, way=way, unseen=unseen, seen_ns=pose.seen_ns), None
    if here.other_z_mm and not _is_away(rest, here) and rest.z_mm in (here.z_mm, *here.other_z_mm):
        return Journey(rest=rest, seen_ns=pose.seen_ns), None  # nothing new is known of its height
    here = resolve_level(state, here, None if unseen else rest)
    if not _is_away(rest, here) and abs(here.z_mm - rest.z_mm) <= MOVED_MM:
        # Nothing has happened, or the model was put back where it stood.
        return Journey(rest=replace(rest, other_z_mm=here.other_z_mm), seen_ns=pose.seen_ns), None
    after = Journey(rest=here, seen_ns=pose.seen_ns)
    if rest.other_z_mm and not _is_away(rest, here) and pose.model not in state.tracks:
        return after, ModelPlaced(model=pose.model, pose=here)  # it has not moved: only now it is known how high it is
    return after, _build_settled(pose.model, replace(journey, unseen=unseen), here)


def _build_settled(model: str, journey: Journey, here: Pose) -> ModelSettled:
    path, unseen = (journey.rest, *journey.way, here), journey.unseen
    if all(each.z_mm == here.z_mm for each in path):
        path, unseen = simplify_path(path, unseen)
    else:  # where on the way it went up or down cannot be told from above
        path, unseen = (journey.rest, here), (0,)
    return ModelSettled(model=model, path=path, observed=not unseen, unseen=unseen)


def _is_away(rest: Pose, here: Pose) -> bool:
    away_mm = math.hypot(here.x_mm - rest.x_mm, here.y_mm - rest.y_mm)
    turned = abs(math.remainder(here.facing_rad - rest.facing_rad, math.tau))
    noise_mm = MOVED_SIGMAS * math.hypot(rest.sigma_mm, here.sigma_mm)
    return away_mm > max(MOVED_MM, noise_mm) or turned > TURNED_RAD


def _count_steps_apart(a: Pose, b: Pose) -> float:
    """How far two poses are apart, in the steps at which a path is kept."""
    turned = abs(math.remainder(b.facing_rad - a.facing_rad, math.tau))
    return max(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) / STEP_MM, turned / STEP_RAD)
