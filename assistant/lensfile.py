"""A lens on its way to the disk: beside the set-up file, and named there; a lens that was there before is kept."""

from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.errors import BadInput
from assistant.files import check, write_whole
from assistant.setup import Setup, read_setup
from calibration.store import LensFile


def keep_lens(path: Path, lens: LensFile) -> tuple[Setup, Path, Path | None]:
    """Write a lens file beside a set-up file and name it there; everything else in it stays.

    It gets the name that the set-up gives it already, or one after the set-up's own.  What was there under that name
    gets another.

    Returns:
        what the set-up now says, the lens file, and where the one before it is now; None where there was none.

    Raises:
        BadInput: the file is not a set-up, or something cannot be written; all is then as before.

    """
    setup = read_setup(path)  # says in one sentence what is wrong with it
    name = setup.camera.lens or f"{path.stem}-lens.json"
    target = path.parent / name
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
        camera: Any = document["camera"]
        if camera.get("lens") != name:
            camera["lens"] = name
        text = tomlkit.dumps(document)
        plain = tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        raise BadInput(f"{path}: the lens cannot be named in it ({error})") from None
    setup = check(plain, Setup, str(path))
    before = _set_aside(target)
    try:
        write_whole(target, (lens.model_dump_json(indent=1) + "\n").encode())
        write_whole(path, text.encode())
    except BadInput:
        if before is not None:
            before.replace(target)
        raise
    return setup, target, before


def _set_aside(path: Path) -> Path | None:
    """Give a file that is there another name, which no file has."""
    if not path.exists():
        return None
    names = (path.with_name(f"{path.stem}.before-{number}{path.suffix}") for number in range(1, 10_000))
    aside = next(name for name in names if not name.exists())
    try:
        path.rename(aside)
    except OSError as error:
        raise BadInput(f"{path}: the lens that is there cannot be renamed ({error.strerror})") from None
    return aside
