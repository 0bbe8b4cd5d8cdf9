"""Frame sources: the pictures and videos that a command is given, or the camera of a set-up."""

from collections.abc import Callable, Iterator
from pathlib import Path

from assistant.setup.file import Setup
from hardware.camera import open_source
from hardware.camera.file import open_file
from hardware.camera.frame_source import Adjustable, ControlRequest, FrameSource
from hardware.camera.virtual import VirtualCamera
from hardware.errors import EndOfFrames
from hardware.frame import Frame
from hardware.simulation.virtual_table import VirtualTable

FPS = 15.0
"""Of a virtual camera."""


def read_frames(path: Path) -> Iterator[Frame]:
    """Give the one frame of a picture, or every frame of a video.

    Raises:
        BadSource: the file is not there, or is neither.

    """
    yield from iterate_frames(open_file(path, name=path.name))


def iterate_frames(source: FrameSource) -> Iterator[Frame]:
    """Give every frame of a source until it ends, and close it."""
    try:
        while True:
            yield source.read()
    except EndOfFrames:
        return
    finally:
        source.close()


def build_camera_opener(
    setup: Setup, path: Path, table: VirtualTable | None, fps: float = FPS, *, tried: bool = True
) -> Callable[[], FrameSource]:
    """Return what opens the camera of a set-up, or one over a virtual table.

    Args:
        setup: the set-up.
        path: its file, from which other files are found.
        table: the virtual table, if there is one.
        fps: frames a second of a virtual camera.
        tried: open it once to see that it can be; otherwise nothing is raised here.

    Raises:
        BadSource: the source cannot be opened as it was written.
        SourceLost: no device answers.

    """

    def opened() -> FrameSource:
        camera: FrameSource
        if table is not None:
            camera = VirtualCamera(table, fps=fps)
        else:
            camera = open_source(setup.camera.source, folder=path.parent, colour=True)
        held = ControlRequest(focus=setup.camera.focus, exposure=setup.camera.exposure)
        if held != ControlRequest() and isinstance(camera, Adjustable):
            camera.adjust(held)
        return camera

    if tried:
        opened().close()
    return opened
