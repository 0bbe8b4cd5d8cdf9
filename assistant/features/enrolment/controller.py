"""Enrolment controller: what pages ask for, what each frame shows, and what is kept in the set-up file."""

import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.enrolment.laid_rings import HINT, build_ringed_base
from assistant.features.enrolment.ring_reading import list_candidates
from assistant.features.enrolment.state import (
    RING_WAYS,
    RULED_SIGMA_MM,
    EnrolmentPicture,
    EnrolmentState,
    EnrolmentStep,
    EnrolmentWay,
    begin,
    confirm_front,
    look,
)
from assistant.features.enrolment.tray import (
    TrayState,
    UnmarkedModel,
    build_sections,
    give_marker,
    look_at_tray,
)
from assistant.features.enrolment.virtual_hands import EnrolmentHands
from assistant.features.feature import Asker, Feature, Handles
from assistant.features.marker_choice import MarkerKind
from assistant.game.base_spec import BaseSpec
from assistant.game.state import GameState
from assistant.setup.bases import BaseSection, RingedBase, TaggedBase
from assistant.setup.editing import enrol_base, keep_enrolment, section_from_enrolment
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.web.commands.setup import Enrol, EnrolAgain, EnrolGive, EnrolKeep, EnrolStop, EnrolTray, EnrolTurn
from assistant.web.messages import View
from assistant.web.messages.setup import EnrolledView, EnrollingView, RingView, TagView, TrayMarkerView, TrayView
from hardware.frame import Frame
from hardware.rings.layout import RingKind
from vision.enrolment.enrolment_sheet import HeightPrior
from vision.images import convert_to_grey
from vision.marker_numbers import name_marker
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

BACK_NS = 1_500_000_000
"""A model that was being enrolled is not played with for so long after, while it is put back."""


@dataclass(kw_only=True)
class EnrolmentController(Feature):
    """Leads through the enrolment of one model after another, or of a tray.  Used from the thread of the table."""

    name = "enrolment"
    setup: Setup
    path: Path | None
    """The set-up file that is written to; None where what is kept is forgotten with the program."""
    pipeline: Pipeline
    hands: EnrolmentHands | None = None
    """Does on a virtual table what a person does on a real one."""
    state: EnrolmentState | None = None
    tray: TrayState | None = None
    """Of a tray, while there is no state of one model."""
    kept: bool = False
    _seen_ns: int = 0
    _back_ns: dict[str, int] = field(default_factory=dict)
    """Until when a model that was enrolled lately is still being put back."""
    _views: dict[str, EnrolledView] = field(default_factory=dict)
    _viewed: tuple[Setup, tuple[str, ...]] | None = None

    @Handles(Enrol)
    def begin(self, command: Enrol, asker: Asker) -> None:
        """Begin with a model.

        Raises:
            BadInput: its base or the size of its tag is not known, or it has no room for a ring.

        """
        entry = next((base for base in self.setup.bases if base.model == command.model), None)
        spec = entry.base if entry else self._find_base(command, asker.session.state)
        way = EnrolmentWay(command.way)
        size_mm = 0.0 if way in RING_WAYS else self._find_size(command, entry)
        if way in RING_WAYS:
            self._check_ring(command.model, spec, RingKind(way.value))
        height = None if command.height_mm is None else HeightPrior(mm=command.height_mm, sigma_mm=RULED_SIGMA_MM)
        self._put_back()
        self.state = begin(model=command.model, base=spec, size_mm=size_mm, way=way, height=height, before=self.state)
        self.tray, self.kept = None, False
        if self.hands:
            self.hands.begin(self.state)

    @Handles(EnrolTray)
    def begin_tray(self, command: EnrolTray, asker: Asker) -> None:
        """Begin with a tray.

        Raises:
            BadInput: no model lacks a marker, the size of the tags is not known, or a base has no room for a ring.

        """
        marked = {base.model for base in self.setup.bases}
        models = tuple(
            UnmarkedModel(id=model.id, base=BaseSpec.from_shape(model.base))
            for unit, model in asker.session.state.iterate_models()
            if model.id not in marked and command.unit in (None, unit.id)
        )
        if not models:
            raise BadInput(f"every model {f'of {command.unit} ' if command.unit else ''}has a marker already")
        way, size_mm = MarkerKind(command.way), 0.0
        if way is MarkerKind.TAG:
            size_mm = command.size_mm or self._find_usual_size() or 0.0
            if not size_mm:
                raise BadInput("say how large the tags are: the edge of their black squares")
        else:
            for base, name in {model.base: model.id for model in models}.items():
                self._check_ring(name, base, RingKind(way.value))
        self.stop()
        self.tray = TrayState(way=way, models=models, unit=command.unit, size_mm=size_mm)

    @Handles(EnrolGive)
    def give(self, command: EnrolGive) -> None:
        """Give a marker of the tray to another model, or take it out.

        Raises:
            BadInput: no tray was read, it has no such marker, or the model cannot have it.

        """
        if self.tray is None or self.kept:
            raise BadInput("no tray is being enrolled")
        self.tray = give_marker(self.tray, command.marker, command.model)

    @Handles(EnrolAgain)
    def restart(self) -> None:
        """Forget what was measured of this model, or read of this tray, and begin again.

        Raises:
            BadInput: nothing is being enrolled.

        """
        if self.tray is not None and not self.kept:
            tray = self.tray
            self.tray = TrayState(way=tray.way, models=tray.models, unit=tray.unit, size_mm=tray.size_mm)
            return
        before = self._require_state()
        self.kept = False
        self.state = begin(
            model=before.model,
            base=before.base,
            size_mm=before.size_mm,
            way=before.way,
            height=before.height,
            before=before,
        )
        if self.hands:
            self.hands.begin(self.state)

    @Handles(EnrolTurn)
    def confirm_front(self) -> None:
        """Take it that the model's front points to the far edge, and that it is turned from now on.

        Raises:
            BadInput: no model is waited for, or none is seen at rest.

        """
        self.state = confirm_front(self._require_state())

    @Handles(EnrolKeep)
    def keep(self) -> None:
        """Write what was measured to the set-up, and follow the model by it from now on.

        Raises:
            BadInput: nothing was measured yet, the marker is another model's, or the file cannot be written.

        """
        sections = self._build_sections()
        setup = self.setup
        for section in sections:
            setup = enrol_base(setup, section, f"the enrolment of {section.model}")
        if self.path is not None:
            keep_enrolment(self.path, *sections)
        self._use(setup, {section.marker for section in sections})
        self.kept = True
        if self.hands:
            self.hands.end()

    @Handles(EnrolStop)
    def stop(self) -> None:
        """Leave the enrolment."""
        self._put_back()
        self.state, self.tray, self.kept = None, None, False
        if self.hands:
            self.hands.end()

    def see(self, frame: Frame) -> None:
        """Look at a frame, as far as there is something to look for in it."""
        self._seen_ns = frame.captured_ns
        camera = self.pipeline.camera
        if self.kept or camera is None:
            return
        picture = EnrolmentPicture(
            grey=convert_to_grey(frame.image),
            captured_ns=frame.captured_ns,
            camera=camera,
            anchors={anchor.tag for anchor in self.setup.anchors},
            owners={base.marker: base.model for base in self.setup.bases},
            rings=self.setup.rings.ring_list,
        )
        if self.tray is not None:
            self.tray = look_at_tray(self.tray, picture)
        if self.state is not None:
            if self.hands:
                self.hands.help(self.state, frame.captured_ns)
            self.state = look(self.state, picture)

    def filter_poses(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Return what was seen without the models that are being enrolled: they are not being played with."""
        self._back_ns = {model: until for model, until in self._back_ns.items() if until > snapshot.captured_ns}
        apart = {*self._back_ns, *self._list_models()}
        if not apart:
            return snapshot
        return replace(snapshot, poses=tuple(pose for pose in snapshot.poses if pose.model not in apart))

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        yield self.build_view(session.state)

    def build_view(self, game: GameState) -> View:
        """Return what the pages show."""
        models = {model.id: BaseSpec.from_shape(model.base) for _, model in game.iterate_models()}
        now = (self.setup, tuple(models))
        if self._viewed is None or self._viewed[0] is not now[0] or self._viewed[1] != now[1]:
            tags = {base.model: _build_tag_view(base) for base in self.setup.tagged_bases}
            rings = {base.model: _build_ring_view(base) for base in self.setup.ringed_bases}
            specs = {**models, **{base.model: base.base for base in self.setup.bases}}
            self._views = {
                model: EnrolledView(base=spec, tag=tags.get(model), ring=rings.get(model))
                for model, spec in specs.items()
            }
            self._viewed = now
        enrolling = self._build_enrolling_view()
        tray = self._build_tray_view()
        return View(
            enrolled=self._views,
            enrolling={"enrolling": enrolling} if enrolling else {},
            tray={"tray": tray} if tray else {},
        )

    def _build_enrolling_view(self) -> EnrollingView | None:
        state = self.state
        if state is None:
            return None
        section = build_section(state)
        return EnrollingView(
            model=state.model,
            base=state.base,
            base_name=state.base.name,
            way=state.way.value,
            step=state.step.value,
            note=state.note,
            places=len(state.places),
            turned_deg=round(math.degrees(state.turned_rad)),
            found=_build_tag_view(section) if isinstance(section, TaggedBase) else None,
            ring=_build_ring_view(section) if isinstance(section, RingedBase) else None,
            advice=HINT if isinstance(section, RingedBase) else state.result.advice if state.result else "",
            kept=self.kept,
        )

    def _build_tray_view(self) -> TrayView | None:
        tray = self.tray
        if tray is None:
            return None
        markers = [
            TrayMarkerView(
                marker=marker.marker,
                name=name_marker(marker.marker),
                at=marker.share,
                model=tray.given.get(marker.marker),
                choices=[model.id for model in tray.models if marker.fits(model)],
            )
            for marker in tray.found
        ]
        return TrayView(
            way=tray.way.value,
            unit=tray.unit,
            note=tray.note,
            read=tray.is_read,
            markers=markers,
            kept=self.kept,
        )

    def _build_sections(self) -> list[BaseSection]:
        """Return what is kept; BadInput where there is nothing."""
        if self.tray is not None:
            sections = list(build_sections(self.tray))
            if not sections or self.kept:
                raise BadInput("no marker of the tray has a model yet")
            return sections
        state = self._require_state()
        section = build_section(state)
        if section is None:
            raise BadInput(f"{state.model} is not measured yet")
        return [section]

    def _list_models(self) -> list[str]:
        """Return the models that are being enrolled."""
        if self.tray is not None:
            return [model.id for model in self.tray.models]
        return [self.state.model] if self.state else []

    def _use(self, setup: Setup, changed: Collection[int]) -> None:
        self.setup = setup
        self.pipeline.markers = replace(self.pipeline.markers, bases=setup.enrolled_bases)
        # What was averaged by the old offset is not worth keeping, and a marker that is no longer used has no base.
        followed, tracks = self.pipeline.markers.followed, self.pipeline.tracks.items()
        self.pipeline.tracks = {marker: t for marker, t in tracks if marker in followed and marker not in changed}

    def _put_back(self) -> None:
        self._back_ns |= dict.fromkeys(self._list_models(), self._seen_ns + BACK_NS)

    def _require_state(self) -> EnrolmentState:
        if self.state is None:
            raise BadInput("no model is being enrolled; choose one first")
        return self.state

    def _find_base(self, command: Enrol, game: GameState) -> BaseSpec:
        bases = {model.id: model.base for _, model in game.iterate_models()}
        if command.model in bases:
            return BaseSpec.from_shape(bases[command.model])
        if command.base is None:
            raise BadInput(f"say what base {command.model} has: neither the game nor the set-up knows it")
        return BaseSpec.parse(command.base)

    def _find_size(self, command: Enrol, entry: BaseSection | None) -> float:
        known_mm = entry.size_mm if isinstance(entry, TaggedBase) else None
        size_mm = command.size_mm or known_mm or self._find_usual_size()
        if size_mm is None:
            raise BadInput(f"say how large the tag of {command.model} is: the edge of its black square")
        return size_mm

    def _check_ring(self, model: str, spec: BaseSpec, kind: RingKind) -> None:
        """Check that a base has room for a ring."""
        try:
            list_candidates(spec, kind, self.setup.rings.ring_list)
        except ValueError as error:
            raise BadInput(f"{model}: {error}") from None

    def _find_usual_size(self) -> float | None:
        sizes = Counter(base.size_mm for base in self.setup.tagged_bases)
        return sizes.most_common(1)[0][0] if sizes else None


def _build_tag_view(base: TaggedBase) -> TagView:
    tag = base.tag_in_base
    return TagView(
        tag=base.tag,
        size_mm=base.size_mm,
        x_mm=tag.x_mm,
        y_mm=tag.y_mm,
        facing_deg=tag.facing_deg,
        sigma_mm=tag.sigma_mm,
        sigma_deg=tag.sigma_deg,
        height_mm=base.height_mm,
        height_sigma_mm=base.height_sigma_mm,
    )


def _build_ring_view(base: RingedBase) -> RingView:
    inside = base.ring_in_base
    return RingView(
        ring=base.ring,
        kind=base.ring_kind,
        sigma_mm=inside.sigma_mm,
        sigma_deg=inside.sigma_deg,
        height_mm=base.height_mm,
    )


def build_section(state: EnrolmentState) -> BaseSection | None:
    """Return what would be kept of an enrolment; None where it is not over."""
    if state.way in RING_WAYS:
        if state.step is not EnrolmentStep.MEASURED or state.ring is None:
            return None
        kind = RingKind(state.way.value)
        return build_ringed_base(state.model, state.base, kind, state.ring, height=state.height)
    return None if state.result is None else section_from_enrolment(state.model, state.base, state.result)
