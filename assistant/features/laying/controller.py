"""Laying controller: which pieces lie, as people tick them or the camera sees it, and what is shown meanwhile."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles, Moment
from assistant.features.laying.plan import LayingStep, draw_laying, find_next, plan_laying
from assistant.files.documents import check
from assistant.game.state import GameState, TerrainPlace
from assistant.game.terrain_places import find_in_frame, find_on_table, find_place, is_in_place
from assistant.setup.bases import MarkedTerrain, MarkInPiece
from assistant.setup.editing import keep_mark, mark_terrain
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.table.terrain_watch import describe_offset, list_resting
from assistant.web.commands.game import LayBegin, LayEnd, LayLearn, LayMark, LayTick
from assistant.web.messages import View
from assistant.web.messages.table import LayingStepView, LayingView
from assistant.web.views.session import build_shape_views
from vision.marker_numbers import name_marker
from vision.pipeline import Pipeline
from vision.types import PoseState, TableSnapshot


class LayingController(Feature):
    """Leads through laying the table's terrain and objectives.  Used from the thread of the table."""

    name = "laying"

    def __init__(self, setup: Setup | None = None, path: Path | None = None, pipeline: Pipeline | None = None) -> None:
        """Begin with nothing being laid.

        Args:
            setup: says which mark lies on which piece; None where nothing is learned of that.
            path: the set-up file; None where what is learned is forgotten with the program.
            pipeline: the eyes that are told of it.

        """
        self._setup, self._path, self._pipeline = setup, path, pipeline
        self._of: GameState | None = None
        self._only: str | None = None
        self._steps: tuple[LayingStep, ...] | None = None
        """None while nothing is being laid."""
        self._laid: set[str] = set()
        self._resting: Mapping[str, TerrainPlace] = {}
        """Where marked pieces are seen at rest."""
        self._lifted_mm: Mapping[str, float] = {}
        """How high those are that are seen above the table."""
        self._in_view: frozenset[str] = frozenset()
        """Pieces whose mark is seen."""
        self._seen: dict[str, bool] = {}
        """Of marked pieces, whether they were last seen to lie where they belong."""
        self._notes: dict[str, str] = {}
        self._view: View | None = None

    @Handles(LayBegin)
    def begin(self, command: LayBegin, asker: Asker) -> None:
        """Begin, or begin again with nothing laid but what the camera sees to lie.

        Raises:
            BadInput: the game has neither terrain nor objectives, or not the piece that is to be put back.

        """
        steps = _plan_steps(asker.session.state, command.only)
        if not steps:
            raise BadInput(
                "this game has no terrain and no objectives to lay: choose a layout in the set-up first"
                if command.only is None
                else f"there is no terrain {command.only!r} in this game"
            )
        self._of, self._only, self._steps, self._view = asker.session.state, command.only, steps, None
        self._laid, self._seen, self._notes = set(), {}, {}

    @Handles(LayTick)
    def tick(self, command: LayTick) -> None:
        """Say that a piece lies, or does not.

        Raises:
            BadInput: nothing is being laid, or there is no such piece.

        """
        if command.step not in {step.id for step in self._steps or ()}:
            raise BadInput(f"{command.step!r} is not among what is being laid")
        (self._laid.add if command.lies else self._laid.discard)(command.step)
        self._view = None

    @Handles(LayMark)
    def mark(self, command: LayMark) -> None:
        """Take a piece to have a mark.

        Raises:
            BadInput: there is no such piece, another thing has that mark, or there is no set-up to say it in.

        """
        if self._setup is None or self._pipeline is None:
            raise BadInput("there is no set-up in which a mark could be kept")
        if self._of is None or command.step not in {piece.id for piece in self._of.terrain}:
            raise BadInput(f"{command.step!r} is no terrain that could have a mark")
        is_tag = command.kind == "tag"
        given = {
            "piece": command.step,
            command.kind: command.id,
            "size_mm" if is_tag else "round_mm": command.size_mm,
            "height_mm": command.height_mm,
        }
        self._use_mark(check(given, MarkedTerrain, "this mark"))

    @Handles(LayLearn)
    def learn(self, command: LayLearn) -> None:
        """Take a piece to lie where it belongs, and its mark to be elsewhere on it than was said.

        Raises:
            BadInput: the camera does not see its mark at rest, or what was learned cannot be written.

        """
        piece = next((each for each in self._of.terrain if each.id == command.step), None) if self._of else None
        seen = self._resting.get(command.step)
        if piece is None or seen is None or self._setup is None or self._pipeline is None:
            raise BadInput(f"the camera does not see a mark at rest on {command.step!r}: let go of it, and look again")
        (section,) = (each for each in self._setup.terrain if each.piece == piece.id)
        lies = find_on_table(seen, section.mark_in_piece.place)
        inside = MarkInPiece.from_place(find_in_frame(find_place(piece), lies))
        self._use_mark(section.model_copy(update={"mark_in_piece": inside}))

    def _use_mark(self, section: MarkedTerrain) -> None:
        """Write down what lies on a piece, and let the eyes look for it."""
        assert self._setup is not None
        assert self._pipeline is not None
        if self._path is None:
            self._setup = mark_terrain(self._setup, section, "the set-up")
        else:
            self._setup = keep_mark(self._path, section)
        pipeline, marker = self._pipeline, section.marked.marker
        pipeline.markers = replace(pipeline.markers, terrain=self._setup.enrolled_terrain)
        # What was averaged of it by an old place is worth nothing.
        pipeline.tracks = {m: track for m, track in pipeline.tracks.items() if m != marker}
        self._resting, self._view = {}, None

    @Handles(LayEnd)
    def end(self) -> None:
        """End it; the light shows the game again."""
        self._steps = self._view = None

    def filter_poses(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Take note of where marked pieces lie; nothing is left out."""
        self._resting = {} if snapshot.doubt is not None else list_resting(snapshot.terrain)
        self._lifted_mm = {pose.model: pose.z_mm for pose in snapshot.terrain if pose.state is PoseState.LIFTED}
        in_view = frozenset(p.model for p in snapshot.terrain if p.state in {PoseState.SEEN, PoseState.LIFTED})
        if in_view != self._in_view:
            self._in_view, self._view = in_view, None
        return snapshot

    def follow(self, moment: Moment) -> None:
        """Let the camera tick a marked piece that has come to lie where it belongs, or has left its place."""
        if self._steps is None:
            return
        state = moment.session.state
        steps = {step.id for step in self._steps}
        for piece in state.terrain:
            place = self._resting.get(piece.id)
            if piece.id not in steps:
                continue
            if piece.id in self._lifted_mm:
                self._note(piece.id, f"{self._lifted_mm[piece.id]:.0f} mm too high")
            elif place is not None:
                offset, lies = describe_offset(find_place(piece), place), is_in_place(piece, place)
                self._note(piece.id, f"{offset} off" if offset else "")
                self._tick(piece.id, lies=lies)

    def _note(self, piece: str, note: str) -> None:
        if note != self._notes.get(piece, ""):
            self._notes[piece], self._view = note, None

    def _tick(self, piece: str, *, lies: bool) -> None:
        """Take it as the camera sees it; what a person says meanwhile holds until the piece comes or goes."""
        if lies != self._seen.get(piece):
            (self._laid.add if lies else self._laid.discard)(piece)
            self._seen[piece], self._view = lies, None

    def _describe(self, piece: str, *, marked: bool) -> str:
        return "mark not seen" if marked and piece not in self._in_view else self._notes.get(piece, "")

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what pages and light show."""
        if self._steps is None:
            return
        state = session.state
        if self._of is None or (state.terrain, state.objectives) != (self._of.terrain, self._of.objectives):
            self._of, self._steps, self._view = state, _plan_steps(state, self._only), None
        if self._view is None:
            self._view = self._build_view(self._steps)
        yield self._view

    def _build_view(self, steps: tuple[LayingStep, ...]) -> View:
        laid, known = self._laid, self._setup is not None
        marks = {each.piece: name_marker(each.marked.marker) for each in self._setup.terrain} if self._setup else {}
        views = [
            LayingStepView(
                id=step.id,
                number=step.number,
                outlines_mm=list(step.outlines_mm),
                lies=step.id in laid,
                note="" if step.id in laid else self._describe(step.id, marked=step.id in marks),
                mark=marks.get(step.id, ""),
                learns=known and step.id not in laid and self._seen.get(step.id) is False,
            )
            for step in steps
        ]
        return View(
            laying={"laying": LayingView(steps=views, following=find_next(steps, laid), marks=known)},
            shapes=build_shape_views(draw_laying(steps, laid)),
        )


def _plan_steps(state: GameState, only: str | None) -> tuple[LayingStep, ...]:
    return tuple(step for step in plan_laying(state) if only in (None, step.id))
