"""Solids of which figures are built, as values, and the flat facets that a camera sees of them."""

import enum
import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.optics import Points
from hardware.simulation.scene import Colour

Place = tuple[float, float, float]
"""x and y in the figure's units across, z in its height."""

LAMP = np.array([-0.42, 0.30, 1.0]) / math.hypot(0.42, 0.30, 1.0)
"""Toward the lamp, which hangs far left."""
SHADE_MM_PER_MM = -LAMP[:2] / LAMP[2]
"""How far a shadow reaches, x and y, for each millimetre of height."""

ROUNDNESS = ((1.0, 0.52), (0.80, 0.84), (0.55, 1.08), (0.28, 1.30))
"""A limb is painted as bands, one inside the other and nearer to the lamp: share of its radius, brightness."""
BRIGHTNESS_STEPS = 200
HALF_CORNERS = 10
"""A limb's outline has so many corners round each end."""


class Paint(enum.Enum):
    """What a part is painted with; a figure says which colour that is."""

    COAT = enum.auto()
    """The player's own."""
    TRIM = enum.auto()
    CLOTH = enum.auto()
    SKIN = enum.auto()
    METAL = enum.auto()
    LEATHER = enum.auto()
    BONE = enum.auto()
    DARK = enum.auto()


@dataclass(frozen=True, slots=True)
class Limb:
    """Round at both ends and straight between: a leg, a robe, a head, a spear."""

    start: Place
    end: Place
    radii: tuple[float, float]
    """At the start and at the end, in units across."""
    paint: Paint


@dataclass(frozen=True, slots=True)
class Sail:
    """Thin and flat: a cape, a wing, a banner."""

    corners: tuple[Place, ...]
    paint: Paint


@dataclass(frozen=True, slots=True)
class Block:
    """A prism with its top, which may be smaller than its foot: a hull, a turret."""

    outline: tuple[tuple[float, float], ...]
    """Counter-clockwise, in units across."""
    foot: float
    top: float
    taper: float
    """Size of the top as a share of the foot's."""
    paint: Paint


Solid = Limb | Sail | Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A flat polygon of one colour."""

    corners_mm: Points
    """(n, 3) in the table frame."""
    colour: Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidFrame:
    """Where a figure's units are on the table."""

    origin_mm: tuple[float, float, float]
    facing_rad: float
    across_mm: tuple[float, float]
    """One unit along the front, and to the left."""
    height_mm: float

    def place(self, points: Points) -> Points:
        """(..., 3) millimetres in the table frame of places (..., 3)."""
        cos, sin = math.cos(self.facing_rad), math.sin(self.facing_rad)
        turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
        return np.asarray((points * (*self.across_mm, self.height_mm)) @ turn + self.origin_mm, dtype=np.float64)


def list_facets(
    solids: Sequence[Solid], frame: SolidFrame, *, eye_mm: Points, paints: Mapping[Paint, Colour], small_mm: float = 0.0
) -> list[Facet]:
    """Return what an eye sees of solids, the farthest first: what comes later hides what came before.

    Limbs of a radius below `small_mm` have half of the bands.
    """
    limbs = [solid for solid in solids if isinstance(solid, Limb)]
    grouped: list[tuple[float, list[Facet]]] = []
    if limbs:
        ends_mm = frame.place(np.array([(limb.start, limb.end) for limb in limbs]))
        radii_mm = np.array([limb.radii for limb in limbs]) * frame.across_mm[1]
        outlines = trace_limbs(ends_mm, radii_mm, toward=eye_mm - frame.origin_mm, lamp=LAMP)
        heights = (ends_mm[:, :, 2].mean(axis=1) - frame.origin_mm[2]) / frame.height_mm
        far_mm = np.linalg.norm(ends_mm.mean(axis=1) - eye_mm, axis=1) - radii_mm.max(axis=1)
        is_small = radii_mm.max(axis=1) < small_mm
        for nth, limb in enumerate(limbs):
            bright = _brighten(float(heights[nth]))
            facets = [
                Facet(corners_mm=outlines[nth, band], colour=shade_colour(paints[limb.paint], bright * level))
                for band, (_, level) in enumerate(ROUNDNESS)
                if not (is_small[nth] and band % 2)
            ]
            grouped.append((float(far_mm[nth]), facets))
    for solid in solids:
        if not isinstance(solid, Limb):
            facets = list(_cut_facets(solid, frame, eye_mm, paints[solid.paint]))
            middle = np.concatenate([facet.corners_mm for facet in facets]).mean(axis=0)
            grouped.append((float(np.linalg.norm(middle - eye_mm)), facets))
    grouped.sort(key=lambda group: -group[0])
    return list(itertools.chain.from_iterable(facets for _, facets in grouped))


def cast_shadows(solids: Sequence[Solid], frame: SolidFrame, *, floor_mm: float) -> list[Points]:
    """(n, 3) outlines of what solids shade of a floor, each for itself."""
    outlines: list[Points] = []
    if limbs := [solid for solid in solids if isinstance(solid, Limb)]:
        ends_mm = frame.place(np.array([(limb.start, limb.end) for limb in limbs]))
        radii_mm = np.array([limb.radii for limb in limbs]) * frame.across_mm[1]
        outlines += list(_lay_flat(trace_limbs(ends_mm, radii_mm, toward=LAMP)[:, 0], floor_mm))
    outlines += [
        _lay_flat(frame.place(np.array(solid.corners)), floor_mm) for solid in solids if isinstance(solid, Sail)
    ]
    for solid in solids:
        if isinstance(solid, Block):
            shade = _lay_flat(frame.place(np.concatenate(trace_prism(solid))), floor_mm)
            hull = cv2.convexHull(shade[:, :2].astype(np.float32)).reshape(-1, 2)
            outlines.append(np.column_stack([hull, np.full(len(hull), floor_mm)]))
    return outlines


def _lay_flat(points_mm: Points, floor_mm: float) -> Points:
    """Move points (..., 3) along the light down to a floor."""
    down = np.array([*SHADE_MM_PER_MM, -1.0])
    return np.asarray(points_mm + (points_mm[..., 2:] - floor_mm) * down, dtype=np.float64)


def trace_limbs(
    ends_mm: Points, radii_mm: Points, *, toward: Points, lamp: Points | None = None
) -> NDArray[np.float64]:
    """(n, bands, corners, 3) outlines of limbs, seen from far away in direction `toward`.

    Without a lamp there is one band, the whole.  Ends are (n, 2, 3), radii (n, 2).
    """
    view = toward / np.linalg.norm(toward)
    x, y, z = (float(part) for part in view)
    flat = math.hypot(x, z)
    plane = np.array([(z / flat, 0.0, -x / flat), (-x * y / flat, flat, -y * z / flat)])  # to the right, and up
    along = (ends_mm[:, 1] - ends_mm[:, 0]) @ plane.T
    length = np.linalg.norm(along, axis=1)
    bearing = np.arctan2(along[:, 1], along[:, 0])
    # Where the common tangent leaves the circles; of two that hold one another the larger is left.
    half = np.arccos(np.clip((radii_mm[:, 0] - radii_mm[:, 1]) / np.maximum(length, 1e-9), -1.0, 1.0))
    share = np.linspace(-1.0, 1.0, HALF_CORNERS)
    round_end = bearing[:, None] + half[:, None] * share
    round_start = bearing[:, None] + math.pi + (math.pi - half[:, None]) * share
    turns = np.stack([round_start, round_end], axis=1)  # (n, 2, corners)
    rim = np.stack([np.cos(turns), np.sin(turns)], axis=-1) @ plane  # (n, 2, corners, 3)
    bands = np.array([1.0]) if lamp is None else np.array([size for size, _ in ROUNDNESS])
    shift = np.zeros((1, 3)) if lamp is None else (1.0 - bands)[:, None] * lamp
    offsets = bands[:, None, None, None] * rim[:, None] + shift[:, None, None, :]
    outlines = ends_mm[:, None, :, None, :] + radii_mm[:, None, :, None, None] * offsets
    return np.asarray(outlines.reshape(len(ends_mm), len(bands), 2 * HALF_CORNERS, 3), dtype=np.float64)


def trace_prism(block: Block) -> tuple[Points, Points]:
    """(n, 3) corners of a block's foot and of its top, as places in the figure."""
    outline = np.array(block.outline)
    middle = outline.mean(axis=0)
    upper = middle + (outline - middle) * block.taper
    return (
        np.column_stack([outline, np.full(len(outline), block.foot)]),
        np.column_stack([upper, np.full(len(outline), block.top)]),
    )


def shade_colour(colour: Colour, brightness: float) -> Colour:
    """Make a colour lighter or darker."""
    return _shade_by_steps(colour, round(brightness * BRIGHTNESS_STEPS))


@functools.lru_cache(maxsize=8192)
def _shade_by_steps(colour: Colour, steps: int) -> Colour:
    brightness = steps / BRIGHTNESS_STEPS
    blue, green, red = (min(255, round(part * brightness)) for part in colour)
    return blue, green, red


def _cut_facets(solid: Sail | Block, frame: SolidFrame, eye_mm: Points, colour: Colour) -> Iterator[Facet]:
    if isinstance(solid, Sail):
        corners = frame.place(np.array(solid.corners))
        bright = _brighten(float(np.mean([corner[2] for corner in solid.corners])))
        yield Facet(corners_mm=corners, colour=shade_colour(colour, 0.6 * bright))
        middle = corners.mean(axis=0)
        lit = 0.75 + 0.35 * abs(float(_find_normal(corners) @ LAMP))
        yield Facet(corners_mm=middle + (corners - middle) * 0.84, colour=shade_colour(colour, lit * bright))
        return
    foot, top = (frame.place(corners) for corners in trace_prism(solid))
    bright = _brighten((solid.foot + solid.top) / 2)
    after = np.roll(np.arange(len(foot)), -1)
    for k, following in enumerate(after):
        wall = np.stack([foot[k], foot[following], top[following], top[k]])
        normal = _find_normal(wall)
        if normal @ (eye_mm - wall[0]) > 0:
            level = 0.55 + 0.35 * float(normal @ LAMP)
            yield Facet(corners_mm=wall, colour=shade_colour(colour, level * bright))
    yield Facet(corners_mm=top, colour=shade_colour(colour, 1.18 * bright))
    middle = top.mean(axis=0)
    yield Facet(corners_mm=middle + (top - middle) * 0.88, colour=shade_colour(colour, bright))


def _find_normal(corners: Points) -> Points:
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return np.asarray(normal / max(float(np.linalg.norm(normal)), 1e-9), dtype=np.float64)


def _brighten(height: float) -> float:
    """Little light comes down between the parts of a figure."""
    return 0.70 + 0.36 * min(max(height, 0.0), 1.0)
