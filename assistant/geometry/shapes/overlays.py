"""Overlays: unions, differences and intersections of regions that end with an answer, whatever the regions are.

GEOS reckons with rounded coordinates.  Where edges run along each other it may then lose its way and raise an error, or
what it once returned may be no valid region to go on with.  Such regions are made valid and put together again on a
grid, on which nothing is rounded any more.
"""

from collections.abc import Callable, Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

GRID_MM = 1e-6
"""The grid's width: as much as an edge may be moved by."""


def unite(regions: Sequence[BaseGeometry]) -> BaseGeometry:
    """Return the union of regions."""
    try:
        return shapely.union_all(regions)
    except shapely.GEOSException:
        return shapely.union_all(_make_valid(regions), grid_size=GRID_MM)


def subtract(region: BaseGeometry, taken: BaseGeometry) -> BaseGeometry:
    """Return the part of a region outside of another."""
    return _overlay(shapely.difference, region, taken)


def intersect(one: BaseGeometry, two: BaseGeometry) -> BaseGeometry:
    """Return what two regions have in common."""
    return _overlay(shapely.intersection, one, two)


def _overlay(function: Callable[..., BaseGeometry], one: BaseGeometry, two: BaseGeometry) -> BaseGeometry:
    try:
        return function(one, two)
    except shapely.GEOSException:
        return function(*_make_valid((one, two)), grid_size=GRID_MM)


def _make_valid(regions: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    """Return regions as valid ones on the grid, without lines and points."""
    snapped = shapely.set_precision(shapely.make_valid(np.array(regions, dtype=object)), GRID_MM)
    parts = (shapely.get_parts(shapely.get_parts(each)) for each in snapped)  # of a collection those of its own
    return [shapely.multipolygons([part for part in each if isinstance(part, shapely.Polygon)]) for each in parts]
