"""Draws what stands on the table: bases, tags, figures, their shadows, a hand."""

import functools
import itertools
import math
from collections.abc import Iterator

import cv2
import numpy as np

from hardware.tag36h11 import INNER, MODULES, white_modules
from hardware.virtual.optics import CameraModel, Points
from hardware.virtual.scene import Anchor, Colour, Figure, Leaf, Outline, Placement, VirtualBase
from hardware.virtual.sprite import FINENESS, Image, Patch, Rect, Sprite

LEAF, SHADOW, BODY, FIGURE = range(-1, 3)
"""What is drawn later hides what was drawn before."""

SHADE_MM_PER_MM = np.array([0.42, -0.30])
"""How far a shadow reaches, x and y, for each millimetre of height: the lamp hangs far left."""
SHADOW_COVER = 105
SHADOW_SOFTNESS_MM = 3.0

INK, PAPER = 18, 228

SKIN: Colour = (128, 152, 196)
METAL: Colour = (118, 112, 108)

RINGS = np.array(
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
    outline = _placed(np.array(base.outline_mm), at)
    foot, top = at.z_mm, at.z_mm + base.height_mm
    yield from _shadow(base, outline, at, floor_mm=floor_mm, camera=camera)

    corners_mm = _tag_corners(base.tag_in_base.x_mm, base.tag_in_base.y_mm, base.tag_in_base.facing_rad, base.size_mm)
    tag_px = camera.project(_raised(_placed(corners_mm, at), top))
    paper_px = camera.project(_raised(_placed(_grown(corners_mm), at), top))
    foot_px, top_px = camera.project(_raised(outline, foot)), camera.project(_raised(outline, top))
    if patch := _patch([foot_px, top_px, paper_px], camera):
        _fill_prism(patch, outline, foot_px, top_px, eye_mm=camera.position_mm, colour=base.colour)
        lay_tag(patch, base.tag, tag_px)
        yield patch.sprite(z_mm=top, level=(foot, BODY), frame=_frame(camera))
    if base.figure is not None:
        yield from _figure(base.figure, at, top_mm=top, camera=camera)


def draw_anchor(anchor: Anchor, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a tag fixed to the table."""
    corners_mm = _tag_corners(anchor.x_mm, anchor.y_mm, anchor.facing_rad, anchor.size_mm)
    if patch := _patch([camera.project(_raised(_grown(corners_mm), anchor.z_mm))], camera):
        tag_px = camera.project(_raised(corners_mm, anchor.z_mm))
        lay_tag(patch, anchor.tag, tag_px)
        yield patch.sprite(z_mm=anchor.z_mm, level=(anchor.z_mm, BODY), frame=_frame(camera))


def draw_leaf(leaf: Leaf, at: Placement, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a sheet of paper on the table, under whatever stands on it."""
    edge_px = camera.project(_raised(_placed(np.array(leaf.outline_mm), at), at.z_mm))
    if patch := _patch([edge_px], camera):
        patch.fill(edge_px, (PAPER, PAPER, PAPER))
        for line in leaf.lines_mm:
            outer = np.array(line)
            # An outline is drawn as a dark area with a lighter one inside, half a millimetre smaller.
            inner = outer * (1 - 0.5 / np.abs(outer).max())
            for ring, grey in ((outer, INK), (inner, PAPER)):
                patch.fill(camera.project(_raised(_placed(ring, at), at.z_mm)), (grey, grey, grey))
        for tag in leaf.tags:
            corners_mm = _placed(_tag_corners(tag.x_mm, tag.y_mm, tag.facing_rad, tag.size_mm), at)
            lay_tag(patch, tag.tag, camera.project(_raised(corners_mm, at.z_mm)))
        yield patch.sprite(z_mm=at.z_mm, level=(at.z_mm, LEAF), frame=_frame(camera))


def draw_cover(outline_mm: Outline, camera: CameraModel, *, above_mm: float) -> Iterator[Sprite]:
    """Draw a hand over the table: it hides exactly what lies flat inside its outline, and shades what lies beside."""
    pixels = camera.project(_raised(np.array(outline_mm), 0.0))
    shade_px = camera.project(_raised(np.array(outline_mm) + SHADE_MM_PER_MM * above_mm, 0.0))
    softness_px = SHADOW_SOFTNESS_MM * float(np.ptp(pixels, axis=0).max() / np.ptp(outline_mm, axis=0).max())
    if above_mm > 0 and (patch := _patch([shade_px], camera, spare_px=math.ceil(3 * softness_px))):
        patch.fill(shade_px, (0, 0, 0), cover=SHADOW_COVER)
        yield patch.sprite(z_mm=0.0, level=(math.inf, SHADOW), frame=_frame(camera), softness_px=softness_px)
    if patch := _patch([pixels], camera):
        patch.fill(pixels, SKIN)
        middle = pixels.mean(axis=0)
        patch.fill(middle + (pixels - middle) * 0.8, _shaded(SKIN, 1.08))
        yield patch.sprite(z_mm=0.0, level=(math.inf, FIGURE), frame=_frame(camera))


def _fill_prism(
    patch: Patch, outline: Points, foot_px: Points, top_px: Points, *, eye_mm: Points, colour: Colour
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
    for (seen, shade), strip in itertools.groupby(range(len(outline)), lambda k: (facing_camera[k], brightness[k])):
        if seen:
            walls = list(strip)
            ends = [*walls, (walls[-1] + 1) % len(outline)]
            patch.fill(np.concatenate([foot_px[ends], top_px[ends[::-1]]]), _shaded(colour, float(shade)))
    patch.fill(top_px, colour)


def _figure(figure: Figure, at: Placement, *, top_mm: float, camera: CameraModel) -> Iterator[Sprite]:
    heights = np.linspace(0.0, 1.0, SLICES)
    depth, width, brightness = (np.interp(heights, RINGS[:, 0], RINGS[:, k]) for k in (1, 2, 3))
    turns = np.arange(RING_CORNERS) * (math.tau / RING_CORNERS)
    rings_mm = np.stack(
        [
            figure.x_mm + figure.radius_mm * depth[:, None] * np.cos(turns),
            figure.y_mm + figure.radius_mm * width[:, None] * np.sin(turns),
        ],
        axis=-1,
    )
    z_mm = np.repeat(top_mm + heights * figure.height_mm, RING_CORNERS)
    rings_px = camera.project(np.column_stack([_placed(rings_mm.reshape(-1, 2), at), z_mm])).reshape(SLICES, -1, 2)
    # A weapon carried at the right side, pointing to the front.
    weapon_mm = figure.radius_mm * np.array([(-0.5, -0.72), (1.15, -0.62), (1.15, -0.5), (-0.5, -0.5)])
    weapon_mm += [figure.x_mm, figure.y_mm]
    weapon_px = camera.project(_raised(_placed(weapon_mm, at), top_mm + 0.6 * figure.height_mm))
    if patch := _patch([rings_px.reshape(-1, 2), weapon_px], camera):
        for k in range(SLICES):
            skin = SKIN if heights[k] > 0.83 else figure.colour
            patch.fill(rings_px[k], _shaded(skin, float(brightness[k]) * 0.8))
            if k == SLICES * 3 // 4:
                patch.fill(weapon_px, METAL)
        yield patch.sprite(z_mm=top_mm + 0.5 * figure.height_mm, level=(at.z_mm, FIGURE), frame=_frame(camera))


def _shadow(
    base: VirtualBase, outline: Points, at: Placement, *, floor_mm: float, camera: CameraModel
) -> Iterator[Sprite]:
    def cast(points: Points, height_mm: float) -> Points:
        return camera.project(_raised(points + SHADE_MM_PER_MM * height_mm, floor_mm))

    lift_mm = at.z_mm - floor_mm
    areas = [_hull(cast(outline, lift_mm), cast(outline, lift_mm + base.height_mm))]
    if (figure := base.figure) is not None:
        turns = np.linspace(0.0, math.tau, RING_CORNERS, endpoint=False)
        body = figure.radius_mm * np.column_stack([0.5 * np.cos(turns), 0.8 * np.sin(turns)])
        standing = _placed(body + np.array([figure.x_mm, figure.y_mm]), at)
        above_mm = lift_mm + base.height_mm
        areas.append(_hull(cast(standing, above_mm), cast(standing, above_mm + figure.height_mm)))
    px_per_mm = float(np.linalg.norm(np.ptp(areas[0], axis=0)) / np.linalg.norm(np.ptp(outline, axis=0)))
    softness_px = px_per_mm * (SHADOW_SOFTNESS_MM + 0.15 * lift_mm)
    if patch := _patch(areas, camera, spare_px=math.ceil(3 * softness_px)):
        for area in areas:
            patch.fill(area, (0, 0, 0), cover=SHADOW_COVER)
        yield patch.sprite(z_mm=floor_mm, level=(floor_mm, SHADOW), frame=_frame(camera), softness_px=softness_px)


TEXTURE_CORNERS = np.array([(1, 9), (9, 9), (9, 1), (1, 1)])
"""Of the black square in modules of the texture, in the order of the corners of a tag on the table."""


def lay_tag(patch: Patch, tag: int, corners_px: Points) -> None:
    """Lay a tag, (4, 2) corners of its black square, so that its edges fall exactly where they belong."""
    # Of a texture finer than what it is sampled by, edges would be found up to an eighth of a pixel off, all along.
    sides_px = np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1)
    texels = max(1, math.floor(sides_px.min() / INNER * FINENESS))
    patch.lay(tag_texture(tag, texels), corners_px, TEXTURE_CORNERS * float(texels) - 0.5)


@functools.lru_cache(maxsize=1024)
def tag_texture(tag: int, texels: int) -> Image:
    """(n, n, 4) BGRA: a tag36h11 as the family publishes it, x right and y up, in its white surround.

    Each module has so many texels along its edge.
    """
    grey = np.where(np.pad(white_modules(tag), 1, constant_values=True), PAPER, INK).astype(np.uint8)
    texture: Image = np.full((MODULES * texels, MODULES * texels, 4), 255, dtype=np.uint8)
    texture[:, :, :3] = np.kron(grey, np.ones((texels, texels), dtype=np.uint8))[:, :, None]
    texture.flags.writeable = False
    return texture


def _tag_corners(x_mm: float, y_mm: float, facing_rad: float, size_mm: float) -> Points:
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size_mm / 2
    return _placed(square, Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=facing_rad))


def _grown(corners_mm: Points) -> Points:
    middle = corners_mm.mean(axis=0)
    return np.asarray(middle + (corners_mm - middle) * (MODULES / INNER), dtype=np.float64)


def _placed(points: Points, at: Placement) -> Points:
    cos, sin = math.cos(at.facing_rad), math.sin(at.facing_rad)
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]) + [at.x_mm, at.y_mm], dtype=np.float64)


def _raised(points: Points, z_mm: float) -> Points:
    return np.column_stack([points, np.full(len(points), z_mm)])


def _hull(*areas: Points) -> Points:
    hull = cv2.convexHull(np.concatenate(areas).astype(np.float32))
    return np.asarray(hull, dtype=np.float64).reshape(-1, 2)


def _shaded(colour: Colour, brightness: float) -> Colour:
    blue, green, red = (min(255, round(part * brightness)) for part in colour)
    return blue, green, red


def _frame(camera: CameraModel) -> Rect:
    return Rect(0, 0, *camera.image_size)


def _patch(areas: list[Points], camera: CameraModel, *, spare_px: int = 0) -> Patch | None:
    rect = Rect.of_points(np.concatenate(areas)).grown(spare_px)
    return Patch(rect) if rect.touches(_frame(camera)) else None
