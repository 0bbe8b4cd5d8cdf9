"""Serving options: a virtual camera takes as many pictures a second as a command is told."""

from pathlib import Path
from typing import Any

import pytest

from assistant.cli import INTERRUPTED, run
from assistant.features.demo.catalogue import SETUP
from assistant.features.session_plan import SessionPlan
from assistant.runtime import composition_root
from tests.assistant.cli.command_runner import run_overtable

WHERE = ("--no-open", "--host", "127.0.0.1", "--port", "0")


@pytest.mark.parametrize("command", ["demo", "run", "setup"])
def test_a_virtual_camera_is_as_fast_as_is_told(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[SessionPlan] = []

    def build(plan: SessionPlan, *_: object, **__: Any) -> None:
        built.append(plan)
        raise KeyboardInterrupt

    monkeypatch.setattr(composition_root, "build_live_table", build)
    monkeypatch.setattr(run, "serve_live_table", build)
    others: dict[str, tuple[str | Path, ...]] = {
        "demo": ("--recording", tmp_path / "game.overtable"),
        "run": ("--setup", SETUP, "--recording", tmp_path / "game.overtable"),
        "setup": ("--source", "virtual:", tmp_path / "table"),
    }
    assert run_overtable(command, *WHERE, "--fps", "4", *others[command]).status == INTERRUPTED
    assert [plan.fps for plan in built] == [4.0]
