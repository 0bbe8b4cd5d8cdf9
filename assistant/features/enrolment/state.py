"""The state of an enrolment: picture after picture, which step a person is at and what was measured so far.

State in, picture in, state out.  It looks at the whole picture only to find the sheet, a part at a time, and then
only around it, a few times a second.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.features.enrolment import ring_reading
from assistant.game.base_spec import BaseSpec
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import trace_outline
from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable
from hardware.printing.sheets import ENROLMENT_TAGS, EnrolmentTag, build_enrolment_tags
from hardware.rings.layout import RingKind
from hardware.rings.words import RingList
from vision.enrolment.enrolment_sheet import (
    EmptySheet,
    Enrolment,
    HeightPrior,
    SheetPlacement,
    average_placements,
    find_placement,
    find_sheet,
    is_same_placement,
    solve_sheet,
)
from vision.enrolment.spin import ENOUGH_RAD, LEAST_TURN_RAD, find_turning_tag, solve_spin, spin_from_corners
from vision.marker_numbers import get_ring, name_marker
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_around
from vision.tracking.search import choose_regions_near_known, cut_into_parts

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

LOOK_NS = 180_000_000
"""Between two looks at what has been found."""
RULED_SIGMA_MM = 0.3
"""How well a person measures a height with a ruler."""
REST_LOOKS = 4
"""So many looks in a row that show the same are rest."""
LONG_REST_LOOKS = 12
"""A model that was not turned all round, and rests for so long, will not be turned any further."""
STILL_PX = 1.5
AGREED_LOOKS = 2
"""So many times in a row all of the picture has to show the same ring."""
LOST_LOOKS = 8
"""A sheet that is not seen for so many looks has been taken away."""


class EnrolmentWay(StrEnum):
    """How a model is enrolled."""

    SHEET = "sheet"
    """A tag, on the enrolment sheet."""
    TURN = "turn"
    """A tag, by turning the model on the spot."""
    HALO = "halo"
    RIM = "rim"
    """A ring, which is shown to the camera: where it lies in its base needs no measuring."""


class EnrolmentStep(StrEnum):
    """What a person is to do next."""

    SHEET = "sheet"
    MODEL = "model"
    HAND = "hand"
    """Leave it: take the hand away."""
    FRONT = "front"
    TURNING = "turning"
    SHOW = "show"
    """Show the ring to the camera."""
    MEASURED = "measured"


RING_WAYS = frozenset({EnrolmentWay.HALO, EnrolmentWay.RIM})
FIRST_STEPS = {
    EnrolmentWay.SHEET: EnrolmentStep.SHEET,
    EnrolmentWay.TURN: EnrolmentStep.FRONT,
    EnrolmentWay.HALO: EnrolmentStep.SHOW,
    EnrolmentWay.RIM: EnrolmentStep.SHOW,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentState:
    """An enrolment under way."""

    model: str
    base: BaseSpec
    size_mm: float
    """Of its tag; 0 where it has a ring."""
    way: EnrolmentWay
    height: HeightPrior | None = None
    step: EnrolmentStep
    note: str = ""
    """What is in the way, in a sentence; empty if nothing is."""
    result: Enrolment | None = None
    places: tuple[SheetPlacement, ...] = ()
    """Where the model has been set on the sheet."""
    looks: tuple[SheetPlacement, ...] = ()
    """The last looks, as far as they show the same."""
    known_px: Mapping[int, Floats] = field(default_factory=dict)
    """(4, 2) corners of tags where they were last seen."""
    seen_px: Mapping[int, tuple[Floats, ...]] = field(default_factory=dict)
    """Of tags that may be turned, from their last rest before it on."""
    turned_rad: float = 0.0
    ring: int | None = None
    """Which was shown, once the step says so."""
    read: frozenset[int] = frozenset()
    """Markers of the rings that were read since the picture is being looked through, part by part."""
    agreed: int = 0
    """How many times in a row all of the picture showed the same one ring that is nobody's yet, or the model's."""
    look: int = 0
    missed: int = 0
    looked_ns: int = -LOOK_NS


def begin(
    *,
    model: str,
    base: BaseSpec,
    size_mm: float,
    way: EnrolmentWay,
    height: HeightPrior | None = None,
    before: EnrolmentState | None = None,
) -> EnrolmentState:
    """Return the beginning of an enrolment; one ``before`` tells where the sheet was seen."""
    return EnrolmentState(
        model=model,
        base=base,
        size_mm=size_mm,
        way=way,
        height=height,
        step=FIRST_STEPS[way],
        known_px=before.known_px if before and way is before.way is EnrolmentWay.SHEET else {},
    )


def build_sheet_tags(base: BaseSpec) -> tuple[EnrolmentTag, ...]:
    """Return the tags that are printed round a base."""
    return build_enrolment_tags(trace_outline(PlacedShape(shape=base.shape, x_mm=0, y_mm=0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentPicture:
    """A picture that is looked at for markers, and what is known of them by then."""

    grey: Grey
    """(height, width)."""
    captured_ns: int
    camera: CameraOverTable
    anchors: Collection[int]
    """The tags that are fixed on the table."""
    owners: Mapping[int, str]
    """The models that markers are known to be of."""
    rings: RingList
    """Which there are."""


def look(state: EnrolmentState, picture: EnrolmentPicture) -> EnrolmentState:
    """Return an enrolment after one more picture."""
    searching = state.way is EnrolmentWay.SHEET and not state.known_px
    if not searching and picture.captured_ns - state.looked_ns < LOOK_NS:
        return state
    state = replace(state, look=state.look + 1, looked_ns=picture.captured_ns)
    if state.step is EnrolmentStep.SHOW:
        return _look_for_ring(state, picture)
    if state.way in RING_WAYS:
        return state
    if state.way is EnrolmentWay.TURN:
        return state if state.result is not None else _look_at_turning(state, picture)
    return _look_at_sheet(state, picture)


def _look_for_ring(state: EnrolmentState, picture: EnrolmentPicture) -> EnrolmentState:
    grey, owners = picture.grey, picture.owners
    parts = ring_reading.cut_into_parts(grey)
    part = state.look % len(parts)
    candidates = ring_reading.list_candidates(state.base, RingKind(state.way.value), picture.rings)
    found = ring_reading.find_rings(picture.camera, grey, [parts[part]], candidates)
    if part < len(parts) - 1:
        return replace(state, read=state.read | found)
    read = sorted(state.read | found)
    own = [marker for marker in read if owners.get(marker, state.model) == state.model]
    state = replace(state, read=frozenset(), note="")
    if len(own) > 1:
        names = f"{name_marker(own[0])} and {name_marker(own[1])}"
        return replace(state, agreed=0, ring=None, note=f"{names} are both in view and nobody's yet: leave one of them")
    if not own:
        others = sorted(owners[marker] for marker in read)
        note = f"only rings that others have are seen, such as that of {others[0]}" if others else ""
        return replace(state, agreed=0, ring=None, note=note)
    ring = get_ring(own[0])
    state = replace(state, ring=ring, agreed=state.agreed + 1 if ring == state.ring else 1)
    return replace(state, step=EnrolmentStep.MEASURED) if state.agreed >= AGREED_LOOKS else state


def _look_at_sheet(state: EnrolmentState, picture: EnrolmentPicture) -> EnrolmentState:
    grey, camera = picture.grey, picture.camera
    if state.known_px:
        whole_ring = np.concatenate(list(state.known_px.values()))
        where = [
            select_around(whole_ring, max(0.05 * grey.shape[1], float(np.ptp(whole_ring, axis=0).max()) / 3), grey)
        ]
    else:
        where = choose_regions_near_known(grey, {}, state.look)
    fits = refine_corners(grey, detect_tags(grey, where))
    corners_px = {tag.tag: tag.corners_px for tag in fits if tag.tag in ENROLMENT_TAGS}
    if not corners_px:
        gone = state.missed + 1 >= LOST_LOOKS
        known = {} if gone else state.known_px
        return replace(state, known_px=known, missed=state.missed + 1, step=EnrolmentStep.SHEET, looks=(), note="")
    state = replace(state, known_px=corners_px, missed=0)
    try:
        tags = build_sheet_tags(state.base)
        sheet = find_sheet(camera, tags, fits)
    except Unsolvable as error:
        return replace(state, step=EnrolmentStep.SHEET, looks=(), note=str(error))
    try:
        place = find_placement(camera, tags, sheet, fits, picture.anchors)
    except EmptySheet:
        return replace(state, step=EnrolmentStep.MODEL, looks=(), note="")
    except Unsolvable as error:
        return replace(state, step=EnrolmentStep.MODEL, looks=(), note=str(error))
    owner = picture.owners.get(place.tag, state.model)
    if owner != state.model:
        return replace(
            state, step=EnrolmentStep.MODEL, looks=(), note=f"tag {place.tag} on the sheet is that of {owner}"
        )
    return _take_rest(state, place, tags)


def _take_rest(state: EnrolmentState, place: SheetPlacement, tags: tuple[EnrolmentTag, ...]) -> EnrolmentState:
    same = bool(state.looks) and all(is_same_placement(look, place) for look in state.looks)
    looks = (*state.looks, place)[-REST_LOOKS:] if same else (place,)
    state = replace(state, looks=looks, note="")
    if len(looks) < REST_LOOKS:
        return replace(state, step=EnrolmentStep.HAND)
    if state.result is not None and any(is_same_placement(known, place) for known in state.places):
        return replace(state, step=EnrolmentStep.MEASURED)
    try:
        places = (*state.places, average_placements(looks))
        result = solve_sheet(places, tags, state.size_mm, state.height)
    except Unsolvable as error:
        return replace(state, step=EnrolmentStep.MEASURED if state.result else EnrolmentStep.HAND, note=str(error))
    return replace(state, step=EnrolmentStep.MEASURED, places=places, result=result)


def confirm_front(state: EnrolmentState) -> EnrolmentState:
    """Return an enrolment whose model a person has just pointed to the far edge, and will turn now.

    Raises:
        BadInput: that is not what it waits for, or no tag is seen at rest.

    """
    if state.step is not EnrolmentStep.FRONT:
        raise BadInput("there is no model to be turned now")
    # A tag that the hand hides now, or that has not come to rest, would show another turn later.
    still = {tag: looks for tag, looks in state.seen_px.items() if _count_rest(looks) >= REST_LOOKS}
    stirred = any(_count_rest(looks) < len(looks) for looks in state.seen_px.values())
    if stirred or not still:
        raise BadInput(
            "wait until the model has been at rest for a second, its front to the far edge and its tag in view"
        )
    return replace(state, step=EnrolmentStep.TURNING, seen_px=still, note="")


def _look_at_turning(state: EnrolmentState, picture: EnrolmentPicture) -> EnrolmentState:
    grey, camera, anchors = picture.grey, picture.camera, picture.anchors
    # All of the picture at first, so that no model waits to be found while its front is being pointed.
    fits = refine_corners(
        grey,
        detect_tags(
            grey,
            choose_regions_near_known(grey, state.known_px, state.look) if state.known_px else cut_into_parts(grey),
        ),
    )
    others = {tag.tag: tag.corners_px for tag in fits if tag.tag not in anchors and tag.tag not in ENROLMENT_TAGS}
    state = replace(state, known_px={**state.known_px, **others})
    if state.step is EnrolmentStep.FRONT:
        looks = {tag: (*state.seen_px.get(tag, ()), corners)[-REST_LOOKS:] for tag, corners in others.items()}
        return replace(state, seen_px=looks)
    followed = {tag: (*looks, others[tag]) if tag in others else looks for tag, looks in state.seen_px.items()}
    state = replace(state, seen_px=followed)
    try:
        tag = find_turning_tag(camera, followed)
    except Unsolvable as error:
        return replace(state, turned_rad=0.0, note=str(error) if "both" in str(error) else _describe_late_tag(state))
    looks_px = followed[tag]
    turned_rad = spin_from_corners(camera, looks_px, state.size_mm, 0.0).covered_rad
    state = replace(state, turned_rad=turned_rad, note="")
    rested = _count_rest(looks_px)
    enough = turned_rad >= ENOUGH_RAD and rested >= REST_LOOKS
    if not enough and not (turned_rad >= LEAST_TURN_RAD and rested >= LONG_REST_LOOKS):
        return state
    try:
        result = solve_spin(camera, tag, looks_px, state.size_mm, state.height)
    except Unsolvable as error:
        return replace(state, note=str(error))
    return replace(state, step=EnrolmentStep.MEASURED, result=result)


def _describe_late_tag(state: EnrolmentState) -> str:
    """Say it where a tag is seen that was not when the front was pointed: it cannot be the one."""
    late = sorted(state.known_px.keys() - state.seen_px.keys())
    return f"tag {late[0]} was not seen at rest before: if it is this model's, begin again" if late else ""


def _count_rest(looks: tuple[Floats, ...]) -> int:
    """Return for how many looks a tag has been where it is."""
    count = 0
    for corners in reversed(looks):
        if np.abs(corners - looks[-1]).max() > STILL_PX:
            break
        count += 1
    return count
