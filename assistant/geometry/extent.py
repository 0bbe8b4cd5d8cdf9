"""What a single placed shape covers: its area, its bounding box, the points in it, its point furthest from a place."""

import math
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, greatest_on_circle
from assistant.geometry.shapes import Base, Outline, Oval, Placed, Rect, Round


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """A bounding box along the table's axes."""

    least_x_mm: float
    least_y_mm: float
    most_x_mm: float
    most_y_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Furthest:
    """The point of a shape that is furthest from a place."""

    mm: float
    point: Point


def area_mm2(shape: Base) -> float:
    """Return the area of a shape."""
    match shape:
        case Round(radius_mm=radius):
            return math.pi * radius**2
        case Oval(length_mm=length, width_mm=width):
            return math.pi * length * width / 4
        case Rect(length_mm=length, width_mm=width):
            return length * width
        case Outline(points_mm=points):
            return float(shapely.Polygon(points).area)


def extent(placed: Placed) -> Extent:
    """Return the least box around a shape where it stands; exact, for turned ellipses too."""
    x, y = placed.x_mm, placed.y_mm
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    match placed.shape:
        case Round(radius_mm=radius):
            across, up = radius, radius
        case Oval(length_mm=length, width_mm=width):
            across, up = math.hypot(length * cos, width * sin) / 2, math.hypot(length * sin, width * cos) / 2
        case _:
            least, most = corners_mm(placed).min(axis=0), corners_mm(placed).max(axis=0)
            return Extent(
                least_x_mm=float(least[0]),
                least_y_mm=float(least[1]),
                most_x_mm=float(most[0]),
                most_y_mm=float(most[1]),
            )
    return Extent(least_x_mm=x - across, least_y_mm=y - up, most_x_mm=x + across, most_y_mm=y + up)


def contains(placed: Placed, points_mm: Array) -> NDArray[np.bool_]:
    """Return which of (m, 2) points lie in a shape or on its edge, as (m,)."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    u, v = ((points_mm - (placed.x_mm, placed.y_mm)) @ np.array([[cos, -sin], [sin, cos]])).T
    match placed.shape:
        case Round(radius_mm=radius):
            return np.asarray(u * u + v * v <= radius**2)
        case Oval(length_mm=length, width_mm=width):
            return np.asarray((u * 2 / length) ** 2 + (v * 2 / width) ** 2 <= 1)
        case Rect(length_mm=length, width_mm=width):
            return np.asarray((np.abs(u) <= length / 2) & (np.abs(v) <= width / 2))
        case Outline(points_mm=points):
            return np.asarray(shapely.intersects_xy(shapely.Polygon(points), u, v))


def furthest_from(placed: Placed, centre: Point) -> Furthest:
    """Return the point of a shape, where it stands, that is furthest from a place."""
    x, y = placed.x_mm - centre[0], placed.y_mm - centre[1]
    match placed.shape:
        case Round(radius_mm=radius):
            apart = math.hypot(x, y)
            ux, uy = (x / apart, y / apart) if apart else (1.0, 0.0)
            point = (placed.x_mm + radius * ux, placed.y_mm + radius * uy)
            return Furthest(mm=apart + radius, point=point)
        case Oval():

            def away(angles: Array) -> Array:
                return np.asarray(np.hypot(*(rim_points(placed, angles) - centre).T))

            angle, _ = greatest_on_circle(away, np.arange(4) * math.pi / 2)
            candidates = rim_points(placed, np.array([angle]))
        case _:
            candidates = corners_mm(placed)
    away_mm = np.hypot(*(candidates - centre).T)
    best = int(away_mm.argmax())
    return Furthest(mm=float(away_mm[best]), point=(float(candidates[best, 0]), float(candidates[best, 1])))


def corners_mm(placed: Placed) -> Array:
    """Return the corners, (k, 2), of a rectangle or outline where it stands; none of a disc or ellipse."""
    match placed.shape:
        case Rect(length_mm=length, width_mm=width):
            local = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (length / 2, width / 2)
        case Outline(points_mm=points):
            local = np.array(points, dtype=float)
        case _:
            return np.empty((0, 2))
    return placed_points(placed, local)


def rim_points(placed: Placed, angles: Array) -> Array:
    """Return points, (m, 2), of the rim of a disc or ellipse where it stands; angle 0 is its front.

    For an ellipse with semi-axes a and b the angle u stands for (a cos u, b sin u).
    """
    match placed.shape:
        case Round(radius_mm=radius):
            a = b = radius
        case Oval(length_mm=length, width_mm=width):
            a, b = length / 2, width / 2
        case _:
            raise TypeError("only discs and ellipses have a smooth rim")
    return placed_points(placed, np.column_stack((a * np.cos(angles), b * np.sin(angles))))


def placed_points(placed: Placed, local: Array) -> Array:
    """Return (m, 2) points of a shape's own frame where it stands."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    stood: Array = local @ np.array([[cos, sin], [-sin, cos]]) + (placed.x_mm, placed.y_mm)
    return stood
