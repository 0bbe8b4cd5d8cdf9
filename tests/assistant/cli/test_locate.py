"""`overtable locate`, run as a shell runs it."""

import json
import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from assistant.cli.locate import describe_poses
from assistant.features.demo.catalogue import SETUP, read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.recording.poses import PoseEntry, Poses
from hardware.rings.layout import RingKind
from hardware.rings.words import load_ring_list
from tests.assistant.cli.command_runner import read_refusal, run_overtable, run_program
from tests.assistant.features.demo.demo_setup_file import write_demo_setup
from vision.images import convert_to_grey
from vision.tags.detection import detect_tags, select_whole

DEMO = read_demo("warhammer-40k-10e")


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered picture of the demo's table."""
    path = tmp_path_factory.mktemp("still") / "table.png"
    cv2.imwrite(str(path), build_virtual_table(DEMO.setup, DEMO.state).render())
    return path


@pytest.fixture(scope="module")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's set-up as a person would write it, with a section for every model."""
    path = tmp_path_factory.mktemp("setup") / "setup.toml"
    write_demo_setup(DEMO, path)
    return path


def test_a_picture_gives_one_document_with_every_base(still: Path, enrolled: Path) -> None:
    run = run_program("locate", "--setup", enrolled, still, "--json")
    assert (run.status, run.err) == (0, "")
    found = run.document
    assert found["format"] == "overtable.poses/1"
    assert (found["source"], found["frame"], found["captured_ns"]) == ("table.png", 0, None)
    assert found["anchors_seen"] == 8
    poses = {model.id: model.pose for _, model in DEMO.state.iterate_models()}
    assert {base["model"] for base in found["bases"]} == {model for model, pose in poses.items() if pose is not None}
    for base in found["bases"]:
        truth = poses[base["model"]]
        assert truth is not None
        off_mm = math.hypot(base["x_mm"] - truth.x_mm, base["y_mm"] - truth.y_mm)
        assert off_mm < 4 * math.hypot(*base["sigma_mm"])
        assert abs(math.remainder(base["facing_deg"] - math.degrees(truth.facing_rad), 360)) < 2
        assert base["state"] == "seen"


def test_words_are_for_people(still: Path, enrolled: Path) -> None:
    run = run_overtable("locate", "--setup", enrolled, still)
    assert run.out.startswith("table.png, frame 0: 21 bases, 8 anchors\n")
    assert "scouts-1" in run.out


def test_a_tag_in_view_twice_is_said_and_not_placed(still: Path, enrolled: Path, tmp_path: Path) -> None:
    image = np.asarray(cv2.imread(str(still)), dtype=np.uint8)
    base = DEMO.setup.tagged_bases[0]
    tag = base.tag
    (seen,) = (
        found for found in detect_tags(convert_to_grey(image), [select_whole(convert_to_grey(image))], frozenset({tag}))
    )
    x, y = seen.corners_px.mean(axis=0).round().astype(int).tolist()
    image[540:600, 570:630] = image[y - 30 : y + 30, x - 30 : x + 30]
    path = tmp_path / "twice.png"
    cv2.imwrite(str(path), image)
    found = Poses.model_validate_json(run_overtable("locate", "--setup", enrolled, path, "--json").out)
    assert found.shown_twice == (tag,)
    assert base.model not in {each.model for each in found.bases}
    assert f"in view twice: tag {tag}; take one print away" in describe_poses(found)
    assert base.model not in " ".join(found.why)


@pytest.mark.parametrize(("band_mm", "status"), [([0.3, 0.9], 2), ([0.3, 2.0], 0)])
def test_a_ring_that_is_too_narrow_for_the_camera_is_said_in_numbers(
    still: Path, tmp_path: Path, band_mm: list[float], status: int
) -> None:
    path = tmp_path / "narrow.toml"
    path.write_text(
        SETUP.read_text()
        + f'\n[[bases]]\nring = 5\nring_kind = "halo"\nmodel = "r"\nbase = {{round_mm = 32}}\nband_mm = {band_mm}\n'
    )
    run = run_overtable("locate", "--setup", path, still)
    assert run.status == status
    start = f"overtable: {path}: the halo" if status else "overtable: the halo"
    assert run.err.startswith(f"{start} of round:32 (r) is too narrow: this camera sees ")
    usual = load_ring_list().bands[RingKind.HALO]
    wide_mm = usual.outer_mm - usual.inner_mm
    assert f" px a cell, 2 are needed: use a halo of {wide_mm:g} mm or a 4K camera" in run.err


def test_rings_are_named_to_people_as_tags_are() -> None:
    document = Poses(
        source="a", frame=0, captured_ns=None, anchors_seen=4, shown_twice=(3,), rings_shown_twice=(17,), bases=()
    )
    assert describe_poses(document).endswith("in view twice: tag 3, ring 17; take one print away")


def test_one_of_a_kind_is_said_as_one() -> None:
    document = Poses(source="a", frame=0, captured_ns=None, anchors_seen=1, shown_twice=(), bases=())
    assert describe_poses(document).startswith("a, frame 0: 0 bases, 1 anchor")
    assert not describe_poses(document).startswith("a, frame 0: 0 bases, 1 anchors")


def test_heights_are_said_where_they_are_not_the_tables() -> None:
    place = {"tag": 1, "model": "a", "x_mm": 1, "y_mm": 2, "facing_deg": 0, "sigma_mm": (0, 0), "sigma_deg": 0}
    shown = [("seen", 0.0, ()), ("seen", 0.0, (6.0,)), ("held", 76.2, ()), ("lifted", 40.5, ())]
    bases = tuple(
        PoseEntry.model_validate({**place, "moving": False, "state": state, "z_mm": z_mm, "other_z_mm": others})
        for state, z_mm, others in shown
    )
    lines = describe_poses(Poses(source="", frame=0, captured_ns=None, anchors_seen=4, bases=bases)).splitlines()
    assert [line.rpartition(")")[2].strip() for line in lines[1:]] == [
        "",
        "stands 0 or 6 mm high",
        "held, stands 76.2 mm high",
        "lifted, 40.5 mm high",
    ]


def test_a_video_gives_a_line_for_each_frame(still: Path, tmp_path: Path) -> None:
    image = cv2.imread(str(still))
    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 10, (1920, 1080))
    for _ in range(3):
        writer.write(np.asarray(image))
    writer.release()
    run = run_overtable("locate", "--setup", SETUP, film, "--json")
    lines: list[dict[str, Any]] = [json.loads(line) for line in run.out.splitlines()]
    assert [(line["frame"], line["captured_ns"]) for line in lines] == [(0, 0), (1, 10**8), (2, 2 * 10**8)]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["locate", "--setup", "gone.toml", "a.jpg"], "gone.toml: there is no such file"),
        (
            ["locate", "--setup", SETUP, "gone.jpg"],
            "gone.jpg: no such file: expected a video or a picture",
        ),
        (["locate", "--setup", SETUP, SETUP], "setup.toml: not a video"),
        (["locate", "--setup", SETUP], "Missing argument 'IMAGES...'"),
        (
            ["locate", "--setup", SETUP, "--lens", "gone.json", "a.jpg"],
            "gone.json: there is no such file",
        ),
        (["calibrate", "lens", "a.jpg", "--board", "chess", "--out", "l.json"], "--board: board 'chess': expected"),
        (["run", "--setup", "gone.toml"], "gone.toml: there is no such file"),
        (["replay", "gone.overtable"], "gone.overtable: there is no such file"),
        (["replay", SETUP], "setup.toml: this is not a journal of a game"),
        (["demo", "--fps", "0"], "Invalid value for '--fps'"),
        (["dance"], "No such command 'dance'"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path: Path, arguments: list[str | Path], sentence: str) -> None:
    assert sentence in read_refusal(run_overtable(*arguments, folder=tmp_path))


def test_a_picture_of_another_size_than_the_lens_is_refused(still: Path, tmp_path: Path) -> None:
    lens = tmp_path / "lens.json"
    lens.write_text(
        '{"format": "overtable.lens/1", "image_size": [640, 480],'
        ' "matrix": [[600, 0, 320], [0, 600, 240], [0, 0, 1]], "distortion": [0, 0, 0, 0, 0]}'
    )
    line = read_refusal(run_overtable("locate", "--setup", SETUP, "--lens", lens, still))
    assert f"table.png: {lens} was made at 640x480, but the pictures are 1920x1080, of another shape" in line


def test_the_lens_of_another_camera_is_refused_and_of_an_unknown_one_is_told(still: Path, tmp_path: Path) -> None:
    lens, beside = tmp_path / "lens.json", tmp_path / "table.png"
    beside.write_bytes(still.read_bytes())
    about: dict[str, object] = {
        "format": "overtable.lens/1",
        "image_size": [1920, 1080],
        "distortion": [-0.1, 0.01, 0, 0, 0],
    }
    about["matrix"] = [[1200, 0, 959.5], [0, 1200, 539.5], [0, 0, 1]]
    about["camera"] = {"identity": "usb 046d:0825 serial 1", "image_size": [1920, 1080], "focus": 30}
    lens.write_text(json.dumps(about))
    run = run_overtable("locate", "--setup", SETUP, "--lens", lens, beside, beside, "--json")
    assert run.status == 0
    (line,) = run.err.splitlines()
    assert "was made with usb 046d:0825 serial 1, and what camera this is cannot be told" in line
    told = {"format": "overtable.camera/1", "identity": "usb 046d:0825 serial 1", "focus": 45}
    (tmp_path / "camera.json").write_text(json.dumps(told))
    line = read_refusal(run_overtable("locate", "--setup", SETUP, "--lens", lens, beside))
    assert "was made with the focus at 30, but it is at 45 now" in line


def test_a_setups_lens_that_is_not_made_yet_is_told_beside_the_answer(still: Path, tmp_path: Path) -> None:
    setup = tmp_path / "setup.toml"
    text = (SETUP).read_text()
    setup.write_text(text.replace('source = "virtual:"', 'source = "virtual:"\nlens = "lens.json"'))
    run = run_overtable("locate", "--setup", setup, still, "--json")
    assert run.status == 0
    assert run.document["anchors_seen"] == 8
    assert "lens.json is not there yet, so the lens is solved from the anchors" in run.err


def test_a_source_of_pictures_is_followed_until_it_ends(still: Path, enrolled: Path, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.png").write_bytes(still.read_bytes())
    run = run_overtable("locate", "--setup", enrolled, f"images:{tmp_path}", "--json")
    assert (run.status, run.err) == (0, "")
    documents = [json.loads(line) for line in run.out.splitlines()]
    assert [document["frame"] for document in documents] == [0, 1]
    assert {document["source"] for document in documents} == {f"images:{tmp_path}"}
    assert len(documents[-1]["bases"]) > 20


def test_a_source_of_an_unknown_kind_is_a_file_that_is_not_there(enrolled: Path) -> None:
    assert "slides:x: no such file" in read_refusal(run_overtable("locate", "--setup", enrolled, "slides:x"))
