"""A measured projector in its file (`overtable.projector/1`), and its way into the set-up file."""

from pathlib import Path

from assistant.errors import BadInput
from assistant.files import read_json, write_whole
from assistant.naming import keep_named
from assistant.setup import Setup
from calibration.projector_file import ProjectorFile

FILE = "projector.json"
"""Beside the set-up file, where it names no other."""


def projector_of(setup: Setup, path: Path) -> tuple[ProjectorFile | None, str]:
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
    """Write a projector's calibration beside a set-up file and name it there, as `keep_named`."""
    return keep_named(path, _data(file), section="projector", key="calibration", default=FILE)


def write_projector(path: Path, file: ProjectorFile) -> None:
    """Write a projector file in place of the one of that name: a nudge makes no new version.

    Raises:
        BadInput: it cannot be written there.

    """
    write_whole(path, _data(file))


def _data(file: ProjectorFile) -> bytes:
    return (file.model_dump_json(indent=1) + "\n").encode()
