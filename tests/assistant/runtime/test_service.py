"""The service of a table: a unit that systemd takes, whatever the folder is called, and what a person is told."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.runtime.service import (
    UNIT,
    build_unit,
    find_program,
    find_unit,
    install_service,
    reads_cameras,
    remove_service,
)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a systemd that obeys was asked, a line each; it fails where a file says so."""
    programs, log = tmp_path / "bin", tmp_path / "asked"
    programs.mkdir()
    for name in ("systemctl", "loginctl"):
        script = programs / name
        script.write_text(
            f"#!/bin/sh\necho {name} $* >> {shlex.quote(str(log))}\n"
            f"if [ -e {tmp_path}/fails-{name} ]; then echo 'Failed to connect to bus' >&2; exit 1; fi\n"
        )
        script.chmod(0o755)
    log.touch()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return log


@pytest.mark.parametrize("name", ["table", "Anna's table", 'a "b" \\ c', "100 % $HOME ${HOME} %h", "-- ;"])
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_unit_of_any_folder(tmp_path: Path, name: str) -> None:
    unit = tmp_path / UNIT
    unit.write_text(build_unit(["/bin/echo"], tmp_path / name, ["--port", "9000"]))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--recursive-errors=no", unit],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_unit_names_its_folder_and_nothing_stands_for_something_else() -> None:
    text = build_unit(["/opt/overtable"], Path('/a "b"/100 %/$HOME\\'), ["--video"])
    (line,) = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    assert line == (r'ExecStart="/opt/overtable" "setup" "/a \"b\"/100 %%/$$HOME\\" "--resume" "--no-open" "--video"')
    with pytest.raises(BadInput, match="with such a name"):
        build_unit(["/opt/overtable"], Path("/a\nExecStart=/bin/sh"))


def test_this_program_is_found() -> None:
    done = subprocess.run([*find_program(), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("overtable, version ")


def test_it_is_written_started_and_removed(asked: Path) -> None:
    told = install_service("the unit", start=True)
    assert find_unit().read_text() == "the unit"
    assert told[0] == f"Written: {find_unit()}"
    assert "starts with this machine" in told[1]
    assert asked.read_text().splitlines() == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {UNIT}",
        f"systemctl --user restart {UNIT}",
        "loginctl enable-linger",
    ]
    asked.write_text("")
    assert remove_service() == [f"Removed: {find_unit()}"]
    assert not find_unit().exists()
    assert asked.read_text().splitlines() == [
        f"systemctl --user disable --now {UNIT}",
        "systemctl --user daemon-reload",
    ]
    assert remove_service() == ["There was no service."]


def test_what_a_person_has_to_see_to_is_said(asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fails-loginctl").touch()
    monkeypatch.setattr("assistant.runtime.service.reads_cameras", lambda: False)
    told = " ".join(install_service("the unit", start=True))
    assert "sudo loginctl enable-linger" in told
    assert "usermod -aG video" in told
    assert 'SUBSYSTEM=="video4linux"' in told
    assert asked.read_text().count("\n") == 4


def test_only_writing_it_asks_nobody(asked: Path) -> None:
    install_service("the unit", start=False)
    assert find_unit().exists()
    assert asked.read_text() == ""


def test_where_systemd_does_not_answer_that_is_said_and_the_unit_stays(asked: Path, tmp_path: Path) -> None:
    (tmp_path / "fails-systemctl").touch()
    with pytest.raises(BadInput, match="systemctl --user daemon-reload: Failed to connect to bus"):
        install_service("the unit", start=True)
    assert find_unit().exists()
    with pytest.raises(BadInput, match="disable --now"):
        remove_service()
    assert find_unit().exists(), "it may run"
    assert asked.read_text().count("\n") == 2


def test_without_systemd_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with pytest.raises(BadInput, match="no systemd"):
        install_service("the unit", start=True)
    with pytest.raises(BadInput, match="no systemd"):
        remove_service()
    assert not find_unit().exists()


def test_a_camera_that_may_not_be_read_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reads_cameras(tmp_path)
    (tmp_path / "video0").touch()
    assert reads_cameras(tmp_path)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert not reads_cameras(tmp_path)
