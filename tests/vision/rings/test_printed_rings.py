"""What is printed is what is read: sheets of coded rings, looked at from above."""

import math

import cv2
import numpy as np
import pytest

from calibration.spaces import CameraOverTable, Lens
from hardware.printing.coded_rings import Cutter, RingPrint, build_ring_pages
from hardware.printing.page import A4, CutLine
from hardware.rings.layout import RingKind
from tests.hardware.printing.page_raster import DOTS_PER_MM, rasterise_page
from tests.vision.rings.rendered_rings import LAYOUTS, OUTLINES, enrol_ring
from vision.rings.decoding import decode_rings
from vision.rings.word_proposals import RingHypothesis

DOTS_A_PIXEL = 3
DESK_PX = 60
"""So much is seen beyond the edges of the sheet."""
HEIGHT_MM = 5000.0


def look_at_paper() -> CameraOverTable:
    """Return a camera straight above a sheet on the table, whose pictures are the sheet's and a little of the desk."""
    focal = HEIGHT_MM * DOTS_PER_MM / DOTS_A_PIXEL
    size = tuple(round(mm * DOTS_PER_MM / DOTS_A_PIXEL) + 2 * DESK_PX for mm in (A4.width_mm, A4.height_mm))
    middle = (np.array(size) - 1) / 2
    return CameraOverTable(
        lens=Lens(
            image_size=(size[0], size[1]),
            parameters=np.array([focal, focal, *middle, 0.0, 0.0, 0.0, 0.0, 0.0]),
            covariance=np.zeros((9, 9)),
        ),
        rotation=np.array([math.pi, 0.0, 0.0]),
        translation_mm=np.array([-A4.width_mm / 2, A4.height_mm / 2, HEIGHT_MM]),
        covariance=np.zeros((15, 15)),
        bleed_px=0.0,
        sigma_px=0.1,
    )


@pytest.mark.parametrize("kind", list(RingKind))
@pytest.mark.parametrize("base", ["round 32", "oval 60x35", "rect 40x20"])
def test_a_printed_ring_is_read_where_it_is_with_its_nose_up(base: str, kind: RingKind) -> None:
    ring = enrol_ring(41, base, kind)
    one = RingPrint(
        ring=41,
        word=ring.word,
        layout=LAYOUTS[base, kind],
        outline_mm=tuple((float(x), float(y)) for x, y in OUTLINES[base]),
        base_name=base,
    )
    (page,) = build_ring_pages([one], A4, Cutter.PLOTTER)
    ink = [mark for mark in page.marks if not isinstance(mark, CutLine)]
    picture = rasterise_page(type(page)(paper=page.paper, marks=tuple(ink)))
    grey = cv2.resize(picture, None, fx=1 / DOTS_A_PIXEL, fy=1 / DOTS_A_PIXEL, interpolation=cv2.INTER_AREA)
    on_desk = cv2.copyMakeBorder(grey, DESK_PX, DESK_PX, DESK_PX, DESK_PX, cv2.BORDER_CONSTANT, value=90.0)
    seen = cv2.GaussianBlur(on_desk, (0, 0), 0.7)
    edge = next(mark for mark in page.marks if isinstance(mark, CutLine))
    left, lower, _, _ = one.box_mm
    x, y = (min(point[axis] for point in edge.points_mm) for axis in (0, 1))
    middle = (x - left, y - lower)
    rings = [ring, *(enrol_ring(number, base, kind) for number in range(20))]
    guess = RingHypothesis(
        shape=ring.shape,
        x_mm=middle[0] + 0.4,
        y_mm=middle[1] - 0.3,
        facing_rad=math.pi / 2,
        surface_mm=-ring.ring_height_mm,  # so that the ring is in the sheet's plane, on a base or not
    )
    (reading,) = decode_rings(look_at_paper(), np.asarray(seen, dtype=np.uint8), [guess], rings)
    assert reading is not None
    assert reading.marker == ring.marker
    assert (reading.fit.x_mm, reading.fit.y_mm) == pytest.approx(middle, abs=0.05)
    assert math.degrees(reading.fit.facing_rad) == pytest.approx(90.0, abs=0.5)
