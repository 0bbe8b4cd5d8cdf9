import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.web.auth.devices import (
    MOST_DEVICES,
    WINDOW_S,
    WRONG_FROM_ALL,
    WRONG_FROM_ONE,
    DeviceRegistry,
    JoinRefused,
    Visitor,
)
from assistant.web.auth.roles import JOINED
from assistant.web.messages.message import Role


@dataclass
class FakeClock:
    """Time that passes when told to."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


def find_wrong_code(devices: DeviceRegistry) -> str:
    return next(code for n in range(4) if (code := f"{n:06}") not in {devices.get_code(role) for role in JOINED})


def expect_refusal(devices: DeviceRegistry, code: str, *, address: str = "192.0.2.9") -> JoinRefused:
    with pytest.raises(JoinRefused) as caught:
        devices.join(code, address=address)
    return caught.value


def test_codes_have_six_digits_and_differ() -> None:
    devices = DeviceRegistry()
    codes = [devices.get_code(role) for role in JOINED]
    assert all(len(code) == 6 and code.isdigit() for code in codes)
    assert len(set(codes)) == len(JOINED)


@pytest.mark.parametrize("role", JOINED)
def test_a_code_opens_to_its_role_and_what_is_carried_is_long_and_ones_own(role: Role) -> None:
    devices = DeviceRegistry()
    one = devices.join(devices.get_code(role), address="192.0.2.9").visitor
    other = devices.join(f" {devices.get_code(role)[:3]}-{devices.get_code(role)[3:]} ", address="192.0.2.9").visitor
    assert one.role == other.role == role
    assert one.token != other.token
    assert len(bytes.fromhex(one.token)) == 32
    assert devices.find_visitor(one.token) == one
    assert devices.count_devices(role) == 2


@given(st.text(max_size=20))
def test_whatever_is_entered_is_a_code_or_is_turned_away(entered: str) -> None:
    devices = DeviceRegistry()
    codes = {devices.get_code(role) for role in JOINED}
    try:
        visitor = devices.join(entered, address="192.0.2.9").visitor
    except JoinRefused as away:
        assert str(away).startswith("This code is not right")  # noqa: PT017
    else:
        assert "".join(c for c in entered if c.isdigit()) in codes
        assert visitor.role is not None


def test_who_carries_nothing_known_has_not_joined_unless_the_table_is_open() -> None:
    for token in ("", "0" * 64, "host"):
        assert DeviceRegistry().find_visitor(token) == Visitor(role=None)
        assert DeviceRegistry(open_table=True).find_visitor(token) == Visitor(role="player")


def test_at_an_open_table_a_code_still_makes_a_judge() -> None:
    devices = DeviceRegistry(open_table=True)
    assert (
        devices.find_visitor(devices.join(devices.get_code("judge"), address="192.0.2.9").visitor.token).role == "judge"
    )


def test_a_device_that_joins_anew_is_only_what_it_is_now() -> None:
    devices = DeviceRegistry()
    player = devices.join(devices.get_code("player"), address="192.0.2.9").visitor
    viewer = devices.join(devices.get_code("viewer"), address="192.0.2.9", token=player.token).visitor
    assert devices.find_visitor(player.token).role is None
    assert devices.find_visitor(viewer.token).role == "viewer"
    assert (devices.count_devices("player"), devices.count_devices("viewer")) == (0, 1)


def test_a_new_code_keeps_who_is_there_and_sending_away_does_not() -> None:
    devices = DeviceRegistry()
    old = devices.get_code("player")
    player, judge = (devices.join(devices.get_code(role), address="192.0.2.9").visitor for role in ("player", "judge"))
    devices.renew_code("player")
    assert devices.get_code("player") != old
    assert devices.find_visitor(player.token) == player
    expect_refusal(devices, old)
    kept = devices.get_code("player")
    assert devices.dismiss_devices("player") == {player.token}
    assert devices.get_code("player") != kept
    assert devices.find_visitor(player.token).role is None
    assert devices.find_visitor(judge.token) == judge


def test_one_address_that_guesses_is_slowed_down_and_the_others_are_not() -> None:
    clock = FakeClock()
    devices = DeviceRegistry(clock_s=clock)
    for _ in range(WRONG_FROM_ONE):
        assert expect_refusal(devices, find_wrong_code(devices)).wait_s == 0
        clock.now_s += 1
    assert "try again in 5 minutes" in str(expect_refusal(devices, devices.get_code("player")))
    assert devices.join(devices.get_code("player"), address="192.0.2.10").visitor.role == "player"
    clock.now_s += WINDOW_S - WRONG_FROM_ONE
    assert devices.join(devices.get_code("player"), address="192.0.2.9").visitor.role == "player"


def guess_from_everywhere(devices: DeviceRegistry) -> None:
    for number in range(WRONG_FROM_ALL):
        assert expect_refusal(devices, find_wrong_code(devices), address=f"192.0.2.{number}").wait_s == 0


def test_guessing_from_many_addresses_is_slowed_down_for_all() -> None:
    clock = FakeClock()
    devices = DeviceRegistry(clock_s=clock)
    guess_from_everywhere(devices)
    away = expect_refusal(devices, devices.get_code("judge"), address="198.51.100.1")
    assert away.wait_s == WINDOW_S
    clock.now_s += away.wait_s
    assert devices.join(devices.get_code("judge"), address="198.51.100.1").visitor.role == "judge"


@pytest.mark.parametrize("role", JOINED)
def test_whoever_scans_joins_while_others_guess(role: Role) -> None:
    devices = DeviceRegistry()
    guess_from_everywhere(devices)
    assert devices.join(devices.get_scanned_code(role), address="192.0.2.9").visitor.role == role


def test_a_scanned_code_ends_with_the_typed_one() -> None:
    devices = DeviceRegistry()
    before = devices.get_scanned_code("player")
    devices.renew_code("player")
    expect_refusal(devices, before)


def test_whoever_joined_before_may_come_back_while_others_guess() -> None:
    devices = DeviceRegistry()
    devices.join(devices.get_code("player"), address="198.51.100.1")
    guess_from_everywhere(devices)
    assert devices.join(devices.get_code("judge"), address="198.51.100.1").visitor.role == "judge"
    for _ in range(WRONG_FROM_ONE):
        expect_refusal(devices, find_wrong_code(devices), address="198.51.100.1")
    assert expect_refusal(devices, devices.get_code("judge"), address="198.51.100.1").wait_s > 0


def test_all_addresses_of_a_subnet_that_one_device_may_take_count_as_one() -> None:
    devices = DeviceRegistry()
    for number in range(WRONG_FROM_ONE):
        expect_refusal(devices, find_wrong_code(devices), address=f"2001:db8::{number}")
    assert expect_refusal(devices, devices.get_code("judge"), address="2001:db8::ffff").wait_s > 0
    assert devices.join(devices.get_code("judge"), address="2001:db8:0:1::1").visitor.role == "judge"


def test_waiting_tries_do_not_make_the_wait_longer() -> None:
    clock = FakeClock()
    devices = DeviceRegistry(clock_s=clock)
    for _ in range(WRONG_FROM_ONE):
        expect_refusal(devices, find_wrong_code(devices))
    for _ in range(20):
        expect_refusal(devices, find_wrong_code(devices))
        clock.now_s += WINDOW_S / 20
    assert devices.join(devices.get_code("viewer"), address="192.0.2.9").visitor.role == "viewer"


def test_where_too_many_joined_only_the_address_with_most_of_them_loses_any() -> None:
    devices = DeviceRegistry()
    early = devices.join(devices.get_code("player"), address="192.0.2.1").visitor
    crowd = [devices.join(devices.get_code("viewer"), address="192.0.2.9").visitor for _ in range(MOST_DEVICES - 1)]
    late = devices.join(devices.get_code("player"), address="192.0.2.2")
    assert late.gone == {crowd[0].token}
    assert devices.find_visitor(crowd[0].token).role is None
    assert [devices.find_visitor(each.token) for each in (early, late.visitor, crowd[1])] == [
        early, late.visitor, crowd[1],
    ]  # fmt: skip
    assert devices.join(devices.get_code("viewer"), address="192.0.2.9").gone == {crowd[1].token}
    assert devices.count_devices("viewer") + devices.count_devices("player") == MOST_DEVICES


def test_a_device_that_is_to_stay_is_known_after_a_restart_and_no_other(tmp_path: Path) -> None:
    devices = DeviceRegistry(state=tmp_path)
    stays = devices.join(devices.get_code("judge"), address="192.0.2.9", stays_as="A tablet").visitor
    leaves = devices.join(devices.get_code("player"), address="192.0.2.9").visitor
    assert stays.token in devices.list_secrets()
    again = DeviceRegistry(state=tmp_path)
    assert again.find_visitor(stays.token) == stays
    assert stays.token in again.list_secrets()
    assert again.find_visitor(leaves.token).role is None
    assert again.find_visitor("").role is None
    assert (again.count_devices("judge"), again.count_devices("player")) == (1, 0)


@pytest.mark.parametrize("way", ["withdrawn", "all of its role are sent away", "it joins anew"])
def test_a_device_that_stays_ends_as_others_do(tmp_path: Path, way: str) -> None:
    devices = DeviceRegistry(state=tmp_path)
    tokens = [
        devices.join(devices.get_code("player"), address="192.0.2.9", stays_as=name).visitor.token
        for name in ("One", "Other")
    ]
    if way == "withdrawn":
        one = next(each.id for each in devices.list_pairings() if each.name == "One")
        assert devices.withdraw_pairing(one) == {tokens[0]}
    elif way == "it joins anew":
        assert devices.join(devices.get_code("viewer"), address="192.0.2.9", token=tokens[0]).gone == {tokens[0]}
    else:
        assert devices.dismiss_devices("player") == set(tokens)
    assert devices.find_visitor(tokens[0]).role is None
    left = DeviceRegistry(state=tmp_path).find_visitor(tokens[1]).role
    assert left == (None if way.startswith("all") else "player")


def test_a_host_from_elsewhere_is_one_only_where_nobody_listens_and_while_there_is_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.web.auth.password._COST", 2)
    devices = DeviceRegistry(state=tmp_path)
    devices.password.keep("a table under a lamp")
    host = devices.join_as_host(devices.begin_guess("192.0.2.9")).visitor
    assert devices.find_visitor(host.token) == host
    assert devices.find_visitor(host.token, secure=False).role is None
    other = devices.join_as_host(devices.begin_guess("192.0.2.10")).visitor
    assert devices.dismiss_devices("host", but=host.token) == {other.token}
    assert devices.find_visitor(host.token) == host
    devices.password.remove()
    assert devices.find_visitor(host.token).role is None


def test_a_password_is_guessed_no_quicker_than_a_code_however_many_are_tried_at_once() -> None:
    clock = FakeClock()
    devices = DeviceRegistry(clock_s=clock)
    right = devices.begin_guess("192.0.2.9")
    for _ in range(WRONG_FROM_ONE - 1):
        devices.begin_guess("192.0.2.9")
    with pytest.raises(JoinRefused, match="Too many"):
        devices.begin_guess("192.0.2.9")
    devices.join_as_host(right)
    devices.begin_guess("192.0.2.9")  # the right one does not count
    with pytest.raises(JoinRefused, match="Too many"):
        devices.join(find_wrong_code(devices), address="192.0.2.9")


def test_a_registry_that_takes_up_what_another_kept_knows_its_devices_and_codes() -> None:
    kept: list[object] = []
    before = DeviceRegistry(keep=kept.append)
    visitor = before.join(before.get_code("player"), address="192.0.2.7").visitor
    gone = before.join(before.get_code("viewer"), address="192.0.2.8").visitor
    before.dismiss_devices("viewer")
    after = DeviceRegistry()
    after.restore(json.loads(json.dumps(kept[-1])))
    assert after.find_visitor(visitor.token) == visitor
    assert after.find_visitor(gone.token).role is None
    assert [after.get_scanned_code(role) for role in JOINED] == [before.get_scanned_code(role) for role in JOINED]
    assert after.join(before.get_code("player"), address="192.0.2.9").visitor.role == "player"
