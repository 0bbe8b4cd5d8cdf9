import random

from hypothesis import given
from hypothesis import strategies as st

from hardware.camera.stream_clock import StreamClock

MS = 1_000_000
FRAME_MS = 40


@given(seed=st.integers(0, 2**32), most_ms=st.integers(0, 150), begins_ms=st.integers(0, 10**9))
def test_what_the_network_does_to_single_pictures_is_not_in_their_times(
    seed: int, most_ms: int, begins_ms: int
) -> None:
    rng, clock, arrived_ms, quickest_ms, last_ms = random.Random(seed), StreamClock(), 0, 10**9, -1.0
    for number in range(100):
        arrived_ms = max(arrived_ms, number * FRAME_MS + rng.randint(0, most_ms))  # over TCP none overtakes another
        quickest_ms = min(quickest_ms, arrived_ms - number * FRAME_MS)
        taken_ms = clock.convert((begins_ms + number * FRAME_MS) * MS, arrived_ms * MS) / MS
        assert abs(taken_ms - number * FRAME_MS - quickest_ms) < 0.001 or taken_ms - last_ms < 0.001
        assert taken_ms > last_ms
        last_ms = taken_ms


def test_a_burst_after_a_stall_of_the_network_is_dated_as_it_was_taken() -> None:
    clock = StreamClock()
    for number in range(200):
        arrived_ms = max(number * FRAME_MS + 30, 4000 if number > 75 else 0)  # a second without any
        taken_ns = clock.convert(number * FRAME_MS * MS, arrived_ms * MS)
        assert taken_ns == (number * FRAME_MS + 30) * MS


def test_a_stream_that_counts_anew_is_followed() -> None:
    clock = StreamClock()
    for number in range(50):
        clock.convert((7000 + number * FRAME_MS) * MS, (number * FRAME_MS + 30) * MS)
    assert clock.convert(0, 2500 * MS) == 2500 * MS
    assert clock.convert(FRAME_MS * MS, 2600 * MS) == 2540 * MS


def test_times_at_another_rate_than_the_pictures_come_are_not_believed() -> None:
    clock = StreamClock()
    for number in range(100):
        taken_ns = clock.convert(number * FRAME_MS * MS, number * 66 * MS)
    assert taken_ns == 99 * 66 * MS


def test_clocks_that_drift_apart_are_followed() -> None:
    clock = StreamClock()
    for number in range(25 * 600):
        taken_ns = clock.convert(round(number * FRAME_MS * MS * (1 - 100e-6)), number * FRAME_MS * MS)
    assert 0 <= number * FRAME_MS * MS - taken_ns < 2 * MS
