"""Base shapes: disc, ellipse, rectangle and outline, in their own frame and placed on the table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from assistant.errors import BadInput

_SHOWN = 4
"""How many of an outline's points an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A disc."""

    radius_mm: float

    def __post_init__(self) -> None:
        if not 0 <= self.radius_mm < math.inf:
            raise BadInput(f"a disc of radius {self.radius_mm} mm; expected a length of 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Oval:
    """An ellipse; the length lies along the model's +x."""

    length_mm: float
    width_mm: float

    def __post_init__(self) -> None:
        _check_sides("an ellipse", self.length_mm, self.width_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle; the length lies along the model's +x."""

    length_mm: float
    width_mm: float

    def __post_init__(self) -> None:
        _check_sides("a rectangle", self.length_mm, self.width_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A simple polygon in the model's frame, for models without a base; may be concave."""

    points_mm: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        check_outline(self.points_mm)


Base = Round | Oval | Rect | Outline


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedShape:
    """A shape that stands somewhere."""

    shape: Base
    x_mm: float
    y_mm: float
    facing_rad: float = 0.0
    z_mm: float = 0.0


def check_outline(points_mm: Sequence[tuple[float, float]]) -> None:
    """Raise BadInput, naming the outline, unless its points are the corners of a simple polygon, each given once."""
    wrong = _describe_outline_fault(points_mm)
    if wrong:
        listed = ", ".join(f"({x:g}, {y:g})" for x, y in points_mm[:_SHOWN]) + ", …" * (len(points_mm) > _SHOWN)
        raise BadInput(f"the outline {listed or 'without points'} {wrong}; expected a simple polygon")


def _describe_outline_fault(points_mm: Sequence[tuple[float, float]]) -> str:
    if len(points_mm) < 3:
        return f"has {len(points_mm)} points, not at least 3"
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in points_mm):
        return "has a point that is not a finite number"
    first: dict[tuple[float, float], int] = {}
    for index, (x, y) in enumerate(points_mm, start=1):
        if first.setdefault((x, y), index) != index:
            return f"gives one point twice, as number {first[x, y]} and {index}"
    if shapely.MultiPoint(points_mm).convex_hull.area == 0:
        return "has no area"
    return "" if shapely.Polygon(points_mm).is_valid else "crosses or touches itself"


def _check_sides(what: str, length_mm: float, width_mm: float) -> None:
    if not (0 < length_mm < math.inf and 0 < width_mm < math.inf):
        raise BadInput(f"{what} of {length_mm} by {width_mm} mm; expected lengths greater than 0")
