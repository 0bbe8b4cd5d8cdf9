import time
from datetime import UTC, datetime

import pytest

from hardware.clock import read_clock_ns


def test_a_clock_that_is_set_moves_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    before_ns = read_clock_ns()
    assert abs(before_ns / 1e9 - datetime.now(UTC).timestamp()) < 3600
    set_back_ns = time.time_ns() - 7200 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: set_back_ns)
    assert before_ns <= read_clock_ns() < before_ns + 3600 * 10**9
