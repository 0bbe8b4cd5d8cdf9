"""The timelapse: a short film that browsers play, of what moved and of nothing else."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.game.state import Pose
from assistant.replay.exports.timelapse import FPS, _find_on_way, _keep_still
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.sample_recording import RecordedTable


def test_what_moves_is_filmed_and_the_time_between_is_cut_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    still = tmp_path / "still.webm"
    assert "nothing moves" in run_overtable("export", table.path, "--to", "timelapse", "--out", still).err
    assert not still.exists()
    table.script.now_ns += 600_000_000_000  # ten minutes of thought
    table.show(*table.script.slide("s1", 700, 300))
    out = tmp_path / "game.webm"
    told = run_overtable("export", table.path, "--to", "timelapse", "--out", out)
    assert "a timelapse of 4 seconds" in told.out
    assert "is not supported" not in capfd.readouterr().err
    film = cv2.VideoCapture(str(out))
    count, first, last = 0, None, None
    while (got := film.read())[0]:
        count, last = count + 1, got[1]
        first = got[1] if first is None else first
    assert 3 * FPS < count < 6 * FPS
    assert first is not None
    assert last is not None
    assert (cv2.absdiff(first, last).max(axis=2) > 60).sum() > 100


def test_a_model_slides_along_its_way_at_one_pace() -> None:
    way = (Pose(x_mm=0, y_mm=0), Pose(x_mm=30, y_mm=0), Pose(x_mm=30, y_mm=10))
    assert [(_find_on_way(way, s).x_mm, _find_on_way(way, s).y_mm) for s in (0.5, 1.0)] == [(20, 0), (30, 10)]


def test_noise_is_kept_out_and_what_moves_is_not() -> None:
    draw = np.random.default_rng(3)
    ground = np.full((60, 80, 3), 90, dtype=np.uint8)
    noisy = (ground + draw.integers(-3, 4, ground.shape)).astype(np.uint8)
    assert (_keep_still(ground, noisy) == ground).all()
    noisy[20:40, 30:50] = 200
    shown = _keep_still(ground, noisy)
    assert (shown[20:40, 30:50] == 200).all()
    assert (shown[:10] == ground[:10]).all()
