"""Random scenes: tables full of bases for trials of vision, where they stand and what is seen of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import Lens
from hardware.rings.layout import RingKind, RingLayout
from hardware.rings.words import load_ring_list
from hardware.simulation.drawing import BODY, SHADES
from hardware.simulation.figures import fit_figure
from hardware.simulation.optics import CameraModel
from hardware.simulation.ring_truth import SEEN_SHARE, measure_visible_shares
from hardware.simulation.scene import (
    Figure,
    FigureKind,
    Placement,
    VirtualBase,
    VirtualRing,
    VirtualScene,
    VirtualTagInBase,
)
from hardware.simulation.scene import VirtualAnchor as SceneAnchor
from hardware.simulation.sprite import PixelRect, Sprite
from hardware.simulation.virtual_table import VirtualTable
from hardware.tag36h11 import MODULES
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline
from vision.marker_numbers import number_ring
from vision.markers import Markers
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import SIDES, Anchor, EnrolledTag
from vision.tracking.surfaces import Surface

Floats = NDArray[np.float64]

ANCHORS = tuple(
    SceneAnchor(tag=580 + i, x_mm=x, y_mm=y, facing_rad=turn, size_mm=40.0)
    for i, (x, y, turn) in enumerate(
        [(60, 60, 0), (1464, 60, 0.3), (1464, 1058, 0), (60, 1058, -2), (762, 45, 0), (762, 1073, 1.5)]
    )
)
ANCHOR_ROOM_MM = 40.0
LENS_SIGMAS = np.array([0.6, 0.6, 0.7, 0.7, 8e-4, 4e-3, 8e-5, 8e-5, 4e-3])
"""How surely a good calibration knows a lens, in the order of LENS_PARAMETERS; the pixels are those of 1080p."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disc:
    """Room that is taken."""

    x_mm: float
    y_mm: float
    radius_mm: float


def make_base(
    rng: np.random.Generator,
    tag: int,
    *,
    sizes_mm: tuple[float, float],
    figures: float,
    overhang_mm: tuple[float, float],
) -> VirtualBase:
    """Make a round base with a tag whose edge is in a range, on a share of them beside a figure.

    The base is as small as the tag with its white rim allows, and a figure's shoulders reach so far over that rim,
    in a range; below 0 they keep away from it.
    """
    size_mm = round(float(rng.uniform(*sizes_mm)), 1)
    half_mm = size_mm / 2 * MODULES / (MODULES - 2)
    turn_rad = float(rng.uniform(-math.pi, math.pi))
    height_mm = round(float(rng.uniform(3.0, 5.0)), 1)
    if rng.uniform() >= figures:
        edge_mm = max(25.0, 2 * half_mm * math.sqrt(2) + 1)
        return VirtualBase(
            marker=tag,
            outline_mm=build_oval_outline(length_mm=edge_mm, width_mm=edge_mm, corners=32),
            size_mm=size_mm,
            height_mm=height_mm,
            tag_in_base=VirtualTagInBase(facing_rad=turn_rad),
        )
    radius_mm = float(rng.uniform(5.0, 8.0))
    edge_mm = max(32.0, 2.5 * half_mm + 2 * radius_mm)
    # The tag stands square in front of the figure.
    tag_x_mm = edge_mm / 2 - 1.3 * half_mm
    figure = Figure(
        x_mm=tag_x_mm - half_mm - 0.55 * radius_mm + float(rng.uniform(*overhang_mm)),
        y_mm=float(rng.uniform(-0.4, 0.4)) * half_mm,
        radius_mm=radius_mm,
        height_mm=float(rng.uniform(2.5, 4.0)) * radius_mm,
        colour=tuple(int(level) for level in rng.integers(20, 230, 3)),  # type: ignore[arg-type]
    )
    return VirtualBase(
        marker=tag,
        outline_mm=build_oval_outline(length_mm=edge_mm, width_mm=edge_mm, corners=32),
        size_mm=size_mm,
        height_mm=height_mm,
        tag_in_base=VirtualTagInBase(x_mm=tag_x_mm, facing_rad=round(turn_rad / (math.pi / 2)) * math.pi / 2),
        figure=figure,
    )


ROUND_RINGED_MM = ((25.0, 25.0), (28.5, 28.5), (32.0, 32.0))
RINGED_MM = (*ROUND_RINGED_MM, (32.0, 32.0), (40.0, 40.0), (60.0, 60.0), (60.0, 35.0), (75.0, 42.0), (50.0, 25.0))
"""Length and width of bases that have rings; the last is a rectangle."""
FIGURES = (FigureKind.INFANTRY, FigureKind.INFANTRY, FigureKind.ROBED, FigureKind.WINGED)
"""What stands on round bases; others carry cavalry."""


def make_ringed_base(rng: np.random.Generator, ring: int, *, in_4k: bool) -> VirtualBase:
    """Make a base with a ring, a figure in its middle: of any shape and kind for 4K, small round halos for 1080p."""
    sizes_mm = RINGED_MM if in_4k else ROUND_RINGED_MM
    length_mm, width_mm = sizes_mm[int(rng.integers(len(sizes_mm)))]
    is_oblong = (length_mm, width_mm) == RINGED_MM[-1]
    build = build_rect_outline if is_oblong else build_oval_outline
    outline = build(length_mm=length_mm, width_mm=width_mm)
    kind = RingKind.RIM if in_4k and rng.uniform() < 0.4 else RingKind.HALO
    words = load_ring_list().choose_words(is_round=length_mm == width_mm)
    figure = FIGURES[int(rng.integers(len(FIGURES)))] if length_mm == width_mm else FigureKind.CAVALRY
    colour = tuple(int(level) for level in rng.integers(20, 230, 3))
    return VirtualBase(
        marker=number_ring(ring),
        ring=VirtualRing(layout=_lay_ring(outline, kind), word=words.ids[ring]),
        outline_mm=outline,
        height_mm=float(rng.choice([3.0, 3.5, 4.0])),
        figure=fit_figure(figure, outline, seed=int(rng.integers(1000)), colour=colour),  # type: ignore[arg-type]
    )


@cache
def _lay_ring(outline_mm: tuple[tuple[float, float], ...], kind: RingKind) -> RingLayout:
    is_round = math.isclose(*np.ptp(np.array(outline_mm), axis=0).tolist(), abs_tol=0.5)
    ring_list = load_ring_list()
    return RingLayout.build(outline_mm, ring_list.bands[kind], ring_list.choose_words(is_round=is_round).cells)


def measure_radius(base: VirtualBase) -> float:
    """Return the radius of the disc about a base's centre that holds it and its marker, mm."""
    beyond_mm = base.ring.layout.band.reach_mm if base.ring else 0.0
    return max(math.hypot(x, y) for x, y in base.outline_mm) + max(beyond_mm, 0.0)


def find_free_place(
    rng: np.random.Generator, taken: Iterable[Disc], radius_mm: float, scene: VirtualScene, gap_mm: float = 4.0
) -> tuple[float, float] | None:
    """Return a place on the table where a disc touches nothing that is taken; None where luck finds none."""
    discs = np.array([(d.x_mm, d.y_mm, d.radius_mm) for d in taken]).reshape(-1, 3)
    rim_mm = radius_mm + 10
    for _ in range(400):
        x, y = rng.uniform(rim_mm, scene.width_mm - rim_mm), rng.uniform(rim_mm, scene.depth_mm - rim_mm)
        if (np.hypot(discs[:, 0] - x, discs[:, 1] - y) >= discs[:, 2] + radius_mm + gap_mm).all():
            return float(x), float(y)
    return None


def list_anchor_room() -> list[Disc]:
    """Return the room that the anchors take."""
    return [Disc(x_mm=a.x_mm, y_mm=a.y_mm, radius_mm=ANCHOR_ROOM_MM) for a in ANCHORS]


def lens_from_camera(camera: CameraModel, rng: np.random.Generator | None = None) -> Lens:
    """Return a camera's lens as a calibration knows it: exactly, or with errors drawn from the stated covariance."""
    sigmas = LENS_SIGMAS.copy()
    sigmas[:4] *= camera.image_size[0] / 1920
    matrix = camera.matrix
    true = np.array([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], *camera.distortion])
    off = np.zeros(9) if rng is None else rng.normal(0.0, sigmas)
    return Lens(image_size=camera.image_size, parameters=true + off, covariance=np.diag(sigmas**2))


def markers_from_scene(scene: VirtualScene, lens: Lens | None) -> Markers:
    """Return what a set-up of a scene says of its tags."""
    return Markers(
        surfaces=tuple(Surface(outline_mm=t.outline_mm, height_mm=t.height_mm) for t in scene.terrain if t.raised),
        anchors=tuple(
            Anchor(tag=a.tag, x_mm=a.x_mm, y_mm=a.y_mm, facing_rad=a.facing_rad, size_mm=a.size_mm, z_mm=a.z_mm)
            for a in scene.anchors
        ),
        bases={base.marker: _enrol(base) for base in scene.bases},
        lens=lens,
    )


def _enrol(base: VirtualBase) -> EnrolledTag | EnrolledRing:
    model = f"m{base.marker}"
    if base.ring:
        return EnrolledRing(
            marker=base.marker,
            model=model,
            layout=base.ring.layout,
            word=base.ring.word,
            x_mm=base.ring.x_mm,
            y_mm=base.ring.y_mm,
            facing_rad=base.ring.facing_rad,
            height_mm=base.height_mm,
        )
    return EnrolledTag(
        tag=base.marker,
        model=model,
        size_mm=base.size_mm,
        x_mm=base.tag_in_base.x_mm,
        y_mm=base.tag_in_base.y_mm,
        facing_rad=base.tag_in_base.facing_rad,
        height_mm=base.height_mm,
    )


def find_tag_centre(base: VirtualBase | EnrolledTag, x_mm: float, y_mm: float, facing_rad: float) -> complex:
    """Return where a base's tag is on the table when the base stands at a pose, mm."""
    inside = base.tag_in_base if isinstance(base, VirtualBase) else base
    return complex(x_mm, y_mm) + complex(inside.x_mm, inside.y_mm) * complex(math.cos(facing_rad), math.sin(facing_rad))


def project_paper(table: VirtualTable, placements: Mapping[int, Placement]) -> dict[int, Floats]:
    """(4, 2) pixels by marker: the corners of each standing tag's white surround, or of the oblong around a ring."""
    bases = [base for base in table.scene.bases if base.marker in placements]
    if not bases:
        return {}
    corners = []
    for base in bases:
        at = placements[base.marker]
        if isinstance(enrolled := _enrol(base), EnrolledRing):
            inside = enrolled.corners_mm @ np.array([1.0, 1j]) * np.exp(1j * enrolled.facing_rad)
            inside += complex(enrolled.x_mm, enrolled.y_mm)
            height_mm = enrolled.ring_height_mm
        else:
            half_mm = base.size_mm / 2 * MODULES / (MODULES - 2)
            inside = SIDES * half_mm * np.exp(1j * enrolled.facing_rad) + complex(enrolled.x_mm, enrolled.y_mm)
            height_mm = base.height_mm
        square = complex(at.x_mm, at.y_mm) + inside * np.exp(1j * at.facing_rad)
        corners.append(np.column_stack([square.real, square.imag, np.full(4, at.z_mm + height_mm)]))
    pixels = table.camera.project(np.concatenate(corners)).reshape(-1, 4, 2)
    return {base.marker: pixels[i] for i, base in enumerate(bases)}


def measure_hidden_shares(table: VirtualTable, placements: Mapping[int, Placement]) -> dict[int, float]:
    """Return by marker the share that something hides, or the picture's edge cuts off.

    Of a tag it is that of its white surround, of a ring that of its cells.
    It is taken from what the last rendered picture was put together from, and the placements must be those.
    """
    stack = [(tag, sprite) for tag, sprite in table.list_sprites() if sprite.level[1] not in SHADES]
    rects = np.array([(s.rect.left, s.rect.top, s.rect.right, s.rect.bottom) for _, s in stack]).reshape(-1, 4)
    own = {tag: i for i, (tag, sprite) in enumerate(stack) if sprite.level[1] == BODY and tag >= 0}
    width, height = table.camera.image_size
    shares = {}
    for tag, corners in project_paper(table, placements).items():
        low, high = corners.min(axis=0), corners.max(axis=0)
        if tag not in own or (low < 0).any() or (high > (width - 1, height - 1)).any():
            shares[tag] = 1.0
            continue
        above = np.flatnonzero((rects[:, :2] < high).all(axis=1) & (rects[:, 2:] > low).all(axis=1))
        above = above[above > own[tag]]
        shares[tag] = _measure_hidden_share(corners, [stack[i][1] for i in above]) if len(above) else 0.0
    shown = measure_visible_shares(table)
    return shares | {marker: float((cells < SEEN_SHARE).mean()) for marker, cells in shown.items()}


def _measure_hidden_share(corners_px: Floats, sprites: Sequence[Sprite]) -> float:
    rect = PixelRect.from_points(corners_px)
    mask = np.zeros((rect.bottom - rect.top, rect.right - rect.left), dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.rint((corners_px - [rect.left, rect.top]) * 16).astype(np.int32), 255, shift=4)
    hidden = np.zeros_like(mask)
    for sprite in sprites:
        part = sprite.rect.intersect(rect)
        if part.empty:
            continue
        here = np.s_[part.top - rect.top : part.bottom - rect.top, part.left - rect.left : part.right - rect.left]
        there = PixelRect(
            part.left - sprite.rect.left,
            part.top - sprite.rect.top,
            part.right - sprite.rect.left,
            part.bottom - sprite.rect.top,
        ).slices
        np.maximum(hidden[here], sprite.surface[there][:, :, 3], out=hidden[here])
    inside = mask > 0
    return float(hidden[inside].mean() / 255)
