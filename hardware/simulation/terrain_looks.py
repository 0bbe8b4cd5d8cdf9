"""Looks of terrain: what covers a piece of scenery, painted into a texture of the board with a texel a millimetre.

Rows run toward the camera operator, so the lamp, far left and behind, shines from the texture's upper left.
"""

import math
from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.scene import Colour, TerrainLook
from hardware.simulation.solids import SHADE_MM_PER_MM
from hardware.simulation.sprite import Image

Patch = NDArray[np.floating]
"""(height, width, 3) of the texture around a piece, or (height, width) of something about it."""
MARGIN_MM = 30
"""So much of the board around a piece may be painted, too: by a tree's shadow, by a wall's."""
RELIEF = 1.4
"""How much lighter ground is for each unit of slope toward the lamp."""


def paint_look(texture: Image, outline: NDArray[np.float64], look: TerrainLook, *, height_mm: float = 0.0) -> None:
    """Paint a piece of terrain, its outline (n, 2) in texels, into a texture.

    What is solid casts a shadow as far as its height lets it.
    """
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - MARGIN_MM, 0)
    high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + MARGIN_MM, texture.shape[1::-1])
    if (high <= low).any() or look not in _PAINTERS:
        return
    inside = np.zeros(high[::-1] - low[::-1], dtype=np.uint8)
    cv2.fillPoly(inside, [np.rint((outline - low) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    part = texture[low[1] : high[1], low[0] : high[0]]
    area = _Area(inside, outline - low, [int(value) for value in np.abs(np.rint(outline)).ravel()])
    patch: Patch = part.astype(np.float32)
    if look in WALLS and height_mm > 0:
        patch = _cast_shadow(patch, outline - low, min(height_mm, MARGIN_MM / 0.6))
    painted = _PAINTERS[look](patch, area)
    part[:] = np.clip(np.rint(painted), 0, 255).astype(np.uint8)


class _Area:
    """Where a piece is in its patch."""

    def __init__(self, inside: Image, outline: NDArray[np.float64], seed: list[int]) -> None:
        self.outline = outline
        self.rng = np.random.default_rng(seed)
        self.cover: Patch = (inside.astype(np.float32) / 255)[:, :, None]
        self.depth_mm = np.asarray(cv2.distanceTransform((inside > 127).astype(np.uint8), cv2.DIST_L2, 5), np.float32)
        """From its edge inward, 0 outside."""

    def make_cloud(self, cell_mm: int) -> Patch:
        """(height, width, 1) noise of a size, standard deviation one."""
        height, width = self.cover.shape[:2]
        coarse = self.rng.normal(0.0, 1.0, (height // cell_mm + 3, width // cell_mm + 3)).astype(np.float32)
        return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)[:, :, None]

    def cover_with(self, patch: Patch, colour: Patch) -> Patch:
        """Lay a colour, (height, width, 3) or smaller, over the piece."""
        return np.asarray(patch + (colour - patch) * self.cover)


def _cast_shadow(patch: Patch, outline: NDArray[np.float64], height_mm: float) -> Patch:
    shade = np.zeros(patch.shape[:2], dtype=np.uint8)
    reach = np.array([SHADE_MM_PER_MM[0], -SHADE_MM_PER_MM[1]]) * height_mm
    for share in np.linspace(0.0, 1.0, 6):
        cv2.fillPoly(shade, [np.rint((outline + share * reach) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(shade, (0, 0), 2.5).astype(np.float32)[:, :, None]
    return np.asarray(patch * (1 - 0.45 * soft / 255))


def _light_relief(height_mm: Patch) -> Patch:
    """(height, width, 1) brightness of a surface, given its height."""
    across, along = np.gradient(cv2.GaussianBlur(height_mm, (0, 0), 1.2))[::-1]
    toward_lamp = SHADE_MM_PER_MM[0] * across - SHADE_MM_PER_MM[1] * along
    return np.asarray(np.clip(1 + RELIEF * toward_lamp, 0.45, 1.6))[:, :, None]


def _mix(*colour: int) -> Patch:
    return np.array(colour)


def _paint_wood(patch: Patch, area: _Area) -> Patch:
    floor = _mix(44, 70, 70) * (1 + 0.12 * area.make_cloud(14) + 0.10 * area.make_cloud(2))
    patch = area.cover_with(patch, floor)
    return _plant(patch, area, spacing_mm=30.0, radii_mm=(11.0, 19.0), height_mm=26.0, rim_mm=26.0)


def _paint_brush(patch: Patch, area: _Area) -> Patch:
    floor = _mix(52, 96, 92) * (1 + 0.10 * area.make_cloud(9) + 0.10 * area.make_cloud(2))
    patch = area.cover_with(patch, floor)
    return _plant(patch, area, spacing_mm=15.0, radii_mm=(4.0, 8.0), height_mm=7.0, rim_mm=200.0)


def _plant(
    patch: Patch,
    area: _Area,
    *,
    spacing_mm: float,
    radii_mm: tuple[float, float],
    height_mm: float,
    rim_mm: float,
) -> Patch:
    """Plant trees or bushes within `rim_mm` of the edge of a piece, so that models find room inside."""
    rows, columns = np.nonzero((area.depth_mm > radii_mm[0]) & (area.depth_mm < rim_mm))
    places: list[tuple[float, float]] = []
    for spot in area.rng.permutation(len(rows))[:400]:
        x, y = float(columns[spot]), float(rows[spot])
        if all(math.hypot(x - u, y - v) > spacing_mm for u, v in places):
            places.append((x, y))
    radii = area.rng.uniform(*radii_mm, len(places))
    shade = np.zeros(patch.shape[:2], dtype=np.uint8)
    for (x, y), radius in zip(places, radii, strict=True):
        _dot(shade, x + SHADE_MM_PER_MM[0] * height_mm, y - SHADE_MM_PER_MM[1] * height_mm, radius, 120)
    patch = patch * (1 - cv2.GaussianBlur(shade, (0, 0), 2.5).astype(np.float32)[:, :, None] / 255)
    for (x, y), radius in zip(places, radii, strict=True):
        tone = float(area.rng.uniform(0.85, 1.15))
        hue = _mix(38, 88, 58) if area.rng.random() < 0.8 else _mix(40, 96, 84)
        for share, spread, level in ((1.0, 0.0, 0.62), (0.50, 0.55, 0.86), (0.42, 0.45, 1.08), (0.26, 0.35, 1.38)):
            for turn in area.rng.uniform(0, math.tau, 1 if spread == 0 else 6):
                toward_lamp = 0.28 * radius * (level - 0.62)
                u = x + spread * radius * math.cos(turn) - toward_lamp
                v = y + spread * radius * math.sin(turn) - toward_lamp
                _dot(patch, u, v, share * radius, hue * tone * level)
    return patch


def _paint_ruin(patch: Patch, area: _Area) -> Patch:
    floor = _mix(116, 124, 128) * (0.82 + 0.07 * area.make_cloud(12) + 0.07 * area.make_cloud(2))
    floor = _rule(floor, pitch_mm=(21.0, 21.0), turn_rad=0.35, level=0.72)
    rubble = np.clip(area.make_cloud(5)[:, :, 0] - 1.1, 0, 1) * 5
    patch = area.cover_with(patch, floor * _light_relief(rubble.astype(np.float32)))
    shade, walls = np.zeros(patch.shape[:2], np.uint8), np.zeros(patch.shape[:2], np.uint8)
    for start, end in zip(area.outline, np.roll(area.outline, -1, axis=0), strict=True):
        for first, last in ((0.0, float(area.rng.uniform(0.25, 0.42))), (float(area.rng.uniform(0.58, 0.8)), 1.0)):
            ends = [start + (end - start) * share for share in (first, last)]
            _stroke(walls, *ends, width_mm=6)
            _stroke(shade, *(end + np.array([6.0, 4.5]) for end in ends), width_mm=8)
    patch = patch * (1 - 0.45 * cv2.GaussianBlur(shade, (0, 0), 2.0).astype(np.float32)[:, :, None] / 255)
    stone = _mix(134, 142, 148) * (1 + 0.10 * area.make_cloud(3)) * _light_relief(walls.astype(np.float32) / 60)
    return np.asarray(patch + (stone - patch) * (walls.astype(np.float32)[:, :, None] / 255))


def _paint_wall(patch: Patch, area: _Area) -> Patch:
    bearing = _find_bearing(area.outline)
    stone = _mix(118, 128, 136) * (1 + 0.09 * area.make_cloud(4) + 0.05 * area.make_cloud(1))
    stone = _rule(stone, pitch_mm=(17.0, 10.0), turn_rad=bearing, level=0.62)
    return area.cover_with(patch, stone * _light_relief(np.minimum(area.depth_mm, 4.0)))


def _paint_roof(patch: Patch, area: _Area) -> Patch:
    bearing = _find_bearing(area.outline)
    tiles = _mix(62, 76, 116) * (1 + 0.07 * area.make_cloud(7) + 0.06 * area.make_cloud(2))
    tiles = _rule(tiles, pitch_mm=(9.0, 7.0), turn_rad=bearing, level=0.76)
    ridge = np.abs(_turn_grid(patch.shape, area.outline.mean(axis=0), bearing)[1])
    return area.cover_with(patch, tiles * _light_relief((-0.55 * ridge).astype(np.float32)))


def _paint_crater(patch: Patch, area: _Area) -> Patch:
    depth = area.depth_mm
    bowl = np.where(depth < 12, depth * 0.6, np.maximum(7.2 - (depth - 12) * 0.45, -8.0))
    uneven = bowl.astype(np.float32) + 0.8 * area.make_cloud(8)[:, :, 0]
    soil = _mix(58, 84, 112) * (1.06 - 0.009 * depth[:, :, None])
    soil = soil * (1 + 0.08 * area.make_cloud(3) + 0.06 * area.make_cloud(1))
    return _fade(patch, area, soil * _light_relief(uneven), over_mm=9.0)


def _paint_mines(patch: Patch, area: _Area) -> Patch:
    soil = _mix(60, 88, 112) * (0.92 + 0.08 * area.make_cloud(8) + 0.07 * area.make_cloud(2))
    patch = _fade(patch, area, soil, over_mm=7.0)
    rows, columns = np.nonzero(area.depth_mm > 8)
    for spot in area.rng.permutation(len(rows))[:16]:
        x, y = float(columns[spot]), float(rows[spot])
        for radius, dx, colour in ((4.4, 1.2, (30, 40, 50)), (3.6, 0.0, (66, 70, 74)), (1.6, -0.8, (128, 134, 140))):
            _dot(patch, x + dx, y + dx, radius, _mix(*colour))
    return patch


def _paint_water(patch: Patch, area: _Area) -> Patch:
    depth = area.depth_mm[:, :, None]
    deep = np.clip((depth - 4) / 22, 0, 1)
    water = _mix(118, 116, 84) * (1 - deep) + _mix(112, 82, 42) * deep
    ripples = area.make_cloud(9) + 0.7 * area.make_cloud(3)
    water = water * (1 + 0.035 * ripples) + 26 * np.clip(ripples - 1.9, 0, 1)
    bank = _mix(84, 116, 138) * (1 + 0.08 * area.make_cloud(2))
    return area.cover_with(patch, np.where(depth < 5 + 1.5 * area.make_cloud(12), bank, water))


def _paint_gap(patch: Patch, area: _Area) -> Patch:
    drop = (-np.minimum(area.depth_mm, 14.0) * 1.1).astype(np.float32) + 0.7 * area.make_cloud(5)[:, :, 0]
    soil = _mix(52, 72, 92) * np.clip(1.05 - 0.022 * area.depth_mm[:, :, None], 0.5, 1)
    soil = soil * (1 + 0.09 * area.make_cloud(3) + 0.06 * area.make_cloud(1))
    return area.cover_with(patch, soil * _light_relief(drop))


def _paint_road(patch: Patch, area: _Area) -> Patch:
    soil = _mix(88, 120, 144) * (1 + 0.06 * area.make_cloud(18) + 0.07 * area.make_cloud(2))
    ruts = np.exp(-(((area.depth_mm - 0.45 * area.depth_mm.max()) / 2.6) ** 2))[:, :, None]
    return _fade(patch, area, soil * (1 - 0.20 * ruts), over_mm=5.0)


def _paint_bridge(patch: Patch, area: _Area) -> Patch:
    planks = _mix(62, 88, 124) * (1 + 0.10 * area.make_cloud(6) + 0.06 * area.make_cloud(1))
    planks = _rule(planks, pitch_mm=(7.0, 1e6), turn_rad=_find_bearing(area.outline), level=0.6)
    return area.cover_with(patch, planks)


def _paint_hill(patch: Patch, area: _Area) -> Patch:
    steps = 5.0 * (np.clip(area.depth_mm / 7, 0, 1) + np.clip((area.depth_mm - 26) / 7, 0, 1))
    uneven = steps.astype(np.float32) + 0.5 * area.make_cloud(10)[:, :, 0]
    grass = patch * (1.06 + 0.04 * area.make_cloud(20))
    return area.cover_with(patch, grass * _light_relief(uneven))


def _paint_rock(patch: Patch, area: _Area) -> Patch:
    crags = 4.5 * area.make_cloud(22) + 1.6 * area.make_cloud(7) + 0.5 * area.make_cloud(3)
    stone = _mix(112, 118, 122) * (1 + 0.06 * area.make_cloud(2))
    return area.cover_with(patch, stone * _light_relief(crags[:, :, 0]))


def _fade(patch: Patch, area: _Area, colour: Patch, *, over_mm: float) -> Patch:
    """Lay a colour over a piece that grows out of the grass around it."""
    share = np.clip(area.depth_mm / over_mm, 0, 1)[:, :, None] * area.cover
    return np.asarray(patch + (colour - patch) * share)


def _rule(colour: Patch, *, pitch_mm: tuple[float, float], turn_rad: float, level: float) -> Patch:
    """Draw joints, each second row shifted by half a stone."""
    along, across = _turn_grid(colour.shape, np.zeros(2), turn_rad)
    row = np.floor(across / pitch_mm[1])
    shifted = along / pitch_mm[0] + 0.5 * (row % 2)
    off_mm = np.minimum(
        np.abs(shifted - np.rint(shifted)) * pitch_mm[0],
        np.abs(across / pitch_mm[1] - np.rint(across / pitch_mm[1])) * pitch_mm[1],
    )
    joint = np.clip(1.3 - off_mm, 0, 1)[:, :, None]
    return np.asarray(colour * (1 - (1 - level) * joint))


def _turn_grid(
    shape: tuple[int, ...], middle: NDArray[np.float64], turn_rad: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far along a direction each texel is, and across it."""
    rows, columns = np.mgrid[: shape[0], : shape[1]] - middle[::-1, None, None]
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return columns * cos + rows * sin, rows * cos - columns * sin


def _find_bearing(outline: NDArray[np.float64]) -> float:
    """Return the direction of the longest side."""
    sides = np.roll(outline, -1, axis=0) - outline
    x, y = sides[int(np.argmax(np.hypot(*sides.T)))]
    return math.atan2(y, x)


def _dot(image: Patch | Image, x: float, y: float, radius: float, colour: Patch | float) -> None:
    level = (float(colour),) if isinstance(colour, (int, float)) else tuple(float(part) for part in colour)
    centre = round(x * 16), round(y * 16)
    cv2.circle(image, centre, round(radius * 16), level, -1, cv2.LINE_AA if image.dtype == np.uint8 else cv2.LINE_8, 4)


def _stroke(mask: Image, start: NDArray[np.float64], end: NDArray[np.float64], *, width_mm: int) -> None:
    ends = [tuple(int(part) for part in np.rint(point * 16)) for point in (start, end)]
    cv2.line(mask, ends[0], ends[1], 255, width_mm, cv2.LINE_AA, 4)


_PAINTERS: Mapping[TerrainLook, Callable[[Patch, _Area], Patch]] = {
    TerrainLook.WOOD: _paint_wood,
    TerrainLook.BRUSH: _paint_brush,
    TerrainLook.RUIN: _paint_ruin,
    TerrainLook.WALL: _paint_wall,
    TerrainLook.ROOF: _paint_roof,
    TerrainLook.CRATER: _paint_crater,
    TerrainLook.MINES: _paint_mines,
    TerrainLook.WATER: _paint_water,
    TerrainLook.GAP: _paint_gap,
    TerrainLook.ROAD: _paint_road,
    TerrainLook.BRIDGE: _paint_bridge,
    TerrainLook.HILL: _paint_hill,
    TerrainLook.ROCK: _paint_rock,
}

WALLS: Mapping[TerrainLook, Colour] = {
    TerrainLook.ROOF: (104, 122, 138),
    TerrainLook.ROCK: (104, 108, 112),
    TerrainLook.WALL: (104, 114, 122),
}
"""What is solid, and the colours of its sides where it is raised."""
