"""The ground of the virtual table, painted once, before any light: the board with its terrain and its anchors."""

from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.drawing import draw_anchor
from hardware.simulation.optics import CameraModel, Points
from hardware.simulation.scene import Colour, TerrainLook, VirtualScene, VirtualTerrain
from hardware.simulation.solids import SHADE_MM_PER_MM
from hardware.simulation.sprite import SUBPIXEL_BITS, Image, PixelRect
from hardware.simulation.terrain_looks import WALLS, paint_look

F = TypeVar("F", np.float32, np.float64)

GRASS = np.array([66.0, 112.0, 92.0])
GRASS_DRY = np.array([72.0, 116.0, 110.0])
RIM_COLOUR = np.array([52.0, 74.0, 104.0])
FLOOR: Colour = (58, 52, 50)

RIM_MM = 24
EDGE_STEP_MM = 15.0
"""A straight edge is drawn in pieces this long: the lens bends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What does not move."""

    albedo: Image
    """(height, width, 3) BGR as it reflects."""
    place_mm: NDArray[np.float32]
    """(height, width, 2) where on the table each pixel looks."""
    z_mm: NDArray[np.float32]
    """(height, width) and at what height."""


def lay_ground(scene: VirtualScene, camera: CameraModel, seed: int) -> tuple[Ground, np.random.Generator]:
    """Return the table as `camera` sees it, and what to draw further random numbers from."""
    place_mm = camera.map_table_from_image(z_mm=0.0)
    z_mm = np.zeros(place_mm.shape[:2], dtype=np.float32)
    bare, drawn = _render_table_texture(scene.width_mm, scene.depth_mm, seed)
    texture, rng = bare.copy(), deepcopy(drawn)
    for terrain in scene.terrain:
        if not terrain.raised:
            _paint_look(texture, terrain, scene)
    albedo = _sample_texture(texture, place_mm, scene)
    speckle = rng.normal(1.0, 0.06, albedo.shape[:2]).astype(np.float32)
    for terrain in scene.terrain:
        _paint_terrain(albedo, terrain, camera, speckle)
        if terrain.raised:
            top = np.zeros(z_mm.shape, dtype=np.uint8)
            _fill_outline(top, camera, _densify_outline(terrain), terrain.height_mm)
            place_mm[top > 127] = camera.map_table_from_image(z_mm=terrain.height_mm)[top > 127]
            z_mm[top > 127] = terrain.height_mm
            if terrain.look is not TerrainLook.PLAIN:
                _paint_look(texture, terrain, scene)
                left, above, width, height = cv2.boundingRect(top)
                part = PixelRect(left, above, left + width, above + height).slices
                cover = top[part][:, :, None].astype(np.float32) / 255
                seen = _sample_texture(texture, place_mm[part], scene)
                albedo[part] = np.rint(albedo[part] * (1 - cover) + seen * cover)
    for anchor in scene.anchors:
        for sprite in draw_anchor(anchor, camera):
            under = albedo[sprite.rect.slices]
            cover = sprite.surface[:, :, 3:].astype(np.float32) / 255
            under[:] = np.rint(under * (1 - cover) + sprite.surface[:, :, :3])
    return Ground(albedo=albedo, place_mm=place_mm, z_mm=z_mm), rng


def _paint_look(texture: Image, terrain: VirtualTerrain, scene: VirtualScene) -> None:
    outline = _find_texels(np.array(terrain.outline_mm, dtype=np.float64), scene)
    paint_look(texture, outline, terrain.look, height_mm=0.0 if terrain.raised else terrain.height_mm)


def _sample_texture(texture: Image, place_mm: NDArray[np.float32], scene: VirtualScene) -> Image:
    """Return what of the texture is seen in pixels that look at places (height, width, 2)."""
    texels = _find_texels(place_mm, scene)
    u, v = np.ascontiguousarray(texels[..., 0]), np.ascontiguousarray(texels[..., 1])
    seen = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=FLOOR)
    return np.asarray(seen, dtype=np.uint8)


def _find_texels(place_mm: NDArray[F], scene: VirtualScene) -> NDArray[F]:
    """(..., 2) of places: the texture's rows run toward the camera operator, the table's y away."""
    u = place_mm[..., 0] + np.float32(RIM_MM - 0.5)
    v = np.float32(scene.depth_mm + RIM_MM - 0.5) - place_mm[..., 1]
    return np.stack([u, v], axis=-1)


def find_floor_height(scene: VirtualScene, *, x_mm: float, y_mm: float, z_mm: float) -> float:
    """Height of the highest surface at or under a point: the table's, or a raised terrain's top."""
    tops = [
        terrain.height_mm
        for terrain in scene.terrain
        if terrain.raised
        and terrain.height_mm <= z_mm + 1e-6
        and cv2.pointPolygonTest(np.array(terrain.outline_mm, dtype=np.float32), (x_mm, y_mm), measureDist=False) >= 0
    ]
    return max(tops, default=0.0)


@lru_cache(maxsize=4)
def _render_table_texture(width_mm: float, depth_mm: float, seed: int) -> tuple[Image, np.random.Generator]:
    """Return grass with a wooden rim, a texel a millimetre, and the generator once it has drawn that."""
    rng = np.random.default_rng(seed)
    width, depth = (round(size) + 2 * RIM_MM for size in (width_mm, depth_mm))

    def cloud(cell_mm: int) -> NDArray[np.float32]:
        coarse = rng.normal(0.0, 1.0, (depth // cell_mm + 3, width // cell_mm + 3)).astype(np.float32)
        return np.asarray(cv2.resize(coarse, (width, depth), interpolation=cv2.INTER_CUBIC), dtype=np.float32)

    tone = 1.0 + 0.05 * cloud(170) + 0.05 * cloud(45) + 0.05 * cloud(9) + 0.07 * cloud(3) + 0.05 * cloud(1)
    dryness = np.clip(0.5 + 0.35 * cloud(120) + 0.2 * cloud(30), 0, 1)[:, :, None]
    texture = (GRASS * (1 - dryness) + GRASS_DRY * dryness) * tone[:, :, None]
    grain = 1.0 + 0.05 * cloud(60) + 0.06 * rng.normal(0.0, 1.0, (depth, 1)).astype(np.float32)
    inner = np.zeros((depth, width, 1), dtype=bool)
    inner[RIM_MM : depth - RIM_MM, RIM_MM : width - RIM_MM] = True
    texture = np.where(inner, texture, RIM_COLOUR * grain[:, :, None])
    return np.clip(np.rint(texture), 0, 255).astype(np.uint8), rng


def _paint_terrain(albedo: Image, terrain: VirtualTerrain, camera: CameraModel, speckle: NDArray[np.float32]) -> None:
    outline = _densify_outline(terrain)
    is_plain = terrain.look is TerrainLook.PLAIN
    colour = np.array(WALLS.get(terrain.look, terrain.colour), dtype=np.float64)
    if not (is_plain or terrain.raised):
        return
    shadow = np.zeros(albedo.shape[:2], dtype=np.uint8)
    for share in np.linspace(0.0, 1.0, 6):
        _fill_outline(shadow, camera, outline + SHADE_MM_PER_MM * share * min(terrain.height_mm, 80.0), 0.0)
    _blend(albedo, np.asarray(cv2.GaussianBlur(shadow, (0, 0), 5.0), dtype=np.uint8), np.zeros(3), speckle, share=0.45)
    if terrain.raised:
        walls = np.zeros(albedo.shape[:2], dtype=np.uint8)
        for share in np.linspace(0.0, 1.0, 24):
            _fill_outline(walls, camera, outline, terrain.height_mm * share)
        _blend(albedo, walls, colour * 0.55, speckle)
    surface_mm = terrain.height_mm if terrain.raised else 0.0
    top = np.zeros(albedo.shape[:2], dtype=np.uint8)
    _fill_outline(top, camera, outline, surface_mm)
    _blend(albedo, top, colour, speckle)
    kerb = np.zeros(albedo.shape[:2], dtype=np.uint8)
    cv2.polylines(kerb, [_project_outline(camera, outline, surface_mm)], True, 255, 2, cv2.LINE_AA, SUBPIXEL_BITS)
    _blend(albedo, kerb, colour * 1.3, speckle)


def _blend(albedo: Image, mask: Image, colour: Points, speckle: NDArray[np.float32], *, share: float = 1.0) -> None:
    left, top, width, height = cv2.boundingRect(mask)
    part = PixelRect(left, top, left + width, top + height).slices
    cover = mask[part].astype(np.float32)[:, :, None] * (share / 255)
    painted = np.clip(colour.astype(np.float32) * speckle[part][:, :, None], 0, 255)
    albedo[part] = np.rint(albedo[part] * (1 - cover) + painted * cover)


def _fill_outline(mask: Image, camera: CameraModel, outline: Points, z_mm: float) -> None:
    cv2.fillPoly(mask, [_project_outline(camera, outline, z_mm)], 255, cv2.LINE_AA, SUBPIXEL_BITS)


def _project_outline(camera: CameraModel, outline: Points, z_mm: float) -> NDArray[np.int32]:
    pixels = camera.project(np.column_stack([outline, np.full(len(outline), z_mm)]))
    return np.rint(pixels * (1 << SUBPIXEL_BITS)).astype(np.int32)


def _densify_outline(terrain: VirtualTerrain) -> Points:
    corners = np.array(terrain.outline_mm, dtype=np.float64)
    pieces = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        count = max(1, int(np.ceil(np.linalg.norm(end - start) / EDGE_STEP_MM)))
        pieces.append(start + (end - start) * (np.arange(count) / count)[:, None])
    return np.concatenate(pieces)
