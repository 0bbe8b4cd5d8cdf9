"""The situation index: the models that stand on the table as arrays, for what is asked of all of them at once."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assistant.game.state import GameState, Model, Pose, Terrain, Unit
from assistant.geometry.clearance.pairwise import PairClearances, list_near_pairs, measure_pairs
from assistant.geometry.clearance.shape_arrays import Flags, build_shape_arrays
from assistant.geometry.clearance.shape_clearance import Clearance
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import Array, Complexes, bound_by_disc, outer_radius_mm
from assistant.rules.selectors import UnitSelector, is_any_model
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM

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

    @cached_property
    def discs(self) -> tuple[Complexes, Array]:
        """What `list_bounding_discs` returns of the bases, (n,)."""
        return list_bounding_discs((model.base, at) for model, at in zip(self.models, self.poses, strict=True))

    @cached_property
    def doubt_mm(self) -> float:
        """How far the least certain clearance may be off."""
        return self.find_doubt_mm(DECIDED_SIGMAS)

    def find_doubt_mm(self, sigmas: float) -> float:
        """Return so many standard deviations of the least certain clearance."""
        return sigmas * math.sqrt(2) * float(self.sigmas_mm.max(initial=0.0)) + ROUNDING_MM

    @cached_property
    def near_edge(self) -> Flags:
        """Whether the disc around each base may cross the table's edge, (n,)."""
        x, y, table = self.places_mm[:, 0], self.places_mm[:, 1], self.state.table
        inside_mm = np.minimum(np.minimum(x, y), np.minimum(table.width_mm - x, table.depth_mm - y))
        return np.asarray(inside_mm <= self.radii_mm + DECIDED_SIGMAS * self.sigmas_mm)

    @cached_property
    def near_terrain(self) -> tuple[tuple[Terrain, ...], ...]:
        """The terrain that each base may touch, from the disc around it and the boxes around outlines."""
        terrain, (x, y) = self.state.terrain, self.places_mm[:, :2].T[:, :, None]
        corners = [np.array(each.outline_mm) for each in terrain]
        low = np.array([each.min(axis=0) for each in corners]).reshape(-1, 2)
        high = np.array([each.max(axis=0) for each in corners]).reshape(-1, 2)
        away = np.hypot(
            np.maximum(np.maximum(low[:, 0] - x, x - high[:, 0]), 0.0),
            np.maximum(np.maximum(low[:, 1] - y, y - high[:, 1]), 0.0),
        )
        met = away <= (self.radii_mm + DECIDED_SIGMAS * self.sigmas_mm + ROUNDING_MM)[:, None]
        near: list[list[Terrain]] = [[] for _ in self.models]
        for place, at in np.argwhere(met).tolist():
            near[place].append(terrain[at])
        return tuple(map(tuple, near))

    def drop_tracks(self) -> "SituationIndex":
        """Return the scene without how anybody came to where they stand: a walk is judged by what stands where."""
        if not self.state.tracks:
            return self
        scene = SituationIndex(state=replace(self.state, tracks={}), models=self.models, owners=self.owners)
        vars(scene).update({name: known for name, known in vars(self).items() if name != "state"})
        return scene

    def keep_unit(self, unit: Unit) -> "SituationIndex":
        """Return the scene with one unit only."""
        return index_situation(replace(self.state, units=(unit,)))

    def select_party(
        self, party: UnitSelector, unit: Unit, model: str, among: Callable[[str], bool] = is_any_model
    ) -> Ints:
        """Return the places of the models, but for one, that a rule about a unit's models is about."""
        known = self._parties.get((party, among))
        if known is None or known[0] is not unit:
            known = self._parties[party, among] = unit, self._find_party(party, unit, among)
        found, mine = known[1], self.index.get(model)
        at = len(found) if mine is None else int(found.searchsorted(mine))
        return found if at == len(found) or found[at] != mine else np.delete(found, at)

    @cached_property
    def _parties(self) -> dict[tuple[UnitSelector, Callable[[str], bool]], tuple[Unit, Ints]]:
        """What was selected before, and for which unit: a way is asked about time and again."""
        return {}

    @cached_property
    def bounds_mm(self) -> dict[tuple[Base, tuple[tuple[Pose, Pose], ...]], Array]:
        """How near a base may come to each model on the ways that were asked about last, for `keep_out`."""
        return {}

    def _find_party(self, party: UnitSelector, unit: Unit, among: Callable[[str], bool]) -> Ints:
        counts = np.array([party(unit, other) for other in self.state.units], dtype=bool)
        chosen = counts[list(self.owners)] if self.owners else np.zeros(0, dtype=bool)
        if among is not is_any_model:
            chosen &= np.array([among(model.id) for model in self.models], dtype=bool)
        found = np.flatnonzero(chosen)
        found.flags.writeable = False
        return found

    def move_model(self, model: str, pose: Pose) -> "SituationIndex":
        """Return the scene with one model standing elsewhere."""
        at = self.index.get(model)
        if at is None:  # it stood off the table
            return index_situation(self.state.place_models({model: pose}))
        unit = self.state.units[self.owners[at]]
        moved = replace(self.models[at], pose=pose)
        units, mates = list(self.state.units), tuple(moved if mate.id == model else mate for mate in unit.models)
        units[self.owners[at]] = replace(unit, models=mates)
        scene = SituationIndex(
            state=replace(self.state, units=tuple(units)),
            models=(*self.models[:at], moved, *self.models[at + 1 :]),
            owners=self.owners,
        )
        # All others stand where they did: what is known of everybody is copied but for one row.
        places_mm, sigmas_mm = self.places_mm.copy(), self.sigmas_mm.copy()
        places_mm[at], sigmas_mm[at] = (pose.x_mm, pose.y_mm, pose.z_mm), pose.sigma_mm
        poses = (*self.poses[:at], pose, *self.poses[at + 1 :])
        known = {"poses": poses, "places_mm": places_mm, "sigmas_mm": sigmas_mm}
        vars(scene).update(index=self.index, radii_mm=self.radii_mm, _parties=self._parties, **known)
        return scene

    def has_same_models(self, other: "SituationIndex") -> bool:
        """Return whether the same models stand in the same places, each in a unit of the same place."""
        return self.models == other.models and self.owners == other.owners

    def measure_gaps(self, range_mm: float) -> "Gaps":
        """Return the clearances of all pairs of models that are within a range of each other, or of one unit."""
        if len(self.state.units) == 1:
            return _measure_unit_gaps(self.models, range_mm)
        return _measure_gaps(self.models, self.owners, range_mm)


@dataclass(frozen=True, kw_only=True, eq=False)
class Gaps:
    """Who is near to whom."""

    found: PairClearances
    owners: Ints
    """The place in the situation of each model's unit."""

    def list_near(self, place: int) -> list[tuple[float, int, int]]:
        """Return the others in range of a model, nearest first: clearance, place, and where the measured points are."""
        ends, mm, others, pairs = self._ordered
        begin, end = ends[place], ends[place + 1]
        return list(zip(mm[begin:end], others[begin:end], pairs[begin:end], strict=True))

    @cached_property
    def nearest_mm(self) -> tuple[list[float], list[float]]:
        """How near the nearest other is to each model, and the nearest of another unit; infinitely far out of range."""
        found, nearest = self.found, np.full((2, len(self.owners)), np.inf)
        foreign = self.owners[found.first] != self.owners[found.second]
        for places in (found.first, found.second):
            np.minimum.at(nearest[0], places, found.mm)
            np.minimum.at(nearest[1], places[foreign], found.mm[foreign])
        return nearest[0].tolist(), nearest[1].tolist()

    @cached_property
    def _ordered(self) -> tuple[list[int], list[float], list[int], list[int]]:
        """Where what is near to each model begins, and all that is: clearances, places, and the measured points."""
        order = np.lexsort((self.found.second, self.found.first, self.found.mm))
        first, second = self.found.first[order], self.found.second[order]
        mine, others = np.stack((first, second), axis=1).ravel(), np.stack((second, first), axis=1).ravel()
        by_model = np.argsort(mine, kind="stable")
        mm, pairs = np.repeat(self.found.mm[order], 2), np.stack((order, ~order), axis=1).ravel()
        ends = [0, *np.cumsum(np.bincount(mine, minlength=len(self.owners))).tolist()]
        return ends, mm[by_model].tolist(), others[by_model].tolist(), pairs[by_model].tolist()

    @cached_property
    def links(self) -> tuple[Sequence[tuple[float, int, int, int]], ...]:
        """For each unit the pairs of its models, nearest first: clearance, places, and where the measured points are.

        Of pairs that are as near to a rounding the first of the situation comes first.
        """
        found = self.found
        own = np.flatnonzero(self.owners[found.first] == self.owners[found.second])
        units = self.owners[found.first[own]]
        rounded_mm = np.round(found.mm[own], _TIED_DIGITS)
        order = own[np.lexsort((found.second[own], found.first[own], rounded_mm, units))]
        columns = (found.mm[order], found.first[order], found.second[order], order)
        entries = zip(*(column.tolist() for column in columns), strict=True)
        return _part(entries, units, int(self.owners.max(initial=-1)) + 1)

    def clearance(self, mm: float, pair: int) -> Clearance:
        """Return a clearance with its measured points, from the model that it was found at."""
        at = pair if pair >= 0 else ~pair
        (x, y), (u, v) = self.found.near[at].tolist(), self._far[at].tolist()
        near, far = ((x, y), (u, v)) if pair >= 0 else ((u, v), (x, y))
        return Clearance(mm=mm, near=near, far=far)

    @cached_property
    def _far(self) -> Array:
        return self.found.far


@lru_cache(maxsize=16)
def _measure_unit_gaps(models: tuple[Model, ...], range_mm: float) -> Gaps:
    """Return the clearances within a unit by itself: who judges it asks for them, and then who draws it."""
    return _measure_gaps(models, (0,) * len(models), range_mm)


def _measure_gaps(models: tuple[Model, ...], owners: tuple[int, ...], range_mm: float) -> Gaps:
    standing, units = build_shape_arrays([model.place_base() for model in models]), np.array(owners, dtype=np.intp)
    return Gaps(found=measure_pairs(standing, *list_near_pairs(standing, units, range_mm)), owners=units)


_TIED_DIGITS = 6
"""Clearances that are equal to so many digits of a millimetre are equally long, however the table lies."""
_Entry = TypeVar("_Entry")


def _part(entries: Iterable[_Entry], groups: Ints, count: int) -> tuple[Sequence[_Entry], ...]:
    """Return what is sorted by group as one sequence for each group; ``groups`` is in any order."""
    listed, ends = list(entries), np.cumsum(np.bincount(groups, minlength=count)).tolist()
    return tuple(listed[begin:end] for begin, end in pairwise([0, *ends]))


def is_same_ground(one: GameState, other: GameState) -> bool:
    """Return whether two states differ in nothing but their units and how models came to where they stand."""
    names = (each.name for each in fields(GameState) if each.name not in {"units", "tracks"})
    return all((now := getattr(one, name)) is (then := getattr(other, name)) or now == then for name in names)


def list_bounding_discs(shapes: Iterable[tuple[Base, Pose | PlacedShape]]) -> tuple[Complexes, Array]:
    """Return the middles of discs around shapes where they stand, and their radii."""
    placed = list(shapes)
    discs = [bound_by_disc(shape) for shape, _ in placed]
    places = np.array([(at.x_mm, at.y_mm, at.facing_rad) for _, at in placed], dtype=float).reshape(-1, 3)
    offsets, radii_mm = np.array([offset for offset, _ in discs], dtype=complex), np.array([mm for _, mm in discs])
    return places[:, 0] + 1j * places[:, 1] + offsets * np.exp(1j * places[:, 2]), radii_mm


def index_situation(state: GameState) -> SituationIndex:
    """Return a situation's models that stand on the table."""
    found = [(model, at) for at, unit in enumerate(state.units) for model in unit.models if model.pose is not None]
    return SituationIndex(state=state, models=tuple(model for model, _ in found), owners=tuple(at for _, at in found))
