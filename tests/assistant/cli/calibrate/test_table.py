"""`overtable calibrate table` on rendered pictures, and what a set-up takes from the file that it writes."""

import json
import math
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from assistant.cli.calibrate import calibrate
from assistant.errors import BadInput
from assistant.features.camera.markers import place_anchors
from assistant.features.demo.catalogue import SETUP
from assistant.setup.file import read_setup
from calibration.errors import WrongPairing
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import VirtualAnchor, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.assistant.cli.command_runner import run_overtable

WIDTH_MM, DEPTH_MM = 1522.9, 1118.8
"""What the table really measures."""
THERE = {
    580: (25.3, 24.8, 90.0),
    581: (WIDTH_MM - 25.1, 25.2, 0.0),
    582: (WIDTH_MM - 24.6, DEPTH_MM - 25.0, -90.0),
    583: (25.2, DEPTH_MM - 25.1, 180.0),
    584: (700.3, 80.6, 23.0),
}
HEAD = """format = "overtable.setup/1"
[table]
width_mm = 1524
depth_mm = 1118
[camera]
source = "usb:0"
"""
CORNERS = "".join(
    f'[[anchors]]\ntag = {tag}\ncorner = "{corner}"\nsize_mm = 40\n'
    for tag, corner in zip(THERE, ("near-left", "near-right", "far-right", "far-left"), strict=False)
)
ANYWHERE = "[[anchors]]\ntag = 584\nsize_mm = 40\n"
BEFORE = '{"format": "overtable.table/1", "note": "as before"}'
NAMED = HEAD + 'table = "table.json"\n' + CORNERS + ANYWHERE


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered picture of a table with anchors in its corners and one anywhere."""
    path = tmp_path_factory.mktemp("still") / "view.png"
    anchors = tuple(
        VirtualAnchor(tag=tag, x_mm=x, y_mm=y, facing_rad=math.radians(turn), size_mm=40)
        for tag, (x, y, turn) in THERE.items()
    )
    scene = VirtualScene(width_mm=WIDTH_MM, depth_mm=DEPTH_MM, anchors=anchors)
    cv2.imwrite(
        str(path),
        VirtualTable(scene, build_overhead_camera(width_mm=WIDTH_MM, depth_mm=DEPTH_MM), colour=False).render(),
    )
    return path


@pytest.fixture(scope="module")
def made(picture: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set-up that names the table file beside it, which was made from the picture."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "setup.toml").write_text(NAMED)
    run = run_overtable(
        "calibrate", "table", "--setup", folder / "setup.toml", picture, "--out", folder / "table.json", "--json"
    )
    assert (run.status, run.err) == (0, "")
    assert run.document == json.loads((folder / "table.json").read_text())
    return folder / "setup.toml"


def test_anchors_in_corners_and_anywhere_are_placed_within_their_sigma(made: Path) -> None:
    found = json.loads((made.parent / "table.json").read_text())
    assert [anchor["tag"] for anchor in found["anchors"]] == list(THERE)
    for anchor in found["anchors"]:
        x_mm, y_mm, facing_deg = THERE[anchor["tag"]]
        assert abs(anchor["x_mm"] - x_mm) < 3 * anchor["sigma_mm"][0] < 5
        assert abs(anchor["y_mm"] - y_mm) < 3 * anchor["sigma_mm"][1] < 5
        assert abs(math.remainder(anchor["facing_deg"] - facing_deg, 360)) < 0.3
        assert anchor["residual_mm"] < 0.1
    assert found["table"]["solved_mm"] == pytest.approx([WIDTH_MM, DEPTH_MM], abs=2)
    assert found["held_out_mm"] < 4
    assert found["suspects"] == []
    (camera,) = found["cameras"]
    assert abs(camera["eye_mm"][2] - 1400) < 3 * camera["height_sigma_mm"]
    assert "without a lens file the focal length is known to" in found["warnings"][-1]


def test_a_set_up_takes_open_places_from_the_file_with_how_surely_they_are_known(made: Path, picture: Path) -> None:
    anchors, spread, notice = place_anchors(read_setup(made), made)
    assert [anchor.tag for anchor in anchors] == list(THERE)
    assert notice == ""
    assert spread is not None
    assert spread[9, 0] == spread[0, 9] != 0  # both hold to the same edge
    run = run_overtable("locate", "--setup", made, picture, "--json")
    assert run.document["anchors_seen"] == 5
    assert run.document["wrong_anchors"] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            NAMED.replace("width_mm = 1524", "width_mm = 1525"),
            "it was made for a table of 1524 x 1118 mm, but this one",
        ),
        (NAMED.replace("tag = 584", "tag = 585"), "it was made with anchor 584, which is not among the [[anchors]]"),
        (NAMED.replace('"far-left"\nsize_mm = 40', '"far-left"\nsize_mm = 50'), "anchor 583 had size_mm 40, not 50"),
        (NAMED.replace('"far-left"', '"far-left"\nfacing_deg = 0'), "anchor 583 had facing_deg none, not 0"),
        (NAMED + ANYWHERE.replace("584", "586"), "table.json: it has no place for anchor 586"),
        (NAMED.replace("table.json", "other.json"), "other.json: it is not there yet, and nothing else has a place"),
        (HEAD + CORNERS, "setup.toml: anchor 580 has no place: name a table file under [camera]"),
    ],
)
def test_a_table_file_of_another_set_up_is_refused(made: Path, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "table.json").write_text((made.parent / "table.json").read_text())
    path = tmp_path / "setup.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as refusal:
        place_anchors(read_setup(path), path)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def calibrate_table(folder: Path, *pictures: Path) -> str:
    """Calibrate the table of a folder's set-up from pictures; return what a person is told."""
    arguments = ["table", "--setup", str(folder / "s.toml"), *map(str, pictures), "--out", str(folder / "t.json")]
    result = CliRunner().invoke(calibrate, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def write_anchors(*tags: int, **places: tuple[float, float, float]) -> str:
    """Return sections for anchors at their places, but for some that are said to lie elsewhere."""
    said = {tag: places.get(f"t{tag}", THERE[tag]) for tag in tags}
    return HEAD + "".join(
        f"[[anchors]]\ntag = {tag}\nx_mm = {x}\ny_mm = {y}\nfacing_deg = {turn}\nsize_mm = 40\n"
        for tag, (x, y, turn) in said.items()
    )


def test_one_wrong_anchor_is_named_and_left_out(picture: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(write_anchors(*THERE, t582=(THERE[582][0] - 20, THERE[582][1], -90.0)))
    said = calibrate_table(tmp_path, picture)
    named = re.search(r"^Look: anchor 582 lies (\S+) ± ", said, re.MULTILINE)
    assert named is not None
    assert float(named[1]) == pytest.approx(20, abs=3)
    found = json.loads((tmp_path / "t.json").read_text())
    assert [anchor["tag"] for anchor in found["anchors"]] == [580, 581, 583, 584]
    (suspect,) = found["suspects"]
    assert (suspect["tag"], suspect["kind"]) == (582, "misplaced")
    assert suspect["off_mm"] == pytest.approx([20, 0], abs=3)
    located = run_overtable("locate", "--setup", tmp_path / "s.toml", picture)
    assert "look: anchor 582 lies " in located.out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (write_anchors(*THERE, t580=THERE[581], t581=THERE[580]), "s.toml: anchors 580 and 581 seem swapped"),
        (write_anchors(580, 581, t581=(400.0, 300.0, 45.0)), "s.toml: anchors 580 and 581 contradict each other"),
        (HEAD + CORNERS.partition("[[anchors]]\ntag = 581")[0], "nothing tells which way it lies in its corner"),
        (HEAD + ANYWHERE, "s.toml: nothing says where on the table the anchors lie"),
        (HEAD + "[[anchors]]\ntag = 7\ncorner = 'far-left'\nsize_mm = 40", "none of the anchors (7) is seen in it"),
    ],
)
def test_what_determines_nothing_is_refused_and_nothing_is_overwritten(
    picture: Path, tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "s.toml").write_text(text)
    (tmp_path / "t.json").write_text(BEFORE)
    with pytest.raises(BadInput) as refusal:
        calibrate_table(tmp_path, picture)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert (tmp_path / "t.json").read_text() == BEFORE


def test_anchors_on_one_line_are_refused(tmp_path: Path) -> None:
    anchors = tuple(VirtualAnchor(tag=i, x_mm=300.0 * i, y_mm=500, size_mm=60) for i in (1, 2, 3, 4))
    table = VirtualTable(VirtualScene(anchors=anchors), build_overhead_camera(image_size=(960, 540)), colour=False)
    cv2.imwrite(str(tmp_path / "view.png"), table.render())
    places = "".join(f"[[anchors]]\ntag = {a.tag}\nx_mm = {a.x_mm}\ny_mm = 500\nsize_mm = 60\n" for a in anchors)
    (tmp_path / "s.toml").write_text(HEAD + places)
    with pytest.raises(BadInput, match=r"s.toml: the anchors seen \(1, 2, 3, 4\) lie on one line"):
        calibrate_table(tmp_path, tmp_path / "view.png")
    assert not (tmp_path / "t.json").exists()


def test_a_set_up_that_gives_every_place_needs_no_table_file() -> None:
    setup = read_setup(SETUP)
    anchors, spread, notice = place_anchors(setup, SETUP)
    assert (anchors, spread, notice) == (setup.anchor_tags, None, "")


def test_pictures_of_two_lenses_are_told_to_fit_badly(picture: Path, tmp_path: Path) -> None:
    seen = np.asarray(cv2.imread(str(picture)))
    other = cv2.resize(seen, None, fx=0.9, fy=0.9, interpolation=cv2.INTER_AREA)
    height, width = other.shape[:2]
    wide = np.zeros((1080, 1920, 3), dtype=np.uint8)
    wide[(1080 - height) // 2 :, (1920 - width) // 2 :][:height, :width] = other
    cv2.imwrite(str(tmp_path / "zoomed.png"), wide)
    lens = {"format": "overtable.lens/1", "image_size": [1920, 1080], "distortion": [-0.1, 0.01, 0.0003, -0.0004]}
    (tmp_path / "lens.json").write_text(json.dumps({**lens, "matrix": [[1247, 0, 959.5], [0, 1247, 539.5], [0, 0, 1]]}))
    (tmp_path / "s.toml").write_text(NAMED.replace('table = "table.json"', 'lens = "lens.json"'))
    warnings = []
    for pictures in ([picture], [picture, tmp_path / "zoomed.png"]):
        calibrate_table(tmp_path, *pictures)
        warnings.append([w for w in json.loads((tmp_path / "t.json").read_text())["warnings"] if "px off" in w])
    assert warnings[0] == []
    assert "the pictures were not all taken with one zoom and focus" in warnings[1][0]


def test_the_lens_of_another_camera_is_refused_and_the_table_before_is_kept(picture: Path, tmp_path: Path) -> None:
    view = tmp_path / "view.png"
    view.write_bytes(picture.read_bytes())
    told = {"format": "overtable.camera/1", "identity": "usb 1"}
    (tmp_path / "camera.json").write_text(json.dumps(told))
    lens = build_overhead_camera(width_mm=WIDTH_MM, depth_mm=DEPTH_MM)
    rows = lens.matrix.tolist()
    made_with = {"identity": "usb 2", "image_size": [1920, 1080]}
    file = {"format": "overtable.lens/1", "image_size": [1920, 1080], "matrix": rows, "distortion": [0.0] * 5}
    (tmp_path / "lens.json").write_text(json.dumps({**file, "camera": made_with}))
    (tmp_path / "s.toml").write_text(write_anchors(*THERE).replace(HEAD, HEAD + 'lens = "lens.json"\n'))
    (tmp_path / "t.json").write_text(BEFORE)
    with pytest.raises(WrongPairing, match="lens.json was made with another camera: usb 2, but this is usb 1"):
        calibrate_table(tmp_path, view)
    assert (tmp_path / "t.json").read_text() == BEFORE
    (tmp_path / "lens.json").write_text(json.dumps(file))
    said = calibrate_table(tmp_path, view)
    assert "The one before it is t.before-1.json now." in said
    assert (tmp_path / "t.before-1.json").read_text() == BEFORE
