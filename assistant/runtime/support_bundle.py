"""The support bundle: one file with what somebody needs who looks for a bug, and nothing secret.

It holds the logs of the last runs, the set-up with the calibration files that it names, the doctor's report, and which
versions of what run here.  Passwords in addresses are left out, the home folder is named ``~``, and pictures come
along only where they are asked for.
"""

import io
import json
import platform
import re
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import cv2

from assistant.errors import BadInput
from assistant.features.diagnosis.examination import build_opener
from assistant.files.documents import write_atomically
from assistant.runtime.logs import find_log, list_runs, redact, shorten_home
from assistant.setup.file import read_setup
from hardware.camera.address import redact_address
from hardware.camera.frame_source import IDENTITY_FILE
from hardware.errors import EndOfFrames
from overtable_errors import OvertableError

PACKED_RUNS = 5
ABOUT = (
    "What overtable doctor --bundle packed for a bug report: the logs of the last runs, the set-up and its\n"
    "calibration files, the doctor's report, and versions.\n"
    "Passwords are left out; look through it before you send it.\n"
)
_SOURCE = re.compile(r"(\bsource[\"']?\s*[=:]\s*[\"']*)([^\n]*)")


def write_bundle(path: Path, *, setup_path: Path | None, lens: Path | None, report: str, with_pictures: bool) -> None:
    """Write a bundle.

    Args:
        path: where.
        setup_path: the set-up that is looked at; None packs none.
        lens: a lens file in place of the set-up's.
        report: what the doctor said, or why nothing.
        with_pictures: pack a picture of the table as well.

    Raises:
        BadInput: it cannot be written there.

    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("about.txt", ABOUT)
        bundle.writestr("doctor.txt", clean_text(report))
        bundle.writestr("versions.json", clean_text(json.dumps(describe_versions(), indent=1)))
        for file in _list_files(setup_path, lens):
            bundle.writestr(f"setup/{file.name}", clean_text(_read_text(file)))
        log = find_log()
        for part in [part for run in list_runs(log.parent)[:PACKED_RUNS] for part in run] if log else []:
            bundle.writestr(f"log/{part.name}", clean_text(_read_text(part)))
        if with_pictures and setup_path is not None:
            name, data = _take_picture(setup_path)
            bundle.writestr(name, data)
    write_atomically(path, packed.getvalue())


def clean_text(text: str) -> str:
    """Return a text without passwords in addresses, and without the user's home folder.

    >>> clean_text('source = "rtsp://me:a b@cam/one"')
    'source = "rtsp://me:***@cam/one"'
    """
    return shorten_home(redact(_SOURCE.sub(lambda found: found[1] + redact_address(found[2]), text)))


def describe_versions() -> dict[str, object]:
    """Return what runs here, and in which versions."""
    packages = {found.metadata["Name"]: found.version for found in distributions()}
    return {
        "overtable": packages.get("overtable", "unknown"),
        "python": sys.version,
        "machine": platform.platform(),
        "packages": dict(sorted(packages.items(), key=lambda each: each[0].lower())),
    }


def _list_files(setup_path: Path | None, lens: Path | None) -> Iterator[Path]:
    """Yield the files of a set-up that are there; one that cannot be read names no others."""
    if setup_path is None:
        return
    named: list[str | None] = [IDENTITY_FILE]
    try:
        setup = read_setup(setup_path)
    except BadInput:
        pass  # the doctor's report says what is wrong with it
    else:
        named += [setup.camera.lens, setup.camera.table, setup.projector.calibration, setup.rings.words]
    files = [setup_path, *(setup_path.parent / name for name in named if name), *([lens] if lens else [])]
    yield from {file.name: file for file in files if file.is_file()}.values()


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _take_picture(setup_path: Path) -> tuple[str, bytes]:
    """Return the name and content of a picture of the table, or of what is said in its place."""
    try:
        source = build_opener(read_setup(setup_path), setup_path)()
        try:
            _, data = cv2.imencode(".jpg", source.read().shown)
        finally:
            source.close()
    except (OvertableError, EndOfFrames) as error:
        return "picture.txt", f"There is no picture: {clean_text(str(error))}\n".encode()
    return "picture.jpg", bytes(data)
