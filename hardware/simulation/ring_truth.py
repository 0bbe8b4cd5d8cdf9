"""Truth about rings on the virtual table: which of their cells a picture shows."""

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.drawing import BODY, HALO, SHADES, place_ring
from hardware.simulation.scene import Placement, VirtualRing
from hardware.simulation.sprite import Sprite
from hardware.simulation.virtual_table import VirtualTable

SEEN_SHARE = 0.6
"""A cell of which so much is to be seen counts as seen."""
SAMPLES_ALONG, SAMPLES_ACROSS = 6, 5


def count_visible_cells(table: VirtualTable) -> dict[int, int]:
    """Return by marker how many cells the last rendered picture shows of each ring on the table."""
    return {marker: int((shares >= SEEN_SHARE).sum()) for marker, shares in measure_visible_shares(table).items()}


def measure_visible_shares(table: VirtualTable) -> dict[int, NDArray[np.float64]]:
    """Return by marker (cells,) the share of each cell of a ring that the last rendered picture shows.

    Figures, other bases, the base's own body, a hand and the picture's edge hide; a shadow does not.
    """
    stack = [(marker, sprite) for marker, sprite in table.list_sprites() if sprite.level[1] not in SHADES]
    bases = {base.marker: base for base in table.scene.bases}
    shares = {}
    for marker, at in table.get_placements().items():
        base = bases[marker]
        if base.ring is None:
            continue
        layer = HALO if base.ring.is_halo else BODY
        own = next((i for i, (m, sprite) in enumerate(stack) if m == marker and sprite.level[1] == layer), None)
        above = [] if own is None else [sprite for _, sprite in stack[own + 1 :]]
        pixels = _project_samples(table, base.ring, at, base.height_mm)
        shown = _sample_clearness(pixels, above, table.camera.image_size)
        shares[marker] = (shown if own is not None else np.zeros_like(shown)).mean(axis=1)
    return shares


def _project_samples(table: VirtualTable, ring: VirtualRing, at: Placement, height_mm: float) -> NDArray[np.float64]:
    """(cells, samples, 2) pixels of places all over each cell."""
    layout = ring.layout
    along = (np.arange(SAMPLES_ALONG) + 0.5) / SAMPLES_ALONG
    across = (np.arange(SAMPLES_ACROSS) + 0.5) / SAMPLES_ACROSS
    inside, offset = np.meshgrid(along, across)
    turns = np.arange(layout.cells)[:, None] + inside.ravel()
    offsets = layout.band.inner_mm + offset.ravel() * (layout.band.outer_mm - layout.band.inner_mm)
    points = place_ring(ring, layout.place(turns, np.broadcast_to(offsets, turns.shape)).reshape(-1, 2), at, height_mm)
    return table.camera.project(points).reshape(layout.cells, -1, 2)


def _sample_clearness(
    pixels: NDArray[np.float64], above: list[Sprite], image_size: tuple[int, int]
) -> NDArray[np.float64]:
    """(cells, samples) how much of each place nothing covers, from 0 to 1."""
    clear = ((pixels >= 0) & (pixels <= np.array(image_size) - 1)).all(axis=-1).astype(np.float64)
    low, high = pixels.reshape(-1, 2).min(axis=0), pixels.reshape(-1, 2).max(axis=0)
    for sprite in above:
        rect = sprite.rect
        if rect.right < low[0] or rect.left > high[0] or rect.bottom < low[1] or rect.top > high[1]:
            continue
        x, y = np.moveaxis((pixels - [rect.left, rect.top]).astype(np.float32), -1, 0)
        cover = np.ascontiguousarray(sprite.surface[:, :, 3])
        covered = cv2.remap(
            cover, np.ascontiguousarray(x), np.ascontiguousarray(y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
        )
        clear -= clear * covered / 255
    return np.asarray(clear, dtype=np.float64)
