"""A lens's way to the disk, and into the set-up file."""

from pathlib import Path

from assistant.naming import keep_named
from assistant.setup import Setup
from calibration.store import LensFile


def keep_lens(path: Path, lens: LensFile) -> tuple[Setup, Path, Path | None]:
    """Write a lens file beside a set-up file and name it there, as `keep_named`.

    It gets the name that the set-up gives it already, or one after the set-up's own.
    """
    data = (lens.model_dump_json(indent=1) + "\n").encode()
    return keep_named(path, data, section="camera", key="lens", default=f"{path.stem}-lens.json")
