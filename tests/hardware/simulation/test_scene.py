import math

import pytest

from hardware.simulation.ground import find_floor_height
from hardware.simulation.scene import Placement, VirtualAnchor, VirtualBase, VirtualScene
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline
from tests.hardware.simulation.sample_scene import SCENE


def build_base(tag: int) -> VirtualBase:
    return VirtualBase(marker=tag, outline_mm=build_rect_outline(length_mm=40, width_mm=20), size_mm=16, height_mm=3)


def test_a_scene_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="marker 4 is used twice"):
        VirtualScene(bases=(build_base(4),), anchors=(VirtualAnchor(tag=4, x_mm=0, y_mm=0, size_mm=40),))
    with pytest.raises(ValueError, match="tag 587 is not in tag36h11"):
        VirtualScene(bases=(build_base(587),))
    with pytest.raises(ValueError, match="marker 5 is placed but belongs to no base"):
        VirtualScene(bases=(build_base(4),), placements={5: Placement(x_mm=0, y_mm=0)})
    with pytest.raises(ValueError, match="expected finite numbers"):
        Placement(x_mm=math.nan, y_mm=0)


def test_outlines_have_their_size_and_run_counter_clockwise() -> None:
    for outline, area_mm2 in (
        (build_oval_outline(length_mm=60, width_mm=35), math.pi * 30 * 17.5),
        (build_rect_outline(length_mm=60, width_mm=35), 60 * 35),
    ):
        following = outline[1:] + outline[:1]
        twice_area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(outline, following, strict=True))
        assert twice_area / 2 == pytest.approx(area_mm2, rel=0.002)
        assert max(x for x, _ in outline) == pytest.approx(30)
        assert max(y for _, y in outline) == pytest.approx(17.5, rel=1e-3)


@pytest.mark.parametrize(
    ("x_mm", "y_mm", "z_mm", "floor_mm"),
    [(1100, 780, 50, 50), (1100, 780, 80, 50), (1100, 780, 0, 0), (300, 300, 80, 0), (650, 450, 120, 0)],
)
def test_the_floor_is_the_highest_top_below(x_mm: float, y_mm: float, z_mm: float, floor_mm: float) -> None:
    assert find_floor_height(SCENE, x_mm=x_mm, y_mm=y_mm, z_mm=z_mm) == floor_mm
