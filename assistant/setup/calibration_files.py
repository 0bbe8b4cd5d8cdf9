"""Calibration files of a set-up: the lens file and the projector file, written beside the set-up file and named there.

The file that was there before is kept under another name; only a nudge of the projector writes in place.
"""

from pathlib import Path

from assistant.errors import BadInput
from assistant.files.documents import read_json, write_atomically
from assistant.setup.editing import keep_named_file
from assistant.setup.file import Setup
from calibration.lens.file import LensFile
from calibration.projector.file import ProjectorFile


def keep_lens(path: Path, lens: LensFile) -> tuple[Setup, Path, Path | None]:
    """Write a lens file beside a set-up file and name it there, as `keep_named_file`.

    It gets the name that the set-up gives it already, or one after the set-up's own.
    """
    data = (lens.model_dump_json(indent=1) + "\n").encode()
    return keep_named_file(path, data, section="camera", key="lens", default=f"{path.stem}-lens.json")


PROJECTOR_FILE = "projector.json"
"""Beside the set-up file, where it names no other."""


def read_projector(setup: Setup, path: Path) -> tuple[ProjectorFile | None, str]:
    """Return the projector file that a set-up names, and what a person should know if it is not there yet.

    Raises:
        BadInput: the file does not fit its format, or is of another table.

    """
    if setup.projector.calibration is None:
        return None, ""
    named = path.parent / setup.projector.calibration
    if not named.exists():
        return None, (
            f"{named} is not there yet, so the projector page fits the table into its window;"
            f" make it with: overtable calibrate projector --setup {path}"
        )
    file = read_json(named, ProjectorFile)
    table = setup.table
    if (file.table.width_mm, file.table.depth_mm) != (table.width_mm, table.depth_mm):
        raise BadInput(
            f"{named}: this projector was calibrated over a table of {file.table.width_mm:g} x {file.table.depth_mm:g}"
            f" mm, but that of {path} is {table.width_mm:g} x {table.depth_mm:g} mm; calibrate it again, or take"
            " projector.calibration out of the set-up"
        )
    return file, ""


def keep_projector(path: Path, file: ProjectorFile) -> tuple[Setup, Path, Path | None]:
    """Write a projector's calibration beside a set-up file and name it there, as `keep_named_file`."""
    return keep_named_file(
        path, _encode_projector(file), section="projector", key="calibration", default=PROJECTOR_FILE
    )


def write_projector(path: Path, file: ProjectorFile) -> None:
    """Write a projector file in place of the one of that name: a nudge makes no new version.

    Raises:
        BadInput: it cannot be written there.

    """
    write_atomically(path, _encode_projector(file))


def _encode_projector(file: ProjectorFile) -> bytes:
    return (file.model_dump_json(indent=1) + "\n").encode()
