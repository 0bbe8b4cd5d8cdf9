"""A lens file on its way to the disk: named in the set-up file, and never written over another."""

import json
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.setup.editing import keep_lens
from assistant.setup.file import read_setup
from calibration.lens.file import LensFile

SETUP = """# our table
format = "overtable.setup/1"
[table]
width_mm = 1524
depth_mm = 1118
[camera]
source = "usb:0"   # the one on the arm
{lens}
[[anchors]]
tag = 580
x_mm = 40
y_mm = 40
size_mm = 40
"""


def build_lens_file(focal_px: float) -> LensFile:
    rows = ((focal_px, 0.0, 960.0), (0.0, focal_px, 540.0), (0.0, 0.0, 1.0))
    return LensFile(format="overtable.lens/1", image_size=(1920, 1080), matrix=rows, distortion=(0.0,) * 5)


def write_setup(folder: Path, line: str = "") -> Path:
    path = folder / "table.toml"
    path.write_text(SETUP.format(lens=line))
    return path


def read_focal_px(path: Path) -> float:
    return float(json.loads(path.read_text())["matrix"][0][0])


def test_it_is_named_in_the_setup_and_the_rest_of_that_stays(tmp_path: Path) -> None:
    path = write_setup(tmp_path)
    kept, file, before = keep_lens(path, build_lens_file(1200))
    assert (file, before) == (tmp_path / "table-lens.json", None)
    assert kept == read_setup(path)
    assert kept.camera.lens == "table-lens.json"
    text = path.read_text()
    assert text.replace('lens = "table-lens.json"\n', "") == SETUP.format(lens="")
    assert read_focal_px(file) == 1200


def test_a_lens_that_was_there_is_kept_under_another_name(tmp_path: Path) -> None:
    path = write_setup(tmp_path, 'lens = "our lens.json"')
    keep_lens(path, build_lens_file(1200))
    text = path.read_text()
    assert keep_lens(path, build_lens_file(1300))[2] == tmp_path / "our lens.before-1.json"
    _, file, before = keep_lens(path, build_lens_file(1400))
    assert before == tmp_path / "our lens.before-2.json"
    assert [read_focal_px(p) for p in (file, before, tmp_path / "our lens.before-1.json")] == [1400, 1300, 1200]
    assert path.read_text() == text


def test_what_cannot_be_written_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = write_setup(tmp_path, 'lens = "no-folder/lens.json"')
    with pytest.raises(BadInput, match=r"no-folder/lens\.json: cannot be written"):
        keep_lens(path, build_lens_file(1200))
    path.write_text(path.read_text().replace("[table]", "[tabel]"))
    with pytest.raises(BadInput, match=r"table\.toml: "):
        keep_lens(path, build_lens_file(1200))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table.toml"]


def test_a_setup_that_cannot_be_written_gets_its_lens_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_setup(tmp_path)

    def refuse(_target: Path, _data: bytes) -> None:
        raise BadInput("the disk is full")

    monkeypatch.setattr("assistant.setup.editing.write_atomically", refuse)
    with pytest.raises(BadInput, match="the disk is full"):
        keep_lens(path, build_lens_file(1300))
    assert [p.name for p in tmp_path.iterdir()] == ["table.toml"]
    (tmp_path / "table-lens.json").write_text("another's")
    with pytest.raises(BadInput, match="the disk is full"):
        keep_lens(path, build_lens_file(1300))
    assert (tmp_path / "table-lens.json").read_text() == "another's"
    assert len(list(tmp_path.iterdir())) == 2
