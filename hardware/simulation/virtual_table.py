"""The virtual table: what a camera over a gaming table would see, drawn anew only where something changed."""

import dataclasses
import threading
from collections.abc import Iterable, Iterator, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.camera_faults import lay_noise, make_noise_sheet
from hardware.simulation.drawing import draw_base, draw_hand, draw_sheet
from hardware.simulation.ground import find_floor_height, lay_ground
from hardware.simulation.lighting import Lighting, Projector, build_letterboxed_projector
from hardware.simulation.optics import CameraModel, build_overhead_camera
from hardware.simulation.plate import HeldPlate, draw_plate
from hardware.simulation.scene import Outline, Placement, VirtualBase, VirtualScene, VirtualSheet, VirtualTerrain
from hardware.simulation.shutter import Passage, draw_passing_base
from hardware.simulation.sprite import Image, PixelRect, Sprite

_Hand = tuple[Outline, float]
"""A hand's outline and its height above the table, mm."""
_HAND, _SHEET, _PLATE = -1, -2, -3
"""What is drawn that is no base, among the markers of those that are."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _LitSprite:
    """A sprite and the lit surface it has at the moment."""

    sprite: Sprite
    lit: NDArray[np.float32]
    clear: NDArray[np.float32]
    """(height, width, 1) share of what lies below that shows through."""


class VirtualTable:
    """A table that can be changed from any thread, and rendered from any.

    It knows the truth (`get_placements`), and whoever detects must not ask for it.  The same calls in the same order
    give the same pictures.
    """

    def __init__(
        self,
        scene: VirtualScene,
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
        `colour` False renders grey.  The default projector is `build_letterboxed_projector`: what the projector page
        shows.
        """
        self.scene = scene
        self.camera = camera or build_overhead_camera(width_mm=scene.width_mm, depth_mm=scene.depth_mm)
        self.projector = projector or build_letterboxed_projector(width_mm=scene.width_mm, depth_mm=scene.depth_mm)
        self._bases = {base.marker: base for base in scene.bases}
        self._colour = colour
        self._lens_px = self._blur_px = blur_px

        self._state_lock = threading.Lock()
        self._placements: dict[int, Placement | Passage] = dict(scene.placements)
        self._hand: _Hand | None = None
        self._sheet: tuple[VirtualSheet, Placement] | None = None
        self._held_plate: HeldPlate | None = None
        self._exposure = (0.0, 1.0)
        self._light = self._dark = self._make_dark_picture()

        self._render_lock = threading.Lock()
        self._seed, self._laid = seed, scene.terrain
        ground, rng = lay_ground(scene, self.camera, seed)
        self._lighting = Lighting(ground, self.camera, self.projector)
        self._frame = PixelRect(0, 0, *self.camera.image_size)
        self._backdrop = self._lighting.light_ground(self._frame)
        self._sharp = self._backdrop.copy()
        self._picture = self._convert_colour(self._backdrop)
        self._drawn_placements: dict[int, Placement | Passage] = {}
        self._drawn_hand: _Hand | None = None
        self._drawn_sheet: tuple[VirtualSheet, Placement] | None = None
        self._drawn_plate: HeldPlate | None = None
        self._drawn_exposure = self._exposure
        self._drawn_light = self._light
        self._lit_sprites: dict[int, tuple[_LitSprite, ...]] = {}
        channels = 3 if colour else 1
        self._noise = make_noise_sheet(rng, self.camera.image_size, noise, channels=channels) if noise > 0 else None
        self._offsets = np.random.default_rng([seed, 1])
        self._recompose([self._frame])

    def move(self, marker: int, placement: Placement | Passage | None) -> None:
        """Put a base somewhere, let it pass by, or take it off the table with None.

        ValueError for a marker that no base has.
        """
        if marker not in self._bases:
            raise ValueError(f"no base on this table has marker {marker}")
        with self._state_lock:
            if placement is None:
                self._placements.pop(marker, None)
            else:
                self._placements[marker] = placement

    def lay_terrain(self, terrain: tuple[VirtualTerrain, ...]) -> None:
        """Lay other terrain, or the same elsewhere; what stands on it stays where it is."""
        with self._state_lock:
            self.scene = dataclasses.replace(self.scene, terrain=terrain)

    def get_placements(self) -> Mapping[int, Placement]:
        """Where the bases are, by marker; of one that passes by, the middle of its way."""
        with self._state_lock:
            return {m: at.middle if isinstance(at, Passage) else at for m, at in self._placements.items()}

    def project_picture(self, image: Image | None) -> None:
        """Throw a picture (BGR, the projector's size) on the table; None is no light.  ValueError for another shape."""
        if image is None:
            light = self._dark
        elif image.shape != self._dark.shape or image.dtype != np.uint8:
            raise ValueError(f"projector picture is {image.shape} {image.dtype}, expected {self._dark.shape} uint8")
        else:
            light = image.copy()
        with self._state_lock:
            self._light = light

    def hold_hand(self, outline_mm: Outline | None, *, above_mm: float = 0.0) -> None:
        """Hold a hand over an area of the table, or take it away with None; above it, it casts a shadow."""
        with self._state_lock:
            self._hand = None if outline_mm is None else (outline_mm, above_mm)

    def lay_sheet(self, sheet: VirtualSheet | None, at: Placement | None = None) -> None:
        """Lay a sheet of paper on the table, move it, or take it away with None."""
        with self._state_lock:
            self._sheet = None if sheet is None or at is None else (sheet, at)

    def hold_plate(self, held_plate: HeldPlate | None) -> None:
        """Hold a plate over the table, move it, or take it away with None."""
        with self._state_lock:
            self._held_plate = held_plate

    def adjust_camera(self, *, defocus_px: float, gain: float) -> None:
        """Turn the camera's lens out of focus, one standard deviation, and expose `gain` times as long as usual."""
        with self._state_lock:
            self._exposure = (defocus_px, gain)

    def render(self) -> Image:
        """Take a picture: (height, width, 3) BGR, or (height, width) grey; it is the caller's own."""
        with self._render_lock:
            with self._state_lock:
                placements, hand, light = dict(self._placements), self._hand, self._light
                sheet, held_plate, exposure = self._sheet, self._held_plate, self._exposure
                scene = self.scene
            changed = self._lay_ground(scene) + self._draw_light(light, placements) + self._draw_bases(placements)
            changed += self._draw_sheet(sheet) + self._draw_plate(held_plate) + self._draw_hand(hand)
            self._recompose([*changed, *self._refocus(exposure)])
            picture = self._picture if exposure[1] == 1 else cv2.convertScaleAbs(self._picture, alpha=exposure[1])
            if self._noise is None:
                return np.array(picture, dtype=np.uint8)
            return lay_noise(np.asarray(picture, dtype=np.uint8), self._noise, self._offsets)

    def list_sprites(self) -> list[tuple[int, Sprite]]:
        """Return what the last picture was put together from, the lowest first, with the markers of its bases.

        The hand, the sheet and the plate have negative numbers.
        """
        with self._render_lock:
            return [(marker, drawn.sprite) for marker, drawn in self._stack_sprites()]

    def _lay_ground(self, scene: VirtualScene) -> list[PixelRect]:
        """Lay the ground anew, and let everything be drawn anew, where the terrain is another."""
        if scene.terrain is self._laid:
            return []
        self._laid = scene.terrain
        ground, _ = lay_ground(scene, self.camera, self._seed)
        self._lighting = Lighting(ground, self.camera, self.projector)
        self._backdrop = self._lighting.light_ground(self._frame)
        self._lit_sprites, self._drawn_placements, self._drawn_light = {}, {}, self._dark
        self._drawn_hand = self._drawn_sheet = self._drawn_plate = None
        return [self._frame]

    def _refocus(self, exposure: tuple[float, float]) -> list[PixelRect]:
        """Return what another focus changes: everything."""
        if exposure[0] == self._drawn_exposure[0]:
            return []
        self._drawn_exposure = exposure
        self._blur_px = float(np.hypot(self._lens_px, exposure[0]))
        return [self._frame]

    def _make_dark_picture(self) -> Image:
        width, height = self.projector.image_size
        return np.zeros((height, width, 3), dtype=np.uint8)

    def _draw_light(self, light: Image, placements: Mapping[int, Placement | Passage]) -> list[PixelRect]:
        if light is self._drawn_light:
            return []
        self._drawn_light = light
        heights = [drawn.sprite.z_mm for group in self._lit_sprites.values() for drawn in group]
        changed = self._lighting.project_picture(light, up_to_mm=max(heights, default=0.0))
        if changed.empty:
            return []
        self._backdrop[changed.slices] = self._lighting.light_ground(changed)
        for key, group in self._lit_sprites.items():
            # What moves is drawn anew in a moment.
            if placements.get(key) == self._drawn_placements.get(key):
                self._lit_sprites[key] = tuple(
                    self._light_sprite(drawn.sprite) if drawn.sprite.rect.touches(changed) else drawn for drawn in group
                )
        return [changed]

    def _draw_bases(self, placements: dict[int, Placement | Passage]) -> list[PixelRect]:
        changed = []
        for marker in sorted(self._bases):
            at = placements.get(marker)
            if at == self._drawn_placements.get(marker):
                continue
            changed.append(self._find_bounds(marker))
            self._lit_sprites.pop(marker, None)
            if at is not None:
                sprites = self._draw_sprites(self._bases[marker], at)
                self._lit_sprites[marker] = tuple(self._light_sprite(sprite) for sprite in sprites)
                changed.append(self._find_bounds(marker))
        self._drawn_placements = placements
        return changed

    def _draw_sprites(self, base: VirtualBase, at: Placement | Passage) -> Iterator[Sprite]:
        stands = at.middle if isinstance(at, Passage) else at
        floor_mm = find_floor_height(self.scene, x_mm=stands.x_mm, y_mm=stands.y_mm, z_mm=stands.z_mm)
        if isinstance(at, Passage):
            return draw_passing_base(base, at, floor_mm=floor_mm, camera=self.camera)
        return draw_base(base, at, floor_mm=floor_mm, camera=self.camera)

    def _draw_hand(self, hand: _Hand | None) -> list[PixelRect]:
        if hand == self._drawn_hand:
            return []
        self._drawn_hand = hand
        return self._redraw(_HAND, () if hand is None else draw_hand(hand[0], self.camera, above_mm=hand[1]))

    def _draw_sheet(self, sheet: tuple[VirtualSheet, Placement] | None) -> list[PixelRect]:
        if sheet == self._drawn_sheet:
            return []
        self._drawn_sheet = sheet
        return self._redraw(_SHEET, () if sheet is None else draw_sheet(*sheet, self.camera))

    def _draw_plate(self, held_plate: HeldPlate | None) -> list[PixelRect]:
        if held_plate is self._drawn_plate:
            return []
        self._drawn_plate = held_plate
        return self._redraw(_PLATE, () if held_plate is None else draw_plate(held_plate, self.camera))

    def _redraw(self, key: int, sprites: Iterable[Sprite]) -> list[PixelRect]:
        before = self._find_bounds(key)
        self._lit_sprites.pop(key, None)
        if lit := tuple(self._light_sprite(sprite) for sprite in sprites):
            self._lit_sprites[key] = lit
        return [before, self._find_bounds(key)]

    def _light_sprite(self, sprite: Sprite) -> _LitSprite:
        clear = np.asarray(1 - sprite.surface[:, :, 3:].astype(np.float32) / 255, dtype=np.float32)
        return _LitSprite(sprite=sprite, lit=self._lighting.light_surface(sprite), clear=clear)

    def _find_bounds(self, key: int) -> PixelRect:
        """Where the sprites of a base, of the hand or of the sheet are."""
        group = self._lit_sprites.get(key, ())
        if not group:
            return PixelRect(0, 0, 0, 0)
        bounds = group[0].sprite.rect
        for drawn in group[1:]:
            bounds = bounds.unite(drawn.sprite.rect)
        return bounds

    def _recompose(self, changed: list[PixelRect]) -> None:
        """Put the picture together again where it changed."""
        stack = self._stack_sprites()
        for rect in merge_rects(changed):
            self._sharp[rect.slices] = self._backdrop[rect.slices]
            for _, drawn in stack:
                if drawn.sprite.rect.touches(rect):
                    self._overlay(drawn, rect)
        reach = 0 if self._blur_px == 0 else int(np.ceil(4 * self._blur_px))
        for rect in merge_rects([rect.grow(reach).intersect(self._frame) for rect in changed if not rect.empty]):
            self._blur(rect, reach)

    def _stack_sprites(self) -> list[tuple[int, _LitSprite]]:
        """Return whose sprites were drawn, the lowest first."""
        stack = [(marker, drawn) for marker, group in self._lit_sprites.items() for drawn in group]
        return sorted(stack, key=lambda entry: (entry[1].sprite.level, -entry[1].sprite.far_mm, entry[0]))

    def _overlay(self, drawn: _LitSprite, rect: PixelRect) -> None:
        bounds = drawn.sprite.rect
        part = bounds.intersect(rect)
        cut = PixelRect(
            part.left - bounds.left, part.top - bounds.top, part.right - bounds.left, part.bottom - bounds.top
        ).slices
        below = self._sharp[part.slices]
        below[:] = np.minimum(np.rint(below * drawn.clear[cut] + drawn.lit[cut]), 255)

    def _blur(self, rect: PixelRect, reach: int) -> None:
        """Blur the picture in `rect`, with the surroundings that its edge depends on."""
        if reach == 0:
            self._picture[rect.slices] = self._convert_colour(self._sharp[rect.slices])
            return
        surroundings = rect.grow(reach).intersect(self._frame)
        size = 2 * reach + 1
        blurred = np.asarray(
            cv2.GaussianBlur(self._sharp[surroundings.slices], (size, size), self._blur_px), dtype=np.uint8
        )
        inner = PixelRect(
            rect.left - surroundings.left,
            rect.top - surroundings.top,
            rect.right - surroundings.left,
            rect.bottom - surroundings.top,
        )
        self._picture[rect.slices] = self._convert_colour(blurred[inner.slices])

    def _convert_colour(self, image: Image) -> Image:
        return image.copy() if self._colour else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def merge_rects(rects: list[PixelRect]) -> list[PixelRect]:
    """Cover the same area with rectangles that do not overlap, so that nothing is drawn twice."""
    merged: list[PixelRect] = []
    for rect in rects:
        if rect.empty:
            continue
        united = rect
        while touching := [other for other in merged if other.touches(united)]:
            for other in touching:
                united = united.unite(other)
                merged.remove(other)
        merged.append(united)
    return merged
