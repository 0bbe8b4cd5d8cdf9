"""The virtual table: what a camera over a gaming table would see, drawn anew only where something changed."""

import dataclasses
import threading
from collections.abc import Iterable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual.ground import floor_below, lay_ground
from hardware.virtual.light import Lighting
from hardware.virtual.optics import CameraModel, overhead
from hardware.virtual.pieces import draw_base, draw_cover, draw_leaf
from hardware.virtual.plate import Held, draw_plate
from hardware.virtual.projector import Projector, letterboxed
from hardware.virtual.scene import Leaf, Outline, Placement, Scene
from hardware.virtual.sprite import Image, Rect, Sprite

NOISE_SLACK_PX = 64
"""The noise is one sheet this much larger than the picture, laid at another offset for each picture."""

_Cover = tuple[Outline, float]
"""A hand's outline and its height above the table, mm."""
_HAND, _LEAF, _PLATE = -1, -2, -3
"""What is drawn that is no base, among the tags of those that are."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """A sprite and the lit surface it has at the moment."""

    sprite: Sprite
    lit: NDArray[np.float32]
    clear: NDArray[np.float32]
    """(height, width, 1) share of what lies below that shows through."""


class VirtualTable:
    """A table that can be changed from any thread, and rendered from any.

    It knows the truth (`placements`), and whoever detects must not ask for it.  The same calls in the same order give
    the same pictures.
    """

    def __init__(
        self,
        scene: Scene,
        camera: CameraModel | None = None,
        *,
        projector: Projector | None = None,
        seed: int = 0,
        noise: float = 2.0,
        blur_px: float = 0.5,
        colour: bool = True,
    ) -> None:
        """Lay the table.

        `noise` is one standard deviation in grey levels, `blur_px` that of the lens's defocus, 0 for none.
        `colour` False renders grey.  The default projector is `letterboxed`, as the projector page shows the table.
        """
        self.scene = scene
        self.camera = camera or overhead(width_mm=scene.width_mm, depth_mm=scene.depth_mm)
        self.projector = projector or letterboxed(width_mm=scene.width_mm, depth_mm=scene.depth_mm)
        self._bases = {base.tag: base for base in scene.bases}
        self._colour = colour
        self._lens_px = self._blur_px = blur_px

        self._asked = threading.Lock()
        self._placements = dict(scene.placements)
        self._cover: _Cover | None = None
        self._leaf: tuple[Leaf, Placement] | None = None
        self._held: Held | None = None
        self._look = (0.0, 1.0)
        self._light = self._dark = self._no_light()

        self._rendering = threading.Lock()
        rng = np.random.default_rng(seed)
        self._lighting = Lighting(lay_ground(scene, self.camera, rng), self.camera, self.projector)
        self._frame = Rect(0, 0, *self.camera.image_size)
        self._backdrop = self._lighting.ground(self._frame)
        self._sharp = self._backdrop.copy()
        self._picture = self._developed(self._backdrop)
        self._shown_placements: dict[int, Placement] = {}
        self._shown_cover: _Cover | None = None
        self._shown_leaf: tuple[Leaf, Placement] | None = None
        self._shown_held: Held | None = None
        self._shown_look = self._look
        self._shown_light = self._light
        self._drawn: dict[int, tuple[_Drawn, ...]] = {}
        channels = 3 if colour else 1
        self._noise = _noise_sheet(rng, self.camera.image_size, noise, channels=channels) if noise > 0 else None
        self._offsets = np.random.default_rng([seed, 1])
        self._settle([self._frame])

    def move(self, tag: int, placement: Placement | None) -> None:
        """Put a base somewhere, or take it off the table with None.  ValueError for a tag that no base has."""
        if tag not in self._bases:
            raise ValueError(f"no base on this table has tag {tag}")
        with self._asked:
            if placement is None:
                self._placements.pop(tag, None)
            else:
                self._placements[tag] = placement

    def placements(self) -> Mapping[int, Placement]:
        """Where the bases are, by tag."""
        with self._asked:
            return dict(self._placements)

    def light(self, image: Image | None) -> None:
        """Throw a picture (BGR, the projector's size) on the table; None is no light.  ValueError for another shape."""
        if image is None:
            thrown = self._dark
        elif image.shape != self._dark.shape or image.dtype != np.uint8:
            raise ValueError(f"projector picture is {image.shape} {image.dtype}, expected {self._dark.shape} uint8")
        else:
            thrown = image.copy()
        with self._asked:
            self._light = thrown

    def hide(self, outline_mm: Outline | None, *, above_mm: float = 0.0) -> None:
        """Hold a hand over an area of the table, or take it away with None; above it, it casts a shadow."""
        with self._asked:
            self._cover = None if outline_mm is None else (outline_mm, above_mm)

    def spread(self, leaf: Leaf | None, at: Placement | None = None) -> None:
        """Lay a sheet of paper on the table, move it, or take it away with None."""
        with self._asked:
            self._leaf = None if leaf is None or at is None else (leaf, at)

    def hold(self, held: Held | None) -> None:
        """Hold a plate over the table, move it, or take it away with None."""
        with self._asked:
            self._held = held

    def look(self, *, defocus_px: float, gain: float) -> None:
        """Turn the camera's lens out of focus, one standard deviation, and expose `gain` times as long as usual."""
        with self._asked:
            self._look = (defocus_px, gain)

    def render(self) -> Image:
        """Take a picture: (height, width, 3) BGR, or (height, width) grey; it is the caller's own."""
        with self._rendering:
            with self._asked:
                placements, cover, light = dict(self._placements), self._cover, self._light
                leaf, held, look = self._leaf, self._held, self._look
            changed = self._draw_light(light, placements) + self._draw_bases(placements)
            changed += self._draw_leaf(leaf) + self._draw_held(held) + self._draw_cover(cover)
            self._settle([*changed, *self._refocus(look)])
            picture = self._picture if look[1] == 1 else cv2.convertScaleAbs(self._picture, alpha=look[1])
            if self._noise is None:
                return np.array(picture, dtype=np.uint8)
            left, top = (int(offset) for offset in self._offsets.integers(0, NOISE_SLACK_PX, 2))
            height, width = self._picture.shape[:2]
            noise = self._noise[top : top + height, left : left + width]
            return np.asarray(cv2.addWeighted(picture, 1, noise, 1, -128), dtype=np.uint8)

    def _refocus(self, look: tuple[float, float]) -> list[Rect]:
        """Return what another focus changes: everything."""
        if look[0] == self._shown_look[0]:
            return []
        self._shown_look = look
        self._blur_px = float(np.hypot(self._lens_px, look[0]))
        return [self._frame]

    def _no_light(self) -> Image:
        width, height = self.projector.image_size
        return np.zeros((height, width, 3), dtype=np.uint8)

    def _draw_light(self, light: Image, placements: Mapping[int, Placement]) -> list[Rect]:
        if light is self._shown_light:
            return []
        self._shown_light = light
        heights = [drawn.sprite.z_mm for group in self._drawn.values() for drawn in group]
        changed = self._lighting.throw(light, up_to_mm=max(heights, default=0.0))
        if changed.empty:
            return []
        self._backdrop[changed.slices] = self._lighting.ground(changed)
        for key, group in self._drawn.items():
            # What moves is drawn anew in a moment.
            if placements.get(key) == self._shown_placements.get(key):
                self._drawn[key] = tuple(
                    self._lit(drawn.sprite) if drawn.sprite.rect.touches(changed) else drawn for drawn in group
                )
        return [changed]

    def _draw_bases(self, placements: dict[int, Placement]) -> list[Rect]:
        changed = []
        for tag in sorted(self._bases):
            at = placements.get(tag)
            if at == self._shown_placements.get(tag):
                continue
            changed.append(self._bounds(tag))
            self._drawn.pop(tag, None)
            if at is not None:
                floor_mm = floor_below(self.scene, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm)
                sprites = draw_base(self._bases[tag], at, floor_mm=floor_mm, camera=self.camera)
                self._drawn[tag] = tuple(self._lit(sprite) for sprite in sprites)
                changed.append(self._bounds(tag))
        self._shown_placements = placements
        return changed

    def _draw_cover(self, cover: _Cover | None) -> list[Rect]:
        if cover == self._shown_cover:
            return []
        self._shown_cover = cover
        return self._redrawn(_HAND, () if cover is None else draw_cover(cover[0], self.camera, above_mm=cover[1]))

    def _draw_leaf(self, leaf: tuple[Leaf, Placement] | None) -> list[Rect]:
        if leaf == self._shown_leaf:
            return []
        self._shown_leaf = leaf
        return self._redrawn(_LEAF, () if leaf is None else draw_leaf(*leaf, self.camera))

    def _draw_held(self, held: Held | None) -> list[Rect]:
        if held is self._shown_held:
            return []
        self._shown_held = held
        return self._redrawn(_PLATE, () if held is None else draw_plate(held, self.camera))

    def _redrawn(self, key: int, sprites: Iterable[Sprite]) -> list[Rect]:
        before = self._bounds(key)
        self._drawn.pop(key, None)
        if lit := tuple(self._lit(sprite) for sprite in sprites):
            self._drawn[key] = lit
        return [before, self._bounds(key)]

    def _lit(self, sprite: Sprite) -> _Drawn:
        clear = np.asarray(1 - sprite.surface[:, :, 3:].astype(np.float32) / 255, dtype=np.float32)
        return _Drawn(sprite=sprite, lit=self._lighting.surface(sprite), clear=clear)

    def _bounds(self, key: int) -> Rect:
        """Where the sprites of a base, of the hand or of the sheet are."""
        group = self._drawn.get(key, ())
        if not group:
            return Rect(0, 0, 0, 0)
        bounds = group[0].sprite.rect
        for drawn in group[1:]:
            bounds = bounds.around(drawn.sprite.rect)
        return bounds

    def _settle(self, changed: list[Rect]) -> None:
        """Put the picture together again where it changed."""
        stack = [(drawn, tag) for tag, group in self._drawn.items() for drawn in group]
        stack.sort(key=lambda entry: (entry[0].sprite.level, entry[1]))
        for rect in merged(changed):
            self._sharp[rect.slices] = self._backdrop[rect.slices]
            for drawn, _ in stack:
                if drawn.sprite.rect.touches(rect):
                    self._overlay(drawn, rect)
        reach = 0 if self._blur_px == 0 else int(np.ceil(4 * self._blur_px))
        for rect in merged([rect.grown(reach).within(self._frame) for rect in changed if not rect.empty]):
            self._focus(rect, reach)

    def _overlay(self, drawn: _Drawn, rect: Rect) -> None:
        own = drawn.sprite.rect
        part = own.within(rect)
        cut = Rect(part.left - own.left, part.top - own.top, part.right - own.left, part.bottom - own.top).slices
        below = self._sharp[part.slices]
        below[:] = np.minimum(np.rint(below * drawn.clear[cut] + drawn.lit[cut]), 255)

    def _focus(self, rect: Rect, reach: int) -> None:
        """Blur the picture in `rect`, with the surroundings that its edge depends on."""
        if reach == 0:
            self._picture[rect.slices] = self._developed(self._sharp[rect.slices])
            return
        wide = rect.grown(reach).within(self._frame)
        size = 2 * reach + 1
        blurred = np.asarray(cv2.GaussianBlur(self._sharp[wide.slices], (size, size), self._blur_px), dtype=np.uint8)
        inner = Rect(rect.left - wide.left, rect.top - wide.top, rect.right - wide.left, rect.bottom - wide.top)
        self._picture[rect.slices] = self._developed(blurred[inner.slices])

    def _developed(self, image: Image) -> Image:
        return image.copy() if self._colour else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def merged(rects: list[Rect]) -> list[Rect]:
    """Cover the same area with rectangles that do not overlap, so that nothing is drawn twice."""
    apart: list[Rect] = []
    for rect in rects:
        if rect.empty:
            continue
        whole = rect
        while touching := [other for other in apart if other.touches(whole)]:
            for other in touching:
                whole = whole.around(other)
                apart.remove(other)
        apart.append(whole)
    return apart


def _noise_sheet(rng: np.random.Generator, image_size: tuple[int, int], sigma: float, *, channels: int) -> Image:
    """Grey levels about 128."""
    width, height = image_size
    shape = (height + NOISE_SLACK_PX, width + NOISE_SLACK_PX, channels)
    sheet = rng.standard_normal(shape, dtype=np.float32) * np.float32(sigma) + np.float32(128)
    levels = np.clip(np.rint(sheet), 0, 255).astype(np.uint8)
    return np.asarray(levels if channels == 3 else levels[:, :, 0], dtype=np.uint8)
