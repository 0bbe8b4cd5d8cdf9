"""Faint tags: tags that the detector misses, found by their shape.

The detector follows four unbroken edges.  Noise, a light in the varnish, a smudge or a crease breaks one, and a tag
that anybody can read is lost.  But under a known camera a missing tag has one size, wherever it lies.  So
`find_faint_tags(camera, grey, regions, wanted)` draws the picture anew as a map of the table, and takes two steps:

1. *Frames.* The black frame of a tag in its white rim is laid over the map at every place, in some turns.
2. *Reading.* Around what looks most like one, all cells are sampled and compared with whole patterns, blurred as tags
   are, without taking each for black or white before.  Any light that changes smoothly across a tag is left out on both
   sides.

What it reads is as good as a detection: the pattern's fit and the square's shape decide, as with any other.  What looks
like a tag and is not read is handed on too, so that it can be looked at again (`faint_places.py`), and so that people
can be told what is wrong with it: it mostly looks like one of those that are missing much more than like the others.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.tag36h11 import COUNT, INNER, MODULES, find_white_modules
from vision.rings.local_view import sample_picture
from vision.table_map import TableMap, draw_table_map
from vision.tags.corner_refinement import USUAL_BLUR_PX, refine_corners
from vision.tags.detection import ImageRegion
from vision.tags.pose_estimation import EnrolledTag
from vision.types import TagDetection

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Complexes = NDArray[np.complex128]
Grey = NDArray[np.uint8]

NONE_KNOWN: Complexes = np.empty(0, dtype=np.complex128)
READ_PX, FRAME_PX = 2.5, 1.7
"""A cell of the smallest tag has so many pixels where tags are read, and where frames are looked for."""
ALIKE = 1.08
"""Tags that differ less in size are looked for together: a frame is found by one up to so much smaller, not larger."""
FINENESS = 40
"""Frames are drawn with cells of so many lengths to a pixel."""
SPECTRUM_STEP = 64
"""Maps are filled up to a multiple of so many pixels, so that most have the same size and frames the same spectra."""
TURNS = 8
"""Turns in which a frame is laid over the map; by a quarter turn it is the same again."""
LEAST_LEVELS = 2.0
"""Grey levels, one sigma: what varies by less is as good as plain."""
BRIGHTEST = 2.0
"""What is brighter than its surroundings counts only up to so many times what is usual there."""
LEAST_LIKENESS = 0.38
"""Correlation of a place's surroundings with a frame: noise and inner cells take much of it."""
MOST_FRAMES = 12, 10_000
"""So many places are read in a region, and one more for every so many pixels of it."""
LEAST_FRAME = 0.5
"""The same correlation with the frame's own cells, once a light that slopes is taken out."""
PLAIN_FRAME = 0.75
"""From here on it is a tag's, read or not."""
LEAST_READ = 0.78
"""Correlation of all cells with a tag's pattern.  By chance clutter has so much once in some ten million places."""
LEAST_LEAD = 1.3
"""The nearest other pattern of the family leaves so many times more unexplained, as a mean square."""
LEAST_TOLD = 0.68
"""What is not read is a tag for all that where it has so much: what is none has hardly ever more than 0.66."""
LEAST_TOLD_LEAD = 1.25
"""It is that tag where the nearest other of those that are looked for leaves so many times more unexplained,"""
MOST_STRANGE = 0.75
"""and is a stranger's where another of the family leaves so much less."""
FAR_STEPS, FAR_TURNS = np.array([-0.6, -0.3, 0.0, 0.3, 0.6]), np.radians([-5.0, 0.0, 5.0])
NEAR_STEPS, NEAR_TURNS = np.array([-0.3, 0.0, 0.3]), np.radians([-3.0, 0.0, 3.0])
NEAR_SIZES = np.array([0.97, 1.01, 1.05, 1.09])
"""Moves in cells, turns and sizes that are tried about a frame: first by the frame alone, then by the whole pattern."""
BLUR_STEP, MOST_BLUR = 0.1, 0.6
"""Blurs, cells, one sigma: patterns that are blurred alike but for so much are taken for the same, and a tag of more is
not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedTag:
    """A tag to look for."""

    tag: int
    size_mm: float
    height_mm: float
    """Above the table."""


def want_tag(base: EnrolledTag, surface_mm: float = 0.0) -> WantedTag:
    """Return what to look for to find a base that stands on something."""
    return WantedTag(tag=base.tag, size_mm=base.size_mm, height_mm=surface_mm + base.height_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadTag:
    """Something that looks like a tag, and is not read."""

    tag: int
    """Of those that are looked for, the one that it is most like."""
    corners_px: Floats
    """(4, 2) those that this tag would have there, in the order of `TagDetection`."""
    likeness: float
    """Correlation with it."""
    lead: float
    """The nearest other of them leaves so many times more unexplained, as a mean square."""

    @property
    def marker(self) -> int:
        """Its number among all markers."""
        return self.tag

    @property
    def is_tag(self) -> bool:
        """Whether it is a tag, and not something that only has a frame like one."""
        return self.likeness >= LEAST_TOLD

    @property
    def is_known(self) -> bool:
        """Whether it is the tag that it is most like."""
        return self.is_tag and self.lead >= LEAST_TOLD_LEAD


@dataclass(frozen=True, slots=True, kw_only=True)
class FaintSightings:
    """What was read in some parts of a picture, and what was not."""

    tags: tuple[TagDetection, ...] = ()
    """Each no more than once; their margins are correlations."""
    unread: tuple[UnreadTag, ...] = ()


def find_faint_tags(
    camera: CameraOverTable,
    grey: Grey,
    regions: Sequence[ImageRegion],
    wanted: Collection[WantedTag],
    *,
    known_px: Sequence[Floats] = (),
    blur_px: float = USUAL_BLUR_PX,
) -> FaintSightings:
    """Return what is read in some parts of a picture, and where something looks like a tag and is not read.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        regions: the parts.
        wanted: the tags that are looked for.
        known_px: (4, 2) corners of other tags; where one lies nothing else does.
        blur_px: how far tags are blurred, one sigma.

    """
    found: dict[int, TagDetection] = {}
    unread: list[UnreadTag] = []
    known = _find_known(camera, known_px)
    for region in regions if wanted else ():
        table = draw_readable_map(camera, grey, region, wanted)
        if table is None:
            continue
        tags, left = read_table_map(camera, table, wanted, blur_px=blur_px, known=known)
        unread += left
        for tag in tags:
            if tag.tag not in found or found[tag.tag].margin < tag.margin:
                found[tag.tag] = tag
    return FaintSightings(tags=refine_readings(grey, list(found.values())), unread=tuple(unread))


def select_tags(unread: Collection[UnreadTag], known_px: Sequence[Floats]) -> tuple[UnreadTag, ...]:
    """Return what is surely a tag, each once, but for what lies where some tags are known to lie: (4, 2) corners."""
    middles = [complex(*corners_px.mean(axis=0)) for corners_px in known_px]
    chosen: list[UnreadTag] = []
    for tag in sorted(unread, key=lambda tag: -tag.likeness):
        middle = complex(*tag.corners_px.mean(axis=0))
        if tag.is_tag and all(abs(middle - other) > np.ptp(tag.corners_px, axis=0).max() / 2 for other in middles):
            chosen.append(tag)
            middles.append(middle)
    return tuple(chosen)


def refine_readings(grey: Grey, found: Sequence[TagDetection]) -> tuple[TagDetection, ...]:
    """Return what was read where its pattern fits best, but for what does not fit there."""
    # What was read lies within some tenths of a cell, and a fit goes that far in two steps.
    by_tag = {tag.tag: tag for tag in found}
    return tuple(replace(by_tag[fit.tag], corners_px=fit.corners_px) for fit in refine_corners(grey, found))


def draw_readable_map(
    camera: CameraOverTable, grey: Grey, region: ImageRegion, wanted: Collection[WantedTag]
) -> TableMap | None:
    """Return a part of the picture as a map in which some tags can be read; None where it does not show the table."""
    cell_mm = min(tag.size_mm for tag in wanted) / INNER
    return draw_table_map(camera, grey, region, pixel_mm=cell_mm / READ_PX)


def read_table_map(
    camera: CameraOverTable,
    table: TableMap,
    wanted: Collection[WantedTag],
    *,
    blur_px: float,
    known: Complexes = NONE_KNOWN,
) -> tuple[list[TagDetection], list[UnreadTag]]:
    """Return the tags that are read on a map, and what looks like a tag there and is not read."""
    tags: list[TagDetection] = []
    unread: list[UnreadTag] = []
    groups = _group_by_size(wanted)
    thin = _shrink(table, min(1.0, FRAME_PX * table.pixel_mm * INNER / groups[0][0].size_mm))
    middle_mm = table.corner_mm + table.pixel_mm * np.array(table.grey.shape[::-1]) / 2
    (px_per_mm,) = camera.patch_scale_px_per_mm([(*middle_mm, 0.0)])
    for group in groups:
        size_mm, height_mm = group[0].size_mm, float(np.mean([tag.height_mm for tag in group]))
        frames = _find_frames(thin, size_mm / INNER * table.compute_scale(height_mm), known)
        if not len(frames):
            continue
        blur = min(round(blur_px * INNER / (size_mm * px_per_mm) / BLUR_STEP) * BLUR_STEP, MOST_BLUR)
        read, left = _read_frames(camera, table, frames, [t.tag for t in group], height_mm, blur=blur)
        tags += read
        unread += left
    return tags, unread


def _group_by_size(wanted: Collection[WantedTag]) -> list[list[WantedTag]]:
    """Return the tags in groups of about one size, the smallest first."""
    groups: list[list[WantedTag]] = []
    for tag in sorted(wanted, key=lambda tag: (tag.size_mm, tag.tag)):
        if not groups or tag.size_mm > ALIKE * groups[-1][0].size_mm:
            groups.append([])
        groups[-1].append(tag)
    return groups


def _shrink(table: TableMap, share: float) -> TableMap:
    small = np.asarray(cv2.resize(table.grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    pixel_mm = table.pixel_mm * table.grey.shape[1] / small.shape[1]
    return replace(table, grey=small, pixel_mm=pixel_mm, corner_mm=table.corner_mm + (pixel_mm - table.pixel_mm) / 2)


@cache
def _draw_frames(cell_px: float) -> tuple[Singles, ...]:
    """Return a frame in its rim in every turn, their mean 0 and their length 1."""
    fine, half = 4, math.ceil(MODULES / math.sqrt(2) * cell_px)
    along = (np.arange((2 * half + 1) * fine) + 0.5) / fine - half - 0.5
    places = (along[None, :] + 1j * along[:, None]) / cell_px
    frames = []
    for turn in range(TURNS):
        turned = places * np.exp(-0.5j * math.pi * turn / TURNS)
        outward = np.maximum(np.abs(turned.real), np.abs(turned.imag))
        rim, black = (((outward > at) & (outward < at + 1)).astype(np.float64) for at in (INNER / 2, INNER / 2 - 1))
        drawn = rim / rim.sum() - black / black.sum()
        drawn = drawn.reshape(2 * half + 1, fine, 2 * half + 1, fine).mean(axis=(1, 3))
        frames.append((drawn / np.linalg.norm(drawn)).astype(np.float32))
    return tuple(frames)


def _find_known(camera: CameraOverTable, known_px: Sequence[Floats]) -> Complexes:
    """(n,) the middles of some tags, mm on a map."""
    if not len(known_px):
        return NONE_KNOWN
    middles_px = np.array([corners_px.mean(axis=0) for corners_px in known_px])
    return np.asarray(camera.table_from_image(middles_px, 0.0) @ (1, 1j))


def _find_frames(table: TableMap, cell_mm: float, known: Complexes) -> Complexes:
    """(n, 2) the middles of what looks like a frame, mm on the map, and along its sides the length of a cell.

    What lies where some known tags have their middles is left out.
    """
    cell_px = round(FINENESS * cell_mm / table.pixel_mm) / FINENESS
    levels = table.grey.astype(np.float32)
    box = 2 * round(MODULES / 2 * cell_px) + 1
    levels -= cv2.blur(levels, (box, box))
    # What shines in a tag would outweigh its frame.
    levels = np.minimum(levels, BRIGHTEST * cv2.blur(np.abs(levels), (box, box)) + LEAST_LEVELS)
    levels -= cv2.blur(levels, (box, box))
    spread = np.sqrt(np.maximum(cv2.blur(levels * levels, (box, box)), LEAST_LEVELS**2)) * box
    likeness = _correlate_frames(levels, cell_px)
    best = likeness.max(axis=0) / spread
    near = 2 * round(2.5 * cell_px) + 1
    rows, columns = np.nonzero((best >= cv2.dilate(best, np.ones((near, near), np.uint8))) & (best > LEAST_LIKENESS))
    middles = complex(*table.corner_mm) + (columns + 1j * rows) * table.pixel_mm
    is_new = (np.abs(middles[:, None] - known) > INNER * cell_mm).all(axis=1)
    rows, columns, middles = rows[is_new], columns[is_new], middles[is_new]
    likeliest = np.argsort(-best[rows, columns], kind="stable")[: MOST_FRAMES[0] + levels.size // MOST_FRAMES[1]]
    rows, columns, middles = rows[likeliest], columns[likeliest], middles[likeliest]
    turns = likeness[:, rows, columns].argmax(axis=0)
    return np.column_stack([middles, cell_mm * np.exp(0.5j * math.pi * turns / TURNS)])


def _correlate_frames(levels: Singles, cell_px: float) -> Singles:
    """Return (TURNS, height, width) the sum of some levels times the frame in every turn about each place.

    By spectra: what is looked through is the same in all turns, and transformed once.
    """
    (height, width), half = levels.shape, len(_draw_frames(cell_px)[0]) // 2
    rows, columns = (cv2.getOptimalDFTSize(SPECTRUM_STEP * math.ceil((n + half) / SPECTRUM_STEP)) for n in levels.shape)
    padded = cv2.copyMakeBorder(levels, 0, rows - height, 0, columns - width, cv2.BORDER_CONSTANT, value=0)
    spectrum = cv2.dft(padded)
    sums = np.empty((TURNS, rows, columns), dtype=np.float32)
    for turn, of_frame in enumerate(_transform_frames(cell_px, rows, columns)):
        cv2.idft(cv2.mulSpectrums(spectrum, of_frame, 0), dst=sums[turn], flags=cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT)
    return sums[:, :height, :width]


@lru_cache(maxsize=24)
def _transform_frames(cell_px: float, rows: int, columns: int) -> tuple[Singles, ...]:
    """Return the spectra of the frames, (rows, columns) as OpenCV packs them: a frame turned over is the same."""
    frames = np.stack(_draw_frames(cell_px))
    around = np.arange(frames.shape[1]) - frames.shape[1] // 2
    padded = np.zeros((TURNS, rows, columns), dtype=np.float32)
    padded[:, around[:, None], around] = frames
    return tuple(np.asarray(cv2.dft(frame), dtype=np.float32) for frame in padded)


_CENTRES = np.arange(MODULES) + 0.5 - MODULES / 2
_CELLS = (_CENTRES[None, :] + 1j * _CENTRES[:, None]).ravel()
"""(100,) the middles of a tag's cells in its own frame, in cells."""
_OUTWARD = np.maximum(np.abs(_CELLS.real), np.abs(_CELLS.imag))
_IS_FRAME = _OUTWARD > INNER / 2 - 1
_CORNERS = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j]) * INNER / 2


def _read_frames(
    camera: CameraOverTable, table: TableMap, frames: Complexes, tags: Sequence[int], height_mm: float, *, blur: float
) -> tuple[list[TagDetection], list[UnreadTag]]:
    """Return which of some tags are read about frames, and what else looks like a tag there, or has a plain frame."""
    patterns = _draw_patterns(blur)
    wanted = patterns[(np.array(tags)[:, None] * 4 + np.arange(4)).ravel()]
    tried = _lay_poses(frames, FAR_STEPS, FAR_TURNS, np.ones(1))
    cells = _take_out_light(_sample(table, tried, _CELLS[_IS_FRAME]), _describe_light(whole=False))
    rim = _take_out_light((_OUTWARD[_IS_FRAME] > INNER / 2).astype(np.float32), _describe_light(whole=False))
    likeness = cells @ rim
    likely = np.flatnonzero(likeness.max(axis=1, initial=0.0) > LEAST_FRAME)
    if not len(likely):
        return [], []
    is_plain = likeness[likely].max(axis=1) > PLAIN_FRAME
    tried = _lay_poses(tried[likely, likeness[likely].argmax(axis=1)], NEAR_STEPS, NEAR_TURNS, NEAR_SIZES)
    cells = _take_out_light(_sample(table, tried, _CELLS), _describe_light())
    found, unread = [], []
    for levels, poses, scores, plain in zip(cells, tried, cells @ wanted.T, is_plain.tolist(), strict=True):
        at, which = np.unravel_index(scores.argmax(), scores.shape)
        score, place, quarter = float(scores[at, which]), int(which // 4), int(which % 4)
        if not plain and score < LEAST_TOLD:
            continue
        corners = poses[at, 0] + _CORNERS * 1j**quarter * poses[at, 1]
        corners_mm = table.raise_to(np.column_stack([corners.real, corners.imag]), height_mm)
        corners_px = camera.image_from_table(np.column_stack([corners_mm, np.full(4, height_mm)]))
        left = 1 - score**2
        other = float(np.delete(patterns @ levels[at], np.arange(4) + tags[place] * 4).max())
        if score >= LEAST_READ and 1 - other**2 >= LEAST_LEAD * left:
            found.append(TagDetection(tag=tags[place], corners_px=corners_px, hamming=0, margin=score))
            continue
        alike = score if 1 - other**2 >= MOST_STRANGE * left else 0.0
        if plain or alike >= LEAST_TOLD:
            rival = float(np.delete(scores, np.arange(4) + place * 4, axis=1).max(initial=0.0))
            lead = (1 - rival**2) / left
            unread.append(UnreadTag(tag=tags[place], corners_px=corners_px, likeness=alike, lead=lead))
    return found, unread


def _lay_poses(frames: Complexes, steps: Floats, turns_rad: Floats, sizes: Floats) -> Complexes:
    """(n, g, 2) frames moved by every step both ways, turned and sized."""
    x, y, turn, size = (axis.ravel() for axis in np.meshgrid(steps, steps, turns_rad, sizes, indexing="ij"))
    sides = frames[:, 1, None]
    return np.stack([frames[:, 0, None] + (x + 1j * y) * sides, sides * (size * np.exp(1j * turn))], axis=-1)


def _sample(table: TableMap, poses: Complexes, places: Complexes) -> Singles:
    """(n, g, m) the map at places in the frames of (n, g, 2) poses."""
    middles = (poses[..., 0].ravel() - complex(*table.corner_mm)) / table.pixel_mm
    sides = poses[..., 1].ravel() / table.pixel_mm
    over = np.stack([np.ones(len(places)), places.real, places.imag]).astype(np.float32)
    spots = np.stack(
        [
            np.column_stack([middles.real, sides.real, -sides.imag]).astype(np.float32) @ over,
            np.column_stack([middles.imag, sides.imag, sides.real]).astype(np.float32) @ over,
        ]
    )
    sampled = sample_picture(table.grey, spots.transpose(1, 2, 0), cv2.INTER_LINEAR)
    return sampled.reshape(*poses.shape[:2], -1).astype(np.float32)


@lru_cache(maxsize=8)
def _draw_patterns(blur: float) -> Singles:
    """(COUNT * 4, 100) each tag as it is and turned by one, two and three quarters, blurred, light taken out."""
    cells = np.ones((COUNT, MODULES, MODULES), dtype=np.float32)
    for tag in range(COUNT):
        cells[tag, 1:-1, 1:-1] = find_white_modules(tag)[::-1]  # rows go down there, and up along y here
    if blur:
        edges = np.arange(MODULES + 1) - MODULES / 2
        edges[[0, -1]] = -math.inf, math.inf  # around the rim it is white
        spread = (-np.diff(np.tanh(0.8 / blur * (_CENTRES[:, None] - edges)), axis=1) / 2).astype(np.float32)
        cells = np.asarray(spread @ cells @ spread.T, dtype=np.float32).reshape(cells.shape)
    turned = np.stack([np.rot90(cells, -quarter, axes=(1, 2)) for quarter in range(4)], axis=1)
    return _take_out_light(turned.reshape(-1, MODULES**2), _describe_light())


@cache
def _describe_light(*, whole: bool = True) -> Singles:
    """(100, 6) orthonormal: how a light may change across a tag; of the frame's cells alone, (64, 3) how it slopes."""
    x, y = _CELLS.real / MODULES, _CELLS.imag / MODULES
    ways = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    return np.asarray(np.linalg.qr(ways if whole else ways[_IS_FRAME, :3])[0], dtype=np.float32)


def _take_out_light(levels: Singles, light: Singles) -> Singles:
    """Return (..., m) levels without what a light adds, of length 1; what is plain stays near 0."""
    rest = levels - (levels @ light) @ light.T
    return np.asarray(rest / np.maximum(np.linalg.norm(rest, axis=-1, keepdims=True), 1e-3), dtype=np.float32)
