"""Hindrance: why a base that is expected is not found, by what its last place shows.

A tag's own print is known.  Where it still can be made out at the place, something is wrong with the light, the focus
or the print; where it cannot, it is hidden or gone.
"""

from collections.abc import Mapping
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.tag36h11 import INNER, MODULES, find_white_modules
from vision.marker_numbers import is_ring
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import EnrolledTag
from vision.tracking.tracks import Track
from vision.types import Hindrance, PoseState

Grey = NDArray[np.uint8]
Singles = NDArray[np.float32]

LEAST_EDGE_PX = 10.5
"""Edge of a tag's black square below which hardly any is read, however sharp."""
PER_MODULE = 4
"""Samples along a module of a tag."""
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
ASTRAY = 0.4
"""Share of the contrast by which a module looks otherwise than it is printed."""
FEW_ASTRAY = 4
"""Modules of a print that may look so without being why it is not read."""
UNSEEN = frozenset({PoseState.HELD, PoseState.LOST})
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
        tracks: what is known of them; those that are held or lost are asked about.

    """
    found: dict[int, Hindrance] = {}
    least_mm = LEAST_EDGE_PX * camera.height_mm / float(camera.lens.parameters[0])
    for marker, base in bases.items():
        track = tracks.get(marker)
        if track is None:
            if isinstance(base, EnrolledTag) and base.size_mm < least_mm:
                found[marker] = Hindrance.TOO_SMALL
        elif track.state in UNSEEN:
            hindrance = explain_place(grey, marker, track.corners_px, track.step_px if track.moving else np.zeros(2))
            if hindrance is not None:
                found[marker] = hindrance
    return found


def explain_place(
    grey: Grey, marker: int, corners_px: NDArray[np.float64], step_px: NDArray[np.float64]
) -> Hindrance | None:
    """Return why a marker is not found where it was last seen; None where it looks as it should.

    Args:
        grey: the picture.
        marker: its number.
        corners_px: (4, 2) where it was, a tag's in the order of `TagDetection`.
        step_px: (2,) how far it went from picture to picture.

    """
    height, width = grey.shape
    if (corners_px < 0).any() or (corners_px > (width - 1, height - 1)).any():
        return Hindrance.OUT_OF_PICTURE
    edge_px = float(np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1).min())
    seen = _sample_place(grey, corners_px)
    if not is_ring(marker):
        if edge_px < LEAST_EDGE_PX:
            return Hindrance.TOO_SMALL
        agreement = _draw_prints(marker) @ _normalise(seen)
        best = int(np.argmax(agreement))
        if agreement[best] >= THERE:
            return _explain_print(seen, marker, is_blurred=best >= len(BLURS) - 2)
    if np.linalg.norm(step_px) > FAST_SHARE * edge_px:
        return Hindrance.MOVING_TOO_FAST
    if (seen >= WHITE).mean() > MUCH:
        return Hindrance.GLARE
    return Hindrance.TOO_DARK if np.percentile(seen, 95) < DARK else Hindrance.COVERED


def select_hindered(hindered: Mapping[int, Hindrance], tracks: Mapping[int, Track]) -> dict[int, Hindrance]:
    """Return what of an earlier answer still holds: what has been seen again is not hindered."""
    return {m: why for m, why in hindered.items() if m not in tracks or tracks[m].state in UNSEEN}


def explain_unmeasured(grey: Grey, tag: int, corners_px: NDArray[np.float64]) -> Hindrance:
    """Return why a tag that is read in a picture is not to be measured: at the least it is no square."""
    return explain_place(grey, tag, corners_px, np.zeros(2)) or Hindrance.PRINT_DAMAGED


def _sample_place(grey: Grey, corners_px: NDArray[np.float64]) -> Singles:
    """(n, n) what a tag's place shows with its white rim, the top row first, its x to the right."""
    size = MODULES * PER_MODULE
    rim = (MODULES - INNER) / 2 * PER_MODULE
    low, high = rim - 0.5, size - rim - 0.5
    square = np.array([(low, high), (high, high), (high, low), (low, low)], dtype=np.float32)
    flat = cv2.getPerspectiveTransform(corners_px.astype(np.float32), square)
    return np.asarray(cv2.warpPerspective(grey, flat, (size, size), borderMode=cv2.BORDER_REPLICATE), dtype=np.float32)


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
    inner = shown[half:-half, half:-half].ravel()
    inner = inner - inner.mean()
    length = float(np.linalg.norm(inner))
    return np.asarray(inner / length if length > 0 else inner, dtype=np.float32)


def _explain_print(seen: Singles, tag: int, *, is_blurred: bool) -> Hindrance | None:
    """Return what is wrong with a print that can be made out: the light, or else the focus, or else itself."""
    inner = seen.reshape(MODULES, PER_MODULE, MODULES, PER_MODULE)[:, 1:-1, :, 1:-1]
    shades, white = inner.mean(axis=(1, 3)), _list_modules(tag)
    bright, black = float(np.median(shades[white])), float(np.median(shades[~white]))
    if black > BRIGHT or (shades[~white] > WHITE).mean() > 1 / MODULES:
        return Hindrance.GLARE
    if bright - black < STEEP:
        return Hindrance.TOO_DARK
    if is_blurred:
        return Hindrance.BLURRED
    astray = np.abs(shades - np.where(white, bright, black)) > ASTRAY * (bright - black)
    if astray.sum() <= FEW_ASTRAY:
        return None
    return Hindrance.COVERED if _is_one_piece(astray) else Hindrance.PRINT_DAMAGED


def _is_one_piece(astray: NDArray[np.bool_]) -> bool:
    """Whether what looks otherwise hangs together and reaches in from the rim, as something that lies over it does."""
    _, labels = cv2.connectedComponents(astray.astype(np.uint8), connectivity=4)
    largest = int(np.argmax(np.bincount(labels[astray])))
    piece = labels == largest
    reaches_in = piece[0].any() or piece[-1].any() or piece[:, 0].any() or piece[:, -1].any()
    return bool(reaches_in and piece.sum() >= 0.7 * astray.sum())
