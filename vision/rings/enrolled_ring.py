"""Enrolled rings: what is known of the coded ring of a model's base before any picture is seen."""

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from hardware.rings.layout import RingLayout

CELL_SAMPLES = 20
"""Places along each cell at which turned outlines are compared."""
SAME_MM = 0.05
"""Outlines that lie so close to each other are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingShape:
    """What rings have in common that differ in their words alone."""

    layout: RingLayout
    """Told from others by identity: bases of one shape share it."""
    height_mm: float
    """Of the base's top above what it stands on; it hides a part of a ring that lies lower."""

    @property
    def ring_height_mm(self) -> float:
        """Height of the ring above what the base stands on: near the ground, or at the top of the base."""
        lies_at_mm = self.layout.band.height_mm
        return self.height_mm if lies_at_mm is None else lies_at_mm


@dataclass(frozen=True, kw_only=True)
class EnrolledRing:
    """A ring around a model's base, or along its edge."""

    marker: int
    """Its number, as `vision.marker_numbers` counts rings."""
    model: str
    layout: RingLayout
    """Where its cells are, in the ring's own frame: the base's, but for what enrolment found."""
    word: str
    """A 0 (dark) or 1 (light) for each cell, from the nose counter-clockwise."""
    x_mm: float = 0.0
    y_mm: float = 0.0
    facing_rad: float = 0.0
    """The ring's middle and turn in the base's frame."""
    height_mm: float
    """Of the base's top above what it stands on; `ring_height_mm` is the ring's own."""
    offset_sigma_mm: float = 0.0
    """One standard deviation of the ring's middle in the base, along each axis."""
    facing_sigma_rad: float = 0.0
    height_sigma_mm: float = 0.0
    """Of the height of the base."""

    @property
    def shape(self) -> RingShape:
        """What it has in common with rings of other words."""
        return RingShape(layout=self.layout, height_mm=self.height_mm)

    @property
    def ring_height_mm(self) -> float:
        """Height of the ring above what the base stands on."""
        return self.shape.ring_height_mm

    @cached_property
    def bits(self) -> NDArray[np.bool_]:
        """(cells,) which cells are light."""
        return np.array([cell == "1" for cell in self.word])

    @cached_property
    def corners_mm(self) -> NDArray[np.float64]:
        """(4, 2) of the oblong around all of the ring, about its middle, in its own frame and a tag's order."""
        reach_mm = self.layout.band.reach_mm - self.layout.band.middle_mm
        halves_mm = np.abs(self.layout.middle_line_mm).max(axis=0) + reach_mm
        return np.asarray(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * halves_mm)


@cache
def count_symmetries(layout: RingLayout) -> int:
    """Return in how many turns the shape of a ring's band comes to lie on itself and its cells on cells.

    A round one does in as many as it has cells; an outline that does so in one alone tells its facing without its word.
    """
    along = np.arange(layout.cells * CELL_SAMPLES) / CELL_SAMPLES
    line = layout.place(along, np.full(len(along), layout.band.middle_mm)) @ np.array([1.0, 1j])
    for turns in (layout.cells, 4, 2):
        turned = np.roll(line, -(len(line) // turns)) * np.exp(-1j * math.tau / turns)
        if layout.cells % turns == 0 and np.abs(turned - line).max() < SAME_MM:
            return turns
    return 1
