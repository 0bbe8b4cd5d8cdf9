"""The set-up file: what it says, and what is said of one that is wrong."""

import math
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.setup.file import read_setup

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
    base = setup.enrolled_tags[1]
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
    assert change[0] in GOOD
    path = write_setup_file(tmp_path, GOOD.replace(*change))
    with pytest.raises(BadInput) as refusal:
        read_setup(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


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
