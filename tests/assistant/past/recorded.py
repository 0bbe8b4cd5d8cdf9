"""A short game on a script, recorded: moves that are legal and not, decisions, rulings and what was taken back."""

import json
from collections.abc import Callable
from pathlib import Path

from assistant.game.events import SourceChanged
from assistant.game.situation import to_json
from assistant.game.state import Ruling
from assistant.past.photographer import Photographer
from assistant.record.calibrations import CalibrationSeen
from assistant.record.journal import Journal
from assistant.session import Session
from tests.assistant.scripted import Script, game
from tests.pages.game import camera_picture
from tests.vision.synthetic import CAMERA
from vision.types import Doubt, TableSnapshot

CALIBRATION = CalibrationSeen.of(CAMERA, anchors=(580, 581, 582))


class Recorded:
    """A session at a table that writes to a journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = Journal(path, about={"title": "Two scouts", "situation": json.dumps(to_json(game()))})
        self.session = Session(game(), self.journal)
        self.script = Script(now_ns=1_800_000_000_000_000_000)
        self.photographer = Photographer()
        self.show(self.script.frame())
        self.session.calibrated(CALIBRATION, self.script.now_ns)
        self.session.happen(SourceChanged(state="live", text="the camera is live"))

    def show(self, *frames: TableSnapshot) -> None:
        for frame in frames:
            self.session.see(frame)
            self.session.call()
            self.photographer.look(self.session, camera_picture)

    def do(self, what: Callable[[], None]) -> None:
        """Let a person do something, a second later."""
        self.wait()
        what()
        self.session.call()
        self.photographer.look(self.session, camera_picture)

    def wait(self) -> None:
        self.script.now_ns += 1_000_000_000
        self.show(self.script.frame())

    def too_far(self) -> None:
        """Push a scout 6.69 inches of six."""
        self.do(lambda: self.session.declare(unit="scouts", action="normal"))
        self.show(*self.script.slide("s2", 300, 520))

    def back(self) -> None:
        """Take it all back: the scout is pushed to where it stood, and has made no move."""
        self.wait()
        self.show(*self.script.slide("s2", 300, 350))
        self.do(self.session.withdraw)
        self.do(self.session.accept)


def played(path: Path) -> Recorded:
    """Return a whole game: too far and back, accepted as it stood, ruled on, taken back, and the camera shaken."""
    table = Recorded(path)
    table.do(table.session.go_on)
    table.too_far()
    table.back()
    table.too_far()
    table.do(table.session.accept)
    table.do(table.session.go_on)
    table.do(lambda: table.session.declare(unit="walker", action="normal"))
    table.show(*table.script.slide("w1", 300, 420))  # into the scouts
    table.do(lambda: table.session.rule(Ruling(by="players", outcome="legal", note="we agreed")))
    table.do(table.session.accept)
    table.do(table.session.undo)
    table.do(table.session.accept)
    doubtful = table.script.frame()
    table.show(TableSnapshot(**{f: getattr(doubtful, f) for f in doubtful.__slots__} | {"doubt": Doubt.MOVING}))
    table.wait()
    return table
