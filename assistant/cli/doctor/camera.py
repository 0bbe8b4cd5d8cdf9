"""The camera: its pictures' number and size, their light and sharpness, and the tags that they show."""

from collections.abc import Iterator, Sequence

import numpy as np

from assistant.clarity import focus_said, light_said, noise_said
from assistant.cli.doctor.report import Check, bad, fair, good
from assistant.cli.doctor.sight import Sight, View
from assistant.setup import Setup
from calibration.outlook import COLUMNS, ROWS
from calibration.spaces import CameraOverTable
from hardware.camera.usb import SIZE_PX

FEW_FPS, ENOUGH_FPS = 4.0, 9.0
"""Pictures a second below which a slide looks like a jump, and below which it is coarsely followed."""
USUAL_BLUR_PX = 0.7
LEAST_PX, SAFE_PX = (6.5, 8.0), (8.0, 10.0)
"""Edge of a tag's black square in the picture from which on half are read, and from which on all are: so much, and so
much more for each pixel of blur.  Measured on the virtual table: of tags all about it, those of 13 px were read at a
blur of 0.5 px, those of 17 px at 0.9 px; half of those of 10 and 14 px."""


def camera(source: str, view: View, sight: Sight) -> Iterator[Check]:
    """Say how many pictures come, of what size, and whether the camera keeps its focus."""
    width, height = sight.image_size
    fact = f"{source.rstrip(':')}: {width}x{height}"
    if source.startswith("usb:") and sight.image_size != SIZE_PX:
        fact += f" (asked for {SIZE_PX[0]}x{SIZE_PX[1]})"
    if view.rate is not None:
        fact += f", {view.rate:.0f} pictures a second"
    if view.identity.camera not in (None, source, source.rstrip(":")):
        fact += f", {view.identity.camera}"
    advice = "give the table more light, use a USB 3 socket without a hub, or a smaller picture"
    if view.rate is None or view.rate >= ENOUGH_FPS:
        yield good("camera", fact)
    elif view.rate >= FEW_FPS:
        yield fair("camera", fact, advice)
    else:
        yield bad("camera", fact, advice)
    if view.identity.autofocus:
        yield fair(
            "autofocus",
            "the camera changes its focus by itself, and its lens with it",
            "turn autofocus off in the camera's settings, then calibrate the lens",
        )


def picture(sight: Sight) -> Iterator[Check]:
    """Say whether the pictures are well lit and sharp."""
    remarks = (
        light_said(sight.exposure, tags=bool(sight.fits)),
        noise_said(sight.exposure),
        focus_said(blur_px=_blur_px(sight), tags=len(sight.fits)),
    )
    for said in filter(None, remarks):
        if said.grade == "good":
            yield good(said.about, said.text)
        else:
            yield (fair if said.grade == "weak" else bad)(said.about, said.text, said.advice)


def tags(setup: Setup, camera: CameraOverTable, sight: Sight) -> Check:
    """Say whether the tags are large enough to be read all over the table."""
    across, along = np.meshgrid(
        np.linspace(0, setup.table.width_mm, COLUMNS), np.linspace(0, setup.table.depth_mm, ROWS)
    )
    places = np.column_stack([across.ravel(), along.ravel(), np.zeros(across.size)])
    px_per_mm = float(np.sqrt(np.abs(np.linalg.det(camera.scale_px_per_mm(places))).min()))
    blur_px = _blur_px(sight)
    least_px, safe_px = (fixed + by_blur * blur_px for fixed, by_blur in (LEAST_PX, SAFE_PX))
    safe_mm = np.ceil(safe_px / px_per_mm)
    if not setup.bases:
        return good(
            "tags", f"the set-up has no bases yet; tags of {safe_mm:.0f} mm or more are read all over the table"
        )
    smallest = min(setup.bases, key=lambda base: base.size_mm)
    size_px = smallest.size_mm * px_per_mm
    fact = (
        f"the smallest, that of {smallest.model} with {smallest.size_mm:g} mm, is {size_px:.0f} px where it is farthest"
    )
    if size_px >= safe_px:
        return good("tags", fact)
    advice = f"use tags of {safe_mm:.0f} mm or more, or a camera with more pixels, or focus better"
    return (fair if size_px >= least_px else bad)("tags", fact, advice)


def bases(setup: Setup, sight: Sight) -> Iterator[Check]:
    """Say how surely the models are placed now."""
    seen = [pose for pose in sight.snapshot.poses if pose.state == "seen"]
    still = [pose for pose in seen if not pose.moving]
    if not setup.bases:
        return
    fact = f"{len(seen)} of {len(setup.bases)} are seen"
    if still:
        sigmas_mm = [float(np.sqrt(np.linalg.eigvalsh(pose.covariance[:2, :2])[-1])) for pose in still]
        worst = still[int(np.argmax(sigmas_mm))]
        fact += (
            f", placed within {np.median(sigmas_mm):.2f} mm, {worst.model} within {max(sigmas_mm):.2f} mm (one sigma)"
        )
    if twice := sight.snapshot.shown_twice:
        yield bad("bases", f"{fact}; in view twice: tag {_listed(twice)}", "take one print of each away")
    elif seen:
        yield good("bases", fact)
    else:
        yield fair("bases", fact, "set the models on the table, tags up, to see how surely they are placed")


def _blur_px(sight: Sight) -> float:
    return float(np.median([fit.blur_px for fit in sight.fits] or [USUAL_BLUR_PX]))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
