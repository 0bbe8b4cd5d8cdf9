"""A sample video: a short game on a small virtual table, recorded with its video through the live loop."""

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assistant.features.camera.markers import build_markers
from assistant.features.decisions import GameController
from assistant.features.demo.virtual_table import build_scene
from assistant.game.situation_file import encode_situation, parse_situation
from assistant.game.state import GameState
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.writer import Journal
from assistant.replay.playback import play_entry
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter, SessionVideo
from assistant.setup.file import Setup, read_setup
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import Accept, Bumped, Declare
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages.message import Message
from hardware.camera.frame_source import Identity, PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.virtual_table import VirtualTable
from vision.pipeline import Pipeline

FPS = 10.0
SIZE = (801, 535)
WIDTH_MM, DEPTH_MM = 600.0, 400.0
BEGAN_NS = 1_800_000_000_000_000_000
ANCHORS = {580: (40, 40), 581: (560, 40), 582: (560, 360), 583: (40, 360), 584: (300, 40), 585: (300, 360)}
STEP_MM = 10.1
"""What a model is pushed from picture to picture; fifteen of them are 151.5 mm, of the 152.4 mm of six inches."""
PUSHED = {"s1": (0, 8), "w1": (2, 31)}
"""The tag of a model that is pushed, and the first picture in which it has moved."""
STEPS = 15
DECIDED: dict[int, Message] = {
    6: Declare(type="declare", unit="scouts", action="normal"),
    28: Accept(type="accept"),
    51: Bumped(type="bumped", models=["w1"]),
}
"""What people do after a picture; the walker was pushed by mistake, and nobody had announced a move of it."""
PICTURES = 54


def write_setup(path: Path, *, wider: float = 1.0) -> Path:
    """Write the set-up file; the anchors may be said to lie wider apart than they do."""
    models = {0: ("s1", "{round_mm = 50}"), 1: ("s2", "{round_mm = 50}"), 2: ("w1", "{rect_mm = [80, 60]}")}
    lines = ['format = "overtable.setup/1"', f"[table]\nwidth_mm = {WIDTH_MM}\ndepth_mm = {DEPTH_MM}"]
    lines += ['[camera]\nsource = "virtual:"']
    for tag, (x_mm, y_mm) in ANCHORS.items():
        lines += [f"[[anchors]]\ntag = {tag}\nx_mm = {x_mm * wider}\ny_mm = {y_mm * wider}\nsize_mm = {30 * wider}"]
    for tag, (model, base) in models.items():
        lines += [f'[[bases]]\ntag = {tag}\nmodel = "{model}"\nbase = {base}\nsize_mm = 26.0\nheight_mm = 4.0']
    path.write_text("\n".join(lines) + "\n")
    return path


def build_game() -> GameState:
    """Return two scouts, and a walker that is nowhere near them."""
    units: list[tuple[str, str, int, list[tuple[str, Any, int, int]]]] = [
        ("scouts", "red", 6, [("s1", {"round_mm": 50}, 100, 120), ("s2", {"round_mm": 50}, 180, 120)]),
        ("walker", "blue", 10, [("w1", {"rect_mm": [80, 60]}, 150, 290)]),
    ]
    document = {
        "format": "overtable.situation/1",
        "rulebook": "warhammer-40k-10e",
        "table": {"width_mm": WIDTH_MM, "depth_mm": DEPTH_MM},
        "units": [
            {
                "id": unit,
                "player": player,
                "keywords": ["infantry"],
                "profile": {"move_in": move_in},
                "models": [{"id": m, "base": base, "pose": {"x_mm": x, "y_mm": y}} for m, base, x, y in models],
            }
            for unit, player, move_in, models in units
        ],
    }
    return parse_situation(document, "game").state


class ScriptedCamera:
    """Looks at the table, on which models are pushed; gives a picture whenever one is asked for."""

    def __init__(self, setup: Setup, state: GameState) -> None:
        self.table = VirtualTable(
            build_scene(setup, state),
            build_overhead_camera(width_mm=WIDTH_MM, depth_mm=DEPTH_MM, image_size=SIZE),
            colour=False,
        )
        self._camera = VirtualCamera(self.table, fps=FPS, pace=PlaybackPace.FREE)
        self.identity = Identity()
        self.status = SourceStatus(state=SourceState.LIVE, text="")
        self.frames: list[Frame] = []

    def wait_for_frame(self, _after: int | None, _wait_s: float) -> Frame:
        number = len(self.frames)
        for tag, first in PUSHED.values():
            if first <= number < first + STEPS:
                stands = self.table.get_placements()[tag]
                self.table.move(tag, replace(stands, x_mm=stands.x_mm + STEP_MM))
        frame = self._camera.read()
        self.frames.append(replace(frame, captured_ns=BEGAN_NS + frame.captured_ns))
        return self.frames[-1]


class _PatientFilmer(SessionVideo):
    """Waits for the encoder, for these pictures come faster than any camera's."""

    def see(self, frame: Frame, *others: object) -> None:
        while self._filming.is_full:
            time.sleep(0.001)
        super().see(frame, *others)  # type: ignore[arg-type]


class _ScriptedHub(Hub):
    """Decide at their pictures, and leave after the last."""

    def __init__(self, stop: threading.Event, camera: ScriptedCamera, until: int) -> None:
        super().__init__()
        self.refused: list[str] = []
        self._stop, self._camera, self._until = stop, camera, until

    def take(self) -> list[PageCommand]:
        taken = len(self._camera.frames)
        if taken == self._until:
            self._stop.set()
        decided = DECIDED.get(taken - 1)
        return [PageCommand(message=decided, refuse=self.refused.append)] if decided else []


def record_sample_video(folder: Path, *runs: int) -> tuple[Path, list[Frame]]:
    """Play the game; return its recording, and the pictures as the camera gave them.

    It may be broken off and gone on with: then so many pictures are taken by each run of the program.
    """
    setup_path = write_setup(folder / "setup.toml")
    setup, state, path = read_setup(setup_path), build_game(), folder / "game.overtable"
    camera = ScriptedCamera(setup, state)
    for pictures in runs or (PICTURES,):
        _run_program(camera, state, setup, setup_path, path, until=len(camera.frames) + pictures)
    return path, camera.frames


def _run_program(
    camera: ScriptedCamera, state: GameState, setup: Setup, setup_path: Path, path: Path, *, until: int
) -> None:
    stop, about = threading.Event(), {"title": "Two scouts", "situation": json.dumps(encode_situation(state))}
    people = _ScriptedHub(stop, camera, until)
    with Journal(path, about=about, go_on=True) as journal:
        session, video = GameSession(state, solve_zone=skip_zone), _PatientFilmer(path)
        for entry in read_entries(path):
            play_entry(session, entry, path)
        session.resume_recording(journal)
        LiveLoop(
            camera=cast("LatestFrameReader", camera),
            pipeline=Pipeline(markers=build_markers(setup, setup_path, None)[0]),
            session=session,
            hub=people,
            name="virtual:",
            title="Two scouts",
            meter=RateMeter(live=False),
            latest=LatestFrame(),
            features=FeatureSet(GameController()),
            virtual=True,
            video=video,
        ).run(stop)
        video.close(session)
    assert people.refused == []
