"""Camera pairing: calibration files are held to the camera that they are used with."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.files.documents import read_json
from assistant.recording.journal.row_types import FileUsed
from assistant.setup.file import Setup
from calibration.camera_match import CameraMark, require_same_camera
from calibration.errors import WrongPairing
from calibration.lens.file import LensFile
from hardware.camera.frame_source import Identity, read_identity_beside


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFile:
    """A file that poses rest on, and the camera that it was made with."""

    path: Path
    sha256: str
    made_with: CameraMark

    @property
    def used(self) -> FileUsed:
        """How the journal names it."""
        return FileUsed(name=self.path.name, sha256=self.sha256)


def find_calibration_files(setup: Setup, path: Path, lens: Path | None) -> tuple[CalibrationFile, ...]:
    """Return the files bound to a camera that a set-up names and that are there.

    Args:
        setup: the set-up.
        path: its file, from which the others are found.
        lens: a lens file in place of the one that it names.

    Raises:
        BadInput: one of them does not fit its format.

    """
    named = lens or (path.parent / setup.camera.lens if setup.camera.lens else None)
    if named is None or (lens is None and not named.exists()):
        return ()
    made_with = read_json(named, LensFile).mark
    try:
        digest = sha256(named.read_bytes()).hexdigest()
    except OSError as error:
        raise BadInput(f"{named}: cannot be read ({error.strerror})") from None
    return (CalibrationFile(path=named, sha256=digest, made_with=made_with),)


def build_mark(identity: Identity, image: NDArray[np.uint8]) -> CameraMark:
    """Return the mark of the camera that took a picture."""
    height, width = image.shape[:2]
    return CameraMark(identity=identity.camera, image_size=(width, height), focus=identity.focus)


def read_mark(pictures: Sequence[Path], image_size: tuple[int, int]) -> CameraMark:
    """Return the mark of the camera that took some pictures or films, as far as their folders say.

    Raises:
        BadInput: they say that several cameras took them, or one that was set otherwise.

    """
    first, *others = pictures
    identity = read_identity_beside(first)
    for other in others:
        if read_identity_beside(other) != identity:
            raise BadInput(
                f"{other}: the camera.json beside it is not that beside {first};"
                " all pictures must come from one camera with one focus"
            )
    return CameraMark(identity=identity.camera, image_size=image_size, focus=identity.focus)


class Pairing:
    """Asks whenever a camera is new, or set otherwise, whether the calibration files are its own."""

    def __init__(self, files: Sequence[CalibrationFile] = ()) -> None:
        """Begin with the files that are used."""
        self.files = tuple(files)
        self.mark: CameraMark | None = None
        """The camera as it was last looked through."""
        self.trouble = ""
        """What is wrong with the camera that took another's place, in one sentence."""
        self.notice = ""
        """What a person should know of the first camera; empty if nothing."""
        self._asked: tuple[Identity, tuple[int, ...]] | None = None

    def check(self, identity: Identity, image: NDArray[np.uint8]) -> str:
        """Return what a person should be told now of the camera that took this picture; empty if nothing.

        A camera that takes another's place later ends no game: it is told in `trouble`.

        Raises:
            calibration.errors.WrongPairing: the files are not those of the first camera.

        """
        asked = identity, image.shape[:2]
        if asked == self._asked:
            return ""
        first, self._asked = self._asked is None, asked
        self.mark, self.trouble = build_mark(identity, image), ""
        try:
            notices = [require_same_camera(str(file.path), file.made_with, self.mark) for file in self.files]
        except WrongPairing as error:
            if first:
                raise
            self.trouble = f"The camera is not what it was at first: {error}."
            return ""
        self.notice = "; ".join(filter(None, notices)) if first else self.notice
        return self.notice if first else ""
