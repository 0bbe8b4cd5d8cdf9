"""The doctor finds what was put wrong, and tells what would help."""

import json
import re
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from assistant.cli.doctor import doctor
from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.diagnosis import machine
from assistant.features.diagnosis.calibration import check_projector
from assistant.features.diagnosis.plan import Plan
from assistant.features.diagnosis.report import Check, Diagnosis
from assistant.setup.file import ProjectorSection
from hardware.camera import usb
from hardware.errors import BadSource
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.features.demo.tagged_demo import read_tagged_demo

DEMO = read_tagged_demo("warhammer-40k-10e")
ENROLLED = DEMO.setup.tagged_bases[0]
NEAR = (580, 581, 584)
"""The anchors along the near edge."""


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered picture of the demo's table."""
    path = tmp_path_factory.mktemp("still") / "table.png"
    cv2.imwrite(str(path), build_virtual_table(DEMO.setup, DEMO.state).render())
    return path


@pytest.fixture
def write(still: Path, tmp_path: Path) -> Callable[..., Path]:
    """Write a set-up for that picture, with some anchors, changed as a test wants it."""
    shutil.copy(still, tmp_path / "table.png")

    def written(*anchors: int, change: Callable[[str], str] = lambda text: text, camera: str = "") -> Path:
        head, *sections = SETUP.read_text().split("[[anchors]]")
        kept = [section for section in sections if not anchors or int(section.split()[2]) in anchors]
        text = "[[anchors]]".join([head.replace('"virtual:"', f'"file:table.png"{camera}'), *kept])
        path = tmp_path / "setup.toml"
        path.write_text(change(text))
        return path

    return written


def write_base(size_mm: float = ENROLLED.size_mm) -> str:
    """Return the section of a model that stands on the table."""
    return (
        f'\n[[bases]]\ntag = {ENROLLED.tag}\nmodel = "{ENROLLED.model}"\nbase = {{round_mm = 32}}\n'
        f"size_mm = {size_mm}\nheight_mm = {ENROLLED.height_mm}\n"
    )


def diagnose(setup: Path | None, *arguments: str, status: int = 0) -> Diagnosis:
    named = [] if setup is None else ["--setup", str(setup)]
    run = CliRunner().invoke(doctor, [*named, "--json", *arguments], standalone_mode=False)
    if run.exception:
        raise run.exception
    assert run.return_value == status
    return Diagnosis.model_validate_json(run.stdout)


def find_check(found: Diagnosis, about: str) -> Check:
    (one,) = [check for check in found.checks if check.about == about]
    return one


def test_a_good_table_is_called_good_and_the_worst_place_is_on_it(write: Callable[..., Path]) -> None:
    found = diagnose(write(change=lambda text: text + write_base()))
    assert {c.about: c.level for c in found.checks if c.about in ("light", "focus", "anchors", "places", "error")} == {
        "light": "good",
        "focus": "good",
        "anchors": "good",
        "places": "good",
        "error": "good",
    }
    assert find_check(found, "lens").level == "could-be-better"
    assert found.error is not None
    assert 0 < found.error.centre_mm <= found.error.worst_mm == max(map(max, found.error.map_mm)) < 0.3
    placed = find_check(found, "bases")
    told = re.match(r"1 of 1 are seen, placed within ([0-9.]+) mm", placed.fact)
    assert told is not None
    assert 0 < float(told[1]) < 0.3
    worst = [remedy.worst_mm for remedy in found.improve]
    assert worst == sorted(worst)
    assert worst[-1] < found.error.worst_mm


def test_anchors_in_a_line_want_another_off_the_line(write: Callable[..., Path]) -> None:
    found = diagnose(write(*NEAR))
    assert found.error is not None
    by_change = {remedy.change: remedy for remedy in found.improve}
    assert by_change["anchor"].at_mm is not None
    assert by_change["anchor"].at_mm[1] > 700
    assert by_change["anchor"].worst_mm < 0.5 * found.error.worst_mm
    assert "lens" in by_change


def test_an_anchor_that_is_not_seen_and_one_that_lies_elsewhere_are_named(write: Callable[..., Path]) -> None:
    found = diagnose(
        write(
            change=lambda text: text.replace("tag = 579", "tag = 577").replace(
                "x_mm = 762\ny_mm = 45", "x_mm = 774\ny_mm = 45"
            )
        )
    )
    seen, places = find_check(found, "anchors"), find_check(found, "places")
    assert (seen.level, seen.fact) == ("could-be-better", "7 of 8 are seen; not seen: 577")
    assert places.level == "bad"
    off = re.search(r"anchor 584 lies ([0-9.]+) ", places.fact)
    assert off is not None
    assert float(off[1]) == pytest.approx(12, abs=1.5)
    assert found.error is not None
    mend = next(remedy for remedy in found.improve if remedy.change == "mend")
    assert "anchor 584" in mend.text
    assert mend.worst_mm < found.error.worst_mm
    assert "577" in next(remedy.text for remedy in found.improve if remedy.change == "uncover")


def test_a_lens_file_is_held_to_the_camera(write: Callable[..., Path], tmp_path: Path) -> None:
    setup = write(camera='\nlens = "lens.json"')
    about: dict[str, object] = {"format": "overtable.lens/1", "distortion": [-0.1, 0.01, 0.0003, -0.0004, 0]}
    about |= {"image_size": [1920, 1080], "matrix": [[1248, 0, 959.5], [0, 1248, 539.5], [0, 0, 1]]}
    (tmp_path / "lens.json").write_text(json.dumps(about))
    told = find_check(diagnose(setup), "lens")
    assert (told.level, "does not say which camera" in told.fact, "mm open where" in told.fact) == (
        "could-be-better",
        True,
        True,
    )
    (tmp_path / "lens.json").write_text(json.dumps(about | {"distortion": [0.05, 0.01, 0, 0, 0]}))
    told = find_check(diagnose(setup), "lens")
    assert (told.level, "does not agree with the anchors" in told.fact) == ("bad", True)
    (tmp_path / "lens.json").write_text(json.dumps(about | {"image_size": [3840, 2160]}))
    found = diagnose(setup)
    told = find_check(found, "lens")
    assert (told.level, "was made at 3840x2160, but the pictures are 1920x1080" in told.fact) == ("bad", True)
    assert found.error is not None, "the anchors still tell"
    assert found.error.worst_mm < 0.3


def test_an_empty_dark_picture_says_what_is_missing(write: Callable[..., Path], tmp_path: Path) -> None:
    setup = write()
    cv2.imwrite(str(tmp_path / "table.png"), np.full((270, 480), 30, dtype=np.uint8))
    found = diagnose(setup)
    assert (found.error, found.improve) == (None, ())
    assert {c.about for c in found.checks if c.level == "bad"} == {"light", "focus", "anchors", "error"}
    assert "no anchor is seen: " in find_check(found, "anchors").fact


def test_small_tags_are_told_before_a_game_shows_it(write: Callable[..., Path]) -> None:
    told = find_check(diagnose(write(change=lambda text: text + write_base(size_mm=10))), "tags")
    assert told.level == "bad"
    assert f"that of {ENROLLED.model} with 10 mm, is 8 px" in told.fact


def test_rings_are_told_by_kind_with_the_pixels_of_a_cell_and_what_would_help(write: Callable[..., Path]) -> None:
    section = '\n[[bases]]\nring = {}\nring_kind = "{}"\nmodel = "{}"\nbase = {{round_mm = {}}}\nheight_mm = 4.0\n'
    rings = "".join(section.format(*ring) for ring in ((1, "rim", "a", 25), (2, "halo", "b", 40), (3, "halo", "c", 40)))
    fine, coarse = sorted(
        (check for check in diagnose(write(change=lambda text: text + rings)).checks if check.about == "rings"),
        key=lambda check: check.fact,
    )
    assert (fine.level, coarse.level) == ("could-be-better", "bad")
    assert re.match(r"halos, 40 mm, round: a cell is 2\.\d px where it is farthest; 0 of 2 are read$", fine.fact)
    assert coarse.fact.startswith("rims, 25 mm, round: a cell is 1.")
    assert re.match(r"1\.\d px a cell, 2 are needed: use a halo of [0-9.]+ mm or a 4K camera$", coarse.advice)


def test_a_camera_that_is_not_there_is_said_after_everything_else(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb, "DEVICES", tmp_path)
    found = diagnose(write(change=lambda text: text.replace("file:table.png", "usb:9")), status=3)
    assert find_check(found, "camera").level == "bad"
    assert {"lens", "projector", "disk", "browser", "port"} <= {one.about for one in found.checks}


def test_what_is_wrong_as_it_is_written_is_bad_input(write: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        diagnose(tmp_path / "gone.toml")
    with pytest.raises(BadSource, match="gone.png: no such file"):
        diagnose(write(change=lambda text: text.replace("file:table.png", "file:gone.png")))


HELD = {
    "mean_mm": 0.21,
    "worst_mm": 0.6,
    "worst_at_mm": [700.0, 30.0],
    "tags": 60,
    "doubt_mm": 0.1,
    "doubt_at_mm": [100.0, 90.0],
    "camera_sigma_mm": 0.05,
}


@pytest.mark.parametrize(
    ("change", "level", "fact"),
    [
        ({}, "good", "0.21 mm from its place, 0.60 mm at worst"),
        ({"held_out": HELD | {"worst_mm": 1.6}}, "could-be-better", "1.60 mm at worst"),
        ({"held_out": HELD | {"mean_mm": 3.0, "worst_mm": 9.0}}, "bad", "9.00 mm at worst"),
        ({"held_out": HELD | {"doubt_mm": 8.8}}, "bad", "within 8.80 mm (one sigma) at x 100 mm, y 90 mm"),
        ({"held_out": None}, "could-be-better", "does not say how good it is"),
        ({"table": {"width_mm": 1118.0, "depth_mm": 1118.0}}, "bad", "made for a table of 1118 x 1118 mm, but this"),
    ],
)
def test_a_projector_is_judged_by_light_that_its_fit_had_not_seen(
    tmp_path: Path, change: dict[str, object], level: str, fact: str
) -> None:
    path = tmp_path / "setup.toml"
    setup = DEMO.setup.model_copy(update={"projector": ProjectorSection(calibration="light.json")})
    assert "is not there yet" in check_projector(setup, path).fact
    about: dict[str, object] = {
        "format": "overtable.projector/1",
        "image_size": [1920, 1080],
        "table": {"width_mm": 1524.0, "depth_mm": 1118.0},
        "projector_from_table": [[1.2, 0.0, 50.0], [0.0, -1.2, 1000.0], [0.0, 0.0, 1.0]],
        "centre_px": [960.0, 540.0],
        "distortion": [0.0, 0.0, 0.0, 0.0],
        "lens": "none",
        "held_out": HELD,
    }
    (tmp_path / "light.json").write_text(json.dumps(about | change))
    told = check_projector(setup, path)
    assert (told.level, fact in told.fact) == (level, True), told
    assert change.keys() == {"table"} or "a page of 1920x1080 px" in told.fact


def test_a_projector_that_nobody_calibrated_is_no_fault(tmp_path: Path) -> None:
    assert check_projector(DEMO.setup, tmp_path / "setup.toml").level == "good"


def test_without_a_set_up_the_machine_is_looked_at() -> None:
    run = CliRunner().invoke(doctor, [], standalone_mode=False)
    assert (run.return_value, run.stderr) == (0, "")
    assert [line.split()[0] for line in run.stdout.splitlines() if not line.startswith(" ")] == [
        "cameras",
        "disk",
        "browser",
        "port",
        "network",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its cameras")
def test_cameras_are_listed_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb, "SYSFS", tmp_path)
    assert machine.check_cameras().level == "could-be-better"
    for number, index in ((0, 0), (1, 1), (10, 0)):
        (tmp_path / f"video{number}").mkdir()
        (tmp_path / f"video{number}" / "index").write_text(f"{index}\n")
        (tmp_path / f"video{number}" / "name").write_text(f"Eye {number}\n")
    assert machine.check_cameras().fact == "usb:0: Eye 0; usb:10: Eye 10"


def test_a_full_disk_a_taken_port_and_no_browser_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.check_disk(tmp_path / "not" / "made" / "yet").level == "good"
    assert not (tmp_path / "not").exists()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 95, 5))
    assert machine.check_disk(tmp_path).level == "bad"
    (tmp_path / "file").touch()
    assert "cannot be written" in machine.check_disk(tmp_path / "file" / "games").fact
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port, *_ = machine.check_network("127.0.0.1", taken.getsockname()[1])
    assert (port.level, port.advice) == ("bad", "give another one with --port")
    monkeypatch.setattr(machine, "APPLICATIONS", ())
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert machine.check_browser().level == "bad"


def test_a_plan_needs_no_camera_and_is_words_or_one_document() -> None:
    run = run_overtable("doctor", "--plan", "--table", "44x60in", "--camera", "logitech-c920", "--json")
    plan = Plan.model_validate_json(run.out)
    assert (run.status, plan.table_mm, [each.camera for each in plan.cameras]) == (0, (1524, 1117.6), ["logitech-c920"])
    words = run_overtable("doctor", "--plan", "--lux", "100", "--height-mm", "1500")
    assert words.out.startswith("A table of 1524 x 1117.6 mm in light of 100 lux, the camera 1500 mm above it:\n")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--table", "large"], "--table large: expected two lengths and a unit, such as 60x44in"),
        (["--table", "60x44"], "--table 60x44: expected sides from 200 to 5000 mm"),
        (["--camera", "mine"], "--camera mine: expected all or one of logitech-c920, "),
        (["--setup", "my.toml"], "--plan: it looks at no set-up"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_line(given: list[str], told: str) -> None:
    run = run_overtable("doctor", "--plan", *given)
    assert (run.status, run.err.startswith(f"overtable: {told}"), run.out) == (2, True, ""), run.err
