"""A tag's print, laid over the picture so that its edges fall where they belong, flat or with a corner that curls."""

import functools
import math

import cv2
import numpy as np

from hardware.simulation.optics import Points
from hardware.simulation.sprite import FINENESS, Image, SpriteCanvas
from hardware.tag36h11 import INNER, MODULES, find_white_modules

INK, PAPER = 18, 228

TEXTURE_CORNERS = np.array([(1, 9), (9, 9), (9, 1), (1, 1)])
"""Of the black square in modules of the texture, in the order of the corners of a tag on the table."""


def lay_tag(patch: SpriteCanvas, tag: int, corners_px: Points, *, curl: tuple[int, Points] | None = None) -> None:
    """Lay a tag, (4, 2) corners of its black square, so that its edges fall exactly where they belong.

    One of its corners may curl up, by so much in the picture.
    """
    # Of a texture finer than what it is sampled by, edges would be found up to an eighth of a pixel off, all along.
    sides_px = np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1)
    texels = max(1, math.floor(sides_px.min() / INNER * FINENESS))
    texture, texture_corners = render_tag_texture(tag, texels), TEXTURE_CORNERS * float(texels) - 0.5
    if curl is None:
        patch.paint_texture(texture, corners_px, texture_corners)
    else:
        _bend_texture(patch, texture, corners_px, texture_corners, corner=curl[0], rise_px=curl[1])


@functools.lru_cache(maxsize=1024)
def render_tag_texture(tag: int, texels: int) -> Image:
    """(n, n, 4) BGRA: a tag36h11 as the family publishes it, x right and y up, in its white surround.

    Each module has so many texels along its edge.
    """
    grey = np.where(np.pad(find_white_modules(tag), 1, constant_values=True), PAPER, INK).astype(np.uint8)
    texture: Image = np.full((MODULES * texels, MODULES * texels, 4), 255, dtype=np.uint8)
    texture[:, :, :3] = np.kron(grey, np.ones((texels, texels), dtype=np.uint8))[:, :, None]
    texture.flags.writeable = False
    return texture


def _bend_texture(
    patch: SpriteCanvas,
    texture: Image,
    corners_px: Points,
    texture_corners: Points,
    *,
    corner: int,
    rise_px: Points,
) -> None:
    """Paint a texture as `SpriteCanvas.paint_texture` does, one of its corners curled up.

    The corner stands `rise_px` (2,) farther in the picture, and what is nearer to the middle less, by the square.
    """
    texture_from_canvas = cv2.getPerspectiveTransform(
        patch.canvas_from_picture(corners_px).astype(np.float32), texture_corners.astype(np.float32)
    )
    height, width = patch.fine.shape[:2]
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    size = texture.shape[0]
    toward = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)])[corner]
    flat = grid
    for _ in range(3):
        there = cv2.perspectiveTransform(flat, texture_from_canvas)
        lean = ((there / size - 0.5) * toward).sum(axis=-1, keepdims=True)
        flat = grid - np.clip(lean, 0, 1.2) ** 2 * rise_px * patch.fineness
    there = cv2.perspectiveTransform(flat, texture_from_canvas).astype(np.float32).reshape(height, width, 2)
    columns, rows = (np.ascontiguousarray(there[:, :, axis]) for axis in (0, 1))
    cv2.remap(texture, columns, rows, cv2.INTER_LINEAR, dst=patch.fine, borderMode=cv2.BORDER_TRANSPARENT)
