"""A game is watched through the camera that its calibration was made with, and records what its poses rest on."""

import json
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from assistant.errors import BadInput
from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import Pairing, find_calibration_files, read_mark
from assistant.features.demo.catalogue import SETUP as SETUP_FILE
from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import CalibrationSeen, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.messages import View
from hardware.camera.frame_source import Identity, PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.simulation.virtual_table import VirtualTable
from tests.assistant.runtime.demo_loop import ListeningHub
from vision.pipeline import Pipeline

DEMO = read_demo("priority-skirmish")
LENS = {
    "format": "overtable.lens/1",
    "image_size": [1920, 1080],
    "camera": {"identity": "usb 1", "image_size": [1920, 1080], "focus": 30},
    "matrix": [[1225, 0, 959.5], [0, 1225, 539.5], [0, 0, 1]],
    "distortion": [-0.1, 0.01, 0.0003, -0.0004, 0],
}


@cache
def build_table() -> VirtualTable:
    return build_virtual_table(DEMO.setup, DEMO.state)


@dataclass
class ChangingCamera:
    """A virtual table through a camera that is changed for another after some pictures."""

    pictures: VirtualCamera
    identities: list[Identity]
    identity: Identity = field(default_factory=Identity)
    status: SourceStatus = field(default_factory=lambda: SourceStatus(state=SourceState.LIVE, text=""))

    def wait_for_frame(self, after: int | None, _wait_s: float) -> Frame:
        self.identity = self.identities[min(0 if after is None else after + 1, len(self.identities) - 1)]
        return self.pictures.read()


def play_table(folder: Path, identities: list[Identity]) -> tuple[Path, list[str]]:
    """Watch a still table for as many pictures; return the recording and what the pages said of the camera."""
    lens = folder / "lens.json"
    lens.write_text(json.dumps(LENS))
    stop, said = threading.Event(), list[str]()
    pictures = VirtualCamera(build_table(), fps=5, pace=PlaybackPace.FREE)

    def hears(view: View) -> None:
        said.append(view.camera["camera"].text)
        if len(said) == len(identities):
            stop.set()

    recording = folder / "game.overtable"
    with Journal(recording, about={}) as journal:
        LiveLoop(
            camera=cast("LatestFrameReader", ChangingCamera(pictures, identities)),
            pipeline=Pipeline(markers=build_markers(DEMO.setup, SETUP_FILE, lens)[0]),
            session=GameSession(DEMO.state, journal, solve_zone=skip_zone),
            hub=ListeningHub(hears),
            name="usb:0",
            title="",
            meter=RateMeter(live=False),
            latest=LatestFrame(),
            features=FeatureSet(),
            virtual=False,
            pairing=Pairing(find_calibration_files(DEMO.setup, SETUP_FILE, lens)),
        ).run(stop)
    return recording, said


def test_every_recorded_pose_names_a_calibration_that_was_recorded_before_it(tmp_path: Path) -> None:
    recording, said = play_table(tmp_path, [Identity(camera="usb 1", focus=30.0)] * 12)
    assert set(said) == {""}
    known: dict[str, CalibrationSeen] = {}
    poses = 0
    for entry in read_entries(recording):
        match entry.what:
            case CalibrationSeen() as seen:
                assert seen.calibration not in known
                assert seen.solved_camera.id == seen.calibration
                assert set(seen.anchors) <= {anchor.tag for anchor in DEMO.setup.anchors}
                assert seen.camera is not None
                assert (seen.camera.identity, [file.name for file in seen.files]) == ("usb 1", ["lens.json"])
                known[seen.calibration] = seen
            case PosesSeen(poses=changed, calibration=in_force):
                poses += len(changed)
                assert {in_force, *(pose.calibration for pose in changed)} <= known.keys()
    assert len(known) > 1
    assert poses >= len(DEMO.setup.bases)


def test_another_camera_is_refused_at_first_and_told_later(tmp_path: Path) -> None:
    ours, other = Identity(camera="usb 1", focus=30.0), Identity(camera="usb 2", focus=30.0)
    with pytest.raises(BadInput, match=r"usb:0: .*lens\.json was made with another camera: usb 1, but this is usb 2"):
        play_table(tmp_path, [other])
    (tmp_path / "game.overtable").unlink()
    _, said = play_table(tmp_path, [ours, other, ours])
    assert [bool(text) for text in said] == [False, True, False]
    assert "The camera is not what it was at first" in said[1]


def test_a_camera_that_does_not_say_which_it_is_is_taken_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play_table(tmp_path, [Identity()] * 2)
    (line,) = capsys.readouterr().err.splitlines()
    assert "was made with usb 1, and what camera this is cannot be told; it is used all the same" in line


def test_the_pictures_of_a_calibration_come_from_one_camera(tmp_path: Path) -> None:
    one, other = tmp_path / "one" / "a.jpg", tmp_path / "other" / "b.jpg"
    for path, focus in ((one, 30), (other, 40)):
        path.parent.mkdir()
        told = {"format": "overtable.camera/1", "identity": "usb 1", "focus": focus}
        (path.parent / "camera.json").write_text(json.dumps(told))
    mark = read_mark([one, one.with_name("c.jpg")], (640, 480))
    assert (mark.identity, mark.image_size, mark.focus) == ("usb 1", (640, 480), 30.0)
    with pytest.raises(BadInput, match="all pictures must come from one camera with one focus"):
        read_mark([one, other], (640, 480))
