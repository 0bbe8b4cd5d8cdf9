"""The turn clock: whose turn lasted how long, with turns taken back and games broken off."""

from assistant.game.state import Turn
from assistant.table.turn_clock import TurnClock

MINUTE_NS = 60 * 10**9


def build_turn(number: int) -> Turn:
    return Turn(number=number, player="Anna" if number % 2 else "Ben", step="move")


def follow(*events: tuple[int, int | None]) -> TurnClock:
    """Follow events, each at a minute and in a turn."""
    clock = TurnClock()
    for minute, number in events:
        clock = clock.after(None if number is None else build_turn(number), minute * MINUTE_NS)
    return clock


def count_minutes(clock: TurnClock, minute: int) -> dict[str, float]:
    return {player: ns / MINUTE_NS for player, ns in clock.sum_turns(minute * MINUTE_NS).items()}


def test_each_player_has_the_time_of_their_own_turns() -> None:
    clock = follow((100, None), (105, 1), (110, 1), (112, 2), (120, 3))
    assert clock.read(121 * MINUTE_NS) == 21 * MINUTE_NS
    assert count_minutes(clock, 121) == {"Anna": 8, "Ben": 8}


def test_a_turn_that_is_taken_back_was_the_former_ones_all_along() -> None:
    clock = follow((0, 1), (5, 2), (6, 1))
    assert count_minutes(clock, 10) == {"Anna": 10}
    assert count_minutes(follow((0, 1), (5, 2), (6, 1), (8, 2)), 10) == {"Anna": 8, "Ben": 2}
    assert count_minutes(follow((0, 1), (5, None)), 10) == {}


def test_while_a_game_is_broken_off_its_clock_stands() -> None:
    clock = follow((0, 1), (5, 1), (500, 1), (510, 1))
    assert count_minutes(clock, 511) == {"Anna": 16}
    assert clock.read(5000 * MINUTE_NS) == 15 * MINUTE_NS
