"""Projector controller: its calibration while it is made, what pages show of it, and nudges."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.features.feature import Feature, Handles
from assistant.features.projector.projection_surface import (
    ProjectionSurface,
    find_reach_mm,
    outline_raised,
    outline_rims,
)
from assistant.features.projector.state import ProjectorCalibrationState, ProjectorStep, begin, look
from assistant.features.projector.views import (
    build_error_view,
    build_light_view,
    build_nudge_view,
    build_thrown_view,
    build_warp_view,
)
from assistant.game.state import GameState
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import Points, trace_outline
from assistant.setup.editing import keep_projector, write_projector
from assistant.setup.file import Setup
from assistant.table.observations import list_carried
from assistant.table.session import GameSession
from assistant.web.commands.calibration import (
    NudgeBack,
    NudgeLight,
    ProjectorBegin,
    ProjectorKeep,
    ProjectorPage,
    ProjectorStop,
)
from assistant.web.messages import View
from assistant.web.messages.calibration import PatternView, ProjectorView
from calibration.projector.file import LitTable, NudgeEntry, ProjectorFile
from calibration.projector.model import Nudge, ProjectorOverTable
from hardware.frame import Frame
from hardware.printing.sheets import ENROLMENT_TAGS
from vision.anchors.camera_pose import get_calibration_id
from vision.images import convert_to_grey
from vision.pipeline import Pipeline
from vision.rings.enrolled_ring import EnrolledRing

SAVED_AFTER_NS = 700_000_000
"""Nudges are written once nobody has nudged for so long."""
NOT_CALIBRATED = "The projector is not calibrated: its page fits the table into its window."


@dataclass(kw_only=True)
class ProjectorController(Feature):
    """Leads through the calibration of a projector.  Used from the thread of the table."""

    name = "projector"
    setup: Setup
    path: Path | None
    """The set-up file; None where what is kept is forgotten with the program."""
    pipeline: Pipeline
    file: ProjectorFile | None = None
    """The calibration in use."""
    notice: str = ""
    """What a person should know of the file that the set-up names."""
    page_size: tuple[int, int] | None = None
    """Of the projector page that spoke last."""
    page_is_fixed: bool = False
    """A virtual projector lights the table itself: pages do not change its size."""
    state: ProjectorCalibrationState | None = None
    measured: ProjectorFile | None = None
    """What the calibration under way found, before it is kept."""
    written: Path | None = None
    """The file that was kept last."""
    before: Path | None = None
    """Where what that file held before is now."""
    _nudges: list[Nudge] = field(default_factory=list)
    """Those before each of the last steps."""
    _nudged_ns: int | None = None
    _now_ns: int = 0
    _pattern: tuple[ProjectorCalibrationState, PatternView] | None = None
    _reaches: tuple[object, list[tuple[EnrolledRing, float]]] | None = None
    """How far halos reach beyond their bases, and of which markers."""

    @Handles(ProjectorPage)
    def _set_page_size(self, command: ProjectorPage) -> None:
        self.set_page_size(command.width_px, command.height_px)

    def set_page_size(self, width_px: int, height_px: int) -> None:
        """Take note of how large the projector page is; a calibration under way begins anew with another size."""
        if self.page_is_fixed or (width_px, height_px) == self.page_size:
            return
        self.page_size = (width_px, height_px)
        if self.state is not None and self.state.step is not ProjectorStep.MEASURED:
            self.state = begin(self.page_size)

    @Handles(ProjectorBegin)
    def begin(self) -> None:
        """Begin to calibrate, or begin anew."""
        self.state, self.measured = begin(self.page_size), None

    @Handles(ProjectorStop)
    def stop(self) -> None:
        """Leave the calibration, and what was not kept."""
        self.state = self.measured = None

    @Handles(ProjectorKeep)
    def keep(self) -> None:
        """Write what was measured to its file, and use it.

        Raises:
            BadInput: nothing has been measured, or it cannot be written.

        """
        if self.measured is None:
            raise BadInput("there is nothing to be kept yet: calibrate the projector first")
        self.close()
        if self.path is not None:
            self.setup, self.written, self.before = keep_projector(self.path, self.measured)
        self.file, self.notice, self._nudges = self.measured, "", []
        self.stop()

    @Handles(NudgeLight)
    def nudge(self, command: NudgeLight) -> None:
        """Move the light on the table.

        Raises:
            BadInput: the projector is not calibrated.

        """
        file = self._require_file()
        step = Nudge(x_mm=command.x_mm, y_mm=command.y_mm, turn_rad=math.radians(command.turn_deg), scale=command.scale)
        before = file.nudge.value
        self._move(file, before.combine(step))
        self._nudges.append(before)

    @Handles(NudgeBack)
    def _undo_nudge(self, command: NudgeBack) -> None:
        self.undo_nudge(everything=command.all)

    def undo_nudge(self, *, everything: bool) -> None:
        """Take the last nudge back, or all that were ever made.

        Raises:
            BadInput: the projector is not calibrated, or was not nudged.

        """
        file = self._require_file()
        if everything:
            self._nudges.append(file.nudge.value)
            self._move(file, Nudge())
        elif self._nudges:
            self._move(file, self._nudges.pop())
        else:
            raise BadInput("there is no nudge to be taken back; 0 takes back those of earlier days, too")

    def claim_frame(self, frame: Frame, session: GameSession) -> bool:
        """Look at a frame, if there is something to look for in it; return whether it shows no game."""
        self._now_ns = frame.captured_ns
        if self._nudged_ns is not None and frame.captured_ns - self._nudged_ns > SAVED_AFTER_NS:
            self.close()
        if self.state is None or self.state.step in {ProjectorStep.PAGE, ProjectorStep.MEASURED}:
            return False
        before = self.state
        self.state = look(
            before,
            grey=convert_to_grey(frame.image),
            captured_ns=frame.captured_ns,
            camera=self.pipeline.camera,
            surface=self._find_surroundings(session),
        )
        if self.state.result is not None:
            self.measured = self._build_file(self.state)
        return before.step is not ProjectorStep.DARK

    def close(self) -> None:
        """Write nudges that are not written yet."""
        self._nudged_ns = None
        if self.file is not None and self.path is not None and self._named is not None:
            write_projector(self._named, self.file)

    @property
    def projector(self) -> ProjectorOverTable | None:
        """The projector by what was measured last; None if nothing was, or for a page of another size."""
        file = self.measured or self.file
        return file.projector if file is not None and file.image_size == self.page_size else None

    @property
    def pattern(self) -> PatternView | None:
        """What the page shows instead of the game; None for the game."""
        if self.state is None or self.state.image_size is None or self.state.step is ProjectorStep.MEASURED:
            return None
        if self._pattern is None or self._pattern[0].thrown is not self.state.thrown:
            tags = [build_thrown_view(tag) for tag in self.state.thrown]
            view = PatternView(image_size=self.state.image_size, level=self.state.level, tags=tags)
            self._pattern = self.state, view
        return self._pattern[1].model_copy(update={"level": self.state.level})

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        yield build_light_view(self.build_view(session.state))

    def build_view(self, game: GameState | None = None) -> ProjectorView:
        """Return what the pages show; a game tells which model carries which marker."""
        file = self.measured or self.file
        return ProjectorView(
            page_size=self.page_size,
            step=None if self.state is None else self.state.step.value,
            note=self._describe_state(),
            pattern=self.pattern,
            warp=None if file is None else build_warp_view(file.projector),
            error=None if file is None else build_error_view(file),
            checking=self.measured is not None,
            nudge=None if self.file is None else build_nudge_view(self.file.nudge, can_undo=bool(self._nudges)),
            dark_mm=[list(ring) for ring in self.dark_mm],
            halos_mm=self.measure_halos(game),
        )

    def _describe_state(self) -> str:
        if self.state is not None:
            if self.state.step is ProjectorStep.PAGE:
                return "Open the projector page on the projector's screen, and press F there for the full screen."
            return self.state.note
        if self.file is None:
            return self.notice or NOT_CALIBRATED
        if self.page_size is not None and self.page_size != self.file.image_size:
            (width, height), (was, high) = self.page_size, self.file.image_size
            return (
                f"The projector page is {width} x {height} now, but the projector was calibrated at {was} x {high}:"
                " press F there for the full screen, or calibrate again."
            )
        return ""

    def _build_file(self, state: ProjectorCalibrationState) -> ProjectorFile:
        assert state.result is not None
        assert state.camera is not None
        centres = np.column_stack([state.result.places_mm, np.zeros(len(state.result.places_mm))])
        spread = state.camera.covariance_mm2(centres)
        return ProjectorFile.from_fit(
            state.result,
            LitTable(width_mm=self.setup.table.width_mm, depth_mm=self.setup.table.depth_mm),
            camera_sigma_mm=float(np.sqrt(np.trace(spread, axis1=1, axis2=2).mean())),
            calibration=get_calibration_id(state.camera),
            made_ns=state.made_ns,
        )

    def _find_surroundings(self, session: GameSession) -> ProjectionSurface:
        return ProjectionSurface(
            table_mm=(self.setup.table.width_mm, self.setup.table.depth_mm),
            anchors=self.pipeline.markers.anchors,
            occupied_mm=tuple(_find_occupied(session.state, session, self.measure_halos(session.state))),
            used_tags=self.pipeline.markers.tags | ENROLMENT_TAGS,
        )

    @property
    def dark_mm(self) -> tuple[Points, ...]:
        """Where no light falls: on anchors, and on the marks of terrain where they were last seen."""
        return (*outline_rims(self.pipeline.markers.anchors), *self._outline_marks())

    def _outline_marks(self) -> Iterator[Points]:
        pipeline = self.pipeline
        for marker, mark in pipeline.markers.terrain.items():
            track = pipeline.tracks.get(marker)
            if track is not None and pipeline.camera is not None:
                yield outline_raised(mark, track.rest.pose, pipeline.camera.eye_mm)

    def measure_halos(self, game: GameState | None = None) -> dict[str, float]:
        """Return by model how far halos may reach beyond their bases; they stay dark with them."""
        markers = self.pipeline.markers
        if self._reaches is None or self._reaches[0] is not markers.bases:
            reaches = [(ring, find_reach_mm(ring)) for ring in markers.ringed_bases.values()]
            self._reaches = markers.bases, [(ring, mm) for ring, mm in reaches if mm > 0]
        carried = list_carried(game) if game else {}
        return {carried.get(ring.marker, ring.model): mm for ring, mm in self._reaches[1]}

    def _require_file(self) -> ProjectorFile:
        if self.file is None:
            raise BadInput("the projector is not calibrated yet: there is nothing to be nudged")
        return self.file

    def _move(self, file: ProjectorFile, nudge: Nudge) -> None:
        try:
            entry = NudgeEntry.from_nudge(nudge)
        except ValidationError:
            raise BadInput("the light has been moved as far as it goes: calibrate the projector again") from None
        self.file = file.model_copy(update={"nudge": entry})
        self._nudged_ns = self._now_ns

    @property
    def _named(self) -> Path | None:
        name = self.setup.projector.calibration
        return None if self.path is None or name is None else self.path.parent / name


def _find_occupied(state: GameState, session: GameSession, halos_mm: Mapping[str, float]) -> Iterator[Points]:
    for piece in state.terrain:
        if piece.height_mm > 0:
            yield tuple(piece.outline_mm)
    for _, model in state.iterate_models():
        if (entry := session.poses.get(model.id)) is not None:
            facing_rad = math.radians(entry.facing_deg)
            placed = PlacedShape(shape=model.base, x_mm=entry.x_mm, y_mm=entry.y_mm, facing_rad=facing_rad)
            yield trace_outline(placed, halos_mm.get(model.id, 0.0))
