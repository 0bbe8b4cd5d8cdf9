"""Immobility: a model that does not move at all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from assistant.geometry.motion.path_length import measure_furthest_travel
from assistant.geometry.shortest_path.free.reach import Route
from assistant.geometry.uncertainty import travel_sigma_mm
from assistant.rules.constraints.allowance import Allowance, Pivot, check_length
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.engine.walk import Walk, build_covariance
from assistant.rules.verdict import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Immobility(Constraint):
    """Does not move at all."""

    rule: str

    measures_way: ClassVar[bool] = True

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield how far the model came, seen or not."""
        path = [walk.place_base(pose) for pose in walk.path]
        travel = measure_furthest_travel(path)
        sigma = travel_sigma_mm(path, [build_covariance(pose) for pose in walk.path], furthest=True)
        none = Allowance(rule=self.rule, limit_mm=0.0, pivot=Pivot.FURTHEST_POINT, pivot_mm=0.0)
        yield check_length(none, walk, Route(mm=travel.mm, points=travel.points), sigma)
