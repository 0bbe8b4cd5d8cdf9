"""The outlines of bases, in their own frame and placed on the table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A disc."""

    radius_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Oval:
    """An ellipse; the length lies along the model's +x."""

    length_mm: float
    width_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle; the length lies along the model's +x."""

    length_mm: float
    width_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A simple polygon in the model's frame, for models without a base; may be concave."""

    points_mm: tuple[tuple[float, float], ...]


Base = Round | Oval | Rect | Outline


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A shape that stands somewhere."""

    shape: Base
    x_mm: float
    y_mm: float
    facing_rad: float = 0.0
    z_mm: float = 0.0
