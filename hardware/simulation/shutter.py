"""The shutter: where a base is while its own rows of a picture are open, and how it is drawn then."""

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.camera_faults import CameraFaults
from hardware.simulation.drawing import draw_base
from hardware.simulation.optics import CameraModel, Points
from hardware.simulation.scene import Placement, VirtualBase
from hardware.simulation.sprite import PixelRect, Sprite

STEP_PX = 0.7
"""A base that goes this far while the shutter is open is taken at one moment more."""
MOST_STEPS = 14
LEAST_TURN_PX = 0.4
"""A base whose sides turn less far meanwhile is drawn once, and smeared along its way: a tenth of the work."""
STEP_S = 1e-3
LEAST_CLEAR = 1e-3
"""Of what is covered for nearly all of the time nothing is seen."""

Path = Callable[[float], Placement | None]
"""Where a base is at a time, s; None while it is off the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How a base goes by while its rows are open."""

    exposed: tuple[Placement, ...]
    """Where it is at moments that are evenly spread over the exposure."""
    row: float
    """The row of the picture in which it is."""
    skew_px: tuple[float, float]
    """How much farther it is, in x and y, in each row below that."""

    @property
    def middle(self) -> Placement:
        """Where it is in the middle of the exposure."""
        return self.exposed[len(self.exposed) // 2]


def expose_base(path: Path, at_s: float, faults: CameraFaults, camera: CameraModel) -> Placement | Passage | None:
    """Return how a base is seen in a picture whose first row is exposed at a time: where it stands, if it does."""
    height, seen_s = camera.image_size[1], at_s
    for _ in range(3 if faults.readout_ms else 0):
        if (at := path(seen_s)) is None:
            return None
        row = float(_project_middle(at, camera)[1])
        seen_s = at_s + float(faults.find_row_times(row, height))
    half_s = faults.exposure_ms / 2e3
    ends = [path(seen_s + since_s) for since_s in (-half_s, -STEP_S, 0.0, STEP_S, half_s)]
    first, before, middle, after, last = ends
    if middle is None or all(end == middle for end in ends):
        return middle
    if first is None or before is None or after is None or last is None:
        return middle  # it is just put into a box, which nobody has to measure
    pixel = _project_middle(middle, camera)
    per_s = (_project_middle(after, camera) - _project_middle(before, camera)) / (2 * STEP_S)
    skew = per_s * faults.readout_ms / 1e3 / (height - 1)
    count = 1 + 2 * math.ceil(_measure_way_px(first, last, camera) / STEP_PX / 2)
    spread = np.linspace(-half_s, half_s, min(count, MOST_STEPS + 1)) if half_s else np.zeros(1)
    exposed = [path(seen_s + float(since_s)) for since_s in spread]
    return Passage(
        exposed=tuple(at for at in exposed if at is not None),
        row=float(pixel[1]),
        skew_px=(float(skew[0]), float(skew[1])),
    )


def draw_passing_base(base: VirtualBase, passage: Passage, *, floor_mm: float, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a base as it is seen while the shutter is open: what it covers for a part of the time, it covers in part."""
    leaning = _SkewingCamera(
        image_size=camera.image_size,
        matrix=camera.matrix,
        distortion=camera.distortion,
        rotation=camera.rotation,
        translation=camera.translation,
        row=passage.row,
        skew_px=passage.skew_px,
    )
    frame = PixelRect(0, 0, *camera.image_size)
    turned_rad = abs(passage.exposed[-1].facing_rad - passage.exposed[0].facing_rad)
    if turned_rad * _measure_side_px(passage.middle, camera) < LEAST_TURN_PX:
        kernel = _trace_way(passage, camera)
        for seen in _uncover(list(draw_base(base, passage.middle, floor_mm=floor_mm, camera=leaning))):
            yield _build_sprite(_smear(seen, kernel), frame)
        return
    alike: dict[tuple[int, int], list[_SeenSprite]] = {}
    for at in passage.exposed:
        drawn: Counter[int] = Counter()
        for seen in _uncover(list(draw_base(base, at, floor_mm=floor_mm, camera=leaning))):
            what = seen.sprite.level[1]
            alike.setdefault((what, drawn[what]), []).append(seen)
            drawn[what] += 1
    for each in alike.values():
        yield _build_sprite(_average(each, len(passage.exposed)), frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SkewingCamera(CameraModel):
    """A camera before which everything moves alike while one row is read after another."""

    row: float
    skew_px: tuple[float, float]

    def project(self, points_mm: Points) -> Points:
        pixels = CameraModel.project(self, points_mm)
        return np.asarray(pixels + (pixels[:, 1:] - self.row) * np.array(self.skew_px), dtype=np.float64)


def _project_middle(at: Placement, camera: CameraModel) -> NDArray[np.float64]:
    return np.asarray(camera.project(np.array([[at.x_mm, at.y_mm, at.z_mm]]))[0])


def _measure_way_px(first: Placement, last: Placement, camera: CameraModel) -> float:
    """Return how far a base's farthest side goes in the picture, px."""
    way = _project_middle(last, camera) - _project_middle(first, camera)
    return float(np.hypot(*way)) + _measure_side_px(first, camera) * abs(last.facing_rad - first.facing_rad)


def _measure_side_px(at: Placement, camera: CameraModel) -> float:
    """Return how far a base's side is from its middle, px."""
    side_mm = np.array([[at.x_mm, at.y_mm, at.z_mm], [at.x_mm + 15.0, at.y_mm, at.z_mm]])
    return float(np.linalg.norm(np.diff(camera.project(side_mm), axis=0)))


def _trace_way(passage: Passage, camera: CameraModel) -> NDArray[np.float32]:
    """(n, n) the share of the time that a base spends in each pixel from where it is in the middle, n odd."""
    spots = camera.project(np.array([(at.x_mm, at.y_mm, at.z_mm) for at in passage.exposed]))
    offsets = spots - spots[len(spots) // 2]
    reach = math.ceil(np.abs(offsets).max()) + 2
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for x, y in offsets:
        kernel += np.outer(_weigh_pixels(y, reach), _weigh_pixels(x, reach))
    return (kernel / len(offsets)).astype(np.float32)


def _weigh_pixels(place: float, reach: int) -> NDArray[np.float64]:
    """(n,) how much each pixel from -reach to reach counts for a place between them, by cubic interpolation."""
    away = np.abs(np.arange(-reach, reach + 1) - place)
    near, far = (1.5 * away - 2.5) * away**2 + 1, ((-0.5 * away + 2.5) * away - 4) * away + 2
    return np.where(away < 1, near, np.where(away < 2, far, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _SeenSprite:
    """A sprite among the others of its base."""

    sprite: Sprite
    rect: PixelRect
    shown: NDArray[np.float32]
    """(height, width, 4) its surface as far as what lies over it lets it be seen."""
    clear: NDArray[np.float32]
    """(height, width) how much of what is there lies over nothing else of its base."""


def _uncover(sprites: Sequence[Sprite]) -> list[_SeenSprite]:
    """Return the sprites of a base, the uppermost first, as far as those over them let them be seen at one moment.

    What goes by covers its own halo when it is there, and not for a share of the time: laid one over the other once
    they are smeared, body and halo would let the floor between them shine through.
    """
    if not sprites:
        return []
    bounds = functools.reduce(PixelRect.unite, (sprite.rect for sprite in sprites))
    clear = np.ones((bounds.bottom - bounds.top, bounds.right - bounds.left), dtype=np.float32)
    seen = []
    for sprite in sorted(sprites, key=lambda sprite: (sprite.level, -sprite.far_mm), reverse=True):
        part = _cut_out(sprite.rect, bounds)
        shown = np.zeros((*clear.shape, 4), dtype=np.float32)
        shown[part] = sprite.surface * clear[part][..., None]
        seen.append(_SeenSprite(sprite=sprite, rect=bounds, shown=shown, clear=clear.copy()))
        clear[part] *= 1 - sprite.surface[:, :, 3].astype(np.float32) / 255
    return seen


def _smear(seen: _SeenSprite, kernel: NDArray[np.float32]) -> _SeenSprite:
    """Return a sprite as it is seen on its way."""
    reach = len(kernel) // 2
    border = (reach, reach, reach, reach, cv2.BORDER_CONSTANT)
    # The filter turns its kernel round: a way that is longer on one side would be laid the wrong way.
    shown = cv2.filter2D(cv2.copyMakeBorder(seen.shown, *border, value=(0, 0, 0, 0)), -1, kernel[::-1, ::-1])
    clear = cv2.filter2D(cv2.copyMakeBorder(seen.clear, *border, value=(1.0,)), -1, kernel[::-1, ::-1])
    return replace(
        seen,
        rect=seen.rect.grow(reach),
        shown=np.asarray(shown, dtype=np.float32),
        clear=np.asarray(clear, dtype=np.float32),
    )


def _average(each: Sequence[_SeenSprite], count: int) -> _SeenSprite:
    """Return the mean of what is drawn at so many moments, in some of which there may be nothing of it."""
    bounds = functools.reduce(PixelRect.unite, (seen.rect for seen in each))
    shown = np.zeros((bounds.bottom - bounds.top, bounds.right - bounds.left, 4), dtype=np.float32)
    clear = np.full(shown.shape[:2], count, dtype=np.float32)
    for seen in each:
        part = _cut_out(seen.rect, bounds)
        shown[part] += seen.shown
        clear[part] += seen.clear - 1
    shown /= count
    clear /= count
    return _SeenSprite(sprite=each[len(each) // 2].sprite, rect=bounds, shown=shown, clear=clear)


def _build_sprite(seen: _SeenSprite, frame: PixelRect) -> Sprite:
    """Return what shows so much of itself once what lies over it is laid over it, cut to the picture."""
    rect = seen.rect.intersect(frame)
    part = _cut_out(rect, seen.rect)
    surface = seen.shown[part] / np.maximum(seen.clear[part], LEAST_CLEAR)[..., None]
    return replace(seen.sprite, rect=rect, surface=np.clip(np.rint(surface), 0, 255).astype(np.uint8))


def _cut_out(rect: PixelRect, bounds: PixelRect) -> tuple[slice, slice]:
    """Return where a part lies in what has some bounds."""
    moved = (rect.left - bounds.left, rect.top - bounds.top, rect.right - bounds.left, rect.bottom - bounds.top)
    return PixelRect(*moved).slices
