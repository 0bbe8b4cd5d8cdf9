"""`overtable service`: what it prints, and that it changes nothing then."""

from pathlib import Path

import pytest

from tests.assistant.cli.command_runner import read_refusal, run_overtable


def test_the_unit_is_printed_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    run = run_overtable("service", "install", "--user", "--print", "--port", "9000", "--video", "club", folder=tmp_path)
    assert run.status == 0
    assert f'"setup" "{tmp_path / "club"}" "--resume" "--no-open" "--port" "9000" "--video"' in run.out
    assert not (tmp_path / "config").exists()
    assert "overtable/table" in run_overtable("service", "install", "--print").out


def test_without_systemd_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "this system has no systemd" in read_refusal(run_overtable("service", "install", "--user"))
    assert "this system has no systemd" in read_refusal(run_overtable("service", "remove"))
