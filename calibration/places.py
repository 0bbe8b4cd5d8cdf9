"""Where anchors are said to lie: at a place, in a corner of the table, or somewhere."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.spaces import Floats

Corner = Literal["near-left", "near-right", "far-left", "far-right"]

EXACT_MM, EXACT_RAD = 1e-4, 1e-6
"""What is said to be exact is known so well: better than anything that could be told from a picture."""
PRINT_SIGMA = 0.005
"""By which share all prints may be larger than they are said to be: printers scale."""
SAME_SIGMA = 0.001
"""By which share one print may be larger than the others: paper swells, and cameras sharpen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """The table as it was measured."""

    width_mm: float
    depth_mm: float
    sigma_mm: float
    """One standard deviation of either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """What is known of where an anchor lies before any picture was looked at."""

    tag: int
    size_mm: float
    """Edge of the black square."""
    z_mm: float = 0.0
    x_mm: float | None = None
    y_mm: float | None = None
    """The place of its centre; None where it lies in a corner or somewhere."""
    turn_rad: float | None = None
    """In a corner without it, the print lies with any of its four edges along the table's."""
    corner: Corner | None = None
    inset_mm: float = 0.0
    """From the table's edges to the tag's centre, for an anchor in a corner."""
    sigma_mm: float = 0.0
    """One standard deviation of the place along each axis; 0 is exact."""
    sigma_rad: float = 0.0
    size_is_known: bool = True

    @property
    def is_open(self) -> bool:
        """Whether only pictures can tell where it lies."""
        return self.x_mm is None and self.corner is None

    def centre_mm(self, width_mm: float, depth_mm: float) -> complex:
        """Return the place where it is said to lie, on a table of this size; only for one that is not open."""
        if self.corner is None:
            assert self.x_mm is not None
            assert self.y_mm is not None
            return complex(self.x_mm, self.y_mm)
        x_mm = width_mm - self.inset_mm if "right" in self.corner else self.inset_mm
        y_mm = depth_mm - self.inset_mm if "far" in self.corner else self.inset_mm
        return complex(x_mm, y_mm)

    def turn_near(self, seen_rad: float) -> float:
        """Return the turn in which it is said to lie, the nearest of those that are possible."""
        if self.turn_rad is not None:
            return seen_rad + math.remainder(self.turn_rad - seen_rad, math.tau)
        quarter = math.pi / 2
        return round(seen_rad / quarter) * quarter if self.corner else seen_rad


def prior_of(laid: Sequence[Laid], table: TableSize, places: Floats) -> tuple[Floats, Floats]:
    """Return mean (p,) and information (p, p) of what is said of a table and the anchors on it.

    The parameters are the table's width and depth, by which share all prints are larger than said, then x, y (mm) and
    turn (rad) of each of the n anchors, then by which share each is larger than the others.  ``places`` (n, 3) is about
    where the anchors lie: it tells full turns apart, and how a print lies in a corner.  Nothing is known of an open
    place.
    """
    count = len(laid)
    size = 3 + 4 * count
    mean = np.concatenate([[table.width_mm, table.depth_mm, 0.0], places.ravel(), np.zeros(count)])
    rows: list[Floats] = []

    def say(sigma: float, at: int, goes_with: int | None = None) -> None:
        row = np.zeros(size)
        row[at] = 1.0
        if goes_with is not None:
            row[goes_with] = -1.0
        rows.append(row / sigma)

    say(max(table.sigma_mm, EXACT_MM), 0)
    say(max(table.sigma_mm, EXACT_MM), 1)
    say(PRINT_SIGMA, 2)
    for i, anchor in enumerate(laid):
        say(SAME_SIGMA if anchor.size_is_known else 1.0, 3 + 3 * count + i)
        if anchor.is_open:
            continue
        at, corner = 3 + 3 * i, anchor.corner or ""
        centre = anchor.centre_mm(table.width_mm, table.depth_mm)
        mean[at : at + 3] = centre.real, centre.imag, anchor.turn_near(float(places[i, 2]))
        sigma_mm = max(anchor.sigma_mm, EXACT_MM)
        say(sigma_mm, at, 0 if "right" in corner else None)  # a corner goes with the table's measures
        say(sigma_mm, at + 1, 1 if "far" in corner else None)
        say(max(anchor.sigma_rad, EXACT_RAD), at + 2)
    weights = np.array(rows)
    return mean, np.asarray(weights.T @ weights)


def turn_sigma(sigma_mm: float, size_mm: float) -> float:
    """Return the standard deviation (rad) of a turn if the ends of an edge of ``size_mm`` are laid to ``sigma_mm``."""
    return sigma_mm * math.sqrt(2) / size_mm


def opened(anchor: Laid) -> Laid:
    """Return an anchor of whose place nothing is said."""
    return replace(anchor, x_mm=None, y_mm=None, turn_rad=None, corner=None)
