import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import platformdirs
import pytest
from cryptography import x509

from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.page_server import ServingOptions, serve_pages
from assistant.web import certificate
from assistant.web.auth.guard import LOCAL_NAMES
from assistant.web.auth.password import FILE, HostPassword
from assistant.web.hub import Hub
from assistant.web.server import list_lan_addresses


@pytest.mark.parametrize("open_table", [False, True])
def test_the_terminal_says_how_others_join(capsys: pytest.CaptureFixture[str], *, open_table: bool) -> None:
    if not list_lan_addresses():
        pytest.skip("this machine is in no network")
    where = ServingOptions(host="0.0.0.0", port=0, open_pages=False, open_table=open_table)
    with serve_pages(Hub(), LatestFrame(), where, "A game"):
        here, others, *_ = capsys.readouterr().out.splitlines()
        found = re.search(r"http://localhost:\d+", here)
        assert found
        with httpx.Client(trust_env=False) as host:
            codes = host.get(f"{found[0]}/codes.json").json()
        assert f"Others join at {codes['addresses'][0]} " in others
        code = next(each["code"] for each in codes["roles"] if each["role"] == "player")
        assert codes["open"] is open_table
        assert (f"with the code {code[:3]} {code[3:]}" in others) is not open_table


def test_nothing_is_said_of_others_where_none_can_come(capsys: pytest.CaptureFixture[str]) -> None:
    with serve_pages(Hub(), LatestFrame(), ServingOptions(host="127.0.0.1", port=0, open_pages=False), "A game"):
        assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_table_has_a_name_on_the_network(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not list_lan_addresses():
        pytest.skip("this machine is in no network")
    told: list[Callable[[str], None]] = []

    @contextmanager
    def answer_by_name(_names: object, _addresses: object, tell: Callable[[str], None]) -> Iterator[None]:
        told.append(tell)
        yield

    monkeypatch.setattr("assistant.runtime.page_server.answer_by_name", answer_by_name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with serve_pages(Hub(), LatestFrame(), ServingOptions(host="0.0.0.0", port=0, open_pages=False), "A game"):
        here = capsys.readouterr().out.split()[2].removesuffix("/")
        told[0]("overtable.local")
        capsys.readouterr()
        told[0]("overtable-2.local")  # another table has come, and has the first name
        said = capsys.readouterr().out
        port = urlsplit(here).port
        assert f"http://overtable-2.local:{port}/join" in said
        with httpx.Client(trust_env=False) as device:
            assert device.get(f"{here}/join", headers={"Host": f"overtable-2.local:{port}"}).status_code == 200
            assert device.get(f"{here}/join", headers={"Host": f"elsewhere.local:{port}"}).status_code == 421
            codes = device.get(f"{here}/codes.json").json()
        assert [each for each in codes["addresses"] if ".local" in each] == [f"http://overtable-2.local:{port}/join"]
        # The certificate is good for the name, so a browser asks once, whichever address it comes by.
        held = x509.load_pem_x509_certificate(
            (platformdirs.user_state_path("overtable") / certificate.FILE).read_bytes()
        ).extensions.get_extension_for_class(x509.SubjectAlternativeName)
        assert set(LOCAL_NAMES) <= set(held.value.get_values_for_type(x509.DNSName))


@pytest.mark.parametrize("is_set", [False, True])
def test_without_a_screen_the_terminal_says_where_another_device_runs_the_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_set: bool
) -> None:
    if not list_lan_addresses():
        pytest.skip("this machine is in no network")
    monkeypatch.setattr("assistant.runtime.page_server._has_screen", lambda: False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    if is_set:
        HostPassword(platformdirs.user_state_path("overtable") / FILE).keep("a table under a lamp")
    where = ServingOptions(host="0.0.0.0", port=0, open_pages=True)
    with serve_pages(Hub(), LatestFrame(), where, "A game"):
        said = capsys.readouterr().out.splitlines()
    (where_to,) = (line for line in said if line.startswith("Run the table"))
    assert re.search(r"Run the table from another device at https://\S+/join\?as=host", where_to)
    assert where_to.endswith("with the password." if is_set else "once `overtable password set` has set a password.")
