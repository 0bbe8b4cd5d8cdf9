"""The certificate that pages are served encrypted by: kept, renewed when it does not cover, nobody else's to read."""

import datetime
import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.web import certificate as module
from assistant.web.certificate import FILE, keep_secret, open_certificate


def test_it_is_made_once_for_this_user_alone_and_kept(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    first = open_certificate(folder, ["192.0.2.7"])
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert open_certificate(folder, ["192.0.2.7"]).fingerprint == first.fingerprint
    assert len(first.fingerprint.split()) == 32


@pytest.mark.parametrize("why", ["another address", "it ends soon", "it is damaged"])
def test_another_is_made_where_it_does_not_do_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    first = open_certificate(tmp_path, ["192.0.2.7"]).fingerprint
    if why == "it is damaged":
        (tmp_path / FILE).write_text("no certificate")
    elif why == "it ends soon":
        monkeypatch.setattr(module, "RENEWED", module.LASTS + datetime.timedelta(days=1))
    addresses = ["192.0.2.7", "192.0.2.8"] if why == "another address" else ["192.0.2.7"]
    assert open_certificate(tmp_path, addresses).fingerprint != first


def test_a_client_that_trusts_it_is_served_under_this_machines_addresses(tmp_path: Path) -> None:
    made = open_certificate(tmp_path, ["127.0.0.1"])
    trusting = ssl.create_default_context(cafile=str(tmp_path / FILE))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with listener.accept()[0] as accepted, made.context.wrap_socket(accepted, server_side=True) as encrypted:
                encrypted.sendall(b"here")

        server = threading.Thread(target=answer)
        server.start()
        with (
            socket.create_connection(listener.getsockname(), timeout=30) as plain,
            trusting.wrap_socket(plain, server_hostname="127.0.0.1") as encrypted,
        ):
            assert encrypted.recv(4) == b"here"
        server.join()


def test_a_secret_is_kept_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "phone.key"
    assert keep_secret(path, "first") == "first"
    assert keep_secret(path, "second") == "first"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "phone.key").mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        keep_secret(tmp_path / "state" / "phone.key", "made")
