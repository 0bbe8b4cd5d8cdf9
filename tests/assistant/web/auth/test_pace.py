"""Pace: what is within it counts, what is beyond it does not, and others are not slowed down."""

from dataclasses import dataclass

from assistant.web.auth.pace import MOST_KNOWN, Pace, Paces


@dataclass
class Clock:
    """Seconds that pass when told to."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_what_is_said_too_fast_waits_the_longer_the_more_it_is() -> None:
    clock = Clock()
    pace = Pace(2.0, 3.0, clock)
    assert [pace.count(1) for _ in range(5)] == [0.0, 0.0, 0.0, 0.5, 1.0]
    clock.now_s = 2.0
    assert pace.count(1) == 0.0


def test_what_is_refused_does_not_count_so_that_patience_is_enough() -> None:
    clock = Clock()
    pace = Pace(2.0, 4.0, clock)
    assert pace.try_count(3) == 0.0
    assert [pace.try_count(2) for _ in range(100)] == [0.5] * 100
    clock.now_s = 0.5
    assert pace.try_count(2) == 0.0


def test_nobody_is_slowed_down_by_another_and_no_crowd_fills_the_memory() -> None:
    paces = Paces(1.0, 1.0, Clock())
    assert (paces.try_count("one", 1), paces.try_count("one", 1), paces.try_count("other", 1)) == (0, 1, 0)
    for number in range(2 * MOST_KNOWN):
        paces.try_count(f"{number}", 1)
    assert len(paces._known) == MOST_KNOWN
