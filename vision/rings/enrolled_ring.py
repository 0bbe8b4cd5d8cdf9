"""Enrolled rings: what is known of the coded ring of a model's base before any picture is seen."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hardware.rings.layout import RingLayout


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
    def ring_height_mm(self) -> float:
        """Height of the ring above what the base stands on: near the ground, or at the top of the base."""
        lies_at_mm = self.layout.band.height_mm
        return self.height_mm if lies_at_mm is None else lies_at_mm

    @cached_property
    def bits(self) -> NDArray[np.bool_]:
        """(cells,) which cells are light."""
        return np.array([cell == "1" for cell in self.word])
