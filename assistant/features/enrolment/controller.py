"""Enrolment controller: what pages ask for, what each frame shows, and what is kept in the set-up file."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.enrolment.state import RULED_SIGMA_MM, EnrolmentState, EnrolmentWay, begin, confirm_front, look
from assistant.features.enrolment.virtual_hands import EnrolmentHands
from assistant.features.feature import Asker, Feature, Handles
from assistant.game.base_spec import BaseSpec
from assistant.game.state import GameState
from assistant.setup.bases import TaggedBase
from assistant.setup.editing import enrol_base, keep_enrolment, section_from_enrolment
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.web.commands.setup import Enrol, EnrolAgain, EnrolKeep, EnrolStop, EnrolTurn
from assistant.web.messages import View
from assistant.web.messages.setup import EnrolledView, EnrollingView, TagView
from hardware.frame import Frame
from vision.enrolment.printed_ring import Enrolment, HeightPrior
from vision.images import convert_to_grey
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

BACK_NS = 1_500_000_000
"""A model that was being enrolled is not played with for so long after, while it is put back."""


@dataclass(kw_only=True)
class EnrolmentController(Feature):
    """Leads through the enrolment of one model after another.  Used from the thread of the table."""

    name = "enrolment"
    setup: Setup
    path: Path | None
    """The set-up file that is written to; None where what is kept is forgotten with the program."""
    pipeline: Pipeline
    hands: EnrolmentHands | None = None
    """Does on a virtual table what a person does on a real one."""
    state: EnrolmentState | None = None
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
            BadInput: its base or the size of its tag is not known.

        """
        entry = next((base for base in self.setup.bases if base.model == command.model), None)
        spec = entry.base if entry else self._find_base(command, asker.session.state)
        size_mm = (
            command.size_mm or (entry.size_mm if isinstance(entry, TaggedBase) else None) or self._find_usual_size()
        )
        if size_mm is None:
            raise BadInput(f"say how large the tag of {command.model} is: the edge of its black square")
        height = None if command.height_mm is None else HeightPrior(mm=command.height_mm, sigma_mm=RULED_SIGMA_MM)
        way = EnrolmentWay(command.way)
        self._put_back()
        self.state = begin(model=command.model, base=spec, size_mm=size_mm, way=way, height=height, before=self.state)
        self.kept = False
        if self.hands:
            self.hands.begin(self.state)

    @Handles(EnrolAgain)
    def restart(self) -> None:
        """Forget what was measured of this model, and begin again.

        Raises:
            BadInput: no model is being enrolled.

        """
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
            BadInput: nothing was measured yet, the tag is another model's, or the file cannot be written.

        """
        state = self._require_state()
        if state.result is None:
            raise BadInput(f"{state.model} is not measured yet")
        section = section_from_enrolment(state.model, state.base, state.result)
        setup = enrol_base(self.setup, section, f"the enrolment of {state.model}")
        if self.path is not None:
            keep_enrolment(self.path, section)
        self._use(setup, section)
        self.kept = True
        if self.hands:
            self.hands.end()

    @Handles(EnrolStop)
    def stop(self) -> None:
        """Leave the enrolment."""
        self._put_back()
        self.state, self.kept = None, False
        if self.hands:
            self.hands.end()

    def see(self, frame: Frame) -> None:
        """Look at a frame, as far as there is something to look for in it."""
        self._seen_ns = frame.captured_ns
        camera = self.pipeline.camera
        if self.state is None or self.kept or camera is None:
            return
        if self.hands:
            self.hands.help(self.state, frame.captured_ns)
        self.state = look(
            self.state,
            grey=convert_to_grey(frame.image),
            captured_ns=frame.captured_ns,
            camera=camera,
            anchors={anchor.tag for anchor in self.setup.anchors},
            owners={base.tag: base.model for base in self.setup.tagged_bases},
        )

    def filter_poses(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Return what was seen without the model that is being enrolled: it is not being played with."""
        self._back_ns = {model: until for model, until in self._back_ns.items() if until > snapshot.captured_ns}
        apart = {*self._back_ns, *({self.state.model} if self.state else ())}
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
            entries = {base.model: base for base in self.setup.tagged_bases}
            specs = {**models, **{base.model: base.base for base in self.setup.bases}}
            self._views = {
                model: EnrolledView(base=spec, tag=_build_tag_view(entries[model]) if model in entries else None)
                for model, spec in specs.items()
            }
            self._viewed = now
        enrolling = self._build_enrolling_view()
        return View(enrolled=self._views, enrolling={"enrolling": enrolling} if enrolling else {})

    def _build_enrolling_view(self) -> EnrollingView | None:
        state = self.state
        if state is None:
            return None
        return EnrollingView(
            model=state.model,
            base=state.base,
            base_name=state.base.name,
            way=state.way.value,
            step=state.step.value,
            note=state.note,
            places=len(state.places),
            turned_deg=round(math.degrees(state.turned_rad)),
            found=_build_found_view(state, state.result) if state.result else None,
            advice=state.result.advice if state.result else "",
            kept=self.kept,
        )

    def _use(self, setup: Setup, section: TaggedBase) -> None:
        self.setup = setup
        self.pipeline.markers = replace(self.pipeline.markers, bases=setup.enrolled_bases)
        # What was averaged by the old offset is not worth keeping, and a tag that is no longer used has no base.
        tracks = self.pipeline.tracks.items()
        self.pipeline.tracks = {tag: t for tag, t in tracks if tag in setup.enrolled_bases and tag != section.tag}

    def _put_back(self) -> None:
        if self.state is not None:
            self._back_ns[self.state.model] = self._seen_ns + BACK_NS

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


def _build_found_view(state: EnrolmentState, result: Enrolment) -> TagView:
    return _build_tag_view(section_from_enrolment(state.model, state.base, result))
