"""Cameras: whatever delivers frames, live or recorded.

A kind of camera is one module of this package that declares which prefixes of a source it opens, `PREFIXES`, and how,
`open_spec(spec, *, folder, pace, colour)`.  There is no list of them to keep.  Other packages bring theirs by entry
points of the group ``overtable.cameras``, each of which names such a module.
"""

import importlib
import logging
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from hardware.camera.address import redact_address
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
    "has_known_kind",
    "is_still",
    "open_file",
    "open_source",
]
_log = logging.getLogger(__name__)


def has_known_kind(spec: str) -> bool:
    """Return whether something reads as a source that `open_source` opens, by its prefix."""
    return spec.startswith(tuple(_find_openers()))


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
    raise BadSource(
        f"camera source '{redact_address(spec)}' is of no known kind: expected one of {' '.join(sorted(openers))}"
    )


@cache
def _find_openers() -> Mapping[str, Opener]:
    """Return what opens the sources of each prefix, the built-in kinds' first.

    A kind that cannot be used is left out, and so is one whose prefix is taken; a sentence in the log says so.
    """
    openers: dict[str, Opener] = {}
    for entry in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{entry.name}")
        for prefix in getattr(module, "PREFIXES", ()):
            openers[prefix] = module.open_spec
    for point in sorted(entry_points(group="overtable.cameras"), key=lambda point: (_name_owner(point), point.name)):
        try:
            kind = point.load()
            brought = {str(prefix): kind.open_spec for prefix in kind.PREFIXES}
        except Exception as fault:
            reason = f"{type(fault).__name__}: {fault}"
            _log.warning("%s: its camera %r cannot be used: %s", _name_owner(point), point.name, reason)
            continue
        if same := sorted(openers.keys() & brought.keys()):
            reason = f"'{same[0]}' is built in, or brought by another package, already"
            _log.warning("%s: its camera %r cannot be used: %s", _name_owner(point), point.name, reason)
            continue
        openers |= brought
    return openers


def _name_owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
