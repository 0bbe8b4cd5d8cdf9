import contextlib
import os
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

from hardware.camera import FrameSource, PlaybackPace, is_still, open_file, open_source
from hardware.errors import BadSource, EndOfFrames
from hardware.frame import Frame
from tests.hardware.camera.recordings import make_picture, read_number, write_images, write_video


def read_frames(folder: Path, spec: str, **options: bool) -> list[Frame]:
    source = open_source(spec, folder=folder, pace=PlaybackPace.FREE, **options)
    frames = read_all(source)
    source.close()
    return frames


def read_all(source: FrameSource) -> list[Frame]:
    frames: list[Frame] = []
    with contextlib.suppress(EndOfFrames):
        while len(frames) < 100:
            frames.append(source.read())
    return frames


def test_a_video_gives_every_frame_with_its_own_time(tmp_path: Path) -> None:
    write_video(tmp_path / "game.avi", frames=7, fps=30)
    frames = read_frames(tmp_path, "file:game.avi")
    assert [read_number(frame.image) for frame in frames] == list(range(7))
    assert [frame.captured_ns for frame in frames] == [round(k * 1e9 / 30) for k in range(7)]
    assert {frame.camera for frame in frames} == {"file:game.avi"}
    assert {frame.image.ndim for frame in frames} == {2}


def test_colour_is_kept_when_asked_for(tmp_path: Path) -> None:
    write_video(tmp_path / "game.avi", frames=1)
    image = read_frames(tmp_path, "file:game.avi", colour=True)[0].image
    blue, _, red = image[:30, :30].reshape(-1, 3).mean(axis=0)
    assert red > 200
    assert blue < 60


def test_a_single_picture_is_a_source_of_one_frame(tmp_path: Path) -> None:
    write_images(tmp_path, count=2)
    frames = read_frames(tmp_path, "file:image_01.png")
    assert [(frame.sequence, frame.captured_ns, read_number(frame.image)) for frame in frames] == [(0, 0, 1)]


def test_pictures_are_told_from_videos_by_content(tmp_path: Path) -> None:
    write_images(tmp_path, count=1)
    disguised = write_video(tmp_path / "game.avi", frames=2).rename(tmp_path / "game.jpg")
    assert is_still(tmp_path / "image_00.jpg")
    assert not is_still(disguised)
    assert len(read_frames(tmp_path, "file:game.jpg")) == 2


def test_a_video_cut_off_in_the_middle_plays_as_far_as_it_goes(tmp_path: Path) -> None:
    data = write_video(tmp_path / "whole.avi", frames=8).read_bytes()
    (tmp_path / "cut.avi").write_bytes(data[: len(data) * 2 // 3])
    assert 2 <= len(read_frames(tmp_path, "file:cut.avi")) < 8


def test_a_file_is_read_under_the_name_that_it_is_given(tmp_path: Path) -> None:
    write_images(tmp_path, count=1)
    video = write_video(tmp_path / "game.avi", frames=2)
    assert [frame.camera for frame in read_all(open_file(video, name="film"))] == ["film", "film"]
    assert [frame.camera for frame in read_all(open_file(tmp_path / "image_00.jpg", name="still"))] == ["still"]
    with pytest.raises(BadSource, match="gone.jpg: no such file"):
        open_file(tmp_path / "gone.jpg", name="gone")


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("text.avi", b"not a video\n" * 100, "not a video"),
        ("text.txt", b"hello\n" * 2000, "not a video"),
        ("empty.mp4", b"", "not a video"),
        ("noise.mp4", bytes(range(256)) * 40, "not a video"),
        ("text.jpg", b"hello", "not a video"),
    ],
)
def test_what_is_no_video_is_refused_in_one_line(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadSource, match=f"{name}: {complaint}") as caught:
        open_source(f"file:{name}", folder=tmp_path)
    assert "\n" not in str(caught.value)


TRY_EACH = """
import pathlib, sys
from hardware.camera import open_source
for spec in sys.argv[1:]:
    try:
        open_source(spec, folder=pathlib.Path()).read()
    except (ValueError, OSError) as error:
        print(type(error).__name__)
"""


def test_the_libraries_add_no_remarks_of_their_own(tmp_path: Path) -> None:
    # FFmpeg's first use in a process decides what it says, so this needs a process of its own.
    (tmp_path / "noise.mp4").write_bytes(bytes(range(256)) * 40)
    specs = [f"file:{tmp_path / 'noise.mp4'}", "http://127.0.0.1:9/", "usb:1234"]
    tried = subprocess.run([sys.executable, "-c", TRY_EACH, *specs], capture_output=True, text=True, check=False)
    assert (tried.stdout.split(), tried.stderr) == (["BadSource", "SourceLost", "DeviceLost"], "")


@pytest.mark.parametrize(("suffix", "encoding"), [("jpg", ".jpg"), ("png", ".png")])
def test_a_picture_cut_short_is_refused_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], suffix: str, encoding: str
) -> None:
    data = cv2.imencode(encoding, make_picture(3))[1].tobytes()
    (tmp_path / f"cut.{suffix}").write_bytes(data[: len(data) // 2])
    source = open_source(f"file:cut.{suffix}", folder=tmp_path)
    with pytest.raises(BadSource, match=f"cut.{suffix}: the picture is cut short"):
        source.read()
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match=r"gone\.avi: no such file"):
        open_source("file:gone.avi", folder=tmp_path)


def test_a_name_that_is_no_text_is_refused_for_opencv_would_read_what_is_not_there(tmp_path: Path) -> None:
    named = tmp_path / os.fsdecode(b"\xff.png")
    named.write_bytes(b"\x89PNG")
    assert not is_still(named)
    with pytest.raises(BadSource, match="its name is no text in UTF-8"):
        open_file(named, name="pictures")
    with pytest.raises(BadSource, match="no picture in this folder"):
        open_source("images:.", folder=tmp_path, pace=PlaybackPace.FREE)
