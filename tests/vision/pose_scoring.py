"""Pose scoring: base poses against the truth, by wrong ones, normalised errors, what is missed, and delays."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.vision.random_films import BaseTruth, FilmMoment
from vision.marker_numbers import is_ring
from vision.types import BasePose, PoseState, TableSnapshot

WRONG_MM = 20.0
"""A pose farther from where its base is than this says that it is another's."""
FIVE = 5.0
SETTLED_FRAMES = 9
"""A rest is looked at 0.3 s after it was told, and at its end."""
MOVING_EVERY = 10
START_FRAMES = 30
"""What is missed in the first second does not count."""
WHOLE, GONE = 0.01, 0.95
"""Shares of a tag that are hidden, up to which it is all to be seen, and from which nothing is."""
READABLE = 0.4
"""Share of a ring's cells up to which those that are hidden are no reason not to see it: figures stand on it."""
ALOFT_MM = 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A pose marked as seen that is not so."""

    film: int
    frame: int
    tag: int
    kind: str
    """wrong identity, position, facing or twin; and what the base does and how its tag is seen."""
    sigmas: float
    off_mm: float
    off_deg: float


@dataclass(kw_only=True)
class PoseScore:
    """What one or several films showed."""

    frames: int = 0
    poses: int = 0
    breaches: list[Breach] = field(default_factory=list)
    episodes: Counter[str] = field(default_factory=Counter)
    """Breaches of one kind and tag in a row count once."""
    squares: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    """Squared normalised errors, divided by their degrees of freedom, by group and position or facing.

    A base with its whole tag in sight on the bare table is resting or moving; any other is so otherwise.
    """
    counted: Counter[bool] = field(default_factory=Counter)
    """Poses that were held against the truth, by whether the base truly moved."""
    beyond: Counter[bool] = field(default_factory=Counter)
    """Of those, how many were more than five sigma off, or another base's."""
    off_mm2: defaultdict[bool, float] = field(default_factory=lambda: defaultdict(float))
    """Sum of their squared errors but for those of others' bases, mm^2."""
    doubted: int = 0
    """Pictures in which the calibration was in doubt."""
    visible: int = 0
    visible_seen: int = 0
    standing_lifted: int = 0
    """Of those that could be seen, what is told as lifted though it stands."""
    lift_frames: list[int] = field(default_factory=list)
    lifts_missed: int = 0
    return_frames: list[int] = field(default_factory=list)
    returns_missed: int = 0


def merge_scores(total: PoseScore, other: PoseScore) -> None:
    """Add a score to another."""
    for name in ("breaches", "lift_frames", "return_frames"):
        getattr(total, name).extend(getattr(other, name))
    for name in ("frames", "poses", "visible", "visible_seen", "standing_lifted", "lifts_missed", "returns_missed"):
        setattr(total, name, getattr(total, name) + getattr(other, name))
    for name in ("episodes", "counted", "beyond"):
        getattr(total, name).update(getattr(other, name))
    for moving, squares in other.off_mm2.items():
        total.off_mm2[moving] += squares
    total.doubted += other.doubted
    for key, values in other.squares.items():
        total.squares[key].extend(values)


class PoseScorer:
    """Watches one film and adds to a score."""

    def __init__(
        self,
        score: PoseScore,
        film: int,
        group: str,
        on_breach: Callable[[Breach, FilmMoment, BasePose], None] | None = None,
    ) -> None:
        self._score, self._film, self._group, self._on_breach = score, film, group, on_breach
        self._last_breach: dict[tuple[int, str], int] = {}
        self._rests: dict[int, tuple[int, tuple[bool, tuple[float, float]]]] = {}
        self._number = 0
        self._aloft: dict[int, int] = {}
        self._gone: dict[int, int] = {}
        self._back: dict[int, int] = {}

    def score_frame(self, moment: FilmMoment, snapshot: TableSnapshot) -> None:
        """Take in one frame."""
        self._score.frames += 1
        self._score.doubted += snapshot.doubt is not None
        poses = {pose.marker: pose for pose in snapshot.poses}
        for pose in poses.values():
            if pose.state is PoseState.SEEN:
                self._score_pose(moment, pose, snapshot.captured_ns)
        for tag, truth in moment.truth.items():
            if tag not in snapshot.shown_twice:  # which of the two is the base cannot be told
                self._score_visibility(tag, truth, poses.get(tag))
        for tag in (set(self._back) | set(self._aloft)) - set(moment.truth):
            self._back.pop(tag, None)
            self._aloft.pop(tag, None)
        for tag in poses.keys() - moment.truth.keys():
            self._gone[tag] = self._gone.get(tag, 0) + 1
        self._number += 1

    def score_still(self, moment: FilmMoment, snapshot: TableSnapshot) -> None:
        """Take in one picture that nothing came before."""
        self._number, self._rests = START_FRAMES, {}
        self.score_frame(moment, snapshot)
        self.finish()

    def finish(self) -> None:
        """Count what is still open when the film ends."""
        for _, sample in self._rests.values():
            self._add_sample("resting", *sample)
        self._rests.clear()

    def _score_pose(self, moment: FilmMoment, pose: BasePose, now_ns: int) -> None:
        self._score.poses += 1
        truth = moment.truth.get(pose.marker)
        what = _describe(truth, pose, now_ns)
        if moment.twin is not None and moment.twin[0] == pose.marker:
            if abs(complex(pose.x_mm, pose.y_mm) - moment.twin[1]) < WRONG_MM:
                self._report_breach(moment, pose, "twin taken for the base")
            return
        if truth is None:
            self._report_breach(moment, pose, f"wrong identity: {what}")
            return
        off = np.array([pose.x_mm - truth.at.x_mm, pose.y_mm - truth.at.y_mm])
        turn = math.remainder(pose.facing_rad - truth.at.facing_rad, math.tau)
        position = float(off @ np.linalg.solve(pose.covariance[:2, :2], off))
        facing = turn**2 / float(pose.covariance[2, 2])
        off_mm, off_deg = float(np.hypot(*off)), math.degrees(turn)
        self._score.counted[truth.moving] += 1
        self._score.beyond[truth.moving] += off_mm > WRONG_MM or position > FIVE**2 or facing > FIVE**2
        self._score.off_mm2[truth.moving] += off_mm**2 if off_mm <= WRONG_MM else 0.0
        if off_mm > WRONG_MM:
            self._report_breach(
                moment, pose, f"wrong identity: {what}", sigmas=math.sqrt(position), off_mm=off_mm, off_deg=off_deg
            )
        elif position > FIVE**2:
            self._report_breach(
                moment, pose, f"position: {what}", sigmas=math.sqrt(position), off_mm=off_mm, off_deg=off_deg
            )
        elif facing > FIVE**2:
            self._report_breach(
                moment, pose, f"facing: {what}", sigmas=math.sqrt(facing), off_mm=off_mm, off_deg=off_deg
            )
        plain = truth.at.z_mm == 0 and _is_whole(pose.marker, truth)
        if off_mm <= WRONG_MM and (
            pose.moving or not truth.moving
        ):  # else it is the breach that matters, not the rest that ended unnoticed
            self._keep_sample(pose, plain, (position / 2, facing))

    def _keep_sample(self, pose: BasePose, plain: bool, sample: tuple[float, float]) -> None:
        """Keep the errors of a rest at two moments, and of a moving base now and then: in between they repeat."""
        tag = pose.marker
        if pose.moving:
            begun = self._rests.pop(tag, None)
            if begun is not None and self._number - begun[0] > SETTLED_FRAMES:
                self._add_sample("resting", *begun[1])
            if (self._number + tag) % MOVING_EVERY == 0:
                self._add_sample("moving", plain, sample)
            return
        begun_at = self._rests[tag][0] if tag in self._rests else self._number
        self._rests[tag] = (begun_at, (plain, sample))
        if self._number - begun_at == SETTLED_FRAMES:
            self._add_sample("resting", plain, sample)

    def _add_sample(self, does: str, plain: bool, sample: tuple[float, float]) -> None:
        group = does if plain else f"{does} otherwise"
        for name, square in zip(("position", "facing"), sample, strict=True):
            self._score.squares[f"{group}, {self._group}", name].append(square)

    def _report_breach(
        self,
        moment: FilmMoment,
        pose: BasePose,
        kind: str,
        *,
        sigmas: float = math.inf,
        off_mm: float = math.inf,
        off_deg: float = 0.0,
    ) -> None:
        breach = Breach(
            film=self._film,
            frame=self._number,
            tag=pose.marker,
            kind=kind,
            sigmas=sigmas,
            off_mm=off_mm,
            off_deg=off_deg,
        )
        self._score.breaches.append(breach)
        fresh = self._last_breach.get((pose.marker, kind), -9) < self._number - 1
        self._last_breach[pose.marker, kind] = self._number
        if fresh:
            self._score.episodes[kind] += 1
            if self._on_breach is not None:
                self._on_breach(breach, moment, pose)

    def _score_visibility(self, tag: int, truth: BaseTruth, pose: BasePose | None) -> None:
        """Count what is seen of what could be, and how late lifts and returns are told."""
        seen = pose is not None and pose.state is PoseState.SEEN
        rise_mm, whole = truth.at.z_mm - truth.floor_mm, _is_whole(tag, truth)
        if whole and rise_mm == 0 and self._number >= START_FRAMES:
            self._score.visible += 1
            self._score.standing_lifted += pose is not None and pose.state is PoseState.LIFTED
            self._score.visible_seen += seen and _measure_error_mm(pose, truth) < WRONG_MM
        if rise_mm > ALOFT_MM and whole and pose is not None and pose.state is not PoseState.LOST:
            since = self._aloft.setdefault(tag, self._number)
            if pose.state is PoseState.LIFTED and since >= 0:
                self._score.lift_frames.append(self._number - since)
                self._aloft[tag] = -1
        elif rise_mm == 0:
            self._score.lifts_missed += self._aloft.pop(tag, -1) >= 0
        if truth.hidden > GONE:
            self._gone[tag] = self._gone.get(tag, 0) + 1
            self._back.pop(tag, None)
        elif whole and not truth.moving and rise_mm == 0:
            if self._gone.pop(tag, 0) > SETTLED_FRAMES:
                self._back[tag] = self._number
            if tag in self._back and seen and _measure_error_mm(pose, truth) < 3:
                self._score.return_frames.append(self._number - self._back.pop(tag))
            elif tag in self._back and self._number - self._back[tag] > 60:
                self._score.returns_missed += 1
                del self._back[tag]


def _describe(truth: BaseTruth | None, pose: BasePose, now_ns: int) -> str:
    """Say what a base does, and how its tag is to be seen."""
    if truth is None:
        return "off the table"
    if truth.at.z_mm - truth.floor_mm > 1e-6:
        does = "in the air"
    elif truth.floor_mm > 0:
        does = f"on {truth.floor_mm:.0f} mm of terrain"
    else:
        does = "moving" if truth.moving else "at rest"
    whole = _is_whole(pose.marker, truth)
    tag = "marker hidden" if truth.hidden > GONE else "marker whole" if whole else "marker partly hidden"
    told = "told as moving" if pose.moving else "told as at rest"
    return f"{does}, {told}, {tag}{', old sighting' if pose.seen_ns < now_ns else ''}"


def _is_whole(marker: int, truth: BaseTruth) -> bool:
    """Whether a marker can be seen as well as it ever is."""
    return truth.hidden <= (READABLE if is_ring(marker) else WHOLE)


def _measure_error_mm(pose: BasePose | None, truth: BaseTruth) -> float:
    return math.inf if pose is None else math.hypot(pose.x_mm - truth.at.x_mm, pose.y_mm - truth.at.y_mm)
