"""What a folder of recordings says of the camera that took them.

Pictures and films do not carry it.  A file ``camera.json`` beside them may:
``{"format": "overtable.camera/1", "identity": "usb 046d:0825 serial 1A2B3C4D", "focus": 30}``.
"""

import json
import math
from pathlib import Path

from hardware.camera.source import Identity
from hardware.errors import BadSource

NAME = "camera.json"
FORMAT = "overtable.camera/1"


def identity_beside(recording: Path) -> Identity:
    """Return which camera took a film or a picture, nothing where its folder does not say.

    Raises:
        BadSource: the folder's camera.json is not as it should be.

    """
    path = recording.parent / NAME
    if not path.is_file():
        return Identity()
    try:
        told = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as fault:
        raise BadSource(f"{path}: this is not whole JSON ({fault}): mend it, or take it away") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise BadSource(f'{path}: expected an object with "format": "{FORMAT}"')
    camera, focus = told.get("identity"), told.get("focus")
    if camera is not None and not (isinstance(camera, str) and camera):
        raise BadSource(f"{path}: identity: expected the name of a camera, not {camera!r}")
    number = isinstance(focus, int | float) and not isinstance(focus, bool)
    if focus is not None and not (number and math.isfinite(focus)):
        raise BadSource(f"{path}: focus: expected a number, not {focus!r}")
    return Identity(camera=camera, focus=None if focus is None else float(focus))
