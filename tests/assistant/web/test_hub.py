import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.web import hub as hub_module
from assistant.web.commands.game import Accept, Declare, Drag
from assistant.web.hub import COMES_BACK_S, QUEUED_COMMANDS, QUEUED_DELTAS, Client, Hub
from assistant.web.messages import Full, View
from assistant.web.messages.message import Role
from assistant.web.messages.setup import ForceView, StepView
from assistant.web.messages.table import CameraView
from tests.assistant.web.view_deltas import apply_delta, build_model_view


def build_force_view(text: str) -> ForceView:
    return ForceView(player="red", text=text, rows=[], passed=[], others=[])


def run_on_page(script: Callable[[Hub, Client], Any]) -> None:
    """Run a script as one page of a hub."""
    run_on_page_as("host", script)


def run_on_page_as(role: Role, script: Callable[[Hub, Client], Any]) -> None:
    """Run a script as one page of a hub, of a device that has joined so."""

    async def page() -> None:
        hub = Hub()
        with hub.connect_client(role=role, token=f"{role}'s") as client:
            await script(hub, client)

    asyncio.run(page())


async def receive_messages(hub: Hub, client: Client) -> list[dict[str, Any]]:
    return [json.loads(text) for text in await asyncio.wait_for(hub.wait_for_outgoing(client), 5)]


def test_a_page_gets_the_whole_view_and_then_numbered_deltas() -> None:
    async def script(hub: Hub, client: Client) -> None:
        (full,) = await receive_messages(hub, client)
        hub.publish(View(models={"s1": build_model_view(1)}))
        hub.publish(View(models={"s1": build_model_view(2), "s2": build_model_view(3)}))
        hub.publish(View(models={"s2": build_model_view(3)}))
        deltas = await receive_messages(hub, client)
        assert full["type"] == "full"
        assert set(full["view"]) == set(View.model_fields)
        assert [delta["seq"] for delta in deltas] == [full["seq"] + 1, full["seq"] + 2, full["seq"] + 3]
        assert set(deltas[1]["set"]["models"]) == {"s1", "s2"}
        assert deltas[2]["gone"] == {"models": ["s1"]}

    run_on_page(script)


def test_nothing_is_sent_when_nothing_changed() -> None:
    async def script(hub: Hub, client: Client) -> None:
        hub.publish(View(models={"s1": build_model_view(1)}))
        await receive_messages(hub, client)
        hub.publish(View(models={"s1": build_model_view(1)}))
        assert not client.deltas

    run_on_page(script)


def test_a_stalled_page_holds_nobody_up_and_later_gets_the_whole_view() -> None:
    async def script(hub: Hub, stalled: Client) -> None:
        with hub.connect_client() as lively:
            await receive_messages(hub, stalled)
            await receive_messages(hub, lively)
            received = []
            for x in range(QUEUED_DELTAS + 5):
                hub.publish(View(models={"s1": build_model_view(x)}))
                assert len(stalled.deltas) <= QUEUED_DELTAS
                received += await receive_messages(hub, lively)
            assert [message["type"] for message in received] == ["delta"] * (QUEUED_DELTAS + 5)
            (full,) = await receive_messages(hub, stalled)
            assert full["seq"] == received[-1]["seq"]
            assert full["view"]["models"]["s1"]["x_mm"] == QUEUED_DELTAS + 4
            hub.publish(View())
            (delta,) = await receive_messages(hub, stalled)
            assert delta["seq"] == full["seq"] + 1

    run_on_page(script)


def test_many_pages_cost_the_table_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(hub: Hub, first: Client) -> None:
        with hub.connect_client() as second:
            await receive_messages(hub, first)
            await receive_messages(hub, second)
            calls = 0
            loop = asyncio.get_running_loop()
            plain = loop.call_soon_threadsafe

            def counted(call: Callable[..., object], *given: object) -> asyncio.Handle:
                nonlocal calls
                calls += 1
                return plain(call, *given)

            with monkeypatch.context() as patched:
                patched.setattr(loop, "call_soon_threadsafe", counted)
                hub.publish(View(models={"s1": build_model_view(1)}))
            assert calls == 1
            assert await receive_messages(hub, first) == await receive_messages(hub, second)

    run_on_page(script)


def test_a_resync_is_answered_without_the_table() -> None:
    async def script(hub: Hub, client: Client) -> None:
        hub.publish(View(models={"s1": build_model_view(1)}))
        await receive_messages(hub, client)
        hub.publish(View(models={"s1": build_model_view(2)}))
        hub.receive(client, '{"type": "resync"}')
        (full,) = await receive_messages(hub, client)
        assert Full.model_validate(full).view.models["s1"].x_mm == 2
        assert hub.take() == []

    run_on_page(script)


def test_commands_reach_the_table_in_order() -> None:
    async def script(hub: Hub, client: Client) -> None:
        hub.receive(client, '{"type": "declare", "unit": "scouts", "action": "advance", "rolls": [4]}')
        hub.receive(client, '{"type": "drag", "model": "s1", "x_mm": 3, "y_mm": 4, "facing_deg": 5, "done": true}')
        hub.receive(client, '{"type": "accept"}')
        assert [order.message for order in hub.take()] == [
            Declare(type="declare", unit="scouts", action="advance", rolls=[4]),
            Drag(type="drag", model="s1", x_mm=3, y_mm=4, facing_deg=5, done=True),
            Accept(type="accept"),
        ]
        assert hub.take() == []

    run_on_page(script)


def test_only_the_page_that_asked_is_refused() -> None:
    async def script(hub: Hub, asking: Client) -> None:
        with hub.connect_client() as other:
            await receive_messages(hub, asking)
            await receive_messages(hub, other)
            hub.receive(asking, '{"type": "accept"}')
            (order,) = hub.take()
            table = threading.Thread(target=order.refuse, args=("There is nothing to accept.",))
            table.start()
            assert await receive_messages(hub, asking) == [{"type": "refused", "text": "There is nothing to accept."}]
            table.join()
            assert not other.refusals

    run_on_page(script)


def test_a_refusal_for_a_page_that_has_gone_is_dropped() -> None:
    async def script(hub: Hub, _: Client) -> None:
        with hub.connect_client() as gone:
            hub.receive(gone, '{"type": "accept"}')
        hub.take()[0].refuse("too late")
        assert not gone.refusals

    run_on_page(script)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        "{}",
        '{"type": "sing"}',
        '{"type": "accept", "loud": true}',
        '{"type": "declare"}',
        '{"type": "declare", "unit": ""}',
        '{"type": "declare", "unit": "scouts", "rolls": [0]}',
        '{"type": "drag", "model": "s1", "x_mm": NaN, "y_mm": 0, "facing_deg": 0, "done": false}',
        '{"type": "drag", "model": "s1", "x_mm": 1e400, "y_mm": 0, "facing_deg": 0, "done": false}',
        '{"type": "drag", "model": "s1", "x_mm": 1e9, "y_mm": 0, "facing_deg": 0, "done": false}',
        "[" * 10000,
    ],
)
def test_a_bad_message_is_refused_in_one_sentence(text: str) -> None:
    async def script(hub: Hub, client: Client) -> None:
        await receive_messages(hub, client)
        hub.receive(client, text)
        (refused,) = await receive_messages(hub, client)
        assert refused["type"] == "refused"
        assert refused["text"].startswith("This cannot be done: ")
        assert "\n" not in refused["text"]
        assert hub.take() == []

    run_on_page(script)


def test_a_flood_of_commands_is_refused_when_the_table_does_not_take_them() -> None:
    async def script(hub: Hub, client: Client) -> None:
        await receive_messages(hub, client)
        for _ in range(QUEUED_COMMANDS + 1):
            hub.receive(client, '{"type": "accept"}')
        (refused,) = await receive_messages(hub, client)
        assert "too busy" in refused["text"]
        assert len(hub.take()) == QUEUED_COMMANDS

    run_on_page(script)


def test_a_view_cannot_hold_a_number_that_json_lacks() -> None:
    with pytest.raises(ValueError, match="finite number"):
        CameraView(source="usb:0", state="live", text="", anchors_seen=4, fps=float("nan"), latency_ms=0)


def test_the_table_is_told_whether_anybody_watches() -> None:
    seen: list[bool] = []

    async def script(hub: Hub, client: Client) -> None:
        await receive_messages(hub, client)
        seen.append(hub.watched)

    run_on_page(script)
    assert seen == [True]
    assert not Hub().watched


def test_whoever_is_sent_away_gets_no_more_obeyed_and_the_others_stay() -> None:
    async def script(hub: Hub, client: Client) -> None:
        with hub.connect_client(role="viewer", token="another") as other:
            await receive_messages(hub, client)
            await receive_messages(hub, other)
            hub.dismiss(frozenset({client.token}))
            assert await receive_messages(hub, client) == []
            assert client.dismissed
            hub.receive(client, '{"type": "accept"}')
            assert hub.take() == []
            assert not other.dismissed

    run_on_page_as("player", script)


def test_twenty_pages_of_every_role_hold_the_same_view() -> None:
    async def script(hub: Hub, _: Client) -> None:
        with ExitStack() as stack:
            roles: list[Role] = ["host", "judge", "player", "viewer"] * 5
            pages = [stack.enter_context(hub.connect_client(role=role)) for role in roles]
            held = [(await receive_messages(hub, page))[0]["view"] for page in pages]
            for step in range(100):
                hub.publish(View(models={f"s{step % 7}": build_model_view(step), "s": build_model_view(-step)}))
                for number, page in enumerate(pages):
                    if step % (number + 1) == 0:  # some listen seldom, and the last ones have fallen behind
                        held[number] = apply_messages(held[number], await receive_messages(hub, page))
            hub.publish(View(models={"last": build_model_view(1)}))
            for number, page in enumerate(pages):
                held[number] = apply_messages(held[number], await receive_messages(hub, page))
                assert held[number].pop("you") == {"you": {"role": roles[number]}}
            assert held == [held[0]] * len(pages)
            assert set(held[0]["models"]) == {"last"}

    run_on_page(script)


def apply_messages(view: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What a page holds after what it heard."""
    for message in messages:
        view = message["view"] if message["type"] == "full" else apply_delta(view, message)
    return view


def test_a_device_that_comes_back_is_known_and_one_that_is_gone_for_long_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr(hub_module, "time", SimpleNamespace(monotonic=lambda: now_s))
    told: list[int] = []

    async def script() -> None:
        nonlocal now_s
        hub = Hub()
        hub.on_command = lambda: told.append(1)
        name = "0123456789abcdef"
        with hub.connect_client(name=name) as first, hub.connect_client(name="../senseless") as other:
            hub.receive(first, '{"type": "accept"}')
            assert len({first.device, other.device}) == len(hub.devices) == 2
        assert hub.devices == {first.device}  # the other would have another name, so nothing is kept for it
        with hub.connect_client(name=name) as again, hub.connect_client(role="viewer", name=name) as viewer:
            assert again.device == first.device != viewer.device
        now_s += COMES_BACK_S + 1
        assert hub.devices == frozenset()

    asyncio.run(script())
    assert told == [1]


@pytest.mark.parametrize(("role", "seen"), [("host", 3), ("player", 2), ("judge", 1), ("viewer", 1)])
def test_a_page_is_sent_no_more_than_its_role_sees(role: Role, seen: int) -> None:
    secret, own = (
        StepView(title="a", state="good", text="the camera's password"),
        build_force_view("what a player entered"),
    )
    before = View(models={"s1": build_model_view(1)}, steps={"camera": secret}, forces={"red": own})
    after = View(models={"s1": build_model_view(2)}, steps={}, forces={"red": build_force_view("more")})

    async def script(hub: Hub, early: Client) -> None:
        await receive_messages(hub, early)
        hub.publish(before)
        with hub.connect_client(role=role) as late:
            (full,) = await receive_messages(hub, late)
            hub.publish(after)
            (of_late,) = await receive_messages(hub, late)
        told, changed = await receive_messages(hub, early)
        sections = ["models", "forces", "steps"]
        assert [name for name in sections if full["view"][name]] == sections[:seen]
        assert sorted(told["set"]) == sorted(sections[:seen])
        assert of_late["set"].keys() | of_late["gone"].keys() == set(sections[:seen])
        assert (of_late["set"], of_late["gone"]) == (changed["set"], changed["gone"])

    run_on_page_as(role, script)


def test_a_page_that_floods_the_table_waits_and_the_others_do_not() -> None:
    async def script(hub: Hub, flood: Client) -> None:
        with hub.connect_client() as calm:
            waits_s = [hub.receive(flood, '{"type": "resync"}') for _ in range(200)]
            assert waits_s[0] == 0
            assert waits_s[-1] > 10
            assert hub.receive(calm, '{"type": "resync"}') == 0
            await receive_messages(hub, calm)

    run_on_page_as("viewer", script)


def test_a_hand_that_drags_is_heard_at_once() -> None:
    async def script(hub: Hub, client: Client) -> None:
        await receive_messages(hub, client)
        assert {hub.receive(client, '{"type": "withdraw"}') for _ in range(200)} == {0}

    run_on_page(script)
