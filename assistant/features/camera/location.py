"""Location in pictures: where the bases of a set-up stand in stills, videos and camera sources."""

from collections.abc import Iterator
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import iterate_frames, read_frames
from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.recording.poses import Poses, build_poses_document
from assistant.setup.file import read_setup
from hardware.camera import PlaybackPace, has_known_kind, open_source
from hardware.camera.address import redact_address
from hardware.camera.file import is_still
from hardware.camera.frame_source import Identity, read_identity_beside
from hardware.frame import Frame
from overtable_errors import OvertableError
from vision.markers import Markers
from vision.pipeline import Pipeline, locate_bases_in_image


class PictureLocator:
    """Locates the bases of one set-up."""

    def __init__(self, setup_path: Path, lens: Path | None) -> None:
        """Read a set-up file; a lens file may take the place of the one that it names.

        Raises:
            BadInput: a file is not as it should be.

        """
        setup = read_setup(setup_path)
        self._markers, notice = build_markers(setup, setup_path, lens)
        self._files = find_calibration_files(setup, setup_path, lens)
        self._notices = [notice]

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know beside the answers, each sentence once."""
        return tuple(dict.fromkeys(self._notices))

    def locate(self, image: str) -> Iterator[Poses]:
        """Yield a document for a picture, or for every frame of a video or a camera source such as ``images:FOLDER``.

        Raises:
            BadInput: it cannot be used; the sentence says why.

        """
        pairing = Pairing(self._files)
        path = Path(image)
        if has_known_kind(image) and not path.exists():
            yield from _locate_in_source(self._markers, image, pairing)
        else:
            yield from (_locate_in_still if is_still(path) else _locate_in_video)(self._markers, path, pairing)
        self._notices.append(pairing.notice)


def _locate_in_still(markers: Markers, path: Path, pairing: Pairing) -> Iterator[Poses]:
    (frame,) = read_frames(path)
    try:
        pairing.check(read_identity_beside(path), frame.image)
        snapshot = locate_bases_in_image(markers, frame.image, frame.captured_ns)
    except OvertableError as error:
        raise BadInput(f"{path}: {error}") from None
    yield build_poses_document(snapshot, source=path.name, frame=0, captured_ns=None)


def _locate_in_video(markers: Markers, path: Path, pairing: Pairing) -> Iterator[Poses]:
    return _follow(markers, read_frames(path), read_identity_beside(path), pairing, name=str(path), source=path.name)


def _locate_in_source(markers: Markers, spec: str, pairing: Pairing) -> Iterator[Poses]:
    source = open_source(spec, folder=Path(), pace=PlaybackPace.FREE)
    shown = redact_address(spec)
    return _follow(markers, iterate_frames(source), source.identify(), pairing, name=shown, source=shown)


def _follow(
    markers: Markers, frames: Iterator[Frame], identity: Identity, pairing: Pairing, *, name: str, source: str
) -> Iterator[Poses]:
    """Yield what each frame shows, followed from one to the next."""
    pipeline = Pipeline(markers=markers)
    for frame in frames:
        try:
            pairing.check(identity, frame.image)
            snapshot = pipeline.step(frame)
        except OvertableError as error:
            raise BadInput(f"{name}: {error}") from None
        yield build_poses_document(snapshot, source=source, frame=frame.sequence, captured_ns=frame.captured_ns)
