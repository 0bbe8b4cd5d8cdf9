import time

import pytest

from vision.stage_timer import StageTimer


def test_each_stage_is_told_all_that_went_by_in_it_in_this_step(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks_s = iter([10.0, 10.002, 10.007, 10.008])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks_s))
    stages_ms = {"rings": 1.0, "detect": 9.0}
    clock = StageTimer(stages_ms)
    for stage in ("detect", "refine", "detect"):
        clock.lap(stage)
    assert stages_ms == pytest.approx({"detect": 3.0, "refine": 5.0})
