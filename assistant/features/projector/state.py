"""The state of a projector's calibration: picture after picture, what it throws next and what was measured so far.

State in, picture in, state out.  First the page is dark, so that the camera finds the table by its anchors.  Then
tags of light are thrown all over the projector's picture, wherever they fall; they tell roughly where its pixels
land.  Then others are thrown at places on the table that are flat and free, with darkness on every tag and base, and
the fit is made from all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.features.projector.projection_surface import (
    BRIGHT,
    ProjectionSurface,
    describe_bare_parts,
    explain_unseen,
    lay_free_tags,
    lies_flat,
)
from calibration.errors import Unsolvable
from calibration.projector.solve import LEAST_TAGS, ProjectedTag, ProjectorFit, solve_projector, solve_projector_roughly
from calibration.spaces import CameraOverTable
from vision.projected_tags import ProjectorTag, ProjectorTagSighting, is_mirrored, lay_out_tags, observe_tags
from vision.tags.detection import detect_tags, select_around

Grey = NDArray[np.uint8]

DARK_LOOKS = 12
"""Pictures of the dark table, from which the camera's place is averaged."""
AVERAGED = 8
"""Pictures of the same light."""
LOOK_NS = 400_000_000
"""Between two looks all over the picture, which take long, once it is clear that something is missing."""
PATIENCE_NS = 4_000_000_000
"""After so long without enough tags, a person is told what may be wrong."""
TOO_BRIGHT = 0.2
"""The share of the tags as bright as the camera can tell, at which there is too much light."""
GLARE = 0.02
"""The share of a picture that is so bright, at which less light is tried."""
DIMMER, LEAST_LEVEL = 0.6, 80
BUMPED_PX = 2.0


class ProjectorStep(StrEnum):
    """What is going on."""

    PAGE = "page"
    """No projector page has said how large it is."""
    DARK = "dark"
    FIRST = "first"
    """Tags of light all over the projector's picture."""
    SECOND = "second"
    """Tags of light where the table is flat and free."""
    MEASURED = "measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorCalibrationState:
    """A calibration of a projector under way."""

    image_size: tuple[int, int] | None
    """Of the projector page, px."""
    step: ProjectorStep
    note: str = ""
    """What is in the way or how far it is, in a sentence."""
    thrown: tuple[ProjectorTag, ...] = ()
    """What the page shows."""
    level: int = 255
    """Grey level of the light."""
    camera: CameraOverTable | None = None
    """As the anchors told it while the table was dark."""
    seen: dict[int, ProjectorTagSighting] = field(default_factory=dict)
    """By tag of light, of what is thrown now."""
    found: tuple[ProjectedTag, ...] = ()
    """What was thrown before."""
    result: ProjectorFit | None = None
    looks: int = 0
    steady: int = 0
    """Looks since the last that found another tag."""
    began_ns: int | None = None
    looked_ns: int = 0
    made_ns: int | None = None


def begin(image_size: tuple[int, int] | None, *, level: int = 255) -> ProjectorCalibrationState:
    """Return the beginning of a calibration for a page of that size, or for one that is yet to come."""
    return ProjectorCalibrationState(
        image_size=image_size, step=ProjectorStep.DARK if image_size else ProjectorStep.PAGE, level=level
    )


def look(
    state: ProjectorCalibrationState,
    *,
    grey: Grey,
    captured_ns: int,
    camera: CameraOverTable | None,
    surface: ProjectionSurface,
) -> ProjectorCalibrationState:
    """Return a calibration after one more picture.

    Args:
        state: before it.
        grey: (height, width) the picture.
        captured_ns: when it was taken.
        camera: where the camera is, or None if nobody knows; asked for while the page is dark.
        surface: the table and what is on it.

    """
    match state.step:
        case ProjectorStep.DARK if camera is None:
            return replace(
                state, looks=0, note="The camera does not know where the table is: it has to see the anchors."
            )
        case ProjectorStep.DARK if state.looks < DARK_LOOKS:
            return replace(state, looks=state.looks + 1, note="Looking at the table in the dark …")
        case ProjectorStep.DARK:
            assert state.image_size is not None
            tags = lay_out_tags(state.image_size, surface.free_tags)
            return _show_tags(replace(state, camera=camera, found=()), ProjectorStep.FIRST, tags)
        case ProjectorStep.FIRST | ProjectorStep.SECOND:
            return _watch_tags(state, grey, captured_ns, surface)
    return state


def _show_tags(
    state: ProjectorCalibrationState,
    step: ProjectorStep,
    tags: Sequence[ProjectorTag],
    **changes: Any,  # noqa: ANN401 - whatever `replace` takes
) -> ProjectorCalibrationState:
    """Return a state that begins to throw some tags."""
    fresh = replace(state, step=step, thrown=tuple(tags), seen={}, looks=0, steady=0, began_ns=None, looked_ns=0)
    return replace(fresh, **{"note": f"Looking for {len(tags)} tags of light …", **changes})


def _watch_tags(
    state: ProjectorCalibrationState, grey: Grey, captured_ns: int, surface: ProjectionSurface
) -> ProjectorCalibrationState:
    if state.began_ns is None:
        state = replace(state, began_ns=captured_ns)
    assert state.began_ns is not None
    # All over the picture until nothing new comes up; then where the tags are, which is quick.
    searching = state.steady < 2
    late = captured_ns - state.began_ns > PATIENCE_NS
    if searching and late and captured_ns - state.looked_ns < LOOK_NS:
        return state
    seen, still = observe_tags(grey, state.thrown, state.seen, thorough=searching)
    if not still:
        return replace(state, seen={}, steady=0, began_ns=captured_ns, note="Something moves: keep still.")
    enough = len(seen) >= LEAST_TAGS
    new = len(seen) > len(state.seen)
    steady = 0 if new or not enough else state.steady + 1
    state = replace(state, seen=seen, looks=state.looks + 1, steady=steady, looked_ns=captured_ns, made_ns=captured_ns)
    if not enough:
        return _explain_unseen(state, grey, captured_ns) if late else state
    state = replace(state, note=f"{len(seen)} of {len(state.thrown)} tags of light seen.")
    return state if state.steady < AVERAGED else _finish_throw(state, grey, captured_ns, surface)


def _explain_unseen(
    state: ProjectorCalibrationState, grey: Grey, captured_ns: int, why: str = ""
) -> ProjectorCalibrationState:
    """Say what may be wrong where too little is seen; try less light where there is glare."""
    glare = float((grey >= BRIGHT).mean())
    if glare > GLARE and state.level > LEAST_LEVEL:
        level = max(LEAST_LEVEL, round(state.level * DIMMER))
        return replace(state, level=level, began_ns=captured_ns, seen={}, note="Too much light: trying with less.")
    if not why and is_mirrored(grey, state.thrown):
        note = "The projector's picture is mirrored: turn off rear projection, or mirroring, in its menu."
    elif glare > GLARE:
        note = "The picture is too bright: lower the camera's exposure, or darken the room."
    else:
        note = why or (
            f"{len(state.seen)} of {len(state.thrown)} tags of light are seen. Is the projector page on the projector,"
            " full screen (press F), sharp, and its light on the table?"
        )
    return replace(state, note=note)


def _finish_throw(
    state: ProjectorCalibrationState, grey: Grey, captured_ns: int, surface: ProjectionSurface
) -> ProjectorCalibrationState:
    """Go on from one throw of tags to the next, or to the result."""
    assert state.camera is not None
    assert state.image_size is not None
    if state.step is ProjectorStep.SECOND and _is_bumped(state.camera, grey, surface):
        return replace(begin(state.image_size), note="The camera was moved meanwhile: starting over.")
    seen = [tag for tag in state.thrown if tag.tag in state.seen]
    here = [_project_tag(tag, state.seen[tag.tag], state.camera) for tag in seen]
    flat = [tag for tag in here if lies_flat(tag.places_mm, surface)]
    placed = [*state.found, *flat]
    try:
        rough = solve_projector_roughly(placed, state.image_size, surface.table_mm)
        tags = lay_free_tags(rough, surface, leaving_out={tag.tag for tag in state.thrown})
        last = state.step is ProjectorStep.SECOND or len(tags) < LEAST_TAGS
        fit = solve_projector(placed, state.image_size, surface.table_mm) if last else None
    except Unsolvable as error:
        why = str(error)
        return replace(_explain_unseen(state, grey, captured_ns, f"{why[:1].upper()}{why[1:]}."), steady=0)
    missing = [tag for tag in state.thrown if tag.tag not in state.seen]
    unseen = explain_unseen(missing, rough, grey, state.camera, surface)
    note = f"{len(seen)} of {len(state.thrown)} tags of light seen{unseen}."
    if fit is not None:
        note += describe_bare_parts(fit.places_mm, surface)
        return replace(state, step=ProjectorStep.MEASURED, result=fit, thrown=(), note=note)
    level = state.level
    if _measure_glare(state, grey) > TOO_BRIGHT and level > LEAST_LEVEL:
        level = max(LEAST_LEVEL, round(level * DIMMER))
    return _show_tags(replace(state, found=tuple(placed), level=level), ProjectorStep.SECOND, tags, note=note)


def _measure_glare(state: ProjectorCalibrationState, grey: Grey) -> float:
    """Return the share of the tags that were seen whose light is as bright as the camera can tell."""
    bright = 0.0
    for sighting in state.seen.values():
        at = select_around(sighting.corners_px, 0.0, grey)
        bright += float(np.percentile(grey[at.top : at.bottom, at.left : at.right], 90) >= BRIGHT)
    return bright / max(1, len(state.seen))


def _is_bumped(camera: CameraOverTable, grey: Grey, surface: ProjectionSurface) -> bool:
    """Whether most anchors in view are no longer where the camera had them; the page is dark on them now."""
    expected = {anchor.tag: camera.image_from_table(anchor.square_mm) for anchor in surface.anchors}
    regions = [select_around(corners, 0.02 * grey.shape[1], grey) for corners in expected.values()]
    detections = detect_tags(grey, regions, frozenset(expected))
    off = [bool(np.abs((tag.corners_px - expected[tag.tag]).mean(axis=0)).max() > BUMPED_PX) for tag in detections]
    return 2 * sum(off) > len(off)


def _project_tag(tag: ProjectorTag, sighting: ProjectorTagSighting, camera: CameraOverTable) -> ProjectedTag:
    places = camera.table_from_image(sighting.corners_px, 0.0)
    steps = np.linalg.inv(camera.scale_px_per_mm(np.column_stack([places, np.zeros(4)])))
    local = np.zeros((8, 8))
    for k, step in enumerate(steps):
        local[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = step
    return ProjectedTag(
        tag=tag.tag,
        pixels=tag.corners_px,
        places_mm=places,
        covariance_mm2=local @ sighting.mean_covariance_px2 @ local.T,
    )
