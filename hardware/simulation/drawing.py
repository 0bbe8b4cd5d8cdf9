"""Drawing what stands and moves on the virtual table, as sprites: bases, figures, their shadows, paper and a hand."""

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import shapely

from hardware.simulation.figures import build_solids, mix_paints
from hardware.simulation.optics import CameraModel, Points
from hardware.simulation.print_damage import spoil_print
from hardware.simulation.scene import (
    Colour,
    Figure,
    FigureKind,
    Outline,
    Placement,
    PrintDamage,
    VirtualAnchor,
    VirtualBase,
    VirtualRing,
    VirtualSheet,
)
from hardware.simulation.solids import SHADE_MM_PER_MM, SolidFrame, cast_shadows, list_facets, shade_colour
from hardware.simulation.sprite import FINENESS, PixelRect, Sprite, SpriteCanvas
from hardware.simulation.tag_print import INK, PAPER, lay_tag
from hardware.tag36h11 import INNER, MODULES

SHEET, HALO, SHADOW, BODY, SHADE, FIGURE = range(-2, 4)
"""What is drawn later hides what was drawn before."""
SHADES = frozenset({SHADOW, SHADE})
"""What hides nothing: a base's shadow, and its figure's."""

SHADOW_COVER = 105
SHADOW_SOFTNESS_MM, HAND_SOFTNESS_MM = 1.2, 3.0
RING_STEPS_PER_MM, MOST_FINENESS = 14.0, 12
"""A ring's cells are small: their edges are drawn finer than others', in so many steps a millimetre."""
RING_WITHIN_MM = 0.01
"""How far the edge of a cell may be drawn from where it is: less than any camera sees."""
TURF_EDGE_MM = 1.6
"""So much of a base's top stays bare along its edge."""

SMALL_PX = 2.5
"""A limb of a smaller radius is painted in fewer bands."""

BLACK: Colour = (0, 0, 0)

SKIN: Colour = (128, 152, 196)


def draw_base(base: VirtualBase, at: Placement, *, floor_mm: float, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a base as it stands: its halo, its shadow on the floor below, its body with the tag or rim, its figure."""
    outline = _place_points(np.array(base.outline_mm), at)
    yield from _draw_shadows(base, outline, at, floor_mm=floor_mm, camera=camera)
    if base.figure is not None and base.figure.kind is FigureKind.VEHICLE:
        yield from _draw_vehicle(base, base.figure, at, camera)
        return
    if base.ring is not None and base.ring.is_halo:
        yield from _draw_halo(base, base.ring, at, camera)
    yield from _draw_body(base, outline, at, camera)
    if base.figure is not None:
        yield from _draw_figure(base.figure, at, top_mm=at.z_mm + base.height_mm, camera=camera)


def _draw_body(base: VirtualBase, outline: Points, at: Placement, camera: CameraModel) -> Iterator[Sprite]:
    foot, top = at.z_mm, at.z_mm + base.height_mm
    foot_px, top_px = _project_all([_raise_points(outline, foot), _raise_points(outline, top)], camera)
    tag_px = None if base.ring else camera.project(_raise_points(_place_points(_locate_own_tag(base), at), top))
    areas = [foot_px, top_px] if tag_px is None else [foot_px, top_px, _add_white_rim(tag_px)]
    rim = None if base.ring is None or base.ring.is_halo else base.ring
    patch = _open_canvas(areas, camera, fineness=FINENESS if rim is None else _choose_ring_fineness(at, camera))
    if patch is None:
        return
    _fill_prism(patch, outline, foot_px, top_px, eye_mm=camera.position_mm, colour=base.colour)
    if base.turf is not None:
        bare_mm = TURF_EDGE_MM if rim is None else -rim.layout.band.inner_mm
        inside = _place_points(_shrink_outline(base.outline_mm, bare_mm), at)
        patch.fill(camera.project(_raise_points(inside, top)), base.turf)
    if tag_px is not None:
        lay_tag(patch, base.marker, tag_px, curl=_find_curl(base, at, camera))
    if rim is not None:
        _lay_ring(patch, rim, _project_ring(base, rim, at, camera))
    if base.damage is not None and (base.ring is None or rim is not None):
        _spoil(patch, base, base.damage, at, camera)
    yield patch.build_sprite(
        z_mm=top, level=(foot, BODY), frame=_bound_picture(camera), far_mm=_measure_way(at, camera)
    )


def _shrink_outline(outline_mm: Outline, by_mm: float) -> Points:
    """(n, 2) an outline with each extent smaller by so much at either end."""
    outline = np.array(outline_mm)
    low, high = outline.min(axis=0), outline.max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    return np.asarray(middle + (outline - middle) * (1 - by_mm / half), dtype=np.float64)


def place_ring(ring: VirtualRing, points_mm: Points, at: Placement, height_mm: float) -> Points:
    """(n, 3) where places (n, 2) of a ring are on the table when its base, of a height, stands there."""
    laid = Placement(x_mm=ring.x_mm, y_mm=ring.y_mm, facing_rad=ring.facing_rad)
    band_mm = ring.layout.band.height_mm
    return _raise_points(
        _place_points(_place_points(points_mm, laid), at), at.z_mm + (height_mm if band_mm is None else band_mm)
    )


def _draw_halo(base: VirtualBase, ring: VirtualRing, at: Placement, camera: CameraModel) -> Iterator[Sprite]:
    polygons = _project_ring(base, ring, at, camera)
    if patch := _open_canvas(polygons, camera, fineness=_choose_ring_fineness(at, camera)):
        _lay_ring(patch, ring, polygons)
        if base.damage is not None:
            _spoil(patch, base, base.damage, at, camera)
        z_mm = at.z_mm + (ring.layout.band.height_mm or 0.0)
        yield patch.build_sprite(z_mm=z_mm, level=(at.z_mm, HALO), frame=_bound_picture(camera))


def _spoil(patch: SpriteCanvas, base: VirtualBase, damage: PrintDamage, at: Placement, camera: CameraModel) -> None:
    """Draw over a base's print what has happened to it."""
    if (ring := base.ring) is None:
        half_mm = base.size_mm / 2 * MODULES / (MODULES - 2)
        inside = base.tag_in_base
        lies = Placement(x_mm=inside.x_mm, y_mm=inside.y_mm, facing_rad=inside.facing_rad)
        z_mm = at.z_mm + base.height_mm

        def to_pixels(points: Points) -> Points:
            return camera.project(_raise_points(_place_points(_place_points(points, lies), at), z_mm))

        spoil_print(patch, damage, to_pixels, (half_mm, half_mm), is_ring=False)
        return
    x_mm, y_mm = np.abs(_list_ring_areas(ring).corners).max(axis=0).tolist()

    def lay(points: Points) -> Points:
        return camera.project(place_ring(ring, points, at, base.height_mm))

    spoil_print(patch, damage, lay, (x_mm, y_mm), is_ring=True)


def _find_curl(base: VirtualBase, at: Placement, camera: CameraModel) -> tuple[int, Points] | None:
    """Return which corner of a tag curls up, and how far that takes it in the picture, (2,) px."""
    if base.damage is None or not base.damage.curl_mm:
        return None
    top_mm = at.z_mm + base.height_mm
    low, high = camera.project(np.array([(at.x_mm, at.y_mm, top_mm), (at.x_mm, at.y_mm, top_mm + base.damage.curl_mm)]))
    return base.damage.seed % 4, high - low


def _project_ring(base: VirtualBase, ring: VirtualRing, at: Placement, camera: CameraModel) -> list[Points]:
    areas = _list_ring_areas(ring)
    return areas.split(camera.project(place_ring(ring, areas.corners, at, base.height_mm)))


def _choose_ring_fineness(at: Placement, camera: CameraModel) -> int:
    return min(max(round(RING_STEPS_PER_MM / _measure_scale(at, camera)), FINENESS), MOST_FINENESS)


def _lay_ring(patch: SpriteCanvas, ring: VirtualRing, polygons: list[Points]) -> None:
    patch.fill_all(polygons, [(grey, grey, grey) for grey in _list_ring_areas(ring).greys])


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _RingAreas:
    """What is printed of a ring, as polygons."""

    corners: Points
    """(n, 2) of all of them, in the ring's own frame."""
    counts: tuple[int, ...]
    """How many corners each has."""
    greys: tuple[int, ...]

    def split(self, corners: Points) -> list[Points]:
        """Return the polygons of corners (n, ...) that were moved."""
        return _split(corners, self.counts)


@functools.lru_cache(maxsize=1024)
def _list_ring_areas(ring: VirtualRing) -> _RingAreas:
    layout = ring.layout
    inner_mm, outer_mm = layout.band.inner_mm, layout.band.outer_mm
    areas = [
        (layout.outline_strip(0, layout.cells, line.from_mm, line.to_mm), PAPER if line.is_light else INK)
        for line in layout.band.borders
    ]
    # A polygon is painted a little too large: the dark ones all lie over the light one, so that nothing is turned.
    areas.append((layout.outline_strip(0, layout.cells, inner_mm, outer_mm), PAPER))
    for bit, run in itertools.groupby(range(layout.cells), lambda cell: ring.word[cell]):
        if bit == "0":
            cells = list(run)
            areas.append((layout.outline_strip(cells[0], cells[-1] + 1, inner_mm, outer_mm), INK))
    traced = [np.array(shapely.LineString(area).simplify(RING_WITHIN_MM).coords) for area, _ in areas]
    return _RingAreas(
        corners=np.concatenate(traced),
        counts=tuple(len(area) for area in traced),
        greys=tuple(grey for _, grey in areas),
    )


def _draw_vehicle(base: VirtualBase, figure: Figure, at: Placement, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a hull that has the base's own height, and the tag on its roof."""
    roof_mm = at.z_mm + base.height_mm
    polygons, colours = _project_figure(figure, at, foot_mm=at.z_mm, top_mm=roof_mm, camera=camera)
    tag_px = camera.project(_raise_points(_place_points(_locate_own_tag(base), at), roof_mm))
    if patch := _open_canvas([*polygons, _add_white_rim(tag_px)], camera):
        patch.fill_all(polygons, colours)
        lay_tag(patch, base.marker, tag_px)
        yield patch.build_sprite(
            z_mm=roof_mm, level=(at.z_mm, BODY), frame=_bound_picture(camera), far_mm=_measure_way(at, camera)
        )


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
    softness_px = HAND_SOFTNESS_MM * float(np.ptp(pixels, axis=0).max() / np.ptp(outline_mm, axis=0).max())
    if above_mm > 0 and (patch := _open_canvas([shade_px], camera, spare_px=math.ceil(3 * softness_px))):
        patch.fill(shade_px, (0, 0, 0), cover=SHADOW_COVER)
        yield patch.build_sprite(
            z_mm=0.0, level=(math.inf, SHADOW), frame=_bound_picture(camera), softness_px=softness_px
        )
    if patch := _open_canvas([pixels], camera):
        patch.fill(pixels, SKIN)
        middle = pixels.mean(axis=0)
        patch.fill(middle + (pixels - middle) * 0.8, shade_colour(SKIN, 1.08))
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
    shade = np.where(((eye_mm[:2] - outline) * outward).sum(axis=1) > 0, brightness, -1.0)
    # Neighbouring walls of the same brightness are one strip.
    starts = np.flatnonzero(np.diff(shade, prepend=-2.0))
    polygons, colours = list[Points](), list[Colour]()
    for first, last in zip(starts, [*starts[1:], len(outline)], strict=True):
        if shade[first] > 0:
            ends = np.arange(first, last + 1) % len(outline)
            polygons.append(np.concatenate([foot_px[ends], top_px[ends[::-1]]]))
            colours.append(shade_colour(colour, float(shade[first])))
    patch.fill_all([*polygons, top_px], [*colours, colour])


def _draw_figure(figure: Figure, at: Placement, *, top_mm: float, camera: CameraModel) -> Iterator[Sprite]:
    head_mm = top_mm + figure.height_mm
    polygons, colours = _project_figure(figure, at, foot_mm=top_mm, top_mm=head_mm, camera=camera)
    if patch := _open_canvas(polygons, camera):
        patch.fill_all(polygons, colours)
        yield patch.build_sprite(
            z_mm=(top_mm + head_mm) / 2,
            level=(at.z_mm, FIGURE),
            frame=_bound_picture(camera),
            far_mm=_measure_way(at, camera),
        )


def _project_figure(
    figure: Figure, at: Placement, *, foot_mm: float, top_mm: float, camera: CameraModel
) -> tuple[list[Points], list[Colour]]:
    """Return the polygons (n, 2) that the camera sees of a figure, the farthest first, and their colours."""
    frame = dataclasses.replace(_frame_figure(figure, at, foot_mm=foot_mm), height_mm=top_mm - foot_mm)
    solids = build_solids(figure.kind, figure.seed)
    facets = list_facets(
        solids,
        frame,
        eye_mm=camera.position_mm,
        paints=mix_paints(figure),
        small_mm=SMALL_PX / _measure_scale(at, camera),
    )
    polygons = _project_all([facet.corners_mm for facet in facets], camera)
    return polygons, [facet.colour for facet in facets]


def _frame_figure(figure: Figure, at: Placement, *, foot_mm: float) -> SolidFrame:
    x_mm, y_mm = _place_points(np.array([[figure.x_mm, figure.y_mm]]), at)[0]
    long_mm = 4 * figure.radius_mm if figure.length_mm is None else figure.length_mm
    return SolidFrame(
        origin_mm=(float(x_mm), float(y_mm), foot_mm),
        facing_rad=at.facing_rad,
        across_mm=(long_mm / 4, figure.radius_mm),
        height_mm=figure.height_mm,
    )


def _draw_shadows(
    base: VirtualBase, outline: Points, at: Placement, *, floor_mm: float, camera: CameraModel
) -> Iterator[Sprite]:
    """Draw what a base shades of the floor below it, and what its figure shades of it and of all around.

    In the air it takes along what it and its figure shade of itself.
    """

    def cast(points: Points, height_mm: float) -> Points:
        return camera.project(_raise_points(points + SHADE_MM_PER_MM * height_mm, floor_mm))

    lift_mm = at.z_mm - floor_mm
    softness_px = _measure_scale(at, camera) * (SHADOW_SOFTNESS_MM + 0.15 * lift_mm)
    areas = [_find_hull(cast(outline, lift_mm), cast(outline, lift_mm + base.height_mm))]
    if lift_mm > 0 and base.ring is not None and base.ring.is_halo:
        areas.append(_find_hull(cast(_place_points(_list_ring_areas(base.ring).corners, at), lift_mm)))
    yield from _draw_shade(areas, (floor_mm, SHADOW), softness_px, camera)
    if (figure := base.figure) is not None:
        is_hull = figure.kind is FigureKind.VEHICLE
        foot_mm = 0.0 if is_hull else base.height_mm
        frame = _frame_figure(figure, at, foot_mm=at.z_mm + foot_mm)
        # Cast on the tops of bases: on the ground beside them it lies a base's height too near, which nobody sees.
        shadows = cast_shadows(build_solids(figure.kind, figure.seed), frame, floor_mm=floor_mm + foot_mm)
        layer = SHADOW if is_hull else SHADE
        yield from _draw_shade(_project_all(shadows, camera), (floor_mm, layer), softness_px, camera)
    if lift_mm > 0:
        softness_px = _measure_scale(at, camera) * SHADOW_SOFTNESS_MM
        for layer, areas_mm in _list_own_shades(base, outline, at):
            if areas_mm:
                yield from _draw_shade(_project_all(areas_mm, camera), (at.z_mm, layer), softness_px, camera)


def _list_own_shades(base: VirtualBase, outline: Points, at: Placement) -> Iterator[tuple[int, list[Points]]]:
    """Yield what a base shades of its own halo and what its figure shades of both, (n, 3) areas, by the layer."""
    top_mm = at.z_mm + base.height_mm
    if base.ring is not None and base.ring.is_halo:
        shade = _find_hull(outline, outline + SHADE_MM_PER_MM * base.height_mm)
        yield SHADOW, _cut_to_base([_raise_points(shade, at.z_mm)], base, outline, at)
    if (figure := base.figure) is not None and figure.kind is not FigureKind.VEHICLE:
        frame = _frame_figure(figure, at, foot_mm=top_mm)
        shades = cast_shadows(build_solids(figure.kind, figure.seed), frame, floor_mm=top_mm)
        yield SHADE, _cut_to_base(shades, base, outline, at)


def _cut_to_base(areas_mm: list[Points], base: VirtualBase, outline: Points, at: Placement) -> list[Points]:
    """Return what of areas (n, 3) lies on a base and its halo."""
    ring = base.ring
    corners = outline if ring is None else place_ring(ring, _list_ring_areas(ring).corners, at, base.height_mm)[:, :2]
    top = shapely.MultiPoint(np.concatenate([outline, corners])).convex_hull.buffer(SHADOW_SOFTNESS_MM)
    parts = ((shapely.Polygon(area[:, :2]).buffer(0).intersection(top), area[0, 2]) for area in areas_mm)
    return [
        _raise_points(np.array(piece.exterior.coords), height_mm)
        for part, height_mm in parts
        for piece in shapely.get_parts(part)
        if piece.geom_type == "Polygon" and piece.area > 0
    ]


def _draw_shade(
    areas: list[Points], level: tuple[float, int], softness_px: float, camera: CameraModel
) -> Iterator[Sprite]:
    if patch := _open_canvas(areas, camera, spare_px=math.ceil(3 * softness_px), fineness=1):
        patch.fill_all(areas, [BLACK] * len(areas), cover=SHADOW_COVER)
        yield patch.build_sprite(z_mm=level[0], level=level, frame=_bound_picture(camera), softness_px=softness_px)


def _project_all(polygons_mm: list[Points], camera: CameraModel) -> list[Points]:
    """Project many polygons (n, 3) at once, which takes a fraction of the time."""
    return _split(camera.project(np.concatenate(polygons_mm)), [len(polygon) for polygon in polygons_mm])


def _split(points: Points, counts: Sequence[int]) -> list[Points]:
    ends = list(itertools.accumulate(counts))
    return [points[last - count : last] for last, count in zip(ends, counts, strict=True)]


def _measure_way(at: Placement, camera: CameraModel) -> float:
    """Return how far a base is from the camera's foot, mm."""
    eye_mm = camera.position_mm
    return math.hypot(at.x_mm - eye_mm[0], at.y_mm - eye_mm[1])


def _measure_scale(at: Placement, camera: CameraModel) -> float:
    """Return about how many pixels a millimetre has where a base stands."""
    depth_mm = camera.rotation[2] @ (at.x_mm, at.y_mm, at.z_mm) + camera.translation[2]
    return float(camera.matrix[0, 0] / depth_mm)


def _locate_own_tag(base: VirtualBase) -> Points:
    inside = base.tag_in_base
    return _locate_tag_corners(inside.x_mm, inside.y_mm, inside.facing_rad, base.size_mm)


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


def _bound_picture(camera: CameraModel) -> PixelRect:
    return PixelRect(0, 0, *camera.image_size)


def _open_canvas(
    areas: list[Points], camera: CameraModel, *, spare_px: int = 0, fineness: int = FINENESS
) -> SpriteCanvas | None:
    rect = PixelRect.from_points(np.concatenate(areas)).grow(spare_px)
    return SpriteCanvas(rect, fineness) if rect.touches(_bound_picture(camera)) else None
