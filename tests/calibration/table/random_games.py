"""Random games on random tables: bases with tags that lie all over the table, and what they tell of the lens."""

from dataclasses import dataclass

import numpy as np

from calibration.table.camera_pose import compute_outward_steps
from calibration.table.play_refinement import PlayRefinement, RestingTag, refine_from_play
from tests.calibration.table.random_tables import (
    RIM_MM,
    SQUARE,
    CalibrationDraw,
    DrawnTable,
    LensKnown,
    View,
    draw_table,
)
from tests.calibration.table.simulated_tables import TABLE

NOISE_PX, BLEED_PX, OWN_BLEED_PX, UNEVEN_PX = 0.03, 0.15, 0.03, 0.02
"""How far corners are off each by itself; how far all edges bleed; by how much those of one tag more; and by how much
more at the rim of the picture than in its middle."""
PRINT_SHARE, OWN_SHARE, HEIGHT_SIGMA_MM = 0.003, 0.002, 0.2
"""By which share all prints are too large, and one more than another; and how well heights are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDraw:
    """A calibration before a game and after it."""

    before: CalibrationDraw
    after: CalibrationDraw
    found: PlayRefinement


def draw_game(seed: int, known: LensKnown, view: View, *, count: int = 60) -> GameDraw:
    """Draw a table and a game on it by lot, and calibrate it with what is known of the lens before and after."""
    table = draw_table(seed, known, view)
    before = table.solve(table.lens)
    found = refine_from_play(
        known=table.lens,
        in_use=before,
        place=table.solve,
        resting=draw_tags(table, count),
        width_mm=TABLE.width_mm,
        depth_mm=TABLE.depth_mm,
    )
    after = table.solve(found.lens, before=found.camera)
    return GameDraw(before=table.measure(before), after=table.measure(after), found=found)


def draw_tags(table: DrawnTable, count: int) -> list[RestingTag]:
    """Return tags anywhere on a table, turned anyhow."""
    rng, true = table.rng, table.true
    edges = rng.choice([16.0, 20.0, 25.0], count)
    spots = rng.uniform(RIM_MM, (TABLE.width_mm - RIM_MM, TABLE.depth_mm - RIM_MM), (count, 2))
    turns = np.exp(1j * rng.uniform(-np.pi, np.pi, count)) * edges * (1 + PRINT_SHARE + rng.normal(0, OWN_SHARE, count))
    corners = turns[:, None] * (SQUARE @ (1, 1j))
    heights = 4.0 + rng.normal(0, HEIGHT_SIGMA_MM, (count, 1)).repeat(4, axis=1)
    squares = np.stack([corners.real + spots[:, :1], corners.imag + spots[:, 1:], heights], axis=2)
    seen = true.image_from_table(squares.reshape(-1, 3)).reshape(-1, 4, 2)
    across = 2 * seen.mean(axis=1) / true.lens.image_size - 1
    bleeds = BLEED_PX + across @ rng.normal(0, UNEVEN_PX, 2) + (across**2).sum(axis=1) / 2 * rng.normal(0, UNEVEN_PX)
    bleeds += rng.normal(0, OWN_BLEED_PX, count)
    seen += bleeds[:, None, None] * compute_outward_steps(seen) + rng.normal(0, NOISE_PX, seen.shape)
    # A tag lies still at many places in a game: each of these does that is as large.
    return [
        RestingTag(tag=int(e), size_mm=float(e), height_mm=4.0, corners_px=at)
        for e, at in zip(edges, seen, strict=True)
    ]
