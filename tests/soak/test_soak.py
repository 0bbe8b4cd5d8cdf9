"""The soak itself: a short night passes without a breach, and what would be one is told."""

from pathlib import Path
from typing import Any

import pytest

from tests.soak.__main__ import play_night
from tests.soak.night_camera import Night
from tests.soak.resources import Sample, list_breaches


def build_samples(*, growth_mb: float = 0.0, threads: int = 0, files: int = 0, slower_ms: float = 0.0) -> list[Sample]:
    """Six hours, a sample every ten minutes; what grows does so from the fourth hour on, memory all the time."""
    samples = []
    for number in range(37):
        late = number >= 24
        names = tuple(f"thread {each}" for each in range(10 + threads * late))
        samples.append(
            Sample(
                passed_s=600.0 * number,
                memory_mb=400.0 + growth_mb * number / 6 + (number % 3),
                threads=names,
                files=30 + files * late + number % 2,
                line_ms=(10.0, 20.0 + slower_ms * late),
            )
        )
    return samples


def test_a_night_that_stays_as_it_was_has_no_breach() -> None:
    assert list_breaches(build_samples(growth_mb=9.0)) == []


@pytest.mark.parametrize(
    ("grown", "says"),
    [
        ({"growth_mb": 11.0}, "memory grows by 11.0 MB an hour, and may by 10"),
        ({"threads": 1}, "there are 11 threads at least at the end, and were 10 at most once warm"),
        ({"files": 2}, "there are 32 open files at least at the end, and were 31 at most once warm"),
        ({"slower_ms": 20.0}, "99 % of the pictures take 40 ms at the end, and took 20 once warm"),
    ],
)
def test_what_a_table_takes_more_and_more_of_is_told(grown: dict[str, Any], says: str) -> None:
    (breach,) = list_breaches(build_samples(**grown))
    assert breach == says


def test_a_short_night_with_a_fault_every_few_seconds_loses_nothing(tmp_path: Path) -> None:
    night = Night(length_s=30.0, fps=1.0, fault_every_s=3.0)
    told = list(play_night(tmp_path, night, 5, fills=False, exports=("json", "situation")))
    assert [line for line in told if line.startswith("BREACH")] == []
    assert night.pictures >= 30
    assert sum(night.happened.values()) > 3
