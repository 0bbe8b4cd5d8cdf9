"""A line that stands still is said to, left, and begun anew: pages and record go on with what they had."""

import logging
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from assistant.features.demo.catalogue import SETUP, read_demo
from assistant.features.session_plan import SessionPlan
from assistant.game.events import Declared
from assistant.recording.journal.cursor import read_entries
from assistant.recording.verification import verify
from assistant.replay.recorded_game import RecordedGame
from assistant.runtime import watchdog
from assistant.runtime.composition_root import build_live_table
from assistant.runtime.interrupts import catch_interrupts
from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.watchdog import MOST_LOOKS, LineLeft, LineProgress, run_watched
from assistant.web.commands.game import Declare
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.replay_routes import Archive
from vision.pipeline import Pipeline
from vision.tags import detection
from vision.types import TableSnapshot

DEMO = read_demo("warhammer-40k-10e")


def test_a_line_stands_still_when_it_enters_no_stage_for_five_seconds_of_looks() -> None:
    progress = LineProgress()
    assert not any(progress.look() for _ in range(10 * MOST_LOOKS)), "before the first stage anything may take its time"
    for _ in range(3):
        progress.enter("looked at a picture")
        assert not any(progress.look() for _ in range(MOST_LOOKS))
    assert progress.look() == "looked at a picture"
    progress.left = True
    with pytest.raises(LineLeft):
        progress.enter("told the pages")


def test_a_line_that_still_works_has_five_seconds_of_the_processor() -> None:
    progress = LineProgress()
    progress.enter("looked at a picture")
    assert not any(progress.look(0.1 * look) for look in range(50))
    assert not any(progress.look(0.1 * look) for look in range(50, 50 + MOST_LOOKS - 1))
    assert progress.look(10.0) == "looked at a picture"


def test_what_a_line_returns_or_raises_comes_of_watching_it() -> None:
    assert run_watched(lambda: 7, LineProgress(), lambda: None) == (7, None)
    with pytest.raises(ZeroDivisionError):
        run_watched(lambda: 1 // 0, LineProgress(), lambda: None)


class _Visitor(Hub):
    """Announces a move, lets the eyes hang when that is shown, and leaves when a later line shows it."""

    def __init__(self) -> None:
        super().__init__()
        self.stop, self.hangs, self.told = threading.Event(), threading.Event(), ""
        self._asks, self.five_seconds_passed = True, False

    def take(self) -> list[PageCommand]:
        asks, self._asks = self._asks, False
        command = Declare(type="declare", unit="warlord", action="normal")
        return [PageCommand(message=command, refuse=pytest.fail)] if asks else []

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        told = next((one.text for key, one in view.notices.items() if key.startswith("inside:")), "")
        announced = view.move["move"].unit == "warlord"
        if told and announced:
            self.told = told
            self.stop.set()
        elif announced:
            self.hangs.set()
        return super().publish(view, own)


def test_eyes_that_hang_are_said_to_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hub, freed, hung = _Visitor(), threading.Event(), list[threading.Thread]()
    see = Pipeline.step

    def hang_once(pipeline: Pipeline, *arguments: object) -> TableSnapshot:
        if hub.hangs.is_set() and not hung:
            with detection._take_turn():  # which whoever looks next would wait for
                hung.append(threading.current_thread())
                freed.wait(60)
        return see(pipeline, *arguments)  # type: ignore[arg-type]

    def let_time_pass(progress: LineProgress, _worked_s: float) -> str | None:
        """Five seconds pass at the first look after the eyes hang, and none before or after."""
        if not hung or hub.five_seconds_passed:
            return None
        hub.five_seconds_passed = True
        return [look(progress) for _ in range(MOST_LOOKS + 1)][-1]

    look = LineProgress.look
    monkeypatch.setattr(LineProgress, "look", let_time_pass)
    monkeypatch.setattr(Pipeline, "step", hang_once)
    monkeypatch.setattr(watchdog, "LOOK_S", 0.02)
    recording = tmp_path / "game.overtable"
    plan = SessionPlan(
        path=SETUP, kept_at=None, setup=DEMO.setup, state=DEMO.state, title="A game", recording=recording
    )
    with caplog.at_level(logging.WARNING):
        build_live_table(plan).run(hub, LatestFrame(), Archive(), hub.stop)
    assert "The table stood still while it looked at a picture, and was started again." in hub.told
    (record,) = [each for each in caplog.records if "stands still while it looked at a picture" in each.message]
    assert "freed.wait(60)" in record.message
    freed.set()
    hung[0].join()
    del detection._detectors[1:]
    written = [entry.what for entry in read_entries(recording)]
    assert sum(isinstance(each, Declared) for each in written) == 1
    assert verify(recording).broken is None
    past = RecordedGame(recording)
    declared = past.find_moment(past.find_end_ns()).session.state.declared
    assert declared is not None
    assert declared.unit == "warlord"


def test_an_interrupt_waits_until_the_line_has_closed_what_it_has_open() -> None:
    stop, closed = threading.Event(), []

    def run() -> None:
        signal.raise_signal(signal.SIGINT)
        stop.wait()
        time.sleep(0.3)  # as long as a last picture takes
        closed.append("journal")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), catch_interrupts(stop):
            run_watched(run, LineProgress(), leave=lambda: None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert closed == ["journal"]
