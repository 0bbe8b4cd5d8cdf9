"""A measured projector in its file (`overtable.projector/1`), and its way into the set-up file."""

from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.errors import BadInput
from assistant.files import check, read_json, write_whole
from assistant.setup import Setup, read_setup
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
    """Write a projector's calibration beside a set-up file, and name it there if it is not named yet.

    Returns:
        What the set-up now says, the file written, and where the one that was there before is kept.

    Raises:
        BadInput: the set-up is none, or something cannot be written; both files are then as before.

    """
    setup = read_setup(path)
    named = path.parent / (setup.projector.calibration or FILE)
    before = _kept_aside(named)
    write_projector(named, file)
    if setup.projector.calibration is None:
        setup = _name(path, FILE)
    return setup, named, before


def write_projector(path: Path, file: ProjectorFile) -> None:
    """Write a projector file in place of the one of that name.

    Raises:
        BadInput: it cannot be written there.

    """
    write_whole(path, (file.model_dump_json(indent=1) + "\n").encode())


def _kept_aside(path: Path) -> Path | None:
    """Copy a file to the first free name with a number; return it, or None if there is no such file."""
    if not path.exists():
        return None
    numbered = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in range(1, 10_000))
    aside = next(name for name in numbered if not name.exists())
    try:
        write_whole(aside, path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: cannot be read to keep a copy of it ({error.strerror})") from None
    return aside


def _name(path: Path, name: str) -> Setup:
    """Enter the projector file's name into a set-up file; everything else in it stays."""
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
        section = document.get("projector")
        if section is None:
            section = tomlkit.table()
            document["projector"] = section
        section["calibration"] = name
        text = tomlkit.dumps(document).rstrip("\n") + "\n"
        plain = tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        raise BadInput(f"{path}: the projector cannot be entered ({error})") from None
    setup = check(plain, Setup, str(path))
    write_whole(path, text.encode())
    return setup
