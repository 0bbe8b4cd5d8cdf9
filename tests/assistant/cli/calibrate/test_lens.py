"""`overtable calibrate lens` and `compare`."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from assistant.cli import overtable as commands
from assistant.errors import BadInput
from calibration.lens.file import LensFile
from hardware.errors import BadSource
from tests.assistant.cli.command_runner import ProgramRun, read_refusal, run_overtable
from tests.shared_pictures import find_shared_folder
from tests.vision.boards.test_recognition import Grey, draw_board

BOARD = "charuco:8x6:25:18:4X4_50"
SETUP = Path(__file__).parents[4] / "assistant/features/demo/games/setup.toml"
BEFORE = '{"format": "overtable.lens/1", "note": "as it was"}'


def run_calibrate(part: str, folder: Path, *more: str | Path) -> ProgramRun:
    """Calibrate from one of the two sets of photographs."""
    legacy = ":legacy" if part == "b" else ""
    pictures = sorted(find_shared_folder(f"photos/lifecam-charuco-{part}").glob("*.jpg"))
    board = f"charuco:8x8:25.4:19.05:4X4_1000{legacy}"
    return run_overtable("calibrate", "lens", *pictures, "--board", board, "--out", folder / f"{part}.json", *more)


BEFORE = '{"format": "overtable.lens/1"}'


@pytest.fixture(scope="module")
def lenses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lenses of both sets, and what was said of the second."""
    folder = tmp_path_factory.mktemp("lenses")
    one = run_calibrate("a", folder, "--json")
    assert one.status == 0, one.err
    assert LensFile.model_validate_json(one.out) == LensFile.model_validate_json((folder / "a.json").read_text())
    assert one.document["held_out_px"] < 0.30
    assert one.document["matrix"][0][0] == pytest.approx(1127.5, abs=6)
    (folder / "b.json").write_text(BEFORE)
    two = run_calibrate("b", folder, "--same-camera-as", folder / "a.json")
    assert two.status == 0, two.err
    (folder / "said.txt").write_text(two.out)
    return folder


def test_a_lens_says_how_far_off_it_is_on_the_table(lenses: Path) -> None:
    file = json.loads((lenses / "a.json").read_text())
    places = file["map_mm"]["places"]
    assert file["map_mm"]["table_mm"] == [1524.0, 1118.0]
    assert {(place["x_mm"], place["y_mm"]) for place in places} > {(0.0, 0.0), (762.0, 559.0), (1524.0, 1118.0)}
    assert max(place["error_mm"] for place in places) == file["map_mm"]["worst_mm"]
    assert 0.1 < file["map_mm"]["typical_mm"] < 1.5
    # An error of a quarter of a pixel, and yet not good: the pictures contradict each other.
    assert file["rms_px"] < 0.26
    assert file["verdict"]["level"] == "usable"
    assert file["camera"]["image_size"] == file["image_size"]


def test_the_lens_before_is_kept(lenses: Path) -> None:
    assert (lenses / "b.before-1.json").read_text() == BEFORE
    assert "The one before it is b.before-1.json now." in (lenses / "said.txt").read_text()


def test_lenses_that_are_said_to_be_of_one_camera_and_disagree_are_told(lenses: Path) -> None:
    said = (lenses / "said.txt").read_text()
    assert "This lens is poor:\n  poor: it disagrees with the other lens of the same camera." in said
    assert "b.json disagree: they are not of the same camera as it was" in said
    file = json.loads((lenses / "b.json").read_text())
    assert file["held_out_px"] < 0.36
    assert file["same_camera"]["outcome"] == "disagree"
    run = run_overtable("calibrate", "compare", lenses / "a.json", lenses / "b.json", "--json")
    assert run.status == 0
    assert run.document["outcome"] == "disagree"
    (pair,) = run.document["pairs"]
    assert pair["chi2"] > 40
    assert pair["worst_mm"] > 0.8
    same = run_overtable("calibrate", "compare", lenses / "a.json", lenses / "a.json", "--setup", SETUP)
    assert "can be of the same camera" in same.out


def find_refusal(*arguments: str | Path) -> str:
    """Run a command in this process and return why it was refused."""
    ended = CliRunner().invoke(commands, [*map(str, arguments)], standalone_mode=False)
    assert isinstance(ended.exception, BadInput | BadSource), ended
    assert ended.output == ""
    return str(ended.exception)


def save_images(folder: Path, *images: Grey) -> list[Path]:
    """Write pictures to files."""
    paths = [folder / f"view_{i}.png" for i in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        cv2.imwrite(str(path), image)
    return paths


@pytest.mark.parametrize(
    ("shown", "said", "sentence"),
    [
        (BOARD, f"{BOARD}:legacy", f"the pictures show another board; it looks like --board {BOARD}"),
        ("chess:7x5:25", "chess:8x5:25", "the pictures show another board; it looks like --board chess:7x5:25"),
        ("", BOARD, "no board is seen in view_0.png, view_1.png"),
    ],
)
def test_pictures_that_do_not_do_are_refused_and_nothing_is_overwritten(
    tmp_path: Path, shown: str, said: str, sentence: str
) -> None:
    out = tmp_path / "lens.json"
    out.write_text(BEFORE)
    image: Grey = draw_board(shown) if shown else np.full((300, 400), 128, dtype=np.uint8)
    pictures = save_images(tmp_path, image, image)
    assert sentence in find_refusal("calibrate", "lens", *pictures, "--board", said, "--out", out)
    assert out.read_text() == BEFORE
    assert not list(tmp_path.glob(".lens*"))


def test_pictures_that_are_all_face_on_are_told_so(tmp_path: Path) -> None:
    pictures = sorted(find_shared_folder("photos/chess-8x6-frontal").glob("*.jpg"))
    line = find_refusal("calibrate", "lens", *pictures, "--board", "chess:8x6:25.4", "--out", tmp_path / "lens.json")
    assert "all views are face-on (none is tilted by more than 9 degrees)" in line
    assert "tilt the board by 30 degrees" in line


def test_few_real_pictures_give_a_lens_that_says_how_unsure_it_is(tmp_path: Path) -> None:
    pictures = sorted(find_shared_folder("photos/chess-7x5-phone").glob("*.JPG"))[::5]
    run = run_overtable(
        "calibrate", "lens", *pictures, "--board", "chess:7x5:30", "--out", tmp_path / "l.json", "--json"
    )
    document = run.document
    sigma_px = document["covariance"][0][0] ** 0.5
    assert 4.0 < sigma_px < 12.0
    assert document["matrix"][0][0] == pytest.approx(767.6, abs=2.5 * sigma_px)  # what all seventeen come to
    assert {"f", "k1"} <= {name.replace("fx", "f") for name in document["estimated"]}
    assert "k3" not in document["estimated"]
    assert any(f"it rests on {len(pictures)} pictures only" in r["sentence"] for r in document["verdict"]["reasons"])


def test_mirrored_pictures_are_told_so(tmp_path: Path) -> None:
    pictures = save_images(tmp_path, *[np.fliplr(draw_board(BOARD))] * 2)
    line = find_refusal("calibrate", "lens", *pictures, "--board", BOARD, "--out", tmp_path / "lens.json")
    assert "the pictures are mirrored; switch mirroring off" in line


def test_other_bad_input_is_told(tmp_path: Path) -> None:
    image = draw_board(BOARD)
    one, two = save_images(tmp_path, image, image[:-8])
    lens = ("calibrate", "lens", one, "--board")
    assert "view_1.png: this picture is" in find_refusal(*lens, BOARD, "--out", tmp_path / "l.json", two)
    (tmp_path / "broken.png").write_bytes(one.read_bytes()[:500])
    assert "broken.png: the picture is cut short" in find_refusal(
        *lens, BOARD, "--out", tmp_path / "l", tmp_path / "broken.png"
    )
    assert "this is a folder" in find_refusal(*lens, BOARD, "--out", tmp_path)
    assert "view_0.png: what is there is no lens file and would be lost" in find_refusal(*lens, BOARD, "--out", one)
    assert "there is no folder" in find_refusal(*lens, BOARD, "--out", tmp_path / "gone" / "lens.json")
    assert "only the board that" in find_refusal(*lens, BOARD, "--out", tmp_path / "l", "--measured-mm", "99")
    assert "--measured-mm 10: expected the length of the ruler" in find_refusal(
        *lens, "printed", "--out", tmp_path / "l", "--measured-mm", "10"
    )
    assert "gone.json: there is no such file" in find_refusal(
        *lens, BOARD, "--out", tmp_path / "l", "--same-camera-as", tmp_path / "gone.json"
    )
    assert not (tmp_path / "l").exists()


def test_the_measured_ruler_scales_the_printed_board() -> None:
    from assistant.cli.calibrate.lens import _read_board

    assert str(_read_board("printed", 98.0)) == "charuco:10x7:24.5:17.64:5X5_100"
    assert str(_read_board("printed", None)) == "charuco:10x7:25:18:5X5_100"


def test_lenses_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    form = (
        '{{"format": "overtable.lens/1", "image_size": [{}, 480], "matrix": [[600, 0, 320], [0, 600, 240], [0, 0, 1]],'
    )
    for name, width in (("one", 640), ("two", 800)):
        (tmp_path / f"{name}.json").write_text(form.format(width) + ' "distortion": [0, 0, 0, 0, 0]}')
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert "one lens alone compares with nothing" in find_refusal("calibrate", "compare", one)
    assert "compare lenses of one resolution" in read_refusal(run_overtable("calibrate", "compare", one, two))
