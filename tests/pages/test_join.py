"""Devices that join: by the code, by its address, as player, viewer and host, and when they are sent away."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect

from assistant.web.app import create_app
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.join_routes import SecureAddress
from assistant.web.auth.roles import JOINED
from assistant.web.certificate import open_certificate
from assistant.web.commands.game import Accept, Declare
from assistant.web.messages.message import Role
from assistant.web.server import Server, list_lan_addresses
from tests.pages.conftest import PHONE
from tests.pages.kept_windows import KeptWindows, start_server
from tests.pages.played_game import PlayedTable, encode_camera_picture
from tests.pages.waiting import wait_for

PASSWORD = "a table under a lamp"
ROLES: dict[str, Role] = {"Player": "player", "Judge": "judge", "Viewer": "viewer"}


@pytest.fixture
def devices() -> DeviceRegistry:
    return DeviceRegistry()


@pytest.fixture
def server(table: PlayedTable, devices: DeviceRegistry) -> Iterator[Server]:
    app = create_app(hub=table.hub, picture=encode_camera_picture, join_urls=["http://192.0.2.7:8765"], devices=devices)
    made = start_server(app, "0.0.0.0")
    yield made
    made.stop()


@pytest.fixture
def elsewhere(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the same pages for whoever does not sit at this machine."""
    found = list_lan_addresses()
    if not found:  # without a network nobody can be elsewhere: then nobody is here
        monkeypatch.setattr("assistant.web.auth.guard._is_loopback", lambda _: False)
    return f"http://{(*found, '127.0.0.1')[0]}:{server.port}"


def test_a_phone_joins_by_typing_the_code_and_plays(
    phone: Page, elsewhere: str, devices: DeviceRegistry, table: PlayedTable
) -> None:
    phone.goto(f"{elsewhere}/tablet")
    field = phone.get_by_label("The six digits")
    expect(field).to_be_focused()
    right = devices.get_code("player")
    wrong = next(code for n in range(4) if (code := f"{n:06}") not in map(devices.get_code, JOINED))
    field.press_sequentially(wrong)
    expect(field).to_have_value(f"{wrong[:3]} {wrong[3:]}")
    phone.get_by_role("button", name="Join").tap()
    expect(phone.get_by_role("alert")).to_contain_text("This code is not right")
    field.fill(right)
    phone.keyboard.press("Enter")
    expect(phone).to_have_url(f"{elsewhere}/tablet")
    phone.get_by_role("button", name="Strider").tap()
    phone.get_by_role("button", name="Normal move").tap()
    phone.get_by_role("button", name="Accept").tap()
    wait_for(lambda: bool(table.orders) and type(table.orders[-1].message) is Accept)
    assert {order.role for order in table.orders} == {"player"}


def test_the_address_of_a_qr_code_joins_and_leaves_the_code_nowhere(
    phone: Page, elsewhere: str, devices: DeviceRegistry
) -> None:
    phone.goto(f"{elsewhere}/join?code={devices.get_scanned_code('player')}&to=/tablet")
    expect(phone).to_have_url(f"{elsewhere}/tablet")
    expect(phone.get_by_role("button", name="Strider")).to_be_enabled()
    phone.go_back()
    assert devices.get_scanned_code("player") not in phone.url


def test_a_viewer_sees_and_has_nothing_to_press(
    phone: Page, elsewhere: str, devices: DeviceRegistry, table: PlayedTable
) -> None:
    phone.goto(f"{elsewhere}/join?code={devices.get_scanned_code('viewer')}&to=/tablet")
    expect(phone.locator("#units")).to_contain_text("You are watching.")
    table.declared = Declare(type="declare", unit="Strider", action="normal")
    table.publish()
    expect(phone.locator("#picked h2")).to_have_text("Strider")
    # What this device prefers, what is drawn, and a finding to be shown, are for whoever looks.
    seen = phone.locator("button:enabled:visible").all()
    changing = [b for b in seen if not b.evaluate("each => Boolean(each.closest('.bar, .finding, #explain'))")]
    assert changing == []
    phone.locator("#table").tap()
    table.declared = None
    table.publish()
    expect(phone.locator("#picked h2")).to_have_count(0)
    expect(phone.locator("#toast")).to_be_hidden()
    assert table.orders == []
    phone.goto(f"{elsewhere}/")
    expect(phone.locator("#join")).to_contain_text("This device has joined as a viewer.")
    expect(phone.get_by_role("link", name="Tablet")).to_be_visible()
    for name in ("Projector", "Enrol models", "Calibrate the lens"):
        expect(phone.get_by_role("link", name=name)).to_be_hidden()
    phone.goto(f"{elsewhere}/enrol")
    expect(phone.locator("#standing")).to_contain_text(
        "has joined as a viewer. What it wants to open needs another code."
    )


@pytest.mark.parametrize(
    "to", ["//evil.example/", "https://evil.example/", "javascript:alert(1)", "/\\evil.example", "/.//evil.example/x"]
)
def test_a_code_leads_nowhere_else(phone: Page, elsewhere: str, devices: DeviceRegistry, to: str) -> None:
    phone.goto(f"{elsewhere}/join?code={devices.get_scanned_code('player')}&to={quote(to)}")
    expect(phone).to_have_url(f"{elsewhere}/tablet")


def test_who_is_sent_away_joins_again_and_is_where_they_were(
    phone: Page, elsewhere: str, server: Server, devices: DeviceRegistry
) -> None:
    phone.goto(f"{elsewhere}/join?code={devices.get_scanned_code('player')}&to=/tablet")
    expect(phone.get_by_role("button", name="Strider")).to_be_visible()
    if not list_lan_addresses():
        pytest.skip("without a network there is no host beside the phone")
    with httpx.Client(trust_env=False) as host:
        host.post(f"http://127.0.0.1:{server.port}/codes/player/send-away").raise_for_status()
    expect(phone).to_have_url(f"{elsewhere}/join?to=%2Ftablet")
    phone.get_by_label("The six digits").fill(devices.get_code("player"))
    phone.get_by_role("button", name="Join").tap()
    expect(phone).to_have_url(f"{elsewhere}/tablet")
    expect(phone.get_by_role("button", name="Strider")).to_be_visible()


def test_after_a_restart_a_device_is_asked_to_join_again(
    phone: Page, elsewhere: str, server: Server, devices: DeviceRegistry, table: PlayedTable
) -> None:
    phone.goto(f"{elsewhere}/join?code={devices.get_scanned_code('player')}&to=/tablet")
    expect(phone.get_by_role("button", name="Strider")).to_be_visible()
    server.stop()
    again = Server(create_app(hub=table.hub, picture=encode_camera_picture, join_urls=[]), "0.0.0.0", server.port)
    again.start()
    try:
        expect(phone).to_have_url(f"{elsewhere}/join?to=%2Ftablet")
    finally:
        again.stop()


def test_the_host_hands_out_codes_and_sends_away(page: Page, server: Server, devices: DeviceRegistry) -> None:
    devices.join(devices.get_code("viewer"), address="192.0.2.9")
    page.goto(f"http://127.0.0.1:{server.port}/")
    card = page.locator("#join")
    expect(card).to_contain_text("192.0.2.7:8765/join")
    for name, role in ROLES.items():
        card.get_by_role("button", name=name).click()
        expect(card.locator(".code")).to_have_text(f"{devices.get_code(role)[:3]} {devices.get_code(role)[3:]}")
        expect(card.get_by_alt_text("QR code")).not_to_have_js_property("naturalWidth", 0)
    card.get_by_role("button", name="New code").click()
    expect(card).to_contain_text("1 device has joined.")
    card.get_by_role("button", name="Disconnect all").click()
    assert devices.count_devices("viewer") == 1, "it asks first"
    card.get_by_role("button", name="Press again").click()
    expect(card).to_contain_text("No device has joined yet.")
    expect(card.get_by_role("button", name="Disconnect all")).to_be_disabled()
    expect(card.locator(".code")).to_have_text(f"{devices.get_code('viewer')[:3]} {devices.get_code('viewer')[3:]}")


def test_the_host_needs_no_code(page: Page, server: Server) -> None:
    page.goto(f"http://127.0.0.1:{server.port}/join")
    expect(page.locator("#standing")).to_contain_text("it needs no code")
    page.get_by_role("link", name="Go on").click()
    expect(page).to_have_url(f"http://127.0.0.1:{server.port}/tablet")


@pytest.fixture
def far_phone(windows: KeptWindows) -> Page:
    """A phone whose owner goes on where its browser warns of the certificate."""
    return windows.take(viewport=PHONE, ignore_https_errors=True).new_page()


def test_the_host_sets_a_password_and_runs_the_table_from_a_phone(
    page: Page, far_phone: Page, table: PlayedTable, tmp_path: Path
) -> None:
    addresses = list_lan_addresses()
    if not addresses:
        pytest.skip("without a network nobody is elsewhere")
    certificate = open_certificate(tmp_path, addresses)
    devices, secure = DeviceRegistry(state=tmp_path), list[SecureAddress]()
    app = create_app(
        hub=table.hub, picture=encode_camera_picture, join_urls=["http://192.0.2.7"], devices=devices, secure=secure
    )
    server = Server(app, "0.0.0.0", 0, certificate.context)
    server.start()
    try:
        encrypted = f"https://{addresses[0]}:{server.encrypted_port}"
        secure.append(SecureAddress(url=encrypted, fingerprint=certificate.fingerprint))
        set_password_on_the_start_page(page, f"http://127.0.0.1:{server.port}", encrypted)
        plain = f"http://{addresses[0]}:{server.port}"
        far_phone.goto(f"{plain}/setup")
        far_phone.get_by_role("link", name="Run the table from this device").tap()
        expect(far_phone.get_by_role("heading")).to_have_text("Run the table")
        field = far_phone.get_by_label("The password")
        field.fill("not the password")
        far_phone.get_by_role("button", name="Go on").tap()
        expect(far_phone.get_by_role("alert")).to_have_text("This password is not right.")
        field.fill(PASSWORD)
        far_phone.get_by_label("Stay joined on this device").tap()
        far_phone.get_by_role("button", name="Go on").tap()
        expect(far_phone).to_have_url(f"{encrypted}/setup")
        assert far_phone.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        expect(page.locator("#stays")).to_contain_text("as the host")
        page.get_by_role("button", name="Withdraw").click()
        expect(page.locator("#stays")).to_be_hidden()
        expect(far_phone).to_have_url(f"{encrypted}/join?to=%2Fsetup")  # it goes by itself
        page.goto("about:blank")
    finally:
        server.stop()


def test_the_host_lets_a_program_in(page: Page, server: Server, devices: DeviceRegistry) -> None:
    here = f"http://localhost:{server.port}"
    page.goto(here)
    card = page.locator("#programs-card")
    card.get_by_role("heading").click()
    card.get_by_label("What it is").fill("Lamps")
    card.get_by_label("It may do as much as").select_option("judge")
    card.get_by_label("The web site").fill("https://club.example")
    card.get_by_role("button", name="Make a token").click()
    token = card.get_by_label("Token", exact=True).input_value()
    assert devices.find_program(token).role == "judge"
    expect(card).to_contain_text(f"below {here}/api/1")
    expect(card.get_by_label("What it is")).to_have_value("")
    expect(page.locator("#stays")).to_contain_text("Lamps, a program as a judge")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator("#stays")).to_be_hidden()
    assert devices.find_program(token).role is None


def set_password_on_the_start_page(page: Page, here: str, encrypted: str) -> None:
    page.goto(here)
    card = page.locator("#remote-card")
    expect(card).to_contain_text("this machine needs no screen")
    card.get_by_label("New password").fill(PASSWORD)
    card.get_by_role("button", name="Set password").click()
    expect(card).to_contain_text(f"{encrypted}/join?as=host")
    expect(card.get_by_alt_text("QR code")).not_to_have_js_property("naturalWidth", 0)
    expect(card.get_by_label("New password")).to_have_value("")
