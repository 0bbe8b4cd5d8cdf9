"""`overtable calibrate refine`: what a recorded game tells of the lens, and when it is written."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from calibration.table.play_refinement import PlayRefinement
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.reprocess.sample_video import SIZE, record_sample_video
from tests.vision.synthetic_camera import CAMERA, LENS


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_sample_video(tmp_path_factory.mktemp("filmed"))[0]


def test_a_game_with_few_bases_tells_nothing(recording: Path, tmp_path: Path) -> None:
    run = run_overtable("calibrate", "refine", recording, "--out", tmp_path / "lens.json")
    assert (
        "tags lay still at only 5 places where they could be measured; 24 are needed; record a game with more bases"
        in run.err
    )
    assert not (tmp_path / "lens.json").exists()


@pytest.mark.parametrize("sigmas", [4.0, 1.0])
def test_a_lens_is_written_only_where_it_is_better(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sigmas: float
) -> None:
    found = PlayRefinement(
        camera=CAMERA,
        lens=replace(LENS, image_size=SIZE),
        tags=30,
        before_mm=0.8,
        after_mm=0.4,
        held_out_before_px=0.06,
        held_out_px=0.05,
        held_out_before_mm=0.07,
        held_out_mm=0.06,
        gain_sigmas=sigmas,
    )
    monkeypatch.setattr(import_module("assistant.cli.calibrate.refine"), "refine_recording", lambda *_: found)
    out = tmp_path / "lens.json"
    run = run_overtable("calibrate", "refine", recording, "--out", out)
    assert "30 tags lay still. The largest error to expect on the table is 0.80 mm now and 0.40 mm" in run.out
    assert out.exists() == (sigmas > 2.5)
    if out.exists():
        lens = json.loads(out.read_text())
        assert (lens["format"], lens["matrix"][0][0]) == ("overtable.lens/1", LENS.parameters[0])
        np.testing.assert_allclose(lens["covariance"], LENS.covariance)
