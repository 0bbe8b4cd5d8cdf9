"""Rendered rings: prints, bases and what hides them as a camera would see them, each pixel the mean over its area."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingKind, RingLayout
from hardware.rings.words import load_ring_list
from tests.base_outlines import make_oval, make_rectangle
from tests.vision.synthetic_camera import CAMERA
from vision.marker_numbers import number_ring
from vision.rings.enrolled_ring import EnrolledRing

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

DARK, LIGHT, TABLE, BASE = 35.0, 215.0, 95.0, 60.0
GRID_MM = 0.4
FINE = 4
"""Samples along each side of a pixel."""
BEYOND_PX = 8
BEYOND_MM = 7.0
SHUTTER = 0.75
"""Share of the time between two pictures in which it is open."""

OUTLINES = {
    "round 25": make_oval(25.0, 25.0, corners=240),
    "round 28": make_oval(28.5, 28.5, corners=240),
    "round 32": make_oval(32.0, 32.0, corners=240),
    "oval 60x35": make_oval(60.0, 35.0, corners=240),
    "rect 40x20": make_rectangle(40.0, 20.0),
    "outline": np.array([(22.0, 0.0), (-14.0, 15.0), (-14.0, -15.0)]),
}
LAYOUTS = {
    (name, kind): RingLayout.build(
        outline, load_ring_list().bands[kind], load_ring_list().choose_words(is_round=name.startswith("round")).cells
    )
    for name, outline in OUTLINES.items()
    for kind in RingKind
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRing:
    """A ring's middle and facing on the table."""

    ring: EnrolledRing
    x_mm: float
    y_mm: float
    facing_rad: float = 0.0
    surface_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A disc that hides what lies below it."""

    x_mm: float
    y_mm: float
    z_mm: float
    radius_mm: float
    grey: float


def enrol_ring(number: int, outline: str = "round 32", kind: RingKind = RingKind.HALO) -> EnrolledRing:
    """Return a ring of the project's own list around one of the OUTLINES."""
    words = load_ring_list().choose_words(is_round=outline.startswith("round"))
    layout = LAYOUTS[outline, kind]
    word = words.ids[number]
    return EnrolledRing(marker=number_ring(number), model=f"m{number}", layout=layout, word=word, height_mm=4.0)


def render_rings(
    camera: CameraOverTable,
    placed: Iterable[PlacedRing],
    figures: Iterable[Figure] = (),
    *,
    blur_px: float = 0.7,
    noise: float = 2.0,
    seed: int = 0,
) -> Grey:
    """Return the picture of some rings on a plain table; later ones lie on top of earlier ones."""
    return _take_picture(_paint_table(camera, placed, figures), blur_px=blur_px, noise=noise, seed=seed)


def _paint_table(camera: CameraOverTable, placed: Iterable[PlacedRing], figures: Iterable[Figure] = ()) -> Floats:
    width, height = camera.lens.image_size
    picture = np.full((height, width), TABLE)
    for one in placed:
        _paint_ring(picture, camera, one)
    for figure in figures:
        _paint_disc(picture, camera, figure)
    return picture


def _take_picture(picture: Floats, *, blur_px: float = 0.7, noise: float = 2.0, seed: int = 0) -> Grey:
    blurred = cv2.GaussianBlur(picture, (0, 0), blur_px, borderType=cv2.BORDER_REPLICATE)
    off = np.random.default_rng(seed).normal(0.0, 1.0, picture.shape) * noise
    return np.clip(np.rint(np.asarray(blurred) + off), 0, 255).astype(np.uint8)


@cache
def expose(placed: PlacedRing, step_mm: complex) -> Grey:
    """Return a picture of a ring that goes so far from picture to picture, at its place in the middle of exposure.

    The shutter is open for SHUTTER of the time between two pictures.
    """
    along = (np.arange(8) + 0.5) / 8 - 0.5
    ways = (SHUTTER * step_mm * share for share in along.tolist())
    moved = [replace(placed, x_mm=placed.x_mm + way.real, y_mm=placed.y_mm + way.imag) for way in ways]
    return _take_picture(np.mean([_paint_table(CAMERA, [one]) for one in moved], axis=0))


def _map_layout(layout: RingLayout) -> tuple[float, NDArray[np.float32]]:
    """Return half the side of a lattice around a ring, and (n, n, 3) there: direction along the band, and offset.

    The nearest point of the middle line's sides tells both.
    """
    return _map_line(layout.middle_line_mm.tobytes(), layout.length_mm)


@cache
def _map_line(line: bytes, length_mm: float) -> tuple[float, NDArray[np.float32]]:
    start = np.frombuffer(line).reshape(-1, 2) @ np.array([1.0, 1j])
    step = np.roll(start, -1) - start
    half_mm = GRID_MM * math.ceil((np.abs(start).max() + BEYOND_MM) / GRID_MM)
    axis = np.linspace(-half_mm, half_mm, 2 * round(half_mm / GRID_MM) + 1)
    lattice = (axis[None, :] + 1j * axis[:, None]).ravel()
    before_mm = np.concatenate([[0.0], np.cumsum(np.abs(step))])[:-1]
    rows = []
    for places in np.array_split(lattice, 20):
        off = (places[:, None] - start) * (step.conj() / np.abs(step) ** 2)
        share = np.clip(off.real, 0.0, 1.0)
        away = (off - share) * step
        nearest = np.abs(away).argmin(axis=1)
        each = np.arange(len(places))
        along = (before_mm[nearest] + share[each, nearest] * np.abs(step[nearest])) / length_mm * math.tau
        # To the right of a line that is followed counter-clockwise is outside.
        side = -np.sign((off[each, nearest] - share[each, nearest]).imag)
        rows.append(np.stack([np.cos(along), np.sin(along), side * np.abs(away[each, nearest])], axis=1))
    return half_mm, np.concatenate(rows).reshape(len(axis), len(axis), 3).astype(np.float32)


def _look_up(layout: RingLayout, own: NDArray[np.complex128]) -> tuple[Floats, Floats]:
    """Return how far along the band places in a ring's frame lie, in cells, and their offset, as `locate()` does."""
    half_mm, lattice = _map_layout(layout)
    x, y = (((part + half_mm) / GRID_MM).reshape(len(own), -1).astype(np.float32) for part in (own.real, own.imag))
    found = cv2.remap(lattice, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).reshape(*own.shape, 3)
    along = np.mod(np.arctan2(found[..., 1], found[..., 0]) / math.tau, 1.0) * layout.cells
    return along, np.asarray(found[..., 2] + layout.band.middle_mm, dtype=np.float64)


def _paint_ring(picture: Floats, camera: CameraOverTable, placed: PlacedRing) -> None:
    ring, layout = placed.ring, placed.ring.layout
    band = layout.band
    reach_mm = float(np.abs(ring.corners_mm).max()) * math.sqrt(2)
    middle = complex(placed.x_mm, placed.y_mm)

    def see(height_mm: float) -> tuple[tuple[slice, slice], Floats, Floats]:
        window, places = _find_places(picture, camera, middle, height_mm, reach_mm)
        own = (places @ np.array([1.0, 1j]) - middle) * np.exp(-1j * placed.facing_rad)
        return window, *_look_up(layout, own)

    def paint_top() -> None:
        window, _, offset_mm = see(placed.surface_mm + ring.height_mm)
        _paint(picture, window, np.where(offset_mm < 0, BASE, np.nan))

    if band.kind is RingKind.RIM:
        paint_top()
    window, along, offset_mm = see(placed.surface_mm + ring.ring_height_mm)
    bits = ring.bits[np.floor(along).astype(np.intp) % layout.cells]
    grey = np.where((offset_mm >= band.inner_mm) & (offset_mm < band.outer_mm), np.where(bits, LIGHT, DARK), np.nan)
    for line in band.borders:
        is_line = (offset_mm >= line.from_mm) & (offset_mm < line.to_mm)
        grey = np.where(is_line, LIGHT if line.is_light else DARK, grey)
    _paint(picture, window, grey)
    if band.kind is RingKind.HALO:
        paint_top()


def _paint_disc(picture: Floats, camera: CameraOverTable, figure: Figure) -> None:
    middle = complex(figure.x_mm, figure.y_mm)
    window, places = _find_places(picture, camera, middle, figure.z_mm, figure.radius_mm)
    inside = np.abs(places @ np.array([1.0, 1j]) - middle) < figure.radius_mm
    _paint(picture, window, np.where(inside, figure.grey, np.nan))


def _find_places(
    picture: Floats, camera: CameraOverTable, middle: complex, height_mm: float, reach_mm: float
) -> tuple[tuple[slice, slice], Floats]:
    """Return the pixels around a place on the table, and (h, w, FINE * FINE, 2) what of the table they show."""
    spot = np.array([[middle.real, middle.imag, height_mm]])
    reach_px = reach_mm * math.sqrt(abs(np.linalg.det(camera.scale_px_per_mm(spot)[0]))) * 1.1 + BEYOND_PX
    (left, top), (right, bottom) = (np.rint(camera.image_from_table(spot)[0] + sign * reach_px) for sign in (-1, 1))
    left, top = max(0, int(left)), max(0, int(top))
    right, bottom = min(picture.shape[1], int(right)), min(picture.shape[0], int(bottom))
    # Within a pixel the view is straight to 0.0001 mm: the middles of pixels tell all of its samples.
    x, y = np.meshgrid(np.arange(left - 1, right + 1), np.arange(top - 1, bottom + 1))
    middles = camera.table_from_image(np.stack([x, y], axis=-1).reshape(-1, 2), height_mm).reshape(*x.shape, 1, 2)
    by_x, by_y = (middles[1:-1, 2:] - middles[1:-1, :-2]) / 2, (middles[2:, 1:-1] - middles[:-2, 1:-1]) / 2
    fine = (np.arange(FINE) + 0.5) / FINE - 0.5
    v, u = (axis.reshape(-1, 1) for axis in np.meshgrid(fine, fine, indexing="ij"))
    return (slice(top, bottom), slice(left, right)), middles[1:-1, 1:-1] + u * by_x + v * by_y


def _paint(picture: Floats, window: tuple[slice, slice], grey: Floats) -> None:
    """Lay grey, (h, w, samples) and not a number where nothing is, over a part of a picture."""
    picture[window] = np.where(np.isnan(grey), picture[window][..., None], grey).mean(axis=-1)
