"""The set-up file: what it says, and what is said of one that is wrong."""

import json
import math
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.setup.file import read_setup
from hardware.rings.layout import RingKind
from hardware.rings.words import load_ring_list
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import EnrolledTag

GOOD = """
format = "overtable.setup/1"
[table]
width_mm = 1524
depth_mm = 1118
[camera]
source = "usb:0"
[[anchors]]
tag = 580
x_mm = 40.0
y_mm = 40.0
facing_deg = 90.0
size_mm = 40.0
[[bases]]
tag = 1
model = "s1"
base = {round_mm = 32}
size_mm = 10.0
tag_in_base = {x_mm = 8.0, y_mm = 0.0, facing_deg = 45.0}
height_mm = 4.0
"""


def write_setup_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(text)
    return path


def test_a_setup_is_read(tmp_path: Path) -> None:
    setup = read_setup(write_setup_file(tmp_path, GOOD))
    (anchor,) = setup.anchor_tags
    assert (anchor.tag, anchor.z_mm) == (580, 0)
    assert anchor.facing_rad == pytest.approx(math.pi / 2)
    base = setup.enrolled_bases[1]
    assert (base.model, base.x_mm, base.height_mm) == ("s1", 8.0, 4.0)
    assert base.facing_rad == pytest.approx(math.pi / 4)


def test_an_anchor_is_laid_at_a_place_in_a_corner_or_anywhere(tmp_path: Path) -> None:
    laid = """[[anchors]]
tag = 581
corner = "far-right"
size_mm = 40.0
[[anchors]]
tag = 582
size_mm = 40.0
[[anchors]]
tag = 583
x_mm = 700.0
y_mm = 40.0
size_mm = 40.0
sigma_mm = 1.0
[[bases]]"""
    setup = read_setup(write_setup_file(tmp_path, GOOD.replace("[[bases]]", laid)))
    place, corner, anywhere, rough = setup.stated_anchors
    assert (place.sigma_mm, place.sigma_rad) == (0, 0)
    assert place.turn_rad == pytest.approx(math.pi / 2)
    assert corner.find_centre_mm(setup.table.width_mm, setup.table.depth_mm) == 1499 + 1093j
    assert (corner.sigma_mm, corner.turn_rad) == (0.5, None)
    assert corner.find_turn_near(1.4) == pytest.approx(math.pi / 2)
    assert anywhere.is_open
    assert (rough.turn_rad, rough.sigma_mm) == (0, 1.0)
    assert rough.sigma_rad == pytest.approx(math.sqrt(2) / 50)
    assert [anchor.tag for anchor in setup.anchor_tags] == [580, 583]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("[[anchors]]", "[[anchor]]"), "anchor: this key is not known here"),
        (("size_mm = 40.0", "size_mm = -40.0"), "anchors[0].size_mm: expected more than 0, not '-40.0'"),
        (("x_mm = 40.0", "x_mm = nan"), "anchors[0].x_mm: expected a finite number, not nan"),
        (("tag = 1\n", "tag = 580\n"), "tag 580 is used twice, by an anchor and by model 's1'"),
        (("tag = 1\n", "tag = 587\n"), "bases[0].tag: expected 586 or less"),
        (("{round_mm = 32}", "{round_mm = 32, rect_mm = [1, 2]}"), "expected exactly one of round_mm"),
        (("width_mm = 1524", ""), "table.width_mm: this key is missing"),
        (("tag = 1\n", ""), "bases[0]: neither tag nor ring is given; a base has one of them, such as tag = 1"),
        (("tag = 1\n", "tag = 1\nring = 2\n"), "bases[0]: tag and ring are both given; a base has one of them"),
        (("tag = 1\n", "ring = 1\n"), "bases[0]: size_mm belongs to a tag, but this base has a ring: leave it out"),
        (
            ("height_mm = 4.0", 'ring_kind = "halo"'),
            "bases[0]: ring_kind belongs to a ring, but this base has a tag: leave it out",
        ),
        (("[[bases]]", "[rings]\nword = 3\n[[bases]]"), "rings.word: this key is not known here"),
        (("[[bases]]", '[rings]\nwords = "absent.json"\n[[bases]]'), "absent.json: there is no such file"),
        (("x_mm = 40.0\n", ""), "anchors[0]: expected both x_mm and y_mm, or neither"),
        (
            ("size_mm = 40.0", 'size_mm = 40.0\ncorner = "near-left"'),
            "expected either x_mm and y_mm or corner, not both",
        ),
        (("x_mm = 40.0\ny_mm = 40.0\n", ""), "lies anywhere: leave out facing_deg and sigmas"),
        (("x_mm = 40.0\ny_mm = 40.0\nfacing_deg = 90.0", 'corner = "far-left"\nfacing_deg = 45.0'), "a multiple of 90"),
        (("x_mm = 40.0\ny_mm = 40.0", 'corner = "left"'), "anchors[0].corner: "),
        (('"usb:0"', "7"), "camera.source: expected text"),
        (("setup/1", "setup/2"), "format: expected 'overtable.setup/1', not 'overtable.setup/2'"),
        (("[camera]", "[camera"), "this is not whole TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    check_refusal(tmp_path, GOOD, change, sentence)


def check_refusal(tmp_path: Path, good: str, change: tuple[str, str], sentence: str) -> None:
    assert change[0] in good
    path = write_setup_file(tmp_path, good.replace(*change))
    with pytest.raises(BadInput) as refusal:
        read_setup(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


RINGED = (
    GOOD[: GOOD.index("[[bases]]")]
    + """
[[bases]]
ring = 17
ring_kind = "halo"
model = "s1"
base = {round_mm = 32}
[[bases]]
ring = 18
ring_kind = "rim"
model = "s2"
base = {oval_mm = [60, 35]}
height_mm = 4.0
ring_in_base = {x_mm = 0.5, facing_deg = 90.0, sigma_mm = 0.3}
[[bases]]
tag = 17
model = "s3"
base = {round_mm = 60}
size_mm = 20.0
"""
)


def test_rings_and_tags_are_read_into_one_list_by_marker(tmp_path: Path) -> None:
    enrolled = read_setup(write_setup_file(tmp_path, RINGED)).enrolled_bases
    assert list(enrolled) == [1017, 1018, 17]
    halo, rim, tag = enrolled.values()
    assert isinstance(halo, EnrolledRing)
    assert isinstance(rim, EnrolledRing)
    assert isinstance(tag, EnrolledTag)
    rings = load_ring_list()
    assert (halo.word, rim.word) == (rings.round.ids[17], rings.other.ids[18])
    assert (halo.ring_height_mm, rim.ring_height_mm) == (rings.bands[RingKind.HALO].height_mm, 4.0)
    assert (rim.x_mm, rim.offset_sigma_mm) == (0.5, 0.3)
    assert rim.facing_rad == pytest.approx(math.pi / 2)
    middle_mm = 16 + rings.bands[RingKind.HALO].middle_mm
    assert halo.layout.length_mm == pytest.approx(math.tau * middle_mm, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("ring = 17\n", "ring = 5000\n"), "model 's1': there is no ring 5000 for round bases; expected one of 0 to "),
        (("ring = 18\n", "ring = 5000\n"), "model 's2': there is no ring 5000 for bases that are not round"),
        (("ring = 18\n", "ring = 17\n"), "ring 17 is used twice, by model 's1' and by model 's2'; every ring is used"),
        (('"halo"', '"disc"'), "bases[0].ring_kind: expected 'halo' or 'rim', not 'disc'"),
        (("height_mm = 4.0\n", ""), "bases[1]: height_mm is missing: how high the base is, on the top of which a rim"),
        (
            ("[60, 35]", "[60, 3]"),
            "model 's2': a rim from -3.5 to -0.5 mm has no room on a base of 60 x 3 mm: more than 7",
        ),
        (("oval_mm = [60, 35]", "rect_mm = [60, 6.9]"), "no room on a base of 60 x 6.9 mm: more than 7 mm are needed"),
        (("oval_mm = [60, 35]", "outline_mm = [[5, 5], [40, 5], [40, 40], [5, 40]]"), "does not cross the band"),
        (
            ("round_mm = 32", "round_mm = 1"),
            "cells of a halo on a base of 1 x 1 mm are 0.47 mm long each; 0.5 mm",
        ),
        (
            ("round_mm = 32}", "round_mm = 32}\nband_mm = [3.3, 0.3]"),
            "band_mm goes from 3.3 to 0.3; expected the inner",
        ),
        (("round_mm = 32}", "round_mm = 32}\nband_mm = [-3, 3]"), "begins at -3, but a halo lies outside of the base"),
        (("height_mm = 4.0", "height_mm = 4.0\nband_mm = [-3, 3]"), "ends at 3, but a rim lies on the base"),
        (("round_mm = 32}", "round_mm = 32}\nband_mm = [3.3]"), "bases[0].band_mm"),
    ],
)
def test_what_is_wrong_with_a_ring_is_said_in_one_sentence(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    check_refusal(tmp_path, RINGED, change, sentence)


def test_a_band_of_another_width_takes_the_lines_beside_it_along(tmp_path: Path) -> None:
    wide = RINGED.replace("{round_mm = 32}", "{round_mm = 32}\nband_mm = [0.5, 5.5]")
    ring = read_setup(write_setup_file(tmp_path, wide)).enrolled_bases[1017]
    assert isinstance(ring, EnrolledRing)
    own, band = load_ring_list().bands[RingKind.HALO], ring.layout.band
    assert (band.inner_mm, band.outer_mm) == (0.5, 5.5)
    for border, before in zip(band.borders, own.borders, strict=True):
        edge_mm, edge_before_mm = (5.5, own.outer_mm) if before.from_mm > 0.3 else (0.5, own.inner_mm)
        assert border.from_mm - edge_mm == pytest.approx(before.from_mm - edge_before_mm)
        assert border.to_mm - border.from_mm == pytest.approx(before.to_mm - before.from_mm)


def test_a_setup_may_bring_its_own_list_of_rings(tmp_path: Path) -> None:
    words = {name: {"cells": 8, "ids": {"17": "01100101", "18": "00010111"}} for name in ("round", "other")}
    kinds = {
        "halo": {"inner_mm": 0, "outer_mm": 2, "height_mm": 0.1},
        "rim": {"inner_mm": -2, "outer_mm": 0, "height_mm": None},
    }
    path = write_setup_file(tmp_path, RINGED.replace("[[bases]]", '[rings]\nwords = "mine.json"\n[[bases]]', 1))
    (tmp_path / "mine.json").write_text(json.dumps({"format": "overtable.rings/1", "kinds": kinds, "words": words}))
    setup = read_setup(path)
    ring = setup.enrolled_bases[1017]
    assert isinstance(ring, EnrolledRing)
    assert (ring.word, ring.ring_height_mm) == ("01100101", 0.1)
    assert setup == read_setup(path)
    (tmp_path / "mine.json").write_text(json.dumps({"format": "overtable.rings/1", "kinds": kinds, "words": {}}))
    with pytest.raises(BadInput, match="mine.json: words.round: this key is missing"):
        read_setup(path)


def test_a_setup_without_anchors_is_refused(tmp_path: Path) -> None:
    start, end = GOOD.index("[[anchors]]"), GOOD.index("[[bases]]")
    with pytest.raises(BadInput, match=r"there are no \[\[anchors\]\]; at least one tag"):
        read_setup(write_setup_file(tmp_path, GOOD[:start] + GOOD[end:]))


def test_a_tag_or_a_model_enrolled_twice_is_refused(tmp_path: Path) -> None:
    again = GOOD[GOOD.index("[[bases]]") :]
    with pytest.raises(BadInput, match="tag 1 is used twice, by model 's1' and by model 's2'; every tag is used once"):
        read_setup(write_setup_file(tmp_path, GOOD + again.replace('"s1"', '"s2"')))
    with pytest.raises(BadInput, match="model 's1' is enrolled twice"):
        read_setup(write_setup_file(tmp_path, GOOD + again.replace("tag = 1\n", "tag = 2\n")))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="absent.toml: there is no such file"):
        read_setup(tmp_path / "absent.toml")
    (tmp_path / "picture.toml").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(BadInput, match="picture.toml: this is not a text file"):
        read_setup(tmp_path / "picture.toml")
    with pytest.raises(BadInput, match="cannot be read"):
        read_setup(tmp_path)


MARKED = """
[[terrain]]
piece = "hill"
tag = 540
size_mm = 24.0
mark_in_piece = {x_mm = 30.0, facing_deg = 90.0}
height_mm = 38.0
[[terrain]]
piece = "house"
ring = 7
round_mm = 50.0
height_mm = 76.0
"""


def test_marks_on_terrain_are_read_beside_the_bases(tmp_path: Path) -> None:
    setup = read_setup(write_setup_file(tmp_path, GOOD + MARKED))
    assert setup.enrolled_bases.keys() == {1}
    tag, ring = setup.enrolled_terrain.values()
    assert isinstance(tag, EnrolledTag)
    assert (tag.model, tag.marker, tag.x_mm, tag.height_mm) == ("hill", 540, 30.0, 38.0)
    assert tag.facing_rad == pytest.approx(math.pi / 2)
    assert isinstance(ring, EnrolledRing)
    assert (ring.model, ring.ring_height_mm) == ("house", 76.0), "it lies on the piece, and not on the ground"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("tag = 540", "tag = 580", "tag 580 is used twice, by an anchor and by terrain 'hill'"),
        ('piece = "house"', 'piece = "hill"', "terrain 'hill' has two marks"),
        ("size_mm = 24.0\nmark", "mark", "a tag has a size_mm, the edge of its black square, and no round_mm"),
        ("round_mm = 50.0\n", "", "a ring has a round_mm, the diameter of its disc, and no size_mm"),
        ("ring = 7", "", "expected either tag, with size_mm, or ring, with round_mm"),
        ("ring = 7", "ring = 99999", "terrain 'house': there is no ring 99999"),
        ("round_mm = 50.0", "round_mm = 6.0", "terrain 'house': a rim"),
        ("height_mm = 76.0", "", "terrain[1].height_mm: this key is missing"),
    ],
)
def test_a_wrong_mark_is_said(tmp_path: Path, old: str, new: str, why: str) -> None:
    path = write_setup_file(tmp_path, GOOD + MARKED.replace(old, new, 1))
    with pytest.raises(BadInput) as error:
        read_setup(path)
    assert why in str(error.value)
