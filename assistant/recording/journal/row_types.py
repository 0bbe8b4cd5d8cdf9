"""Row types: what each kind of journal row holds beside the events of the game.

Calibrations are kept once, under the id by which poses name them.  Calls keep what the referee said in play, to be held
to what is said of the same now.  What the vision pipeline was told of the table is kept with a video of it, so that the
video can be looked at again.  The name of a row's class is written to the file: it stays as it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Annotated, Literal, Self, get_args

import numpy as np
from pydantic import Field

from assistant.files.documents import Format
from assistant.game.events import Event
from assistant.recording.poses import PoseEntry, join_markers
from assistant.rules.verdict import Finding, Outcome, Verdict
from calibration.camera_match import CameraMark
from calibration.spaces import CameraOverTable, Lens, LensModel
from hardware.rings.layout import RingBand, RingLayout
from hardware.rings.words import load_ring_list
from vision.marker_numbers import get_ring, number_ring
from vision.markers import Markers
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import Anchor, EnrolledTag
from vision.tags.row_times import Readout
from vision.tracking.surfaces import Surface

Vector3 = tuple[float, float, float]
LensModelTold = Annotated[LensModel | None, Field(strict=False, exclude_if=lambda model: model is None)]
"""Not written of pinhole cameras, so that recordings of theirs are what they were before there were others."""
LensParameters = Annotated[tuple[float, ...], Field(min_length=9, max_length=9)]
CovarianceRow = Annotated[tuple[float, ...], Field(min_length=15, max_length=15)]


class FileUsed(Format):
    """A calibration file as it was when the game began."""

    name: str
    sha256: str


class CalibrationSeen(Format):
    """A calibration as the anchors gave it; poses are measured with it from here on."""

    calibration: str
    """Its id."""
    camera: CameraMark | None
    """Which camera looked, as far as it could be told."""
    image_size: tuple[int, int]
    rotation: Vector3
    """Rodrigues vector of camera_from_table."""
    translation_mm: Vector3
    """The table's origin in the camera frame."""
    lens: LensParameters
    """fx, fy, cx, cy, k1, k2, p1, p2, k3."""
    lens_model: LensModelTold = None
    """The lens's, where it is no pinhole camera's."""
    covariance: Annotated[tuple[CovarianceRow, ...], Field(min_length=15, max_length=15)]
    """Of rotation, translation and lens, in this order."""
    bleed_px: float
    sigma_px: float
    """One standard deviation of a tag's corner."""
    anchors: tuple[int, ...]
    """The tags that it rests on."""
    files: tuple[FileUsed, ...] = ()
    """The calibration files that it began with."""

    @classmethod
    def from_camera(
        cls,
        camera: CameraOverTable,
        *,
        anchors: tuple[int, ...],
        mark: CameraMark | None = None,
        files: tuple[FileUsed, ...] = (),
    ) -> Self:
        """Return what is kept of a solved camera."""
        return cls(
            calibration=camera.id,
            camera=mark,
            image_size=camera.lens.image_size,
            rotation=_build_vector3(camera.rotation.tolist()),
            translation_mm=_build_vector3(camera.translation_mm.tolist()),
            lens=tuple(camera.lens.parameters.tolist()),
            lens_model=_tell_model(camera.lens),
            covariance=tuple(tuple(row) for row in camera.covariance.tolist()),
            bleed_px=camera.bleed_px,
            sigma_px=camera.sigma_px,
            anchors=anchors,
            files=files,
        )

    @property
    def solved_camera(self) -> CameraOverTable:
        """The camera over the table, for asking anew what a pose rests on."""
        covariance = np.array(self.covariance)
        return CameraOverTable(
            lens=Lens(
                image_size=self.image_size,
                parameters=np.array(self.lens),
                covariance=covariance[6:, 6:].copy(),
                model=self.lens_model or LensModel.PINHOLE,
            ),
            rotation=np.array(self.rotation),
            translation_mm=np.array(self.translation_mm),
            covariance=covariance,
            bleed_px=self.bleed_px,
            sigma_px=self.sigma_px,
        )


def _tell_model(lens: Lens) -> LensModel | None:
    return None if lens.model is LensModel.PINHOLE else lens.model


def _build_vector3(values: list[float]) -> Vector3:
    x, y, z = values
    return x, y, z


OutcomeField = Annotated[Outcome, Field(strict=False)]


class CalledFinding(Format):
    """What one rule said of one model."""

    rule: str
    outcome: OutcomeField
    subjects: tuple[str, ...]
    measured_mm: float | None
    limit_mm: float | None
    margin_mm: float | None
    sigma_mm: float | None
    text: str

    @classmethod
    def from_finding(cls, finding: Finding) -> Self:
        """Return what is kept of a finding."""
        return cls(
            rule=finding.rule,
            outcome=finding.outcome,
            subjects=finding.subjects,
            measured_mm=finding.measured_mm,
            limit_mm=finding.limit_mm,
            margin_mm=finding.margin_mm,
            sigma_mm=finding.sigma_mm,
            text=finding.text,
        )


class CalledEffect(Format):
    """What the move cost or brought."""

    rule: str
    subjects: tuple[str, ...]
    effect: str


class Called(Format):
    """What the referee said of the move that was being made, or of how the table stood.

    It is about the game as all rows before it leave it.  Notes are left out: they are no calls.
    """

    program: str
    """The version of the program that said it."""
    outcome: Literal["legal", "illegal", "too-close", "unobserved"]
    findings: tuple[CalledFinding, ...] = ()
    effects: tuple[CalledEffect, ...] = ()

    @classmethod
    def from_verdict(cls, verdict: Verdict) -> Self:
        """Return what is kept of a verdict that this program gives."""
        effects = (CalledEffect(rule=e.rule, subjects=e.subjects, effect=e.effect) for e in verdict.effects)
        return cls(
            program=read_program_version(),
            outcome=verdict.outcome.value,  # type: ignore[arg-type]  # the worst of findings is never a note
            findings=tuple(CalledFinding.from_finding(f) for f in verdict.findings if f.outcome is not Outcome.NOTE),
            effects=tuple(effects),
        )

    def is_identical(self, other: "Called") -> bool:
        """Whether another says the same to the last digit, by whatever version."""
        return (self.outcome, self.findings, self.effects) == (other.outcome, other.findings, other.effects)

    def is_equivalent(self, other: "Called") -> bool:
        """Whether another finds the same by the same rules, whichever of two models is named first."""
        return self._collect_findings() == other._collect_findings()

    def _collect_findings(self) -> set[tuple[str, frozenset[str], str]]:
        findings = ((f.rule, frozenset(f.subjects), f.outcome.value) for f in self.findings)
        return {*findings, *((effect.rule, frozenset(effect.subjects), effect.effect) for effect in self.effects)}


@cache
def read_program_version() -> str:
    """Return the version of this program."""
    return version("overtable")


NineNumbers = Annotated[tuple[float, ...], Field(min_length=9, max_length=9)]


class LensTold(Format):
    """A lens as `calibration` has it."""

    image_size: tuple[int, int]
    parameters: NineNumbers
    """fx, fy, cx, cy, k1, k2, p1, p2, k3."""
    covariance: Annotated[tuple[NineNumbers, ...], Field(min_length=9, max_length=9)]
    model: LensModelTold = None
    """Where it is no pinhole camera's."""


class LayoutTold(Format):
    """Where the cells of rings lie around one shape of base, as `hardware.rings` has it."""

    band: RingBand
    cells: int
    middle_line_mm: tuple[tuple[float, float], ...]


class RingTold(Format):
    """A ring of a model's base."""

    ring: int
    model: str
    layout: int
    """Which of the layouts that are told with it, counted from 0."""
    word: str
    x_mm: float
    y_mm: float
    facing_rad: float
    height_mm: float
    """Of the base."""
    offset_sigma_mm: float
    facing_sigma_rad: float
    height_sigma_mm: float


class EyesTold(Format):
    """The markers, the lens and the terrain that pictures were looked at with from here on."""

    began: bool
    """The eyes began anew, and had seen nothing before."""
    anchors: tuple[Anchor, ...]
    bases: tuple[EnrolledTag, ...]
    lens: LensTold | None
    """None: it was solved from the anchors."""
    placement: tuple[tuple[float, ...], ...] | None
    """Joint covariance of the anchors' places; None: they are exact."""
    surfaces: tuple[Surface, ...]
    rings: tuple[RingTold, ...] = ()
    layouts: tuple[LayoutTold, ...] = ()
    ring_words: tuple[str, ...] | None = None
    """Words that rings on the table may have; None: those of the program's own list."""
    readout: Readout | None = None
    """How long the camera takes from row to row; None: the pictures told."""
    terrain: tuple[EnrolledTag, ...] = ()
    """The tags on pieces of terrain, under the pieces' names."""
    terrain_rings: tuple[RingTold, ...] = ()
    """The rings on such."""

    @classmethod
    def from_markers(cls, markers: Markers, *, began: bool) -> Self:
        """Return what is kept of what the eyes are told."""
        lens, placement = markers.lens, markers.placement
        rings, layouts = _tell_rings(markers.ringed.values())
        on_terrain = {get_ring(marker) for marker in markers.ringed if marker in markers.terrain}
        return cls(
            began=began,
            anchors=markers.anchors,
            bases=tuple(markers.tagged_bases.values()),
            lens=None
            if lens is None
            else LensTold(
                image_size=lens.image_size,
                parameters=tuple(lens.parameters.tolist()),
                covariance=tuple(tuple(row) for row in lens.covariance.tolist()),
                model=_tell_model(lens),
            ),
            placement=None if placement is None else tuple(tuple(row) for row in placement.tolist()),
            surfaces=markers.surfaces,
            rings=tuple(ring for ring in rings if ring.ring not in on_terrain),
            layouts=layouts,
            ring_words=None if markers.ring_words == load_ring_list().words else markers.ring_words,
            readout=markers.readout,
            terrain=tuple(mark for mark in markers.terrain.values() if isinstance(mark, EnrolledTag)),
            terrain_rings=tuple(ring for ring in rings if ring.ring in on_terrain),
        )

    @property
    def markers(self) -> Markers:
        """What the eyes are told, to the last bit."""
        lens = self.lens
        return Markers(
            anchors=self.anchors,
            bases=_enrol(self.bases, self.rings, self.layouts),
            terrain=_enrol(self.terrain, self.terrain_rings, self.layouts),
            lens=None
            if lens is None
            else Lens(
                image_size=lens.image_size,
                parameters=np.array(lens.parameters),
                covariance=np.array(lens.covariance),
                model=lens.model or LensModel.PINHOLE,
            ),
            placement=None if self.placement is None else np.array(self.placement),
            surfaces=self.surfaces,
            ring_words=load_ring_list().words if self.ring_words is None else self.ring_words,
            readout=self.readout,
        )


def _tell_rings(rings: Iterable[EnrolledRing]) -> tuple[tuple[RingTold, ...], tuple[LayoutTold, ...]]:
    """Return what is kept of rings, and their layouts, each once."""
    layouts: dict[LayoutTold, int] = {}
    told = []
    for ring in rings:
        line = tuple((x, y) for x, y in ring.layout.middle_line_mm.tolist())
        layout = LayoutTold(band=ring.layout.band, cells=ring.layout.cells, middle_line_mm=line)
        values = {name: getattr(ring, name) for name in RingTold.model_fields.keys() - {"ring", "layout"}}
        told.append(RingTold(ring=get_ring(ring.marker), layout=layouts.setdefault(layout, len(layouts)), **values))
    return tuple(told), tuple(layouts)


def _enrol(
    tags: Iterable[EnrolledTag], rings: Iterable[RingTold], layouts: Sequence[LayoutTold]
) -> dict[int, EnrolledTag | EnrolledRing]:
    return {tag.marker: tag for tag in tags} | {ring.marker: ring for ring in _enroll_rings(rings, layouts)}


def _enroll_rings(rings: Iterable[RingTold], layouts: Sequence[LayoutTold]) -> Iterator[EnrolledRing]:
    laid = [
        RingLayout(middle_line_mm=np.array(told.middle_line_mm), band=told.band, cells=told.cells) for told in layouts
    ]
    for told in rings:
        values = told.model_dump(exclude={"ring", "layout"})
        yield EnrolledRing(marker=number_ring(told.ring), layout=laid[told.layout], **values)


CalibrationDoubt = Literal["moving", "hidden", "astray"]


class PosesSeen(Format):
    """The poses that changed in one frame."""

    anchors_seen: int
    calibration: str
    poses: tuple[PoseEntry, ...]
    shown_twice: tuple[int, ...] = ()
    """Tags of which two prints are in view."""
    rings_shown_twice: tuple[int, ...] = ()
    """The same of rings."""
    wrong_anchors: tuple[str, ...] = ()
    """Anchors that are not where, how or what the set-up says, a sentence each."""
    doubt: CalibrationDoubt | None = None
    """Why the calibration does not hold at the moment, so that nothing is judged."""
    astray: tuple[int, ...] = ()
    """The anchors that are not where they were, while that is the doubt."""
    slipped_mm: Mapping[int, float] = {}
    """How far anchors lie from their places that the calibration leaves out for that, by tag."""
    breath_percent: float = 0.0
    """How far the camera's focal length goes up and down, of late; followed in every picture."""
    shake_px: float = 0.0
    """How far the picture's middle strays, of late, root mean square; followed likewise."""

    @property
    def markers_shown_twice(self) -> tuple[int, ...]:
        """Markers of which two prints are in view."""
        return join_markers(self.shown_twice, self.rings_shown_twice)

    @property
    def troubles(self) -> tuple[object, ...]:
        """What a person should know of, and a change of it is recorded though no pose changed."""
        sways = self.breath_percent, self.shake_px
        return self.markers_shown_twice, self.wrong_anchors, self.doubt, self.astray, self.slipped_mm, sways


class NotRecorded(Format):
    """For a while nothing could be written; it stands at the time of the first thing that could not be."""

    until_ns: int
    """Capture time of when it could be written again."""
    lost_poses: int
    """So many pictures with changed poses were lost; where everything stood at the end follows."""
    lost_events: int
    """Events that were lost as well, for there were too many to keep; all others follow, each with its own time."""
    lost_pictures: int
    """Of the camera's pictures that were to be kept."""
    why: str
    """In few words."""


ObservationRow = PosesSeen | CalibrationSeen | NotRecorded | Called
"""What is recorded beside the events of the game."""
OBSERVATION_KINDS: Mapping[str, type[ObservationRow]] = {kind.__name__: kind for kind in get_args(ObservationRow)}


class Named(Format):
    """Gives the next numbers, from 0 on, to markers on models and to calibrations, by which compact poses name them."""

    bases: tuple[tuple[int, str], ...] = ()
    """Tag and model."""
    rings: tuple[tuple[int, str], ...] = ()
    """Ring and model; they get their numbers after these tags."""
    calibrations: tuple[str, ...] = ()


class PictureKept(Format):
    """A picture was kept, which thereby stands in the chain."""

    picture: int
    """Its row in the table of pictures."""
    sha256: str
    """Of the JPEG, hexadecimal."""


class VideoKept(Format):
    """A piece of the video was written, which thereby stands in the chain."""

    began_ns: int
    """Capture time of its first picture."""
    segment: Annotated[int, Field(ge=1)]
    """Which file of the video's folder it is in."""
    at_byte: Annotated[int, Field(ge=0)]
    """Where it begins there."""
    bytes: Annotated[int, Field(ge=1)]
    sha256: str
    """Of these bytes, hexadecimal."""
    size: tuple[int, int]
    """Of its pictures: width and height, pixels."""
    pictures: Annotated[tuple[tuple[int, int], ...], Field(min_length=1)]
    """In their order: the picture's number since the camera was opened, and its capture time since the first's."""
    lost: int = 0
    """So many pictures that were looked at since the piece before are lacking."""


VideoRow = VideoKept | EyesTold
"""What is kept for playing a recording through the eyes again."""


class Standing(Format):
    """What the rows before add up to, so that whoever looks into the middle of a game need not begin at its beginning.

    It tells nothing new: whether it is true is checked by `overtable verify`.
    """

    latest_ns: int
    """The latest capture time of any row before."""
    poses: tuple[PoseEntry, ...]
    """How every model that was seen was last shown, in the order in which they were first seen."""
    hidden_ns: Mapping[str, int] = {}
    """Since when models are hidden that are held."""


BookkeepingRow = Named | PictureKept | Standing | VideoRow
"""What a journal says of itself; whoever reads what happened never meets it."""
BOOKKEEPING_KINDS: Mapping[str, type[BookkeepingRow]] = {kind.__name__: kind for kind in get_args(BookkeepingRow)}


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One row of a journal."""

    id: int
    captured_ns: int
    what: Event | ObservationRow


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPicture:
    """What the camera saw at a moment."""

    captured_ns: int
    jpeg: bytes
