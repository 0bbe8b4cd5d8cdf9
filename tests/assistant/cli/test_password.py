"""`overtable password`: set from a line, removed, and refused in one sentence."""

import io
import sys
from pathlib import Path

import platformdirs
import pytest

from assistant.web.auth import password as module
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.password import FILE, HostPassword
from tests.assistant.cli.command_runner import ProgramRun, read_refusal, run_overtable

PASSWORD = "a table under a lamp"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostPassword:
    monkeypatch.setattr(module, "_COST", 2)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return HostPassword(platformdirs.user_state_path("overtable") / FILE)


def enter(monkeypatch: pytest.MonkeyPatch, text: str) -> ProgramRun:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return run_overtable("password", "set")


def test_it_is_set_and_removed(kept: HostPassword, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_overtable("password", "remove").out == "There was no password.\n"
    assert enter(monkeypatch, f"{PASSWORD}\n").out.startswith("The password is set.")
    assert kept.fits(PASSWORD)
    assert run_overtable("password", "remove").out == "The password is removed.\n"
    assert not kept.is_set


@pytest.mark.parametrize("how", ["set", "remove"])
def test_a_host_by_the_password_before_is_none_any_more(
    kept: HostPassword, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    enter(monkeypatch, PASSWORD)
    table = DeviceRegistry(state=platformdirs.user_state_path("overtable"))
    host = table.join_as_host(table.begin_guess("192.0.2.9"), stays_as="A phone").visitor
    player = table.join(table.get_code("player"), address="192.0.2.9", stays_as="A tablet").visitor
    assert table.find_visitor(host.token) == host
    if how == "set":
        enter(monkeypatch, f"{PASSWORD}, too")
    else:
        run_overtable("password", "remove")
    assert table.find_visitor(host.token).role is None
    assert table.find_visitor(player.token) == player
    assert kept.is_set is (how == "set")


def test_what_cannot_be_one_is_refused_and_the_old_one_stays(
    kept: HostPassword, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(monkeypatch, PASSWORD)
    assert "a password has 10 to 200 letters, not 5" in read_refusal(enter(monkeypatch, "short\n"))
    assert kept.fits(PASSWORD)


def test_where_it_cannot_be_kept_that_is_said(
    kept: HostPassword, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "overtable").write_text("a file where the folder should be")
    assert "the password cannot be kept" in read_refusal(enter(monkeypatch, PASSWORD))
    assert not kept.is_set
