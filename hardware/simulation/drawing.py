"""Drawing the virtual scene: the ground with terrain and anchors, and the sprites of what stands and moves on it.

The ground is painted once, before any light.  Bases, tags, figures, their shadows, sheets of paper and a hand are
sprites, drawn anew when they move.
"""

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.optics import CameraModel, Points
from hardware.simulation.scene import (
    Colour,
    Figure,
    Outline,
    Placement,
    VirtualAnchor,
    VirtualBase,
    VirtualScene,
    VirtualSheet,
    VirtualTerrain,
)
from hardware.simulation.sprite import FINENESS, SUBPIXEL_BITS, Image, PixelRect, Sprite, SpriteCanvas
from hardware.tag36h11 import INNER, MODULES, find_white_modules

SHEET, SHADOW, BODY, FIGURE = range(-1, 3)
"""What is drawn later hides what was drawn before."""

SHADE_MM_PER_MM = np.array([0.42, -0.30])
"""How far a shadow reaches, x and y, for each millimetre of height: the lamp hangs far left."""
SHADOW_COVER = 105
SHADOW_SOFTNESS_MM = 3.0

INK, PAPER = 18, 228

SKIN: Colour = (128, 152, 196)
METAL: Colour = (118, 112, 108)

FIGURE_PROFILE = np.array(
    # height, half depth (front to back), half width (shoulder to shoulder), brightness
    [
        (0.00, 0.45, 0.62, 0.45),
        (0.35, 0.40, 0.58, 0.60),
        (0.55, 0.48, 0.82, 0.80),
        (0.74, 0.52, 1.00, 1.00),
        (0.80, 0.40, 0.72, 1.15),
        (0.81, 0.30, 0.30, 0.90),
        (0.86, 0.38, 0.36, 1.10),
        (0.95, 0.34, 0.32, 1.25),
        (1.00, 0.18, 0.18, 1.40),
    ]
)
"""A miniature as a stack of ellipses; the sizes are shares of its height and of its radius."""
SLICES = 18
RING_CORNERS = 20


def draw_base(base: VirtualBase, at: Placement, *, floor_mm: float, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a base as it stands: its shadow on the floor below, its body with the tag, its figure."""
    outline = _place_points(np.array(base.outline_mm), at)
    foot, top = at.z_mm, at.z_mm + base.height_mm
    yield from _draw_shadow(base, outline, at, floor_mm=floor_mm, camera=camera)

    corners_mm = _locate_tag_corners(
        base.tag_in_base.x_mm, base.tag_in_base.y_mm, base.tag_in_base.facing_rad, base.size_mm
    )
    tag_px = camera.project(_raise_points(_place_points(corners_mm, at), top))
    paper_px = camera.project(_raise_points(_place_points(_add_white_rim(corners_mm), at), top))
    foot_px, top_px = camera.project(_raise_points(outline, foot)), camera.project(_raise_points(outline, top))
    if patch := _open_canvas([foot_px, top_px, paper_px], camera):
        _fill_prism(patch, outline, foot_px, top_px, eye_mm=camera.position_mm, colour=base.colour)
        lay_tag(patch, base.tag, tag_px)
        yield patch.build_sprite(z_mm=top, level=(foot, BODY), frame=_bound_picture(camera))
    if base.figure is not None:
        yield from _draw_figure(base.figure, at, top_mm=top, camera=camera)


def draw_anchor(anchor: VirtualAnchor, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a tag fixed to the table."""
    corners_mm = _locate_tag_corners(anchor.x_mm, anchor.y_mm, anchor.facing_rad, anchor.size_mm)
    if patch := _open_canvas([camera.project(_raise_points(_add_white_rim(corners_mm), anchor.z_mm))], camera):
        tag_px = camera.project(_raise_points(corners_mm, anchor.z_mm))
        lay_tag(patch, anchor.tag, tag_px)
        yield patch.build_sprite(z_mm=anchor.z_mm, level=(anchor.z_mm, BODY), frame=_bound_picture(camera))


def draw_sheet(sheet: VirtualSheet, at: Placement, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a sheet of paper on the table, under whatever stands on it."""
    edge_px = camera.project(_raise_points(_place_points(np.array(sheet.outline_mm), at), at.z_mm))
    if patch := _open_canvas([edge_px], camera):
        patch.fill(edge_px, (PAPER, PAPER, PAPER))
        for line in sheet.lines_mm:
            outer = np.array(line)
            # An outline is drawn as a dark area with a lighter one inside, half a millimetre smaller.
            inner = outer * (1 - 0.5 / np.abs(outer).max())
            for ring, grey in ((outer, INK), (inner, PAPER)):
                patch.fill(camera.project(_raise_points(_place_points(ring, at), at.z_mm)), (grey, grey, grey))
        for tag in sheet.tags:
            corners_mm = _place_points(_locate_tag_corners(tag.x_mm, tag.y_mm, tag.facing_rad, tag.size_mm), at)
            lay_tag(patch, tag.tag, camera.project(_raise_points(corners_mm, at.z_mm)))
        yield patch.build_sprite(z_mm=at.z_mm, level=(at.z_mm, SHEET), frame=_bound_picture(camera))


def draw_hand(outline_mm: Outline, camera: CameraModel, *, above_mm: float) -> Iterator[Sprite]:
    """Draw a hand over the table: it hides exactly what lies flat inside its outline, and shades what lies beside."""
    pixels = camera.project(_raise_points(np.array(outline_mm), 0.0))
    shade_px = camera.project(_raise_points(np.array(outline_mm) + SHADE_MM_PER_MM * above_mm, 0.0))
    softness_px = SHADOW_SOFTNESS_MM * float(np.ptp(pixels, axis=0).max() / np.ptp(outline_mm, axis=0).max())
    if above_mm > 0 and (patch := _open_canvas([shade_px], camera, spare_px=math.ceil(3 * softness_px))):
        patch.fill(shade_px, (0, 0, 0), cover=SHADOW_COVER)
        yield patch.build_sprite(
            z_mm=0.0, level=(math.inf, SHADOW), frame=_bound_picture(camera), softness_px=softness_px
        )
    if patch := _open_canvas([pixels], camera):
        patch.fill(pixels, SKIN)
        middle = pixels.mean(axis=0)
        patch.fill(middle + (pixels - middle) * 0.8, _shade(SKIN, 1.08))
        yield patch.build_sprite(z_mm=0.0, level=(math.inf, FIGURE), frame=_bound_picture(camera))


def _fill_prism(
    patch: SpriteCanvas, outline: Points, foot_px: Points, top_px: Points, *, eye_mm: Points, colour: Colour
) -> None:
    following = np.roll(outline, -1, axis=0)
    edges = following - outline
    outward = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.maximum(np.linalg.norm(edges, axis=1), 1e-9)[:, None]
    if cv2.contourArea(outline.astype(np.float32), oriented=True) < 0:
        outward = -outward
    toward_lamp = -SHADE_MM_PER_MM / np.linalg.norm(SHADE_MM_PER_MM)
    brightness = np.rint(20 * (0.55 + 0.3 * (outward @ toward_lamp))) / 20
    facing_camera = ((eye_mm[:2] - outline) * outward).sum(axis=1) > 0
    # Neighbouring walls of the same brightness are one strip.
    for (visible, shade), strip in itertools.groupby(range(len(outline)), lambda k: (facing_camera[k], brightness[k])):
        if visible:
            walls = list(strip)
            ends = [*walls, (walls[-1] + 1) % len(outline)]
            patch.fill(np.concatenate([foot_px[ends], top_px[ends[::-1]]]), _shade(colour, float(shade)))
    patch.fill(top_px, colour)


def _draw_figure(figure: Figure, at: Placement, *, top_mm: float, camera: CameraModel) -> Iterator[Sprite]:
    heights = np.linspace(0.0, 1.0, SLICES)
    depth, width, brightness = (np.interp(heights, FIGURE_PROFILE[:, 0], FIGURE_PROFILE[:, k]) for k in (1, 2, 3))
    turns = np.arange(RING_CORNERS) * (math.tau / RING_CORNERS)
    rings_mm = np.stack(
        [
            figure.x_mm + figure.radius_mm * depth[:, None] * np.cos(turns),
            figure.y_mm + figure.radius_mm * width[:, None] * np.sin(turns),
        ],
        axis=-1,
    )
    z_mm = np.repeat(top_mm + heights * figure.height_mm, RING_CORNERS)
    rings_px = camera.project(np.column_stack([_place_points(rings_mm.reshape(-1, 2), at), z_mm])).reshape(
        SLICES, -1, 2
    )
    # A weapon carried at the right side, pointing to the front.
    weapon_mm = figure.radius_mm * np.array([(-0.5, -0.72), (1.15, -0.62), (1.15, -0.5), (-0.5, -0.5)])
    weapon_mm += [figure.x_mm, figure.y_mm]
    weapon_px = camera.project(_raise_points(_place_points(weapon_mm, at), top_mm + 0.6 * figure.height_mm))
    if patch := _open_canvas([rings_px.reshape(-1, 2), weapon_px], camera):
        for k in range(SLICES):
            skin = SKIN if heights[k] > 0.83 else figure.colour
            patch.fill(rings_px[k], _shade(skin, float(brightness[k]) * 0.8))
            if k == SLICES * 3 // 4:
                patch.fill(weapon_px, METAL)
        yield patch.build_sprite(
            z_mm=top_mm + 0.5 * figure.height_mm, level=(at.z_mm, FIGURE), frame=_bound_picture(camera)
        )


def _draw_shadow(
    base: VirtualBase, outline: Points, at: Placement, *, floor_mm: float, camera: CameraModel
) -> Iterator[Sprite]:
    def cast(points: Points, height_mm: float) -> Points:
        return camera.project(_raise_points(points + SHADE_MM_PER_MM * height_mm, floor_mm))

    lift_mm = at.z_mm - floor_mm
    areas = [_find_hull(cast(outline, lift_mm), cast(outline, lift_mm + base.height_mm))]
    if (figure := base.figure) is not None:
        turns = np.linspace(0.0, math.tau, RING_CORNERS, endpoint=False)
        body = figure.radius_mm * np.column_stack([0.5 * np.cos(turns), 0.8 * np.sin(turns)])
        standing = _place_points(body + np.array([figure.x_mm, figure.y_mm]), at)
        above_mm = lift_mm + base.height_mm
        areas.append(_find_hull(cast(standing, above_mm), cast(standing, above_mm + figure.height_mm)))
    px_per_mm = float(np.linalg.norm(np.ptp(areas[0], axis=0)) / np.linalg.norm(np.ptp(outline, axis=0)))
    softness_px = px_per_mm * (SHADOW_SOFTNESS_MM + 0.15 * lift_mm)
    if patch := _open_canvas(areas, camera, spare_px=math.ceil(3 * softness_px)):
        for area in areas:
            patch.fill(area, (0, 0, 0), cover=SHADOW_COVER)
        yield patch.build_sprite(
            z_mm=floor_mm, level=(floor_mm, SHADOW), frame=_bound_picture(camera), softness_px=softness_px
        )


TEXTURE_CORNERS = np.array([(1, 9), (9, 9), (9, 1), (1, 1)])
"""Of the black square in modules of the texture, in the order of the corners of a tag on the table."""


def lay_tag(patch: SpriteCanvas, tag: int, corners_px: Points) -> None:
    """Lay a tag, (4, 2) corners of its black square, so that its edges fall exactly where they belong."""
    # Of a texture finer than what it is sampled by, edges would be found up to an eighth of a pixel off, all along.
    sides_px = np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1)
    texels = max(1, math.floor(sides_px.min() / INNER * FINENESS))
    patch.paint_texture(render_tag_texture(tag, texels), corners_px, TEXTURE_CORNERS * float(texels) - 0.5)


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


def _locate_tag_corners(x_mm: float, y_mm: float, facing_rad: float, size_mm: float) -> Points:
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size_mm / 2
    return _place_points(square, Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=facing_rad))


def _add_white_rim(corners_mm: Points) -> Points:
    middle = corners_mm.mean(axis=0)
    return np.asarray(middle + (corners_mm - middle) * (MODULES / INNER), dtype=np.float64)


def _place_points(points: Points, at: Placement) -> Points:
    cos, sin = math.cos(at.facing_rad), math.sin(at.facing_rad)
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]) + [at.x_mm, at.y_mm], dtype=np.float64)


def _raise_points(points: Points, z_mm: float) -> Points:
    return np.column_stack([points, np.full(len(points), z_mm)])


def _find_hull(*areas: Points) -> Points:
    hull = cv2.convexHull(np.concatenate(areas).astype(np.float32))
    return np.asarray(hull, dtype=np.float64).reshape(-1, 2)


def _shade(colour: Colour, brightness: float) -> Colour:
    blue, green, red = (min(255, round(part * brightness)) for part in colour)
    return blue, green, red


def _bound_picture(camera: CameraModel) -> PixelRect:
    return PixelRect(0, 0, *camera.image_size)


def _open_canvas(areas: list[Points], camera: CameraModel, *, spare_px: int = 0) -> SpriteCanvas | None:
    rect = PixelRect.from_points(np.concatenate(areas)).grow(spare_px)
    return SpriteCanvas(rect) if rect.touches(_bound_picture(camera)) else None


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


def lay_ground(scene: VirtualScene, camera: CameraModel, rng: np.random.Generator) -> Ground:
    """Paint the table as `camera` sees it."""
    place_mm = camera.map_table_from_image(z_mm=0.0)
    z_mm = np.zeros(place_mm.shape[:2], dtype=np.float32)
    texture = _render_table_texture(scene, rng)
    # The texture's rows run toward the camera operator, the table's y away.
    u = place_mm[:, :, 0] + np.float32(RIM_MM - 0.5)
    v = np.float32(scene.depth_mm + RIM_MM - 0.5) - place_mm[:, :, 1]
    albedo = np.asarray(
        cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=FLOOR), dtype=np.uint8
    )
    speckle = rng.normal(1.0, 0.06, albedo.shape[:2]).astype(np.float32)
    for terrain in scene.terrain:
        _paint_terrain(albedo, terrain, camera, speckle)
        if terrain.raised:
            top = np.zeros(z_mm.shape, dtype=np.uint8)
            _fill_outline(top, camera, _densify_outline(terrain), terrain.height_mm)
            place_mm[top > 127] = camera.map_table_from_image(z_mm=terrain.height_mm)[top > 127]
            z_mm[top > 127] = terrain.height_mm
    for anchor in scene.anchors:
        for sprite in draw_anchor(anchor, camera):
            under = albedo[sprite.rect.slices]
            cover = sprite.surface[:, :, 3:].astype(np.float32) / 255
            under[:] = np.rint(under * (1 - cover) + sprite.surface[:, :, :3])
    return Ground(albedo=albedo, place_mm=place_mm, z_mm=z_mm)


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


def _render_table_texture(scene: VirtualScene, rng: np.random.Generator) -> Image:
    """Grass with a wooden rim, a texel a millimetre."""
    width, depth = (round(size) + 2 * RIM_MM for size in (scene.width_mm, scene.depth_mm))

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
    return np.clip(np.rint(texture), 0, 255).astype(np.uint8)


def _paint_terrain(albedo: Image, terrain: VirtualTerrain, camera: CameraModel, speckle: NDArray[np.float32]) -> None:
    outline = _densify_outline(terrain)
    colour = np.array(terrain.colour, dtype=np.float64)
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
