"""Pictures of rings that several tests look at."""

import pytest

from hardware.rings.layout import RingKind
from tests.vision.rings.rendered_rings import Figure, Grey, PlacedRing, enrol_ring, render_rings
from tests.vision.synthetic_camera import CAMERA

PLACED = (
    PlacedRing(ring=enrol_ring(5), x_mm=400.3, y_mm=300.4, facing_rad=1.0),
    PlacedRing(ring=enrol_ring(6, kind=RingKind.RIM), x_mm=500.2, y_mm=310.8, facing_rad=-2.0),
    PlacedRing(ring=enrol_ring(7, "oval 60x35"), x_mm=620.9, y_mm=330.1, facing_rad=0.4),
    PlacedRing(ring=enrol_ring(8, "oval 60x35", RingKind.RIM), x_mm=400.7, y_mm=420.3, facing_rad=2.7),
    PlacedRing(ring=enrol_ring(9, "rect 40x20"), x_mm=500.0, y_mm=430.5, facing_rad=-0.6),
    PlacedRing(ring=enrol_ring(10, "outline"), x_mm=610.4, y_mm=440.4, facing_rad=-1.3),
)
FIGURES = tuple(Figure(x_mm=one.x_mm + 9, y_mm=one.y_mm + 7, z_mm=12.0, radius_mm=8.0, grey=135.0) for one in PLACED)


@pytest.fixture(scope="session")
def ringed_table() -> Grey:
    """Return a picture of PLACED, FIGURES in front of them."""
    return render_rings(CAMERA, PLACED, FIGURES)
