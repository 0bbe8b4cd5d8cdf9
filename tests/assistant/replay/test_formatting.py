"""How times of a game are written and read."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.replay.formatting import format_clock, parse_clock

GAME = Path("game.overtable")


@pytest.mark.parametrize("at_ns", [0, 38_960_000_000, 3_723_456_000_000, 36_000_000_000_000])
def test_what_is_shown_with_a_time_has_happened_by_that_time(at_ns: int) -> None:
    read_ns = parse_clock(format_clock(at_ns), recording=GAME, ended_ns=at_ns)
    assert at_ns <= read_ns < at_ns + 100_000_000
    assert format_clock(read_ns) == format_clock(at_ns)


@pytest.mark.parametrize(
    ("text", "at_ns"),
    [("754", 754_000_000_000), ("12:34", 754_000_000_000), ("1:02:03", 3_723_000_000_000), ("0.25", 259_999_999)],
)
def test_a_time_is_read_in_any_of_its_forms(text: str, at_ns: int) -> None:
    assert parse_clock(text, recording=GAME, ended_ns=at_ns) == at_ns


def test_what_is_no_time_of_the_game_is_said() -> None:
    with pytest.raises(BadInput, match="--at noon: expected a time from the game's beginning"):
        parse_clock("noon", recording=GAME, ended_ns=0)
    with pytest.raises(BadInput, match="--at 2:00: game.overtable ends at 0:01:59.8; choose a time before"):
        parse_clock("2:00", recording=GAME, ended_ns=119_800_000_000)
