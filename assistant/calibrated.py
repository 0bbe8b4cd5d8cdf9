"""What a person is told of a calibration that does not hold, or that had to change."""

import math
from collections.abc import Sequence

from assistant.game.events import CalibrationChanged
from vision.types import CalibrationChange, ChangeKind, Doubt


def event_of(change: CalibrationChange) -> CalibrationChanged:
    """Return the event for a change, with no more decimals than a camera can give."""
    return CalibrationChanged(
        what=change.kind.value,
        tag=change.tag,
        moved_mm=round(change.moved_mm, 2),
        turned_rad=round(change.turned_rad, 6),
        before=change.calibration_before,
        after=change.calibration,
    )


def doubt_said(doubt: str, astray: Sequence[int]) -> str:
    """Return why nothing is judged at the moment, and what to do."""
    match Doubt(doubt):
        case Doubt.MOVING:
            return "The camera or the table was moved: wait until it is still. Until then nothing is judged."
        case Doubt.HIDDEN:
            return (
                "No anchor is to be seen, so it is not known where the camera stands: clear the view of the anchors, or"
                " point the camera at them again. Until then nothing is judged."
            )
        case Doubt.ASTRAY:
            return (
                f"{_astray(astray)}, and too few others tell whether that or the camera was moved: put back what"
                " slipped, or let more anchors be seen. If all lie where the set-up says, start again. Until then"
                " nothing is judged."
            )


def slip_said(tag: int, far_mm: float) -> str:
    """Return that an anchor is left out, and what to do."""
    return (
        f"Anchor {tag} slipped by {far_mm:.1f} mm and is left out: put it back where it lay, or measure its new place,"
        " write that into the set-up, and start again."
    )


def change_said(event: CalibrationChanged) -> str:
    """Return what was found to have changed; empty for what a person need not be told, or is told in another way."""
    if event.what == ChangeKind.CAMERA_MOVED:
        turned_deg = math.degrees(event.turned_rad)
        return (
            f"The camera or the table was moved by {event.moved_mm:.1f} mm and turned by {turned_deg:.2f}°;"
            " it has been calibrated anew."
        )
    if event.what == ChangeKind.ANCHOR_BACK:
        return f"Anchor {event.tag} lies where it belongs again."
    return ""


def _astray(tags: Sequence[int]) -> str:
    if len(tags) == 1:
        return f"Anchor {tags[0]} is not where it was"
    return (
        f"Anchors {', '.join(map(str, tags))} are not where they were" if tags else "Other anchors are seen than before"
    )
