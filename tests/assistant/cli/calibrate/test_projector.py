"""`overtable calibrate projector`, from the command line to its file."""

from pathlib import Path

from assistant.cli.calibrate.projector import describe_projector
from assistant.files.documents import read_json
from assistant.setup.file import read_setup
from calibration.projector.file import ProjectorFile
from tests.assistant.cli.command_runner import read_refusal, run_overtable

SMALL = """
format = "overtable.setup/1"
[table]
width_mm = 700
depth_mm = 420
[camera]
source = "virtual:"
""" + "".join(
    f"[[anchors]]\ntag = {580 + i}\nx_mm = {x}\ny_mm = {y}\nsize_mm = 40\n"
    for i, (x, y) in enumerate(((50, 50), (650, 50), (650, 370), (50, 370)))
)
QUIET = ("--no-open", "--host", "127.0.0.1", "--port", "0")


def test_a_virtual_projector_is_measured_and_kept(tmp_path: Path) -> None:
    setup = tmp_path / "table.toml"
    setup.write_text(f'{SMALL}[projector]\ncalibration = "projector.json"\n')
    (tmp_path / "projector.json").write_text("{}")  # what is wrong with it does not matter, but it is kept
    said = run_overtable("calibrate", "projector", "--setup", setup, "--json", *QUIET)
    assert said.status == 0, said.err
    assert "tags of light seen" in said.err
    found = ProjectorFile.model_validate_json(said.out)
    assert read_setup(setup).projector.calibration == "projector.json"
    assert read_json(tmp_path / "projector.json", ProjectorFile) == found
    assert (tmp_path / "projector.before-1.json").read_text() == "{}"
    held_out = found.held_out
    assert held_out is not None
    assert held_out.mean_mm < 0.15
    assert held_out.worst_mm < 0.5
    words = describe_projector(found, tmp_path / "projector.json", None)
    assert f"{held_out.mean_mm:.2f} mm of where it belongs" in words
    assert said.document["image_size"] == [1920, 1080]


def test_a_recording_cannot_see_what_the_projector_throws(tmp_path: Path) -> None:
    setup = tmp_path / "table.toml"
    setup.write_text(SMALL.replace('"virtual:"', '"file:game.mp4"'))
    assert "its camera is a recording" in read_refusal(
        run_overtable("calibrate", "projector", "--setup", setup, *QUIET)
    )
