"""One model's move, with everyone else where they stood at that moment."""

from dataclasses import dataclass
from itertools import pairwise

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.geometry.convex import Array
from assistant.geometry.shapes import Placed
from assistant.geometry.uncertainty import pose_covariance
from assistant.rules.ruling import together
from assistant.rules.scene import Scene
from assistant.rules.words import Say

Leg = tuple[Pose, Pose]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A model, its path, and the table around it."""

    scene: Scene
    unit: Unit
    model: Model
    path: tuple[Pose, ...]
    """A single pose: the model merely stands there."""
    observed: bool
    say: Say
    moved: frozenset[str] = frozenset()
    """The models of the unit that have moved before."""

    @property
    def state(self) -> GameState:
        """The situation."""
        return self.scene.state

    @property
    def end(self) -> Pose:
        """Where the path ends."""
        return self.path[-1]

    def legs(self, *, on_the_way: bool) -> tuple[Leg, ...]:
        """Return the legs to examine: all that were seen, or only the place where the path ends."""
        if on_the_way and self.observed and len(self.path) > 1:
            return tuple(pairwise(self.path))
        return ((self.end, self.end),)

    def placed(self, pose: Pose) -> Placed:
        """Return the base at a pose."""
        return self.model.placed(pose)


def covariance_of(pose: Pose) -> Array:
    """Return the covariance of a pose; how its facing errs is not known, and taken as not at all."""
    return pose_covariance(pose.sigma_mm)


def sigma_along(leg: Leg, share: float) -> float:
    """Return the standard deviation of a place along a leg whose ends err independently."""
    return together((1 - share) * leg[0].sigma_mm, share * leg[1].sigma_mm)
