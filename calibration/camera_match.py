"""Camera match: whether a calibration belongs to the camera that it is used with.

A calibration holds for one camera, at one resolution, with its lens focused as it was.  Its file says which under
the key ``camera``; files of other tools do not, and then nothing can be told.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from calibration.errors import WrongPairing

Pixels = Annotated[int, Field(ge=16, le=100_000)]

FOCUS_TOLERANCE = 0.5
"""Drivers count focus in steps; what is less than half a step apart is the same."""
SHAPE_TOLERANCE = 0.005
"""Sizes whose ratios of width to height differ by a smaller share are of one shape."""


class CameraMark(BaseModel):
    """What tells one camera, as it was set, from another."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)

    identity: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    """What the camera says that it is: maker, product, serial number, or its address; null where it cannot be told."""
    image_size: tuple[Pixels, Pixels]
    """Width and height of its pictures."""
    focus: float | None = None
    """The focus that was set, in the driver's own steps; null where it is fixed, automatic or cannot be told."""


class CameraMatch(StrEnum):
    """How two marks compare."""

    SAME = "same"
    DIFFERENT = "different"
    CANNOT_TELL = "cannot-tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraComparison:
    """How a calibration's camera and another compare, and why."""

    match: CameraMatch
    reason: str
    """Half a sentence that follows the calibration's name, such as "was made with another camera: ..."; empty if they
    are the same."""


def match_cameras(made_with: CameraMark | None, used_with: CameraMark) -> CameraComparison:
    """Compare the camera that a calibration was made with to the one that it is used with; None is an unknown one."""
    if made_with is None:
        return _report_unsure("does not say which camera it was made with")
    if made_with.image_size != used_with.image_size:
        return _report_different(describe_size_difference(made_with.image_size, used_with.image_size))
    then, now = made_with.identity, used_with.identity
    if then is not None and now is not None and then != now:
        return _report_different(f"was made with another camera: {then}, but this is {now}")
    set_then, set_now = made_with.focus, used_with.focus
    if set_then is not None and set_now is not None and abs(set_then - set_now) > FOCUS_TOLERANCE:
        return _report_different(
            f"was made with the focus at {set_then:g}, but it is at {set_now:g} now: set it back, or calibrate anew"
        )
    if then is None:
        return _report_unsure("does not say which camera it was made with")
    if now is None:
        return _report_unsure(f"was made with {then}, and what camera this is cannot be told")
    if (set_then is None) is not (set_now is None):
        return _report_unsure(f"was made with {_describe_focus(set_then)}, and now there is {_describe_focus(set_now)}")
    return CameraComparison(match=CameraMatch.SAME, reason="")


def require_same_camera(name: str, made_with: CameraMark | None, used_with: CameraMark) -> str:
    """Return what a person should know of a calibration that is used with a camera; empty where all is well.

    Args:
        name: the calibration's file, as the person knows it.
        made_with: the camera in the file, None where it says nothing.
        used_with: the camera that is looked through now.

    Raises:
        WrongPairing: they are different cameras, or one that is set otherwise.

    """
    comparison = match_cameras(made_with, used_with)
    match comparison.match:
        case CameraMatch.SAME:
            return ""
        case CameraMatch.CANNOT_TELL:
            return f"{name} {comparison.reason}; it is used all the same"
        case CameraMatch.DIFFERENT:
            raise WrongPairing(f"{name} {comparison.reason}")


def describe_size_difference(made_at: tuple[int, int], used_at: tuple[int, int]) -> str:
    """Return how two sizes of pictures, width and height, differ, as the end of a sentence."""
    then, now = (f"{width}x{height}" for width, height in (made_at, used_at))
    (width_then, height_then), (width_now, height_now) = made_at, used_at
    same_shape = abs(width_then * height_now / (height_then * width_now) - 1) < SHAPE_TOLERANCE
    return f"was made at {then}, but the pictures are {now}, " + (
        "of the same shape: set the camera to that size, or calibrate at this one"
        if same_shape
        else "of another shape, so they are cut otherwise: calibrate at this size"
    )


def _report_different(reason: str) -> CameraComparison:
    return CameraComparison(match=CameraMatch.DIFFERENT, reason=reason)


def _report_unsure(reason: str) -> CameraComparison:
    return CameraComparison(match=CameraMatch.CANNOT_TELL, reason=reason)


def _describe_focus(focus: float | None) -> str:
    return "a focus that cannot be told" if focus is None else f"the focus at {focus:g}"
