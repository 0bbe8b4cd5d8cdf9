"""Bugs injected into a running demo: the game goes on, the pages say so, the log has the traceback, nothing is lost."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.features.demo.catalogue import read_demo
from assistant.features.tools.controller import ToolsController
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.replay.recorded_game import RecordedGame
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LiveLoop
from assistant.runtime.logs import configure_logs, find_log, shorten_home
from assistant.runtime.supervision import TOLD_S, FaultNotices
from assistant.table.background_worker import BackgroundWorker
from assistant.table.session import GameSession
from assistant.web.commands.game import Accept, Declare, Drag
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.messages.message import Message
from tests.assistant.runtime.demo_loop import build_exact_loop

DEMO = read_demo("warhammer-40k-10e")
PATIENCE_S = 60.0
MODEL, TO_MM = "captain-1", (440.0, 620.0)
DECLARE = Declare(type="declare", unit="captain", action="normal")
DRAG = Drag(type="drag", model=MODEL, x_mm=TO_MM[0], y_mm=TO_MM[1], facing_deg=0, done=True)
ACCEPT = Accept(type="accept")
Acts = Iterator[Message | None]


@dataclass
class Bug:
    """Something that fails while it is switched on."""

    on: bool = False
    count: int = 0

    def wrap(self, works: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same with the bug in it."""

        def call(*args: Any, **named: Any) -> Any:
            if self.on:
                self.count += 1
                raise RuntimeError("injected")
            return works(*args, **named)

        return call


@dataclass
class ActingHub(Hub):
    """A page whose person does one thing after another."""

    stop: threading.Event = field(default_factory=threading.Event)
    acts: Acts = field(default_factory=lambda: iter(()))
    shown: View = field(default_factory=View)
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Look at what is shown."""
        self.shown = view
        return super().publish(view, own)

    def take(self) -> list[PageCommand]:
        """Do the next thing."""
        message = next(self.acts, self)
        if message is self:
            self.stop.set()
        return [PageCommand(message=message, refuse=self.refused.append)] if isinstance(message, Message) else []

    def wait(self, until: Callable[[], object]) -> Acts:
        """Do nothing until something is so."""
        latest_s = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < latest_s, (self.refused, self.told, self.shown.move)
            time.sleep(0.002)  # pictures come as fast as they are looked at, and workers want their share
            yield None

    @property
    def told(self) -> str:
        """What went wrong inside, as the pages say it."""
        return " ".join(notice.text for key, notice in self.shown.notices.items() if key.startswith("inside:"))


@pytest.fixture
def log() -> Path:
    configure_logs("info")
    path = find_log()
    assert path is not None
    path.unlink(missing_ok=True)  # of the test before, if both began within a second
    return path


def inject(where: str, bug: Bug, loop: LiveLoop, patch: pytest.MonkeyPatch) -> None:
    match where:
        case "detector":
            patch.setattr(loop.pipeline, "step", bug.wrap(loop.pipeline.step))
        case "command":
            patch.setattr(GameSession, "declare", bug.wrap(GameSession.declare))
        case "journal":
            patch.setattr(Journal, "_write", bug.wrap(Journal._write))
        case _:
            module, name = {
                "referee": ("assistant.table.referee_report", "compile_report"),
                "zone": ("assistant.table.background_worker", "refine_zone"),
                "view": ("assistant.runtime.live_loop", "build_view"),
                "feature": ("assistant.features.tools.controller", "find_premeasuring"),
            }[where]
            patch.setattr(f"{module}.{name}", bug.wrap(getattr(__import__(module, fromlist=[name]), name)))


@pytest.mark.parametrize("where", ["detector", "referee", "zone", "journal", "view", "command", "feature"])
def test_the_game_goes_on_after_a_bug_and_everybody_is_told(
    where: str, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, bug, path = ActingHub(), Bug(), tmp_path / "game.overtable"
    about = {"title": "a game", "situation": json.dumps(encode_situation(DEMO.state))}
    with Journal(path, about=about) as journal, BackgroundWorker() as worker, BackgroundWorker() as ways:
        loop = build_exact_loop(DEMO, hub, journal)
        session = GameSession(DEMO.state, journal, solve_zone=worker)
        features = FeatureSet(*loop.features._features, ToolsController(worker, ways))
        loop = replace(loop, session=session, performer=None, features=features)
        inject(where, bug, loop, monkeypatch)
        hub.acts = play_on(hub, bug, session)
        loop.run(hub.stop)
        session.close()
        stood = session.state
    assert bug.count
    told = log.read_text()
    assert "RuntimeError: injected" in told
    assert "Traceback" in told
    # The 1st, 2nd, 4th, 8th ... time, under at most four sentences: however many pictures a busy machine takes.
    assert told.count("Traceback") <= 4 * bug.count.bit_length(), "repeated bugs are logged ever less often"
    assert verify(path).broken is None
    again = RecordedGame(path)
    kept = again.find_moment(again.find_end_ns()).session.state
    assert kept.find_model(MODEL).pose == stood.find_model(MODEL).pose
    assert kept == stood


def play_on(hub: ActingHub, bug: Bug, session: GameSession) -> Acts:
    yield None
    yield from hub.wait(lambda: hub.shown.models[MODEL].state == "seen")
    assert hub.told == ""
    bug.on = True
    yield DECLARE
    yield DRAG
    yield from hub.wait(lambda: hub.told)
    log = find_log()
    assert log is not None
    assert "Something went wrong inside; the game goes on." in hub.told
    assert shorten_home(str(log)) in hub.told
    for _ in range(10):
        yield None
    bug.on = False
    yield DECLARE
    yield DRAG
    yield from hub.wait(lambda: (hub.shown.models[MODEL].x_mm, hub.shown.models[MODEL].y_mm) == TO_MM)
    yield from hub.wait(lambda: hub.shown.move["move"].outcome == "legal")
    yield ACCEPT
    yield from hub.wait(lambda: session.state.declared is None and not session.recorder.trouble)
    yield Declare(type="declare", unit="warlord", action="normal")
    yield from hub.wait(lambda: any(shape.layer == "zone" for shape in hub.shown.shapes.values()))


def test_a_page_hears_why_its_command_was_not_obeyed(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub, bug = ActingHub(), Bug(on=True)
    loop = replace(build_exact_loop(DEMO, hub), performer=None)
    monkeypatch.setattr(GameSession, "declare", bug.wrap(GameSession.declare))
    hub.acts = iter([DECLARE, None])
    loop.run(hub.stop)
    where = f"What happened is written down in {shorten_home(str(log))}."
    assert hub.refused == [f"Something went wrong inside, and this was not done. {where}"]


def test_a_notice_goes_when_nothing_more_goes_wrong_but_stays_for_what_has_ended() -> None:
    now_s = 0.0
    faults = FaultNotices(clock_s=lambda: now_s)
    with faults.listen():
        logging.getLogger("assistant.x").warning("a warning")
        assert not list(faults.build_views())
        logging.getLogger("assistant.x").error("One thing failed.")
        logging.getLogger("assistant.x").critical("Another has ended.")
        logging.getLogger("elsewhere").error("rtsp://me:hunter2@cam is not for pages")
    logging.getLogger("assistant.x").error("nobody listens")
    (view,) = faults.build_views()
    assert len(view.notices) == 3
    assert "hunter2" not in view.model_dump_json()
    now_s = TOLD_S
    (view,) = faults.build_views()
    assert [notice.text for notice in view.notices.values()] == [
        "Something went wrong inside; the game goes on. Another has ended."
    ]
