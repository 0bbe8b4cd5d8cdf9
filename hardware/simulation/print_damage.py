"""Damage to a printed marker, drawn over it: paint on its rim, smudges, a crease, a corner that curls up."""

import math
from collections.abc import Callable

import cv2
import numpy as np

from hardware.simulation.optics import Points
from hardware.simulation.scene import Colour, PrintDamage
from hardware.simulation.sprite import SpriteCanvas

CREASE_WIDTH = 0.05
"""Of the line where toner has come off a fold, as a share of half the print's width."""
PRINT = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float32)
RING_SHARE = 0.92
"""So far from its middle, of half its width, is the middle of a ring's print."""
CREASE_PAPER: Colour = (196, 198, 200)
CREASE_SHADE = 0.22
"""So much darker is the side of a fold that leans away from the lamp."""
PAINTS: tuple[Colour, ...] = ((40, 60, 40), (60, 90, 130), (50, 50, 55), (90, 140, 160), (120, 70, 40), (200, 205, 200))


def spoil_print(
    patch: SpriteCanvas,
    damage: PrintDamage,
    to_pixels: Callable[[Points], Points],
    half_mm: tuple[float, float],
    *,
    is_ring: bool,
) -> None:
    """Draw what has happened to a print over it: to a tag all over, to a ring along it.

    `to_pixels` takes places (n, 2) in the print's frame, mm, to the picture; the print reaches `half_mm` from its
    middle in x and y.
    """
    rng = np.random.default_rng([damage.seed, 3])
    if damage.paint:
        for _ in range(int(rng.integers(1, 5))):
            spot = _find_rim(float(rng.uniform(0, 4)), is_ring=is_ring)
            colour = PAINTS[int(rng.integers(len(PAINTS)))]
            blob = _draw_blob(rng, spot, float(rng.uniform(0.05, 0.16)), 1.6) * half_mm
            patch.tint(to_pixels(blob), colour, damage.paint, softness_px=0.3)
    if damage.smudge:
        for _ in range(int(rng.integers(1, 4))):
            spot = (float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8)))
            if is_ring:
                spot = _find_rim(2 * (1 + spot[0]), is_ring=True)
            grey = int(rng.integers(70, 150))
            blob = _draw_blob(rng, spot, float(rng.uniform(0.15, 0.4)), 2.5) * half_mm
            share = damage.smudge * float(rng.uniform(0.4, 1.0))
            patch.tint(to_pixels(blob), (grey, grey, grey), share, softness_px=1.0)
    if damage.crease:
        turn_rad, off = float(rng.uniform(0, math.pi)), float(rng.uniform(-0.6, 0.6))
        along, across = (
            np.array([math.cos(turn_rad), math.sin(turn_rad)]),
            np.array([-math.sin(turn_rad), math.cos(turn_rad)]),
        )
        for width, colour, share in ((2.0, (0, 0, 0), CREASE_SHADE), (CREASE_WIDTH, CREASE_PAPER, 0.9)):
            ends = [(-2, 0), (2, 0), (2, width), (-2, width)]
            strip = np.array([a * along + (off + b) * across for a, b in ends], dtype=np.float32)
            _, inside = cv2.intersectConvexConvex(strip, PRINT)
            if inside is None:
                continue
            patch.tint(
                to_pixels(inside.reshape(-1, 2).astype(np.float64) * half_mm),
                colour,
                share * damage.crease,
                softness_px=0.0,
            )


def _find_rim(way: float, *, is_ring: bool) -> tuple[float, float]:
    """Return a place on the edge of the square from -1 to 1, or on a ring in it, so many quarters along it."""
    if is_ring:
        return RING_SHARE * math.cos(math.pi / 2 * way), RING_SHARE * math.sin(math.pi / 2 * way)
    side, share = divmod(way, 1.0)
    x, y = 1.05, 2 * share - 1
    for _ in range(int(side)):
        x, y = -y, x
    return x, y


def _draw_blob(rng: np.random.Generator, spot: tuple[float, float], radius: float, longest: float) -> Points:
    """(n, 2) an uneven oval about a spot."""
    turns = np.linspace(0, math.tau, 24, endpoint=False)
    uneven = 1 + 0.25 * np.sin(2 * turns + rng.uniform(0, 6)) + 0.15 * np.sin(5 * turns + rng.uniform(0, 6))
    turn_rad, long = float(rng.uniform(0, math.pi)), float(rng.uniform(1, longest))
    oval = np.column_stack([long * np.cos(turns), np.sin(turns)]) * (radius * uneven)[:, None]
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return np.asarray(oval @ np.array([[cos, sin], [-sin, cos]]) + spot, dtype=np.float64)
