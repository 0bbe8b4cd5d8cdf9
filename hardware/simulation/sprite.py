"""Sprites: small anti-aliased pictures that are laid over the big one, and the canvas on which they are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.optics import Points
from hardware.simulation.scene import Colour

Image = NDArray[np.uint8]

FINENESS = 4
"""A patch is drawn this many times finer than the picture along each axis, then averaged."""

SUBPIXEL_BITS = 4


@dataclass(frozen=True, slots=True, order=True)
class PixelRect:
    """Pixels from (left, top) up to but without (right, bottom)."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """There is no pixel in it."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def slices(self) -> tuple[slice, slice]:
        """To index an image with."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def touches(self, other: "PixelRect") -> bool:
        """Tell whether they have a pixel in common."""
        across = self.left < other.right and other.left < self.right
        along = self.top < other.bottom and other.top < self.bottom
        return across and along and not (self.empty or other.empty)

    def grow(self, by_px: int) -> "PixelRect":
        """Add a border all round."""
        return PixelRect(self.left - by_px, self.top - by_px, self.right + by_px, self.bottom + by_px)

    def intersect(self, other: "PixelRect") -> "PixelRect":
        """Return what both have."""
        return PixelRect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def unite(self, other: "PixelRect") -> "PixelRect":
        """Return the smallest that holds both."""
        return PixelRect(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    @classmethod
    def from_points(cls, pixels: Points) -> "PixelRect":
        """Return the smallest that holds points (n, 2), with a pixel to spare."""
        low, high = np.floor(pixels.min(axis=0)) - 1, np.ceil(pixels.max(axis=0)) + 2
        return cls(int(low[0]), int(low[1]), int(high[0]), int(high[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprite:
    """A patch of surface to lay over the picture."""

    rect: PixelRect
    surface: Image
    """(height, width, 4) blue, green, red as they reflect, times cover; and cover, 0 to 255."""
    z_mm: float
    """Height at which light is taken to fall on it."""
    level: tuple[float, int]
    """What lies over what: height of the floor below, then sheet, halo, shadow, body, figure."""
    far_mm: float = 0.0
    """From the camera's foot: of one level the farther is drawn first, since what is nearer leans out over it."""


class SpriteCanvas:
    """A canvas for one sprite, drawn fine and averaged."""

    def __init__(self, rect: PixelRect, fineness: int = FINENESS) -> None:
        """Cover `rect`; what is going to be soft need not be drawn finer than the picture."""
        self.rect = rect
        self.fineness = fineness
        self.fine: Image = np.zeros(
            ((rect.bottom - rect.top) * fineness, (rect.right - rect.left) * fineness, 4), dtype=np.uint8
        )

    def canvas_from_picture(self, pixels: Points) -> Points:
        """Coordinates on the fine canvas of picture pixels (n, 2)."""
        return (pixels - [self.rect.left, self.rect.top] + 0.5) * self.fineness - 0.5

    def fill(self, pixels: Points, colour: Colour, *, cover: int = 255) -> None:
        """Paint a polygon (n, 2)."""
        self.fill_all([pixels], [colour], cover=cover)

    def fill_all(self, polygons: Sequence[Points], colours: Sequence[Colour], *, cover: int = 255) -> None:
        """Paint polygons, each over those before it."""
        if not polygons:
            return
        corners = np.rint(self.canvas_from_picture(np.concatenate(polygons)) * (1 << SUBPIXEL_BITS)).astype(np.int32)
        last = 0
        for polygon, colour in zip(polygons, colours, strict=True):
            first, last = last, last + len(polygon)
            cv2.fillPoly(self.fine, [corners[first:last]], (*colour, cover), shift=SUBPIXEL_BITS)

    def tint(self, pixels: Points, colour: Colour, share: float, *, softness_px: float) -> None:
        """Mix a colour into what is painted inside of a polygon (n, 2), whose edge may be soft."""
        mask = np.zeros(self.fine.shape[:2], dtype=np.uint8)
        corners = np.rint(self.canvas_from_picture(pixels) * (1 << SUBPIXEL_BITS)).astype(np.int32)
        cv2.fillPoly(mask, [corners], 255, shift=SUBPIXEL_BITS)
        if softness_px > 0:
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), softness_px * self.fineness), dtype=np.uint8)
        shares = mask[:, :, None].astype(np.float32) * np.float32(share / 255)
        painted, cover = self.fine[:, :, :3], self.fine[:, :, 3:].astype(np.float32) / 255
        painted[:] = np.rint(painted + (np.array(colour, dtype=np.float32) * cover - painted) * shares)

    def paint_texture(self, texture: Image, corners_px: Points, texture_corners: Points) -> None:
        """Paint a flat texture (BGRA) so that `texture_corners` (4, 2) fall on `corners_px` (4, 2)."""
        fine_from_texture = cv2.getPerspectiveTransform(
            texture_corners.astype(np.float32), self.canvas_from_picture(corners_px).astype(np.float32)
        )
        height, width = self.fine.shape[:2]
        cv2.warpPerspective(
            texture,
            fine_from_texture,
            (width, height),
            dst=self.fine,
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_TRANSPARENT,
        )

    def build_sprite(
        self,
        *,
        z_mm: float,
        level: tuple[float, int],
        frame: PixelRect,
        softness_px: float = 0.0,
        far_mm: float = 0.0,
    ) -> Sprite:
        """Return what was painted, cut to the picture's `frame`, which must hold some of it."""
        visible = self.rect.intersect(frame)
        size = (self.rect.right - self.rect.left, self.rect.bottom - self.rect.top)
        surface = cv2.resize(self.fine, size, interpolation=cv2.INTER_AREA)
        if softness_px > 0:
            surface = cv2.GaussianBlur(surface, (0, 0), softness_px)
        top, left = visible.top - self.rect.top, visible.left - self.rect.left
        cut = surface[top : top + visible.bottom - visible.top, left : left + visible.right - visible.left]
        return Sprite(
            rect=visible, surface=np.ascontiguousarray(cut, dtype=np.uint8), z_mm=z_mm, level=level, far_mm=far_mm
        )
