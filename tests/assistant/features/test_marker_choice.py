"""Which marker is recommended for which base, and why."""

import pytest

from assistant.features.camera.marker_sizes import estimate_sight
from assistant.features.demo.catalogue import read_demo
from assistant.features.marker_choice import BaseKind, list_base_kinds, recommend_marker, weigh_markers
from assistant.game.base_spec import BaseSpec
from hardware.rings.words import load_ring_list

RINGS = load_ring_list()
TABLE_MM = (1524.0, 1118.0)
HULL = BaseSpec(outline_mm=((60.0, 30.0), (-60.0, 30.0), (-60.0, -30.0), (60.0, -30.0)))


@pytest.mark.parametrize(
    ("base", "has_roof", "picture_px", "kind", "says"),
    [
        (BaseSpec.parse("round:32"), False, (1920, 1080), "halo", "a figure hides a tag on its base; "),
        (BaseSpec.parse("round:25"), False, (1920, 1080), "halo", " px a cell, 2 are needed"),
        (BaseSpec.parse("round:22"), False, (1920, 1080), "halo", "a halo of "),
        (BaseSpec.parse("round:20"), False, (640, 480), "halo", "use a 4K camera"),
        (BaseSpec.parse("oval:60x35"), False, (1920, 1080), "halo", "a figure hides a tag on its base; "),
        (BaseSpec.parse("rect:25x50"), False, (3840, 2160), "rim", "in ranks a halo would lie under its neighbours"),
        (BaseSpec.parse("rect:20x20"), False, (1920, 1080), "halo", "use a 4K camera"),
        (BaseSpec.parse("rect:110x70"), True, (1920, 1080), "tag", "nothing hides a tag on its roof; 20 mm or more"),
        (BaseSpec.parse("rect:110x70"), True, (3840, 2160), "tag", "10 mm or more"),
        (BaseSpec.parse("rect:20x20"), True, (1920, 1080), "halo", "use a 4K camera"),
        (HULL, True, (1920, 1080), "tag", "nothing hides a tag on its roof"),
    ],
)
def test_the_base_and_the_camera_say_what_suits_it(
    base: BaseSpec, has_roof: bool, picture_px: tuple[int, int], kind: str, says: str
) -> None:
    asked = BaseKind(key="x", base=base, has_roof=has_roof, models=("a",), units=("u",))
    advice = recommend_marker(asked, weigh_markers(asked, RINGS, estimate_sight(picture_px, TABLE_MM)))
    assert advice.kind == kind
    assert says in advice.why


def test_models_are_marked_alike_whose_bases_are_alike() -> None:
    kinds = {kind.key: kind for kind in list_base_kinds(read_demo("warhammer-40k-10e").state)}
    assert set(kinds) == {"round:40", "round:50", "oval:90x52", "roof rect:110x70", "roof rect:100x60"}
    assert kinds["round:50"].units == ("captain", "warlord")
    assert len(kinds["round:40"].models) == 20
