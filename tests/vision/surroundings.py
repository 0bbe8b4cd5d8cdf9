"""What else is in the pictures of a film: a hand, the room's light and its shade, and what the projector shows."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import PALETTE
from assistant.overlay.raster import darkened, flat, raster
from assistant.overlay.shapes import Layer, OverlayShape, Points
from hardware.virtual.scene import Scene, VirtualBase
from hardware.virtual.table import VirtualTable
from tests.vision.staged import radius_of

MASK_MM = 4.0
"""What the projector keeps dark around a base, where it keeps it dark."""
Grey = NDArray[np.uint8]


class Hand:
    """A hand that wanders from base to base, rests, and goes away for a while."""

    def __init__(self, rng: np.random.Generator, scene: Scene, frames: int) -> None:
        self.above_mm = float(rng.choice([0.0, 40.0, 90.0]))
        self._length_mm, self._width_mm = float(rng.uniform(50, 90)), float(rng.uniform(25, 45))
        self._turn_rad = float(rng.uniform(-math.pi, math.pi))
        places = list(scene.placements.values())
        self._keys: list[tuple[float, float, float]] = []
        number = 15.0
        while number < frames:
            at = places[int(rng.integers(len(places)))]
            x_mm, y_mm = at.x_mm + float(rng.normal(0, 30)), at.y_mm + float(rng.normal(0, 30))
            rests = float(rng.uniform(2, 25))
            self._keys += [(number, x_mm, y_mm), (number + rests, x_mm, y_mm)]
            number += rests + float(rng.uniform(10, 30))
        self._away = float(rng.uniform(0.3, 0.9)) * frames

    def outline(self, number: float) -> Points | None:
        """Return where it is at a frame; None while it is away."""
        if number < self._keys[0][0] or self._away < number < self._away + 25:
            return None
        at, xs, ys = np.array(self._keys).T
        x_mm, y_mm = float(np.interp(number, at, xs)), float(np.interp(number, at, ys))
        spot = complex(x_mm, y_mm)
        turn = complex(math.cos(self._turn_rad), math.sin(self._turn_rad))
        corners = (
            spot + turn * complex(self._length_mm * math.cos(a), self._width_mm * math.sin(a))
            for a in np.linspace(0, math.tau, 24, endpoint=False)
        )
        return tuple((corner.real, corner.imag) for corner in corners)


def lamp(rng: np.random.Generator, table: VirtualTable, masked: Sequence[VirtualBase]) -> Grey:
    """Return rings and lines of the overlay's own styles about some bases, dark over those that are masked."""
    projector, places = table.projector, table.placements()
    shapes = []
    for i in range(int(rng.integers(3, 9))):
        style = str(rng.choice(sorted(PALETTE)))
        at = places[int(rng.choice(sorted(places)))]
        radius_mm = float(rng.uniform(18, 150))
        ring = _circle(at.x_mm + float(rng.normal(0, 15)), at.y_mm, radius_mm)
        layer = list(Layer)[int(rng.integers(len(Layer)))]
        shapes.append(OverlayShape(key=str(i), layer=layer, rings_mm=(ring,), closed=i % 3 > 0, style=style))
    drawn = raster(shapes, projector_from_table=flat(projector.projector_from_table), image_size=projector.image_size)
    there = ((base, places[base.tag]) for base in masked if base.tag in places)
    masks = [_circle(at.x_mm, at.y_mm, radius_of(base) + MASK_MM) for base, at in there]
    return darkened(drawn, masks, projector_from_table=flat(projector.projector_from_table))


def room_light(rng: np.random.Generator, image_size: tuple[int, int], *, brightness: float, shaded: bool) -> Grey:
    """(height, width) how bright the room is, 128 for as rendered: shade has a soft edge across the picture."""
    width, height = image_size
    gain = np.full((height, width), brightness, dtype=np.float32)
    if shaded:
        turn_rad, edge = float(rng.uniform(-math.pi, math.pi)), float(rng.uniform(-0.2, 0.2))
        x = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * np.float32(math.cos(turn_rad))
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, None] * np.float32(math.sin(turn_rad))
        gain *= 1 - 0.55 * np.clip(0.5 + (x + y - edge) / 0.02, 0, 1)
    return np.clip(np.rint(gain * 128), 0, 255).astype(np.uint8)


def averaged(views: Sequence[Grey]) -> Grey:
    """Return the mean of some pictures, as a shutter that stays open takes it."""
    if len(views) == 1:
        return views[0]
    total = np.zeros(views[0].shape, dtype=np.uint16)
    for view in views:
        total = cv2.add(total, view, dtype=cv2.CV_16U)  # type: ignore[assignment]
    return np.asarray(cv2.convertScaleAbs(total, alpha=1 / len(views)), dtype=np.uint8)


def _circle(x_mm: float, y_mm: float, radius_mm: float) -> Points:
    turns = [math.tau * k / 48 for k in range(48)]
    return tuple((x_mm + radius_mm * math.cos(a), y_mm + radius_mm * math.sin(a)) for a in turns)
