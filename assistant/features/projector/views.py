"""Projector views: from a projector to what the pages show of it."""

import numpy as np

from assistant.web.messages import View
from assistant.web.messages.calibration import LightErrorView, NudgeView, ProjectorView, ThrownView, WarpView
from assistant.web.messages.table import NoticeView
from calibration.projector.file import NudgeEntry, ProjectorFile
from calibration.projector.model import ProjectorOverTable
from hardware.tag36h11 import MODULES, find_white_modules
from vision.projected_tags import ProjectorTag


def build_light_view(projector: ProjectorView) -> View:
    """Return a projector's sections, and for the tablet, too, why the table is dark or full of tags."""
    text = f"The projector is being calibrated. {projector.note}".strip()
    return View(
        projector={"projector": projector},
        notices={} if projector.step is None else {"projector": NoticeView(text=text)},
    )


def build_thrown_view(tag: ProjectorTag) -> ThrownView:
    """Return a tag of light as the page draws it."""
    white = np.pad(find_white_modules(tag.tag), 1, constant_values=True)
    rows = [int("".join("1" if cell else "0" for cell in row), 2) for row in white]
    assert len(rows) == MODULES
    return ThrownView(left_px=tag.left_px, top_px=tag.top_px, cell_px=tag.cell_px, rows=rows)


def build_warp_view(projector: ProjectorOverTable) -> WarpView:
    """Return what the page warps the overlay by."""
    cx, cy, *distortion = projector.parameters[8:].tolist()
    return WarpView(
        image_size=projector.image_size,
        homography=projector.homography.ravel().tolist(),
        centre_px=(cx, cy),
        radius_px=projector.radius_px,
        distortion=(distortion[0], distortion[1], distortion[2], distortion[3]),
    )


def build_error_view(file: ProjectorFile) -> LightErrorView | None:
    """Return how well the light is known to land; None where the file does not say."""
    held_out = file.held_out
    return None if held_out is None else LightErrorView(**held_out.model_dump(), lens=file.lens)


def build_nudge_view(entry: NudgeEntry, *, can_undo: bool) -> NudgeView:
    """Return by how much a person has moved the light."""
    return NudgeView(**entry.model_dump(), can_undo=can_undo)
