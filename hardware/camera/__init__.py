"""Cameras: whatever delivers frames, live or recorded.

A kind of camera is one module of this package that declares which prefixes of a source it opens, `PREFIXES`, and how,
`open_spec(spec, *, folder, pace, colour)`.  There is no list of them to keep.
"""

import importlib
import pkgutil
from pathlib import Path

from hardware.camera.file import is_still, open_file
from hardware.camera.frame_source import FrameSource, Identity, Opener, PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from hardware.errors import BadSource

__all__ = [
    "FrameSource",
    "Identity",
    "LatestFrameReader",
    "PlaybackPace",
    "SourceState",
    "SourceStatus",
    "is_still",
    "open_file",
    "open_source",
]


def open_source(
    spec: str, *, folder: Path, pace: PlaybackPace = PlaybackPace.REAL, colour: bool = False
) -> FrameSource:
    """Open a source as a set-up writes it, such as ``usb:0`` or ``file:game.avi``.

    Relative paths start from `folder`, the set-up's own.  BadSource for what is wrong as written, SourceLost for a
    device that does not answer.
    """
    openers = _find_openers()
    for prefix, opener in openers.items():
        if spec.startswith(prefix):
            return opener(spec, folder=folder, pace=pace, colour=colour)
    raise BadSource(f"camera source '{spec}' is of no known kind: expected one of {' '.join(sorted(openers))}")


def _find_openers() -> dict[str, Opener]:
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return {prefix: module.open_spec for module in modules for prefix in getattr(module, "PREFIXES", ())}
