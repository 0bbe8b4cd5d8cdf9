"""The live socket: what keeps a page, or another program, up to date, and takes what it asks for."""

import asyncio
from contextlib import suppress

from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from assistant.web.auth.devices import DeviceRegistry, Visitor
from assistant.web.auth.guard import JOIN_FIRST, get_visitor
from assistant.web.hub import Client, Hub

PROTOCOL = "overtable.live.1"
"""What a program may offer as the socket's protocol, beside its token: a browser wants one of its offers taken."""


def add_live_socket(app: FastAPI, path: str, hub: Hub, devices: DeviceRegistry) -> None:
    """Serve the socket at an address; whoever is sent away is told nothing more, and heard no more."""

    @app.websocket(path)
    async def live(page: WebSocket) -> None:
        visitor = get_visitor(page.scope)
        assert visitor.role is not None, "the guard lets nobody in who has not joined"
        name = page.query_params.get("device", "")
        with hub.connect_client(role=visitor.role, token=visitor.token, name=name, person=visitor.person) as client:
            _dismiss_if_gone(client, visitor, devices)  # since the guard looked
            await page.accept(PROTOCOL if PROTOCOL in page.scope["subprotocols"] else None)
            sender = asyncio.create_task(_send_updates(hub, client, page, visitor, devices))
            try:
                while (message := await page.receive())["type"] == "websocket.receive":
                    _dismiss_if_gone(client, visitor, devices)
                    await asyncio.sleep(hub.receive(client, message.get("text") or ""))
            finally:
                sender.cancel()
                await asyncio.wait([sender])


async def _send_updates(hub: Hub, client: Client, page: WebSocket, visitor: Visitor, devices: DeviceRegistry) -> None:
    with suppress(WebSocketDisconnect):  # the receiving side sees it too, and ends the connection
        while True:
            texts = await hub.wait_for_outgoing(client)
            _dismiss_if_gone(client, visitor, devices)
            if client.dismissed:
                await page.close(JOIN_FIRST)
                return
            for text in texts:
                await page.send_text(text)


def _dismiss_if_gone(client: Client, visitor: Visitor, devices: DeviceRegistry) -> None:
    """Let nothing more be done for whoever was withdrawn, also by a command beside the program that serves."""
    if visitor.token and not devices.is_current(visitor):
        client.dismissed = True
        client.wake()
