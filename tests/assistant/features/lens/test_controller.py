"""The lens calibration of a running table: nothing waits for it, nothing of it is lost, and what is kept is used."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.cli.calibrate.lens import lens
from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from assistant.features.lens.controller import LensController
from assistant.features.lens.state import LensCalibrationState
from assistant.setup.file import read_setup
from calibration.camera_match import CameraMark
from hardware.frame import Frame
from tests.assistant.features.lens.board_sightings import BoardHolder
from vision.markers import Markers
from vision.pipeline import Pipeline


class DeferredExecutor(Executor):
    """Does its work when it is told to."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, work: Any, /, *args: Any, **_: Any) -> "Future[Any]":
        self.jobs.append((Future(), work, args))
        return self.jobs[-1][0]

    def work(self) -> None:
        """Do what has been asked for so far."""
        for future, work, args in self.jobs:
            future.set_result(work(*args))
        self.jobs.clear()


def build_frame(number: int) -> Frame:
    blank = np.full((720, 1280), 90, dtype=np.uint8)
    return Frame(camera="", sequence=number, captured_ns=number * 100_000_000, image=blank)


def build_controller(path: Path | None = None) -> LensController:
    setup = read_setup(path or SETUP)
    pipeline = Pipeline(markers=Markers(anchors=setup.anchor_tags, bases={}, lens=None))
    return LensController(setup=setup, path=path, pipeline=pipeline, executor=DeferredExecutor())


def work(calibration: LensController) -> None:
    assert isinstance(calibration.executor, DeferredExecutor)
    calibration.executor.work()


@pytest.fixture(scope="module")
def eight() -> LensCalibrationState:
    """Eight views and what they come to."""
    holding = BoardHolder()
    while len(holding.state.taken) < 8:
        holding.hold()
    holding.solve()
    return holding.state


def test_the_line_does_not_wait_for_a_look() -> None:
    calibration = build_controller()
    calibration.see(build_frame(0))
    assert calibration.executor.jobs == []  # type: ignore[attr-defined]  # nobody has begun
    calibration.begin("printed")
    for number in range(5):
        calibration.see(build_frame(number))
    assert len(calibration.executor.jobs) == 1  # type: ignore[attr-defined]
    assert calibration.build_view().lens["lens"].step == "taking"
    work(calibration)
    calibration.see(build_frame(6))
    shown = calibration.build_view()
    assert shown.sighting["board"].note.startswith("No board is seen")
    assert (shown.lens["lens"].width_px, shown.lens["lens"].height_px) == (1280, 720)
    # A look for one board says nothing of another.
    calibration.begin("chess:9x6:25")
    work(calibration)
    calibration.see(build_frame(7))
    assert calibration.state is not None
    assert calibration.state.note == ""


def test_what_is_left_is_there_again(eight: LensCalibrationState) -> None:
    calibration = build_controller()
    calibration.begin("printed")
    calibration.state = eight
    with pytest.raises(BadInput, match="board 'x': expected"):
        calibration.begin("x")
    assert calibration.state is eight
    calibration.leave()
    assert calibration.build_view().lens["lens"].left == ["printed"]
    calibration.begin("chess:9x6:25")
    calibration.begin("printed")
    assert calibration.state is eight
    assert calibration.build_view().lens["lens"].left == ["chess:9x6:25"]
    calibration.drop(2)
    assert [shot.number for shot in calibration.build_view().lens["lens"].shots] == [1, 3, 4, 5, 6, 7, 8]
    calibration.restart()
    assert calibration.build_view().lens["lens"].shots == []


def test_what_cannot_be_kept_is_refused(eight: LensCalibrationState) -> None:
    calibration = build_controller()
    with pytest.raises(BadInput, match="no lens is being calibrated"):
        calibration.keep()
    calibration.begin("printed")
    with pytest.raises(BadInput, match="there is no lens yet: more views are needed"):
        calibration.keep()
    calibration.state = replace(eight, found=None, unsolved="the views are too much alike")
    with pytest.raises(BadInput, match="too much alike"):
        calibration.keep()
    calibration.state = replace(eight, solved=())
    with pytest.raises(BadInput, match="still being worked out"):
        calibration.keep()
    calibration.see(build_frame(0))
    work(calibration)
    calibration.see(build_frame(1))
    calibration.keep()
    assert "a demo writes nothing" in calibration.kept
    assert calibration.pipeline.markers.lens is not None


def test_what_is_kept_is_used_and_says_which_camera_it_is(eight: LensCalibrationState, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SETUP.read_text())
    calibration = build_controller(path)
    calibration.pairing.mark = CameraMark(identity="usb:1:2:3", image_size=(1920, 1080))
    calibration.begin("printed")
    file = tmp_path / "table-lens.json"
    for times in (1, 2):
        if times == 2:
            file.write_text("what was there before")
        calibration.state = eight
        calibration.keep()
        assert calibration.build_view().lens["lens"].step == "kept"
        (used,) = calibration.pairing.files
        assert (used.path, used.made_with.identity) == (file, "usb:1:2:3")
        assert ("The lens before it is table-lens.before-1.json now" in calibration.kept) == (times == 2)
    found = calibration.build_view().lens["lens"].found
    assert found is not None
    assert found.views == 8
    assert calibration.setup.camera.lens == "table-lens.json"
    calibration.want_more()
    assert calibration.build_view().lens["lens"].step == "taking"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--board", "printed"], "--out and pictures of the board are needed, or --live and --setup"),
        (["--board", "printed", "--live"], "--live: --setup is missing"),
        (["--board", "printed", "--live", "--setup", SETUP, "--out", "x.json"], "--live: it takes no pictures, --out"),
    ],
)
def test_what_live_needs_is_said(arguments: list[str | Path], sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        lens.main([str(argument) for argument in arguments], standalone_mode=False)
    assert sentence in str(refusal.value)


def test_after_a_bug_in_a_look_it_is_looked_again() -> None:
    calibration = build_controller()
    calibration.begin("printed")
    calibration.see(build_frame(0))
    executor = calibration.executor
    assert isinstance(executor, DeferredExecutor)
    ((look, _, _),) = executor.jobs
    look.set_exception(RuntimeError("injected"))
    executor.jobs.clear()
    with pytest.raises(RuntimeError, match="injected"):  # the live loop logs it
        calibration.see(build_frame(1))
    calibration.see(build_frame(2))
    assert len(executor.jobs) == 1
