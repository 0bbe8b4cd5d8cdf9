"""Hindrance: why a base that is expected is not found, by what its last place shows.

A marker's own print is known.  Where it still can be made out at the place, something is wrong with the light, the
focus or the print; where it cannot, it is hidden or gone.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.tag36h11 import INNER, MODULES, find_white_modules
from vision.marker_numbers import is_ring
from vision.rings.decoding import UnreadRing
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.measurement import LEAST_CELL_PX, MOST_BLUR_CELLS
from vision.tags.faint_tags import UnreadTag
from vision.tags.pose_estimation import SCALES, EnrolledTag
from vision.tracking.rest_detection import has_stayed
from vision.tracking.tracks import Track
from vision.types import Hindrance, PoseState, TagFit, UnreadMarker

Grey = NDArray[np.uint8]
Singles = NDArray[np.float32]

LEAST_EDGE_PX = 10.5
"""Edge of a tag's black square below which hardly any is read, however sharp."""
PER_MODULE = 4
"""Samples along a module of a tag, and along a cell of a ring."""
CIRCLES = (0.3, 0.5, 0.7)
"""Where across its band a ring is sampled."""
BLURS = (0.15, 0.35, 0.6, 0.9)
"""Blurs that a print is compared at, modules, one standard deviation; from the last but one on it is not read."""
THERE = 0.55
"""A print that agrees with what is seen by this correlation is there."""
STEEP = 24.0
"""Grey levels between black and white that are enough to be read, if little noise is over them."""
BRIGHT, WHITE, DARK = 130.0, 245.0, 40.0
"""Grey levels from which on black is in glare, and anything is; and up to which a place is too dark for anything."""
MUCH = 0.4
"""Share of a place that is in glare where nothing else can be made out."""
SHINES = 0.9
"""A tenth of a print's black modules, or of its white ones, that is brighter by this share of the contrast shines."""
DROWNED_SIGMAS = 4.0
"""Noise between whose sigma and the contrast there is no more than this hides a print."""
ASTRAY = 0.4
"""Share of the contrast by which a module looks otherwise than it is printed."""
FEW_ASTRAY = 4
"""Modules of a print that may look so without being why it is not read."""
UNSEEN = frozenset({PoseState.HELD, PoseState.LOST})
AT_REST_LOOKS = 20
"""What has been measured so often, and is in a hand, has moved."""
_ROUGHNESS = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32)
_ROUGHEST = 8 * 255
"""What the mask makes of whole numbers up to 255 is no larger."""
FAST_SHARE = 0.25
"""A tag that went by this share of its edge from picture to picture was on its way."""


def find_hindrances(
    grey: Grey,
    camera: CameraOverTable,
    bases: Mapping[int, EnrolledTag | EnrolledRing],
    tracks: Mapping[int, Track],
) -> dict[int, Hindrance]:
    """Return why bases are not found or no longer readable, by marker, where that can be told.

    Args:
        grey: the picture.
        camera: the camera over the table.
        bases: those that are expected, by marker.
        tracks: what is known of them; those that are held or lost are asked about, and those that rest above the table.

    """
    found: dict[int, Hindrance] = {}
    mm_per_px = 1 / camera.finest_px_per_mm
    for marker, base in bases.items():
        track = tracks.get(marker)
        if track is None:
            if _is_too_small(base, mm_per_px):
                found[marker] = Hindrance.TOO_SMALL
        elif track.state in UNSEEN:
            step_px = track.step_px if track.moving else np.zeros(2)
            ring = base if isinstance(base, EnrolledRing) else None
            hindrance = explain_place(grey, marker, track.corners_px, step_px, ring)
            if hindrance is not None:
                found[marker] = hindrance
        elif _rests_above(track):
            found[marker] = Hindrance.ABOVE_TABLE
    return found


def _rests_above(track: Track) -> bool:
    """Whether a base that has never stood on a surface that is known has rested above all of them since it was found.

    A print that is two hundredths larger than it is said to be seems nearer to the camera by as much.
    """
    if track.state is not PoseState.LIFTED or track.bias is not None or track.sightings < AT_REST_LOOKS:
        return False
    _, last = track.recent[-1]
    return all(has_stayed(m, last) for _, m in track.recent[:-1])


def _is_too_small(base: EnrolledTag | EnrolledRing, mm_per_px: float) -> bool:
    if isinstance(base, EnrolledTag):
        return base.size_mm < LEAST_EDGE_PX * mm_per_px
    band = base.layout.band
    return min(base.layout.cell_mm, band.outer_mm - band.inner_mm) < LEAST_CELL_PX * mm_per_px


def explain_place(
    grey: Grey,
    marker: int,
    corners_px: NDArray[np.float64],
    step_px: NDArray[np.float64],
    ring: EnrolledRing | None = None,
) -> Hindrance | None:
    """Return why a marker is not found where it was last seen; None where it looks as it should.

    Args:
        grey: the picture.
        marker: its number.
        corners_px: (4, 2) where it was, a tag's in the order of `TagDetection`.
        step_px: (2,) how far it went from picture to picture.
        ring: what is known of it where it is a ring.

    """
    hindrance = _explain_standing(grey, marker, corners_px, step_px, ring)
    # What looks otherwise where something goes by is a matter of where exactly it is by now.
    return None if hindrance is Hindrance.PRINT_DAMAGED and step_px.any() else hindrance


def _explain_standing(
    grey: Grey, marker: int, corners_px: NDArray[np.float64], step_px: NDArray[np.float64], ring: EnrolledRing | None
) -> Hindrance | None:
    height, width = grey.shape
    if (corners_px < 0).any() or (corners_px > (width - 1, height - 1)).any():
        return Hindrance.OUT_OF_PICTURE
    edge_px = _measure_edge_px(corners_px)
    seen = _sample_place(grey, corners_px)
    if not is_ring(marker):
        if edge_px < LEAST_EDGE_PX:
            return Hindrance.TOO_SMALL
        agreement = _draw_prints(marker) @ _normalise(seen)
        best = int(np.argmax(agreement))
        if agreement[best] >= THERE:
            return _explain_print(_average_modules(seen), _list_modules(marker), is_blurred=best >= len(BLURS) - 2)
    elif ring is not None:
        band = _sample_band(grey, ring, corners_px)
        agreement = _draw_bands(ring.word) @ _centre(band)
        best = int(np.argmax(agreement))
        if agreement[best] >= THERE:
            return _explain_print(_average_cells(band), ring.bits, is_blurred=best >= len(BLURS) - 2)
    if np.linalg.norm(step_px) > FAST_SHARE * edge_px:
        return Hindrance.MOVING_TOO_FAST
    if (seen >= WHITE).mean() > MUCH:
        return Hindrance.GLARE
    return Hindrance.TOO_DARK if np.percentile(seen, 95) < DARK else Hindrance.COVERED


def explain_unread(grey: Grey, unread: UnreadTag | UnreadRing, noise: float) -> Hindrance:
    """Return why something that looks like a tag or a ring is not read, in a picture of some noise, grey levels."""
    if isinstance(unread, UnreadRing):
        ring, px_per_mm = unread.fit.ring, unread.fit.px_per_mm
        if _is_too_small(ring, 1 / px_per_mm):
            return Hindrance.TOO_SMALL
        shades = _average_cells(_sample_band(grey, ring, unread.corners_px))
        is_blurred = unread.fit.blur_px > MOST_BLUR_CELLS * ring.layout.cell_mm * px_per_mm
        hindrance = _explain_print(shades, ring.bits, is_blurred=is_blurred, noise=noise)
        return hindrance or Hindrance.PRINT_DAMAGED
    if _measure_edge_px(unread.corners_px) < LEAST_EDGE_PX:
        return Hindrance.TOO_SMALL
    seen = _sample_place(grey, unread.corners_px)
    is_blurred = int(np.argmax(_draw_prints(unread.tag) @ _normalise(seen))) >= len(BLURS) - 2
    hindrance = _explain_print(_average_modules(seen), _list_modules(unread.tag), is_blurred=is_blurred, noise=noise)
    # Of a tag of which a part is covered no frame is found.
    return Hindrance.PRINT_DAMAGED if hindrance in {None, Hindrance.COVERED} else hindrance


def select_hindered(hindered: Mapping[int, Hindrance], tracks: Mapping[int, Track]) -> dict[int, Hindrance]:
    """Return what of an earlier answer still holds: what has been seen again is not hindered."""
    return {
        m: why
        for m, why in hindered.items()
        if m not in tracks
        or tracks[m].state in UNSEEN
        or (why is Hindrance.ABOVE_TABLE and tracks[m].state is PoseState.LIFTED)
    }


def select_unseen(
    bases: Mapping[int, EnrolledTag | EnrolledRing], tracks: Mapping[int, Track]
) -> dict[int, EnrolledTag | EnrolledRing]:
    """Return the bases that are not seen, by marker."""
    return {m: base for m, base in bases.items() if m not in tracks or tracks[m].state in UNSEEN}


def select_unread(unread: Sequence[UnreadMarker], tracks: Mapping[int, Track]) -> tuple[UnreadMarker, ...]:
    """Return what of an earlier answer still holds, as `select_hindered` does."""
    return tuple(u for u in unread if u.marker is None or u.marker not in tracks or tracks[u.marker].state in UNSEEN)


def list_named(unread: Iterable[UnreadMarker]) -> dict[int, Hindrance]:
    """Return why bases cannot be read of which it is known that they are what cannot be, by marker."""
    return {each.marker: each.hindrance for each in unread if each.marker is not None}


def explain_unmeasured(
    grey: Grey, camera: CameraOverTable, base: EnrolledTag, corners_px: NDArray[np.float64]
) -> Hindrance:
    """Return why a tag that is read in a picture is not to be measured: at the least it is no square."""
    if is_of_other_size(camera, base, corners_px):
        return Hindrance.OTHER_SIZE
    return explain_place(grey, base.tag, corners_px, np.zeros(2)) or Hindrance.PRINT_DAMAGED


def explain_unread_markers(
    grey: Grey,
    camera: CameraOverTable,
    bases: Mapping[int, EnrolledTag | EnrolledRing],
    unread: Iterable[UnreadTag | UnreadRing],
    hindered: Mapping[int, Hindrance],
) -> tuple[UnreadMarker, ...]:
    """Return what cannot be read, and why; a base is named once, and only where no more is known of it than its cover.

    Args:
        grey: the picture.
        camera: the camera over the table.
        bases: those that are not seen, by marker.
        unread: what looks like a tag or a ring.
        hindered: why some of the bases are not, by marker.

    """
    told: list[UnreadMarker] = []
    unread = [each for each in unread if each.marker in bases]
    noise = measure_noise(grey) if unread else 0.0
    for each in unread:
        base = bases[each.marker]
        height_mm = base.ring_height_mm if isinstance(base, EnrolledRing) else base.height_mm
        x_mm, y_mm = camera.table_from_image(each.corners_px, height_mm).mean(axis=0).tolist()
        named = {m for m, why in hindered.items() if why is not Hindrance.COVERED} | {other.marker for other in told}
        told.append(
            UnreadMarker(
                marker=each.marker if each.is_known and each.marker not in named else None,
                place_mm=(x_mm, y_mm),
                place_px=tuple(each.corners_px.mean(axis=0).tolist()),
                hindrance=explain_unread(grey, each, noise),
            )
        )
    return tuple(told)


def find_other_sizes(
    camera: CameraOverTable,
    bases: Mapping[int, EnrolledTag],
    fits: Sequence[TagFit],
    tracks: Mapping[int, Track],
) -> dict[int, Hindrance]:
    """Return the bases that are seen, and not followed because their tags look of another size, by marker."""
    return {
        fit.tag: Hindrance.OTHER_SIZE
        for fit in fits
        if fit.tag in bases and fit.tag not in tracks and is_of_other_size(camera, bases[fit.tag], fit.corners_px)
    }


def is_of_other_size(camera: CameraOverTable, base: EnrolledTag, corners_px: NDArray[np.float64]) -> bool:
    """Whether a tag looks so much larger or smaller than it is said to be that it is not taken for that tag."""
    corners_mm = camera.table_from_image(corners_px, base.height_mm)
    edge_mm = float(np.linalg.norm(corners_mm - np.roll(corners_mm, 1, axis=0), axis=1).mean())
    return not SCALES[0] < edge_mm / base.size_mm < SCALES[1]


def _measure_edge_px(corners_px: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1).min())


def measure_noise(grey: Grey) -> float:
    """Return by how much pixels differ from their neighbours without a reason, grey levels, one sigma.

    This is Immerkaer's mask (Fast Noise Variance Estimation, 1996), which what slopes or bends does not move.
    """
    rough = np.abs(cv2.filter2D(grey, cv2.CV_16S, _ROUGHNESS)).view(np.uint16)
    # The median, by counting: a large picture's values take ten times as long to be sorted.
    below = cv2.calcHist([rough], [0], None, [_ROUGHEST + 1], [0, _ROUGHEST + 1]).ravel().astype(np.int64).cumsum()
    middle = np.searchsorted(below, [(rough.size - 1) // 2, rough.size // 2], side="right")
    return float(middle.mean()) / (6 * 0.6745)


def _sample_place(grey: Grey, corners_px: NDArray[np.float64]) -> Singles:
    """(n, n) what a tag's place shows with its white rim, the top row first, its x to the right."""
    size = MODULES * PER_MODULE
    rim = (MODULES - INNER) / 2 * PER_MODULE
    low, high = rim - 0.5, size - rim - 0.5
    square = np.array([(low, high), (high, high), (high, low), (low, low)], dtype=np.float32)
    flat = cv2.getPerspectiveTransform(corners_px.astype(np.float32), square)
    return np.asarray(cv2.warpPerspective(grey, flat, (size, size), borderMode=cv2.BORDER_REPLICATE), dtype=np.float32)


def _average_modules(seen: Singles) -> Singles:
    """(MODULES, MODULES) how bright each module is of what a tag's place shows."""
    inner = seen.reshape(MODULES, PER_MODULE, MODULES, PER_MODULE)[:, 1:-1, :, 1:-1]
    return np.asarray(inner.mean(axis=(1, 3)), dtype=np.float32)


@cache
def _list_modules(tag: int) -> NDArray[np.bool_]:
    """(MODULES, MODULES) which modules of a tag with its rim are white."""
    return np.pad(find_white_modules(tag), (MODULES - INNER) // 2, constant_values=True)


@cache
def _draw_prints(tag: int) -> Singles:
    """(len(BLURS), n) a tag's print at each blur, less its mean and of length 1."""
    print_ = np.kron(_list_modules(tag), np.ones((PER_MODULE, PER_MODULE))).astype(np.float32)
    soft = [cv2.GaussianBlur(print_, (0, 0), b * PER_MODULE, borderType=cv2.BORDER_REPLICATE) for b in BLURS]
    return np.stack([_normalise(np.asarray(each, dtype=np.float32)) for each in soft])


def _normalise(shown: Singles) -> Singles:
    """(n,) what is shown but for the outer half of the rim, where the ground shines in; less its mean, of length 1."""
    half = PER_MODULE // 2
    return _centre(shown[half:-half, half:-half].ravel())


def _centre(shown: Singles) -> Singles:
    """(n,) less its mean, of length 1."""
    shown = shown - shown.mean()
    length = float(np.linalg.norm(shown))
    return np.asarray(shown / length if length > 0 else shown, dtype=np.float32)


def _sample_band(grey: Grey, ring: EnrolledRing, corners_px: NDArray[np.float64]) -> Singles:
    """(cells * PER_MODULE,) what a ring's place shows along its band."""
    band, cells = ring.layout.band, ring.layout.cells
    along, across = np.meshgrid(
        (np.arange(cells * PER_MODULE) + 0.5) / PER_MODULE,
        band.inner_mm + np.array(CIRCLES) * (band.outer_mm - band.inner_mm),
        indexing="ij",
    )
    places_mm = ring.layout.place(along.ravel(), across.ravel()).astype(np.float32)
    to_px = cv2.getPerspectiveTransform(ring.corners_mm.astype(np.float32), corners_px.astype(np.float32))
    places_px = cv2.perspectiveTransform(places_mm[None], to_px).reshape(-1, len(CIRCLES), 2)
    seen = cv2.remap(grey, places_px[..., 0], places_px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.mean(seen, axis=1), dtype=np.float32)


def _average_cells(band: Singles) -> Singles:
    """(cells,) how bright each cell is of what a ring's place shows."""
    return np.asarray(band.reshape(-1, PER_MODULE)[:, 1:-1].mean(axis=1), dtype=np.float32)


@cache
def _draw_bands(word: str) -> Singles:
    """(len(BLURS), n) a ring's word at each blur along its band, less its mean and of length 1."""
    print_ = np.repeat(np.array([[cell == "1" for cell in word * 3]], dtype=np.float32), PER_MODULE, axis=1)
    soft = [np.asarray(cv2.GaussianBlur(print_, (0, 0), b * PER_MODULE), dtype=np.float32)[0] for b in BLURS]
    third = len(word) * PER_MODULE
    return np.stack([_centre(each[third:-third]) for each in soft])


def _explain_print(
    shades: Singles, white: NDArray[np.bool_], *, is_blurred: bool, noise: float = 0.0
) -> Hindrance | None:
    """Return what is wrong with a print that can be made out: the light, or else the focus, or else itself.

    Args:
        shades: of the modules of a tag, by rows and columns, or of a ring's cells.
        white: which of them are printed light.
        is_blurred: whether it looks like the print out of focus.
        noise: by how much pixels differ, one sigma.

    """
    bright, black = float(np.median(shades[white])), float(np.median(shades[~white]))
    contrast = bright - black
    if black > BRIGHT or (shades[~white] > WHITE).mean() > 1 / MODULES:
        return Hindrance.GLARE
    if contrast < STEEP:
        return Hindrance.TOO_DARK
    if is_blurred:
        return Hindrance.BLURRED
    off = shades - np.where(white, bright, black)
    inner = np.s_[2:-2, 2:-2] if off.ndim == 2 else np.s_[:]  # paint comes in from the edge
    if any(np.percentile(off[inner][w], 90) > SHINES * contrast for w in (white[inner], ~white[inner])):
        return Hindrance.GLARE
    if contrast < DROWNED_SIGMAS * noise:
        return Hindrance.TOO_DARK
    astray = np.abs(off) > ASTRAY * contrast
    if astray.sum() <= FEW_ASTRAY:
        return None
    return Hindrance.COVERED if _is_one_piece(astray) else Hindrance.PRINT_DAMAGED


def _is_one_piece(astray: NDArray[np.bool_]) -> bool:
    """Whether what looks otherwise hangs together and reaches in from the rim, as something that lies over it does."""
    if astray.ndim == 1:  # around a ring, what lies over it may look like single cells
        at = np.flatnonzero(astray)
        most = math.ceil(0.7 * len(at)) - 1
        return bool(np.mod(np.roll(at, -most) - at, len(astray)).min() < len(astray) / 2)
    _, labels = cv2.connectedComponents(astray.astype(np.uint8), connectivity=4)
    largest = int(np.argmax(np.bincount(labels[astray])))
    piece = labels == largest
    reaches_in = piece[0].any() or piece[-1].any() or piece[:, 0].any() or piece[:, -1].any()
    return bool(reaches_in and piece.sum() >= 0.7 * astray.sum())
