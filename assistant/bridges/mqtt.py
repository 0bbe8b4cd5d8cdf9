"""MQTT: the table's standing for lamps and home automation, which Home Assistant finds by itself.

``overtable/ID/state`` holds the standing as JSON and ``overtable/ID/availability`` whether the table is on; both are
kept by the broker for who comes later.  The package aiomqtt comes with the extra `overtable[mqtt]`.
"""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from assistant.bridges.bridge import Bridge, BridgeSettings, Link, read_secret
from assistant.bridges.happenings import describe_standing

ON, OFF = "online", "offline"
ANSWER_S = 5.0
"""In which the broker has to answer."""


class MqttSettings(BridgeSettings):
    """What the bridge takes."""

    host: Annotated[str, Field(min_length=1, max_length=253)]
    """Where the broker is."""
    port: Annotated[int, Field(ge=1, le=65535)] = 1883
    tls: bool = False
    """Encrypted, to a broker whose certificate this machine trusts."""
    username: Annotated[str, Field(max_length=200)] | None = None
    password_file: Annotated[str, Field(max_length=400)] | None = None
    """A file beside the set-up file whose first line is the password."""
    id: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,40}$")] = "table"
    """Which of several tables it is, in topics and to Home Assistant."""
    discovery: Annotated[str, Field(pattern="^[a-zA-Z0-9_/-]{0,60}$")] = "homeassistant"
    """The topic under which Home Assistant looks for devices; empty: it is told of none."""
    _password: str | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _read_password(self, info: ValidationInfo) -> "MqttSettings":
        if self.password_file is not None and isinstance(info.context, Path):
            self._password = read_secret(info.context / self.password_file)
        return self

    @property
    def password(self) -> str | None:
        """What stands in that file."""
        return self._password


def build_discovery(settings: MqttSettings) -> dict[str, dict[str, Any]]:
    """Return what Home Assistant is told of the table, by topic."""
    base = f"overtable/{settings.id}"
    device = {"identifiers": [f"overtable_{settings.id}"], "name": f"overtable {settings.id}", "model": "overtable"}

    def entity(kind: str, key: str, name: str, template: str, **more: str) -> tuple[str, dict[str, Any]]:
        unique = f"overtable_{settings.id}_{key}"
        about = {
            "name": name,
            "unique_id": unique,
            "object_id": unique,
            "state_topic": f"{base}/state",
            "availability_topic": f"{base}/availability",
            "value_template": template,
            "device": device,
            **more,
        }
        return f"{settings.discovery}/{kind}/{unique}/config", about

    is_it = "{{{{ 'ON' if value_json.{} else 'OFF' }}}}".format
    return dict([
        entity("binary_sensor", "illegal", "Illegal move", is_it("outcome == 'illegal'"), device_class="problem"),
        entity("binary_sensor", "called", "Judge called", is_it("called")),
        entity(
            "binary_sensor", "camera", "Camera", is_it("camera == 'live'"), device_class="connectivity",
            entity_category="diagnostic",
        ),
        entity("sensor", "verdict", "Verdict", "{{ value_json.outcome }}", json_attributes_topic=f"{base}/state"),
        entity("sensor", "player", "Player", "{{ value_json.player }}"),
        entity("sensor", "round", "Round", "{{ value_json.round }}"),
    ])  # fmt: skip


async def run_mqtt(link: Link, settings: MqttSettings) -> None:
    """Keep the broker up to date; OSError where it does not answer, or refuses."""
    try:
        import aiomqtt  # noqa: PLC0415 - an extra
    except ImportError:
        raise OSError("the package aiomqtt is missing: install overtable[mqtt]") from None
    base = f"overtable/{settings.id}"
    client = aiomqtt.Client(
        settings.host,
        settings.port,
        username=settings.username,
        password=settings.password,
        identifier=f"overtable-{settings.id}",
        will=aiomqtt.Will(f"{base}/availability", OFF, qos=1, retain=True),
        tls_params=aiomqtt.TLSParameters() if settings.tls else None,
        timeout=ANSWER_S,
    )

    async def say(topic: str, text: str) -> None:
        await client.publish(topic, text, qos=1, retain=True)

    async def tell() -> None:
        for topic, about in build_discovery(settings).items() if settings.discovery else ():
            await say(topic, json.dumps(about))
        await say(f"{base}/availability", ON)
        told = None
        async for view in link.follow():
            standing = describe_standing(view)
            if standing != told:
                told = standing
                await say(f"{base}/state", json.dumps(asdict(standing)))

    async def hear() -> None:
        async for _ in client.messages:  # there are none; it ends when the broker has gone
            pass

    try:
        async with client:
            link.report("")
            tasks = {asyncio.create_task(tell()), asyncio.create_task(hear())}
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                await say(f"{base}/availability", OFF)
                raise
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)
            for task in done:
                task.result()
    except aiomqtt.MqttError as error:
        raise OSError(f"{settings.host}:{settings.port} does not take it ({error})") from None


BRIDGE = Bridge(name="mqtt", settings=MqttSettings, run=run_mqtt)
