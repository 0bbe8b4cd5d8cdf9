"""Pixel phase: how alike a tag's edges fall among the pixels, and by how much that puts all of the tag off.

Pixels are too coarse for a sharp lens: an edge is found a few hundredths of one off, by where in a pixel it falls.
Edges that fall elsewhere make up for each other; those of a tag that lies along the pixels, with a whole number of them
to a cell, are all off alike, which no residual shows.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EDGE_ERROR_PX = 0.04
"""By how much one edge is off for where it falls; one sigma.  Measured on exact renders: 0.007 px at a blur of 0.7 px
before the sensor, 0.033 at 0.3; 0.03 to 0.05 where what blurs comes after it, as a processor's filter does."""
LINES = np.arange(-4, 5) / 8
"""Where the lines of a tag's edges are, in sides of it."""
LINE_WEIGHTS = np.array([8, 3, 3, 3, 3, 3, 3, 3, 8]) / 37
"""How much of its edges each holds: its border all of its length, the cells within about half."""
PARTS = (np.arange(24) + 0.5) / 24 - 0.5
"""Where along an edge its parts are, in sides of the tag."""


def estimate_common_errors(corners_px: Floats) -> tuple[Floats, Floats]:
    """Return by how much the edges of tags, with (n, 4, 2) corners, put them off together; one sigma.

    The share of an edge's error that does not cancel is the mean over all edges of a wave as long as a pixel; what of
    it changes from one end of the edges to the other turns the tag.

    Returns:
        (n, 2) px to the right and down, and (n,) radians of turn.

    """
    first, second, _, fourth = corners_px.transpose(1, 0, 2)
    right, up = second - first, fourth - first
    shares, turns = np.zeros((2, *right.shape))
    for along, across in ((right, up), (up, right)):
        waves = np.cos(2 * np.pi * along[..., None] * LINES) @ LINE_WEIGHTS
        shares += (waves * np.sinc(across)) ** 2
        turns += (waves * (np.sin(2 * np.pi * across[..., None] * PARTS) @ PARTS) / (PARTS @ PARTS)) ** 2
    # A pattern whose edges are not as many to each side turns a little, too.
    turn = np.sqrt((turns + 6 * shares).sum(axis=1)) / (2 * np.linalg.norm(right, axis=1))
    return EDGE_ERROR_PX * np.sqrt(shares), EDGE_ERROR_PX * turn
