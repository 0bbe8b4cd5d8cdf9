from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.web.door import (
    MOST_DEVICES,
    WINDOW_S,
    WRONG_FROM_ALL,
    WRONG_FROM_ONE,
    Door,
    TurnedAway,
    Visitor,
)
from assistant.web.messages.you import Role
from assistant.web.roles import JOINED


@dataclass
class Clock:
    """Time that passes when told to."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


def wrong(door: Door) -> str:
    return next(code for n in range(4) if (code := f"{n:06}") not in {door.code(role) for role in JOINED})


def turned_away(door: Door, code: str, *, address: str = "192.0.2.9") -> TurnedAway:
    with pytest.raises(TurnedAway) as caught:
        door.join(code, address=address)
    return caught.value


def test_codes_have_six_digits_and_differ() -> None:
    door = Door()
    codes = [door.code(role) for role in JOINED]
    assert all(len(code) == 6 and code.isdigit() for code in codes)
    assert len(set(codes)) == len(JOINED)


@pytest.mark.parametrize("role", JOINED)
def test_a_code_opens_to_its_role_and_what_is_carried_is_long_and_ones_own(role: Role) -> None:
    door = Door()
    one = door.join(door.code(role), address="192.0.2.9")
    other = door.join(f" {door.code(role)[:3]}-{door.code(role)[3:]} ", address="192.0.2.9")
    assert one.role == other.role == role
    assert one.token != other.token
    assert len(bytes.fromhex(one.token)) == 32
    assert door.visitor(one.token) == one
    assert door.devices(role) == 2


@given(st.text(max_size=20))
def test_whatever_is_entered_is_a_code_or_is_turned_away(entered: str) -> None:
    door = Door()
    codes = {door.code(role) for role in JOINED}
    try:
        visitor = door.join(entered, address="192.0.2.9")
    except TurnedAway as away:
        assert str(away).startswith("This code is not right")  # noqa: PT017
    else:
        assert "".join(c for c in entered if c.isdigit()) in codes
        assert visitor.role is not None


def test_who_carries_nothing_known_has_not_joined_unless_the_table_is_open() -> None:
    for token in ("", "0" * 64, "host"):
        assert Door().visitor(token) == Visitor(role=None)
        assert Door(open_table=True).visitor(token) == Visitor(role="player")


def test_at_an_open_table_a_code_still_makes_a_judge() -> None:
    door = Door(open_table=True)
    assert door.visitor(door.join(door.code("judge"), address="192.0.2.9").token).role == "judge"


def test_a_device_that_joins_anew_is_only_what_it_is_now() -> None:
    door = Door()
    player = door.join(door.code("player"), address="192.0.2.9")
    viewer = door.join(door.code("viewer"), address="192.0.2.9", token=player.token)
    assert door.visitor(player.token).role is None
    assert door.visitor(viewer.token).role == "viewer"
    assert (door.devices("player"), door.devices("viewer")) == (0, 1)


def test_a_new_code_keeps_who_is_there_and_sending_away_does_not() -> None:
    door = Door()
    old = door.code("player")
    player, judge = (door.join(door.code(role), address="192.0.2.9") for role in ("player", "judge"))
    door.renew("player")
    assert door.code("player") != old
    assert door.visitor(player.token) == player
    turned_away(door, old)
    kept = door.code("player")
    assert door.send_away("player") == {player.token}
    assert door.code("player") != kept
    assert door.visitor(player.token).role is None
    assert door.visitor(judge.token) == judge


def test_one_address_that_guesses_is_slowed_down_and_the_others_are_not() -> None:
    clock = Clock()
    door = Door(clock_s=clock)
    for _ in range(WRONG_FROM_ONE):
        assert turned_away(door, wrong(door)).wait_s == 0
        clock.now_s += 1
    assert "try again in 5 minutes" in str(turned_away(door, door.code("player")))
    assert door.join(door.code("player"), address="192.0.2.10").role == "player"
    clock.now_s += WINDOW_S - WRONG_FROM_ONE
    assert door.join(door.code("player"), address="192.0.2.9").role == "player"


def test_guessing_from_many_addresses_is_slowed_down_for_all() -> None:
    clock = Clock()
    door = Door(clock_s=clock)
    for number in range(WRONG_FROM_ALL):
        assert turned_away(door, wrong(door), address=f"192.0.2.{number}").wait_s == 0
    away = turned_away(door, door.code("judge"), address="198.51.100.1")
    assert away.wait_s == WINDOW_S
    clock.now_s += away.wait_s
    assert door.join(door.code("judge"), address="198.51.100.1").role == "judge"


def test_waiting_tries_do_not_make_the_wait_longer() -> None:
    clock = Clock()
    door = Door(clock_s=clock)
    for _ in range(WRONG_FROM_ONE):
        turned_away(door, wrong(door))
    for _ in range(20):
        turned_away(door, wrong(door))
        clock.now_s += WINDOW_S / 20
    assert door.join(door.code("viewer"), address="192.0.2.9").role == "viewer"


def test_there_is_a_most_of_devices() -> None:
    door = Door()
    for _ in range(MOST_DEVICES):
        door.join(door.code("viewer"), address="192.0.2.9")
    assert "Too many devices" in str(turned_away(door, door.code("viewer")))
    door.send_away("viewer")
    assert door.join(door.code("player"), address="192.0.2.9").role == "player"
