"""Where a base may end: the constraints that the verdict is given by, as a region of its centre."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.regions import polygons
from assistant.geometry.shapes import Round
from assistant.rules.constraints import Constraint, KeepOut, Near, Own
from assistant.rules.ends import ends
from assistant.rules.measure import left_behind
from assistant.rules.reached import ERROR_MM, Known, Level, at_level, levels, reached
from assistant.rules.turned import turned_places
from assistant.rules.verdict import Outcome
from assistant.rules.walk import Walk

Facing = Literal["any", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Places of a base's centre."""

    places: shapely.MultiPolygon
    error_mm: float = ERROR_MM


def region(constraints: Sequence[Constraint], walk: Walk, limit_mm: float | None, facing: Facing) -> Region:
    """Return where a model may end beyond doubt, on the ground or on top of terrain.

    Args:
        constraints: what holds; one that binds the unit as a whole is asked with the others standing where they do.
        walk: its path is the pose that the model starts from.
        limit_mm: the allowance; None for a model that is put anywhere.
        facing: ``keep`` for the present facing; ``any`` for some facing at which the base may end there.

    """
    found, error_mm, known = list[BaseGeometry](), ERROR_MM, Known()
    for level in levels(constraints, walk, limit_mm) if _others_keep(constraints, walk) else ():
        kept = region_at(constraints, walk, level, limit_mm, known)
        found.append(kept)
        if facing == "any" and not isinstance(walk.model.base, Round):
            turned = turned_places(constraints, at_level(walk, level), level, limit_mm, kept)
            if turned is not None:
                found.append(turned.inner)
                error_mm = max(error_mm, turned.error_mm)
    return Region(places=polygons(shapely.union_all(found)), error_mm=error_mm)


def region_at(
    constraints: Sequence[Constraint], walk: Walk, level: Level, limit_mm: float | None, known: Known | None = None
) -> shapely.MultiPolygon:
    """Return where a model may end beyond doubt at one height, with the facing that it has."""
    way = at_level(walk, level)
    return polygons(ends(reached(constraints, way, limit_mm, known), constraints, way, level))


def _others_keep(constraints: Sequence[Constraint], walk: Walk) -> bool:
    """Return whether the unit's other models, where they stand, keep what holds for them, too."""
    asked = [
        rule for rule in constraints if isinstance(rule, Own) or (isinstance(rule, KeepOut | Near) and rule.everyone)
    ]
    mates = [(mate, mate.pose) for mate in walk.unit.models if mate.pose is not None and mate.id != walk.model.id]
    standing = [
        Walk(scene=walk.scene, unit=walk.unit, model=mate, path=(at,), observed=True, say=walk.say)
        for mate, at in mates
    ]
    return all(
        found.outcome is Outcome.LEGAL for rule in asked for each in standing for found in left_behind(rule, each)
    )
