"""Recorded videos as a frame source, and still pictures given as files."""

import math
from pathlib import Path

import cv2

from hardware.camera.frame_source import FrameSource, Identity, Pacer, PlaybackPace, read_identity_beside
from hardware.camera.images import StillImages, is_picture
from hardware.camera.video_capture import is_whole_text, open_capture, read_image
from hardware.errors import BadSource, EndOfFrames
from hardware.frame import Frame

PREFIXES = ("file:",)


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:
    """Open ``file:PATH``, a video or a single picture."""
    return open_file(folder / spec.removeprefix("file:"), name=spec, pace=pace, colour=colour)


def open_file(path: Path, *, name: str, pace: PlaybackPace = PlaybackPace.FREE, colour: bool = False) -> FrameSource:
    """Open a video or a single picture; its frames carry `name`.  BadSource if it is neither."""
    if not path.is_file():
        what = "this is a folder" if path.is_dir() else "no such file"
        raise BadSource(f"{path}: {what}: expected a video or a picture")
    if not is_whole_text(str(path)):
        raise BadSource(f"{path}: its name is no text in UTF-8: expected a file of another name")
    if is_still(path):
        return StillImages([path], name=name, pace=pace, colour=colour)
    return VideoFile(path, name=name, pace=pace, colour=colour)


def is_still(path: Path) -> bool:
    """Tell whether a file is a picture, by its content: one without a time of its own."""
    return is_picture(path)


class VideoFile:
    """A recorded video; its time is the frame's number over the frame rate."""

    def __init__(self, path: Path, *, name: str, pace: PlaybackPace, colour: bool) -> None:
        capture = None if _is_text(path) else open_capture(str(path), cv2.CAP_FFMPEG)
        if capture is None:
            raise BadSource(f"{path}: not a video: expected a file that FFmpeg reads, or a picture")
        self._capture = capture
        self._fps = capture.get(cv2.CAP_PROP_FPS)
        if not (math.isfinite(self._fps) and self._fps > 0):
            self.close()
            raise BadSource(f"{path}: tells no frame rate: expected a video with one")
        self._path, self._name, self._colour = path, name, colour
        self._pacer = Pacer(pace)
        self._sequence = 0

    def read(self) -> Frame:
        """Read the next frame."""
        image = read_image(self._capture, colour=self._colour)
        if image is None:
            if self._sequence == 0 and self._capture.isOpened():
                raise BadSource(f"{self._path}: holds no picture: expected a video")
            raise EndOfFrames
        captured_ns = round(self._sequence * 1e9 / self._fps)
        self._pacer.wait(captured_ns)
        frame = Frame(camera=self._name, sequence=self._sequence, captured_ns=captured_ns, image=image)
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return what the film's folder says of the camera that took it."""
        return read_identity_beside(self._path)

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


def _is_text(path: Path) -> bool:
    # FFmpeg takes any text for the recording of a terminal.
    with path.open("rb") as file:
        start = file.read(1024)
    return all(byte in b"\t\n\r\f\x1b" or 32 <= byte < 127 for byte in start)
