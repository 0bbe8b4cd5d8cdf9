"""Facing search: where a base may be at some facing, as an inner and an outer region.

The facings are searched by branch and bound.  A facing's own legal places belong to the inner region.  Of a range of
facings it is asked which places may be legal at any of them; what of those is not in the inner region yet, and is
thicker than the error allowed, is asked again of either half of the range.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.shapes.overlays import intersect, subtract, unite
from assistant.geometry.shapes.polygons import extract_polygons

ERROR_MM = 0.5
"""The greatest width of what the search leaves open."""
_CIRCLE_MM = 0.01
"""How exactly the width of what is left open is measured."""
_LEAST_RAD = 0.02
"""Narrower ranges of facings are not divided: what they leave open is stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacingConstraint:
    """Where a base may be."""

    at: Callable[[float, BaseGeometry], BaseGeometry]
    """The part of some places where it certainly may be at a facing; a twentieth of a millimetre too little at most."""
    between: Callable[[float, float, BaseGeometry], BaseGeometry]
    """A part that holds all places where it may be at some facing from the first to the second."""
    closed: tuple[BaseGeometry, ...] = ()
    """Areas in which it may not be at any facing."""
    touched: tuple[BaseGeometry, ...] = ()
    """Areas outside of which it may be at any facing; in one alone, and not in a closed one, it may be at some."""
    doubtful: tuple[BaseGeometry, ...] = ()
    """Areas outside of which it may be at any facing."""

    def combine(self, other: "FacingConstraint") -> "FacingConstraint":
        """Return what holds where both do."""
        return FacingConstraint(
            at=lambda facing, places: other.at(facing, self.at(facing, places)),
            between=lambda low, high, places: other.between(low, high, self.between(low, high, places)),
            closed=self.closed + other.closed,
            touched=self.touched + other.touched,
            doubtful=self.doubtful + other.doubtful,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FacingRegion:
    """Where a base may be at some facing."""

    inner: shapely.MultiPolygon
    """It certainly may be here."""
    outer: shapely.MultiPolygon
    """It may be nowhere else."""
    error_mm: float
    """No disc of a greater diameter lies between the two."""


def search_facings(
    legal: FacingConstraint, places: BaseGeometry, facings: Sequence[float], *, error_mm: float = ERROR_MM
) -> FacingRegion:
    """Return where a base may be at some facing within certain places.

    Args:
        legal: Where it may be at a facing.
        places: Polygons.
        facings: Facings to begin with, in order, less than half a turn apart; the first to the last are searched.
        error_mm: The search ends when no disc of this diameter lies between the inner and the outer region.

    """
    places = extract_polygons(subtract(places, unite(_select_meeting(legal.closed, places))))
    if places.is_empty:
        return FacingRegion(inner=shapely.MultiPolygon(), outer=shapely.MultiPolygon(), error_mm=error_mm)
    touched = np.array(_select_meeting(legal.touched, places), dtype=object)
    one, two = shapely.STRtree(touched).query(touched, predicate="intersects")
    crossed = shapely.intersection(touched[one[one < two]], touched[two[one < two]])
    doubtful = extract_polygons(unite([*crossed, *_select_meeting(legal.doubtful, places)]))
    legal_parts, thin = [subtract(places, doubtful)], list[BaseGeometry]()
    for piece in shapely.get_parts(extract_polygons(intersect(places, doubtful))):
        gained, left = _search_places(legal, piece, facings, error_mm)
        legal_parts += gained
        thin += left
    inner = unite(legal_parts)
    outer = unite([inner, *thin])
    width = max(error_mm, measure_width_mm(subtract(outer, inner), error_mm))
    return FacingRegion(inner=extract_polygons(inner), outer=extract_polygons(outer), error_mm=width)


def measure_width_mm(region: BaseGeometry, least_mm: float) -> float:
    """Return the diameter of the greatest disc in a region; 0 where it is less than a least one."""
    thick, _ = _part_by_width(region, least_mm)
    radii = [float(shapely.maximum_inscribed_circle(piece, tolerance=_CIRCLE_MM).length) for piece in thick]
    return 2 * (max(radii) + _CIRCLE_MM) if radii else 0.0


def _select_meeting(areas: Sequence[BaseGeometry], places: BaseGeometry) -> list[BaseGeometry]:
    window = shapely.box(*places.bounds)
    return [area for area in areas if shapely.intersects(area, window)]


def _search_places(
    legal: FacingConstraint, places: BaseGeometry, facings: Sequence[float], error_mm: float
) -> tuple[list[BaseGeometry], list[BaseGeometry]]:
    """Return the legal parts of some places, and what else may be legal."""
    legal_parts, rest = [], places
    for facing in facings:
        gained = legal.at(facing, rest)
        if gained.area > 0:
            legal_parts.append(gained)
            rest = subtract(rest, gained)
    thin: list[BaseGeometry] = []
    tasks: list[_Task] = [(low, high, piece) for low, high in pairwise(facings) for piece in _list_pieces(rest)]
    while tasks:
        following, gains = list[_Task](), list[BaseGeometry]()
        for low, high, region in tasks:
            thick, slivers = _part_by_width(legal.between(low, high, region), error_mm)
            thin += slivers
            if high - low < _LEAST_RAD:
                thin += thick
                continue
            middle = (low + high) / 2
            for piece in thick:
                gained = legal.at(middle, piece)
                if gained.area > 0:
                    gains.append(gained)
                left = subtract(piece, gained)
                following += [(low, middle, left), (middle, high, left)]
        legal_parts += gains
        tasks = _remove_gains(following, gains)
    return legal_parts, thin


_Task = tuple[float, float, BaseGeometry]


def _remove_gains(tasks: list[_Task], gains: list[BaseGeometry]) -> list[_Task]:
    """Return tasks, a piece each, without what has been found to be legal meanwhile."""
    left: list[_Task] = []
    tree = shapely.STRtree(gains)
    for low, high, region in tasks:
        met = [gains[index] for index in tree.query(region)]
        left += [(low, high, piece) for piece in _list_pieces(subtract_areas(region, met))]
    return left


def _list_pieces(region: BaseGeometry) -> list[shapely.Polygon]:
    """Return the polygons of a region."""
    return [piece for piece in shapely.get_parts(region) if isinstance(piece, shapely.Polygon) and piece.area > 0]


def _part_by_width(region: BaseGeometry, error_mm: float) -> tuple[list[shapely.Polygon], list[shapely.Polygon]]:
    """Part a region into the pieces that hold a disc of the error's diameter, and those that do not."""
    thick, thin = list[shapely.Polygon](), list[shapely.Polygon]()
    for piece in _list_pieces(region):
        roomy = piece.area > math.pi * error_mm**2 / 4
        is_thick = roomy and not shapely.buffer(piece, -error_mm / 2, quad_segs=2).is_empty
        (thick if is_thick else thin).append(piece)
    return thick, thin


def subtract_areas(places: BaseGeometry, taken: Sequence[BaseGeometry]) -> BaseGeometry:
    """Return the part of some places that lies in none of some areas."""
    if places.is_empty or not taken:
        return places
    if len(taken) == 1:
        return subtract(places, taken[0])
    return subtract(places, unite(taken))
