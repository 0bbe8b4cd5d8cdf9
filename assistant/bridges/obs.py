"""OBS: the scene on the air by what happens on the table, through obs-websocket (protocol 5, built into OBS Studio).

Scenes are named in the set-up file; where none is named for what happens, OBS is left as it is.
"""

import asyncio
import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from assistant.bridges.bridge import Bridge, BridgeSettings, Link, read_secret
from assistant.bridges.happenings import Standing, describe_standing

Phase = Literal["camera-lost", "judge-called", "illegal", "too-close", "moving", "waiting"]
PROTOCOL = Subprotocol("obswebsocket.json")
VERSION = 1
"""Of the remote procedures, not of the program."""
ANSWER_S = 5.0
HELLO, IDENTIFY, IDENTIFIED, REQUEST, RESPONSE = 0, 1, 2, 6, 7
"""Kinds of message."""


class ObsSettings(BridgeSettings):
    """What the bridge takes."""

    host: Annotated[str, Field(min_length=1, max_length=253)] = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 4455
    password_file: Annotated[str, Field(max_length=400)] | None = None
    """A file beside the set-up file whose first line is the password that OBS shows."""
    scenes: dict[Phase, Annotated[str, Field(min_length=1, max_length=200)]]
    """The name of a scene for what happens."""
    _password: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _read_password(self, info: ValidationInfo) -> "ObsSettings":
        if self.password_file is not None and isinstance(info.context, Path):
            self._password = read_secret(info.context / self.password_file)
        return self

    def prove_password(self, salt: str, challenge: str) -> str:
        """Return what shows OBS that the password is known, without saying it."""
        secret = base64.b64encode(hashlib.sha256((self._password + salt).encode()).digest()).decode()
        return base64.b64encode(hashlib.sha256((secret + challenge).encode()).digest()).decode()


def find_phase(standing: Standing) -> Phase:
    """Return what of a table's standing those who watch want to see most."""
    if standing.camera in {"lost", "ended"}:
        return "camera-lost"
    if standing.called:
        return "judge-called"
    if standing.outcome == "illegal":
        return "illegal"
    if standing.outcome == "too-close":
        return "too-close"
    return "moving" if standing.unit else "waiting"


async def run_obs(link: Link, settings: ObsSettings) -> None:
    """Choose scenes; OSError where OBS does not answer, refuses the password, or has no such scene."""
    where = f"{settings.host}:{settings.port}"
    try:
        async with connect(
            f"ws://{where}", subprotocols=[PROTOCOL], open_timeout=ANSWER_S, close_timeout=1, proxy=None
        ) as obs:
            await _identify(obs, settings)
            link.report("")
            shown = None
            async for view in link.follow():
                scene = settings.scenes.get(find_phase(describe_standing(view)))
                if scene is not None and scene != shown:
                    await _choose_scene(obs, scene)
                    shown = scene
    except (WebSocketException, TimeoutError) as error:
        raise OSError(f"OBS at {where} does not answer as it should ({error})") from None


async def _identify(obs: ClientConnection, settings: ObsSettings) -> None:
    hello = await _receive(obs, HELLO)
    known: dict[str, Any] = {"rpcVersion": VERSION, "eventSubscriptions": 0}
    asked = hello.get("authentication")
    if isinstance(asked, Mapping):
        known["authentication"] = settings.prove_password(str(asked.get("salt")), str(asked.get("challenge")))
    await obs.send(json.dumps({"op": IDENTIFY, "d": known}))
    try:
        await _receive(obs, IDENTIFIED)
    except WebSocketException:
        raise OSError("OBS refuses the password: see Tools, WebSocket Server Settings") from None


async def _choose_scene(obs: ClientConnection, scene: str) -> None:
    asked = {
        "requestType": "SetCurrentProgramScene",
        "requestId": scene,
        "requestData": {"sceneName": scene},
    }
    await obs.send(json.dumps({"op": REQUEST, "d": asked}))
    status = (await _receive(obs, RESPONSE)).get("requestStatus", {})
    if not status.get("result"):
        raise OSError(f"OBS does not show the scene {scene!r} ({status.get('comment') or 'it does not say why'})")


async def _receive(obs: ClientConnection, kind: int) -> dict[str, Any]:
    """Return the next message of a kind; OSError where it makes no sense."""
    async with asyncio.timeout(ANSWER_S):
        while True:
            try:
                message = json.loads(await obs.recv())
                if message["op"] == kind:
                    return dict(message["d"])
            except (ValueError, KeyError, TypeError):
                raise OSError("whoever answers there is no OBS") from None


BRIDGE = Bridge(name="obs", settings=ObsSettings, run=run_obs)
