"""One model's move, with everyone else where they stood at that moment."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.geometry.convex import Array
from assistant.geometry.shapes import Placed
from assistant.geometry.uncertainty import pose_covariance
from assistant.rules.constraints import KeepOut, Parties
from assistant.rules.ruling import together
from assistant.rules.words import Say

Leg = tuple[Pose, Pose]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A model, its path, and the table around it."""

    state: GameState
    unit: Unit
    model: Model
    path: tuple[Pose, ...]
    """A single pose: the model merely stands there."""
    observed: bool
    say: Say

    @property
    def end(self) -> Pose:
        """Where the path ends."""
        return self.path[-1]

    def legs(self, *, on_the_way: bool) -> tuple[tuple[Pose, Pose], ...]:
        """Return the legs to examine: all that were seen, or only the place where the path ends."""
        if on_the_way and self.observed and len(self.path) > 1:
            return tuple(pairwise(self.path))
        return ((self.end, self.end),)

    def placed(self, pose: Pose) -> Placed:
        """Return the base at a pose."""
        return self.model.placed(pose)

    def parties(self, rule: KeepOut) -> list[tuple[Model, Pose]]:
        """Return the models that a keep-out is about, and where they stand."""
        return list(parties(rule, self.state, self.unit, self.model.id))


def parties(rule: KeepOut, state: GameState, unit: Unit, model: str) -> Iterator[tuple[Model, Pose]]:
    """Yield the models that a keep-out is about, and where they stand."""
    for theirs, other in state.models():
        enemy = theirs.player != unit.player
        if other.pose is not None and other.id != model and (enemy or rule.parties is Parties.OTHERS):
            yield other, other.pose


def covariance_of(pose: Pose) -> Array:
    """Return the covariance of a pose; how its facing errs is not known, and taken as not at all."""
    return pose_covariance(pose.sigma_mm)


def sigma_along(leg: Leg, share: float) -> float:
    """Return the standard deviation of a place along a leg whose ends err independently."""
    return together((1 - share) * leg[0].sigma_mm, share * leg[1].sigma_mm)
