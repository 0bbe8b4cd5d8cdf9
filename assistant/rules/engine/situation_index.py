"""The situation index: the models that stand on the table as arrays, for what is asked of all of them at once."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.geometry.clearance.pairwise import lower_bounds_mm, measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.clearance.shape_clearance import Clearance
from assistant.geometry.shapes.convex import Array, outer_radius_mm
from assistant.rules.selectors import UnitSelector, is_any_model

Ints = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, eq=False)
class SituationIndex:
    """The models that stand on the table, in the order of the situation."""

    state: GameState
    models: tuple[Model, ...]
    owners: tuple[int, ...]
    """The place in the situation of each model's unit."""

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each model, by id."""
        return {model.id: place for place, model in enumerate(self.models)}

    @cached_property
    def poses(self) -> tuple[Pose, ...]:
        """Where the models stand."""
        return tuple(model.pose for model in self.models if model.pose is not None)

    @cached_property
    def places_mm(self) -> Array:
        """(n, 3): x, y, z."""
        return np.array([(at.x_mm, at.y_mm, at.z_mm) for at in self.poses], dtype=float).reshape(-1, 3)

    @cached_property
    def sigmas_mm(self) -> Array:
        """The standard deviation of every place along each axis, (n,), millimetres."""
        return np.array([at.sigma_mm for at in self.poses], dtype=float)

    @cached_property
    def radii_mm(self) -> Array:
        """(n,): of the discs around the bases."""
        return np.array([outer_radius_mm(model.base) for model in self.models], dtype=float)

    def keep_unit(self, unit: Unit) -> "SituationIndex":
        """Return the scene with one unit only."""
        return index_situation(replace(self.state, units=(unit,)))

    def select_party(
        self, party: UnitSelector, unit: Unit, model: str, among: Callable[[str], bool] = is_any_model
    ) -> Ints:
        """Return the places of the models, but for one, that a rule about a unit's models is about."""
        counts = np.array([party(unit, other) for other in self.state.units], dtype=bool)
        chosen = counts[list(self.owners)] if self.owners else np.zeros(0, dtype=bool)
        mine = self.index.get(model)
        if mine is not None:
            chosen[mine] = False
        if among is not is_any_model:
            chosen &= np.array([among(model.id) for model in self.models], dtype=bool)
        return np.flatnonzero(chosen)

    def move_model(self, model: str, pose: Pose) -> "SituationIndex":
        """Return the scene with one model standing elsewhere."""
        return index_situation(self.state.place_models({model: pose}))

    def measure_gaps(self, range_mm: float) -> "Gaps":
        """Return the clearances of all pairs of models that are within a range of each other, or of one unit."""
        standing = build_shape_arrays([model.place_base() for model in self.models])
        first, second = _list_pairs(len(self.models))
        owners = np.array(self.owners, dtype=np.intp)
        asked = lower_bounds_mm(standing, first, second) <= range_mm
        asked |= owners[first] == owners[second]
        found = measure_pairs(standing, first[asked], second[asked])
        near: list[list[tuple[float, int, int]]] = [[] for _ in self.models]
        pairs = zip(found.mm.tolist(), found.first.tolist(), found.second.tolist(), strict=True)
        for pair, (mm, one, two) in enumerate(pairs):
            near[one].append((mm, two, pair))
            near[two].append((mm, one, ~pair))
        ends = np.concatenate((found.near, found.far), axis=1)
        return Gaps(near=tuple(map(sorted, near)), ends_mm=ends)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gaps:
    """Who is near to whom."""

    near: tuple[Sequence[tuple[float, int, int]], ...]
    """For each model the others in range, nearest first: clearance, place, and where the measured points are kept."""
    ends_mm: Array
    """(m, 4): the measured points of each pair, of the first and of the second."""

    def clearance(self, mm: float, pair: int) -> Clearance:
        """Return a clearance with its measured points, from the model that it was found at."""
        x, y, u, v = self.ends_mm[pair if pair >= 0 else ~pair].tolist()
        near, far = ((x, y), (u, v)) if pair >= 0 else ((u, v), (x, y))
        return Clearance(mm=mm, near=near, far=far)


def index_situation(state: GameState) -> SituationIndex:
    """Return a situation's models that stand on the table."""
    found = [(model, at) for at, unit in enumerate(state.units) for model in unit.models if model.pose is not None]
    return SituationIndex(state=state, models=tuple(model for model, _ in found), owners=tuple(at for _, at in found))


@lru_cache(maxsize=8)
def _list_pairs(count: int) -> tuple[Ints, Ints]:
    first, second = np.triu_indices(count, 1)
    first.flags.writeable = second.flags.writeable = False
    return first, second


def find_widest_sigma_mm(scene: SituationIndex) -> float:
    """Return the standard deviation of the least certain clearance there may be."""
    return math.sqrt(2) * float(scene.sigmas_mm.max(initial=0.0))
