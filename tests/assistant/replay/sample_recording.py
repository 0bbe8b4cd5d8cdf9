"""A sample recording: a short scripted game with moves, legal and not, decisions, rulings and what was taken back."""

import json
from collections.abc import Callable
from pathlib import Path

from assistant.game.events import SourceChanged
from assistant.game.situation_file import encode_situation
from assistant.game.state import Ruling
from assistant.recording.journal.row_types import CalibrationSeen
from assistant.recording.journal.writer import Journal
from assistant.table.evidence_pictures import EvidenceKeeper
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.pages.played_game import encode_camera_picture
from tests.vision.synthetic_camera import CAMERA
from vision.types import Doubt, TableSnapshot

CALIBRATION = CalibrationSeen.from_camera(CAMERA, anchors=(580, 581, 582))


class RecordedTable:
    """A session at a table that writes to a journal."""

    def __init__(self, path: Path, scouts: str = "scouts") -> None:
        self.path, self.scouts = path, scouts
        game = build_game(scouts)
        self.journal = Journal(path, about={"title": "Two scouts", "situation": json.dumps(encode_situation(game))})
        self.session = GameSession(game, self.journal)
        self.script = SnapshotScript(now_ns=1_800_000_000_000_000_000)
        self.photographer = EvidenceKeeper()
        self.show(self.script.take_snapshot())
        self.session.recorder.record_calibration(CALIBRATION, self.script.now_ns)
        self.session.record_event(SourceChanged(state="live", text="the camera is live"))

    def show(self, *frames: TableSnapshot) -> None:
        for frame in frames:
            self.session.observe(frame)
            self.session.record_call()
            self.photographer.keep_evidence(self.session, encode_camera_picture)

    def do(self, what: Callable[[], None]) -> None:
        """Let a person do something, a second later."""
        self.wait()
        what()
        self.session.record_call()
        self.photographer.keep_evidence(self.session, encode_camera_picture)

    def wait(self) -> None:
        self.script.now_ns += 1_000_000_000
        self.show(self.script.take_snapshot())

    def push_too_far(self) -> None:
        """Push a scout 6.69 inches of six."""
        self.do(lambda: self.session.declare(unit=self.scouts, action="normal"))
        self.show(*self.script.slide("s2", 300, 520))

    def push_back(self) -> None:
        """Take it all back: the scout is pushed to where it stood, and has made no move."""
        self.wait()
        self.show(*self.script.slide("s2", 300, 350))
        self.do(self.session.withdraw)
        self.do(self.session.accept)


def play_sample_game(path: Path) -> RecordedTable:
    """Return a whole game: too far and back, accepted as it stood, ruled on, taken back, and the camera shaken."""
    table = RecordedTable(path)
    table.do(table.session.advance_turn)
    table.push_too_far()
    table.push_back()
    table.push_too_far()
    table.do(table.session.accept)
    table.do(table.session.advance_turn)
    table.do(lambda: table.session.declare(unit="walker", action="normal"))
    table.show(*table.script.slide("w1", 300, 420))  # into the scouts
    table.do(lambda: table.session.make_ruling(Ruling(by="players", outcome="legal", note="we agreed")))
    table.do(table.session.accept)
    table.do(table.session.undo)
    table.do(table.session.accept)
    doubtful = table.script.take_snapshot()
    table.show(TableSnapshot(**{f: getattr(doubtful, f) for f in doubtful.__slots__} | {"doubt": Doubt.MOVING}))
    table.wait()
    return table
