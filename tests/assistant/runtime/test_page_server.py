import re
from pathlib import Path

import httpx
import platformdirs
import pytest

from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.page_server import ServingOptions, serve_pages
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
        last = capsys.readouterr().out.splitlines()[-1]
    assert re.search(r"Run the table from another device at https://\S+/join\?as=host", last)
    assert last.endswith("with the password." if is_set else "once `overtable password set` has set a password.")
