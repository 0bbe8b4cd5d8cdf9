"""The page server of a command: where it serves, its addresses, and the server while the command runs."""

import logging
import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from ipaddress import ip_address
from urllib.parse import urlsplit

import click
import platformdirs
from fastapi import FastAPI

from assistant.errors import BadInput
from assistant.runtime.heap import keep_trimmed, share_one_heap
from assistant.runtime.interrupts import catch_interrupts
from assistant.runtime.keeper import Kept
from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.logs import hide_in_logs
from assistant.runtime.mdns import answer_by_name
from assistant.web.app import create_app
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.guard import LOCAL_NAMES
from assistant.web.auth.join_routes import SecureAddress
from assistant.web.certificate import Certificate, keep_secret, open_certificate
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from assistant.web.server import Server, list_lan_addresses
from hardware.camera.phone import INBOX

PORT = 8765
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingOptions:
    """Where the pages are served."""

    host: str
    port: int
    open_pages: bool
    open_table: bool = False
    """Every device is a player, without a code."""
    kept: bool = False
    """A keeper begins the program anew where it breaks down."""


@contextmanager
def serve_pages(
    hub: Hub,
    latest: LatestFrame,
    where: ServingOptions,
    title: str,
    *,
    archive: Archive | None = None,
    opened: str = "/",
    to_stderr: bool = False,
    more: Callable[[FastAPI], None] = lambda _: None,
    kept: Kept | None = None,
) -> Iterator[threading.Event]:
    """Serve the pages, say where, and open one; the event inside is set when the program is asked to end.

    What is served beside the pages is added by ``more``.  A program that was begun anew serves at the address that it
    had before, to the devices that had joined.
    """
    kept = kept or Kept()
    share_one_heap()  # whatever serves pages may run for hours
    # The port is only known once it is served, so the addresses are filled in afterwards.
    join_urls: list[str] = []
    devices = DeviceRegistry(
        open_table=where.open_table,
        state=platformdirs.user_state_path("overtable"),
        keep=partial(kept.carry, "devices"),
    )
    devices.restore(kept.recall("devices"))
    ports = kept.recall("ports")
    secure: list[SecureAddress] = []
    certificate = None if _is_private(where.host) else _open_certificate()
    app = create_app(
        hub=hub,
        picture=latest.encode_jpeg,
        join_urls=join_urls,
        devices=devices,
        crop=latest.crop_jpeg,
        table=latest.draw_table,
        archive=archive,
        secure=secure,
    )
    more(app)
    server = Server(app, where.host, where.port, certificate.context if certificate else None)
    if isinstance(ports, list):
        server.port, server.encrypted_port = ports
    try:
        server.start()
    except OSError as error:
        raise BadInput(str(error)) from None
    kept.carry("ports", [server.port, server.encrypted_port])
    local = f"http://localhost:{server.port}"
    if not _is_private(where.host):
        join_urls += [f"http://{address}:{server.port}" for address in list_lan_addresses()]
    if certificate and join_urls:
        address = f"https://{urlsplit(join_urls[0]).hostname}:{server.encrypted_port}"
        secure.append(SecureAddress(url=address, fingerprint=certificate.fingerprint))
    else:
        secure.append(SecureAddress(url=local))  # of which a browser needs no certificate
    click.echo(
        f"{title}: {local}{opened} (tablet {local}/tablet, projector {local}/projector); Ctrl-C ends it.",
        err=to_stderr,
    )
    if join_urls:
        click.echo(f"Others join at {join_urls[0]}/join {_describe_code(devices)}.", err=to_stderr)
    if certificate and join_urls and not _has_screen():
        way = "with the password" if devices.password.is_set else "once `overtable password set` has set a password"
        click.echo(f"Run the table from another device at {address}/join?as=host, {way}.", err=to_stderr)
    if where.open_pages and not kept.told and _has_screen():
        webbrowser.open(f"{local}{opened}")
    _log.info("overtable %s serves %s at port %d", version("overtable"), title, server.port)
    stop = threading.Event()

    numbered = tuple(join_urls)

    def tell_name(name: str) -> None:
        join_urls[:] = [*numbered, f"http://{name}:{server.port}"]
        by_password = f", its host at https://{name}:{server.encrypted_port}/join?as=host" if certificate else ""
        click.echo(
            f"Others find the table by its name, too: http://{name}:{server.port}/join{by_password}.", err=to_stderr
        )

    try:
        with (
            keep_trimmed(),
            answer_by_name(LOCAL_NAMES, list_lan_addresses, tell_name) if join_urls else nullcontext(),
            hide_in_logs(lambda: devices.list_secrets() | {INBOX.key}),
            catch_interrupts(stop),
        ):
            yield stop
    finally:
        server.stop()


def _open_certificate() -> Certificate | None:
    """Return what pages are served encrypted with; None, said in the log, where it cannot be kept."""
    folder = platformdirs.user_state_path("overtable")
    try:
        INBOX.key = keep_secret(folder / "phone.key", INBOX.key)
        return open_certificate(folder, [*list_lan_addresses(), *LOCAL_NAMES])
    except (OSError, BadInput) as error:
        _log.warning("No phone can be the camera, for its page cannot be served encrypted: %s", error)
        return None


def _describe_code(devices: DeviceRegistry) -> str:
    code = devices.get_code("player")
    return "without a code" if devices.open_table else f"with the code {code[:3]} {code[3:]}, as players"


def _is_private(host: str) -> bool:
    """Whether only this machine reaches what is served there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _has_screen() -> bool:
    """Whether a browser can show itself; without a screen one would run in this terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
