"""The whole program at a camera: it shows its pictures, says that it was unplugged, and goes on when it is back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
from websockets.sync.client import ClientConnection, connect

from assistant.features.demo.catalogue import read_demo
from assistant.recording.verification import verify
from tests.assistant.features.demo.demo_setup_file import write_demo_setup
from tests.assistant.web.view_deltas import apply_delta
from tests.devices.vivid import Vivid
from tests.pages.program import run_program
from tests.pages.waiting import PATIENCE_S


def follow_until(
    page: ClientConnection, view: dict[str, Any], holds: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Return what a page shows once the camera's part of it is so."""
    while not holds(view.get("camera", {}).get("camera", {"state": "", "text": ""})):
        message = json.loads(page.recv(timeout=PATIENCE_S))
        if message["type"] == "full":
            view = message["view"]
        elif message["type"] == "delta":
            view = apply_delta(view, message)
    return view


def test_a_table_is_watched_through_a_camera_that_is_unplugged_for_a_while(vivid: Vivid, tmp_path: Path) -> None:
    setup, recording = tmp_path / "setup.toml", tmp_path / "game.overtable"
    write_demo_setup(read_demo("warhammer-40k-10e"), setup, source="usb:0")
    with (
        run_program("run", "--setup", setup, "--recording", recording) as program,
        connect(f"{program.address.replace('http', 'ws')}/ws", max_size=None) as page,
    ):
        view = follow_until(page, {}, lambda camera: camera["state"] == "live")
        jpeg = httpx.get(f"{program.address}/picture.jpg", trust_env=False, timeout=PATIENCE_S).content
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape == (720, 1280, 3)
        assert len({tuple(colour // 32) for colour in picture[360, ::80]}) >= 6  # the driver's bars of colours
        vivid.unplug()
        view = follow_until(page, view, lambda camera: "usb:0 is not there: plug the camera in" in camera["text"])
        vivid.plug(4)
        follow_until(page, view, lambda camera: camera["state"] == "live")
    assert verify(recording).broken is None
