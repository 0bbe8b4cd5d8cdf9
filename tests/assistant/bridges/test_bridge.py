"""Bridges as all of them are: found, checked, described, and none of them holds anything up."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from assistant.bridges.bridge import (
    Bridge,
    BridgeSettings,
    Link,
    PlannedBridge,
    list_bridges,
    plan_bridges,
    read_secret,
    repeat_views,
)
from assistant.errors import BadInput
from assistant.runtime import bridge_runner
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.table.session import GameSession
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.calibration import SightingView
from tests.assistant.snapshot_script import build_game
from tests.docs.source_names import ROOT
from tests.pages.waiting import wait_for

SETUP = Path("table.toml")
SEEN_BY_PLAYERS = View(sighting={"board": SightingView(corners_px=[], note="")})


def run_bridge(
    hub: Hub, run: Callable[[Link, Any], Awaitable[None]], notices: BridgeNotices, role: str = "viewer"
) -> AbstractContextManager[None]:
    bridge = Bridge(name="test", settings=BridgeSettings, run=run)
    settings = BridgeSettings.model_validate({"role": role})
    return run_bridges((PlannedBridge(bridge=bridge, settings=settings),), hub, {"s1": 7}, notices)


def list_notices(notices: BridgeNotices) -> list[str]:
    views = notices.build_views(GameSession(build_game()))
    return [notice.text for view in views for notice in view.notices.values()]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"telepathy": {}},
            "table.toml: bridges.telepathy: there is no such bridge; expected foxglove, mqtt, obs, tuio, webhooks",
        ),
        ({"tuio": {"prot": 3333}}, "table.toml: bridges.tuio: "),
        ({"tuio": {"port": "3333"}}, "bridges.tuio: port"),
        ({"tuio": {"role": "king"}}, "bridges.tuio: role"),
        ({"mqtt": {}}, "bridges.mqtt: host"),
        ({"mqtt": {"host": "broker", "password_file": "no.password"}}, "no.password cannot be read"),
        ({"webhooks": {"url": "ftp://x", "secret_file": "x"}}, "bridges.webhooks: url"),
        ({"webhooks": {"url": "http://x", "secret_file": "no.secret"}}, "no.secret cannot be read"),
    ],
)
def test_what_cannot_be_is_said_before_the_game_begins(asked: dict[str, dict[str, object]], sentence: str) -> None:
    with pytest.raises(BadInput) as raised:
        plan_bridges(asked, SETUP)
    assert sentence in str(raised.value)


def test_a_secret_is_a_files_first_line(tmp_path: Path) -> None:
    kept = tmp_path / "secret"
    kept.write_bytes(b"  a lamp \r\nmore")
    assert read_secret(kept) == "a lamp"
    kept.write_bytes(b"\nmore")
    with pytest.raises(ValueError, match="secret is empty"):
        read_secret(kept)


def test_the_guide_has_the_keys_of_each_and_no_others() -> None:
    text = (ROOT / "docs" / "guide" / "other-programs.md").read_text(encoding="utf-8").split("## Bridges")[1]
    parts = text.split("\n### ")[1:]
    told = [
        (re.findall(r"^\[bridges\.(\w+)\]", part, re.MULTILINE), re.findall(r"^\| (`.*?) \|", part, re.MULTILINE))
        for part in parts
    ]
    keys = {name: sorted(key for cell in cells for key in re.findall(r"`(\w+)`", cell)) for (name,), cells in told}
    common = set(BridgeSettings.model_fields)
    assert keys == {name: sorted(set(each.settings.model_fields) - common) for name, each in list_bridges().items()}


@pytest.mark.parametrize(("role", "sees"), [("viewer", 0), ("player", 1)])
def test_it_is_shown_what_its_role_sees_and_counts_as_no_page(role: str, sees: int) -> None:
    hub, shown, begun, done = Hub(), list[View](), threading.Event(), threading.Event()

    async def run(link: Link, _: BridgeSettings) -> None:
        assert link.markers == {"s1": 7}
        async for view in link.follow():
            shown.append(view)
            (begun if len(shown) == 1 else done).set()

    with run_bridge(hub, run, BridgeNotices(), role):
        assert begun.wait(60)
        hub.publish(SEEN_BY_PLAYERS)
        assert done.wait(60)
        assert not hub.watched
    assert len(shown[-1].sighting) == sees
    assert not hub._followers


def test_whoever_takes_long_is_given_the_latest_and_the_table_never_waits() -> None:
    hub, goes_on, shown = Hub(), threading.Event(), list[View]()

    async def run(link: Link, _: BridgeSettings) -> None:
        async for view in link.follow():
            shown.append(view)
            await asyncio.get_running_loop().run_in_executor(None, goes_on.wait)

    with run_bridge(hub, run, BridgeNotices(), "host"):
        wait_for(lambda: shown or None)
        for number in range(500):
            hub.publish(View(sighting={"board": SightingView(corners_px=[], note=f"{number}")}))
        goes_on.set()
        wait_for(lambda: len(shown) > 1)
    assert [view.sighting["board"].note for view in shown[1:]] == ["499"]


def test_one_that_cannot_go_on_is_said_and_begun_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bridge_runner, "AGAIN_S", (0.01,))
    tried, notices, answers = list[int](), BridgeNotices(), threading.Event()

    async def run(link: Link, _: BridgeSettings) -> None:
        tried.append(1)
        if not answers.is_set():
            raise ConnectionRefusedError(111, "Connection refused")
        link.report("")
        await asyncio.Event().wait()

    with run_bridge(Hub(), run, notices):
        wait_for(lambda: len(tried) > 3)
        assert list_notices(notices) == ["Other programs are not told by test: Connection refused. It is tried again."]
        answers.set()
        wait_for(lambda: not list_notices(notices))
    assert len([line for line in caplog.messages if "Connection refused" in line]) == 1, "it is logged once"


def test_a_bug_in_one_is_logged_and_ends_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bridge_runner, "AGAIN_S", (60.0,))
    notices, goes_on = BridgeNotices(), threading.Event()

    async def fail(link: Link, _: BridgeSettings) -> None:
        raise KeyError(link.markers["nobody"])

    async def work(link: Link, _: BridgeSettings) -> None:
        async for _view in link.follow():
            goes_on.set()

    planned = tuple(
        PlannedBridge(bridge=Bridge(name=name, settings=BridgeSettings, run=run), settings=BridgeSettings())
        for name, run in (("fails", fail), ("works", work))
    )
    with run_bridges(planned, Hub(), {}, notices):
        assert goes_on.wait(60)
        wait_for(lambda: list_notices(notices) or None)
    assert list_notices(notices) == ["Other programs are not told by fails: it ended by a bug. It is tried again."]
    assert "KeyError" in caplog.text


def test_a_view_is_repeated_while_none_comes() -> None:
    async def listen() -> list[View]:
        hub, taken = Hub(), list[View]()
        hub.publish(SEEN_BY_PLAYERS)
        views = repeat_views(hub.follow("host"), 0.001)
        async for view in views:
            taken.append(view)
            if len(taken) == 3:
                break
        await views.aclose()  # type: ignore[attr-defined]
        return taken

    assert asyncio.run(listen()) == [SEEN_BY_PLAYERS] * 3


@pytest.fixture(autouse=True)
def _no_plug_ins() -> Iterator[None]:
    list_bridges.cache_clear()
    yield
    list_bridges.cache_clear()
