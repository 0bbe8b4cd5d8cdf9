"""The password in a camera's address: on no page, in no recording, in no log, and in no sentence of the terminal."""

from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest

from assistant.features.demo.catalogue import read_demo
from assistant.features.session_plan import SessionPlan
from assistant.features.wizard.controller import open_wizard
from assistant.recording.journal.reader import read_about
from assistant.runtime.composition_root import build_live_table
from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.logs import configure_logs, find_log
from assistant.setup.editing import SETUP_FILE
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.replay_routes import Archive

SECRET = "hunter2"
SOURCE = f"http://me:{SECRET}@127.0.0.1:1/video?token={SECRET}"


class KeepingHub(Hub):
    """Keeps all that is shown until the camera is said to be lost."""

    def __init__(self, stop: Event) -> None:
        super().__init__()
        self.shown: list[str] = []
        self._stop = stop

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Keep it."""
        self.shown.append(view.model_dump_json())
        if view.camera["camera"].state == "lost":
            self._stop.set()
        return super().publish(view, own)


def test_a_cameras_password_is_nowhere_but_in_the_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    configure_logs("debug")
    demo = read_demo("warhammer-40k-10e")
    wizard = open_wizard(tmp_path / "table")
    wizard.enter({"source": SOURCE, "width": "60", "depth": "44"})
    setup = demo.setup.model_copy(update={"camera": demo.setup.camera.model_copy(update={"source": SOURCE})})
    recording = tmp_path / "game.overtable"
    plan = SessionPlan(
        path=tmp_path / "table" / SETUP_FILE,
        kept_at=None,
        setup=setup,
        state=demo.state,
        title="A game",
        recording=recording,
    )
    stop = Event()
    hub = KeepingHub(stop)
    wizard.note_started()
    build_live_table(plan, wizard).run(hub, LatestFrame(), Archive(), stop)
    assert hub.shown
    assert any("http://me:***@127.0.0.1:1/video?token=*** does not answer" in shown for shown in hub.shown)
    assert not [shown for shown in hub.shown if SECRET in shown]
    assert read_about(recording)["source"] == "http://me:***@127.0.0.1:1/video?token=***"
    for file in tmp_path.glob("game.overtable*"):
        assert SECRET.encode() not in file.read_bytes()
    log = find_log()
    assert log is not None
    assert "does not answer" in log.read_text()
    assert SECRET not in log.read_text()
    printed = capsys.readouterr()
    assert SECRET not in printed.out + printed.err
    assert SECRET in (tmp_path / "table" / SETUP_FILE).read_text()
