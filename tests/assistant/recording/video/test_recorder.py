"""Filming holds nobody up, says what it lacks, and loses less than a second when it is killed."""

import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.recording.journal.row_types import EyesTold, VideoKept
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.recording.video import codec as coding
from assistant.recording.video import recorder as filming
from assistant.recording.video.reader import find_gaps, read_frames, read_runs
from assistant.recording.video.recorder import QUEUE_LENGTH, VideoRecorder, locate_segment, locate_video_folder
from hardware.frame import Frame
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.recording.video.crash_simulation import FRAME_NS
from vision.markers import Markers

TOLD = EyesTold.from_markers(Markers(anchors=(), bases={}, lens=None), began=True)
SECOND_NS = 10**9


def build_frame(number: int, at_ns: int | None = None, size: tuple[int, int] = (97, 65)) -> Frame:
    """A grey picture of an odd size, as light as its number says."""
    width, height = size
    image = np.full((height, width), 10 + 7 * number % 240, np.uint8)
    return Frame(camera="", sequence=number, captured_ns=number * FRAME_NS if at_ns is None else at_ns, image=image)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.overtable"


def film_patiently(film: VideoRecorder, frames: Iterator[Frame] | list[Frame]) -> None:
    for each in frames:
        while film.is_full:
            time.sleep(0.0005)
        film.add(each)


def film_runs(path: Path, *runs: list[Frame]) -> list[VideoKept]:
    """Film some runs, and keep what is told of them."""
    kept: list[VideoKept] = []
    for frames in runs:
        with Journal(path, about={}, go_on=True) as journal:
            kept += film_run(journal, frames)
    return kept


def film_run(journal: Journal, frames: list[Frame]) -> list[VideoKept]:
    film = VideoRecorder(journal.path)
    film_patiently(film, frames)
    film.close()
    told = film.take_kept_pieces()
    journal.append((frames[0].captured_ns, TOLD), *((frames[-1].captured_ns, each) for each in told))
    return told


def test_every_picture_comes_back_with_its_number_its_time_and_its_size(path: Path) -> None:
    frames = [build_frame(number) for number in range(0, 60, 2)]
    kept = film_runs(path, frames)
    (run,) = read_runs(path)
    back = list(read_frames(path, run))
    assert [(f.sequence, f.captured_ns, f.image.shape) for f in back] == [
        (f.sequence, f.captured_ns, (65, 97, 3)) for f in frames
    ]
    for one, other in zip(frames, back, strict=True):
        assert abs(float(one.image.mean()) - float(other.image.mean())) < 5
    assert len(kept) > 3
    assert not find_gaps(read_runs(path))
    found = verify(path, video=True)
    assert (found.filmed, found.video_missing, found.broken) == (30, (), None)


def test_a_game_that_goes_on_a_clock_that_is_set_back_and_another_camera_are_all_kept_apart(path: Path) -> None:
    set_back = [
        build_frame(0, 9 * SECOND_NS),
        build_frame(1, 2 * SECOND_NS),
        build_frame(2, 2 * SECOND_NS + 1, size=(64, 48)),
    ]
    kept = film_runs(path, set_back, [build_frame(0, 12 * SECOND_NS)])
    assert [told.segment for told in kept] == [1, 2, 2, 3]
    first, second = read_runs(path)
    shapes = [f.image.shape[:2] for f in read_frames(path, first)]
    assert shapes == [(65, 97), (65, 97), (48, 64)]
    (gap,) = find_gaps((first, second))
    assert (gap.pictures, gap.until_ns) == (None, 12 * SECOND_NS)


def test_nobody_waits_for_an_encoder_that_is_too_slow_and_what_is_lacking_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(coding.PieceEncoder):
        def add(self, image: NDArray[np.uint8]) -> None:
            time.sleep(0.02)
            super().add(image)

    monkeypatch.setattr(filming, "PieceEncoder", Slow)
    film = VideoRecorder(path)
    for number in range(30):
        film.add(build_frame(number))
    film_patiently(film, [build_frame(number) for number in range(30, 50)])
    film.close()
    told = film.take_kept_pieces()
    pictures = sum(len(kept.pictures) for kept in told)
    assert 0 < 50 - pictures <= 30 - QUEUE_LENGTH
    assert sum(kept.lost for kept in told) == 50 - pictures


def test_a_program_that_is_nice_already_films_and_stays_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nice = [10]

    def set_priority(_which: int, _thread: int, niceness: int) -> None:
        if niceness < nice[-1]:
            raise PermissionError(errno.EACCES, "Permission denied")  # as to everybody without a privilege
        nice.append(niceness)

    monkeypatch.setattr(os, "getpriority", lambda _which, _thread: nice[-1])
    monkeypatch.setattr(os, "setpriority", set_priority)
    film = VideoRecorder(path)
    film_patiently(film, [build_frame(number) for number in range(5)])
    film.close()
    assert sum(len(kept.pictures) for kept in film.take_kept_pieces()) == 5
    assert nice[-1] == 10


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Fill the disk and empty it again."""
    full = [True]
    write = filming._write_all

    def writes(file: BinaryIO, data: bytes) -> None:
        if full[0]:
            file.write(data[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, data)

    monkeypatch.setattr(filming, "_write_all", writes)
    return lambda now: full.__setitem__(0, now)


def test_while_the_disk_is_full_the_video_says_so_and_goes_on_when_there_is_room(
    path: Path, full_disk: Callable[[bool], None]
) -> None:
    film = VideoRecorder(path)
    film_patiently(film, [build_frame(number) for number in range(20)])
    until_s = time.monotonic() + 10
    while not film.trouble and time.monotonic() < until_s:
        time.sleep(0.001)
    assert film.trouble == "The game goes on, but its video is not recorded (No space left on device)."
    full_disk(False)
    film_patiently(film, [build_frame(number) for number in range(20, 60)])
    film.close()
    assert film.trouble == ""
    told = film.take_kept_pieces()
    assert sum(len(kept.pictures) + kept.lost for kept in told) == 60
    assert [each.name for each in locate_video_folder(path).iterdir()] == ["0001.ts"]
    for kept in told:
        assert kept.at_byte + kept.bytes <= locate_segment(path, 1).stat().st_size


def test_without_an_encoder_the_video_says_so_once_and_for_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "CODEC", "none")
    film = VideoRecorder(path)
    film_patiently(film, [build_frame(number) for number in range(20)])
    film.close()
    assert (
        film.trouble == "The game goes on, but its video is not recorded (this computer's OpenCV does not write none)."
    )
    assert film.take_kept_pieces() == []
    assert not locate_video_folder(path).exists()


@pytest.mark.parametrize(
    ("spoil", "said", "verified"),
    [
        (lambda ts: ts.unlink(), "this part of the video is not there; copy the folder", "missing"),
        (lambda ts: ts.write_bytes(ts.read_bytes()[:-500]), "is cut short", "broken"),
        (lambda ts: ts.write_bytes(ts.read_bytes().replace(b"\x47", b"\x48", 1)), "is not what was recorded", "broken"),
    ],
    ids=["missing", "short", "altered"],
)
def test_a_video_that_is_not_what_was_recorded_is_found(
    path: Path, spoil: Callable[[Path], None], said: str, verified: str
) -> None:
    film_runs(path, [build_frame(number) for number in range(20)])
    spoil(locate_segment(path, 1))
    with pytest.raises(BadInput, match=rf"0001\.ts: .*{said}"):
        list(read_frames(path, read_runs(path)[0]))
    found = verify(path, video=True)
    assert (found.video_broken is not None) == (verified == "broken")
    assert found.video_missing == (("0001.ts",) if verified == "missing" else ())
    if found.video_broken:
        assert found.video_broken.what == "game.overtable.video/0001.ts is not the video that was recorded"
        assert re.search(
            r"its video was changed after .* recorded, 0:00:00.0 into the game; the game is intact: \d+ events",
            run_overtable("verify", path).out,
        )
        assert run_overtable("verify", path, "--json").document["intact"] is False
    assert found.broken is None


def test_a_recording_without_a_video_says_how_one_is_made(path: Path) -> None:
    with Journal(path, about={}):
        pass
    with pytest.raises(BadInput, match="has no video to look at again; one is made with: overtable run --video"):
        read_runs(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_at_any_moment_a_film_is_whole_but_for_its_last_second(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.assistant.recording.video.crash_simulation", str(tmp_path), "5", "5"]
    handed_in = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert len(handed_in) == 5
    kept = 0
    for at, count in enumerate(map(int, handed_in)):
        path = tmp_path / f"{at}.overtable"
        try:
            (run,) = read_runs(path)
        except BadInput:
            found = 0  # killed before the first piece was whole
        else:
            numbers = [each.sequence for each in read_frames(path, run)]
            found = len(numbers)
            assert numbers == list(range(found))
        assert (count - found) * FRAME_NS <= SECOND_NS
        assert verify(path, video=True).video_broken is None
        kept += found
    assert kept


@pytest.mark.parametrize(("bugs", "filmed"), [(1, True), (filming.MOST_FAULTS + 1, False)])
def test_a_bug_costs_a_piece_and_too_many_end_the_film(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, bugs: int, *, filmed: bool
) -> None:
    works, left = VideoRecorder._encode, [bugs]

    def encode(recorder: VideoRecorder, frame: Frame) -> None:
        if left[0]:
            left[0] -= 1
            raise RuntimeError("injected")
        works(recorder, frame)

    monkeypatch.setattr(VideoRecorder, "_encode", encode)
    film = VideoRecorder(path)
    film_patiently(film, [build_frame(number) for number in range(20)])
    film.close()
    kept = film.take_kept_pieces()
    assert bool(kept) is filmed
    if filmed:
        assert kept[0].lost == bugs
    else:
        assert "its video is not recorded (something went wrong inside)" in film.trouble
    assert len([record for record in caplog.records if record.exc_info]) == bugs
