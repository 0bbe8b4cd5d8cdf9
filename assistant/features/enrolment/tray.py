"""A tray of models that are enrolled at once: which markers lie there, and which model each of them becomes.

State in, picture in, state out.  What lies there is proposed in reading order; whoever sees it may correct it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.features.enrolment import ring_reading
from assistant.features.enrolment.laid_rings import BASE_MM, build_eyed_tag, build_ringed_base
from assistant.features.enrolment.state import AGREED_LOOKS, LOOK_NS, EnrolmentPicture
from assistant.features.marker_choice import MarkerKind
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import BaseSection
from calibration.spaces import CameraOverTable
from hardware.printing.sheets import ENROLMENT_TAGS
from hardware.rings.layout import RingKind
from vision.marker_numbers import get_ring, name_marker
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.detection import ImageRegion, detect_tags

Grey = NDArray[np.uint8]

SIZE_SHARE = 0.12
"""A tag that seems larger or smaller by more of its edge has another size: its height makes less of a difference."""
TWICE_MM = 20.0
"""A marker that is seen at two places so far apart is there twice."""
ROW_SHARE = 0.6
"""Nearer than a row's farthest marker by more of the usual distance between neighbours begins another row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmarkedModel:
    """A model that lacks a marker."""

    id: str
    base: BaseSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class TrayMarker:
    """A marker that lies there."""

    marker: int
    x_mm: float
    y_mm: float
    """Its middle on the table."""
    share: tuple[float, float]
    """Its middle in the picture, in shares of its width and height."""
    base: BaseSpec | None = None
    """Round which a ring was read; a tag does not tell."""
    size_mm: float = 0.0
    """Of a tag, as it is seen."""
    margin: float = 0.0
    """How surely a ring was read."""

    @property
    def at_mm(self) -> complex:
        """Where it lies."""
        return complex(self.x_mm, self.y_mm)

    def fits(self, model: UnmarkedModel) -> bool:
        """Whether it can be that of a model."""
        return self.base is None or self.base == model.base


@dataclass(frozen=True, slots=True, kw_only=True)
class TrayState:
    """The enrolment of a tray under way."""

    way: MarkerKind
    models: tuple[UnmarkedModel, ...]
    """Which it may give a marker, in the game's order."""
    unit: str | None = None
    """Of which they are; None for all."""
    size_mm: float
    """Of the tags; 0 for rings."""
    note: str = ""
    """What is in the way or left out; empty if nothing is."""
    reading: Mapping[int, TrayMarker] = field(default_factory=dict)
    """What was read since the picture is being looked through, part by part."""
    twice: frozenset[int] = frozenset()
    """Markers that were read at two places."""
    found: tuple[TrayMarker, ...] = ()
    """What all of the picture showed last that is nobody's yet, in reading order."""
    agreed: int = 0
    """How many times in a row it was the same."""
    given: Mapping[int, str] = field(default_factory=dict)
    """The model that each marker becomes; one that was taken out has none."""
    look: int = 0
    looked_ns: int = -LOOK_NS

    @property
    def is_read(self) -> bool:
        """Whether the tray has been read: only people change anything from then on."""
        return self.agreed >= AGREED_LOOKS


def look_at_tray(state: TrayState, picture: EnrolmentPicture) -> TrayState:
    """Return the enrolment of a tray after one more picture."""
    if state.is_read or picture.captured_ns - state.looked_ns < LOOK_NS:
        return state
    grey, camera = picture.grey, picture.camera
    parts = ring_reading.cut_into_parts(grey)
    bases = list(dict.fromkeys(model.base for model in state.models))
    looks = len(parts) if state.way is MarkerKind.TAG else len(parts) * len(bases)
    now = state.look % looks
    part = parts[now % len(parts)]
    if state.way is MarkerKind.TAG:
        seen = _find_tags(camera, grey, part, picture.anchors)
    else:  # one shape at a look: the game waits for it
        base = bases[now // len(parts)]
        candidates = ring_reading.list_candidates(base, RingKind(state.way.value), picture.rings)
        seen = _find_rings(base, camera, grey, part, candidates)
    reading, twice = dict(state.reading), set(state.twice)
    for marker in seen:
        known = reading.get(marker.marker, marker)
        if abs(known.at_mm - marker.at_mm) > TWICE_MM:
            twice.add(marker.marker)
        if marker.margin >= known.margin:
            reading[marker.marker] = marker
    state = replace(state, look=state.look + 1, looked_ns=picture.captured_ns, reading=reading, twice=frozenset(twice))
    return state if now < looks - 1 else _take_in(state, picture.owners)


def _find_tags(
    camera: CameraOverTable, grey: Grey, part: ImageRegion, anchors: Collection[int]
) -> Iterator[TrayMarker]:
    for tag in detect_tags(grey, [part]):
        if tag.tag in anchors or tag.tag in ENROLMENT_TAGS:
            continue
        corners_mm = camera.table_from_image(tag.corners_px, BASE_MM)
        edges_mm = np.hypot(*(np.roll(corners_mm, -1, axis=0) - corners_mm).T)
        x_mm, y_mm = corners_mm.mean(axis=0).tolist()
        share = _to_share(grey, tag.corners_px.mean(axis=0))
        yield TrayMarker(marker=tag.tag, x_mm=x_mm, y_mm=y_mm, share=share, size_mm=float(edges_mm.mean()))


def _find_rings(
    base: BaseSpec, camera: CameraOverTable, grey: Grey, part: ImageRegion, candidates: Sequence[EnrolledRing]
) -> Iterator[TrayMarker]:
    for reading in ring_reading.read_rings(camera, grey, [part], candidates):
        x_mm, y_mm = reading.fit.x_mm, reading.fit.y_mm
        share = _to_share(grey, camera.image_from_table([[x_mm, y_mm, 0.0]])[0])
        yield TrayMarker(marker=reading.marker, x_mm=x_mm, y_mm=y_mm, share=share, base=base, margin=reading.margin)


def _to_share(grey: Grey, at_px: NDArray[np.float64]) -> tuple[float, float]:
    height, width = grey.shape
    return round(float(at_px[0]) / width, 4), round(float(at_px[1]) / height, 4)


def _take_in(state: TrayState, owners: Mapping[int, str]) -> TrayState:
    """Return a state in which all of a picture was looked through."""
    others = sorted(state.reading.keys() & owners.keys())
    odd = [
        marker
        for number, marker in sorted(state.reading.items())
        if number not in owners and abs(marker.size_mm - state.size_mm) > SIZE_SHARE * state.size_mm
    ]
    out = {*others, *state.twice, *(marker.marker for marker in odd)}
    found = tuple(order_by_place([marker for number, marker in state.reading.items() if number not in out]))
    same = bool(found) and {m.marker for m in found} == {m.marker for m in state.found}
    given = _propose(found, state.models)
    spare = [marker for marker in found if marker.marker not in given]
    notes = []
    if others:
        more = f", and {len(others) - 1} more are somebody's" if others[1:] else ""
        notes.append(f"{name_marker(others[0])} is that of {owners[others[0]]} already{more}: nothing changes there")
    if odd:
        more = f", and {len(odd) - 1} more are not either" if odd[1:] else ""
        notes.append(
            f"{name_marker(odd[0].marker)} is {odd[0].size_mm:.0f} mm large, not {state.size_mm:g} mm{more}:"
            " enrol tags of another size by themselves"
        )
    if state.twice:
        notes.append(f"{name_marker(min(state.twice))} lies there twice: take one of them away, and read again")
    if spare:
        notes.append(
            f"there are more markers than models that lack one: nobody gets {_list_names(m.marker for m in spare)}"
        )
    return replace(
        state,
        reading={},
        twice=frozenset(),
        found=found,
        given=given,
        agreed=state.agreed + 1 if same else int(bool(found)),
        note="; ".join(notes),
    )


def _list_names(markers: Iterable[int]) -> str:
    return ", ".join(name_marker(marker) for marker in markers)


def order_by_place(markers: Sequence[TrayMarker]) -> Iterator[TrayMarker]:
    """Yield markers in reading order: rows from far to near, each from left to right."""
    if not markers:
        return
    at_mm = np.array([marker.at_mm for marker in markers])
    apart_mm = np.abs(at_mm[:, None] - at_mm[None, :])
    np.fill_diagonal(apart_mm, np.inf)
    step_mm = ROW_SHARE * float(np.median(apart_mm.min(axis=1)))
    rows: list[list[TrayMarker]] = []
    for marker in sorted(markers, key=lambda each: -each.y_mm):
        if not rows or rows[-1][0].y_mm - marker.y_mm > step_mm:
            rows.append([])
        rows[-1].append(marker)
    for row in rows:
        yield from sorted(row, key=lambda each: each.x_mm)


def _propose(found: Sequence[TrayMarker], models: Sequence[UnmarkedModel]) -> dict[int, str]:
    """Return the model for each marker: the next that it fits, in both their orders."""
    left, given = list(models), {}
    for marker in found:
        model = next((each for each in left if marker.fits(each)), None)
        if model is not None:
            left.remove(model)
            given[marker.marker] = model.id
    return given


def give_marker(state: TrayState, number: int, model_id: str | None) -> TrayState:
    """Return a state in which a marker is another model's, who had that gets what it had; or is taken out.

    Raises:
        BadInput: the marker is not on the tray, the model does not lack one, or its base is another.

    """
    marker = next((each for each in state.found if each.marker == number), None)
    if marker is None or not state.is_read:
        raise BadInput("that marker is not on the tray any more; read it again")
    given = dict(state.given)
    before = given.pop(number, None)
    if model_id is not None:
        model = next((each for each in state.models if each.id == model_id), None)
        if model is None:
            raise BadInput(f"{model_id} is none of the models that lack a marker")
        if not marker.fits(model):
            raise BadInput(
                f"{name_marker(number)} lies round another base than {model_id} has, which is {model.base.name}"
            )
        holder = next((each for each, of in given.items() if of == model_id), None)
        if holder is not None:
            del given[holder]
            if before is not None:
                given[holder] = before
        given[number] = model_id
    return replace(state, given=given)


def build_sections(state: TrayState) -> Iterator[BaseSection]:
    """Yield what would be kept of a tray."""
    models = {model.id: model for model in state.models}
    for number, model_id in state.given.items() if state.is_read else ():
        base = models[model_id].base
        if state.way is MarkerKind.TAG:
            yield build_eyed_tag(model_id, base, number, state.size_mm)
        else:
            kind = RingKind(state.way.value)
            yield build_ringed_base(model_id, base, kind, get_ring(number), height=None)
